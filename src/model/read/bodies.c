/* Elastic bodies: mesh, material, supports and loads. */
#include "fem/block.h"
#include "io/file.h"
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bodies_max = 100 };

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
    if (!slip_read_plane_expression(r, x, "block: x", "r", "s", &m->place[0]) ||
        !slip_read_plane_expression(r, y, "block: y", "r", "s", &m->place[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        const int needed = slip_expression_scratch(m->place[k]);
        scratch = needed > scratch ? needed : scratch;
        note_parameters(r, m->place[k]);
    }
    m->slots = slip_alloc(slip_plane_slot_parameter + count, sizeof *m->slots);
    m->scratch = slip_alloc(scratch, sizeof *m->scratch);
    if (!m->slots || !m->scratch) {
        r->problems->memory = true;
        return false;
    }
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
static const slip_cell *read_element(slip_reader *r, const slip_tree *block)
{
    const slip_tree *node = slip_read_child(block, "element");
    const char *word = NULL, *const * names;
    const slip_cell *cell;
    if (node && !slip_read_word(r, node, "block: element", &word))
        return NULL;
    cell = slip_block_cell(word, &names);
    if (!cell)
        slip_problem_unknown(r->problems, node, "block: unknown element", word, names);
    return cell;
}

static slip_mesh *make_block(slip_reader *r, const slip_tree *node, const int64_t elements[2],
                             slip_block_map map, void *user)
{
    slip_mesh *mesh = NULL;
    const slip_cell *cell = read_element(r, node);
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
    mapped m = {0};
    if (read_map(r, x, y, &m))
        mesh = make_block(r, node, elements, map_place, &m);
    free_map(&m);
    return mesh;
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
    if (!read_numbers(r, x, "block: x", "[0, 1]", range) ||
        !read_numbers(r, y, "block: y", "[0, 1]", range + 2))
        return NULL;
    for (int k = 0; k < 2; k++)
        if (!(range[2 * k] < range[2 * k + 1])) {
            slip_problem(r->problems, k == 0 ? x : y, "block: %s runs from %.9g to %.9g, expected upwards",
                         k == 0 ? "x" : "y", range[2 * k], range[2 * k + 1]);
            return NULL;
        }
    return make_block(r, node, elements, slip_block_rectangle, range);
}

static slip_mesh *read_block(slip_reader *r, const slip_tree *node)
{
    static const char *const keys[] = {"x", "y", "corners", "elements", "element", NULL};
    const slip_tree *counts;
    int64_t elements[2];
    if (!slip_read_keys(r, node, "block", keys))
        return NULL;
    counts = slip_read_required(r, node, "block", "elements", "elements: [30, 10]");
    if (!counts || !slip_read_list(r, counts, "block: elements", 2, "[30, 10]"))
        return NULL;
    for (int k = 0; k < 2; k++)
        if (!slip_read_structural_count(r, counts->item[k], "block: elements", &elements[k]))
            return NULL;
    return slip_read_child(node, "corners") ? read_corners(r, node, elements)
                                            : read_rectangle(r, node, elements);
}

/* ---- mesh files ---- */

static slip_mesh *read_file(slip_reader *r, slip_tree *node)
{
    const char *name;
    slip_mesh *mesh = NULL;
    char *path;
    if (!slip_read_word(r, node, "mesh: file", &name))
        return NULL;
    if (!r->model->origin)
        node->is_text = true;
    path = slip_path_beside(r->problems->file, name);
    if (!path)
        r->problems->memory = true;
    else if (slip_mesh_read(r->ctx, path, &mesh) < 0)
        slip_problem(r->problems, node, "mesh: %s", slip_context_message(r->ctx));
    else if (mesh->dimension != 2) {
        slip_problem(r->problems, node, "mesh: %s has elements in space, expected a plane mesh", path);
        slip_mesh_destroy(mesh);
        mesh = NULL;
    }
    free(path);
    return mesh;
}

static slip_mesh *read_mesh(slip_reader *r, const slip_tree *body, const char *what)
{
    static const char *const keys[] = {"block", "file", NULL};
    const slip_tree *node = slip_read_required(r, body, what, "mesh",
                                               "mesh: {block: {x: [0, 3], y: [0, 1], elements: [30, 10]}}");
    const slip_tree *made;
    slip_tree *file;
    if (!node || !slip_read_keys(r, node, "mesh", keys))
        return NULL;
    made = slip_read_child(node, "block");
    file = slip_read_child(node, "file");
    if (made && !file)
        return read_block(r, made);
    if (file && !made)
        return read_file(r, file);
    slip_problem(r->problems, node, "mesh: found %s, expected either `block` or `file`",
                 made ? "both block and file" : "neither block nor file");
    return NULL;
}

/* ---- material ---- */

static bool read_material(slip_reader *r, const slip_tree *body, const char *what, slip_body *to)
{
    static const char *const keys[] = {"young", "poisson", "density", NULL};
    static const slip_range positive = {0, INFINITY, true};
    const slip_tree *node =
        slip_read_required(r, body, what, "material", "material: {young: 2.1e11, poisson: 0.3}");
    const slip_tree *young, *poisson, *density;
    bool good;
    if (!node || !slip_read_keys(r, node, "material", keys))
        return false;
    young = slip_read_required(r, node, "material", "young", "young: 2.1e11");
    poisson = slip_read_required(r, node, "material", "poisson", "poisson: 0.3");
    good = young && slip_read_structural(r, young, "young", positive, &to->young);
    good = poisson && slip_read_structural(r, poisson, "poisson", any, &to->poisson) && good;
    density = r->model->in_motion ? slip_read_required(r, node, "material", "density", "density: 7850")
                                  : slip_read_child(node, "density");
    good = (density ? slip_read_structural(r, density, "density", positive, &to->density)
                    : !r->model->in_motion) &&
           good;
    if (good && !(to->poisson > -1 && to->poisson < 0.5)) {
        slip_problem(r->problems, poisson, "poisson: found %.9g, expected more than -1 and less than 0.5",
                     to->poisson);
        return false;
    }
    return good;
}

static bool read_plane(slip_reader *r, const slip_tree *body, slip_body *to)
{
    static const char *const words[] = {"strain", "stress", NULL};
    static const slip_range positive = {0, INFINITY, true};
    const slip_tree *node = slip_read_child(body, "plane"), *thickness = slip_read_child(body, "thickness");
    const char *word = words[0];
    to->thickness = 1;
    if (thickness && !slip_read_structural(r, thickness, "thickness", positive, &to->thickness))
        return false;
    if (node && !slip_read_word(r, node, "plane", &word))
        return false;
    to->plane_stress = strcmp(word, words[1]) == 0;
    if (to->plane_stress || strcmp(word, words[0]) == 0)
        return true;
    slip_problem_unknown(r->problems, node, "plane: unknown word", word, words);
    return false;
}

/* ---- supports ---- */

/* x, y, or both. */
static bool read_directions(slip_reader *r, const slip_tree *node, slip_support *support)
{
    const char *word;
    if (!slip_read_word(r, node, "fix", &word))
        return false;
    support->held[0] = strcmp(word, "x") == 0 || strcmp(word, "xy") == 0;
    support->held[1] = strcmp(word, "y") == 0 || strcmp(word, "xy") == 0;
    if (support->held[0] || support->held[1])
        return true;
    slip_problem(r->problems, node, "fix: found `%.60s`, expected x, y or xy", word);
    return false;
}

/* `fix: [left, top]` holds both directions, `fix: {left: x}` those that are named. */
static bool read_fix(slip_reader *r, const slip_tree *body, const char *what, slip_body *to)
{
    const slip_tree *node = r->model->in_motion ? slip_read_child(body, "fix")
                                                : slip_read_required(r, body, what, "fix", "fix: [left]");
    slip_support *supports;
    char found[64];
    bool good = true;
    to->loose = r->model->in_motion;
    if (!node)
        return r->model->in_motion;
    if (node->kind == SLIP_TREE_SCALAR) {
        slip_problem(r->problems, node,
                     "fix: found %s, expected a list such as [left] or a mapping such as {left: x}",
                     slip_tree_what(node, found, sizeof found));
        return false;
    }
    supports = slip_arena_array(&r->model->arena, node->count + 1, sizeof *supports);
    if (!supports) {
        r->problems->memory = true;
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        if (node->kind == SLIP_TREE_MAPPING) {
            supports[i].set = slip_tree_key(node, i)->text;
            good = read_directions(r, slip_tree_value(node, i), &supports[i]) && good;
        } else {
            good = slip_read_word(r, node->item[i], "fix", &supports[i].set) && good;
            supports[i].held[0] = supports[i].held[1] = true;
        }
    }
    to->supports = supports;
    to->support_count = node->count;
    return good;
}

/* ---- loads ---- */

static bool read_force(slip_reader *r, const slip_tree *node, const char *what, slip_expression *force[2])
{
    bool good = slip_read_list(r, node, what, 2, "[0, -1]");
    r->with_time = r->model->in_motion;
    for (int k = 0; k < 2 && good; k++)
        good = slip_read_plane_expression(r, node->item[k], what, "x", "y", &force[k]);
    r->with_time = false;
    return good;
}

static bool read_tractions(slip_reader *r, const slip_tree *body, slip_body *to)
{
    const slip_tree *node = slip_read_child(body, "tractions");
    slip_traction *tractions;
    char found[64], what[100];
    bool good = true;
    if (!node)
        return true;
    if (node->kind != SLIP_TREE_MAPPING) {
        slip_problem(r->problems, node, "tractions: found %s, expected a mapping such as {top: [0, -1]}",
                     slip_tree_what(node, found, sizeof found));
        return false;
    }
    tractions = slip_arena_array(&r->model->arena, node->count + 1, sizeof *tractions);
    if (!tractions) {
        r->problems->memory = true;
        return false;
    }
    to->tractions = tractions;
    to->traction_count = node->count;
    for (int i = 0; i < node->count; i++) {
        tractions[i].set = slip_tree_key(node, i)->text;
        snprintf(what, sizeof what, "traction on `%.60s`", tractions[i].set);
        good = read_force(r, slip_tree_value(node, i), what, tractions[i].force) && good;
    }
    return good;
}

/* ---- bodies ---- */

static void free_loads(const slip_body *body)
{
    for (int i = 0; i < body->traction_count; i++)
        for (int k = 0; k < 2; k++)
            slip_expression_destroy(body->tractions[i].force[k]);
    for (int k = 0; k < 2; k++)
        slip_expression_destroy(body->body_force[k]);
}

static void read_body(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    static const char *const keys[] = {"mesh",    "material",  "plane",      "thickness",
                                       "fix",     "tractions", "body_force", "reduce",
                                       "damping", "probes",    "velocity",   NULL};
    const char *problem = slip_name_problem(key->text, false);
    const slip_tree *force;
    slip_body body = {.name = key->text};
    char what[100];
    bool good;
    snprintf(what, sizeof what, "body `%.60s`", key->text);
    if (problem)
        slip_problem(r->problems, key, "%s %s", what, problem);
    if (problem || !slip_read_keys(r, node, what, keys))
        return;
    force = slip_read_child(node, "body_force");
    body.mesh = read_mesh(r, node, what);
    good = read_material(r, node, what, &body);
    good = read_plane(r, node, &body) && good;
    good = read_fix(r, node, what, &body) && good;
    good = read_tractions(r, node, &body) && good;
    good = (!force || read_force(r, force, "body_force", body.body_force)) && good;
    good = slip_read_body_motion(r, node, &r->model->moves[slip_plane_body_count(r->model->plane)]) && good;
    if (body.mesh && good) {
        if (slip_plane_add_body(r->ctx, r->model->plane, &body) < 0)
            slip_problem(r->problems, key, "%s", slip_context_message(r->ctx));
        return;
    }
    free_loads(&body);
    slip_mesh_destroy(body.mesh);
}

/* The names of places in the loads cannot be those of parameters. */
static void check_parameter_names(slip_reader *r)
{
    static const char *const places[] = {"x", "y", "r", "s"};
    const slip_tree *section = slip_read_child(r->root, "parameters");
    for (int i = 0; section && section->kind == SLIP_TREE_MAPPING && i < section->count; i++)
        for (int k = 0; k < 4; k++)
            if (strcmp(slip_tree_key(section, i)->text, places[k]) == 0)
                slip_problem(r->problems, slip_tree_key(section, i),
                             "parameter `%s` is a place in a model with bodies: expected another name",
                             places[k]);
}

static bool create_plane(slip_reader *r)
{
    const int count = (int)r->model->parameter_count;
    double *values = slip_alloc(count, sizeof *values);
    bool good = values != NULL;
    for (int i = 0; i < count && good; i++)
        values[i] = r->model->parameters[i].value;
    good = good && slip_plane_create(r->ctx, count, values, &r->model->plane) >= 0;
    free(values);
    if (!good)
        r->problems->memory = true;
    return good;
}

/* Bound to values that neither mesh nor material depend on: the loads follow the parameters. */
static bool shares_plane(const slip_reader *r)
{
    const slip_model *origin = r->model->origin;
    bool same = origin != NULL;
    for (int64_t i = 0; same && i < origin->parameter_count; i++)
        same =
            r->numbers[i] == origin->parameters[i].value || !slip_plane_is_structural(origin->plane, (int)i);
    return same;
}

void slip_read_bodies(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "bodies");
    char found[64];
    if (section->kind != SLIP_TREE_MAPPING || section->count == 0 || section->count > bodies_max) {
        slip_problem(r->problems, section, "bodies: found %s, expected a mapping (name: body) of 1 to %d",
                     slip_tree_what(section, found, sizeof found), bodies_max);
        return;
    }
    check_parameter_names(r);
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        if (slip_read_is_gear(slip_tree_value(section, i)))
            slip_read_gear_body(r, slip_tree_key(section, i), slip_tree_value(section, i));
    if (shares_plane(r)) {
        r->model->plane = r->model->origin->plane;
        r->model->moves = r->model->origin->moves;
        r->model->motion = r->model->origin->motion;
        r->model->plane_shared = r->model->motion_shared = true;
        return;
    }
    r->model->moves = slip_arena_array(&r->model->arena, section->count, sizeof *r->model->moves);
    if (!r->model->moves)
        r->problems->memory = true;
    if (!r->model->moves || !create_plane(r))
        return;
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        if (!slip_read_is_gear(slip_tree_value(section, i)))
            read_body(r, slip_tree_key(section, i), slip_tree_value(section, i));
}
