/* Lyapunov exponents of the motion of a model. */
#include "slipstick/lyapunov.h"
#include "study/describe.h"

#include "card/card.h"
#include "figure/album.h"
#include "io/json.h"
#include "model/study.h"
#include "result/result.h"
#include "study/spectrum.h"
#include "study/sweep/together.h"
#include "system/friction/friction.h"
#include "system/massless/massless.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { intervals_least = 64, rows_most = 500, points_together = 16 };
static const double least_growth =
    1e-6; /* in an interval: the steps of a motion make deviations of their own */
static const double intervals_most = 1e9; /* as many as there may be averaged; of the transient too */

SLIP_OPTIONS_FILL(slip_lyapunov_options, .transient = NAN, .intervals = -1, .part = 1, .parts = 1)

typedef struct job {
    slip_context *ctx;
    const slip_model *model;
    slip_lyapunov_options options; /* complete */
    double interval;
    slip_simulation *simulation;
    slip_spectrum spectrum;
    slip_arena arena;
    int n, contacts, idle;
    bool *sticks;     /* contacts that have stuck or closed in this interval */
    bool *forgetting; /* contacts that did so in intervals with a singular derivative */
    double *exponents, *errors;
    slip_model *bound;
    const slip_model *ready;
} job;

/* ---- Options. */

static double span_of(const job *j, const slip_model *ready)
{
    const slip_run_options *run = j->options.run, *own = &ready->simulate;
    const double start = run && !isnan(run->start) ? run->start : isnan(own->start) ? 0 : own->start;
    return (run && !isnan(run->end) ? run->end : own->end) - start;
}

static int complete(job *j, const slip_model *ready)
{
    slip_lyapunov_options *o = &j->options;
    const slip_lyapunov_options *section = slip_model_section(ready, &slip_study_lyapunov);
    const double span = span_of(j, ready);
    o->interval = o->interval ? o->interval : section->interval;
    o->transient = isnan(o->transient) ? section->transient : o->transient;
    o->intervals = o->intervals > 0 ? o->intervals : section->intervals > 0 ? section->intervals : 2000;
    j->interval = isfinite(ready->simulate.steady_period) ? ready->simulate.steady_period : span / 50;
    if (o->interval)
        SLIP_PASS(slip_model_evaluate(j->ctx, ready, "the interval", o->interval, &j->interval));
    if (!(j->interval > 0 && isfinite(j->interval)))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "lyapunov: the interval is %g, expected more than 0: --interval, or a time span or a steady "
            "period in `simulate`",
            j->interval);
    if (isnan(o->transient))
        o->transient = span > 0 ? span : 200 * j->interval;
    SLIP_PASS(slip_fields_check(j->ctx, &slip_study_lyapunov.fields, o));
    if (!(o->transient <= intervals_most * j->interval))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "lyapunov: the transient, a time of %g, has %.3g intervals of %g, expected at most %g: give "
            "a longer --interval or a shorter --transient",
            o->transient, o->transient / j->interval, j->interval, intervals_most);
    return SLIP_OK;
}

/* ---- Following. */

/* Notes a contact that sticks or closes: deviations in its slip or gap vanish there. */
static void note_mode(job *j, int contact, slip_mode mode)
{
    const slip_contact *c = &j->simulation->ready->system->contacts[contact];
    j->sticks[contact] |= mode == SLIP_MODE_STICK || slip_contact_closed(c, mode);
}

/* Also an impact without restitution, or with friction, after which the contact opens again at once. */
static int see_event(void *user, const slip_event *event)
{
    job *j = user;
    const slip_contact *c = &j->simulation->ready->system->contacts[event->contact];
    note_mode(j, event->contact, event->to);
    if (event->from == SLIP_MODE_OPEN && event->to == SLIP_MODE_OPEN)
        j->sticks[event->contact] |= c->restitution == 0 || c->impact_friction;
    return 0;
}

/* Deviations grow by the inverse of the impact velocity; below 1e-5 of usual speeds other deviations are lost
 * beside them at any interval. */
static int refuse_interval(const job *j, double t)
{
    const double graze = j->simulation->graze;
    if (graze < 1e-5)
        return slip_fail(
            j->ctx, SLIP_ERROR_SOLVER,
            "lyapunov: before t = %.9g the motion grazes: it meets a stop with %.2g of its speed. "
            "There it has no derivative, and so no exponents; expected one that hits its stops or "
            "does not reach them",
            t, graze);
    return slip_fail(
        j->ctx, SLIP_ERROR_SOLVER,
        "lyapunov: over an interval of %.6g up to t = %.9g some deviations shrink to nothing beside "
        "others, which contacts do not make them do: expected a shorter interval",
        j->interval, t);
}

/* The number of directions that can vanish without contact events: those of coordinates without mass, and of
 * sliders, whose deflections are fixed where they yield. */
static int count_idle(const slip_system *system)
{
    const slip_system *moving = slip_system_moving(system);
    int count = slip_system_coordinates(system) + system->n - slip_system_coordinates(moving) - moving->n;
    for (int64_t k = 0; k < moving->slider_count; k++)
        count += moving->sliders[k].plane ? 2 : 1;
    return count;
}

static int advance(job *j, double t)
{
    const slip_system *system = j->simulation->ready->system;
    int rank = 0, forgotten = j->idle;
    for (int c = 0; c < j->contacts; c++) {
        j->sticks[c] = false;
        note_mode(j, c, slip_simulation_mode(j->simulation, system->contacts[c].name));
    }
    SLIP_PASS(slip_spectrum_advance(j->ctx, &j->spectrum, j->simulation, t, &rank));
    for (int c = 0; c < j->contacts && rank < j->n; c++) {
        forgotten += j->sticks[c] ? slip_contact_forgets(&system->contacts[c]) : 0;
        j->forgetting[c] |= j->sticks[c] || system->contacts[c].slider_count > 0;
    }
    if (rank < j->n - forgotten)
        return refuse_interval(j, t);
    return SLIP_OK;
}

static void report(const job *j, double fraction)
{
    if (!slip_progress_due(j->ctx))
        return;
    const slip_progress progress = {.what = "lyapunov", .fraction = fraction, .steps = j->spectrum.count};
    slip_progress_report(j->ctx, &progress);
}

/* Follows the basis through the transient, then averages. */
static int follow(job *j)
{
    const int64_t before = j->options.intervals / 10, all = before + j->options.intervals;
    const double start = slip_simulation_time(j->simulation);
    int status = SLIP_OK;
    if (j->options.transient > 0)
        SLIP_PASS(status = slip_simulation_advance(j->ctx, j->simulation, start + j->options.transient));
    for (int64_t k = 0; k < all; k++) {
        if (k == before)
            slip_spectrum_restart(&j->spectrum);
        SLIP_PASS(status = advance(j, start + j->options.transient + (double)(k + 1) * j->interval));
        report(j, (double)k / (double)all);
    }
    if (2 * j->spectrum.skipped > j->options.intervals)
        status =
            slip_fail(j->ctx, SLIP_ERROR_SOLVER,
                      "lyapunov: %lld of %lld intervals have no derivative: the motion grazes all the time",
                      (long long)j->spectrum.skipped, (long long)j->options.intervals);
    return status;
}

static int open_job(job *j)
{
    slip_run_options run = j->options.run ? *j->options.run : slip_run_options_default();
    SLIP_PASS(slip_model_ready(j->ctx, j->model, run.values, &j->bound, &j->ready));
    SLIP_PASS(complete(j, j->ready));
    run.values = NULL;
    run.steady_period = j->interval;
    run.event_observer = see_event;
    run.observer_user = j;
    j->contacts = (int)j->ready->system->contact_count;
    j->sticks = slip_arena_array(&j->arena, 2 * (int64_t)j->contacts + 1, sizeof *j->sticks);
    SLIP_PASS(slip_allocated(j->ctx, j->sticks));
    j->forgetting = j->sticks + j->contacts;
    SLIP_PASS(slip_simulation_open_run(j->ctx, j->ready, NULL, &run, &j->simulation));
    j->n = slip_simulation_state_size(j->simulation);
    j->idle = count_idle(j->simulation->ready->system);
    if (j->n == 0)
        return slip_fail(j->ctx, SLIP_ERROR_USAGE, "lyapunov: expected a model with coordinates");
    j->exponents = slip_arena_array(&j->arena, 2 * (int64_t)j->n, sizeof(double));
    SLIP_PASS(slip_allocated(j->ctx, j->exponents));
    j->errors = j->exponents + j->n;
    return slip_spectrum_open(j->ctx, j->n, &j->spectrum);
}

static void close_job(job *j)
{
    slip_spectrum_close(&j->spectrum);
    slip_simulation_close(j->simulation);
    slip_model_destroy(j->bound);
    slip_arena_free(&j->arena);
}

/* ---- The result. */

static void write_value(slip_json_writer *json, double value)
{
    if (isinf(value))
        slip_json_string(json, NULL, "-inf");
    else
        slip_json_number(json, NULL, value);
}

/* Dimension of Kaplan and Yorke: the interpolated number of exponents, the largest first, whose sum is zero.
 * An exponent within two errors of zero is zero. */
static double dimension(const job *j)
{
    double sum = 0;
    for (int i = 0; i < j->n; i++) {
        const double value = fabs(j->exponents[i]) <= 2 * j->errors[i] ? 0 : j->exponents[i];
        if (sum + value < 0)
            return i + (isinf(value) ? 0 : sum / -value);
        sum += value;
    }
    return j->n;
}

static int lost_count(const job *j)
{
    int lost = 0;
    for (int i = 0; i < j->n; i++)
        lost += isinf(j->exponents[i]) != 0;
    return lost;
}

static void write_numbers(const job *j, slip_json_writer *json)
{
    const slip_system *system = j->simulation->ready->system;
    const int last = j->n;
    double sum = 0;
    slip_json_list(json, "exponents");
    for (int i = 0; i < last; i++) {
        write_value(json, j->exponents[i]);
        sum += isinf(j->exponents[i]) ? 0 : j->exponents[i];
    }
    slip_json_end_list(json);
    slip_json_list(json, "error");
    for (int i = 0; i < last; i++)
        slip_json_number(json, NULL, j->errors[i]);
    slip_json_end_list(json);
    slip_json_number(json, "time", (double)j->spectrum.count * j->interval);
    slip_json_number(json, "interval", j->interval);
    slip_json_number(json, "transient", j->options.transient);
    slip_json_integer(json, "skipped", j->spectrum.skipped);
    slip_json_number(json, "largest", j->exponents[0]);
    slip_json_number(json, "sum", sum);
    slip_json_number(json, "dimension", dimension(j));
    slip_json_bool(json, "chaotic",
                   j->exponents[0] > 3 * j->errors[0] && j->exponents[0] * j->interval > least_growth);
    slip_json_integer(json, "lost", lost_count(j));
    slip_json_list(json, "sticks");
    for (int c = 0; c < j->contacts; c++)
        if (j->forgetting[c])
            slip_json_string(json, NULL, system->contacts[c].name);
    slip_json_end_list(json);
}

/* Averages up to some times, for the picture. */
static int add_rows(job *j, slip_table *table)
{
    const slip_spectrum *s = &j->spectrum;
    double *sum = slip_arena_array(&j->arena, 2 * (int64_t)j->n + 1, sizeof *sum), *row = sum + j->n;
    SLIP_PASS(slip_allocated(j->ctx, sum));
    SLIP_PASS(slip_table_add(j->ctx, table, &(slip_column_info){.name = "time"}));
    for (int i = 0; i < j->n; i++) {
        char name[40];
        snprintf(name, sizeof name, "exponent%d", i + 1);
        SLIP_PASS(slip_table_add(j->ctx, table, &(slip_column_info){.name = name}));
    }
    const int64_t every = (s->count + rows_most - 1) / rows_most;
    for (int64_t k = 1; k <= s->count; k++) {
        row[0] = (double)k * j->interval;
        for (int i = 0; i < j->n; i++) {
            sum[i] += s->logs[(k - 1) * j->n + i];
            row[1 + i] = s->lost[i] ? -INFINITY : sum[i] / row[0];
        }
        if (k % every == 0 || k == s->count)
            SLIP_PASS(slip_table_append(j->ctx, table, row));
    }
    return SLIP_OK;
}

static int add_exponents(job *j, slip_result *result)
{
    slip_table *table = slip_result_add_table(j->ctx, result, "exponents", NULL);
    SLIP_PASS(slip_allocated(j->ctx, table));
    SLIP_PASS(slip_table_add(j->ctx, table, &(slip_column_info){.name = "value"}));
    SLIP_PASS(slip_table_add(j->ctx, table, &(slip_column_info){.name = "error"}));
    for (int i = 0; i < j->n; i++)
        SLIP_PASS(slip_table_append(j->ctx, table, (const double[]){j->exponents[i], j->errors[i]}));
    return SLIP_OK;
}

static int make_result(job *j, int ended, slip_result **result)
{
    slip_text document = {0};
    int status;
    SLIP_TRY(slip_result_create(j->ctx, "lyapunov", "lyapunov.csv", result));
    slip_spectrum_estimate(&j->spectrum, j->interval, j->exponents, j->errors);
    slip_json_writer json = {.text = &(*result)->summary}, file = {.text = &document};
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(j->ctx) : NULL);
    write_numbers(j, &json);
    slip_json_end_object(&json);
    slip_json_object(&file, NULL);
    write_numbers(j, &file);
    slip_json_end_object(&file);
    SLIP_TRY((*result)->summary.failed || document.failed ? slip_fail_memory(j->ctx) : SLIP_OK);
    SLIP_TRY(slip_result_add_document(j->ctx, *result, "lyapunov.json", document.data));
    SLIP_TRY(add_rows(j, &(*result)->main));
    SLIP_TRY(add_exponents(j, *result));
    SLIP_TRY(slip_describe(j->ctx, *result, j->model, NULL));
done:
    slip_text_free(&document);
    return slip_result_or_none(result, status);
}

/* ---- Over axes: a task of a sweep (study/sweep/sweep.h). */

enum { of_dimension, of_lost, of_time, of_skipped, single_count };

static int name_exponents(slip_sweep_job *sweep, const char *what, int n)
{
    for (int i = 0; i < n; i++) {
        char number[12];
        snprintf(number, sizeof number, "%d", i + 1);
        SLIP_PASS(slip_sweep_collect(sweep, what, number, ""));
    }
    return SLIP_OK;
}

/* The motion of the model as it stands says how many exponents there are. A journal of
 * another interval is refused: it is a setting, at the model's own numbers. */
static int choose_numbers(slip_sweep_job *sweep)
{
    const slip_lyapunov_options *given = sweep->user;
    SLIP_FREED_BY(close_job) job j = {.ctx = sweep->ctx, .model = sweep->model, .options = *given};
    SLIP_PASS(open_job(&j));
    sweep->collect = slip_arena_array(&sweep->arena, 2 * (int64_t)j.n + single_count, sizeof *sweep->collect);
    SLIP_PASS(slip_allocated(sweep->ctx, sweep->collect));
    SLIP_PASS(name_exponents(sweep, "exponent", j.n));
    SLIP_PASS(slip_sweep_collect(sweep, "dimension", "", ""));
    SLIP_PASS(slip_sweep_collect(sweep, "lost", "", ""));
    SLIP_PASS(slip_sweep_collect(sweep, "time", "", ""));
    SLIP_PASS(slip_sweep_collect(sweep, "skipped", "", ""));
    SLIP_PASS(name_exponents(sweep, "error", j.n));
    sweep->info.settings[sweep->info.setting_count++] =
        (slip_sweep_setting){"intervals", (double)j.options.intervals};
    sweep->info.settings[sweep->info.setting_count++] = (slip_sweep_setting){"interval", j.interval};
    sweep->info.settings[sweep->info.setting_count++] =
        (slip_sweep_setting){"transient", j.options.transient};
    return SLIP_OK;
}

static void give_numbers(job *j, double *numbers)
{
    slip_spectrum_estimate(&j->spectrum, j->interval, j->exponents, j->errors);
    memcpy(numbers, j->exponents, (size_t)j->n * sizeof *numbers);
    numbers[j->n + of_dimension] = dimension(j);
    numbers[j->n + of_lost] = lost_count(j);
    numbers[j->n + of_time] = (double)j->spectrum.count * j->interval;
    numbers[j->n + of_skipped] = (double)j->spectrum.skipped;
    memcpy(numbers + j->n + single_count, j->errors, (size_t)j->n * sizeof *numbers);
}

static int run_point(const slip_sweep_job *sweep, slip_context *ctx, const slip_run_options *how,
                     double *numbers, slip_text *word)
{
    SLIP_FREED_BY(close_job)
    job j = {.ctx = ctx, .model = sweep->model, .options = *(const slip_lyapunov_options *)sweep->user};
    (void)word;
    j.options.run = how;
    SLIP_PASS(open_job(&j));
    SLIP_PASS(follow(&j));
    give_numbers(&j, numbers);
    return SLIP_OK;
}

/* ---- Points in vector lanes, which yield the derivative of each interval. Points that a single run would
 * refuse, or with intervals that it would skip, are run by themselves. */

static int aim_lane(const slip_sweep_job *sweep, slip_context *ctx, const slip_model *bound,
                    const slip_run_options *how, slip_sweep_candidate *c)
{
    job j = {.ctx = ctx, .model = sweep->model, .options = *(const slip_lyapunov_options *)sweep->user};
    j.options.run = how;
    SLIP_PASS(complete(&j, bound));
    c->until = c->start + j.options.transient;
    c->interval = j.interval;
    c->intervals = j.options.intervals;
    return SLIP_OK;
}

static int open_lane(slip_context *ctx, const slip_batch *batch, const slip_sweep_candidate *c, job *j)
{
    j->ctx = ctx;
    j->interval = c->interval;
    j->n = 2 * slip_batch_coordinates(batch);
    j->exponents = slip_arena_array(&j->arena, 2 * (int64_t)j->n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, j->exponents));
    j->errors = j->exponents + j->n;
    return slip_spectrum_open(ctx, j->n, &j->spectrum);
}

/* The next interval: its derivative, and behind it which contacts have stuck or closed. c->reason is set
 * where the point has to be run by itself. */
static int take_interval(const slip_system *system, job *j, const double *derivative, slip_sweep_candidate *c)
{
    const unsigned sticks = (unsigned)derivative[j->n * j->n];
    int rank, forgotten = 0;
    for (int i = 0; i < j->n * j->n; i++)
        if (!isfinite(derivative[i]))
            return snprintf(c->reason, sizeof c->reason, "its motion grazes"), SLIP_OK;
    SLIP_PASS(slip_spectrum_take(j->ctx, &j->spectrum, derivative, &rank));
    for (int k = 0; k < system->contact_count; k++)
        forgotten += sticks >> k & 1 ? slip_contact_forgets(&system->contacts[k]) : 0;
    if (rank < j->n - forgotten)
        snprintf(c->reason, sizeof c->reason, "some deviations shrink to nothing in an interval");
    return SLIP_OK;
}

/* Some intervals of a lane, of which the first is number `from`. */
static int take_intervals(const slip_system *system, job *j, int64_t from, int64_t count,
                          const double *derivatives, slip_sweep_candidate *c)
{
    for (int64_t k = 0; k < count && !c->reason[0]; k++) {
        if (from + k == c->intervals / 10)
            slip_spectrum_restart(&j->spectrum);
        SLIP_PASS(take_interval(system, j, derivatives + k * (j->n * j->n + 1), c));
    }
    return SLIP_OK;
}

static int finish_lane(const slip_sweep_job *sweep, job *j, slip_sweep_candidate *c)
{
    c->numbers = slip_alloc(sweep->width + 1, sizeof *c->numbers);
    SLIP_PASS(slip_allocated(j->ctx, c->numbers));
    give_numbers(j, c->numbers);
    return SLIP_OK;
}

/* Lanes that are followed at a time: what their logarithms have room for. */
static int64_t lanes_at_a_time(int64_t count, const slip_sweep_candidate *c, int n)
{
    const double most = (1 << 24) / (1.1 * (double)c->intervals * n);
    return most < 1 ? 1 : most < (double)count ? (int64_t)most : count;
}

static int follow_some(const slip_sweep_job *sweep, slip_context *ctx, slip_batch *batch, int64_t count,
                       slip_sweep_candidate *const *list, job *jobs)
{
    enum { at_a_time = 16 };
    const int n = 2 * slip_batch_coordinates(batch), width = slip_batch_derivatives(batch);
    const int64_t all = list[0]->intervals / 10 + list[0]->intervals;
    SLIP_FREED int64_t *going = slip_alloc(2 * count + 1, sizeof *going);
    SLIP_FREED double *states = slip_alloc(count * at_a_time * (n + width) + 1, sizeof *states);
    int64_t left = 0, *lanes = going ? going + count : NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, going && states));
    for (int64_t k = 0; k < count; k++) {
        SLIP_PASS(status = open_lane(ctx, batch, list[k], &jobs[k]));
        slip_batch_restart(batch, list[k]->lane, list[k]->interval);
        going[left++] = k;
    }
    double *derivatives = states + count * at_a_time * n;
    for (int64_t from = 0; from < all && left > 0 && status == SLIP_OK; from += at_a_time) {
        const int64_t some = all - from < at_a_time ? all - from : at_a_time;
        int64_t kept = 0;
        for (int64_t k = 0; k < left; k++)
            lanes[k] = list[going[k]]->lane;
        SLIP_PASS_ALL(status = slip_batch_differentiate(ctx, batch, lanes, left, some, states, derivatives));
        for (int64_t k = 0; k < left; k++) {
            slip_sweep_candidate *c = list[going[k]];
            if (slip_batch_get(batch, c->lane).status != BATCH_GOES_ON)
                continue;
            SLIP_PASS(status = take_intervals(sweep->model->system, &jobs[going[k]], from, some,
                                              derivatives + k * some * width, c));
            if (!c->reason[0])
                going[kept++] = going[k];
        }
        left = kept;
    }
    for (int64_t k = 0; k < left; k++)
        SLIP_PASS(status = finish_lane(sweep, &jobs[going[k]], list[going[k]]));
    return status;
}

static int follow_lanes(const slip_sweep_job *sweep, slip_context *ctx, slip_batch *batch, int64_t count,
                        slip_sweep_candidate *const *list)
{
    const int64_t room = count > 0 ? lanes_at_a_time(count, list[0], 2 * slip_batch_coordinates(batch)) : 0;
    SLIP_FREED job *jobs = slip_alloc(room + 1, sizeof *jobs);
    int status = slip_allocated(ctx, jobs);
    for (int64_t first = 0; first < count && status == SLIP_OK; first += room) {
        const int64_t some = count - first < room ? count - first : room;
        status = follow_some(sweep, ctx, batch, some, list + first, jobs);
        for (int64_t k = 0; k < some; k++) {
            close_job(&jobs[k]);
            jobs[k] = (job){0};
        }
    }
    return status;
}

static const slip_sweep_lane_task lane_task = {aim_lane, follow_lanes};

static const slip_sweep_task task = {.kind = "exponents",
                                     .file = "table.csv",
                                     .choose = choose_numbers,
                                     .run = run_point,
                                     .lanes = true,
                                     .lane_task = &lane_task,
                                     .conclude = slip_sweep_conclude};

static int measure_over_axes(slip_context *ctx, const slip_model *model, const slip_lyapunov_options *options,
                             slip_result **result)
{
    slip_sweep_job sweep = {.ctx = ctx, .model = model, .task = &task, .user = options};
    slip_sweep_together together = {0};
    sweep.options = slip_sweep_options_default();
    sweep.options.axes = options->axes;
    sweep.options.axis_count = options->axis_count;
    sweep.options.carry = 0;
    sweep.options.threads = options->threads;
    sweep.options.part = options->part;
    sweep.options.parts = options->parts;
    sweep.options.folder = options->folder;
    sweep.options.restart = options->restart;
    sweep.options.run = options->run;
    sweep.options.device = options->device;
    if (options->device && strcmp(options->device, "cuda") == 0)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "lyapunov: the device is `cuda`, which carries no derivatives; expected cpu, auto or "
            "none");
    if (slip_sweep_asks_for_lanes(&sweep.options, points_together))
        sweep.info.together = &together;
    sweep.options.device = "cpu";
    return slip_sweep_execute(&sweep, result);
}

int slip_lyapunov(slip_context *ctx, const slip_model *model, const slip_lyapunov_options *given_options,
                  slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_lyapunov_options, options, given_options);
    SLIP_TAKE_INNER(slip_run_options, options, run);
    job j = {.ctx = ctx, .model = model, .options = *options};
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(slip_card_check_name(ctx, "lyapunov", options->device));
    SLIP_TRY(slip_model_check_lumped(ctx, model));
    if (options->axes && options->axis_count > 0)
        return measure_over_axes(ctx, model, options, result);
    SLIP_TRY(open_job(&j));
    status = follow(&j);
    if (status >= 0 || (status == SLIP_INTERRUPTED && j.spectrum.count >= intervals_least)) {
        const int made = make_result(&j, status, result);
        status = made < 0 ? made : status;
    }
done:
    close_job(&j);
    return status;
}

/* ---- The picture: averages over time; those that are minus infinity are not there. */

static int draw(slip_album *album)
{
    const slip_table *table = &album->result->main;
    slip_album_figure(album, "lyapunov");
    slip_album_panel(album, "averaged over time", "Lyapunov exponents");
    for (int c = 1; c < table->column_count; c++)
        if (table->count > 0 && isfinite(table->columns[c].values[table->count - 1]))
            slip_album_curve(album, table->columns[0].values, table->columns[c].values, table->count,
                             table->columns[c].name);
    return SLIP_OK;
}

/* ---- The study. */

static const slip_field section_fields[] = {
    SLIP_FIELD(slip_lyapunov_options, interval, EXPRESSION, SLIP_POSITIVE, NULL,
               "time after which the vectors are made orthogonal again, an expression of parameters",
               "the period of `steady`, else a fiftieth of the span of `time`", NULL),
    SLIP_FIELD(slip_lyapunov_options, transient, NUMBER, SLIP_NOT_NEGATIVE, NULL,
               "time before the exponents are looked at", "the span of `time`, else 200 intervals", NULL),
    SLIP_FIELD(slip_lyapunov_options, intervals, LONG, {64, 1e9, false}, NULL, "how many are averaged",
               "2000", NULL),
};

SLIP_STUDY_FUNCTIONS(slip_lyapunov_options, slip_lyapunov)

const slip_study slip_study_lyapunov = {
    .fields = SLIP_FIELDS("lyapunov", "lyapunov.", section_fields),
    .size = sizeof(slip_lyapunov_options),
    .start = start_section,
    .run = run_section,
    .task = &task,
    .view = {.kind = "lyapunov", .draw = draw},
};
