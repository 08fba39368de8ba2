/* Key management: EC keys of curves that cores have, and X25519 keys. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "provider.h"

#define PARAMETERS OSSL_KEYMGMT_SELECT_ALL_PARAMETERS
#define PUBLIC OSSL_KEYMGMT_SELECT_PUBLIC_KEY
#define PRIVATE OSSL_KEYMGMT_SELECT_PRIVATE_KEY

#define X25519 "X25519"

static int set_curve(provider_key *key, const char *name)
{
    key->has_curve = provider_find(key->provider, key->montgomery, name, &key->curve);
    if (!key->has_curve) {
        RAISE(key->provider, REASON_NO_CURVE, "%s", name);
    }
    return key->has_curve;
}

static void *new_ec(void *provider)
{
    return provider_key_new(provider, 0);
}

static void *new_x25519(void *provider)
{
    provider_key *key = provider_key_new(provider, 1);

    if (key != NULL && !set_curve(key, X25519)) {
        provider_key_free(key);
        return NULL;
    }
    return key;
}

/* A key that nothing was put into yet is NULL. */
static int has(const void *data, int selection)
{
    const provider_key *key = data;
    int public = key != NULL && (key->has_private || key->has_public);

    return key != NULL && ((selection & PARAMETERS) == 0 || key->has_curve) &&
           ((selection & PUBLIC) == 0 || public) && ((selection & PRIVATE) == 0 || key->has_private);
}

static int same_curve(const provider_key *a, const provider_key *b)
{
    return a != NULL && b != NULL && a->has_curve && b->has_curve && a->curve.names == b->curve.names;
}

/* EVP gives keys without const, but for these functions. */
static provider_key *changeable(const void *data)
{
    return (provider_key *)(uintptr_t)data;
}

static int match(const void *first, const void *second, int selection)
{
    provider_key *a = changeable(first), *b = changeable(second);

    if (!same_curve(a, b)) {
        return 0;
    }
    if ((selection & (PUBLIC | PRIVATE)) == 0) {
        return 1;
    }
    if ((selection & PUBLIC) == 0) {
        return a->has_private && b->has_private &&
               CRYPTO_memcmp(a->private_key, b->private_key, provider_private_size(&a->curve)) == 0;
    }
    return provider_key_public(a) && provider_key_public(b) &&
           memcmp(a->public_key, b->public_key, provider_public_size(&a->curve)) == 0;
}

/* Whether the public part is that of the private one. */
static int is_pair(provider_key *key)
{
    uint8_t public_key[RESIDUA_ECC_MAX_POINT];

    return provider_core_public(&key->curve, key->private_key, public_key) &&
           memcmp(public_key, key->public_key, provider_public_size(&key->curve)) == 0;
}

/* On X25519 every string of 32 bytes is a key; whether it is of small order comes out with the
 * secret. */
static int validate(const void *data, int selection, int check_type)
{
    provider_key *key = changeable(data);

    (void)check_type;
    if (!has(key, PARAMETERS) || ((selection & PRIVATE) != 0 && !key->has_private)) {
        return 0;
    }
    if ((selection & PUBLIC) == 0) {
        return 1;
    }
    if (!provider_key_public(key) ||
        (!key->montgomery && !provider_core_validate(&key->curve, key->public_key))) {
        return 0;
    }
    return (selection & PRIVATE) == 0 || is_pair(key);
}

/* A copy of the parts that are selected. */
static void *duplicate(const void *data, int selection)
{
    const provider_key *from = data;
    provider_key *key = provider_key_new(from->provider, from->montgomery);

    if (key == NULL) {
        return NULL;
    }
    key->has_curve = from->has_curve;
    key->curve = from->curve;
    if ((selection & PRIVATE) != 0 && from->has_private) {
        memcpy(key->private_key, from->private_key, sizeof key->private_key);
        key->has_private = 1;
    }
    if ((selection & PUBLIC) != 0 && from->has_curve && has(from, PUBLIC)) {
        if (!provider_key_public(changeable(from))) {
            provider_key_free(key);
            return NULL;
        }
        memcpy(key->public_key, from->public_key, sizeof key->public_key);
        key->has_public = 1;
    }
    return key;
}

/* Import and export. */

static int import_private(provider_key *key, const OSSL_PARAM *param)
{
    BIGNUM *number = NULL;
    int good = 0;

    if (!key->montgomery) {
        good = OSSL_PARAM_get_BN(param, &number) && provider_key_set_private(key, number);
        BN_clear_free(number);
        return good;
    }
    if (param->data_type == OSSL_PARAM_OCTET_STRING &&
        param->data_size == provider_private_size(&key->curve)) {
        memcpy(key->private_key, param->data, param->data_size);
        good = key->has_private = 1;
    } else {
        RAISE(key->provider, REASON_KEY, "%zu bytes", param->data_size);
    }
    return good;
}

static int import_public(provider_key *key, const OSSL_PARAM *param)
{
    return param->data_type == OSSL_PARAM_OCTET_STRING &&
           provider_key_set_public(key, param->data, param->data_size);
}

/* Takes a key without asking the core: a core that is missing must not make OpenSSL take another
 * provider. */
static int import(void *data, int selection, const OSSL_PARAM params[])
{
    provider_key *key = data;
    const OSSL_PARAM *group = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME);
    const OSSL_PARAM *public = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PUB_KEY);
    const OSSL_PARAM *private = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PRIV_KEY);
    char name[NAME_SIZE], *target = name;

    if (!key->montgomery) {
        if (group == NULL || !OSSL_PARAM_get_utf8_string(group, &target, sizeof name)) {
            RAISE(key->provider, REASON_NO_CURVE, "the curve has no name");
            return 0;
        }
        if (!set_curve(key, name)) {
            return 0;
        }
    }
    if ((selection & PRIVATE) != 0 && private != NULL && !import_private(key, private)) {
        return 0;
    }
    if ((selection & PUBLIC) != 0 && public != NULL && !import_public(key, public)) {
        return 0;
    }
    return (selection & (PUBLIC | PRIVATE)) == 0 || has(key, PUBLIC);
}

static const OSSL_PARAM ec_key_types[] = {
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM x25519_key_types[] = {
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *ec_types(int selection)
{
    (void)selection;
    return ec_key_types;
}

static const OSSL_PARAM *x25519_types(int selection)
{
    (void)selection;
    return x25519_key_types;
}

/* The name of a curve for OpenSSL, which asks for no const. */
static char *group_name(const provider_key *key)
{
    return (char *)(uintptr_t)key->curve.names->names[0];
}

/* A private number of an EC key as OpenSSL hands it over: in the machine's byte order. */
static int native(const provider_key *key, uint8_t *bytes, size_t size)
{
    BIGNUM *number = BN_bin2bn(key->private_key, (int)size, NULL);
    int good = number != NULL && BN_bn2nativepad(number, bytes, (int)size) > 0;

    BN_clear_free(number);
    return good;
}

static int export(void *data, int selection, OSSL_CALLBACK *callback, void *argument)
{
    provider_key *key = data;
    OSSL_PARAM params[4], *next = params;
    uint8_t private_key[RESIDUA_ECC_MAX_NUMBER];
    size_t size = key->has_curve ? provider_private_size(&key->curve) : 0;
    int good = key->has_curve && has(key, selection & (PUBLIC | PRIVATE));

    if (good && !key->montgomery && (selection & PARAMETERS) != 0) {
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group_name(key), 0);
    }
    if (good && (selection & PUBLIC) != 0) {
        good = provider_key_public(key);
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, key->public_key,
                                                    provider_public_size(&key->curve));
    }
    if (good && (selection & PRIVATE) != 0 && key->montgomery) {
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, key->private_key, size);
    } else if (good && (selection & PRIVATE) != 0) {
        good = native(key, private_key, size);
        *next++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, private_key, size);
    }
    *next = OSSL_PARAM_construct_end();
    good = good && callback(params, argument);
    OPENSSL_cleanse(private_key, sizeof private_key);
    return good;
}

/* Facts about a key. */

static const OSSL_PARAM facts[] = {
    OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_FIELD_TYPE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *gettable(void *provider)
{
    (void)provider;
    return facts;
}

/* Bytes of a secret, or of the longest signature. */
static size_t most_bytes(const provider_key *key)
{
    return key->montgomery ? key->curve.numbers->field_size : provider_signature_size(&key->curve);
}

/* Sets a text if it is asked for. */
static int tell(OSSL_PARAM params[], const char *name, const char *text)
{
    OSSL_PARAM *wanted = OSSL_PARAM_locate(params, name);
    return wanted == NULL || OSSL_PARAM_set_utf8_string(wanted, text);
}

static int tell_number(OSSL_PARAM params[], const char *name, int number)
{
    OSSL_PARAM *wanted = OSSL_PARAM_locate(params, name);
    return wanted == NULL || OSSL_PARAM_set_int(wanted, number);
}

static int tell_public(provider_key *key, OSSL_PARAM params[], const char *name)
{
    OSSL_PARAM *wanted = OSSL_PARAM_locate(params, name);

    return wanted == NULL ||
           (provider_key_public(key) &&
            OSSL_PARAM_set_octet_string(wanted, key->public_key, provider_public_size(&key->curve)));
}

static int get_params(void *data, OSSL_PARAM params[])
{
    provider_key *key = data;
    int bits = key->has_curve ? key->curve.numbers->order_bits : 0;

    if (!key->has_curve) {
        return 1;
    }
    return tell_number(params, OSSL_PKEY_PARAM_BITS, bits) &&
           tell_number(params, OSSL_PKEY_PARAM_SECURITY_BITS,
                       (int)provider_security_bits(key->curve.numbers)) &&
           tell_number(params, OSSL_PKEY_PARAM_MAX_SIZE, (int)most_bytes(key)) &&
           tell(params, OSSL_PKEY_PARAM_GROUP_NAME, group_name(key)) &&
           (key->montgomery ||
            (tell(params, OSSL_PKEY_PARAM_DEFAULT_DIGEST, "SHA256") &&
             tell(params, OSSL_PKEY_PARAM_EC_FIELD_TYPE, "prime-field") &&
             tell(params, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed"))) &&
           tell_public(key, params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY) &&
           tell_public(key, params, OSSL_PKEY_PARAM_PUB_KEY);
}

static int set_params(void *data, const OSSL_PARAM params[])
{
    const OSSL_PARAM *encoded = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);

    return encoded == NULL || import_public(data, encoded);
}

static const OSSL_PARAM *settable(void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provider;
    return known;
}

/* Generation. */

typedef struct {
    provider_key *key; /* with a curve, or without one yet */
    int selection;
} generation;

static void gen_cleanup(void *context)
{
    generation *own = context;

    if (own != NULL) {
        provider_key_free(own->key);
    }
    OPENSSL_free(own);
}

static int gen_set_params(void *context, const OSSL_PARAM params[])
{
    generation *own = context;
    const OSSL_PARAM *group = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME);
    char name[NAME_SIZE], *target = name;

    if (group == NULL) {
        return 1;
    }
    return OSSL_PARAM_get_utf8_string(group, &target, sizeof name) && set_curve(own->key, name);
}

static void *gen_init(provider_key *key, int selection, const OSSL_PARAM params[])
{
    generation *own = OPENSSL_zalloc(sizeof *own);

    if (key == NULL || own == NULL) {
        provider_key_free(key);
        OPENSSL_free(own);
        return NULL;
    }
    own->key = key;
    own->selection = selection;
    if (params != NULL && !gen_set_params(own, params)) {
        gen_cleanup(own);
        return NULL;
    }
    return own;
}

static void *gen_init_ec(void *provider, int selection, const OSSL_PARAM params[])
{
    return gen_init(new_ec(provider), selection, params);
}

static void *gen_init_x25519(void *provider, int selection, const OSSL_PARAM params[])
{
    return gen_init(new_x25519(provider), selection, params);
}

static int gen_set_template(void *context, void *template)
{
    generation *own = context;
    const provider_key *from = template;

    own->key->has_curve = from->has_curve;
    own->key->curve = from->curve;
    return from->has_curve;
}

static const OSSL_PARAM *gen_settable(void *context, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return known;
}

/* A number in [1, n - 1], of OpenSSL's generator for secrets. */
static int random_private(provider_key *key)
{
    BN_CTX *memory = BN_CTX_secure_new_ex(key->provider->libctx);
    BIGNUM *order = provider_order(&key->curve), *number = BN_secure_new();
    int good = memory != NULL && order != NULL && number != NULL;

    do {
        good = good && BN_priv_rand_range_ex(number, order, 0, memory);
    } while (good && BN_is_zero(number));
    if (!good) {
        RAISE(key->provider, REASON_RANDOM, "for a private key");
    }
    good = good && provider_key_set_private(key, number);
    BN_free(order);
    BN_clear_free(number);
    BN_CTX_free(memory);
    return good;
}

static int random_bytes(provider_key *key)
{
    key->has_private = RAND_priv_bytes_ex(key->provider->libctx, key->private_key,
                                          provider_private_size(&key->curve), 0) == 1;
    if (!key->has_private) {
        RAISE(key->provider, REASON_RANDOM, "for a private key");
    }
    return key->has_private;
}

static void *gen(void *context, OSSL_CALLBACK *callback, void *argument)
{
    generation *own = context;
    provider_key *key = own->key;
    int pair = (own->selection & (PUBLIC | PRIVATE)) != 0;

    (void)callback;
    (void)argument;
    if (!key->has_curve) {
        RAISE(key->provider, REASON_NO_CURVE, "no curve was named");
        return NULL;
    }
    if (pair && (!(key->montgomery ? random_bytes(key) : random_private(key)) ||
                 !provider_key_public(key))) {
        return NULL;
    }
    own->key = duplicate(key, 0);
    if (own->key == NULL) {
        own->key = key;
        return NULL;
    }
    return key;
}

static const char *ec_operation(int operation)
{
    return operation == OSSL_OP_KEYEXCH ? "ECDH" : "ECDSA";
}

static const char *x25519_operation(int operation)
{
    (void)operation;
    return X25519;
}

#define COMMON                                                                                     \
    FUNCTION(OSSL_FUNC_KEYMGMT_FREE, provider_key_free),                                           \
        FUNCTION(OSSL_FUNC_KEYMGMT_HAS, has), FUNCTION(OSSL_FUNC_KEYMGMT_MATCH, match),            \
        FUNCTION(OSSL_FUNC_KEYMGMT_VALIDATE, validate),                                            \
        FUNCTION(OSSL_FUNC_KEYMGMT_DUP, duplicate), FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT, import),    \
        FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT, export),                                                \
        FUNCTION(OSSL_FUNC_KEYMGMT_GET_PARAMS, get_params),                                        \
        FUNCTION(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, gettable),                                     \
        FUNCTION(OSSL_FUNC_KEYMGMT_SET_PARAMS, set_params),                                        \
        FUNCTION(OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, settable),                                     \
        FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, gen_set_template),                            \
        FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, gen_set_params),                                \
        FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, gen_settable),                             \
        FUNCTION(OSSL_FUNC_KEYMGMT_GEN, gen),                                                      \
        FUNCTION(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, gen_cleanup)

const OSSL_DISPATCH provider_ec_keymgmt[] = {
    COMMON,
    FUNCTION(OSSL_FUNC_KEYMGMT_NEW, new_ec),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_INIT, gen_init_ec),
    FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, ec_types),
    FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, ec_types),
    FUNCTION(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, ec_operation),
    {0, NULL},
};

const OSSL_DISPATCH provider_x25519_keymgmt[] = {
    COMMON,
    FUNCTION(OSSL_FUNC_KEYMGMT_NEW, new_x25519),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_INIT, gen_init_x25519),
    FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, x25519_types),
    FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, x25519_types),
    FUNCTION(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, x25519_operation),
    {0, NULL},
};
