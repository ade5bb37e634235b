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

/* The texts of a contact as written in the file; the system stores only what evaluation needs. */
typedef struct slip_contact_text {
    const char *slip;               /* of a unilateral contact it may be NULL */
    const char *normal_force;       /* of a contact without a gap, else NULL */
    const char *gap;                /* or NULL */
    const char *patch_slip[3];      /* of more than one dimension: x, y, spin, or NULL */
    const slip_patch_options *area; /* of kind patch, a deep copy; else NULL */
    bool has_law;                   /* false: no friction */
    bool of_node;                   /* contact point of a body: its gap and slips have no text */
} slip_contact_text;

/* Settings of a moving body, and its probes (points whose motion is recorded). */
typedef struct slip_probe {
    const char *name;
    double place[3];
} slip_probe;
typedef struct slip_body_motion {
    slip_reduction_options reduction;
    double damping[2],
        ratio; /* Rayleigh damping (times mass, times stiffness); damping ratio of every mode */
    slip_expression
        *velocity[3]; /* initial velocity field, of position and parameters; NULL is 0. The model owns them */
    const slip_probe *probes;
    int probe_count;
    const char *turn; /* name of the coordinate of its rotation, or NULL */
    slip_turn rotation;
} slip_body_motion;

struct slip_model {
    slip_arena arena;        /* owns all strings below, the initial state and the document */
    char *title;             /* "" when there is none */
    char *file;              /* from which it was read, for relative paths; NULL: built in C */
    slip_symbol *parameters; /* name and value; a NULL name ends the list; never NULL */
    int64_t parameter_count, parameter_capacity;
    const slip_expression **parameter_rules; /* of each parameter: an expression in the slots of the earlier
                                              * ones; NULL where it is a number. NULL: no parameter has one */
    slip_outputs outputs;       /* with the units of all series; what it points to is in the arena */
    slip_interpolants inputs;   /* functions of time; of a bound model those of its origin */
    slip_expression **compiled; /* owned: the expressions of the document */
    int64_t compiled_count, compiled_capacity;
    const slip_model *origin; /* of a bound model: the model that it was made from, which owns the document
                                 and must outlive it; else NULL */
    slip_system *system;      /* without coordinates if the model has only bodies */
    slip_plane *plane;        /* elastic bodies and their contacts; NULL without */
    bool of_bodies;           /* built in C as a model of bodies, even if none has been added yet */
    slip_model *bodies;       /* owned; where bodies move: a separate model of the bodies alone; else NULL */
    int64_t whole_modes; /* number of modes to which whole bodies are reduced (slip_model_reduce); else 0 */
    bool in_motion;      /* this is such a separate model of moving bodies; the next four fields are for it */
    slip_body_motion *moves;          /* settings of each body; in the arena */
    struct slip_plane_motion *motion; /* vectors and matrices of the bodies; owned unless motion_shared */
    struct slip_train *train;         /* the gears among the bodies; owned; NULL without */
    slip_gear_options *gears;         /* in the arena */
    int gear_count;
    slip_gear_run_options gear_run;   /* of two gears; what it points to is in the arena */
    slip_contact_text *contact_texts; /* one for each contact of the system */
    int64_t contact_text_capacity;
    double *initial_q, *initial_v; /* states are stored after the velocities */
    bool initial_static;           /* the run starts from a static solution */
    slip_run_options simulate;     /* the section `simulate`; its strings are in the arena */
    void **studies;             /* the section of each study: its struct of options (study.h); in the arena */
    struct slip_tree *document; /* the tree of the file with overrides applied; for a model built in C the
                                   tree that its file would have */
    bool mass_given;
    bool *parameter_set;          /* of a bound model: which parameters were set; else NULL */
    struct slip_holders *holders; /* reference count of a document that outlives its model (write.c) */
    bool finished;                /* the system can run; a model built in C is bound for each run */
    bool plane_shared;            /* `plane` belongs to `origin` */
    bool motion_shared;           /* `motion` belongs to `origin` */
};

/* Fails with SLIP_ERROR_MODEL and this message for SECTION.KEY (key NULL: for the section), with its line. */
int slip_model_fail_at(slip_context *ctx, const slip_model *model, const char *section, const char *key,
                       const char *message);

/* Allocates an empty model without a system. The caller frees it by slip_model_destroy. */
int slip_model_allocate(slip_context *ctx, slip_model **model);

/* Creates the system for n coordinates and states (the last names), and a zero initial state. */
int slip_model_set_coordinates(slip_context *ctx, slip_model *model, int n, int state_count,
                               const char *const *names);
int slip_model_append_parameter(slip_context *ctx, slip_model *model, const char *name, double value);

int slip_model_append_input(slip_context *ctx, slip_model *model, const slip_interpolant *table);

/* Makes the model the owner of a compiled expression, also when it fails. */
int slip_model_keep_expression(slip_context *ctx, slip_model *model, slip_expression *expression);

/* ---- Values (values.c). */

/* The index of a parameter; -1 where there is none of this name, or the name is NULL. */
int slip_model_parameter(const slip_model *model, const char *name);

/* Fails because the model has no parameter of this name; the message suggests the most similar one. */
int slip_model_fail_parameter(slip_context *ctx, const slip_model *model, const char *name);

/* Whether parameter `index` is set; its value. A parameter that is not set has the number, or follows the
 * rule, of the model. */
bool slip_values_are_set(const slip_values *values, int index);
double slip_values_at(const slip_values *values, int index);

/* Binds a model to values of its parameters: makes a model with its own system and options. No text is read,
 * since the expressions are compiled. Contact areas and bodies that do not depend on the set values are
 * shared with `model`, which must outlive the result. The caller destroys the result. */
int slip_model_bind(slip_context *ctx, const slip_model *model, const slip_values *values,
                    slip_model **bound);

/* The same with one parameter set. */
int slip_model_bind_one(slip_context *ctx, const slip_model *model, const char *parameter, double value,
                        slip_model **bound);

/* Makes a copy of a model in which whole bodies are reduced to `modes` eigenmodes and the attachment vectors
 * of contacts and loads, so that its statics are exact. Large sliding is replaced by the pairs of the
 * undeformed bodies. Shares parts with `model` as a bound model does. */
int slip_model_reduce(slip_context *ctx, const slip_model *model, int64_t modes, slip_model **reduced);

/* values: all parameters if parameter `index` (-1: none) has another value, with those computed from it;
 * rates: their derivatives by it, or NULL. */
int slip_model_parameters_at(slip_context *ctx, const slip_model *model, int index, double value,
                             double *values, double *rates);

/* Adds a friction contact to the system and stores its texts. Becomes the owner of the expressions, also when
 * it fails. normal_force NULL: 1. */
int slip_model_append_friction(slip_context *ctx, slip_model *model, const char *name, slip_expression *slip,
                               slip_expression *normal_force, const slip_law *law);
/* Adds the flanks of a gear mesh as one contact, whose forces the structure computes. */
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

/* Evaluates an expression of the parameters, such as a period in options. what: its name for messages. */
int slip_model_evaluate(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                        double *value);

/* Fails where the model has gears; for functions that work with coordinates only. */
int slip_model_check_lumped(slip_context *ctx, const slip_model *model);

/* The model for a run: *ready is `model` itself, or *bound, a model bound to `values` (NULL: its own values),
 * which the caller destroys; else *bound is NULL. Fails where the model cannot be simulated. */
int slip_model_ready(slip_context *ctx, const slip_model *model, const slip_values *values,
                     slip_model **bound, const slip_model **ready);

/* Finishes the system of a completely read model, if it has a mass. */
int slip_model_finish(slip_context *ctx, slip_model *model);

/* Replaces the system of a model by that of its two gears, and fills `simulate` with their run options. */
int slip_model_take_gears(slip_context *ctx, slip_model *model);
/* Makes a model of two gears without a file. What gears and options point to must outlive it. The caller
 * destroys *model, also when it fails. */
int slip_model_of_gears(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_gear_run_options *options, slip_model **model);

/* Whether a model can be written as a file: all models except gears that were assembled in C. */
bool slip_model_has_text(const slip_model *model);

/* The method by which its two gears run: the given one, else by their reduction. */
const char *slip_model_gear_method(const slip_model *model);

/* The settings of its gears (two or a train) and of their run, one line each, with the names of model files.
 * Saved states of runs with different settings are not compatible. loads: include torques and settings that
 * only matter at the start. */
void slip_model_gear_settings(const slip_model *model, slip_gear_run_options how, bool loads,
                              slip_text *text);

/* The text of model.yaml: the model as run, with program version (in a comment) and method (NULL: that of the
 * model). A model built in C is written from its numbers. */
int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text);

/* Stores what slip_model_write needs, for use after the model is destroyed: a reference to its document,
 * which then stays, and the values of its parameters. For a model to which calls may still add parts *note is
 * NULL. */
typedef struct slip_model_note slip_model_note;
int slip_model_note_take(slip_context *ctx, const slip_model *model, const char *method,
                         slip_model_note **note);
int slip_model_note_write(slip_context *ctx, const void *note, slip_text *text);
void slip_model_note_destroy(void *note);

/* Creates the reference count of the model's document; false: out of memory. */
bool slip_model_holders_create(slip_model *model);
/* Frees the arena of a model; if notes still refer to its document, the last of these does it. */
void slip_model_release(slip_model *model);

/* Finishes the elastic bodies of a model built in C, before they are queried; fails where it has none. */
int slip_bodies_finish(slip_context *ctx, slip_model *model);

/* The text of model.yaml with the files that the model reads moved beside it. Calls `add` for each file with
 * its path and its new name. */
typedef int (*slip_pack_function)(void *user, const char *path, const char *name);
int slip_model_pack(slip_context *ctx, const slip_model *model, slip_pack_function add, void *user,
                    slip_text *text);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_model, slip_model_destroy)
SLIP_OWNED(slip_values, slip_values_destroy)

#endif
