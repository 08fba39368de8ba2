/* The real simulation of a core, for a library that stands in its place.
 *
 * TOP is the simulation's module, whose functions both have. */
#ifndef RESIDUA_REAL_CORE_H
#define RESIDUA_REAL_CORE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t (*cycles)(void *);
} real_core;

SHOWN void *NAME(open)(uint64_t seed, uint32_t stalls, uint32_t pause);
SHOWN void NAME(close)(void *context);
SHOWN uint32_t NAME(read32)(void *context, uint32_t offset);
SHOWN void NAME(write32)(void *context, uint32_t offset, uint32_t value);
SHOWN int NAME(failure)(void *context);

static void real_core_find(void *library, const char *name, void *pointer)
{
    void *address = dlsym(library, name);

    if (address == NULL) {
        abort();
    }
    memcpy(pointer, &address, sizeof address);
}

/* Opens the simulation in the library that an environment variable names. */
static void real_core_open(
    real_core *real, const char *variable, uint64_t seed, uint32_t stalls, uint32_t pause)
{
    void *library = dlopen(getenv(variable), RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        abort();
    }
    real_core_find(library, TEXT(NAME(open)), &real->open);
    real_core_find(library, TEXT(NAME(close)), &real->close);
    real_core_find(library, TEXT(NAME(read32)), &real->read32);
    real_core_find(library, TEXT(NAME(write32)), &real->write32);
    real_core_find(library, TEXT(NAME(failure)), &real->failure);
    real_core_find(library, TEXT(NAME(cycles)), &real->cycles);
    real->bench = real->open(seed, stalls, pause);
}

#endif
