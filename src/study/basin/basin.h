/* Which attractor each start leads to.
 *
 * A basin is a sweep whose runs are followed until it is known where they lead (follow.c). What they
 * came to is compared when all are there, in the order of the starts (attractors.c), so that names do
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
    SLIP_BASIN_EQUILIBRIUM, /* at rest without either */
    SLIP_BASIN_CYCLE,
    SLIP_BASIN_CYCLE_SET, /* a cycle in which a contact sticks all the time: one of a set */
    SLIP_BASIN_CHAOTIC,   /* has not settled, and deviations grow */
    SLIP_BASIN_UNDECIDED,
    SLIP_BASIN_KINDS
} slip_basin_kind;
extern const char *const slip_basin_kinds[SLIP_BASIN_KINDS + 1];

/* In tolerances: states whose errors are within one tolerance are the same when they are as close as this,
 * and what moves less in a period is at rest. */
static const double slip_basin_close = 100;

/* The numbers of a start, as they are collected; then the state (coordinates, velocities, states) and as many
 * sizes. */
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
    int section;                /* the coordinate, or the first that is tried */
} slip_basin_how;

/* The period of the load of a model whose parameters have their numbers; NAN where it does not change with
 * time. Fails where it does and none is given. */
int slip_basin_period(slip_context *ctx, const slip_model *model, const slip_basin_options *options,
                      double *period);

/* Follows one start: slip_sweep_task.run. */
int slip_basin_follow(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                      double *numbers, slip_text *signature);

/* All starts that are open and that lanes take, as far as lanes bring them (together.c). What they leave is
 * open. info.together counts. */
int slip_basin_run_together(slip_sweep_job *job);

/* Of the marks of a period, `multiple` states of m numbers, the one at which a sum of the state is largest:
 * the same from whatever start (end.c). What turns does not count, for next to half a turn it may jump. */
int slip_basin_first_mark(const slip_symmetry *symmetry, const double *states, int multiple, int m);

/* What a start came to. */
typedef struct slip_basin_end {
    slip_basin_kind kind;
    double multiple, period;
    const double *state, *size; /* m numbers each */
    const char *signature;
} slip_basin_end;

/* The model of a study; NULL where an axis is a parameter, so that there are many. */
const slip_model *slip_basin_one_model(slip_context *ctx, const slip_sweep_info *info);
/* The symmetry of a model with the numbers of a run. */
int slip_basin_symmetry(slip_context *ctx, const slip_model *model, const slip_values *values,
                        slip_symmetry **symmetry);

/* Of a nonlinear model states of rest in stick are of one set where contacts stick all along the straight
 * line between them (sets.c); of a linear one, and where parameters are varied, `simulation` is NULL: all
 * are. */
typedef struct slip_basin_sets {
    slip_simulation *simulation;
    int coordinates, m;
    double *state;
    slip_mode *modes;
} slip_basin_sets;
int slip_basin_open_sets(slip_context *ctx, const slip_sweep_info *info, slip_basin_sets *sets);
/* From state a to the one that differs from it by `apart`. */
bool slip_basin_one_set(slip_context *ctx, slip_basin_sets *sets, const double *a, const double *apart);
void slip_basin_close_sets(slip_basin_sets *sets);

enum { slip_basin_attractors_max = INT16_MAX };
typedef struct slip_attractor {
    char name[40];
    slip_basin_end end; /* that of the first start which leads there */
    double low, high;   /* of the first numbers of its states, less that of the end: the least, the largest */
    int64_t count;      /* of starts */
    double fraction, error;
} slip_attractor;

/* Finds which of the attractors so far an end is, or that it is a new one (basin.c). */
typedef struct slip_basin_finder {
    slip_context *ctx;
    int m, count, last;
    double tolerance, *apart; /* m numbers: of what was found last from the end of its attractor */
    slip_symmetry *symmetry;
    slip_basin_sets sets;
    slip_attractor *list;
    int64_t capacity;
} slip_basin_finder;
/* *finder is {0} and is closed in any case. */
int slip_basin_open_finder(slip_context *ctx, const slip_sweep_info *info, int m, slip_basin_finder *finder);
void slip_basin_close_finder(slip_basin_finder *finder);
/* *label is its number, -1 of an end that failed. State and signature of a new one are to be kept. */
int slip_basin_find(slip_basin_finder *finder, const slip_basin_end *end, int16_t *label);

/* The end of a run that is done; m numbers of a state. */
slip_basin_end slip_basin_end_of_run(const slip_sweep_run *run, int m);
double slip_basin_setting(const slip_sweep_info *info, const char *name);
static inline int64_t slip_basin_starts(const slip_sweep_info *info)
{
    return info->runs * (info->lines ? info->axes[info->axis_count - 1].count : 1);
}
/* Settings and period of the task, and what it collects of each start; of lines: settings alone. */
int slip_basin_choose(slip_sweep_job *job);
int slip_basin_choose_settings(slip_sweep_job *job);
int slip_basin_run_open(slip_sweep_job *job);
/* Tables, documents and numbers of the attractors; label of all starts. */
int slip_basin_tell(slip_context *ctx, const slip_sweep_info *info, slip_basin_finder *found,
                    const int16_t *label, slip_result *result, slip_json_writer *json);

/* Starts of which the attractor is kept and no more, line by line along the last axis (lines.c). */
extern const slip_sweep_task slip_basin_lines_task;
/* The labels of all starts of such a result from its table: the caller's to free. NULL when out of memory. */
int16_t *slip_basin_read_lines(const slip_sweep_info *info, const slip_table *table);

/* ---- The grid (grid.c). `label` has the number of the attractor for each run of the finest grid; -1:
 * failed, -2: not known. */

/* Asks for every 2^refine-th run along each range and, of those that are not finished, for no other one. */
void slip_basin_open_grid(slip_sweep_job *job, int refine);

/* Asks for the runs that divide the cells of width 2^level, level > 0, between different attractors. Returns
 * how many are new. */
int64_t slip_basin_open_cells(slip_sweep_job *job, int level, const int16_t *label);

/* Sets fraction and error of the attractors: of the volume that the ranges span where there are cells, else
 * of the starts. */
void slip_basin_measure(const slip_sweep_info *info, int refine, const int16_t *label, slip_attractor *list,
                        int count);

extern const slip_sweep_task slip_basin_task;

/* A map over two axes with a colour for each attractor, or points over one (draw.c). */
int slip_basin_draw(slip_album *album);

#endif
