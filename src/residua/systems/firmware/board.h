/* The devices of the system: bytes in and out, random words, the cores.
 *
 * board.c reaches those of the chip; another board.c can stand for a program on a workstation. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "residua_ecc.h"
#include "residua_modular.h"

/* A byte that was received, BOARD_NONE, or BOARD_LOST if bytes before it were lost. */
#define BOARD_NONE (-1)
#define BOARD_LOST (-2)
int board_receive(void);

void board_send(uint8_t byte);

/* How often board_receive() may say BOARD_NONE in the middle of a frame: a byte takes far less. */
#define BOARD_PATIENCE 200000u

/* A fresh random word; 0 if there is one. */
int board_random(void *context, uint32_t *word);

/* Coprocessors for curves, and cores for RSA. */
#define BOARD_MOST_DEVICES 16u
extern const residua_ecc_device board_devices[];
extern const residua_modular_device board_rsa_devices[];
extern const size_t board_device_count, board_rsa_device_count;

#endif
