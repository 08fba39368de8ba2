/* The operations on byte strings. */
#include "residua_ecc_numbers.h"
#include "residua_ecc_shares.h"

/* An operation in preparation. After an error the further steps do nothing. */
typedef struct {
    const residua_ecc_device *device;
    const struct residua_ecc_curve *curve;
    unsigned index;
    size_t words; /* of a number */
    uint32_t operands[RESIDUA_ECC_MAX_OPERANDS];
    size_t count; /* words so far */
    int code;
} preparation;

static void prepare(preparation *p, const residua_ecc_device *device, unsigned curve)
{
    p->device = device;
    p->curve = residua_ecc_find(device, curve);
    p->index = curve;
    p->words = p->curve != NULL ? device->core->words : 0;
    p->count = 0;
    p->code = p->curve != NULL ? RESIDUA_ECC_STATUS_OK : RESIDUA_ECC_ARGUMENT;
}

static void prepare_weierstrass(preparation *p, const residua_ecc_device *device, unsigned curve)
{
    prepare(p, device, curve);
    if (p->code == RESIDUA_ECC_STATUS_OK && p->curve->montgomery) {
        p->code = RESIDUA_ECC_UNSUPPORTED;
    }
}

static void add_number(preparation *p, const uint8_t *bytes, int of_order)
{
    if (p->code == RESIDUA_ECC_STATUS_OK) {
        size_t size = of_order ? p->curve->order_size : p->curve->field_size;
        residua_ecc_load(p->operands + p->count, p->words, bytes, size, !p->curve->montgomery);
        p->count += p->words;
    }
}

/* Whether a number has no more than count bits; takes the same time for all numbers. */
static int fits(const uint32_t *number, size_t words, unsigned count)
{
    uint32_t above = 0;
    size_t i;

    for (i = count / 32; i < words; i++) {
        above |= i == count / 32 ? number[i] >> count % 32 : number[i];
    }
    return above == 0;
}

/* Scalars, or secrets modulo the order, of which a core that takes shares gets the first ones of all,
 * then the second ones. What is out of range is refused here then, with the core's own status. */
static void add_secrets(preparation *p, const uint8_t *const *secrets, size_t number, int reduced)
{
    unsigned bits, code = reduced ? RESIDUA_ECC_STATUS_OPERAND_RANGE : RESIDUA_ECC_STATUS_SCALAR_RANGE;
    uint32_t *first = p->operands + p->count;
    size_t i;

    for (i = 0; i < number; i++) {
        add_number(p, secrets[i], 1);
    }
    if (p->code != RESIDUA_ECC_STATUS_OK || !residua_ecc_takes_shares(p->device->core)) {
        return;
    }
    bits = p->curve->order_bits > p->curve->field_bits ? p->curve->order_bits : p->curve->field_bits;
    for (i = 0; i < number && p->code == RESIDUA_ECC_STATUS_OK; i++, first += p->words) {
        if (!(reduced ? residua_ecc_less(first, p->curve->order, p->words)
                      : fits(first, p->words, bits))) {
            p->code = (int)code;
        } else {
            p->code = residua_ecc_split(p->device, p->curve, first, first + number * p->words);
        }
    }
    p->count += number * p->words;
}

static void add_scalar(preparation *p, const uint8_t *k)
{
    add_secrets(p, &k, 1, 0);
}

/* Two shares, of a core that takes such. */
static void add_shares(preparation *p, const uint8_t *k0, const uint8_t *k1)
{
    if (p->code == RESIDUA_ECC_STATUS_OK && !residua_ecc_takes_shares(p->device->core)) {
        p->code = RESIDUA_ECC_UNSUPPORTED;
    }
    add_number(p, k0, 1);
    add_number(p, k1, 1);
}

static void add_point(preparation *p, const uint8_t *point, size_t size)
{
    if (p->code == RESIDUA_ECC_STATUS_OK) {
        p->code =
            residua_ecc_load_point(p->curve, p->operands + p->count, p->words, point, size);
        p->count += p->curve->montgomery ? p->words : 2 * p->words;
    }
}

/* Keeps the bits below count. */
static void keep_bits(uint32_t *number, size_t words, unsigned count)
{
    size_t i;

    for (i = count / 32; i < words; i++) {
        number[i] &= i == count / 32 ? ((uint32_t)1 << count % 32) - 1 : 0;
    }
}

/* A scalar of a Montgomery curve, decoded: a multiple of the cofactor with a fixed top bit. */
static void add_clamped(preparation *p, const uint8_t *k)
{
    if (p->code == RESIDUA_ECC_STATUS_OK) {
        uint32_t *number = p->operands + p->count;
        unsigned top = p->curve->field_bits - 1u;

        residua_ecc_load(number, p->words, k, p->curve->field_size, 0);
        keep_bits(number, p->words, top);
        number[top / 32] |= (uint32_t)1 << top % 32;
        number[0] &= ~(((uint32_t)1 << p->curve->cofactor_bits) - 1);
        p->count += p->words;
    }
}

/* u of a Montgomery curve, decoded: unused bits dropped, reduced. */
static void add_decoded(preparation *p, const uint8_t *u, size_t size)
{
    uint32_t *number = p->operands + p->count;

    add_point(p, u, size);
    if (p->code == RESIDUA_ECC_STATUS_OK) {
        keep_bits(number, p->words, p->curve->field_bits);
        residua_ecc_reduce(number, p->words, p->curve->prime);
    }
}

/* Of a Montgomery curve k and point are as RFC 7748 has them. */
static void prepare_x_multiply(preparation *p, const residua_ecc_device *device, unsigned curve,
                               const uint8_t *k, const uint8_t *point, size_t point_size)
{
    prepare(p, device, curve);
    if (p->code == RESIDUA_ECC_STATUS_OK && p->curve->montgomery) {
        add_clamped(p, k);
        add_decoded(p, point, point_size);
    } else {
        add_scalar(p, k);
        add_point(p, point, point_size);
    }
}

/* Runs the operation; its numbers, of size bytes each, go to result: zeros if it fails. */
static int run(preparation *p, unsigned operation, size_t numbers, size_t size, uint8_t *result)
{
    uint32_t words[2 * RESIDUA_ECC_MAX_WORDS] = {0};
    size_t i;

    if (p->code == RESIDUA_ECC_STATUS_OK) {
        p->code = residua_ecc_execute(p->device, operation, p->index, p->operands, p->count, words,
                                      numbers * p->words);
    }
    for (i = 0; i < numbers; i++) {
        residua_ecc_store(result + i * size, size, words + i * p->words,
                          p->curve != NULL && !p->curve->montgomery);
    }
    residua_ecc_wipe(words, sizeof words);
    residua_ecc_wipe(p->operands, sizeof p->operands);
    return p->code;
}

static int run_number(preparation *p, unsigned operation, int of_order, uint8_t *result)
{
    size_t size = of_order ? residua_ecc_order_size(p->device, p->index)
                           : residua_ecc_field_size(p->device, p->index);
    return run(p, operation, 1, size, result);
}

static int run_point(preparation *p, unsigned operation, uint8_t *result)
{
    residua_ecc_wipe(result, residua_ecc_point_size(p->device, p->index));
    if (p->curve == NULL || p->curve->montgomery) {
        residua_ecc_wipe(p->operands, sizeof p->operands);
        return p->code;
    }
    if (run(p, operation, 2, p->curve->field_size, result + 1) == RESIDUA_ECC_STATUS_OK) {
        result[0] = 4;
    }
    return p->code;
}

size_t residua_ecc_field_size(const residua_ecc_device *device, unsigned curve)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);
    return entry != NULL ? entry->field_size : 0;
}

size_t residua_ecc_order_size(const residua_ecc_device *device, unsigned curve)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);
    return entry != NULL ? entry->order_size : 0;
}

size_t residua_ecc_point_size(const residua_ecc_device *device, unsigned curve)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);
    size_t size = residua_ecc_field_size(device, curve);
    return entry == NULL || entry->montgomery ? size : 1 + 2 * size;
}

int residua_ecc_point_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                               const uint8_t *point, size_t point_size, uint8_t *result)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_scalar(&p, k);
    add_point(&p, point, point_size);
    return run_point(&p, RESIDUA_ECC_OPERATION_POINT_MULTIPLY, result);
}

int residua_ecc_point_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                      const uint8_t *k0, const uint8_t *k1, const uint8_t *point,
                                      size_t point_size, uint8_t *result)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_shares(&p, k0, k1);
    add_point(&p, point, point_size);
    return run_point(&p, RESIDUA_ECC_OPERATION_POINT_MULTIPLY, result);
}

int residua_ecc_base_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                              uint8_t *result)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_scalar(&p, k);
    return run_point(&p, RESIDUA_ECC_OPERATION_BASE_MULTIPLY, result);
}

int residua_ecc_base_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                     const uint8_t *k0, const uint8_t *k1, uint8_t *result)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_shares(&p, k0, k1);
    return run_point(&p, RESIDUA_ECC_OPERATION_BASE_MULTIPLY, result);
}

int residua_ecc_x_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                           const uint8_t *point, size_t point_size, uint8_t *x)
{
    preparation p;

    prepare_x_multiply(&p, device, curve, k, point, point_size);
    return run_number(&p, RESIDUA_ECC_OPERATION_X_MULTIPLY, 0, x);
}

int residua_ecc_x_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                  const uint8_t *k0, const uint8_t *k1, const uint8_t *point,
                                  size_t point_size, uint8_t *x)
{
    preparation p;

    prepare(&p, device, curve);
    add_shares(&p, k0, k1);
    add_point(&p, point, point_size);
    return run_number(&p, RESIDUA_ECC_OPERATION_X_MULTIPLY, 0, x);
}

int residua_ecc_double_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                                const uint8_t *l, const uint8_t *p, size_t p_size, const uint8_t *q,
                                size_t q_size, uint8_t *result)
{
    preparation sum;

    prepare_weierstrass(&sum, device, curve);
    add_number(&sum, k, 1);
    add_number(&sum, l, 1);
    add_point(&sum, p, p_size);
    add_point(&sum, q, q_size);
    return run_point(&sum, RESIDUA_ECC_OPERATION_DOUBLE_MULTIPLY, result);
}

int residua_ecc_validate(const residua_ecc_device *device, unsigned curve, const uint8_t *point,
                         size_t point_size)
{
    preparation p;

    prepare(&p, device, curve);
    if (p.code == RESIDUA_ECC_STATUS_OK && p.curve->montgomery) {
        add_decoded(&p, point, point_size);
    } else {
        add_point(&p, point, point_size);
    }
    return run(&p, RESIDUA_ECC_OPERATION_VALIDATE, 0, 0, NULL);
}

/* Modular arithmetic on one to three numbers (the others are NULL). */
static int arithmetic(const residua_ecc_device *device, unsigned operation, unsigned curve,
                      int of_order, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                      uint8_t *result)
{
    preparation p;

    prepare(&p, device, curve);
    add_number(&p, a, of_order);
    if (b != NULL) {
        add_number(&p, b, of_order);
    }
    if (c != NULL) {
        add_number(&p, c, of_order);
    }
    return run_number(&p, operation, of_order, result);
}

int residua_ecc_field_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_FIELD_MULTIPLY, curve, 0, a, b, NULL, result);
}

int residua_ecc_field_invert(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                             uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_FIELD_INVERT, curve, 0, a, NULL, NULL, result);
}

int residua_ecc_field_multiply_add(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_FIELD_MULTIPLY_ADD, curve, 0, a, b, c, result);
}

int residua_ecc_order_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_ORDER_MULTIPLY, curve, 1, a, b, NULL, result);
}

int residua_ecc_order_invert(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                             uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_ORDER_INVERT, curve, 1, a, NULL, NULL, result);
}

int residua_ecc_order_multiply_add(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result)
{
    return arithmetic(device, RESIDUA_ECC_OPERATION_ORDER_MULTIPLY_ADD, curve, 1, a, b, c, result);
}

int residua_ecc_order_sign(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                           const uint8_t *d, const uint8_t *r, const uint8_t *z, uint8_t *s)
{
    const uint8_t *const secrets[] = {k, d};
    preparation p;

    prepare(&p, device, curve);
    add_secrets(&p, secrets, 2, 1);
    add_number(&p, r, 1);
    add_number(&p, z, 1);
    return run_number(&p, RESIDUA_ECC_OPERATION_ORDER_SIGN, 1, s);
}

int residua_ecc_order_sign_shares(const residua_ecc_device *device, unsigned curve,
                                  const uint8_t *k0, const uint8_t *k1, const uint8_t *d0,
                                  const uint8_t *d1, const uint8_t *r, const uint8_t *z, uint8_t *s)
{
    preparation p;

    prepare(&p, device, curve);
    add_shares(&p, k0, d0);
    add_shares(&p, k1, d1);
    add_number(&p, r, 1);
    add_number(&p, z, 1);
    return run_number(&p, RESIDUA_ECC_OPERATION_ORDER_SIGN, 1, s);
}

int residua_ecc_has(const residua_ecc_device *device, unsigned operation)
{
    return residua_ecc_usable(device) && operation <= 31 &&
           (device->core->operations >> operation & 1) != 0;
}

int residua_ecc_verify_numbers(const residua_ecc_device *device, unsigned curve, const uint8_t *e,
                               const uint8_t *r, const uint8_t *s, const uint8_t *key,
                               size_t key_size, uint8_t *result)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_number(&p, e, 1);
    add_number(&p, r, 1);
    add_number(&p, s, 1);
    add_point(&p, key, key_size);
    return run_number(&p, RESIDUA_ECC_OPERATION_ECDSA_VERIFY, 1, result);
}

/* Makes a request of what was prepared. */
static int submit(preparation *p, unsigned tag, unsigned operation)
{
    if (p->code == RESIDUA_ECC_STATUS_OK) {
        p->code = residua_ecc_submit(p->device, tag, operation, p->index, p->operands, p->count);
    }
    residua_ecc_wipe(p->operands, sizeof p->operands);
    return p->code;
}

int residua_ecc_submit_point_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                      const uint8_t *k, const uint8_t *point, size_t point_size)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_scalar(&p, k);
    add_point(&p, point, point_size);
    return submit(&p, tag, RESIDUA_ECC_OPERATION_POINT_MULTIPLY);
}

int residua_ecc_submit_base_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                     const uint8_t *k)
{
    preparation p;

    prepare_weierstrass(&p, device, curve);
    add_scalar(&p, k);
    return submit(&p, tag, RESIDUA_ECC_OPERATION_BASE_MULTIPLY);
}

int residua_ecc_submit_x_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                  const uint8_t *k, const uint8_t *point, size_t point_size)
{
    preparation p;

    prepare_x_multiply(&p, device, curve, k, point, point_size);
    return submit(&p, tag, RESIDUA_ECC_OPERATION_X_MULTIPLY);
}

/* Numbers of a result as byte strings. */
static void take(const residua_ecc_device *device, const struct residua_ecc_curve *curve,
                 uint32_t *results, size_t numbers, uint8_t *bytes)
{
    size_t i, words = device->core->words;

    for (i = 0; i < numbers; i++) {
        residua_ecc_store(bytes + i * curve->field_size, curve->field_size, results + i * words,
                          !curve->montgomery);
    }
    residua_ecc_wipe(results, numbers * words * sizeof *results);
}

int residua_ecc_take_point(const residua_ecc_device *device, unsigned curve, uint32_t *results,
                           uint8_t *point)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);

    if (entry == NULL) {
        return RESIDUA_ECC_ARGUMENT;
    }
    if (entry->montgomery) {
        take(device, entry, results, 1, point);
    } else {
        take(device, entry, results, 2, point + 1);
        point[0] = 4;
    }
    return RESIDUA_ECC_STATUS_OK;
}

int residua_ecc_take_x(const residua_ecc_device *device, unsigned curve, uint32_t *results,
                       uint8_t *x)
{
    const struct residua_ecc_curve *entry = residua_ecc_find(device, curve);

    if (entry == NULL) {
        return RESIDUA_ECC_ARGUMENT;
    }
    take(device, entry, results, 1, x);
    return RESIDUA_ECC_STATUS_OK;
}
