/* The core {{ name }}, for the driver residua_modular.h. */
#ifndef {{ macro }}_CORE_H
#define {{ macro }}_CORE_H

#include "residua_modular.h"

#if RESIDUA_MODULAR_MAX_WORDS < {{ words }}
#error "{{ name }} has numbers of {{ words }} words: compile everything with -DRESIDUA_MODULAR_MAX_WORDS={{ words }}"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The core of a residua_modular_device. */
extern const struct residua_modular_core {{ name }}_core;

#ifdef __cplusplus
}
#endif

#endif
