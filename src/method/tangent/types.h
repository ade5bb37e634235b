/* Inside of the derivatives of a motion. */
#ifndef SLIP_METHOD_TANGENT_TYPES_H
#define SLIP_METHOD_TANGENT_TYPES_H

#include "method/flow/jumps.h"
#include "method/tangent/tangent.h"

#include <math.h>

enum { slip_tangent_nodes = 3 };

/* The system with a neighbouring value of a parameter. */
typedef struct slip_tangent_near {
    const slip_system *system; /* frozen, if that of the flow is */
    slip_workspace *work;
    slip_frozen *frozen; /* NULL: nothing switches */
} slip_tangent_near;

struct slip_tangent {
    slip_context *ctx;
    slip_arena arena;
    const slip_system *system;  /* as it was given */
    slip_flow *flow;            /* the flow that it is attached to; NULL: none yet */
    int n, m;                   /* m = 2 n */
    int parameter_count, count; /* columns: m, the time, parameters, and the rates of the state at an event */
    const slip_tangent_parameter *parameters;
    const slip_tangent_loads *loads; /* NULL: parameters are not loads */
    slip_tangent_near own, *near;    /* four of each parameter */
    double *columns;                 /* m numbers each */
    double *size, time;              /* m numbers: sizes of the state so far; time scale of the motion */
    bool started, pending, failed;
    int *steep, steep_count; /* contacts that slip by a law with an infinite slope somewhere */
    bool late;               /* columns are changes at a fixed time after the event, not at a fixed time */
    const struct slip_exact *exact; /* closed-form segment, with conditions linear in the state; else NULL */
    double *tau;     /* of each column: change of the time of the event; until a segment begins, columns are
                      * changes of the state at the event, at its changed time */
    double *bounces; /* of each contact: changes of the times of its last three landings, the last one first,
                      * 3 x count; and these 3 times */
    double *left;    /* of each contact whose bounces were ended early: the neglected time, for the correction
                      * of friction (flow/land.c); NAN: others */
    double graze;
    double *rates, *q, *v, *a, *values, *forces; /* scratch; values: two times m */
    double *matrix, *stages, *block;             /* of a step: 3 of m x m, 3 m x count, 9 m x m */
    int *pivots;
    slip_branch *unfolded; /* branches without charts */
};

static inline double *slip_tangent_of(const slip_tangent *tangent, int k)
{
    return tangent->columns + (int64_t)k * tangent->m;
}

/* The systems of a parameter; for loads, those of the constant load. */
static inline slip_tangent_near *slip_tangent_near_of(const slip_tangent *tangent, int parameter)
{
    return tangent->near +
           4 * (tangent->loads ? parameter - parameter % (2 * tangent->loads->harmonics + 1) : parameter);
}

/* Converts column k to changes of the state at a time later by `time`. */
static inline void slip_tangent_shift(slip_tangent *tangent, int k, double time, const double *rates)
{
    double *column = slip_tangent_of(tangent, k);
    for (int i = 0; i < tangent->m; i++)
        column[i] += time * rates[i];
}

/* The function of time, at t, whose factor a parameter of loads is. */
static inline double slip_tangent_factor(const slip_tangent *tangent, int parameter, double t)
{
    const int wave = tangent->loads ? parameter % (2 * tangent->loads->harmonics + 1) : 0;
    const double angle = wave > 0 ? (wave + 1) / 2 * tangent->loads->frequency * t : 0;
    return wave % 2 ? cos(angle) : wave > 0 ? sin(angle) : 1;
}

/* The parameter of column k, or -1: a column of the initial state or time. */
static inline int slip_tangent_parameter_of(const slip_tangent *tangent, int k)
{
    const int p = k - tangent->m - 1;
    return p >= 0 && p < tangent->parameter_count ? p : -1;
}

/* The time scale of the motion. */
static inline double slip_tangent_time(const slip_tangent *tangent)
{
    return tangent->time > 0 ? tangent->time : slip_flow_time_scale(tangent->flow);
}

/* A function of the state at one instant, of a system with its workspace. */
typedef struct slip_tangent_map {
    slip_tangent *tangent;
    const slip_flow_crossing *crossing; /* of conditions */
    int contact, part;                  /* of patches: index of the slip velocity */
    int count;                          /* of values, at most m */
    double share; /* step of differences relative to the scales of the motion, without closed forms */
    bool (*find)(const struct slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                 const double *v, double *values);
} slip_tangent_map;

/* The derivative of the map at the present state of the flow along a column (NULL: zero), plus `rate` times
 * that by time, plus that by a parameter (-1: none). */
void slip_tangent_along(const slip_tangent_map *map, const double *column, double rate, int parameter,
                        double *result);

/* Adds the partial derivative of the map by a parameter, at any state. */
void slip_tangent_add_parameter(const slip_tangent_map *map, int parameter, double t, const double *q,
                                const double *v, double *result);

/* Exact derivatives along a column: of a gap, and of a slip velocity (`part` of a patch, else 0). */
double slip_tangent_gap_along(slip_tangent *tangent, int contact, const double *column);
double slip_tangent_slip_along(slip_tangent *tangent, int contact, int part, const double *column);

/* Accelerations in the present modes; false where they are not finite. In charts, contact forces follow from
 * the present chart variables or, with `unfold`, from the velocities, for perturbed states. */
bool slip_tangent_accelerate(const slip_tangent *tangent, const slip_tangent_near *with, bool unfold,
                             double t, const double *q, const double *v, double *a);
/* The partial derivative of accelerations by a parameter at a state. */
void slip_tangent_by_parameter(slip_tangent *tangent, int parameter, double t, const double *q,
                               const double *v, double *a);
/* d = exp(J distance) d with J in `matrix`. */
void slip_tangent_turn(slip_tangent *tangent, double distance, double *d);
/* Converts columns to changes of the state at one and the same time, if they are `late`. */
void slip_tangent_meet(slip_tangent *tangent);
/* Like slip_tangent_carry, for all columns, where the parameters are those of loads. */
void slip_tangent_carry_loads(slip_tangent *tangent, const struct slip_exact *exact, double distance);
/* Copies the forms of the switches from the flow. */
void slip_tangent_take_forms(slip_tangent *tangent);
/* Updates `size` by the present state of the flow. */
void slip_tangent_note_size(slip_tangent *tangent);
/* Computes the rates (v, a) of the present state of the flow. */
void slip_tangent_find_rates(slip_tangent *tangent, double *rates);

#endif
