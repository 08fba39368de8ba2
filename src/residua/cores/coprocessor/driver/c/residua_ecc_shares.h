/* Secrets as two shares. Internal to the driver. */
#ifndef RESIDUA_ECC_SHARES_H
#define RESIDUA_ECC_SHARES_H

#include "residua_ecc_numbers.h"

/* Whether the core takes secrets as two shares. */
int residua_ecc_takes_shares(const struct residua_ecc_core *core);

/* In place of a number k, a random one below the order of the curve; the second share is k less that,
 * modulo the order. Takes the same time for all k. Both are 0 if it fails:
 * RESIDUA_ECC_ARGUMENT: the device has no random words.
 * RESIDUA_ECC_ACCESS: they failed, or make no number below the order. */
int residua_ecc_split(const residua_ecc_device *device, const struct residua_ecc_curve *curve,
                      uint32_t *number, uint32_t *second);

#endif
