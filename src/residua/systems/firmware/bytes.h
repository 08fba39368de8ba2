/* Numbers and names in answers. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

/* 16 bits, low byte first. */
void bytes_put16(uint8_t *bytes, unsigned value);

/* A name: its number of bytes, then these; how many bytes that are. */
size_t bytes_put_name(uint8_t *bytes, const char *name);

/* Whether bytes differ; in constant time. */
int bytes_differ(const uint8_t *first, const uint8_t *second, size_t size);

#endif
