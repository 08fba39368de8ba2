#include "frames.h"

#include "board.h"

static uint16_t crc_of(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc ^ (uint16_t)(byte << 8));
    for (int i = 0; i < 8; i++)
        crc = (uint16_t)((unsigned)crc << 1 ^ (crc & 0x8000u ? 0x1021u : 0u));
    return crc;
}

/* The next byte of a frame, or what is wrong. */
static int next(void)
{
    for (uint32_t polls = 0; polls < BOARD_PATIENCE; polls++) {
        int byte = board_receive();
        if (byte == BOARD_LOST)
            return FRAMES_LOST;
        if (byte != BOARD_NONE)
            return byte;
    }
    return FRAMES_CUT_OFF;
}

/* Two bytes of a frame, or what is wrong. */
static int32_t next_pair(uint16_t *crc)
{
    int low = next(), high;

    if (low < 0)
        return low;
    high = next();
    if (high < 0)
        return high;
    if (crc)
        *crc = crc_of(crc_of(*crc, (uint8_t)low), (uint8_t)high);
    return (int32_t)((uint32_t)low | (uint32_t)high << 8);
}

int frames_receive(uint8_t *body, size_t room)
{
    uint16_t crc = 0xFFFF;
    int32_t size, sum;

    while (board_receive() != (int)FRAMES_BEGIN)
        ;
    size = next_pair(&crc);
    if (size < 0)
        return (int)size;
    for (int32_t i = 0; i < size; i++) {
        int byte = next();
        if (byte < 0)
            return byte;
        crc = crc_of(crc, (uint8_t)byte);
        if ((size_t)i < room)
            body[i] = (uint8_t)byte;
    }
    sum = next_pair(NULL);
    if (sum < 0)
        return (int)sum;
    if (sum != (int32_t)crc)
        return FRAMES_BROKEN;
    return (size_t)size > room ? FRAMES_TOO_LONG : (int)size;
}

static uint16_t sent(uint16_t crc, uint8_t byte)
{
    board_send(byte);
    return crc_of(crc, byte);
}

void frames_send(const uint8_t *body, size_t size)
{
    uint16_t crc = 0xFFFF;

    board_send((uint8_t)FRAMES_BEGIN);
    crc = sent(crc, (uint8_t)size);
    crc = sent(crc, (uint8_t)(size >> 8));
    for (size_t i = 0; i < size; i++)
        crc = sent(crc, body[i]);
    board_send((uint8_t)crc);
    board_send((uint8_t)(crc >> 8));
}
