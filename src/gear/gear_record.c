/* Results of runs of two gears: series, numbers, participation. */
#include "gear/gear_record.h"

#include "base/memory.h"

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

struct slip_gear_result {
    char names[series_count][name_max];
    double *series[series_count];
    int64_t count, capacity[series_count];
    named_number *numbers;
    int number_count;
    int64_t number_capacity;
    flank_history *flanks;
    int flank_count;
    int64_t flank_capacity;
};

/* ---- Making. */

int slip_gear_record_create(slip_context *ctx, const char *const names[2], slip_gear_result **result)
{
    slip_gear_result *r = *result = slip_alloc(1, sizeof *r);
    if (!r)
        return slip_fail_memory(ctx);
    for (int i = 0; i < series_count; i++)
        slip_gear_column_name(i, names, r->names[i]);
    return SLIP_OK;
}

void slip_gear_result_destroy(slip_gear_result *r)
{
    if (!r)
        return;
    for (int i = 0; i < series_count; i++)
        free(r->series[i]);
    for (int i = 0; i < r->flank_count; i++) {
        free(r->flanks[i].amplitude);
        free(r->flanks[i].active);
    }
    free(r->flanks);
    free(r->numbers);
    free(r);
}

/* ---- Filling. */

static int add_sample(void *user, slip_context *ctx, const slip_gear_sample *s)
{
    slip_gear_result *r = user;
    for (int i = 0; i < series_count; i++)
        if (!slip_array_reserve(&r->series[i], &r->capacity[i], r->count + 1, sizeof(double)))
            return slip_fail_memory(ctx);
    for (int i = 0; i < series_count; i++)
        r->series[i][r->count] = slip_gear_column_value(s, i);
    r->count++;
    return SLIP_OK;
}

/* Sets it again where it is there. */
static int add_number(void *user, slip_context *ctx, const char *name, double value)
{
    slip_gear_result *r = user;
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

static flank_history *find_flank(slip_gear_result *r, int gear, int surface)
{
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && r->flanks[i].surface == surface)
            return &r->flanks[i];
    return NULL;
}

static flank_history *begin_flank(slip_gear_result *r, int gear, int surface, int size)
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
    slip_gear_result *r = user;
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

slip_gear_sink slip_gear_record_sink(slip_gear_result *r)
{
    return (slip_gear_sink){r, add_sample, add_participation, add_number};
}

slip_gear_participation slip_gear_result_participation(const slip_gear_result *r, int gear)
{
    const flank_history *best = NULL;
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && (!best || r->flanks[i].largest > best->largest))
            best = &r->flanks[i];
    if (!best)
        return (slip_gear_participation){.surface = -1};
    return (slip_gear_participation){.surface = best->surface,
                                     .samples = best->samples,
                                     .size = best->size,
                                     .amplitude = best->amplitude,
                                     .active = best->active};
}

/* ---- Checkpoints. */

/* A flank that is read: of a gear, one of its flanks that is not here yet, with its directions. */
static int check_flank(slip_gear_result *r, slip_h5 *file, const char *name, const double *n,
                       const int flanks[2], const int sizes[2])
{
    int status;
    SLIP_TRY(slip_h5_check_whole(file, name, n, 1, 0, 1));
    const int gear = (int)n[0];
    if (!(n[1] >= 0 && n[1] < flanks[gear]) || n[1] != floor(n[1]) || find_flank(r, gear, (int)n[1]))
        return slip_h5_fail_value(file, name, 1, n[1], "a flank of the gear that is not here yet");
    if (n[2] != sizes[gear])
        return slip_h5_fail_value(file, name, 2, n[2], "three directions for each node of the flank");
    if (!(n[3] >= 1 && n[3] <= (double)r->count) || n[3] != floor(n[3]))
        return slip_h5_fail_value(file, name, 3, n[3], "a number of samples up to that of the record");
done:
    return status;
}

static void keep_flank(slip_gear_result *r, int index, const int flanks[2], const int sizes[2],
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

void slip_gear_record_keep(slip_gear_result *r, int64_t samples, const int flanks[2], const int sizes[2],
                           slip_keeper *k)
{
    double counts[2] = {(double)r->count, r->flank_count};
    char name[name_max];
    slip_keep(k, "record/counts", counts, 2);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/counts", counts, 1, 0, (double)samples);
    if (slip_kept_read(k))
        k->status =
            slip_h5_check_whole(k->file, "record/counts", counts + 1, 1, 0, (double)flanks[0] + flanks[1]);
    if (slip_kept_back(k))
        r->count = (int64_t)counts[0];
    for (int i = 0; k->status >= 0 && i < series_count; i++) {
        snprintf(name, sizeof name, "record/series/%d", i);
        if (!slip_array_reserve(&r->series[i], &r->capacity[i], r->count, sizeof(double)))
            k->status = slip_fail_memory(k->ctx);
        slip_keep(k, name, r->series[i], r->count);
    }
    for (int i = 0; k->status >= 0 && i < (int)counts[1]; i++)
        keep_flank(r, i, flanks, sizes, k);
    if (k->back && k->status < 0)
        r->count = 0; /* what was read is not trusted */
}

int64_t slip_gear_record_count(const slip_gear_result *r)
{
    return r->count;
}

/* ---- Looking. */

const double *slip_gear_result_series(const slip_gear_result *r, const char *name, int64_t *count)
{
    for (int i = 0; i < series_count; i++)
        if (strcmp(r->names[i], name) == 0) {
            if (count)
                *count = r->count;
            return r->series[i];
        }
    return NULL;
}

int slip_gear_result_series_count(const slip_gear_result *r)
{
    (void)r;
    return series_count;
}

const char *slip_gear_result_series_name(const slip_gear_result *r, int index)
{
    return index >= 0 && index < series_count ? r->names[index] : NULL;
}

double slip_gear_result_number(const slip_gear_result *r, const char *name)
{
    for (int i = 0; i < r->number_count; i++)
        if (strcmp(r->numbers[i].name, name) == 0)
            return r->numbers[i].value;
    return NAN;
}

int slip_gear_result_number_count(const slip_gear_result *r)
{
    return r->number_count;
}

const char *slip_gear_result_number_name(const slip_gear_result *r, int index)
{
    return index >= 0 && index < r->number_count ? r->numbers[index].name : NULL;
}
