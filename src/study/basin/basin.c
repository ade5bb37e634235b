/* Basins: options, numbers collected for each start, refinement of the grid, and the tables of attractors. */
#include "study/basin/basin.h"

#include "card/card.h"
#include "io/json.h"
#include "model/study.h"
#include "system/freeze.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Attractors: comparison of the ends of many starts. */

static bool is_set(const slip_basin_end *end)
{
    return end->kind == SLIP_BASIN_STICK || end->kind == SLIP_BASIN_CYCLE_SET;
}

/* State b less state a, less shifts of the coordinates that leave the equations unchanged. */
static const double *apart(const slip_basin_finder *w, const slip_basin_end *a, const slip_basin_end *b)
{
    for (int i = 0; i < w->m; i++)
        w->apart[i] = b->state[i] - a->state[i];
    slip_symmetry_reduce(w->symmetry, w->apart);
    return w->apart;
}

/* With one coordinate, a state between two states of a set belongs to the set. */
static bool same_set(slip_basin_finder *w, const slip_attractor *a, const slip_basin_end *b)
{
    if (strcmp(a->end.signature, b->signature) != 0)
        return false;
    const double *to = apart(w, &a->end, b);
    return a->end.kind != SLIP_BASIN_STICK ||
           (w->sets.coordinates == 1 && a->low <= to[0] && to[0] <= a->high) ||
           slip_basin_one_set(w->ctx, &w->sets, a->end.state, to);
}

/* Compares kind, multiple and period; then two sets by same_set, two single motions by their states. Motions
 * that have not settled are the same if their kinds are. */
static bool same(slip_basin_finder *w, const slip_attractor *attractor, const slip_basin_end *b)
{
    const slip_basin_end *a = &attractor->end;
    const double tolerance = w->tolerance;
    if (a->kind != b->kind || a->multiple != b->multiple)
        return false;
    if (a->kind >= SLIP_BASIN_CHAOTIC)
        return true;
    if (!isnan(a->period) &&
        fabs(a->period - b->period) > slip_basin_close * tolerance * fmax(a->period, b->period))
        return false;
    if (is_set(a))
        return same_set(w, attractor, b);
    const double *to = apart(w, a, b);
    for (int i = 0; i < w->m; i++)
        if (fabs(to[i]) > slip_basin_close * tolerance * fmax(a->size[i], b->size[i]))
            return false;
    return true;
}

/* "cycle 2": the kind, and which of that kind. */
static void set_name(slip_attractor *list, int count)
{
    slip_attractor *a = &list[count - 1];
    int number = 0;
    for (int k = 0; k < count; k++)
        number += list[k].end.kind == a->end.kind;
    if (a->end.kind >= SLIP_BASIN_CHAOTIC)
        snprintf(a->name, sizeof a->name, "%s", slip_basin_kinds[a->end.kind]);
    else
        snprintf(a->name, sizeof a->name, "%s %d", slip_basin_kinds[a->end.kind], number);
}

int slip_basin_open_finder(slip_context *ctx, const slip_sweep_info *info, int m, slip_basin_finder *w)
{
    *w = (slip_basin_finder){.ctx = ctx,
                             .m = m,
                             .tolerance = slip_basin_setting(info, "tolerance"),
                             .apart = slip_alloc(m + 1, sizeof *w->apart)};
    SLIP_PASS(slip_allocated(ctx, w->apart));
    const slip_model *model = slip_basin_one_model(ctx, info);
    if (model) /* with another parameter, other shifts */
        SLIP_PASS(slip_basin_symmetry(ctx, model, info->run ? info->run->values : NULL, &w->symmetry));
    return slip_basin_open_sets(ctx, info, &w->sets);
}

void slip_basin_close_finder(slip_basin_finder *w)
{
    slip_basin_close_sets(&w->sets);
    slip_symmetry_destroy(w->symmetry);
    free(w->apart);
    free(w->list);
}

int slip_basin_find(slip_basin_finder *w, const slip_basin_end *end, int16_t *label)
{
    int a = 0;
    *label = -1;
    if (end->kind == SLIP_BASIN_FAILED)
        return SLIP_OK;
    if (w->last < w->count && same(w, &w->list[w->last], end))
        a = w->last;
    else
        while (a < w->count && !same(w, &w->list[a], end))
            a++;
    if (a == slip_basin_attractors_max)
        return slip_fail(w->ctx, SLIP_ERROR_SOLVER,
                         "basin: more than %d attractors: are they one, found with errors? Expected a larger "
                         "--tolerance, or a smaller tolerance of the run",
                         a);
    if (a == w->count) {
        SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->list, w->capacity, a + 1)));
        w->list[a] = (slip_attractor){.end = *end, .low = INFINITY, .high = -INFINITY};
        set_name(w->list, ++w->count);
    }
    const double first = apart(w, &w->list[a].end, end)[0];
    w->list[a].low = fmin(w->list[a].low, first);
    w->list[a].high = fmax(w->list[a].high, first);
    w->list[a].count++;
    w->last = a;
    *label = (int16_t)a;
    return SLIP_OK;
}

int slip_basin_symmetry(slip_context *ctx, const slip_model *model, const slip_values *values,
                        slip_symmetry **symmetry)
{
    SLIP_FREED_BY(slip_model_drop) slip_model *bound = NULL;
    const slip_model *ready = NULL;
    SLIP_PASS(slip_model_ready(ctx, model, values, &bound, &ready));
    return slip_symmetry_create(ctx, ready->system, symmetry);
}

SLIP_OPTIONS_FILL(slip_basin_options, .tolerance = NAN, .within = -1, .refine = -1, .part = 1, .parts = 1,
                  .labels = -1)

const char *const slip_basin_kinds[SLIP_BASIN_KINDS + 1] = {
    "failed", "stick set", "sliding", "equilibrium", "cycle", "cycle set", "chaotic", "undecided", NULL};

/* ---- Options. */

static int check(slip_context *ctx, const slip_model *model, const slip_basin_options *o)
{
    if (o->refine > 0 && o->parts > 1)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "basin: found part %d/%d of a grid that is refined, expected one of both: what is refined "
            "is known when all starts are",
            o->part, o->parts);
    if (o->refine > 0 && o->labels > 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "basin: found labels of a grid that is refined %d times, expected one of both: of "
                         "labels every start is followed",
                         o->refine);
    if (o->axis_count > 8)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "basin: found %d axes, expected at most 8", o->axis_count);
    if (model->system->n == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "basin: expected a model with coordinates");
    return SLIP_OK;
}

/* The caller's options have precedence over the section of the model, and that over the defaults. */
static int complete(slip_context *ctx, const slip_model *model, slip_basin_how *how)
{
    const slip_basin_options *section = slip_model_section(model, &slip_study_basin);
    slip_basin_options *o = &how->options;
    const int coordinates = slip_system_coordinates(model->system);
    if (!o->axes || o->axis_count == 0) {
        o->axes = section->axes;
        o->axis_count = section->axis_count;
    }
    o->period = o->period ? o->period : section->period;
    o->section = o->section ? o->section : section->section;
    o->tolerance = !isnan(o->tolerance)         ? o->tolerance
                   : !isnan(section->tolerance) ? section->tolerance
                                                : 1e-6;
    o->within = o->within > 0 ? o->within : section->within > 0 ? section->within : 500;
    o->labels = o->labels >= 0 ? o->labels : section->labels >= 0 ? section->labels : 0;
    o->refine = o->refine >= 0 ? o->refine : section->refine >= 0 ? section->refine : 0;
    SLIP_PASS(slip_fields_check(ctx, &slip_study_basin.fields, o));
    SLIP_PASS(check(ctx, model, o));
    SLIP_FREED_BY(slip_symmetry_drop) slip_symmetry *symmetry = NULL;
    SLIP_PASS(slip_basin_symmetry(ctx, model, o->run ? o->run->values : NULL, &symmetry));
    while (!o->section && how->section < coordinates - 1 && symmetry->held[how->section])
        how->section++;
    while (o->section && how->section < coordinates &&
           strcmp(o->section, model->system->names[how->section]) != 0)
        how->section++;
    if (how->section == coordinates)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "basin: the section is `%s`, expected a coordinate such as `%s`", o->section,
                         model->system->names[0]);
    return SLIP_OK;
}

/* A range is divided by 2^refine; a list, or a single value, is not. */
static bool is_range(const slip_axis *axis)
{
    return !axis->list && axis->count > 1;
}

static int refine_axes(slip_context *ctx, slip_basin_options *o, slip_axis **axes)
{
    *axes = slip_alloc(o->axis_count + 1, sizeof **axes);
    SLIP_PASS(slip_allocated(ctx, *axes));
    for (int k = 0; o->axes && k < o->axis_count; k++) {
        (*axes)[k] = o->axes[k];
        if (is_range(&o->axes[k]) && o->axes[k].count <= slip_axis_count_max >> o->refine)
            (*axes)[k].count = ((o->axes[k].count - 1) << o->refine) + 1;
    }
    if (o->axes)
        o->axes = *axes;
    return SLIP_OK;
}

/* ---- The task. */

int slip_basin_choose_settings(slip_sweep_job *job)
{
    const slip_basin_how *how = job->user;
    const slip_basin_options *o = &how->options;
    double period;
    SLIP_PASS(slip_basin_period(job->ctx, job->model, o, &period));
    const slip_sweep_setting settings[] = {{"period", period},
                                           {"section", how->section},
                                           {"tolerance", o->tolerance},
                                           {"within", (double)o->within},
                                           {"refine", o->refine}};
    job->info.setting_count = sizeof settings / sizeof *settings;
    memcpy(job->info.settings, settings, sizeof settings);
    return SLIP_OK;
}

int slip_basin_choose(slip_sweep_job *job)
{
    const slip_system *system = job->model->system;
    const int coordinates = slip_system_coordinates(system);
    static const char *const first[] = {"attractor", "kind", "multiple", "period", "time"},
                             *const groups[] = {"end.", "size."};
    job->collect =
        slip_arena_array(&job->arena, SLIP_BASIN_STATE + 4 * (int64_t)system->n, sizeof *job->collect);
    SLIP_PASS(slip_allocated(job->ctx, job->collect));
    for (int k = 0; k < SLIP_BASIN_STATE; k++)
        SLIP_PASS(slip_sweep_collect(job, "", first[k], ""));
    for (int g = 0; g < 2; g++) {
        for (int i = 0; i < coordinates; i++)
            SLIP_PASS(slip_sweep_collect(job, groups[g], system->names[i], ""));
        for (int i = 0; i < system->n; i++)
            SLIP_PASS(slip_sweep_collect(job, groups[g], system->names[i], i < coordinates ? "'" : ""));
    }
    /* the end of the start, and its data while it moves in a lane (together.c) */
    job->run_bytes = (double)(sizeof(slip_basin_end) + 4 * sizeof(int)) + 8 * (14.0 * system->n + 8);
    return slip_basin_choose_settings(job);
}

static const char *const *words(const char *number)
{
    return strcmp(number, "attractor") == 0 ? slip_words_to_come
           : strcmp(number, "kind") == 0    ? slip_basin_kinds
                                            : NULL;
}

/* ---- Refinement: level by level, cells whose corners lead to different attractors get starts inside. */

slip_basin_end slip_basin_end_of_run(const slip_sweep_run *run, int m)
{
    return (slip_basin_end){.kind = (slip_basin_kind)run->numbers[SLIP_BASIN_KIND],
                            .multiple = run->numbers[SLIP_BASIN_MULTIPLE],
                            .period = run->numbers[SLIP_BASIN_PERIOD],
                            .state = run->numbers + SLIP_BASIN_STATE,
                            .size = run->numbers + SLIP_BASIN_STATE + m,
                            .signature = run->text ? run->text : ""};
}

static int label_runs(const slip_sweep_job *job, int16_t *labels)
{
    const int m = (job->collect_count - SLIP_BASIN_STATE) / 2;
    SLIP_FREED_BY(slip_basin_close_finder) slip_basin_finder finder = {0};
    SLIP_PASS(slip_basin_open_finder(job->ctx, &job->info, m, &finder));
    for (int64_t at = 0; at < job->run_count; at++) {
        const slip_sweep_run *run = &job->runs[at];
        labels[at] = run->state == SLIP_SWEEP_FAILED ? -1 : -2;
        if (run->state != SLIP_SWEEP_DONE)
            continue;
        const slip_basin_end end = slip_basin_end_of_run(run, m);
        SLIP_PASS(slip_basin_find(&finder, &end, &labels[at]));
    }
    return SLIP_OK;
}

int slip_basin_run_open(slip_sweep_job *job)
{
    if (job->info.together)
        SLIP_PASS(slip_basin_run_together(job));
    return slip_sweep_run_all(job);
}

static int run_all(slip_sweep_job *job)
{
    const slip_basin_how *how = job->user;
    const int refine = how->options.refine;
    int status = SLIP_OK;
    SLIP_FREED int16_t *labels = NULL;
    int64_t opened;
    if (refine == 0)
        return slip_basin_run_open(job);
    labels = slip_alloc(job->run_count, sizeof *labels);
    SLIP_PASS(slip_allocated(job->ctx, labels));
    slip_basin_open_grid(job, refine);
    SLIP_PASS(status = slip_basin_run_open(job));
    for (int level = refine; level > 0; level--)
        do {
            SLIP_PASS(label_runs(job, labels));
            opened = slip_basin_open_cells(job, level, labels);
            SLIP_PASS(status = slip_basin_run_open(job));
        } while (opened > 0);
    return status;
}

/* ---- All of them. */

/* The name of number i of a state, in `room`. */
static const char *state_name(const slip_sweep_info *info, int i, char room[100])
{
    const slip_system *system = info->model->system;
    const int coordinates = slip_system_coordinates(system), at = i < coordinates ? i : i - coordinates;
    snprintf(room, 100, "%.90s%s", system->names[at], i >= coordinates && at < coordinates ? "'" : "");
    return room;
}

static void write_attractor(slip_json_writer *json, const slip_sweep_info *info, const slip_attractor *a,
                            int m)
{
    char name[100];
    const bool settled = a->end.kind < SLIP_BASIN_CHAOTIC;
    slip_json_object(json, NULL);
    slip_json_string(json, "name", a->name);
    slip_json_string(json, "kind", slip_basin_kinds[a->end.kind]);
    if (settled) {
        slip_json_number(json, "period", a->end.period);
        slip_json_integer(json, "multiple", (int64_t)a->end.multiple);
        slip_json_string(json, "signature", a->end.signature);
        slip_json_object(json, "state");
        for (int i = 0; i < m; i++)
            slip_json_number(json, state_name(info, i, name), a->end.state[i]);
        slip_json_end_object(json);
    }
    slip_json_number(json, "fraction", a->fraction);
    slip_json_number(json, "error", a->error);
    slip_json_integer(json, "count", a->count);
    slip_json_end_object(json);
}

/* The table `attractors`. */
static int add_table(slip_context *ctx, const slip_sweep_info *info, const slip_attractor *list, int count,
                     int m, slip_result *result)
{
    static const slip_column_info columns[] = {{.name = "name", .words = slip_words_to_come},
                                               {.name = "kind", .words = slip_basin_kinds},
                                               {.name = "period"},
                                               {.name = "multiple"},
                                               {.name = "fraction"},
                                               {.name = "error"},
                                               {.name = "count"},
                                               {.name = "signature", .words = slip_words_to_come},
                                               {0}};
    enum { fixed = sizeof columns / sizeof *columns - 1 };
    slip_table *table = slip_result_add_table(ctx, result, "attractors", NULL);
    SLIP_FREED double *row = slip_alloc(fixed + m, sizeof *row);
    SLIP_PASS(slip_allocated(ctx, table && row));
    SLIP_PASS(slip_table_add_all(ctx, table, columns));
    for (int i = 0; i < m; i++) {
        char name[110] = "end.";
        state_name(info, i, name + strlen("end."));
        SLIP_PASS(slip_table_add(ctx, table, &(slip_column_info){.name = name}));
    }
    for (int k = 0; k < count; k++) {
        const slip_attractor *a = &list[k];
        const int name = slip_table_word(ctx, table, 0, a->name),
                  signature = slip_table_word(ctx, table, fixed - 1, a->end.signature);
        SLIP_PASS(name < 0 ? name : signature);
        const double first[fixed] = {name,        a->end.kind, a->end.period,    a->end.multiple,
                                     a->fraction, a->error,    (double)a->count, signature};
        memcpy(row, first, sizeof first);
        memcpy(row + fixed, a->end.state, (size_t)m * sizeof *row);
        SLIP_PASS(slip_table_append(ctx, table, row));
    }
    return SLIP_OK;
}

static int write_list(slip_context *ctx, const slip_sweep_info *info, const slip_attractor *list, int count,
                      int m, slip_result *result)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_json_writer json = {.text = &text};
    slip_json_list(&json, NULL);
    for (int k = 0; k < count; k++)
        write_attractor(&json, info, &list[k], m);
    slip_json_end_list(&json);
    return text.failed ? slip_fail_memory(ctx)
                       : slip_result_add_document(ctx, result, "attractors.json", text.data);
}

/* The ends of the starts from the rows of the table; state and size of each are copied to `numbers`. */
static void read_ends(const slip_table *table, int first, int m, double *numbers, slip_basin_end *ends)
{
    const slip_column *column = table->columns + first, *signature = column + SLIP_BASIN_STATE + 2 * m;
    for (int64_t row = 0; row < table->count; row++) {
        double *state = numbers + 2 * m * row;
        for (int i = 0; i < 2 * m; i++)
            state[i] = column[SLIP_BASIN_STATE + i].values[row];
        ends[row] = (slip_basin_end){.kind = (slip_basin_kind)column[SLIP_BASIN_KIND].values[row],
                                     .multiple = column[SLIP_BASIN_MULTIPLE].values[row],
                                     .period = column[SLIP_BASIN_PERIOD].values[row],
                                     .state = state,
                                     .size = state + m,
                                     .signature = signature->words[(int)signature->values[row]]};
    }
}

double slip_basin_setting(const slip_sweep_info *info, const char *name)
{
    for (int k = 0; k < info->setting_count; k++)
        if (strcmp(info->settings[k].name, name) == 0)
            return info->settings[k].value;
    return 0;
}

static void explain_undecided(const slip_sweep_info *info, int64_t count, slip_json_writer *json)
{
    const double period = slip_basin_setting(info, "period"), within = slip_basin_setting(info, "within");
    char reason[300];
    if (isnan(period))
        snprintf(
            reason, sizeof reason,
            "they have not settled within %g times the time span of the model: try a larger --within, or "
            "with --section another coordinate whose maxima are compared",
            within);
    else
        snprintf(
            reason, sizeof reason,
            "they have not settled within %g periods of %.9g: is that the period of the load (--period)? "
            "If so, try a larger --within",
            within, period);
    slip_json_integer(json, "undecided", count);
    slip_json_string(json, "undecided_because", reason);
}

int slip_basin_tell(slip_context *ctx, const slip_sweep_info *info, slip_basin_finder *found,
                    const int16_t *label, slip_result *result, slip_json_writer *json)
{
    slip_attractor *list = found->list;
    const int count = found->count;
    slip_basin_measure(info, (int)slip_basin_setting(info, "refine"), label, list, count);
    SLIP_PASS(add_table(ctx, info, list, count, found->m, result));
    SLIP_PASS(write_list(ctx, info, list, count, found->m, result));
    slip_json_integer(json, "attractors", count);
    slip_json_object(json, "fraction");
    for (int k = 0; k < count; k++)
        slip_json_number(json, list[k].name, list[k].fraction);
    slip_json_end_object(json);
    for (int k = 0; k < count; k++)
        if (list[k].end.kind == SLIP_BASIN_UNDECIDED)
            explain_undecided(info, list[k].count, json);
    return SLIP_OK;
}

/* Names the attractors of all starts that are there. */
static int conclude(slip_context *ctx, const slip_sweep_info *info, slip_result *result,
                    slip_json_writer *json)
{
    slip_table *table = &result->main;
    const int first = 1 + info->axis_count, m = (info->collect_count - SLIP_BASIN_STATE) / 2;
    SLIP_FREED slip_basin_end *ends = slip_alloc(table->count + 1, sizeof *ends);
    SLIP_FREED double *numbers = slip_alloc(2 * m * table->count + 1, sizeof *numbers);
    SLIP_FREED int16_t *grid = slip_alloc(info->runs + 1, sizeof *grid);
    SLIP_FREED_BY(slip_basin_close_finder) slip_basin_finder found = {0};
    SLIP_PASS(slip_allocated(ctx, ends && numbers && grid));
    SLIP_PASS(slip_basin_open_finder(ctx, info, m, &found));
    read_ends(table, first, m, numbers, ends);
    for (int64_t at = 0; at < info->runs; at++)
        grid[at] = -2;
    for (int64_t row = 0; row < table->count; row++) {
        int16_t *label = &grid[(int64_t)table->columns[0].values[row] - 1];
        SLIP_PASS(slip_basin_find(&found, &ends[row], label));
        const int word = slip_table_word(ctx, table, first, *label < 0 ? "" : found.list[*label].name);
        SLIP_PASS(word);
        table->columns[first].values[row] = word;
    }
    SLIP_PASS(slip_basin_tell(ctx, info, &found, grid, result, json));
    slip_sweep_write_together(info, json);
    return SLIP_OK;
}

const slip_sweep_task slip_basin_task = {.kind = "basin",
                                         .file = "basin.csv",
                                         .word = "signature",
                                         .models = true,
                                         .words = words,
                                         .choose = slip_basin_choose,
                                         .run = slip_basin_follow,
                                         .run_all = run_all,
                                         .conclude = conclude,
                                         .smaller = ", or for labels alone (--labels)",
                                         .lines = &slip_basin_lines_task};

int slip_basin(slip_context *ctx, const slip_model *model, const slip_basin_options *given_options,
               slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_basin_options, options, given_options);
    SLIP_TAKE_INNER(slip_run_options, options, run);
    slip_basin_how how = {.options = *options};
    slip_basin_options *o = &how.options;
    slip_sweep_job job = {.ctx = ctx,
                          .model = model,
                          .task = &slip_basin_task,
                          .user = &how,
                          .options = slip_sweep_options_default()};
    SLIP_FREED slip_axis *axes = NULL;
    slip_sweep_together together = {0};
    slip_context_clear(ctx);
    SLIP_PASS(slip_card_check_name(ctx, "basin", o->device));
    SLIP_PASS(complete(ctx, model, &how));
    job.info.lines = o->labels > 0;
    if (job.info.lines)
        job.task = &slip_basin_lines_task;
    else if (o->device && strcmp(o->device, "none") != 0)
        job.info.together = &together;
    SLIP_PASS(refine_axes(ctx, o, &axes));
    job.info.model = model;
    job.info.run = o->run;
    job.info.axes = job.options.axes = o->axes;
    job.info.axis_count = job.options.axis_count = o->axis_count;
    job.options.carry = 0;
    job.options.threads = o->threads;
    job.options.part = o->part;
    job.options.parts = o->parts;
    job.options.folder = o->folder;
    job.options.restart = o->restart;
    job.options.run = o->run;
    return slip_sweep_execute(&job, result);
}

/* ---- The study. */

static const slip_field section_fields[] = {
    SLIP_FIELD(slip_basin_options, period, EXPRESSION, SLIP_POSITIVE, NULL,
               "of the load, an expression of parameters",
               "that of `simulate.steady`, else of the loads; none where the model does not change with time",
               NULL),
    SLIP_FIELD(slip_basin_options, section, TEXT, SLIP_ANY, NULL,
               "a coordinate: where there is no period, motions are compared where it has a maximum",
               "the first that moves", NULL),
    SLIP_FIELD(slip_basin_options, tolerance, NUMBER, {1e-12, 0.01, false}, NULL,
               "largest relative error of the motion to which a start leads", "1e-6", NULL),
    SLIP_FIELD(slip_basin_options, within, LONG, {1, 1e9, false}, NULL,
               "gives up after so many periods; where there is none, times the span of `simulate.time`",
               "500", NULL),
    SLIP_FIELD(slip_basin_options, refine, COUNT, {0, 12, false}, NULL,
               "how often cells between different attractors are halved", "0", NULL),
    SLIP_FIELD(slip_basin_options, labels, FLAG, SLIP_ANY, NULL,
               "of each start the attractor is kept and no more, for grids of many millions", "`false`",
               NULL),
};

static const char *const other_keys[] = {"over", NULL};

SLIP_STUDY_FUNCTIONS(slip_basin_options, slip_basin)

const slip_study slip_study_basin = {
    .fields = SLIP_FIELDS("basin", "basin.", section_fields),
    .size = sizeof(slip_basin_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_basin,
    .of_gears = true,
    .run = run_section,
    .task = &slip_basin_task,
    .view = {.kind = "basin", .draw = slip_basin_draw},
};
