#include "{{ name }}_core.h"

{% if exponent %}
static const uint8_t exponent[{{ exponent | length }}] = {{ "{" }}{% for byte in exponent %}{{ "0x%02X" | format(byte) }}{{ ", " if not loop.last }}{% endfor %}{{ "}" }};

{% endif %}
{% if factor %}
static const uint32_t factor[{{ factor | length }}] = {
{% for row in factor | batch(6) %}
{{ "    " }}{% for word in row %}{{ "0x%08Xu" | format(word) }},{{ " " if not loop.last }}{% endfor %}

{% endfor %}
};

{% endif %}
{% if load %}
static const struct residua_modular_number load[{{ load | length }}] = {
{% for number in load %}
    {RESIDUA_MODULAR_{{ number.source.name }}, RESIDUA_MODULAR_{{ number.modulus.name }}, {{ number.shift }}},
{% endfor %}
};

{% endif %}
const struct residua_modular_core {{ name }}_core = {
    "{{ name }}",
{% for constant in ("ID", "CAPABILITY", "OPERATIONS") %}
    {{ "0x%08X" | format(registers[constant].reset) }}u, /* {{ constant }} */
{% endfor %}
    {{ words }},
    {{ load | length }},
    {{ "load" if load else "NULL" }},
    {{ "exponent" if exponent else "NULL" }},
    {{ exponent | length }},
    {{ "factor" if factor else "NULL" }},
};
