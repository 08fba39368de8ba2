/* Key agreement and signatures on top of residua_ecc.h, with the same conventions but where a
 * function says otherwise. */
#ifndef RESIDUA_ECC_PROTOCOLS_H
#define RESIDUA_ECC_PROTOCOLS_H

#include "residua_ecc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The public key of a private key: a point of residua_ecc_point_size() bytes. The private key has
 * residua_ecc_order_size() bytes on a Weierstrass curve, residua_ecc_field_size() on a Montgomery
 * curve. */
int residua_ecc_public_key(const residua_ecc_device *device, unsigned curve, const uint8_t *private_key,
                           uint8_t *public_key);

/* Diffie-Hellman: the shared secret, of residua_ecc_field_size() bytes, from the own private key and
 * the other side's public key, which the core validates. An all-zero secret is an error. */
int residua_ecc_ecdh(const residua_ecc_device *device, unsigned curve, const uint8_t *private_key,
                     const uint8_t *public_key, size_t public_key_size, uint8_t *secret);

/* ECDSA (FIPS 186-5): the signature r || s, each of residua_ecc_order_size() bytes, of a digest. The
 * nonce has that size too, must be secret, uniform in [1, n - 1], and never be used again.
 * RESIDUA_ECC_RETRY if this nonce makes r or s zero. */
int residua_ecc_ecdsa_sign(const residua_ecc_device *device, unsigned curve, const uint8_t *private_key,
                           const uint8_t *digest, size_t digest_size, const uint8_t *nonce,
                           uint8_t *signature);

/* What residua_ecc_ecdsa_verify() finds. The values differ in 15 bits, and neither is that of a
 * status. */
enum { RESIDUA_ECC_VALID = 0x3CA5, RESIDUA_ECC_INVALID = 0x435A };

/* RESIDUA_ECC_VALID if r || s is a signature of the digest. Anything else means that it is not or
 * that this is not known: RESIDUA_ECC_INVALID, a status of the core (a public key that is not
 * valid) or an error; never 0. Compare with RESIDUA_ECC_VALID. Each step adds a share of the verdict,
 * and r is compared twice, so that a step that is left out does not make a signature valid. */
int residua_ecc_ecdsa_verify(const residua_ecc_device *device, unsigned curve,
                             const uint8_t *public_key, size_t public_key_size,
                             const uint8_t *digest, size_t digest_size, const uint8_t *signature);

#ifdef __cplusplus
}
#endif

#endif
