/* Elastic bodies, all in the plane or all in space, that touch each other: described, assembled, factored and
 * condensed to the contact points.
 *
 *     K u = f(p) + B^T lambda,     w = B u = w0(p) + C lambda,     C = B K^-1 B^T,   w0 = B K^-1 f(p)
 *
 * u: displacements of the unknowns that no support holds. p: the parameters. Contact point k of m has a
 * normal row (number k) and a tangential row (number m + k) of B, for k from 0, in space a second one (number
 * 2m + k); w and lambda are numbered the same way. With n the direction from the first side towards the
 * second and t the direction along the edge,
 *
 *     w_n = (u1 - u2) . n <= g_n(p),  lambda_n <= 0,    w_t = (u1 - u2) . t,    |lambda_t| <= mu |lambda_n|,
 *
 * and lambda_t = mu lambda_n sign(w_t) where w_t is not zero. The force on the first body is lambda_n n +
 * lambda_t t, on the second the opposite: lambda_n < 0 presses them apart. All are nodal forces, not
 * tractions. In the plane t points along +x (on a vertical edge: +y), and the points are in this order along
 * the edge. In space t is +x along the surface (+y where the normal is within 25 degrees of x), the second
 * direction is that of -n x t, and the points are in the order of the nodes.
 *
 * Use: create, add bodies, add surfaces, finish; then everything below "Condensed". A finished plane never
 * changes, but the calls that evaluate or solve share scratch memory: one thread at a time. */
#ifndef SLIP_FEM_PLANE_H
#define SLIP_FEM_PLANE_H

#include "base/context.h"
#include "base/text.h"
#include "io/mesh/mesh.h"
#include "math/expression/expression.h"
#include "math/sparse.h"

#include <stdbool.h>
#include <stdint.h>

/* Slots of the expressions of loads, gaps and friction: time (which only loads on bodies in motion read), the
 * place, then the parameters. */
enum { slip_plane_slot_x = 1, slip_plane_slot_y = 2, slip_plane_slot_z = 3, slip_plane_slot_parameter = 4 };

typedef struct slip_plane slip_plane;

/* ---- Building. The plane takes over meshes, matrices and expressions, also when a call fails. Names are
 * copied. */

/* `values` are the parameters as the model has them; may be NULL where there are none. */
int slip_plane_create(slip_context *ctx, int parameter_count, const double *values, slip_plane **plane);
void slip_plane_destroy(slip_plane *plane);
SLIP_OWNED(slip_plane, slip_plane_destroy)

typedef struct slip_support {
    const char *set; /* an edge or a set of nodes */
    bool held[3];    /* x, y, z */
} slip_support;

/* Springs and dashpots between a set and the ground, along x, y and z: those of the whole set, spread evenly
 * over the edge (in space: the surface) that it is, else over its nodes. */
typedef struct slip_spring {
    const char *set;
    double stiffness[3], damping[3];
} slip_spring;

typedef struct slip_traction {
    const char *set;
    slip_expression *force[3]; /* force per area along x, y and z; NULL is zero */
    bool nodal;                /* a force on each node of the set in place of one per area */
} slip_traction;

typedef struct slip_body {
    const char *name;
    slip_mesh *mesh;
    /* In place of elements: stiffness and mass of the components of the mesh's nodes, as far as they go, of a
     * body that moves; else NULL. The mesh has no elements then, and nodes that are in no set are nowhere. */
    slip_sparse *stiffness, *mass;
    double young, poisson, thickness; /* in space a thickness of 1 */
    double density;                   /* mass per volume; 0 where it is not given: only for statics */
    bool loose;        /* it may move as a whole: supports need not hold it, which only motions allow */
    bool plane_stress; /* else plane strain */
    bool large;        /* strains: bricks of eight nodes, in motion */
    double hourglass;  /* of these, as slip_explicit_body has it */
    const slip_support *supports;
    int support_count;
    const slip_spring *springs;
    int spring_count;
    const slip_traction *tractions;
    int traction_count;
    slip_expression *body_force[3]; /* force per volume; NULL is zero */
} slip_body;
/* Checks the mesh, that its sets are there, and that supports and springs hold the body. The first body says
 * whether all are in the plane or in space. */
int slip_plane_add_body(slip_context *ctx, slip_plane *plane, const slip_body *body);

/* Contact between an edge (in space: a surface) of one body and one of another body or a rigid plane. Its
 * bodies come first. */
typedef struct slip_plane_surface {
    const char *name;
    const char *first_body, *first_edge;   /* carries the contact points */
    const char *second_body, *second_edge; /* NULL: the rigid plane below */
    /* In the plane a rigid line in place of that body, which these name then: x and y of its points in turn;
     * the first body is on the left of the way along them. NULL: none. */
    const double *line;
    int line_count;
    slip_expression *point[3]; /* of the rigid plane: a point, in the parameters */
    double normal[3];          /* of the rigid plane: points to the body; any length */
    slip_expression *gap;      /* added to the distance of the meshes, in x, y, parameters; NULL is 0 */
    slip_expression *friction; /* coefficient, in the parameters; NULL: no friction */
    bool both; /* two passes: the points of the second side against the first one too; not of a rigid plane */
    bool far;  /* both bodies slide far on each other in motion: pairs are found anew (slide.h) */
} slip_plane_surface;
/* Finds the contact points; edges that do not face each other are an error. */
int slip_plane_add_surface(slip_context *ctx, slip_plane *plane, const slip_plane_surface *surface);

/* Rows of surfaces that slide far as they are where the nodes of all bodies have these displacements. */
int slip_plane_pair_again(slip_context *ctx, slip_plane *plane, const double *u);

/* Notes that a mesh or a material was made with the present value of a parameter: the plane does not follow
 * when it changes. */
void slip_plane_set_structural(slip_plane *plane, int parameter);
bool slip_plane_is_structural(const slip_plane *plane, int parameter);

/* Assembles, factors and condenses: what costs time. Does nothing when that is done. */
int slip_plane_finish(slip_context *ctx, slip_plane *plane);

/* ---- In motion, in place of slip_plane_finish: nothing is factored or condensed. Unknowns are numbered body
 * by body. */

/* Numbers the unknowns; the rest needs that. */
int slip_plane_number(slip_context *ctx, slip_plane *plane);
/* Where the unknowns of a body begin; of slip_plane_body_count: how many there are. */
int64_t slip_plane_first_unknown(const slip_plane *plane, int body);
/* The unknown of a component (dimension times node, + direction); -1 where a support holds it. */
int64_t slip_plane_unknown(const slip_plane *plane, int64_t component);
/* Loads as products F s(t), number k of them: F on the unknowns, and where in space and by which expression s
 * is. s is 1 where the expression is NULL: then all of these are in one F, that of k = 0. Fails where a load
 * is no such product. */
int slip_plane_load_count(const slip_plane *plane);
int slip_plane_load(slip_context *ctx, slip_plane *plane, const double *parameters, int k, double *force,
                    double place[3], const slip_expression **history);
/* Row k of B over the unknowns: how many entries it has. There are `dimension` times m rows. */
enum { slip_plane_row_max = 6 * slip_face_nodes_max };
int slip_plane_row(const slip_plane *plane, int row, int64_t unknowns[slip_plane_row_max],
                   double values[slip_plane_row_max]);

/* A rigid rotation of a body about an axis through a centre, by a coordinate of its own (turn.c). */
typedef struct slip_turn {
    bool turns;
    double centre[3], axis[3]; /* the axis has unit length: in the plane that of z */
} slip_turn;
/* How a place moves with it, for one radian. */
void slip_turn_move(const slip_turn *turn, int dimension, const double *place, double move[3]);
/* What the rotation of a body is along row k of B, with the components that supports hold. Where the edge of
 * the body in a gap is round about the axis, that gap does not see the rotation. */
int slip_plane_row_turn(slip_context *ctx, const slip_plane *plane, int row, int body, const slip_turn *turn,
                        double *along);
/* The torque on a body of the load that slip_plane_load gave last. */
double slip_plane_load_torque(const slip_plane *plane, int body, const slip_turn *turn);

/* ---- What was built. */

const double *slip_plane_parameter_values(const slip_plane *plane); /* as the model has them */

/* 2 or 3; 2 while there is no body. Also how many rows a contact point has. */
int slip_plane_dimension(const slip_plane *plane);

int slip_plane_body_count(const slip_plane *plane);
const char *slip_plane_body_name(const slip_plane *plane, int body);
const slip_mesh *slip_plane_body_mesh(const slip_plane *plane, int body);
/* The matrices that it was given by; NULL: by elements. */
const slip_sparse *slip_plane_body_stiffness(const slip_plane *plane, int body);
const slip_sparse *slip_plane_body_mass(const slip_plane *plane, int body);
/* Whether its strains are large, and how its bricks are integrated then (slip_explicit_body). */
bool slip_plane_body_large(const slip_plane *plane, int body, double *hourglass);
/* Its material, from which slip_mesh_matrices makes stiffness and mass. */
const struct slip_elastic *slip_plane_body_elastic(const slip_plane *plane, int body);
/* Stiffness and damping of its springs, over the components of its nodes; NULL where it has none. */
const slip_sparse *slip_plane_body_springs(const slip_plane *plane, int body);
const slip_sparse *slip_plane_body_dashpots(const slip_plane *plane, int body);
int slip_plane_body_first_node(const slip_plane *plane, int body); /* in the numbering of all bodies */

int slip_plane_node_count(const slip_plane *plane);        /* of all bodies */
int64_t slip_plane_unknown_count(const slip_plane *plane); /* free displacements: the size of K */

/* Lines for a person that say what a body and a surface consist of; they may be described before finishing.
 */
void slip_plane_describe_body(const slip_plane *plane, int body, slip_text *text);
void slip_plane_describe_surface(const slip_plane *plane, int surface, slip_text *text);

/* ---- Condensed. `parameters` are as many as slip_plane_create was given; derived ones are the caller's
 * task. `rate` is the derivative along `direction`, a change of the parameters; both may be NULL. */

typedef struct slip_plane_contact {
    int surface;       /* number of the surface it belongs to */
    int number;        /* along the surface, from 1: the k of joint[k] */
    char name[80];     /* "joint[k]" */
    int node;          /* in the numbering of all bodies; of the middle of a face one of its nodes */
    bool second;       /* of the second pass: the side of this node is the second one of the surface */
    double area;       /* that it stands for */
    double place[3];   /* undeformed */
    double normal[3];  /* n */
    double tangent[3]; /* t */
    double across[3];  /* in space the second direction */
    bool slides;       /* false: supports keep w_t at zero; no friction force, these rows of B are empty */
} slip_plane_contact;

int slip_plane_contact_count(const slip_plane *plane); /* m */
const slip_plane_contact *slip_plane_contacts(const slip_plane *plane);
int slip_plane_surface_count(const slip_plane *plane);
const char *slip_plane_surface_name(const slip_plane *plane, int surface);

/* C: of size dimension times m, symmetric. Where every point slides it is positive definite. */
const double *slip_plane_compliance(const slip_plane *plane);

/* w0 and its rate, a number for each row. Costs m (number of parameters) where all loads are linear in the
 * parameters, else a solve with K. Fails where a load is not finite. */
int slip_plane_free(slip_context *ctx, slip_plane *plane, const double *parameters, const double *direction,
                    double *w0, double *rate);
/* g_n and its rate, m numbers each. */
int slip_plane_gap(slip_context *ctx, slip_plane *plane, const double *parameters, const double *direction,
                   double *gap, double *rate);
/* The distance of the meshes at a contact point: its gap without what the expression adds. */
double slip_plane_distance(const slip_plane *plane, int contact);
/* mu and its rate for each of the m points; 0 without friction. Fails where it is negative or not finite. */
int slip_plane_friction(slip_context *ctx, slip_plane *plane, const double *parameters,
                        const double *direction, double *mu, double *rate);

/* ---- The whole field for given contact forces lambda (a number for each row; NULL is none). */

/* Displacements of all nodes, x and y (and z) in turn, those that are held included (zero). */
int slip_plane_displacements(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const double *lambda, double *u);
/* Strain energy u . K u / 2 of each body, without its springs. */
int slip_plane_energy(slip_context *ctx, const slip_plane *plane, const double *u, double *energy);
/* Stresses at the nodes, averaged over the elements around each: xx, yy, xy, zz in turn, in space xx, yy, zz,
 * xy, yz, zx; how many that are. */
int slip_plane_stress_count(const slip_plane *plane);
int slip_plane_stresses(slip_context *ctx, const slip_plane *plane, const double *u, double *stress);
/* Of the stresses of a node. */
double slip_plane_von_mises(const slip_plane *plane, const double *stress);
/* Forces of supports and springs on each body, x and y (and z) in turn: what balances loads and contacts. */
int slip_plane_reactions(slip_context *ctx, slip_plane *plane, const double *parameters, const double *lambda,
                         const double *u, double *reaction);

/* ---- For ParaView: one VTU file of all bodies with displacement, stresses, von Mises stress, body number,
 * and contact forces at the nodes. */
int slip_plane_write_vtu(slip_context *ctx, slip_plane *plane, const double *u, const double *lambda,
                         const char *path);

#endif
