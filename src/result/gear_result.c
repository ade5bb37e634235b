/* Two gears in motion as a result: a sink (gear/gear_account.h) that fills its series, numbers and
 * participations. */
#include "result/gear_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { series_count = slip_gear_columns, name_max = slip_gear_name_size };

typedef struct named_number {
    char name[name_max];
    double value;
} named_number;

/* One flank's history. */
typedef struct flank_history {
    int gear, surface, size;
    int64_t samples, capacity, active_capacity;
    double *amplitude;
    unsigned char *active;
    double largest; /* force */
} flank_history;

struct slip_gear_recorder {
    slip_result *result;
    char gears[2][name_max];
    named_number *numbers;
    int number_count;
    int64_t number_capacity;
    flank_history *flanks;
    int flank_count;
    int64_t flank_capacity;
};

/* ---- Making. */

int slip_gear_recorder_create(slip_context *ctx, const char *const gears[2], slip_gear_recorder **recorder)
{
    slip_gear_recorder *r = *recorder = slip_alloc(1, sizeof *r);
    int status;
    if (!r)
        return slip_fail_memory(ctx);
    for (int k = 0; k < 2; k++)
        snprintf(r->gears[k], name_max, "%.90s", gears[k]);
    SLIP_TRY(slip_result_create(ctx, "gears", NULL, &r->result));
    for (int i = 0; i < series_count; i++) {
        char name[name_max], place[2 * name_max];
        slip_gear_column_name(i, gears, name);
        slip_gear_column_place(i, gears, place);
        SLIP_TRY(slip_table_add(ctx, &r->result->main,
                                &(slip_column_info){name, slip_gear_column_unit(i), place, NULL}));
    }
    status = SLIP_OK;
done:
    return status;
}

void slip_gear_recorder_destroy(slip_gear_recorder *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->flank_count; i++) {
        free(r->flanks[i].amplitude);
        free(r->flanks[i].active);
    }
    slip_result_destroy(r->result);
    free(r->flanks);
    free(r->numbers);
    free(r);
}

/* ---- Filling. */

static int add_sample(void *user, slip_context *ctx, const slip_gear_sample *s)
{
    slip_gear_recorder *r = user;
    double row[series_count];
    for (int i = 0; i < series_count; i++)
        row[i] = slip_gear_column_value(s, i);
    return slip_table_append(ctx, &r->result->main, row);
}

/* Sets it again where it is there. */
static int add_number(void *user, slip_context *ctx, const char *name, double value)
{
    slip_gear_recorder *r = user;
    int at = 0;
    while (at < r->number_count && strcmp(r->numbers[at].name, name) != 0)
        at++;
    if (at == r->number_count) {
        if (!slip_array_reserve(&r->numbers, &r->number_capacity, at + 1, sizeof *r->numbers))
            return slip_fail_memory(ctx);
        snprintf(r->numbers[at].name, name_max, "%s", name);
        r->number_count++;
    }
    r->numbers[at].value = value;
    return SLIP_OK;
}

/* ---- Participation. */

static flank_history *find_flank(slip_gear_recorder *r, int gear, int surface)
{
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && r->flanks[i].surface == surface)
            return &r->flanks[i];
    return NULL;
}

static flank_history *begin_flank(slip_gear_recorder *r, int gear, int surface, int size)
{
    if (!slip_array_reserve(&r->flanks, &r->flank_capacity, r->flank_count + 1, sizeof *r->flanks))
        return NULL;
    flank_history *f = &r->flanks[r->flank_count++];
    *f = (flank_history){.gear = gear, .surface = surface, .size = size};
    return f;
}

static int add_participation(void *user, slip_context *ctx, int gear, int surface, bool begins,
                             int64_t sample, int size, const double *amplitude, const unsigned char *active,
                             double force)
{
    slip_gear_recorder *r = user;
    flank_history *f = find_flank(r, gear, surface);
    if (!f && !begins)
        return SLIP_OK;
    f = f ? f : begin_flank(r, gear, surface, size);
    if (!f || !slip_array_reserve(&f->amplitude, &f->capacity, (sample + 1) * size, sizeof(double)) ||
        !slip_array_reserve(&f->active, &f->active_capacity, (sample + 1) * size, 1))
        return slip_fail_memory(ctx);
    size_t before = (size_t)(f->samples * size), at = (size_t)(sample * size), count = (size_t)size;
    if (at > before) {
        memset(f->amplitude + before, 0, sizeof(double) * (at - before));
        memset(f->active + before, 0, at - before);
    }
    memcpy(f->amplitude + at, amplitude, sizeof(double) * count);
    if (active)
        memcpy(f->active + at, active, count);
    else
        memset(f->active + at, 1, count);
    f->samples = sample + 1;
    f->largest = fmax(f->largest, force);
    return SLIP_OK;
}

slip_gear_sink slip_gear_recorder_sink(slip_gear_recorder *r)
{
    return (slip_gear_sink){r, add_sample, add_participation, add_number};
}

/* ---- Checkpoints. */

/* A flank that is read: of a gear, one of its flanks that is not here yet, with its directions. */
static int check_flank(slip_gear_recorder *r, slip_h5 *file, const char *name, const double *n,
                       const int flanks[2], const int sizes[2])
{
    int status;
    SLIP_TRY(slip_h5_check_whole(file, name, n, 1, 0, 1));
    const int gear = (int)n[0];
    if (!(n[1] >= 0 && n[1] < flanks[gear]) || n[1] != floor(n[1]) || find_flank(r, gear, (int)n[1]))
        return slip_h5_fail_value(file, name, 1, n[1], "a flank of the gear that is not here yet");
    if (n[2] != sizes[gear])
        return slip_h5_fail_value(file, name, 2, n[2], "three directions for each node of the flank");
    if (!(n[3] >= 1 && n[3] <= (double)r->result->main.count) || n[3] != floor(n[3]))
        return slip_h5_fail_value(file, name, 3, n[3], "a number of samples up to that of the record");
done:
    return status;
}

static void keep_flank(slip_gear_recorder *r, int index, const int flanks[2], const int sizes[2],
                       slip_keeper *k)
{
    enum { numbers = 5 };
    double n[numbers] = {0};
    char name[name_max];
    flank_history *f = k->back ? NULL : &r->flanks[index];
    if (f)
        memcpy(n, (double[numbers]){f->gear, f->surface, f->size, (double)f->samples, f->largest}, sizeof n);
    snprintf(name, sizeof name, "record/flank%d/numbers", index);
    slip_keep(k, name, n, numbers);
    if (slip_kept_read(k))
        k->status = check_flank(r, k->file, name, n, flanks, sizes);
    if (k->status < 0)
        return;
    const int64_t count = (int64_t)n[3] * (int64_t)n[2];
    if (k->back) {
        f = begin_flank(r, (int)n[0], (int)n[1], (int)n[2]);
        if (!f || !slip_array_reserve(&f->amplitude, &f->capacity, count, sizeof(double)) ||
            !slip_array_reserve(&f->active, &f->active_capacity, count, 1)) {
            k->status = slip_fail_memory(k->ctx);
            return;
        }
        f->samples = (int64_t)n[3];
        f->largest = n[4];
        memset(f->active, 1, (size_t)count);
    }
    snprintf(name, sizeof name, "record/flank%d/amplitude", index);
    slip_keep(k, name, f->amplitude, count);
}

void slip_gear_recorder_keep(slip_gear_recorder *r, int64_t samples, const int flanks[2], const int sizes[2],
                             slip_keeper *k)
{
    slip_table *table = &r->result->main;
    double counts[2] = {(double)table->count, r->flank_count};
    char name[name_max];
    slip_keep(k, "record/counts", counts, 2);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/counts", counts, 1, 0, (double)samples);
    if (slip_kept_read(k))
        k->status =
            slip_h5_check_whole(k->file, "record/counts", counts + 1, 1, 0, (double)flanks[0] + flanks[1]);
    if (slip_kept_back(k)) {
        table->count = (int64_t)counts[0];
        if (!slip_table_reserve(table, table->count))
            k->status = slip_fail_memory(k->ctx);
    }
    for (int i = 0; k->status >= 0 && i < series_count; i++) {
        snprintf(name, sizeof name, "record/series/%d", i);
        slip_keep(k, name, table->columns[i].values, table->count);
    }
    for (int i = 0; k->status >= 0 && i < (int)counts[1]; i++)
        keep_flank(r, i, flanks, sizes, k);
    if (k->back && k->status < 0)
        table->count = 0; /* what was read is not trusted */
}

int64_t slip_gear_recorder_count(const slip_gear_recorder *r)
{
    return r->result->main.count;
}

/* ---- Summary: numbers by their paths to objects in each other. */

/* Has a number before `index` the same first `length` characters, and so opened the object already? */
static bool is_opened(const slip_gear_recorder *r, int index, size_t length)
{
    const char *name = r->numbers[index].name;
    for (int k = 0; k < index; k++)
        if (strncmp(r->numbers[k].name, name, length) == 0)
            return true;
    return false;
}

/* All numbers whose names begin with the first `length` characters of `prefix`. */
static void write_numbers(slip_json_writer *json, const slip_gear_recorder *r, const char *prefix,
                          size_t length)
{
    for (int k = 0; k < r->number_count; k++) {
        const char *name = r->numbers[k].name, *rest = name + length;
        const char *dot;
        char key[name_max];
        if (strncmp(name, prefix, length) != 0)
            continue;
        dot = strchr(rest, '.');
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

/* The flank of a gear that took the largest force; NULL where there is no history. */
static const flank_history *shown_flank(const slip_gear_recorder *r, int gear)
{
    const flank_history *best = NULL;
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && (!best || r->flanks[i].largest > best->largest))
            best = &r->flanks[i];
    return best;
}

static int write_summary(slip_context *ctx, const slip_gear_recorder *r, const char *method, int ended,
                         const char *message)
{
    slip_json_writer json = {.text = &r->result->summary};
    slip_json_object(&json, NULL);
    slip_json_string(&json, "method", method);
    slip_summary_write_ending(&json, ended, message);
    write_numbers(&json, r, "", 0);
    if (r->flank_count > 0) {
        slip_json_object(&json, "participation");
        for (int i = 0; i < 2; i++)
            if (shown_flank(r, i))
                slip_json_integer(&json, r->gears[i], shown_flank(r, i)->surface);
        slip_json_end_object(&json);
    }
    slip_json_end_object(&json);
    return r->result->summary.failed ? slip_fail_memory(ctx) : SLIP_OK;
}

/* ---- The end. */

/* Amplitudes and which of them are switched on. A run that was interrupted may lack the last row: zeros. */
static int add_arrays(slip_context *ctx, slip_gear_recorder *r, int gear)
{
    const flank_history *f = shown_flank(r, gear);
    const int64_t samples = r->result->main.count;
    int status = SLIP_OK;
    for (int part = 0; part < 2 && f && status >= 0; part++) {
        char place[2 * name_max];
        slip_array array = {.place = place, .count = samples, .width = f->size, .small = part == 1};
        array.values = slip_alloc(samples * f->size, sizeof(double));
        if (!array.values)
            return slip_fail_memory(ctx);
        for (int64_t i = 0; i < samples * f->size && i < f->samples * f->size; i++)
            array.values[i] = part == 0 ? f->amplitude[i] : f->active[i];
        snprintf(place, sizeof place, "participation/%s/%s", r->gears[gear],
                 part == 0 ? "amplitude" : "active");
        status = slip_result_add_array(ctx, r->result, &array);
    }
    return status;
}

int slip_gear_recorder_finish(slip_context *ctx, slip_gear_recorder *r, const char *method, int ended,
                              const char *message, slip_result **result)
{
    int status;
    r->result->method = slip_arena_string(&r->result->arena, method);
    SLIP_TRY(r->result->method ? SLIP_OK : slip_fail_memory(ctx));
    for (int i = 0; i < 2; i++)
        SLIP_TRY(add_arrays(ctx, r, i));
    SLIP_TRY(write_summary(ctx, r, method, ended, message));
    *result = r->result;
    r->result = NULL;
done:
    return status;
}

/* ---- Looking. */

/* Gears are called as the series of their angles are, the second and the fifth one. */
slip_gear_participation slip_gear_result_participation(const slip_result *result, int gear)
{
    const char *name = slip_result_series_name(result, 1 + 3 * gear), *dot = name ? strrchr(name, '.') : NULL;
    slip_gear_participation p = {.surface = -1};
    char place[2 * name_max + 40];
    if (!dot)
        return p;
    for (int part = 0; part < 2; part++) {
        snprintf(place, sizeof place, "participation/%.*s/%s", (int)(dot - name), name,
                 part == 0 ? "amplitude" : "active");
        const slip_array *array = slip_result_array(result, place);
        if (!array)
            return (slip_gear_participation){.surface = -1};
        *(part == 0 ? &p.amplitude : &p.active) = array->values;
        p.samples = array->count;
        p.size = (int)array->width;
    }
    snprintf(place, sizeof place, "participation.%.*s", (int)(dot - name), name);
    p.surface = (int)slip_result_number(result, place);
    return p;
}
