/* A core that the Linux driver uio gives to programs: the first page of its first memory. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "provider.h"

/* Seconds that another process may keep the core for, and nanoseconds from one look to the next. */
#define PATIENCE 10
#define REST 500000

typedef struct {
    int file;
    size_t size;
    volatile uint32_t *registers;
} uio;

/* A file that is too short has no page: an access would end the process. */
static int long_enough(int file, size_t size)
{
    struct stat facts;

    return fstat(file, &facts) == 0 && (!S_ISREG(facts.st_mode) || facts.st_size >= (off_t)size);
}

static void close_uio(void *context, int inherited)
{
    uio *found = context;

    (void)inherited;
    if (found->registers != NULL) {
        (void)munmap((void *)(uintptr_t)found->registers, found->size);
    }
    if (found->file >= 0) {
        (void)close(found->file);
    }
    OPENSSL_free(found);
}

static void *open_uio(const provider_slot *slot)
{
    uio *found = OPENSSL_zalloc(sizeof *found);
    void *memory = MAP_FAILED;

    if (found == NULL) {
        RAISE(slot->provider, REASON_INTERNAL, "no memory");
        return NULL;
    }
    found->size = (size_t)sysconf(_SC_PAGESIZE);
    found->file = open(slot->where, O_RDWR | O_SYNC | O_CLOEXEC);
    if (found->file >= 0 && long_enough(found->file, found->size)) {
        memory = mmap(NULL, found->size, PROT_READ | PROT_WRITE, MAP_SHARED, found->file, 0);
    }
    if (memory == MAP_FAILED) {
        RAISE(slot->provider, REASON_OPEN, "%s: %s", slot->where,
              found->file < 0 ? strerror(errno) : "no page of registers");
        close_uio(found, 0);
        return NULL;
    }
    found->registers = memory;
    return found;
}

static uint32_t read_uio(void *context, uint32_t offset)
{
    const uio *found = context;
    return found->registers[offset / 4];
}

static void write_uio(void *context, uint32_t offset, uint32_t value)
{
    const uio *found = context;
    found->registers[offset / 4] = value;
}

static time_t seconds(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static int enter_uio(void *context)
{
    static const struct timespec rest = {0, REST};
    const uio *found = context;
    time_t first = seconds();

    while (flock(found->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || seconds() - first > PATIENCE) {
            return 0;
        }
        (void)nanosleep(&rest, NULL);
    }
    return 1;
}

static void leave_uio(void *context)
{
    const uio *found = context;
    (void)flock(found->file, LOCK_UN);
}

/* The bus of such a device does not tell. */
static int sound_uio(void *context)
{
    (void)context;
    return 1;
}

const provider_port provider_uio = {
    open_uio, close_uio, read_uio, write_uio, enter_uio, leave_uio, sound_uio, 1,
};
