/* The state of a walk along paths, for the files that make it (path.c, rays.c). */
#ifndef SLIP_STATICS_WALKER_H
#define SLIP_STATICS_WALKER_H

#include "statics/path.h"

enum { slip_static_rays_max = 32 };

/* A half-branch that leaves a point where modes change. */
typedef struct slip_static_ray {
    slip_mode *modes;
    int direction;      /* of the parameter; 0: at constant parameter */
    double *lambda, *d; /* of a ray at constant parameter: its direction */
    int changes;        /* contacts whose mode differs from before */
} slip_static_ray;

/* A set of modes with its inverse and series. */
typedef struct slip_static_piece {
    slip_static_active active;
    slip_static_series series;
} slip_static_piece;

/* What was followed already: a set of modes over an interval of the parameter. */
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
    slip_static_centre centre,
        spare;                      /* `spare`: at the point itself, where the centre's matrix is singular */
    slip_static_piece piece, trial; /* the piece that is followed, and one that is tried */
    /* The state now. */
    double p;
    double *lambda, *d;
    int direction; /* of the parameter */
    bool level;    /* the piece runs at constant parameter */
    int turned;    /* direction before a piece at constant parameter */
    int back;      /* at a corner: the direction that leads back; 0: the piece ran at constant parameter */
    double *level_lambda, *level_d;
    int branch, label;
    bool at_pole;            /* there is no state now */
    double corner;           /* the parameter where the piece at hand began, */
    double rounding;         /* and how well the state there is known */
    double steep;            /* what the rounding of the parameter does to the margin of an event */
    slip_static_scale floor; /* a part of the sizes over the whole range: where all forces vanish,
                              * rounding is judged by it */
    slip_static_values now;  /* the problem at p */
    slip_static_ray rays[slip_static_rays_max];
    int ray_count;
    slip_mode *modes, *old_modes;
    slip_static_change *changes;
    int *critical;             /* contacts that several modes agree with */
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

/* Zero up to rounding, for margins at an event, relative to their size: tight, since on a fine mesh the
 * neighbours of a contact that changes are close to their change, too. The state at an event is that of the
 * piece that led there, for which the margin is zero by the choice of the point, whatever the condition of
 * the problem. A state from elsewhere, at the start of a path, is known less well. */
static const double slip_static_event_rounding = 1e-13;
static const double slip_static_start_rounding = 1e-10;

/* Sizes of forces and displacements now. */
slip_static_scale slip_static_walker_scale(const slip_static_walker *walker);

/* The margin is zero, up to rounding, at the state where the piece at hand begins. */
bool slip_static_walker_at_zero(const slip_static_walker *walker, int contact,
                                const slip_static_margin *margin, double size);

/* The first coefficient of a margin that is more than rounding says where it goes: 1, -1, or 0 (it stays). */
int slip_static_trend(int order, const double *coefficients, double size);

/* Finds the rays that leave the state now, into walker->rays. `incoming`: the piece that led here (its modes
 * and direction) is not among them. */
int slip_static_walker_rays(slip_static_walker *walker, bool incoming);

/* Does the piece at hand go to infinity ahead, within the range and with no change of modes before? `step`:
 * how far it came to the point at hand. *value: the parameter where it does. */
int slip_static_walker_pole(slip_static_walker *walker, double step, bool *found, double *value);

/* Ends the path at a pole: some points on the way there, and those that are asked for; then the label, with
 * the value of the pole and no state. */
int slip_static_walker_end_at_pole(slip_static_walker *walker, double value);

/* Tells the observer. */
int slip_static_walker_tell_point(slip_static_walker *walker, bool target);
int slip_static_walker_tell_label(slip_static_walker *walker, slip_static_label_type type, int change_count,
                                  const char *note);

/* What was followed: a stretch begins with the piece at hand, reaches to the point at hand, and tells whether
 * a ray from here has been followed before. */
int slip_static_walker_begin(slip_static_walker *walker);
void slip_static_walker_extend(slip_static_walker *walker);
bool slip_static_walker_followed(const slip_static_walker *walker, const slip_static_ray *ray);

/* The piece at hand meets a stretch of its own modes before *end (a value of the parameter): then *end
 * becomes the value where it does. */
bool slip_static_walker_meets(const slip_static_walker *walker, double *end);

#endif
