#include "{{ library }}_numbers.h"

void {{ library }}_load(uint32_t *number, size_t words, const uint8_t *bytes, size_t size,
                      int big_endian)
{
    size_t i;

    for (i = 0; i < words; i++) {
        number[i] = 0;
    }
    for (i = 0; i < size; i++) {
        uint32_t byte = bytes[big_endian ? size - 1 - i : i];
        number[i / 4] |= byte << (8 * (i % 4));
    }
}

void {{ library }}_store(uint8_t *bytes, size_t size, const uint32_t *number, int big_endian)
{
    size_t i;

    for (i = 0; i < size; i++) {
        bytes[big_endian ? size - 1 - i : i] = (uint8_t)(number[i / 4] >> (8 * (i % 4)));
    }
}

{% if curves %}
int {{ library }}_is_zero(const uint32_t *number, size_t words)
{
    uint32_t bits = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        bits |= number[i];
    }
    return bits == 0;
}

/* a - b into difference (which may be NULL); returns the borrow. */
static uint32_t subtract(uint32_t *difference, const uint32_t *a, const uint32_t *b, size_t words)
{
    uint32_t borrow = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        uint64_t word = (uint64_t)a[i] - b[i] - borrow;
        borrow = (uint32_t)(word >> 63);
        if (difference != NULL) {
            difference[i] = (uint32_t)word;
        }
    }
    return borrow;
}

int {{ library }}_less(const uint32_t *a, const uint32_t *b, size_t words)
{
    return (int)subtract(NULL, a, b, words);
}

void {{ library }}_reduce(uint32_t *number, size_t words, const uint32_t *modulus)
{
    while (!{{ library }}_less(number, modulus, words)) {
        (void)subtract(number, number, modulus, words);
    }
}

{% endif %}
void {{ library }}_wipe(void *memory, size_t size)
{
    volatile uint8_t *bytes = (volatile uint8_t *)memory;

    while (size-- > 0) {
        *bytes++ = 0;
    }
}
{% if curves %}

const struct {{ library }}_curve *{{ library }}_find(const {{ library }}_device *device, unsigned curve)
{
    if (!{{ library }}_usable(device) || curve >= device->core->curve_count) {
        return NULL;
    }
    return &device->core->curves[curve];
}

int {{ library }}_load_point(const struct {{ library }}_curve *curve, uint32_t *numbers, size_t words,
                           const uint8_t *point, size_t size)
{
    if (curve->montgomery) {
        if (size != curve->field_size) {
            return {{ library | upper }}_ENCODING;
        }
        {{ library }}_load(numbers, words, point, size, 0);
        return {{ library | upper }}_STATUS_OK;
    }
    if (size != 1 + 2 * (size_t)curve->field_size || point[0] != 4) {
        return {{ library | upper }}_ENCODING;
    }
    {{ library }}_load(numbers, words, point + 1, curve->field_size, 1);
    {{ library }}_load(numbers + words, words, point + 1 + curve->field_size, curve->field_size, 1);
    return {{ library | upper }}_STATUS_OK;
}
{% endif %}
