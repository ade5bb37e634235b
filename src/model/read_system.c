/* Mass, damping, stiffness and forces. */
#include "model/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The entry of a matrix, for messages; a matrix of one coordinate may be one number. */
static const slip_tree *matrix_entry(const slip_tree *node, int i, int j)
{
    return node->kind == SLIP_TREE_SEQUENCE ? node->item[i]->item[j] : node;
}

static bool check_row(slip_reader *r, const slip_tree *row, const char *key, int index)
{
    const char *hint = "";
    char found[64];
    if (row->kind != SLIP_TREE_SEQUENCE) {
        slip_problem(r->problems, row, "%s: row %d: found %s, expected a list of %d numbers", key, index + 1,
                     slip_tree_what(row, found, sizeof found), r->n);
        return false;
    }
    for (int j = 0; j < row->count && !*hint; j++)
        hint = slip_read_comma_hint(row->item[j]);
    if (row->count != r->n) {
        slip_problem(r->problems, row, "%s: row %d has %d entries, expected %d%s", key, index + 1, row->count,
                     r->n, hint);
        return false;
    }
    return true;
}

static bool check_shape(slip_reader *r, const slip_tree *node, const char *key)
{
    bool good = true;
    char found[64];
    if (r->n == 1 && node->kind == SLIP_TREE_SCALAR)
        return true;
    if (node->kind != SLIP_TREE_SEQUENCE) {
        slip_problem(r->problems, node,
                     "%s: found %s, expected %d rows of %d numbers, as in [[1, 0], [0, 1]]", key,
                     slip_tree_what(node, found, sizeof found), r->n, r->n);
        return false;
    }
    if (node->count != r->n) {
        slip_problem(r->problems, node, "%s: found %d rows, expected %d: one for each coordinate", key,
                     node->count, r->n);
        return false;
    }
    for (int i = 0; i < r->n; i++)
        good = check_row(r, node->item[i], key, i) && good;
    return good;
}

/* True when all entries are known. */
static bool read_matrix(slip_reader *r, const char *key, double *matrix)
{
    const slip_tree *node = slip_read_child(r->root, key);
    bool good = true;
    char what[80];
    if (!node)
        return true;
    if (!check_shape(r, node, key))
        return false;
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j < r->n; j++) {
            snprintf(what, sizeof what, "%s: row %d, entry %d", key, i + 1, j + 1);
            good = slip_read_number(r, matrix_entry(node, i, j), what, &matrix[i * r->n + j]) && good;
        }
    return good;
}

static void read_mass(slip_reader *r)
{
    char reason[200];
    int row, column;
    if (!slip_tree_find(r->root, "mass"))
        return; /* statics needs none; slip_model_fix asks for it */
    const slip_tree *node = slip_read_required(r, r->root, "", "mass", "mass: [[1]]");
    if (!node || r->n == 0 || !read_matrix(r, "mass", r->model->system->mass))
        return;
    r->model->mass_given = true;
    if (!slip_mass_unusable(r->n, r->model->system->mass, &row, &column, reason, sizeof reason))
        return;
    slip_problem(r->problems, row >= 0 && column >= 0 ? matrix_entry(node, row, column) : node,
                 "the mass matrix %s", reason);
}

static int find_coordinate(const slip_reader *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->names[i], name) == 0)
            return i;
    return -1;
}

static void read_forces(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "forces");
    if (!section || r->n == 0 || !slip_read_keys(r, section, "forces", r->names))
        return;
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++) {
        const slip_tree *key = slip_tree_key(section, i);
        int coordinate = find_coordinate(r, key->text);
        slip_expression *expression;
        char what[80];
        snprintf(what, sizeof what, "force on `%.60s`", key->text);
        if (coordinate < 0 || !slip_read_expression(r, slip_tree_value(section, i), what, &expression))
            continue;
        if (slip_system_add_force(r->ctx, r->model->system, coordinate, expression) < 0)
            r->problems->memory = true;
    }
}

void slip_read_structure(slip_reader *r)
{
    read_mass(r);
    if (r->n > 0) {
        read_matrix(r, "damping", r->model->system->damping);
        read_matrix(r, "stiffness", r->model->system->stiffness);
    }
    read_forces(r);
}
