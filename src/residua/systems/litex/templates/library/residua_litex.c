#include "residua_litex.h"

#define WORD_AT(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define RANDOM ({{ random | upper }}_BASE + {{ data }}u)
#define RANDOM_STATUS ({{ random | upper }}_BASE + {{ status }}u)
#define RANDOM_UNFIT {{ 2 ** unfit }}u

uint32_t residua_litex_read32(void *context, uint32_t offset)
{
    return WORD_AT((uintptr_t)context + offset);
}

void residua_litex_write32(void *context, uint32_t offset, uint32_t value)
{
    WORD_AT((uintptr_t)context + offset) = value;
}

int residua_litex_random(void *context, uint32_t *word)
{
    (void)context;
    *word = WORD_AT(RANDOM);
    return (WORD_AT(RANDOM_STATUS) & RANDOM_UNFIT) != 0;
}

__attribute__((weak)) void residua_litex_wait(void *context)
{
    (void)context;
}
