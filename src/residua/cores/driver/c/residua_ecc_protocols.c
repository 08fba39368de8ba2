#include "residua_ecc_protocols.h"

#include "residua_ecc_numbers.h"

#define W RESIDUA_ECC_WORDS

/* The generator as a point's byte string. */
static void generator_bytes(const residua_ecc_curve *curve, uint8_t *point)
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

int residua_ecc_public_key(const residua_ecc_port *port, unsigned curve, const uint8_t *private_key,
                           uint8_t *public_key)
{
    const residua_ecc_curve *entry = residua_ecc_find(curve);
    uint8_t generator[RESIDUA_ECC_MAX_POINT];

    if (entry != NULL && entry->montgomery) {
        generator_bytes(entry, generator);
        return residua_ecc_x_multiply(port, curve, private_key, generator, entry->field_size,
                                      public_key);
    }
    return residua_ecc_base_multiply(port, curve, private_key, public_key);
}

int residua_ecc_ecdh(const residua_ecc_port *port, unsigned curve, const uint8_t *private_key,
                     const uint8_t *public_key, size_t public_key_size, uint8_t *secret)
{
    const residua_ecc_curve *entry = residua_ecc_find(curve);
    residua_ecc_number x;
    int code, zero;

    code = residua_ecc_x_multiply(port, curve, private_key, public_key, public_key_size, secret);
    if (code != 0 || !entry->montgomery) {
        return code;
    }
    residua_ecc_load(x, secret, entry->field_size, 0);
    zero = residua_ecc_is_zero(x);
    residua_ecc_wipe(x, sizeof x);
    return zero ? RESIDUA_ECC_STATUS_NEUTRAL : 0;
}

/* The curve if signatures are defined on it. */
static int signature_curve(unsigned index, const residua_ecc_curve **curve)
{
    *curve = residua_ecc_find(index);
    if (*curve == NULL) {
        return RESIDUA_ECC_ARGUMENT;
    }
    return (*curve)->montgomery ? RESIDUA_ECC_UNSUPPORTED : 0;
}

/* The leftmost bits of the digest, as many as the order has, modulo the order, as a byte string. */
static void digest_bytes(const residua_ecc_curve *curve, const uint8_t *digest, size_t size,
                         uint8_t *bytes)
{
    size_t used = size < curve->order_size ? size : curve->order_size;
    unsigned excess = used * 8 > curve->order_bits ? (unsigned)(used * 8 - curve->order_bits) : 0;
    residua_ecc_number number;
    size_t i;

    residua_ecc_load(number, digest, used, 1);
    for (i = 0; i < W && excess > 0; i++) {
        uint32_t above = i + 1 < W ? number[i + 1] : 0;
        number[i] = number[i] >> excess | above << (32 - excess);
    }
    residua_ecc_reduce(number, curve->order);
    residua_ecc_store(bytes, curve->order_size, number, 1);
}

/* x of a point, modulo the order, as a byte string; returns whether it is zero. */
static int x_modulo_order(const residua_ecc_curve *curve, const uint8_t *point, uint8_t *bytes)
{
    residua_ecc_number number;

    residua_ecc_load(number, point + 1, curve->field_size, 1);
    residua_ecc_reduce(number, curve->order);
    residua_ecc_store(bytes, curve->order_size, number, 1);
    return residua_ecc_is_zero(number);
}

/* Whether a byte string is a number in [1, order - 1]. */
static int in_range(const residua_ecc_curve *curve, const uint8_t *bytes)
{
    residua_ecc_number number;
    int answer;

    residua_ecc_load(number, bytes, curve->order_size, 1);
    answer = residua_ecc_less(number, curve->order) & (residua_ecc_is_zero(number) == 0);
    residua_ecc_wipe(number, sizeof number);
    return answer;
}

/* s = (z + r d) / k. */
static int sign(const residua_ecc_port *port, unsigned curve, const uint8_t *d, const uint8_t *z,
                const uint8_t *k, const uint8_t *r, uint8_t *s)
{
    uint8_t sum[RESIDUA_ECC_MAX_NUMBER], inverse[RESIDUA_ECC_MAX_NUMBER];
    int code;

    code = residua_ecc_order_multiply_add(port, curve, r, d, z, sum);
    if (code == 0) {
        code = residua_ecc_order_invert(port, curve, k, inverse);
    }
    if (code == 0) {
        code = residua_ecc_order_multiply(port, curve, sum, inverse, s);
    }
    residua_ecc_wipe(sum, sizeof sum);
    residua_ecc_wipe(inverse, sizeof inverse);
    return code;
}

int residua_ecc_ecdsa_sign(const residua_ecc_port *port, unsigned curve, const uint8_t *private_key,
                           const uint8_t *digest, size_t digest_size, const uint8_t *nonce,
                           uint8_t *signature)
{
    const residua_ecc_curve *entry;
    uint8_t point[RESIDUA_ECC_MAX_POINT], z[RESIDUA_ECC_MAX_NUMBER];
    size_t size = residua_ecc_order_size(curve);
    int code;

    code = signature_curve(curve, &entry);
    if (code == 0 && !(in_range(entry, private_key) & in_range(entry, nonce))) {
        code = RESIDUA_ECC_STATUS_SCALAR_RANGE;
    }
    if (code == 0) {
        code = residua_ecc_base_multiply(port, curve, nonce, point);
    }
    if (code == 0 && x_modulo_order(entry, point, signature)) {
        code = RESIDUA_ECC_RETRY;
    }
    if (code == 0) {
        digest_bytes(entry, digest, digest_size, z);
        code = sign(port, curve, private_key, z, nonce, signature, signature + size);
    }
    if (code == 0 && !in_range(entry, signature + size)) {
        code = RESIDUA_ECC_RETRY;
    }
    residua_ecc_wipe(point, sizeof point);
    if (code != 0) {
        residua_ecc_wipe(signature, 2 * size);
    }
    return code;
}

int residua_ecc_ecdsa_verify(const residua_ecc_port *port, unsigned curve,
                             const uint8_t *public_key, size_t public_key_size,
                             const uint8_t *digest, size_t digest_size, const uint8_t *signature)
{
    const residua_ecc_curve *entry;
    uint8_t generator[RESIDUA_ECC_MAX_POINT], point[RESIDUA_ECC_MAX_POINT];
    uint8_t z[RESIDUA_ECC_MAX_NUMBER], w[RESIDUA_ECC_MAX_NUMBER];
    uint8_t u[RESIDUA_ECC_MAX_NUMBER], v[RESIDUA_ECC_MAX_NUMBER];
    const uint8_t *r = signature, *s = signature + residua_ecc_order_size(curve);
    uint8_t difference = 0;
    size_t i;
    int code;

    code = signature_curve(curve, &entry);
    if (code == 0) {
        code = residua_ecc_validate(port, curve, public_key, public_key_size);
    }
    if (code == 0 && !(in_range(entry, r) && in_range(entry, s))) {
        code = RESIDUA_ECC_INVALID;
    }
    if (code == 0) {
        code = residua_ecc_order_invert(port, curve, s, w);
    }
    if (code == 0) {
        digest_bytes(entry, digest, digest_size, z);
        code = residua_ecc_order_multiply(port, curve, z, w, u);
    }
    if (code == 0) {
        code = residua_ecc_order_multiply(port, curve, r, w, v);
    }
    if (code == 0) {
        generator_bytes(entry, generator);
        code = residua_ecc_double_multiply(port, curve, u, v, generator,
                                           residua_ecc_point_size(curve), public_key,
                                           public_key_size, point);
        code = code == RESIDUA_ECC_STATUS_NEUTRAL ? RESIDUA_ECC_INVALID : code;
    }
    if (code == 0) {
        (void)x_modulo_order(entry, point, u);
        for (i = 0; i < entry->order_size; i++) {
            difference |= u[i] ^ r[i];
        }
        code = difference != 0 ? RESIDUA_ECC_INVALID : 0;
    }
    return code;
}
