/* A model: a system, its initial state and how to simulate it. Made by the file reader or by the calls of
 * slipstick/model.h. */
#ifndef SLIP_MODEL_MODEL_H
#define SLIP_MODEL_MODEL_H

#include "base/text.h"
#include "fem/plane/plane.h"
#include "flex/reduction.h"
#include "result/outputs.h"
#include "slipstick/gear_run.h"
#include "slipstick/run.h"
#include "slipstick/statics.h"
#include "system/system.h"

/* A contact as it was written; the system keeps only what evaluation needs. */
typedef struct slip_contact_text {
    const char *slip;               /* of a unilateral contact it may be NULL */
    const char *normal_force;       /* without a gap, else NULL */
    const char *gap;                /* or NULL */
    const char *patch_slip[3];      /* of more than one dimension: x, y, spin, or NULL */
    const slip_patch_options *area; /* of kind patch, else NULL; a copy with all it points to */
    bool has_law;                   /* false: no friction */
    bool of_node;                   /* of a body: its gap and slips have no text */
} slip_contact_text;

/* How a body moves. */
typedef struct slip_probe {
    const char *name;
    double place[3];
} slip_probe;
typedef struct slip_body_motion {
    slip_reduction_options reduction;
    double damping[2], ratio; /* times mass, times stiffness; of every mode */
    slip_expression
        *velocity[3]; /* at the start, of the place and the parameters; NULL is 0. The model owns them */
    const slip_probe *probes;
    int probe_count;
    const char *turn; /* the coordinate by which it turns, or NULL */
    slip_turn rotation;
} slip_body_motion;

struct slip_model {
    slip_arena arena;        /* owns all strings below, the initial state and the document */
    char *title;             /* "" when there is none */
    char *file;              /* that it was read from, for paths beside it; NULL: built in C */
    slip_symbol *parameters; /* name and value; a NULL name ends the list; never NULL */
    int64_t parameter_count, parameter_capacity;
    const slip_expression **parameter_rules; /* of each parameter: an expression in the slots of the earlier
                                              * ones; NULL where it is a number. NULL: no parameter has one */
    slip_outputs outputs;       /* with the units of all series; what it points to is in the arena */
    slip_interpolants inputs;   /* functions of time; of a bound model those of its origin */
    slip_expression **compiled; /* owned: the expressions of the document */
    int64_t compiled_count, compiled_capacity;
    const slip_model *origin; /* of a model that is bound to other values: the one it was made from, which
                               * owns the document and outlives it; else NULL */
    slip_system *system;      /* of a model with bodies: without coordinates */
    slip_plane *plane;        /* elastic bodies and their contacts; NULL without */
    bool of_bodies;           /* the model is one of bodies, which may yet come */
    slip_model *bodies;       /* owned; of bodies that move: a model of them alone; else NULL */
    int64_t whole_modes;      /* whole bodies are reduced to so many modes (slip_model_reduce); else 0 */
    bool in_motion;           /* this is such a model */
    slip_body_motion *moves;  /* of one: how each of its bodies does; in the arena */
    struct slip_plane_motion *motion; /* of one: owned unless motion_shared */
    struct slip_train *train;         /* of one: the gears among its bodies; owned; NULL without */
    slip_gear_options *gears;         /* in the arena */
    int gear_count;
    slip_gear_run_options gear_run;   /* of two gears; what it points to is in the arena */
    slip_contact_text *contact_texts; /* one for each contact of the system */
    int64_t contact_text_capacity;
    double *initial_q, *initial_v; /* the states are behind the velocities */
    bool initial_static;           /* the run starts from a static solution */
    slip_run_options simulate;     /* what the file says; its strings are in the arena */
    void **studies;                /* the same of each study: its struct of options (study.h); in the arena */
    struct slip_tree *document;    /* what the file says with overrides applied, or a file would say */
    bool mass_given;
    bool *parameter_set; /* of a bound model: which parameters have a number of their own; else NULL */
    struct slip_holders *holders; /* of a document that is read after the model is gone (write.c) */
    bool finished;      /* read whole: the system can run. A model that is built in C is bound for each run */
    bool plane_shared;  /* the bodies are those of `origin` */
    bool motion_shared; /* and so is how they move */
};

/* Fails with SLIP_ERROR_MODEL for what is wrong with SECTION.KEY (or, without a key, with the section), and
 * where that is in the model's file. */
int slip_model_fail_at(slip_context *ctx, const slip_model *model, const char *section, const char *key,
                       const char *message);

/* An empty model: no system yet. Freed by slip_model_destroy, also when half built. */
int slip_model_allocate(slip_context *ctx, slip_model **model);

/* Makes the system for these coordinates and states (the last ones of the n names), and a zero initial state.
 */
int slip_model_set_coordinates(slip_context *ctx, slip_model *model, int n, int state_count,
                               const char *const *names);
int slip_model_append_parameter(slip_context *ctx, slip_model *model, const char *name, double value);

int slip_model_append_input(slip_context *ctx, slip_model *model, const slip_interpolant *table);

/* Takes over an expression of the document, also when it fails. */
int slip_model_keep_expression(slip_context *ctx, slip_model *model, slip_expression *expression);

/* ---- Values (values.c). */

/* The index of a parameter; -1 where there is none of this name, or the name is NULL. */
int slip_model_parameter(const slip_model *model, const char *name);

/* Fails: the model has no parameter of this name; names the nearest one. */
int slip_model_fail_parameter(slip_context *ctx, const slip_model *model, const char *name);

/* Is parameter `index` set, and to what? One that is not follows the model: its number, or its rule. */
bool slip_values_are_set(const slip_values *values, int index);
double slip_values_at(const slip_values *values, int index);

/* The model with these numbers for its parameters: systems, options and all else that follows from them. No
 * text is read: the expressions are compiled. What does not depend on the values that are set (contact areas,
 * bodies) is shared with `model`, which must outlive the result. */
int slip_model_bind(slip_context *ctx, const slip_model *model, const slip_values *values,
                    slip_model **bound);

/* The same with one parameter set. */
int slip_model_bind_one(slip_context *ctx, const slip_model *model, const char *parameter, double value,
                        slip_model **bound);

/* A model as it is, but with whole bodies reduced to so many modes and attachment vectors of contacts and
 * loads: then its statics are exact. Bodies that slide far stay with the pairs that they have undeformed.
 * Shares as a bound one does. */
int slip_model_reduce(slip_context *ctx, const slip_model *model, int64_t modes, slip_model **reduced);

/* The parameters when parameter `index` (-1: none) has another value and those that are computed from it
 * follow, and their derivatives with respect to it; `rates` may be NULL. */
int slip_model_parameters_at(slip_context *ctx, const slip_model *model, int index, double value,
                             double *values, double *rates);

/* Adds the contact to the system and remembers its texts. Takes over the expressions, also when it fails;
 * normal_force may be NULL: 1. */
int slip_model_append_friction(slip_context *ctx, slip_model *model, const char *name, slip_expression *slip,
                               slip_expression *normal_force, const slip_law *law);
/* Flanks of gears, as one contact: the structure says what they do. */
int slip_model_append_flanks(slip_context *ctx, slip_model *model, const char *name);

/* The same for a unilateral contact. */
int slip_model_append_unilateral(slip_context *ctx, slip_model *model, const slip_unilateral *contact);

/* The same for a slip of more than one dimension: an area, whose law is made from the options, or a point
 * with a law of one direction and the coefficients along both axes in units of the larger one. */
typedef struct slip_patch_source {
    const char *name;
    slip_expression *slip[3], *normal_force; /* may be NULL */
    slip_expression *gap;                    /* in place of a normal force; or NULL */
    const slip_contact_rows *rows;           /* in place of gap and slip[0], slip[1]; or NULL */
    double restitution;
    bool impact_friction;
    double mu;
    const slip_patch_options *area;
    const slip_law *point;
    const double *axes;
} slip_patch_source;
int slip_model_append_patch(slip_context *ctx, slip_model *model, const slip_patch_source *source);

/* Fails with SLIP_ERROR_MODEL when a unilateral contact overlaps in the initial state q, at time t. */
int slip_model_check_initial(slip_context *ctx, const slip_model *model, double t, const double *q);

/* An expression of the parameters, such as a period given with options; `what` names it in messages. */
int slip_model_evaluate(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                        double *value);

/* Fails where it has gears, for what only coordinates can do. */
int slip_model_check_lumped(slip_context *ctx, const slip_model *model);

/* The model with which a run goes: `model` itself, or one that is bound to `values` (NULL: its own), which
 * the caller destroys: *bound, NULL where there is none. Fails where the model has no motion. */
int slip_model_ready(slip_context *ctx, const slip_model *model, const slip_values *values,
                     slip_model **bound, const slip_model **ready);

/* Finishes the system of a model that was read whole, where it has a mass. */
int slip_model_finish(slip_context *ctx, slip_model *model);

/* Makes the system of a model the one of its two gears, and says in `simulate` how these run. */
int slip_model_take_gears(slip_context *ctx, slip_model *model);
/* A model of two gears that has no file; what gears and options point to stays. *model is destroyed by the
 * caller also when it fails. */
int slip_model_of_gears(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_gear_run_options *options, slip_model **model);

/* Whether it can be written as a file: all but gears that were put together in C can. */
bool slip_model_has_text(const slip_model *model);

/* The method by which its two gears run: the given one, else by their reduction. */
const char *slip_model_gear_method(const slip_model *model);

/* Its gears, two or a train, and how they run, a line for each setting, by their names in model files: what
 * tells their states from those of other runs. loads: with the torques and all that only the start reads. */
void slip_model_gear_settings(const slip_model *model, slip_gear_run_options how, bool loads,
                              slip_text *text);

/* The text of model.yaml: the model as run, with program version (in a comment) and method (NULL: what the
 * model itself says). A model that was built in C is written from its numbers. */
int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text);

/* The same for later, when the model may be gone: its document, which then stays, and the numbers of its
 * parameters. A model that may still grow is not noted (*note is NULL). */
typedef struct slip_model_note slip_model_note;
int slip_model_note_take(slip_context *ctx, const slip_model *model, const char *method,
                         slip_model_note **note);
int slip_model_note_write(slip_context *ctx, const void *note, slip_text *text);
void slip_model_note_destroy(void *note);

/* False when out of memory. */
bool slip_model_holders_create(slip_model *model);
/* Gives the arena of a model free unless notes read its document; then the last of these does it. */
void slip_model_release(slip_model *model);

/* Finishes the elastic bodies of a model that is built by calls, before they are looked at; fails where it
 * has none. */
int slip_bodies_finish(slip_context *ctx, slip_model *model);

/* Adds the same text, but as if the files that the model reads lay beside it, and calls `add` with each of
 * them and the name that it has there. */
typedef int (*slip_pack_function)(void *user, const char *path, const char *name);
int slip_model_pack(slip_context *ctx, const slip_model *model, slip_pack_function add, void *user,
                    slip_text *text);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_model, slip_model_destroy)
SLIP_OWNED(slip_values, slip_values_destroy)

#endif
