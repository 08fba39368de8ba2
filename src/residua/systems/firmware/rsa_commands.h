/* What the cores for RSA do for the host. */
#ifndef RSA_COMMANDS_H
#define RSA_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

/* Opens them; one that is not in order is refused from then on. */
void rsa_commands_begin(void);

/* Of each core its name, 1 if it takes private keys or 2 if public ones, and the bytes of its numbers
 * (16 bits); how many bytes that are. */
size_t rsa_commands_identify(uint8_t *answer);

/* Loads a known key into each core, computes a known answer, and wipes the key; a key that was loaded
 * before is lost. How many answers were compared, or a negative code. */
int rsa_commands_self_test(void);

/* The code of a request after its command and the number of its core, and how many bytes of the answer
 * count if it is 0. A key stays in the core until the next one, or the self-test. */
int rsa_commands_answer(unsigned command, unsigned device, const uint8_t *bytes, size_t size,
                        uint8_t *answer, size_t *given);

/* A known answer: a key as the host loads it, and a number with its root or power. */
struct rsa_commands_known {
    uint8_t device;
    uint16_t key_size, size;
    const uint8_t *key, *number, *result;
};

extern const struct rsa_commands_known rsa_commands_known[];
extern const size_t rsa_commands_known_count;

#endif
