/* Mode sets, segments, and the motion and contact forces along a segment. */
#include "method/exact/types.h"
#include "ode/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_exact_create(slip_context *ctx, const slip_system *system, const double *forms, slip_exact **result)
{
    char reason[300];
    int64_t contacts = system->contact_count;
    SLIP_FREED_BY(slip_exact_drop) slip_exact *exact = NULL;
    *result = NULL;
    const int applies = slip_exact_applies(system, reason, sizeof reason);
    if (applies < 0)
        return slip_fail_memory(ctx);
    if (!applies)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "segments have no closed form: %s", reason);
    exact = calloc(1, sizeof *exact);
    SLIP_PASS(slip_allocated(ctx, exact));
    exact->ctx = ctx;
    exact->system = system;
    SLIP_PASS(slip_exact_loads_create(ctx, system, &exact->arena, &exact->loads));
    exact->loads.forms = forms;
    int64_t largest = 2 * (int64_t)system->n + contacts + exact->loads.count + 1;
    exact->sets = slip_arena_array(&exact->arena, slip_exact_sets_most, sizeof *exact->sets);
    exact->key_size = (int)(2 * contacts + system->slider_count);
    exact->key = slip_arena_array(&exact->arena, exact->key_size + 1, 1);
    exact->ended = slip_arena_array(&exact->arena, 2 * contacts + 1, sizeof *exact->ended);
    exact->gap_sizes = slip_arena_array(&exact->arena, contacts + 1, sizeof(double));
    exact->y0 = slip_arena_array(&exact->arena, 11 * (largest + largest % 2) + 1, sizeof(double));
    exact->searches =
        slip_arena_array(&exact->arena, 3 * contacts + 2 * system->slider_count + 1, sizeof *exact->searches);
    exact->shown = slip_arena_array(&exact->arena, 3 * (int64_t)system->n + 1 + 6 * contacts, sizeof(double));
    exact->sums = slip_arena_array(&exact->arena, SLIP_WORK_CONTACTS + 2 * contacts + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, exact->shown && exact->sums && exact->sets && exact->key && exact->ended &&
                                      exact->gap_sizes && exact->y0 && exact->searches));
    largest += largest % 2;
    if (largest > slip_exact_narrow && !slip_exact_series_create(exact, largest))
        return slip_fail_memory(ctx);
    exact->from_zero = exact->ended + contacts;
    exact->y = exact->y0 + largest;
    exact->moved = exact->y0 + 2 * largest;
    exact->term = exact->y0 + 3 * largest;
    exact->swap = exact->y0 + 4 * largest;
    exact->magnitude = exact->y0 + 5 * largest;
    exact->arrived = exact->y0 + 6 * largest;
    exact->seen = exact->y0 + 7 * largest;
    exact->walked = exact->y0 + 8 * largest;
    exact->change = exact->y0 + 9 * largest;
    exact->changed = exact->y0 + 10 * largest;
    exact->seen_at = exact->y0 + 11 * largest;
    SLIP_HAND(result, exact);
    return SLIP_OK;
}

void slip_exact_destroy(slip_exact *exact)
{
    if (!exact)
        return;
    for (int i = 0; i < exact->set_count; i++)
        slip_exact_set_destroy(exact->sets[i]);
    slip_arena_free(&exact->arena);
    free(exact);
}

void slip_exact_renew(slip_exact *exact, slip_context *ctx)
{
    exact->ctx = ctx;
    memset(exact->gap_sizes, 0, (size_t)exact->system->contact_count * sizeof(double));
    for (int i = 0; i < exact->set_count; i++)
        for (slip_exact_set *set = exact->sets[i]; set; set = set->slow)
            slip_exact_forget_level(set);
}

/* ---- Mode sets. */

static uint64_t hash_key(int count, const unsigned char *key)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < count; i++)
        hash = (hash ^ key[i]) * 1099511628211u;
    return hash;
}

/* Finds the set of the current modes, or builds it; where there are too many sets the least recently used one
 * is freed. */
static int find_set(slip_exact *exact)
{
    int oldest = 0, place;
    uint64_t hash = hash_key(exact->key_size, exact->key);
    slip_exact_set *made;
    for (int i = 0; i < exact->set_count; i++) {
        slip_exact_set *set = exact->sets[i];
        if (set->hash == hash && memcmp(set->modes, exact->key, (size_t)exact->key_size) == 0) {
            exact->set = set;
            set->used = ++exact->clock;
            return SLIP_OK;
        }
        if (set->used < exact->sets[oldest]->used)
            oldest = i;
    }
    SLIP_PASS(slip_exact_set_create(exact, exact->key, &made));
    place = exact->set_count < slip_exact_sets_most ? exact->set_count++ : oldest;
    slip_exact_set_destroy(exact->sets[place]);
    made->hash = hash;
    made->used = ++exact->clock;
    exact->set = exact->sets[place] = made;
    return SLIP_OK;
}

/* ---- Segments. */

/* Writes the entries of y that follow from q and v; returns where the entries of the loads begin. */
static double *enter(const slip_system *system, const slip_exact_set *set, const double *q, const double *v,
                     double *y)
{
    const int r = set->free_count;
    for (int i = 0; i < r; i++) {
        y[i] = q[set->free[i]];
        y[r + i] = v[set->free[i]];
    }
    y += 2 * r;
    for (int i = 0; i < set->held_count; i++) {
        const double *row = system->contacts[set->held[i]].slip.row;
        y[i] = 0;
        for (int j = 0; j < system->n; j++)
            y[i] += row[j] * q[j];
    }
    return y + set->held_count;
}

int slip_exact_start(slip_exact *exact, const slip_mode *modes, const unsigned *clips, double t,
                     const double *q, const double *v)
{
    const slip_system *system = exact->system;
    for (int64_t c = 0; c < system->contact_count; c++) {
        exact->from_zero[c] = false;
        exact->key[c] = (unsigned char)modes[c];
        exact->key[system->contact_count + c] = clips ? (unsigned char)clips[c] : 0;
    }
    for (int64_t k = 0; k < system->slider_count && exact->sliders; k++)
        exact->key[2 * system->contact_count + k] = (unsigned char)exact->sliders[k];
    SLIP_PASS(find_set(exact));
    const slip_exact_set *set = exact->whole = exact->set;
    double *loads = enter(system, set, q, v, exact->y0);
    int status = slip_exact_loads_at(&exact->loads, t, loads);
    if (status < 0)
        return status == SLIP_ERROR_MEMORY ? slip_fail_memory(exact->ctx) : status;
    slip_exact_gaps_start(set, exact->y0);
    exact->y0[set->padded - 1] = set->padded > set->size ? 0 : exact->y0[set->padded - 1];
    exact->t0 = t;
    exact->leniency = 1;
    exact->unknown = NULL;
    exact->looked = false;
    exact->arrival = *exact->seen_at = exact->walked_at = NAN;
    if (exact->series)
        exact->series->anchor_at = NAN;
    return SLIP_OK;
}

void slip_exact_sliders(slip_exact *exact, const signed char *modes)
{
    exact->sliders = modes;
}

void slip_exact_from_zero(slip_exact *exact, int contact)
{
    exact->looked = exact->looked && exact->from_zero[contact];
    exact->from_zero[contact] = true;
}

void slip_exact_forgive(slip_exact *exact, double factor, const slip_exact_unknown *unknown)
{
    exact->leniency = factor;
    exact->unknown = unknown;
    exact->looked = false;
}

/* A search for an extremum evaluates at times close together: a short series leads from the first of them to
 * the others. */
const double *slip_exact_between(const slip_exact *exact, double t)
{
    double distance = t - *exact->seen_at, from = exact->t0;
    const double *y = exact->y0;
    if (distance == 0)
        return exact->seen;
    if (fabs(distance) < exact->set->step && exact->set->rate > 0) {
        slip_exact_propagate(exact, exact->seen, distance, exact->moved);
        return exact->moved;
    }
    if (exact->set->wide)
        from = slip_exact_wide_nearest(exact, t, &y);
    slip_exact_propagate(exact, y, t - from, exact->seen);
    *exact->seen_at = t;
    return exact->seen;
}

double slip_exact_grain(const slip_exact *exact)
{
    return exact->set->rate > 0 ? exact->set->step : 0;
}

double slip_exact_walk(slip_exact *exact, int64_t k, int steps)
{
    slip_exact_set *set = exact->set;
    const double length = steps * set->step, distance = (double)k * length;
    if (k % 64 == 0 && !set->wide) /* so that rounding errors do not accumulate */
        slip_exact_propagate(exact, exact->y0, distance, exact->seen);
    else
        slip_exact_propagate(exact, k == 1 ? exact->y0 : exact->walked, length, exact->seen);
    slip_copy_few(set->padded, exact->seen, exact->walked);
    return *exact->seen_at = exact->walked_at = exact->t0 + distance;
}

static inline void give(int count, const double *from, double *to)
{
    if (!to)
        return;
    to[0] = from[0]; /* mostly there is only one */
    for (int i = 1; i < count; i++)
        to[i] = from[i];
}

void slip_exact_state(const slip_exact *exact, double t, double *q, double *v, double *a)
{
    const slip_exact_set *set = exact->set;
    const int n = exact->system->n;
    const double *y = slip_exact_at(exact, t);
    if (set->wide)
        slip_exact_sparse_apply(&set->sparse_motion, y, exact->shown);
    else
        slip_exact_show(set->motion_rows, set->size, set->motion, y, exact->shown);
    give(n, exact->shown, q);
    give(n, exact->shown + n, v);
    give(n, exact->shown + 2 * n, a);
}

void slip_exact_carry(const slip_exact *exact, double distance, double *q, double *v)
{
    const slip_exact_set *set = exact->whole;
    const int n = exact->system->n;
    double *y = exact->change, *loads = enter(exact->system, set, q, v, y);
    memset(loads, 0, (size_t)(y + set->padded - loads) * sizeof(double));
    slip_exact_gaps_start(set, y);
    for (; set != exact->set; set = set->slow)
        for (int j = 0; j < set->slow->size; j++)
            y[j] = y[set->slow->kept[j]];
    if (set->padded > set->size)
        y[set->size] = 0;
    slip_exact_propagate(exact, y, distance, exact->changed);
    if (set->wide)
        slip_exact_sparse_apply(&set->sparse_motion, exact->changed, exact->shown);
    else
        slip_exact_show(set->motion_rows, set->size, set->motion, exact->changed, exact->shown);
    give(n, exact->shown, q);
    give(n, exact->shown + n, v);
}

void slip_exact_contacts(const slip_exact *exact, double t, double *slip, double *normal, double *force,
                         double *gap)
{
    const slip_exact_set *set = exact->set;
    const int count = (int)exact->system->contact_count;
    if (count == 0)
        return;
    const double *y = slip_exact_at(exact, t);
    if (set->wide)
        slip_exact_sparse_apply(&set->sparse_contacts, y, exact->shown);
    else
        slip_exact_show(set->contact_rows, set->size, set->contacts, y, exact->shown);
    give(count, exact->shown, slip);
    give(count, exact->shown + count, normal);
    give(count, exact->shown + 2 * count, force);
    give(count, exact->shown + 3 * count, gap);
}

double slip_exact_rate(const slip_exact *exact)
{
    return exact->set->rate;
}

bool slip_exact_ended(const slip_exact *exact, int contact)
{
    return exact->ended[contact];
}
