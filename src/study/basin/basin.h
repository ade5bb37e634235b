/* Which attractor each start leads to.
 *
 * A basin is a sweep whose runs are followed until their attractor is known (follow.c). The ends of all runs
 * are compared after the last run, in the order of the starts (basin.c), so that the names of attractors do
 * not depend on threads and parts. */
#ifndef SLIP_STUDY_BASIN_H
#define SLIP_STUDY_BASIN_H

#include "figure/album.h"
#include "slipstick/basin.h"
#include "slipstick/simulation.h"
#include "study/settling.h"
#include "study/sweep/sweep.h"

typedef enum slip_basin_kind {
    SLIP_BASIN_FAILED,
    SLIP_BASIN_STICK,       /* at rest, and a contact sticks: one of a set of states */
    SLIP_BASIN_SLIDING,     /* coordinates at rest while a contact slips */
    SLIP_BASIN_EQUILIBRIUM, /* at rest, no contact sticks or slips */
    SLIP_BASIN_CYCLE,
    SLIP_BASIN_CYCLE_SET, /* a cycle in which a contact sticks all the time: one cycle of a set */
    SLIP_BASIN_CHAOTIC,   /* has not settled, and deviations grow */
    SLIP_BASIN_UNDECIDED,
    SLIP_BASIN_KINDS
} slip_basin_kind;
extern const char *const slip_basin_kinds[SLIP_BASIN_KINDS + 1];

/* In units of the tolerance. Two states, each with an error of at most one tolerance, are taken as the same
 * when they differ by less than this; a motion that moves by less than this in a period is at rest. */
static const double slip_basin_close = 100;

/* Places of the numbers that a sweep collects for each start. From SLIP_BASIN_STATE on: the state on the
 * attractor (coordinates, velocities, states), then as many sizes, one for each number of the state. */
enum {
    SLIP_BASIN_ATTRACTOR,
    SLIP_BASIN_KIND,
    SLIP_BASIN_MULTIPLE,
    SLIP_BASIN_PERIOD,
    SLIP_BASIN_TIME,
    SLIP_BASIN_STATE
};

/* How starts are followed. */
typedef struct slip_basin_how {
    slip_basin_options options; /* complete; the period may depend on parameters that are varied */
    int section;                /* the coordinate whose maxima are marks, or the first one that is tried */
} slip_basin_how;

/* Sets *period to the period of the load of a model whose parameters have values; NAN where the model does
 * not depend on time. Fails where it depends on time and has neither a known nor a given period. */
int slip_basin_period(slip_context *ctx, const slip_model *model, const slip_basin_options *options,
                      double *period);

/* Follows one start: slip_sweep_task.run. */
int slip_basin_follow(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                      double *numbers, slip_text *signature);

/* Moves in vector lanes all starts that are not done yet and that lanes can take (together.c). A start that
 * lanes cannot finish stays open for a run by itself. info.together has the counts. */
int slip_basin_run_together(slip_sweep_job *job);

/* A period has `multiple` marks, with states of m numbers. Returns the number of the mark at which a weighted
 * sum of the state is largest, which is the same mark from every start (end.c). Coordinates that turn are
 * left out of the sum, because their value can jump by a turn. */
int slip_basin_first_mark(const slip_symmetry *symmetry, const double *states, int multiple, int m);

/* The motion at which a start has ended. */
typedef struct slip_basin_end {
    slip_basin_kind kind;
    double multiple, period;
    const double *state, *size; /* m numbers each */
    const char *signature;
} slip_basin_end;

/* The model of a study; NULL where an axis is a parameter, so that each start has values of its own. */
const slip_model *slip_basin_one_model(slip_context *ctx, const slip_sweep_info *info);
/* The symmetry of a model with the numbers of a run. */
int slip_basin_symmetry(slip_context *ctx, const slip_model *model, const slip_values *values,
                        slip_symmetry **symmetry);

/* Tells whether two equilibria in stick belong to one connected set. In a nonlinear model they do if the
 * contacts stick all along the straight line between them (sets.c). In a linear model, and where parameters
 * are varied, `simulation` is NULL, and all equilibria with the same contact modes are one set. */
typedef struct slip_basin_sets {
    slip_simulation *simulation;
    int coordinates, m;
    double *state;
    slip_mode *modes;
} slip_basin_sets;
int slip_basin_open_sets(slip_context *ctx, const slip_sweep_info *info, slip_basin_sets *sets);
/* Whether state a and the state a + `apart` belong to one set. */
bool slip_basin_one_set(slip_context *ctx, slip_basin_sets *sets, const double *a, const double *apart);
void slip_basin_close_sets(slip_basin_sets *sets);

enum { slip_basin_attractors_max = INT16_MAX };
typedef struct slip_attractor {
    char name[40];
    slip_basin_end end; /* the end of the first start that leads there */
    double low, high;   /* least and largest first number of its states, relative to that of `end` */
    int64_t count;      /* of starts that lead there */
    double fraction, error;
} slip_attractor;

/* The attractors found so far, with which the end of each start is compared (basin.c). */
typedef struct slip_basin_finder {
    slip_context *ctx;
    int m, count, last;
    double tolerance, *apart; /* apart: m numbers, the state found last less that of the attractor */
    slip_symmetry *symmetry;
    slip_basin_sets sets;
    slip_attractor *list;
    int64_t capacity;
} slip_basin_finder;
/* *finder is {0} and is closed in any case. */
int slip_basin_open_finder(slip_context *ctx, const slip_sweep_info *info, int m, slip_basin_finder *finder);
void slip_basin_close_finder(slip_basin_finder *finder);
/* Sets *label to the number of the attractor at which `end` is, -1 where the run failed. An end that fits
 * none is a new attractor: the caller keeps its state and signature. */
int slip_basin_find(slip_basin_finder *finder, const slip_basin_end *end, int16_t *label);

/* The end of a finished run, whose state has m numbers. */
slip_basin_end slip_basin_end_of_run(const slip_sweep_run *run, int m);
double slip_basin_setting(const slip_sweep_info *info, const char *name);
static inline int64_t slip_basin_starts(const slip_sweep_info *info)
{
    return info->runs * (info->lines ? info->axes[info->axis_count - 1].count : 1);
}
/* Sets the settings and the period of the task and the numbers that it collects for each start; for basins by
 * lines (lines.c) the settings alone. */
int slip_basin_choose(slip_sweep_job *job);
int slip_basin_choose_settings(slip_sweep_job *job);
int slip_basin_run_open(slip_sweep_job *job);
/* Adds tables, documents and numbers of the attractors to the result. `label`: that of each start. */
int slip_basin_tell(slip_context *ctx, const slip_sweep_info *info, slip_basin_finder *found,
                    const int16_t *label, slip_result *result, slip_json_writer *json);

/* The task that keeps nothing but the number of the attractor of each start; a run is a line of starts along
 * the last axis (lines.c). */
extern const slip_sweep_task slip_basin_lines_task;
/* Reads the labels of all starts from the table of such a result; the caller frees them. NULL: out of
 * memory. */
int16_t *slip_basin_read_lines(const slip_sweep_info *info, const slip_table *table);

/* ---- The grid (grid.c). `label` has the number of the attractor for each run of the finest grid; -1:
 * failed, -2: not known. */

/* Opens every 2^refine-th run along each range; all other unfinished runs are marked as not asked for. */
void slip_basin_open_grid(slip_sweep_job *job, int refine);

/* Opens the runs that divide those cells of width 2^level, level > 0, whose corners lead to different
 * attractors. Returns the number of runs opened. */
int64_t slip_basin_open_cells(slip_sweep_job *job, int level, const int16_t *label);

/* Sets fraction and error of the attractors: of the volume that the ranges span where there are cells, else
 * of the starts. */
void slip_basin_measure(const slip_sweep_info *info, int refine, const int16_t *label, slip_attractor *list,
                        int count);

extern const slip_sweep_task slip_basin_task;

/* A map over two axes with a colour for each attractor, or points over one (draw.c). */
int slip_basin_draw(slip_album *album);

#endif
