/* Friction of many contacts at once. The method is told in the header. */
#include "gear/condensed/gear_friction.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { iterations_max = 60, halvings_max = 6, sweeps = 8, scalar_max = 200 };

/* Relative to the largest friction that there can be. */
static const double settled = 1e-10;

typedef struct problem {
    const slip_law_kernel *const *laws;
    int count;
    const double *answer, *normal, *slip;
    double *force;
    double *stiff;             /* v of each contact */
    double *z, *w, *residual;  /* 2 of each contact */
    double *along, *across;    /* derivatives of w by z, along and across z, of each contact */
    double *trial, *direction; /* 2 of each contact */
    double *matrix;            /* 2 count square */
    int bad;                   /* contact whose law is not a number, or -1 */
} problem;

int64_t slip_friction_numbers(int count)
{
    return 13 * (int64_t)count + 4 * (int64_t)count * count;
}

/* The larger eigenvalue of the block of a contact. */
static double stiffness(const problem *p, int s)
{
    size_t n = 2 * (size_t)p->count, at = 2 * (size_t)s * n + 2 * (size_t)s;
    double a = p->answer[at], b = p->answer[at + 1], c = p->answer[at + n + 1];
    return (a + c) / 2 + hypot((a - c) / 2, b);
}

/* ---- One contact. */

double slip_friction_slip(const slip_law_kernel *law, double push, double size, double *slope)
{
    double low = 0, high = size, w = size, f;
    for (int i = 0; i < scalar_max; i++) {
        slip_law_force(law, slip_law_piece(law, w), w, &f, slope);
        double off = w + push * f - size, steep = 1 + push * *slope;
        if (!isfinite(f))
            return NAN;
        *(off > 0 ? &high : &low) = w;
        if (fabs(off) <= 1e-15 * size || high - low <= 4e-16 * high)
            break;
        double next = w - off / steep;
        w = steep > 0 && next > low && next < high ? next : (low + high) / 2;
    }
    return w;
}

/* |w| of the scalar equation, and the derivatives of w along and across. */
static double resolve(problem *p, int s, double size, double *along, double *across)
{
    double push = p->stiff[s] * p->normal[s], f, slope;
    *along = *across = 1;
    if (!(push > 0) || !(size > 0)) {
        if (push > 0) { /* at rest: the slope at zero */
            slip_law_force(p->laws[s], slip_law_piece(p->laws[s], 0), 0, &f, &slope);
            *along = *across = 1 / (1 + push * fmax(slope, 0));
        }
        return size;
    }
    double w = slip_friction_slip(p->laws[s], push, size, &slope);
    if (isnan(w)) {
        p->bad = s;
        return 0;
    }
    *along = 1 / (1 + push * fmax(slope, 0));
    *across = w / size;
    return w;
}

static void take_contact(problem *p, int s, const double z[2])
{
    double size = hypot(z[0], z[1]), w = resolve(p, s, size, &p->along[s], &p->across[s]);
    for (int i = 0; i < 2; i++) {
        p->w[2 * s + i] = size > 0 ? w / size * z[i] : 0;
        p->force[2 * s + i] = p->stiff[s] > 0 ? (p->w[2 * s + i] - z[i]) / p->stiff[s] : 0;
    }
    if (!(p->stiff[s] > 0) && size > 0) { /* the slip does not depend on the force */
        double f, slope;
        slip_law_force(p->laws[s], slip_law_piece(p->laws[s], size), size, &f, &slope);
        p->bad = isfinite(f) ? p->bad : s;
        for (int i = 0; i < 2; i++)
            p->force[2 * s + i] = -p->normal[s] * f * z[i] / size;
    }
}

/* ---- All of them. */

static double slip_at(const problem *p, int row)
{
    int n = 2 * p->count;
    return p->slip[row] + slip_dense_dot(n, p->answer + (size_t)row * (size_t)n, p->force);
}

/* Computes forces and residual of z. Returns the norm of the residual, as a force. */
static double evaluate(problem *p, const double *z)
{
    double largest = 0;
    for (int s = 0; s < p->count; s++)
        take_contact(p, s, z + 2 * s);
    for (int row = 0; row < 2 * p->count; row++) {
        double v = p->stiff[row / 2];
        p->residual[row] = p->w[row] - slip_at(p, row);
        if (v > 0)
            largest = fmax(largest, fabs(p->residual[row]) / v);
        else
            p->residual[row] = 0;
    }
    return largest;
}

/* Computes z from the present forces. */
static void restart(problem *p)
{
    for (int row = 0; row < 2 * p->count; row++)
        p->z[row] = slip_at(p, row) - p->stiff[row / 2] * p->force[row];
}

/* One Gauss-Seidel sweep: each contact in turn is solved with the forces of all others fixed. */
static void sweep(problem *p)
{
    for (int s = 0; s < p->count; s++) {
        double z[2];
        for (int i = 0; i < 2; i++)
            z[i] = slip_at(p, 2 * s + i) - p->stiff[s] * p->force[2 * s + i];
        take_contact(p, s, z);
    }
}

/* P + V (1 - P)/v, P the derivative of w by z: `along` in the direction of z, `across` in the other one. */
static void derive(problem *p)
{
    size_t n = 2 * (size_t)p->count;
    for (int s = 0; s < p->count; s++) {
        const double *z = p->z + 2 * s;
        double size = hypot(z[0], z[1]), c = size > 0 ? z[0] / size : 1, d = size > 0 ? z[1] / size : 0;
        double own[2][2] = {
            {p->across[s] + (p->along[s] - p->across[s]) * c * c, (p->along[s] - p->across[s]) * c * d},
            {(p->along[s] - p->across[s]) * c * d, p->across[s] + (p->along[s] - p->across[s]) * d * d}};
        double inverse = p->stiff[s] > 0 ? 1 / p->stiff[s] : 0;
        size_t at = 2 * (size_t)s;
        for (size_t row = 0; row < n; row++) {
            const double *v = p->answer + row * n + at;
            double scaled[2] = {v[0] * inverse, v[1] * inverse};
            for (size_t i = 0; i < 2; i++)
                p->matrix[row * n + at + i] = scaled[i] - scaled[0] * own[0][i] - scaled[1] * own[1][i];
        }
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 2; j++)
                p->matrix[(at + i) * n + at + j] += p->stiff[s] > 0 ? own[i][j] : i == j;
    }
}

/* A step of Newton's method, halved until the residual decreases. Returns the new residual, which is not
 * smaller where no such step was found. */
static double improve(problem *p, double residual, int *pivots)
{
    int n = 2 * p->count;
    derive(p);
    if (!slip_dense_factor(n, p->matrix, pivots))
        return residual;
    memcpy(p->direction, p->residual, sizeof(double) * (size_t)n);
    slip_dense_substitute(n, p->matrix, pivots, p->direction);
    double share = 1;
    for (int i = 0; i < halvings_max; i++, share /= 2) {
        for (int j = 0; j < n; j++)
            p->trial[j] = p->z[j] - share * p->direction[j];
        double found = evaluate(p, p->trial);
        if (p->bad >= 0 || found < (1 - share / 4) * residual) {
            memcpy(p->z, p->trial, sizeof(double) * (size_t)n);
            return found;
        }
    }
    evaluate(p, p->z);
    return residual;
}

static void divide(problem *p, double *numbers)
{
    size_t n = (size_t)p->count;
    double **pairs[] = {&p->z, &p->w, &p->residual, &p->trial, &p->direction};
    double **singles[] = {&p->stiff, &p->along, &p->across};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++, numbers += 2 * n)
        *pairs[i] = numbers;
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++, numbers += n)
        *singles[i] = numbers;
    p->matrix = numbers;
}

int slip_friction_solve(const slip_law_kernel *const *laws, int count, const double *answer,
                        const double *normal, const double *slip, double *force, double *numbers, int *pivots)
{
    problem p = {.laws = laws,
                 .count = count,
                 .answer = answer,
                 .normal = normal,
                 .slip = slip,
                 .force = force,
                 .bad = -1};
    double largest = 0;
    divide(&p, numbers);
    for (int s = 0; s < count; s++) {
        p.stiff[s] = stiffness(&p, s);
        largest = fmax(largest, normal[s]);
    }
    restart(&p);
    double residual = evaluate(&p, p.z);
    for (int i = 0; i < iterations_max && p.bad < 0; i++) {
        if (residual <= settled * largest)
            return SLIP_FRICTION_FOUND;
        double found = improve(&p, residual, pivots);
        if (!(found < residual) && p.bad < 0) {
            for (int k = 0; k < sweeps && p.bad < 0; k++)
                sweep(&p);
            restart(&p);
            found = evaluate(&p, p.z);
        }
        residual = found;
    }
    return p.bad >= 0 ? p.bad : residual <= settled * largest ? SLIP_FRICTION_FOUND : SLIP_FRICTION_OPEN;
}
