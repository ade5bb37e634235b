/* How an elastic body moves: reduction, damping, velocity at the start, probes. */
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { probes_max = 100 };

static bool read_reduce(slip_reader *r, const slip_tree *body, slip_reduction_options *to)
{
    static const char *const keys[] = {"modes", "contact", "loads", NULL};
    static const char *const words[] = {"attachment", "craig_bampton", "none", "condensed", NULL},
                             *const of_gears[] = {"all", "switch", "switch_teeth", NULL};
    const slip_tree *node = slip_read_child(body, "reduce"), *modes, *contact, *loads;
    const char *word = words[0];
    if (!node)
        return true;
    if (node->kind == SLIP_TREE_SCALAR && strcmp(node->text, "none") == 0) {
        to->whole = true;
        return true;
    }
    if (!slip_read_keys(r, node, "reduce", keys))
        return false;
    modes = slip_read_required(r, node, "reduce", "modes", "modes: 20");
    contact = slip_read_child(node, "contact");
    loads = slip_read_child(node, "loads");
    if (!modes || !slip_read_structural_count(r, modes, "reduce: modes", &to->modes) ||
        (contact && !slip_read_word(r, contact, "reduce: contact", &word)) ||
        (loads && !slip_read_flag(r, loads, "reduce: loads", &to->loads)))
        return false;
    for (int k = 0; words[k]; k++)
        if (strcmp(word, words[k]) == 0) {
            to->contact = (slip_reduction_contact)k;
            const bool residual =
                to->contact == SLIP_REDUCTION_ATTACHMENT || to->contact == SLIP_REDUCTION_CONDENSED;
            if (to->loads && !residual)
                slip_problem(r->problems, loads,
                             "reduce: loads: found true with contact `%s`, expected it with `attachment` or "
                             "`condensed`",
                             word);
            return !to->loads || residual;
        }
    for (int k = 0; of_gears[k]; k++)
        if (strcmp(word, of_gears[k]) == 0)
            return slip_problem(
                r->problems, contact,
                "reduce: contact: `%s` is of gears, whose flanks roll over ever other nodes; a body "
                "keeps its contact points, and `attachment` has the static displacement of each: "
                "expected that, condensed, craig_bampton or none",
                word);
    return slip_problem_unknown(r->problems, contact, "reduce: contact: unknown word", word, words);
}

static bool read_damping(slip_reader *r, const slip_tree *body, slip_body_motion *to)
{
    static const char *const keys[] = {"mass", "stiffness", "ratio", NULL};
    static const slip_range range = {0, INFINITY, false};
    const slip_tree *node = slip_read_child(body, "damping");
    double *const values[] = {&to->damping[0], &to->damping[1], &to->ratio};
    bool good = !node || slip_read_keys(r, node, "damping", keys);
    for (int k = 0; k < 3 && good && node; k++) {
        const slip_tree *child = slip_read_child(node, keys[k]);
        char what[40];
        snprintf(what, sizeof what, "damping: %s", keys[k]);
        good = !child || slip_read_structural(r, child, what, range, values[k]);
    }
    return good;
}

/* {tip: [x, y]}, in space {tip: [x, y, z]} */
static bool read_probes(slip_reader *r, const slip_tree *body, int d, slip_body_motion *to)
{
    static const slip_range any = {-INFINITY, INFINITY, false};
    const slip_tree *node = slip_read_child(body, "probes");
    slip_probe *probes;
    char what[100];
    bool good = true;
    if (!node)
        return true;
    if (node->kind != SLIP_TREE_MAPPING || node->count > probes_max)
        return slip_read_refuse(r, node, "probes",
                                "a mapping of at most %d names to places, such as {tip: [1, 0]}", probes_max);
    probes = slip_arena_array(&r->model->arena, node->count + 1, sizeof *probes);
    if (!slip_reader_room(r, probes))
        return false;
    for (int i = 0; i < node->count; i++) {
        const slip_tree *key = slip_tree_key(node, i), *place = slip_tree_value(node, i);
        const char *problem = slip_name_problem(key->text, false);
        snprintf(what, sizeof what, "probe `%.60s`", key->text);
        if (problem)
            slip_problem(r->problems, key, "%s %s", what, problem);
        good = !problem && slip_read_list(r, place, what, d, slip_read_vector_example(d)) && good;
        for (int k = 0; k < d && good; k++)
            good = slip_read_structural(r, place->item[k], what, any, &probes[i].place[k]);
        probes[i].name = key->text;
    }
    to->probes = probes;
    to->probe_count = node->count;
    return good;
}

static bool read_start(slip_reader *r, const slip_tree *body, int d, slip_body_motion *to)
{
    const slip_tree *node = slip_read_child(body, "velocity");
    bool good = !node || slip_read_list(r, node, "velocity", d, slip_read_vector_example(d));
    for (int k = 0; k < d && good && node; k++) {
        good =
            slip_read_plane_expression(r, node->item[k], "velocity", slip_read_places(d), &to->velocity[k]);
        if (good && slip_model_keep_expression(r->ctx, r->model, to->velocity[k]) < 0) {
            to->velocity[k] = NULL;
            r->problems->memory = true;
            return false;
        }
    }
    return good;
}

/* `turn: phi`, about z through the origin; or {coordinate: phi, centre: [x, y], axis: [0, 0, 1]}. */
static bool read_turn(slip_reader *r, const slip_tree *body, int d, slip_body_motion *to)
{
    static const char *const keys[] = {"coordinate", "centre", "axis", NULL};
    static const slip_range any = {-INFINITY, INFINITY, false};
    const slip_tree *node = slip_read_child(body, "turn"), *word = node, *centre = NULL, *axis = NULL;
    double *const numbers = to->rotation.axis;
    bool good = true;
    if (!node)
        return true;
    numbers[2] = 1;
    if (node->kind == SLIP_TREE_MAPPING) {
        good = slip_read_keys(r, node, "turn", keys);
        word = slip_read_required(r, node, "turn", "coordinate", "coordinate: phi");
        centre = slip_read_child(node, "centre");
        axis = slip_read_child(node, "axis");
    }
    if (axis && d == 2)
        return slip_problem(r->problems, axis,
                            "turn: found `axis` of a plane body, which turns about z; expected "
                            "coordinate and centre");
    good = word && slip_read_word(r, word, "turn", &to->turn) && good;
    good = (!centre || slip_read_list(r, centre, "turn: centre", d, slip_read_vector_example(d))) && good;
    for (int k = 0; k < d && centre && good; k++)
        good = slip_read_structural(r, centre->item[k], "turn: centre", any, &to->rotation.centre[k]);
    good = good && (!axis || slip_read_list(r, axis, "turn: axis", d, slip_read_vector_example(d)));
    for (int k = 0; k < d && axis && good; k++)
        good = slip_read_structural(r, axis->item[k], "turn: axis", any, &numbers[k]);
    const double length = hypot(hypot(numbers[0], numbers[1]), numbers[2]);
    if (good && !(length > 0))
        return slip_problem(r->problems, axis,
                            "turn: axis: found no direction, expected one such as [0, 0, 1]");
    for (int k = 0; k < 3; k++)
        numbers[k] /= length;
    to->rotation.turns = good;
    return good;
}

/* Refuses settings that presuppose small displacements in a body with large strains. */
static bool check_large(slip_reader *r, const slip_tree *body, slip_body_motion *to)
{
    const slip_tree *reduce = slip_read_child(body, "reduce"), *turn = slip_read_child(body, "turn"),
                    *damping = slip_read_child(body, "damping");
    const int before = r->problems->count;
    if (reduce && !to->reduction.whole)
        slip_problem(
            r->problems, reduce,
            "reduce: found modes with `strain: large`, which are of small displacements; expected `none`");
    if (turn)
        slip_problem(r->problems, turn,
                     "turn: found with `strain: large`, whose nodes turn by themselves; expected none");
    if (to->damping[1] > 0 || to->ratio > 0)
        slip_problem(
            r->problems, damping,
            "damping: found `%s` with `strain: large`, of which it would damp rotations of the whole too; "
            "expected `mass`",
            to->ratio > 0 ? "ratio" : "stiffness");
    to->reduction.whole = true;
    return r->problems->count == before;
}

bool slip_read_body_motion(slip_reader *r, const slip_tree *body, int dimension, bool large,
                           slip_body_motion *motion)
{
    bool good = read_reduce(r, body, &motion->reduction);
    good = read_start(r, body, dimension, motion) && good;
    good = read_damping(r, body, motion) && good;
    good = read_turn(r, body, dimension, motion) && good;
    good = read_probes(r, body, dimension, motion) && good;
    return (!large || check_large(r, body, motion)) && good;
}
