/* Driver of an elliptic-curve coprocessor made by Residua. C99; no dynamic memory, no global state.
 *
 * Numbers are byte strings of fixed length: coordinates of residua_ecc_field_size() bytes, scalars
 * and other integers modulo the order of residua_ecc_order_size() bytes; big-endian on Weierstrass
 * curves (as in SEC 1), little-endian on Montgomery curves (as in RFC 7748). A point of a
 * Weierstrass curve is 04 || x || y (SEC 1, uncompressed), of a Montgomery curve the bytes of u.
 *
 * Every function returns RESIDUA_ECC_STATUS_OK (0), another status of the core (positive, see
 * residua_ecc_codes.h) or an error of the driver (negative). Outputs hold zeros if it is not 0.
 * One operation runs at a time: calls for one core must not overlap.
 */
#ifndef RESIDUA_ECC_H
#define RESIDUA_ECC_H

#include <stddef.h>
#include <stdint.h>

#include "residua_ecc_codes.h"
#include "residua_ecc_curves.h"
#include "residua_ecc_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 32-bit words of a number, and most words that an operation takes. */
#define RESIDUA_ECC_WORDS RESIDUA_ECC__CAPABILITY__WORDS_reset
#define RESIDUA_ECC_MAX_OPERANDS (6 * RESIDUA_ECC_WORDS)

/* Bytes that hold any number and any point. */
#define RESIDUA_ECC_MAX_NUMBER (4 * RESIDUA_ECC_WORDS)
#define RESIDUA_ECC_MAX_POINT (1 + 2 * RESIDUA_ECC_MAX_NUMBER)

/* Errors of the driver. */
enum {
    RESIDUA_ECC_NO_CORE = -1,     /* no such core at this address, or another version of it */
    RESIDUA_ECC_ARGUMENT = -2,    /* a curve or a size that does not exist */
    RESIDUA_ECC_UNSUPPORTED = -3, /* the core or the curve does not have this operation */
    RESIDUA_ECC_ENCODING = -4,    /* not an uncompressed point */
    RESIDUA_ECC_BUSY = -5,        /* an operation is running */
    RESIDUA_ECC_TIMEOUT = -6,     /* no progress; the core was zeroised */
    RESIDUA_ECC_PORT = -7,        /* a function of the port failed; the core was zeroised */
    RESIDUA_ECC_RETRY = -8,       /* this nonce makes no signature: take another one */
    RESIDUA_ECC_INVALID = -9      /* the signature is not valid */
};

/* How the driver reaches the core; supplied by the integrator. */
typedef struct {
    /* Access to the register at a byte offset, as one 32-bit access, in program order. */
    uint32_t (*read32)(void *context, uint32_t offset);
    void (*write32)(void *context, uint32_t offset, uint32_t value);

    /* A core with data registers: a fresh, uniform, secret word; returns 0 if there is one.
     * May be NULL if the core uses no randomness. Not used with streams. */
    int (*random)(void *context, uint32_t *word);

    /* A core with streams (NULL if it has data registers). Each returns 0 on success.
     * send: send these words to s_axis_operand; return when the words may be overwritten.
     * receive: make ready for count words of m_axis_result; return at once. A call before the words
     *   came replaces the call before.
     * received: return when they are there. Only called when they will come. */
    int (*send)(void *context, const uint32_t *words, size_t count);
    int (*receive)(void *context, uint32_t *words, size_t count);
    int (*received)(void *context);

    void *context;  /* handed to every function */
    uint32_t polls; /* reads of STATUS without progress before RESIDUA_ECC_TIMEOUT; 0: no limit */
} residua_ecc_port;

/* Checks that the core is there and is the one that this driver was made for. */
int residua_ecc_open(const residua_ecc_port *port);

/* Aborts what is running and clears all secrets in the core. */
int residua_ecc_zeroise(const residua_ecc_port *port);

/* Sizes in bytes; 0 for a curve that does not exist. */
size_t residua_ecc_field_size(unsigned curve);
size_t residua_ecc_order_size(unsigned curve);
size_t residua_ecc_point_size(unsigned curve);

/* k P and k G. On a Weierstrass curve the core validates P. */
int residua_ecc_point_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *k,
                               const uint8_t *point, size_t point_size, uint8_t *result);
int residua_ecc_base_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *k,
                              uint8_t *result);

/* x of k P, of residua_ecc_field_size() bytes. On a Montgomery curve k and P are decoded as RFC 7748
 * says (clamped, reduced): this is X25519, X448. */
int residua_ecc_x_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *k,
                           const uint8_t *point, size_t point_size, uint8_t *x);

/* k P + l Q. Not in constant time: for public data only. */
int residua_ecc_double_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *k,
                                const uint8_t *l, const uint8_t *p, size_t p_size, const uint8_t *q,
                                size_t q_size, uint8_t *result);

/* Status 0 if the point is on the curve (and, on a Montgomery curve, not of small order). */
int residua_ecc_validate(const residua_ecc_port *port, unsigned curve, const uint8_t *point,
                         size_t point_size);

/* a b, 1/a and a b + c modulo the field's prime. */
int residua_ecc_field_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result);
int residua_ecc_field_invert(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                             uint8_t *result);
int residua_ecc_field_multiply_add(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result);

/* The same modulo the order of the group. */
int residua_ecc_order_multiply(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                               const uint8_t *b, uint8_t *result);
int residua_ecc_order_invert(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                             uint8_t *result);
int residua_ecc_order_multiply_add(const residua_ecc_port *port, unsigned curve, const uint8_t *a,
                                   const uint8_t *b, const uint8_t *c, uint8_t *result);

/* One operation on numbers as the core sees them: RESIDUA_ECC_WORDS words each, the least
 * significant word first. operand_words is at most RESIDUA_ECC_MAX_OPERANDS. */
int residua_ecc_execute(const residua_ecc_port *port, unsigned operation, unsigned curve,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words);

#ifdef __cplusplus
}
#endif

#endif
