/* Memory, copies and streams of a graphics card that is not there: those of the processor behind the driver's
 * functions, for tests that bring launches of their own. */
#ifndef SLIP_TESTS_CARD_MEMORY_H
#define SLIP_TESTS_CARD_MEMORY_H

#include "card/card.h"

#include <stdlib.h>
#include <string.h>

static int64_t processor_copies; /* to the host */

static int processor_stream(void **stream, unsigned flags)
{
    static int any;
    (void)flags;
    *stream = &any;
    return 0;
}

static int processor_wait(void *stream)
{
    (void)stream;
    return 0;
}

static int processor_alloc(slip_card_address *where, size_t bytes)
{
    void *memory = malloc(bytes);
    *where = (slip_card_address)(uintptr_t)memory;
    return memory ? 0 : 2;
}

static int processor_free(slip_card_address where)
{
    free((void *)(uintptr_t)where);
    return 0;
}

static int processor_pinned(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = calloc(1, bytes);
    return *memory ? 0 : 2;
}

static int processor_unpin(void *memory)
{
    free(memory);
    return 0;
}

static int processor_there(slip_card_address where, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    memcpy((void *)(uintptr_t)where, from, bytes);
    return 0;
}

static int processor_back(void *to, slip_card_address where, size_t bytes, void *stream)
{
    (void)stream;
    processor_copies++;
    memcpy(to, (void *)(uintptr_t)where, bytes);
    return 0;
}

#endif
