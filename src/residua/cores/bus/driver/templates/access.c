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
    if (FIELD(version, VERSION__MAJOR) != {{ map | upper }}__VERSION__MAJOR_reset ||
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
        device->write32(device->context, OFFSET(CONTROL), control);
        code = complete(device, words);
    }
    if (code != {{ library | upper }}_STATUS_OK && streams && disarm(device) != {{ library | upper }}_STATUS_OK) {
        code = {{ library | upper }}_ACCESS;
    }
    if (code < 0) {
        (void){{ library }}_zeroise(device);
    }
    return code;
}

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
