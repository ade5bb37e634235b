/* Branches of periodic motions as a result: points, labels. */
#include "study/branch/branch.h"
#include "study/describe.h"

#include "model/axis.h"
#include "model/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_branch_options, .start = NAN, .spacing = NAN)

enum { doublings_most = 16, numbers_of_point = 7, most_of_coordinate = 4, places_most = 32 };

typedef struct job {
    slip_orbit_branch branch;
    slip_result *result;
    slip_labels labels;
    int coordinates, branches;
    int numbers; /* of each coordinate */
    double *row;
    slip_text ends; /* of a branch on which curves start: where and why it ends */
    bool curving;   /* curves over two parameters are followed now, not the branch on which they start */
    int place_count;
    slip_branch_place places[places_most];
} job;

/* ---- Options. */

/* A parameter and its range; `base` gets its value in the model. */
static int take_axis(slip_orbit_branch *b, const slip_model *model, const slip_axis *given, int k)
{
    slip_axis axis = *given;
    slip_axis_place place;
    if (axis.list)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found %lld value%s of `%s`, expected its range: NAME=FROM:TO",
                         (long long)axis.count, axis.count == 1 ? "" : "s", axis.name);
    if (k == 1 && strcmp(axis.name, b->parameters[0]) == 0)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found `%s` twice, expected two parameters over which a curve goes",
                         axis.name);
    axis.count = axis.count > 1 ? axis.count : 2;
    const int status = slip_axis_check(b->ctx, model, &axis, &place);
    if (status < 0)
        return status;
    if (place.kind != SLIP_AXIS_PARAMETER)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: `%s` is an initial value, expected a parameter",
                         axis.name);
    b->parameters[k] = axis.name;
    b->ranges[k][0] = fmin(axis.from, axis.to);
    b->ranges[k][1] = fmax(axis.from, axis.to);
    b->base[k] = model->parameters[place.index].value;
    if (k == 1 && !(b->base[1] >= b->ranges[1][0] && b->base[1] <= b->ranges[1][1]))
        return slip_fail(
            b->ctx, SLIP_ERROR_USAGE,
            "branch: `%s` is %g in the model, expected a value in its range from %g to %g, where the "
            "curve starts",
            axis.name, b->base[1], b->ranges[1][0], b->ranges[1][1]);
    return SLIP_OK;
}

static int take_options(job *j, const slip_model *model, const slip_branch_options *given)
{
    slip_orbit_branch *b = &j->branch;
    slip_branch_options *o = &b->options;
    const slip_branch_options *own = slip_model_section(model, &slip_study_branch);
    static const char *const types[] = {"LP", "PD", "NS", "BP", "GR", "SL", "PR"};
    const slip_axis *axes[2];
    bool known = false;
    *o = *given;
    o->axis = o->axis ? o->axis : own->axis;
    o->start = !isnan(o->start) ? o->start : own->start;
    o->spacing = !isnan(o->spacing) ? o->spacing : !isnan(own->spacing) ? own->spacing : 0.05;
    o->points = o->points > 0 ? o->points : own->points > 0 ? own->points : 400;
    o->doublings = o->doublings > 0 ? o->doublings : own->doublings;
    o->second = o->second ? o->second : own->second;
    o->curve = o->curve ? o->curve : own->curve;
    o->resonance = o->resonance ? o->resonance : own->resonance;
    o->harmonics = o->harmonics > 0 ? o->harmonics : own->harmonics;
    SLIP_PASS(slip_model_check_lumped(b->ctx, model));
    SLIP_PASS(slip_fields_check(b->ctx, &slip_study_branch.fields, o));
    if (!o->axis)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found nothing to vary, expected --over NAME=FROM:TO, or a section `branch` "
                         "in the model");
    axes[0] = o->axis;
    axes[1] = o->second;
    for (int k = 0; k < 2 && axes[k]; k++)
        SLIP_PASS(take_axis(b, model, axes[k], k));
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        known = known || (o->curve && strcmp(types[k], o->curve) == 0);
    if (o->curve && !known)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found curve `%s`, expected a label: LP, PD, NS, BP, GR, SL or PR",
                         o->curve);
    if (!o->curve != !o->second)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         o->curve
                             ? "branch: found a curve over one parameter, expected a second one: --over "
                               "NAME=FROM:TO twice"
                             : "branch: found two parameters and no curve, expected what is followed over "
                               "both, such as --curve LP");
    b->low = b->ranges[0][0];
    b->high = b->ranges[0][1];
    b->along[0] = 1;
    if (isnan(o->start))
        o->start = b->base[0] >= b->low && b->base[0] <= b->high ? b->base[0] : o->axis->from;
    b->base[0] = 0;
    if (!(o->start >= b->low && o->start <= b->high))
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: found start %g, expected a value from %g to %g",
                         o->start, b->low, b->high);
    return SLIP_OK;
}

/* Keeps a place from which a curve starts. */
static int see_place(void *user, const slip_branch_place *given)
{
    job *j = user;
    slip_branch_place *place = &j->places[j->place_count];
    int status = SLIP_OK;
    if (j->place_count == places_most)
        return SLIP_OK;
    *place = (slip_branch_place){.test = given->test, .type = given->type};
    SLIP_PASS(status = slip_branch_copy(&j->branch, &given->before, &place->before));
    j->place_count++;
    if (given->after.signature)
        SLIP_PASS(status = slip_branch_copy(&j->branch, &given->after, &place->after));
    return status;
}

static int check_harmonics(const slip_orbit_branch *b)
{
    const int harmonics = b->options.harmonics;
    if (harmonics == 0)
        return SLIP_OK;
    if (b->plan.own_period)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: harmonics are those of a load, and the motion has none; expected its "
                         "period, such as --period '2*pi/w'");
    if (b->options.doublings > 0)
        return slip_fail(
            b->ctx, SLIP_ERROR_USAGE,
            "branch: found doublings and harmonics, expected one of them: harmonic balance has no "
            "multipliers");
    if (harmonics < b->plan.options.multiple)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: found %d harmonics, expected %d to 60", harmonics,
                         b->plan.options.multiple);
    return SLIP_OK;
}

/* Opens the model at the start of the branch, with the settings of the search for the first motion. */
static int open(job *j, const slip_model *model)
{
    slip_orbit_branch *b = &j->branch;
    slip_simulation_options how = slip_simulation_options_default();
    const slip_orbit_options orbit = b->options.orbit ? *b->options.orbit : slip_orbit_options_default();
    int status = SLIP_OK;
    how.method = "event";
    if (orbit.values)
        SLIP_PASS(slip_values_copy(b->ctx, orbit.values, &b->values));
    else
        SLIP_PASS(slip_values_create(b->ctx, model, &b->values));
    SLIP_PASS(slip_values_set(b->ctx, b->values, b->parameters[0], b->options.start));
    SLIP_PASS(slip_simulation_open(b->ctx, model, b->values, &how, &b->simulation));
    SLIP_PASS(slip_orbit_plan_make(b->ctx, b->simulation->ready, &orbit, &b->plan));
    SLIP_PASS(check_harmonics(b));
    SLIP_PASS(status = slip_branch_find_probes(b));
    const slip_system *system = b->simulation->ready->system;
    for (int i = 0; i < slip_system_coordinates(system) && b->options.resonance; i++)
        if (strcmp(system->names[i], b->options.resonance) == 0)
            b->resonance = i;
    if (b->options.resonance && (b->resonance < 0 || b->plan.own_period))
        return slip_fail(b->ctx, SLIP_ERROR_USAGE, "branch: found resonance `%s`, expected %s",
                         b->options.resonance,
                         b->plan.own_period ? "none: the motion has no load" : "a coordinate of the model");
    if (b->options.curve && strcmp(b->options.curve, "PR") == 0 && b->resonance < 0)
        return slip_fail(b->ctx, SLIP_ERROR_USAGE,
                         "branch: found a curve of PR, expected resonance, the coordinate that lags");
    b->place = b->options.curve ? see_place : NULL;
    if (isnan(b->plan.options.tolerance))
        b->plan.options.tolerance = fmin(slip_simulation_settings(b->simulation)->values.tolerance, 1e-10);
    return status;
}

/* ---- The result. */

static int open_result(job *j)
{
    static const char *const names[] = {"period", "stable", "multiplier", "events"},
                             *const of_coordinate[most_of_coordinate] = {"max", "min", "amplitude", "lag"};
    const slip_system *system = j->branch.simulation->ready->system;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    j->coordinates = slip_system_coordinates(system);
    j->numbers = j->branch.plan.own_period ? 2 : most_of_coordinate;
    SLIP_PASS(slip_result_create(j->branch.ctx, "branch", "branch.csv", &j->result));
    SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = "branch"}));
    SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main,
                             &(slip_column_info){.name = j->branch.parameters[0]}));
    if (j->branch.parameters[1])
        SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main,
                                 &(slip_column_info){.name = j->branch.parameters[1]}));
    for (int k = 0; k < 4; k++)
        SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = names[k]}));
    for (int k = 0; k < j->numbers * j->coordinates; k++) {
        slip_text_clear(&text);
        slip_text_printf(&text, "%s.%s", system->names[k / j->numbers], of_coordinate[k % j->numbers]);
        SLIP_PASS(slip_allocated(j->branch.ctx, !text.failed));
        SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = text.data}));
    }
    for (int k = 0; k < 2 * j->branch.probe_count && !j->branch.plan.own_period; k++) {
        slip_text_clear(&text);
        slip_text_printf(&text, "%s.%s", j->branch.probes[k / 2]->name, of_coordinate[2 + k % 2]);
        SLIP_PASS(slip_allocated(j->branch.ctx, !text.failed));
        SLIP_PASS(slip_table_add(j->branch.ctx, &j->result->main, &(slip_column_info){.name = text.data}));
    }
    j->row = slip_alloc(numbers_of_point + most_of_coordinate * j->coordinates + 2 * j->branch.probe_count,
                        sizeof(double));
    SLIP_PASS(j->row ? SLIP_OK : slip_fail_memory(j->branch.ctx));
    SLIP_PASS(slip_labels_create(j->branch.ctx, j->result, &j->labels));
    return slip_describe(j->branch.ctx, j->result, j->branch.model, NULL);
}

static int see_point(void *user, int branch, const slip_branch_point *point)
{
    job *j = user;
    double *row = j->row;
    if (j->branch.parameters[1] && !j->curving)
        return SLIP_OK; /* the branch on which curves start is not part of the result */
    *row++ = branch;
    for (int k = 0; k < 2 && j->branch.parameters[k]; k++)
        *row++ = point->values[k];
    *row++ = point->orbit.period;
    *row++ = j->branch.options.harmonics > 0 ? NAN : point->orbit.stable;
    *row++ = point->multiplier;
    *row++ = (double)point->events;
    for (int i = 0; i < j->coordinates; i++) {
        const double of_coordinate[] = {point->high[i], point->low[i], point->amplitude[i], point->lag[i]};
        memcpy(row + j->numbers * i, of_coordinate, (size_t)j->numbers * sizeof(double));
    }
    for (int k = 0; k < j->branch.probe_count && !j->branch.plan.own_period; k++) {
        double *to = row + j->numbers * j->coordinates + 2 * k;
        to[0] = point->amplitude[j->coordinates + k];
        to[1] = point->lag[j->coordinates + k];
    }
    if (slip_progress_due(j->branch.ctx)) {
        const slip_progress progress = {
            .what = "branch", .fraction = -1, .time = point->values[0], .steps = j->result->main.count};
        slip_progress_report(j->branch.ctx, &progress);
    }
    return slip_table_append(j->branch.ctx, &j->result->main, j->row);
}

static int see_label(void *user, const slip_label *given)
{
    job *j = user;
    slip_label label = *given;
    if (j->branch.parameters[1] && !j->curving) {
        if (strcmp(label.type, "EP") == 0)
            slip_text_printf(&j->ends, "%s %s = %.9g (%s)", j->ends.length > 0 ? " and" : "",
                             j->branch.parameters[0], label.value, label.note);
        return SLIP_OK;
    }
    label.number = (int)j->labels.table->count + 1;
    return slip_labels_add(j->branch.ctx, &j->labels, &label);
}

static int finish(job *j, int ended)
{
    const slip_orbit_branch *b = &j->branch;
    slip_json_writer json = {.text = &j->result->summary};
    SLIP_PASS(slip_result_take_labels(b->ctx, j->result, ""));
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(b->ctx) : NULL);
    slip_json_string(&json, "parameter", b->parameters[0]);
    slip_json_number(&json, "low", b->ranges[0][0]);
    slip_json_number(&json, "high", b->ranges[0][1]);
    if (b->parameters[1]) {
        slip_json_string(&json, "curve", b->options.curve);
        slip_json_string(&json, "second", b->parameters[1]);
    }
    slip_json_number(&json, "start", b->options.start);
    slip_json_integer(&json, "points", j->result->main.count);
    slip_json_integer(&json, "branches", j->branches);
    slip_labels_summarise(&json, j->result);
    slip_json_end_object(&json);
    return j->result->summary.failed ? slip_fail_memory(b->ctx) : SLIP_OK;
}

/* ---- All of it. */

/* Reverses the order of the rows from `first` on, so that the falling direction comes before the rising
 * one. */
static void reverse(slip_table *table, int64_t first)
{
    for (int c = 0; c < table->column_count; c++)
        for (int64_t a = first, b = table->count - 1; a < b; a++, b--) {
            const double value = table->columns[c].values[a];
            table->columns[c].values[a] = table->columns[c].values[b];
            table->columns[c].values[b] = value;
        }
}

/* Follows one branch in both directions, and the branches of twice the period that bifurcate from it. */
static int follow(job *j, slip_branch_point *start, int doublings)
{
    slip_orbit_branch *b = &j->branch;
    const int first = b->options.axis->to >= b->options.axis->from ? 1 : -1,
              multiple = b->plan.options.multiple;
    slip_branch_doubling doubled[doublings_most];
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    const int64_t rows = j->result->main.count;
    int count = 0, status = SLIP_OK;
    b->number = ++j->branches;
    b->closed = false;
    for (int k = 0; k < 2; k++) {
        const int direction = k ? first : -first;
        const int64_t begin = j->result->main.count;
        if (start->p != (direction > 0 ? b->high : b->low) && !(k > 0 && b->closed))
            SLIP_PASS(status = slip_branch_walk(b, start, direction, begin == rows, &arena, doubled,
                                                doublings > 0 ? doublings_most : 0, &count));
        if (k == 0)
            reverse(&j->result->main, rows);
    }
    for (int k = 0; k < count; k++) {
        slip_branch_doubling *const origins = b->origins;
        const int origin_count = b->origin_count;
        slip_branch_point point = {0};
        if (doubled[k].joined)
            continue;
        doubled[k].joined = true;
        b->origins = doubled;
        b->origin_count = count;
        status = slip_branch_double(b, start, &doubled[k], &point);
        if (status == SLIP_OK)
            status = follow(j, &point, doublings - 1);
        slip_branch_point_free(&point);
        b->plan.options.multiple = multiple;
        b->origins = origins;
        b->origin_count = origin_count;
        if (status < 0)
            break;
    }
    return status;
}

/* Follows the curve through every place in both directions. */
static int follow_curves(job *j)
{
    slip_orbit_branch *b = &j->branch;
    int status = SLIP_OK;
    j->curving = true;
    j->branches = 0;
    if (j->place_count == 0)
        return slip_fail(
            b->ctx, SLIP_ERROR_SOLVER,
            "branch: found no %s over %s from %g to %g, where its curve could start: the branch ends at%s; "
            "give another range, or another value of `%s`",
            b->options.curve, b->parameters[0], b->ranges[0][0], b->ranges[0][1],
            j->ends.data ? j->ends.data : "", b->parameters[1]);
    for (int k = 0; k < j->place_count; k++) {
        const int64_t rows = j->result->main.count;
        b->number = ++j->branches;
        SLIP_PASS(status = slip_branch_curve(b, &j->places[k], -1, true));
        reverse(&j->result->main, rows);
        SLIP_PASS(status = slip_branch_curve(b, &j->places[k], 1, false));
    }
    return status;
}

int slip_branch_follow(slip_context *ctx, const slip_model *model, const slip_branch_options *given,
                       slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_branch_options, options, given);
    SLIP_TAKE_INNER(slip_orbit_options, options, orbit);
    job j = {.branch = {.ctx = ctx,
                        .model = model,
                        .bound_at = NAN,
                        .longest = INFINITY,
                        .point = see_point,
                        .label = see_label}};
    j.branch.resonance = -1;
    slip_branch_point start = {0};
    const int64_t memory = slip_context_memory_failures(ctx);
    int status;
    slip_context_clear(ctx);
    j.branch.user = &j;
    SLIP_TRY(take_options(&j, model, options));
    SLIP_TRY(open(&j, model));
    SLIP_TRY(open_result(&j));
    SLIP_TRY(slip_branch_find(&j.branch, &start));
    status = follow(&j, &start, j.branch.options.doublings);
    if (status >= 0 && j.branch.parameters[1])
        status = follow_curves(&j);
    status = slip_memory_since(ctx, memory, status);
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
    for (int k = 0; k < j.place_count; k++)
        slip_branch_place_free(&j.places[k]);
    slip_branch_point_free(&start);
    slip_branch_close(&j.branch);
    slip_text_free(&j.ends);
    free(j.row);
    return status;
}

/* ---- The study. */

static const char *const branch_curves[] = {"LP", "PD", "NS", "BP", "GR", "SL", "PR", NULL};
static const slip_field section_fields[] = {
    SLIP_FIELD(slip_branch_options, start, NUMBER, SLIP_ANY, NULL,
               "value of the parameter at the motion that is found first",
               "the model's, where that is in the range, else its first", NULL),
    SLIP_FIELD(slip_branch_options, spacing, NUMBER, {1e-6, 1, false}, NULL,
               "largest distance of points, over the range and the motion", "0.05", NULL),
    SLIP_FIELD(slip_branch_options, points, COUNT, {1, 1000000, false}, NULL, "most points in each direction",
               "400", NULL),
    SLIP_FIELD(slip_branch_options, doublings, COUNT, {0, 10, false}, NULL,
               "how many times branches that double the period are followed too", "0", NULL),
    SLIP_FIELD(slip_branch_options, curve, WORD, SLIP_ANY, branch_curves,
               "labels that are followed over both parameters of `over`", "none", NULL),
    SLIP_FIELD(slip_branch_options, resonance, TEXT, SLIP_ANY, NULL,
               "coordinate whose phase resonances are labelled `PR`", "none", NULL),
    SLIP_FIELD(slip_branch_options, harmonics, COUNT, {0, 60, false}, NULL,
               "of harmonic balance, which is taken in place of shooting", "0: shooting", NULL),
};

static const char *const other_keys[] = {"over", NULL};

SLIP_STUDY_FUNCTIONS(slip_branch_options, slip_branch_follow)

const slip_study slip_study_branch = {
    .fields = SLIP_FIELDS("branch", "branch.", section_fields),
    .size = sizeof(slip_branch_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_branch,
    .run = run_section,
    .view = {.kind = "branch", .draw = slip_branch_draw},
};
