#include "residua_ecc_shares.h"

#define SHARED RESIDUA_ECC__CAPABILITY__SHARED_SCALARS_bm

/* Numbers that are drawn for one below the order: each is with a chance of a half, at least. */
#define DRAWS 64

int residua_ecc_takes_shares(const struct residua_ecc_core *core)
{
    return (core->capability & SHARED) != 0;
}

/* A random number below the order. */
static int draw(const residua_ecc_device *device, const struct residua_ecc_curve *curve,
                uint32_t *number)
{
    size_t words = device->core->words, used = ((size_t)curve->order_bits + 31) / 32, i;
    int draws;

    for (draws = 0; draws < DRAWS; draws++) {
        for (i = 0; i < words; i++) {
            number[i] = 0;
            if (i < used && device->random(device->context, &number[i]) != 0) {
                return RESIDUA_ECC_ACCESS;
            }
        }
        if (curve->order_bits % 32 != 0) {
            number[used - 1] &= ((uint32_t)1 << curve->order_bits % 32) - 1;
        }
        if (residua_ecc_less(number, curve->order, words)) {
            return RESIDUA_ECC_STATUS_OK;
        }
    }
    return RESIDUA_ECC_ACCESS;
}

int residua_ecc_split(const residua_ecc_device *device, const struct residua_ecc_curve *curve,
                      uint32_t *number, uint32_t *second)
{
    size_t words = device->core->words, i;
    uint32_t first[RESIDUA_ECC_MAX_WORDS], mask, borrow = 0, carry = 0;
    int code = device->random != NULL ? draw(device, curve, first) : RESIDUA_ECC_ARGUMENT;

    if (code == RESIDUA_ECC_STATUS_OK) {
        for (i = 0; i < words; i++) {
            uint64_t difference = (uint64_t)number[i] - first[i] - borrow;
            borrow = (uint32_t)(difference >> 63);
            second[i] = (uint32_t)difference;
            number[i] = first[i];
        }
        mask = 0u - borrow;
        for (i = 0; i < words; i++) {
            uint64_t sum = (uint64_t)second[i] + (curve->order[i] & mask) + carry;
            carry = (uint32_t)(sum >> 32);
            second[i] = (uint32_t)sum;
        }
    } else {
        residua_ecc_wipe(number, words * sizeof *number);
        residua_ecc_wipe(second, words * sizeof *second);
    }
    residua_ecc_wipe(first, sizeof first);
    return code;
}
