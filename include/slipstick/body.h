/* Slipstick: models of elastic bodies in the plane, which touch along their edges.
 *
 * A model file has them in its section `bodies`; here they are built without a file, and looked at. Order:
 * create the model, set its parameters (slip_model_set_parameter), add bodies, add contacts. Texts are
 * expressions in x, y and the parameters. */
#ifndef SLIPSTICK_BODY_H
#define SLIPSTICK_BODY_H

#include "slipstick/model.h"

SLIP_BEGIN_C

/* ---- Building. */

/* A model without coordinates, for bodies; the caller's, for slip_model_destroy. */
SLIP_API int slip_model_create_bodies(slip_context *ctx, slip_model **model);

/* A named set of nodes, from 0; an edge is a set that has all of its nodes. */
typedef struct slip_node_set {
    const char *name;
    int count;
    const int *nodes;
} slip_node_set;

/* What holds a set, and in which directions. */
typedef struct slip_body_support {
    const char *set;
    int x, y; /* not zero: no displacement along it */
} slip_body_support;

/* Springs between a set and the ground, along x and y: stiffness of the whole set, spread evenly over the
 * edge that it is, else over its nodes. */
typedef struct slip_body_spring {
    const char *set;
    double stiffness[2];
} slip_body_spring;

/* A force per area on an edge. */
typedef struct slip_body_traction {
    const char *set;
    const char *force[2]; /* along x and y; NULL is zero */
} slip_body_traction;

typedef struct slip_body_options {
    size_t size;      /* of this struct; the default function sets it */
    const char *name; /* unique among the bodies */
    /* The mesh: a file (.msh of Gmsh or .inp of Abaqus), or a rectangle, or arrays of quadrilaterals or
     * triangles
     * (`element`) whose corners run counter-clockwise, with the middles of the edges behind them where they
     * are of second order. A rectangle has the sets left, right, bottom, top. */
    const char *mesh_file;
    double x[2], y[2];    /* of the rectangle: from, to */
    int elements[2];      /* of the rectangle, along x and y */
    int node_count;       /* of the arrays */
    const double *points; /* 2 for each node */
    int quad_count;
    const int *quads; /* 4 for each; 8, 3 or 6 where `element` says so */
    const slip_node_set *sets;
    int set_count;
    double young,
        poisson;      /* Young's modulus, a force per area, > 0; Poisson's ratio, above -1 and below 0.5 */
    double thickness; /* default 1 */
    int plane_stress; /* not zero: plane stress; default 0: plane strain */
    const slip_body_support *supports;
    int support_count;
    const slip_body_traction *tractions;
    int traction_count;
    const char *body_force[2];       /* force per volume; NULL is zero */
    double density;                  /* mass per volume; default 0: not said */
    const char *element;             /* of rectangle and arrays: quad4 (NULL), quad8, tri3 or tri6 */
    const slip_body_spring *springs; /* hold the body as supports do */
    int spring_count;
} slip_body_options;
SLIP_OPTIONS_DEFAULT(slip_body_options)
/* Adds a body; texts and arrays of the options are copied. */
SLIP_API int slip_model_add_body(slip_context *ctx, slip_model *model, const slip_body_options *options);

/* A contact of kind `surface`. */
typedef struct slip_surface_options {
    size_t size;          /* of this struct; the default function sets it */
    const char *name;     /* unique among the contacts */
    const char *first;    /* "BODY.EDGE"; its nodes are the contact points */
    const char *second;   /* "BODY.EDGE"; NULL: a rigid plane */
    const char *point[2]; /* of the rigid plane; NULL is zero */
    double normal[2];     /* of the rigid plane, towards the body; default 0, 1 */
    const char *gap;      /* added to the distance of the edges; NULL is zero */
    const char *friction; /* coefficient of Coulomb's law; NULL: no friction */
} slip_surface_options;
SLIP_OPTIONS_DEFAULT(slip_surface_options)
/* Adds a contact between bodies that are there already, or with a plane; texts are copied. */
SLIP_API int slip_model_add_surface(slip_context *ctx, slip_model *model,
                                    const slip_surface_options *options);

/* ---- Looking. The contact points of all surfaces are numbered from 0. With u1 - u2 the displacement of the
 * first side against the second, a point has the normal displacement w_n = (u1 - u2) . n and the tangential
 * one w_t = (u1 - u2) . t. Numbers for the points are the normal ones of all points, then the tangential ones
 * of all. */

typedef struct slip_contact_point {
    const char *name;                       /* "joint[1]", ... */
    double place[3], normal[3], tangent[3]; /* of plane bodies the last of each is 0 */
    double gap;                             /* w_n cannot become larger */
} slip_contact_point;
/* How many points there are, 0 of a model without bodies; fills in one, whose name lives as long as the
 * model. A number that is out of range is SLIP_ERROR_USAGE. */
SLIP_API int slip_bodies_point_count(const slip_model *model);
SLIP_API int slip_bodies_point(slip_context *ctx, slip_model *model, int index, slip_contact_point *point);
SLIP_API int slip_bodies_node_count(const slip_model *model); /* of all bodies */

/* w = free + compliance . lambda, with the contact forces lambda (normal ones are not positive). `compliance`
 * has (2 m)^2 numbers for m points, `free` 2 m; either may be NULL. The first call takes the time of assembly
 * and factorisation. */
SLIP_API int slip_bodies_condense(slip_context *ctx, slip_model *model, double *compliance, double *free);

/* Displacements of all nodes, x and y in turn, body after body, under the loads and the contact forces (NULL
 * is none): fills in 2 numbers for each of slip_bodies_node_count. */
SLIP_API int slip_bodies_displacements(slip_context *ctx, slip_model *model, const double *lambda, double *u);
/* Stresses at all nodes, xx, yy, xy, zz in turn, under the displacements u; and the strain energy of all
 * bodies. Either may be NULL. */
SLIP_API int slip_bodies_stresses(slip_context *ctx, slip_model *model, const double *u, double *stress,
                                  double *energy);

/* A file for ParaView (VTU) with displacements, stresses and contact forces (NULL is none). */
SLIP_API int slip_bodies_save_vtu(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                                  const char *path);

/* A picture of the deformed bodies, coloured by von Mises stress, with the contact forces: NAME.png and
 * NAME.svg in the folder, and the gnuplot script that made them. */
SLIP_API int slip_bodies_plot(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                              const char *folder, const char *name);

SLIP_END_C

#endif
