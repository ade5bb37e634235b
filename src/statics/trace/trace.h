/* Paths of equilibria of a balance over a parameter p.
 *
 * For fixed modes the equations F(y, p) = 0 have curves of solutions, followed by pseudo-arclength steps: a
 * step along the tangent, then Newton's method in the plane normal to it (H. B. Keller, in Applications of
 * bifurcation theory, Academic Press 1977), so that the parameter may turn on the way (LP). A curve ends
 * where a margin of its modes reaches zero. There all sets of modes that the state satisfies are examined:
 * each has a tangent, and the margins that are zero decide in which of its two directions it can be followed.
 * These directions are the rays that leave the point, with the same meaning as for linear problems (path.h).
 * Where the determinant of the augmented matrix (derivatives of F, and the tangent as last row) changes its
 * sign, two curves of the same modes cross (BP), and the other one is followed too. */
#ifndef SLIP_STATICS_TRACE_H
#define SLIP_STATICS_TRACE_H

#include "statics/equilibria.h"
#include "statics/path.h"

/* A balance for each value of the parameter, all with the same contacts and directions. */
typedef struct slip_trace_family {
    void *user;
    /* The balance at p. It stays valid for the next two calls. */
    int (*at)(void *user, double p, slip_balance **balance);
    /* lambda and d of a state, `direction_count` numbers each. */
    void (*state)(void *user, slip_balance *balance, const double *y, double *lambda, double *d);
    int direction_count;
    const slip_balance *shape; /* a balance that stays valid, for contacts and directions */
    double low, high;          /* range of p */
} slip_trace_family;

typedef struct slip_trace slip_trace;

/* Uses spacing, targets and event_limit of the options. */
int slip_trace_create(slip_context *ctx, const slip_trace_family *family,
                      const slip_static_path_options *options, const slip_static_observer *observer,
                      slip_trace **trace);
void slip_trace_destroy(slip_trace *trace);
SLIP_OWNED(slip_trace, slip_trace_destroy)

/* Follows all paths that leave a state (coordinates and forces y) in a direction of the parameter (0: both),
 * and all their branches, except those already followed. SLIP_STOPPED when the observer stops it. */
int slip_trace_follow(slip_trace *trace, double p, const double *y, int direction);

/* ---- For the files of this folder only. */

/* A half-branch that leaves a point where modes change. x are the unknowns of the modes and then p; tangent
 * likewise. */
typedef struct slip_trace_ray {
    slip_mode *modes;
    double *x, *tangent;
    int changes;    /* contacts whose mode differs from before */
    bool switching; /* it leaves a crossing of curves: its tangent is only an estimate, normal to the first
                       curve */
} slip_trace_ray;

/* A curve already followed: its points, `size` numbers each, p the last one. */
typedef struct slip_trace_piece {
    slip_mode *modes;
    int size;
    double *points;
    int64_t count, capacity;
    double *first, *last; /* tangents at its two ends, pointing along the curve and against it */
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
    /* The present point. */
    slip_mode *modes;
    double *x, *tangent;  /* unknowns and p */
    int sign;             /* of the determinant of the unknowns */
    int augmented;        /* sign of the determinant of the augmented matrix */
    double *scale, reach; /* reference sizes for arclength: of coordinates and forces; of displacements */
    double *next, *next_tangent, *place, *fp, *f, *matrix, *right, *step;
    double *lambda, *d;
    int branch, label;
    bool at_pole; /* the path has ended at a pole: there is no state */
    int64_t events;
    slip_trace_ray *rays; /* that leave the present corner */
    int ray_count;
    slip_static_change *changes;
    slip_trace_piece *pieces;
    int64_t piece_count, piece_capacity;
    slip_balance_margin *other_margins;
    double *margin_rates; /* derivatives of the margins by the parameter */
    double *crossings;    /* coordinates, forces and p of each crossing of curves found so far */
    int64_t crossing_count, crossing_capacity;
    slip_trace_ray *pending;
    int64_t pending_count, pending_capacity;
};
enum { slip_trace_rays_max = 32 };

/* Smallest cosine of the angle between tangents of consecutive points; rounding error of margins. */
static const double slip_trace_cosine = 0.98, slip_trace_rounding = 1e-9;

/* Properties of the point at the end of a trial step. */
typedef struct slip_trace_ahead {
    int sign, augmented;
    double p, rate; /* rate: of p along the tangent */
    double margin;
    slip_balance_margin least;
} slip_trace_ahead;

/* The event in a step. */
typedef enum slip_trace_event {
    SLIP_TRACE_NOTHING,
    SLIP_TRACE_MARGIN,
    SLIP_TRACE_FOLD,
    SLIP_TRACE_CROSSING
} slip_trace_event;

/* The result of a step. */
typedef struct slip_trace_stride {
    slip_trace_event what;
    bool bound; /* it ends at the end of the range of p */
    slip_trace_ahead at;
    int beyond; /* sign of the augmented determinant after the event */
    double length;
} slip_trace_stride;

/* The additional equation: row . (x - place) = 0, or a margin = 0. */
typedef struct slip_trace_closing {
    const double *row;   /* NULL: a margin is zero */
    const double *place; /* x at which row . (x - place) = 0 */
    int contact;
    slip_mode beyond; /* of the margin */
} slip_trace_closing;

/* The index of p, after the present unknowns; the sign (1, -1, 0) of its rate along a tangent. */
int slip_trace_last(const slip_trace *trace);
int slip_trace_direction(const slip_trace *trace, const slip_mode *modes, const double *tangent);

/* Computes the point after a step of length h, without events, and its tangent, into trace->next and
 * next_tangent. False: Newton's method does not converge. */
bool slip_trace_try_step(slip_trace *trace, double h, slip_trace_ahead *to);

/* Takes a step of at most h, to trace->next: to the end of the range, to an event, or whole. False: h is too
 * long. */
bool slip_trace_step(slip_trace *trace, double h, slip_trace_stride *to);

/* Newton's method for the equations of the modes with the additional equation, starting at x, which gets the
 * result. False: no convergence. Derivatives by the parameter are computed at the start only. *augmented:
 * sign of the determinant. */
bool slip_trace_correct(slip_trace *trace, const slip_mode *modes, const slip_trace_closing *closing,
                        double *x, int *augmented);

/* The tangent at x, of length 1, with tangent . guess > 0 (guess and tangent may be the same array). *sign:
 * of the determinant of the unknowns alone. False: the tangent is not unique. */
bool slip_trace_tangent(slip_trace *trace, const slip_mode *modes, const double *x, const double *guess,
                        double *tangent, int *sign, int *augmented);

/* _null: a null vector, of length 1, of the derivatives by the unknowns and p; returns the number of null
 * vectors. _across: at a crossing of curves the vector normal to the tangent that is closest to a second null
 * vector. */
int slip_trace_null(slip_trace *trace, const slip_mode *modes, const double *x, double *vector);
void slip_trace_across(slip_trace *trace, const slip_mode *modes, const double *x, const double *tangent,
                       double *vector);

/* The number of unknowns of a set of modes, plus one for p; the scaled scalar product of such vectors. */
int slip_trace_size(const slip_trace *trace, const slip_mode *modes);
double slip_trace_dot(const slip_trace *trace, const slip_mode *modes, const double *a, const double *b);

/* The smallest margin at x, relative to its size, without those zero to rounding; *margin: that one. */
double slip_trace_margin(slip_trace *trace, const slip_mode *modes, const double *x,
                         slip_balance_margin *margin);

/* Computes the derivatives of all margins by the parameter at constant unknowns, into trace->margin_rates. */
bool slip_trace_margin_rates(slip_trace *trace, const slip_mode *modes, const double *x);

/* Finds the rays that leave a state (coordinates and forces) at p, into trace->rays. incoming: leave out the
 * ray back along the present tangent with the present modes. */
int slip_trace_find_rays(slip_trace *trace, const double *state, double p, bool incoming);

/* Whether a ray has been followed already, in either direction. */
bool slip_trace_followed(slip_trace *trace, const slip_trace_ray *ray);

/* Whether a sticking contact with a static coefficient above the kinetic one reaches its limit here. */
bool slip_trace_gives_way(slip_trace *trace, double p);

/* Whether a state is on a curve that has been followed. */
bool slip_trace_knows(slip_trace *trace, double p, const double *y);

#endif
