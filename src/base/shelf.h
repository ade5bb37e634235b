/* A place for one thing that is made with effort and of use to the next one who needs the like of it: whoever
 * takes it has it alone, so that threads may share the place. Start with {0}. */
#ifndef SLIP_BASE_SHELF_H
#define SLIP_BASE_SHELF_H

#include <stdatomic.h>
#include <stddef.h>

/* What such a thing begins with. */
typedef struct slip_shelved {
    void (*destroy)(struct slip_shelved *thing);
} slip_shelved;

typedef struct slip_shelf {
    _Atomic(slip_shelved *) thing;
} slip_shelf;

/* NULL where there is nothing. */
static inline slip_shelved *slip_shelf_take(slip_shelf *shelf)
{
    return atomic_exchange(&shelf->thing, NULL);
}

/* Takes the thing over; what was there before goes. NULL clears the place. */
static inline void slip_shelf_put(slip_shelf *shelf, slip_shelved *thing)
{
    slip_shelved *before = atomic_exchange(&shelf->thing, thing);
    if (before)
        before->destroy(before);
}

#endif
