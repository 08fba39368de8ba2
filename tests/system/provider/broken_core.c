/* A simulated core that breaks, in the place of a real one.
 *
 * BROKEN_REAL names the library of the real simulation, BROKEN_AFTER the number of accesses after
 * which it breaks, and BROKEN_HOW what it does from then on: "ones" and "zeros" are all that reads
 * give; "frozen" gives what was read at the same offset before; "noise" gives anything; "bus" finds
 * the bus at fault. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 64

#define SHOWN __attribute__((visibility("default")))
#define JOINED(top, name) top##_bus_##name
#define NAMED(top, name) JOINED(top, name)
#define NAME(name) NAMED(TOP, name)
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

typedef struct {
    void *bench;
    void *(*open)(uint64_t, uint32_t, uint32_t);
    void (*close)(void *);
    uint32_t (*read32)(void *, uint32_t);
    void (*write32)(void *, uint32_t, uint32_t);
    int (*failure)(void *);
    long left;
    const char *how;
    uint32_t before[PLACES], noise;
} core;

SHOWN void *NAME(open)(uint64_t seed, uint32_t stalls, uint32_t pause);
SHOWN void NAME(close)(void *context);
SHOWN uint32_t NAME(read32)(void *context, uint32_t offset);
SHOWN void NAME(write32)(void *context, uint32_t offset, uint32_t value);
SHOWN int NAME(failure)(void *context);

static void find(void *library, const char *name, void *pointer)
{
    void *address = dlsym(library, name);

    if (address == NULL) {
        abort();
    }
    memcpy(pointer, &address, sizeof address);
}

void *NAME(open)(uint64_t seed, uint32_t stalls, uint32_t pause)
{
    core *own = calloc(1, sizeof *own);
    void *library = dlopen(getenv("BROKEN_REAL"), RTLD_NOW | RTLD_LOCAL);

    if (own == NULL || library == NULL) {
        abort();
    }
    find(library, TEXT(NAME(open)), &own->open);
    find(library, TEXT(NAME(close)), &own->close);
    find(library, TEXT(NAME(read32)), &own->read32);
    find(library, TEXT(NAME(write32)), &own->write32);
    find(library, TEXT(NAME(failure)), &own->failure);
    own->left = atol(getenv("BROKEN_AFTER"));
    own->how = getenv("BROKEN_HOW");
    own->noise = 1;
    own->bench = own->open(seed, stalls, pause);
    return own;
}

void NAME(close)(void *context)
{
    core *own = context;

    own->close(own->bench);
    free(own);
}

uint32_t NAME(read32)(void *context, uint32_t offset)
{
    core *own = context;

    if (own->left-- > 0 || strcmp(own->how, "bus") == 0) {
        own->before[offset / 4 % PLACES] = own->read32(own->bench, offset);
        return own->before[offset / 4 % PLACES];
    }
    own->left = 0;
    own->noise = own->noise * 1664525u + 1013904223u;
    return strcmp(own->how, "ones") == 0     ? 0xFFFFFFFFu
           : strcmp(own->how, "zeros") == 0  ? 0
           : strcmp(own->how, "frozen") == 0 ? own->before[offset / 4 % PLACES]
                                             : own->noise ^ own->noise >> 16;
}

void NAME(write32)(void *context, uint32_t offset, uint32_t value)
{
    core *own = context;

    if (own->left > 0 || strcmp(own->how, "bus") == 0) {
        own->left--;
        own->write32(own->bench, offset, value);
    }
}

int NAME(failure)(void *context)
{
    core *own = context;

    return own->left <= 0 && strcmp(own->how, "bus") == 0 ? 1 : own->failure(own->bench);
}
