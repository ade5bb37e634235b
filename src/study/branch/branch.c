/* Branches of periodic motions as a result: points, labels. */
#include "study/branch/branch.h"
#include "study/describe.h"

#include "model/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_branch_options, .start = NAN, .spacing = NAN)

enum { doublings_most = 16, first_of_coordinates = 6 };

typedef struct job {
    slip_orbit_branch branch;
    slip_result *result;
    slip_labels labels;
    int coordinates, branches;
    double *row;
} job;

/* ---- Options. */

static int take_options(job *j, const slip_model *model, const slip_branch_options *given)
{
    slip_orbit_branch *b = &j->branch;
    slip_branch_options *o = &b->options;
    const slip_branch_options *own = &model->branch;
    slip_axis_place place;
    int status;
    *o = *given;
    o->axis = o->axis ? o->axis : own->axis;
    o->start = !isnan(o->start) ? o->start : own->start;
    o->spacing = !isnan(o->spacing) ? o->spacing : !isnan(own->spacing) ? own->spacing : 0.05;
    o->points = o->points > 0 ? o->points : own->points > 0 ? own->points : 400;
    o->doublings = o->doublings > 0 ? o->doublings : own->doublings;
    SLIP_TRY(slip_model_check_lumped(b->ctx, model));
    if (!o->axis)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found nothing to vary, expected --over NAME=FROM:TO, or a section `branch` "
                         "in the model");
    slip_axis axis = *o->axis;
    axis.count = axis.count > 1 ? axis.count : 2;
    SLIP_TRY(slip_axis_check(b->ctx, model, &axis, &place));
    if (place.kind != SLIP_AXIS_PARAMETER)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: `%s` is an initial value, expected a parameter",
                         axis.name);
    b->parameter = axis.name;
    b->low = fmin(axis.from, axis.to);
    b->high = fmax(axis.from, axis.to);
    if (!(o->spacing > 0 && o->spacing <= 1))
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found spacing %g, expected more than 0 and at most 1", o->spacing);
    const double value = model->parameters[place.index].value;
    if (isnan(o->start))
        o->start = value >= b->low && value <= b->high ? value : axis.from;
    if (!(o->start >= b->low && o->start <= b->high))
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: found start %g, expected a value from %g to %g",
                         o->start, b->low, b->high);
done:
    return status;
}

/* The model at the start, and how the motion is found there. */
static int open(job *j, const slip_model *model)
{
    slip_orbit_branch *b = &j->branch;
    slip_simulation_options how = slip_simulation_options_default();
    const slip_orbit_options orbit = b->options.orbit ? *b->options.orbit : slip_orbit_options_default();
    int status;
    how.method = "event";
    if (orbit.values)
        SLIP_TRY(slip_values_copy(b->ctx, orbit.values, &b->values));
    else
        SLIP_TRY(slip_values_create(b->ctx, model, &b->values));
    SLIP_TRY(slip_values_set(b->ctx, b->values, b->parameter, b->options.start));
    SLIP_TRY(slip_simulation_open(b->ctx, model, b->values, &how, &b->simulation));
    SLIP_TRY(slip_orbit_plan_make(b->ctx, b->simulation->ready, &orbit, &b->plan));
    if (b->simulation->ready->system->massless)
        return slip_fail(b->ctx, SLIP_ERROR_MODEL,
                         "branch: coordinates without mass have no state of their own; give them a mass");
    if (isnan(b->plan.options.tolerance))
        b->plan.options.tolerance = fmin(slip_simulation_settings(b->simulation)->values.tolerance, 1e-10);
done:
    return status;
}

/* ---- The result. */

static int open_result(job *j)
{
    static const char *const names[] = {"period", "stable", "multiplier", "events"};
    const slip_system *system = j->branch.simulation->ready->system;
    slip_text text = {0};
    int status;
    j->coordinates = slip_system_coordinates(system);
    SLIP_TRY(slip_result_create(j->branch.ctx, "branch", "branch.csv", &j->result));
    SLIP_TRY(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = "branch"}));
    SLIP_TRY(
        slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = j->branch.parameter}));
    for (int k = 0; k < 4; k++)
        SLIP_TRY(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = names[k]}));
    for (int k = 0; k < 2 * j->coordinates; k++) {
        slip_text_clear(&text);
        slip_text_printf(&text, "%s.%s", system->names[k / 2], k % 2 ? "min" : "max");
        SLIP_TRY(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = text.data}));
    }
    j->row = slip_alloc(first_of_coordinates + 2 * j->coordinates, sizeof(double));
    SLIP_TRY(j->row ? SLIP_OK : slip_fail_memory(j->branch.ctx));
    SLIP_TRY(slip_labels_create(j->branch.ctx, j->result, &j->labels));
    SLIP_TRY(slip_describe(j->branch.ctx, j->result, j->branch.model, NULL));
done:
    slip_text_free(&text);
    return status;
}

static int see_point(void *user, int branch, const slip_branch_point *point)
{
    job *j = user;
    double *row = j->row;
    row[0] = branch;
    row[1] = point->p;
    row[2] = point->orbit.period;
    row[3] = point->orbit.stable;
    row[4] = point->multiplier;
    row[5] = (double)point->events;
    for (int i = 0; i < j->coordinates; i++) {
        row[first_of_coordinates + 2 * i] = point->high[i];
        row[first_of_coordinates + 2 * i + 1] = point->low[i];
    }
    if (slip_progress_due(j->branch.ctx)) {
        const slip_progress progress = {
            .what = "branch", .fraction = -1, .time = point->p, .steps = j->result->main.count};
        slip_progress_report(j->branch.ctx, &progress);
    }
    return slip_table_append(j->branch.ctx, &j->result->main, row);
}

static int see_label(void *user, const slip_label *given)
{
    job *j = user;
    slip_label label = *given;
    label.number = (int)j->labels.table->count + 1;
    return slip_labels_add(j->branch.ctx, &j->labels, &label);
}

static int finish(job *j, int ended)
{
    const slip_orbit_branch *b = &j->branch;
    slip_json_writer json = {.text = &j->result->summary};
    int status;
    SLIP_TRY(slip_result_take_labels(b->ctx, j->result, ""));
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(b->ctx) : NULL);
    slip_json_string(&json, "parameter", b->parameter);
    slip_json_number(&json, "low", b->low);
    slip_json_number(&json, "high", b->high);
    slip_json_number(&json, "start", b->options.start);
    slip_json_integer(&json, "points", j->result->main.count);
    slip_json_integer(&json, "branches", j->branches);
    slip_labels_summarise(&json, j->result);
    slip_json_end_object(&json);
    SLIP_TRY(j->result->summary.failed ? slip_fail_memory(b->ctx) : SLIP_OK);
done:
    return status;
}

/* ---- All of it. */

/* The rows from a first one on, in the other order: those of the way back come before those of the way on. */
static void reverse(slip_table *table, int64_t first)
{
    for (int c = 0; c < table->column_count; c++)
        for (int64_t a = first, b = table->count - 1; a < b; a++, b--) {
            const double value = table->columns[c].values[a];
            table->columns[c].values[a] = table->columns[c].values[b];
            table->columns[c].values[b] = value;
        }
}

/* One branch in both directions, and those that leave it with twice the period. */
static int follow(job *j, slip_branch_point *start, int doublings)
{
    slip_orbit_branch *b = &j->branch;
    const int first = b->options.axis->to >= b->options.axis->from ? 1 : -1,
              multiple = b->plan.options.multiple;
    slip_branch_doubling doubled[doublings_most];
    slip_arena arena = {0};
    const int64_t rows = j->result->main.count;
    int count = 0, status = SLIP_OK;
    b->number = ++j->branches;
    for (int k = 0; k < 2; k++) {
        const int direction = k ? first : -first;
        const int64_t begin = j->result->main.count;
        if (start->p != (direction > 0 ? b->high : b->low))
            SLIP_TRY(slip_branch_walk(b, start, direction, begin == rows, &arena, doubled,
                                      doublings > 0 ? doublings_most : 0, &count));
        if (k == 0)
            reverse(&j->result->main, rows);
    }
    for (int k = 0; k < count; k++) {
        const slip_branch_doubling *origin = b->origin;
        slip_branch_point point = {0};
        b->origin = &doubled[k];
        status = slip_branch_double(b, start, &doubled[k], &point);
        if (status == SLIP_OK)
            status = follow(j, &point, doublings - 1);
        slip_branch_point_free(&point);
        b->plan.options.multiple = multiple;
        b->origin = origin;
        if (status < 0)
            break;
    }
done:
    slip_arena_free(&arena);
    return status;
}

int slip_branch_follow(slip_context *ctx, const slip_model *model, const slip_branch_options *given,
                       slip_result **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, model, result);
    SLIP_TAKE(slip_branch_options, options, given);
    job j = {.branch = {.ctx = ctx, .model = model, .bound_at = NAN, .point = see_point, .label = see_label}};
    slip_branch_point start = {0};
    int status;
    slip_context_clear(ctx);
    j.branch.user = &j;
    SLIP_TRY(take_options(&j, model, options));
    SLIP_TRY(open(&j, model));
    SLIP_TRY(open_result(&j));
    SLIP_TRY(slip_branch_find(&j.branch, &start));
    status = follow(&j, &start, j.branch.options.doublings);
    if (status >= 0 || status == SLIP_INTERRUPTED) {
        const int finished = finish(&j, status);
        status = finished < 0 ? finished : status < 0 ? status : SLIP_OK;
    }
    if (status >= 0 || status == SLIP_INTERRUPTED) {
        *result = j.result;
        j.result = NULL;
    }
done:
    slip_result_destroy(j.result);
    slip_branch_point_free(&start);
    slip_branch_close(&j.branch);
    free(j.row);
    return status;
}
