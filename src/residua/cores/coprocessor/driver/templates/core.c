#include "{{ name }}_core.h"

{% for curve in curves %}
/* Prime, order and generator of {{ curve.name }}. */
{% set number = loop.index0 %}
{% for part in ("prime", "order", "x", "y") %}
static const uint32_t {{ part }}_{{ number }}[{{ words }}] = {
{% for row in split(curve[part]) | batch(4) %}
    {{ row | join(" ") }}
{% endfor %}
};
{% endfor %}

{% endfor %}
static const struct residua_ecc_curve curves[{{ curves | length }}] = {
{% for curve in curves %}
    {
        "{{ curve.name }}",
        {{ 1 if curve.montgomery else 0 }},
        {{ curve.cofactor_bits }},
        {{ curve.field_bits }},
        {{ curve.order_bits }},
        {{ curve.field_size }},
        {{ curve.order_size }},
        prime_{{ loop.index0 }},
        order_{{ loop.index0 }},
        x_{{ loop.index0 }},
        y_{{ loop.index0 }},
    },
{% endfor %}
};

const struct residua_ecc_core {{ name }}_core = {
    "{{ name }}",
{% for constant in ("ID", "CAPABILITY", "OPERATIONS") %}
    {{ "0x%08X" | format(registers[constant].reset) }}u, /* {{ constant }} */
{% endfor %}
    {{ words }},
    {{ curves | length }},
    curves,
};
