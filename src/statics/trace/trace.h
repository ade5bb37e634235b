/* Paths of equilibria of a balance over a parameter p.
 *
 * With the modes given the equations F(y, p) = 0 have curves of solutions, followed by pseudo-arclength
 * steps: a step along the tangent, then Newton's method across it (H. B. Keller, in Applications of
 * bifurcation theory, Academic Press 1977), so that the parameter may turn on the way (LP). A curve ends
 * where a margin of its modes reaches zero. There all sets of modes that agree with the state are looked at:
 * each has a tangent, and the margins that are zero say in which of its two directions it may be followed:
 * those are the rays that leave the point, and what they mean is the same as for linear problems (path.h).
 * Where the matrix of F and the tangent's row changes the sign of its determinant two curves of the same
 * modes cross (BP), and the other one is followed too. */
#ifndef SLIP_STATICS_TRACE_H
#define SLIP_STATICS_TRACE_H

#include "statics/equilibria.h"
#include "statics/path.h"

/* The balance over the parameter. All balances have the same contacts and directions. */
typedef struct slip_trace_family {
    void *user;
    /* The balance at p, which stays valid until three others were asked for. */
    int (*at)(void *user, double p, slip_balance **balance);
    /* lambda and d of a state, `direction_count` numbers each. */
    void (*state)(void *user, slip_balance *balance, const double *y, double *lambda, double *d);
    int direction_count;
    const slip_balance *shape; /* one that stays valid, for contacts and directions */
    double low, high;          /* range of p */
} slip_trace_family;

typedef struct slip_trace slip_trace;

/* Uses spacing, targets and event_limit of the options. */
int slip_trace_create(slip_context *ctx, const slip_trace_family *family,
                      const slip_static_path_options *options, const slip_static_observer *observer,
                      slip_trace **trace);
void slip_trace_destroy(slip_trace *trace);
SLIP_OWNED(slip_trace, slip_trace_destroy)

/* Follows everything that leaves a state (coordinates and forces y) in a direction of the parameter (0: both)
 * and was not followed before, with all that branches off on the way. SLIP_STOPPED when the observer stops
 * it. */
int slip_trace_follow(slip_trace *trace, double p, const double *y, int direction);

/* ---- Between trace.c, step.c and corner.c. */

/* A half-branch that leaves a point where modes change. x are the unknowns of the modes and then p; tangent
 * likewise. */
typedef struct slip_trace_ray {
    slip_mode *modes;
    double *x, *tangent;
    int changes;    /* contacts whose mode differs from before */
    bool switching; /* leaves a crossing of curves: the tangent is only across the other one */
} slip_trace_ray;

/* What was followed: the points of a curve, `size` numbers each, p the last one. */
typedef struct slip_trace_piece {
    slip_mode *modes;
    int size;
    double *points;
    int64_t count, capacity;
    double *first, *last; /* tangents at its ends, outwards from these: along the curve, against it */
    int branch;
} slip_trace_piece;

struct slip_trace {
    slip_context *ctx;
    slip_arena arena;
    slip_trace_family family;
    slip_static_path_options options;
    slip_static_observer observer;
    slip_balance_room room;
    int contact_count, state_size; /* coordinates and forces */
    /* The point at hand. */
    slip_mode *modes;
    double *x, *tangent; /* unknowns and p */
    int sign;            /* of the determinant of the unknowns */
    int augmented;       /* and with the tangent's row */
    double *scale,
        reach; /* sizes of coordinates and forces that arclength is measured in; of displacements */
    double *next, *next_tangent, *place, *fp, *f, *matrix, *right, *step;
    double *lambda, *d;
    int branch, label;
    bool at_pole; /* there is no state now */
    int64_t events;
    slip_trace_ray *rays; /* at a corner */
    int ray_count;
    slip_static_change *changes;
    slip_trace_piece *pieces;
    int64_t piece_count, piece_capacity;
    slip_balance_margin *other_margins;
    double *margin_rates; /* of each margin by the parameter */
    double *crossings;    /* coordinates, forces and p of each crossing of curves that was met */
    int64_t crossing_count, crossing_capacity;
    slip_trace_ray *pending;
    int64_t pending_count, pending_capacity;
};
enum { slip_trace_rays_max = 32 };

/* By how much a tangent may turn in a step (cosine), and what margins may lack by rounding. */
static const double slip_trace_cosine = 0.98, slip_trace_rounding = 1e-9;

/* What is found a step of some length ahead. */
typedef struct slip_trace_ahead {
    int sign, augmented;
    double p, rate; /* of the parameter */
    double margin;
    slip_balance_margin least;
} slip_trace_ahead;

/* What happens on the way. */
typedef enum slip_trace_event {
    SLIP_TRACE_NOTHING,
    SLIP_TRACE_MARGIN,
    SLIP_TRACE_FOLD,
    SLIP_TRACE_CROSSING
} slip_trace_event;

/* A step. */
typedef struct slip_trace_stride {
    slip_trace_event what;
    bool bound; /* it is the end of the range */
    slip_trace_ahead at;
    int beyond; /* sign of the augmented determinant behind it */
    double length;
} slip_trace_stride;

/* What closes the equations: a row that keeps x where it is along it, or a margin that is zero. */
typedef struct slip_trace_closing {
    const double *row;   /* NULL: the margin */
    const double *place; /* x at which row . (x - place) = 0 */
    int contact;
    slip_mode beyond; /* of the margin */
} slip_trace_closing;

/* The place of p among the unknowns of the modes at hand; the direction of the parameter along a tangent: 1,
 * -1, 0. */
int slip_trace_last(const slip_trace *trace);
int slip_trace_direction(const slip_trace *trace, const slip_mode *modes, const double *tangent);

/* The point that lies a step of length h ahead, into trace->next, with its tangent. False: Newton's method
 * does not get there. */
bool slip_trace_look(slip_trace *trace, double h, slip_trace_ahead *to);

/* The next point, into trace->next, at most h ahead: the end of the range, an event, or neither. False: h is
 * too long. */
bool slip_trace_step(slip_trace *trace, double h, slip_trace_stride *to);

/* Newton's method on the equations of modes and what closes them; x has the result. False: it does not
 * converge. Derivatives by the parameter are those at the start. `augmented`: sign of the determinant. */
bool slip_trace_correct(slip_trace *trace, const slip_mode *modes, const slip_trace_closing *closing,
                        double *x, int *augmented);

/* The tangent at x, of the direction in which tangent.guess > 0 (`guess` may be tangent), of length 1.
 * `sign`: of the determinant of the unknowns. False: the tangent is not unique. */
bool slip_trace_tangent(slip_trace *trace, const slip_mode *modes, const double *x, const double *guess,
                        double *tangent, int *sign, int *augmented);

/* The null vector of the equations' derivatives with respect to the unknowns and p, of length 1; returns how
 * many there are. And at a crossing of curves the vector closest to a second one, across the tangent. */
int slip_trace_null(slip_trace *trace, const slip_mode *modes, const double *x, double *vector);
void slip_trace_across(slip_trace *trace, const slip_mode *modes, const double *x, const double *tangent,
                       double *vector);

/* Unknowns of a set of modes, and p; a . b of such vectors in parts of the sizes. */
int slip_trace_size(const slip_trace *trace, const slip_mode *modes);
double slip_trace_dot(const slip_trace *trace, const slip_mode *modes, const double *a, const double *b);

/* The smallest margin at x that is not rounding: its value in parts of its size; *margin: which. */
double slip_trace_margin(slip_trace *trace, const slip_mode *modes, const double *x,
                         slip_balance_margin *margin);

/* The derivatives of all margins by the parameter, with the unknowns as they are, into trace->margin_rates.
 */
bool slip_trace_margin_rates(slip_trace *trace, const slip_mode *modes, const double *x);

/* The rays that leave a state (coordinates and forces) at p, into trace->rays; `incoming`: not those that go
 * back along the tangent at hand with the modes at hand. */
int slip_trace_find_rays(slip_trace *trace, const double *state, double p, bool incoming);

/* Was the ray followed already, from one end or the other? */
bool slip_trace_followed(slip_trace *trace, const slip_trace_ray *ray);

/* Is what ends at the point at hand stick whose static coefficient is above that of slip? */
bool slip_trace_gives_way(slip_trace *trace, double p);

/* Is the state on a curve that was followed? */
bool slip_trace_knows(slip_trace *trace, double p, const double *y);

#endif
