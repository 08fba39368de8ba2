/* The operations on byte strings. */
#include "residua_modular_numbers.h"

int residua_modular_take(uint32_t *number, size_t words, const uint8_t *bytes, size_t size)
{
    size_t extra = size > 4 * words ? size - 4 * words : 0, i;
    uint8_t above = 0;

    for (i = 0; i < extra; i++) {
        above |= bytes[i];
    }
    residua_modular_load(number, words, bytes + extra, size - extra, 1);
    return above == 0 ? RESIDUA_MODULAR_STATUS_OK : RESIDUA_MODULAR_ENCODING;
}

/* Stores a number in bytes; an error, and zeros, if it does not fit. */
static int give(uint8_t *bytes, size_t size, const uint32_t *number, size_t words)
{
    size_t i, extra = size > 4 * words ? size - 4 * words : 0;
    uint32_t above = 0;

    for (i = size; i < 4 * words; i++) {
        above |= number[i / 4] >> (8 * (i % 4)) & 0xFF;
    }
    residua_modular_wipe(bytes, size);
    if (above != 0) {
        return RESIDUA_MODULAR_ENCODING;
    }
    residua_modular_store(bytes + extra, size - extra, number, 1);
    return RESIDUA_MODULAR_STATUS_OK;
}

/* One operation on x and perhaps y (NULL if there is none). */
static int run(const residua_modular_device *device, unsigned operation, const uint8_t *x,
               size_t size, const uint8_t *y, size_t y_size, uint8_t *result)
{
    uint32_t operands[2 * RESIDUA_MODULAR_MAX_WORDS], found[RESIDUA_MODULAR_MAX_WORDS];
    size_t words = device->core->words, count = y != NULL ? 2 * words : words;
    int code = residua_modular_take(operands, words, x, size);

    if (code == RESIDUA_MODULAR_STATUS_OK && y != NULL) {
        code = residua_modular_take(operands + words, words, y, y_size);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = residua_modular_execute(device, operation, operands, count, found, words);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = give(result, size, found, words);
    }
    residua_modular_wipe(operands, sizeof operands);
    residua_modular_wipe(found, sizeof found);
    return code;
}

/* One operation on k (NULL if there is none) and one point or two, whose coordinates have size bytes
 * each. */
static int run_points(const residua_modular_device *device, unsigned operation, const uint8_t *k,
                      size_t k_size, const uint8_t *first, const uint8_t *second, size_t size,
                      uint8_t *result)
{
    uint32_t operands[6 * RESIDUA_MODULAR_MAX_WORDS], found[3 * RESIDUA_MODULAR_MAX_WORDS];
    size_t words = device->core->words, count = 0, coordinates = second != NULL ? 6 : 3, i;
    int code = RESIDUA_MODULAR_STATUS_OK;

    if (k != NULL) {
        code = residua_modular_take(operands, words, k, k_size);
        count = 1;
    }
    for (i = 0; i < coordinates && code == RESIDUA_MODULAR_STATUS_OK; i++) {
        const uint8_t *coordinate = i < 3 ? first + i * size : second + (i - 3) * size;

        code = residua_modular_take(operands + count++ * words, words, coordinate, size);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = residua_modular_execute(device, operation, operands, count * words, found, 3 * words);
    }
    for (i = 0; i < 3 && code == RESIDUA_MODULAR_STATUS_OK; i++) {
        code = give(result + i * size, size, found + i * words, words);
    }
    residua_modular_wipe(operands, sizeof operands);
    residua_modular_wipe(found, sizeof found);
    return code;
}

/* Whether two numbers are equal; both are public. */
static int equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    while (a_size > b_size) {
        if (*a++ != 0) {
            return 0;
        }
        a_size--;
    }
    while (b_size > a_size) {
        if (*b++ != 0) {
            return 0;
        }
        b_size--;
    }
    while (a_size-- > 0) {
        if (*a++ != *b++) {
            return 0;
        }
    }
    return 1;
}

static int has(const residua_modular_device *device, unsigned operation)
{
    return (device->core->operations >> operation & 1) != 0;
}

int residua_modular_load_key(const residua_modular_device *device, const uint32_t *words,
                             size_t count)
{
    if (!residua_modular_usable(device) || words == NULL) {
        return RESIDUA_MODULAR_ARGUMENT;
    }
    if (!has(device, RESIDUA_MODULAR_OPERATION_LOAD)) {
        return RESIDUA_MODULAR_UNSUPPORTED;
    }
    if (count != (size_t)device->core->load_numbers * device->core->words) {
        return RESIDUA_MODULAR_ARGUMENT;
    }
    return residua_modular_execute(device, RESIDUA_MODULAR_OPERATION_LOAD, words, count, NULL, 0);
}

/* Zeros in place of a result that there is not. */
static int ended(int code, uint8_t *result, size_t size)
{
    if (code != RESIDUA_MODULAR_STATUS_OK && result != NULL) {
        residua_modular_wipe(result, size);
    }
    return code;
}

/* An operation on x alone. */
static int run_alone(const residua_modular_device *device, unsigned operation, const uint8_t *x,
                     size_t size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && x != NULL && result != NULL) {
        code = run(device, operation, x, size, NULL, 0, result);
    }
    return ended(code, result, size);
}

int residua_modular_private(const residua_modular_device *device, const uint8_t *x, size_t size,
                            uint8_t *result)
{
    return run_alone(device, RESIDUA_MODULAR_OPERATION_PRIVATE, x, size, result);
}

int residua_modular_public(const residua_modular_device *device, const uint8_t *e, size_t e_size,
                           const uint8_t *x, size_t size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && x != NULL && result != NULL) {
        const struct residua_modular_core *core = device->core;

        if (has(device, RESIDUA_MODULAR_OPERATION_PUBLIC)) {
            code = RESIDUA_MODULAR_UNSUPPORTED;
            if (e == NULL) {
                code = run(device, RESIDUA_MODULAR_OPERATION_PUBLIC, x, size, NULL, 0, result);
            }
        } else if (e == NULL) {
            code = RESIDUA_MODULAR_ARGUMENT;
        } else if (core->exponent == NULL) {
            code = run(device, RESIDUA_MODULAR_OPERATION_POWER, x, size, e, e_size, result);
        } else if (equal(core->exponent, core->exponent_size, e, e_size)) {
            code = run(device, RESIDUA_MODULAR_OPERATION_POWER, x, size, NULL, 0, result);
        } else {
            code = RESIDUA_MODULAR_UNSUPPORTED;
        }
    }
    return ended(code, result, size);
}

int residua_modular_power(const residua_modular_device *device, const uint8_t *x, size_t size,
                          const uint8_t *y, size_t y_size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && x != NULL && y != NULL && result != NULL) {
        code = RESIDUA_MODULAR_UNSUPPORTED;
        if (device->core->exponent == NULL && has(device, RESIDUA_MODULAR_OPERATION_POWER)) {
            code = run(device, RESIDUA_MODULAR_OPERATION_POWER, x, size, y, y_size, result);
        }
    }
    return ended(code, result, size);
}

int residua_modular_multiply(const residua_modular_device *device, const uint8_t *x,
                             const uint8_t *y, size_t size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && x != NULL && y != NULL && result != NULL) {
        code = run(device, RESIDUA_MODULAR_OPERATION_MULTIPLY, x, size, y, size, result);
    }
    return ended(code, result, size);
}

int residua_modular_invert(const residua_modular_device *device, const uint8_t *x, size_t size,
                           uint8_t *result)
{
    return run_alone(device, RESIDUA_MODULAR_OPERATION_INVERT, x, size, result);
}

int residua_modular_point_multiply(const residua_modular_device *device, const uint8_t *k,
                                   size_t k_size, const uint8_t *point, size_t size,
                                   uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && k != NULL && point != NULL && result != NULL) {
        code = run_points(device, RESIDUA_MODULAR_OPERATION_POINT_MULTIPLY, k, k_size, point, NULL,
                          size, result);
    }
    return ended(code, result, 3 * size);
}

int residua_modular_point_add(const residua_modular_device *device, const uint8_t *first,
                              const uint8_t *second, size_t size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && first != NULL && second != NULL && result != NULL) {
        code = run_points(device, RESIDUA_MODULAR_OPERATION_POINT_ADD, NULL, 0, first, second, size,
                          result);
    }
    return ended(code, result, 3 * size);
}

int residua_modular_point_double(const residua_modular_device *device, const uint8_t *point,
                                 size_t size, uint8_t *result)
{
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (residua_modular_usable(device) && point != NULL && result != NULL) {
        code = run_points(device, RESIDUA_MODULAR_OPERATION_POINT_DOUBLE, NULL, 0, point, NULL,
                          size, result);
    }
    return ended(code, result, 3 * size);
}
