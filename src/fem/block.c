#include "fem/block.h"

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

/* An edge: its nodes first + i step, and the faces of its elements. */
typedef struct edge {
    const char *name;
    int count; /* elements along it */
    int first_node, node_step;
    int first_element, element_step;
    int face;
} edge;

static int add_edge(slip_context *ctx, slip_mesh *mesh, const edge *e)
{
    int *items, status;
    SLIP_TRY(slip_mesh_add_set(ctx, mesh, e->name, SLIP_SET_FACES, e->count, &items));
    for (int i = 0; i < e->count; i++)
        items[i] = slip_cell_faces_max * (e->first_element + i * e->element_step) + e->face;
    SLIP_TRY(slip_mesh_add_set(ctx, mesh, e->name, SLIP_SET_NODES, e->count + 1, &items));
    for (int i = 0; i <= e->count; i++)
        items[i] = e->first_node + i * e->node_step;
done:
    return status;
}

static int add_edges(slip_context *ctx, slip_mesh *mesh, int columns, int rows)
{
    const int across = columns + 1;
    const edge edges[] = {{"left", rows, 0, across, 0, columns, 3},
                          {"right", rows, columns, across, columns - 1, columns, 1},
                          {"bottom", columns, 0, 1, 0, 1, 0},
                          {"top", columns, rows * across, 1, (rows - 1) * columns, 1, 2}};
    int status = SLIP_OK;
    for (int i = 0; i < 4 && status >= 0; i++)
        status = add_edge(ctx, mesh, &edges[i]);
    return status;
}

static int place_nodes(slip_mesh *mesh, int columns, int rows, slip_block_map map, void *user)
{
    double *point = mesh->points;
    int status = SLIP_OK;
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns && status >= 0; i++, point += 2)
            status = map(user, (double)i / columns, (double)j / rows, point);
    return status;
}

int slip_block_create(slip_context *ctx, int columns, int rows, slip_block_map map, void *user,
                      slip_mesh **result)
{
    const int across = columns + 1;
    slip_mesh *mesh = NULL;
    int *nodes, status;
    *result = NULL;
    if (columns < 1 || rows < 1 || (int64_t)columns * rows > slip_block_elements_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found a block of %d x %d elements, expected at least 1 x 1 and at most %d in all",
                         columns, rows, slip_block_elements_max);
    SLIP_TRY(slip_mesh_create(ctx, 2, across * (rows + 1), &mesh));
    SLIP_TRY(place_nodes(mesh, columns, rows, map, user));
    SLIP_TRY(slip_mesh_add_group(ctx, mesh, &slip_cell_quad4, columns * rows, &nodes));
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const int corner = j * across + i;
            *nodes++ = corner;
            *nodes++ = corner + 1;
            *nodes++ = corner + across + 1;
            *nodes++ = corner + across;
        }
    SLIP_TRY(add_edges(ctx, mesh, columns, rows));
    *result = mesh;
    mesh = NULL;
done:
    slip_mesh_destroy(mesh);
    return status;
}
