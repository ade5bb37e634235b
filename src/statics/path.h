/* Paths of solutions over the parameter.
 *
 * A path is made of smooth pieces, each with its own set of modes, on which the solution is a function of the
 * parameter given by its series. A piece ends where a margin of its modes reaches zero. There all sets of
 * modes that the solution satisfies are examined. The solutions of each are a line through the point; a ray
 * leaves the point in each direction of the parameter in which the margins do not become negative. One ray
 * besides the incoming one means a regular corner or, if the parameter turns, a fold; several mean a branch
 * point; none means an end. If the matrix of a set is singular at the point, its ray has a constant
 * parameter: a continuum of solutions. */
#ifndef SLIP_STATICS_PATH_H
#define SLIP_STATICS_PATH_H

#include "statics/series.h"
#include "statics/solutions.h"

typedef enum slip_static_label_type {
    SLIP_LABEL_EP, /* end: of the range, or of the path */
    SLIP_LABEL_MC, /* change of modes */
    SLIP_LABEL_LP, /* fold: the parameter turns */
    SLIP_LABEL_BP  /* branch point: several continuations */
} slip_static_label_type;

const char *slip_static_label_name(slip_static_label_type type); /* "EP", ... */

/* A point of a path. Pointers are valid during the call. */
typedef struct slip_static_point {
    int branch; /* from 1 */
    double p;
    const double *lambda, *d; /* NULL at the label of a pole: there is no state */
    const slip_mode *modes;
    int sign;      /* of the determinant; 0 on a piece at constant parameter */
    int direction; /* of the parameter: 1, -1, or 0 */
    bool target;   /* p is one of the targets of the options */
} slip_static_point;

typedef struct slip_static_change {
    int contact;
    slip_mode from, to;
} slip_static_change;

typedef struct slip_static_label {
    slip_static_label_type type;
    int number; /* from 1, over all branches */
    slip_static_point at;
    const slip_static_change *changes;
    int change_count;
    const char *note; /* for an end the reason; else "" */
} slip_static_label;

typedef struct slip_static_observer {
    void *user;
    int (*point)(void *user, const slip_static_point *point); /* negative: an error, positive: stop */
    int (*label)(void *user, const slip_static_label *label);
} slip_static_observer;

typedef struct slip_static_path_options {
    double low, high;      /* range of the parameter; default: that of the family */
    double spacing;        /* largest distance of points over the range; default 0.005 */
    const double *targets; /* values at which a point is wanted, ascending */
    int target_count;
    int64_t event_limit; /* default 1000000 */
} slip_static_path_options;
slip_static_path_options slip_static_path_options_default(const slip_static_family *family);

typedef struct slip_static_walker slip_static_walker;

/* Makes a walker, which follows paths. options NULL: the defaults. The family must outlive it. */
int slip_static_walker_create(slip_context *ctx, const slip_static_family *family,
                              const slip_static_path_options *options, const slip_static_observer *observer,
                              slip_static_walker **walker);
void slip_static_walker_destroy(slip_static_walker *walker);
SLIP_OWNED(slip_static_walker, slip_static_walker_destroy)

/* Follows all paths that leave a solution (lambda, d at p) in a direction of the parameter (0: both), and all
 * their branches, except those already followed. Returns SLIP_STOPPED when the observer stops it. */
int slip_static_walker_follow(slip_static_walker *walker, double p, const double *lambda, const double *d,
                              int direction);

#endif
