#define _GNU_SOURCE /* mkostemp, MADV_REMOVE */
#include "io/spill.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int64_t bytes_of(int64_t count)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    return (count * (int64_t)sizeof(double) + page - 1) / page * page;
}

/* In $TMPDIR, or else where large files that live for a while belong (/tmp may be memory itself). */
static void open_file(slip_spill *spill)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/slipstick-record-XXXXXX", folder && *folder ? folder : "/var/tmp");
    spill->opened = true;
    spill->file = mkostemp(path, O_CLOEXEC);
    if (spill->file >= 0)
        unlink(path);
}

double *slip_spill_alloc(slip_spill *spill, int64_t count)
{
    const int64_t bytes = bytes_of(count);
    void *at = MAP_FAILED;
    if (!spill->opened)
        open_file(spill);
    /* the blocks are there before they are written to: a full disk must not show as a signal */
    if (spill->file >= 0 && posix_fallocate(spill->file, spill->end, bytes) == 0)
        at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->file, spill->end);
    if (at != MAP_FAILED)
        spill->end += bytes;
    else
        at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED ? at : NULL;
}

void slip_spill_free(double *values, int64_t count)
{
    if (!values)
        return;
    madvise(values, (size_t)bytes_of(count), MADV_REMOVE); /* its blocks; in memory there are none */
    munmap(values, (size_t)bytes_of(count));
}

void slip_spill_close(slip_spill *spill)
{
    if (spill->opened && spill->file >= 0)
        close(spill->file);
    *spill = (slip_spill){0};
}
