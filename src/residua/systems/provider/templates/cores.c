/* The cores of this provider, in the order of its openssl.cnf. */
#include "cores.h"

{% for core in cores %}
#include "{{ core.name }}_core.h"
{% endfor %}

{% for core in cores if core.curves %}
static const provider_curve {{ core.name }}_curves[] = {
{% for curve in core.curves %}
    {.names = {{ "{" }}{% for name in known[curve].names %}"{{ name }}", {% endfor %}NULL}, .tls_group = {{ known[curve].tls_group }}},
{% endfor %}
};

{% endfor %}
const provider_core provider_cores[] = {
{% for core in cores %}
    {
        .name = "{{ core.name }}",
{% if core.rsa %}
        .rsa = &{{ core.name }}_core,
        .keys = {{ "{" }}{{ core.rsa.bits }}, {{ core.rsa.exponent }}u, {{ core.rsa.exponent_bits }}{{ "}" }},
{% else %}
        .ecc = &{{ core.name }}_core,
        .curves = {{ core.name }}_curves,
{% endif %}
        .top = "{{ core.top }}",
        .simulated_polls = {{ core.polls }}u,
    },
{% endfor %}
};

const size_t provider_core_count = sizeof provider_cores / sizeof *provider_cores;

const uint32_t provider_simulated_pause = {{ pause }}u;
