/* The cores of this provider, in the order of its openssl.cnf. */
#include "cores.h"

{% for core in cores %}
#include "{{ core.name }}_core.h"
{% endfor %}

{% for core in cores %}
static const provider_curve curves_{{ loop.index0 }}[] = {
{% for curve in core.curves %}
    {.names = {{ "{" }}{% for name in known[curve].names %}"{{ name }}", {% endfor %}NULL}, .tls_group = {{ known[curve].tls_group }}},
{% endfor %}
};

{% endfor %}
const provider_core provider_cores[] = {
{% for core in cores %}
    {&{{ core.name }}_core, curves_{{ loop.index0 }}, "{{ core.top }}", {{ core.polls }}u},
{% endfor %}
};

const size_t provider_core_count = sizeof provider_cores / sizeof *provider_cores;

const uint32_t provider_simulated_pause = {{ pause }}u;
