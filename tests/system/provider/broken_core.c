/* A simulated core that breaks, in the place of a real one.
 *
 * BROKEN_REAL names the library of the real simulation, BROKEN_AFTER the number of accesses after
 * which it breaks, and BROKEN_HOW what it does from then on: "ones" and "zeros" are all that reads
 * give; "frozen" gives what was read at the same offset before; "noise" gives anything; "bus" finds
 * the bus at fault.
 *
 * Of several coprocessors, compiled with what residua.evidence.handshakes.watched_core tells of their
 * registers, and STATUS, VALID and TAG: "swapped" has request number BROKEN_AFTER and the one after it
 * change their tags, "lost" never gives the result of that number. */
#include "real_core.h"

#define PLACES 64

typedef struct {
    real_core real;
    long left;
    const char *how;
    uint32_t before[PLACES], noise;
    long requests, results; /* so far */
    unsigned words;
    uint32_t tag;
} core;

#ifdef WORDS
/* A request, with the tag of another one if that is what breaks. */
static uint32_t swapped(core *own, uint32_t value)
{
    long number = own->requests++ - own->left;
    uint32_t tag = value & TAG, lowest = TAG & ~(TAG << 1);

    if (number == 0) {
        own->tag = tag;
        return (value & ~TAG) | ((tag + lowest) & TAG);
    }
    return number == 1 ? (value & ~TAG) | own->tag : value;
}

/* STATUS, after the result is gone that is not to be seen. */
static uint32_t without_lost(core *own, uint32_t state)
{
    int i;

    if ((state & VALID) == 0 || own->words != 0 || own->results != own->left) {
        return state;
    }
    own->results++;
    for (i = 0; i < WORDS; i++) {
        while ((own->real.read32(own->real.bench, STATUS) & VALID) == 0) {
        }
        (void)own->real.read32(own->real.bench, RESULT);
    }
    return own->real.read32(own->real.bench, STATUS);
}

static int of_requests(const core *own)
{
    return strcmp(own->how, "swapped") == 0 || strcmp(own->how, "lost") == 0;
}

static uint32_t read_requests(core *own, uint32_t offset)
{
    uint32_t word = own->real.read32(own->real.bench, offset);

    if (offset == RESULT && ++own->words == WORDS) {
        own->words = 0;
        own->results++;
    }
    return offset == STATUS && strcmp(own->how, "lost") == 0 ? without_lost(own, word) : word;
}

static void write_requests(core *own, uint32_t offset, uint32_t value)
{
    if (offset == CONTROL && (value & START) != 0 && strcmp(own->how, "swapped") == 0) {
        value = swapped(own, value);
    }
    own->real.write32(own->real.bench, offset, value);
}
#endif

void *NAME(open)(uint64_t seed, uint32_t stalls, uint32_t pause)
{
    core *own = calloc(1, sizeof *own);

    if (own == NULL) {
        abort();
    }
    own->left = atol(getenv("BROKEN_AFTER"));
    own->how = getenv("BROKEN_HOW");
    own->noise = 1;
    real_core_open(&own->real, "BROKEN_REAL", seed, stalls, pause);
    return own;
}

void NAME(close)(void *context)
{
    core *own = context;

    own->real.close(own->real.bench);
    free(own);
}

uint32_t NAME(read32)(void *context, uint32_t offset)
{
    core *own = context;

#ifdef WORDS
    if (of_requests(own)) {
        return read_requests(own, offset);
    }
#endif
    if (own->left-- > 0 || strcmp(own->how, "bus") == 0) {
        own->before[offset / 4 % PLACES] = own->real.read32(own->real.bench, offset);
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

#ifdef WORDS
    if (of_requests(own)) {
        write_requests(own, offset, value);
        return;
    }
#endif
    if (own->left > 0 || strcmp(own->how, "bus") == 0) {
        own->left--;
        own->real.write32(own->real.bench, offset, value);
    }
}

int NAME(failure)(void *context)
{
    core *own = context;

    return own->left <= 0 && strcmp(own->how, "bus") == 0 ? 1 : own->real.failure(own->real.bench);
}
