/* Columns of loads that are sums of harmonics, and integrals of all columns, in closed form.
 *
 * In a segment d' = J d + a e^(i h w t) has the solution exp(J (t - t0)) c + D e^(i h w t), (i h w - J) D =
 * a. So the columns c are propagated by exp(J gap) between the points of Gauss's rule, over pieces of at most
 * two radians. */
#include "math/dense.h"
#include "method/exact/exact.h"
#include "method/tangent/types.h"

#include <math.h>
#include <string.h>

static const double at[] = {0.01985507175123188416, 0.10166676129318663020, 0.23723379504183550709,
                            0.40828267875217509753, 0.59171732124782490247, 0.76276620495816449291,
                            0.89833323870681336980, 0.98014492824876811584},
                    weights[] = {0.05061426814518812957, 0.11119051722668723527, 0.15685332293894364367,
                                 0.18134189168918099148, 0.18134189168918099148, 0.15685332293894364367,
                                 0.11119051722668723527, 0.05061426814518812957};
enum { points = sizeof at / sizeof *at };

/* Arrays for the integration over a segment. */
typedef struct carrying {
    double *a;          /* m for each load: the rates of the state by a unit load */
    double *forced;     /* D of each load and harmonic: m real and m imaginary parts */
    double *turns;      /* exp(J gap) from point to point, m x m each */
    double *waves;      /* 1, cos w t, sin w t, cos 2 w t, ... */
    double *d, *matrix; /* m; (2 m)^2 */
    int *pivots;
} carrying;

static bool open_carrying(const slip_tangent *tangent, slip_arena *arena, carrying *c)
{
    const slip_tangent_loads *l = tangent->loads;
    const int64_t m = tangent->m, harmonics = l->harmonics + 1;
    c->a = slip_arena_array(arena, l->count * m + 1, sizeof(double));
    c->forced = slip_arena_array(arena, 2 * m * l->count * harmonics + 1, sizeof(double));
    c->turns = slip_arena_array(arena, (points + 1) * m * m, sizeof(double));
    c->waves = slip_arena_array(arena, 2 * harmonics, sizeof(double));
    c->d = slip_arena_array(arena, 2 * m, sizeof(double));
    c->matrix = slip_arena_array(arena, 4 * m * m, sizeof(double));
    c->pivots = slip_arena_array(arena, 2 * m, sizeof(int));
    return c->a && c->forced && c->turns && c->waves && c->d && c->matrix && c->pivots;
}

/* The accelerations by a unit of load k; exactly zero for sticking coordinates. */
static void find_unit(slip_tangent *tangent, int k, double *a)
{
    const slip_flow *flow = tangent->flow;
    const int n = tangent->n;
    double most = 0;
    slip_tangent_by_parameter(tangent, k * (2 * tangent->loads->harmonics + 1), flow->t, flow->q, flow->v, a);
    for (int i = 0; i < tangent->loads->count; i++)
        most = fmax(most, flow->system->inverse_mass[i * (n + 1)]);
    for (int i = 0; i < n; i++)
        a[i] = fabs(a[i]) < 1e-9 * most ? 0 : a[i];
}

/* D of all loads and harmonics. Sticking coordinates make J singular, but are not moved: a little damping
 * removes that without any effect. False at resonance. */
static bool find_forced(const slip_tangent *tangent, double rate, const carrying *c)
{
    const slip_tangent_loads *l = tangent->loads;
    const int m = tangent->m, rows = 2 * m;
    for (int h = 0; h <= l->harmonics; h++) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                const double real = (i == j) * 1e-10 * rate - tangent->matrix[i * m + j],
                             imaginary = (i == j) * h * l->frequency;
                c->matrix[i * rows + j] = c->matrix[(m + i) * rows + m + j] = real;
                c->matrix[i * rows + m + j] = -imaginary;
                c->matrix[(m + i) * rows + j] = imaginary;
            }
        if (!slip_dense_factor(rows, c->matrix, c->pivots))
            return false;
        for (int k = 0; k < l->count; k++) {
            double *to = c->forced + (int64_t)2 * m * (k * (l->harmonics + 1) + h), most = 0, largest = 0;
            memcpy(to, c->a + k * m, (size_t)m * sizeof(double));
            memset(to + m, 0, (size_t)m * sizeof(double));
            slip_dense_substitute(rows, c->matrix, c->pivots, to);
            for (int i = 0; i < m; i++) {
                most = fmax(most, rate * hypot(to[i], to[m + i]));
                largest = fmax(largest, fabs(c->a[k * m + i]) * (i < tangent->n ? rate : 1));
            }
            if (!(most <= 1e6 * largest))
                return false;
        }
    }
    return true;
}

static void find_waves(const slip_tangent_loads *l, double t, double *waves)
{
    const double cosine = cos(l->frequency * t), sine = sin(l->frequency * t);
    waves[0] = 1;
    for (int h = 1; h <= l->harmonics; h++) {
        const double c = h > 1 ? waves[2 * h - 3] : 1, s = h > 1 ? waves[2 * h - 2] : 0;
        waves[2 * h - 1] = c * cosine - s * sine;
        waves[2 * h] = s * cosine + c * sine;
    }
}

/* D times the function of time of load column p, written to c->d. */
static const double *forced_at(const slip_tangent *tangent, const carrying *c, int p)
{
    const slip_tangent_loads *l = tangent->loads;
    const int m = tangent->m, all = 2 * l->harmonics + 1, wave = p % all, h = (wave + 1) / 2;
    const double *of = c->forced + (int64_t)2 * m * (p / all * (l->harmonics + 1) + h),
                 cosine = h > 0 ? c->waves[2 * h - 1] : 1, sine = h > 0 ? c->waves[2 * h] : 0;
    for (int i = 0; i < m; i++) /* real or imaginary part of e^(i h w t) */
        c->d[i] = wave % 2 || h == 0 ? of[i] * cosine - of[m + i] * sine : of[i] * sine + of[m + i] * cosine;
    return c->d;
}

/* Adds D with a sign to all columns of loads. */
static void add_forced(slip_tangent *tangent, const carrying *c, double sign)
{
    for (int p = 0; p < tangent->parameter_count; p++) {
        const double *forced = forced_at(tangent, c, p);
        for (int i = 0; i < tangent->m; i++)
            slip_tangent_of(tangent, tangent->m + 1 + p)[i] += sign * forced[i];
    }
}

static void turn_columns(slip_tangent *tangent, const carrying *c, const double *turns)
{
    const int m = tangent->m;
    for (int k = 0; k < tangent->count - 1; k++) {
        double *column = slip_tangent_of(tangent, k);
        memcpy(c->d, column, (size_t)m * sizeof(double));
        for (int i = 0; i < m; i++)
            column[i] = slip_dense_dot(m, turns + i * m, c->d);
    }
}

static void add_point(slip_tangent *tangent, const carrying *c, double weight)
{
    const slip_tangent_loads *l = tangent->loads;
    const int waves = 2 * l->harmonics + 1;
    for (int k = 0; k < tangent->count - 1; k++) {
        const int p = slip_tangent_parameter_of(tangent, k);
        const double *column = slip_tangent_of(tangent, k),
                     *forced = p >= 0 ? forced_at(tangent, c, p) : NULL;
        double *to = l->integrals + (int64_t)k * l->count * waves;
        for (int i = 0; i < l->count; i++, to += waves) {
            const double value = weight * (column[i] + (forced ? forced[i] : 0));
            for (int j = 0; j < waves; j++)
                to[j] += value * c->waves[j];
        }
    }
}

void slip_tangent_carry_loads(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    const slip_flow *flow = tangent->flow;
    const slip_tangent_loads *l = tangent->loads;
    const int m = tangent->m;
    const double rate = fmax(slip_exact_rate(exact), fmax(l->harmonics, 1) * l->frequency);
    const int64_t pieces = (int64_t)fmax(1, ceil(0.5 * distance * rate));
    const double length = distance / (double)pieces;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    carrying c;
    double speed;
    memcpy(tangent->q, flow->q, (size_t)tangent->n * sizeof(double));
    memcpy(tangent->v, flow->v, (size_t)tangent->n * sizeof(double));
    tangent->failed =
        tangent->failed || slip_allocated(flow->ctx, open_carrying(tangent, &arena, &c)) < 0 ||
        !slip_flow_variation(tangent->flow, flow->t, tangent->q, tangent->size, tangent->matrix, &speed);
    for (int k = 0; k < l->count && !tangent->failed; k++)
        find_unit(tangent, k, c.a + k * m + tangent->n);
    tangent->failed = tangent->failed || !find_forced(tangent, rate, &c);
    if (tangent->failed)
        return;
    for (int k = 0; k <= points; k++) /* columns of the matrix first, then its rows */
        for (int j = 0; j < m; j++) {
            memset(c.d, 0, (size_t)m * sizeof(double));
            c.d[j] = 1;
            slip_tangent_turn(tangent, length * ((k < points ? at[k] : 1) - (k > 0 ? at[k - 1] : 0)), c.d);
            for (int i = 0; i < m; i++)
                c.turns[(k * m + i) * m + j] = c.d[i];
        }
    find_waves(l, flow->t, c.waves);
    add_forced(tangent, &c, -1);
    for (int64_t piece = 0; piece < pieces; piece++) {
        for (int k = 0; k < points; k++) {
            turn_columns(tangent, &c, c.turns + k * m * m);
            find_waves(l, flow->t + length * ((double)piece + at[k]), c.waves);
            add_point(tangent, &c, length * weights[k]);
        }
        turn_columns(tangent, &c, c.turns + points * m * m);
    }
    find_waves(l, flow->t + distance, c.waves);
    add_forced(tangent, &c, 1);
}
