/* The loads of keys without a device: keeps the numbers that the driver would hand over, and adds up
 * the way that its code went through. */
#include "residua_modular_numbers.h"

#define MOST (RESIDUA_MODULAR_MOST_NUMBERS * RESIDUA_MODULAR_MAX_WORDS)

static uint64_t path;
static uint32_t kept[MOST];

/* GCC calls it wherever code that is compiled with -fsanitize-coverage=trace-pc branches to. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    path = (path ^ (uint64_t)(uintptr_t)__builtin_return_address(0)) * 0x100000001B3u;
}

int residua_modular_usable(const residua_modular_device *device)
{
    return device->core->words <= RESIDUA_MODULAR_MAX_WORDS;
}

int residua_modular_execute(const residua_modular_device *device, unsigned operation,
                        const uint32_t *operands, size_t operand_words, uint32_t *results,
                        size_t result_words)
{
    size_t i;

    (void)device, (void)operation, (void)results, (void)result_words;
    for (i = 0; i < operand_words; i++) {
        kept[i] = operands[i];
    }
    return RESIDUA_MODULAR_STATUS_OK;
}

/* Loads a key of two, three or all five numbers of size bytes; tells the way. */
int load(const struct residua_modular_core *core, size_t count, const uint8_t *key, size_t size,
         const uint32_t **numbers, uint64_t *way);
int load(const struct residua_modular_core *core, size_t count, const uint8_t *key, size_t size,
         const uint32_t **numbers, uint64_t *way)
{
    const residua_modular_device device = {.core = core};
    int code;

    path = 0xCBF29CE484222325u;
    if (count == 5) {
        code = residua_modular_load_private_key(&device, key, key + size, key + 2 * size,
                                            key + 3 * size, key + 4 * size, size);
    } else if (count == 2) {
        code = residua_modular_load_public_key(&device, key, size, key + size, size);
    } else {
        code = residua_modular_load_modulus(&device, key, size);
    }
    *numbers = kept;
    *way = path;
    return code;
}
