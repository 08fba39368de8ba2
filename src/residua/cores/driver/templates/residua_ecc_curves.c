#include "residua_ecc_curves.h"

const residua_ecc_curve residua_ecc_curves[RESIDUA_ECC__CAPABILITY__CURVES_reset] = {
{% for curve in curves %}
    {
        "{{ curve.name }}",
        {{ 1 if curve.montgomery else 0 }},
        {{ curve.cofactor_bits }},
        {{ curve.field_bits }},
        {{ curve.order_bits }},
        {{ curve.field_size }},
        {{ curve.order_size }},
{% for number in (curve.prime, curve.order, curve.x, curve.y) %}
        {
{% for row in words(number) | batch(4) %}
            {{ row | join(" ") }}
{% endfor %}
        },
{% endfor %}
    },
{% endfor %}
};
