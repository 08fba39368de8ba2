/* Driver of cores for modular arithmetic made by Residua: products, inverses, powers, RSA,
 * points. C99; no dynamic memory, no global state.
 *
 * One library serves any number of cores: each core has a description of its own, <core>_core in
 * <core>_core.h, and each device that holds one a residua_modular_device.
 *
 * Numbers are byte strings, the most significant byte first (as in RFC 8017), of any length whose
 * value the core takes. What a core loads with a key or a modulus is computed here, of the numbers
 * that a key usually has, in a time that depends on the core alone.
 *
 * Every function returns RESIDUA_MODULAR_STATUS_OK (0), another status of the core (positive, see
 * residua_modular_codes.h) or an error of the driver (negative). Outputs hold zeros if it is not 0.
 * One operation runs at a time: calls for one device must not overlap; those for two devices may.
 *
 *  */
#ifndef RESIDUA_MODULAR_H
#define RESIDUA_MODULAR_H

#include <stddef.h>
#include <stdint.h>

#include "residua_modular_codes.h"
#include "residua_modular_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest core that this build of the library serves: 32-bit words of a number. The driver's
 * buffers on the stack are sized for it: 12 bytes for each word, 36 for points, 108 to load a key or
 * a modulus. */
#ifndef RESIDUA_MODULAR_MAX_WORDS
#define RESIDUA_MODULAR_MAX_WORDS 160
#endif

/* Errors of the driver. */
enum {
    RESIDUA_MODULAR_NO_CORE = -1,     /* no such core at this address, or another version of it */
    RESIDUA_MODULAR_ARGUMENT = -2,    /* a device that is not complete, a null pointer, words that are
                                     not those of a key */
    RESIDUA_MODULAR_UNSUPPORTED = -3, /* the core does not have this operation or exponent */
    RESIDUA_MODULAR_ENCODING = -4,    /* a number that the core or the output is too short for */
    RESIDUA_MODULAR_BUSY = -5,        /* an operation is running */
    RESIDUA_MODULAR_TIMEOUT = -6,     /* no progress; the core was zeroised */
    RESIDUA_MODULAR_ACCESS = -7       /* a function of the device failed; the core was zeroised */
};

{% include "limits.h" %}
/* Numbers that a core loads, at most. */
#define RESIDUA_MODULAR_MOST_NUMBERS {{ most_numbers }}

/* The smallest modulus of a core that computes with residues. */
#define RESIDUA_MODULAR_SMALLEST {{ smallest }}

/* What a number of a load is derived from, n being a modulus of the key. */
enum {
{% for source in sources %}
    RESIDUA_MODULAR_{{ source.name }}{{ "," if not loop.last }} /* {{ source.value }} */
{% endfor %}
};

/* The moduli of a key. */
enum {
{% for modulus in moduli %}
    RESIDUA_MODULAR_{{ modulus.name }}{{ "," if not loop.last }}
{% endfor %}
};

/* A number of a load: what its source gives, of all but exponents and inverses times 2^shift modulo
 * n. */
struct residua_modular_number {
    uint8_t source, modulus;
    uint16_t shift;
};

/* A core: what its registers read as, and which numbers it takes. */
struct residua_modular_core {
    const char *name;
    uint32_t id, capability, operations;
    uint16_t words;            /* 32-bit words of a number */
    uint16_t load_numbers;     /* numbers of a load; 0 if the modulus is built in */
    const struct residua_modular_number *load;
    const uint8_t *exponent;   /* the public exponent that is built in; NULL if it is an operand */
    uint16_t exponent_size;    /* its bytes */
    const uint32_t *factor;    /* M_a, in words words; NULL if nothing is derived from it */
};

{% include "device.h" %}

/* Checks that the core is there and is the one of the description, and waits until it has cleared
 * its memories after a reset. RESIDUA_MODULAR_BUSY if it does not come to an end, as when an
 * operation was left alone: residua_modular_zeroise() ends that. */
int residua_modular_open(const residua_modular_device *device);

/* Aborts what is running and overwrites all numbers in the core, what is loaded among them. */
int residua_modular_zeroise(const residua_modular_device *device);

/* Each of the following loads a key or a modulus, which stays until the next load, a zeroisation or
 * a reset. RESIDUA_MODULAR_UNSUPPORTED for a core without such keys, and if a modulus has a factor
 * in common with the core's M_a, as by accident only one with a factor of few bits has. */

/* A private key (RFC 8017, section 3.2, the second form): the primes, 1 / e modulo p - 1 and q - 1,
 * and 1 / q modulo p, of size bytes each. e is the core's. Wrong numbers are found by the core's
 * check of each root. */
int residua_modular_load_private_key(const residua_modular_device *device, const uint8_t *p,
                                     const uint8_t *q, const uint8_t *d_p, const uint8_t *d_q,
                                     const uint8_t *coefficient, size_t size);

/* A public key: n is odd and not below RESIDUA_MODULAR_SMALLEST, e odd and not 1, of any number of
 * bytes. */
int residua_modular_load_public_key(const residua_modular_device *device, const uint8_t *n,
                                    size_t n_size, const uint8_t *e, size_t e_size);

/* A modulus of powers or products: an odd number, not below 3, of a core with an M_a not below
 * RESIDUA_MODULAR_SMALLEST; else RESIDUA_MODULAR_ARGUMENT. */
int residua_modular_load_modulus(const residua_modular_device *device, const uint8_t *n,
                                 size_t size);

/* What was computed before: load_numbers numbers of core->words words each, the least significant
 * word first. */
int residua_modular_load_key(const residua_modular_device *device, const uint32_t *words,
                             size_t count);

/* The root of x with the private key that is loaded, for signatures and decryption, checked by the
 * core before it leaves; x is below N. x and result have size bytes. */
int residua_modular_private(const residua_modular_device *device, const uint8_t *x, size_t size,
                            uint8_t *result);

/* x^e modulo what is loaded or built in; e is public. A core with an exponent that is built in
 * takes no other one. For a core that loads e with n, e is NULL and e_size 0. x is below n then. x
 * and result have size bytes. */
int residua_modular_public(const residua_modular_device *device, const uint8_t *e, size_t e_size,
                           const uint8_t *x, size_t size, uint8_t *result);

/* x^y modulo what is loaded or built in, in a time that depends on neither. x and result have size
 * bytes. */
int residua_modular_power(const residua_modular_device *device, const uint8_t *x, size_t size,
                          const uint8_t *y, size_t y_size, uint8_t *result);

/* The product of x and y as the core makes it: x y / R modulo what is loaded or built in, or x y.
 * Its README tells R, and the range of results. x, y and result have size bytes. */
int residua_modular_multiply(const residua_modular_device *device, const uint8_t *x,
                             const uint8_t *y, size_t size, uint8_t *result);

/* 1 / x modulo what is built in; RESIDUA_MODULAR_STATUS_NO_INVERSE if there is none. x and result
 * have size bytes. */
int residua_modular_invert(const residua_modular_device *device, const uint8_t *x, size_t size,
                           uint8_t *result);

/* The following three compute on the curve that is built in. A point is its Jacobian coordinates X,
 * Y and Z, one after the other, of size bytes each: x = X / Z^2, y = Y / Z^3, and Z = 0 is the
 * neutral element. That it is on the curve is not tested. */

/* k times a point, in a time that depends on neither. */
int residua_modular_point_multiply(const residua_modular_device *device, const uint8_t *k,
                                   size_t k_size, const uint8_t *point, size_t size,
                                   uint8_t *result);

/* The sum of two points; Z is 0 if they are equal or opposite, or one of them is neutral. */
int residua_modular_point_add(const residua_modular_device *device, const uint8_t *first,
                              const uint8_t *second, size_t size, uint8_t *result);

/* Twice a point. */
int residua_modular_point_double(const residua_modular_device *device, const uint8_t *point,
                                 size_t size, uint8_t *result);

/* One operation on numbers as the core sees them: core->words words each, the least significant
 * word first. */
int residua_modular_execute(const residua_modular_device *device, unsigned operation,
                            const uint32_t *operands, size_t operand_words, uint32_t *results,
                            size_t result_words);

#ifdef __cplusplus
}
#endif

#endif
