/* The core {{ name }}, for the driver residua_rsa.h. */
#ifndef {{ macro }}_CORE_H
#define {{ macro }}_CORE_H

#include "residua_rsa.h"

#if RESIDUA_RSA_MAX_WORDS < {{ words }}
#error "{{ name }} has numbers of {{ words }} words: compile everything with -DRESIDUA_RSA_MAX_WORDS={{ words }}"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The core of a residua_rsa_device. */
extern const struct residua_rsa_core {{ name }}_core;

#ifdef __cplusplus
}
#endif

#endif
