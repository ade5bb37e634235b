/* Lanes on a graphics card. */
#ifndef SLIP_BATCH_CARD_H
#define SLIP_BATCH_CARD_H

#include "batch/lanes.h"
#include "card/card.h"

/* The program for lanes of this shape, for whoever looks at it or compiles it elsewhere. */
int slip_batch_card_text(slip_context *ctx, const slip_batch_shape *shape, slip_text *text);

/* Moves lanes as slip_batch_advance does. */
int slip_batch_card_advance(slip_context *ctx, slip_card *card, const slip_batch_work *work, int set_count);

#endif
