/* What the system does for its host.
 *
 * A request is a command, the number of a device, that of a curve, and what the command takes; an
 * answer a code (16 bits, low byte first: 0, a status of the core, an error of the driver, of
 * frames.h or one of these), and what the command gives. Numbers and points are those of
 * residua_ecc.h. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include "residua_ecc_protocols.h"
#include "residua_modular.h"

#define COMMANDS_VERSION 2u

enum {
    COMMAND_IDENTIFY = 0,   /* gives the version, then the cores: see commands_answer() */
    COMMAND_SELF_TEST = 1,  /* gives the number of known answers that were compared, 16 bits */
    COMMAND_PUBLIC_KEY = 2, /* private key: public key */
    COMMAND_ECDH = 3,       /* private key, public key: shared secret */
    COMMAND_SIGN = 4,       /* private key, digest: r, s; the nonce comes of the random source */
    COMMAND_VERIFY = 5,     /* public key, r, s, digest: the 16 bits that the driver finds */
    COMMAND_MULTIPLY = 6,   /* scalar, point: their product */
    /* These take the number of a core for RSA, and none of a curve; see rsa_commands.h. */
    COMMAND_RSA_PRIVATE_KEY = 7, /* p, q, d_p, d_q, 1 / q modulo p, all of one size */
    COMMAND_RSA_PUBLIC_KEY = 8,  /* the size of n (16 bits), n, e */
    COMMAND_RSA_ROOT = 9,        /* a number: its root with the private key */
    COMMAND_RSA_POWER = 10       /* a number: its power with the public key */
};

/* What is wrong with a request. */
enum {
    COMMANDS_UNKNOWN = -110,   /* no such command */
    COMMANDS_NO_DEVICE = -111, /* no such device, or none that is in order */
    COMMANDS_NO_CURVE = -112,
    COMMANDS_SIZE = -113,      /* not as many bytes as the command takes */
    COMMANDS_SELF_TEST = -114, /* an answer is not the known one */
    COMMANDS_NONCE = -115      /* no nonce came out of the random source */
};

/* The largest request and the largest answer. A private key for RSA has five numbers of about half the
 * size, a public one two. */
#define COMMANDS_DIGEST 64u
#define COMMANDS_ON_CURVE (3u + RESIDUA_ECC_MAX_POINT + 2u * RESIDUA_ECC_MAX_NUMBER + COMMANDS_DIGEST)
#define COMMANDS_ON_KEY (4u + 5u * (2u * RESIDUA_MODULAR_MAX_WORDS + 4u))
#define COMMANDS_REQUEST \
    (COMMANDS_ON_CURVE > COMMANDS_ON_KEY ? COMMANDS_ON_CURVE : COMMANDS_ON_KEY)
#ifndef COMMANDS_ANSWER
#define COMMANDS_ANSWER 4096u
#endif

/* Opens the devices; those that are not in order are refused from then on. */
void commands_begin(void);

/* The answer to a request; its size. */
size_t commands_answer(const uint8_t *request, int size, uint8_t *answer);

/* Known answers of a curve: keys of two sides, and their secret. */
struct commands_known {
    uint8_t device, curve;
    const uint8_t *own, *other, *own_public, *other_public, *secret;
};

extern const struct commands_known commands_known[];
extern const size_t commands_known_count;

#endif
