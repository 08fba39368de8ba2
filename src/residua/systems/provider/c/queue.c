/* Several coprocessors behind one bus: the operations of all threads go to their one queue.
 *
 * A thread that wants an operation adds a request and waits for its end. One of those that wait at a
 * time has the device: it hands over requests and takes results, each of which goes to the request
 * with its tag, until its own has ended; then another one goes on. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "provider.h"

/* Milliseconds after which this process lets others have the device, and nanoseconds that it leaves
 * them to take it. */
#define TURN 1000
#define REST 2000000

struct provider_request {
    unsigned operation, curve;
    const uint32_t *operands;
    size_t operand_words;
    uint32_t *results;
    size_t result_words;
    unsigned tag;
    uint32_t begun; /* looks at the device before it was handed over */
    int code, ended;
    struct provider_request *next;
};

static uint64_t milliseconds(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int start(provider_queue *queue)
{
    memset(queue, 0, sizeof *queue);
    queue->process = (long)getpid();
    return pthread_mutex_init(&queue->lock, NULL) == 0 &&
           pthread_cond_init(&queue->ended, NULL) == 0;
}

int provider_queue_ready(provider_slot *slot)
{
    int good = slot->queue != NULL;

    if (!good) {
        slot->queue = OPENSSL_zalloc(sizeof *slot->queue);
        good = slot->queue != NULL && start(slot->queue);
    } else if (slot->queue->process != (long)getpid()) {
        good = start(slot->queue);
    }
    return good;
}

void provider_queue_free(provider_slot *slot)
{
    if (slot->queue != NULL && slot->queue->process == (long)getpid()) {
        (void)pthread_cond_destroy(&slot->queue->ended);
        (void)pthread_mutex_destroy(&slot->queue->lock);
    }
    OPENSSL_free(slot->queue);
}

/* The place of the request with a tag among those at the device; NULL if none has it. */
static provider_request **place_of(provider_queue *queue, unsigned tag)
{
    unsigned i;

    for (i = 0; i < queue->flying; i++) {
        if (queue->at_device[i]->tag == tag) {
            return &queue->at_device[i];
        }
    }
    return NULL;
}

/* Tells a request's thread how it ended; nobody uses the request after that. */
static void end(provider_queue *queue, provider_request *request, int code)
{
    (void)pthread_mutex_lock(&queue->lock);
    request->code = code;
    request->ended = 1;
    (void)pthread_cond_broadcast(&queue->ended);
    (void)pthread_mutex_unlock(&queue->lock);
}

/* The first request that waits, if there is room for it and this process's turn is not over. */
static provider_request *next_request(provider_slot *slot)
{
    provider_queue *queue = slot->queue;
    provider_request *found;

    if (queue->full || queue->flying == queue->most ||
        (slot->port->shared && milliseconds() - queue->entered_at > TURN)) {
        return NULL;
    }
    (void)pthread_mutex_lock(&queue->lock);
    found = queue->first;
    (void)pthread_mutex_unlock(&queue->lock);
    return found;
}

static void take_out(provider_queue *queue, provider_request *request)
{
    (void)pthread_mutex_lock(&queue->lock);
    queue->first = request->next;
    queue->last = queue->first != NULL ? queue->last : NULL;
    (void)pthread_mutex_unlock(&queue->lock);
}

/* Hands a request over. Tags go round, so that a result that comes twice belongs to no request. */
static int hand_over(provider_slot *slot, provider_request *request)
{
    provider_queue *queue = slot->queue;
    int code;

    while (place_of(queue, queue->tag) != NULL) {
        queue->tag = (queue->tag + 1) % (RESIDUA_ECC_MOST_TAG + 1);
    }
    code = residua_ecc_submit(&slot->device, queue->tag, request->operation, request->curve,
                              request->operands, request->operand_words);
    if (code == RESIDUA_ECC_STATUS_OK) {
        take_out(queue, request);
        request->tag = queue->tag;
        request->begun = queue->looks;
        queue->at_device[queue->flying++] = request;
        queue->tag = (queue->tag + 1) % (RESIDUA_ECC_MOST_TAG + 1);
    }
    return code;
}

/* Takes a result to the request with its tag. */
static int deliver(provider_slot *slot)
{
    provider_queue *queue = slot->queue;
    uint32_t words[2 * RESIDUA_ECC_MAX_WORDS];
    size_t i, most = 0;
    residua_ecc_completion completion;
    provider_request **place, *request;
    int code;

    for (i = 0; i < queue->flying; i++) {
        most = queue->at_device[i]->result_words > most ? queue->at_device[i]->result_words : most;
    }
    code = residua_ecc_collect(&slot->device, &completion, words, most);
    place = place_of(queue, completion.tag);
    if (code == RESIDUA_ECC_STATUS_OK && (place == NULL || !slot->port->sound(slot->context))) {
        code = RESIDUA_ECC_ACCESS;
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        request = *place;
        *place = queue->at_device[--queue->flying];
        queue->full = 0;
        memcpy(request->results, words, request->result_words * sizeof *words);
        end(queue, request, completion.status);
    }
    OPENSSL_cleanse(words, sizeof words);
    return code;
}

/* Whether a request is longer at the device than any operation, and the wait for it, takes. */
static int lost(const provider_slot *slot)
{
    const provider_queue *queue = slot->queue;
    unsigned i;

    for (i = 0; i < queue->flying; i++) {
        if (queue->looks - queue->at_device[i]->begun > 2 * slot->device.polls) {
            return 1;
        }
    }
    return 0;
}

/* One request or one result, or a look at the device. */
static int step(provider_slot *slot)
{
    provider_queue *queue = slot->queue;
    provider_request *request = next_request(slot);
    int code = RESIDUA_ECC_BUSY;

    if (request != NULL) {
        code = hand_over(slot, request);
    }
    if (code != RESIDUA_ECC_BUSY || (request != NULL && queue->flying == 0)) {
        return code;
    }
    queue->full = queue->full || request != NULL;
    queue->looks++;
    code = residua_ecc_tend(&slot->device);
    if (code > 0) {
        return deliver(slot);
    }
    return code == RESIDUA_ECC_STATUS_OK && lost(slot) ? RESIDUA_ECC_TIMEOUT : code;
}

/* Begins to use the device, unless the thread before has left it to this one. */
static int begin(provider_slot *slot)
{
    provider_queue *queue = slot->queue;
    int code;

    if (queue->entered) {
        return RESIDUA_ECC_STATUS_OK;
    }
    code = provider_slot_enter(slot);
    queue->entered = code == RESIDUA_ECC_STATUS_OK;
    queue->entered_at = milliseconds();
    queue->most = residua_ecc_instances(&slot->device) + 1;
    queue->full = 0;
    return code;
}

/* Ends all requests that there are, since the device is not in order. */
static void give_up(provider_slot *slot, int code)
{
    provider_queue *queue = slot->queue;
    provider_request *request, *next;

    if (queue->entered) {
        (void)residua_ecc_zeroise(&slot->device);
    }
    (void)pthread_mutex_lock(&queue->lock);
    request = queue->first;
    queue->first = queue->last = NULL;
    (void)pthread_mutex_unlock(&queue->lock);
    while (queue->flying > 0) {
        end(queue, queue->at_device[--queue->flying], code);
    }
    for (; request != NULL; request = next) {
        next = request->next;
        end(queue, request, code);
    }
    if (queue->entered) {
        provider_slot_leave(slot, code);
    }
    queue->entered = 0;
}

/* Uses the device until a request has ended. */
static void serve(provider_slot *slot, const provider_request *own)
{
    static const struct timespec rest = {0, REST};
    provider_queue *queue = slot->queue;
    int code = RESIDUA_ECC_STATUS_OK;

    while (code == RESIDUA_ECC_STATUS_OK && !own->ended) {
        code = begin(slot);
        if (code == RESIDUA_ECC_STATUS_OK) {
            code = step(slot);
        }
        if (code == RESIDUA_ECC_STATUS_OK && queue->flying == 0) {
            provider_slot_leave(slot, code);
            queue->entered = 0;
            if (slot->port->shared && milliseconds() - queue->entered_at > TURN) {
                (void)nanosleep(&rest, NULL);
            }
        }
    }
    if (code != RESIDUA_ECC_STATUS_OK) {
        give_up(slot, code);
    }
}

int provider_queue_perform(void *context, unsigned operation, unsigned curve,
                           const uint32_t *operands, size_t operand_words, uint32_t *results,
                           size_t result_words)
{
    provider_slot *slot = context;
    provider_queue *queue = slot->queue;
    provider_request own = {.operation = operation,
                            .curve = curve,
                            .operands = operands,
                            .operand_words = operand_words,
                            .results = results,
                            .result_words = result_words};

    (void)pthread_mutex_lock(&queue->lock);
    if (queue->first == NULL) {
        queue->first = &own;
    } else {
        queue->last->next = &own;
    }
    queue->last = &own;
    while (!own.ended) {
        if (queue->served) {
            (void)pthread_cond_wait(&queue->ended, &queue->lock);
            continue;
        }
        queue->served = 1;
        (void)pthread_mutex_unlock(&queue->lock);
        serve(slot, &own);
        (void)pthread_mutex_lock(&queue->lock);
        queue->served = 0;
        (void)pthread_cond_broadcast(&queue->ended);
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return own.code;
}
