/* Meshes of bodies: generated blocks, files. */
#include "fem/block.h"
#include "io/file.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const slip_range any = {-INFINITY, INFINITY, false};

/* ---- generated meshes ---- */

static bool read_numbers(slip_reader *r, const slip_tree *node, const char *what, const char *example,
                         double pair[2])
{
    return slip_read_list(r, node, what, 2, example) &&
           slip_read_structural(r, node->item[0], what, any, &pair[0]) &&
           slip_read_structural(r, node->item[1], what, any, &pair[1]);
}

/* x and y of a place as expressions in r and s. */
typedef struct mapped {
    slip_context *ctx;
    slip_expression *place[2];
    double *slots, *scratch;
} mapped;

static int map_place(void *user, double first, double second, double point[2])
{
    mapped *m = user;
    m->slots[slip_plane_slot_x] = first;
    m->slots[slip_plane_slot_y] = second;
    for (int k = 0; k < 2; k++) {
        point[k] = slip_expression_value(m->place[k], m->slots, m->scratch);
        if (!isfinite(point[k]))
            return slip_fail(m->ctx, SLIP_ERROR_MODEL, "block: `%s` is %g at r = %g, s = %g",
                             slip_expression_text(m->place[k]), point[k], first, second);
    }
    return SLIP_OK;
}

static void note_parameters(slip_reader *r, const slip_expression *expression)
{
    for (int i = 0; i < (int)r->model->parameter_count; i++)
        if (slip_expression_reads(expression, slip_plane_slot_parameter + i))
            slip_plane_set_structural(r->model->plane, i);
}

static bool read_map(slip_reader *r, const slip_tree *x, const slip_tree *y, mapped *m)
{
    const int count = (int)r->model->parameter_count;
    int scratch = 1;
    m->ctx = r->ctx;
    if (!slip_read_plane_expression(r, x, "block: x", "rs", &m->place[0]) ||
        !slip_read_plane_expression(r, y, "block: y", "rs", &m->place[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        scratch = slip_expression_most_scratch(scratch, m->place[k]);
        note_parameters(r, m->place[k]);
    }
    m->slots = slip_alloc(slip_plane_slot_parameter + count, sizeof *m->slots);
    m->scratch = slip_alloc(scratch, sizeof *m->scratch);
    if (!slip_reader_room(r, m->slots && m->scratch))
        return false;
    for (int i = 0; i < count; i++)
        m->slots[slip_plane_slot_parameter + i] = r->model->parameters[i].value;
    return true;
}

static void free_map(mapped *m)
{
    slip_expression_destroy(m->place[0]);
    slip_expression_destroy(m->place[1]);
    free(m->slots);
    free(m->scratch);
}

/* `element: quad8`, or the default. NULL where it is another word, which is a problem. */
static const slip_cell *read_element(slip_reader *r, const slip_tree *block, int dimension)
{
    const slip_tree *node = slip_read_child(block, "element");
    const char *word = NULL, *const * names;
    if (node && !slip_read_word(r, node, "block: element", &word))
        return NULL;
    const slip_cell *cell = slip_block_cell(dimension, word, &names);
    if (!cell)
        slip_problem_unknown(r->problems, node, "block: unknown element", word, names);
    return cell;
}

static slip_mesh *make_block(slip_reader *r, const slip_tree *node, const int64_t elements[2],
                             slip_block_map map, void *user)
{
    slip_mesh *mesh = NULL;
    const slip_cell *cell = read_element(r, node, 2);
    if (!cell)
        return NULL;
    if (elements[0] * elements[1] > slip_block_elements_max)
        slip_problem(r->problems, node, "block: found %lld x %lld elements, expected at most %d in all",
                     (long long)elements[0], (long long)elements[1], slip_block_elements_max);
    else if (slip_block_create(r->ctx, cell, (int)elements[0], (int)elements[1], map, user, &mesh) < 0)
        slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
    return mesh;
}

static slip_mesh *read_corners(slip_reader *r, const slip_tree *node, const int64_t elements[2])
{
    const slip_tree *list = slip_read_child(node, "corners");
    static const char example[] = "[[0, 0], [1, 0], [1, 1], [0, 1]]";
    double corners[8];
    if (slip_read_child(node, "x") || slip_read_child(node, "y")) {
        slip_problem(r->problems, list, "block: found corners beside x and y, expected one or the other");
        return NULL;
    }
    if (!slip_read_list(r, list, "block: corners", 4, example))
        return NULL;
    for (int i = 0; i < 4; i++)
        if (!read_numbers(r, list->item[i], "block: corner", "[0, 1]", corners + 2 * i))
            return NULL;
    return make_block(r, node, elements, slip_block_corners, corners);
}

static slip_mesh *read_mapped(slip_reader *r, const slip_tree *node, const slip_tree *x, const slip_tree *y,
                              const int64_t elements[2])
{
    slip_mesh *mesh = NULL;
    SLIP_FREED_BY(free_map) mapped m = {0};
    if (read_map(r, x, y, &m))
        mesh = make_block(r, node, elements, map_place, &m);
    return mesh;
}

static bool read_range(slip_reader *r, const slip_tree *node, const char *what, double range[2])
{
    if (!read_numbers(r, node, what, "[0, 1]", range))
        return false;
    if (range[0] < range[1])
        return true;
    return slip_problem(r->problems, node, "%s runs from %.9g to %.9g, expected upwards", what, range[0],
                        range[1]);
}

static slip_mesh *read_rectangle(slip_reader *r, const slip_tree *node, const int64_t elements[2])
{
    const slip_tree *x = slip_read_required(r, node, "block", "x", "x: [0, 1]");
    const slip_tree *y = slip_read_required(r, node, "block", "y", "y: [0, 1]");
    double range[4];
    if (!x || !y)
        return NULL;
    if (x->kind == SLIP_TREE_SCALAR && y->kind == SLIP_TREE_SCALAR)
        return read_mapped(r, node, x, y, elements);
    if (!read_range(r, x, "block: x", range) || !read_range(r, y, "block: y", range + 2))
        return NULL;
    return make_block(r, node, elements, slip_block_rectangle, range);
}

/* x, y and z from and to. */
static slip_mesh *read_cuboid(slip_reader *r, const slip_tree *node, const int64_t elements[3])
{
    static const char *const axes[] = {"x", "y", "z"};
    const slip_cell *cell = read_element(r, node, 3);
    slip_mesh *mesh = NULL;
    double range[6];
    int counts[3];
    for (int k = 0; k < 3; k++) {
        char what[20];
        snprintf(what, sizeof what, "block: %s", axes[k]);
        if (!slip_read_required(r, node, "block", axes[k], "x: [0, 1]") ||
            !read_range(r, slip_read_child(node, axes[k]), what, range + 2 * k))
            return NULL;
        counts[k] = elements[k] > slip_block_elements_max ? slip_block_elements_max + 1 : (int)elements[k];
    }
    if (cell && slip_block_create_solid(r->ctx, cell, counts, range, &mesh) < 0)
        slip_problem(r->problems, node, "block: %s", slip_context_message(r->ctx));
    return mesh;
}

static slip_mesh *read_block(slip_reader *r, const slip_tree *node)
{
    static const char *const keys[] = {"x", "y", "z", "corners", "elements", "element", NULL};
    const int d = slip_read_child(node, "z") ? 3 : 2;
    const char *example = d == 3 ? "[30, 10, 10]" : "[30, 10]";
    int64_t elements[3];
    if (!slip_read_keys(r, node, "block", keys))
        return NULL;
    const slip_tree *counts = slip_read_required(r, node, "block", "elements", "elements: [30, 10]");
    if (!counts || !slip_read_list(r, counts, "block: elements", d, example))
        return NULL;
    for (int k = 0; k < d; k++)
        if (!slip_read_structural_count(r, counts->item[k], "block: elements", &elements[k]))
            return NULL;
    if (d == 3 && slip_read_child(node, "corners")) {
        slip_problem(r->problems, slip_read_child(node, "corners"),
                     "block: found corners beside z, expected them of plane blocks only");
        return NULL;
    }
    if (d == 3)
        return read_cuboid(r, node, elements);
    return slip_read_child(node, "corners") ? read_corners(r, node, elements)
                                            : read_rectangle(r, node, elements);
}

/* ---- mesh files ---- */

static slip_mesh *read_file(slip_reader *r, slip_tree *node)
{
    const char *name;
    slip_mesh *mesh = NULL;
    if (!slip_read_word(r, node, "mesh: file", &name))
        return NULL;
    if (!r->model->origin)
        node->is_text = true;
    SLIP_FREED char *path = slip_path_beside(r->problems->file, name);
    if (!path)
        r->problems->memory = true;
    else if (slip_mesh_read(r->ctx, path, &mesh) < 0)
        slip_problem(r->problems, node, "mesh: %s", slip_context_message(r->ctx));
    return mesh;
}

slip_mesh *slip_read_body_mesh(slip_reader *r, const slip_tree *body, const char *what)
{
    static const char *const keys[] = {"block", "file", NULL};
    const slip_tree *node = slip_read_required(r, body, what, "mesh",
                                               "mesh: {block: {x: [0, 3], y: [0, 1], elements: [30, 10]}}");
    if (!node || !slip_read_keys(r, node, "mesh", keys))
        return NULL;
    const slip_tree *made = slip_read_child(node, "block");
    slip_tree *file = slip_read_child(node, "file");
    if (made && !file)
        return read_block(r, made);
    if (file && !made)
        return read_file(r, file);
    slip_problem(r->problems, node, "mesh: found %s, expected either `block` or `file`",
                 made ? "both block and file" : "neither block nor file");
    return NULL;
}
