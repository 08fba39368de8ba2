/* The devices of the cores: opened when they are needed; one operation at a time of one coprocessor,
 * of several as queue.c has it. */
#include <string.h>
#include <unistd.h>

#include <openssl/params.h>
#include <openssl/rand.h>

#include "provider.h"

#define SIMULATION "simulation"

/* Random words of a core: OpenSSL's, of its generator for secrets. */
static int random_word(void *context, uint32_t *word)
{
    const provider_slot *slot = context;

    return RAND_priv_bytes_ex(slot->provider->libctx, (unsigned char *)word, sizeof *word, 0) == 1
               ? 0
               : -1;
}

static uint32_t read_register(void *context, uint32_t offset)
{
    const provider_slot *slot = context;
    return slot->port->read32(slot->context, offset);
}

static void write_register(void *context, uint32_t offset, uint32_t value)
{
    const provider_slot *slot = context;
    slot->port->write32(slot->context, offset, value);
}

/* What openssl.cnf says of a core: NULL if nothing. */
static char *configured(residua_provider *provider, OSSL_FUNC_core_get_params_fn *get_params,
                        const char *name)
{
    char *value = NULL;
    OSSL_PARAM wanted[] = {OSSL_PARAM_utf8_ptr(NULL, &value, 0), OSSL_PARAM_END};

    wanted[0].key = name;
    if (get_params == NULL || !get_params(provider->handle, wanted) || value == NULL) {
        return NULL;
    }
    return OPENSSL_strdup(value);
}

int provider_slots_new(residua_provider *provider, OSSL_FUNC_core_get_params_fn *get_params)
{
    size_t i;

    provider->slots = OPENSSL_zalloc(provider_core_count * sizeof *provider->slots);
    if (provider->slots == NULL) {
        return 0;
    }
    for (i = 0; i < provider_core_count; i++) {
        provider_slot *slot = &provider->slots[i];

        slot->provider = provider;
        slot->core = &provider_cores[i];
        slot->where = configured(provider, get_params, slot->core->name);
        slot->lock = CRYPTO_THREAD_lock_new();
        slot->device.core = slot->core->ecc;
        slot->rsa.core = slot->core->rsa;
        slot->device.read32 = slot->rsa.read32 = read_register;
        slot->device.write32 = slot->rsa.write32 = write_register;
        slot->device.random = slot->rsa.random = random_word;
        slot->device.context = slot->rsa.context = slot;
        slot->device.perform = provider_queue_perform;
        if (slot->lock == NULL) {
            return 0;
        }
    }
    return 1;
}

static void shut(provider_slot *slot)
{
    if (slot->context != NULL) {
        slot->port->close(slot->context, slot->process != (long)getpid());
    }
    slot->context = NULL;
    slot->loaded = 0;
}

void provider_slots_free(residua_provider *provider)
{
    size_t i;

    for (i = 0; provider->slots != NULL && i < provider_core_count; i++) {
        shut(&provider->slots[i]);
        provider_queue_free(&provider->slots[i]);
        CRYPTO_THREAD_lock_free(provider->slots[i].lock);
        OPENSSL_free(provider->slots[i].where);
    }
    OPENSSL_free(provider->slots);
}

/* Opens the device, in this process: a child has its own. */
static int opened(provider_slot *slot)
{
    const char *name = slot->core->name;

    if (slot->context != NULL && slot->process == (long)getpid()) {
        return 1;
    }
    shut(slot);
    if (slot->where == NULL) {
        RAISE(slot->provider, REASON_CONFIGURATION, "%s = %s or a path is missing", name, SIMULATION);
        return 0;
    }
    if (strcmp(slot->where, SIMULATION) == 0) {
        slot->port = &provider_simulation;
        slot->device.polls = slot->rsa.polls = slot->core->simulated_polls;
    } else if (slot->where[0] == '/') {
        slot->port = &provider_uio;
        slot->device.polls = RESIDUA_ECC_DEFAULT_POLLS;
        slot->rsa.polls = RESIDUA_MODULAR_DEFAULT_POLLS;
    } else {
        RAISE(slot->provider, REASON_CONFIGURATION, "%s = %s is neither %s nor an absolute path",
              name, slot->where, SIMULATION);
        return 0;
    }
    slot->process = (long)getpid();
    slot->context = slot->port->open(slot);
    return slot->context != NULL;
}

/* Codes of both drivers: the negative ones of residua_modular.h are those of residua_ecc.h. */
void provider_raise_code(const provider_slot *slot, int code)
{
    static const int reasons[] = {
        REASON_NO_CORE, REASON_DRIVER,  REASON_UNSUPPORTED, REASON_ENCODING,
        REASON_BUSY,    REASON_TIMEOUT, REASON_ACCESS,      REASON_DRIVER,
    };
    int reason = REASON_DRIVER;

    if (code > 0) {
        reason = (slot->core->rsa != NULL ? REASON_RSA_STATUS : REASON_STATUS) + code;
    } else if (code == PROVIDER_TAKEN) {
        reason = REASON_TAKEN;
    } else if ((size_t)-code <= sizeof reasons / sizeof *reasons) {
        reason = reasons[-code - 1];
    }
    RAISE(slot->provider, reason, "%s (%s), code %d", slot->core->name, slot->where, code);
}

static int has_queue(const provider_slot *slot)
{
    return slot->core->ecc != NULL && residua_ecc_instances(&slot->device) > 1;
}

static int open_core(const provider_slot *slot)
{
    return slot->core->rsa != NULL ? residua_modular_open(&slot->rsa) : residua_ecc_open(&slot->device);
}

static int clear_core(const provider_slot *slot)
{
    return slot->core->rsa != NULL ? residua_modular_zeroise(&slot->rsa)
                                   : residua_ecc_zeroise(&slot->device);
}

/* Looks whether the core is there and idle. One that was left busy is cleared. */
static int present(const provider_slot *slot)
{
    int code = open_core(slot);

    if (code == RESIDUA_ECC_BUSY && clear_core(slot) == RESIDUA_ECC_STATUS_OK) {
        code = open_core(slot);
    }
    return code;
}

/* Makes a device that is open this process's own, and looks whether the core is there. */
static int enter(const provider_slot *slot)
{
    int code = PROVIDER_TAKEN;

    if (slot->port->enter(slot->context)) {
        code = present(slot);
        if (code != RESIDUA_ECC_STATUS_OK) {
            slot->port->leave(slot->context);
        }
    }
    return code;
}

int provider_slot_enter(provider_slot *slot)
{
    int code = RESIDUA_ECC_ACCESS;

    if (CRYPTO_THREAD_write_lock(slot->lock)) {
        if (opened(slot)) {
            code = enter(slot);
            if (code != RESIDUA_ECC_STATUS_OK) {
                shut(slot);
            }
        }
        CRYPTO_THREAD_unlock(slot->lock);
    }
    return code;
}

void provider_slot_leave(provider_slot *slot, int code)
{
    slot->port->leave(slot->context);
    if (code != RESIDUA_ECC_STATUS_OK && CRYPTO_THREAD_write_lock(slot->lock)) {
        shut(slot);
        CRYPTO_THREAD_unlock(slot->lock);
    }
}

int provider_acquire(provider_slot *slot)
{
    int code, good;

    if (!CRYPTO_THREAD_write_lock(slot->lock)) {
        RAISE(slot->provider, REASON_INTERNAL, "a lock failed");
        return 0;
    }
    good = opened(slot);
    if (good && has_queue(slot)) {
        good = provider_queue_ready(slot);
        if (!good) {
            RAISE(slot->provider, REASON_INTERNAL, "no memory for a queue");
        }
        CRYPTO_THREAD_unlock(slot->lock);
        return good;
    }
    if (good) {
        code = enter(slot);
        good = code == RESIDUA_ECC_STATUS_OK;
        if (!good) {
            provider_raise_code(slot, code);
            shut(slot);
        }
    }
    if (!good) {
        CRYPTO_THREAD_unlock(slot->lock);
    }
    return good;
}

int provider_release(provider_slot *slot, int code)
{
    if (has_queue(slot)) {
        return code;
    }
    if (!slot->port->sound(slot->context)) {
        code = RESIDUA_ECC_ACCESS;
    }
    slot->port->leave(slot->context);
    if (code < 0 && code != RESIDUA_ECC_RETRY) {
        shut(slot);
    }
    CRYPTO_THREAD_unlock(slot->lock);
    return code;
}

/* Raises an error unless the code is that of success; what may be wrong then is wiped. */
static int succeeded(const provider_curve_of *curve, int code, uint8_t *output, size_t size)
{
    if (code == RESIDUA_ECC_STATUS_OK) {
        return 1;
    }
    OPENSSL_cleanse(output, size);
    provider_raise_code(curve->slot, code);
    return 0;
}

int provider_core_public(const provider_curve_of *curve, const uint8_t *private_key,
                         uint8_t *public_key)
{
    int code;

    if (!provider_acquire(curve->slot)) {
        return 0;
    }
    code = residua_ecc_public_key(&curve->slot->device, curve->index, private_key, public_key);
    code = provider_release(curve->slot, code);
    return succeeded(curve, code, public_key, provider_public_size(curve));
}

int provider_core_ecdh(const provider_curve_of *curve, const uint8_t *private_key,
                       const uint8_t *public_key, uint8_t *secret)
{
    int code;

    if (!provider_acquire(curve->slot)) {
        return 0;
    }
    code = residua_ecc_ecdh(&curve->slot->device, curve->index, private_key, public_key,
                            provider_public_size(curve), secret);
    code = provider_release(curve->slot, code);
    return succeeded(curve, code, secret, curve->numbers->field_size);
}

int provider_core_validate(const provider_curve_of *curve, const uint8_t *public_key)
{
    int code;

    if (!provider_acquire(curve->slot)) {
        return 0;
    }
    code = residua_ecc_validate(&curve->slot->device, curve->index, public_key,
                                provider_public_size(curve));
    return succeeded(curve, provider_release(curve->slot, code), NULL, 0);
}

int provider_core_sign(const provider_curve_of *curve, const uint8_t *private_key,
                       const uint8_t *digest, size_t digest_size, const uint8_t *nonce,
                       uint8_t *signature)
{
    int code;

    if (!provider_acquire(curve->slot)) {
        return 0;
    }
    code = residua_ecc_ecdsa_sign(&curve->slot->device, curve->index, private_key, digest,
                                  digest_size, nonce, signature);
    code = provider_release(curve->slot, code);
    if (code == RESIDUA_ECC_RETRY) {
        return -1;
    }
    return succeeded(curve, code, signature, 2 * (size_t)curve->numbers->order_size);
}

int provider_core_verify(const provider_curve_of *curve, const uint8_t *public_key,
                         const uint8_t *digest, size_t digest_size, const uint8_t *signature)
{
    int code;

    if (!provider_acquire(curve->slot)) {
        return 0;
    }
    code = residua_ecc_ecdsa_verify(&curve->slot->device, curve->index, public_key,
                                    provider_public_size(curve), digest, digest_size, signature);
    code = provider_release(curve->slot, code);
    if (code != RESIDUA_ECC_VALID && code != RESIDUA_ECC_INVALID) {
        provider_raise_code(curve->slot, code);
    }
    return code == RESIDUA_ECC_VALID;
}
