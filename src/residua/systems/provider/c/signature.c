/* Signatures: ECDSA, of a digest or of a message. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/x509.h>

#include "provider.h"

/* Enough for the AlgorithmIdentifier of a digest. */
#define IDENTIFIER_SIZE 64

/* More than any signature has: two numbers, and what DER adds. */
#define MOST_BYTES (2 * RESIDUA_ECC_MAX_NUMBER + 16)

/* Nonces that may turn out to be of no use, which happens to one in 2^(bits of the order). */
#define MOST_NONCES 4

typedef struct {
    provider_key *key;
    provider_message message;
} signature;

/* The properties are those of a provider of signatures: digests are of any. */
static void *newctx(void *provider, const char *properties)
{
    signature *context = OPENSSL_zalloc(sizeof *context);

    (void)properties;
    if (context != NULL) {
        context->message.provider = provider;
    }
    return context;
}

static void freectx(void *data)
{
    signature *context = data;

    if (context != NULL) {
        provider_key_free(context->key);
        provider_message_free(&context->message);
    }
    OPENSSL_free(context);
}

static void *dupctx(void *data)
{
    const signature *from = data;
    signature *context = newctx(from->message.provider, NULL);

    if (context == NULL) {
        return NULL;
    }
    context->key = provider_key_reference(from->key);
    if (!provider_message_copy(&context->message, &from->message)) {
        freectx(context);
        return NULL;
    }
    return context;
}

static int set_ctx_params(void *data, const OSSL_PARAM params[])
{
    signature *context = data;

    return provider_message_set_params(&context->message, params);
}

static const OSSL_PARAM *settable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

/* The AlgorithmIdentifier of ECDSA with a digest, in DER; its size, 0 if there is none. */
static size_t identifier(const EVP_MD *digest, unsigned char *bytes)
{
    X509_ALGOR *algorithm = X509_ALGOR_new();
    int number, size = 0;

    if (algorithm != NULL &&
        OBJ_find_sigid_by_algs(&number, EVP_MD_get_type(digest), NID_X9_62_id_ecPublicKey) &&
        X509_ALGOR_set0(algorithm, OBJ_nid2obj(number), V_ASN1_UNDEF, NULL)) {
        size = i2d_X509_ALGOR(algorithm, NULL);
        size = size > 0 && size <= IDENTIFIER_SIZE ? i2d_X509_ALGOR(algorithm, &bytes) : 0;
    }
    X509_ALGOR_free(algorithm);
    return size > 0 ? (size_t)size : 0;
}

static int get_ctx_params(void *data, OSSL_PARAM params[])
{
    const signature *context = data;
    OSSL_PARAM *algorithm = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    OSSL_PARAM *name = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST);
    OSSL_PARAM *size = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST_SIZE);
    unsigned char bytes[IDENTIFIER_SIZE];
    size_t used;

    if (context->message.digest == NULL) {
        return algorithm == NULL && name == NULL && size == NULL;
    }
    used = algorithm != NULL ? identifier(context->message.digest, bytes) : 0;
    return (algorithm == NULL ||
            (used > 0 && OSSL_PARAM_set_octet_string(algorithm, bytes, used))) &&
           (name == NULL || OSSL_PARAM_set_utf8_string(name, EVP_MD_get0_name(context->message.digest))) &&
           (size == NULL || OSSL_PARAM_set_int(size, EVP_MD_get_size(context->message.digest)));
}

static const OSSL_PARAM *gettable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_int(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

/* Begins with a key; with NULL the context goes on with the key that it has. */
static int init(signature *context, provider_key *key, const OSSL_PARAM params[])
{
    if (key != NULL) {
        provider_key_free(context->key);
        context->key = provider_key_reference(key);
    }
    provider_message_end(&context->message);
    if (context->key == NULL) {
        RAISE(context->message.provider, REASON_NO_PUBLIC_KEY, "no key");
        return 0;
    }
    return params == NULL || set_ctx_params(context, params);
}

static int sign_init(void *data, void *key, const OSSL_PARAM params[])
{
    signature *context = data;

    if (!init(context, key, params)) {
        return 0;
    }
    if (!context->key->has_private) {
        RAISE(context->message.provider, REASON_NO_PRIVATE_KEY, "for a signature");
        return 0;
    }
    return 1;
}

static int verify_init(void *data, void *key, const OSSL_PARAM params[])
{
    return init(data, key, params);
}

/* A digest that was named has to have its size. */
static int digest_fits(const signature *context, size_t size)
{
    if (context->key == NULL ||
        (context->message.digest != NULL && size != (size_t)EVP_MD_get_size(context->message.digest))) {
        RAISE(context->message.provider, REASON_DIGEST, "%zu bytes", size);
        return 0;
    }
    return 1;
}

/* A nonce that follows from fresh random numbers, the key and the digest: a weak generator alone
 * does not give the key away. */
static int make_nonce(const provider_key *key, const uint8_t *digest, size_t size, uint8_t *nonce)
{
    int bytes = key->curve.numbers->order_size;
    BN_CTX *memory = BN_CTX_secure_new_ex(key->provider->libctx);
    BIGNUM *order = provider_order(&key->curve), *number = BN_secure_new();
    BIGNUM *private = BN_secure_new();
    int good = memory != NULL && order != NULL && number != NULL && private != NULL &&
               BN_bin2bn(key->private_key, bytes, private) != NULL;

    do {
        good = good && BN_generate_dsa_nonce(number, order, private, digest, size, memory);
    } while (good && BN_is_zero(number));
    good = good && BN_bn2binpad(number, nonce, bytes) > 0;
    if (!good) {
        RAISE(key->provider, REASON_RANDOM, "for a nonce");
    }
    BN_free(order);
    BN_clear_free(number);
    BN_clear_free(private);
    BN_CTX_free(memory);
    return good;
}

/* r || s as a sequence in DER; returns its size, 0 if it does not fit. */
static size_t encode(const uint8_t *numbers, size_t size, unsigned char *bytes, size_t room)
{
    ECDSA_SIG *found = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(numbers, (int)size, NULL), *s = BN_bin2bn(numbers + size, (int)size, NULL);
    int length = -1;

    if (found != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(found, r, s)) {
        r = s = NULL;
        length = i2d_ECDSA_SIG(found, NULL);
        length = length > 0 && (size_t)length <= room ? i2d_ECDSA_SIG(found, &bytes) : -1;
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(found);
    return length > 0 ? (size_t)length : 0;
}

/* The numbers of a signature that is encoded as encode() does, and in no other way. */
static int decode(const unsigned char *bytes, size_t size, uint8_t *numbers, size_t number_size)
{
    const unsigned char *end = bytes;
    unsigned char *again = NULL;
    ECDSA_SIG *found = NULL;
    int length, good;

    if (size <= MOST_BYTES) {
        found = d2i_ECDSA_SIG(NULL, &end, (long)size);
    }
    length = found != NULL ? i2d_ECDSA_SIG(found, &again) : -1;
    good = length > 0 && (size_t)length == size && memcmp(bytes, again, size) == 0 &&
           BN_bn2binpad(ECDSA_SIG_get0_r(found), numbers, (int)number_size) > 0 &&
           BN_bn2binpad(ECDSA_SIG_get0_s(found), numbers + number_size, (int)number_size) > 0 &&
           !BN_is_negative(ECDSA_SIG_get0_r(found)) && !BN_is_negative(ECDSA_SIG_get0_s(found));

    OPENSSL_free(again);
    ECDSA_SIG_free(found);
    return good;
}

static int sign(void *data, unsigned char *bytes, size_t *size, size_t room,
                const unsigned char *digest, size_t digest_size)
{
    const signature *context = data;
    const provider_key *key = context->key;
    uint8_t nonce[RESIDUA_ECC_MAX_NUMBER], numbers[2 * RESIDUA_ECC_MAX_NUMBER];
    int code = -1, nonces;

    if (key == NULL || !key->has_private) {
        RAISE(context->message.provider, REASON_NO_PRIVATE_KEY, "for a signature");
        return 0;
    }
    if (bytes == NULL) {
        *size = provider_signature_size(&key->curve);
        return 1;
    }
    if (!digest_fits(context, digest_size)) {
        return 0;
    }
    for (nonces = 0; code < 0 && nonces < MOST_NONCES; nonces++) {
        code = make_nonce(key, digest, digest_size, nonce);
        if (code == 1) {
            code = provider_core_sign(&key->curve, key->private_key, digest, digest_size, nonce,
                                      numbers);
        }
    }
    OPENSSL_cleanse(nonce, sizeof nonce);
    if (code < 0) {
        RAISE(context->message.provider, REASON_DRIVER, "no signature with %d nonces", MOST_NONCES);
    }
    if (code <= 0) {
        return 0;
    }
    *size = encode(numbers, key->curve.numbers->order_size, bytes, room);
    if (*size == 0) {
        RAISE(context->message.provider, REASON_SIGNATURE, "into %zu bytes", room);
    }
    return *size != 0;
}

static int verify(void *data, const unsigned char *bytes, size_t size, const unsigned char *digest,
                  size_t digest_size)
{
    const signature *context = data;
    uint8_t numbers[2 * RESIDUA_ECC_MAX_NUMBER];

    return digest_fits(context, digest_size) && provider_key_public(context->key) &&
           decode(bytes, size, numbers, context->key->curve.numbers->order_size) &&
           provider_core_verify(&context->key->curve, context->key->public_key, digest, digest_size,
                                numbers);
}

static int digest_sign_init(void *data, const char *name, void *key, const OSSL_PARAM params[])
{
    signature *context = data;
    return sign_init(data, key, params) && provider_message_begin(&context->message, name);
}

static int digest_verify_init(void *data, const char *name, void *key, const OSSL_PARAM params[])
{
    signature *context = data;
    return verify_init(data, key, params) && provider_message_begin(&context->message, name);
}

static int update(void *data, const unsigned char *message, size_t size)
{
    const signature *context = data;

    return provider_message_update(&context->message, message, size);
}

static int digest_sign_final(void *data, unsigned char *bytes, size_t *size, size_t room)
{
    const signature *context = data;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_size = 0;

    if (bytes == NULL) {
        return sign(data, NULL, size, room, NULL, 0);
    }
    return provider_message_finish(&context->message, digest, &digest_size) &&
           sign(data, bytes, size, room, digest, digest_size);
}

static int digest_verify_final(void *data, const unsigned char *bytes, size_t size)
{
    const signature *context = data;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_size = 0;

    return provider_message_finish(&context->message, digest, &digest_size) &&
           verify(data, bytes, size, digest, digest_size);
}

const OSSL_DISPATCH provider_signature_functions[] = {
    FUNCTION(OSSL_FUNC_SIGNATURE_NEWCTX, newctx),
    FUNCTION(OSSL_FUNC_SIGNATURE_FREECTX, freectx),
    FUNCTION(OSSL_FUNC_SIGNATURE_DUPCTX, dupctx),
    FUNCTION(OSSL_FUNC_SIGNATURE_SIGN_INIT, sign_init),
    FUNCTION(OSSL_FUNC_SIGNATURE_SIGN, sign),
    FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_INIT, verify_init),
    FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, digest_sign_init),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, update),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, digest_sign_final),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, digest_verify_init),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, update),
    FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, digest_verify_final),
    FUNCTION(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, set_ctx_params),
    FUNCTION(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, settable_ctx_params),
    FUNCTION(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, get_ctx_params),
    FUNCTION(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, gettable_ctx_params),
    {0, NULL},
};
