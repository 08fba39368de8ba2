/* Access to the registers: one operation from its command to its result. */
#include "residua_ecc_numbers.h"

#define OFFSET(name) ((uint32_t)offsetof(residua_ecc_t, name))
#define FIELD(word, field) (((word) & RESIDUA_ECC__##field##_bm) >> RESIDUA_ECC__##field##_bp)
#define PLACE(value, field) ((uint32_t)(value) << RESIDUA_ECC__##field##_bp)
#define CONSTANT(field) PLACE(RESIDUA_ECC__##field##_reset, field)

/* Words on their way in and out. */
typedef struct {
    const uint32_t *operands;
    size_t operands_left;
    uint32_t *results;
    size_t results_left;
} transfer;

static uint32_t status(const residua_ecc_port *port)
{
    return port->read32(port->context, OFFSET(STATUS));
}

int residua_ecc_open(const residua_ecc_port *port)
{
    uint32_t id = CONSTANT(ID__KIND) | CONSTANT(ID__MAKER);
    uint32_t capability = CONSTANT(CAPABILITY__CURVES) | CONSTANT(CAPABILITY__WORDS) |
                          CONSTANT(CAPABILITY__BLINDING) | CONSTANT(CAPABILITY__DATA_REGISTERS);

    if (port->read32(port->context, OFFSET(ID)) != id) {
        return RESIDUA_ECC_NO_CORE;
    }
    if (FIELD(port->read32(port->context, OFFSET(VERSION)), VERSION__MAJOR) !=
        RESIDUA_ECC__VERSION__MAJOR_reset) {
        return RESIDUA_ECC_NO_CORE;
    }
    if (port->read32(port->context, OFFSET(CAPABILITY)) != capability ||
        port->read32(port->context, OFFSET(OPERATIONS)) != CONSTANT(OPERATIONS__MASK)) {
        return RESIDUA_ECC_NO_CORE;
    }
    return RESIDUA_ECC_STATUS_OK;
}

int residua_ecc_zeroise(const residua_ecc_port *port)
{
    uint32_t idle = 0;

    port->write32(port->context, OFFSET(ZEROISE), RESIDUA_ECC_ZEROISE_KEY);
    while (FIELD(status(port), STATUS__BUSY)) {
        if (port->polls != 0 && ++idle >= port->polls) {
            return RESIDUA_ECC_TIMEOUT;
        }
    }
    return RESIDUA_ECC_STATUS_OK;
}

#if RESIDUA_ECC__CAPABILITY__DATA_REGISTERS_reset

static int begin(const residua_ecc_port *port, const transfer *words)
{
    (void)port;
    (void)words;
    return 0;
}

/* Moves the words that the core is ready for: 1 if there were any, 0 if not, or an error. */
static int move(const residua_ecc_port *port, uint32_t state, transfer *words)
{
    int moved = 0;

    if (FIELD(state, STATUS__OPERAND_READY) && words->operands_left > 0) {
        port->write32(port->context, OFFSET(OPERAND), *words->operands++);
        words->operands_left--;
        moved = 1;
    }
    if (FIELD(state, STATUS__RANDOM_READY) && port->random != NULL) {
        uint32_t word = 0;
        if (port->random(port->context, &word) != 0) {
            return RESIDUA_ECC_PORT;
        }
        port->write32(port->context, OFFSET(RANDOM), word);
        residua_ecc_wipe(&word, sizeof word);
        moved = 1;
    }
    if (FIELD(state, STATUS__RESULT_VALID)) {
        if (words->results_left == 0) {
            return RESIDUA_ECC_ARGUMENT;
        }
        *words->results++ = port->read32(port->context, OFFSET(RESULT));
        words->results_left--;
        moved = 1;
    }
    return moved;
}

#else

static int begin(const residua_ecc_port *port, const transfer *words)
{
    if (words->results_left > 0 &&
        port->receive(port->context, words->results, words->results_left) != 0) {
        return RESIDUA_ECC_PORT;
    }
    return 0;
}

static int move(const residua_ecc_port *port, uint32_t state, transfer *words)
{
    int failed = 0, moved = 0;

    if (words->operands_left > 0) {
        failed = port->send(port->context, words->operands, words->operands_left);
        words->operands_left = 0;
        moved = 1;
    } else if (FIELD(state, STATUS__DONE) && words->results_left > 0 &&
               FIELD(state, STATUS__CODE) == RESIDUA_ECC_STATUS_OK) {
        failed = port->received(port->context);
        words->results_left = 0;
        moved = 1;
    }
    return failed ? RESIDUA_ECC_PORT : moved;
}

#endif

/* Feeds the operation until it is done and all of its result is here. */
static int complete(const residua_ecc_port *port, transfer *words)
{
    uint32_t idle = 0;

    for (;;) {
        uint32_t state = status(port);
        int moved = 0;

        if (FIELD(state, STATUS__DONE) && FIELD(state, STATUS__CODE) != RESIDUA_ECC_STATUS_OK) {
            return (int)FIELD(state, STATUS__CODE);
        }
        moved = move(port, state, words);
        if (moved < 0) {
            return moved;
        }
        if (FIELD(state, STATUS__DONE) && words->results_left == 0) {
            return RESIDUA_ECC_STATUS_OK;
        }
        idle = moved ? 0 : idle + 1;
        if (port->polls != 0 && idle >= port->polls) {
            return RESIDUA_ECC_TIMEOUT;
        }
    }
}

int residua_ecc_execute(const residua_ecc_port *port, unsigned operation, unsigned curve,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words)
{
    transfer words;
    int code;

    words.operands = operands;
    words.operands_left = operand_words;
    words.results = results;
    words.results_left = result_words;
    if (curve >= RESIDUA_ECC__CAPABILITY__CURVES_reset) {
        return RESIDUA_ECC_ARGUMENT;
    }
    if (operation > 31 || !(CONSTANT(OPERATIONS__MASK) >> operation & 1)) {
        return RESIDUA_ECC_UNSUPPORTED;
    }
    if (FIELD(status(port), STATUS__BUSY)) {
        return RESIDUA_ECC_BUSY;
    }
    code = begin(port, &words);
    if (code == 0) {
        port->write32(port->context, OFFSET(CONTROL),
                      PLACE(operation, CONTROL__OPERATION) | PLACE(curve, CONTROL__CURVE) |
                          PLACE(1, CONTROL__START));
        code = complete(port, &words);
    }
    if (code < 0) {
        (void)residua_ecc_zeroise(port);
    }
    if (code != 0) {
        residua_ecc_wipe(results, result_words * sizeof *results);
    }
    return code;
}
