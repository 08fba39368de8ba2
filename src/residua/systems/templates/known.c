/* Known answers, by plain integers: two private keys of each curve, their public keys, the secret. */
#include "commands.h"

{% for one in known %}
{% for field, bytes in one.numbers.items() %}
static const uint8_t {{ field }}_{{ one.index }}[] = { {{ bytes | map("string") | join(", ") }} };
{% endfor %}
{% endfor %}

const struct commands_known commands_known[] = {
{% for one in known %}
    { {{ one.device }}, {{ one.curve }}{% for field in one.numbers %}, {{ field }}_{{ one.index }}{% endfor %} },
{% endfor %}
};
const size_t commands_known_count = sizeof commands_known / sizeof commands_known[0];
