#include "residua_ecc_protocols.h"

#include "residua_ecc_numbers.h"

/* A number of any core. */
typedef uint32_t number_words[RESIDUA_ECC_MAX_WORDS];

/* The generator as a point's byte string. */
static void generator_bytes(const struct residua_ecc_curve *curve, uint8_t *point)
{
    size_t size = curve->field_size;

    if (curve->montgomery) {
        residua_ecc_store(point, size, curve->x, 0);
    } else {
        point[0] = 4;
        residua_ecc_store(point + 1, size, curve->x, 1);
        residua_ecc_store(point + 1 + size, size, curve->y, 1);
    }
}

int residua_ecc_public_key(const residua_ecc_device *device, unsigned curve, const uint8_t *private_key,
                           uint8_t *public_key)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);
    uint8_t generator[RESIDUA_ECC_MAX_POINT];

    if (entry != NULL && entry->montgomery) {
        generator_bytes(entry, generator);
        return residua_ecc_x_multiply(device, curve, private_key, generator, entry->field_size,
                                      public_key);
    }
    return residua_ecc_base_multiply(device, curve, private_key, public_key);
}

int residua_ecc_ecdh(const residua_ecc_device *device, unsigned curve, const uint8_t *private_key,
                     const uint8_t *public_key, size_t public_key_size, uint8_t *secret)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);
    number_words x;
    int code, zero;

    code = residua_ecc_x_multiply(device, curve, private_key, public_key, public_key_size, secret);
    if (code != RESIDUA_ECC_STATUS_OK || !entry->montgomery) {
        return code;
    }
    residua_ecc_load(x, device->core->words, secret, entry->field_size, 0);
    zero = residua_ecc_is_zero(x, device->core->words);
    residua_ecc_wipe(x, sizeof x);
    return zero ? RESIDUA_ECC_STATUS_NEUTRAL : RESIDUA_ECC_STATUS_OK;
}

/* The curve if signatures are defined on it, and the core computes modulo its order. */
static int signature_curve(const residua_ecc_device *device, unsigned index,
                           const struct residua_ecc_curve **curve)
{
    *curve = residua_ecc_find(device, index);
    if (*curve == NULL) {
        return RESIDUA_ECC_ARGUMENT;
    }
    if ((*curve)->montgomery || !residua_ecc_has(device, RESIDUA_ECC_OPERATION_ORDER_MULTIPLY)) {
        return RESIDUA_ECC_UNSUPPORTED;
    }
    return RESIDUA_ECC_STATUS_OK;
}

/* The leftmost bits of the digest, as many as the order has, modulo the order, as a byte string. */
static void digest_bytes(const struct residua_ecc_curve *curve, size_t words, const uint8_t *digest,
                         size_t size, uint8_t *bytes)
{
    size_t used = size < curve->order_size ? size : curve->order_size;
    unsigned excess = used * 8 > curve->order_bits ? (unsigned)(used * 8 - curve->order_bits) : 0;
    number_words number;
    size_t i;

    residua_ecc_load(number, words, digest, used, 1);
    for (i = 0; i < words && excess > 0; i++) {
        uint32_t above = i + 1 < words ? number[i + 1] : 0;
        number[i] = number[i] >> excess | above << (32 - excess);
    }
    residua_ecc_reduce(number, words, curve->order);
    residua_ecc_store(bytes, curve->order_size, number, 1);
}

/* x of a point, modulo the order, as a byte string; returns whether it is zero. */
static int x_modulo_order(const struct residua_ecc_curve *curve, size_t words, const uint8_t *point,
                          uint8_t *bytes)
{
    number_words number;

    residua_ecc_load(number, words, point + 1, curve->field_size, 1);
    residua_ecc_reduce(number, words, curve->order);
    residua_ecc_store(bytes, curve->order_size, number, 1);
    return residua_ecc_is_zero(number, words);
}

/* Whether a byte string is a number in [1, order - 1]. */
static int in_range(const struct residua_ecc_curve *curve, size_t words, const uint8_t *bytes)
{
    number_words number;
    int answer;

    residua_ecc_load(number, words, bytes, curve->order_size, 1);
    answer = residua_ecc_less(number, curve->order, words) &
             (residua_ecc_is_zero(number, words) == 0);
    residua_ecc_wipe(number, sizeof number);
    return answer;
}

/* s = (z + r d) / k: in one operation under a random factor, if the core has that. */
static int sign(const residua_ecc_device *device, unsigned curve, const uint8_t *d, const uint8_t *z,
                const uint8_t *k, const uint8_t *r, uint8_t *s)
{
    uint8_t sum[RESIDUA_ECC_MAX_NUMBER], inverse[RESIDUA_ECC_MAX_NUMBER];
    int code;

    if (residua_ecc_has(device, RESIDUA_ECC_OPERATION_ORDER_SIGN)) {
        return residua_ecc_order_sign(device, curve, k, d, r, z, s);
    }
    code = residua_ecc_order_multiply_add(device, curve, r, d, z, sum);
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = residua_ecc_order_invert(device, curve, k, inverse);
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = residua_ecc_order_multiply(device, curve, sum, inverse, s);
    }
    residua_ecc_wipe(sum, sizeof sum);
    residua_ecc_wipe(inverse, sizeof inverse);
    return code;
}

int residua_ecc_ecdsa_sign(const residua_ecc_device *device, unsigned curve,
                           const uint8_t *private_key, const uint8_t *digest, size_t digest_size,
                           const uint8_t *nonce, uint8_t *signature)
{
    const struct residua_ecc_curve *entry;
    uint8_t point[RESIDUA_ECC_MAX_POINT], z[RESIDUA_ECC_MAX_NUMBER];
    size_t size = residua_ecc_order_size(device, curve), words = 0;
    int code;

    code = signature_curve(device, curve, &entry);
    if (code == RESIDUA_ECC_STATUS_OK) {
        words = device->core->words;
        if (!(in_range(entry, words, private_key) & in_range(entry, words, nonce))) {
            code = RESIDUA_ECC_STATUS_SCALAR_RANGE;
        }
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = residua_ecc_base_multiply(device, curve, nonce, point);
    }
    if (code == RESIDUA_ECC_STATUS_OK && x_modulo_order(entry, words, point, signature)) {
        code = RESIDUA_ECC_RETRY;
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        digest_bytes(entry, words, digest, digest_size, z);
        code = sign(device, curve, private_key, z, nonce, signature, signature + size);
    }
    if (code == RESIDUA_ECC_STATUS_OK && !in_range(entry, words, signature + size)) {
        code = RESIDUA_ECC_RETRY;
    }
    residua_ecc_wipe(point, sizeof point);
    if (code != RESIDUA_ECC_STATUS_OK) {
        residua_ecc_wipe(signature, 2 * size);
    }
    return code;
}

/* Shares of a verdict, one for each step of a verification: only all of them together make
 * RESIDUA_ECC_VALID of RESIDUA_ECC_INVALID. */
enum {
    SHARE_KEY = 0x1B36,
    SHARE_RANGE = 0x2D4C,
    SHARE_INVERSE = 0x0E93,
    SHARE_SUM = 0x71C5,
    SHARE_EQUAL = 0x562A,
    SHARE_AGAIN = RESIDUA_ECC_VALID ^ RESIDUA_ECC_INVALID ^ SHARE_KEY ^ SHARE_RANGE ^
                  SHARE_INVERSE ^ SHARE_SUM ^ SHARE_EQUAL
};

/* What a signature is verified with, and what came out so far. */
typedef struct {
    const residua_ecc_device *device;
    const struct residua_ecc_curve *curve;
    unsigned index;
    size_t words;
    int code;             /* of the first step that failed */
    volatile int verdict; /* with the shares of the steps that succeeded */
    uint8_t r[RESIDUA_ECC_MAX_NUMBER], x[RESIDUA_ECC_MAX_NUMBER]; /* equal if it is valid */
} verification;

/* A step ended with this code. A macro, so that each step has instructions of its own. */
#define ACCOUNT(v, step, share)                                                                    \
    do {                                                                                           \
        int ended = (step);                                                                        \
        if (ended == RESIDUA_ECC_STATUS_OK) {                                                      \
            (v)->verdict ^= (share);                                                               \
        } else if ((v)->code == RESIDUA_ECC_STATUS_OK) {                                           \
            (v)->code = ended;                                                                     \
        }                                                                                          \
    } while (0)

/* STATUS_OK if r and x are equal: in two ways, which have no instruction in common. */
static int compare_upwards(const volatile uint8_t *r, const volatile uint8_t *x)
{
    unsigned difference = 0;
    volatile size_t i;

    for (i = 0; i < RESIDUA_ECC_MAX_NUMBER; i++) {
        difference |= (unsigned)(r[i] ^ x[i]);
    }
    return i == RESIDUA_ECC_MAX_NUMBER && difference == 0 ? RESIDUA_ECC_STATUS_OK
                                                          : RESIDUA_ECC_INVALID;
}

static int compare_downwards(const volatile verification *v)
{
    volatile size_t equal = 0;
    size_t i = RESIDUA_ECC_MAX_NUMBER;

    while (i-- > 0) {
        if (v->r[i] == v->x[i]) {
            equal++;
        }
    }
    return equal == RESIDUA_ECC_MAX_NUMBER ? RESIDUA_ECC_STATUS_OK : RESIDUA_ECC_INVALID;
}

/* Sets x to that of z/s G + r/s Q modulo the order; zeros, no signature's r, if that fails. */
static void recover(verification *v, const uint8_t *key, size_t key_size, const uint8_t *digest,
                    size_t digest_size, const uint8_t *s)
{
    uint8_t generator[RESIDUA_ECC_MAX_POINT], point[RESIDUA_ECC_MAX_POINT] = {0};
    uint8_t inverse[RESIDUA_ECC_MAX_NUMBER] = {0};
    uint8_t of_generator[RESIDUA_ECC_MAX_NUMBER] = {0}, of_key[RESIDUA_ECC_MAX_NUMBER] = {0};
    size_t generator_size = residua_ecc_point_size(v->device, v->index);
    int code;

    code = residua_ecc_order_invert(v->device, v->index, s, inverse);
    ACCOUNT(v, code, SHARE_INVERSE);
    if (code == RESIDUA_ECC_STATUS_OK) {
        digest_bytes(v->curve, v->words, digest, digest_size, of_generator);
        code = residua_ecc_order_multiply(v->device, v->index, of_generator, inverse, of_generator);
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = residua_ecc_order_multiply(v->device, v->index, v->r, inverse, of_key);
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        generator_bytes(v->curve, generator);
        code = residua_ecc_double_multiply(v->device, v->index, of_generator, of_key, generator,
                                           generator_size, key, key_size, point);
        code = code == RESIDUA_ECC_STATUS_NEUTRAL ? RESIDUA_ECC_INVALID : code;
    }
    ACCOUNT(v, code, SHARE_SUM);
    (void)x_modulo_order(v->curve, v->words, point, v->x);
}

/* Sets x to r if the core finds the signature valid, in one operation; returns whether there is
 * such an operation for the curve. */
static int verify_at_once(verification *v, const uint8_t *key, size_t key_size,
                          const uint8_t *digest, size_t digest_size, const uint8_t *s)
{
    uint8_t of_digest[RESIDUA_ECC_MAX_NUMBER] = {0};
    int code;

    if (!residua_ecc_has(v->device, RESIDUA_ECC_OPERATION_ECDSA_VERIFY)) {
        return 0;
    }
    digest_bytes(v->curve, v->words, digest, digest_size, of_digest);
    code = residua_ecc_verify_numbers(v->device, v->index, of_digest, v->r, s, key, key_size, v->x);
    if (code == RESIDUA_ECC_STATUS_BAD_OPERATION) {
        return 0;
    }
    code = code == RESIDUA_ECC_STATUS_INVALID ? RESIDUA_ECC_INVALID : code;
    ACCOUNT(v, code, SHARE_KEY ^ SHARE_INVERSE);
    ACCOUNT(v, code, SHARE_SUM);
    return 1;
}

int residua_ecc_ecdsa_verify(const residua_ecc_device *device, unsigned curve,
                             const uint8_t *public_key, size_t public_key_size,
                             const uint8_t *digest, size_t digest_size, const uint8_t *signature)
{
    const uint8_t *s = signature + residua_ecc_order_size(device, curve);
    verification v = {0};
    size_t i;
    int ranges;

    v.verdict = RESIDUA_ECC_INVALID;
    v.device = device;
    v.index = curve;
    v.code = signature_curve(device, curve, &v.curve);
    if (v.code != RESIDUA_ECC_STATUS_OK) {
        return v.code;
    }
    v.words = device->core->words;
    for (i = 0; i < v.curve->order_size; i++) {
        v.r[i] = signature[i];
    }
    ranges = in_range(v.curve, v.words, v.r) & in_range(v.curve, v.words, s);
    if (!ranges || !verify_at_once(&v, public_key, public_key_size, digest, digest_size, s)) {
        ACCOUNT(&v, residua_ecc_validate(device, curve, public_key, public_key_size), SHARE_KEY);
        if (v.code == RESIDUA_ECC_STATUS_OK && ranges) {
            recover(&v, public_key, public_key_size, digest, digest_size, s);
        }
    }
    if (v.code == RESIDUA_ECC_STATUS_OK) {
        ranges = in_range(v.curve, v.words, v.r) & in_range(v.curve, v.words, s);
        ACCOUNT(&v, ranges ? RESIDUA_ECC_STATUS_OK : RESIDUA_ECC_INVALID, SHARE_RANGE);
    }
    if (v.code == RESIDUA_ECC_STATUS_OK) {
        ACCOUNT(&v, compare_upwards(v.r, v.x), SHARE_EQUAL);
        ACCOUNT(&v, compare_downwards(&v), SHARE_AGAIN);
    }
    if (v.verdict != RESIDUA_ECC_VALID) {
        return v.code != RESIDUA_ECC_STATUS_OK ? v.code : RESIDUA_ECC_INVALID;
    }
    return v.verdict;
}
