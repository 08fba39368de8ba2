/* Known answers, by plain integers: two private keys of each curve, their public keys, the secret; a key
 * of each core for RSA, a number, its root or power. */
#include "commands.h"
#include "rsa_commands.h"

{% for one in known %}
{% for field, bytes in one.numbers.items() %}
static const uint8_t {{ field }}_{{ one.index }}[] = { {{ bytes | map("string") | join(", ") }} };
{% endfor %}
{% endfor %}

{% for one in known_rsa %}
{% set place = loop.index0 %}
{% for field, bytes in one.items() %}
static const uint8_t rsa_{{ field }}_{{ place }}[] = { {{ bytes | map("string") | join(", ") }} };
{% endfor %}
{% endfor %}

/* The last one of each list is none. */
const struct commands_known commands_known[] = {
{% for one in known %}
    { {{ one.device }}, {{ one.curve }}{% for field in one.numbers %}, {{ field }}_{{ one.index }}{% endfor %} },
{% endfor %}
    { 0 },
};
const size_t commands_known_count = sizeof commands_known / sizeof commands_known[0] - 1;

const struct rsa_commands_known rsa_commands_known[] = {
{% for one in known_rsa %}
    { {{ loop.index0 }}, {{ one.key | length }}, {{ one.number | length }}, rsa_key_{{ loop.index0 }}, rsa_number_{{ loop.index0 }}, rsa_result_{{ loop.index0 }} },
{% endfor %}
    { 0 },
};
const size_t rsa_commands_known_count = sizeof rsa_commands_known / sizeof rsa_commands_known[0] - 1;
