/* The gear impact of the static modes switching study: the gears, their runs, and errors between runs. */
#ifndef SLIP_PUBLISHED_IMPACT_H
#define SLIP_PUBLISHED_IMPACT_H

#include "published.h"

/* One run of the study. */
typedef struct impact_case {
    const char *label;
    int modes[2];          /* pinion, wheel; not looked at by the nonlinear model */
    const char *reduction; /* as in slip_gear_side; "explicit": the nonlinear finite element model */
    double penalty;
    double two_pass; /* 1: the pinion's nodes are the slaves */
} impact_case;

enum { impact_runs_max = 80 };

typedef struct impact_study {
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
    double time, distance; /* distance: of the axes */
    int samples;
    bool full;
    const paper_printer *out;
    impact_case cases[impact_runs_max];
    slip_result *results[impact_runs_max];
    int count;
} impact_study;

/* Reduces the two gears: at the published size or on a coarser mesh. */
int impact_create(slip_context *ctx, bool full, const paper_printer *out, impact_study *study);
void impact_free(impact_study *study);

/* Runs a case, or returns an earlier run with the same parameters. Runs record the attachment modes. */
int impact_get(slip_context *ctx, impact_study *study, const impact_case *which, const slip_result **result);

/* The contact force as a mean over 2 us around each sample, in memory that the caller frees; NULL when there
 * is none. Without damping the nodes of the nonlinear model rattle on their penalty springs at several MHz,
 * which no force in the teeth follows. */
double *impact_force(const impact_study *study, const slip_result *result);

/* Errors of a run against another one with the same samples, from the mean forces. */
typedef struct impact_error {
    double peak, mean, time, speed; /* relative: peak force, force in the mean square over that of the other,
                                     * contact time, mean speed of the wheel after the contact */
} impact_error;
int impact_compare(const impact_study *study, const slip_result *run, const slip_result *reference,
                   impact_error *error);

/* Mean speed of the wheel from the end of the contact to the end of the run: the bore vibrates. */
double impact_speed(const slip_result *result);

/* The figures, one function each (impact_figures.c). */
typedef int (*impact_figure)(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_modal(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_static(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_eigenmodes(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_penalty(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_switching(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_participation(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_discontinuity(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_excited(slip_context *ctx, impact_study *study, const char *folder);
/* Frames of the nonlinear model through the contact, with stress, into the folder gear-impact-frames. */
int impact_draw_animation(slip_context *ctx, impact_study *study, const char *folder);
int impact_draw_final(slip_context *ctx, impact_study *study, const char *folder);

#endif
