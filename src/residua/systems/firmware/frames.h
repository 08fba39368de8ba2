/* Frames on a serial line, in both directions:
 *
 *   0xA5, the number of bytes of the body (16 bits, low byte first), the body,
 *   the CRC-16 of number and body (polynomial 0x1021, begins with 0xFFFF; low byte first)
 *
 * What is between frames is skipped. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define FRAMES_BEGIN 0xA5u

/* What is wrong with a frame. */
enum {
    FRAMES_BROKEN = -100,   /* the CRC is another one */
    FRAMES_TOO_LONG = -101, /* longer than there is room for; its bytes were skipped */
    FRAMES_CUT_OFF = -102,  /* no byte came for long */
    FRAMES_LOST = -103      /* bytes were lost, as they came too fast or were broken */
};

/* Waits for a frame. Its body's size, or what is wrong with it. */
int frames_receive(uint8_t *body, size_t room);

void frames_send(const uint8_t *body, size_t size);

#endif
