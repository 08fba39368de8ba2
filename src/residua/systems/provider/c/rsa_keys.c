/* RSA keys, the cores that take them, and what these compute. */
#include "provider.h"

provider_rsa_key *provider_rsa_key_new(void *provider)
{
    provider_rsa_key *key = OPENSSL_zalloc(sizeof *key);
    int number = 0;

    if (key == NULL) {
        return NULL;
    }
    key->provider = provider;
    key->references = 1;
    key->lock = CRYPTO_THREAD_lock_new();
    if (key->lock == NULL ||
        !CRYPTO_atomic_add(&key->provider->rsa_keys, 1, &number, key->provider->lock)) {
        CRYPTO_THREAD_lock_free(key->lock);
        OPENSSL_free(key);
        return NULL;
    }
    key->number = number;
    return key;
}

provider_rsa_key *provider_rsa_key_reference(provider_rsa_key *key)
{
    int count;

    if (key != NULL && !CRYPTO_atomic_add(&key->references, 1, &count, key->lock)) {
        return NULL;
    }
    return key;
}

void provider_rsa_key_free(void *key)
{
    provider_rsa_key *own = key;
    int count = 0;

    if (own == NULL || !CRYPTO_atomic_add(&own->references, -1, &count, own->lock) || count > 0) {
        return;
    }
    provider_core_forget(own);
    BN_free(own->n);
    BN_free(own->e);
    BN_clear_free(own->d);
    BN_clear_free(own->p);
    BN_clear_free(own->q);
    BN_clear_free(own->d_p);
    BN_clear_free(own->d_q);
    BN_clear_free(own->coefficient);
    CRYPTO_THREAD_lock_free(own->lock);
    OPENSSL_clear_free(own, sizeof *own);
}

/* Whether a core takes such keys. */
static int takes(const provider_core *core, int private, int bits, const BIGNUM *e)
{
    const provider_rsa_keys *keys = &core->keys;

    if (core->rsa == NULL || bits > keys->bits || (keys->exponent != 0) != private) {
        return 0;
    }
    return private ? BN_is_word(e, keys->exponent) : BN_num_bits(e) <= keys->exponent_bits;
}

/* The smallest core that takes such keys; NULL if there is none. */
static provider_slot *find(const residua_provider *provider, int private, int bits, const BIGNUM *e)
{
    provider_slot *found = NULL;
    size_t i;

    for (i = 0; i < provider_core_count; i++) {
        provider_slot *slot = &provider->slots[i];

        if (takes(slot->core, private, bits, e) &&
            (found == NULL || slot->core->keys.bits < found->core->keys.bits)) {
            found = slot;
        }
    }
    return found;
}

int provider_rsa_takes(const residua_provider *provider, int bits, const BIGNUM *e)
{
    return find(provider, 1, bits, e) != NULL;
}

/* Bits of a modulus whose primes are as long as the longer one of a key. */
static int bits_of_primes(const provider_rsa_key *key)
{
    int p = BN_num_bits(key->p), q = BN_num_bits(key->q);

    return 2 * (p > q ? p : q) - 1;
}

int provider_rsa_find(provider_rsa_key *key)
{
    int bits = BN_num_bits(key->n), longest = bits;

    key->private_core = NULL;
    key->public_core = find(key->provider, 0, bits, key->e);
    if (key->p != NULL) {
        longest = bits_of_primes(key) > bits ? bits_of_primes(key) : bits;
        key->private_core = find(key->provider, 1, longest, key->e);
    }
    if (key->p != NULL ? key->private_core == NULL : key->public_core == NULL) {
        RAISE(key->provider, REASON_NO_RSA_CORE, "%d bits, %s key", longest,
              key->p != NULL ? "private" : "public");
        return 0;
    }
    return 1;
}

int provider_rsa_holds(const residua_provider *provider, const provider_rsa_key *held, int private)
{
    if (held != NULL && (private ? held->private_core : held->public_core) != NULL) {
        return 1;
    }
    if (held == NULL) {
        RAISE(provider, REASON_NO_PUBLIC_KEY, "no key");
    } else if (private) {
        RAISE(provider, REASON_NO_PRIVATE_KEY, "for a private operation");
    } else {
        RAISE(provider, REASON_NO_RSA_CORE, "for a public operation");
    }
    return 0;
}

int provider_rsa_hold(const residua_provider *provider, provider_rsa_key **held, provider_rsa_key *key,
                      int private)
{
    if (key != NULL) {
        provider_rsa_key_free(*held);
        *held = provider_rsa_key_reference(key);
    }
    return provider_rsa_holds(provider, *held, private);
}

size_t provider_rsa_size(const provider_rsa_key *key)
{
    return (size_t)BN_num_bytes(key->n);
}

int provider_rsa_is_below(const provider_rsa_key *key, const uint8_t *number)
{
    BIGNUM *found = BN_bin2bn(number, (int)provider_rsa_size(key), NULL);
    int below = found != NULL && BN_ucmp(found, key->n) < 0;

    BN_clear_free(found);
    return below;
}

/* The numbers of a private key, side by side, of size bytes each. */
enum { P, Q, D_P, D_Q, COEFFICIENT, NUMBERS };

static int load_private(const provider_slot *slot, const provider_rsa_key *key)
{
    const BIGNUM *numbers[NUMBERS];
    int size = (bits_of_primes(key) + 1) / 2 / 8 + 1, i, code = RESIDUA_MODULAR_ARGUMENT, good = 1;
    uint8_t *bytes = OPENSSL_zalloc((size_t)(NUMBERS * size));

    numbers[P] = key->p;
    numbers[Q] = key->q;
    numbers[D_P] = key->d_p;
    numbers[D_Q] = key->d_q;
    numbers[COEFFICIENT] = key->coefficient;
    for (i = 0; bytes != NULL && i < NUMBERS; i++) {
        good = good && BN_bn2binpad(numbers[i], bytes + i * size, size) > 0;
    }
    if (bytes != NULL && good) {
        code = residua_modular_load_private_key(&slot->rsa, bytes, bytes + Q * size,
                                                bytes + D_P * size, bytes + D_Q * size,
                                                bytes + COEFFICIENT * size, (size_t)size);
    }
    OPENSSL_clear_free(bytes, (size_t)(NUMBERS * size));
    return code;
}

static int load_public(const provider_slot *slot, const provider_rsa_key *key)
{
    size_t n_size = provider_rsa_size(key), e_size = (size_t)BN_num_bytes(key->e);
    uint8_t *bytes = OPENSSL_zalloc(n_size + e_size);
    int code = RESIDUA_MODULAR_ARGUMENT;

    if (bytes != NULL && BN_bn2binpad(key->n, bytes, (int)n_size) > 0 &&
        BN_bn2binpad(key->e, bytes + n_size, (int)e_size) > 0) {
        code = residua_modular_load_public_key(&slot->rsa, bytes, n_size, bytes + n_size, e_size);
    }
    OPENSSL_free(bytes);
    return code;
}

/* One operation, with the key in the core. Where other processes use it too, the key is loaded each
 * time, and overwritten after it. */
static int compute(provider_slot *slot, const provider_rsa_key *key, int private, const uint8_t *x,
                   uint8_t *result)
{
    size_t size = provider_rsa_size(key);
    int code = RESIDUA_MODULAR_STATUS_OK;

    if (slot->loaded != key->number) {
        slot->loaded = 0;
        code = private ? load_private(slot, key) : load_public(slot, key);
    }
    if (code == RESIDUA_MODULAR_STATUS_OK) {
        slot->loaded = key->number;
        code = private ? residua_modular_private(&slot->rsa, x, size, result)
                       : residua_modular_public(&slot->rsa, NULL, 0, x, size, result);
    }
    if (slot->port->shared && slot->loaded != 0) {
        int cleared = residua_modular_zeroise(&slot->rsa);

        slot->loaded = 0;
        code = code == RESIDUA_MODULAR_STATUS_OK ? cleared : code;
    }
    return code;
}

static int operate(provider_slot *slot, const provider_rsa_key *key, int private, const uint8_t *x,
                   uint8_t *result)
{
    int code;

    if (slot == NULL) {
        RAISE(key->provider, REASON_NO_RSA_CORE, "for a %s operation", private ? "private" : "public");
        return 0;
    }
    if (!provider_acquire(slot)) {
        return 0;
    }
    code = provider_release(slot, compute(slot, key, private, x, result));
    if (code != RESIDUA_MODULAR_STATUS_OK) {
        OPENSSL_cleanse(result, provider_rsa_size(key));
        provider_raise_code(slot, code);
    }
    return code == RESIDUA_MODULAR_STATUS_OK;
}

int provider_core_root(const provider_rsa_key *key, const uint8_t *x, uint8_t *root)
{
    return operate(key->private_core, key, 1, x, root);
}

int provider_core_power(const provider_rsa_key *key, const uint8_t *x, uint8_t *power)
{
    return operate(key->public_core, key, 0, x, power);
}

void provider_core_forget(const provider_rsa_key *key)
{
    provider_slot *slot = key->private_core;

    /* Another thread may load another key meanwhile, which is then overwritten, too, and loaded
     * anew. */
    if (slot != NULL && slot->loaded == key->number && provider_acquire(slot)) {
        int code = residua_modular_zeroise(&slot->rsa);

        slot->loaded = 0;
        (void)provider_release(slot, code);
    }
}
