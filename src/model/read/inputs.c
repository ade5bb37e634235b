/* Inputs: functions of time that files or points give. */
#include "io/csv.h"
#include "model/names.h"
#include "model/read/read.h"

#include <stdio.h>

static bool read_between(slip_reader *r, const slip_tree *node, const char *what, slip_between *between)
{
    char place[slip_name_length_max + 60];
    *between = SLIP_BETWEEN_LINEAR;
    if (!node)
        return true;
    snprintf(place, sizeof place, "%s: between", what);
    const int found = slip_read_choice(r, node, place, NULL, slip_between_names);
    *between = found < 0 ? *between : (slip_between)found;
    return found >= 0;
}

/* One number of a point, which no parameter changes: tables are made once for a model and all its values. */
static bool read_entry(slip_reader *r, const slip_tree *node, const char *what, double *value)
{
    if (!slip_read_number(r, node, what, value))
        return false;
    if (node->compiled && !slip_expression_is_constant(node->compiled, NULL))
        return slip_problem(
            r->problems, node,
            "%s: found `%.60s`, expected a number: a parameter goes before the call, as in a*road(t)", what,
            node->text);
    return true;
}

static bool read_points(slip_reader *r, const slip_tree *list, const char *what, double **pairs, int *count)
{
    char place[slip_name_length_max + 60], found[64];
    bool good = true;
    if (list->kind != SLIP_TREE_SEQUENCE)
        return slip_problem(r->problems, list,
                            "%s: points: found %s, expected a list such as [[0, 0], [1, 2]]", what,
                            slip_tree_what(list, found, sizeof found));
    *count = list->count;
    *pairs = slip_alloc(2 * (int64_t)list->count + 1, sizeof **pairs);
    if (!slip_reader_room(r, *pairs))
        return false;
    for (int i = 0; i < list->count && !slip_problems_full(r->problems); i++) {
        snprintf(place, sizeof place, "%s: point %d", what, i + 1);
        if (!slip_read_list(r, list->item[i], place, 2, "[0.5, 1]"))
            return false;
        for (int k = 0; k < 2; k++)
            good = read_entry(r, list->item[i]->item[k], place, &(*pairs)[2 * i + k]) && good;
    }
    return good;
}

static bool read_file(slip_reader *r, const slip_tree *node, slip_tree *file, const char *what,
                      double **pairs, int *count)
{
    static const char *const keys[2] = {"time", "value"};
    const char *columns[2] = {NULL, NULL}, *path;
    char place[slip_name_length_max + 60];
    for (int k = 0; k < 2; k++) {
        const slip_tree *column = slip_read_child(node, keys[k]);
        snprintf(place, sizeof place, "%s: %s", what, keys[k]);
        if (column && !slip_read_word(r, column, place, &columns[k]))
            return false;
    }
    snprintf(place, sizeof place, "%s: file", what);
    if (!slip_read_path(r, file, place, &path))
        return false;
    if (slip_csv_pairs(r->ctx, path, columns, pairs, count) < 0)
        return slip_problem(r->problems, file, "%s: %s", what, slip_context_message(r->ctx));
    return true;
}

/* At least two points, whose times rise. Of a file, row i is the i-th with numbers. */
static bool check_points(slip_reader *r, const slip_tree *at, const char *what, bool listed,
                         const double *pairs, int count)
{
    const char *row = listed ? "point" : "row";
    if (count < 2)
        return slip_problem(r->problems, at, "%s: found %d %s%s, expected at least 2", what, count, row,
                            count == 1 ? "" : "s");
    for (int i = 1; i < count; i++)
        if (!(pairs[2 * i] > pairs[2 * i - 2]))
            return slip_problem(r->problems, listed ? at->item[i] : at,
                                "%s: %s %d: found the time %.17g after %.17g, expected times that rise%s",
                                what, row, i + 1, pairs[2 * i], pairs[2 * i - 2],
                                pairs[2 * i] == pairs[2 * i - 2] ? " (a jump: `between: hold`)" : "");
    return true;
}

void slip_read_input(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    static const char *const keys[] = {"file", "time", "value", "points", "between", NULL};
    slip_tree *file = slip_read_child(node, "file");
    const slip_tree *points = slip_read_child(node, "points");
    const int before = r->problems->count;
    slip_between between;
    slip_interpolant *table = NULL;
    SLIP_FREED double *pairs = NULL;
    int count = 0;
    char what[slip_name_length_max + 20];
    snprintf(what, sizeof what, "input `%.60s`", key->text);
    slip_read_keys(r, node, what, keys);
    if (r->problems->count > before || !slip_read_new_name(r, key, "input", ""))
        return;
    if (!file == !points) {
        slip_problem(r->problems, node, "%s: found %s, expected one of `file` and `points`", what,
                     file ? "both" : "neither");
        return;
    }
    if (points && (slip_read_child(node, "time") || slip_read_child(node, "value"))) {
        slip_problem(r->problems, node, "%s: found `points` with `%s`, which names a column of a file", what,
                     slip_read_child(node, "time") ? "time" : "value");
        return;
    }
    if (read_between(r, slip_read_child(node, "between"), what, &between) &&
        (file ? read_file(r, node, file, what, &pairs, &count)
              : read_points(r, points, what, &pairs, &count)) &&
        check_points(r, file ? file : points, what, points != NULL, pairs, count)) {
        table = slip_interpolant_create(&r->model->arena, slip_arena_string(&r->model->arena, key->text),
                                        between, count, pairs);
        slip_reader_room(r, table && table->name && slip_model_append_input(r->ctx, r->model, table) >= 0);
    }
}

/* Adds a substitute for a wrong input, so that expressions which use it give no further messages. */
static void stand_in(slip_reader *r, const slip_tree *key)
{
    const double points[] = {0, 0, 1, 0};
    const slip_interpolant *table =
        slip_interpolant_create(&r->model->arena, key->text, SLIP_BETWEEN_LINEAR, 2, points);
    slip_reader_room(r, table && slip_model_append_input(r->ctx, r->model, table) >= 0);
}

void slip_read_inputs(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "inputs");
    slip_symbol *behind = r->symbols + r->parameters + r->parameter_count;
    slip_model *model = r->model;
    if (model->origin)
        model->inputs = model->origin->inputs;
    else if (section && section->kind != SLIP_TREE_MAPPING)
        slip_read_refuse(r, section, "inputs", "a mapping such as {road: {file: road.csv}}");
    else
        for (int i = 0; section && i < section->count && !slip_problems_full(r->problems); i++) {
            const int64_t before = model->inputs.count;
            slip_read_input(r, slip_tree_key(section, i), slip_tree_value(section, i));
            if (model->inputs.count == before)
                stand_in(r, slip_tree_key(section, i));
        }
    for (int64_t i = 0; i < model->inputs.count; i++)
        behind[i] = (slip_symbol){model->inputs.list[i]->name, -1, 0, model->inputs.list[i], 0};
}
