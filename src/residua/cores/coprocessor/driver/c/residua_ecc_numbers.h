/* Numbers as words, the least significant word first. Internal to the driver. */
#ifndef RESIDUA_ECC_NUMBERS_H
#define RESIDUA_ECC_NUMBERS_H

#include "residua_ecc.h"

/* From and to byte strings. */
void residua_ecc_load(uint32_t *number, size_t words, const uint8_t *bytes, size_t size,
                      int big_endian);
void residua_ecc_store(uint8_t *bytes, size_t size, const uint32_t *number, int big_endian);

/* Whether a number is zero; takes the same time for all numbers. */
int residua_ecc_is_zero(const uint32_t *number, size_t words);

/* Whether a < b; takes the same time for all numbers. */
int residua_ecc_less(const uint32_t *a, const uint32_t *b, size_t words);

/* number modulo modulus, by subtracting: in time that depends on both. */
void residua_ecc_reduce(uint32_t *number, size_t words, const uint32_t *modulus);

/* Overwrites memory with zeros, whatever the optimiser thinks of it. */
void residua_ecc_wipe(void *memory, size_t size);

/* Whether the device is complete, and its core not too large for the driver's buffers. */
int residua_ecc_usable(const residua_ecc_device *device);

/* The curve's description, or NULL, also if the device cannot be used. */
const struct residua_ecc_curve *residua_ecc_find(const residua_ecc_device *device, unsigned curve);

/* A point of a curve as its coordinates: 2 numbers (on a Montgomery curve 1, u not reduced). */
int residua_ecc_load_point(const struct residua_ecc_curve *curve, uint32_t *numbers, size_t words,
                           const uint8_t *point, size_t size);

#endif
