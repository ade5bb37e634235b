#include "fem/block.h"

#include <string.h>

int slip_block_rectangle(void *user, double r, double s, double point[2])
{
    const double *range = user;
    point[0] = range[0] + (range[1] - range[0]) * r;
    point[1] = range[2] + (range[3] - range[2]) * s;
    return SLIP_OK;
}

int slip_block_corners(void *user, double r, double s, double point[2])
{
    const double *c = user;
    for (int k = 0; k < 2; k++)
        point[k] =
            (1 - r) * (1 - s) * c[k] + r * (1 - s) * c[2 + k] + r * s * c[4 + k] + (1 - r) * s * c[6 + k];
    return SLIP_OK;
}

const slip_cell *slip_block_cell(int dimension, const char *name, const char *const **names)
{
    static const slip_cell *const cells[2][4] = {
        {&slip_cell_quad4, &slip_cell_quad8, &slip_cell_tri3, &slip_cell_tri6},
        {&slip_cell_hex8, &slip_cell_hex20, &slip_cell_tet4, &slip_cell_tet10}};
    static const char *const all[2][5] = {{"quad4", "quad8", "tri3", "tri6", NULL},
                                          {"hex8", "hex20", "tet4", "tet10", NULL}};
    const int row = dimension == 3;
    for (int i = 0; all[row][i] && name; i++)
        if (strcmp(all[row][i], name) == 0)
            return cells[row][i];
    if (names)
        *names = all[row];
    return name ? NULL : cells[row][0];
}

/* Points of the lattice of nodes: `order` steps for each element, those in the middle of a quad8 left out. */
typedef struct lattice {
    const slip_cell *cell;
    int order, steps[2]; /* along r and s */
    int *faces[4];       /* of the edges left, right, bottom, top */
    int face_count[4];
} lattice;

static bool has_node(const lattice *l, int i, int j)
{
    return l->cell != &slip_cell_quad8 || i % 2 == 0 || j % 2 == 0;
}

/* Row after row. */
static int node_at(const lattice *l, int i, int j)
{
    const int across = l->steps[0] + 1, between = l->steps[0] / 2 + 1;
    if (l->cell != &slip_cell_quad8)
        return j * across + i;
    return j / 2 * (across + between) + (j % 2 ? across + i / 2 : i);
}

static int place_nodes(slip_mesh *mesh, const lattice *l, slip_block_map map, void *user)
{
    double *point = mesh->points;
    int status = SLIP_OK;
    for (int j = 0; j <= l->steps[1]; j++)
        for (int i = 0; i <= l->steps[0] && status >= 0; i++)
            if (has_node(l, i, j)) {
                status = map(user, (double)i / l->steps[0], (double)j / l->steps[1], point);
                point += 2;
            }
    return status;
}

static bool is_on(const lattice *l, int edge, const int place[2])
{
    return place[edge / 2] == (edge % 2 ? l->steps[edge / 2] : 0);
}

/* An element by the places of its corners; middles are half way along its faces. */
static void add_element(lattice *l, int element, int places[slip_cell_nodes_max][2], int *nodes)
{
    const slip_cell *cell = l->cell;
    for (int f = 0; f < cell->face_count; f++) {
        const int *face = cell->faces[f];
        for (int k = 0; k < 2 && l->order == 2; k++)
            places[face[2]][k] = (places[face[0]][k] + places[face[1]][k]) / 2;
        for (int edge = 0; edge < 4; edge++)
            if (is_on(l, edge, places[face[0]]) && is_on(l, edge, places[face[1]]))
                l->faces[edge][l->face_count[edge]++] = slip_cell_faces_max * element + f;
    }
    for (int a = 0; a < cell->node_count; a++)
        nodes[a] = node_at(l, places[a][0], places[a][1]);
}

/* The elements of a box: a quadrilateral, or two triangles of its corners. */
static void add_box(lattice *l, int column, int row, int *element, int **nodes)
{
    static const int split[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
    static const int square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const bool whole = l->cell->corner_count == 4;
    for (int part = 0; part < (whole ? 1 : 2); part++) {
        int places[slip_cell_nodes_max][2];
        for (int a = 0; a < l->cell->corner_count; a++) {
            const int *corner = square[whole ? a : split[(column + row) % 2][part][a]];
            places[a][0] = l->order * (column + corner[0]);
            places[a][1] = l->order * (row + corner[1]);
        }
        add_element(l, (*element)++, places, *nodes);
        *nodes += l->cell->node_count;
    }
}

/* Sets of faces, which are filled while elements are made, and of nodes. */
static int add_edges(slip_context *ctx, slip_mesh *mesh, lattice *l)
{
    static const char *const names[] = {"left", "right", "bottom", "top"};
    int *items;
    for (int edge = 0; edge < 4; edge++) {
        const int along = 1 - edge / 2, count = l->steps[along];
        SLIP_PASS(
            slip_mesh_add_set(ctx, mesh, names[edge], SLIP_SET_FACES, count / l->order, &l->faces[edge]));
        SLIP_PASS(slip_mesh_add_set(ctx, mesh, names[edge], SLIP_SET_NODES, count + 1, &items));
        for (int i = 0; i <= count; i++) {
            const int across = edge % 2 ? l->steps[1 - along] : 0;
            items[i] = along == 0 ? node_at(l, i, across) : node_at(l, across, i);
        }
    }
    return SLIP_OK;
}

int slip_block_create(slip_context *ctx, const slip_cell *cell, int columns, int rows, slip_block_map map,
                      void *user, slip_mesh **result)
{
    const int order = cell->node_count > cell->corner_count ? 2 : 1;
    lattice l = {.cell = cell, .order = order, .steps = {order * columns, order * rows}};
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *mesh = NULL;
    int *nodes, element = 0;
    *result = NULL;
    if (columns < 1 || rows < 1 || (int64_t)columns * rows > slip_block_elements_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found a block of %d x %d elements, expected at least 1 x 1 and at most %d in all",
                         columns, rows, slip_block_elements_max);
    SLIP_PASS(slip_mesh_create(ctx, 2, node_at(&l, l.steps[0], l.steps[1]) + 1, &mesh));
    SLIP_PASS(place_nodes(mesh, &l, map, user));
    SLIP_PASS(
        slip_mesh_add_group(ctx, mesh, cell, columns * rows * (cell->corner_count == 4 ? 1 : 2), &nodes));
    SLIP_PASS(add_edges(ctx, mesh, &l));
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            add_box(&l, i, j, &element, &nodes);
    SLIP_HAND(result, mesh);
    return SLIP_OK;
}
