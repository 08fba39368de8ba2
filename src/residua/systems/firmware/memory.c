/* What a compiler calls by itself, where there is no library. */
#include <stddef.h>

/* Without this a compiler would turn the loops into calls of themselves. */
#define AS_WRITTEN __asm__ volatile("" ::: "memory")

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *first, const void *second, size_t count);

void *memcpy(void *to, const void *from, size_t count)
{
    return memmove(to, from, count);
}

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;

    if (target <= source) {
        for (size_t i = 0; i < count; i++) {
            target[i] = source[i];
            AS_WRITTEN;
        }
    } else {
        while (count-- > 0) {
            target[count] = source[count];
            AS_WRITTEN;
        }
    }
    return to;
}

void *memset(void *to, int value, size_t count)
{
    unsigned char *target = to;

    for (size_t i = 0; i < count; i++) {
        target[i] = (unsigned char)value;
        AS_WRITTEN;
    }
    return to;
}

int memcmp(const void *first, const void *second, size_t count)
{
    const unsigned char *a = first, *b = second;

    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
