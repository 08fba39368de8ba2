/* Access to the registers: one operation from its command to its result. */
#include "{{ library }}_numbers.h"

#define OFFSET(name) ((uint32_t)offsetof({{ map }}_t, name))
#define FIELD(word, field) (((word) & {{ map | upper }}__##field##_bm) >> {{ map | upper }}__##field##_bp)
#define PLACE(value, field) ((uint32_t)(value) << {{ map | upper }}__##field##_bp)

/* Words on their way in and out. */
typedef struct {
    const uint32_t *operands;
    size_t operands_left;
    uint32_t *results;
    size_t results_left;
} transfer;

static int has_streams(const struct {{ library }}_core *core)
{
    return !FIELD(core->capability, CAPABILITY__DATA_REGISTERS);
}

{% if several %}
static unsigned instances(const struct {{ library }}_core *core)
{
    unsigned count = (unsigned)FIELD(core->capability, CAPABILITY__INSTANCES);

    return count != 0 ? count : 1;
}

{% endif %}
int {{ library }}_usable(const {{ library }}_device *device)
{
    const struct {{ library }}_core *core = device->core;

    if (core == NULL || core->words > {{ library | upper }}_MAX_WORDS) {
        return 0;
    }
    if (has_streams(core) &&
        (device->send == NULL || device->receive == NULL || device->received == NULL)) {
        return 0;
    }
    return device->read32 != NULL && device->write32 != NULL;
}

static uint32_t status(const {{ library }}_device *device)
{
    return device->read32(device->context, OFFSET(STATUS));
}

/* Whether STATUS was read so often without progress that the driver gives up. */
static int exhausted(const {{ library }}_device *device, uint32_t reads)
{
    uint32_t limit = device->polls != 0 ? device->polls : {{ library | upper }}_DEFAULT_POLLS;

    return limit != {{ library | upper }}_UNLIMITED && reads >= limit;
}

/* Has the interrupt tell of the end of an operation, and of none before; or not any more. */
static void use_interrupt(const {{ library }}_device *device, int on)
{
    if (device->wait != NULL) {
        device->write32(device->context, OFFSET(INTERRUPT_STATE), PLACE(1, INTERRUPT_STATE__DONE));
        device->write32(device->context, OFFSET(INTERRUPT_ENABLE),
                        PLACE(on, INTERRUPT_ENABLE__DONE));
    }
}

/* Waits for the interrupt, unless the core has something or wants a random word. That it has room for an
 * operand says nothing: there may be room for one of the next operation. */
static void rest(const {{ library }}_device *device, uint32_t state)
{
    const uint32_t any = {{ map | upper }}__STATUS__RESULT_VALID_bm{{ " |" if random else ";" }}
{% if random %}
                         {{ map | upper }}__STATUS__RANDOM_READY_bm;
{% endif %}

    if (device->wait != NULL && (state & any) == 0) {
        device->wait(device->context);
    }
}

/* Waits until nothing is running and nothing is being cleared; returns whether that came. */
static int becomes_idle(const {{ library }}_device *device)
{
    uint32_t reads = 0;

    while (FIELD(status(device), STATUS__BUSY)) {
        if (exhausted(device, ++reads)) {
            return 0;
        }
    }
    return 1;
}

int {{ library }}_open(const {{ library }}_device *device)
{
    const struct {{ library }}_core *core = device->core;
    uint32_t version;

    if (!{{ library }}_usable(device)) {
        return {{ library | upper }}_ARGUMENT;
    }
    version = device->read32(device->context, OFFSET(VERSION));
{% if several %}
    if (FIELD(version, VERSION__MAJOR) !=
            (instances(core) > 1 ? {{ library | upper }}_SEVERAL_VERSION : {{ library | upper }}_VERSION) ||
{% else %}
    if (FIELD(version, VERSION__MAJOR) != {{ map | upper }}__VERSION__MAJOR_reset ||
{% endif %}
        device->read32(device->context, OFFSET(ID)) != core->id ||
        device->read32(device->context, OFFSET(CAPABILITY)) != core->capability ||
        device->read32(device->context, OFFSET(OPERATIONS)) != core->operations) {
        return {{ library | upper }}_NO_CORE;
    }
    return becomes_idle(device) ? {{ library | upper }}_STATUS_OK : {{ library | upper }}_BUSY;
}

int {{ library }}_zeroise(const {{ library }}_device *device)
{
    if (!{{ library }}_usable(device)) {
        return {{ library | upper }}_ARGUMENT;
    }
    device->write32(device->context, OFFSET(ZEROISE), {{ library | upper }}_ZEROISE_KEY);
    return becomes_idle(device) ? {{ library | upper }}_STATUS_OK : {{ library | upper }}_TIMEOUT;
}

/* Moves words through registers: 1 if any were those of a number, 0 if not, or an error.{{ " Random" if random else " */" }}
{% if random %}
 * words are no progress: a core that fails might take them for ever. */
{% endif %}
static int move_by_registers(const {{ library }}_device *device, uint32_t state, transfer *words)
{
    int moved = 0;

    if (FIELD(state, STATUS__OPERAND_READY) && words->operands_left > 0) {
        device->write32(device->context, OFFSET(OPERAND), *words->operands++);
        words->operands_left--;
        moved = 1;
    }
{% if random %}
    if (FIELD(state, STATUS__RANDOM_READY) && device->random != NULL) {
        uint32_t word = 0;
        if (device->random(device->context, &word) != 0) {
            return {{ library | upper }}_ACCESS;
        }
        device->write32(device->context, OFFSET(RANDOM), word);
        {{ library }}_wipe(&word, sizeof word);
    }
{% endif %}
    if (FIELD(state, STATUS__RESULT_VALID)) {
        if (words->results_left == 0) {
            return {{ library | upper }}_ARGUMENT;
        }
        *words->results++ = device->read32(device->context, OFFSET(RESULT));
        words->results_left--;
        moved = 1;
    }
    return moved;
}

/* The same through streams, all words of a direction at a time. */
static int move_by_streams(const {{ library }}_device *device, uint32_t state, transfer *words)
{
    int code;

    if (words->operands_left > 0) {
        code = device->send(device->context, words->operands, words->operands_left);
        words->operands_left = code == {{ library | upper }}_STATUS_OK ? 0 : words->operands_left;
    } else if (FIELD(state, STATUS__DONE) && words->results_left > 0) {
        code = device->received(device->context);
        words->results_left = code == {{ library | upper }}_STATUS_OK ? 0 : words->results_left;
    } else {
        return 0;
    }
    if (code != {{ library | upper }}_STATUS_OK && code != {{ library | upper }}_PENDING) {
        return {{ library | upper }}_ACCESS;
    }
    return code == {{ library | upper }}_STATUS_OK;
}

{% if curves %}
/* The status of an operation that is done; an error if its code is none. */
static int ended(const struct {{ library }}_core *core, uint32_t state)
{
    static const uint8_t sparse[] = {{ library | upper }}_SPARSE_CODES;
    uint32_t code = FIELD(state, STATUS__CODE);
    size_t i;

    if (!FIELD(core->capability, CAPABILITY__SPARSE_STATUS)) {
        return (int)code;
    }
    for (i = 0; i < sizeof sparse; i++) {
        if (sparse[i] == code) {
            return (int)i;
        }
    }
    return {{ library | upper }}_ACCESS;
}

{% endif %}
/* Feeds the operation until it is done and all of its result is here. */
static int complete(const {{ library }}_device *device, transfer *words)
{
    int streams = has_streams(device->core);
    uint32_t idle = 0;

    for (;;) {
        uint32_t state = status(device);
        int moved;

{% if curves %}
        if (FIELD(state, STATUS__DONE)) {
            int code = ended(device->core, state);
            if (code != {{ library | upper }}_STATUS_OK) {
                return code;
            }
{% else %}
        if (FIELD(state, STATUS__DONE) && FIELD(state, STATUS__CODE) != {{ library | upper }}_STATUS_OK) {
            return (int)FIELD(state, STATUS__CODE);
{% endif %}
        }
        moved = streams ? move_by_streams(device, state, words)
                        : move_by_registers(device, state, words);
        if (moved < 0) {
            return moved;
        }
        if (FIELD(state, STATUS__DONE) && words->results_left == 0) {
            return {{ library | upper }}_STATUS_OK;
        }
        idle = moved ? 0 : idle + 1;
        if (exhausted(device, idle)) {
            return {{ library | upper }}_TIMEOUT;
        }
        if (!moved && !FIELD(state, STATUS__DONE)) {
            rest(device, state);
        }
    }
}

/* Takes the buffers away from the streams. */
static int disarm(const {{ library }}_device *device)
{
    int sent = device->send(device->context, NULL, 0);
    int received = device->receive(device->context, NULL, 0);

    return sent == {{ library | upper }}_STATUS_OK && received == {{ library | upper }}_STATUS_OK
               ? {{ library | upper }}_STATUS_OK
               : {{ library | upper }}_ACCESS;
}

/* One operation on a core that has it and is not busy. */
static int perform(const {{ library }}_device *device, uint32_t control, transfer *words)
{
    int streams = has_streams(device->core), code = {{ library | upper }}_STATUS_OK;

    if (streams && words->results_left > 0 &&
        device->receive(device->context, words->results, words->results_left) != 0) {
        code = {{ library | upper }}_ACCESS;
    }
    if (code == {{ library | upper }}_STATUS_OK) {
        use_interrupt(device, 1);
        device->write32(device->context, OFFSET(CONTROL), control);
        code = complete(device, words);
        use_interrupt(device, 0);
    }
    if (code != {{ library | upper }}_STATUS_OK && streams && disarm(device) != {{ library | upper }}_STATUS_OK) {
        code = {{ library | upper }}_ACCESS;
    }
    if (code < 0) {
        (void){{ library }}_zeroise(device);
    }
    return code;
}

{% if several %}
/* Words of each result of several coprocessors: the most numbers that there are, and the last word. */
static size_t packet_words(const struct {{ library }}_core *core)
{
    size_t i, numbers = 1;

    for (i = 0; i < core->curve_count; i++) {
        if (!core->curves[i].montgomery) {
            numbers = 2;
        }
    }
    return numbers * core->words + 1;
}

/* STATUS as if there were no result, so that those of other requests are left alone. */
static uint32_t without_results(uint32_t state)
{
    return state & ~(uint32_t)({{ map | upper }}__STATUS__RESULT_VALID_bm |
                               {{ map | upper }}__STATUS__DONE_bm);
}

/* Hands over the operands of a request, until it wants no more. */
static int feed(const {{ library }}_device *device, transfer *words)
{
    int streams = has_streams(device->core), moved;
    uint32_t idle = 0, state = status(device);

    while (words->operands_left > 0 || FIELD(state, STATUS__OPERAND_READY)) {
        moved = streams ? move_by_streams(device, without_results(state), words)
                        : move_by_registers(device, without_results(state), words);
        if (moved < 0) {
            return moved;
        }
        idle = moved ? 0 : idle + 1;
        if (exhausted(device, idle)) {
            return {{ library | upper }}_TIMEOUT;
        }
        state = status(device);
    }
    return {{ library | upper }}_STATUS_OK;
}

/* Waits while the last request is on its way to a coprocessor; not while it waits for one. */
static int becomes_ready(const {{ library }}_device *device)
{
    transfer none = {NULL, 0, NULL, 0};
    uint32_t idle = 0, state = status(device);

    while (!FIELD(state, STATUS__READY)) {
        /* Without random words none of those that work might come to its end. */
        int moved = has_streams(device->core)
                        ? 0
                        : move_by_registers(device, without_results(state), &none);
        if (moved < 0) {
            return moved;
        }
        if (FIELD(device->read32(device->context, OFFSET(CORES)), CORES__WAITING)) {
            return {{ library | upper }}_BUSY;
        }
        if (exhausted(device, ++idle)) {
            return {{ library | upper }}_TIMEOUT;
        }
        state = status(device);
    }
    return {{ library | upper }}_STATUS_OK;
}

/* Makes a request of a core that has the operation. */
static int request(const {{ library }}_device *device, unsigned tag, unsigned operation,
                   unsigned curve, const uint32_t *operands, size_t operand_words)
{
    transfer words = {operands, operand_words, NULL, 0};
    int code = becomes_ready(device);

    if (code != {{ library | upper }}_STATUS_OK) {
        return code;
    }
    device->write32(device->context, OFFSET(CONTROL),
                    PLACE(operation, CONTROL__OPERATION) | PLACE(curve, CONTROL__CURVE) |
                        PLACE(tag, CONTROL__TAG) | PLACE(1, CONTROL__START));
    code = feed(device, &words);
    if (code != {{ library | upper }}_STATUS_OK) {
        if (has_streams(device->core) && disarm(device) != {{ library | upper }}_STATUS_OK) {
            code = {{ library | upper }}_ACCESS;
        }
        (void){{ library }}_zeroise(device);
    }
    return code;
}

/* The next result, by streams; {{ library | upper }}_TIMEOUT if there is none. */
static int packet_by_streams(const {{ library }}_device *device, uint32_t *packet, size_t count)
{
    uint32_t idle = 0;
    int code = {{ library | upper }}_PENDING;

    if (device->receive(device->context, packet, count) != 0) {
        return {{ library | upper }}_ACCESS;
    }
    while (code == {{ library | upper }}_PENDING && !exhausted(device, idle)) {
        rest(device, status(device));
        code = device->received(device->context);
        idle++;
    }
    if (code == {{ library | upper }}_STATUS_OK) {
        return code;
    }
    if (disarm(device) != {{ library | upper }}_STATUS_OK || code != {{ library | upper }}_PENDING) {
        return {{ library | upper }}_ACCESS;
    }
    return {{ library | upper }}_TIMEOUT;
}

/* The same by registers, which it feeds with random words meanwhile. */
static int packet_by_registers(const {{ library }}_device *device, uint32_t *packet, size_t count)
{
    transfer words = {NULL, 0, packet, count};
    uint32_t idle = 0;

    while (words.results_left > 0) {
        uint32_t state = status(device);
        int moved = move_by_registers(device, state, &words);
        if (moved < 0) {
            return moved;
        }
        idle = moved ? 0 : idle + 1;
        if (words.results_left == count) {
            rest(device, state);
        }
        if (exhausted(device, idle)) {
            return words.results_left == count ? {{ library | upper }}_TIMEOUT
                                               : {{ library | upper }}_ACCESS;
        }
    }
    return {{ library | upper }}_STATUS_OK;
}

/* What the last word of a result says; its code is where that of STATUS is. */
static int read_trailer(const struct {{ library }}_core *core, uint32_t word,
                        {{ library }}_completion *completion)
{
    int code = ended(core, word);

    if (code < 0 || FIELD(word, TRAILER__INSTANCE) >= instances(core)) {
        return {{ library | upper }}_ACCESS;
    }
    completion->status = code;
    completion->tag = (uint8_t)FIELD(word, TRAILER__TAG);
    completion->instance = (uint8_t)FIELD(word, TRAILER__INSTANCE);
    return {{ library | upper }}_STATUS_OK;
}

int {{ library }}_submit(const {{ library }}_device *device, unsigned tag, unsigned operation,
                       unsigned curve, const uint32_t *operands, size_t operand_words)
{
    if ({{ library }}_find(device, curve) == NULL || tag > {{ library | upper }}_MOST_TAG) {
        return {{ library | upper }}_ARGUMENT;
    }
    if (instances(device->core) == 1 || operation > 31 ||
        !(device->core->operations >> operation & 1)) {
        return {{ library | upper }}_UNSUPPORTED;
    }
    return request(device, tag, operation, curve, operands, operand_words);
}

int {{ library }}_tend(const {{ library }}_device *device)
{
    transfer none = {NULL, 0, NULL, 0};
    uint32_t state;
    int code;

    if (!{{ library }}_usable(device)) {
        return {{ library | upper }}_ARGUMENT;
    }
    if (instances(device->core) == 1) {
        return {{ library | upper }}_UNSUPPORTED;
    }
    state = status(device);
    code = has_streams(device->core) ? {{ library | upper }}_STATUS_OK
                                     : move_by_registers(device, without_results(state), &none);
    if (code != {{ library | upper }}_STATUS_OK) {
        (void){{ library }}_zeroise(device);
        return code;
    }
    return FIELD(state, STATUS__RESULT_VALID) ? 1 : 0;
}

int {{ library }}_collect(const {{ library }}_device *device, {{ library }}_completion *completion,
                        uint32_t *results, size_t result_words)
{
    static const {{ library }}_completion nothing;
    uint32_t packet[2 * {{ library | upper }}_MAX_WORDS + 1] = {0};
    size_t i, count;
    int code;

    *completion = nothing;
    completion->status = {{ library | upper }}_ACCESS;
    if (!{{ library }}_usable(device) || result_words >= packet_words(device->core)) {
        code = {{ library | upper }}_ARGUMENT;
    } else if (instances(device->core) == 1) {
        code = {{ library | upper }}_UNSUPPORTED;
    } else {
        count = packet_words(device->core);
        use_interrupt(device, 1);
        code = has_streams(device->core) ? packet_by_streams(device, packet, count)
                                         : packet_by_registers(device, packet, count);
        use_interrupt(device, 0);
        if (code == {{ library | upper }}_STATUS_OK) {
            code = read_trailer(device->core, packet[count - 1], completion);
        }
        if (code == {{ library | upper }}_ACCESS) {
            (void){{ library }}_zeroise(device);
        }
    }
    {{ library }}_wipe(results, result_words * sizeof *results);
    if (code == {{ library | upper }}_STATUS_OK && completion->status == {{ library | upper }}_STATUS_OK) {
        for (i = 0; i < result_words; i++) {
            results[i] = packet[i];
        }
    }
    {{ library }}_wipe(packet, sizeof packet);
    return code;
}

int {{ library }}_zeroise_instances(const {{ library }}_device *device, uint32_t mask)
{
    if (!{{ library }}_usable(device) || mask >> instances(device->core) != 0) {
        return {{ library | upper }}_ARGUMENT;
    }
    if (instances(device->core) == 1) {
        return {{ library | upper }}_UNSUPPORTED;
    }
    device->write32(device->context, OFFSET(ZEROISE_CORES),
                    PLACE(mask, ZEROISE_CORES__MASK) |
                        PLACE({{ library | upper }}_ZEROISE_CORES_KEY, ZEROISE_CORES__KEY));
    return {{ library | upper }}_STATUS_OK;
}

unsigned {{ library }}_instances(const {{ library }}_device *device)
{
    return {{ library }}_usable(device) ? instances(device->core) : 0;
}

/* One operation on several coprocessors, to its end. Its tag is no other request's, so that a result
 * that nobody has collected is not taken for it. */
static int perform_alone(const {{ library }}_device *device, unsigned operation, unsigned curve,
                         const transfer *words)
{
    {{ library }}_completion completion;
    uint32_t state = status(device);
    int code;

    if (FIELD(state, STATUS__BUSY) || FIELD(state, STATUS__RESULT_VALID)) {
        return {{ library | upper }}_BUSY;
    }
    code = request(device, {{ library | upper }}_MOST_TAG + 1, operation, curve, words->operands,
                   words->operands_left);
    if (code != {{ library | upper }}_STATUS_OK) {
        return code;
    }
    code = {{ library }}_collect(device, &completion, words->results, words->results_left);
    if (code == {{ library | upper }}_STATUS_OK && completion.tag != {{ library | upper }}_MOST_TAG + 1) {
        code = {{ library | upper }}_ACCESS;
    }
    if (code != {{ library | upper }}_STATUS_OK) {
        (void){{ library }}_zeroise(device);
        return code;
    }
    return completion.status;
}

{% endif %}
{% if curves %}
int {{ library }}_execute(const {{ library }}_device *device, unsigned operation, unsigned curve,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words)
{% else %}
int {{ library }}_execute(const {{ library }}_device *device, unsigned operation,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words)
{% endif %}
{
    transfer words;
    int code;

    words.operands = operands;
    words.operands_left = operand_words;
    words.results = results;
    words.results_left = result_words;
{% if curves %}
    if ({{ library }}_find(device, curve) == NULL) {
{% else %}
    if (!{{ library }}_usable(device)) {
{% endif %}
        code = {{ library | upper }}_ARGUMENT;
    } else if (operation > 31 || !(device->core->operations >> operation & 1)) {
        code = {{ library | upper }}_UNSUPPORTED;
{% if several %}
    } else if (instances(device->core) > 1 && device->perform != NULL) {
        code = device->perform(device->context, operation, curve, operands, operand_words, results,
                               result_words);
    } else if (instances(device->core) > 1) {
        code = perform_alone(device, operation, curve, &words);
{% endif %}
    } else if (FIELD(status(device), STATUS__BUSY)) {
        code = {{ library | upper }}_BUSY;
    } else {
{% if curves %}
        code = perform(device,
                       PLACE(operation, CONTROL__OPERATION) | PLACE(curve, CONTROL__CURVE) |
                           PLACE(1, CONTROL__START),
                       &words);
{% else %}
        code = perform(device, PLACE(operation, CONTROL__OPERATION) | PLACE(1, CONTROL__START),
                       &words);
{% endif %}
    }
    if (code != {{ library | upper }}_STATUS_OK) {
        {{ library }}_wipe(results, result_words * sizeof *results);
    }
    return code;
}
