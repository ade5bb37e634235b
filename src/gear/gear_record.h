/* What is kept of a run of two gears. */
#ifndef SLIP_GEAR_GEAR_RECORD_H
#define SLIP_GEAR_GEAR_RECORD_H

#include "io/hdf5.h"
#include "slipstick/gear_run.h"

#include <stdbool.h>

/* The state at a sample. */
typedef struct slip_gear_sample {
    double time;
    double angle[2], speed[2], moment[2];
    double force, touching, depth;
    double kinetic, strain, contact, lost, work;
} slip_gear_sample;

/* names: of the gears, copied. negligible: an energy that rounding makes. */
int slip_gear_record_create(slip_context *ctx, const char *const names[2], double negligible,
                            slip_gear_result **result);

int slip_gear_record_add(slip_context *ctx, slip_gear_result *result, const slip_gear_sample *sample);

/* To be told the contact force at the end of every step (or, at a change between touching and not, at the
 * time where it was located): sums up the contact time, finds the peak. A step counts as contact in the share
 * in which the force, linear between two calls, is positive. */
void slip_gear_record_watch(slip_gear_result *result, double time, double force);

/* To be told the energies of steps between the samples too, where that is cheap: the drift is then that of
 * all of them. Of `energy` the kinetic, strain and contact energies, lost and work count. Returns whether the
 * motion has more than twice the energy that was at the start and has been put in: it grows without bound. */
bool slip_gear_record_balance(slip_gear_result *result, const slip_gear_sample *energy);
/* Fails for that reason. when: "t = ... s: "; who: what moves most. */
int slip_gear_record_unbounded(slip_context *ctx, const slip_gear_result *result,
                               const slip_gear_sample *energy, const char *when, const char *who);

/* A number of the summary; sets it again where it is there. */
int slip_gear_record_number(slip_context *ctx, slip_gear_result *result, const char *name, double value);

/* The last step of a method with fixed ones; `first` where that was lowered on the way. */
int slip_gear_record_step(slip_context *ctx, slip_gear_result *result, double step, double first);

/* After the last sample: contact times, peak, final speeds, energies and their drift. */
int slip_gear_record_finish(slip_context *ctx, slip_gear_result *result);

/* ---- Checkpoints: samples, contact so far and participation, as group "record". */

int slip_gear_record_write(slip_context *ctx, const slip_gear_result *result, slip_h5 *file);
/* Into an empty result of the same gears, of a run of so many samples; gears have so many flanks, each of so
 * many directions. */
int slip_gear_record_read(slip_context *ctx, slip_gear_result *result, int64_t samples, const int flanks[2],
                          const int sizes[2], slip_h5 *file);

/* Samples taken; whether a flank has a history. */
int64_t slip_gear_record_count(const slip_gear_result *result);
bool slip_gear_record_has(const slip_gear_result *result, int gear, int surface);

/* ---- Participation. */

/* One sample of one flank: `size` amplitudes, and which are switched on (NULL: all). Amplitudes of several
 * flanks may be given for one sample; in the end the flank that took the largest force is kept, so tell the
 * normal force on it. Every flank must be given from the sample on at which it first is; before it was zero.
 */
int slip_gear_record_participation(slip_context *ctx, slip_gear_result *result, int gear, int surface,
                                   int64_t sample, int size, const double *amplitude,
                                   const unsigned char *active, double force);

#endif
