/* What belongs to a public key, computed of N alone. All numbers here are public. */
#include "residua_rsa_numbers.h"

typedef uint32_t number_words[RESIDUA_RSA_MAX_WORDS];

/* a + b into a; returns the carry. */
static uint32_t add(uint32_t *a, const uint32_t *b, size_t words)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        sum += (uint64_t)a[i] + b[i];
        a[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* a - b into a; returns the borrow. */
static uint32_t subtract(uint32_t *a, const uint32_t *b, size_t words)
{
    uint32_t borrow = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        uint64_t word = (uint64_t)a[i] - b[i] - borrow;

        a[i] = (uint32_t)word;
        borrow = (uint32_t)(word >> 63);
    }
    return borrow;
}

static int less(const uint32_t *a, const uint32_t *b, size_t words)
{
    while (words-- > 0) {
        if (a[words] != b[words]) {
            return a[words] < b[words];
        }
    }
    return 0;
}

/* Whether a number is 0 or 1, whichever value is. */
static int is(const uint32_t *a, uint32_t value, size_t words)
{
    uint32_t other = a[0] ^ value;
    size_t i;

    for (i = 1; i < words; i++) {
        other |= a[i];
    }
    return other == 0;
}

static void set(uint32_t *a, uint32_t value, size_t words)
{
    size_t i;

    for (i = 0; i < words; i++) {
        a[i] = i == 0 ? value : 0;
    }
}

/* a + b modulo n, for numbers below n, into a. */
static void add_modulo(uint32_t *a, const uint32_t *b, const uint32_t *n, size_t words)
{
    if (add(a, b, words) != 0 || !less(a, n, words)) {
        (void)subtract(a, n, words);
    }
}

/* a b modulo n, for b below n. */
static void multiply_modulo(uint32_t *product, const uint32_t *a, const uint32_t *b,
                            const uint32_t *n, size_t words)
{
    size_t bit = 32 * words;

    set(product, 0, words);
    while (bit-- > 0) {
        add_modulo(product, product, n, words);
        if ((a[bit / 32] >> (bit % 32) & 1) != 0) {
            add_modulo(product, b, n, words);
        }
    }
}

/* (a + carry 2^(32 words)) / 2. */
static void halve(uint32_t *a, uint32_t carry, size_t words)
{
    while (words-- > 0) {
        uint32_t low = a[words] & 1;

        a[words] = a[words] >> 1 | carry << 31;
        carry = low;
    }
}

/* 1 / u modulo an odd n, u below n, by halving and subtracting; whether there is one. u is lost. */
static int invert(uint32_t *inverse, uint32_t *u, const uint32_t *n, size_t words)
{
    number_words other_u, other_x;
    uint32_t *v = other_u, *x = other_x, *y = inverse, *kept;
    size_t i;

    /* u = x a and v = y a modulo n, for the a that u was. */
    for (i = 0; i < words; i++) {
        v[i] = n[i];
    }
    set(x, 1, words);
    set(y, 0, words);
    while (!is(u, 0, words)) {
        while ((u[0] & 1) == 0) {
            halve(u, 0, words);
            halve(x, (x[0] & 1) != 0 ? add(x, n, words) : 0, words);
        }
        if (less(u, v, words)) {
            kept = u;
            u = v;
            v = kept;
            kept = x;
            x = y;
            y = kept;
        }
        (void)subtract(u, v, words);
        if (subtract(x, y, words) != 0) {
            (void)add(x, n, words);
        }
    }
    if (y != inverse) {
        for (i = 0; i < words; i++) {
            inverse[i] = y[i];
        }
    }
    return is(v, 1, words);
}

/* a -= b times a word, from a word of a on, modulo 2^(32 words). */
static void subtract_multiple(uint32_t *a, const uint32_t *b, uint32_t multiple, size_t words)
{
    uint64_t carry = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        uint64_t product = (uint64_t)b[i] * multiple + carry;

        carry = (product >> 32) + (a[i] < (uint32_t)product ? 1u : 0u);
        a[i] -= (uint32_t)product;
    }
}

/* -1 / n modulo the factor, as (factor u - 1) / n where u is 1 / factor modulo n. */
static void negative_inverse(uint32_t *quotient, const uint32_t *factor, const uint32_t *u,
                             const uint32_t *n, size_t words)
{
    number_words rest;
    uint32_t inverse = n[0];
    size_t i;

    /* 1 - factor u, of which the lowest words are enough, and then its quotient by -n. */
    set(rest, 1, words);
    for (i = 0; i < words; i++) {
        subtract_multiple(rest + i, factor, u[i], words - i);
    }
    /* Each step doubles the bits that are right, which are 3 at first. */
    for (i = 0; i < 4; i++) {
        inverse *= 2 - n[0] * inverse;
    }
    for (i = 0; i < words; i++) {
        uint32_t digit = rest[i] * inverse;

        subtract_multiple(rest + i, n, digit, words - i);
        quotient[i] = digit;
    }
    /* That was (1 - factor u) / n. */
    set(rest, 0, words);
    (void)subtract(rest, quotient, words);
    for (i = 0; i < words; i++) {
        quotient[i] = rest[i];
    }
}

static int take(uint32_t *number, size_t words, const uint8_t *bytes, size_t size)
{
    size_t extra = size > 4 * words ? size - 4 * words : 0, i;

    for (i = 0; i < extra; i++) {
        if (bytes[i] != 0) {
            return RESIDUA_RSA_ENCODING;
        }
    }
    residua_rsa_load(number, words, bytes + extra, size - extra, 1);
    return RESIDUA_RSA_STATUS_OK;
}

int residua_rsa_load_public_key(const residua_rsa_device *device, const uint8_t *n, size_t n_size,
                                const uint8_t *e, size_t e_size)
{
    uint32_t numbers[4 * RESIDUA_RSA_MAX_WORDS] = {0};
    number_words one, factor;
    uint32_t *modulus = numbers, *inverse, *square, *exponent;
    size_t words;
    int code;

    if (!residua_rsa_usable(device) || n == NULL || e == NULL) {
        return RESIDUA_RSA_ARGUMENT;
    }
    if (device->core->factor == NULL) {
        return RESIDUA_RSA_UNSUPPORTED;
    }
    words = device->core->words;
    inverse = numbers + words;
    square = numbers + 2 * words;
    exponent = numbers + 3 * words;
    code = take(modulus, words, n, n_size);
    if (code == RESIDUA_RSA_STATUS_OK) {
        code = take(exponent, words, e, e_size);
    }
    if (code != RESIDUA_RSA_STATUS_OK) {
        return code;
    }
    /* The core refuses others, and 1. */
    if ((modulus[0] & 1) != 0 && !is(modulus, 1, words)) {
        set(one, 1, words);
        multiply_modulo(factor, device->core->factor, one, modulus, words);
        multiply_modulo(square, factor, factor, modulus, words);
        if (!invert(one, factor, modulus, words)) {
            return RESIDUA_RSA_UNSUPPORTED;
        }
        negative_inverse(inverse, device->core->factor, one, modulus, words);
    }
    return residua_rsa_execute(device, RESIDUA_RSA_OPERATION_LOAD, numbers, 4 * words, NULL, 0);
}
