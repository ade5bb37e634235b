/* Least squares on runs of a model.
 *
 * With residuals r_i = (model_i(p) - data_i)/noise of the series of i, the method of Levenberg and Marquardt
 * takes p + d with
 *
 *     (J^T J + lambda diag(J^T J)) d = -J^T r,     J = dr/dp,
 *
 * cut at the bounds; a parameter at a bound that would leave it is held. lambda falls where the sum of
 * squares did and rises where it did not (J. More, Lecture Notes in Mathematics 630, 1978). The noise of a
 * series is the standard deviation of its residuals, estimated again after each round of iterations; the
 * covariance of the parameters is (J^T J)^-1.
 *
 * J of coordinates, velocities and states by method `event` are derivatives of the motion across its events
 * (method/tangent); for other data, and where the motion has no derivatives (other methods, grazes), they are
 * difference quotients of runs. */
#ifndef SLIP_STUDY_FIT_FIT_H
#define SLIP_STUDY_FIT_FIT_H

#include "result/result.h"
#include "simulation/simulation.h"
#include "slipstick/fit.h"

/* A measured number. The points of all series are in one list, sorted by time. */
typedef struct slip_fit_point {
    double time; /* of a series: when; of an event: its number among those of its kind, from 0 */
    int series;  /* among the series; of events the kind: contact, from, to */
    double value;
} slip_fit_point;

typedef struct slip_fit_kind {
    int contact;
    slip_mode from, to;
} slip_fit_kind;

typedef struct slip_fit_data {
    bool events;
    int series_count;
    char **series;        /* names; of events what they are called in results */
    slip_fit_kind *kinds; /* of events */
    slip_fit_point *points;
    int64_t count, capacity;
    double end; /* the last time */
    slip_arena arena;
} slip_fit_data;

/* Reads the file; `wanted` as slip_fit_options.series. The model says which columns are series. */
int slip_fit_read(slip_context *ctx, const slip_model *ready, const char *path, const char *const *wanted,
                  slip_fit_data *data);
void slip_fit_data_free(slip_fit_data *data);

/* A parameter that is fitted. */
typedef struct slip_fit_parameter {
    const char *name;
    double value, start, low, high; /* bounds, infinite where there are none */
    double error;
} slip_fit_parameter;

/* The model at the data. */
typedef struct slip_fit_job {
    slip_context *ctx;
    const slip_model *model;
    slip_fit_options options; /* complete */
    slip_run_options run;
    slip_fit_data data;
    slip_fit_parameter *parameters;
    int count;                       /* of them */
    const char **names;              /* the same with a NULL, for derivatives */
    double *model_values, *jacobian; /* of each point; by each parameter, row by row */
    double *noise;                   /* of each series */
    bool exact;                      /* the derivatives are those of the motion, not difference quotients */
    int64_t iterations;
    bool converged;
    double rms;
    slip_arena arena;
} slip_fit_job;

/* Finds the parameters with the least sum of squares, and their standard deviations. */
int slip_fit_solve(slip_fit_job *job);

#endif
