/* Gears among the bodies of a model that moves (gear/train/train.h): in the model of the bodies alone their
 * outline, reduction and meshes, in the model that moves their coordinates and contacts. */
#include "gear/train/train.h"
#include "flex/plane_motion.h"
#include "gear/body/gear_reduce.h"
#include "gear/gear_motion.h"
#include "model/fields.h"
#include "model/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Limits: gears are reduced while the file is read, which must not take long, and matrices of all coordinates
 * must fit into memory. */
enum { nodes_max = 200000, train_coordinates_max = 3000 };

bool slip_read_is_gear(const slip_tree *body)
{
    return body->kind == SLIP_TREE_MAPPING && slip_tree_find(body, "gear");
}

/* ---- bodies ---- */

static bool read_contact(slip_reader *r, const slip_tree *contact, slip_train_body *to)
{
    static const char *const words[] = {"attachment", "condensed", "none", NULL};
    const int chosen = contact ? slip_read_choice(r, contact, "reduce: contact",
                                                  "reduce: contact: unknown word for a gear", words)
                               : 0;
    to->attachment = chosen == 0;
    to->condensed = chosen == 1;
    return chosen >= 0;
}

/* `whole`: nothing is reduced. */
static bool read_reduce(slip_reader *r, const slip_tree *node, slip_train_body *to, bool *whole)
{
    static const char *const keys[] = {"modes", "contact", NULL};
    const slip_tree *reduce = slip_read_child(node, "reduce"), *modes;
    int64_t count = to->gear.modes;
    *whole = reduce && reduce->kind == SLIP_TREE_SCALAR && strcmp(reduce->text, "none") == 0;
    to->attachment = !*whole;
    if (!reduce || *whole)
        return true;
    if (!slip_read_keys(r, reduce, "reduce", keys))
        return false;
    modes = slip_read_child(reduce, "modes");
    if (modes && !slip_read_count_in(r, modes, "reduce: modes", 1, &count))
        return false;
    if (count > train_coordinates_max)
        return slip_problem(r->problems, modes, "reduce: modes: found %lld, expected at most %d",
                            (long long)count, train_coordinates_max);
    to->gear.modes = (int)count;
    return read_contact(r, slip_read_child(reduce, "contact"), to);
}

static bool read_damping(slip_reader *r, const slip_tree *node, slip_train_body *to)
{
    static const slip_fields *const tables[] = {&slip_fields_gear_damping, NULL};
    const slip_tree *damping = slip_read_child(node, "damping");
    slip_gear_side side = slip_gear_run_options_default().side[0];
    const bool good = !damping || (slip_read_field_keys(r, damping, "damping", tables, NULL) &&
                                   slip_read_fields(r, damping, &slip_fields_gear_damping, true, &side));
    to->damping[0] = side.damping;
    to->damping[1] = side.static_damping;
    return good;
}

static bool read_outline(slip_reader *r, const slip_tree *key, const slip_tree *node, slip_train_body *to)
{
    static const slip_fields *const tables[] = {&slip_fields_gear, NULL};
    const slip_tree *outline = slip_read_child(node, "gear"), *mesh = slip_read_child(node, "mesh");
    to->gear = slip_gear_options_default();
    if (!outline)
        return slip_problem(r->problems, key, "body `%.60s`: gear: found nothing, expected {teeth: 18, ...}",
                            key->text);
    if (mesh && mesh->kind == SLIP_TREE_MAPPING && slip_read_child(mesh, "file"))
        return slip_problem(
            r->problems, mesh,
            "mesh: found a file, expected numbers of elements: flanks of gears in contact are grids "
            "of the program's own meshes");
    if (outline->kind == SLIP_TREE_MAPPING && slip_read_child(outline, "modes"))
        return slip_problem(r->problems, slip_read_child(outline, "modes"),
                            "gear: found `modes`, expected it in `reduce: {modes: 20}` of the body");
    return slip_read_field_keys(r, outline, "gear", tables, NULL) &&
           slip_read_outline(r, key, outline, node, &to->gear);
}

/* The reduced body of the origin of a bound model, if the gear is the same; a new reduction would take long.
 */
static slip_reduced *shared_body(slip_reader *r, const slip_train_body *body)
{
    const slip_model *origin = r->model->origin;
    const int index = origin && origin->train ? slip_train_find(origin->train, body->name) : -1;
    const slip_train_body *old = index >= 0 ? &origin->train->bodies[index] : NULL;
    if (!old || !old->reduced || old->gear.modes != body->gear.modes ||
        (old->attachment || old->condensed) != (body->attachment || body->condensed) ||
        slip_gear_check_body(r->ctx, &body->gear, old->reduced) < 0)
        return NULL;
    return old->reduced;
}

static int reduce(slip_reader *r, slip_train_body *body)
{
    slip_reduce_options options = slip_reduce_options_default();
    slip_gear_counts counts;
    body->reduced = shared_body(r, body);
    body->shared = body->reduced != NULL;
    if (body->shared)
        return SLIP_OK;
    SLIP_PASS(slip_gear_mesh_size(r->ctx, &body->gear, &counts));
    if (counts.nodes > nodes_max)
        return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                         "its mesh has %d nodes, expected at most %d: a coarser mesh", counts.nodes,
                         nodes_max);
    options.attachment = body->attachment || body->condensed;
    return slip_gear_reduce(r->ctx, &body->gear, &options, &body->reduced);
}

static slip_train *train_of(slip_reader *r)
{
    if (!r->model->train && slip_train_create(r->ctx, &r->model->train) < 0)
        r->problems->memory = true;
    return r->model->train;
}

void slip_read_gear_body(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    static const char *const keys[] = {"gear", "mesh", "material", "turn", "reduce", "damping", NULL};
    const char *problem = slip_name_problem(key->text, false);
    slip_train_body body = {0};
    bool whole;
    char what[100];
    snprintf(what, sizeof what, "body `%.60s`", key->text);
    if (!r->model->in_motion)
        problem = "is a gear, which turns: expected a model with `coordinates` and `simulate`";
    if (problem)
        slip_problem(r->problems, key, "%s %s", what, problem);
    if (problem || !slip_read_keys(r, node, what, keys))
        return;
    const slip_tree *turn = slip_read_required(r, node, what, "turn", "turn: phi");
    bool good = turn && slip_read_word(r, turn, "turn", &body.turns);
    good = read_outline(r, key, node, &body) && good;
    good = read_reduce(r, node, &body, &whole) && good;
    good = read_damping(r, node, &body) && good;
    if (whole && slip_read_child(node, "damping")) {
        slip_problem(r->problems, slip_read_child(node, "damping"),
                     "damping: found some of a whole gear, whose bricks have none; expected it beside "
                     "`reduce: {modes: N}`");
        return;
    }
    if (!good || r->problems->count > 0 || !train_of(r))
        return;
    body.name = body.gear.name;
    if (!whole && reduce(r, &body) < 0) {
        slip_problem(r->problems, key, "%s: %s", what, slip_context_message(r->ctx));
        return;
    }
    slip_reader_room(r, slip_train_add_body(r->ctx, r->model->train, &body) >= 0);
}

/* ---- meshes ---- */

static bool read_gears_of(slip_reader *r, const slip_tree *between, slip_train_mesh *mesh)
{
    const slip_tree *section = slip_read_child(r->root, "bodies");
    for (int k = 0; k < 2; k++) {
        const char *word;
        if (!slip_read_word(r, between->item[k], "between", &word))
            return false;
        const slip_tree *body = section ? slip_tree_find(section, word) : NULL;
        if (!body || !slip_read_is_gear(body))
            return slip_problem(r->problems, between->item[k],
                                "between: found `%.60s`, expected a body with `gear`", word);
        mesh->side[k].body = r->model->train ? slip_train_find(r->model->train, word) : -1;
        if (mesh->side[k].body < 0)
            return false; /* noted where the body is */
    }
    const slip_train_body *bodies = r->model->train->bodies;
    if (bodies[mesh->side[0].body].shaft != bodies[mesh->side[1].body].shaft)
        return true;
    return slip_problem(r->problems, between,
                        "between: found two gears that turn with `%s`, expected two shafts",
                        bodies[mesh->side[0].body].turns);
}

static bool read_sense(slip_reader *r, const slip_tree *node, slip_train_mesh *mesh)
{
    const slip_tree *sense = slip_read_child(node, "sense");
    mesh->sense = 1;
    if (!sense)
        return true;
    if (!slip_read_number(r, sense, "sense", &mesh->sense))
        return false;
    if (fabs(mesh->sense) == 1)
        return true;
    return slip_problem(r->problems, sense, "sense: found %.9g, expected 1 or -1", mesh->sense);
}

static void read_flanks(slip_reader *r, const slip_tree *node, const char *name)
{
    static const slip_fields *const tables[] = {&slip_fields_flanks, NULL};
    static const char *const others[] = {"kind",      "between", "penalty", "friction",
                                         "direction", "sense",   NULL};
    const slip_tree *between, *direction = slip_read_child(node, "direction");
    const int before = r->problems->count;
    slip_train_mesh mesh = {.name = slip_arena_string(&r->model->arena, name),
                            .options = slip_gear_run_options_default()};
    char what[100];
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_reader_room(r, mesh.name);
    if (!mesh.name || !slip_read_field_keys(r, node, what, tables, others))
        return;
    between = slip_read_required(r, node, what, "between", "between: [pinion, wheel]");
    if (!between || !slip_read_list(r, between, "between", 2, "[pinion, wheel]") ||
        !read_gears_of(r, between, &mesh))
        return;
    slip_read_penalty(r, node, &mesh.options);
    if (direction)
        slip_read_number(r, direction, "direction", &mesh.direction);
    read_sense(r, node, &mesh);
    slip_read_flank_friction(r, node, &mesh.options);
    slip_read_fields(r, node, &slip_fields_flanks, true, &mesh.options);
    if (r->problems->count > before)
        return;
    const slip_train_body *bodies = r->model->train->bodies;
    const slip_tree *distance = slip_read_child(node, "distance");
    if (slip_gear_check_teeth(r->ctx, &bodies[mesh.side[0].body].gear, &bodies[mesh.side[1].body].gear,
                              mesh.options.distance) < 0)
        slip_problem(r->problems, distance ? distance : node, "%s: %s", what, slip_context_message(r->ctx));
    else if (slip_train_add_mesh(r->ctx, r->model->train, &mesh) < 0)
        r->problems->memory = true;
}

/* Checks which combinations are possible: whole gears, condensed gears and rigid flanks. */
static bool check_train(slip_reader *r, const slip_train *train)
{
    const slip_tree *section = slip_read_child(r->root, "bodies"),
                    *contacts = slip_read_child(r->root, "contacts");
    const bool whole = slip_train_is_whole(train);
    for (int b = 0; b < train->body_count && !whole; b++)
        if (!train->bodies[b].reduced)
            return slip_problem(
                r->problems, slip_tree_find(section, train->bodies[b].name),
                "body `%s` is whole, and others are reduced: expected `reduce: none` of all gears or "
                "of none",
                train->bodies[b].name);
    for (int b = 0; b < train->body_count && slip_train_is_condensed(train); b++)
        if (train->bodies[b].attachment)
            return slip_problem(
                r->problems, slip_tree_find(section, train->bodies[b].name),
                "body `%s` has attachment vectors, and another gear is condensed: expected `reduce: "
                "{contact: condensed}` or `none`",
                train->bodies[b].name);
    for (int i = 0; i < train->mesh_count && !whole && !slip_train_is_condensed(train); i++)
        if (isinf(train->meshes[i].options.penalty))
            return slip_problem(
                r->problems, slip_read_child(slip_tree_find(contacts, train->meshes[i].name), "penalty"),
                "penalty: found rigid, expected a number in N/m: rigid flanks are for `reduce: "
                "{contact: condensed}` and for whole gears");
    return true;
}

bool slip_read_train(slip_reader *r, slip_model *bodies)
{
    const slip_tree *section = slip_read_child(r->root, "bodies");
    if (!check_train(r, bodies->train))
        return false;
    if (slip_train_arrange(r->ctx, bodies->train) < 0)
        return slip_problem(r->problems, section, "%s", slip_context_message(r->ctx));
    if (bodies->train->count > train_coordinates_max)
        return slip_problem(
            r->problems, section,
            "the gears have %d coordinates, expected at most %d: a coarser mesh of the flanks, "
            "fewer modes, or `reduce: {contact: none}` leave fewer",
            bodies->train->count, train_coordinates_max);
    return true;
}

/* ---- in the model that moves ---- */

bool slip_read_train_names(slip_reader *r, int count, const char **names)
{
    const slip_train *train = r->model->bodies->train;
    bool good = true;
    for (int b = 0; b < train->body_count && good; b++)
        good = slip_read_body_names(r, train->bodies[b].name, count + train->bodies[b].first,
                                    train->bodies[b].count, names);
    return good;
}

void slip_read_train_structure(slip_reader *r)
{
    slip_train *train = r->model->bodies->train;
    const slip_tree *section = slip_read_child(r->root, "bodies");
    train->lumped = r->given + r->model->bodies->motion->count;
    for (int b = 0; b < train->body_count; b++) {
        slip_train_body *body = &train->bodies[b];
        body->turn = 0;
        while (body->turn < r->given && strcmp(r->names[body->turn], body->turns) != 0)
            body->turn++;
        if (body->turn == r->given) {
            const slip_tree *own = slip_tree_find(section, body->name);
            slip_problem(r->problems, own ? slip_read_child(own, "turn") : section,
                         "turn: found `%.60s`, expected one of the coordinates", body->turns);
            return;
        }
    }
    slip_train_attach(r->model->system, train);
}

void slip_read_train_run(slip_reader *r, const slip_tree *section)
{
    slip_gear_run_options *to = &r->model->gear_run;
    slip_read_fields(r, section, &slip_fields_gear_record, true, to);
    r->model->bodies->train->hourglass = to->hourglass;
}

static void read_motion_flanks(slip_reader *r, const slip_tree *node, const char *name)
{
    slip_train *train = r->model->bodies->train;
    slip_system *system = r->model->system;
    for (int i = 0; train && i < train->mesh_count; i++) {
        if (strcmp(train->meshes[i].name, name) != 0)
            continue;
        train->meshes[i].contact = (int)system->contact_count;
        if (slip_model_append_flanks(r->ctx, r->model, name) < 0) {
            slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
            return;
        }
    }
}

const slip_contact_kind slip_kind_flanks = {
    .read = read_flanks, .read_motion = read_motion_flanks, .can = SLIP_KIND_OF_BODIES};
