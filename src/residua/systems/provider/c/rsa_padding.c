/* What RSA makes a root of: PKCS #1 v1.5 and PSS (RFC 8017, sections 9.1 and 9.2). */
#include <string.h>

#include <openssl/params.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "provider.h"

/* Bytes of padding that PKCS #1 v1.5 has at least, and of other bytes beside the DigestInfo. */
#define LEAST_PADDING 8
#define FRAME 3

int provider_padding_of(const OSSL_PARAM *param, const provider_padding *known, size_t count)
{
    char name[NAME_SIZE] = "", *target = name;
    int number = 0, found = 0;
    size_t i;

    if (param->data_type != OSSL_PARAM_UTF8_STRING) {
        (void)OSSL_PARAM_get_int(param, &number);
    } else if (!OSSL_PARAM_get_utf8_string(param, &target, sizeof name)) {
        return 0;
    }
    for (i = 0; i < count; i++) {
        if (number == known[i].value || strcmp(name, known[i].name) == 0) {
            found = known[i].value;
        }
    }
    return found;
}

int provider_padding_tell(OSSL_PARAM *param, const provider_padding *known, size_t count, int value)
{
    size_t i = 0;

    if (param->data_type == OSSL_PARAM_INTEGER) {
        return OSSL_PARAM_set_int(param, value);
    }
    while (i < count && known[i].value != value) {
        i++;
    }
    return i < count && OSSL_PARAM_set_utf8_string(param, known[i].name);
}

int provider_pkcs1_block(const EVP_MD *digest, const uint8_t *hash, uint8_t *block, size_t size)
{
    X509_SIG *info = X509_SIG_new();
    X509_ALGOR *algorithm = NULL;
    ASN1_OCTET_STRING *content = NULL;
    unsigned char *encoded = NULL;
    int length = -1, kind = EVP_MD_get_type(digest), good;

    if (info != NULL) {
        X509_SIG_getm(info, &algorithm, &content);
        if (kind != NID_undef &&
            X509_ALGOR_set0(algorithm, OBJ_nid2obj(kind), V_ASN1_NULL, NULL) &&
            ASN1_OCTET_STRING_set(content, hash, EVP_MD_get_size(digest))) {
            length = i2d_X509_SIG(info, &encoded);
        }
    }
    good = length > 0 && size >= (size_t)length + FRAME + LEAST_PADDING;
    if (good) {
        memset(block, 0xFF, size);
        block[0] = 0;
        block[1] = 1;
        block[size - (size_t)length - 1] = 0;
        memcpy(block + size - (size_t)length, encoded, (size_t)length);
    }
    OPENSSL_free(encoded);
    X509_SIG_free(info);
    return good;
}

int provider_add_mask(const EVP_MD *digest, const uint8_t *seed, size_t seed_size, uint8_t *bytes,
                      size_t size)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t block[EVP_MAX_MD_SIZE];
    size_t length = (size_t)EVP_MD_get_size(digest), i;
    int good = context != NULL;

    for (i = 0; good && i < size; i++) {
        if (i % length == 0) {
            uint32_t number = (uint32_t)(i / length);
            const uint8_t counter[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                                       (uint8_t)(number >> 8), (uint8_t)number};

            good = EVP_DigestInit_ex2(context, digest, NULL) &&
                   EVP_DigestUpdate(context, seed, seed_size) &&
                   EVP_DigestUpdate(context, counter, sizeof counter) &&
                   EVP_DigestFinal_ex(context, block, NULL);
        }
        bytes[i] ^= block[i % length];
    }
    EVP_MD_CTX_free(context);
    return good;
}

/* H: the digest of 8 zeros, the digest of the message, and the salt. */
static int salted(const EVP_MD *digest, const uint8_t *hash, const uint8_t *salt, size_t salt_size,
                  uint8_t *found)
{
    static const uint8_t zeros[8];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context != NULL && EVP_DigestInit_ex2(context, digest, NULL) &&
               EVP_DigestUpdate(context, zeros, sizeof zeros) &&
               EVP_DigestUpdate(context, hash, (size_t)EVP_MD_get_size(digest)) &&
               (salt_size == 0 || EVP_DigestUpdate(context, salt, salt_size)) &&
               EVP_DigestFinal_ex(context, found, NULL);

    EVP_MD_CTX_free(context);
    return good;
}

/* Bytes of the block, which has a bit less than the modulus, before H; 0 if H does not fit. */
static size_t mask_size(const EVP_MD *digest, int modulus_bits)
{
    size_t size = (size_t)(modulus_bits + 6) / 8, other = (size_t)EVP_MD_get_size(digest) + 1;

    return size > other ? size - other : 0;
}

/* Bits of the block's first byte that are used. */
static uint8_t top_of(int modulus_bits)
{
    int bits = (modulus_bits - 1) % 8;

    return (uint8_t)(bits == 0 ? 0xFF : (1u << bits) - 1);
}

int provider_pss_block(const EVP_MD *digest, const EVP_MD *mask, const uint8_t *hash,
                       const uint8_t *salt, size_t salt_size, int modulus_bits, uint8_t *block)
{
    size_t left = mask_size(digest, modulus_bits), hash_size = (size_t)EVP_MD_get_size(digest);

    /* A modulus of 8 n + 1 bits has a byte more than the block. */
    if (modulus_bits % 8 == 1) {
        *block++ = 0;
    }
    if (left < salt_size + 1) {
        return 0;
    }
    memset(block, 0, left);
    block[left - salt_size - 1] = 1;
    if (salt_size > 0) {
        memcpy(block + left - salt_size, salt, salt_size);
    }
    block[left + hash_size] = 0xBC;
    if (!salted(digest, hash, salt, salt_size, block + left) ||
        !provider_add_mask(mask, block + left, hash_size, block, left)) {
        return 0;
    }
    block[0] &= top_of(modulus_bits);
    return 1;
}

int provider_pss_matches(const EVP_MD *digest, const EVP_MD *mask, const uint8_t *hash, int salt_size,
                         int modulus_bits, const uint8_t *block)
{
    size_t left = mask_size(digest, modulus_bits), hash_size = (size_t)EVP_MD_get_size(digest), i = 0;
    uint8_t found[EVP_MAX_MD_SIZE], *opened = NULL;
    int good;

    if (modulus_bits % 8 == 1 && *block++ != 0) {
        return 0;
    }
    if (left == 0 || block[left + hash_size] != 0xBC || (block[0] & ~top_of(modulus_bits)) != 0) {
        return 0;
    }
    opened = OPENSSL_memdup(block, left);
    good = opened != NULL && provider_add_mask(mask, block + left, hash_size, opened, left);
    if (good) {
        opened[0] &= top_of(modulus_bits);
        while (i < left - 1 && opened[i] == 0) {
            i++;
        }
        good = opened[i] == 1 && (salt_size < 0 || (size_t)salt_size == left - i - 1) &&
               salted(digest, hash, opened + i + 1, left - i - 1, found) &&
               memcmp(found, block + left, hash_size) == 0;
    }
    OPENSSL_free(opened);
    return good;
}
