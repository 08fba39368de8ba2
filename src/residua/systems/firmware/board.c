/* The devices of the chip, at the addresses of system.h. */
#include "board.h"
#include "system.h"

#define WORD_AT(address) (*(volatile uint32_t *)(uintptr_t)(address))

int board_receive(void)
{
    static int held = BOARD_NONE;
    uint32_t word;

    if (held != BOARD_NONE) {
        int byte = held;
        held = BOARD_NONE;
        return byte;
    }
    word = WORD_AT(SYSTEM_UART);
    if (word & SYSTEM_UART_LOST) {
        if (!(word & SYSTEM_UART_EMPTY))
            held = (int)(word & 0xFF);
        return BOARD_LOST;
    }
    return word & SYSTEM_UART_EMPTY ? BOARD_NONE : (int)(word & 0xFF);
}

void board_send(uint8_t byte)
{
    WORD_AT(SYSTEM_UART) = byte;
}

int board_random(void *context, uint32_t *word)
{
    (void)context;
    *word = WORD_AT(SYSTEM_RANDOM);
    return (WORD_AT(SYSTEM_RANDOM_STATUS) & SYSTEM_RANDOM_UNFIT) != 0;
}

static uint32_t read32(void *context, uint32_t offset)
{
    return WORD_AT((uintptr_t)context + offset);
}

static void write32(void *context, uint32_t offset, uint32_t value)
{
    WORD_AT((uintptr_t)context + offset) = value;
}

/* In start.S: waits for an interrupt, but not for long. */
void board_rest(void *context);

/* Reads of STATUS without progress, each after a rest: longer than any operation. */
#define POLLS 100000u

#define SYSTEM_DEVICE(description, address)                                                       \
    { .core = &description, .read32 = read32, .write32 = write32, .random = board_random,          \
      .context = (void *)(uintptr_t)(address), .polls = POLLS, .wait = board_rest },

/* The last device of each list is none. */
const residua_ecc_device board_devices[] = { SYSTEM_DEVICES { .core = NULL } };
const residua_modular_device board_rsa_devices[] = { SYSTEM_RSA_DEVICES { .core = NULL } };
const size_t board_device_count = sizeof board_devices / sizeof board_devices[0] - 1;
const size_t board_rsa_device_count = sizeof board_rsa_devices / sizeof board_rsa_devices[0] - 1;
