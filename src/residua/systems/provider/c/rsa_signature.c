/* Signatures: RSA, with PKCS #1 v1.5 or PSS, of a digest or of a message. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "provider.h"

/* Enough for the AlgorithmIdentifier of any digest and mask. */
#define IDENTIFIER_SIZE 256

#define SALT_OF_DIGEST RSA_PSS_SALTLEN_DIGEST
#define ANY_SALT RSA_PSS_SALTLEN_AUTO
#define LONGEST_SALT RSA_PSS_SALTLEN_MAX
#define SALT_UP_TO_DIGEST (-4) /* OpenSSL 3.1 and later: RSA_PSS_SALTLEN_AUTO_DIGEST_MAX */

typedef struct {
    provider_rsa_key *key;
    provider_message message;
    EVP_MD *mask; /* of PSS; NULL for the digest of the message */
    int padding;  /* RSA_PKCS1_PADDING or RSA_PKCS1_PSS_PADDING */
    int salt;     /* its bytes, or one of the names above */
} signature;

static const provider_padding paddings[] = {
    {OSSL_PKEY_RSA_PAD_MODE_PKCSV15, RSA_PKCS1_PADDING},
    {OSSL_PKEY_RSA_PAD_MODE_PSS, RSA_PKCS1_PSS_PADDING},
};

#define PADDINGS (sizeof paddings / sizeof *paddings)

static const struct {
    const char *name;
    int value;
} salts[] = {
    {OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST, SALT_OF_DIGEST},
    {OSSL_PKEY_RSA_PSS_SALT_LEN_MAX, LONGEST_SALT},
    {OSSL_PKEY_RSA_PSS_SALT_LEN_AUTO, ANY_SALT},
    {"auto-digestmax", SALT_UP_TO_DIGEST},
};

static void *newctx(void *provider, const char *properties)
{
    signature *context = OPENSSL_zalloc(sizeof *context);

    (void)properties;
    if (context != NULL) {
        context->message.provider = provider;
        context->padding = RSA_PKCS1_PADDING;
        context->salt = SALT_UP_TO_DIGEST;
    }
    return context;
}

static void freectx(void *data)
{
    signature *context = data;

    if (context != NULL) {
        provider_rsa_key_free(context->key);
        provider_message_free(&context->message);
        EVP_MD_free(context->mask);
    }
    OPENSSL_free(context);
}

static void *dupctx(void *data)
{
    const signature *from = data;
    signature *context = newctx(from->message.provider, NULL);
    int good;

    if (context == NULL) {
        return NULL;
    }
    context->padding = from->padding;
    context->salt = from->salt;
    context->key = provider_rsa_key_reference(from->key);
    good = provider_message_copy(&context->message, &from->message) &&
           (from->mask == NULL || EVP_MD_up_ref(from->mask));
    if (!good) {
        freectx(context);
        return NULL;
    }
    context->mask = from->mask;
    return context;
}

/* Parameters. */

static int set_padding(signature *context, const OSSL_PARAM *param)
{
    int found = provider_padding_of(param, paddings, PADDINGS);

    if (found == 0) {
        RAISE(context->message.provider, REASON_UNSUPPORTED, "padding of signatures: pkcs1 or pss");
        return 0;
    }
    context->padding = found;
    return 1;
}

static int set_salt(signature *context, const OSSL_PARAM *param)
{
    char name[NAME_SIZE], *target = name, *end = name;
    long found = LONG_MIN;
    int number;
    size_t i;

    if (param->data_type != OSSL_PARAM_UTF8_STRING) {
        found = OSSL_PARAM_get_int(param, &number) ? number : LONG_MIN;
    } else if (OSSL_PARAM_get_utf8_string(param, &target, sizeof name)) {
        for (i = 0; i < sizeof salts / sizeof *salts; i++) {
            found = strcmp(name, salts[i].name) == 0 ? salts[i].value : found;
        }
        if (found == LONG_MIN && name[0] >= '0' && name[0] <= '9') {
            found = strtol(name, &end, 10);
            found = *end == '\0' ? found : LONG_MIN;
        }
    }
    if (found < SALT_UP_TO_DIGEST || found > INT_MAX) {
        RAISE(context->message.provider, REASON_UNSUPPORTED, "length of the salt");
        return 0;
    }
    context->salt = (int)found;
    return 1;
}

static int set_ctx_params(void *data, const OSSL_PARAM params[])
{
    signature *context = data;
    const OSSL_PARAM *padding = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    const OSSL_PARAM *salt = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
    const OSSL_PARAM *mask = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST);

    return provider_message_set_params(&context->message, params) &&
           (padding == NULL || set_padding(context, padding)) &&
           (salt == NULL || set_salt(context, salt)) &&
           (mask == NULL ||
            provider_digest_set(context->message.provider, &context->mask, mask, NULL));
}

static const OSSL_PARAM *settable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

static const EVP_MD *mask_of(const signature *context)
{
    return context->mask != NULL ? context->mask : context->message.digest;
}

/* Bytes of the salt of a new signature; negative if none fits. */
static int salt_size(const signature *context)
{
    int digest = EVP_MD_get_size(context->message.digest);
    int most = (BN_num_bits(context->key->n) + 6) / 8 - digest - 2;

    switch (context->salt) {
    case SALT_OF_DIGEST:
        return digest <= most ? digest : -1;
    case SALT_UP_TO_DIGEST:
        return digest < most ? digest : most;
    case LONGEST_SALT:
    case ANY_SALT:
        return most;
    default:
        return context->salt <= most ? context->salt : -1;
    }
}

/* The parameters of RSASSA-PSS (RFC 8017, appendix A.2.3) as a string in DER. */
static ASN1_STRING *pss_parameters(const signature *context)
{
    RSA_PSS_PARAMS *parameters = RSA_PSS_PARAMS_new();
    ASN1_STRING *packed = NULL, *own = NULL;
    X509_ALGOR *mask = X509_ALGOR_new();
    int good = parameters != NULL && mask != NULL;

    if (good) {
        parameters->hashAlgorithm = X509_ALGOR_new();
        parameters->maskGenAlgorithm = X509_ALGOR_new();
        parameters->saltLength = ASN1_INTEGER_new();
        good = parameters->hashAlgorithm != NULL && parameters->maskGenAlgorithm != NULL &&
               parameters->saltLength != NULL;
    }
    if (good) {
        X509_ALGOR_set_md(parameters->hashAlgorithm, context->message.digest);
        X509_ALGOR_set_md(mask, mask_of(context));
        good = ASN1_INTEGER_set(parameters->saltLength, salt_size(context)) &&
               ASN1_item_pack(mask, ASN1_ITEM_rptr(X509_ALGOR), &own) != NULL;
    }
    if (good && X509_ALGOR_set0(parameters->maskGenAlgorithm, OBJ_nid2obj(NID_mgf1), V_ASN1_SEQUENCE,
                                own)) {
        own = NULL;
        (void)ASN1_item_pack(parameters, ASN1_ITEM_rptr(RSA_PSS_PARAMS), &packed);
    }
    ASN1_STRING_free(own);
    X509_ALGOR_free(mask);
    RSA_PSS_PARAMS_free(parameters);
    return packed;
}

/* The AlgorithmIdentifier of the signature, in DER; its size, 0 if there is none. */
static size_t identifier(const signature *context, unsigned char *bytes)
{
    X509_ALGOR *algorithm = X509_ALGOR_new();
    int number, size = 0, good = 0;

    if (algorithm != NULL && context->padding == RSA_PKCS1_PADDING) {
        good = OBJ_find_sigid_by_algs(&number, EVP_MD_get_type(context->message.digest),
                                      NID_rsaEncryption) &&
               X509_ALGOR_set0(algorithm, OBJ_nid2obj(number), V_ASN1_NULL, NULL);
    } else if (algorithm != NULL && context->key != NULL && salt_size(context) >= 0) {
        ASN1_STRING *parameters = pss_parameters(context);

        good = parameters != NULL &&
               X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_rsassaPss), V_ASN1_SEQUENCE, parameters);
        if (!good) {
            ASN1_STRING_free(parameters);
        }
    }
    if (good) {
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
    OSSL_PARAM *padding = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    OSSL_PARAM *digest = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST);
    unsigned char bytes[IDENTIFIER_SIZE];
    size_t used;

    if (padding != NULL && !provider_padding_tell(padding, paddings, PADDINGS, context->padding)) {
        return 0;
    }
    if (context->message.digest == NULL) {
        return algorithm == NULL && digest == NULL;
    }
    used = algorithm != NULL ? identifier(context, bytes) : 0;
    return (algorithm == NULL ||
            (used > 0 && OSSL_PARAM_set_octet_string(algorithm, bytes, used))) &&
           (digest == NULL ||
            OSSL_PARAM_set_utf8_string(digest, EVP_MD_get0_name(context->message.digest)));
}

static const OSSL_PARAM *gettable_ctx_params(void *data, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)provider;
    return known;
}

/* Signatures of digests. */

static int init(signature *context, provider_rsa_key *key, const OSSL_PARAM params[], int private)
{
    provider_message_end(&context->message);
    return provider_rsa_hold(context->message.provider, &context->key, key, private) &&
           (params == NULL || set_ctx_params(context, params));
}

static int sign_init(void *data, void *key, const OSSL_PARAM params[])
{
    return init(data, key, params, 1);
}

static int verify_init(void *data, void *key, const OSSL_PARAM params[])
{
    return init(data, key, params, 0);
}

/* A digest has to be named, and to have its size. */
static int digest_fits(const signature *context, size_t size)
{
    const EVP_MD *digest = context->message.digest;

    if (context->key == NULL || digest == NULL || size != (size_t)EVP_MD_get_size(digest)) {
        RAISE(context->message.provider, REASON_DIGEST, "%zu bytes, and %s", size,
              digest != NULL ? EVP_MD_get0_name(digest) : "none is named");
        return 0;
    }
    return 1;
}

static int make_pss(const signature *context, const unsigned char *digest, uint8_t *block)
{
    int size = salt_size(context), good = size >= 0;
    uint8_t *salt = good ? OPENSSL_zalloc((size_t)size + 1) : NULL;

    good = salt != NULL &&
           (size == 0 ||
            RAND_bytes_ex(context->message.provider->libctx, salt, (size_t)size, 0) == 1) &&
           provider_pss_block(context->message.digest, mask_of(context), digest, salt, (size_t)size,
                              BN_num_bits(context->key->n), block);
    OPENSSL_free(salt);
    return good;
}

static int sign(void *data, unsigned char *bytes, size_t *size, size_t room,
                const unsigned char *digest, size_t digest_size)
{
    const signature *context = data;
    uint8_t *block;
    size_t all;
    int good;

    if (!provider_rsa_holds(context->message.provider, context->key, 1)) {
        return 0;
    }
    all = *size = provider_rsa_size(context->key);
    if (bytes == NULL) {
        return 1;
    }
    if (!digest_fits(context, digest_size)) {
        return 0;
    }
    block = OPENSSL_zalloc(all);
    good = block != NULL && room >= all &&
           (context->padding == RSA_PKCS1_PADDING
                ? provider_pkcs1_block(context->message.digest, digest, block, all)
                : make_pss(context, digest, block));
    if (!good) {
        RAISE(context->message.provider, REASON_SIGNATURE, "a key of %zu bytes, into %zu", all, room);
    }
    good = good && provider_core_root(context->key, block, bytes);
    OPENSSL_free(block);
    return good;
}

static int matches(const signature *context, const unsigned char *digest, const uint8_t *block,
                   size_t size)
{
    uint8_t *right;
    int good, salt = context->salt;

    if (context->padding != RSA_PKCS1_PADDING) {
        salt = salt == SALT_OF_DIGEST ? EVP_MD_get_size(context->message.digest) : salt;
        salt = salt == LONGEST_SALT ? salt_size(context) : salt;
        return provider_pss_matches(context->message.digest, mask_of(context), digest, salt,
                                    BN_num_bits(context->key->n), block);
    }
    right = OPENSSL_zalloc(size);
    good = right != NULL && provider_pkcs1_block(context->message.digest, digest, right, size) &&
           memcmp(right, block, size) == 0;
    OPENSSL_free(right);
    return good;
}

static int verify(void *data, const unsigned char *bytes, size_t size, const unsigned char *digest,
                  size_t digest_size)
{
    const signature *context = data;
    uint8_t *block;
    int good;

    if (!digest_fits(context, digest_size) || size != provider_rsa_size(context->key)) {
        return 0;
    }
    block = OPENSSL_zalloc(size);
    good = block != NULL && provider_rsa_is_below(context->key, bytes) &&
           provider_core_power(context->key, bytes, block) && matches(context, digest, block, size);
    OPENSSL_free(block);
    return good;
}

/* Signatures of messages. */

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

const OSSL_DISPATCH provider_rsa_signature_functions[] = {
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
