/* One multiplication of the base point, and, of several coprocessors, a request. The arguments: "wait"
 * for a device that waits for its interrupt, or "poll", and how many polls it has. Tells the point,
 * how often registers were read, and how often the driver waited. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static residua_ecc_device real;
static unsigned reads, waits;

static uint32_t read32(void *context, uint32_t offset)
{
    reads++;
    return real.read32(context, offset);
}

static void wait_for_it(void *context)
{
    waits++;
    CORE(wait)(context);
}

int main(int count, char **arguments)
{
    static const uint8_t k[8] = {0, 0x30, 0x39};
    uint8_t point[1 + 2 * 8] = {0};
    residua_ecc_device device;
    size_t i, size;
    int code;

    if (count != 3) {
        return 1;
    }
    real = CORE(simulated)(1, 0, PAUSE);
    device = real;
    device.read32 = read32;
    device.wait = strcmp(arguments[1], "wait") == 0 ? wait_for_it : NULL;
    device.polls = 0;
    code = residua_ecc_open(&device);
    if (code == 0) {
        reads = 0;
        device.polls = (uint32_t)strtoul(arguments[2], NULL, 10);
        code = residua_ecc_base_multiply(&device, 0, k, point);
    }
    size = residua_ecc_point_size(&device, 0);
    printf("%d ", code);
    for (i = 0; i < size; i++) {
        printf("%02x", point[i]);
    }
    printf(" %u %u %d\n", reads, waits, CORE(failure)(&real));
    CORE(close)(&real);
    return 0;
}
