/* What a core loads for a modulus or a key, computed of the key's usual numbers, in a time that
 * depends on the core alone. */
#include "residua_modular_numbers.h"

#define MODULI 3 /* N, p, q: RESIDUA_MODULAR_N, _P, _Q */

typedef uint32_t number_words[RESIDUA_MODULAR_MAX_WORDS];

/* The usual numbers of a key (RFC 8017, section 3.2), and memory to compute others. */
typedef struct {
    const struct residua_modular_core *core;
    number_words moduli[MODULI], exponents[MODULI];
    number_words coefficient; /* 1 / q modulo p */
    number_words work[4];
    uint32_t coprime; /* whether the moduli are coprime to M_a */
} usual_key;

/* Ones if a bit is 1, else zeros. */
static uint32_t mask_of(uint32_t bit)
{
    return (uint32_t)0 - (bit & 1);
}

/* a + b into a, b under a mask; returns the carry. */
static uint32_t add(uint32_t *a, const uint32_t *b, uint32_t mask, size_t words)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        sum += (uint64_t)a[i] + (b[i] & mask);
        a[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* a - b into a, b under a mask; returns the borrow. */
static uint32_t subtract(uint32_t *a, const uint32_t *b, uint32_t mask, size_t words)
{
    uint32_t borrow = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        uint64_t word = (uint64_t)a[i] - (b[i] & mask) - borrow;

        a[i] = (uint32_t)word;
        borrow = (uint32_t)(word >> 63);
    }
    return borrow;
}

/* 1 if a < b. */
static uint32_t less(const uint32_t *a, const uint32_t *b, size_t words)
{
    uint32_t borrow = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        borrow = (uint32_t)(((uint64_t)a[i] - b[i] - borrow) >> 63);
    }
    return borrow;
}

/* Exchanges two numbers under a mask. */
static void swap(uint32_t *a, uint32_t *b, uint32_t mask, size_t words)
{
    size_t i;

    for (i = 0; i < words; i++) {
        uint32_t changes = (a[i] ^ b[i]) & mask;

        a[i] ^= changes;
        b[i] ^= changes;
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

static void set(uint32_t *a, uint32_t value, size_t words)
{
    size_t i;

    for (i = 0; i < words; i++) {
        a[i] = i == 0 ? value : 0;
    }
}

static void copy(uint32_t *a, const uint32_t *b, size_t words)
{
    size_t i;

    for (i = 0; i < words; i++) {
        a[i] = b[i];
    }
}

/* A number under a mask. */
static void keep(uint32_t *a, uint32_t mask, size_t words)
{
    size_t i;

    for (i = 0; i < words; i++) {
        a[i] &= mask;
    }
}

/* 1 if a number is 1. */
static uint32_t is_one(const uint32_t *a, size_t words)
{
    uint32_t other = a[0] ^ 1;
    size_t i;

    for (i = 1; i < words; i++) {
        other |= a[i];
    }
    return (uint32_t)(((uint64_t)other - 1) >> 63);
}

/* a + b modulo n into a, b under a mask; both are below n. */
static void add_modulo(uint32_t *a, const uint32_t *b, uint32_t mask, const uint32_t *n, size_t words)
{
    uint32_t carry = add(a, b, mask, words);

    (void)subtract(a, n, mask_of(carry | (less(a, n, words) ^ 1)), words);
}

/* a 2^bits modulo n into a. */
static void shift_modulo(uint32_t *a, size_t bits, const uint32_t *n, size_t words)
{
    while (bits-- > 0) {
        add_modulo(a, a, mask_of(1), n, words);
    }
}

/* a b modulo n, for b below n. */
static void multiply_modulo(uint32_t *product, const uint32_t *a, const uint32_t *b,
                            const uint32_t *n, size_t words)
{
    size_t bit = 32 * words;

    set(product, 0, words);
    while (bit-- > 0) {
        add_modulo(product, product, mask_of(1), n, words);
        add_modulo(product, b, mask_of(a[bit / 32] >> (bit % 32)), n, words);
    }
}

/* 1 / u modulo an odd n, for u below n; returns whether there is one. u and v are lost.
 *
 * u = x a and v = y a modulo n for the a that u was, and v is odd. Each step takes a bit at least
 * of u and v together, until u is 0 and v the greatest common divisor. */
static uint32_t invert(uint32_t *y, uint32_t *u, uint32_t *v, uint32_t *x, const uint32_t *n, size_t words)
{
    size_t step;

    copy(v, n, words);
    set(x, 1, words);
    set(y, 0, words);
    for (step = 0; step < 64 * words; step++) {
        uint32_t odd = mask_of(u[0]), exchange = odd & mask_of(less(u, v, words)), carry;

        swap(u, v, exchange, words);
        swap(x, y, exchange, words);
        (void)subtract(u, v, odd, words);
        (void)add(x, n, mask_of(subtract(x, y, odd, words)), words);
        halve(u, 0, words);
        carry = add(x, n, mask_of(x[0]), words);
        halve(x, carry, words);
    }
    return is_one(v, words);
}

/* a += b times a word, from a word of a on, modulo 2^(32 words). */
static void add_multiple(uint32_t *a, const uint32_t *b, uint32_t multiple, size_t words)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < words; i++) {
        sum += (uint64_t)b[i] * multiple + a[i];
        a[i] = (uint32_t)sum;
        sum >>= 32;
    }
}

/* -a / n modulo 2^(32 words), for an odd n. a is lost. */
static void divide(uint32_t *quotient, uint32_t *a, const uint32_t *n, size_t words)
{
    uint32_t inverse = n[0];
    size_t i;

    /* Each step doubles the bits that are right, which are 3 at first. */
    for (i = 0; i < 4; i++) {
        inverse *= 2 - n[0] * inverse;
    }
    for (i = 0; i < words; i++) {
        quotient[i] = (uint32_t)0 - a[i] * inverse;
        add_multiple(a + i, n, quotient[i], words - i);
    }
}

/* M_a modulo n. */
static void reduce_factor(usual_key *key, uint32_t *reduced, const uint32_t *n)
{
    size_t words = key->core->words;
    uint32_t *one = key->work[0];

    set(one, 1, words);
    multiply_modulo(reduced, key->core->factor, one, n, words);
}

/* -1 / n modulo M_a, which is (M_a u - 1) / n where u is 1 / M_a modulo n. */
static void invert_modulo_factor(usual_key *key, uint32_t *inverse, const uint32_t *n)
{
    size_t words = key->core->words, i;
    uint32_t *u = key->work[1], *factor = key->work[2], *rest = key->work[3];
    uint32_t exists;

    reduce_factor(key, factor, n);
    exists = invert(u, factor, rest, key->work[0], n, words);
    key->coprime &= exists | (~n[0] & 1);
    set(factor, 0, words);
    for (i = 0; i < words; i++) {
        add_multiple(factor + i, key->core->factor, u[i], words - i);
    }
    set(rest, 1, words);
    (void)subtract(rest, factor, mask_of(1), words);
    divide(inverse, rest, n, words);
}

/* -1 / n modulo 2^bits. */
static void invert_modulo_power(usual_key *key, uint32_t *inverse, size_t bits, const uint32_t *n)
{
    size_t words = key->core->words, i;

    set(key->work[0], 1, words);
    divide(inverse, key->work[0], n, words);
    for (i = 0; i < words; i++) {
        size_t left = bits > 32 * i ? bits - 32 * i : 0;

        inverse[i] &= left >= 32 ? ~(uint32_t)0 : ((uint32_t)1 << left) - 1;
    }
}

/* One number of a load, for an odd modulus. */
static void derive(usual_key *key, const struct residua_modular_number *own, uint32_t *number)
{
    const uint32_t *n = key->moduli[own->modulus];
    size_t words = key->core->words;

    switch (own->source) {
    case RESIDUA_MODULAR_MODULUS:
        copy(number, n, words);
        return;
    case RESIDUA_MODULAR_EXPONENT:
        copy(number, key->exponents[own->modulus], words);
        return;
    case RESIDUA_MODULAR_FACTOR_SQUARE:
        reduce_factor(key, key->work[1], n);
        multiply_modulo(number, key->work[1], key->work[1], n, words);
        return;
    case RESIDUA_MODULAR_FACTOR_INVERSE:
        invert_modulo_factor(key, number, n);
        return;
    case RESIDUA_MODULAR_DIGIT_INVERSE:
        invert_modulo_power(key, number, own->shift, n);
        return;
    case RESIDUA_MODULAR_COEFFICIENT:
        copy(number, key->coefficient, words);
        break;
    case RESIDUA_MODULAR_NEGATIVE_COEFFICIENT:
        copy(number, n, words);
        (void)subtract(number, key->coefficient, mask_of(1), words);
        break;
    case RESIDUA_MODULAR_OTHER_PRIME:
        copy(number, key->moduli[RESIDUA_MODULAR_Q], words);
        break;
    default:
        set(number, 1, words);
        break;
    }
    shift_modulo(number, own->shift, n, words);
}

/* Loads what belongs to a key; who has the key wipes it. */
static int load(const residua_modular_device *device, usual_key *key)
{
    uint32_t numbers[RESIDUA_MODULAR_MOST_NUMBERS * RESIDUA_MODULAR_MAX_WORDS];
    const struct residua_modular_core *core = device->core;
    size_t words = core->words, i;
    int code = RESIDUA_MODULAR_UNSUPPORTED;

    for (i = 0; i < core->load_numbers; i++) {
        const struct residua_modular_number *own = &core->load[i];
        const uint32_t *n = key->moduli[own->modulus];

        derive(key, own, numbers + i * words);
        /* A modulus that is even or 1 is for the core to refuse: nothing else belongs to it. */
        if (own->source != RESIDUA_MODULAR_MODULUS) {
            keep(numbers + i * words, mask_of(n[0] & (is_one(n, words) ^ 1)), words);
        }
    }
    if (key->coprime != 0) {
        code = residua_modular_execute(device, RESIDUA_MODULAR_OPERATION_LOAD, numbers,
                                       core->load_numbers * words, NULL, 0);
    }
    residua_modular_wipe(numbers, sizeof numbers);
    return code;
}

/* Begins a key for an operation; an error if the core has no such keys. */
static int begin(const residua_modular_device *device, usual_key *key, unsigned operations)
{
    unsigned load = 1u << RESIDUA_MODULAR_OPERATION_LOAD;

    if (
        !residua_modular_usable(device) || device->core->load_numbers > RESIDUA_MODULAR_MOST_NUMBERS) {
        return RESIDUA_MODULAR_ARGUMENT;
    }
    residua_modular_wipe(key, sizeof *key);
    key->core = device->core;
    key->coprime = 1;
    return (device->core->operations & load) != 0 && (device->core->operations & operations) != 0
               ? RESIDUA_MODULAR_STATUS_OK
               : RESIDUA_MODULAR_UNSUPPORTED;
}

int residua_modular_load_private_key(const residua_modular_device *device, const uint8_t *p,
                                     const uint8_t *q, const uint8_t *d_p, const uint8_t *d_q,
                                     const uint8_t *coefficient, size_t size)
{
    usual_key key;
    int code = RESIDUA_MODULAR_ARGUMENT;
    size_t i, words;

    if (p != NULL && q != NULL && d_p != NULL && d_q != NULL && coefficient != NULL) {
        code = begin(device, &key, 1u << RESIDUA_MODULAR_OPERATION_PRIVATE);
    }
    if (code != RESIDUA_MODULAR_STATUS_OK) {
        return code;
    }
    words = key.core->words;
    code = residua_modular_take(key.moduli[RESIDUA_MODULAR_P], words, p, size) |
           residua_modular_take(key.moduli[RESIDUA_MODULAR_Q], words, q, size) |
           residua_modular_take(key.exponents[RESIDUA_MODULAR_P], words, d_p, size) |
           residua_modular_take(key.exponents[RESIDUA_MODULAR_Q], words, d_q, size) |
           residua_modular_take(key.coefficient, words, coefficient, size);
    for (i = 0; i < words; i++) {
        add_multiple(key.moduli[RESIDUA_MODULAR_N] + i, key.moduli[RESIDUA_MODULAR_P],
                     key.moduli[RESIDUA_MODULAR_Q][i], words - i);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = load(device, &key);
    }
    residua_modular_wipe(&key, sizeof key);
    return code;
}

int residua_modular_load_public_key(const residua_modular_device *device, const uint8_t *n,
                                    size_t n_size, const uint8_t *e, size_t e_size)
{
    usual_key key;
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (n != NULL && e != NULL) {
        code = begin(device, &key, 1u << RESIDUA_MODULAR_OPERATION_PUBLIC);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = residua_modular_take(key.moduli[RESIDUA_MODULAR_N], key.core->words, n, n_size) |
               residua_modular_take(key.exponents[RESIDUA_MODULAR_N], key.core->words, e, e_size);
    }
    return code == RESIDUA_MODULAR_STATUS_OK ? load(device, &key) : code;
}

/* Whether a number is a modulus of powers or products; it is public. */
static int is_modulus(const struct residua_modular_core *core, const uint32_t *n)
{
    uint32_t smallest = core->factor != NULL ? RESIDUA_MODULAR_SMALLEST : 3, high = 0;
    size_t i;

    for (i = 1; i < core->words; i++) {
        high |= n[i];
    }
    return (n[0] & 1) != 0 && (high != 0 || n[0] >= smallest);
}

int residua_modular_load_modulus(const residua_modular_device *device, const uint8_t *n,
                                 size_t size)
{
    usual_key key;
    const uint32_t *modulus = key.moduli[RESIDUA_MODULAR_N];
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (n != NULL) {
        code = begin(device, &key,
                     1u << RESIDUA_MODULAR_OPERATION_POWER | 1u << RESIDUA_MODULAR_OPERATION_MULTIPLY);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        code = residua_modular_take(key.moduli[RESIDUA_MODULAR_N], key.core->words, n, size);
    }
    /* Not every core tests that. */
    if (code == RESIDUA_MODULAR_STATUS_OK && !is_modulus(key.core, modulus)) {
        code = RESIDUA_MODULAR_ARGUMENT;
    }
    return code == RESIDUA_MODULAR_STATUS_OK ? load(device, &key) : code;
}
