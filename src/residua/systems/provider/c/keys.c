/* Keys, and the curves that they are on. */
#include <string.h>

#include "provider.h"

static int is_named(const provider_curve *curve, const char *name)
{
    const char *const *each;

    for (each = curve->names; *each != NULL; each++) {
        if (OPENSSL_strcasecmp(name, *each) == 0) {
            return 1;
        }
    }
    return 0;
}

int provider_find(const residua_provider *provider, int montgomery, const char *name,
                  provider_curve_of *curve)
{
    size_t i;
    unsigned j;

    for (i = 0; i < provider_core_count; i++) {
        const provider_core *core = provider->slots[i].core;

        for (j = 0; core->ecc != NULL && j < core->ecc->curve_count; j++) {
            if (core->ecc->curves[j].montgomery == montgomery && is_named(&core->curves[j], name)) {
                curve->slot = &provider->slots[i];
                curve->index = j;
                curve->names = &core->curves[j];
                curve->numbers = &core->ecc->curves[j];
                return 1;
            }
        }
    }
    return 0;
}

unsigned provider_security_bits(const struct residua_ecc_curve *numbers)
{
    return (numbers->order_bits + 3u) / 4 * 2;
}

size_t provider_private_size(const provider_curve_of *curve)
{
    return curve->numbers->montgomery ? curve->numbers->field_size : curve->numbers->order_size;
}

size_t provider_public_size(const provider_curve_of *curve)
{
    size_t size = curve->numbers->field_size;
    return curve->numbers->montgomery ? size : 1 + 2 * size;
}

/* A sequence of two numbers with a sign, in DER. */
size_t provider_signature_size(const provider_curve_of *curve)
{
    size_t content = 2 * ((size_t)curve->numbers->order_size + 3);
    return content + (content < 128 ? 2 : 3);
}

provider_key *provider_key_new(residua_provider *provider, int montgomery)
{
    provider_key *key = OPENSSL_zalloc(sizeof *key);

    if (key == NULL) {
        return NULL;
    }
    key->provider = provider;
    key->references = 1;
    key->montgomery = montgomery;
    key->lock = CRYPTO_THREAD_lock_new();
    if (key->lock == NULL) {
        OPENSSL_free(key);
        return NULL;
    }
    return key;
}

provider_key *provider_key_reference(provider_key *key)
{
    int count;

    if (key != NULL && !CRYPTO_atomic_add(&key->references, 1, &count, key->lock)) {
        return NULL;
    }
    return key;
}

void provider_key_free(void *key)
{
    provider_key *own = key;
    int count = 0;

    if (own == NULL || !CRYPTO_atomic_add(&own->references, -1, &count, own->lock) || count > 0) {
        return;
    }
    CRYPTO_THREAD_lock_free(own->lock);
    OPENSSL_clear_free(own, sizeof *own);
}

int provider_key_public(provider_key *key)
{
    int has;

    if (!CRYPTO_THREAD_write_lock(key->lock)) {
        RAISE(key->provider, REASON_INTERNAL, "a lock failed");
        return 0;
    }
    if (!key->has_public && key->has_private) {
        key->has_public = provider_core_public(&key->curve, key->private_key, key->public_key);
    } else if (!key->has_public) {
        RAISE(key->provider, REASON_NO_PUBLIC_KEY, "nor a private one");
    }
    has = key->has_public;
    CRYPTO_THREAD_unlock(key->lock);
    return has;
}

int provider_key_set_public(provider_key *key, const uint8_t *bytes, size_t size)
{
    if (!key->has_curve || size != provider_public_size(&key->curve) ||
        (!key->montgomery && bytes[0] != 4)) {
        RAISE(key->provider, REASON_ENCODING, "%zu bytes", size);
        return 0;
    }
    memcpy(key->public_key, bytes, size);
    key->has_public = 1;
    return 1;
}

int provider_key_set_private(provider_key *key, const BIGNUM *number)
{
    BIGNUM *order = key->has_curve ? provider_order(&key->curve) : NULL;
    int good = order != NULL && !BN_is_negative(number) && !BN_is_zero(number) &&
               BN_cmp(number, order) < 0 &&
               BN_bn2binpad(number, key->private_key, key->curve.numbers->order_size) > 0;

    BN_free(order);
    if (!good) {
        RAISE(key->provider, REASON_KEY, "give 1 to n - 1, n the order of the curve");
    }
    key->has_private = good;
    return good;
}

BIGNUM *provider_order(const provider_curve_of *curve)
{
    uint8_t bytes[RESIDUA_ECC_MAX_NUMBER];
    size_t i, size = curve->numbers->order_size;

    for (i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(curve->numbers->order[i / 4] >> (8 * (i % 4)));
    }
    return BN_lebin2bn(bytes, (int)size, NULL);
}
