/* The provider itself: what it has, by the curves of its cores. */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#define NAME "residua"
#define PROPERTIES "provider=residua"
#define RSA "RSA:rsaEncryption:1.2.840.113549.1.1.1"

/* Whether a core has a curve of this form. */
static int has_form(int montgomery)
{
    size_t i;
    unsigned j;

    for (i = 0; i < provider_core_count; i++) {
        const struct residua_ecc_core *core = provider_cores[i].ecc;

        for (j = 0; core != NULL && j < core->curve_count; j++) {
            if (core->curves[j].montgomery == montgomery) {
                return 1;
            }
        }
    }
    return 0;
}

static int has_rsa(void)
{
    size_t i;

    for (i = 0; i < provider_core_count; i++) {
        if (provider_cores[i].rsa != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Fills in the algorithms; the last entry of each list stays empty. */
static void list_algorithms(residua_provider *provider)
{
    static const OSSL_ALGORITHM
        ec = {"EC:id-ecPublicKey:1.2.840.10045.2.1", PROPERTIES, provider_ec_keymgmt, NULL},
        x25519 = {"X25519:1.3.101.110", PROPERTIES, provider_x25519_keymgmt, NULL},
        ecdh = {"ECDH", PROPERTIES, provider_exchange_functions, NULL},
        x = {"X25519:1.3.101.110", PROPERTIES, provider_exchange_functions, NULL},
        ecdsa = {"ECDSA", PROPERTIES, provider_signature_functions, NULL},
        rsa = {RSA, PROPERTIES, provider_rsa_keymgmt, NULL},
        rsa_signature = {RSA, PROPERTIES, provider_rsa_signature_functions, NULL},
        rsa_encryption = {RSA, PROPERTIES, provider_rsa_encryption_functions, NULL};
    OSSL_ALGORITHM *keymgmt = provider->keymgmt, *exchange = provider->exchange;
    OSSL_ALGORITHM *signature = provider->signature;

    if (has_form(0)) {
        *keymgmt++ = ec;
        *exchange++ = ecdh;
        *signature++ = ecdsa;
    }
    if (has_form(1)) {
        *keymgmt++ = x25519;
        *exchange++ = x;
    }
    if (has_rsa()) {
        *keymgmt++ = rsa;
        *signature++ = rsa_signature;
        provider->cipher[0] = rsa_encryption;
    }
}

static void teardown(void *context)
{
    residua_provider *provider = context;

    provider_slots_free(provider);
    CRYPTO_THREAD_lock_free(provider->lock);
    OSSL_LIB_CTX_free(provider->libctx);
    OPENSSL_free(provider);
}

static const OSSL_PARAM *gettable(void *context)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
        OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
        OSSL_PARAM_END,
    };
    (void)context;
    return known;
}

static int get_params(void *context, OSSL_PARAM params[])
{
    OSSL_PARAM *name = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME);
    OSSL_PARAM *status = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);

    (void)context;
    return (name == NULL || OSSL_PARAM_set_utf8_ptr(name, NAME)) &&
           (status == NULL || OSSL_PARAM_set_int(status, 1));
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    const residua_provider *provider = context;

    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_KEYMGMT:
        return provider->keymgmt;
    case OSSL_OP_KEYEXCH:
        return provider->exchange;
    case OSSL_OP_SIGNATURE:
        return provider->signature;
    case OSSL_OP_ASYM_CIPHER:
        return provider->cipher;
    default:
        return NULL;
    }
}

static const OSSL_ITEM *reasons(void *context)
{
    (void)context;
    return provider_reasons;
}

static const OSSL_DISPATCH functions[] = {
    FUNCTION(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
    FUNCTION(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable),
    FUNCTION(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
    FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
    FUNCTION(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, reasons),
    FUNCTION(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, provider_capabilities),
    {0, NULL},
};

/* All else is hidden: a program may have a driver of its own. */
__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

/* A device that is missing is found when it is needed: a provider that does not load would leave
 * its place to another one. */
int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **context)
{
    residua_provider *provider = OPENSSL_zalloc(sizeof *provider);
    OSSL_FUNC_core_get_params_fn *core_params = NULL;
    const OSSL_DISPATCH *each;

    if (provider == NULL) {
        return 0;
    }
    provider->handle = handle;
    for (each = in; each->function_id != 0; each++) {
        switch (each->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS:
            core_params = OSSL_FUNC_core_get_params(each);
            break;
        case OSSL_FUNC_CORE_NEW_ERROR:
            provider->new_error = OSSL_FUNC_core_new_error(each);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            provider->set_error_debug = OSSL_FUNC_core_set_error_debug(each);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            provider->vset_error = OSSL_FUNC_core_vset_error(each);
            break;
        default:
            break;
        }
    }
    provider->libctx = OSSL_LIB_CTX_new_child(handle, in);
    provider->lock = CRYPTO_THREAD_lock_new();
    if (provider->libctx == NULL || provider->lock == NULL || !provider_slots_new(provider, core_params)) {
        teardown(provider);
        return 0;
    }
    list_algorithms(provider);
    *out = functions;
    *context = provider;
    return 1;
}
