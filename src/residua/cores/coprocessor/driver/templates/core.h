/* The coprocessor {{ name }}, for the driver residua_ecc.h. */
#ifndef {{ macro }}_CORE_H
#define {{ macro }}_CORE_H

#include "residua_ecc.h"

#if RESIDUA_ECC_MAX_WORDS < {{ words }}
#error "{{ name }} has numbers of {{ words }} words: compile everything with -DRESIDUA_ECC_MAX_WORDS={{ words }}"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that name the curves. */
{% for curve in curves %}
#define {{ macro }}_CURVE_{{ curve.identifier }} {{ loop.index0 }}u
{% endfor %}

/* The core of a residua_ecc_device. */
extern const struct residua_ecc_core {{ name }}_core;

#ifdef __cplusplus
}
#endif

#endif
