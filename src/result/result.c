/* The life of a result, and its series by name. */
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const coordinate_suffixes[3] = {"", "'", "''"};
static const char *const contact_suffixes[4] = {".slip", ".normal", ".force", ".mode"};

static char *joined(slip_arena *arena, const char *name, const char *suffix)
{
    size_t length = strlen(name), more = strlen(suffix);
    char *text = slip_arena_alloc(arena, length + more + 1);
    if (text) {
        memcpy(text, name, length);
        memcpy(text + length, suffix, more);
    }
    return text;
}

static bool copy_names(slip_arena *arena, int count, const char *const *from, char ***names)
{
    *names = slip_arena_array(arena, count, sizeof **names);
    if (!*names)
        return false;
    for (int i = 0; i < count; i++) {
        (*names)[i] = slip_arena_string(arena, from[i]);
        if (!(*names)[i])
            return false;
    }
    return true;
}

static bool name_series(slip_result *result)
{
    char **to = result->series_names;
    *to++ = slip_arena_string(&result->arena, "t");
    for (int i = 0; i < result->n; i++)
        for (int part = 0; part < 3; part++)
            *to++ = joined(&result->arena, result->names[i], coordinate_suffixes[part]);
    for (int c = 0; c < result->contact_count; c++)
        for (int part = 0; part < 4; part++)
            *to++ = joined(&result->arena, result->contact_names[c], contact_suffixes[part]);
    for (int k = 0; k < result->series_count; k++)
        if (!result->series_names[k])
            return false;
    return true;
}

/* Every number that a run may leave unknown starts as NAN. */
static double *unknown(slip_arena *arena, int count)
{
    double *values = slip_arena_array(arena, count, sizeof *values);
    for (int i = 0; values && i < count; i++)
        values[i] = NAN;
    return values;
}

static bool allocate(slip_result *result)
{
    slip_steady_result *steady = &result->steady;
    slip_arena *arena = &result->arena;
    double **const of_coordinates[] = {&result->final_q,   &result->final_v,  &result->max_q, &result->max_v,
                                       &result->max_a,     &steady->max_q,    &steady->max_v, &steady->max_a,
                                       &steady->amplitude, &steady->phase_lag};
    for (size_t k = 0; k < sizeof of_coordinates / sizeof of_coordinates[0]; k++) {
        *of_coordinates[k] = unknown(arena, result->n);
        if (!*of_coordinates[k])
            return false;
    }
    steady->max_force = unknown(arena, result->contact_count);
    result->contacts = slip_arena_array(arena, result->contact_count, sizeof *result->contacts);
    for (int c = 0; result->contacts && c < result->contact_count; c++)
        result->contacts[c] = (slip_contact_account){NAN, NAN, NAN, NAN, NAN};
    result->energies = (slip_energies){{NAN, NAN}, {NAN, NAN}, NAN, NAN, NAN, NAN, NAN};
    result->series_names = slip_arena_array(arena, result->series_count, sizeof *result->series_names);
    result->series = slip_arena_array(arena, result->series_count, sizeof *result->series);
    return steady->max_force && result->contacts && result->series_names && result->series;
}

int slip_result_create(slip_context *ctx, int n, const char *const *names, int contact_count,
                       const char *const *contact_names, slip_result **result)
{
    slip_result *fresh = calloc(1, sizeof *fresh);
    *result = NULL;
    if (!fresh)
        return slip_fail_memory(ctx);
    fresh->n = n;
    fresh->contact_count = contact_count;
    fresh->series_count = 1 + 3 * n + 4 * contact_count;
    fresh->method = "";
    fresh->final_t = fresh->wall_seconds = NAN;
    fresh->steady.forcing_period = fresh->steady.last_change = fresh->steady.error = NAN;
    if (!copy_names(&fresh->arena, n, names, &fresh->names) ||
        !copy_names(&fresh->arena, contact_count, contact_names, &fresh->contact_names) || !allocate(fresh) ||
        !name_series(fresh) || !slip_result_reserve(fresh, 1)) {
        slip_result_destroy(fresh);
        return slip_fail_memory(ctx);
    }
    *result = fresh;
    return SLIP_OK;
}

const char *const slip_patch_parts[6] = {"slip_x", "slip_y", "spin", "force_x", "force_y", "moment"};

static char *patch_series_name(slip_result *result, int contact, int part)
{
    char *stem = joined(&result->arena, result->contact_names[contact], ".");
    return stem ? joined(&result->arena, stem, slip_patch_parts[part]) : NULL;
}

int slip_result_add_patches(slip_context *ctx, slip_result *result, int count, const int *contacts)
{
    int before = result->series_count, all = before + 6 * count;
    char **names = slip_arena_array(&result->arena, all, sizeof *names);
    double **series = slip_arena_array(&result->arena, all, sizeof *series);
    result->patch_contacts = slip_arena_array(&result->arena, count + 1, sizeof(int));
    if (!names || !series || !result->patch_contacts)
        return slip_fail_memory(ctx);
    memcpy(names, result->series_names, (size_t)before * sizeof *names);
    memcpy(series, result->series, (size_t)before * sizeof *series);
    result->series_names = names;
    result->series = series;
    result->series_count = all;
    result->patch_count = count;
    for (int p = 0; p < count; p++) {
        result->patch_contacts[p] = contacts[p];
        for (int part = 0; part < 6; part++) {
            int k = slip_series_patch(result, p, part);
            int64_t capacity = 0;
            names[k] = patch_series_name(result, contacts[p], part);
            if (!names[k] || !slip_array_reserve(&series[k], &capacity, result->capacity, sizeof(double)))
                return slip_fail_memory(ctx);
        }
    }
    return SLIP_OK;
}

static void free_series(slip_result *result, double *values)
{
    if (result->spilled)
        slip_spill_free(values, result->capacity);
    else
        free(values);
}

void slip_result_destroy(slip_result *result)
{
    if (!result)
        return;
    for (int k = 0; result->series && k < result->series_count; k++)
        free_series(result, result->series[k]);
    slip_spill_close(&result->spill);
    free(result->events);
    slip_text_free(&result->summary);
    slip_arena_free(&result->arena);
    free(result);
}

/* Moves long series to the disk: to new places there, which are larger by half. */
static bool reserve_on_disk(slip_result *result, int64_t needed)
{
    const int64_t more = result->capacity + result->capacity / 2;
    const int64_t capacity = more > needed ? more : needed;
    double **fresh = slip_alloc(result->series_count, sizeof *fresh);
    bool good = fresh != NULL;
    for (int k = 0; k < result->series_count && good; k++)
        good = (fresh[k] = slip_spill_alloc(&result->spill, capacity)) != NULL;
    for (int k = 0; k < result->series_count && fresh; k++) {
        if (!good) {
            slip_spill_free(fresh[k], capacity);
            continue;
        }
        memcpy(fresh[k], result->series[k], (size_t)result->count * sizeof(double));
        free_series(result, result->series[k]);
        result->series[k] = fresh[k];
    }
    free(fresh);
    if (good) {
        result->capacity = capacity;
        result->spilled = true;
    }
    return good;
}

bool slip_result_reserve(slip_result *result, int64_t needed)
{
    enum { most_in_memory = 1 << 20 };
    int64_t capacity = result->capacity;
    if (needed <= capacity)
        return true;
    if (needed > most_in_memory)
        return reserve_on_disk(result, needed);
    for (int k = 0; k < result->series_count; k++) {
        /* All grow from the same capacity by the same rule. After a failure some are larger than they need
         * to be, which does no harm. */
        capacity = result->capacity;
        if (!slip_array_reserve(&result->series[k], &capacity, needed, sizeof(double)))
            return false;
    }
    result->capacity = capacity;
    return true;
}

const double *slip_result_series(const slip_result *result, const char *name, int64_t *count)
{
    for (int k = 0; k < result->series_count; k++) {
        if (strcmp(result->series_names[k], name) == 0) {
            if (count)
                *count = result->count;
            return result->series[k];
        }
    }
    if (count)
        *count = 0;
    return NULL;
}

const char *slip_result_method(const slip_result *result)
{
    return result->method;
}

int slip_result_series_count(const slip_result *result)
{
    return result->series_count;
}

const char *slip_result_series_name(const slip_result *result, int index)
{
    return index >= 0 && index < result->series_count ? result->series_names[index] : NULL;
}

int64_t slip_result_event_count(const slip_result *result)
{
    return result->event_count;
}

const slip_event *slip_result_event(const slip_result *result, int64_t index)
{
    return index >= 0 && index < result->event_count ? &result->events[index] : NULL;
}
