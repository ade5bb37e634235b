/* Slipstick: static contact problems. Every equilibrium under the load, and the paths of equilibria over a
 * parameter.
 *
 *     K q = f(t0, q, 0, z) + sum over contacts W(q) lambda,     0 = g(t0, q, 0, z)
 *
 * with gap >= 0, pressure >= 0, one of them zero; and Coulomb's law with the slip read as a displacement from
 * the initial coordinates, in one direction, in the plane or of an area. A contact whose slip is driven (a
 * belt) slides steadily, with the force of its law at that velocity. */
#ifndef SLIPSTICK_STATICS_H
#define SLIPSTICK_STATICS_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* ---- All solutions. */

typedef struct slip_statics_options {
    size_t size;  /* of this struct; the default function sets it */
    int restarts; /* random starts of Newton's method where not every set of modes can be tried or has one
                   * solution; default 30 */
} slip_statics_options;
SLIP_OPTIONS_DEFAULT(slip_statics_options)

typedef struct slip_statics slip_statics;

/* Finds the static solutions at the model's parameters. Where all is linear, up to 8 contacts, every set of
 * modes is tried, and all solutions are found; beyond that those that restarts and continuation find. Where
 * something is not linear Newton's method is started from several places for every set of modes. The model
 * outlives `statics`, which the caller ends by slip_statics_destroy (it takes NULL). `options` NULL: the
 * default. */
SLIP_API int slip_statics_solve(slip_context *ctx, const slip_model *model,
                                const slip_statics_options *options, slip_statics **statics);
SLIP_API void slip_statics_destroy(slip_statics *statics);

/* A state. One number for each coordinate (q; NULL for a model with bodies) or contact. */
typedef struct slip_statics_state {
    const double *q;
    const double *normal;     /* compression is positive */
    const double *tangential; /* force on the coordinates along the slip */
    const double *gap, *slip;
    const double *outputs; /* in the order of the model file */
    /* Of a contact whose slip has more than one dimension `tangential` and `slip` are magnitudes, and here
     * are slip_x, slip_y, spin, force_x, force_y, moment; of others zeros. Six for each contact. */
    const double *plane;
} slip_statics_state;

/* Of an elastic body. */
typedef struct slip_statics_body {
    const char *name;
    double max_displacement; /* the largest length of the displacement of a node */
    double strain_energy;
    double reaction[3]; /* force of the supports on the body, x and y, in space z; else 0 */
} slip_statics_body;

/* A continuum has a part for each set of modes: a convex set of states. */
typedef struct slip_statics_part {
    const slip_mode *modes; /* of each contact, away from the part's boundary */
    int dimension;
    int unbounded;   /* not zero: it goes on without end */
    int end_count;   /* its corners: */
    const int *ends; /* their places among the ends of the solution */
} slip_statics_part;

/* A solution is a connected set of equilibria: one state, or a continuum, listed once with all of its
 * ends. */
typedef struct slip_statics_solution {
    slip_statics_state state; /* of a continuum: its first end */
    /* Of each contact: bit k is set where the state agrees with mode k of slip_mode. Several bits: it lies on
     * the boundary of these modes. Of a continuum: the modes of its parts. */
    const unsigned char *modes;
    int mode_sets; /* how many sets of modes have this solution; of a continuum: how many parts there are */
    int stability; /* sign of the determinant of the set of modes: 1, -1, or 0 where it has no sign (a
                    * continuum) or sets with both signs meet */
    int dimension; /* 0: a point; 1 and more: a continuum, of parts of at most this dimension */
    int unbounded; /* not zero: the continuum goes on without end */
    int end_count; /* corners of a continuum, each once: two for dimension 1; 0: too many to find them, or not
                    * known. With friction in the plane: states on its boundary, two for each dimension */
    const slip_statics_state *ends;
    int part_count; /* of a continuum; 0 of a point, or where only ends are known */
    const slip_statics_part *parts;
    double residual; /* of `state`, by the judge: the largest violation of equilibrium and contact laws,
                        relative */
    int body_count;  /* of a model with bodies: all of them, in the order of the model */
    const slip_statics_body *bodies;
} slip_statics_solution;

/* How many solutions there are, and each, from 0, as long as `statics` is there; NULL for a number that is
 * out of range. */
SLIP_API int slip_statics_count(const slip_statics *statics);
SLIP_API const slip_statics_solution *slip_statics_at(const slip_statics *statics, int index);
SLIP_API int slip_statics_complete(const slip_statics *statics); /* not zero: there are no others */
/* The extent of a search by Newton's method: the number of sets of modes (0: not all sets, only those found
 * on the way), and of starts for each. Both 0 where everything is linear. */
SLIP_API void slip_statics_searched(const slip_statics *statics, int64_t *mode_sets, int64_t *starts);

/* Contacts, coordinates and outputs of a state; names are NULL for a number that is out of range. */
SLIP_API int slip_statics_contact_count(const slip_statics *statics);
SLIP_API const char *slip_statics_contact_name(const slip_statics *statics, int index);
SLIP_API int slip_statics_coordinate_count(const slip_statics *statics);
SLIP_API const char *slip_statics_coordinate_name(const slip_statics *statics, int index);

/* The solutions as a result, a record for each: series "stability", "continuum" (its dimension), every
 * coordinate, and of a contact NAME "NAME.normal", "NAME.tangential", "NAME.gap", "NAME.slip", "NAME.mode"
 * (words such as "stick|slip-"). Its folder also has solutions.json. Of a model with bodies its pictures show
 * the deformed bodies with their contact forces, one for each solution, and slip_export writes them as VTU
 * files. *result is for slip_result_destroy. */
SLIP_API int slip_statics_result(slip_context *ctx, const slip_statics *statics, slip_result **result);

/* The number of solutions over two parameters as a result, for slip_result_destroy: series with the names of
 * the parameters, and "solutions". */
typedef struct slip_statics_map_options {
    size_t size;       /* of this struct; the default function sets it */
    const char *x, *y; /* parameters */
    double x_range[2], y_range[2];
    int points; /* along each axis; default 101 */
} slip_statics_map_options;
SLIP_OPTIONS_DEFAULT(slip_statics_map_options)
/* Both parameters and ranges have to be given. */
SLIP_API int slip_statics_map(slip_context *ctx, const slip_model *model,
                              const slip_statics_map_options *options, slip_result **result);

/* ---- Paths. */

/* What is NULL, NAN or negative is taken from the model's `continue` section, and when it is not there either
 * from the default that stands here. */
typedef struct slip_continue_options {
    size_t size;           /* of this struct; the default function sets it */
    const char *parameter; /* must be given */
    double low, high;      /* its range; must be given */
    double start;          /* where to start: default low. Inside the range: both ways */
    double spacing;        /* largest distance of points over the range; default 0.005 */
    int restarts;          /* values of the parameter at which disconnected paths are sought; default 8 */
    const char *also;      /* a second parameter over whose range other solutions at the start are sought */
    double also_low, also_high;
    const char *from;     /* folder of an earlier path: start at one of its labels instead */
    int from_label;       /* the label's number */
    const char *quantity; /* drawn over the parameter: "x", "joint[3].normal", .slip, .gap, .tangential;
                           * default: the largest normal force */
} slip_continue_options;
SLIP_OPTIONS_DEFAULT(slip_continue_options)

/* Follows the solutions at the start, with all that branches off, then looks for paths that are not connected
 * to them. On SLIP_OK, SLIP_INTERRUPTED and SLIP_ERROR_SOLVER there is a result (what was followed until
 * then), for slip_result_destroy. `options` NULL: all as the model says.
 *
 * Its series, over all points: "branch", "value" (of the parameter), "stability", every coordinate, of a
 * contact NAME "NAME.normal", "NAME.tangential", "NAME.gap", "NAME.slip", "NAME.mode", and the outputs. Its
 * labels: slip_result_label. slip_result_number: "branches", "points"; slip_result_text: "parameter". Its
 * folder also has path.csv and labels.csv; its picture shows a quantity over the parameter, solid where the
 * contact it belongs to is open, dashed where it sticks, dash-dotted where it slips, with the labels. */
SLIP_API int slip_continue(slip_context *ctx, const slip_model *model, const slip_continue_options *options,
                           slip_result **result);

SLIP_END_C

#endif
