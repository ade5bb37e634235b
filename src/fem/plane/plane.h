/* Elastic bodies in contact, all in the plane or all in space: description, assembly, factorisation and
 * condensation to the contact points.
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
 * lambda_t t, that on the second its opposite: compression is lambda_n < 0. All are nodal forces, not
 * tractions. In the plane t points along +x (on a vertical edge: +y), and the points are in this order along
 * the edge. In space t is +x along the surface (+y where the normal is within 25 degrees of x), the second
 * direction is that of -n x t, and the points are in the order of the nodes.
 *
 * Use: create, add bodies, add surfaces, finish; then everything below "Condensed". A finished plane does not
 * change. Calls that evaluate or solve share scratch memory, so only one thread may use a plane at a time. */
#ifndef SLIP_FEM_PLANE_H
#define SLIP_FEM_PLANE_H

#include "base/context.h"
#include "base/text.h"
#include "io/mesh/mesh.h"
#include "math/expression/expression.h"
#include "math/sparse.h"

#include <stdbool.h>
#include <stdint.h>

/* Variables of the expressions of loads, gaps and friction: slot 0 is time (only for loads on moving bodies),
 * then the coordinates of the point, then the parameters. */
enum { slip_plane_slot_x = 1, slip_plane_slot_y = 2, slip_plane_slot_z = 3, slip_plane_slot_parameter = 4 };

typedef struct slip_plane slip_plane;

/* ---- Building. The plane becomes the owner of meshes, matrices and expressions, also when a call fails.
 * Names are copied.
 */

/* `values` are the parameters as the model has them; may be NULL where there are none. */
int slip_plane_create(slip_context *ctx, int parameter_count, const double *values, slip_plane **plane);
void slip_plane_destroy(slip_plane *plane);
SLIP_OWNED(slip_plane, slip_plane_destroy)

typedef struct slip_support {
    const char *set; /* an edge or a set of nodes */
    bool held[3];    /* x, y, z */
} slip_support;

/* Springs and dashpots between a set and the ground, along x, y and z. stiffness (N/m) and damping (N s/m)
 * are those of the whole set, distributed evenly over its edge (in space: its surface), or over its nodes
 * where these form none. */
typedef struct slip_spring {
    const char *set;
    double stiffness[3], damping[3];
} slip_spring;

typedef struct slip_traction {
    const char *set;
    slip_expression *force[3]; /* force per area along x, y and z; NULL is zero */
    bool nodal;                /* `force` is a force on each node of the set, not per area */
} slip_traction;

typedef struct slip_body {
    const char *name;
    slip_mesh *mesh;
    /* For a moving body given by matrices: stiffness and mass over the components of its nodes (components
     * beyond their size do not exist); else NULL. The mesh then has no elements, and nodes outside all sets
     * have no position. */
    slip_sparse *stiffness, *mass;
    double young, poisson, thickness; /* in space a thickness of 1 */
    double density;                   /* mass per volume; 0: not given, statics only */
    bool loose;        /* rigid motions are allowed: supports need not hold it. Only in dynamics */
    bool plane_stress; /* else plane strain */
    bool large;        /* large strains: bricks of eight nodes, only in dynamics */
    double hourglass;  /* for large strains, as in slip_explicit_body */
    const slip_support *supports;
    int support_count;
    const slip_spring *springs;
    int spring_count;
    const slip_traction *tractions;
    int traction_count;
    slip_expression *body_force[3]; /* force per volume; NULL is zero */
} slip_body;
/* Adds a body. Checks its mesh, that the named sets exist, and that supports and springs hold it. The first
 * body decides whether all are in the plane or in space. */
int slip_plane_add_body(slip_context *ctx, slip_plane *plane, const slip_body *body);

/* Contact between an edge (in space: a surface) of one body and one of another body or a rigid plane. Its
 * bodies must have been added before. */
typedef struct slip_plane_surface {
    const char *name;
    const char *first_body, *first_edge;   /* carries the contact points */
    const char *second_body, *second_edge; /* NULL: the rigid plane below */
    /* Only for bodies in the plane: a rigid polygonal line in place of the second body, whose names are then
     * those of the line. x and y of its points in turn; the first body is on the left of the line. NULL:
     * none. */
    const double *line;
    int line_count;
    slip_expression *point[3]; /* of the rigid plane: a point, in the parameters */
    double normal[3];          /* of the rigid plane: points to the body; any length */
    slip_expression *gap; /* added to the distance of the meshes; of position and parameters; NULL is 0 */
    slip_expression *friction; /* coefficient, in the parameters; NULL: no friction */
    bool both; /* two passes: the points of the second side against the first one too; not of a rigid plane */
    bool far;  /* large sliding in dynamics: pairs are found anew at every position (slide.h) */
} slip_plane_surface;
/* Adds a contact and finds its contact points. Fails where the two sides do not face each other. */
int slip_plane_add_surface(slip_context *ctx, slip_plane *plane, const slip_plane_surface *surface);

/* Recomputes the contact rows of surfaces with large sliding for the displacements u of all nodes. */
int slip_plane_pair_again(slip_context *ctx, slip_plane *plane, const double *u);

/* Marks a parameter as structural: a mesh or a material was made with its present value, so the plane does
 * not follow a change of it. */
void slip_plane_set_structural(slip_plane *plane, int parameter);
bool slip_plane_is_structural(const slip_plane *plane, int parameter);

/* Assembles, factorises and condenses, which is the expensive part. A second call does nothing. */
int slip_plane_finish(slip_context *ctx, slip_plane *plane);

/* ---- For dynamics, in place of slip_plane_finish, without factorisation and condensation. Unknowns are
 * numbered body by body.
 */

/* Numbers the unknowns; to be called before the functions below. */
int slip_plane_number(slip_context *ctx, slip_plane *plane);
/* The first unknown of a body; for body = slip_plane_body_count the number of all unknowns. */
int64_t slip_plane_first_unknown(const slip_plane *plane, int body);
/* The unknown of a component (dimension times node, + direction); -1 where a support holds it. */
int64_t slip_plane_unknown(const slip_plane *plane, int64_t component);
/* Load k as a product F s(t). force: F on the unknowns; *history: the expression of s, evaluated at `place`;
 * NULL: s = 1. All constant loads are together in k = 0. Fails where a load is not such a product. */
int slip_plane_load_count(const slip_plane *plane);
int slip_plane_load(slip_context *ctx, slip_plane *plane, const double *parameters, int k, double *force,
                    double place[3], const slip_expression **history);
/* Row `row` of B over the unknowns; returns the number of its entries. There are `dimension` times m rows. */
enum { slip_plane_row_max = 6 * slip_face_nodes_max };
int slip_plane_row(const slip_plane *plane, int row, int64_t unknowns[slip_plane_row_max],
                   double values[slip_plane_row_max]);

/* A rigid rotation of a body about an axis through a centre, described by a separate coordinate (turn.c). */
typedef struct slip_turn {
    bool turns;
    double centre[3], axis[3]; /* the axis has unit length: in the plane that of z */
} slip_turn;
/* The displacement of a point by this rotation, per radian. */
void slip_turn_move(const slip_turn *turn, int dimension, const double *place, double move[3]);
/* *along: the product of row `row` of B and the rotation field of a body, including components that supports
 * hold. It is zero for the gap of an edge that is circular about the axis. */
int slip_plane_row_turn(slip_context *ctx, const slip_plane *plane, int row, int body, const slip_turn *turn,
                        double *along);
/* The torque about the axis of the load of the last slip_plane_load call on a body. */
double slip_plane_load_torque(const slip_plane *plane, int body, const slip_turn *turn);

/* ---- Queries. */

const double *slip_plane_parameter_values(const slip_plane *plane); /* those of the model */

/* 2 or 3, also the number of rows of a contact point; 2 while there is no body. */
int slip_plane_dimension(const slip_plane *plane);

int slip_plane_body_count(const slip_plane *plane);
const char *slip_plane_body_name(const slip_plane *plane, int body);
const slip_mesh *slip_plane_body_mesh(const slip_plane *plane, int body);
/* The matrices by which a body was given; NULL where it has elements. */
const slip_sparse *slip_plane_body_stiffness(const slip_plane *plane, int body);
const slip_sparse *slip_plane_body_mass(const slip_plane *plane, int body);
/* Whether a body has large strains; *hourglass: then as in slip_explicit_body. */
bool slip_plane_body_large(const slip_plane *plane, int body, double *hourglass);
/* The material of a body, for slip_mesh_matrices. */
const struct slip_elastic *slip_plane_body_elastic(const slip_plane *plane, int body);
/* Stiffness and damping matrices of a body's springs, over the components of its nodes, or NULL. */
const slip_sparse *slip_plane_body_springs(const slip_plane *plane, int body);
const slip_sparse *slip_plane_body_dashpots(const slip_plane *plane, int body);
int slip_plane_body_first_node(const slip_plane *plane, int body); /* in the numbering of all bodies */

int slip_plane_node_count(const slip_plane *plane);        /* of all bodies */
int64_t slip_plane_unknown_count(const slip_plane *plane); /* free displacements: the size of K */

/* Appends a description of a body or a surface for the user. Works before slip_plane_finish too. */
void slip_plane_describe_body(const slip_plane *plane, int body, slip_text *text);
void slip_plane_describe_surface(const slip_plane *plane, int surface, slip_text *text);

/* ---- The condensed problem. parameters: as many as given to slip_plane_create; the caller computes derived
 * ones. rate: the derivative along `direction`, a change of the parameters; both may be NULL.
 */

typedef struct slip_plane_contact {
    int surface;       /* number of the surface it belongs to */
    int number;        /* along the surface, from 1: the k of joint[k] */
    char name[80];     /* "joint[k]" */
    int node;          /* in the numbering of all bodies; for the middle of a face one of its nodes */
    bool second;       /* it belongs to the second pass: its node is on the second side */
    double area;       /* tributary area, m^2 */
    double place[3];   /* undeformed */
    double normal[3];  /* n */
    double tangent[3]; /* t */
    double across[3];  /* in space the second direction */
    bool slides;       /* false: supports keep w_t at zero; its tangential rows of B are empty, and it has no
                          friction */
} slip_plane_contact;

int slip_plane_contact_count(const slip_plane *plane); /* m */
const slip_plane_contact *slip_plane_contacts(const slip_plane *plane);
int slip_plane_surface_count(const slip_plane *plane);
const char *slip_plane_surface_name(const slip_plane *plane, int surface);

/* C: of size dimension times m, symmetric. Where every point slides it is positive definite. */
const double *slip_plane_compliance(const slip_plane *plane);

/* w0, the contact displacements without contact forces, and its rate, one number a row. Cheap where all loads
 * are linear in the parameters, else a solve with K. Fails where a load is not finite. */
int slip_plane_free_displacement(slip_context *ctx, slip_plane *plane, const double *parameters,
                                 const double *direction, double *w0, double *rate);
/* g_n and its rate, m numbers each. */
int slip_plane_gap(slip_context *ctx, slip_plane *plane, const double *parameters, const double *direction,
                   double *gap, double *rate);
/* The distance of the meshes at a contact point: its gap without the expression `gap`. */
double slip_plane_distance(const slip_plane *plane, int contact);
/* mu and its rate for each of the m points; 0 without friction. Fails where it is negative or not finite. */
int slip_plane_friction(slip_context *ctx, slip_plane *plane, const double *parameters,
                        const double *direction, double *mu, double *rate);

/* ---- The whole field for given contact forces lambda (a number for each row; NULL is none). */

/* Displacements of all nodes, x and y (and z) in turn, with zeros for held ones. */
int slip_plane_displacements(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const double *lambda, double *u);
/* Strain energy u . K u / 2 of each body, without its springs. */
int slip_plane_energy(slip_context *ctx, const slip_plane *plane, const double *u, double *energy);
/* Stresses at the nodes, averaged over the elements around each: xx, yy, xy, zz, in space xx, yy, zz, xy, yz,
 * zx; and the number of these components. */
int slip_plane_stress_count(const slip_plane *plane);
int slip_plane_stresses(slip_context *ctx, const slip_plane *plane, const double *u, double *stress);
/* The von Mises stress of the stress components of a node. */
double slip_plane_von_mises(const slip_plane *plane, const double *stress);
/* The resultant force of supports and springs on each body, x and y (and z) in turn, which balances all
 * others. */
int slip_plane_reactions(slip_context *ctx, slip_plane *plane, const double *parameters, const double *lambda,
                         const double *u, double *reaction);

/* ---- For ParaView: one VTU file of all bodies with displacement, stresses, von Mises stress, body number,
 * and contact forces at the nodes. */
int slip_plane_write_vtu(slip_context *ctx, slip_plane *plane, const double *u, const double *lambda,
                         const char *path);

#endif
