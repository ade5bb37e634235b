/* A graphics card that is not there: the program of explicit bricks, compiled for the processor, behind the
 * driver's functions. The threads of a block come one after the other, so it shows that tables, sums, moves
 * and what goes to and fro are right, not that threads wait for each other where they must. */
#ifndef SLIP_TESTS_CARD_ON_PROCESSOR_H
#define SLIP_TESTS_CARD_ON_PROCESSOR_H

#include "card_memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int slip_block, slip_grid, processor_room, processor_width;
static double slip_shared[1 << 16];
static int64_t processor_launches;

#define SLIP_ON_PROCESSOR
#define ROOM processor_room
#define WIDTH processor_width
#include "fem/explicit/card_tables.h"

#include "fem/explicit/card_device.inc"
#include "fem/explicit/kernel_numbers.inc"

#include "fem/explicit/kernel.inc"

#include "fem/explicit/card_kernel.inc"

typedef void (*processor_blocks)(slip_card_tables t, slip_card_step s, int first, int last);
typedef void (*processor_nodes)(slip_card_tables t, slip_card_step s);

typedef struct processor_kernel {
    const char *name;
    processor_blocks blocks;
    processor_nodes nodes;
} processor_kernel;

static const processor_kernel processor_kernels[] = {
    {"slip_card_full", slip_card_full, NULL},       {"slip_card_full_energy", slip_card_full_energy, NULL},
    {"slip_card_one", slip_card_one, NULL},         {"slip_card_one_energy", slip_card_one_energy, NULL},
    {"slip_card_join", NULL, slip_card_join},       {"slip_card_move", NULL, slip_card_move},
    {"slip_card_moments", NULL, slip_card_moments}, {"slip_card_turn_bodies", NULL, slip_card_turn_bodies},
    {"slip_card_show", NULL, slip_card_show},       {"slip_card_press", NULL, slip_card_press},
    {"slip_card_account", NULL, slip_card_account}};

static int processor_event(void **event, unsigned flags)
{
    return processor_stream(event, flags);
}

static int processor_record(void *event, void *stream)
{
    (void)event;
    (void)stream;
    return 0;
}

static int processor_allow(void *function, int attribute, int value)
{
    (void)function;
    (void)attribute;
    return (size_t)value <= sizeof slip_shared ? 0 : 1;
}

static int processor_function(void **function, void *module, const char *name)
{
    (void)module;
    for (size_t k = 0; k < sizeof processor_kernels / sizeof *processor_kernels; k++)
        if (strcmp(name, processor_kernels[k].name) == 0) {
            *function = (void *)(uintptr_t)&processor_kernels[k];
            return 0;
        }
    return 1;
}

static int processor_launch(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, void *stream,
                            void **arguments, void **extra)
{
    const processor_kernel *kernel = function;
    const slip_card_tables *t = arguments[0];
    const slip_card_step *s = arguments[1];
    (void)stream, (void)extra, (void)block_x;
    processor_launches++;
    slip_grid = (int)x;
    /* What a block leaves in its shared memory is nothing that another one may use. */
    for (slip_block = 0; slip_block < slip_grid; slip_block++) {
        memset(slip_shared, 0xff, shared);
        if (kernel->blocks)
            kernel->blocks(*t, *s, *(const int *)arguments[2], *(const int *)arguments[3]);
        else
            kernel->nodes(*t, *s);
    }
    return y == 1 && z == 1 && block_y == 1 && block_z == 1 ? 0 : 1;
}

/* The text says for how many nodes a block is made. */
static int processor_programs(slip_context *ctx, slip_card *card, const char *name, int count,
                              const slip_text *texts, void **modules)
{
    (void)card, (void)name;
    assert(count == 1);
    *modules = NULL;
    return sscanf(texts->data, "#define ROOM %d\n#define WIDTH %d\n", &processor_room, &processor_width) == 2
               ? SLIP_OK
               : slip_fail(ctx, SLIP_ERROR_SOLVER, "the text has no sizes");
}

/* One with two multiprocessors: blocks take several turns. One model at a time. */
static slip_card card_on_processor(void)
{
    return (slip_card){.d = {.stream = processor_stream,
                             .end = processor_wait,
                             .wait = processor_wait,
                             .alloc = processor_alloc,
                             .free = processor_free,
                             .pinned = processor_pinned,
                             .unpin = processor_unpin,
                             .there = processor_there,
                             .back = processor_back,
                             .allow = processor_allow,
                             .function = processor_function,
                             .event = processor_event,
                             .record = processor_record,
                             .reached = processor_wait,
                             .forget = processor_wait,
                             .launch = processor_launch},
                       .processors = 2,
                       .programs = processor_programs};
}

#endif
