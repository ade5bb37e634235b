/* Results of runs of two gears: series, numbers, participation. */
#include "gear/gear_record.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { series_count = 16, name_max = 100 };

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
    char *gears[2];
    char names[series_count][name_max];
    double *series[series_count];
    int64_t count, capacity[series_count];
    named_number *numbers;
    int number_count;
    int64_t number_capacity;
    flank_history *flanks;
    int flank_count;
    int64_t flank_capacity;
    /* Energy: the largest kinetic one, the lowest and the highest balance, what there was at the start, the
     * largest work. */
    double kinetic, low, high, start, put_in, negligible;
    /* Contact so far. */
    bool watching;
    double last_time, last_force, contact_time, first, last, peak;
};

/* ---- Making. */

static void name_series(slip_gear_result *r)
{
    static const char *const plain[] = {"t",      "force",   "touching", "depth", "kinetic",
                                        "strain", "contact", "lost",     "work",  "balance"};
    static const char *const own[] = {"angle", "speed", "moment"};
    int at = 0;
    snprintf(r->names[at++], name_max, "%s", plain[0]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            snprintf(r->names[at++], name_max, "%s.%s", r->gears[k], own[i]);
    for (size_t i = 1; i < sizeof plain / sizeof *plain; i++)
        snprintf(r->names[at++], name_max, "%s", plain[i]);
}

int slip_gear_record_create(slip_context *ctx, const char *const names[2], double negligible,
                            slip_gear_result **result)
{
    slip_gear_result *r = *result = slip_alloc(1, sizeof *r);
    for (int k = 0; r && k < 2; k++) {
        size_t length = strlen(names[k]);
        r->gears[k] = slip_alloc((int64_t)length + 1, 1);
        if (r->gears[k])
            memcpy(r->gears[k], names[k], length);
    }
    if (!r || !r->gears[0] || !r->gears[1]) {
        slip_gear_result_destroy(r);
        *result = NULL;
        return slip_fail_memory(ctx);
    }
    r->negligible = negligible;
    r->first = r->last = NAN;
    r->low = INFINITY;
    r->high = -INFINITY;
    name_series(r);
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
    free(r->gears[0]);
    free(r->gears[1]);
    free(r);
}

/* ---- Energy. */

static double energy_of(const slip_gear_sample *s)
{
    return s->kinetic + s->strain + s->contact;
}

bool slip_gear_record_balance(slip_gear_result *r, const slip_gear_sample *s)
{
    double energy = energy_of(s), balance = energy + s->lost - s->work;
    if (!(r->low <= r->high))
        r->start = fabs(energy); /* of central differences that may be below 0 at rest */
    r->kinetic = fmax(r->kinetic, s->kinetic);
    r->put_in = fmax(r->put_in, fabs(s->work));
    r->low = fmin(r->low, balance);
    r->high = fmax(r->high, balance);
    return !(energy <= 2 * (r->start + r->put_in) + r->negligible);
}

int slip_gear_record_unbounded(slip_context *ctx, const slip_gear_result *r, const slip_gear_sample *s,
                               const char *when, const char *who)
{
    return slip_fail(
        ctx, SLIP_ERROR_SOLVER,
        "%sthe motion grows without bound: it has %.3g J, while %.3g J were there at the start and "
        "put in since; most moves %s; expected lower speeds, a lower penalty, or a smaller step or "
        "tolerance",
        when, energy_of(s), r->start + r->put_in, who);
}

/* ---- Filling. */

int slip_gear_record_add(slip_context *ctx, slip_gear_result *r, const slip_gear_sample *s)
{
    double balance = s->kinetic + s->strain + s->contact + s->lost - s->work;
    const double values[series_count] = {
        s->time,     s->angle[0], s->speed[0], s->moment[0], s->angle[1], s->speed[1], s->moment[1], s->force,
        s->touching, s->depth,    s->kinetic,  s->strain,    s->contact,  s->lost,     s->work,      balance};
    for (int i = 0; i < series_count; i++)
        if (!slip_array_reserve(&r->series[i], &r->capacity[i], r->count + 1, sizeof(double)))
            return slip_fail_memory(ctx);
    for (int i = 0; i < series_count; i++)
        r->series[i][r->count] = values[i];
    r->count++;
    slip_gear_record_balance(r, s);
    return SLIP_OK;
}

/* The part of a step from a to b in which a force that goes linearly from one value to the other is positive.
 */
static void positive_part(double a, double b, double from, double to, double *low, double *high)
{
    *low = a;
    *high = b;
    if (!(from > 0) && !(to > 0))
        *high = a;
    else if (!(from > 0))
        *low = a + (b - a) * (-from / (to - from));
    else if (!(to > 0))
        *high = a + (b - a) * (from / (from - to));
}

void slip_gear_record_watch(slip_gear_result *r, double time, double force)
{
    if (r->watching) {
        double low, high;
        positive_part(r->last_time, time, r->last_force, force, &low, &high);
        if (high > low) {
            r->contact_time += high - low;
            r->first = isnan(r->first) ? low : r->first;
            r->last = high;
        }
    }
    r->watching = true;
    r->last_time = time;
    r->last_force = force;
    r->peak = fmax(r->peak, force);
}

int slip_gear_record_number(slip_context *ctx, slip_gear_result *r, const char *name, double value)
{
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

int slip_gear_record_step(slip_context *ctx, slip_gear_result *r, double step, double first)
{
    int status = slip_gear_record_number(ctx, r, "step", step);
    if (status >= 0 && step < first)
        status = slip_gear_record_number(ctx, r, "first_step", first);
    return status;
}

static int finish_energy(slip_context *ctx, slip_gear_result *r)
{
    const double *balance = slip_gear_result_series(r, "balance", NULL);
    double drift = fmax(r->high - balance[0], balance[0] - r->low);
    int status;
    SLIP_TRY(slip_gear_record_number(ctx, r, "energy.start", balance[0]));
    SLIP_TRY(slip_gear_record_number(ctx, r, "energy.end", balance[r->count - 1]));
    SLIP_TRY(slip_gear_record_number(ctx, r, "energy.drift", drift / fmax(r->kinetic, r->negligible)));
done:
    return status;
}

int slip_gear_record_finish(slip_context *ctx, slip_gear_result *r)
{
    int status;
    char name[name_max];
    SLIP_TRY(slip_gear_record_number(ctx, r, "contact_time", r->contact_time));
    SLIP_TRY(slip_gear_record_number(ctx, r, "first_contact", r->first));
    SLIP_TRY(slip_gear_record_number(ctx, r, "last_contact", r->last));
    SLIP_TRY(slip_gear_record_number(ctx, r, "peak_force", r->peak));
    if (r->count == 0)
        return SLIP_OK;
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%.80s.speed", r->gears[k]);
        double speed = slip_gear_result_series(r, name, NULL)[r->count - 1];
        snprintf(name, sizeof name, "final.%.80s.speed", r->gears[k]);
        SLIP_TRY(slip_gear_record_number(ctx, r, name, speed));
    }
    SLIP_TRY(finish_energy(ctx, r));
done:
    return status;
}

/* ---- Participation. */

bool slip_gear_record_has(const slip_gear_result *r, int gear, int surface)
{
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && r->flanks[i].surface == surface)
            return true;
    return false;
}

static flank_history *find_flank(slip_gear_result *r, int gear, int surface, int size)
{
    for (int i = 0; i < r->flank_count; i++)
        if (r->flanks[i].gear == gear && r->flanks[i].surface == surface)
            return &r->flanks[i];
    if (!slip_array_reserve(&r->flanks, &r->flank_capacity, r->flank_count + 1, sizeof *r->flanks))
        return NULL;
    flank_history *f = &r->flanks[r->flank_count++];
    *f = (flank_history){.gear = gear, .surface = surface, .size = size};
    return f;
}

int slip_gear_record_participation(slip_context *ctx, slip_gear_result *r, int gear, int surface,
                                   int64_t sample, int size, const double *amplitude,
                                   const unsigned char *active, double force)
{
    flank_history *f = find_flank(r, gear, surface, size);
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

enum { watch_numbers = 12, flank_numbers = 5 };

static int write_flank(const slip_gear_result *r, int index, slip_h5 *file)
{
    const flank_history *f = &r->flanks[index];
    const double numbers[flank_numbers] = {f->gear, f->surface, f->size, (double)f->samples, f->largest};
    char name[name_max];
    snprintf(name, sizeof name, "record/flank%d/numbers", index);
    int status = slip_h5_write(file, name, numbers, flank_numbers);
    snprintf(name, sizeof name, "record/flank%d/amplitude", index);
    return status < 0 ? status : slip_h5_write(file, name, f->amplitude, f->samples * f->size);
}

int slip_gear_record_write(slip_context *ctx, const slip_gear_result *r, slip_h5 *file)
{
    const double watch[watch_numbers] = {r->watching, r->last_time, r->last_force, r->contact_time,
                                         r->first,    r->last,      r->peak,       r->kinetic,
                                         r->low,      r->high,      r->start,      r->put_in};
    const double counts[2] = {(double)r->count, r->flank_count};
    char name[name_max];
    int status;
    (void)ctx;
    SLIP_TRY(slip_h5_write(file, "record/counts", counts, 2));
    SLIP_TRY(slip_h5_write(file, "record/watch", watch, watch_numbers));
    for (int i = 0; i < series_count; i++) {
        snprintf(name, sizeof name, "record/series/%d", i);
        SLIP_TRY(slip_h5_write(file, name, r->series[i], r->count));
    }
    for (int i = 0; i < r->flank_count; i++)
        SLIP_TRY(write_flank(r, i, file));
done:
    return status;
}

static int read_flank(slip_context *ctx, slip_gear_result *r, int index, const int flanks[2],
                      const int sizes[2], slip_h5 *file)
{
    char name[name_max];
    double *n = NULL, *amplitude = NULL;
    int status;
    snprintf(name, sizeof name, "record/flank%d/numbers", index);
    SLIP_TRY(slip_h5_read_exactly(file, name, flank_numbers, &n));
    SLIP_TRY(slip_h5_check_whole(file, name, n, 1, 0, 1));
    const int gear = (int)n[0];
    if (!(n[1] >= 0 && n[1] < flanks[gear]) || n[1] != floor(n[1]) ||
        slip_gear_record_has(r, gear, (int)n[1])) {
        status = slip_h5_fail_value(file, name, 1, n[1], "a flank of the gear that is not here yet");
        goto done;
    }
    if (n[2] != sizes[gear] || !(n[3] >= 1 && n[3] <= (double)r->count) || n[3] != floor(n[3])) {
        status =
            n[2] != sizes[gear]
                ? slip_h5_fail_value(file, name, 2, n[2], "three directions for each node of the flank")
                : slip_h5_fail_value(file, name, 3, n[3], "a number of samples up to that of the record");
        goto done;
    }
    const int surface = (int)n[1], size = (int)n[2];
    const int64_t samples = (int64_t)n[3];
    snprintf(name, sizeof name, "record/flank%d/amplitude", index);
    SLIP_TRY(slip_h5_read_exactly(file, name, samples * size, &amplitude));
    for (int64_t i = 0; i < samples; i++)
        SLIP_TRY(
            slip_gear_record_participation(ctx, r, gear, surface, i, size, amplitude + i * size, NULL, n[4]));
done:
    free(n);
    free(amplitude);
    return status;
}

int slip_gear_record_read(slip_context *ctx, slip_gear_result *r, int64_t samples, const int flanks[2],
                          const int sizes[2], slip_h5 *file)
{
    double *counts = NULL, *watch = NULL;
    char name[name_max];
    int status;
    SLIP_TRY(slip_h5_read_exactly(file, "record/counts", 2, &counts));
    SLIP_TRY(slip_h5_read_exactly(file, "record/watch", watch_numbers, &watch));
    SLIP_TRY(slip_h5_check_whole(file, "record/counts", counts, 1, 0, (double)samples));
    SLIP_TRY(slip_h5_check_whole(file, "record/counts", counts + 1, 1, 0, (double)flanks[0] + flanks[1]));
    r->count = (int64_t)counts[0];
    for (int i = 0; i < series_count; i++) {
        snprintf(name, sizeof name, "record/series/%d", i);
        SLIP_TRY(slip_h5_read_exactly(file, name, r->count, &r->series[i]));
        r->capacity[i] = r->count;
    }
    for (int i = 0; i < (int)counts[1]; i++)
        SLIP_TRY(read_flank(ctx, r, i, flanks, sizes, file));
    r->watching = watch[0] != 0;
    r->last_time = watch[1];
    r->last_force = watch[2];
    r->contact_time = watch[3];
    r->first = watch[4];
    r->last = watch[5];
    r->peak = watch[6];
    r->kinetic = watch[7];
    r->low = watch[8];
    r->high = watch[9];
    r->start = watch[10];
    r->put_in = watch[11];
done:
    if (status < 0)
        r->count = 0; /* what was read is not trusted */
    free(counts);
    free(watch);
    return status;
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
