/* The curves of this core. */
#ifndef RESIDUA_ECC_CURVES_H
#define RESIDUA_ECC_CURVES_H

#include <stdint.h>

#include "residua_ecc_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that name the curves. */
{% for curve in curves %}
#define RESIDUA_ECC_CURVE_{{ curve.identifier }} {{ loop.index0 }}u
{% endfor %}

typedef struct {
    char name[{{ curves | map(attribute='name') | map('length') | max + 1 }}];
    uint8_t montgomery;    /* 1: Montgomery curve, 0: short Weierstrass curve */
    uint8_t cofactor_bits; /* low bits of a Montgomery curve's scalars that are zero */
    uint16_t field_bits, order_bits;
    uint16_t field_size, order_size; /* bytes */
    uint32_t prime[RESIDUA_ECC__CAPABILITY__WORDS_reset];
    uint32_t order[RESIDUA_ECC__CAPABILITY__WORDS_reset];
    uint32_t x[RESIDUA_ECC__CAPABILITY__WORDS_reset]; /* the generator */
    uint32_t y[RESIDUA_ECC__CAPABILITY__WORDS_reset]; /* 0 on a Montgomery curve */
} residua_ecc_curve;

extern const residua_ecc_curve residua_ecc_curves[RESIDUA_ECC__CAPABILITY__CURVES_reset];

#ifdef __cplusplus
}
#endif

#endif
