/* The cores that the provider was made for; cores.c is made of their directories. */
#ifndef RESIDUA_PROVIDER_CORES_H
#define RESIDUA_PROVIDER_CORES_H

#include "residua_ecc.h"
#include "residua_modular.h"

/* A curve as OpenSSL and TLS know it. */
typedef struct {
    const char *names[4]; /* that are asked for; OpenSSL is told the first one. NULL ends them */
    unsigned tls_group;   /* its number (RFC 8446, section 4.2.7) */
} provider_curve;

/* The keys that a core for RSA takes: a private core those with its public exponent, another one public
 * keys with an exponent of so many bits. */
typedef struct {
    int bits; /* of a modulus */
    unsigned exponent;
    int exponent_bits;
} provider_rsa_keys;

/* A core: either for elliptic curves or for RSA, the other description is NULL. */
typedef struct {
    const char *name;
    const struct residua_ecc_core *ecc;
    const provider_curve *curves; /* in the order of its numbers */
    const struct residua_modular_core *rsa;
    provider_rsa_keys keys;
    const char *top;          /* module that a simulation is of */
    uint32_t simulated_polls; /* reads of STATUS that no operation of a simulation takes */
} provider_core;

extern const provider_core provider_cores[];
extern const size_t provider_core_count;

/* Cycles from one access to the next one in a simulation. */
extern const uint32_t provider_simulated_pause;

#endif
