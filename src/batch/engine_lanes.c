/* The engine on the processor. Compiled as it is for one lane and any shape; CMakeLists.txt compiles it again
 * for vectors of lanes, and for the smallest shapes one by one. */
#include "batch/lanes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef LANES
#define LANES 1
#endif
#ifndef SLIP_BATCH_RUN
#define SLIP_BATCH_RUN slip_batch_run_plain
#endif
#ifdef SHAPE_Q
#define NQ ((void)z, SHAPE_Q)
#define NC ((void)z, SHAPE_C)
#define NW ((void)z, SHAPE_WAVES)
#else
#define NQ (z->n)
#define NC (z->contacts)
#define NW (z->waves)
#endif
#define NY (2 * NQ + 1 + 2 * NW + NC)
#define FUNCTION static inline
#define COLUMNS

#include "batch/engine.inc"

/* When this number of lanes wait, their steps that are not clear are handled together. */
enum { enough = LANES > 1 ? LANES * 3 / 4 : 1 };

void SLIP_BATCH_RUN(const slip_batch_work *work, slip_batch_scratch *scratch)
{
    const slip_batch_shape *z = work->shape;
    side_by_side b;
    slip_batch_lane lanes[LANES];
    slip_batch_word *record[LANES] = {NULL}; /* where they are kept */
    table_store store[LANES];
    lane_columns columns[LANES];
    int64_t next = 0;
    mask waiting;
    memset(&b, 0, sizeof b);
    memset(&waiting, 0, sizeof waiting);
    memset(lanes, 0, sizeof lanes);
    b.columns = work->derivatives ? columns : NULL;
    for (int j = 0; j < LANES; j++) {
        b.lane[j] = &lanes[j];
        columns[j].crosses = 0;
        store[j] = (table_store){.most = slip_batch_patterns,
                                 .pattern = scratch->patterns + j * slip_batch_patterns,
                                 .tables = scratch->tables + (ptrdiff_t)j * slip_batch_patterns * z->table};
        AT(b.H, j) = AT(b.until, j) = 1;
    }
    mask empty = ~waiting;
    for (;;) {
        for (int l = 0; l < LANES && next < work->count && any(empty); l++) {
            while (is_set(empty, l) && next < work->count) {
                const int64_t index = work->list ? work->list[next] : next;
                double *to = work->returns ? work->returns + next * 2 * work->each * NQ : NULL;
                record[l] = work->records + index * z->record;
                open_record(z, record[l], &lanes[l]);
                lanes[l].wanted = lanes[l].returns + work->each;
                columns[l].to =
                    work->derivatives ? work->derivatives + next * work->each * (4 * NQ * NQ + 1) : NULL;
                next++;
                if (!take_lane(z, &b, l, &store[l], work->numbers + (ptrdiff_t)lanes[l].set * z->numbers,
                               to)) {
                    keep_record(z, &lanes[l], record[l]);
                    continue;
                }
                PUT(empty, l, 0);
                if (columns[l].to)
                    begin_columns(z, &b, l);
            }
        }
        b.active = ~empty;
        if (!any(b.active))
            return;
        look(z, &b);
        int parked;
        do {
            const mask moved = walk(z, &b);
            if (PEAKS && any(moved))
                look_back(z, &b, moved);
            waiting = ~empty & ~moved;
            b.active = b.active & moved; /* waiting lanes stay where they are */
            waiting = ~empty & ~b.active;
            parked = __builtin_popcount(bits_of(waiting));
        } while (parked < enough && any(b.active));
        const mask done = handle(z, &b, store, waiting);
        for (int l = 0; l < LANES && any(done); l++)
            if (is_set(done, l))
                keep_record(z, &lanes[l], record[l]);
        empty |= done;
    }
}
