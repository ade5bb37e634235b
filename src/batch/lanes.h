/* Between the batch and the engine that was compiled for this processor. */
#ifndef SLIP_BATCH_LANES_H
#define SLIP_BATCH_LANES_H

#include "batch/engine.h"

#include <stdint.h>

/* Lanes that are moved on by `each` returns. */
typedef struct slip_batch_work {
    const slip_batch_shape *shape;
    const double *numbers;    /* of all sets of parameters */
    slip_batch_word *records; /* shape->record words for each lane */
    const int64_t *list;      /* which of them; NULL: the first ones */
    int64_t count, each;
    double *returns; /* q and v at each, lane by lane of the list; NULL: they are not kept */
    /* Where returns are kept, of each as slip_batch_differentiate has them; NULL: there are none. */
    double *derivatives;
    /* For lanes that a card has not finished: they are moved to the end of `each`, and these are their places
     * in `returns`. NULL: all lanes begin, in the order of the list. */
    const int64_t *places;
} slip_batch_work;

/* Patterns whose tables a place in a block keeps, and the memory for those of one thread. */
enum { slip_batch_patterns = 16, slip_batch_widest = 8 };
typedef struct slip_batch_scratch {
    unsigned *patterns; /* widest x patterns */
    double *tables;     /* widest x patterns x shape->table */
} slip_batch_scratch;

typedef void (*slip_batch_runner)(const slip_batch_work *work, slip_batch_scratch *scratch);

/* The best one for this processor and shape; `lanes` 1, 4 or 8 asks for a width (0: the widest there is). */
slip_batch_runner slip_batch_choose(const slip_batch_shape *shape, int lanes);

/* How many words keep a lane; from these to the lane, and back. */
int slip_batch_words(const slip_batch_shape *shape);
void slip_batch_open(const slip_batch_shape *shape, const slip_batch_word *record, slip_batch_lane *lane);
void slip_batch_keep(const slip_batch_shape *shape, const slip_batch_lane *lane, slip_batch_word *record);

/* How many lanes stand side by side. */
int slip_batch_width(void);

#endif
