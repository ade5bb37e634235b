/* Elastic bodies: material, supports and loads. */
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bodies_max = 100 };

static const slip_range any = {-INFINITY, INFINITY, false};

/* ---- material ---- */

static bool read_material(slip_reader *r, const slip_tree *body, const char *what, slip_body *to)
{
    static const char *const keys[] = {"young", "poisson", "density", NULL};
    static const slip_range positive = {0, INFINITY, true};
    const slip_tree *node =
        slip_read_required(r, body, what, "material", "material: {young: 2.1e11, poisson: 0.3}");
    const slip_tree *young, *poisson, *density;
    if (!node || !slip_read_keys(r, node, "material", keys))
        return false;
    young = slip_read_required(r, node, "material", "young", "young: 2.1e11");
    poisson = slip_read_required(r, node, "material", "poisson", "poisson: 0.3");
    bool good = young && slip_read_structural(r, young, "young", positive, &to->young);
    good = poisson && slip_read_structural(r, poisson, "poisson", any, &to->poisson) && good;
    density = r->model->in_motion ? slip_read_required(r, node, "material", "density", "density: 7850")
                                  : slip_read_child(node, "density");
    good = (density ? slip_read_structural(r, density, "density", positive, &to->density)
                    : !r->model->in_motion) &&
           good;
    if (good && !(to->poisson > -1 && to->poisson < 0.5))
        return slip_problem(r->problems, poisson,
                            "poisson: found %.9g, expected more than -1 and less than 0.5", to->poisson);
    return good;
}

static bool read_plane(slip_reader *r, const slip_tree *body, const char *what, int d, slip_body *to)
{
    static const char *const words[] = {"strain", "stress", NULL};
    static const slip_range positive = {0, INFINITY, true};
    const slip_tree *node = slip_read_child(body, "plane"), *thickness = slip_read_child(body, "thickness");
    to->thickness = 1;
    if (d == 3 && (node || thickness))
        return slip_problem(r->problems, node ? node : thickness,
                            "%s: found `%s` of a body in space, expected it of plane bodies only", what,
                            node ? "plane" : "thickness");
    if (thickness && !slip_read_structural(r, thickness, "thickness", positive, &to->thickness))
        return false;
    const int chosen = node ? slip_read_choice(r, node, "plane", NULL, words) : 0;
    to->plane_stress = chosen == 1;
    return chosen >= 0;
}

/* `strain: large`, of bricks in motion, and how these are integrated. */
static bool read_strain(slip_reader *r, const slip_tree *body, slip_body *to)
{
    static const char *const words[] = {"small", "large", NULL};
    static const slip_range range = {0, INFINITY, false};
    const slip_tree *node = slip_read_child(body, "strain"), *hourglass = slip_read_child(body, "hourglass");
    const int chosen = node ? slip_read_choice(r, node, "strain", NULL, words) : 0;
    to->large = chosen == 1;
    if (chosen < 0 || (hourglass && !slip_read_structural(r, hourglass, "hourglass", range, &to->hourglass)))
        return false;
    if (to->large && !r->model->in_motion)
        return slip_problem(
            r->problems, node,
            "strain: found large in statics, which is of small displacements; expected a section "
            "`simulate`, and damping until the body is at rest");
    if (hourglass && !to->large)
        return slip_problem(r->problems, hourglass,
                            "hourglass: found with small strains, expected `strain: large`");
    return true;
}

/* ---- supports ---- */

/* The letters of the directions in their order: x, y, xy, in space z, xz, yz and xyz too. */
static bool read_directions(slip_reader *r, const slip_tree *node, int d, slip_support *support)
{
    const char *word, *at;
    if (!slip_read_word(r, node, "fix", &word))
        return false;
    at = word;
    for (int k = 0; k < d; k++)
        if ((support->held[k] = *at == "xyz"[k]))
            at++;
    if (at > word && *at == 0)
        return true;
    return slip_problem(r->problems, node, "fix: found `%.60s`, expected %s", word,
                        d == 3 ? "x, y, z, xy, xz, yz or xyz" : "x, y or xy");
}

/* `fix: [left, top]` holds all directions, `fix: {left: x}` those that are named. */
static bool read_fix(slip_reader *r, const slip_tree *body, const char *what, int d, slip_body *to)
{
    const bool may_be_left_out = r->model->in_motion || slip_read_child(body, "springs");
    const slip_tree *node = may_be_left_out ? slip_read_child(body, "fix")
                                            : slip_read_required(r, body, what, "fix", "fix: [left]");
    bool good = true;
    to->loose = r->model->in_motion;
    if (!node)
        return may_be_left_out;
    if (node->kind == SLIP_TREE_SCALAR)
        return slip_read_refuse(r, node, "fix", "a list such as [left] or a mapping such as {left: x}");
    slip_support *supports = slip_arena_array(&r->model->arena, node->count + 1, sizeof *supports);
    if (!slip_reader_room(r, supports))
        return false;
    for (int i = 0; i < node->count; i++) {
        if (node->kind == SLIP_TREE_MAPPING) {
            supports[i].set = slip_tree_key(node, i)->text;
            good = read_directions(r, slip_tree_value(node, i), d, &supports[i]) && good;
        } else {
            good = slip_read_word(r, node->item[i], "fix", &supports[i].set) && good;
            supports[i].held[0] = supports[i].held[1] = supports[i].held[2] = true;
        }
    }
    to->supports = supports;
    to->support_count = node->count;
    return good;
}

/* ---- springs ---- */

/* `{stiffness: [kx, ky], damping: [cx, cy]}` of a set: one of both may be left out. */
static bool read_spring(slip_reader *r, const slip_tree *key, const slip_tree *node, int d, slip_spring *to)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    static const slip_range range = {0, INFINITY, false};
    double *const numbers[] = {to->stiffness, to->damping};
    const int before = r->problems->count;
    char what[100];
    to->set = key->text;
    snprintf(what, sizeof what, "springs on `%.60s`", key->text);
    bool good = slip_read_keys(r, node, what, keys);
    if (good && !slip_read_child(node, keys[0]) && !slip_read_child(node, keys[1])) {
        if (r->problems->count == before)
            slip_problem(r->problems, node, "%s: found nothing, expected stiffness, damping or both", what);
        return false;
    }
    for (int k = 0; k < 2 && good; k++) {
        const slip_tree *list = slip_read_child(node, keys[k]);
        snprintf(what, sizeof what, "%s of springs on `%.60s`", keys[k], key->text);
        good = !list || slip_read_list(r, list, what, d, d == 3 ? "[1e3, 1e3, 1e4]" : "[1e3, 1e4]");
        for (int i = 0; i < d && good && list; i++)
            good = slip_read_structural(r, list->item[i], what, range, &numbers[k][i]);
    }
    return good;
}

/* `springs: {SET: {...}, ...}`: between sets and the ground. */
static bool read_springs(slip_reader *r, const slip_tree *body, int d, slip_body *to)
{
    const slip_tree *node = slip_read_child(body, "springs");
    slip_spring *springs;
    bool good = true;
    if (!node)
        return true;
    if (node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(r, node, "springs", "a mapping such as {bottom: {stiffness: [1e3, 1e4]}}");
    springs = slip_arena_array(&r->model->arena, node->count + 1, sizeof *springs);
    if (!slip_reader_room(r, springs))
        return false;
    for (int i = 0; i < node->count; i++)
        good = read_spring(r, slip_tree_key(node, i), slip_tree_value(node, i), d, &springs[i]) && good;
    to->springs = springs;
    to->spring_count = node->count;
    return good;
}

/* ---- loads ---- */

static bool read_force(slip_reader *r, const slip_tree *node, const char *what, int d,
                       slip_expression *force[3])
{
    bool good = slip_read_list(r, node, what, d, d == 3 ? "[0, 0, -1]" : "[0, -1]");
    r->with_time = r->model->in_motion;
    for (int k = 0; k < d && good; k++)
        good = slip_read_plane_expression(r, node->item[k], what, slip_read_places(d), &force[k]);
    r->with_time = false;
    return good;
}

/* A mapping of sets to vectors, behind the loads that there are. */
static bool read_loads(slip_reader *r, const slip_tree *node, bool nodal, int d, slip_traction *loads,
                       int *count)
{
    const char *key = nodal ? "forces" : "tractions";
    char what[100];
    bool good = true;
    if (!node)
        return true;
    if (node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(r, node, key, "a mapping such as {top: [0, -1]}");
    for (int i = 0; i < node->count; i++) {
        slip_traction *to = &loads[(*count)++];
        *to = (slip_traction){.set = slip_tree_key(node, i)->text, .nodal = nodal};
        snprintf(what, sizeof what, "%s on `%s`", nodal ? "force" : "traction", to->set);
        good = read_force(r, slip_tree_value(node, i), what, d, to->force) && good;
    }
    return good;
}

/* Forces per area, and those on each node of a set. */
static bool read_tractions(slip_reader *r, const slip_tree *body, int d, slip_body *to)
{
    const slip_tree *areas = slip_read_child(body, "tractions"), *nodes = slip_read_child(body, "forces");
    slip_traction *loads = slip_arena_array(
        &r->model->arena, (areas ? areas->count : 0) + (nodes ? nodes->count : 0) + 1, sizeof *loads);
    if (!slip_reader_room(r, loads))
        return false;
    to->tractions = loads;
    bool good = read_loads(r, areas, false, d, loads, &to->traction_count);
    return read_loads(r, nodes, true, d, loads, &to->traction_count) && good;
}

/* ---- bodies ---- */

static void free_loads(const slip_body *body)
{
    for (int i = 0; i < body->traction_count; i++)
        for (int k = 0; k < 3; k++)
            slip_expression_destroy(body->tractions[i].force[k]);
    for (int k = 0; k < 3; k++)
        slip_expression_destroy(body->body_force[k]);
}

static void read_body(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    static const char *const keys[] = {"mesh",      "material",   "plane",  "thickness", "fix",     "springs",
                                       "tractions", "body_force", "forces", "reduce",    "damping", "probes",
                                       "velocity",  "turn",       "strain", "hourglass", NULL},
                             *const of_matrices[] = {"mass",   "stiffness", "interface", "fix",    "springs",
                                                     "forces", "reduce",    "damping",   "probes", NULL};
    const bool matrices = slip_read_child(node, "mass") || slip_read_child(node, "stiffness");
    const char *problem = slip_name_problem(key->text, false);
    slip_body body = {.name = key->text};
    char what[100];
    snprintf(what, sizeof what, "body `%.60s`", key->text);
    if (problem)
        slip_problem(r->problems, key, "%s %s", what, problem);
    if (problem || !slip_read_keys(r, node, what, matrices ? of_matrices : keys))
        return;
    const slip_tree *force = slip_read_child(node, "body_force");
    if (matrices)
        slip_read_body_matrices(r, node, what, &body);
    else
        body.mesh = slip_read_body_mesh(r, node, what);
    const int d = body.mesh ? body.mesh->dimension : slip_plane_dimension(r->model->plane);
    bool good = matrices || (read_material(r, node, what, &body) && read_plane(r, node, what, d, &body) &&
                             read_strain(r, node, &body));
    good = read_springs(r, node, d, &body) && good;
    good = read_fix(r, node, what, d, &body) && good;
    good = read_tractions(r, node, d, &body) && good;
    good = (!force || read_force(r, force, "body_force", d, body.body_force)) && good;
    good = slip_read_body_motion(r, node, d, body.large,
                                 &r->model->moves[slip_plane_body_count(r->model->plane)]) &&
           good;
    if (body.mesh && good) {
        if (slip_plane_add_body(r->ctx, r->model->plane, &body) < 0)
            slip_problem(r->problems, key, "%s", slip_context_message(r->ctx));
        return;
    }
    free_loads(&body);
    slip_mesh_destroy(body.mesh);
    slip_sparse_destroy(body.stiffness);
    slip_sparse_destroy(body.mass);
}

/* Parameters must not have the names x, y, z, which are positions in loads. */
static void check_parameter_names(slip_reader *r)
{
    static const char *const places[] = {"x", "y", "r", "s", "z"};
    const int count = slip_plane_dimension(r->model->plane) == 3 ? 5 : 4;
    const slip_tree *section = slip_read_child(r->root, "parameters");
    for (int i = 0; section && section->kind == SLIP_TREE_MAPPING && i < section->count; i++)
        for (int k = 0; k < count; k++)
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
    return slip_reader_room(r, good);
}

/* Whether a bound model can share the plane of its origin: mesh and material do not depend on values set. */
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
    if (section->kind != SLIP_TREE_MAPPING || section->count == 0 || section->count > bodies_max) {
        slip_read_refuse(r, section, "bodies", "a mapping (name: body) of 1 to %d", bodies_max);
        return;
    }
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
    slip_reader_room(r, r->model->moves);
    if (!r->model->moves || !create_plane(r))
        return;
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        if (!slip_read_is_gear(slip_tree_value(section, i)))
            read_body(r, slip_tree_key(section, i), slip_tree_value(section, i));
    check_parameter_names(r);
}
