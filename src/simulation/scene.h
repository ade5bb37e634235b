/* A model as a static contact problem: what stands still under the loads at the first instant of `time` (0
 * where none is given), over one parameter of the model.
 *
 * Models with coordinates: K q = f(t, q, 0) + sum W lambda, condensed to the contact directions unless K
 * depends on the parameter or on the coordinates (it may then become singular on the way, and the coordinates
 * are held directions instead); the coordinates themselves are observed directions. Forces that are linear in
 * the coordinates go into K; others are linearised about `about`. For another value of the
 * parameter the model is bound to it. Models with bodies: compliance and free displacements are those of
 * the bodies. */
#ifndef SLIP_SIMULATION_SCENE_H
#define SLIP_SIMULATION_SCENE_H

#include "model/model.h"
#include "statics/path.h"

typedef struct slip_scene {
    slip_context *ctx;
    const slip_model *model;
    slip_arena arena;
    char *parameter_name; /* NULL: none */
    int parameter;        /* its index, or -1 */
    double value;         /* of the parameter as the model has it */
    slip_static_shape shape;
    const char **contact_names;
    int *model_contacts;  /* of each contact: its number in the model */
    int first_coordinate; /* the direction in which the first coordinate is observed */
    int coordinate_count; /* 0: a model with bodies */
    bool nonlinear;       /* some force is not linear in the coordinates */
    double *about;        /* coordinates about which it is linearised */
    double *compliance;   /* where it does not depend on the parameter */
    double *parameters;   /* scratch: values of all parameters */
    double *numbers;      /* scratch */
    slip_static_family family;
} slip_scene;

/* `parameter` may be NULL; low and high are the range that it will take. */
int slip_scene_open(slip_context *ctx, const slip_model *model, const char *parameter, double low,
                    double high, slip_scene **scene);
void slip_scene_close(slip_scene *scene);

/* Fills a scene whose model has bodies; slip_scene_open calls it. */
int slip_scene_open_plane(slip_scene *scene);

/* The instant that statics looks at. */
double slip_scene_time(const slip_model *model);

/* The problem at a value of the parameter; the arrays live in `arena`. */
int slip_scene_problem(slip_scene *scene, double value, slip_arena *arena, slip_static_problem *problem);

/* All solutions at a value: every set of modes where there are few contacts, else as many as are found. Of a
 * nonlinear model: those that Newton's method finds from linearisations. */
int slip_scene_solve(slip_scene *scene, double value, int restarts, slip_static_problem *problem,
                     slip_static_solutions *list);

/* The displacements of all nodes of a model with bodies, for given lambda. */
int slip_scene_displacements(slip_scene *scene, double value, const double *lambda, double *u);
/* lambda as the bodies take it: normal forces negative, then tangential ones. */
void slip_scene_plane_forces(const slip_scene *scene, const double *lambda, double *forces);

/* Normal and tangential force, gap and slip of a contact. */
typedef struct slip_scene_contact {
    double normal, tangential, gap, slip;
} slip_scene_contact;
slip_scene_contact slip_scene_contact_of(const slip_scene *scene, int contact, const double *lambda,
                                         const double *d, double given_normal);

/* A static state: coordinates, and of each contact its forces and its mode. */
typedef struct slip_scene_state {
    const double *q, *normal, *tangential;
    const slip_mode *modes;
} slip_scene_state;

/* The outputs of the model, at a value of the parameter and a state there. */
int slip_scene_output_count(const slip_scene *scene);
int slip_scene_outputs(const slip_scene *scene, double value, const slip_scene_state *state, double *values);

#endif
