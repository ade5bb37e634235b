/* A linear motion in scaled units, with linearly independent constraints. */
#include "math/dense.h"
#include "system/vibration/types.h"

#include <math.h>
#include <string.h>

double *slip_vibration_numbers(slip_vibration_problem *p, int64_t count)
{
    return slip_arena_array(&p->arena, count + 1, sizeof(double));
}

/* ---- Units. */

static void find_scales(slip_vibration_problem *p)
{
    const slip_linear_motion *m = p->motion;
    const int n = p->n;
    double rate = 0;
    for (int i = 0; i < n; i++)
        p->scale[i] = m->mass[i * n + i] > 0 ? 1 / sqrt(m->mass[i * n + i]) : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double both = p->scale[i] * p->scale[j];
            rate = fmax(rate, sqrt(fabs(m->stiffness[i * n + j]) * both));
            rate = fmax(rate, fabs(m->damping[i * n + j]) * both);
        }
    p->rate = rate > 0 ? rate : 1;
    for (int i = 0; i < n; i++)
        if (p->scale[i] == 0) { /* without mass: unit stiffness */
            const double stiffness = fabs(m->stiffness[i * n + i]);
            p->scale[i] = stiffness > 0 ? p->rate / sqrt(stiffness) : 1;
        }
}

static void scale_matrices(slip_vibration_problem *p)
{
    const slip_linear_motion *m = p->motion;
    const int n = p->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double both = p->scale[i] * p->scale[j];
            p->mass[i * n + j] = m->mass[i * n + j] * both;
            p->damping[i * n + j] = m->damping[i * n + j] * both / p->rate;
            p->stiffness[i * n + j] = m->stiffness[i * n + j] * both / (p->rate * p->rate);
        }
}

/* Scales rows (and what belongs to each) to length one; lengths may be NULL. */
static void scale_rows(const slip_vibration_problem *p, int count, double *rows, double *rates,
                       double *lengths)
{
    const int n = p->n;
    for (int k = 0; k < count; k++) {
        double length = 0;
        for (int i = 0; i < n; i++) {
            rows[k * n + i] *= p->scale[i];
            length += rows[k * n + i] * rows[k * n + i];
        }
        length = length > 0 ? sqrt(length) : 1;
        for (int i = 0; i < n; i++) {
            rows[k * n + i] /= length;
            if (rates)
                rates[k * n + i] *= p->scale[i] / (length * p->rate);
        }
        if (lengths)
            lengths[k] = length;
    }
}

/* The size of the stiffness, with which eigenvalues are compared to decide that they are zero. Coordinates
 * held by a constraint alone do not count: a very stiff one would hide the others. */
double slip_vibration_stiffness(const slip_vibration_problem *p)
{
    const int n = p->n;
    double size = 0;
    for (int i = 0; i < n * n; i++) {
        bool held = false;
        for (int k = 0; k < p->held && !held; k++)
            held = fabs(p->rows[k * n + i / n]) == 1 || fabs(p->rows[k * n + i % n]) == 1;
        if (!held)
            size = fmax(size, fabs(p->stiffness[i]));
    }
    return size;
}

/* ---- Constraints. */

int slip_vibration_refuse(const slip_vibration_problem *p)
{
    return slip_fail(p->ctx, SLIP_ERROR_SOLVER,
                     "the contacts that are closed or stick hold the same motion more than once, and their "
                     "forces do not follow from it; take one of them out, or give it a stiffness");
}

/* Replaces the `count` rows of `matrix` by an orthonormal basis of their span. weights, count x count:
 * converts forces along the basis to forces along the rows. Returns the size of the basis, or an
 * error. */
static int independent(slip_vibration_problem *p, int count, double *matrix, double *weights)
{
    const int n = p->n, least = count < n ? count : n;
    double *copy = slip_vibration_numbers(p, (int64_t)count * n), *values = slip_vibration_numbers(p, least),
           *left = slip_vibration_numbers(p, (int64_t)count * count),
           *right = slip_vibration_numbers(p, (int64_t)n * n);
    int rank = 0;
    SLIP_PASS(slip_allocated(p->ctx, copy && values && left && right));
    memcpy(copy, matrix, sizeof(double) * (size_t)count * (size_t)n);
    SLIP_PASS(slip_dense_decompose(count, n, copy, values, left, right));
    while (rank < least && values[rank] > 1e-12 * values[0])
        rank++;
    if (rank == count) { /* as they are */
        memset(weights, 0, sizeof(double) * (size_t)count * (size_t)count);
        for (int k = 0; k < count; k++)
            weights[k * count + k] = 1;
        return rank;
    }
    for (int k = 0; k < rank; k++)
        for (int c = 0; c < count; c++)
            weights[c * count + k] = left[k * count + c] / values[k];
    memcpy(matrix, right, sizeof(double) * (size_t)rank * (size_t)n);
    return rank;
}

static int take_constraints(slip_vibration_problem *p)
{
    const slip_linear_motion *m = p->motion;
    const int64_t count = m->count;
    const size_t size = sizeof(double) * (size_t)count * (size_t)p->n;
    double *lengths = slip_vibration_numbers(p, count), *weights = slip_vibration_numbers(p, count * count);
    bool places = true;
    p->rows = slip_vibration_numbers(p, count * p->n);
    p->rates = slip_vibration_numbers(p, count * p->n);
    p->columns = slip_vibration_numbers(p, count * p->n);
    p->forces = slip_vibration_numbers(p, count * count);
    p->of_place = m->of_place;
    SLIP_PASS(slip_allocated(p->ctx, lengths && weights && p->rows && p->rates && p->columns && p->forces));
    if (count == 0)
        return SLIP_OK;
    memcpy(p->rows, m->rows, size);
    memcpy(p->rates, m->rates, size);
    memcpy(p->columns, m->columns, size);
    scale_rows(p, m->count, p->rows, p->rates, NULL);
    scale_rows(p, m->count, p->columns, NULL, lengths);
    p->held = independent(p, m->count, p->rows, weights);
    for (int k = 0; k < m->count; k++)
        places = places && m->of_place[k];
    const int forced = independent(p, m->count, p->columns, p->forces);
    if (p->held == SLIP_ERROR_MEMORY || forced == SLIP_ERROR_MEMORY)
        return slip_fail_memory(p->ctx);
    if (p->held < 0 || (p->held < m->count && !places) || forced != p->held)
        return slip_vibration_refuse(p);
    for (int c = 0; c < m->count; c++)
        for (int k = 0; k < m->count; k++)
            p->forces[c * m->count + k] *= p->rate * p->rate / lengths[c];
    return SLIP_OK;
}

/* ---- All of it. */

int slip_vibration_prepare(slip_vibration_problem *p)
{
    const int64_t n = p->n, most = 2 * n + 2;
    slip_vibration *to = p->to;
    p->scale = slip_vibration_numbers(p, n);
    p->mass = slip_vibration_numbers(p, n * n);
    p->damping = slip_vibration_numbers(p, n * n);
    p->stiffness = slip_vibration_numbers(p, n * n);
    to->modes = slip_arena_array(&to->arena, most, sizeof *to->modes);
    SLIP_PASS(slip_allocated(p->ctx, p->scale && p->mass && p->damping && p->stiffness && to->modes));
    for (int64_t k = 0; k < most; k++) {
        to->modes[k].shape = slip_arena_array(&to->arena, 2 * n, sizeof(double));
        to->modes[k].force = slip_arena_array(&to->arena, 2 * (int64_t)p->motion->count + 1, sizeof(double));
        SLIP_PASS(slip_allocated(p->ctx, to->modes[k].shape && to->modes[k].force));
    }
    find_scales(p);
    scale_matrices(p);
    return take_constraints(p);
}
