/* Lanes on a graphics card. */
#ifndef SLIP_BATCH_CARD_H
#define SLIP_BATCH_CARD_H

#include "batch/lanes.h"
#include "batch/steps/tape.h"
#include "card/card.h"

/* The text of the program for lanes of this shape, also to compile it elsewhere. With `shared` the tables of
 * all sets are made first (`slip_batch_tables`), else each thread makes those of its lane. */
int slip_batch_card_text(slip_context *ctx, const slip_batch_shape *shape, bool shared, slip_text *text);

/* Memory of the host that the card can access, for the pieces of lanes in transfer. It is kept between calls,
 * since allocation takes longer than the transfer. */
enum { slip_batch_pieces = 3 };
typedef struct slip_batch_here {
    void *memory[slip_batch_pieces];
    size_t bytes; /* of each */
} slip_batch_here;

void slip_batch_here_free(const slip_card *card, slip_batch_here *here);

/* Moves lanes as slip_batch_advance does, in closed form or (tape) by Dormand-Prince. Dormand-Prince lanes
 * with too many steps come back with BATCH_GOES_ON and without all of their returns. */
int slip_batch_card_advance(slip_context *ctx, slip_card *card, slip_batch_here *here,
                            const slip_batch_work *work, int set_count, const slip_steps_tape *tape);

#endif
