#include "bytes.h"

void bytes_put16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

size_t bytes_put_name(uint8_t *bytes, const char *name)
{
    size_t size = 0;

    while (name[size] && size < 255) {
        bytes[1 + size] = (uint8_t)name[size];
        size++;
    }
    bytes[0] = (uint8_t)size;
    return 1 + size;
}

int bytes_differ(const uint8_t *first, const uint8_t *second, size_t size)
{
    unsigned found = 0;

    for (size_t i = 0; i < size; i++)
        found |= (unsigned)(first[i] ^ second[i]);
    return found != 0;
}
