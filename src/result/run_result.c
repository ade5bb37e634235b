/* The result of a run in time: which series it has, and how they are found again in one that was read. */
#include "method/motion.h"
#include "result/result.h"

#include <math.h>
#include <string.h>

const char *const slip_patch_parts[6] = {"slip_x", "slip_y", "spin", "force_x", "force_y", "moment"};

static const char *const coordinate_parts[3][2] = {{"q", ""}, {"v", "'"}, {"a", "''"}}; /* group, suffix */
const char *const slip_contact_parts[4] = {"slip", "normal", "force", "mode"};
enum { mode_part = 3, mode_count = SLIP_MODE_CLOSED + 1 };

/* ---- Making one. */

static bool copy_names(slip_arena *arena, int count, const char *const *from, char ***names)
{
    *names = slip_arena_array(arena, count, sizeof **names);
    for (int i = 0; *names && i < count; i++) {
        (*names)[i] = slip_arena_string(arena, from[i]);
        if (!(*names)[i])
            return false;
    }
    return *names != NULL;
}

/* The unit of the series that comes next, or NULL. */
static const char *next_unit(const slip_run_names *names, const slip_table *table)
{
    const slip_outputs *outputs = names->outputs;
    return outputs && table->column_count < outputs->series_count ? outputs->units[table->column_count]
                                                                  : NULL;
}

/* The name of a series and its place, made one after the other in the same memory. */
typedef struct label {
    slip_text full, place;
} label;

/* One after the other, up to NULL. Series are many and short, and printf is slow. */
static void join(slip_text *text, const char *const *parts)
{
    slip_text_clear(text);
    for (; *parts; parts++)
        slip_text_append(text, *parts);
}

static int add_labelled(slip_context *ctx, slip_table *table, const slip_run_names *names, const label *made,
                        const char *const *words)
{
    SLIP_PASS(slip_allocated(ctx, !made->full.failed && !made->place.failed));
    return slip_table_add(ctx, table,
                          &(slip_column_info){.name = made->full.data,
                                              .unit = next_unit(names, table),
                                              .place = made->place.data,
                                              .words = words});
}

static int add_coordinate(slip_context *ctx, slip_table *table, const slip_run_names *names, label *made,
                          const char *name, int part)
{
    join(&made->place, (const char *[]){coordinate_parts[part][0], "/", name, NULL});
    join(&made->full, (const char *[]){name, coordinate_parts[part][1], NULL});
    return add_labelled(ctx, table, names, made, NULL);
}

static int add_contact(slip_context *ctx, slip_table *table, const slip_run_names *names, label *made,
                       const char *contact, const char *part, const char *const *words)
{
    join(&made->place, (const char *[]){"contact/", contact, "/", part, NULL});
    join(&made->full, (const char *[]){contact, ".", part, NULL});
    return add_labelled(ctx, table, names, made, words);
}

static int add_output(slip_context *ctx, slip_table *table, const slip_run_names *names, label *made, int k)
{
    const char *name = names->outputs->list[k].name;
    join(&made->place, (const char *[]){k < names->outputs->state_count ? "state/" : "output/", name, NULL});
    join(&made->full, (const char *[]){name, NULL});
    return add_labelled(ctx, table, names, made, NULL);
}

static int add_series(slip_context *ctx, slip_result *result, const slip_run_names *names)
{
    slip_table *table = &result->main;
    label made = {0};
    int status =
        slip_table_add(ctx, table, &(slip_column_info){.name = "t", .unit = next_unit(names, table)});
    for (int i = 0; i < 3 * names->n && status >= 0; i++)
        status = add_coordinate(ctx, table, names, &made, names->names[i / 3], i % 3);
    for (int i = 0; i < 4 * names->contact_count && status >= 0; i++)
        status = add_contact(ctx, table, names, &made, names->contact_names[i / 4], slip_contact_parts[i % 4],
                             i % 4 == mode_part ? slip_mode_names : NULL);
    for (int i = 0; i < 6 * names->patch_count && status >= 0; i++)
        status = add_contact(ctx, table, names, &made, names->contact_names[names->patches[i / 6]],
                             slip_patch_parts[i % 6], NULL);
    for (int k = 0; names->outputs && k < names->outputs->count && status >= 0; k++)
        status = add_output(ctx, table, names, &made, k);
    for (int k = 0; k < names->series_count && status >= 0; k++)
        status = slip_table_add(ctx, table,
                                &(slip_column_info){.name = names->series[k].name,
                                                    .unit = names->series[k].unit,
                                                    .place = names->series[k].place});
    slip_text_free(&made.full);
    slip_text_free(&made.place);
    return status;
}

/* Every number that a run may leave unknown starts as NAN. */
static double *unknown(slip_arena *arena, int count)
{
    double *values = slip_arena_array(arena, count, sizeof *values);
    for (int i = 0; values && i < count; i++)
        values[i] = NAN;
    return values;
}

static bool allocate(slip_result *result, const slip_run_names *names)
{
    slip_steady_result *steady = &result->steady;
    slip_arena *arena = &result->arena;
    const int states = names->outputs ? names->outputs->state_count : 0;
    double **const of_coordinates[] = {&result->final_q,   &result->final_v,  &result->max_q, &result->max_v,
                                       &result->max_a,     &steady->max_q,    &steady->max_v, &steady->max_a,
                                       &steady->amplitude, &steady->phase_lag};
    for (size_t k = 0; k < sizeof of_coordinates / sizeof of_coordinates[0]; k++) {
        *of_coordinates[k] = unknown(arena, names->n + states);
        if (!*of_coordinates[k])
            return false;
    }
    steady->max_force = unknown(arena, names->contact_count);
    result->contacts = slip_arena_array(arena, names->contact_count, sizeof *result->contacts);
    for (int c = 0; result->contacts && c < names->contact_count; c++)
        result->contacts[c] = (slip_contact_account){NAN, NAN, NAN, NAN, NAN, {.time = NAN}};
    result->patch_contacts = slip_arena_array(arena, names->patch_count + 1, sizeof(int));
    if (!result->patch_contacts || !steady->max_force || !result->contacts ||
        !copy_names(arena, names->n, names->names, &result->names) ||
        !copy_names(arena, names->contact_count, names->contact_names, &result->contact_names))
        return false;
    if (names->patch_count > 0)
        memcpy(result->patch_contacts, names->patches, (size_t)names->patch_count * sizeof(int));
    result->n = names->n;
    result->vector_count = names->vector_count;
    result->contact_count = names->contact_count;
    result->patch_count = names->patch_count;
    result->output_count = names->outputs ? names->outputs->count : 0;
    result->state_count = states;
    result->max_output = unknown(arena, result->output_count);
    if (!result->max_output)
        return false;
    result->touch.time = NAN;
    result->energies =
        (slip_energies){{NAN, NAN}, {NAN, NAN}, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, {0, 0}};
    result->final_t = result->wall_seconds = NAN;
    steady->forcing_period = steady->last_change = steady->error = NAN;
    return true;
}

int slip_result_create_run(slip_context *ctx, const slip_run_names *names, slip_result **result)
{
    int status;
    SLIP_TRY(slip_result_create(ctx, names->kind ? names->kind : "run", NULL, result));
    SLIP_TRY(slip_allocated(ctx, allocate(*result, names)));
    SLIP_TRY(add_series(ctx, *result, names));
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    return status < 0 ? status : SLIP_OK;
}

int slip_result_add_number(slip_context *ctx, slip_result *result, const char *name, double value)
{
    int64_t at = 0;
    while (at < result->number_count && strcmp(result->numbers[at].name, name) != 0)
        at++;
    if (at == result->number_count) {
        char *copy = slip_arena_string(&result->arena, name);
        SLIP_PASS(slip_allocated(ctx, copy && SLIP_ROOM(result->numbers, result->number_capacity, at + 1)));
        result->numbers[result->number_count++].name = copy;
    }
    result->numbers[at].value = value;
    return SLIP_OK;
}

int slip_result_add_events(slip_context *ctx, slip_result *result)
{
    slip_table *table = slip_result_add_table(ctx, result, "events", "events.csv");
    SLIP_FREED const char **contacts = slip_alloc(result->contact_count + 1, sizeof *contacts);
    int status = table && contacts ? SLIP_OK : slip_fail_memory(ctx);
    for (int c = 0; c < result->contact_count && contacts; c++)
        contacts[c] = result->contact_names[c];
    const slip_column_info columns[] = {{.name = "time"},
                                        {.name = "contact", .words = contacts},
                                        {.name = "from", .words = slip_mode_names},
                                        {.name = "to", .words = slip_mode_names}};
    for (int k = 0; k < 4 && status >= 0; k++)
        status = slip_table_add(ctx, table, &columns[k]);
    for (int64_t k = 0; k < result->event_count && status >= 0; k++) {
        const slip_event *e = &result->events[k];
        status = slip_table_append(ctx, table, (const double[]){e->time, e->contact, e->from, e->to});
    }
    return status;
}

/* ---- Contact times. */

static void touch_begins(slip_touch *of, double t)
{
    if (of->closed++ > 0)
        return;
    of->since = t;
    of->first = isnan(of->first) ? t : of->first;
}

static void touch_ends(slip_touch *of, double t)
{
    if (--of->closed > 0)
        return;
    of->time += t - of->since;
    of->last = t;
}

/* Whether each contact is closed where the record begins: what its first event after that says, or, where
 * there is none, what it does in the record. */
static void find_begin(slip_result *r, double from)
{
    for (int c = 0; c < r->contact_count; c++) {
        const double *mode = slip_series_values(r, slip_series_contact(r->n, c, mode_part));
        r->contacts[c].touch.closed = mode[r->main.count - 1] != SLIP_MODE_OPEN;
    }
    for (int64_t k = r->event_count - 1; k >= 0 && r->events[k].time > from; k--)
        r->contacts[r->events[k].contact].touch.closed = r->events[k].from != SLIP_MODE_OPEN;
}

void slip_result_time_contacts(slip_result *r, const slip_system *system)
{
    const double from = r->main.count > 0 ? slip_series_values(r, 0)[0] : INFINITY, end = r->final_t;
    if (!(from <= end))
        return;
    find_begin(r, from);
    for (int c = 0; c < r->contact_count; c++) {
        slip_touch *own = &r->contacts[c].touch;
        const bool closed = own->closed > 0;
        if (!slip_motion_opens(&system->contacts[c]))
            continue;
        *own = (slip_touch){.first = NAN, .last = NAN};
        if (isnan(r->touch.time))
            r->touch = *own;
        if (closed) {
            touch_begins(own, from);
            touch_begins(&r->touch, from);
        }
        r->peak = fmax(r->peak, r->contacts[c].normal);
    }
    for (int64_t k = 0; k < r->event_count; k++) {
        const slip_event *event = &r->events[k];
        slip_touch *own = &r->contacts[event->contact].touch;
        if (!(event->time > from && event->time <= end) || isnan(own->time))
            continue;
        if (event->from == SLIP_MODE_OPEN && own->closed == 0) { /* one that bounces touches for a moment */
            touch_begins(own, event->time);
            touch_begins(&r->touch, event->time);
        }
        if (event->to == SLIP_MODE_OPEN && own->closed > 0) {
            touch_ends(own, event->time);
            touch_ends(&r->touch, event->time);
        }
    }
    for (int c = 0; c < r->contact_count; c++)
        if (!isnan(r->contacts[c].touch.time) && r->contacts[c].touch.closed > 0) {
            touch_ends(&r->contacts[c].touch, end);
            touch_ends(&r->touch, end);
        }
}

/* ---- Finding it in what was read. */

/* "x" of "q/x", "pad" of "contact/pad/slip"; false where the place is another. The name is NULL when there is
 * no memory for it. */
static bool name_in(slip_arena *arena, const char *place, const char *group, const char *part,
                    const char **name)
{
    const size_t before = strlen(group), length = strlen(place), after = part ? strlen(part) + 1 : 0;
    if (strncmp(place, group, before) != 0 || place[before] != '/' || length < before + after + 2 ||
        (part && (place[length - after] != '/' || strcmp(place + length - after + 1, part) != 0)))
        return false;
    *name = slip_arena_string_bytes(arena, place + before + 1, length - before - 1 - after);
    return true;
}

/* Names of `parts` columns each from `at` on, as long as the first is in the group; where they end, or -1
 * when out of memory, also before: then `at` is -1. */
static int read_names(slip_arena *arena, const slip_table *table, int at, int parts, const char *group,
                      const char *part, const char **names, int *count)
{
    for (; at >= 0 && at + parts <= table->column_count; at += parts) {
        if (!name_in(arena, table->columns[at].place, group, part, &names[*count]))
            break;
        if (!names[*count])
            return -1;
        ++*count;
    }
    return at;
}

/* The columns that a run with these names has. */
static bool agrees(const slip_table *found, const slip_table *expected)
{
    if (found->column_count < expected->column_count)
        return false;
    for (int k = 0; k < expected->column_count; k++)
        if (strcmp(found->columns[k].place, expected->columns[k].place) != 0 ||
            strcmp(found->columns[k].name, expected->columns[k].name) != 0 ||
            found->columns[k].word_count != expected->columns[k].word_count)
            return false;
    return true;
}

static int check_series(slip_context *ctx, const slip_result *result, const slip_run_names *names,
                        const char *path)
{
    SLIP_FREED_BY(slip_result_drop) slip_result *expected = NULL;
    int status = slip_result_create_run(ctx, names, &expected);
    if (status >= 0 && !agrees(&result->main, &expected->main))
        status = slip_fail(ctx, SLIP_ERROR_IO,
                           "cannot read %s: expected the series of a run in time, t, q, v and a of each "
                           "coordinate, and slip, normal, "
                           "force and mode of each contact",
                           path);
    return status;
}

static int take_events(slip_context *ctx, slip_result *result, const char *path)
{
    const slip_table *table = slip_result_table(result, "events");
    const int count = table ? table->column_count : 0;
    if (count != 4 || table->columns[1].word_count != result->contact_count ||
        table->columns[2].word_count != mode_count || table->columns[3].word_count != mode_count)
        return slip_fail(ctx, SLIP_ERROR_IO,
                         "cannot read %s: expected a table `events` of time, contact, from and to", path);
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(result->events, result->event_capacity, table->count)));
    for (int64_t k = 0; k < table->count; k++)
        result->events[k] =
            (slip_event){table->columns[0].values[k], (int)table->columns[1].values[k],
                         (slip_mode)table->columns[2].values[k], (slip_mode)table->columns[3].values[k]};
    result->event_count = table->count;
    return SLIP_OK;
}

int slip_result_recognise_run(slip_context *ctx, slip_result *result, const char *path)
{
    const slip_table *table = &result->main;
    const int room = table->column_count + 1;
    SLIP_FREED const char **names = slip_alloc(3 * (int64_t)room, sizeof *names);
    const char **contacts = names + room;
    const char **patched = contacts + room;
    int at;
    SLIP_FREED int *patches = slip_alloc(room, sizeof *patches);
    slip_run_names found = {.names = names, .contact_names = contacts, .patches = patches};
    SLIP_PASS(slip_allocated(ctx, names && patches));
    at = read_names(&result->arena, table, 1, 3, "q", NULL, names, &found.n);
    at = read_names(&result->arena, table, at, 4, "contact", slip_contact_parts[0], contacts,
                    &found.contact_count);
    at =
        read_names(&result->arena, table, at, 6, "contact", slip_patch_parts[0], patched, &found.patch_count);
    SLIP_PASS(slip_allocated(ctx, at >= 0));
    for (int p = 0; p < found.patch_count; p++) {
        patches[p] = slip_text_find(contacts, found.contact_count, patched[p]);
        if (patches[p] < 0)
            found.patch_count = p;
    }
    found.vector_count =
        result->vector_count > 0 && result->vector_count <= found.n ? result->vector_count : 0;
    SLIP_PASS(check_series(ctx, result, &found, path));
    SLIP_PASS(slip_allocated(ctx, allocate(result, &found)));
    at = slip_series_output(result, 0);
    for (; at < table->column_count; at++, result->output_count++) {
        const bool state = strncmp(table->columns[at].place, "state/", 6) == 0;
        if (!state && strncmp(table->columns[at].place, "output/", 7) != 0)
            break;
        result->state_count += state;
    }
    return take_events(ctx, result, path);
}
