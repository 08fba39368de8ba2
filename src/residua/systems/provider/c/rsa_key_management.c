/* Key management: RSA keys of lengths and exponents that cores take. */
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

#include "provider.h"

#define PUBLIC OSSL_KEYMGMT_SELECT_PUBLIC_KEY
#define PRIVATE OSSL_KEYMGMT_SELECT_PRIVATE_KEY

#define DEFAULT_BITS 2048
#define DEFAULT_EXPONENT 65537

/* A number of a key: its name, its place, and whether it is of the private part. */
typedef struct {
    const char *name;
    BIGNUM **place;
    int private;
} number;

enum { NUMBERS = 8 };

static void list_numbers(provider_rsa_key *key, number *numbers)
{
    const number list[NUMBERS] = {
        {OSSL_PKEY_PARAM_RSA_N, &key->n, 0},
        {OSSL_PKEY_PARAM_RSA_E, &key->e, 0},
        {OSSL_PKEY_PARAM_RSA_D, &key->d, 1},
        {OSSL_PKEY_PARAM_RSA_FACTOR1, &key->p, 1},
        {OSSL_PKEY_PARAM_RSA_FACTOR2, &key->q, 1},
        {OSSL_PKEY_PARAM_RSA_EXPONENT1, &key->d_p, 1},
        {OSSL_PKEY_PARAM_RSA_EXPONENT2, &key->d_q, 1},
        {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, &key->coefficient, 1},
    };
    int i;

    for (i = 0; i < NUMBERS; i++) {
        numbers[i] = list[i];
    }
}

/* EVP gives keys without const, but for these functions. */
static provider_rsa_key *changeable(const void *data)
{
    return (provider_rsa_key *)(uintptr_t)data;
}

static int has(const void *data, int selection)
{
    const provider_rsa_key *key = data;

    return key != NULL && ((selection & PUBLIC) == 0 || key->n != NULL) &&
           ((selection & PRIVATE) == 0 || key->p != NULL);
}

static int match(const void *first, const void *second, int selection)
{
    const provider_rsa_key *a = first, *b = second;

    (void)selection;
    return has(a, PUBLIC) && has(b, PUBLIC) && BN_cmp(a->n, b->n) == 0 && BN_cmp(a->e, b->e) == 0;
}

/* Takes a key without asking the core. One that no core takes is left to other providers. */
static int import(void *data, int selection, const OSSL_PARAM params[])
{
    provider_rsa_key *key = data;
    number numbers[NUMBERS];
    int i, good = 1, wanted = (selection & PRIVATE) != 0;

    list_numbers(key, numbers);
    wanted = wanted && OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_D) != NULL;
    for (i = 0; good && i < NUMBERS; i++) {
        const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, numbers[i].name);

        if (!numbers[i].private || wanted) {
            good = param != NULL && OSSL_PARAM_get_BN(param, numbers[i].place);
        }
        if (!good) {
            RAISE(key->provider, REASON_KEY, "%s is missing", numbers[i].name);
        }
    }
    return good && provider_rsa_find(key);
}

static const OSSL_PARAM key_types[] = {
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR1, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR2, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT1, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT2, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *types(int selection)
{
    (void)selection;
    return key_types;
}

static int export(void *data, int selection, OSSL_CALLBACK *callback, void *argument)
{
    provider_rsa_key *key = data;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    number numbers[NUMBERS];
    int i, good = builder != NULL && has(key, selection & (PUBLIC | PRIVATE));

    list_numbers(key, numbers);
    for (i = 0; good && i < NUMBERS; i++) {
        if ((selection & (numbers[i].private ? PRIVATE : PUBLIC | PRIVATE)) != 0) {
            good = OSSL_PARAM_BLD_push_BN(builder, numbers[i].name, *numbers[i].place);
        }
    }
    params = good ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    good = params != NULL && callback(params, argument);
    for (i = 0; params != NULL && params[i].key != NULL; i++) {
        OPENSSL_cleanse(params[i].data, params[i].data_size);
    }
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    return good;
}

/* A copy of the parts that are selected. */
static void *duplicate(const void *data, int selection)
{
    provider_rsa_key *from = changeable(data), *key = provider_rsa_key_new(from->provider);
    number own[NUMBERS], numbers[NUMBERS];
    int i, good = key != NULL;

    if (!good) {
        return NULL;
    }
    list_numbers(key, own);
    list_numbers(from, numbers);
    for (i = 0; good && i < NUMBERS; i++) {
        if ((selection & (numbers[i].private ? PRIVATE : PUBLIC)) != 0 && *numbers[i].place != NULL) {
            *own[i].place = BN_dup(*numbers[i].place);
            good = *own[i].place != NULL;
        }
    }
    if (good && key->n != NULL) {
        /* Without its private part the key may be one that no core takes. */
        key->public_core = from->public_core;
        key->private_core = key->p != NULL ? from->private_core : NULL;
    }
    if (!good) {
        provider_rsa_key_free(key);
        key = NULL;
    }
    return key;
}

/* Whether 1 is the product of two numbers modulo a third one. */
static int is_inverse(const BIGNUM *a, const BIGNUM *b, const BIGNUM *modulus, BN_CTX *memory)
{
    BIGNUM *product = BN_CTX_get(memory);

    return product != NULL && BN_mod_mul(product, a, b, modulus, memory) && BN_is_one(product);
}

/* Whether a prime's own exponent is right. */
static int is_half(const provider_rsa_key *key, const BIGNUM *prime, const BIGNUM *exponent,
                   BN_CTX *memory)
{
    BIGNUM *below = BN_CTX_get(memory);

    return below != NULL && BN_sub(below, prime, BN_value_one()) &&
           BN_check_prime(prime, memory, NULL) == 1 && is_inverse(key->e, exponent, below, memory) &&
           is_inverse(key->e, key->d, below, memory);
}

static int is_pair(const provider_rsa_key *key)
{
    BN_CTX *memory = BN_CTX_secure_new_ex(key->provider->libctx);
    BIGNUM *product;
    int good;

    if (memory == NULL) {
        return 0;
    }
    BN_CTX_start(memory);
    product = BN_CTX_get(memory);
    good = product != NULL && BN_mul(product, key->p, key->q, memory) &&
           BN_cmp(product, key->n) == 0 && is_half(key, key->p, key->d_p, memory) &&
           is_half(key, key->q, key->d_q, memory) &&
           is_inverse(key->coefficient, key->q, key->p, memory);
    BN_CTX_end(memory);
    BN_CTX_free(memory);
    return good;
}

static int validate(const void *data, int selection, int check_type)
{
    const provider_rsa_key *key = data;

    (void)check_type;
    return has(key, selection & (PUBLIC | PRIVATE)) && BN_is_odd(key->n) && BN_is_odd(key->e) &&
           !BN_is_one(key->e) && ((selection & PRIVATE) == 0 || is_pair(key));
}

/* Facts about a key. */

static const OSSL_PARAM *gettable(void *provider)
{
    static const OSSL_PARAM facts[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)provider;
    return facts;
}

static int tell(OSSL_PARAM params[], const char *name, int value)
{
    OSSL_PARAM *wanted = OSSL_PARAM_locate(params, name);
    return wanted == NULL || OSSL_PARAM_set_int(wanted, value);
}

static int get_params(void *data, OSSL_PARAM params[])
{
    const provider_rsa_key *key = data;
    OSSL_PARAM *digest = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_DEFAULT_DIGEST);
    OSSL_PARAM *n = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_N);
    OSSL_PARAM *e = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_E);
    int bits;

    if (key->n == NULL) {
        return 1;
    }
    bits = BN_num_bits(key->n);
    return tell(params, OSSL_PKEY_PARAM_BITS, bits) &&
           tell(params, OSSL_PKEY_PARAM_SECURITY_BITS, BN_security_bits(bits, -1)) &&
           tell(params, OSSL_PKEY_PARAM_MAX_SIZE, BN_num_bytes(key->n)) &&
           (digest == NULL || OSSL_PARAM_set_utf8_string(digest, "SHA256")) &&
           (n == NULL || OSSL_PARAM_set_BN(n, key->n)) &&
           (e == NULL || OSSL_PARAM_set_BN(e, key->e));
}

/* Generation: primes are searched for by another provider, which no core does. */

typedef struct {
    residua_provider *provider;
    size_t bits;
    BIGNUM *e;
} generation;

static void gen_cleanup(void *context)
{
    generation *own = context;

    if (own != NULL) {
        BN_free(own->e);
    }
    OPENSSL_free(own);
}

static int gen_set_params(void *context, const OSSL_PARAM params[])
{
    generation *own = context;
    const OSSL_PARAM *bits = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_BITS);
    const OSSL_PARAM *e = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_E);

    return (bits == NULL || OSSL_PARAM_get_size_t(bits, &own->bits)) &&
           (e == NULL || OSSL_PARAM_get_BN(e, &own->e));
}

static void *gen_init(void *provider, int selection, const OSSL_PARAM params[])
{
    generation *own = OPENSSL_zalloc(sizeof *own);

    (void)selection;
    if (own != NULL) {
        own->provider = provider;
        own->bits = DEFAULT_BITS;
        own->e = BN_new();
        if (own->e == NULL || !BN_set_word(own->e, DEFAULT_EXPONENT) ||
            (params != NULL && !gen_set_params(own, params))) {
            gen_cleanup(own);
            own = NULL;
        }
    }
    return own;
}

static const OSSL_PARAM *gen_settable(void *context, void *provider)
{
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_size_t(OSSL_PKEY_PARAM_RSA_BITS, NULL),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return known;
}

/* A key of another provider, with all its numbers. */
static EVP_PKEY *generated(const generation *own)
{
    EVP_PKEY_CTX *other =
        EVP_PKEY_CTX_new_from_name(own->provider->libctx, "RSA", "provider!=residua");
    EVP_PKEY *key = NULL;
    OSSL_PARAM params[2];
    unsigned char e[sizeof(uint64_t)];
    size_t bits = own->bits;
    int size = BN_bn2nativepad(own->e, e, sizeof e);

    params[0] = OSSL_PARAM_construct_size_t(OSSL_PKEY_PARAM_RSA_BITS, &bits);
    params[1] = OSSL_PARAM_construct_end();
    if (other != NULL && size > 0 && EVP_PKEY_keygen_init(other) == 1 &&
        EVP_PKEY_CTX_set_params(other, params) == 1) {
        params[0] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, e, sizeof e);
        if (EVP_PKEY_CTX_set_params(other, params) == 1) {
            (void)EVP_PKEY_generate(other, &key);
        }
    }
    EVP_PKEY_CTX_free(other);
    return key;
}

static void *gen(void *context, OSSL_CALLBACK *callback, void *argument)
{
    generation *own = context;
    EVP_PKEY *other = NULL;
    OSSL_PARAM *params = NULL;
    provider_rsa_key *key = NULL;

    (void)callback;
    (void)argument;
    if (own->bits > (1u << 15) || !provider_rsa_takes(own->provider, (int)own->bits, own->e)) {
        RAISE(own->provider, REASON_NO_RSA_CORE, "%zu bits, private key", own->bits);
        return NULL;
    }
    other = generated(own);
    if (other != NULL && EVP_PKEY_todata(other, EVP_PKEY_KEYPAIR, &params) == 1) {
        key = provider_rsa_key_new(own->provider);
    }
    if (key != NULL && !import(key, PUBLIC | PRIVATE, params)) {
        provider_rsa_key_free(key);
        key = NULL;
    }
    OSSL_PARAM_free(params);
    EVP_PKEY_free(other);
    return key;
}

static const char *operation_name(int operation)
{
    (void)operation;
    return "RSA";
}

const OSSL_DISPATCH provider_rsa_keymgmt[] = {
    FUNCTION(OSSL_FUNC_KEYMGMT_NEW, provider_rsa_key_new),
    FUNCTION(OSSL_FUNC_KEYMGMT_FREE, provider_rsa_key_free),
    FUNCTION(OSSL_FUNC_KEYMGMT_HAS, has),
    FUNCTION(OSSL_FUNC_KEYMGMT_MATCH, match),
    FUNCTION(OSSL_FUNC_KEYMGMT_VALIDATE, validate),
    FUNCTION(OSSL_FUNC_KEYMGMT_DUP, duplicate),
    FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT, import),
    FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, types),
    FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT, export),
    FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, types),
    FUNCTION(OSSL_FUNC_KEYMGMT_GET_PARAMS, get_params),
    FUNCTION(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, gettable),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_INIT, gen_init),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, gen_set_params),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, gen_settable),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN, gen),
    FUNCTION(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, gen_cleanup),
    FUNCTION(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, operation_name),
    {0, NULL},
};
