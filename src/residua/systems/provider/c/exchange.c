/* Key exchange: ECDH and X25519. */
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "provider.h"

typedef struct {
    residua_provider *provider;
    provider_key *own, *peer;
} exchange;

static void *newctx(void *provider)
{
    exchange *context = OPENSSL_zalloc(sizeof *context);

    if (context != NULL) {
        context->provider = provider;
    }
    return context;
}

static void freectx(void *data)
{
    exchange *context = data;

    if (context != NULL) {
        provider_key_free(context->own);
        provider_key_free(context->peer);
    }
    OPENSSL_free(context);
}

static void *dupctx(void *data)
{
    const exchange *from = data;
    exchange *context = newctx(from->provider);

    if (context != NULL) {
        context->own = provider_key_reference(from->own);
        context->peer = provider_key_reference(from->peer);
    }
    return context;
}

/* There is no derivation of keys, and no other mode: what asks for one is refused. */
static int set_ctx_params(void *data, const OSSL_PARAM params[])
{
    const exchange *context = data;
    const OSSL_PARAM *derivation = OSSL_PARAM_locate_const(params, OSSL_EXCHANGE_PARAM_KDF_TYPE);
    const OSSL_PARAM *mode =
        OSSL_PARAM_locate_const(params, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE);
    const char *name = NULL;
    int cofactor = 0;

    if ((derivation != NULL &&
         (!OSSL_PARAM_get_utf8_string_ptr(derivation, &name) || name[0] != '\0')) ||
        (mode != NULL && (!OSSL_PARAM_get_int(mode, &cofactor) || cofactor > 0))) {
        RAISE(context->provider, REASON_UNSUPPORTED, "key derivation, cofactor mode");
        return 0;
    }
    return 1;
}

static const OSSL_PARAM *settable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
        OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

static int init(void *data, void *key, const OSSL_PARAM params[])
{
    exchange *context = data;
    provider_key *own = key;

    if (!own->has_private) {
        RAISE(context->provider, REASON_NO_PRIVATE_KEY, "for a key exchange");
        return 0;
    }
    provider_key_free(context->own);
    provider_key_free(context->peer);
    context->peer = NULL;
    context->own = provider_key_reference(own);
    return context->own != NULL && (params == NULL || set_ctx_params(context, params));
}

static int set_peer(void *data, void *key)
{
    exchange *context = data;
    provider_key *peer = key;

    if (context->own == NULL || context->own->curve.names != peer->curve.names ||
        !provider_key_public(peer)) {
        RAISE(context->provider, REASON_NO_PUBLIC_KEY, "of the peer, on the curve of the own key");
        return 0;
    }
    provider_key_free(context->peer);
    context->peer = provider_key_reference(peer);
    return context->peer != NULL;
}

static int derive(void *data, unsigned char *secret, size_t *size, size_t room)
{
    const exchange *context = data;
    size_t needed;

    if (context->own == NULL || context->peer == NULL) {
        RAISE(context->provider, REASON_NO_PUBLIC_KEY, "of the peer");
        return 0;
    }
    needed = context->own->curve.numbers->field_size;
    if (secret != NULL && room < needed) {
        RAISE(context->provider, REASON_BUFFER, "%zu bytes, %zu are needed", room, needed);
        return 0;
    }
    *size = needed;
    return secret == NULL || provider_core_ecdh(&context->own->curve, context->own->private_key,
                                                context->peer->public_key, secret);
}

const OSSL_DISPATCH provider_exchange_functions[] = {
    FUNCTION(OSSL_FUNC_KEYEXCH_NEWCTX, newctx),
    FUNCTION(OSSL_FUNC_KEYEXCH_FREECTX, freectx),
    FUNCTION(OSSL_FUNC_KEYEXCH_DUPCTX, dupctx),
    FUNCTION(OSSL_FUNC_KEYEXCH_INIT, init),
    FUNCTION(OSSL_FUNC_KEYEXCH_SET_PEER, set_peer),
    FUNCTION(OSSL_FUNC_KEYEXCH_DERIVE, derive),
    FUNCTION(OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, set_ctx_params),
    FUNCTION(OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, settable_ctx_params),
    {0, NULL},
};
