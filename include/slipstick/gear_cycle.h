/* Slipstick: two elastic gears in mesh under load, at rest at one angle after the other: transmission error,
 * mesh stiffness and load sharing over the mesh cycle. SI units, angles in radian.
 *
 * The axes are parallel to z, the first at the origin, the second at the distance of the axes along x. The
 * first gear is held at its angle theta_1, the second carries a torque. The flanks are those of the reduced
 * bodies with all their flexibility: the statics of the finite element meshes. Lengths along the line of
 * action are those of the second gear's rotation times its base radius. */
#ifndef SLIPSTICK_GEAR_CYCLE_H
#define SLIPSTICK_GEAR_CYCLE_H

#include "slipstick/gear.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

typedef struct slip_gear_cycle_options {
    double torque; /* on the second gear, N m; has to be given. Its sign decides which flanks touch. A torque
                      close to rounding (some 1e-5 N m) is refused */
    double distance; /* of the axes, metre; default 0: that without backlash */
    double penalty;  /* of a node of the flanks, N/m; default INFINITY: they are rigid, elastic only by the
                      * gears' own flexibility */
    double two_pass; /* weight of the places on the first gear's flanks; default 0.5 */
    int smooth;      /* 1 (default): the flanks are involutes that the meshes carry; 0: the meshes' facets, as
                      * for gears in motion */
    int points;      /* in a cycle; default 60 */
    double cycles;   /* how many mesh cycles, from `phase` on; default 1 */
    double phase;    /* where the first point is, in pitches: at 0 the middle of a tooth of the first gear is
                      * on the line of centres; default 0 */
    int locate;      /* find where pairs of teeth come into contact and leave it; default 1 */
    double room[8];  /* for fields to come */
} slip_gear_cycle_options;

/* The defaults above; the torque is NAN until it is given. */
SLIP_API slip_gear_cycle_options slip_gear_cycle_options_default(void);

/* The same with what a model of two gears says: distance, penalty, two_pass, and the torque on the second.
 * Fails where there are not two. */
SLIP_API int slip_gear_cycle_options_of(slip_context *ctx, const slip_model *model,
                                        slip_gear_cycle_options *options);

enum { slip_gear_cycle_pairs_max = 8 };

/* A pair of teeth in contact. */
typedef struct slip_gear_cycle_pair {
    int tooth[2]; /* of each gear, from 0 */
    int left;     /* not zero: left flanks touch */
    double share; /* of the torque */
    double force; /* N */
    double path;  /* where it touches, along the line of action, from the pitch point; grows with the radius
                   * on the first gear; metre */
    double pressure;    /* largest, of Hertz's line contact with the line load, Pa */
    const double *line; /* force per width at the layers of nodes of the first gear, N/m */
} slip_gear_cycle_pair;

typedef struct slip_gear_cycle_point {
    double position; /* in pitches, from `phase` on */
    double angle[2];
    double error;     /* transmission error: how far the second gear has yielded to the torque, from where
                       * perfect rigid gears would be, along the line of action, metre */
    double unloaded;  /* the same of undeformed gears */
    double stiffness; /* force along the line of action over (error - unloaded), N/m */
    double tangent;   /* derivative of the force by the error, N/m */
    double moment[2]; /* of the contact forces about the axes, N m: moment[1] + torque = 0 */
    double ratio;     /* of the moments' sizes, first to second, times teeth second to first: 1 when exact */
    int touching;     /* nodes of the first gear that take force */
    double largest;   /* of their forces, N */
    int iterations;
    int pair_count;
    slip_gear_cycle_pair pairs[slip_gear_cycle_pairs_max];
} slip_gear_cycle_point;

/* A pair of teeth that comes into contact or leaves it. */
typedef struct slip_gear_cycle_change {
    double position; /* in pitches, to 1e-4 */
    int tooth[2];
    int enters;
} slip_gear_cycle_change;

typedef struct slip_gear_cycle_summary {
    double contact_ratio;                                 /* of the outlines */
    double loaded_ratio;                                  /* mean number of pairs in contact */
    double error_mean, error_range, unloaded_range;       /* metre */
    double stiffness_mean, stiffness_low, stiffness_high; /* N/m; the mean is the force over the mean of
                                                           * error - unloaded */
    double ratio_mean, ratio_off;                         /* mean of the ratio; largest |ratio - 1| */
    double balance;  /* largest |moment + torque| of the second gear over the torque */
    double largest;  /* force of a node, N */
    double pressure; /* largest, Pa */
    double width;    /* the smaller of the gears', metre */
} slip_gear_cycle_summary;

typedef struct slip_gear_cycle slip_gear_cycle;

/* Checks the options without reduced bodies; slip_gear_cycle_run does so too. */
SLIP_API int slip_gear_cycle_check(slip_context *ctx, const slip_gear_options gears[2],
                                   const slip_gear_cycle_options *options);

/* bodies: of the gears, made with the gear's symmetry and attachment modes. An interrupted run, or one that
 * failed on the way, gives the points it has in *cycle beside its status. The caller ends it by
 * slip_gear_cycle_destroy, which takes NULL; gears and bodies are used during the call only. */
SLIP_API int slip_gear_cycle_run(slip_context *ctx, const slip_gear_options gears[2],
                                 const slip_reduced *const bodies[2], const slip_gear_cycle_options *options,
                                 slip_gear_cycle **cycle);
SLIP_API void slip_gear_cycle_destroy(slip_gear_cycle *cycle);

/* What was found, as long as the cycle is there: an array of *count each; count may be NULL. */
SLIP_API const slip_gear_cycle_point *slip_gear_cycle_points(const slip_gear_cycle *cycle, int *count);
SLIP_API const slip_gear_cycle_change *slip_gear_cycle_changes(const slip_gear_cycle *cycle, int *count);
SLIP_API slip_gear_cycle_summary slip_gear_cycle_summarise(const slip_gear_cycle *cycle);
/* Places of the layers of nodes across the width of the first gear, metre, for the line loads. */
SLIP_API const double *slip_gear_cycle_layers(const slip_gear_cycle *cycle, int *count);

/* The cycle as a result: a record for each position, with the series "position", "error", "stiffness" ...
 * (docs/gears.md), and tables "teeth" and "changes". Its folder also has cycle.csv and cycle-changes.csv; its
 * pictures are `cycle` (transmission error, mesh stiffness, load sharing) and `cycle-load` (load of a pair
 * over the path of contact, line load across the width). *result is for slip_result_destroy; it does not need
 * the cycle. */
SLIP_API int slip_gear_cycle_result(slip_context *ctx, const slip_gear_cycle *cycle, slip_result **result);

/* All of it for a model of two gears, whose bodies are made for that; options: NULL for those of the model.
 * An interrupted cycle gives what it has beside its status. *result is for slip_result_destroy. */
SLIP_API int slip_gear_cycle_model(slip_context *ctx, const slip_model *model,
                                   const slip_gear_cycle_options *options, slip_result **result);

SLIP_END_C

#endif
