/* The judge of contact laws, separate from everything that solves for them. */
#include "contact/plane.h"
#include "math/vector.h"

#include <float.h>

static double friction_residual(const slip_block *block, double g, double load, double p, double y)
{
    const double stick = fmax(fabs(y), g * (fabs(p) - block->hold * load)),
                 plus = fmax(g * fabs(p + block->slide * load), -y),
                 minus = fmax(g * fabs(p - block->slide * load), y);
    return fmin(fmax(stick, 0), fmin(plus, minus));
}

double slip_block_residual(const slip_block *block, double g, double load, double p, double y)
{
    switch (block->kind) {
    case SLIP_BLOCK_NORMAL:
        return fabs(fmin(y, g * p));
    case SLIP_BLOCK_FRICTION:
        return friction_residual(block, g, load, p, y);
    default:
        return g * fabs(p + block->slope * y + block->constant);
    }
}

static double row_residual(const slip_contact_problem *problem, const double *p, int i)
{
    const slip_block *block = &problem->rows[i];
    const double g = problem->gram[(int64_t)i * (problem->m + 1)], load = slip_block_load(block, p);
    double y[3];
    if (block->kind == SLIP_BLOCK_PART)
        return 0;
    if (block->kind != SLIP_BLOCK_PLANE)
        return slip_block_residual(block, g, load, p[i], slip_contact_velocity(problem, p, i));
    for (int k = 0; k < block->plane->rank; k++)
        y[k] = slip_contact_velocity(problem, p, i + k);
    return slip_plane_residual(block->plane, g, block->hold * load, block->slide * load, p + i, y);
}

int slip_contact_worst(const slip_contact_problem *problem, const double *p)
{
    double largest = -1;
    int worst = 0;
    for (int i = 0; i < problem->m; i++) {
        const double own = row_residual(problem, p, i);
        if (own > largest || isnan(own)) {
            largest = own;
            worst = i;
        }
    }
    return worst;
}

double slip_contact_residual(const slip_contact_problem *problem, const double *p)
{
    return problem->m > 0 ? row_residual(problem, p, slip_contact_worst(problem, p)) : 0;
}

double slip_contact_size(const slip_contact_problem *problem)
{
    double scale = fmax(DBL_MIN, 1e-4 * problem->floor);
    scale = fmax(scale, slip_largest(problem->m, problem->initial));
    return scale;
}
