/* The state of the path follower, shared by path.c, rays.c, pole.c and walker.c. */
#ifndef SLIP_STATICS_WALKER_H
#define SLIP_STATICS_WALKER_H

#include "statics/path.h"

enum { slip_static_rays_max = 32 };

/* A half-branch that leaves a point where modes change. */
typedef struct slip_static_ray {
    slip_mode *modes;
    int direction;      /* of the parameter; 0: at constant parameter */
    double *lambda, *d; /* at constant parameter: direction of the ray */
    int changes;        /* contacts whose mode differs from before */
} slip_static_ray;

/* A set of modes with its inverse and series. */
typedef struct slip_static_piece {
    slip_static_active active;
    slip_static_series series;
} slip_static_piece;

/* A stretch of a path already followed: a set of modes over an interval of the parameter. */
typedef struct slip_static_stretch {
    uint64_t hash; /* of the modes */
    double low, high;
    int branch;
} slip_static_stretch;

/* A half-branch that is still to be followed. */
typedef struct slip_static_pending {
    double p;
    double *lambda, *d;
    slip_static_ray ray;
} slip_static_pending;

struct slip_static_walker {
    slip_context *ctx;
    slip_arena arena;
    const slip_static_family *family;
    const slip_static_shape *shape;
    slip_static_path_options options;
    slip_static_observer observer;
    slip_static_centre centre, spare; /* spare: at the present point, if A at `centre` is singular */
    slip_static_piece piece, trial;   /* the present piece, and the one of a set of modes under test */
    /* The present state. */
    double p;
    double *lambda, *d;
    int direction; /* of the parameter */
    bool level;    /* the piece runs at constant parameter */
    int turned;    /* direction before the piece at constant parameter */
    int back;      /* at a corner: the direction that leads back; 0: the piece ran at constant parameter */
    double *level_lambda, *level_d;
    int branch, label;
    bool at_pole;            /* the path has ended at a pole: there is no state */
    double corner;           /* parameter at the start of the present piece, */
    double rounding;         /* and relative accuracy of the state there */
    double steep;            /* relative change of the event's margin by a rounding error of p */
    slip_static_scale floor; /* lower bound of the reference sizes, a fraction of those over the whole range,
                                for states without forces */
    slip_static_values now;  /* the problem at p */
    slip_static_ray rays[slip_static_rays_max];
    int ray_count;
    slip_mode *modes, *old_modes;
    slip_static_change *changes;
    int *critical;             /* contacts whose state satisfies several modes */
    slip_mode *critical_modes; /* four for each of them */
    int *critical_count;
    double *numbers; /* scratch, 4 direction_count */
    double *trial_lambda, *trial_d;
    double *pole; /* scratch, 6 direction_count */
    slip_static_stretch *stretches;
    int64_t stretch_count, stretch_capacity;
    slip_static_pending *pending;
    int64_t pending_count, pending_capacity;
    int64_t events; /* so far */
};

/* Tolerances below which a margin counts as zero, relative to its size. At an event it can be tight, since
 * the point is chosen such that the margin of the present piece vanishes, whatever the condition number. It
 * must be tight, since on a fine mesh neighbours of the contact that changes are close to their own change.
 * The start of a path is known less accurately. */
static const double slip_static_event_rounding = 1e-13;
static const double slip_static_start_rounding = 1e-10;

/* Sizes of forces and displacements now. */
slip_static_scale slip_static_walker_scale(const slip_static_walker *walker);

/* Whether a margin is zero, up to rounding, at the start of the present piece. */
bool slip_static_walker_at_zero(const slip_static_walker *walker, int contact,
                                const slip_static_margin *margin, double size);

/* The trend of a margin: the sign of its first coefficient above rounding; 0: it is constant. */
int slip_static_trend(int order, const double *coefficients, double size);

/* Finds the rays that leave the present state, into walker->rays. incoming: leave out the continuation of the
 * present piece (its modes and direction). */
int slip_static_walker_rays(slip_static_walker *walker, bool incoming);

/* Whether the present piece goes to infinity within the range, without a change of modes before. step: length
 * of the last step. *value: parameter of the pole. */
int slip_static_walker_pole(slip_static_walker *walker, double step, bool *found, double *value);

/* Ends the path at a pole: reports some points before it, including targets, and then the label, with the
 * value of the pole and without a state. */
int slip_static_walker_end_at_pole(slip_static_walker *walker, double value);

/* Report a point or a label to the observer. */
int slip_static_walker_tell_point(slip_static_walker *walker, bool target);
int slip_static_walker_tell_label(slip_static_walker *walker, slip_static_label_type type, int change_count,
                                  const char *note);

/* Record of stretches: begins one for the present piece; extends it to the present point; whether a ray from
 * here has been followed before. */
int slip_static_walker_begin(slip_static_walker *walker);
void slip_static_walker_extend(slip_static_walker *walker);
bool slip_static_walker_followed(const slip_static_walker *walker, const slip_static_ray *ray);

/* Whether the present piece meets a stretch with its own modes before the parameter *end; if so, *end becomes
 * the parameter where it does. */
bool slip_static_walker_meets(const slip_static_walker *walker, double *end);

#endif
