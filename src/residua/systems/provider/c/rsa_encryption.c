/* Encryption and decryption: RSA, with OAEP or without padding.
 *
 * PKCS #1 v1.5 is refused: whoever decrypts with it tells attackers whether a block was right. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "provider.h"

/* The digest of OAEP if none is named (RFC 8017, appendix A.2.1). */
#define USUAL_DIGEST "SHA1"

typedef struct {
    provider_rsa_key *key;
    int padding;        /* RSA_PKCS1_PADDING at first, with which nothing is done */
    provider_oaep oaep;
} cipher;

static const provider_padding paddings[] = {
    {OSSL_PKEY_RSA_PAD_MODE_NONE, RSA_NO_PADDING},
    {OSSL_PKEY_RSA_PAD_MODE_OAEP, RSA_PKCS1_OAEP_PADDING},
    {OSSL_PKEY_RSA_PAD_MODE_PKCSV15, RSA_PKCS1_PADDING},
};

#define PADDINGS (sizeof paddings / sizeof *paddings)

static void *newctx(void *provider)
{
    cipher *context = OPENSSL_zalloc(sizeof *context);

    if (context != NULL) {
        context->oaep.provider = provider;
        context->padding = RSA_PKCS1_PADDING;
    }
    return context;
}

static void freectx(void *data)
{
    cipher *context = data;

    if (context != NULL) {
        provider_rsa_key_free(context->key);
        EVP_MD_free(context->oaep.digest);
        EVP_MD_free(context->oaep.mask);
        OPENSSL_free(context->oaep.label);
    }
    OPENSSL_free(context);
}

/* Digest, mask and label of another context. */
static int copy_oaep(provider_oaep *oaep, const provider_oaep *from)
{
    if (from->digest != NULL && EVP_MD_up_ref(from->digest)) {
        oaep->digest = from->digest;
    }
    if (from->mask != NULL && EVP_MD_up_ref(from->mask)) {
        oaep->mask = from->mask;
    }
    if (from->label != NULL) {
        oaep->label = OPENSSL_memdup(from->label, from->label_size);
        oaep->label_size = from->label_size;
    }
    return oaep->digest == from->digest && oaep->mask == from->mask &&
           (oaep->label != NULL) == (from->label != NULL);
}

static void *dupctx(void *data)
{
    const cipher *from = data;
    cipher *context = newctx(from->oaep.provider);

    if (context == NULL) {
        return NULL;
    }
    context->padding = from->padding;
    context->key = provider_rsa_key_reference(from->key);
    if (!copy_oaep(&context->oaep, &from->oaep)) {
        freectx(context);
        return NULL;
    }
    return context;
}

/* Parameters. */

static int set_padding(cipher *context, const OSSL_PARAM *param)
{
    int found = provider_padding_of(param, paddings, PADDINGS);

    if (found == 0) {
        RAISE(context->oaep.provider, REASON_UNSUPPORTED, "padding of encryption: oaep or none");
        return 0;
    }
    context->padding = found;
    return 1;
}

static int set_label(provider_oaep *oaep, const OSSL_PARAM *param)
{
    void *label = NULL;
    size_t size = 0;

    if (!OSSL_PARAM_get_octet_string(param, &label, 0, &size)) {
        return 0;
    }
    OPENSSL_free(oaep->label);
    oaep->label = label;
    oaep->label_size = size;
    return 1;
}

static int set_ctx_params(void *data, const OSSL_PARAM params[])
{
    cipher *context = data;
    const OSSL_PARAM *padding = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    const OSSL_PARAM *digest = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST);
    const OSSL_PARAM *mask = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST);
    const OSSL_PARAM *label = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);

    return (padding == NULL || set_padding(context, padding)) &&
           (digest == NULL ||
            provider_digest_set(
                context->oaep.provider, &context->oaep.digest, digest,
                OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS))) &&
           (mask == NULL ||
            provider_digest_set(
                context->oaep.provider, &context->oaep.mask, mask,
                OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS))) &&
           (label == NULL || set_label(&context->oaep, label));
}

static const OSSL_PARAM *settable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

static int get_digest(const EVP_MD *digest, OSSL_PARAM *param)
{
    return OSSL_PARAM_set_utf8_string(param, digest != NULL ? EVP_MD_get0_name(digest) : USUAL_DIGEST);
}

static int get_ctx_params(void *data, OSSL_PARAM params[])
{
    const cipher *context = data;
    OSSL_PARAM *padding = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    OSSL_PARAM *digest = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST);
    OSSL_PARAM *mask = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST);
    OSSL_PARAM *label = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);

    return (padding == NULL ||
            provider_padding_tell(padding, paddings, PADDINGS, context->padding)) &&
           (digest == NULL || get_digest(context->oaep.digest, digest)) &&
           (mask == NULL || get_digest(provider_oaep_mask(&context->oaep), mask)) &&
           (label == NULL ||
            OSSL_PARAM_set_octet_ptr(label, context->oaep.label, context->oaep.label_size));
}

static const OSSL_PARAM *gettable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

/* Encryption and decryption. */

static int init(cipher *context, provider_rsa_key *key, const OSSL_PARAM params[], int private)
{
    return provider_rsa_hold(context->oaep.provider, &context->key, key, private) &&
           (params == NULL || set_ctx_params(context, params));
}

static int encrypt_init(void *data, void *key, const OSSL_PARAM params[])
{
    return init(data, key, params, 0);
}

static int decrypt_init(void *data, void *key, const OSSL_PARAM params[])
{
    return init(data, key, params, 1);
}

/* Whether something is done with the padding; OAEP gets the usual digest where none was named. */
static int is_usable(cipher *context)
{
    provider_oaep *oaep = &context->oaep;

    if (context->padding == RSA_PKCS1_PADDING) {
        RAISE(oaep->provider, REASON_UNSUPPORTED, "padding of encryption: oaep or none");
        return 0;
    }
    return context->padding == RSA_NO_PADDING || oaep->digest != NULL ||
           provider_digest_use(oaep->provider, &oaep->digest, USUAL_DIGEST, NULL);
}

/* The number that is encrypted for a message. */
static int make_block(const cipher *context, const unsigned char *message, size_t message_size,
                      uint8_t *block, size_t all)
{
    int good;

    if (context->padding == RSA_NO_PADDING) {
        good = message_size == all && provider_rsa_is_below(context->key, message);
        if (good) {
            memcpy(block, message, all);
        }
    } else {
        good = provider_oaep_block(&context->oaep, message, message_size, block, all);
    }
    if (!good) {
        RAISE(context->oaep.provider, REASON_MESSAGE, "%zu bytes, with a key of %zu", message_size, all);
    }
    return good;
}

static int encrypt(void *data, unsigned char *bytes, size_t *size, size_t room,
                   const unsigned char *message, size_t message_size)
{
    cipher *context = data;
    uint8_t *block;
    size_t all;
    int good;

    if (!provider_rsa_holds(context->oaep.provider, context->key, 0)) {
        return 0;
    }
    all = *size = provider_rsa_size(context->key);
    if (bytes == NULL) {
        return 1;
    }
    if (room < all) {
        RAISE(context->oaep.provider, REASON_BUFFER, "%zu bytes of %zu", room, all);
        return 0;
    }
    if (!is_usable(context)) {
        return 0;
    }
    block = OPENSSL_zalloc(all);
    good = block != NULL && make_block(context, message, message_size, block, all) &&
           provider_core_power(context->key, block, bytes);
    OPENSSL_clear_free(block, all);
    return good;
}

/* The message in a number that was decrypted. */
static int open_block(const cipher *context, uint8_t *block, size_t all, unsigned char *bytes,
                      size_t *size, size_t room)
{
    const uint8_t *message = block;
    size_t message_size = all;

    if (context->padding != RSA_NO_PADDING &&
        !provider_oaep_open(&context->oaep, block, all, &message, &message_size)) {
        RAISE(context->oaep.provider, REASON_CIPHERTEXT, "with a key of %zu bytes", all);
        return 0;
    }
    if (room < message_size) {
        RAISE(context->oaep.provider, REASON_BUFFER, "%zu bytes of %zu", room, message_size);
        return 0;
    }
    memcpy(bytes, message, message_size);
    *size = message_size;
    return 1;
}

static int decrypt(void *data, unsigned char *bytes, size_t *size, size_t room,
                   const unsigned char *encrypted, size_t encrypted_size)
{
    cipher *context = data;
    uint8_t *block;
    size_t all;
    int good;

    if (!provider_rsa_holds(context->oaep.provider, context->key, 1)) {
        return 0;
    }
    all = provider_rsa_size(context->key);
    if (bytes == NULL) {
        *size = all;
        return 1;
    }
    if (!is_usable(context)) {
        return 0;
    }
    if (encrypted_size != all || !provider_rsa_is_below(context->key, encrypted)) {
        RAISE(context->oaep.provider, REASON_CIPHERTEXT, "%zu bytes, with a key of %zu", encrypted_size,
              all);
        return 0;
    }
    block = OPENSSL_zalloc(all);
    good = block != NULL && provider_core_root(context->key, encrypted, block) &&
           open_block(context, block, all, bytes, size, room);
    OPENSSL_clear_free(block, all);
    return good;
}

const OSSL_DISPATCH provider_rsa_encryption_functions[] = {
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_NEWCTX, newctx),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_FREECTX, freectx),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_DUPCTX, dupctx),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, encrypt_init),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, encrypt),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, decrypt_init),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, set_ctx_params),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, get_ctx_params),
    FUNCTION(OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params),
    {0, NULL},
};
