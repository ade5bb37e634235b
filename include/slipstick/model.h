/* Slipstick: models, from a file or built in C.
 *
 *     M q'' + C q' + K q = f(t, q, q', z) + sum over contacts W lambda,   z' = g(t, q, q', z)
 */
#ifndef SLIPSTICK_MODEL_H
#define SLIPSTICK_MODEL_H

#include "slipstick/base.h"
#include "slipstick/law.h"
#include "slipstick/patch.h"

SLIP_BEGIN_C

/* The mode of a contact. */
typedef enum slip_mode {
    SLIP_MODE_OPEN,
    SLIP_MODE_STICK,
    SLIP_MODE_SLIP_PLUS,
    SLIP_MODE_SLIP_MINUS,
    SLIP_MODE_SLIP,  /* a patch that slips */
    SLIP_MODE_CLOSED /* contact without friction */
} slip_mode;

/* "open", "stick", "slip+", "slip-", "slip", "closed"; "?" for anything else. Static. */
SLIP_API const char *slip_mode_name(slip_mode mode);

typedef struct slip_model slip_model;

/* Reads a model file. `settings` are overrides of the form "name=value": a parameter's name, or the path of
 * any other field ("simulate.method=smooth"); NULL ends the list, and NULL stands for none. On an error the
 * context's message has one line for each thing that is wrong, each with file:line:column. The
 * model is the caller's, for slip_model_destroy. */
SLIP_API int slip_model_load(slip_context *ctx, const char *path, slip_model **model);
SLIP_API int slip_model_load_with(slip_context *ctx, const char *path, const char *const *settings,
                                  slip_model **model);
/* The same from text; `name` stands for the file's name in messages. */
SLIP_API int slip_model_parse(slip_context *ctx, const char *text, const char *name,
                              const char *const *settings, slip_model **model);
/* After all that uses the model; NULL is fine. */
SLIP_API void slip_model_destroy(slip_model *model);

/* ---- Building a model without a file. Matrices are row by row; what is not set is zero, except that a run
 * needs a mass matrix (statics does not). A run takes the model as it is then. A model that was read from a
 * file is not changed by these calls. */

/* A model with these coordinates, at least one; the caller's, for slip_model_destroy. */
SLIP_API int slip_model_create(slip_context *ctx, int coordinate_count, const char *const *coordinate_names,
                               slip_model **model);
/* Mass, damping and stiffness: n x n numbers for n coordinates, which are copied. */
SLIP_API int slip_model_set_mass(slip_context *ctx, slip_model *model, const double *matrix);
SLIP_API int slip_model_set_damping(slip_context *ctx, slip_model *model, const double *matrix);
SLIP_API int slip_model_set_stiffness(slip_context *ctx, slip_model *model, const double *matrix);

/* The structure by its energies, instead of these matrices: expressions of t, parameters, coordinates (x) and
 * velocities (x'). The kinetic energy is quadratic in the velocities; potential and dissipation may be NULL.
 * The equations that follow are derived exactly (docs/model-files.md). */
SLIP_API int slip_model_set_energy(slip_context *ctx, slip_model *model, const char *kinetic,
                                   const char *potential, const char *dissipation);

/* A number that expressions given later may use by name. */
SLIP_API int slip_model_set_parameter(slip_context *ctx, slip_model *model, const char *name, double value);

/* A function of time that expressions given later may call by name, road(t): `count` points, at least two,
 * whose times rise. `between`: "linear", "cubic", "hold"; NULL: linear. Outside, the end values. */
SLIP_API int slip_model_set_input(slip_context *ctx, slip_model *model, const char *name, const char *between,
                                  int count, const double *times, const double *values);

/* A series with its own name, recorded and read like those of coordinates: an expression in t, parameters,
 * coordinates, velocities, accelerations (x''), series of contacts (belt.force) and outputs before it. */
SLIP_API int slip_model_set_output(slip_context *ctx, slip_model *model, const char *name,
                                   const char *expression);
/* The outputs of a model, in its order; NULL for a number that is out of range. Of a model that is built in C
 * they are not known before it runs: 0. */
SLIP_API int slip_model_output_count(const slip_model *model);
SLIP_API const char *slip_model_output_name(const slip_model *model, int index);

/* The unit of a series ("x", "belt.force", "t", an output), for files and pictures; it changes no number.
 * What both of them name is looked up when the model is run. */
SLIP_API int slip_model_set_unit(slip_context *ctx, slip_model *model, const char *series, const char *unit);

/* The load on one coordinate as an expression in t, parameters, coordinates (x), velocities (x') and states.
 */
SLIP_API int slip_model_set_force(slip_context *ctx, slip_model *model, const char *coordinate,
                                  const char *expression);

/* A state: a number of its own name in all expressions, whose rate is an expression in t, parameters,
 * coordinates, velocities and states (also itself). `initial` is its value at the start. */
SLIP_API int slip_model_set_state(slip_context *ctx, slip_model *model, const char *name, const char *rate,
                                  double initial);

/* The load on all coordinates as a function: fills force[n]. In a model with states n is the number of
 * coordinates and states: the states stand behind the velocities in v, and what is added to the force there
 * is added to their rates. It may fill the derivatives dforce_dq and dforce_dv (n x n, row by row, zero on
 * entry) and return 1; with 0 they are found by differences. dforce_dq and dforce_dv are NULL when only the
 * force is wanted. A negative return value ends the run. `user` is handed through and outlives the model's
 * runs. */
typedef int (*slip_force_function)(void *user, double t, const double *q, const double *v, double *force,
                                   double *dforce_dq, double *dforce_dv);
SLIP_API int slip_model_set_force_function(slip_context *ctx, slip_model *model, slip_force_function function,
                                           void *user);

/* A contact of any kind that stands on coordinates. Fields that its kind has no use for stay at their
 * defaults: one that is set all the same is refused, as it would be in a file. */
typedef struct slip_contact_options {
    size_t size;      /* of this struct; the default function sets it */
    const char *name; /* unique among the contacts */
    const char *kind; /* "friction" (default): without a gap. "unilateral": open while its gap is positive;
                         closed it presses (its force pushes the gap open, never shut) and rubs by its law.
                         "patch": a plane area that slides and spins, with a gap or without */
    /* Slip velocities, linear in the velocities, plus functions of t and the coordinates. */
    const double *row;  /* row . q' plus `offset`; n numbers; default NULL */
    const char *offset; /* expression in t and the coordinates, for example "-vb"; default NULL: zero */
    const char *slip;   /* instead of row and offset: all of it as an expression; of a patch along x */
    const char *slip_y; /* beside slip: a point in a plane slips along both; of a patch along y */
    const char *spin;   /* of a patch: angular velocity; at least one of slip, slip_y and spin is given */
    /* Without a gap. */
    const char *normal_force; /* expression, >= 0; default NULL: 1 */
    /* With a gap. */
    const char *gap;    /* expression of coordinates and t: "1 - x" */
    double restitution; /* rate of the gap after an impact over that before, 0 to 1; default NAN: 0 */
    const char *impact_friction; /* default NULL: "none", an impact leaves the slip velocity; or "coulomb" */
    /* In place of a rigid gap: N = stiffness d^exponent (1 + damping d') with the overlap d = -gap > 0. */
    double normal_stiffness; /* > 0; default NAN: rigid */
    double normal_exponent;  /* >= 1; default NAN: 1 */
    double normal_damping;   /* >= 0; default NAN: 0 */
    /* Friction. */
    slip_law law;            /* type NULL (default): none. Of a patch no type: mu alone, a number or one of
                                law.expressions; it is set-valued where area.epsilon is 0, else smooth */
    double mu_y;             /* of a point in a plane: mu along slip_y; default NAN: that of the law */
    slip_patch_options area; /* of a patch: area, pressure, surface, epsilon, static_ratio */
} slip_contact_options;
SLIP_OPTIONS_DEFAULT(slip_contact_options)
/* Adds a contact; texts and arrays of the options are copied. */
SLIP_API int slip_model_add_contact(slip_context *ctx, slip_model *model,
                                    const slip_contact_options *options);

/* The coordinates and velocities at the start, a number for each coordinate; NULL is zero. */
SLIP_API int slip_model_set_initial(slip_context *ctx, slip_model *model, const double *q, const double *v);
/* A state at the start, one of the model or of a law with memory ("seat.z"). */
SLIP_API int slip_model_set_initial_state(slip_context *ctx, slip_model *model, const char *name,
                                          double value);

/* ---- Values: the numbers of a model's parameters for one run. A model is not changed by them, so that
 * threads can share it, each with values of its own. */

typedef struct slip_values slip_values;

/* The numbers that the model has; the model outlives them. They are the caller's, for slip_values_destroy,
 * which takes NULL. */
SLIP_API int slip_values_create(slip_context *ctx, const slip_model *model, slip_values **values);
SLIP_API void slip_values_destroy(slip_values *values);
/* The same numbers again, the caller's too. */
SLIP_API int slip_values_copy(slip_context *ctx, const slip_values *from, slip_values **values);
/* Sets a parameter. Those that are computed from it in the model follow, unless they are set themselves. */
SLIP_API int slip_values_set(slip_context *ctx, slip_values *values, const char *name, double value);
/* Back to the numbers of the model; NULL is fine. */
SLIP_API void slip_values_reset(slip_values *values);
/* A parameter's number; NAN when there is no such parameter, or `values` is NULL. */
SLIP_API double slip_values_number(const slip_values *values, const char *name);

/* ---- Looking at a model, which may not be NULL. Names live as long as the model; they are NULL for a number
 * that is out of range. */

SLIP_API int slip_model_coordinate_count(const slip_model *model);
SLIP_API const char *slip_model_coordinate_name(const slip_model *model, int index);
/* How many coordinates, the first ones, stand in the section `coordinates`; each of the others moves a vector
 * of displacements of an elastic body. */
SLIP_API int slip_model_given_count(const slip_model *model);
/* States: those of the model, then those of laws with memory ("pad.z"). */
SLIP_API int slip_model_state_count(const slip_model *model);
SLIP_API const char *slip_model_state_name(const slip_model *model, int index);
SLIP_API int slip_model_contact_count(const slip_model *model);
SLIP_API const char *slip_model_contact_name(const slip_model *model, int index);
/* The area of a contact of kind patch, as long as the model is there; NULL for any other contact. */
SLIP_API const slip_patch *slip_model_patch(const slip_model *model, int contact);
SLIP_API const char *slip_model_title(const slip_model *model); /* "" when there is none */

/* The model as text for a person: coordinates, matrices, loads, contacts with their laws, simulation. Valid
 * until the next such call with this context. NULL when out of memory. */
SLIP_API const char *slip_model_describe(slip_context *ctx, const slip_model *model);

/* ---- Models that come with the library: the files of examples/, by name ("belt" for belt.yaml). Names, NULL
 * for a number that is out of range, and texts are static. */

SLIP_API int slip_example_count(void);
SLIP_API const char *slip_example_name(int index);
SLIP_API const char *slip_example_text(const char *name); /* NULL when there is none */

SLIP_END_C

#endif
