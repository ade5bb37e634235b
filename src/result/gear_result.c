/* Gears in motion: participation of attachment modes. */
#include "result/gear_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { name_max = 100 };

/* One flank's history. */
typedef struct flank_history {
    int gear, surface, size;
    int64_t samples, capacity, active_capacity;
    double *amplitude;
    unsigned char *active;
    double largest; /* force */
} flank_history;

struct slip_gear_history {
    flank_history *flanks;
    int flank_count;
    int64_t flank_capacity;
};

int slip_gear_history_create(slip_context *ctx, slip_gear_history **history)
{
    *history = slip_alloc(1, sizeof **history);
    return *history ? SLIP_OK : slip_fail_memory(ctx);
}

void slip_gear_history_destroy(slip_gear_history *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->flank_count; i++) {
        free(r->flanks[i].amplitude);
        free(r->flanks[i].active);
    }
    free(r->flanks);
    free(r);
}

/* ---- Filling. */

static flank_history *find_flank(slip_gear_history *r, int gear, int surface)
{
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && r->flanks[i].surface == surface)
            return &r->flanks[i];
    return NULL;
}

static flank_history *begin_flank(slip_gear_history *r, int gear, int surface, int size)
{
    if (!SLIP_ROOM(r->flanks, r->flank_capacity, r->flank_count + 1))
        return NULL;
    flank_history *f = &r->flanks[r->flank_count++];
    *f = (flank_history){.gear = gear, .surface = surface, .size = size};
    return f;
}

int slip_gear_history_add(void *user, slip_context *ctx, int gear, int surface, bool begins, int64_t sample,
                          int size, const double *amplitude, const unsigned char *active, double force)
{
    slip_gear_history *r = user;
    flank_history *f = find_flank(r, gear, surface);
    if (!f && !begins)
        return SLIP_OK;
    f = f ? f : begin_flank(r, gear, surface, size);
    SLIP_PASS(slip_allocated(ctx, f && SLIP_ROOM(f->amplitude, f->capacity, (sample + 1) * size) &&
                                      SLIP_ROOM(f->active, f->active_capacity, (sample + 1) * size)));
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

/* ---- Checkpoints. */

/* A flank that is read: of a gear, one of its flanks that is not here yet, with its directions. */
static int check_flank(slip_gear_history *r, slip_h5 *file, const char *name, const double *n, int64_t rows,
                       int gear_count, const slip_gear_flanked *gears)
{
    SLIP_PASS(slip_h5_check_whole(file, name, n, 1, 0, gear_count - 1));
    const int gear = (int)n[0];
    if (!(n[1] >= 0 && n[1] < gears[gear].flanks) || n[1] != floor(n[1]) || find_flank(r, gear, (int)n[1]))
        return slip_h5_fail_value(file, name, 1, n[1], "a flank of the gear that is not here yet");
    if (n[2] != gears[gear].size)
        return slip_h5_fail_value(file, name, 2, n[2], "three directions for each node of the flank");
    if (!(n[3] >= 1 && n[3] <= (double)rows) || n[3] != floor(n[3]))
        return slip_h5_fail_value(file, name, 3, n[3], "a number of samples up to that of the record");
    return SLIP_OK;
}

static void keep_flank(slip_gear_history *r, int index, int64_t rows, int gear_count,
                       const slip_gear_flanked *gears, slip_keeper *k)
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
        k->status = check_flank(r, k->file, name, n, rows, gear_count, gears);
    if (k->status < 0)
        return;
    const int64_t count = (int64_t)n[3] * (int64_t)n[2];
    if (k->back) {
        f = begin_flank(r, (int)n[0], (int)n[1], (int)n[2]);
        if (!f || !SLIP_ROOM(f->amplitude, f->capacity, count) ||
            !SLIP_ROOM(f->active, f->active_capacity, count)) {
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

void slip_gear_history_keep(slip_gear_history *r, int64_t rows, int gear_count,
                            const slip_gear_flanked *gears, slip_keeper *k)
{
    double count = r->flank_count, most = 0;
    for (int i = 0; i < gear_count; i++)
        most += gears[i].flanks;
    slip_keep(k, "record/flanks", &count, 1);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/flanks", &count, 1, 0, most);
    for (int i = 0; k->status >= 0 && i < (int)count; i++)
        keep_flank(r, i, rows, gear_count, gears, k);
}

/* ---- The end. */

/* The flank of a gear that took the largest force; NULL where there is no history. */
static const flank_history *shown_flank(const slip_gear_history *r, int gear)
{
    const flank_history *best = NULL;
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && (!best || r->flanks[i].largest > best->largest))
            best = &r->flanks[i];
    return best;
}

/* Amplitudes and which of them are switched on. A run that was interrupted may lack the last row: zeros. */
static int add_arrays(slip_context *ctx, const flank_history *f, const char *gear, slip_result *result)
{
    const int64_t samples = result->main.count;
    int status = SLIP_OK;
    for (int part = 0; part < 2 && status >= 0; part++) {
        char place[2 * name_max];
        slip_array array = {.place = place, .count = samples, .width = f->size, .small = part == 1};
        array.values = slip_alloc(samples * f->size, sizeof(double));
        SLIP_PASS(slip_allocated(ctx, array.values));
        for (int64_t i = 0; i < samples * f->size && i < f->samples * f->size; i++)
            array.values[i] = part == 0 ? f->amplitude[i] : f->active[i];
        snprintf(place, sizeof place, "participation/%.90s/%s", gear, part == 0 ? "amplitude" : "active");
        status = slip_result_add_array(ctx, result, &array);
    }
    return status;
}

int slip_gear_history_finish(slip_context *ctx, const slip_gear_history *r, int gear_count,
                             const slip_gear_flanked *gears, slip_result *result)
{
    for (int k = 0; k < gear_count; k++) {
        const flank_history *f = shown_flank(r, k);
        char name[name_max];
        if (!f)
            continue;
        snprintf(name, sizeof name, "participation.%.80s", gears[k].name);
        SLIP_PASS(slip_result_add_number(ctx, result, name, f->surface));
        SLIP_PASS(add_arrays(ctx, f, gears[k].name, result));
    }
    return SLIP_OK;
}

/* ---- Looking. */

slip_gear_participation slip_gear_result_participation(const slip_result *result, const char *gear)
{
    slip_gear_participation p = {.surface = -1};
    char place[2 * name_max];
    if (!gear)
        return p;
    for (int part = 0; part < 2; part++) {
        snprintf(place, sizeof place, "participation/%.90s/%s", gear, part == 0 ? "amplitude" : "active");
        const slip_array *array = slip_result_array(result, place);
        if (!array)
            return (slip_gear_participation){.surface = -1};
        *(part == 0 ? &p.amplitude : &p.active) = array->values;
        p.samples = array->count;
        p.size = (int)array->width;
    }
    snprintf(place, sizeof place, "participation.%.80s", gear);
    p.surface = (int)slip_result_number(result, place);
    return p;
}
