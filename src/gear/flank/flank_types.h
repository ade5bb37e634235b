/* The contact object of flanks and helpers, shared by flank_*.c only. */
#ifndef SLIP_GEAR_FLANK_FLANK_TYPES_H
#define SLIP_GEAR_FLANK_FLANK_TYPES_H

#include "base/memory.h"
#include "gear/flank/facet.h"
#include "gear/flank/flank_contact.h"

/* A slave node and the corners of its facet, with the inverse mass of their relative motion. */
typedef struct slip_flank_grip {
    int body, index; /* the node: of which body, and where on its flank */
    int slave, nodes[4];
    double shape[4];
    double soft; /* that inverse mass, 1/kg */
    double left; /* factor of the spring at the rim of a flank (slip_flank_rim), else 1 */
} slip_flank_grip;

struct slip_flank_contact {
    slip_arena arena;
    slip_flank_options options;
    slip_law_kernel law;
    bool friction;
    int surface_count[2];
    slip_flank_surface *surfaces[2];
    slip_flank_touch **touches[2]; /* of each surface */
    double **last[2];              /* of each surface: positions at the last call */
    double *travel[2];             /* of each surface: sum of the largest motions from call to call */
    bool *paired[2];
    bool stiff;      /* friction is linear with the slope `steepest` */
    double steepest; /* slope of the law: N s/m of each N of normal force */
    double *sums[2]; /* scratch of the bounds of stiffness and damping, for each node of a body */
    /* Of slip_flank_contact_resolve, 3 for each node: */
    double *predicted[2], *shift[2], *depths[2], *rubbing[2];
    int node_count[2];      /* one more than the highest number */
    slip_flank_grip *grips; /* of the nodes of two flanks that may take a force */
};

/* A node and the facet that it is behind. */
typedef struct slip_flank_event {
    int slave, nodes[4];
    double value[4], slope[2][4]; /* of the shape functions */
    double arm;                   /* how far the node is behind the facet when the force acts */
    const double *friction;       /* on the slave; NULL: by the velocities of the state */
    slip_facet facet;
    const slip_flank_state *slave_state, *master_state;
} slip_flank_event;

/* Corners of a facet in the order of slip_facet. */
void slip_flank_corners(const slip_flank_surface *surface, int row, int column, int nodes[4]);
slip_facet slip_flank_facet(const slip_flank_surface *surface, int row, int column, const double *position);

/* Adds the largest motion of a surface's nodes since the last call to its travel. */
void slip_flank_watch(slip_flank_contact *contact, int body, int surface, const double *position);

/* The travel that counts for a node: that of both surfaces. */
double slip_flank_travel(const slip_flank_contact *contact, int body, int surface, int master);

/* Searches for each node of `body` the nearest point of the other's surface. position: of both bodies. */
void slip_flank_find(slip_flank_contact *contact, int body, const slip_flank_pair *pair,
                     const double *const position[2]);

/* The contact of node i with its facet, at these positions of the other body. */
slip_flank_event slip_flank_event_of(const slip_flank_contact *contact, int body, const slip_flank_pair *pair,
                                     const slip_flank_state state[2], const double *position, int i);

/* Applies the normal force and its friction to the node and the facet: adds them to the forces of the state,
 * to the touch and to the totals. */
void slip_flank_press(const slip_flank_contact *contact, const slip_flank_event *event, double normal_force,
                      slip_flank_touch *touch, slip_flank_totals *totals);

/* Adds the force that pushes a node off the flank at its rim. energy: of its spring without the factor w. */
void slip_flank_push_out(const slip_flank_event *event, double energy, const slip_flank_rim *rim,
                         slip_flank_touch *touch);

/* Nodes of surfaces in no pair forget what they followed. */
void slip_flank_forget(slip_flank_contact *contact, int pair_count, const slip_flank_pair *pairs);

#endif
