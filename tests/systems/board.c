/* The board of a test: bytes of standard input and output, devices that are not there. Ends when
 * nothing has come for long. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "board.h"

#define RECEIVED_NOTHING (3 * BOARD_PATIENCE)

int board_receive(void)
{
    static unsigned waited;
    unsigned char byte;

    if (read(STDIN_FILENO, &byte, 1) != 1) {
        if (++waited > RECEIVED_NOTHING)
            exit(0);
        return BOARD_NONE;
    }
    waited = 0;
    /* A byte that says that others were lost before it, for frames to be told. */
    if (byte == 0xEE) {
        static int again;
        again = !again;
        if (again)
            return BOARD_LOST;
    }
    return byte;
}

void board_send(uint8_t byte)
{
    if (write(STDOUT_FILENO, &byte, 1) != 1)
        exit(1);
}

int board_random(void *context, uint32_t *word)
{
    (void)context;
    *word = 0;
    return 1;
}

static uint32_t read32(void *context, uint32_t offset)
{
    (void)context;
    (void)offset;
    return 0;
}

static void write32(void *context, uint32_t offset, uint32_t value)
{
    (void)context;
    (void)offset;
    (void)value;
}

static const uint32_t number[] = {7};
static const struct residua_ecc_curve curve = {
    .name = "none", .field_bits = 3, .order_bits = 3, .field_size = 1, .order_size = 1,
    .prime = number, .order = number, .x = number, .y = number};
static const struct residua_ecc_core core = {
    .name = "absent", .capability = RESIDUA_ECC__CAPABILITY__DATA_REGISTERS_bm,
    .words = 1, .curve_count = 1, .curves = &curve};

const residua_ecc_device board_devices[] = {
    {.core = &core, .read32 = read32, .write32 = write32, .random = board_random}};
const size_t board_device_count = 1;

static const struct residua_modular_core private_core = {
    .name = "private", .capability = RESIDUA_MODULAR__CAPABILITY__DATA_REGISTERS_bm,
    .operations = 1u << RESIDUA_MODULAR_OPERATION_LOAD | 1u << RESIDUA_MODULAR_OPERATION_PRIVATE, .words = 1};

const residua_modular_device board_rsa_devices[] = {
    {.core = &private_core, .read32 = read32, .write32 = write32, .random = board_random}};
const size_t board_rsa_device_count = 1;
