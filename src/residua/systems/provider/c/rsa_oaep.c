/* What RSA encrypts: OAEP (RFC 8017, section 7.1). Opening a block takes the same time for all blocks of
 * a size that are not right. */
#include <string.h>

#include <openssl/rand.h>

#include "provider.h"

/* Bytes beside the two digests: a zero in front, a one before the message. */
#define FRAME 2

/* The digest of the label. */
static int digest_of(const EVP_MD *digest, const uint8_t *label, size_t size, uint8_t *found)
{
    static const uint8_t empty[1];

    return EVP_Digest(size > 0 ? label : empty, size, found, NULL, digest, NULL);
}

const EVP_MD *provider_oaep_mask(const provider_oaep *oaep)
{
    return oaep->mask != NULL ? oaep->mask : oaep->digest;
}

int provider_oaep_block(const provider_oaep *oaep, const uint8_t *message, size_t message_size,
                        uint8_t *block, size_t size)
{
    size_t hash_size = (size_t)EVP_MD_get_size(oaep->digest);
    size_t data_size = size - hash_size - 1;
    uint8_t *seed = block + 1, *data = seed + hash_size;

    if (size < 2 * hash_size + FRAME || message_size > size - 2 * hash_size - FRAME) {
        return 0;
    }
    memset(block, 0, size);
    data[data_size - message_size - 1] = 1;
    if (message_size > 0) {
        memcpy(data + data_size - message_size, message, message_size);
    }
    return digest_of(oaep->digest, oaep->label, oaep->label_size, data) &&
           RAND_bytes_ex(oaep->provider->libctx, seed, hash_size, 0) == 1 &&
           provider_add_mask(provider_oaep_mask(oaep), seed, hash_size, data, data_size) &&
           provider_add_mask(provider_oaep_mask(oaep), data, data_size, seed, hash_size);
}

/* All ones if a byte has a value, else 0. */
static size_t equals(uint8_t byte, uint8_t value)
{
    size_t difference = (size_t)(byte ^ value);

    return 0 - ((difference - 1) >> (8 * sizeof difference - 1));
}

int provider_oaep_open(const provider_oaep *oaep, uint8_t *block, size_t size, const uint8_t **message,
                       size_t *message_size)
{
    size_t hash_size = (size_t)EVP_MD_get_size(oaep->digest), data_size = size - hash_size - 1;
    size_t before = ~(size_t)0, place = 0, wrong = block[0], i;
    uint8_t *seed = block + 1, *data = seed + hash_size, right[EVP_MAX_MD_SIZE];

    if (size < 2 * hash_size + FRAME || !digest_of(oaep->digest, oaep->label, oaep->label_size, right) ||
        !provider_add_mask(provider_oaep_mask(oaep), data, data_size, seed, hash_size) ||
        !provider_add_mask(provider_oaep_mask(oaep), seed, hash_size, data, data_size)) {
        return 0;
    }
    for (i = 0; i < hash_size; i++) {
        wrong |= (size_t)(data[i] ^ right[i]);
    }
    /* Zeros, and then a one, before the message. */
    for (; i < data_size; i++) {
        size_t one = equals(data[i], 1);

        wrong |= before & ~one & ~equals(data[i], 0);
        place |= before & one & i;
        before &= ~one;
    }
    if ((wrong | before) != 0) {
        return 0;
    }
    *message = data + place + 1;
    *message_size = data_size - place - 1;
    return 1;
}
