/* A graphics card that moves lanes: driver and compiler are loaded by name when they are asked for. */
#ifndef SLIP_BATCH_CARD_H
#define SLIP_BATCH_CARD_H

#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"
#include "batch/lanes.h"

#include <stdint.h>

typedef struct slip_card slip_card;

/* Opens the first card; fails with SLIP_ERROR_USAGE and says what is missing. */
int slip_card_open(slip_context *ctx, slip_card **card);
void slip_card_close(slip_card *card);

/* What it is, such as "NVIDIA H200, 132 multiprocessors, 139 GiB, NVRTC 13.0". */
const char *slip_card_describe(const slip_card *card);

/* The program for lanes of this shape, for whoever looks at it or compiles it elsewhere. */
int slip_card_text(slip_context *ctx, const slip_batch_shape *shape, slip_text *text);

/* Moves lanes as slip_batch_advance does. Compiled code is kept in the user's cache folder by a hash of its
 * text, chip and compiler. */
int slip_card_advance(slip_context *ctx, slip_card *card, const slip_batch_work *work, int set_count);

#endif
