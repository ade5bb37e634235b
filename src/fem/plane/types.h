/* The object behind slip_plane. A component is a displacement of a node: dimension times node + (0 for x, 1
 * for y, 2 for z), nodes in the numbering of all bodies; an unknown is a component that no support holds. */
#ifndef SLIP_FEM_PLANE_TYPES_H
#define SLIP_FEM_PLANE_TYPES_H

#include "fem/edge.h"
#include "fem/element.h"
#include "fem/plane/plane.h"
#include "math/factor.h"
#include "math/sparse.h"

enum { slip_plane_nodes_max = slip_cell_nodes_max, slip_plane_unknowns_max = slip_element_unknowns_max };

/* An integration point of a load: its position, and the share of the load at each of its nodes. */
typedef struct slip_load_sample {
    double place[3];
    int node_count;
    int nodes[slip_plane_nodes_max];
    double weights[slip_plane_nodes_max];
} slip_load_sample;

/* Expressions for x, y, z (NULL is zero), over samples first to first + count - 1. */
typedef struct slip_load {
    slip_expression *force[3];
    int64_t first, count;
} slip_load;

typedef struct slip_plane_body {
    const char *name;
    slip_mesh *mesh;
    slip_sparse *stiffness, *mass; /* in place of elements, or NULL */
    slip_elastic elastic;
    bool large;
    double hourglass;
    bool loose;
    slip_support *supports;
    int support_count;
    slip_spring *springs;
    int spring_count;
    slip_sparse *spring_stiffness, *spring_damping; /* over the components of its nodes, or NULL */
    slip_traction *tractions;
    int traction_count;
    slip_expression *body_force[3];
    bool *boundary; /* of faces */
    int first_node, first_element;
} slip_plane_body;

enum { slip_row_max = slip_plane_row_max }; /* entries of a contact row: a node against a segment or a face */

typedef struct slip_contact_row {
    int count;
    int components[slip_row_max];
    double values[slip_row_max];
} slip_contact_row;

struct slip_plane {
    slip_arena arena; /* names and small arrays */
    int dimension;    /* 0 without bodies */
    int parameter_count;
    double *parameter_values;
    slip_plane_body *bodies;
    int body_count;
    int64_t body_capacity;
    slip_plane_surface *surfaces;
    int surface_count;
    int64_t surface_capacity;
    struct slip_slide **slides; /* of surfaces that slide far (slide.h) */
    int slide_count;
    int64_t slide_capacity;
    bool finished;
    int failure; /* status of a failed slip_plane_finish, with its message: a second call repeats it */
    const char *message;

    int node_count, element_count;
    int64_t *unknown_of; /* of each component; -1 where it is held, 0 elsewhere until the plane is finished */
    int64_t component_capacity, unknown_count;
    int *component_of; /* of each unknown */
    slip_sparse *stiffness;
    slip_factor *factor;

    slip_load *loads;
    int64_t load_count, load_capacity;
    slip_load_sample *samples;
    int64_t sample_count, sample_capacity;

    slip_plane_contact *contacts;
    double *gaps; /* distance of the meshes, without the `gap` expressions */
    int contact_count;
    int64_t contact_capacity, gap_capacity, row_capacity[3];
    slip_contact_row *rows[3]; /* normal and tangential (in space two), contact_count each */
    double *compliance;

    /* w0 where every load is linear in the parameters: `base` at zero, and a slope for each parameter that
     * some load reads (else NULL). */
    bool linear;
    double *base, **slopes;

    bool *structural;                   /* of each parameter: some mesh or material depends on it */
    double *slots, *gradient, *scratch; /* for expressions */
    int64_t scratch_capacity;
    double *force, *solution; /* unknown_count each */
};

/* loads.c: the samples of the loads of a body; f(p) and its rate on all components. */
int slip_plane_prepare_loads(slip_context *ctx, slip_plane *plane, const slip_plane_body *body);
int slip_plane_load_vector(slip_context *ctx, slip_plane *plane, const double *parameters,
                           const double *direction, double *force, double *rate);
bool slip_plane_loads_linear(const slip_plane *plane);
bool slip_plane_load_reads(const slip_plane *plane, int parameter);
/* Reserves scratch memory for the evaluation of the expression, which may be NULL. */
bool slip_plane_reserve_scratch(slip_plane *plane, const slip_expression *expression);
/* Sets the slots of the parameters. */
void slip_plane_set_parameters(slip_plane *plane, const double *parameters);
/* Value of an expression at a place, and its rate along the direction (both may be NULL); NULL is 0. `what`
 * names it in messages. */
int slip_plane_evaluate(slip_context *ctx, slip_plane *plane, const slip_expression *expression,
                        const char *what, const double *place, const double *direction, double *value,
                        double *rate);

/* springs.c: makes the matrices of the springs of a body; marks the components that springs hold with -1. */
int slip_plane_prepare_springs(slip_context *ctx, slip_plane_body *body);
void slip_plane_hold_springs(const slip_plane_body *body, int64_t *held);

/* contact.c: contact points of a surface and their rows. */
int slip_plane_find_contacts(slip_context *ctx, slip_plane *plane, int surface);

/* assemble.c: marks held components of a body; numbers unknowns, assembles and factorises the stiffness. */
int slip_plane_hold(slip_context *ctx, slip_plane *plane, const slip_plane_body *body);
int slip_plane_assemble(slip_context *ctx, slip_plane *plane);
/* Type and points of an element of a body, and the components of its unknowns. */
const slip_element_type *slip_plane_body_element(const slip_plane_body *body, int element, double *points,
                                                 int *components);
/* The same for an element numbered over all bodies. */
const slip_element_type *slip_plane_element(const slip_plane *plane, int element,
                                            const slip_plane_body **body, double *points, int *components);

/* condense.c */
int slip_plane_condense(slip_context *ctx, slip_plane *plane);

#endif
