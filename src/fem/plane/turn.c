/* Rigid rotations of bodies: their products with contact rows, and the torque of loads.
 *
 * A body rotated by phi about an axis has the displacement phi d + u, d = axis x (place - centre), u the
 * elastic displacement in the rotating frame. The mesh is not rotated: for a body of revolution that is exact
 * (other material points take the place of the nodes); for other bodies phi has to be small. */
#include "fem/plane/types.h"

#include <math.h>
#include <string.h>

void slip_turn_move(const slip_turn *turn, int dimension, const double *place, double move[3])
{
    double arm[3] = {0, 0, 0};
    for (int k = 0; k < dimension; k++)
        arm[k] = place[k] - turn->centre[k];
    for (int k = 0; k < 3; k++)
        move[k] = turn->axis[(k + 1) % 3] * arm[(k + 2) % 3] - turn->axis[(k + 2) % 3] * arm[(k + 1) % 3];
}

/* Whether all nodes of a set are equally far from the axis: a circle, or a cylinder. */
static int is_round(slip_context *ctx, const slip_plane_body *body, const char *set, const slip_turn *turn,
                    bool *round)
{
    const slip_mesh *mesh = body->mesh;
    const int d = mesh->dimension;
    SLIP_FREED bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    double least = INFINITY, most = 0;
    SLIP_PASS(slip_allocated(ctx, taken));
    SLIP_PASS(slip_set_nodes(ctx, "turn", mesh, set, taken));
    for (int i = 0; i < mesh->node_count; i++) {
        double move[3];
        if (!taken[i])
            continue;
        slip_turn_move(turn, d, mesh->points + d * (int64_t)i, move);
        const double radius = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
        least = fmin(least, radius);
        most = fmax(most, radius);
    }
    *round = most - least <= 1e-6 * most;
    return SLIP_OK;
}

int slip_plane_row_turn(slip_context *ctx, const slip_plane *plane, int row, int body, const slip_turn *turn,
                        double *along)
{
    const int d = plane->dimension, m = plane->contact_count, c = row % m;
    const slip_plane_body *own = &plane->bodies[body];
    const slip_plane_surface *surface = &plane->surfaces[plane->contacts[c].surface];
    const slip_contact_row *from = &plane->rows[row / m][c];
    const int first = d * own->first_node, end = first + d * own->mesh->node_count;
    bool round = false;
    *along = 0;
    for (int i = 0; i < from->count; i++) {
        const int component = from->components[i];
        double move[3];
        if (component < first || component >= end)
            continue;
        slip_turn_move(turn, d, own->mesh->points + (component - first) / d * d, move);
        *along += from->values[i] * move[component % d];
    }
    if (*along == 0 || row >= m)
        return SLIP_OK;
    const char *const bodies[] = {surface->first_body, surface->line ? NULL : surface->second_body},
                      *const edges[] = {surface->first_edge, surface->second_edge};
    for (int side = 0; side < 2; side++)
        if (bodies[side] && strcmp(bodies[side], own->name) == 0)
            SLIP_PASS(is_round(ctx, own, edges[side], turn, &round));
    if (round)
        *along = 0;
    return SLIP_OK;
}

double slip_plane_load_torque(const slip_plane *plane, int body, const slip_turn *turn)
{
    const slip_plane_body *own = &plane->bodies[body];
    const int d = plane->dimension;
    double torque = 0;
    for (int i = 0; i < own->mesh->node_count; i++) {
        const double *force = plane->force + d * (int64_t)(own->first_node + i);
        double move[3];
        slip_turn_move(turn, d, own->mesh->points + d * (int64_t)i, move);
        for (int k = 0; k < d; k++)
            torque += force[k] * move[k];
    }
    return torque;
}
