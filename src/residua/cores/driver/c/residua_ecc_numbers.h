/* Numbers as words, the least significant word first. Internal to the driver. */
#ifndef RESIDUA_ECC_NUMBERS_H
#define RESIDUA_ECC_NUMBERS_H

#include "residua_ecc.h"

typedef uint32_t residua_ecc_number[RESIDUA_ECC_WORDS];

/* From and to byte strings. */
void residua_ecc_load(uint32_t *number, const uint8_t *bytes, size_t size, int big_endian);
void residua_ecc_store(uint8_t *bytes, size_t size, const uint32_t *number, int big_endian);

/* Whether a number is zero; takes the same time for all numbers. */
int residua_ecc_is_zero(const uint32_t *number);

/* Whether a < b; takes the same time for all numbers. */
int residua_ecc_less(const uint32_t *a, const uint32_t *b);

/* number modulo modulus, by subtracting: in time that depends on both. */
void residua_ecc_reduce(uint32_t *number, const uint32_t *modulus);

/* Overwrites memory with zeros, whatever the optimiser thinks of it. */
void residua_ecc_wipe(void *memory, size_t size);

/* The curve's description, or NULL. */
const residua_ecc_curve *residua_ecc_find(unsigned curve);

/* A point of a curve as its coordinates: 2 numbers (on a Montgomery curve 1, u not reduced). */
int residua_ecc_load_point(const residua_ecc_curve *curve, uint32_t *numbers, const uint8_t *point,
                           size_t size);

#endif
