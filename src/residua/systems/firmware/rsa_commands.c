#include "rsa_commands.h"

#include "board.h"
#include "bytes.h"
#include "commands.h"

#define PRIVATE_NUMBERS 5u

/* What opening a device said. */
static int opened[BOARD_MOST_DEVICES];

static int has(const residua_modular_device *device, unsigned operation)
{
    return (int)(device->core->operations >> operation & 1u);
}

void rsa_commands_begin(void)
{
    for (size_t i = 0; i < board_rsa_device_count; i++)
        opened[i] = residua_modular_open(&board_rsa_devices[i]);
}

size_t rsa_commands_identify(uint8_t *answer)
{
    uint8_t *next = answer;

    *next++ = (uint8_t)board_rsa_device_count;
    for (size_t i = 0; i < board_rsa_device_count; i++) {
        const residua_modular_device *device = &board_rsa_devices[i];

        next += bytes_put_name(next, device->core->name);
        *next++ = has(device, RESIDUA_MODULAR_OPERATION_PRIVATE) ? 1 : 2;
        bytes_put16(next, 4u * device->core->words);
        next += 2;
    }
    return (size_t)(next - answer);
}

static int load_private(const residua_modular_device *device, const uint8_t *key, size_t size)
{
    size_t each = size / PRIVATE_NUMBERS;

    if (each == 0 || size % PRIVATE_NUMBERS != 0)
        return COMMANDS_SIZE;
    return residua_modular_load_private_key(device, key, key + each, key + 2 * each, key + 3 * each,
                                            key + 4 * each, each);
}

static int load_public(const residua_modular_device *device, const uint8_t *key, size_t size)
{
    size_t n_size = size < 2 ? 0 : key[0] | (size_t)key[1] << 8;

    if (n_size == 0 || size <= 2 + n_size)
        return COMMANDS_SIZE;
    return residua_modular_load_public_key(device, key + 2, n_size, key + 2 + n_size,
                                           size - 2 - n_size);
}

static int compute(const residua_modular_device *device, const uint8_t *number, size_t size,
                   uint8_t *result)
{
    if (size == 0 || size > 4u * device->core->words)
        return COMMANDS_SIZE;
    return has(device, RESIDUA_MODULAR_OPERATION_PRIVATE)
               ? residua_modular_private(device, number, size, result)
               : residua_modular_public(device, NULL, 0, number, size, result);
}

static int compare_known(const struct rsa_commands_known *known)
{
    const residua_modular_device *device = &board_rsa_devices[known->device];
    static uint8_t result[4 * RESIDUA_MODULAR_MAX_WORDS];
    int code = has(device, RESIDUA_MODULAR_OPERATION_PRIVATE)
                   ? load_private(device, known->key, known->key_size)
                   : load_public(device, known->key, known->key_size);
    int cleared;

    if (!code)
        code = compute(device, known->number, known->size, result);
    if (!code && bytes_differ(result, known->result, known->size))
        code = COMMANDS_SELF_TEST;
    cleared = residua_modular_zeroise(device);
    return code ? code : cleared;
}

int rsa_commands_self_test(void)
{
    for (size_t i = 0; i < board_rsa_device_count; i++)
        if (opened[i])
            return opened[i] < 0 ? opened[i] : COMMANDS_SELF_TEST;
    for (size_t i = 0; i < rsa_commands_known_count; i++) {
        int code = compare_known(&rsa_commands_known[i]);

        if (code)
            return code < 0 ? code : COMMANDS_SELF_TEST;
    }
    return (int)rsa_commands_known_count;
}

int rsa_commands_answer(unsigned command, unsigned device, const uint8_t *bytes, size_t size,
                        uint8_t *answer, size_t *given)
{
    int private = command == COMMAND_RSA_PRIVATE_KEY || command == COMMAND_RSA_ROOT;
    const residua_modular_device *found;

    if (device >= board_rsa_device_count || opened[device])
        return COMMANDS_NO_DEVICE;
    found = &board_rsa_devices[device];
    if (private != has(found, RESIDUA_MODULAR_OPERATION_PRIVATE))
        return RESIDUA_MODULAR_UNSUPPORTED;
    switch (command) {
    case COMMAND_RSA_PRIVATE_KEY:
        return load_private(found, bytes, size);
    case COMMAND_RSA_PUBLIC_KEY:
        return load_public(found, bytes, size);
    default:
        *given = size;
        return compute(found, bytes, size, answer);
    }
}
