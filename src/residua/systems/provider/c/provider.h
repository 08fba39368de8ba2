/* OpenSSL 3 provider of keys, key agreements, signatures and decryption that cores made by Residua compute. */
#ifndef RESIDUA_PROVIDER_H
#define RESIDUA_PROVIDER_H

#include <pthread.h>

#include <openssl/bn.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "cores.h"
#include "residua_ecc_protocols.h"

/* Reasons of errors. A status of a core is REASON_STATUS or REASON_RSA_STATUS + its code. */
enum {
    REASON_CONFIGURATION = 1, /* the section of the provider in openssl.cnf */
    REASON_OPEN,              /* the device cannot be opened */
    REASON_TAKEN,
    REASON_NO_CORE,
    REASON_BUSY,
    REASON_TIMEOUT,
    REASON_ACCESS,
    REASON_DRIVER,
    REASON_NO_CURVE,
    REASON_KEY,
    REASON_NO_PRIVATE_KEY,
    REASON_NO_PUBLIC_KEY,
    REASON_ENCODING,
    REASON_RANDOM,
    REASON_UNSUPPORTED,
    REASON_BUFFER,
    REASON_DIGEST,
    REASON_SIGNATURE,
    REASON_INTERNAL,
    REASON_NO_RSA_CORE,
    REASON_MESSAGE,
    REASON_CIPHERTEXT,
    REASON_STATUS = 64,
    REASON_RSA_STATUS = 96
};

/* A core, and the device that openssl.cnf names for it. */
typedef struct {
    const struct residua_provider *provider;
    const provider_core *core;
    char *where;         /* of openssl.cnf; NULL if it names none */
    CRYPTO_RWLOCK *lock; /* of several coprocessors to open and close it, of one for each operation */
    const struct provider_port *port;
    void *context; /* of the port; NULL while the device is not open */
    long process;  /* that opened it */
    residua_ecc_device device;
    struct provider_queue *queue; /* of several coprocessors */
    residua_modular_device rsa;
    long loaded; /* number of the RSA key that is in the core; 0 if there is none */
} provider_slot;

/* A way to reach a core. Functions that return int return 1 on success. */
typedef struct provider_port {
    /* Opens the device of a slot; NULL on failure, with an error raised. */
    void *(*open)(const provider_slot *slot);
    /* Closes it; inherited if a parent of this process opened it. */
    void (*close)(void *context, int inherited);
    /* One access of 32 bits, in program order. */
    uint32_t (*read32)(void *context, uint32_t offset);
    void (*write32)(void *context, uint32_t offset, uint32_t value);
    /* Keeps other processes away, until leave(); 0 if one keeps the core for too long. */
    int (*enter)(void *context);
    void (*leave)(void *context);
    /* Whether every access since the last call went well. */
    int (*sound)(void *context);
    int shared; /* whether other processes may wait for the core */
} provider_port;

extern const provider_port provider_simulation, provider_uio;

/* What OSSL_provider_init() makes: the context of everything. */
typedef struct residua_provider {
    const OSSL_CORE_HANDLE *handle;
    OSSL_LIB_CTX *libctx; /* for random numbers and digests */
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    provider_slot *slots; /* provider_core_count of them */
    OSSL_ALGORITHM keymgmt[4], exchange[3], signature[3], cipher[2];
    CRYPTO_RWLOCK *lock;
    int rsa_keys; /* so many have been made; under the lock */
} residua_provider;

/* Tells OpenSSL what went wrong. */
#define RAISE(provider, reason, ...)                                                               \
    provider_raise(provider, __FILE__, __LINE__, __func__, reason, __VA_ARGS__)
void provider_raise(const residua_provider *provider, const char *file, int line,
                    const char *function, int reason, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
extern const OSSL_ITEM provider_reasons[];

/* A curve of a core: the slot, and the number of the curve in it. */
typedef struct {
    provider_slot *slot;
    unsigned index;
    const provider_curve *names;
    const struct residua_ecc_curve *numbers;
} provider_curve_of;

/* Finds the curve with a name of OpenSSL among curves of one form; returns whether there is one. */
int provider_find(const residua_provider *provider, int montgomery, const char *name,
                  provider_curve_of *curve);

/* Bits of security: half of those of the order, rounded up to an even number. */
unsigned provider_security_bits(const struct residua_ecc_curve *numbers);

/* Sizes in bytes. */
size_t provider_private_size(const provider_curve_of *curve);
size_t provider_public_size(const provider_curve_of *curve);
size_t provider_signature_size(const provider_curve_of *curve); /* of the longest one */

/* The devices of all cores; none is opened before it is needed. */
int provider_slots_new(residua_provider *provider, OSSL_FUNC_core_get_params_fn *get_params);
void provider_slots_free(residua_provider *provider);

/* Begins an operation; 0, with an error raised, if the core is missing. Of one coprocessor: the core is
 * there, and nobody else uses it before provider_release(). Of several: the device is open, and each
 * step goes to their queue. */
int provider_acquire(provider_slot *slot);
/* Ends an operation with a code of the driver; returns the code if the device was in order. */
int provider_release(provider_slot *slot, int code);
/* Raises an error for a code of the driver that is none of success. */
void provider_raise_code(const provider_slot *slot, int code);

/* A code like those of the driver: another process does not give the core back. */
#define PROVIDER_TAKEN (-64)

/* Begins to use a device, open or not; returns a code of the driver or PROVIDER_TAKEN. */
int provider_slot_enter(provider_slot *slot);
/* Ends that; a device that had an error is opened anew before it is used again. */
void provider_slot_leave(provider_slot *slot, int code);

/* Several coprocessors take as many requests as there are of them, and one that waits in the bus. */
#define PROVIDER_MOST_REQUESTS 17

typedef struct provider_request provider_request;

/* Requests of all threads. What is not said to be under the lock is of the thread that serves. */
typedef struct provider_queue {
    pthread_mutex_t lock;
    pthread_cond_t ended;           /* a request has, or the thread that serves */
    provider_request *first, *last; /* that wait; under the lock */
    int served;                     /* by a thread; under the lock */
    provider_request *at_device[PROVIDER_MOST_REQUESTS];
    unsigned flying, most; /* requests at the device, and how many there can be */
    unsigned tag;          /* of the next one */
    int full;              /* the device has no room before a result leaves */
    int entered;           /* the device is this process's */
    uint64_t entered_at;   /* milliseconds */
    uint32_t looks;        /* at the device */
    long process;          /* whose threads they are */
} provider_queue;

/* Makes the queue of several coprocessors, unless this process has it already; 0 on failure. */
int provider_queue_ready(provider_slot *slot);
void provider_queue_free(provider_slot *slot);

/* One operation, as residua_ecc_device has it. */
int provider_queue_perform(void *context, unsigned operation, unsigned curve,
                           const uint32_t *operands, size_t operand_words, uint32_t *results,
                           size_t result_words);

/* Operations of a core, with the conventions of residua_ecc_protocols.h. They return 1 on success,
 * and 0, with an error raised, if the core is missing, refuses, or makes no progress. */
int provider_core_public(const provider_curve_of *curve, const uint8_t *private_key,
                         uint8_t *public_key);
int provider_core_ecdh(const provider_curve_of *curve, const uint8_t *private_key,
                       const uint8_t *public_key, uint8_t *secret);
int provider_core_validate(const provider_curve_of *curve, const uint8_t *public_key);
/* -1: another nonce is needed. */
int provider_core_sign(const provider_curve_of *curve, const uint8_t *private_key,
                       const uint8_t *digest, size_t digest_size, const uint8_t *nonce,
                       uint8_t *signature);
int provider_core_verify(const provider_curve_of *curve, const uint8_t *public_key,
                         const uint8_t *digest, size_t digest_size, const uint8_t *signature);

/* A key, counted by its references. Its private part is wiped with it. */
typedef struct {
    residua_provider *provider;
    int references;
    CRYPTO_RWLOCK *lock;
    int montgomery;
    int has_curve, has_private, has_public;
    provider_curve_of curve;
    uint8_t private_key[RESIDUA_ECC_MAX_NUMBER];
    uint8_t public_key[RESIDUA_ECC_MAX_POINT];
} provider_key;

provider_key *provider_key_new(residua_provider *provider, int montgomery);
provider_key *provider_key_reference(provider_key *key);
void provider_key_free(void *key);

/* The public part, which the core computes when it is first asked for; 0 if there is none. */
int provider_key_public(provider_key *key);

/* Sets a part of a key with a curve; 0 if it has not the right form. */
int provider_key_set_public(provider_key *key, const uint8_t *bytes, size_t size);
int provider_key_set_private(provider_key *key, const BIGNUM *number);

/* The order of the curve's generator; NULL on failure. */
BIGNUM *provider_order(const provider_curve_of *curve);

/* An RSA key, counted by its references; of a public one only n and e. Numbers are wiped with it. */
typedef struct {
    residua_provider *provider;
    int references;
    CRYPTO_RWLOCK *lock;
    long number;
    provider_slot *private_core, *public_core; /* NULL for operations that no core has */
    BIGNUM *n, *e, *d, *p, *q, *d_p, *d_q, *coefficient;
} provider_rsa_key;

provider_rsa_key *provider_rsa_key_new(void *provider);
provider_rsa_key *provider_rsa_key_reference(provider_rsa_key *key);
void provider_rsa_key_free(void *key);

/* Finds the cores of a key that is complete; 0, with an error raised, if no core takes it. */
int provider_rsa_find(provider_rsa_key *key);
/* Whether a core takes private keys of so many bits with this exponent. */
int provider_rsa_takes(const residua_provider *provider, int bits, const BIGNUM *e);

/* Gives a context a key in the place of the one that it holds, which it keeps with NULL; 0, with an error
 * raised, if it has none then, or no core has it for its private operation, or the public one. */
int provider_rsa_hold(const residua_provider *provider, provider_rsa_key **held, provider_rsa_key *key,
                      int private);
/* Whether the key that a context holds has a core for such an operation; raises an error if not. */
int provider_rsa_holds(const residua_provider *provider, const provider_rsa_key *held, int private);

/* The root of x and its power, both of provider_rsa_size() bytes; 1 on success, else 0, with an error
 * raised. x is below n. */
int provider_core_root(const provider_rsa_key *key, const uint8_t *x, uint8_t *root);
int provider_core_power(const provider_rsa_key *key, const uint8_t *x, uint8_t *power);
size_t provider_rsa_size(const provider_rsa_key *key);
/* Whether a number of that size is below n. */
int provider_rsa_is_below(const provider_rsa_key *key, const uint8_t *number);
/* Overwrites a key in the core that has it. */
void provider_core_forget(const provider_rsa_key *key);

/* What RSA makes a root of (RFC 8017, section 9), for a digest of a message. Sizes are in bytes, of the
 * modulus and of the salt; a salt that is negative is any (RSA_PSS_SALTLEN_AUTO). */
int provider_pkcs1_block(const EVP_MD *digest, const uint8_t *hash, uint8_t *block, size_t size);
int provider_pss_block(const EVP_MD *digest, const EVP_MD *mask, const uint8_t *hash,
                       const uint8_t *salt, size_t salt_size, int modulus_bits, uint8_t *block);
int provider_pss_matches(const EVP_MD *digest, const EVP_MD *mask, const uint8_t *hash, int salt_size,
                         int modulus_bits, const uint8_t *block);

/* A padding, by OpenSSL's name and number. */
typedef struct {
    const char *name;
    int value;
} provider_padding;

/* The number of the padding that a parameter has, of those that are known; 0 if it has another one. */
int provider_padding_of(const OSSL_PARAM *param, const provider_padding *known, size_t count);
/* Tells a padding that is known, as a name or a number. */
int provider_padding_tell(OSSL_PARAM *param, const provider_padding *known, size_t count, int value);

/* Adds MGF1 of a seed, modulo 2 (RFC 8017, appendix B.2.1). */
int provider_add_mask(const EVP_MD *digest, const uint8_t *seed, size_t seed_size, uint8_t *bytes,
                      size_t size);

/* What OAEP is made with. */
typedef struct {
    residua_provider *provider;
    EVP_MD *digest, *mask; /* mask: NULL for the digest */
    uint8_t *label;        /* NULL for none */
    size_t label_size;
} provider_oaep;

const EVP_MD *provider_oaep_mask(const provider_oaep *oaep);

/* What RSA encrypts (RFC 8017, section 7.1), of the modulus's size; 0 if the message is too long. */
int provider_oaep_block(const provider_oaep *oaep, const uint8_t *message, size_t message_size,
                        uint8_t *block, size_t size);
/* The message in a block, which is overwritten; 0 if the block is not right. */
int provider_oaep_open(const provider_oaep *oaep, uint8_t *block, size_t size, const uint8_t **message,
                       size_t *message_size);

/* A message that is signed, and the digest for it; all zeros but for the provider at first. */
typedef struct {
    residua_provider *provider;
    EVP_MD *digest;
    EVP_MD_CTX *context; /* of the message; NULL if its digest is given */
} provider_message;

/* Puts a digest of any provider, by name, in the place of one; 0, with an error raised, if there is none. */
int provider_digest_use(const residua_provider *provider, EVP_MD **digest, const char *name,
                        const char *properties);
/* The same by a parameter, and the one with its property query, which may be NULL. */
int provider_digest_set(const residua_provider *provider, EVP_MD **digest, const OSSL_PARAM *param,
                        const OSSL_PARAM *query);

/* These return 1 on success. */
int provider_message_copy(provider_message *message, const provider_message *from);
int provider_message_set_params(provider_message *message, const OSSL_PARAM params[]);
int provider_message_begin(provider_message *message, const char *name); /* NULL: SHA-256 */
int provider_message_update(const provider_message *message, const unsigned char *bytes, size_t size);
int provider_message_finish(const provider_message *message, unsigned char *digest, unsigned *size);
void provider_message_end(provider_message *message); /* a digest is given from now on */
void provider_message_free(provider_message *message);

/* The groups of TLS that cores have, for OSSL_FUNC_provider_get_capabilities(). */
int provider_capabilities(void *context, const char *capability, OSSL_CALLBACK *callback,
                          void *argument);

/* An entry of a list of functions, and enough for the names that OpenSSL asks for. */
#define FUNCTION(name, function) {name, (void (*)(void))(function)}
#define NAME_SIZE 64

extern const OSSL_DISPATCH provider_ec_keymgmt[], provider_x25519_keymgmt[];
extern const OSSL_DISPATCH provider_rsa_keymgmt[], provider_rsa_signature_functions[];
extern const OSSL_DISPATCH provider_rsa_encryption_functions[];
extern const OSSL_DISPATCH provider_exchange_functions[], provider_signature_functions[];

#endif
