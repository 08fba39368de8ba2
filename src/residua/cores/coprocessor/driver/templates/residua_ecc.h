/* Driver of elliptic-curve coprocessors made by Residua. C99; no dynamic memory, no global state.
 *
 * One library serves any number of cores, of any curves: each core has a description of its own,
 * <core>_core in <core>_core.h, and each device that holds one a residua_ecc_device.
 *
 * Numbers are byte strings of fixed length: coordinates of residua_ecc_field_size() bytes, scalars
 * and other integers modulo the order of residua_ecc_order_size() bytes; big-endian on Weierstrass
 * curves (as in SEC 1), little-endian on Montgomery curves (as in RFC 7748). A point of a
 * Weierstrass curve is 04 || x || y (SEC 1, uncompressed), of a Montgomery curve the bytes of u.
 *
 * Every function returns RESIDUA_ECC_STATUS_OK (0), another status of the core (positive, see
 * residua_ecc_codes.h) or an error of the driver (negative); only residua_ecc_ecdsa_verify() has
 * values of its own. Outputs hold zeros if it is not 0; for a curve that the core does not have they
 * are left as they were, since their size is not known.
 * One operation runs at a time: calls for one device must not overlap; those for two devices may. Of
 * several coprocessors with a function `perform` all calls may overlap but those by which it does that.
 */
#ifndef RESIDUA_ECC_H
#define RESIDUA_ECC_H

#include <stddef.h>
#include <stdint.h>

#include "residua_ecc_codes.h"
#include "residua_ecc_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest core that this build of the library serves: 32-bit words of a number, at most 255.
 * The driver's buffers on the stack are sized for it: up to 80 bytes for each word. */
#ifndef RESIDUA_ECC_MAX_WORDS
#define RESIDUA_ECC_MAX_WORDS 32
#endif

/* Most words that an operation takes; bytes that hold any number and any point. */
#define RESIDUA_ECC_MAX_OPERANDS (6 * RESIDUA_ECC_MAX_WORDS)
#define RESIDUA_ECC_MAX_NUMBER (4 * RESIDUA_ECC_MAX_WORDS)
#define RESIDUA_ECC_MAX_POINT (1 + 2 * RESIDUA_ECC_MAX_NUMBER)

/* Errors of the driver. */
enum {
    RESIDUA_ECC_NO_CORE = -1,     /* no such core at this address, or another version of it */
    RESIDUA_ECC_ARGUMENT = -2,    /* a device that is not complete, a curve that does not exist */
    RESIDUA_ECC_UNSUPPORTED = -3, /* the core or the curve does not have this operation */
    RESIDUA_ECC_ENCODING = -4,    /* not an uncompressed point */
    RESIDUA_ECC_BUSY = -5,        /* an operation is running */
    RESIDUA_ECC_TIMEOUT = -6,     /* no progress; the core was zeroised */
    RESIDUA_ECC_ACCESS = -7,      /* a function of the device failed; the core was zeroised */
    RESIDUA_ECC_RETRY = -8        /* this nonce makes no signature: take another one */
};

{% include "limits.h" %}
/* A curve of a core. Its numbers have as many words as the core's, the least significant first. */
struct residua_ecc_curve {
    const char *name;
    uint8_t montgomery;    /* 1: Montgomery curve, 0: short Weierstrass curve */
    uint8_t cofactor_bits; /* low bits of a Montgomery curve's scalars that are zero */
    uint16_t field_bits, order_bits;
    uint16_t field_size, order_size; /* bytes */
    const uint32_t *prime, *order;
    const uint32_t *x, *y; /* the generator; y is 0 on a Montgomery curve */
};

/* A core: what its registers read as, and its curves. */
struct residua_ecc_core {
    const char *name;
    uint32_t id, capability, operations;
    uint16_t words; /* 32-bit words of a number */
    uint16_t curve_count;
    const struct residua_ecc_curve *curves;
};

{% include "device.h" %}

/* Checks that the core is there and is the one of the description, and waits until it has cleared
 * its memories after a reset. RESIDUA_ECC_BUSY if it does not come to an end, as when an operation
 * was left alone: residua_ecc_zeroise() ends that. */
int residua_ecc_open(const residua_ecc_device *device);

/* Aborts what is running and clears all secrets in the core. */
int residua_ecc_zeroise(const residua_ecc_device *device);

/* Sizes in bytes; 0 for a curve that does not exist. */
size_t residua_ecc_field_size(const residua_ecc_device *device, unsigned curve);
size_t residua_ecc_order_size(const residua_ecc_device *device, unsigned curve);
size_t residua_ecc_point_size(const residua_ecc_device *device, unsigned curve);

/* k P and k G. On a Weierstrass curve the core validates P. */
int residua_ecc_point_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                               const uint8_t *point, size_t point_size, uint8_t *result);
int residua_ecc_base_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                              uint8_t *result);

/* x of k P, of residua_ecc_field_size() bytes. On a Montgomery curve k and P are decoded as RFC 7748
 * says (clamped, reduced): this is X25519, X448. */
int residua_ecc_x_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                           const uint8_t *point, size_t point_size, uint8_t *x);

/* The same with a secret as two shares, numbers whose sum is the secret modulo the order, of a core
 * that takes such: RESIDUA_ECC_UNSUPPORTED of any other. One of them has to be random and uniform
 * below the order, and new for each call. The calls with one number make shares for such a core by
 * the device's random words: RESIDUA_ECC_ARGUMENT if it has none. */
int residua_ecc_point_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                      const uint8_t *k0, const uint8_t *k1, const uint8_t *point,
                                      size_t point_size, uint8_t *result);
int residua_ecc_base_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                     const uint8_t *k0, const uint8_t *k1, uint8_t *result);
int residua_ecc_x_multiply_shares(const residua_ecc_device *device, unsigned curve,
                                  const uint8_t *k0, const uint8_t *k1, const uint8_t *point,
                                  size_t point_size, uint8_t *x);

/* k P + l Q. Not in constant time: for public data only. */
int residua_ecc_double_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                                const uint8_t *l, const uint8_t *p, size_t p_size, const uint8_t *q,
                                size_t q_size, uint8_t *result);

/* Status 0 if the point is on the curve (and, on a Montgomery curve, not of small order). */
int residua_ecc_validate(const residua_ecc_device *device, unsigned curve, const uint8_t *point,
                         size_t point_size);

/* a b, 1/a and a b + c modulo the field's prime. */
int residua_ecc_field_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result);
int residua_ecc_field_invert(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                             uint8_t *result);
int residua_ecc_field_multiply_add(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result);

/* The same modulo the order of the group. */
int residua_ecc_order_multiply(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result);
int residua_ecc_order_invert(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                             uint8_t *result);
int residua_ecc_order_multiply_add(const residua_ecc_device *device, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result);

/* (z + r d)/k modulo the order of the group, the s of a signature, by a core that computes it under a
 * random factor (ORDER_SIGN). RESIDUA_ECC_UNSUPPORTED or RESIDUA_ECC_STATUS_BAD_OPERATION where it
 * is missing. */
int residua_ecc_order_sign(const residua_ecc_device *device, unsigned curve, const uint8_t *k,
                           const uint8_t *d, const uint8_t *r, const uint8_t *z, uint8_t *s);

/* The same with shares of k and d, as above. */
int residua_ecc_order_sign_shares(const residua_ecc_device *device, unsigned curve,
                                  const uint8_t *k0, const uint8_t *k1, const uint8_t *d0,
                                  const uint8_t *d1, const uint8_t *r, const uint8_t *z, uint8_t *s);

/* Whether the core has an operation, on this curve or on another one. */
int residua_ecc_has(const residua_ecc_device *device, unsigned operation);

/* The operation ECDSA_VERIFY on numbers modulo the order, e that of the digest: the result is r if
 * (r, s) is its signature by the key. RESIDUA_ECC_UNSUPPORTED or RESIDUA_ECC_STATUS_BAD_OPERATION
 * where it is missing. Not in constant time: for public data only. */
int residua_ecc_verify_numbers(const residua_ecc_device *device, unsigned curve, const uint8_t *e,
                               const uint8_t *r, const uint8_t *s, const uint8_t *key,
                               size_t key_size, uint8_t *result);

/* One operation on numbers as the core sees them: core->words words each, the least significant word
 * first. */
int residua_ecc_execute(const residua_ecc_device *device, unsigned operation, unsigned curve,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words);

/* Several coprocessors behind one bus (instances in the specification). The calls above run one
 * operation at a time on them, too: RESIDUA_ECC_BUSY while requests of others are under way, all of
 * whose results have to be collected before. The calls below keep all of them at work, and are
 * RESIDUA_ECC_UNSUPPORTED on one coprocessor. */

/* How many coprocessors there are; 0 if the device is not complete. */
unsigned residua_ecc_instances(const residua_ecc_device *device);

/* How a request ended. */
typedef struct {
    int status;       /* RESIDUA_ECC_STATUS_OK or another status of the core */
    uint8_t tag;      /* of the request */
    uint8_t instance; /* the coprocessor that had it */
} residua_ecc_completion;

/* Makes a request, on numbers as residua_ecc_execute() takes them, and comes back when the core has
 * all operands; tag is 0 to RESIDUA_ECC_MOST_TAG, and comes back with the result. RESIDUA_ECC_BUSY if
 * all work and a request waits already: collect a result, and try again. Where operands do not come to
 * an end, RESIDUA_ECC_TIMEOUT, and everything is zeroised. Operands may be overwritten after the call. */
int residua_ecc_submit(const residua_ecc_device *device, unsigned tag, unsigned operation,
                       unsigned curve, const uint32_t *operands, size_t operand_words);

/* Gives a core with data registers a random word, if it wants one, and tells whether a word of a result
 * is there: 1, 0 or an error. Comes back at once; for a host that has other things to do than to wait
 * in residua_ecc_collect(). */
int residua_ecc_tend(const residua_ecc_device *device);

/* Takes the next result, in the order in which requests end: its first words, if it ended well, or
 * else zeros. RESIDUA_ECC_TIMEOUT if none came within the limit: nothing is lost, and the call can be
 * made again. Of a device with streams received() takes no word before all are there, and receive()
 * with NULL none of those that are. Meanwhile a core with data registers gets random words, so call it
 * while requests are under way. */
int residua_ecc_collect(const residua_ecc_device *device, residua_ecc_completion *completion,
                        uint32_t *results, size_t result_words);

/* Aborts what some coprocessors do, bit i for number i, and clears all secrets in them. A request that
 * one of them had has a result with RESIDUA_ECC_STATUS_ZEROISED; others go on. */
int residua_ecc_zeroise_instances(const residua_ecc_device *device, uint32_t mask);

/* Requests on byte strings: k P, k G, and x of k P, as above. */
int residua_ecc_submit_point_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                      const uint8_t *k, const uint8_t *point, size_t point_size);
int residua_ecc_submit_base_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                     const uint8_t *k);
int residua_ecc_submit_x_multiply(const residua_ecc_device *device, unsigned tag, unsigned curve,
                                  const uint8_t *k, const uint8_t *point, size_t point_size);

/* The words of a result that was collected as a point, or those of x as a number; they are wiped. */
int residua_ecc_take_point(const residua_ecc_device *device, unsigned curve, uint32_t *results,
                           uint8_t *point);
int residua_ecc_take_x(const residua_ecc_device *device, unsigned curve, uint32_t *results,
                       uint8_t *x);

#ifdef __cplusplus
}
#endif

#endif
