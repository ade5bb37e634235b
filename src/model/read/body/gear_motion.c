/* Gears in motion: loads and drive of each gear, contact of flanks, and settings of the run. */
#include "gear/gear_motion.h"
#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- gears ---- */

void slip_read_gear_side(slip_reader *r, const slip_tree *gear, slip_gear_side *side)
{
    static const slip_fields *const tables[] = {&slip_fields_gear_damping, NULL};
    const slip_tree *damping = slip_read_child(gear, "damping");
    slip_read_fields(r, gear, &slip_fields_gear_side, true, side);
    if (damping && slip_read_field_keys(r, damping, "damping", tables, NULL))
        slip_read_fields(r, damping, &slip_fields_gear_damping, true, side);
    if (side->driven && side->torque != 0)
        slip_problem(r->problems, slip_read_child(gear, "torque"),
                     "torque: found %.9g on a gear with `drive: true`, which keeps its speed whatever acts; "
                     "expected one of the two",
                     side->torque);
}

/* ---- flanks ---- */

void slip_read_penalty(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to)
{
    const slip_tree *node = slip_read_child(flanks, "penalty");
    if (node && node->kind == SLIP_TREE_SCALAR && strcmp(node->text, "rigid") == 0)
        to->penalty = INFINITY;
    else if (node)
        slip_read_number_in(r, node, "penalty", (slip_range){0, INFINITY, true}, &to->penalty);
}

static void smooth_laws(char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; slip_law_types[i] && used < size; i++) {
        const slip_law_info *info = &slip_law_types[i]->info;
        if (!info->set_valued && !slip_law_types[i]->remember && strcmp(info->name, "function") != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", info->name);
    }
}

void slip_read_flank_friction(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to)
{
    const slip_tree *node = slip_read_child(flanks, "friction");
    slip_law law, *kept;
    char names[200];
    if (!node || !slip_read_law(r, node, "friction of flanks", false, &law, NULL))
        return;
    const slip_law_type *type = slip_law_find(law.type);
    if (type->info.set_valued || type->remember) {
        smooth_laws(names, sizeof names);
        slip_problem(r->problems, slip_read_child(node, "type"),
                     "friction of flanks: the law `%s` %s, expected a smooth one: %s", law.type,
                     type->remember ? "has memory" : "is set-valued", names);
        return;
    }
    kept = slip_arena_alloc(&r->model->arena, sizeof *kept);
    if (!slip_reader_room(r, kept))
        return;
    *kept = law;
    to->friction = kept;
}

static void read_flanks(slip_reader *r, slip_gear_run_options *to)
{
    static const slip_fields *const tables[] = {&slip_fields_flanks, NULL};
    static const char *const others[] = {"penalty", "friction", NULL};
    const slip_tree *node = slip_read_child(r->root, "flanks");
    if (!node || !slip_read_field_keys(r, node, "flanks", tables, others))
        return;
    slip_read_penalty(r, node, to);
    slip_read_flank_friction(r, node, to);
    slip_read_fields(r, node, &slip_fields_flanks, true, to);
}

/* ---- simulate ---- */

static void read_time(slip_reader *r, const slip_tree *section, slip_gear_run_options *to)
{
    const slip_tree *node = slip_read_child(section, "time");
    double start;
    if (!node || !slip_read_list(r, node, "simulate.time", 2, "time: [0, 3e-4]") ||
        !slip_read_number(r, node->item[0], "simulate.time: start", &start))
        return;
    if (start != 0)
        slip_problem(r->problems, node->item[0], "simulate.time: found start %.9g, expected 0 for gears",
                     start);
    slip_read_number_in(r, node->item[1], "simulate.time: end", (slip_range){0, INFINITY, true}, &to->time);
}

static void read_simulate(slip_reader *r, slip_gear_run_options *to)
{
    static const slip_fields *const tables[] = {&slip_fields_gear_simulate, &slip_fields_gear_record, NULL};
    static const char *const others[] = {"time", NULL};
    const slip_tree *section = slip_read_child(r->root, "simulate");
    if (!section || !slip_read_field_keys(r, section, "simulate", tables, others))
        return;
    read_time(r, section, to);
    slip_read_fields(r, section, &slip_fields_gear_simulate, true, to);
    slip_read_fields(r, section, &slip_fields_gear_record, true, to);
}

/* ---- what goes together ---- */

/* The node of a key for messages; if it is missing, the mapping. */
static const slip_tree *place_of(const slip_tree *mapping, const char *key)
{
    const slip_tree *value = mapping ? slip_read_child(mapping, key) : NULL;
    return value ? value : mapping;
}

/* Refuses keys that only one method uses with other methods, unless they have no effect. */
static void check_method_keys(slip_reader *r, const slip_gear_run_options *o, const char *method)
{
    const slip_tree *section = slip_read_child(r->root, "simulate");
    const struct {
        const char *key;
        double value;
        const char *method, *why;
    } owned[] = {{"hourglass", o->hourglass, "explicit", "only it has bricks in motion"},
                 {"tolerance", o->tolerance, "exponential", "only it chooses its steps on the way"}};
    for (size_t i = 0; section && i < sizeof owned / sizeof *owned; i++) {
        const slip_tree *node = slip_read_child(section, owned[i].key);
        if (node && owned[i].value > 0 && strcmp(method, owned[i].method) != 0)
            slip_problem(r->problems, node, "%s: found %g with method %s, expected method %s: %s",
                         owned[i].key, owned[i].value, method, owned[i].method, owned[i].why);
    }
}

/* The node that a fault refers to. */
static const slip_tree *place_fault(slip_reader *r, const slip_gear_fault *fault)
{
    const slip_tree *gears = slip_read_child(r->root, "gears"), *flanks = slip_read_child(r->root, "flanks"),
                    *simulate = slip_read_child(r->root, "simulate");
    if (fault->gear >= 0)
        return place_of(slip_tree_value(gears, fault->gear), fault->key);
    if (fault->key && simulate && slip_read_child(simulate, fault->key))
        return slip_read_child(simulate, fault->key);
    return fault->key && flanks && slip_read_child(flanks, fault->key) ? slip_read_child(flanks, fault->key)
                                                                       : gears;
}

/* Refuses what a run would refuse. Two gears in one file without contact need not mesh. */
static void check_run(slip_reader *r, const slip_gear_run_options *o)
{
    slip_gear_fault fault;
    const int status = slip_gear_run_find_fault(r->ctx, r->model->gears, o, true, &fault);
    const bool runs = slip_read_child(r->root, "flanks") || slip_read_child(r->root, "simulate");
    if (status < 0 && (runs || fault.gear >= 0))
        slip_problem(r->problems, place_fault(r, &fault), "%s", slip_context_message(r->ctx));
}

/* Flanks and simulation are those of a pair. */
static bool check_pair(slip_reader *r)
{
    static const char *const sections[] = {"flanks", "simulate"};
    for (int i = 0; i < 2 && r->model->gear_count != 2; i++) {
        const int index = slip_tree_index(r->root, sections[i]);
        if (index >= 0)
            slip_problem(r->problems, slip_tree_key(r->root, index),
                         "found `%s` in a model with %d gear%s, expected two gears that touch", sections[i],
                         r->model->gear_count, r->model->gear_count == 1 ? "" : "s");
    }
    return r->model->gear_count == 2;
}

void slip_read_gear_run(slip_reader *r, slip_gear_run_options *to)
{
    if (!check_pair(r))
        return;
    read_flanks(r, to);
    read_simulate(r, to);
    if (r->problems->count > 0)
        return;
    check_run(r, to);
    if (r->problems->count == 0)
        check_method_keys(r, to, slip_model_gear_method(r->model));
    if (r->problems->count == 0 && slip_model_take_gears(r->ctx, r->model) < 0)
        r->problems->memory = true;
}
