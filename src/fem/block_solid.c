/* Blocks in space: bricks, or six tetrahedra in each (Kuhn's, which follow the edges of the brick from one
 * corner to the opposite one and match those of the neighbours). */
#include "fem/block.h"
#include "fem/element.h"

#include <stdlib.h>

/* Nodes are points of a lattice with `order` steps for each element. */
typedef struct lattice {
    const slip_cell *cell;
    int order, steps[3];
    int *number; /* of each point; -1: no node */
    int *faces[6], face_count[6];
} lattice;

static int64_t point_at(const lattice *l, const int place[3])
{
    return ((int64_t)place[2] * (l->steps[1] + 1) + place[1]) * (l->steps[0] + 1) + place[0];
}

/* The places of the nodes of part `part` of a box. */
static void find_places(const lattice *l, const int box[3], int part, int places[slip_cell_nodes_max][3])
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const double(*nodes)[3] = slip_element_find(l->cell)->nodes;
    for (int a = 0; a < l->cell->node_count; a++)
        for (int k = 0; k < 3; k++) {
            double at = (nodes[a][k] + 1) / 2; /* of a brick: from -1 to 1 */
            if (l->cell->corner_count == 4) {
                /* corners 0, 0 + e_i, 0 + e_i + e_j, (1, 1, 1); of the last three orders, which are odd, two
                 * of them change places */
                const bool odd = part > 2;
                const int *order = orders[part];
                const double second = odd ? nodes[a][1] : nodes[a][0],
                             third = odd ? nodes[a][0] : nodes[a][1];
                at = nodes[a][2] + (k == order[0] ? second + third : k == order[1] ? third : 0);
            }
            places[a][k] = l->order * box[k] + (int)(l->order * at + 0.5);
        }
}

static int part_count(const lattice *l)
{
    return l->cell->corner_count == 4 ? 6 : 1;
}

/* Calls for every element in turn. */
typedef void (*visitor)(void *user, lattice *l, int element, int places[slip_cell_nodes_max][3]);
static void visit(lattice *l, visitor function, void *user)
{
    int places[slip_cell_nodes_max][3], element = 0;
    for (int k = 0; k < l->steps[2] / l->order; k++)
        for (int j = 0; j < l->steps[1] / l->order; j++)
            for (int i = 0; i < l->steps[0] / l->order; i++)
                for (int part = 0; part < part_count(l); part++) {
                    find_places(l, (const int[]){i, j, k}, part, places);
                    function(user, l, element++, places);
                }
}

static void mark(void *user, lattice *l, int element, int places[slip_cell_nodes_max][3])
{
    (void)user;
    (void)element;
    for (int a = 0; a < l->cell->node_count; a++)
        l->number[point_at(l, places[a])] = 1;
}

static bool is_on(const lattice *l, int side, const int place[3])
{
    return place[side / 2] == (side % 2 ? l->steps[side / 2] : 0);
}

static void add_element(void *user, lattice *l, int element, int places[slip_cell_nodes_max][3])
{
    int *nodes = (int *)user + (int64_t)element * l->cell->node_count;
    for (int a = 0; a < l->cell->node_count; a++)
        nodes[a] = l->number[point_at(l, places[a])];
    for (int f = 0; f < l->cell->face_count; f++)
        for (int side = 0; side < 6; side++) {
            bool on = true;
            for (int a = 0; a < l->cell->face->corner_count; a++)
                on = on && is_on(l, side, places[l->cell->faces[f][a]]);
            if (on)
                l->faces[side][l->face_count[side]++] = slip_cell_faces_max * element + f;
        }
}

/* Numbers the nodes and puts them where they are. */
static int place_nodes(slip_mesh *mesh, const lattice *l, const double range[6])
{
    int place[3], count = 0;
    for (place[2] = 0; place[2] <= l->steps[2]; place[2]++)
        for (place[1] = 0; place[1] <= l->steps[1]; place[1]++)
            for (place[0] = 0; place[0] <= l->steps[0]; place[0]++) {
                if (l->number[point_at(l, place)] < 0)
                    continue;
                for (int k = 0; k < 3 && mesh; k++)
                    mesh->points[3 * (int64_t)count + k] =
                        range[2 * k] + (range[2 * k + 1] - range[2 * k]) * place[k] / l->steps[k];
                l->number[point_at(l, place)] = count++;
            }
    return count;
}

static int add_sets(slip_context *ctx, slip_mesh *mesh, lattice *l)
{
    static const char *const names[] = {"left", "right", "front", "back", "bottom", "top"};
    int *items, place[3];
    for (int side = 0; side < 6; side++) {
        const int k = side / 2, i = (k + 1) % 3, j = (k + 2) % 3;
        const int boxes = l->steps[i] / l->order * (l->steps[j] / l->order);
        int count = 0;
        SLIP_PASS(slip_mesh_add_set(ctx, mesh, names[side], SLIP_SET_FACES,
                                    boxes * (l->cell->corner_count == 4 ? 2 : 1), &l->faces[side]));
        for (int round = 0; round < 2; round++) {
            if (round == 1)
                SLIP_PASS(slip_mesh_add_set(ctx, mesh, names[side], SLIP_SET_NODES, count, &items));
            count = 0;
            place[k] = side % 2 ? l->steps[k] : 0;
            for (place[j] = 0; place[j] <= l->steps[j]; place[j]++)
                for (place[i] = 0; place[i] <= l->steps[i]; place[i]++) {
                    const int node = l->number[point_at(l, place)];
                    if (node >= 0 && round == 1)
                        items[count] = node;
                    count += node >= 0;
                }
        }
    }
    return SLIP_OK;
}

int slip_block_create_solid(slip_context *ctx, const slip_cell *cell, const int elements[3],
                            const double range[6], slip_mesh **result)
{
    const int order = cell->node_count > cell->corner_count ? 2 : 1;
    lattice l = {.cell = cell, .order = order};
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *mesh = NULL;
    int64_t points = 1, boxes = 1;
    int *nodes;
    *result = NULL;
    for (int k = 0; k < 3; k++) {
        boxes = elements[k] < 1 || boxes > slip_block_elements_max ? 0 : boxes * elements[k];
        l.steps[k] = order * elements[k];
        points *= l.steps[k] + 1;
    }
    if (boxes < 1 || boxes > slip_block_elements_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found a block of %d x %d x %d elements, expected at least 1 x 1 x 1 and at most %d "
                         "in all",
                         elements[0], elements[1], elements[2], slip_block_elements_max);
    SLIP_FREED int *number = l.number = slip_alloc(points, sizeof *number);
    SLIP_PASS(slip_allocated(ctx, number));
    for (int64_t i = 0; i < points; i++)
        number[i] = -1;
    visit(&l, mark, NULL);
    SLIP_PASS(slip_mesh_create(ctx, 3, place_nodes(NULL, &l, range), &mesh));
    place_nodes(mesh, &l, range);
    SLIP_PASS(slip_mesh_add_group(ctx, mesh, cell, (int)boxes * part_count(&l), &nodes));
    SLIP_PASS(add_sets(ctx, mesh, &l));
    visit(&l, add_element, nodes);
    SLIP_HAND(result, mesh);
    return SLIP_OK;
}
