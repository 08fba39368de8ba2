/* Numbers as words, the least significant word first. Internal to the driver. */
#ifndef {{ library | upper }}_NUMBERS_H
#define {{ library | upper }}_NUMBERS_H

#include "{{ library }}.h"

/* From and to byte strings. */
void {{ library }}_load(uint32_t *number, size_t words, const uint8_t *bytes, size_t size,
                      int big_endian);
void {{ library }}_store(uint8_t *bytes, size_t size, const uint32_t *number, int big_endian);

{% if curves %}
/* Whether a number is zero; takes the same time for all numbers. */
int {{ library }}_is_zero(const uint32_t *number, size_t words);

/* Whether a < b; takes the same time for all numbers. */
int {{ library }}_less(const uint32_t *a, const uint32_t *b, size_t words);

/* number modulo modulus, by subtracting: in time that depends on both. */
void {{ library }}_reduce(uint32_t *number, size_t words, const uint32_t *modulus);

{% endif %}
{% if not curves %}
/* Loads bytes into a number, in a time that depends on sizes alone; an error if they have a value that
 * does not fit. */
int {{ library }}_take(uint32_t *number, size_t words, const uint8_t *bytes, size_t size);

{% endif %}
/* Overwrites memory with zeros, whatever the optimiser thinks of it. */
void {{ library }}_wipe(void *memory, size_t size);

/* Whether the device is complete, and its core not too large for the driver's buffers. */
int {{ library }}_usable(const {{ library }}_device *device);

{% if curves %}
/* The curve's description, or NULL, also if the device cannot be used. */
const struct {{ library }}_curve *{{ library }}_find(const {{ library }}_device *device, unsigned curve);

/* A point of a curve as its coordinates: 2 numbers (on a Montgomery curve 1, u not reduced). */
int {{ library }}_load_point(const struct {{ library }}_curve *curve, uint32_t *numbers, size_t words,
                           const uint8_t *point, size_t size);

{% endif %}
#endif
