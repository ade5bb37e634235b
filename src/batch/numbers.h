/* From a finished system to the numbers that the engine works with. */
#ifndef SLIP_BATCH_NUMBERS_H
#define SLIP_BATCH_NUMBERS_H

#include "batch/engine.h"
#include "method/exact/types.h"

#include <stddef.h>

enum { SLIP_BATCH_REFUSED = 1 };

/* The functions of time of a system. */
typedef struct slip_batch_draft {
    slip_arena arena;
    slip_exact_loads loads;
    bool peaks; /* largest values are kept: given */
} slip_batch_draft;
void slip_batch_draft_free(slip_batch_draft *draft);

/* The shape of the system and its functions of time; SLIP_BATCH_REFUSED with the reason where the engine does
 * not take it. *draft is {0}, but for `peaks`, and is freed in any case. */
int slip_batch_describe(slip_context *ctx, const slip_system *system, slip_batch_draft *draft,
                        slip_batch_shape *shape, char *reason, size_t size);

/* Its numbers, shape->numbers of them. */
void slip_batch_fill(const slip_system *system, const slip_batch_draft *draft, const slip_batch_shape *shape,
                     double period, double *numbers);

#endif
