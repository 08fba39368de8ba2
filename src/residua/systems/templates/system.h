/* The devices of {{ name }}: addresses, and what a word of them means. */
#ifndef SYSTEM_H
#define SYSTEM_H

{% for core in cores %}
#include "{{ core }}_core.h"
{% endfor %}

#define SYSTEM_UART 0x{{ "%08X" % regions.uart.base }}u
#define SYSTEM_UART_EMPTY 0x{{ "%08X" % (2 ** empty) }}u
#define SYSTEM_UART_LOST 0x{{ "%08X" % (2 ** lost) }}u
#define SYSTEM_RANDOM 0x{{ "%08X" % (regions.random.base + data) }}u
#define SYSTEM_RANDOM_STATUS 0x{{ "%08X" % (regions.random.base + status) }}u
#define SYSTEM_RANDOM_UNFIT 0x{{ "%08X" % (2 ** unfit) }}u

{% for kind, list in (("", false), ("_RSA", true)) %}
#define SYSTEM{{ kind }}_DEVICES{% for core in cores %}{% if (core in rsa) == list %} \
    SYSTEM_DEVICE({{ core }}_core, 0x{{ "%08X" % regions["core_%d" % loop.index0].base }}u){% endif %}{% endfor %}

{% endfor %}

#endif
