#include "commands.h"

#include "board.h"
#include "bytes.h"
#include "frames.h"
#include "rsa_commands.h"

#define CODE 2u
#define MOST_NONCES 64

/* What opening a device said. */
static int opened[BOARD_MOST_DEVICES];

/* A request, and where its answer goes. */
struct request {
    const residua_ecc_device *device;
    const struct residua_ecc_curve *which;
    unsigned curve;
    const uint8_t *bytes;
    size_t size;
    uint8_t *answer;
    size_t given; /* bytes of the answer */
};

static void wipe(volatile uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = 0;
}

/* The version; of each device its name and the number of its curves; of each curve its name, 1 for
 * a Montgomery curve, and the sizes of coordinates and of numbers modulo the order, 16 bits each; then
 * what rsa_commands.h says of the cores for RSA. A name is its number of bytes, then these. */
static size_t identify(uint8_t *answer)
{
    uint8_t *next = answer;

    *next++ = COMMANDS_VERSION;
    *next++ = (uint8_t)board_device_count;
    for (size_t i = 0; i < board_device_count; i++) {
        const struct residua_ecc_core *core = board_devices[i].core;

        next += bytes_put_name(next, core->name);
        *next++ = (uint8_t)core->curve_count;
        for (size_t j = 0; j < core->curve_count; j++) {
            next += bytes_put_name(next, core->curves[j].name);
            *next++ = core->curves[j].montgomery;
            bytes_put16(next, core->curves[j].field_size);
            bytes_put16(next + 2, core->curves[j].order_size);
            next += 4;
        }
    }
    next += rsa_commands_identify(next);
    return (size_t)(next - answer);
}

/* Every key pair and secret, from both sides. */
static int compare_known(const struct commands_known *known)
{
    const residua_ecc_device *device = &board_devices[known->device];
    size_t size = residua_ecc_point_size(device, known->curve);
    size_t field = residua_ecc_field_size(device, known->curve);
    uint8_t found[RESIDUA_ECC_MAX_POINT];
    int code = residua_ecc_public_key(device, known->curve, known->own, found);

    if (!code && bytes_differ(found, known->own_public, size))
        code = COMMANDS_SELF_TEST;
    if (!code)
        code = residua_ecc_public_key(device, known->curve, known->other, found);
    if (!code && bytes_differ(found, known->other_public, size))
        code = COMMANDS_SELF_TEST;
    if (!code)
        code = residua_ecc_ecdh(device, known->curve, known->own, known->other_public, size, found);
    if (!code && bytes_differ(found, known->secret, field))
        code = COMMANDS_SELF_TEST;
    if (!code)
        code = residua_ecc_ecdh(device, known->curve, known->other, known->own_public, size, found);
    if (!code && bytes_differ(found, known->secret, field))
        code = COMMANDS_SELF_TEST;
    wipe(found, sizeof found);
    return code;
}

/* The secret on every coprocessor behind the bus of a device, on all of them at a time; from one side on
 * those of even numbers, from the other side on the others. */
static int compare_on_each(const struct commands_known *known)
{
    const residua_ecc_device *device = &board_devices[known->device];
    size_t point = residua_ecc_point_size(device, known->curve);
    size_t field = residua_ecc_field_size(device, known->curve);
    unsigned count = residua_ecc_instances(device), seen = 0, tag;
    uint32_t results[RESIDUA_ECC_MAX_WORDS];
    uint8_t found[RESIDUA_ECC_MAX_NUMBER];
    residua_ecc_completion completion;
    int code = 0;

    for (tag = 0; tag < count && !code; tag++)
        code = residua_ecc_submit_x_multiply(device, tag, known->curve,
                                             tag & 1 ? known->other : known->own,
                                             tag & 1 ? known->own_public : known->other_public, point);
    for (tag = 0; tag < count && !code; tag++) {
        code = residua_ecc_collect(device, &completion, results, device->core->words);
        if (!code)
            code = completion.status;
        if (!code)
            code = residua_ecc_take_x(device, known->curve, results, found);
        if (!code && bytes_differ(found, known->secret, field))
            code = COMMANDS_SELF_TEST;
        seen |= 1u << completion.instance;
    }
    wipe(found, sizeof found);
    if (code < 0)
        (void)residua_ecc_zeroise(device);
    return !code && seen != (1u << count) - 1 ? COMMANDS_SELF_TEST : code;
}

static int self_test(uint8_t *answer, size_t *given)
{
    unsigned compared = 0;
    int found;

    for (size_t i = 0; i < board_device_count; i++)
        if (opened[i])
            return opened[i];
    for (size_t i = 0; i < commands_known_count; i++) {
        const struct commands_known *known = &commands_known[i];
        unsigned count = residua_ecc_instances(&board_devices[known->device]);
        int code = compare_known(known);

        if (!code && count > 1)
            code = compare_on_each(known);
        if (code)
            return code;
        compared += 4 + (count > 1 ? count : 0);
    }
    found = rsa_commands_self_test();
    if (found < 0)
        return found;
    bytes_put16(answer, compared + (unsigned)found);
    *given = 2;
    return 0;
}

/* Whether a number, high byte first, is in [1, n - 1]. */
static int is_nonce(const struct residua_ecc_curve *curve, const uint8_t *number)
{
    unsigned below = 0, any = 0;

    for (size_t i = curve->order_size; i-- > 0;) {
        size_t place = curve->order_size - 1 - i;
        unsigned digit = curve->order[place / 4] >> (8 * (place % 4)) & 0xFFu;
        below = (number[i] - digit - below) >> 8 & 1u;
        any |= number[i];
    }
    return below && any;
}

/* A uniform nonce: numbers of as many bits as the order, until one fits. */
static int draw_nonce(const struct residua_ecc_curve *curve, uint8_t *nonce)
{
    for (int tries = 0; tries < MOST_NONCES; tries++) {
        for (size_t i = 0; i < curve->order_size; i += 4) {
            uint32_t word;
            if (board_random(NULL, &word))
                return COMMANDS_NONCE;
            for (size_t j = i; j < i + 4 && j < curve->order_size; j++)
                nonce[j] = (uint8_t)(word >> 8 * (j - i));
        }
        nonce[0] &= (uint8_t)(0xFFu >> (8u * curve->order_size - curve->order_bits));
        if (is_nonce(curve, nonce))
            return 0;
    }
    return COMMANDS_NONCE;
}

static int sign(struct request *request)
{
    size_t order = request->which->order_size;
    uint8_t nonce[RESIDUA_ECC_MAX_NUMBER];
    int code = RESIDUA_ECC_RETRY;

    for (int tries = 0; tries < MOST_NONCES && code == RESIDUA_ECC_RETRY; tries++) {
        code = draw_nonce(request->which, nonce);
        if (!code)
            code = residua_ecc_ecdsa_sign(request->device, request->curve, request->bytes,
                                          request->bytes + order, request->size - order, nonce,
                                          request->answer);
    }
    wipe(nonce, sizeof nonce);
    request->given = 2 * order;
    return code;
}

static int verify(struct request *request)
{
    size_t order = request->which->order_size;
    size_t point = residua_ecc_point_size(request->device, request->curve);
    const uint8_t *signature = request->bytes + point;
    int found = residua_ecc_ecdsa_verify(request->device, request->curve, request->bytes, point,
                                         signature + 2 * order, request->size - point - 2 * order,
                                         signature);

    if (found != RESIDUA_ECC_VALID && found != RESIDUA_ECC_INVALID)
        return found;
    bytes_put16(request->answer, (unsigned)found);
    request->given = 2;
    return 0;
}

/* What a command that names a curve does; its code. */
static int on_curve(unsigned command, struct request *request)
{
    const residua_ecc_device *device = request->device;
    unsigned curve = request->curve;
    size_t order = request->which->order_size, field = request->which->field_size;
    size_t key = request->which->montgomery ? field : order;
    size_t point = residua_ecc_point_size(device, curve), size = request->size;
    const uint8_t *bytes = request->bytes;

    switch (command) {
    case COMMAND_PUBLIC_KEY:
        request->given = point;
        return size != key ? COMMANDS_SIZE
                           : residua_ecc_public_key(device, curve, bytes, request->answer);
    case COMMAND_ECDH:
        request->given = field;
        return size != key + point ? COMMANDS_SIZE
                                   : residua_ecc_ecdh(device, curve, bytes, bytes + key, point,
                                                      request->answer);
    case COMMAND_MULTIPLY:
        request->given = point;
        return size != key + point ? COMMANDS_SIZE
                                   : residua_ecc_point_multiply(device, curve, bytes, bytes + key,
                                                                point, request->answer);
    case COMMAND_SIGN:
        return size <= order || size > order + COMMANDS_DIGEST ? COMMANDS_SIZE : sign(request);
    case COMMAND_VERIFY:
        return size <= point + 2 * order || size > point + 2 * order + COMMANDS_DIGEST
                   ? COMMANDS_SIZE
                   : verify(request);
    default:
        return COMMANDS_UNKNOWN;
    }
}

/* The code of a request, and how many bytes of the answer count if it is 0. */
static int answer_to(const uint8_t *bytes, int size, uint8_t *answer, size_t *given)
{
    struct request request = {0};
    int code;

    if (size < 1)
        return size < 0 ? size : COMMANDS_SIZE;
    if (bytes[0] > COMMAND_RSA_POWER)
        return COMMANDS_UNKNOWN;
    if (bytes[0] == COMMAND_IDENTIFY || bytes[0] == COMMAND_SELF_TEST) {
        if (size != 1)
            return COMMANDS_SIZE;
        if (bytes[0] == COMMAND_SELF_TEST)
            return self_test(answer, given);
        *given = identify(answer);
        return 0;
    }
    if (size < 3)
        return COMMANDS_SIZE;
    if (bytes[0] >= COMMAND_RSA_PRIVATE_KEY)
        return rsa_commands_answer(bytes[0], bytes[1], bytes + 2, (size_t)size - 2, answer, given);
    if (bytes[1] >= board_device_count || opened[bytes[1]])
        return COMMANDS_NO_DEVICE;
    request.device = &board_devices[bytes[1]];
    if (bytes[2] >= request.device->core->curve_count)
        return COMMANDS_NO_CURVE;
    request.curve = bytes[2];
    request.which = &request.device->core->curves[request.curve];
    request.bytes = bytes + 3;
    request.size = (size_t)size - 3;
    request.answer = answer;
    code = on_curve(bytes[0], &request);
    *given = request.given;
    return code;
}

void commands_begin(void)
{
    for (size_t i = 0; i < board_device_count; i++)
        opened[i] = residua_ecc_open(&board_devices[i]);
    rsa_commands_begin();
}

size_t commands_answer(const uint8_t *request, int size, uint8_t *answer)
{
    size_t given = 0;
    int code = answer_to(request, size, answer + CODE, &given);

    bytes_put16(answer, (unsigned)code);
    return CODE + (code ? 0 : given);
}
