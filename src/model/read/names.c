/* Coordinates and parameters: the names that expressions use. */
#include "model/names.h"
#include "flex/plane_motion.h"
#include "gear/train/train.h"
#include "model/read/read.h"

#include <stdio.h>
#include <string.h>

/* ---- coordinates ---- */

static bool check_coordinate(slip_reader *r, const slip_tree *list, int index)
{
    const slip_tree *node = list->item[index];
    if (node->kind != SLIP_TREE_SCALAR || slip_tree_is_null(node))
        return slip_read_refuse(r, node, "coordinates", "a name");
    const char *problem = slip_name_problem(node->text, true);
    if (problem)
        return slip_problem(r->problems, node, "coordinate `%.60s` %s", node->text, problem);
    for (int i = 0; i < index; i++)
        if (list->item[i]->kind == SLIP_TREE_SCALAR && strcmp(list->item[i]->text, node->text) == 0)
            return slip_problem(r->problems, node, "coordinate `%s` is here for the second time", node->text);
    return true;
}

/* The list of names, or NULL when something is wrong with it. */
static const slip_tree *coordinate_list(slip_reader *r)
{
    const slip_tree *list = slip_read_required(r, r->root, "", "coordinates", "coordinates: [x]");
    char found[64];
    bool good = true;
    if (!list)
        return NULL;
    if (list->kind != SLIP_TREE_SEQUENCE || list->count == 0) {
        slip_problem(r->problems, list, "coordinates: found %s, expected a list of names such as [x, y]",
                     list->kind == SLIP_TREE_SEQUENCE ? "an empty list"
                                                      : slip_tree_what(list, found, sizeof found));
        return NULL;
    }
    if (list->count > slip_coordinates_max) {
        slip_problem(r->problems, list, "coordinates: found %d names, expected at most %d", list->count,
                     slip_coordinates_max);
        return NULL;
    }
    for (int i = 0; i < list->count; i++)
        good = check_coordinate(r, list, i) && good;
    return good ? list : NULL;
}

void slip_read_coordinates(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const bool needed = !bodies || slip_tree_find(r->root, "coordinates");
    const slip_tree *list = needed ? coordinate_list(r) : NULL;
    const int given = list ? list->count : 0,
              of_bodies = bodies ? bodies->motion->count + (bodies->train ? bodies->train->count : 0) : 0;
    if (needed && !list)
        return;
    const char **names = slip_arena_array(&r->model->arena, given + of_bodies + 1, sizeof *names);
    if (!slip_reader_room(r, names))
        return;
    for (int i = 0; i < given; i++)
        names[i] = list->item[i]->text;
    r->given = given;
    if ((!bodies || slip_read_motion_names(r, given, names)) &&
        slip_read_state_names(r, given + of_bodies, names) &&
        slip_model_set_coordinates(r->ctx, r->model, r->n, r->n - r->coordinates, r->all) < 0)
        r->problems->memory = true;
}

/* ---- parameters ---- */

/* The symbols of the system, and room for the parameters and the inputs behind them. */
static bool make_symbols(slip_reader *r, int parameter_count)
{
    slip_model *model = r->model;
    const slip_symbol *fixed =
        slip_system_symbols(&model->arena, r->n, r->n - r->coordinates, r->all, NULL, NULL);
    const slip_tree *inputs = slip_read_child(r->root, "inputs");
    const int64_t input_count = inputs && inputs->kind == SLIP_TREE_MAPPING ? inputs->count : 0;
    r->parameters = 1 + 2 * r->n;
    r->parameter_count = parameter_count;
    r->symbols = slip_arena_array(&model->arena, (int64_t)r->parameters + parameter_count + input_count + 1,
                                  sizeof *r->symbols);
    r->slots = slip_arena_array(&model->arena, slip_slot_parameter(r->n) + (int64_t)parameter_count,
                                sizeof *r->slots);
    model->parameter_rules = slip_arena_array(&model->arena, parameter_count, sizeof *model->parameter_rules);
    if (!fixed || !r->symbols || !r->slots || !model->parameter_rules) {
        r->problems->memory = true;
        r->symbols = NULL;
        return false;
    }
    memcpy(r->symbols, fixed, (size_t)r->parameters * sizeof *r->symbols);
    slip_read_rate_symbols(r);
    r->numbers = r->slots + slip_reader_slot_first(r);
    return true;
}

static bool check_parameter_name(slip_reader *r, const slip_tree *key)
{
    if (r->model->origin)
        return true;
    const char *problem = slip_name_problem(key->text, true);
    if (problem)
        return slip_problem(r->problems, key, "parameter `%.60s` %s%s", key->text, problem,
                            slip_read_comma_hint(key));
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->all[i], key->text) == 0)
            return slip_problem(r->problems, key, "parameter `%s` is a %s too, expected another name",
                                key->text, i < r->coordinates ? "coordinate" : "state");
    return true;
}

/* Reads parameter `index` of the section into `symbol`. A parameter that was set does not follow its rule. */
static void read_parameter(slip_reader *r, const slip_tree *value, slip_symbol *symbol, int index)
{
    const bool given = r->values && slip_values_are_set(r->values, index);
    char what[slip_name_length_max + 20];
    double number = given ? slip_values_at(r->values, index) : 0;
    if (!given && !slip_read_known_number(r, value, &number)) {
        snprintf(what, sizeof what, "parameter `%.60s`", symbol->name);
        if (!slip_read_number(r, value, what, &number)) {
            symbol->slot = slip_reader_slot_bad(r);
            return;
        }
    }
    symbol->slot = slip_reader_slot_first(r) + index;
    r->numbers[index] = number;
    if (!given && value->compiled && !slip_expression_is_constant(value->compiled, NULL))
        r->model->parameter_rules[index] = value->compiled;
    slip_reader_room(r, slip_model_append_parameter(r->ctx, r->model, symbol->name, number) >= 0);
}

void slip_read_parameters(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "parameters");
    int count = section && section->kind == SLIP_TREE_MAPPING ? section->count : 0;
    if (count > slip_parameters_max) {
        slip_problem(r->problems, section, "parameters: found %d of them, expected at most %d", count,
                     slip_parameters_max);
        count = 0;
    }
    if (!make_symbols(r, count))
        return;
    if (section && section->kind != SLIP_TREE_MAPPING)
        slip_read_refuse(r, section, "parameters", "a mapping such as {m: 1, k: 2}");
    slip_symbol *symbols = r->symbols + r->parameters;
    /* All names first, to recognise parameters that are used before their definition. */
    for (int i = 0; i < count; i++)
        symbols[i] = (slip_symbol){slip_tree_key(section, i)->text, slip_reader_slot_later(r), 0, NULL,
                                   SLIP_RATE_ZERO};
    for (int i = 0; i < count && !slip_problems_full(r->problems); i++) {
        if (check_parameter_name(r, slip_tree_key(section, i)))
            read_parameter(r, slip_tree_value(section, i), &symbols[i], i);
        else
            symbols[i].slot = slip_reader_slot_bad(r);
    }
}

bool slip_read_new_name(slip_reader *r, const slip_tree *key, const char *what, const char *hint)
{
    const char *problem = slip_name_problem(key->text, true), *taken = NULL;
    if (problem)
        return slip_problem(r->problems, key, "%s `%.60s` %s%s", what, key->text, problem, hint);
    for (const slip_symbol *s = r->symbols; s->name; s++)
        if (strcmp(s->name, key->text) == 0)
            taken = s < r->symbols + 1 + 2 * r->coordinates ? "a coordinate"
                    : s < r->symbols + r->parameters        ? "a state"
                    : s->table                              ? "an input"
                                                            : "a parameter";
    if (taken)
        slip_problem(r->problems, key, "%s `%s` is %s too, expected another name", what, key->text, taken);
    return !taken;
}
