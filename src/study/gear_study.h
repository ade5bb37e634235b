/* The gear impact of the static modes switching study: the pair, its runs, and how they compare. */
#ifndef SLIP_STUDY_GEAR_STUDY_H
#define SLIP_STUDY_GEAR_STUDY_H

#include "slipstick/gear_run.h"
#include "study/published/reproduce.h"

/* One run of the study. */
typedef struct slip_gear_study_case {
    const char *label;
    int modes[2];          /* pinion, wheel; not looked at by the nonlinear model */
    const char *reduction; /* as in slip_gear_side; "explicit": the nonlinear finite element model */
    double penalty;
    double two_pass; /* 1: the pinion's nodes are the slaves */
} slip_gear_study_case;

enum { slip_gear_study_runs_max = 80 };

typedef struct slip_gear_study {
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
    double time, distance; /* distance: of the axes */
    int samples;
    bool full;
    const slip_printer *out;
    slip_gear_study_case cases[slip_gear_study_runs_max];
    slip_result *results[slip_gear_study_runs_max];
    int count;
} slip_gear_study;

/* Reduces the two gears: at the published size or on a coarser mesh. */
int slip_gear_study_create(slip_context *ctx, bool full, const slip_printer *out, slip_gear_study *study);
void slip_gear_study_free(slip_gear_study *study);

/* Runs a case, or finds the run of the same numbers. Runs keep the participation of attachment modes. */
int slip_gear_study_get(slip_context *ctx, slip_gear_study *study, const slip_gear_study_case *which,
                        const slip_result **result);

/* The contact force as a mean over 2 us around each sample, in memory that the caller frees; NULL when there
 * is none. Without damping the nodes of the nonlinear model rattle on their penalty springs at several MHz,
 * which no force in the teeth follows. */
double *slip_gear_study_force(const slip_gear_study *study, const slip_result *result);

/* Of the mean forces: how a run differs from another one with the same samples. */
typedef struct slip_gear_study_error {
    double peak, mean, time, speed; /* relative: peak force, force in the mean square over that of the other,
                                     * contact time, mean speed of the wheel after the contact */
} slip_gear_study_error;
int slip_gear_study_compare(slip_context *ctx, const slip_gear_study *study, const slip_result *run,
                            const slip_result *reference, slip_gear_study_error *error);

/* Mean speed of the wheel from the end of the contact to the end of the run: the bore vibrates. */
double slip_gear_study_speed(const slip_result *result);

/* The figures, one function each (gear_study_figures.c). */
typedef int (*slip_gear_study_figure)(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_modal(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_static(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_eigenmodes(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_penalty(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_switching(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_participation(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_discontinuity(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_excited(slip_context *ctx, slip_gear_study *study, const char *folder);
/* Frames of the nonlinear model through the contact, with stress, into the folder gear-impact-frames. */
int slip_gear_study_draw_animation(slip_context *ctx, slip_gear_study *study, const char *folder);
int slip_gear_study_draw_final(slip_context *ctx, slip_gear_study *study, const char *folder);

#endif
