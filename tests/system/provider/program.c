/* Uses the provider by OpenSSL's library: in a context of its own, which has to take it, from
 * several threads and processes. Tells the first thing that is wrong. Memory that is given back with
 * a private key in it is counted. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#define PROVIDER "provider=residua"
#define SIZE 32 /* bytes of a number of P-256 */
#define MOST 48
#define POINT (1 + 2 * SIZE)
#define RSA_BITS 1024
#define ROOT (RSA_BITS / 8)
#define THREADS 4

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            ERR_print_errors_fp(stderr);                                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static OSSL_LIB_CTX *context;
static const unsigned char *watched; /* a private key, in both byte orders */
static int left;                     /* blocks that were given back with it */

static int holds(const unsigned char *memory, size_t size, int backwards)
{
    size_t i, j;

    for (i = 0; i + SIZE <= size; i++) {
        for (j = 0; j < SIZE && memory[i + j] == watched[backwards ? SIZE - 1 - j : j]; j++) {
        }
        if (j == SIZE) {
            return 1;
        }
    }
    return 0;
}

static void give_back(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    if (memory != NULL && watched != NULL) {
        size_t size = malloc_usable_size(memory);
        left += holds(memory, size, 0) || holds(memory, size, 1);
    }
    free(memory);
}

static void *take(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return malloc(size);
}

static void *resize(void *memory, size_t size, const char *file, int line)
{
    void *other = size > 0 ? malloc(size) : NULL;

    if (other != NULL && memory != NULL) {
        size_t before = malloc_usable_size(memory);
        memcpy(other, memory, before < size ? before : size);
    }
    if (size == 0 || other != NULL) {
        give_back(memory, file, line);
    }
    return other;
}

/* A key pair of P-256, of a private key and its public key. */
static EVP_PKEY *pair(const unsigned char *private_key, const unsigned char *public_key)
{
    unsigned char native[SIZE];
    char group[] = "P-256";
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_name(context, "EC", PROVIDER);
    OSSL_PARAM params[4];
    size_t i;

    for (i = 0; i < SIZE; i++) {
        native[i] = private_key[SIZE - 1 - i];
    }
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0);
    params[1] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, SIZE);
    params[2] = OSSL_PARAM_construct_end();
    params[3] = params[2];
    if (public_key != NULL) {
        params[2] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY,
                                                      (void *)(uintptr_t)public_key, POINT);
    }
    REQUIRE(own != NULL && EVP_PKEY_fromdata_init(own) == 1);
    (void)EVP_PKEY_fromdata(own, &key, EVP_PKEY_KEYPAIR, params);
    OPENSSL_cleanse(native, SIZE);
    EVP_PKEY_CTX_free(own);
    return key;
}

static EVP_PKEY *generated(const char *algorithm, const char *group)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_name(context, algorithm, PROVIDER);

    REQUIRE(own != NULL && EVP_PKEY_keygen_init(own) == 1);
    if (EVP_PKEY_CTX_set_group_name(own, group) == 1) {
        (void)EVP_PKEY_generate(own, &key);
    }
    EVP_PKEY_CTX_free(own);
    return key;
}

static size_t sign(EVP_PKEY *key, unsigned char *signature, size_t room)
{
    EVP_MD_CTX *own = EVP_MD_CTX_new();
    size_t size = room;

    REQUIRE(EVP_DigestSignInit_ex(own, NULL, "SHA256", context, PROVIDER, key, NULL) == 1);
    REQUIRE(EVP_DigestSign(own, signature, &size, (const unsigned char *)"text", 4) == 1);
    EVP_MD_CTX_free(own);
    return size;
}

/* Whether a key makes no signature, and gives nothing out. */
static int refuses(EVP_PKEY *key)
{
    EVP_MD_CTX *own = EVP_MD_CTX_new();
    unsigned char signature[ROOT] = {0}, before[ROOT] = {0};
    size_t size = sizeof signature;
    int code;

    REQUIRE(EVP_DigestSignInit_ex(own, NULL, "SHA256", context, PROVIDER, key, NULL) == 1);
    code = EVP_DigestSign(own, signature, &size, (const unsigned char *)"text", 4);
    EVP_MD_CTX_free(own);
    return code != 1 && memcmp(signature, before, sizeof before) == 0;
}

static int verify(EVP_PKEY *key, const unsigned char *signature, size_t size)
{
    EVP_MD_CTX *own = EVP_MD_CTX_new();
    int code;

    REQUIRE(EVP_DigestVerifyInit_ex(own, NULL, "SHA256", context, PROVIDER, key, NULL) == 1);
    code = EVP_DigestVerify(own, signature, size, (const unsigned char *)"text", 4);
    EVP_MD_CTX_free(own);
    return code;
}

/* A secret of at most MOST bytes; returns its size, 0 if there is none. */
static size_t derive(EVP_PKEY *key, EVP_PKEY *peer, unsigned char *secret)
{
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_pkey(context, key, PROVIDER);
    size_t size = MOST;
    int good;

    REQUIRE(own != NULL && EVP_PKEY_derive_init(own) == 1);
    good = EVP_PKEY_derive_set_peer_ex(own, peer, 1) == 1 && EVP_PKEY_derive(own, secret, &size) == 1;
    EVP_PKEY_CTX_free(own);
    return good ? size : 0;
}

static int check(EVP_PKEY *key)
{
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_pkey(context, key, PROVIDER);
    int code = EVP_PKEY_check(own);

    EVP_PKEY_CTX_free(own);
    return code;
}

static void keys(const char *algorithm, const char *group, size_t size)
{
    EVP_PKEY *first = generated(algorithm, group), *second = generated(algorithm, group);
    EVP_PKEY *copy = EVP_PKEY_dup(first);
    unsigned char one[MOST], other[MOST];

    REQUIRE(first != NULL && second != NULL && copy != NULL);
    REQUIRE(EVP_PKEY_eq(first, copy) == 1 && EVP_PKEY_eq(first, second) == 0);
    REQUIRE(check(first) == 1 && check(copy) == 1);
    REQUIRE(derive(first, second, one) == size && derive(second, copy, other) == size);
    REQUIRE(memcmp(one, other, size) == 0);
    EVP_PKEY_free(first);
    EVP_PKEY_free(second);
    EVP_PKEY_free(copy);
}

static void refusals(void)
{
    static const unsigned char zero[SIZE], order[SIZE] = {
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51};
    unsigned char one[SIZE] = {0}, beside[POINT] = {4}, secret[MOST];
    EVP_PKEY *key, *peer;

    one[SIZE - 1] = beside[POINT - 1] = 1;
    REQUIRE(generated("EC", "P-521") == NULL && generated("EC", "none") == NULL);
    REQUIRE(pair(zero, NULL) == NULL && pair(order, NULL) == NULL);
    beside[0] = 2;
    REQUIRE(pair(one, beside) == NULL);
    beside[0] = 4;
    key = pair(one, NULL);
    peer = pair(one, beside);
    REQUIRE(key != NULL && peer != NULL && check(key) == 1 && check(peer) != 1);
    REQUIRE(derive(key, peer, secret) == 0);
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
    ERR_clear_error();
}

/* A key that is used in every way, and given back. */
static void wipes(void)
{
    static const unsigned char private_key[SIZE] = {
        1,  22, 63, 24, 5,  46, 97, 28, 19, 10, 71, 62, 13, 94, 35, 16,
        17, 38, 9,  50, 21, 82, 43, 74, 25, 56, 27, 68, 29, 30, 81, 32};
    unsigned char signature[80], secret[MOST];
    EVP_PKEY *key, *copy, *other;
    BIGNUM *own = NULL;
    size_t size;

    watched = private_key;
    key = pair(private_key, NULL);
    REQUIRE(key != NULL);
    copy = EVP_PKEY_dup(key);
    other = generated("EC", "P-256");
    size = sign(key, signature, sizeof signature);
    REQUIRE(verify(copy, signature, size) == 1 && verify(other, signature, size) == 0);
    REQUIRE(derive(key, other, secret) == SIZE);
    REQUIRE(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &own) == 0 && own == NULL);
    EVP_PKEY_free(key);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(other);
    REQUIRE(left == 0);
    /* The watch itself works. */
    key = (void *)OPENSSL_memdup(private_key, SIZE);
    OPENSSL_free(key);
    REQUIRE(left == 1);
    watched = NULL;
}

static void *sign_and_verify(void *key)
{
    unsigned char signature[ROOT];
    size_t size = sign(key, signature, sizeof signature);

    REQUIRE(verify(key, signature, size) == 1);
    return NULL;
}

/* Two keys of one core, in turn. */
static void together(EVP_PKEY *key, EVP_PKEY *other)
{
    pthread_t threads[THREADS];
    pid_t child;
    int i, code;

    for (i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, sign_and_verify, i % 2 == 0 ? key : other) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    /* A child that only ends, and one that uses the core. */
    for (i = 0; i < 2; i++) {
        child = fork();
        if (child == 0) {
            if (i == 1) {
                (void)sign_and_verify(key);
            }
            EVP_PKEY_free(key);
            OSSL_LIB_CTX_free(context);
            _exit(0);
        }
        REQUIRE(waitpid(child, &code, 0) == child && code == 0);
    }
    (void)sign_and_verify(key);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

/* RSA keys. */

static EVP_PKEY *generated_rsa(size_t bits)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_name(context, "RSA", PROVIDER);

    REQUIRE(own != NULL && EVP_PKEY_keygen_init(own) == 1);
    REQUIRE(EVP_PKEY_CTX_set_rsa_keygen_bits(own, (int)bits) == 1);
    (void)EVP_PKEY_generate(own, &key);
    EVP_PKEY_CTX_free(own);
    return key;
}

/* The numbers of a key that is given back. */
static EVP_PKEY *from_numbers(OSSL_PARAM *params)
{
    EVP_PKEY_CTX *own = EVP_PKEY_CTX_new_from_name(context, "RSA", PROVIDER);
    EVP_PKEY *key = NULL;

    REQUIRE(own != NULL && EVP_PKEY_fromdata_init(own) == 1);
    (void)EVP_PKEY_fromdata(own, &key, EVP_PKEY_KEYPAIR, params);
    EVP_PKEY_CTX_free(own);
    return key;
}

static void wipes_rsa(void)
{
    unsigned char signature[ROOT], prime[ROOT], *bytes;
    EVP_PKEY *first = generated_rsa(RSA_BITS), *key, *copy;
    OSSL_PARAM *params = NULL, *p, *d_p;

    REQUIRE(first != NULL && EVP_PKEY_todata(first, EVP_PKEY_KEYPAIR, &params) == 1);
    EVP_PKEY_free(first);
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_FACTOR1);
    REQUIRE(p != NULL && p->data_size >= SIZE && p->data_size <= ROOT);
    memcpy(prime, p->data, p->data_size);
    watched = prime;
    key = from_numbers(params);
    REQUIRE(key != NULL);
    copy = EVP_PKEY_dup(key);
    REQUIRE(copy != NULL && check(key) == 1 && EVP_PKEY_eq(key, copy) == 1);
    REQUIRE(verify(copy, signature, sign(key, signature, sizeof signature)) == 1);
    EVP_PKEY_free(key);
    EVP_PKEY_free(copy);
    REQUIRE(left == 0);
    watched = NULL;
    /* A number that is wrong makes no key, or no signature. */
    d_p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_EXPONENT1);
    bytes = d_p->data;
    bytes[0] ^= 4;
    key = from_numbers(params);
    REQUIRE(key != NULL && check(key) != 1 && refuses(key));
    bytes[0] ^= 4;
    EVP_PKEY_free(key);
    p->key = "none";
    REQUIRE(from_numbers(params) == NULL);
    OSSL_PARAM_free(params);
    ERR_clear_error();
}

static void rsa(void)
{
    EVP_PKEY *key = generated_rsa(RSA_BITS), *other = generated_rsa(RSA_BITS);
    unsigned char signature[ROOT];
    size_t size;

    REQUIRE(key != NULL && other != NULL && EVP_PKEY_eq(key, other) == 0);
    REQUIRE(generated_rsa(2 * RSA_BITS) == NULL);
    ERR_clear_error();
    size = sign(key, signature, sizeof signature);
    REQUIRE(verify(key, signature, size) == 1 && verify(other, signature, size) == 0);
    REQUIRE(verify(key, signature, size - 1) == 0);
    memset(signature, 0xFF, sizeof signature);
    REQUIRE(verify(key, signature, size) == 0);
    wipes_rsa();
    together(key, other);
}

int main(int count, char **arguments)
{
    REQUIRE(count == 3 && CRYPTO_set_mem_functions(take, resize, give_back) == 1);
    context = OSSL_LIB_CTX_new();
    REQUIRE(context != NULL && OSSL_LIB_CTX_load_config(context, arguments[1]) == 1);
    REQUIRE(OSSL_PROVIDER_available(context, "residua") == 1);
    if (strcmp(arguments[2], "rsa") == 0) {
        rsa();
    } else {
        keys("EC", "P-256", SIZE);
        keys("EC", "P-384", MOST);
        keys("X25519", "X25519", SIZE);
        refusals();
        wipes();
        together(generated("EC", "P-256"), generated("EC", "P-256"));
    }
    OSSL_LIB_CTX_free(context);
    puts("PASS");
    return 0;
}
