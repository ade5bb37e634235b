/* What is kept of a run of two gears: a sink (gear_account.h) that fills a result. */
#ifndef SLIP_GEAR_GEAR_RECORD_H
#define SLIP_GEAR_GEAR_RECORD_H

#include "gear/gear_account.h"
#include "slipstick/gear_run.h"

/* names: of the gears, copied. */
int slip_gear_record_create(slip_context *ctx, const char *const names[2], slip_gear_result **result);

/* Fills the result. Of several flanks of a gear the one that took the largest force is shown in the end. */
slip_gear_sink slip_gear_record_sink(slip_gear_result *result);

/* Its state, as group "record" of a checkpoint. Back into a result of the same gears, of a run of so many
 * samples; gears have so many flanks, each of so many directions. */
void slip_gear_record_keep(slip_gear_result *result, int64_t samples, const int flanks[2], const int sizes[2],
                           slip_keeper *keeper);

/* Samples taken. */
int64_t slip_gear_record_count(const slip_gear_result *result);

#endif
