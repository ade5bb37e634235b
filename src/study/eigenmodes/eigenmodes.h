/* Eigenmodes of a model about a state, over a parameter, as a result. */
#ifndef SLIP_STUDY_EIGENMODES_H
#define SLIP_STUDY_EIGENMODES_H

#include "figure/album.h"
#include "model/model.h"
#include "result/result.h"
#include "slipstick/modes.h"
#include "study/labels.h"
#include "system/vibration/vibration.h"

/* ---- One value of the parameter (at.c). */

/* The state at which the equations are linearised, with the mode and forces of each contact. */
typedef struct slip_operating_point {
    double t, *q, *v; /* n each */
    slip_branch *branches;
    double *acceleration;      /* n */
    double *normal, *force;    /* of each contact, */
    slip_patch_state *patches; /* and of each patch */
} slip_operating_point;

typedef struct slip_eigenmodes {
    slip_arena arena;
    double value; /* of the parameter; NAN without one */
    slip_model *bound;
    const slip_model *model; /* with that value */
    slip_operating_point point;
    slip_linear_motion motion;
    slip_vibration vibration;
    /* Where modes of whole bodies are found by sparse matrices: the same model with reduced bodies, to which
     * motion and point belong; else NULL. */
    slip_model *reduced;
    int *places;     /* for each coordinate of the model its number in `reduced` */
    int64_t width;   /* numbers of a shape: coordinates and states, and unknowns of whole bodies */
    double *weighed; /* of each mode M shape: real parts, then imaginary parts, `width` each; */
    double *size;    /* and shape^H M shape */
} slip_eigenmodes;

/* The modes at a value of the parameter (NULL: none). *at is {0} and is freed in any case. */
int slip_eigenmodes_find(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                         double value, slip_eigenmodes *at);
/* The lowest `count` of a model with whole bodies, by sparse matrices. Where that is impossible, *obstacle is
 * the reason, and no modes are found; else it is NULL. */
int slip_eigenmodes_find_whole(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                               slip_eigenmodes *at, const char **obstacle);
/* Leaves the `count` modes whose |s| is least, and those that have the |s| of the last one. */
void slip_eigenmodes_keep_lowest(slip_eigenmodes *at, int count);
void slip_eigenmodes_free(slip_eigenmodes *at);

/* Whether mode k grows, beyond rounding. */
bool slip_eigenmodes_grows(const slip_eigenmodes *at, int k);

/* |x^H M y|^2 over (x^H M x) (y^H M y) of the shapes of mode i of a and mode j of b: 1 for equal shapes, 0
 * for modes in which only states of first order move. */
double slip_eigenmodes_likeness(const slip_eigenmodes *a, int i, const slip_eigenmodes *b, int j);

/* The part of a contact in mode k: amplitudes of slip velocity and friction force; share of the real part. */
typedef struct slip_contact_part {
    double slip, force, growth;
} slip_contact_part;
slip_contact_part slip_eigenmodes_contact(const slip_eigenmodes *at, int k, int contact);

/* The part of the kinetic energy of mode k that coordinate i has; and that the unknowns of the field from
 * `first` on have. */
double slip_eigenmodes_participation(const slip_eigenmodes *at, int k, int i);
double slip_eigenmodes_body_part(const slip_eigenmodes *at, int k, int64_t first, int64_t size);

/* The name of whole body b, among those of the field. */
const char *slip_eigenmodes_whole_name(const slip_eigenmodes *at, int b);

/* ---- Over a parameter (follow.c). */

/* Finds modes over the range and gives each point with the branch of each mode (from 1 on) to `point`, labels
 * to `label`. */
typedef struct slip_eigenmodes_observer {
    void *user;
    int (*point)(void *user, const slip_eigenmodes *at, const int *branches);
    int (*label)(void *user, slip_label *label);
} slip_eigenmodes_observer;
int slip_eigenmodes_follow(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                           const slip_eigenmodes_observer *observer);

/* ---- Pictures (draw.c). */
int slip_eigenmodes_draw(slip_album *album);

#endif
