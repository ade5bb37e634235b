/* An explicit model on a graphics card: the steps of step.c, computed on the card for bricks, nodes and
 * rotations. The source of the kernels is card_kernel.inc, their data are described in card_tables.h.
 *
 * Without external forces the steps run on the card and data are copied back only after the last. With
 * external forces the state of the nodes that they read (`watch` of the options) is copied to the host in
 * every step, and their forces are copied back.
 *
 * Results differ from those of the processor by rounding: forces of bricks are added in another order, and a
 * card uses fused multiply-add. */
#ifndef SLIP_FEM_EXPLICIT_CARD_H
#define SLIP_FEM_EXPLICIT_CARD_H

#include "base/text.h"
#include "fem/explicit/card_tables.h"
#include "fem/explicit/explicit.h"

typedef struct slip_explicit_card slip_explicit_card;

/* Blocks of bricks and numbers of nodes for the card (card_blocks.c). */
typedef struct slip_card_blocks {
    slip_arena arena;
    int room, width; /* constants ROOM and WIDTH of the kernel source */
    int block_count;
    int *numbers;
    unsigned short *corners, *rows;
    int *parts, *bricks;
    int *elements;  /* of each block 128 elements by the model's numbers */
    int *node_of;   /* the model's number of each node of the card */
    int *own_of;    /* the card's number of each node of the model */
    int *block_of;  /* of each node of the card: a block that has it, */
    int *shared_of; /* and its place among the shared ones, or -1 */
    int shared_count;
    int *shared_nodes, *shared_start, *shared_copies;
    int chunk_count;
    int *chunks;
} slip_card_blocks;

/* Makes the blocks from the elements of a model. The caller frees the arena. */
int slip_card_blocks_create(slip_context *ctx, const slip_explicit *model, slip_card_blocks *blocks);

/* Sets up a model on the card of its options. The state is copied there before the next step. */
int slip_explicit_card_create(slip_context *ctx, slip_explicit *model);
void slip_explicit_card_destroy(slip_explicit_card *card);

/* The kernel source for blocks of up to `room` nodes, each shared by up to `width` bricks of a block. */
int slip_explicit_card_text(slip_context *ctx, int room, int width, slip_text *text);

/* Whether the present state is on the card, so that the model's arrays may hold an earlier one. */
bool slip_explicit_on_card(const slip_explicit *model);
/* Copies the state to the card, unless it is there already. */
int slip_explicit_card_take(slip_context *ctx, slip_explicit *model);
/* Copies positions and velocities of all nodes to the model's arrays; the card still owns the state. */
int slip_explicit_card_fetch(slip_context *ctx, slip_explicit *model);
/* Makes the model's arrays the owner of the state again. */
void slip_explicit_card_leave(slip_explicit *model);

/* The following functions need the state on the card. Computes forces of bricks and external forces, for
 * slip_explicit_card_move. *energy: strain energy; NULL: not wanted. */
int slip_explicit_card_forces(slip_context *ctx, slip_explicit *model, double *energy,
                              slip_explicit_load *load);
/* Advances velocities (weight times force over mass) and positions (by step). *bad: a velocity is not finite.
 */
int slip_explicit_card_move(slip_context *ctx, slip_explicit *model, double weight, double step, bool *bad);
/* Sums over the nodes after slip_explicit_card_forces. *twice: v_{n-1/2} M v_{n+1/2} without rigid nodes.
 * Sets moments and momenta of the parts. */
int slip_explicit_card_account(slip_context *ctx, slip_explicit *model, double weight, double *twice);
/* Takes steps without external forces. *bad: in the last one a velocity is not finite. */
int slip_explicit_card_run(slip_context *ctx, slip_explicit *model, int64_t steps, bool *bad);

#endif
