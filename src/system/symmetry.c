/* The group of shifts is found by applying one condition after the other: the linear function row . d must
 * vanish, or be a whole multiple of a period. At first all shifts are allowed. If a free vector violates a
 * condition, multiples of it are subtracted from all other vectors so that these satisfy it; the vector
 * itself is removed or, for a periodic condition, scaled to a turn. If only turns violate a periodic
 * condition, they are combined: if they change the function by parts f_k of the period, f_k = r_k / Q,
 * Euclid's algorithm on the r_k modulo Q finds the combinations which do not change it. */
#include "system/symmetry.h"

#include "math/dense.h"
#include "system/freeze.h"
#include "system/structure/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums that are smaller than this part of their terms are rounding. */
static const double rounding = 1e-13;

typedef struct search {
    int first, n; /* the slots that are shifted */
    int free, turns;
    double **vectors; /* n: `free` of them from the front on, the turns from the back on */
    double *value;    /* n: of a condition */
    bool periods;     /* conditions with a period are taken now, else those without */
} search;

static double *turn_of(const search *s, int k)
{
    return s->vectors[s->n - 1 - k];
}

static void drop_turn(search *s, int k)
{
    s->vectors[s->n - 1 - k] = s->vectors[s->n - s->turns];
    s->turns--;
}

/* The value of a condition's linear function for a vector; 0 if it is below rounding. */
static double value_of(const search *s, const slip_shift_condition *c, const double *vector)
{
    double sum = 0, size = 0;
    for (int k = 0; k < c->count; k++) {
        const double term = c->row[k] * vector[c->slots[k] - s->first];
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) > rounding * size ? sum : 0;
}

static void subtract(int n, double factor, const double *from, double *vector)
{
    for (int i = 0; i < n && factor != 0; i++) {
        const double term = factor * from[i], next = vector[i] - term;
        vector[i] = fabs(next) > rounding * (fabs(term) + fabs(vector[i])) ? next : 0;
    }
}

/* A fraction with a small denominator, to within rounding; 0: it is none. */
static int denominator_of(double f)
{
    enum { most = 1000 };
    int q = 1;
    while (q <= most && !(fabs(f * q - rint(f * q)) <= 1e-14 * q * fmax(1, fabs(f))))
        q++;
    return q <= most ? q : 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Removes turns that change the function by an irrational part of the period. Returns the others'
 * denominator. */
static int64_t share_denominator(search *s, const slip_shift_condition *c)
{
    const int64_t most = 1000000;
    int64_t all = 1;
    for (int k = s->turns - 1; k >= 0; k--) {
        const double f = value_of(s, c, turn_of(s, k)) / c->period;
        const int64_t own = denominator_of(f), next = own > 0 ? all / common_divisor(all, own) * own : 0;
        if (next == 0 || next > most)
            drop_turn(s, k);
        else
            all = next;
    }
    for (int k = 0; k < s->turns; k++) {
        const double part = value_of(s, c, turn_of(s, k)) / c->period;
        s->value[k] = fmod(rint(part * (double)all), (double)all);
        s->value[k] += s->value[k] < 0 ? (double)all : 0;
    }
    return all;
}

/* Turns are combined until none changes the function but by its period. */
static void combine_turns(search *s, const slip_shift_condition *c)
{
    const int64_t all = share_denominator(s, c);
    for (;;) {
        int least = -1, other = -1;
        for (int k = 0; k < s->turns; k++)
            if (s->value[k] > 0 && (least < 0 || s->value[k] < s->value[least]))
                least = k;
        for (int k = 0; k < s->turns; k++)
            if (s->value[k] > 0 && k != least)
                other = k;
        if (least >= 0 && other < 0) {
            const int64_t times = all / common_divisor(all, (int64_t)s->value[least]);
            for (int i = 0; i < s->n; i++)
                turn_of(s, least)[i] *= (double)times;
        }
        if (other < 0)
            return;
        const double factor = floor(s->value[other] / s->value[least]);
        subtract(s->n, factor, turn_of(s, least), turn_of(s, other));
        s->value[other] -= factor * s->value[least];
    }
}

static void take_condition(void *user, const slip_shift_condition *c)
{
    search *s = user;
    int best = -1;
    if ((c->period > 0) != s->periods)
        return;
    for (int k = 0; k < s->free; k++) {
        s->value[k] = value_of(s, c, s->vectors[k]);
        if (s->value[k] != 0 && (best < 0 || fabs(s->value[k]) > fabs(s->value[best])))
            best = k;
    }
    if (best < 0) {
        if (s->periods)
            combine_turns(s, c);
        return;
    }
    double *own = s->vectors[best];
    const double value = s->value[best];
    for (int k = 0; k < s->free; k++)
        if (k != best)
            subtract(s->n, s->value[k] / value, own, s->vectors[k]);
    for (int k = 0; k < s->turns; k++)
        subtract(s->n, value_of(s, c, turn_of(s, k)) / value, own, turn_of(s, k));
    s->vectors[best] = s->vectors[--s->free];
    if (!s->periods)
        return;
    for (int i = 0; i < s->n; i++)
        own[i] *= c->period / value;
    s->vectors[s->n - 1 - s->turns++] = own;
}

/* ---- What a system asks for. */

/* A linear function of the coordinates that must not change. */
static void take_row(search *s, const double *row, int *slots, double *values)
{
    slip_shift_condition c = {.slots = slots, .row = values};
    for (int i = 0; row && i < s->n; i++)
        if (row[i] != 0) {
            slots[c.count] = slip_slot_coordinate(i);
            values[c.count++] = row[i];
        }
    if (c.count > 0)
        take_condition(s, &c);
}

static int take_expression(search *s, const slip_expression *expression)
{
    return expression ? slip_expression_shifts(expression, s->first, s->n, take_condition, s) : SLIP_OK;
}

static void take_rows(search *s, const slip_system *system, int *slots, double *values)
{
    for (int i = 0; i < system->n; i++)
        take_row(s, system->stiffness + (ptrdiff_t)i * system->n, slots, values);
    for (int64_t c = 0; c < system->contact_count; c++)
        take_row(s, system->contacts[c].gap.row, slots, values);
}

static int take_expressions(search *s, const slip_system *system)
{
    int status = system->energy ? take_expression(s, system->energy->kinetic) : SLIP_OK;
    for (int64_t k = 0; k < slip_system_expression_count(system) && status >= 0; k++)
        status = take_expression(s, slip_system_expression(system, k));
    return status;
}

/* Whether functions that are no expressions act: nobody knows what they read. */
static bool has_hidden_functions(const slip_system *system)
{
    return system->force_function || (system->structure->push && !system->energy) ||
           system->detector_count > 0;
}

/* ---- The group as it is used. */

/* The largest number of a vector is its pivot; all others are zero there, up to `count` of them. */
static void take_pivot(slip_symmetry *y, int own, int count)
{
    double *vector = y->shift + (ptrdiff_t)own * y->n;
    int pivot = 0;
    for (int i = 1; i < y->n; i++)
        pivot = fabs(vector[i]) > fabs(vector[pivot]) ? i : pivot;
    const double value = vector[pivot];
    for (int i = 0; i < y->n; i++)
        vector[i] /= value;
    for (int k = 0; k < count; k++)
        if (k != own)
            subtract(y->n, y->shift[(ptrdiff_t)k * y->n + pivot], vector, y->shift + (ptrdiff_t)k * y->n);
    y->pivot[own] = pivot;
    y->held[pivot] = true;
}

/* Shortens the turns by whole multiples of each other (Gauss's lattice reduction, pair by pair), so that
 * states are shifted as little as possible. */
static void shorten_turns(slip_symmetry *y)
{
    bool shorter = true;
    while (shorter) {
        shorter = false;
        for (int a = y->free; a < y->count; a++)
            for (int b = y->free; b < y->count; b++) {
                double *own = y->shift + (ptrdiff_t)a * y->n;
                const double *other = y->shift + (ptrdiff_t)b * y->n,
                             part = slip_dense_dot(y->n, own, other) / slip_dense_dot(y->n, other, other),
                             whole = a == b || fabs(part) < 0.5 + 1e-9 ? 0 : rint(part);
                subtract(y->n, whole, other, own);
                shorter = shorter || whole != 0;
            }
    }
}

/* Pivots of the turns, by elimination in a copy of them, and the inverse there. */
static bool invert_turns(slip_symmetry *y, double *work, int *pivots)
{
    const int turns = y->count - y->free, n = y->n;
    double *const vectors = y->shift + (ptrdiff_t)y->free * n;
    memcpy(work, vectors, (size_t)turns * (size_t)n * sizeof *work);
    for (int k = 0; k < turns; k++) {
        double *own = work + (ptrdiff_t)k * n;
        int pivot = 0;
        for (int i = 1; i < n; i++)
            pivot = fabs(own[i]) > fabs(own[pivot]) ? i : pivot;
        for (int other = k + 1; other < turns; other++)
            subtract(n, work[(ptrdiff_t)other * n + pivot] / own[pivot], own, work + (ptrdiff_t)other * n);
        y->pivot[y->free + k] = pivot;
    }
    for (int k = 0; k < turns; k++)
        for (int j = 0; j < turns; j++)
            y->inverse[k * turns + j] = vectors[(ptrdiff_t)k * n + y->pivot[y->free + j]];
    return turns == 0 || slip_dense_invert(turns, y->inverse, pivots);
}

static int make_group(const search *s, int *pivots, slip_symmetry *y)
{
    const int64_t n = s->n, turns = s->turns;
    y->free = s->free;
    y->count = s->free + s->turns;
    y->shift = slip_arena_array(&y->arena, y->count * n + 1, sizeof(double));
    y->pivot = slip_arena_array(&y->arena, y->count + 1, sizeof(int));
    y->inverse = slip_arena_array(&y->arena, turns * turns + 1, sizeof(double));
    y->extent = slip_arena_array(&y->arena, n + 1, sizeof(double));
    y->held = slip_arena_array(&y->arena, n + 1, sizeof(bool));
    SLIP_FREED double *work = slip_alloc(turns * n + 1, sizeof *work);
    if (!y->shift || !y->pivot || !y->inverse || !y->extent || !y->held || !work)
        return SLIP_ERROR_MEMORY;
    for (int k = 0; k < y->count; k++)
        memcpy(y->shift + k * n, k < s->free ? s->vectors[k] : turn_of(s, k - s->free),
               (size_t)n * sizeof(double));
    for (int k = 0; k < y->free; k++)
        take_pivot(y, k, y->count);
    shorten_turns(y);
    if (!invert_turns(y, work, pivots)) /* turns that are almost parallel are given up */
        y->count = y->free;
    for (int i = 0; i < n; i++) {
        for (int k = y->free; k < y->count; k++)
            y->extent[i] += 0.5 * fabs(y->shift[k * n + i]);
        y->extent[i] = y->extent[i] > 0 ? y->extent[i] : INFINITY;
    }
    return SLIP_OK;
}

static int find_group(const slip_system *system, slip_symmetry *y)
{
    const int64_t n = y->n;
    search s = {.first = slip_slot_coordinate(0), .n = y->n, .free = has_hidden_functions(system) ? 0 : y->n};
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *room = slip_arena_array(&arena, n * n + 2 * n + 1, sizeof *room);
    int *slots = slip_arena_array(&arena, n + 1, sizeof *slots), status = SLIP_OK;
    s.vectors = slip_arena_array(&arena, n + 1, sizeof *s.vectors);
    if (!room || !slots || !s.vectors)
        return SLIP_ERROR_MEMORY;
    s.value = room + n * n;
    for (int i = 0; i < n; i++) {
        s.vectors[i] = room + i * n;
        s.vectors[i][i] = 1;
    }
    for (int periods = 0; periods < 2 && status >= 0; periods++) {
        s.periods = periods;
        take_rows(&s, system, slots, s.value + n);
        status = take_expressions(&s, system);
    }
    return status < 0 ? status : make_group(&s, slots, y);
}

int slip_system_period(slip_context *ctx, const slip_system *system, double *period)
{
    double shift = 1, value, *vector = &shift;
    search s = {.first = slip_slot_time(), .n = 1, .free = 1, .vectors = &vector, .value = &value};
    for (int periods = 0; periods < 2; periods++) {
        s.periods = periods;
        SLIP_PASS(slip_allocated(ctx, take_expressions(&s, system) >= 0));
    }
    *period = s.free > 0 ? 0 : s.turns > 0 && !has_hidden_functions(system) ? fabs(shift) : NAN;
    return SLIP_OK;
}

int slip_symmetry_create(slip_context *ctx, const slip_system *system, slip_symmetry **symmetry)
{
    *symmetry = slip_alloc(1, sizeof **symmetry);
    SLIP_PASS(slip_allocated(ctx, *symmetry));
    (*symmetry)->n = slip_system_coordinates(system);
    if (find_group(system, *symmetry) >= 0)
        return SLIP_OK;
    slip_symmetry_destroy(*symmetry);
    *symmetry = NULL;
    return slip_fail_memory(ctx);
}

SLIP_DESTROY(slip_symmetry)

void slip_symmetry_hold_rows(const slip_symmetry *y, int width, double *rows)
{
    for (int k = 0; y && k < y->free; k++) {
        const double *vector = y->shift + (ptrdiff_t)k * y->n, *pivot = rows + (ptrdiff_t)y->pivot[k] * width;
        for (int i = 0; i < y->n; i++)
            for (int j = 0; j < width && vector[i] != 0 && i != y->pivot[k]; j++)
                rows[(ptrdiff_t)i * width + j] -= vector[i] * pivot[j];
    }
    for (int k = 0; y && k < y->free; k++)
        memset(rows + (ptrdiff_t)y->pivot[k] * width, 0, (size_t)width * sizeof *rows);
}

void slip_symmetry_hold(const slip_symmetry *y, double *q)
{
    slip_symmetry_hold_rows(y, 1, q);
}

double slip_symmetry_relative(const slip_symmetry *y, const double *v, int i)
{
    double value = v[i];
    for (int k = 0; y && k < y->free; k++)
        value -= v[y->pivot[k]] * y->shift[(ptrdiff_t)k * y->n + i];
    return value;
}

double slip_symmetry_turns(const slip_symmetry *y, int k, const double *q)
{
    const int turns = y->count - y->free;
    double sum = 0;
    for (int j = 0; j < turns; j++)
        sum += slip_symmetry_relative(y, q, y->pivot[y->free + j]) * y->inverse[j * turns + k];
    return sum;
}

void slip_symmetry_wrap(const slip_symmetry *y, double *q)
{
    for (int k = 0; y && k < y->count - y->free; k++) {
        const double *vector = y->shift + (ptrdiff_t)(y->free + k) * y->n,
                     whole = rint(slip_symmetry_turns(y, k, q));
        for (int i = 0; i < y->n && whole != 0; i++)
            q[i] -= whole * vector[i];
    }
}

void slip_symmetry_reduce(const slip_symmetry *y, double *q)
{
    slip_symmetry_hold(y, q);
    slip_symmetry_wrap(y, q);
}

double slip_symmetry_bound(const slip_symmetry *y, int i, double size)
{
    return y && y->extent[i] < size ? y->extent[i] : size;
}
