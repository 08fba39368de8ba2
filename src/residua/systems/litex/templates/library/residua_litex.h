/* The cores of this system, and its random words. A device of a core is a constant:
 *
 *   static const residua_ecc_device p256 = P256_DEVICE;
 *
 * Its driver asks the core until it is ready, with residua_litex_wait() in between. */
#ifndef RESIDUA_LITEX_H
#define RESIDUA_LITEX_H

#include <stdint.h>

#include <generated/mem.h>

#include "residua_ecc_protocols.h"
#include "residua_modular.h"
{% for core in cores %}
#include "{{ core }}_core.h"
{% endfor %}

/* A register of a core, whose context is the address of the first one. */
uint32_t residua_litex_read32(void *context, uint32_t offset);
void residua_litex_write32(void *context, uint32_t offset, uint32_t value);

/* A fresh random word; 0 if there is one. */
int residua_litex_random(void *context, uint32_t *word);

/* What a driver does while a core works, whose interrupt is enabled then: nothing. A program that
 * has a function of this name waits in it for the event of the core at this context, or does
 * something else. */
void residua_litex_wait(void *context);

/* Reads of STATUS without progress: longer than any operation. */
#define RESIDUA_LITEX_POLLS 2000000u

#define RESIDUA_LITEX_DEVICE(description, address)                                                 \
    { .core = &description, .read32 = residua_litex_read32, .write32 = residua_litex_write32,      \
      .random = residua_litex_random, .context = (void *)(uintptr_t)(address),                     \
      .polls = RESIDUA_LITEX_POLLS, .wait = residua_litex_wait }

{% for core in cores %}
#define {{ core | upper }}_DEVICE RESIDUA_LITEX_DEVICE({{ core }}_core, {{ core | upper }}_BASE)
{% endfor %}

#endif
