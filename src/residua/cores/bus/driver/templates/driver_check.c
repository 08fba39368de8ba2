/* Calls the driver of a directory on its simulated core; plain integers gave what must come out.
 * The first wrong call ends it: the state of the core is unknown after it. */
#include <stdio.h>
#include <string.h>

{% for header in headers %}
#include "{{ header }}"
{% endfor %}
#include "{{ name }}_simulated.h"

#define GUARD 8 /* bytes behind an output, which must stay as they are */
#define MOST {{ most }}

static {{ library }}_device device;
static int calls;

/* Whether a call was right. */
static int judge(const char *name, int code, int right_code, const uint8_t *output,
                 const uint8_t *right, size_t size)
{
    size_t i;
    int good = code == right_code && memcmp(output, right, size) == 0;

    for (i = size; i < size + GUARD; i++) {
        good = good && output[i] == 0xA5;
    }
    if ({{ name }}_failure(&device) != 0 || {{ name }}_waiting(&device) != 0) {
        good = 0;
    }
    calls++;
    if (!good) {
        printf("WRONG call %d, %s: code %d, right is %d\n", calls, name, code, right_code);
    }
    return good;
}

int main(void)
{
    uint8_t output[MOST + GUARD];
    int code;

    device = {{ name }}_simulated(1, 16, {{ pause }});
    device.polls = {{ polls }};
    code = {{ library }}_open(&device);
    if (code != 0) {
        printf("WRONG open: code %d\n", code);
        return 0;
    }
{% for call in calls %}
    memset(output, 0xA5, sizeof output);
    code = {{ call.function }}(&device{{ ", " if call.arguments }}{{ call.rendered() }}{{ ", output" if call.result is not none }});
    if (!judge("{{ call.function }}", code, {{ call.code }}, output, {{ call.expected() }}, {{ (call.result or "") | length }})) {
        return 0;
    }
{% endfor %}
    printf("PASS %d\n", calls);
    return 0;
}
