/* Measured series and events from a CSV file. */
#include "io/csv.h"
#include "io/file.h"
#include "io/number.h"
#include "study/fit/fit.h"

#include <math.h>
#include <stdlib.h>

enum { columns_most = 1000, file_most = 1 << 30 };

typedef struct reading {
    slip_context *ctx;
    const slip_model *ready;
    const char *path;
    slip_fit_data *to;
    char **fields;
    int *series_of; /* of each column, or -1 */
    int columns, time, line;
} reading;

static int fail_at(const reading *r, const char *what, const char *found, const char *expected)
{
    return slip_fail(r->ctx, SLIP_ERROR_IO, "%s:%d: %s: found `%.60s`, expected %s", r->path, r->line, what,
                     found, expected);
}

/* Whether a run has a numeric series of that name. */
static bool is_series(const slip_model *ready, const char *name)
{
    static const char *const primes[] = {"", "'", "''"};
    const slip_system *system = ready->system;
    for (int i = 0; i < slip_system_coordinates(system); i++) {
        const size_t length = strlen(system->names[i]);
        for (int k = 0; k < 3 && strncmp(name, system->names[i], length) == 0; k++)
            if (strcmp(name + length, primes[k]) == 0)
                return true;
    }
    for (int c = 0; c < (int)system->contact_count; c++) {
        const size_t length = strlen(system->contacts[c].name);
        if (strncmp(name, system->contacts[c].name, length) != 0 || name[length] != '.')
            continue;
        for (int k = 0; k < 3; k++)
            if (strcmp(name + length + 1, slip_contact_parts[k]) == 0)
                return true;
        for (int k = 0; k < system->contacts[c].shown; k++)
            if (strcmp(name + length + 1, slip_patch_parts[k]) == 0)
                return true;
    }
    for (int k = 0; k < ready->outputs.count; k++)
        if (strcmp(name, ready->outputs.list[k].name) == 0)
            return true;
    return false;
}

static bool is_wanted(const char *const *wanted, const char *name)
{
    return !wanted || slip_text_find(wanted, -1, name) >= 0;
}

static int add_point(reading *r, double time, int series, double value)
{
    slip_fit_data *to = r->to;
    SLIP_PASS(slip_allocated(r->ctx, SLIP_ROOM(to->points, to->capacity, to->count + 1)));
    to->points[to->count++] = (slip_fit_point){time, series, value};
    return SLIP_OK;
}

/* Which columns are series: those of the names that are wanted, or all that the model knows. */
static int find_columns(reading *r, const char *const *wanted)
{
    slip_fit_data *to = r->to;
    to->series = slip_arena_array(&to->arena, r->columns + 1, sizeof *to->series);
    SLIP_PASS(slip_allocated(r->ctx, to->series));
    for (int k = 0; wanted && wanted[k]; k++) {
        if (slip_text_find((const char *const *)r->fields, r->columns, wanted[k]) < 0)
            return fail_at(r, "columns", wanted[k], "one of the names in the first row");
        if (!is_series(r->ready, wanted[k]))
            return fail_at(r, "columns", wanted[k], "a series of the model");
    }
    for (int k = 0; k < r->columns; k++) {
        r->series_of[k] = -1;
        if (k == r->time || !is_series(r->ready, r->fields[k]) || !is_wanted(wanted, r->fields[k]))
            continue;
        r->series_of[k] = to->series_count;
        to->series[to->series_count] = slip_arena_string(&to->arena, r->fields[k]);
        SLIP_PASS(slip_allocated(r->ctx, to->series[to->series_count++]));
    }
    return to->series_count > 0
               ? SLIP_OK
               : fail_at(r, "columns", r->fields[0], "at least one series of the model beside the time");
}

static int read_number(const reading *r, int column, double *value)
{
    const char *text = r->fields[column], *end;
    if (slip_number_read(text, &end, value) && !*end && isfinite(*value))
        return SLIP_OK;
    return fail_at(r, "a number", text, "a finite number");
}

static int read_row(reading *r, double *before)
{
    double time, value;
    SLIP_PASS(read_number(r, r->time, &time));
    if (!(time >= *before))
        return fail_at(r, "time", r->fields[r->time], "times that do not fall");
    *before = time;
    for (int k = 0; k < r->columns; k++) {
        if (r->series_of[k] < 0 || !*r->fields[k])
            continue;
        SLIP_PASS(read_number(r, k, &value));
        SLIP_PASS(add_point(r, time, r->series_of[k], value));
    }
    return SLIP_OK;
}

/* ---- Events. */

static int mode_of(const char *name)
{
    for (int mode = SLIP_MODE_OPEN; mode <= SLIP_MODE_CLOSED; mode++)
        if (strcmp(name, slip_mode_name((slip_mode)mode)) == 0)
            return mode;
    return -1;
}

/* The kind of an event, which is made where it is new. */
static int kind_of(reading *r, slip_fit_kind kind, int *index)
{
    slip_fit_data *to = r->to;
    for (*index = 0; *index < to->series_count; (*index)++)
        if (to->kinds[*index].contact == kind.contact && to->kinds[*index].from == kind.from &&
            to->kinds[*index].to == kind.to)
            return SLIP_OK;
    if (to->series_count == columns_most)
        return fail_at(r, "events", r->fields[0], "at most 1000 kinds of them");
    to->kinds[to->series_count++] = kind;
    return SLIP_OK;
}

static int read_event(reading *r, const int column[4])
{
    slip_fit_kind kind = {.contact = -1};
    int64_t number = 0;
    double time;
    int index;
    SLIP_PASS(read_number(r, column[0], &time));
    for (int c = 0; c < (int)r->ready->system->contact_count; c++)
        if (strcmp(r->ready->system->contacts[c].name, r->fields[column[1]]) == 0)
            kind.contact = c;
    if (kind.contact < 0)
        return fail_at(r, "contact", r->fields[column[1]], "a contact of the model");
    for (int k = 2; k < 4; k++) {
        const int mode = mode_of(r->fields[column[k]]);
        if (mode < 0)
            return fail_at(r, "a mode", r->fields[column[k]], "open, stick, slip+, slip-, slip or closed");
        *(k == 2 ? &kind.from : &kind.to) = (slip_mode)mode;
    }
    SLIP_PASS(kind_of(r, kind, &index));
    for (int64_t k = 0; k < r->to->count; k++)
        number += r->to->points[k].series == index;
    return add_point(r, (double)number, index, time);
}

/* ---- The file. */

static bool is_data(const char *text)
{
    return *text && *text != '#' && *text != '\n' && *text != '\r';
}

static void pass_line(reading *r, char **text)
{
    *text += strcspn(*text, "\n");
    *text += **text == '\n';
    r->line++;
}

/* Fields beyond the names count only where something is in them: a number with a decimal comma has two. */
static int check_fields(const reading *r, int count)
{
    while (count > r->columns && count <= columns_most && !*r->fields[count - 1])
        count--;
    return count == r->columns
               ? SLIP_OK
               : slip_fail(r->ctx, SLIP_ERROR_IO,
                           "%s:%d: a row: found %d fields, expected as many fields as the first row has, %d",
                           r->path, r->line, count, r->columns);
}

static int read_all(reading *r, char *text, const char *const *wanted)
{
    static const char *const event[] = {"time", "contact", "from", "to"};
    int column[4];
    double before = -INFINITY;
    for (r->line = 1; *text && !is_data(text);)
        pass_line(r, &text);
    r->columns = slip_csv_row(&text, r->fields, columns_most);
    if (r->columns < 2 || r->columns > columns_most)
        return fail_at(r, "the first row", r->columns > 0 ? r->fields[0] : "", "names of 2 to 1000 columns");
    for (int k = 0; k < 4; k++)
        column[k] = slip_text_find((const char *const *)r->fields, r->columns, event[k]);
    r->time = slip_text_find((const char *const *)r->fields, r->columns, "t") >= 0
                  ? slip_text_find((const char *const *)r->fields, r->columns, "t")
                  : column[0];
    r->to->events = column[0] >= 0 && column[1] >= 0 && column[2] >= 0 && column[3] >= 0;
    if (r->time < 0)
        return fail_at(r, "the first row", r->fields[0], "a column `t` (or `time`)");
    if (r->to->events)
        r->to->kinds = slip_arena_array(&r->to->arena, columns_most, sizeof *r->to->kinds);
    if (r->to->events && !r->to->kinds)
        return slip_fail_memory(r->ctx);
    if (!r->to->events)
        SLIP_PASS(find_columns(r, wanted));
    for (r->line++; *text; r->line++) {
        if (!is_data(text)) {
            pass_line(r, &text);
            r->line--;
            continue;
        }
        const int count = slip_csv_row(&text, r->fields, columns_most);
        if (count < 0)
            return fail_at(r, "a row", r->fields[0], "a quote that is closed");
        SLIP_PASS(check_fields(r, count));
        SLIP_PASS(r->to->events ? read_event(r, column) : read_row(r, &before));
    }
    for (int64_t k = 0; k < r->to->count; k++)
        r->to->end = fmax(r->to->end, r->to->events ? r->to->points[k].value : r->to->points[k].time);
    if (r->to->count == 0)
        return fail_at(r, "rows", "none", "numbers");
    return SLIP_OK;
}

int slip_fit_read(slip_context *ctx, const slip_model *ready, const char *path, const char *const *wanted,
                  slip_fit_data *data)
{
    char *fields[columns_most] = {NULL};
    int series_of[columns_most];
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    reading r = {
        .ctx = ctx, .ready = ready, .path = path, .to = data, .fields = fields, .series_of = series_of};
    data->end = -INFINITY;
    SLIP_PASS(slip_file_read(ctx, path, file_most, &text));
    return text.data ? read_all(&r, slip_csv_begin(text.data), wanted)
                     : fail_at(&r, "the file", "", "numbers");
}

void slip_fit_data_free(slip_fit_data *data)
{
    free(data->points);
    slip_arena_free(&data->arena);
}
