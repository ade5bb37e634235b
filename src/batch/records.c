/* Lanes and their words, for any shape. */
#include "batch/lanes.h"

#define FUNCTION static inline
#define GAP(contact) (z->has_gap[contact])
#define NC (z->contacts)
#define NQ (z->n)
#define NY (z->entries)
#define PEAKS (z->peaks)
#include "batch/engine_bounce.inc"

#include "batch/engine_record.inc"

int slip_batch_words(const slip_batch_shape *shape)
{
    int count = RECORD_FIRST + shape->entries + shape->contacts;
    for (int c = 0; c < shape->contacts; c++)
        count += shape->has_gap[c] ? BOUNCE_WORDS : 0;
    return count + (shape->peaks ? 2 * shape->n : 0);
}

void slip_batch_open(const slip_batch_shape *shape, const slip_batch_word *record, slip_batch_lane *lane)
{
    open_record(shape, record, lane);
}

void slip_batch_keep(const slip_batch_shape *shape, const slip_batch_lane *lane, slip_batch_word *record)
{
    keep_record(shape, lane, record);
}
