/* Inside of the derivatives of a motion. */
#ifndef SLIP_METHOD_TANGENT_TYPES_H
#define SLIP_METHOD_TANGENT_TYPES_H

#include "method/flow/jumps.h"
#include "method/tangent/tangent.h"

#include <math.h>

enum { slip_tangent_nodes = 3 };

/* The system with another number of a parameter. */
typedef struct slip_tangent_near {
    const slip_system *system; /* frozen, where that of the flow is */
    slip_workspace *work;
    slip_frozen *frozen; /* NULL: nothing switches */
} slip_tangent_near;

struct slip_tangent {
    slip_context *ctx;
    slip_arena arena;
    const slip_system *system;  /* as it was given */
    slip_flow *flow;            /* that it is attached to; NULL: none yet */
    int n, m;                   /* m = 2 n */
    int parameter_count, count; /* columns: m, the time, parameters, and the rates of the state at an event */
    const slip_tangent_parameter *parameters;
    const slip_tangent_loads *loads; /* NULL: parameters are any */
    slip_tangent_near own, *near;    /* four of each parameter */
    double *columns;                 /* m numbers each */
    double *size, time;              /* m: of the state so far; of the motion */
    bool started, pending, failed;
    int *steep, steep_count; /* contacts that slip by a law with an infinite slope somewhere */
    bool late; /* columns are still those of states as long after the event as the state is, see begin */
    const struct slip_exact
        *exact;      /* of closed forms, where conditions and impacts are linear in the state; else NULL */
    double *tau;     /* of each column: by how much the event comes later; until a segment begins the column
                        is that of the states at the event, whenever it comes */
    double *bounces; /* of each contact, by how much three landings came later, the last one first: 3 x count;
                        and when they were, 3 */
    double *left;    /* of each contact whose bounces have come to their end: for how long its slip was given
                        friction in advance (flow/land.c); NAN: none have */
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

/* The systems of a parameter; of loads they are those of the first function of time. */
static inline slip_tangent_near *slip_tangent_near_of(const slip_tangent *tangent, int parameter)
{
    return tangent->near +
           4 * (tangent->loads ? parameter - parameter % (2 * tangent->loads->harmonics + 1) : parameter);
}

/* To another time. */
static inline void slip_tangent_shift(slip_tangent *tangent, int k, double time, const double *rates)
{
    double *column = slip_tangent_of(tangent, k);
    for (int i = 0; i < tangent->m; i++)
        column[i] += time * rates[i];
}

/* What a parameter of loads multiplies. */
static inline double slip_tangent_factor(const slip_tangent *tangent, int parameter, double t)
{
    const int wave = tangent->loads ? parameter % (2 * tangent->loads->harmonics + 1) : 0;
    const double angle = wave > 0 ? (wave + 1) / 2 * tangent->loads->frequency * t : 0;
    return wave % 2 ? cos(angle) : wave > 0 ? sin(angle) : 1;
}

/* Whether its column changes with a parameter by itself: which, or -1. */
static inline int slip_tangent_parameter_of(const slip_tangent *tangent, int k)
{
    const int p = k - tangent->m - 1;
    return p >= 0 && p < tangent->parameter_count ? p : -1;
}

/* In which the motion changes. */
static inline double slip_tangent_time(const slip_tangent *tangent)
{
    return tangent->time > 0 ? tangent->time : slip_flow_time_scale(tangent->flow);
}

/* A function of the state at one instant, of a system with its workspace. */
typedef struct slip_tangent_map {
    slip_tangent *tangent;
    const slip_flow_crossing *crossing; /* of conditions */
    int contact, part;                  /* of patches: which of the slip velocities */
    int count;                          /* of values, at most m */
    double share; /* by how much of what the motion does it may be moved, where that is not in closed form */
    bool (*find)(const struct slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                 const double *v, double *values);
} slip_tangent_map;

/* Its derivative along a column at the state where the flow stands, with the time by `rate`; and that by the
 * parameter of the column, where it has one (parameter -1: none). The column may be NULL. */
void slip_tangent_along(const slip_tangent_map *map, const double *column, double rate, int parameter,
                        double *result);

/* Adds the derivative by a parameter alone, at any state. */
void slip_tangent_add_parameter(const slip_tangent_map *map, int parameter, double t, const double *q,
                                const double *v, double *result);

/* Exactly: of a gap, and of a slip velocity (`part` of a patch, else 0). */
double slip_tangent_gap_along(slip_tangent *tangent, int contact, const double *column);
double slip_tangent_slip_along(slip_tangent *tangent, int contact, int part, const double *column);

/* Accelerations with what the contacts do now; false where they are not finite. In charts the forces of
 * contacts are those of the chart's variables as they are; `unfold`: of the velocities instead, for states
 * that are moved. */
bool slip_tangent_accelerate(const slip_tangent *tangent, const slip_tangent_near *with, bool unfold,
                             double t, const double *q, const double *v, double *a);
/* The partial derivative of accelerations by a parameter at a state. */
void slip_tangent_by_parameter(slip_tangent *tangent, int parameter, double t, const double *q,
                               const double *v, double *a);
/* d = exp(J distance) d with J in `matrix`. */
void slip_tangent_turn(slip_tangent *tangent, double distance, double *d);
/* Columns become those at one and the same time, if they are late. */
void slip_tangent_meet(slip_tangent *tangent);
/* As slip_tangent_carry, of all columns, where the parameters are those of loads. */
void slip_tangent_carry_loads(slip_tangent *tangent, const struct slip_exact *exact, double distance);
/* Forms of the switches as the flow has them. */
void slip_tangent_take_forms(slip_tangent *tangent);
/* The state where the flow stands counts for `size`. */
void slip_tangent_note_size(slip_tangent *tangent);
/* The rates of the state where the flow stands. */
void slip_tangent_find_rates(slip_tangent *tangent, double *rates);

#endif
