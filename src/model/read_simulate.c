/* How the model is to be simulated. */
#include "method/method.h"
#include "model/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { names_max = 32 };

static const slip_range tolerances = {1e-14, 0.1, false};
static const slip_range positive = {0, INFINITY, true};
static const slip_range thetas = {0.5, 1, false};

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static void read_method(slip_reader *r, const slip_tree *node)
{
    const char *names[names_max], *method;
    int count = 0;
    if (!node || !slip_read_word(r, node, "simulate.method", &method))
        return;
    for (int i = 0; slip_method_types[i] && count < names_max - 1; i++)
        names[count++] = slip_method_types[i]->info.name;
    names[count] = NULL;
    if (is_among(method, names))
        r->model->simulate.method = method;
    else
        slip_problem_unknown(r->problems, node, "unknown method", method, names);
}

static void read_segments(slip_reader *r, const slip_tree *node)
{
    static const char *const names[] = {"auto", "exact", "rk", NULL};
    const char *segments;
    if (!node || !slip_read_word(r, node, "simulate.segments", &segments))
        return;
    if (is_among(segments, names))
        r->model->simulate.segments = segments;
    else
        slip_problem_unknown(r->problems, node, "simulate.segments: unknown word", segments, names);
}

static void read_time(slip_reader *r, const slip_tree *node)
{
    slip_run_options *simulate = &r->model->simulate;
    double start, end;
    bool good;
    char found[64];
    if (!node)
        return;
    if (node->kind != SLIP_TREE_SEQUENCE) {
        slip_problem(r->problems, node, "simulate.time: found %s, expected [start, end]",
                     slip_tree_what(node, found, sizeof found));
        return;
    }
    if (node->count != 2) {
        slip_problem(r->problems, node, "simulate.time: found %d entries, expected two: [start, end]",
                     node->count);
        return;
    }
    good = slip_read_number(r, node->item[0], "simulate.time: start", &start);
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

/* Keys are the coordinates and velocities: x, x'. */
static void read_initial(slip_reader *r, const slip_tree *node)
{
    const char **names;
    if (!node || r->n == 0)
        return;
    if (node->kind == SLIP_TREE_SCALAR && strcmp(node->text, "static") == 0) {
        r->model->initial_static = true;
        return;
    }
    names = slip_arena_array(&r->model->arena, 2 * (int64_t)r->n + 1, sizeof *names);
    if (!names) {
        r->problems->memory = true;
        return;
    }
    for (int i = 0; i < 2 * r->n; i++)
        names[i] = r->symbols[1 + i].name; /* x, x', y, y', ... */
    if (!slip_read_keys(r, node, "simulate.initial", names))
        return;
    for (int i = 0; i < 2 * r->n; i++) {
        const slip_tree *value = slip_read_child(node, names[i]);
        double *target = i % 2 == 0 ? &r->model->initial_q[i / 2] : &r->model->initial_v[i / 2];
        char what[100];
        snprintf(what, sizeof what, "initial `%.61s`", names[i]);
        if (value)
            slip_read_number(r, value, what, target);
    }
}

static void check_record_from(slip_reader *r, const slip_tree *node)
{
    const slip_run_options *simulate = &r->model->simulate;
    if (simulate->record_from >= simulate->end)
        slip_problem(r->problems, node,
                     "record.from: found %.9g, expected less than the end of the time span, %.9g",
                     simulate->record_from, simulate->end);
}

static void read_record(slip_reader *r, const slip_tree *node)
{
    static const char *const keys[] = {"every", "points", "steps", "from", "events", NULL};
    slip_run_options *simulate = &r->model->simulate;
    const slip_tree *every, *points, *steps, *from, *events;
    bool flag = false, with_events;
    if (!node || !slip_read_keys(r, node, "simulate.record", keys))
        return;
    every = slip_read_child(node, "every");
    points = slip_read_child(node, "points");
    steps = slip_read_child(node, "steps");
    from = slip_read_child(node, "from");
    events = slip_read_child(node, "events");
    if (events && slip_read_flag(r, events, "record.events", &with_events))
        simulate->record_events = with_events;
    if (steps && slip_read_flag(r, steps, "record.steps", &flag))
        simulate->record_steps = flag;
    if ((every != NULL) + (points != NULL) + flag > 1)
        slip_problem(r->problems, node,
                     "simulate.record: found several of every, points and steps, expected one of them");
    if (every)
        slip_read_number_in(r, every, "record.every", positive, &simulate->record_every);
    if (points)
        slip_read_count_in(r, points, "record.points", 2, &simulate->record_points);
    if (from && slip_read_number(r, from, "record.from", &simulate->record_from))
        check_record_from(r, from);
}

static void read_steady(slip_reader *r, const slip_tree *node)
{
    static const char *const keys[] = {"period", "tolerance", "within", NULL};
    slip_run_options *simulate = &r->model->simulate;
    const slip_tree *period, *tolerance, *within;
    if (!node || !slip_read_keys(r, node, "simulate.steady", keys))
        return;
    period = slip_read_required(r, node, "simulate.steady", "period", "period: 2*pi/w");
    tolerance = slip_read_child(node, "tolerance");
    within = slip_read_child(node, "within");
    if (period)
        slip_read_number_in(r, period, "steady.period", positive, &simulate->steady_period);
    if (tolerance)
        slip_read_number_in(r, tolerance, "steady.tolerance", tolerances, &simulate->steady_tolerance);
    if (within)
        slip_read_count_in(r, within, "steady.within", 1, &simulate->steady_within);
}

void slip_read_simulate(slip_reader *r)
{
    static const char *const keys[] = {"method", "segments", "time",   "initial", "tolerance",
                                       "step",   "theta",    "record", "steady",  NULL};
    const slip_tree *section = slip_read_child(r->root, "simulate"), *value;
    slip_run_options *simulate = &r->model->simulate;
    if (!section)
        return;
    if (!slip_read_keys(r, section, "simulate", keys))
        return;
    read_method(r, slip_read_child(section, "method"));
    read_segments(r, slip_read_child(section, "segments"));
    read_time(r, slip_read_child(section, "time"));
    read_initial(r, slip_read_child(section, "initial"));
    value = slip_read_child(section, "tolerance");
    if (value)
        slip_read_number_in(r, value, "simulate.tolerance", tolerances, &simulate->tolerance);
    value = slip_read_child(section, "step");
    if (value)
        slip_read_number_in(r, value, "simulate.step", positive, &simulate->step);
    value = slip_read_child(section, "theta");
    if (value)
        slip_read_number_in(r, value, "simulate.theta", thetas, &simulate->theta);
    read_record(r, slip_read_child(section, "record"));
    read_steady(r, slip_read_child(section, "steady"));
}
