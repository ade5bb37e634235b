/* A model as a static contact problem, over one parameter of the model. The loads are those at the start of
 * `time` (0 where none is given).
 *
 * Linear models with coordinates: K q = f(t, q, 0) + sum W lambda, condensed to the contact directions. The
 * coordinates themselves are observed directions. If K depends on the parameter, and so may become singular,
 * nothing is condensed and the coordinates are held directions. Forces that are linear in the coordinates are
 * part of K. For each value of the parameter the model is bound anew. Nonlinear models with coordinates are
 * called general (statics/balance/balance.h); their directions have the same order. For models with bodies
 * compliance and free displacements are those of the bodies. */
#ifndef SLIP_SIMULATION_SCENE_H
#define SLIP_SIMULATION_SCENE_H

#include "model/model.h"
#include "statics/equilibria.h"
#include "statics/path.h"

/* A general model at a value of the parameter. */
typedef struct slip_scene_bound {
    double value;
    slip_model *model; /* NULL: the scene's own */
    double *reference; /* initial coordinates, values of states */
    slip_balance *balance;
} slip_scene_bound;
enum { slip_scene_bound_count = 5 }; /* size of the cache; its first entry is never replaced */

typedef struct slip_scene {
    slip_context *ctx;
    const slip_model *model;
    slip_model *reduced; /* owned: replaces a model with whole bodies; else NULL */
    slip_arena arena;
    char *parameter_name; /* NULL: none */
    int parameter;        /* its index, or -1 */
    double value;         /* of the parameter in the model */
    slip_static_shape shape;
    const char **contact_names;
    int *model_contacts;  /* of each contact: its number in the model */
    int first_coordinate; /* the direction in which the first coordinate is observed */
    int coordinate_count; /* 0: a model with bodies */
    bool general;         /* a nonlinear model, see above */
    slip_scene_bound bound[slip_scene_bound_count];
    int bound_next;
    slip_static_values now; /* the problem at now_value, used where normal forces are given */
    double now_value;
    bool given;         /* some normal force is given */
    double *compliance; /* where it does not depend on the parameter */
    double *parameters; /* scratch: values of all parameters */
    double *numbers;    /* scratch */
    slip_static_family family;
} slip_scene;

/* Number of eigenmodes to which whole bodies are reduced for statics: their rigid motions, and a few more. */
enum { slip_scene_modes = 8 };

/* Opens a model as a scene. parameter: its name, or NULL; low, high: its range. The model must outlive it. */
int slip_scene_open(slip_context *ctx, const slip_model *model, const char *parameter, double low,
                    double high, slip_scene **scene);
void slip_scene_close(slip_scene *scene);
SLIP_OWNED(slip_scene, slip_scene_close)

/* Fills a scene whose model has bodies; slip_scene_open calls it. */
int slip_scene_open_plane(slip_scene *scene);

/* The time at which statics evaluates the model, s. */
double slip_scene_time(const slip_model *model);

/* The problem at a value of the parameter; the arrays live in `arena`. */
int slip_scene_problem(slip_scene *scene, double value, slip_arena *arena, slip_static_problem *problem);

/* All solutions at a value of the parameter: by trying every set of contact modes where there are few
 * contacts, else as many as the search finds. For a general model those that Newton's method finds. */
int slip_scene_solve(slip_scene *scene, double value, int restarts, slip_static_problem *problem,
                     slip_static_solutions *list);

/* The displacements of all nodes of a model with bodies, for given lambda. */
int slip_scene_displacements(slip_scene *scene, double value, const double *lambda, double *u);
/* Converts lambda to the convention of slip_plane: normal forces negative, then tangential ones. */
void slip_scene_plane_forces(const slip_scene *scene, const double *lambda, double *forces);

/* Normal and tangential force, gap and slip of a contact. For a slip of more than one dimension `tangential`
 * and `slip` are magnitudes, and `plane` has slip_x, slip_y, spin, force_x, force_y, moment. Slip is a
 * displacement, or a velocity if it is driven. */
typedef struct slip_scene_contact {
    double normal, tangential, gap, slip, plane[6];
} slip_scene_contact;

/* Fills this for all contacts, for a state (lambda, d) at a value of the parameter. */
int slip_scene_contacts(slip_scene *scene, double value, const double *lambda, const double *d,
                        slip_scene_contact *contacts);

/* The judge's residual of a state: the largest violation of equilibrium and contact laws. */
int slip_scene_residual(slip_scene *scene, double value, const slip_static_problem *problem,
                        const double *lambda, const double *d, double *residual);

/* Whether the slip of a contact is driven, so that it slides although the coordinates are at rest. */
bool slip_scene_drives(const slip_scene *scene, int contact);

/* Fails for a linear model without contacts, which has no contact problem. */
int slip_scene_check_contacts(const slip_scene *scene);

/* Whether the slip of a contact has more than one dimension. */
bool slip_scene_is_plane(const slip_scene *scene, int contact);

/* ---- General models (scene_balance.c). */

bool slip_scene_is_general(const slip_balance *balance);
int slip_scene_open_balance(slip_scene *scene, slip_balance *balance);
void slip_scene_close_balance(slip_scene *scene);

/* The balance at a value of the parameter. It belongs to the scene and stays valid for the next two calls. */
int slip_scene_balance(slip_scene *scene, double value, slip_balance **balance);

/* Conversion between the unknowns y of a balance (coordinates and forces) and lambda, d. */
void slip_scene_state_from(const slip_scene *scene, slip_balance *balance, const double *y, double *lambda,
                           double *d);
void slip_scene_state_to(const slip_scene *scene, const double *lambda, const double *d, double *y);

int slip_scene_contacts_balance(slip_scene *scene, double value, const double *lambda, const double *d,
                                slip_scene_contact *contacts);

/* A static state: coordinates and states, and of each contact its forces and its mode. */
typedef struct slip_scene_state {
    const double *q;
    const slip_scene_contact *contacts;
    const slip_mode *modes;
} slip_scene_state;

/* The outputs of the model, at a value of the parameter and a state there. */
int slip_scene_output_count(const slip_scene *scene);
const char *slip_scene_output_name(const slip_scene *scene, int k);
int slip_scene_outputs(const slip_scene *scene, double value, const slip_scene_state *state, double *values);

#endif
