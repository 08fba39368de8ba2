/* The cores that the provider was made for; cores.c is made of their directories. */
#ifndef RESIDUA_PROVIDER_CORES_H
#define RESIDUA_PROVIDER_CORES_H

#include "residua_ecc.h"

/* A curve as OpenSSL and TLS know it. */
typedef struct {
    const char *names[4]; /* that are asked for; OpenSSL is told the first one. NULL ends them */
    unsigned tls_group;   /* its number (RFC 8446, section 4.2.7) */
} provider_curve;

typedef struct {
    const struct residua_ecc_core *core;
    const provider_curve *curves; /* in the order of the core's numbers */
    const char *top;              /* module that a simulation is of */
    uint32_t simulated_polls;     /* reads of STATUS that no operation of a simulation takes */
} provider_core;

extern const provider_core provider_cores[];
extern const size_t provider_core_count;

/* Cycles from one access to the next one in a simulation. */
extern const uint32_t provider_simulated_pause;

#endif
