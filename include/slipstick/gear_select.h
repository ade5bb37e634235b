/* Slipstick: how many eigenmodes and which penalty a pair of gears in contact needs. */
#ifndef SLIPSTICK_GEAR_SELECT_H
#define SLIPSTICK_GEAR_SELECT_H

#include "slipstick/gear_run.h"

SLIP_BEGIN_C

/* The procedure of the static modes switching study: with a low penalty eigenmodes are added until the speed
 * of the second gear no longer changes (each number is doubled; where
 * that does not matter all modes of the body are tried); then the penalty is raised, and where that lets more
 * eigenmodes matter they are added; it ends when neither matters. Speed is that of the
 * whole gear, without the vibration of its bore: the angular momentum that the contact has given it. A change
 * is the root of the mean square of the difference over that of the speed. */
typedef struct slip_gear_select_options {
    slip_gear_run_options run; /* reduction, speeds, time ...; its modes and penalty are where it starts: the
                                * default is 5 modes and 1e8 N/m */
    double tolerance;          /* a change that does not matter; default 0.005 */
    double most_penalty;       /* default 1e12 N/m */
    double room[8];            /* for fields to come */
} slip_gear_select_options;
/* The defaults above. */
SLIP_API slip_gear_select_options slip_gear_select_options_default(void);

/* A run that was made. */
typedef struct slip_gear_select_row {
    const char *what; /* "start", or what was changed: "penalty", or the name of the gear whose modes were */
    int modes[2];
    double penalty;                         /* N/m */
    double peak_force, contact_time, speed; /* N, s; rad/s of the second gear, at the end */
    double change;                          /* against the run before; NAN at the start */
    int matters;                            /* not zero: the change is more than the tolerance */
    int kept;                               /* not zero: the search goes on from here */
} slip_gear_select_row;
/* Sees a run that was made; valid during the call only. */
typedef void (*slip_gear_select_function)(void *user, const slip_gear_select_row *row);

/* Checks the options without reduced bodies; slip_gear_select does so too. */
SLIP_API int slip_gear_select_check(slip_context *ctx, const slip_gear_options gears[2],
                                    const slip_gear_select_options *options);

/* `function` is called after each run; may be NULL. `chosen` is the caller's struct. What was found is in
 * *chosen: the options with modes and penalty. SLIP_ERROR_SOLVER where all modes of a body are in use and
 * would not be enough, or the highest penalty is not: *chosen has the last ones then. */
SLIP_API int slip_gear_select(slip_context *ctx, const slip_gear_options gears[2],
                              const slip_reduced *const bodies[2], const slip_gear_select_options *options,
                              slip_gear_select_function function, void *user, slip_gear_run_options *chosen);

SLIP_END_C

#endif
