/* Stands in the place of a simulated core, has the real one do all accesses, and counts.
 *
 * TOP is the simulation's module, INSTANCES how many coprocessors it has; CONTROL, START and RESULT
 * are the address of the register, the mask of its bit, and the address of the other one. Results of
 * several have WORDS words, in the last of which the bits INSTANCE, from INSTANCE_LOW on, name the
 * coprocessor. WATCHED_REAL names the library of the real simulation, WATCHED_REPORT a file that takes
 * at the end the cycles, the greatest number of requests at a time, and the requests of each. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
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
    unsigned words, flying, most;
    unsigned long requests[INSTANCES];
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
    void *library = dlopen(getenv("WATCHED_REAL"), RTLD_NOW | RTLD_LOCAL);

    if (own == NULL || library == NULL) {
        abort();
    }
    find(library, TEXT(NAME(open)), &own->open);
    find(library, TEXT(NAME(close)), &own->close);
    find(library, TEXT(NAME(read32)), &own->read32);
    find(library, TEXT(NAME(write32)), &own->write32);
    find(library, TEXT(NAME(failure)), &own->failure);
    find(library, TEXT(NAME(cycles)), &own->cycles);
    own->bench = own->open(seed, stalls, pause);
    return own;
}

void NAME(close)(void *context)
{
    core *own = context;
    FILE *report = fopen(getenv("WATCHED_REPORT"), "w");
    int i;

    if (report == NULL) {
        abort();
    }
    fprintf(report, "%llu %u", (unsigned long long)own->cycles(own->bench), own->most);
    for (i = 0; i < INSTANCES; i++) {
        fprintf(report, " %lu", own->requests[i]);
    }
    fprintf(report, "\n");
    fclose(report);
    own->close(own->bench);
    free(own);
}

uint32_t NAME(read32)(void *context, uint32_t offset)
{
    core *own = context;
    uint32_t word = own->read32(own->bench, offset);

#if INSTANCES > 1
    if (offset == RESULT && ++own->words == WORDS) {
        own->words = 0;
        own->flying--;
        own->requests[(word & INSTANCE) >> INSTANCE_LOW]++;
    }
#endif
    return word;
}

void NAME(write32)(void *context, uint32_t offset, uint32_t value)
{
    core *own = context;

    if (offset == CONTROL && (value & START) != 0) {
        own->flying += INSTANCES > 1 || own->flying == 0;
        own->most = own->flying > own->most ? own->flying : own->most;
        own->requests[0] += INSTANCES == 1;
    }
    own->write32(own->bench, offset, value);
}

int NAME(failure)(void *context)
{
    core *own = context;

    return own->failure(own->bench);
}
