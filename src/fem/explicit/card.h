/* An explicit model on a graphics card: the steps of step.c with bricks, nodes and rotations moved there. The
 * text is card_kernel.inc, what it works on card_tables.h.
 *
 * Without outer forces steps follow each other on the card and nothing comes back before the last. With outer
 * forces the nodes that these look at (`watch` of the options) come to the host in every step, and their
 * forces go back.
 *
 * Results differ from those of the processor by rounding: forces of bricks are added in another order, and a
 * card fuses products. */
#ifndef SLIP_FEM_EXPLICIT_CARD_H
#define SLIP_FEM_EXPLICIT_CARD_H

#include "base/text.h"
#include "fem/explicit/card_tables.h"
#include "fem/explicit/explicit.h"

typedef struct slip_explicit_card slip_explicit_card;

/* Blocks of bricks and numbers of nodes for the card (card_blocks.c). */
typedef struct slip_card_blocks {
    slip_arena arena;
    int room, width; /* of ROOM and WIDTH */
    int block_count;
    int *numbers;
    unsigned short *corners, *rows;
    int *parts, *bricks;
    int *elements;  /* of each block its elements in the model's order, 128 */
    int *node_of;   /* the model's number of each node of the card */
    int *own_of;    /* and back */
    int *block_of;  /* of each node of the card: a block that has it, */
    int *shared_of; /* and its place among the shared ones, or -1 */
    int shared_count;
    int *shared_nodes, *shared_start, *shared_copies;
    int chunk_count;
    int *chunks;
} slip_card_blocks;

/* Makes them from the elements of a model; free the arena. */
int slip_card_blocks_create(slip_context *ctx, const slip_explicit *model, slip_card_blocks *blocks);

/* Puts a model on the card of its options. The state goes there before the next step. */
int slip_explicit_card_create(slip_context *ctx, slip_explicit *model);
void slip_explicit_card_destroy(slip_explicit_card *card);

/* The text for blocks of so many nodes, of which up to `width` bricks share one. */
int slip_explicit_card_text(slip_context *ctx, int room, int width, slip_text *text);

/* Whether the card has the present state, and the model's arrays may be of an earlier one. */
bool slip_explicit_away(const slip_explicit *model);
/* Sends the state there, unless it is there. */
int slip_explicit_card_take(slip_context *ctx, slip_explicit *model);
/* Brings positions and velocities of all nodes back; the card keeps its own. */
int slip_explicit_card_fetch(slip_context *ctx, slip_explicit *model);
/* From now on the model's arrays count. */
void slip_explicit_card_leave(slip_explicit *model);

/* All of them need the state on the card. Forces of bricks and outer ones, for card_move; with the strain
 * energy where it is wanted. */
int slip_explicit_card_forces(slip_context *ctx, slip_explicit *model, double *energy,
                              slip_explicit_load *load);
/* Moves velocities and positions on by the forces that were found. *bad: a velocity is not finite. */
int slip_explicit_card_move(slip_context *ctx, slip_explicit *model, double weight, double step, bool *bad);
/* Sums over the nodes by the forces that were found: twice v_{n-1/2} M v_{n+1/2}/2 without rigid nodes;
 * moments and momenta of the parts are left in them. */
int slip_explicit_card_account(slip_context *ctx, slip_explicit *model, double weight, double *twice);
/* Takes steps without outer forces; *bad: in the last one a velocity is not finite. */
int slip_explicit_card_run(slip_context *ctx, slip_explicit *model, int64_t steps, bool *bad);

#endif
