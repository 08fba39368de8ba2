/* Access to the registers: one operation from its command to its result. */
#include "residua_ecc_numbers.h"

#define OFFSET(name) ((uint32_t)offsetof(residua_ecc_t, name))
#define FIELD(word, field) (((word) & RESIDUA_ECC__##field##_bm) >> RESIDUA_ECC__##field##_bp)
#define PLACE(value, field) ((uint32_t)(value) << RESIDUA_ECC__##field##_bp)

/* Words on their way in and out. */
typedef struct {
    const uint32_t *operands;
    size_t operands_left;
    uint32_t *results;
    size_t results_left;
} transfer;

static int has_streams(const struct residua_ecc_core *core)
{
    return !FIELD(core->capability, CAPABILITY__DATA_REGISTERS);
}

int residua_ecc_usable(const residua_ecc_device *device)
{
    const struct residua_ecc_core *core = device->core;

    if (core == NULL || core->words > RESIDUA_ECC_MAX_WORDS) {
        return 0;
    }
    if (has_streams(core) &&
        (device->send == NULL || device->receive == NULL || device->received == NULL)) {
        return 0;
    }
    return device->read32 != NULL && device->write32 != NULL;
}

static uint32_t status(const residua_ecc_device *device)
{
    return device->read32(device->context, OFFSET(STATUS));
}

/* Whether STATUS was read so often without progress that the driver gives up. */
static int exhausted(const residua_ecc_device *device, uint32_t reads)
{
    uint32_t limit = device->polls != 0 ? device->polls : RESIDUA_ECC_DEFAULT_POLLS;

    return limit != RESIDUA_ECC_UNLIMITED && reads >= limit;
}

/* Waits until nothing is running and nothing is being cleared; returns whether that came. */
static int becomes_idle(const residua_ecc_device *device)
{
    uint32_t reads = 0;

    while (FIELD(status(device), STATUS__BUSY)) {
        if (exhausted(device, ++reads)) {
            return 0;
        }
    }
    return 1;
}

int residua_ecc_open(const residua_ecc_device *device)
{
    const struct residua_ecc_core *core = device->core;
    uint32_t version;

    if (!residua_ecc_usable(device)) {
        return RESIDUA_ECC_ARGUMENT;
    }
    version = device->read32(device->context, OFFSET(VERSION));
    if (FIELD(version, VERSION__MAJOR) != RESIDUA_ECC__VERSION__MAJOR_reset ||
        device->read32(device->context, OFFSET(ID)) != core->id ||
        device->read32(device->context, OFFSET(CAPABILITY)) != core->capability ||
        device->read32(device->context, OFFSET(OPERATIONS)) != core->operations) {
        return RESIDUA_ECC_NO_CORE;
    }
    return becomes_idle(device) ? RESIDUA_ECC_STATUS_OK : RESIDUA_ECC_BUSY;
}

int residua_ecc_zeroise(const residua_ecc_device *device)
{
    if (!residua_ecc_usable(device)) {
        return RESIDUA_ECC_ARGUMENT;
    }
    device->write32(device->context, OFFSET(ZEROISE), RESIDUA_ECC_ZEROISE_KEY);
    return becomes_idle(device) ? RESIDUA_ECC_STATUS_OK : RESIDUA_ECC_TIMEOUT;
}

/* Moves words through registers: 1 if any were those of a number, 0 if not, or an error. Random
 * words are no progress: a core that fails might take them for ever. */
static int move_by_registers(const residua_ecc_device *device, uint32_t state, transfer *words)
{
    int moved = 0;

    if (FIELD(state, STATUS__OPERAND_READY) && words->operands_left > 0) {
        device->write32(device->context, OFFSET(OPERAND), *words->operands++);
        words->operands_left--;
        moved = 1;
    }
    if (FIELD(state, STATUS__RANDOM_READY) && device->random != NULL) {
        uint32_t word = 0;
        if (device->random(device->context, &word) != 0) {
            return RESIDUA_ECC_ACCESS;
        }
        device->write32(device->context, OFFSET(RANDOM), word);
        residua_ecc_wipe(&word, sizeof word);
    }
    if (FIELD(state, STATUS__RESULT_VALID)) {
        if (words->results_left == 0) {
            return RESIDUA_ECC_ARGUMENT;
        }
        *words->results++ = device->read32(device->context, OFFSET(RESULT));
        words->results_left--;
        moved = 1;
    }
    return moved;
}

/* The same through streams, all words of a direction at a time. */
static int move_by_streams(const residua_ecc_device *device, uint32_t state, transfer *words)
{
    int code;

    if (words->operands_left > 0) {
        code = device->send(device->context, words->operands, words->operands_left);
        words->operands_left = code == RESIDUA_ECC_STATUS_OK ? 0 : words->operands_left;
    } else if (FIELD(state, STATUS__DONE) && words->results_left > 0) {
        code = device->received(device->context);
        words->results_left = code == RESIDUA_ECC_STATUS_OK ? 0 : words->results_left;
    } else {
        return 0;
    }
    if (code != RESIDUA_ECC_STATUS_OK && code != RESIDUA_ECC_PENDING) {
        return RESIDUA_ECC_ACCESS;
    }
    return code == RESIDUA_ECC_STATUS_OK;
}

/* The status of an operation that is done; an error if its code is none. */
static int ended(const struct residua_ecc_core *core, uint32_t state)
{
    static const uint8_t sparse[] = RESIDUA_ECC_SPARSE_CODES;
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
    return RESIDUA_ECC_ACCESS;
}

/* Feeds the operation until it is done and all of its result is here. */
static int complete(const residua_ecc_device *device, transfer *words)
{
    int streams = has_streams(device->core);
    uint32_t idle = 0;

    for (;;) {
        uint32_t state = status(device);
        int moved;

        if (FIELD(state, STATUS__DONE)) {
            int code = ended(device->core, state);
            if (code != RESIDUA_ECC_STATUS_OK) {
                return code;
            }
        }
        moved = streams ? move_by_streams(device, state, words)
                        : move_by_registers(device, state, words);
        if (moved < 0) {
            return moved;
        }
        if (FIELD(state, STATUS__DONE) && words->results_left == 0) {
            return RESIDUA_ECC_STATUS_OK;
        }
        idle = moved ? 0 : idle + 1;
        if (exhausted(device, idle)) {
            return RESIDUA_ECC_TIMEOUT;
        }
    }
}

/* Takes the buffers away from the streams. */
static int disarm(const residua_ecc_device *device)
{
    int sent = device->send(device->context, NULL, 0);
    int received = device->receive(device->context, NULL, 0);

    return sent == RESIDUA_ECC_STATUS_OK && received == RESIDUA_ECC_STATUS_OK
               ? RESIDUA_ECC_STATUS_OK
               : RESIDUA_ECC_ACCESS;
}

/* One operation on a core that has it and is not busy. */
static int perform(const residua_ecc_device *device, uint32_t control, transfer *words)
{
    int streams = has_streams(device->core), code = RESIDUA_ECC_STATUS_OK;

    if (streams && words->results_left > 0 &&
        device->receive(device->context, words->results, words->results_left) != 0) {
        code = RESIDUA_ECC_ACCESS;
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        device->write32(device->context, OFFSET(CONTROL), control);
        code = complete(device, words);
    }
    if (code != RESIDUA_ECC_STATUS_OK && streams && disarm(device) != RESIDUA_ECC_STATUS_OK) {
        code = RESIDUA_ECC_ACCESS;
    }
    if (code < 0) {
        (void)residua_ecc_zeroise(device);
    }
    return code;
}

int residua_ecc_execute(const residua_ecc_device *device, unsigned operation, unsigned curve,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words)
{
    transfer words;
    int code;

    words.operands = operands;
    words.operands_left = operand_words;
    words.results = results;
    words.results_left = result_words;
    if (residua_ecc_find(device, curve) == NULL) {
        code = RESIDUA_ECC_ARGUMENT;
    } else if (operation > 31 || !(device->core->operations >> operation & 1)) {
        code = RESIDUA_ECC_UNSUPPORTED;
    } else if (FIELD(status(device), STATUS__BUSY)) {
        code = RESIDUA_ECC_BUSY;
    } else {
        code = perform(device,
                       PLACE(operation, CONTROL__OPERATION) | PLACE(curve, CONTROL__CURVE) |
                           PLACE(1, CONTROL__START),
                       &words);
    }
    if (code != RESIDUA_ECC_STATUS_OK) {
        residua_ecc_wipe(results, result_words * sizeof *results);
    }
    return code;
}
