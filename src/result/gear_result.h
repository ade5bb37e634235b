/* Two gears in motion as a result like any other. Its file result.h5 has /t, /gear/NAME/{angle,speed,moment},
 * /contact/{force,touching,depth}, /energy/{kinetic, ...} and, where it was asked for,
 * /participation/NAME/{amplitude,active}. */
#ifndef SLIP_RESULT_GEAR_RESULT_H
#define SLIP_RESULT_GEAR_RESULT_H

#include "gear/gear_account.h"
#include "result/result.h"
#include "slipstick/gear_run.h"

/* A sink that fills a result. */
typedef struct slip_gear_recorder slip_gear_recorder;

/* gears: their names, copied. */
int slip_gear_recorder_create(slip_context *ctx, const char *const gears[2], slip_gear_recorder **recorder);
void slip_gear_recorder_destroy(slip_gear_recorder *recorder);

/* Of several flanks of a gear the one that took the largest force is shown in the end. */
slip_gear_sink slip_gear_recorder_sink(slip_gear_recorder *recorder);

/* Its state, as group "record" of a checkpoint. Back into one of the same gears, of a run of so many samples;
 * gears have so many flanks, each of so many directions. */
void slip_gear_recorder_keep(slip_gear_recorder *recorder, int64_t samples, const int flanks[2],
                             const int sizes[2], slip_keeper *keeper);

/* Samples taken. */
int64_t slip_gear_recorder_count(const slip_gear_recorder *recorder);

/* After the run, which ended with this status (and message, or NULL): hands out the result. */
int slip_gear_recorder_finish(slip_context *ctx, slip_gear_recorder *recorder, const char *method, int ended,
                              const char *message, slip_result **result);

#endif
