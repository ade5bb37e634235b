/* The dynamic compliance of a structure at its contacts, for each harmonic. */
#include "math/dense.h"
#include "study/harmonic/harmonic.h"
#include "system/project.h"

#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586476925;

void slip_seen_destroy(slip_seen *c)
{
    if (!c)
        return;
    for (int k = 0; k < 2 * c->harmonics + 1 && c->waves; k++)
        slip_expression_destroy(c->waves[k]);
    slip_arena_free(&c->arena);
    free(c);
}

/* ---- Creating. */

/* Entry (i, j) of the stiffness and of the damping, with the loads that are linear. */
static double stiffness_of(const slip_system *s, int i, int j)
{
    return s->stiffness[i * s->n + j] - (s->load_q ? s->load_q[i * s->n + j] : 0);
}

static double damping_of(const slip_system *s, int i, int j)
{
    return s->damping[i * s->n + j] - (s->load_v ? s->load_v[i * s->n + j] : 0);
}

/* T, as columns of n numbers, and what it makes of M, C and K. */
static int make_shapes(slip_context *ctx, slip_seen *c, double *shapes)
{
    const slip_system *s = c->system;
    const int n = c->n, all = s->n, r = c->count;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++)
            c->mass[i * r + j] = slip_system_form(all, c->rows + i * all, s->inverse_mass, c->rows + j * all);
    if (r > 0 && !slip_dense_invert_spd(r, c->mass))
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "harmonic balance: the contacts' rows are dependent");
    for (int j = 0; j < r; j++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < r; k++)
                shapes[j * n + i] +=
                    slip_dense_dot(all, s->inverse_mass + (int64_t)i * all, c->rows + k * all) *
                    c->mass[k * r + j];
    for (int a = 0; a < r; a++)
        for (int b = 0; b < r; b++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    const double both = shapes[a * n + i] * shapes[b * n + j];
                    c->stiffness[a * r + b] += both != 0 ? both * stiffness_of(s, i, j) : 0;
                    c->damping[a * r + b] += both != 0 ? both * damping_of(s, i, j) : 0;
                }
    return SLIP_OK;
}

/* Harmonics of the loads, n complex numbers each: F is what multiplies exp(i h w t), the load its real part.
 * The trapezoidal rule is exact for loads that have few of them. */
static int find_loads(slip_context *ctx, slip_seen *c, double *to)
{
    enum { samples = 512 };
    const slip_system *s = c->system;
    SLIP_FREED_BY(slip_workspace_drop) slip_workspace *work = NULL;
    double *loads;
    SLIP_FREED double *room = slip_alloc(3 * (int64_t)s->n + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, room));
    SLIP_PASS(slip_workspace_create(ctx, s, &work));
    loads = room + 2 * s->n;
    for (int k = 0; k < samples; k++) {
        const double t = two_pi / c->frequency * k / samples;
        if (!slip_system_given_loads(s, work, t, room, room + s->n, loads))
            return slip_system_diagnose(ctx, s, work, t, room, room + s->n);
        for (int h = 0; h <= c->harmonics; h++)
            for (int i = 0; i < c->n; i++) {
                const double angle = two_pi * (double)(h * k % samples) / samples,
                             weight = (h == 0 ? 1.0 : 2.0) / samples * loads[i];
                to[2 * (h * c->n + i)] += weight * cos(angle);
                to[2 * (h * c->n + i) + 1] -= weight * sin(angle);
            }
    }
    return SLIP_OK;
}

/* (Zr -Zi; Zi Zr) (x; y) = (a; b) is Z (x + i y) = a + i b. */
static void fill_stiffness(const slip_seen *c, double w, double *matrix)
{
    const slip_system *s = c->system;
    const int n = c->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double real = stiffness_of(s, i, j) - w * w * s->mass[i * s->n + j],
                         imaginary = w * damping_of(s, i, j);
            matrix[(int64_t)i * 2 * n + j] = matrix[(int64_t)(n + i) * 2 * n + n + j] = real;
            matrix[(int64_t)i * 2 * n + n + j] = -imaginary;
            matrix[(int64_t)(n + i) * 2 * n + j] = imaginary;
        }
}

/* Z^-1 F and Z^-1 R^T of one harmonic. */
static int solve_harmonic(slip_context *ctx, slip_seen *c, int h, double *matrix, int *pivots, double *right)
{
    const int n = c->n, r = c->count;
    double *free_of = c->free + 2 * (int64_t)h * n, *response = c->response + 2 * (int64_t)h * n * r;
    bool solved = false;
    /* exactly at an undamped resonance the frequency is shifted by a billionth */
    for (int turn = 0; turn < 2 && !solved; turn++) {
        fill_stiffness(c, h * c->frequency * (1 + 1e-9 * turn), matrix);
        solved = slip_dense_factor(2 * n, matrix, pivots);
    }
    if (!solved)
        return slip_fail(
            ctx, SLIP_ERROR_SOLVER,
            "harmonic balance: the stiffness is singular; expected springs that hold every coordinate");
    for (int k = -1; k < r; k++) {
        for (int i = 0; i < n; i++) {
            right[i] = k < 0 ? free_of[2 * i] : c->rows[k * c->system->n + i];
            right[n + i] = k < 0 ? free_of[2 * i + 1] : 0;
        }
        slip_dense_substitute(2 * n, matrix, pivots, right);
        for (int i = 0; i < n; i++) {
            double *to = k < 0 ? free_of + 2 * i : response + 2 * (i * r + k);
            to[0] = right[i];
            to[1] = right[n + i];
        }
        for (int j = 0; j < r; j++) {
            const double *row = c->rows + j * c->system->n;
            double *to = k < 0 ? c->seen + 2 * (h * r + j) : c->compliance + 2 * ((h * r + j) * r + k);
            to[0] = slip_dense_dot(n, row, right);
            to[1] = slip_dense_dot(n, row, right + n);
        }
    }
    return SLIP_OK;
}

static int make_waves(slip_context *ctx, slip_seen *c)
{
    int status = SLIP_OK;
    c->waves = slip_arena_array(&c->arena, 2 * (int64_t)c->harmonics + 1, sizeof *c->waves);
    SLIP_TRY(slip_allocated(ctx, c->waves));
    SLIP_TRY(slip_expression_constant(1, &c->waves[0]));
    for (int k = 1; k < 2 * c->harmonics + 1; k++) {
        const slip_symbol symbols[] = {
            {"t", slip_slot_time(), 0, NULL, 0}, {"w", -1, (k + 1) / 2 * c->frequency, NULL, 0}, {0}};
        slip_expression_error error;
        SLIP_TRY(slip_expression_compile(k % 2 ? "cos(w*t)" : "sin(w*t)", symbols, &c->waves[k], &error));
    }
done:
    return status == SLIP_ERROR_MEMORY ? slip_fail_memory(ctx) : status;
}

int slip_seen_create(slip_context *ctx, const slip_system *system, double period, int harmonics,
                     slip_seen **result)
{
    const int n = slip_system_coordinates(system);
    SLIP_FREED_BY(slip_seen_drop) slip_seen *c = slip_alloc(1, sizeof *c);
    const int64_t most = slip_project_parts * system->contact_count;
    SLIP_FREED double *room = NULL;
    int status = SLIP_OK;
    SLIP_FREED int *pivots = NULL;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, c));
    *c = (slip_seen){.system = system,
                     .n = n,
                     .states = system->state_count,
                     .harmonics = harmonics,
                     .frequency = two_pi / period};
    SLIP_PASS(slip_project_check(ctx, system, "harmonic balance"));
    c->rows = slip_arena_array(&c->arena, most * system->n + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, c->rows));
    SLIP_PASS(slip_project_rows(ctx, system, c->rows, &c->count));
    if (c->count == 0) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "harmonic balance: found no contact; `slipstick modes` and a run know linear motions");
        return status;
    }
    const int64_t r = c->count;
    c->mass = slip_arena_array(&c->arena, 3 * r * r + 1, sizeof(double));
    c->seen = slip_arena_array(&c->arena, 2 * (int64_t)(harmonics + 1) * r * (r + 1) + 1, sizeof(double));
    c->free = slip_arena_array(&c->arena, 2 * (int64_t)(harmonics + 1) * n * (r + 1), sizeof(double));
    room = slip_alloc(4 * (int64_t)n * n + 2 * n + r * n + 1, sizeof(double));
    pivots = slip_alloc(2 * n + 1, sizeof(int));
    SLIP_PASS(slip_allocated(ctx, c->mass && c->seen && c->free && room && pivots));
    c->damping = c->mass + r * r;
    c->stiffness = c->damping + r * r;
    c->response = c->free + 2 * (int64_t)(harmonics + 1) * n;
    c->compliance = c->seen + 2 * (int64_t)(harmonics + 1) * r;
    SLIP_PASS(make_shapes(ctx, c, room + 4 * (int64_t)n * n + 2 * n));
    SLIP_PASS(find_loads(ctx, c, c->free));
    for (int h = 0; h <= harmonics; h++)
        SLIP_PASS(solve_harmonic(ctx, c, h, room, pivots, room + 4 * (int64_t)n * n));
    SLIP_PASS(make_waves(ctx, c));
    SLIP_HAND(result, c);
    return status;
}

/* ---- Harmonics. */

typedef struct number {
    double re, im;
} number;

/* Harmonic h of coordinate j among numbers of P or X: a cos + b sin is the real part of (a - i b) exp(i h w
 * t). */
static number harmonic_of(const slip_seen *c, const double *all, int j, int h)
{
    const double *of = all + (int64_t)j * (2 * c->harmonics + 1);
    return h == 0 ? (number){of[0], 0} : (number){of[2 * h - 1], -of[2 * h]};
}

static void set_harmonic(const slip_seen *c, double *all, int j, int h, number value)
{
    double *of = all + (int64_t)j * (2 * c->harmonics + 1);
    of[h == 0 ? 0 : 2 * h - 1] = value.re;
    if (h > 0)
        of[2 * h] = -value.im;
}

static number add(number a, number b, double sign)
{
    return (number){a.re + sign * b.re, a.im + sign * b.im};
}

static number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static number stiffness_at(const slip_seen *c, int i, int j, int h)
{
    const double w = h * c->frequency;
    const int k = i * c->count + j;
    return (number){c->stiffness[k] - w * w * c->mass[k], w * c->damping[k]};
}

static number pair_at(const double *pairs, int64_t k)
{
    return (number){pairs[2 * k], pairs[2 * k + 1]};
}

/* L_j = sum Zx X - P. */
static number force_at(const slip_seen *c, const double *p, const double *x, int j, int h)
{
    number sum = {0, 0};
    for (int k = 0; k < c->count; k++)
        sum = add(sum, times(stiffness_at(c, j, k, h), harmonic_of(c, x, k, h)), 1);
    return add(sum, harmonic_of(c, p, j, h), -1);
}

void slip_seen_balance(const slip_seen *c, const double *p, const double *x, double *next)
{
    for (int h = 0; h <= c->harmonics; h++)
        for (int i = 0; i < c->count; i++) {
            number to = harmonic_of(c, p, i, h);
            for (int j = 0; j < c->count; j++) { /* the error of (1) in row j */
                number error = add(harmonic_of(c, x, j, h), pair_at(c->seen, h * c->count + j), -1);
                for (int k = 0; k < c->count; k++)
                    error = add(error,
                                times(pair_at(c->compliance, (h * c->count + j) * c->count + k),
                                      force_at(c, p, x, k, h)),
                                -1);
                to = add(to, times(stiffness_at(c, i, j, h), error), -1);
            }
            set_harmonic(c, next, i, h, to);
        }
}

bool slip_seen_guess(const slip_seen *c, const double *x, double *p)
{
    const int r = c->count;
    SLIP_FREED double *matrix = slip_alloc(4 * (int64_t)r * r + 2 * r + 1, sizeof(double));
    for (int h = 0; h <= c->harmonics && matrix; h++) {
        double *force = matrix + 4 * (int64_t)r * r; /* L of Y L = X - R Z^-1 F */
        for (int i = 0; i < r; i++) {
            const number left = add(harmonic_of(c, x, i, h), pair_at(c->seen, h * c->count + i), -1);
            force[i] = left.re;
            force[r + i] = left.im;
            for (int j = 0; j < r; j++) {
                const number y = pair_at(c->compliance, (h * r + i) * r + j);
                matrix[i * 2 * r + j] = matrix[(r + i) * 2 * r + r + j] = y.re;
                matrix[i * 2 * r + r + j] = -y.im;
                matrix[(r + i) * 2 * r + j] = y.im;
            }
        }
        const bool solved = r > 0 && slip_dense_solve(2 * r, matrix, force);
        for (int i = 0; i < r; i++) {
            number sum = {0, 0};
            for (int k = 0; k < r; k++)
                sum = add(sum, times(stiffness_at(c, i, k, h), harmonic_of(c, x, k, h)), 1);
            set_harmonic(c, p, i, h,
                         solved ? add(sum, (number){force[i], force[r + i]}, -1) : (number){0, 0});
        }
    }
    return matrix != NULL;
}

void slip_seen_motion(const slip_seen *c, const double *p, const double *x, int i, double *motion)
{
    for (int h = 0; h <= c->harmonics; h++) {
        const double *of = c->free + 2 * ((int64_t)h * c->n + i),
                     *response = c->response + 2 * ((int64_t)h * c->n + i) * c->count;
        number sum = {of[0], of[1]};
        for (int j = 0; j < c->count; j++)
            sum = add(sum, times((number){response[2 * j], response[2 * j + 1]}, force_at(c, p, x, j, h)), 1);
        set_harmonic(c, motion, 0, h, sum);
    }
}

int slip_seen_system(slip_context *ctx, const slip_seen *c, const double *p, const bool *held,
                     slip_system **result)
{
    const int waves = 2 * c->harmonics + 1;
    SLIP_FREED slip_expression **loads = slip_alloc(c->count + 1, sizeof *loads);
    int status = loads ? SLIP_OK : slip_fail_memory(ctx);
    *result = NULL;
    for (int i = 0; i < c->count && status >= 0; i++)
        if (slip_expression_sum("load of the rest", waves, p + (int64_t)i * waves,
                                (const slip_expression *const *)c->waves, &loads[i]) < 0)
            status = slip_fail_memory(ctx);
    if (status >= 0)
        status = slip_project(ctx, c->system,
                              &(slip_projection){.count = c->count,
                                                 .rows = c->rows,
                                                 .mass = c->mass,
                                                 .damping = c->damping,
                                                 .stiffness = c->stiffness,
                                                 .loads = loads},
                              result);
    else
        for (int i = 0; i < c->count && loads; i++)
            slip_expression_destroy(loads[i]);
    if (status >= 0)
        slip_held_raise(*result, held);
    return status;
}
