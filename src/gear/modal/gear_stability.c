/* Steps that are stable. The method is told in the header. */
#include "gear/modal/gear_stability.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* ---- The method. */

static bool is_stable(double complex z)
{
    return cabs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))) <= 1 + 1e-12;
}

double slip_rk4_limit(double square, double damping)
{
    double half = damping / 2;
    double complex root = csqrt(half * half - square);
    const double complex roots[2] = {-half - root, -half + root};
    double limit = INFINITY;
    for (int k = 0; k < 2; k++) {
        double size = cabs(roots[k]), low = 0, high = 4;
        if (!(size > 0))
            continue;
        for (int i = 0; i < 50; i++) { /* the region is seen from 0 in one piece to the left of it */
            double middle = (low + high) / 2;
            *(is_stable(roots[k] / size * middle) ? &low : &high) = middle;
        }
        limit = fmin(limit, low / size);
    }
    return limit;
}

/* ---- What contact adds. */

/* Differences of coordinates with unit mass: fractions of a nanometre at a node. */
static const double difference = 1e-12;

/* Power iteration underestimates the eigenvalue: it is raised by this factor. */
static const double reserve = 1.05;

int slip_gear_stability_create(slip_context *ctx, slip_gear_modal *m, slip_gear_stability *s)
{
    int64_t n = m->capacity;
    s->vector[0] = slip_arena_array(&m->arena, n, sizeof(double));
    s->vector[1] = slip_arena_array(&m->arena, n, sizeof(double));
    s->state = slip_arena_array(&m->arena, 2 * n + slip_modal_sums(m), sizeof(double));
    s->slope = slip_arena_array(&m->arena, 2 * n + slip_modal_sums(m), sizeof(double));
    s->base = slip_arena_array(&m->arena, 2 * n + slip_modal_sums(m), sizeof(double));
    return s->vector[0] && s->vector[1] && s->state && s->slope && s->base ? SLIP_OK : slip_fail_memory(ctx);
}

void slip_gear_stability_keep(slip_gear_stability *s, const slip_gear_modal *m, slip_keeper *k)
{
    for (int i = 0; i < 2; i++)
        slip_keep_bytes(k, s->vector[i], sizeof(double) * (size_t)m->capacity);
}

static double scale_to_unit(int n, double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    sum = sqrt(sum);
    for (int i = 0; i < n && sum > 0; i++)
        x[i] /= sum;
    return sum;
}

/* The largest eigenvalue of minus the derivative of the accelerations by coordinates or, with `rates`, by
 * their rates. A small part along all coordinates is added to the start vector, because coordinates change
 * from call to call. */
static double largest(slip_gear_stability *s, slip_gear_modal *m, bool rates, int iterations)
{
    int n = m->count;
    double *x = s->vector[rates], value = 0;
    for (int i = 0; i < n; i++)
        x[i] += 0.1 * sin(1 + 2.4 * i) / sqrt(n);
    scale_to_unit(n, x);
    for (int k = 0; k < iterations; k++) {
        memcpy(s->state, m->state, sizeof(double) * (2 * (size_t)n + (size_t)slip_modal_sums(m)));
        slip_modal_add(n, difference, x, s->state + (rates ? n : 0));
        slip_gear_modal_evaluate(m, s->state, s->slope);
        for (int i = 0; i < n; i++)
            x[i] = (s->base[n + i] - s->slope[n + i]) / difference;
        value = scale_to_unit(n, x);
    }
    return reserve * value;
}

/* The largest damping with friction at the present slip, or at zero slip. */
static double largest_damping(slip_gear_stability *s, slip_gear_modal *m, bool at_rest, int iterations)
{
    for (int p = 0; p < m->pair_count; p++)
        slip_flank_contact_stiffen(m->pairs[p].pair->contact, at_rest);
    slip_gear_modal_evaluate(m, m->state, s->base);
    double found = largest(s, m, true, iterations);
    for (int p = 0; p < m->pair_count; p++)
        slip_flank_contact_stiffen(m->pairs[p].pair->contact, false);
    return found;
}

double slip_gear_stability_limit(slip_gear_stability *s, slip_gear_modal *m, slip_gear_damping friction,
                                 int iterations)
{
    double limit = INFINITY, damping = 0, square = 0;
    for (int k = 0; k < m->gear_count; k++) {
        const slip_modal_gear *g = &m->gear[k];
        double high = g->wheel->frame->square[g->wheel->modes - 1];
        limit = fmin(limit, slip_rk4_limit(high, g->side->damping * high));
        damping = fmax(damping, g->side->damping * high);
        for (int i = 0; i < g->flank_count; i++) {
            const slip_gear_basis *b = &g->flanks[i]->basis;
            if (b->count == 0)
                continue;
            high = b->square[b->count - 1];
            limit = fmin(limit, slip_rk4_limit(high, g->side->static_damping * high));
            damping = fmax(damping, g->side->static_damping * high);
        }
    }
    if (m->totals.touching == 0)
        return limit;
    slip_gear_modal_evaluate(m, m->state, s->base);
    square = largest(s, m, false, iterations);
    if (m->friction && friction != SLIP_DAMPING_NONE)
        damping = fmax(damping, largest_damping(s, m, friction == SLIP_DAMPING_AT_REST, iterations));
    return fmin(limit, fmin(slip_rk4_limit(square, 0), slip_rk4_limit(square, damping)));
}
