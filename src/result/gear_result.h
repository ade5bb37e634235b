/* The participation of attachment modes in a run of gears, stored as the arrays
 * /participation/NAME/{amplitude,active} of a result. */
#ifndef SLIP_RESULT_GEAR_RESULT_H
#define SLIP_RESULT_GEAR_RESULT_H

#include "io/keep.h"
#include "result/result.h"
#include "slipstick/gear_run.h"

/* The histories of flanks during a run. */
typedef struct slip_gear_history slip_gear_history;

int slip_gear_history_create(slip_context *ctx, slip_gear_history **history);
void slip_gear_history_destroy(slip_gear_history *history);

/* `participation` of a slip_gear_setup; user: the history. */
int slip_gear_history_add(void *user, slip_context *ctx, int gear, int surface, bool begins, int64_t row,
                          int size, const double *amplitude, const unsigned char *active, double force);

/* A gear whose flanks have histories. */
typedef struct slip_gear_flanked {
    const char *name;
    int flanks, size; /* number of flanks; number of directions of each */
} slip_gear_flanked;

/* Saves a history in group "record" of a checkpoint, or restores it, for a record of `rows` rows. */
void slip_gear_history_keep(slip_gear_history *history, int64_t rows, int gear_count,
                            const slip_gear_flanked *gears, slip_keeper *keeper);

/* After the run: adds to the result, for each gear, the history of the flank with the largest force. */
int slip_gear_history_finish(slip_context *ctx, const slip_gear_history *history, int gear_count,
                             const slip_gear_flanked *gears, slip_result *result);

#endif
