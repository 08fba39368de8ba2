/* A simulated core: the shared library <core>_simulation.so beside the provider. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "provider.h"

#define PATH_SIZE 4096
#define SYMBOL_SIZE 256

typedef struct {
    void *library;
    void *bench; /* of the library */
    void *(*start)(uint64_t seed, uint32_t stalls, uint32_t pause);
    void (*end)(void *bench);
    uint32_t (*read32)(void *bench, uint32_t offset);
    void (*write32)(void *bench, uint32_t offset, uint32_t value);
    int (*failure)(void *bench);
} simulation;

/* Whether the library has a function <top>_bus_<name>, which is put at a pointer to it. */
static int function(const simulation *found, const char *top, const char *name, void *pointer)
{
    char symbol[SYMBOL_SIZE];
    void *address;
    int size = snprintf(symbol, sizeof symbol, "%s_bus_%s", top, name);

    if (size < 0 || (size_t)size >= sizeof symbol) {
        return 0;
    }
    address = dlsym(found->library, symbol);
    memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

/* The path of a file beside this library. */
static int beside(const char *name, char *path, size_t size)
{
    Dl_info own;
    const char *slash;
    int written;

    if (dladdr(&provider_simulation, &own) == 0 || own.dli_fname == NULL) {
        return 0;
    }
    slash = strrchr(own.dli_fname, '/');
    written = snprintf(path, size, "%.*s%s_simulation.so",
                       slash != NULL ? (int)(slash - own.dli_fname) + 1 : 0, own.dli_fname, name);
    return written >= 0 && (size_t)written < size;
}

/* A simulation that is inherited is left alone: it would wait for threads that are its parent's. */
static void close_simulation(void *context, int inherited)
{
    simulation *found = context;

    if (found->bench != NULL && !inherited) {
        found->end(found->bench);
    }
    if (found->library != NULL && !inherited) {
        (void)dlclose(found->library);
    }
    OPENSSL_free(found);
}

static void *open_simulation(const provider_slot *slot)
{
    const char *top = slot->core->top;
    char path[PATH_SIZE];
    simulation *found = OPENSSL_zalloc(sizeof *found);

    if (found == NULL || !beside(slot->core->name, path, sizeof path)) {
        RAISE(slot->provider, REASON_INTERNAL, "no memory or no path");
        OPENSSL_free(found);
        return NULL;
    }
    found->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (found->library != NULL && function(found, top, "open", &found->start) &&
        function(found, top, "close", &found->end) &&
        function(found, top, "read32", &found->read32) &&
        function(found, top, "write32", &found->write32) &&
        function(found, top, "failure", &found->failure)) {
        found->bench = found->start(1, 0, provider_simulated_pause);
    }
    if (found->bench == NULL) {
        RAISE(slot->provider, REASON_OPEN, "%s", path);
        close_simulation(found, 0);
        return NULL;
    }
    return found;
}

static uint32_t read_simulation(void *context, uint32_t offset)
{
    const simulation *found = context;
    return found->read32(found->bench, offset);
}

static void write_simulation(void *context, uint32_t offset, uint32_t value)
{
    const simulation *found = context;
    found->write32(found->bench, offset, value);
}

/* No other process has this simulation. */
static int enter_simulation(void *context)
{
    (void)context;
    return 1;
}

static void leave_simulation(void *context)
{
    (void)context;
}

static int sound_simulation(void *context)
{
    const simulation *found = context;
    return found->failure(found->bench) == 0;
}

const provider_port provider_simulation = {
    open_simulation,  close_simulation, read_simulation,  write_simulation,
    enter_simulation, leave_simulation, sound_simulation, 0,
};
