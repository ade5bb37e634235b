/* Mass, damping, stiffness or energies, springs and forces. */
#include "io/matrix_market.h"
#include "model/read/read.h"
#include "system/structure/energy.h"

#include <stdio.h>
#include <string.h>

/* The entry of a matrix, for messages; a matrix of one coordinate may be one number. */
static const slip_tree *matrix_entry(const slip_tree *node, int i, int j)
{
    if (node->kind == SLIP_TREE_MAPPING)
        return node;
    return node->kind == SLIP_TREE_SEQUENCE ? node->item[i]->item[j] : node;
}

static bool check_row(slip_reader *r, const slip_tree *row, const char *key, int index)
{
    const char *hint = "";
    char found[64];
    if (row->kind != SLIP_TREE_SEQUENCE)
        return slip_problem(r->problems, row, "%s: row %d: found %s, expected a list of %d numbers", key,
                            index + 1, slip_tree_what(row, found, sizeof found), r->given);
    for (int j = 0; j < row->count && !*hint; j++)
        hint = slip_read_comma_hint(row->item[j]);
    if (row->count != r->given)
        return slip_problem(r->problems, row, "%s: row %d has %d entries, expected %d%s", key, index + 1,
                            row->count, r->given, hint);
    return true;
}

static bool check_shape(slip_reader *r, const slip_tree *node, const char *key)
{
    bool good = true;
    if (r->given == 1 && node->kind == SLIP_TREE_SCALAR)
        return true;
    if (node->kind != SLIP_TREE_SEQUENCE)
        return slip_read_refuse(
            r, node, key,
            "%d rows of %d numbers, as in [[1, 0], [0, 1]], or {diagonal: [1, 1]}, or {file: M.mtx}",
            r->given, r->given);
    if (node->count != r->given)
        return slip_problem(r->problems, node, "%s: found %d rows, expected %d: one for each coordinate", key,
                            node->count, r->given);
    for (int i = 0; i < r->given; i++)
        good = check_row(r, node->item[i], key, i) && good;
    return good;
}

/* {diagonal: [m, m]} */
static bool read_diagonal(slip_reader *r, const slip_tree *list, const char *key, double *matrix)
{
    char found[64], what[80];
    bool good = true;
    if (list->kind != SLIP_TREE_SEQUENCE || list->count != r->given)
        return slip_problem(r->problems, list, "%s: diagonal: found %s of %d, expected a list of %d numbers",
                            key, slip_tree_what(list, found, sizeof found), list->count, r->given);
    for (int i = 0; i < r->given; i++) {
        snprintf(what, sizeof what, "%s: diagonal, entry %d", key, i + 1);
        good = slip_read_number(r, list->item[i], what, &matrix[i * r->n + i]) && good;
    }
    return good;
}

/* {file: M.mtx}; the numbers stay with the node, so that the file is read once. */
static bool read_matrix_file(slip_reader *r, slip_tree *node, const char *key, double *matrix)
{
    const size_t count = (size_t)r->given;
    const char *path;
    double *numbers;
    char what[80];
    snprintf(what, sizeof what, "%s: file", key);
    if (!slip_read_path(r, node, what, &path))
        return false;
    if (!node->numbers) {
        numbers = slip_arena_array(&r->model->arena, (int64_t)(count * count), sizeof *numbers);
        if (!slip_reader_room(r, numbers))
            return false;
        if (slip_matrix_market_read(r->ctx, path, r->given, numbers) < 0)
            return slip_problem(r->problems, node, "%s: %s", key, slip_context_message(r->ctx));
        node->numbers = numbers;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(matrix + i * (size_t)r->n, node->numbers + i * count, count * sizeof *matrix);
    return true;
}

static bool read_mapped_matrix(slip_reader *r, const slip_tree *node, const char *key, double *matrix)
{
    static const char *const keys[] = {"diagonal", "file", NULL};
    const slip_tree *diagonal = slip_read_child(node, "diagonal");
    slip_tree *file = slip_read_child(node, "file");
    const int before = r->problems->count;
    slip_read_keys(r, node, key, keys);
    if (r->problems->count > before)
        return false;
    if (!diagonal == !file)
        return slip_problem(r->problems, node, "%s: found %s, expected one of `diagonal` and `file`", key,
                            file ? "both" : "neither");
    return diagonal ? read_diagonal(r, diagonal, key, matrix) : read_matrix_file(r, file, key, matrix);
}

/* True when all entries are known. */
static bool read_matrix(slip_reader *r, const char *key, double *matrix)
{
    const slip_tree *node = slip_read_child(r->root, key);
    bool good = true;
    char what[80];
    if (!node)
        return true;
    if (node->kind == SLIP_TREE_MAPPING)
        return read_mapped_matrix(r, node, key, matrix);
    if (!check_shape(r, node, key))
        return false;
    for (int i = 0; i < r->given; i++)
        for (int j = 0; j < r->given; j++) {
            const slip_tree *entry = matrix_entry(node, i, j);
            double *to = &matrix[i * r->n + j];
            if (slip_read_known_number(r, entry, to))
                continue;
            snprintf(what, sizeof what, "%s: row %d, entry %d", key, i + 1, j + 1);
            good = slip_read_number(r, entry, what, to) && good;
        }
    return good;
}

static void read_mass(slip_reader *r)
{
    int row, column;
    if (!slip_tree_find(r->root, "mass"))
        return; /* statics needs no mass; a run checks for it */
    const slip_tree *node = slip_read_required(r, r->root, "", "mass", "mass: [[1]]");
    if (!node || r->n == 0 || !read_matrix(r, "mass", r->model->system->mass))
        return;
    r->model->mass_given = true;
    if (slip_mass_check(r->ctx, r->n, r->model->system->mass, &row, &column) < 0)
        slip_problem(r->problems, row >= 0 && column >= 0 ? matrix_entry(node, row, column) : node, "%s",
                     slip_context_message(r->ctx));
}

void slip_read_force(slip_reader *r, const char *name, const slip_tree *node)
{
    const int coordinate = slip_text_find(r->names, r->coordinates, name);
    slip_expression *expression;
    char what[80];
    snprintf(what, sizeof what, "force on `%.60s`", name);
    if (coordinate < 0 || !slip_read_expression(r, node, what, &expression))
        return;
    slip_reader_room(r, slip_system_set_force(r->ctx, r->model->system, coordinate, expression) >= 0);
}

static void read_forces(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "forces");
    if (!section || r->n == 0 || !slip_read_keys(r, section, "forces", r->names))
        return;
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        slip_read_force(r, slip_tree_key(section, i)->text, slip_tree_value(section, i));
}

/* ---- springs ---- */

/* The coordinate at an end of a spring; -1 for the ground, -2 when it is neither (noted). */
static int read_end(slip_reader *r, const slip_tree *node)
{
    const char *name;
    if (!slip_read_word(r, node, "springs: between", &name))
        return -2;
    int coordinate = slip_text_find(r->names, r->coordinates, name);
    if (coordinate >= 0 || strcmp(name, "ground") == 0)
        return coordinate;
    slip_problem_unknown(r->problems, node, "springs: between: unknown coordinate", name, r->names);
    return -2;
}

/* value (e_i - e_j) (e_i - e_j)^T, without the ground. */
static void add_between(int n, int i, int j, double value, double *matrix)
{
    if (i >= 0)
        matrix[i * n + i] += value;
    if (j >= 0)
        matrix[j * n + j] += value;
    if (i >= 0 && j >= 0) {
        matrix[i * n + j] -= value;
        matrix[j * n + i] -= value;
    }
}

static void read_spring(slip_reader *r, const slip_tree *node)
{
    static const char *const keys[] = {"between", "stiffness", "damping", NULL};
    const slip_tree *between, *stiffness, *damping;
    double value;
    int ends[2];
    if (!slip_read_keys(r, node, "springs", keys))
        return;
    between = slip_read_required(r, node, "springs", "between", "between: [x1, x2]");
    stiffness = slip_read_child(node, "stiffness");
    damping = slip_read_child(node, "damping");
    if (!stiffness && !damping)
        slip_problem(r->problems, node, "springs: found neither stiffness nor damping, expected one of them");
    if (!between || !slip_read_list(r, between, "springs: between", 2, "[x1, ground]"))
        return;
    for (int k = 0; k < 2; k++)
        ends[k] = read_end(r, between->item[k]);
    if (ends[0] == -2 || ends[1] == -2)
        return;
    if (ends[0] == ends[1]) {
        slip_problem(r->problems, between, "springs: between: found both ends on `%s`, expected two places",
                     between->item[0]->text);
        return;
    }
    if (stiffness && slip_read_number(r, stiffness, "springs: stiffness", &value))
        add_between(r->n, ends[0], ends[1], value, r->model->system->stiffness);
    if (damping && slip_read_number(r, damping, "springs: damping", &value))
        add_between(r->n, ends[0], ends[1], value, r->model->system->damping);
}

static void read_springs(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "springs");
    if (!section || r->n == 0)
        return;
    if (section->kind != SLIP_TREE_SEQUENCE) {
        slip_read_refuse(r, section, "springs", "a list such as [{between: [x1, ground], stiffness: 1}]");
        return;
    }
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        read_spring(r, section->item[i]);
}

/* ---- energy ---- */

void slip_read_energy(slip_reader *r, const slip_tree *section)
{
    static const char *const keys[] = {"kinetic", "potential", "dissipation", NULL};
    static const char *const names[] = {"kinetic energy", "potential energy", "dissipation"};
    slip_expression *energies[3] = {NULL};
    const slip_tree *nodes[3];
    char message[300];
    bool good = slip_read_keys(r, section, "energy", keys) &&
                slip_read_required(r, section, "energy", "kinetic", "kinetic: m*x'^2/2");
    for (int k = 0; k < 3 && good; k++) {
        nodes[k] = slip_read_child(section, keys[k]);
        good = !nodes[k] || slip_read_expression(r, nodes[k], names[k], &energies[k]);
    }
    const int wrong = good ? slip_energy_unusable(r->model->system, (const slip_expression *const *)energies,
                                                  message, sizeof message)
                           : -1;
    r->problems->memory = r->problems->memory || wrong == SLIP_ERROR_MEMORY;
    if (wrong >= 0)
        slip_problem(r->problems, nodes[wrong], "the %s `%s` %s", names[wrong],
                     slip_expression_text(energies[wrong]), message);
    if (!good || wrong != -1) {
        for (int k = 0; k < 3; k++)
            slip_expression_destroy(energies[k]);
        return;
    }
    slip_reader_room(
        r, slip_system_set_energy(r->ctx, r->model->system, energies[0], energies[1], energies[2]) >= 0);
    r->model->mass_given = true;
}

const slip_given_structure slip_given_energy = {slip_read_energy, "the energies say it"};

#define ROW(name) {#name, &slip_given_##name},
static const struct {
    const char *name;
    const slip_given_structure *type;
} given[] = {SLIP_GIVEN_STRUCTURES(ROW)};

/* True when a section gives the structure in place of the matrices. */
static bool read_given(slip_reader *r)
{
    static const char *const matrices[] = {"mass", "damping", "stiffness"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const slip_tree *section = slip_read_child(r->root, given[i].name);
        for (int k = 0; k < 3 && section && r->n > 0; k++) {
            const int index = slip_tree_index(r->root, matrices[k]);
            if (index >= 0)
                slip_problem(r->problems, slip_tree_key(r->root, index),
                             "found `%s` beside `%s`, expected one of them: %s", matrices[k], given[i].name,
                             given[i].type->instead);
        }
        if (section && r->n > 0)
            given[i].type->read(r, section);
        if (section)
            return true;
    }
    return false;
}

void slip_read_structure(slip_reader *r)
{
    if (r->model->bodies)
        slip_read_motion_structure(r);
    if (!read_given(r))
        read_mass(r);
    if (r->model->bodies)
        slip_read_turns(r);
    if (r->n > 0) {
        read_matrix(r, "damping", r->model->system->damping);
        read_matrix(r, "stiffness", r->model->system->stiffness);
    }
    read_springs(r);
    read_forces(r);
}
