/* What a result with gears has beside its series: the participation of attachment modes, as the arrays
 * /participation/NAME/{amplitude,active}. */
#ifndef SLIP_RESULT_GEAR_RESULT_H
#define SLIP_RESULT_GEAR_RESULT_H

#include "io/keep.h"
#include "result/result.h"
#include "slipstick/gear_run.h"

/* Histories of flanks on the way. */
typedef struct slip_gear_history slip_gear_history;

int slip_gear_history_create(slip_context *ctx, slip_gear_history **history);
void slip_gear_history_destroy(slip_gear_history *history);

/* `participation` of a slip_gear_setup; user: the history. */
int slip_gear_history_add(void *user, slip_context *ctx, int gear, int surface, bool begins, int64_t row,
                          int size, const double *amplitude, const unsigned char *active, double force);

/* A gear whose flanks have histories. */
typedef struct slip_gear_flanked {
    const char *name;
    int flanks, size; /* so many flanks, each of so many directions */
} slip_gear_flanked;

/* Its state, as flanks of group "record" of a checkpoint. Back into one of the same gears, of a record of so
 * many rows. */
void slip_gear_history_keep(slip_gear_history *history, int64_t rows, int gear_count,
                            const slip_gear_flanked *gears, slip_keeper *keeper);

/* After the run: of each gear the flank that took the largest force goes into the result. */
int slip_gear_history_finish(slip_context *ctx, const slip_gear_history *history, int gear_count,
                             const slip_gear_flanked *gears, slip_result *result);

#endif
