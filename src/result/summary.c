/* summary.json of a run, and the numbers of any result by path. */
#include "result/result.h"

#include "io/json.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { mode_count = SLIP_MODE_CLOSED + 1 };

static const char *series_name(const slip_result *result, int coordinate, int part)
{
    return result->main.columns[slip_series_coordinate(coordinate, part)].name;
}

static void write_maxima(slip_json_writer *json, const slip_result *result, const double *q, const double *v,
                         const double *a)
{
    for (int i = 0; i < result->n; i++) {
        slip_json_number(json, series_name(result, i, 0), q[i]);
        slip_json_number(json, series_name(result, i, 1), v[i]);
        slip_json_number(json, series_name(result, i, 2), a[i]);
    }
}

static void write_by_coordinate(slip_json_writer *json, const slip_result *result, const char *key,
                                const double *values)
{
    slip_json_object(json, key);
    for (int i = 0; i < result->n; i++)
        slip_json_number(json, result->names[i], values[i]);
    slip_json_end_object(json);
}

static void write_transitions(slip_json_writer *json, const slip_result *result, int contact)
{
    int64_t counts[mode_count][mode_count] = {{0}};
    for (int64_t k = 0; k < result->event_count; k++)
        if (result->events[k].contact == contact)
            counts[result->events[k].from][result->events[k].to]++;
    slip_json_object(json, result->contact_names[contact]);
    for (int from = 0; from < mode_count; from++) {
        for (int to = 0; to < mode_count; to++) {
            char key[32];
            if (counts[from][to] == 0)
                continue;
            snprintf(key, sizeof key, "%s>%s", slip_mode_name((slip_mode)from),
                     slip_mode_name((slip_mode)to));
            slip_json_integer(json, key, counts[from][to]);
        }
    }
    slip_json_end_object(json);
}

static void write_events(slip_json_writer *json, const slip_result *result)
{
    slip_json_object(json, "events");
    slip_json_integer(json, "total", result->event_count);
    slip_json_object(json, "contacts");
    for (int c = 0; c < result->contact_count; c++)
        write_transitions(json, result, c);
    slip_json_end_object(json);
    slip_json_end_object(json);
}

/* ---- Numbers of the structure, by their paths to objects in each other. */

/* Whether a number before `index` has the same first `length` characters, so that its object is open. */
static bool is_opened(const slip_result *r, int64_t index, size_t length)
{
    for (int64_t k = 0; k < index; k++)
        if (strncmp(r->numbers[k].name, r->numbers[index].name, length) == 0)
            return true;
    return false;
}

/* Those whose names begin with the first `length` characters of `prefix`; outside of all objects without
 * those that every run has. */
static void write_numbers(slip_json_writer *json, const slip_result *r, const char *prefix, size_t length)
{
    for (int64_t k = 0; k < r->number_count; k++) {
        const char *name = r->numbers[k].name, *rest = name + length, *dot = strchr(rest, '.');
        char key[100];
        if (strncmp(name, prefix, length) != 0 ||
            (length == 0 && (strncmp(name, "final.", 6) == 0 || strncmp(name, "energy.", 7) == 0)))
            continue;
        if (!dot) {
            slip_json_number(json, rest, r->numbers[k].value);
        } else if (!is_opened(r, k, (size_t)(dot + 1 - name))) {
            snprintf(key, sizeof key, "%.*s", (int)(dot - rest), rest);
            slip_json_object(json, key);
            write_numbers(json, r, name, (size_t)(dot + 1 - name));
            slip_json_end_object(json);
        }
    }
}

static void write_final(slip_json_writer *json, const slip_result *result)
{
    slip_json_object(json, "final");
    slip_json_number(json, "t", result->final_t);
    for (int i = 0; i < result->n; i++) {
        slip_json_number(json, series_name(result, i, 0), result->final_q[i]);
        slip_json_number(json, series_name(result, i, 1), result->final_v[i]);
    }
    for (int k = 0; k < result->state_count; k++)
        slip_json_number(json, result->main.columns[slip_series_output(result, k)].name,
                         result->final_v[result->n + k]);
    write_numbers(json, result, "final.", 6);
    slip_json_end_object(json);
}

/* The numbers of a contact and of the energies by name. */
typedef struct named {
    const char *name;
    size_t at;
} named;
static const named contact_numbers[] = {{"force", offsetof(slip_contact_account, force)},
                                        {"normal", offsetof(slip_contact_account, normal)},
                                        {"impulse", offsetof(slip_contact_account, impulse)},
                                        {"work", offsetof(slip_contact_account, work)},
                                        {"dissipation", offsetof(slip_contact_account, dissipation)},
                                        {"contact_time", offsetof(slip_contact_account, touch.time)},
                                        {"first_contact", offsetof(slip_contact_account, touch.first)},
                                        {"last_contact", offsetof(slip_contact_account, touch.last)}};
static const named energy_numbers[] = {{"kinetic_start", offsetof(slip_energies, kinetic[0])},
                                       {"kinetic_end", offsetof(slip_energies, kinetic[1])},
                                       {"potential_start", offsetof(slip_energies, potential[0])},
                                       {"potential_end", offsetof(slip_energies, potential[1])},
                                       {"largest", offsetof(slip_energies, largest)},
                                       {"loads", offsetof(slip_energies, loads)},
                                       {"damping", offsetof(slip_energies, damping)},
                                       {"impacts", offsetof(slip_energies, impacts)},
                                       {"balance", offsetof(slip_energies, balance)},
                                       {"start", offsetof(slip_energies, start)},
                                       {"end", offsetof(slip_energies, end)},
                                       {"drift", offsetof(slip_energies, drift)}};
enum {
    contact_number_count = sizeof contact_numbers / sizeof *contact_numbers,
    energy_number_count = sizeof energy_numbers / sizeof *energy_numbers
};

/* What is not known is left out. The object stays open. */
static void write_named(slip_json_writer *json, const char *key, const named *names, int count,
                        const void *of)
{
    slip_json_object(json, key);
    for (int k = 0; k < count; k++) {
        const double value = *(const double *)((const char *)of + names[k].at);
        if (!isnan(value))
            slip_json_number(json, names[k].name, value);
    }
}

static void write_account(slip_json_writer *json, const slip_result *result)
{
    if (isnan(result->energies.largest))
        return;
    slip_json_object(json, "contacts");
    for (int c = 0; c < result->contact_count; c++) {
        write_named(json, result->contact_names[c], contact_numbers, contact_number_count,
                    &result->contacts[c]);
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
    write_named(json, "energy", energy_numbers, energy_number_count, &result->energies);
    write_numbers(json, result, "energy.", 7);
    slip_json_end_object(json);
}

/* Of all contacts that can be open. */
static void write_touch(slip_json_writer *json, const slip_result *result)
{
    if (isnan(result->touch.time))
        return;
    slip_json_number(json, "contact_time", result->touch.time);
    slip_json_number(json, "first_contact", result->touch.first);
    slip_json_number(json, "last_contact", result->touch.last);
    slip_json_number(json, "peak_force", result->peak);
}

static void write_steady(slip_json_writer *json, const slip_result *result)
{
    const slip_steady_result *steady = &result->steady;
    slip_json_object(json, "steady");
    slip_json_bool(json, "settled", steady->settled);
    slip_json_number(json, "period", steady->settled ? steady->multiple * steady->forcing_period : NAN);
    slip_json_integer(json, "multiple", steady->multiple);
    slip_json_number(json, "forcing_period", steady->forcing_period);
    slip_json_integer(json, "periods_run", steady->periods_run);
    slip_json_number(json, "last_change", steady->last_change);
    slip_json_number(json, "error", steady->error);
    slip_json_object(json, "max");
    write_maxima(json, result, steady->max_q, steady->max_v, steady->max_a);
    slip_json_object(json, "force");
    for (int c = 0; c < result->contact_count; c++)
        slip_json_number(json, result->contact_names[c], steady->max_force[c]);
    slip_json_end_object(json);
    slip_json_end_object(json);
    write_by_coordinate(json, result, "amplitude", steady->amplitude);
    write_by_coordinate(json, result, "phase_lag", steady->phase_lag);
    slip_json_end_object(json);
}

static const struct ending {
    int status;
    const char *name;
} endings[] = {{SLIP_ERROR_SOLVER, "solver"}, {SLIP_INTERRUPTED, "interrupted"}, {SLIP_STOPPED, "stopped"}};
enum { ending_count = sizeof endings / sizeof endings[0] };

void slip_summary_write_ending(slip_json_writer *json, int status, const char *message)
{
    for (int k = 0; k < ending_count; k++)
        if (endings[k].status == status)
            slip_json_string(json, "ended", endings[k].name);
    if (message)
        slip_json_string(json, "message", message);
}

/* Writes the judge's residual for methods that compute it. For others 0 means "not computed". */
static void write_residual(slip_json_writer *json, const slip_result *result)
{
    if (result->counters.residual > 0 || result->judged)
        slip_json_number(json, "residual", result->counters.residual);
    if (result->counters.accumulations > 0)
        slip_json_integer(json, "accumulations", result->counters.accumulations);
}

void slip_summary_write_motion(const slip_result *result, slip_json_writer *json)
{
    write_events(json, result);
    write_final(json, result);
    slip_json_object(json, "max");
    write_maxima(json, result, result->max_q, result->max_v, result->max_a);
    for (int k = 0; k < result->output_count; k++)
        slip_json_number(json, result->main.columns[slip_series_output(result, k)].name,
                         result->max_output[k]);
    slip_json_end_object(json);
    write_account(json, result);
}

static void write_run(slip_json_writer *json, const slip_result *result)
{
    slip_json_object(json, NULL);
    slip_json_string(json, "method", result->method);
    slip_summary_write_ending(json, result->status, result->message);
    slip_json_integer(json, "steps", result->counters.steps);
    slip_json_integer(json, "evaluations", result->counters.evaluations);
    write_residual(json, result);
    slip_summary_write_motion(result, json);
    if (result->steady.asked)
        write_steady(json, result);
    write_touch(json, result);
    write_numbers(json, result, "", 0);
    slip_json_number(json, "wall_seconds", result->wall_seconds);
    slip_json_end_object(json);
}

/* The text of summary.json of a run. */
static int write_summary(slip_context *ctx, const slip_result *result, slip_text *text)
{
    slip_json_writer json = {.text = text};
    write_run(&json, result);
    if (!text->failed)
        return SLIP_OK;
    return ctx ? slip_fail_memory(ctx) : SLIP_ERROR_MEMORY;
}

const char *slip_result_summary(slip_context *ctx, slip_result *result)
{
    if (!result)
        return NULL;
    if (result->summary.length == 0 && write_summary(ctx, result, &result->summary) < 0) {
        slip_text_free(&result->summary);
        return NULL;
    }
    return result->summary.data;
}

/* The entry of summary.json. Of a result that was loaded it is at hand, else the tree is the arena's. */
static const slip_json *find(const slip_result *result, const char *path, slip_arena *arena)
{
    if (result->tree)
        return slip_json_find_path(result->tree, path);
    slip_context *ctx = slip_context_create();
    slip_text own = {0};
    const slip_text *text = result->summary.length > 0 ? &result->summary : &own;
    const slip_json *json = NULL;
    if (ctx && (text != &own || write_summary(ctx, result, &own) == SLIP_OK))
        slip_json_parse(ctx, arena, "summary", text->data, text->length, &json);
    slip_text_free(&own);
    slip_context_destroy(ctx);
    return json ? slip_json_find_path(json, path) : NULL;
}

void slip_result_seek(const slip_result *result, int count, slip_json_wanted *wanted)
{
    slip_json_writer seeker = slip_json_seeker(count, wanted);
    if (result->summary.length == 0) {
        write_run(&seeker, result);
        return;
    }
    for (int k = 0; k < count; k++) {
        slip_arena arena = {0};
        const slip_json *found = find(result, wanted[k].path, &arena);
        wanted[k].found = found != NULL;
        if (found && (found->type == SLIP_JSON_NUMBER || found->type == SLIP_JSON_BOOL))
            wanted[k].number = found->number;
        slip_arena_free(&arena);
    }
}

double slip_result_number(const slip_result *result, const char *path)
{
    slip_json_wanted wanted = {.path = path};
    if (!result || !path)
        return NAN;
    slip_result_seek(result, 1, &wanted);
    return wanted.number;
}

const char *slip_result_text(slip_result *result, const char *path)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    const slip_json *found = result && path ? find(result, path, &arena) : NULL;
    const char *text = !found || found->type != SLIP_JSON_STRING ? NULL
                       : result->tree                            ? found->string
                                      : slip_arena_string(&result->arena, found->string);
    return text;
}
