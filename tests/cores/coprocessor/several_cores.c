/* Three coprocessors in one program, their operations interleaved. The test makes cores.h. */
#include <stdio.h>
#include <string.h>

#include "cores.h"
#include "residua_ecc_protocols.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static void show(const char *name, const uint8_t *bytes, size_t size)
{
    size_t i;

    printf("%s ", name);
    for (i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

int main(void)
{
    residua_ecc_device engine = ENGINE(simulated)(1, 60, 16);
    residua_ecc_device montgomery = MONTGOMERY(simulated)(2, 0, 1024);
    residua_ecc_device digits = DIGITS(simulated)(3, 60, 64);
    residua_ecc_device wrong = engine;
    const uint8_t k[3] = {0, 0x30, 0x39}, digest[20] = {1, 2, 3};
    uint8_t a[3], b[3], key[5], nonce[5], signature[10], out[RESIDUA_ECC_MAX_POINT];
    uint8_t public_key[11];

    /* All of them wipe their memories after the reset: opening waits. */
    CHECK(residua_ecc_open(&digits) == RESIDUA_ECC_STATUS_OK);
    CHECK(residua_ecc_open(&montgomery) == RESIDUA_ECC_STATUS_OK);
    CHECK(residua_ecc_open(&engine) == RESIDUA_ECC_STATUS_OK);
    wrong.core = &DIGITS(core);
    CHECK(residua_ecc_open(&wrong) == RESIDUA_ECC_NO_CORE);

    CHECK(residua_ecc_order_size(&engine, 0) == sizeof k);
    CHECK(residua_ecc_base_multiply(&engine, 0, k, out) == RESIDUA_ECC_STATUS_OK);
    show("engine", out, residua_ecc_point_size(&engine, 0));

    memset(a, 0x55, sizeof a);
    memset(key, 0x42, sizeof key);
    memset(nonce, 0x17, sizeof nonce);
    CHECK(residua_ecc_public_key(&digits, 0, key, public_key) == RESIDUA_ECC_STATUS_OK);
    show("digits", public_key, sizeof public_key);
    CHECK(residua_ecc_public_key(&montgomery, MONTGOMERY_CURVE, a, b) ==
          RESIDUA_ECC_STATUS_OK);
    show("montgomery", b, sizeof b);

    CHECK(residua_ecc_ecdsa_sign(&digits, 0, key, digest, sizeof digest, nonce, signature) ==
          RESIDUA_ECC_STATUS_OK);
    CHECK(residua_ecc_ecdsa_verify(&digits, 0, public_key, sizeof public_key, digest,
                                   sizeof digest, signature) == RESIDUA_ECC_VALID);
    signature[9] ^= 1;
    CHECK(residua_ecc_ecdsa_verify(&digits, 0, public_key, sizeof public_key, digest,
                                   sizeof digest, signature) == RESIDUA_ECC_INVALID);

    /* A refused operation on one leaves the others as they were, and its own core usable. */
    memset(out, 0xA5, sizeof out);
    public_key[10] ^= 1;
    CHECK(residua_ecc_point_multiply(&digits, 0, key, public_key, sizeof public_key, out) ==
          RESIDUA_ECC_STATUS_NOT_ON_CURVE);
    CHECK(out[0] == 0 && out[10] == 0 && out[11] == 0xA5);
    CHECK(residua_ecc_base_multiply(&digits, 0, key, out) == RESIDUA_ECC_STATUS_OK);
    CHECK(memcmp(out, public_key, 10) == 0);
    CHECK(residua_ecc_point_multiply(&montgomery, 0, a, b, sizeof b, out) ==
          RESIDUA_ECC_UNSUPPORTED);
    CHECK(out[0] == 0 && out[2] == 0);

    CHECK(ENGINE(failure)(&engine) == 0);
    CHECK(MONTGOMERY(failure)(&montgomery) == 0);
    CHECK(DIGITS(failure)(&digits) == 0);
    ENGINE(close)(&engine);
    MONTGOMERY(close)(&montgomery);
    DIGITS(close)(&digits);
    return 0;
}
