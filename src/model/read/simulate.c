/* How the model is to be simulated. */
#include "method/method.h"
#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { names_max = 32 };

static void read_method(slip_reader *r, const slip_tree *node)
{
    const char *names[names_max] = {0};
    for (int i = 0; slip_method_types[i] && i < names_max - 1; i++)
        names[i] = slip_method_types[i]->info.name;
    const int found = node ? slip_read_choice(r, node, "simulate.method", "unknown method", names) : -1;
    if (found >= 0)
        r->model->simulate.method = names[found];
}

static void read_time(slip_reader *r, const slip_tree *node)
{
    slip_run_options *simulate = &r->model->simulate;
    double start, end;
    if (!node)
        return;
    if (node->kind != SLIP_TREE_SEQUENCE) {
        slip_read_refuse(r, node, "simulate.time", "[start, end]");
        return;
    }
    if (node->count != 2) {
        slip_problem(r->problems, node, "simulate.time: found %d entries, expected two: [start, end]",
                     node->count);
        return;
    }
    bool good = slip_read_number(r, node->item[0], "simulate.time: start", &start);
    good = slip_read_number(r, node->item[1], "simulate.time: end", &end) && good;
    if (!good)
        return;
    if (!(end > start)) {
        slip_problem(r->problems, node->item[1],
                     "simulate.time: found end %.9g, expected more than the start %.9g", end, start);
        return;
    }
    simulate->start = start;
    simulate->end = end;
}

/* Keys are the coordinates, velocities and states: x, x', s. `static` is a static solution; `{static: {...}}`
 * one whose search starts from these coordinates, which are also the reference of slip. */
void slip_read_initial(slip_reader *r, const slip_tree *node)
{
    if (!node || !slip_read_has_motion(r))
        return;
    if (node->kind == SLIP_TREE_SCALAR && strcmp(node->text, "static") == 0) {
        r->model->initial_static = true;
        return;
    }
    const slip_tree *from = node->kind == SLIP_TREE_MAPPING ? slip_read_child(node, "static") : NULL;
    if (from && from->kind == SLIP_TREE_MAPPING && node->count == 1) {
        r->model->initial_static = true;
        node = from;
    }
    const int count = r->n + r->coordinates; /* x, x', y, y', ..., then the states */
    const char **names = slip_arena_array(&r->model->arena, (int64_t)count + 1, sizeof *names);
    if (!slip_reader_room(r, names))
        return;
    for (int i = 0; i < 2 * r->coordinates; i++)
        names[i] = r->symbols[1 + i].name;
    for (int i = 2 * r->coordinates; i < count; i++)
        names[i] = r->all[i - r->coordinates];
    if (!slip_read_keys(r, node, "simulate.initial", names))
        return;
    for (int i = 0; i < count; i++) {
        const slip_tree *value = slip_read_child(node, names[i]);
        const bool is_velocity = i < 2 * r->coordinates && i % 2 == 1;
        double *target = i >= 2 * r->coordinates ? &r->model->initial_v[i - r->coordinates]
                         : is_velocity           ? &r->model->initial_v[i / 2]
                                                 : &r->model->initial_q[i / 2];
        char what[100];
        snprintf(what, sizeof what, "initial `%.61s`", names[i]);
        if (value && is_velocity && r->model->initial_static)
            slip_problem(
                r->problems, value,
                "simulate.initial: found the velocity `%s`, expected coordinates and states only: a static "
                "solution is at rest",
                names[i]);
        else if (value)
            slip_read_number(r, value, what, target);
    }
}

static void read_record(slip_reader *r, const slip_tree *node)
{
    static const slip_fields *const tables[] = {&slip_fields_record, NULL};
    slip_run_options *simulate = &r->model->simulate;
    if (!node || !slip_read_field_keys(r, node, "simulate.record", tables, NULL) ||
        !slip_read_fields(r, node, &slip_fields_record, true, simulate))
        return;
    if (!isnan(simulate->record_every) + (simulate->record_points > 0) + (simulate->record_steps > 0) > 1)
        slip_problem(r->problems, node,
                     "simulate.record: found several of every, points and steps, expected one of them");
    const slip_tree *from = slip_read_child(node, "from");
    if (from && simulate->record_from >= simulate->end)
        slip_problem(r->problems, from,
                     "record.from: found %.9g, expected less than the end of the time span, %.9g",
                     simulate->record_from, simulate->end);
}

static void read_steady(slip_reader *r, const slip_tree *node)
{
    static const slip_fields *const tables[] = {&slip_fields_steady, NULL};
    if (node && slip_read_field_keys(r, node, "simulate.steady", tables, NULL))
        slip_read_fields(r, node, &slip_fields_steady, true, &r->model->simulate);
    const slip_tree *record = slip_read_child(slip_read_child(r->root, "simulate"), "record");
    const slip_tree *from = node && record ? slip_read_child(record, "from") : NULL;
    if (from)
        slip_problem(r->problems, from,
                     "record.from: found beside `steady`, expected one of them: of a steady motion the last "
                     "periods are recorded, whenever they come");
}

void slip_read_simulate(slip_reader *r)
{
    static const slip_fields *const plain[] = {&slip_fields_simulate, NULL}, *const with_gears[] = {
                                                                                 &slip_fields_simulate,
                                                                                 &slip_fields_gear_record,
                                                                                 NULL};
    static const char *const others[] = {"method", "time", "initial", "record", "steady", NULL};
    const bool gears = r->model->bodies && r->model->bodies->train;
    const slip_fields *const *tables = gears ? with_gears : plain;
    const slip_tree *section = slip_read_child(r->root, "simulate");
    if (!section || section->kind != SLIP_TREE_MAPPING) {
        if (section)
            slip_read_field_keys(r, section, "simulate", tables, others);
        return;
    }
    slip_read_field_keys(r, section, "simulate", tables, others);
    read_method(r, slip_read_child(section, "method"));
    read_time(r, slip_read_child(section, "time"));
    slip_read_initial(r, slip_read_child(section, "initial"));
    slip_read_fields(r, section, &slip_fields_simulate, true, &r->model->simulate);
    if (gears)
        slip_read_train_run(r, section);
    read_record(r, slip_read_child(section, "record"));
    read_steady(r, slip_read_child(section, "steady"));
}
