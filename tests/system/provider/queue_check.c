/* The queue of several coprocessors with stand-ins for the driver and the device: the stand-in has a
 * few places for requests, gives results in another order than they came, and breaks as it is told. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "provider.h"

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define INSTANCES 4u
#define PLACES (INSTANCES + 1)
#define THREADS 12
#define ROUNDS 200
#define OPERANDS 3
#define SECONDS 4

enum { NOTHING, TWICE, LOST, REFUSED, FULL, UNSOUND, ABSENT };

static struct {
    unsigned tag;
    uint32_t answer;
} places[PLACES];
static unsigned used, most, entered, turns, breaks, calls, zeroised;
static int inside;

/* What comes of operands. */
static uint32_t answer_to(const uint32_t *operands)
{
    return operands[0] ^ (operands[1] << 8) ^ (operands[2] << 16) ^ 0xA5u;
}

unsigned residua_ecc_instances(const residua_ecc_device *device)
{
    (void)device;
    return INSTANCES;
}

int residua_ecc_submit(const residua_ecc_device *device, unsigned tag, unsigned operation,
                       unsigned curve, const uint32_t *operands, size_t operand_words)
{
    (void)device;
    (void)operation;
    (void)curve;
    REQUIRE(inside && operand_words == OPERANDS && tag <= RESIDUA_ECC_MOST_TAG);
    calls++;
    if (breaks == REFUSED && calls == 20) {
        return RESIDUA_ECC_TIMEOUT;
    }
    if (breaks == FULL || used == PLACES) {
        return RESIDUA_ECC_BUSY;
    }
    places[used].tag = tag;
    places[used++].answer = answer_to(operands);
    most = used > most ? used : most;
    return RESIDUA_ECC_STATUS_OK;
}

/* Results come while there are enough requests, and now and then. */
int residua_ecc_tend(const residua_ecc_device *device)
{
    static const struct timespec rest = {0, 10000};
    static unsigned looks;

    (void)device;
    REQUIRE(inside);
    /* Meanwhile others make requests. */
    (void)nanosleep(&rest, NULL);
    if (breaks == LOST && used == 1) {
        return 0;
    }
    return used == PLACES || (used > 0 && ++looks % 8 == 0);
}

int residua_ecc_collect(const residua_ecc_device *device, residua_ecc_completion *completion,
                        uint32_t *results, size_t result_words)
{
    static unsigned next;
    unsigned place = next++ % used;

    (void)device;
    REQUIRE(inside && used > 0 && result_words == 1);
    memset(completion, 0, sizeof *completion);
    completion->tag = (uint8_t)places[place].tag;
    results[0] = places[place].answer;
    if (breaks != TWICE || calls < 20) {
        places[place] = places[--used];
    }
    return RESIDUA_ECC_STATUS_OK;
}

int residua_ecc_zeroise(const residua_ecc_device *device)
{
    (void)device;
    REQUIRE(inside);
    used = 0;
    zeroised++;
    return RESIDUA_ECC_STATUS_OK;
}

int provider_slot_enter(provider_slot *slot)
{
    (void)slot;
    REQUIRE(!inside && (breaks == TWICE || used == 0));
    if (breaks == ABSENT) {
        return PROVIDER_TAKEN;
    }
    inside = 1;
    entered++;
    return RESIDUA_ECC_STATUS_OK;
}

void provider_slot_leave(provider_slot *slot, int code)
{
    (void)slot;
    REQUIRE(inside && (breaks == TWICE || code != RESIDUA_ECC_STATUS_OK || used == 0));
    inside = 0;
    turns++;
}

static int sound(void *context)
{
    (void)context;
    return breaks != UNSOUND || calls < 20;
}

static provider_port port = {.sound = sound};
static provider_slot slot = {.port = &port, .device = {.polls = 1000}};
static unsigned rounds;
static time_t stop; /* at that time, or never */

/* Requests of one thread; returns how many failed, or, with a wrong result, more than there are. */
static void *requests(void *argument)
{
    uint32_t operands[OPERANDS] = {(uint32_t)(uintptr_t)argument, 0, 7}, result;
    uintptr_t failed = 0;
    int code;

    for (operands[1] = 0; operands[1] < rounds; operands[1]++) {
        if (stop != 0 && time(NULL) >= stop) {
            break;
        }
        result = 0;
        code = provider_queue_perform(&slot, 1, 0, operands, OPERANDS, &result, 1);
        if (code != RESIDUA_ECC_STATUS_OK) {
            failed++;
        } else if (result != answer_to(operands)) {
            failed += rounds + 1;
        }
    }
    return (void *)failed;
}

/* All threads, with a device that breaks so; returns how many requests failed. */
static uintptr_t all_threads(unsigned how, unsigned each)
{
    pthread_t threads[THREADS];
    uintptr_t i, failed = 0;
    void *one;

    breaks = how;
    rounds = each;
    used = most = entered = turns = calls = zeroised = 0;
    for (i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, requests, (void *)(i + 1)) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &one) == 0 && (uintptr_t)one <= each);
        failed += (uintptr_t)one;
    }
    REQUIRE(!inside && (how == TWICE || used == 0) && entered == turns);
    return failed;
}

int main(void)
{
    uintptr_t failed;

    REQUIRE(provider_queue_ready(&slot) && provider_queue_ready(&slot));
    REQUIRE(all_threads(NOTHING, ROUNDS) == 0 && most == PLACES && calls >= THREADS * ROUNDS);
    /* Another process gets its turn, though there are always requests. */
    port.shared = 1;
    stop = time(NULL) + SECONDS;
    REQUIRE(all_threads(NOTHING, 1u << 20) == 0 && turns >= SECONDS - 1 && turns < 4 * SECONDS);
    port.shared = 0;
    stop = 0;
    failed = all_threads(TWICE, 10);
    REQUIRE(failed > 0 && zeroised > 0);
    failed = all_threads(LOST, 3);
    REQUIRE(failed > 0 && zeroised > 0);
    failed = all_threads(REFUSED, ROUNDS);
    REQUIRE(failed > 0 && failed <= THREADS && zeroised == 1);
    REQUIRE(all_threads(FULL, 3) == THREADS * 3);
    REQUIRE(all_threads(UNSOUND, 10) > 0 && zeroised > 0);
    REQUIRE(all_threads(ABSENT, 3) == THREADS * 3 && entered == 0);
    puts("PASS");
    return 0;
}
