/* Stands in the place of a simulated core, has the real one do all accesses, and counts.
 *
 * TOP is the simulation's module, INSTANCES how many coprocessors it has; CONTROL, START and RESULT
 * are the address of the register, the mask of its bit, and the address of the other one. Results of
 * several have WORDS words, in the last of which the bits INSTANCE, from INSTANCE_LOW on, name the
 * coprocessor. WATCHED_REAL names the library of the real simulation, WATCHED_REPORT a file that takes
 * at the end the cycles, the greatest number of requests at a time, and the requests of each. */
#include "real_core.h"

#include <stdio.h>

typedef struct {
    real_core real;
    unsigned words, flying, most;
    unsigned long requests[INSTANCES];
} core;

void *NAME(open)(uint64_t seed, uint32_t stalls, uint32_t pause)
{
    core *own = calloc(1, sizeof *own);

    if (own == NULL) {
        abort();
    }
    real_core_open(&own->real, "WATCHED_REAL", seed, stalls, pause);
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
    fprintf(report, "%llu %u", (unsigned long long)own->real.cycles(own->real.bench), own->most);
    for (i = 0; i < INSTANCES; i++) {
        fprintf(report, " %lu", own->requests[i]);
    }
    fprintf(report, "\n");
    fclose(report);
    own->real.close(own->real.bench);
    free(own);
}

uint32_t NAME(read32)(void *context, uint32_t offset)
{
    core *own = context;
    uint32_t word = own->real.read32(own->real.bench, offset);

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
    own->real.write32(own->real.bench, offset, value);
}

int NAME(failure)(void *context)
{
    core *own = context;

    return own->real.failure(own->real.bench);
}
