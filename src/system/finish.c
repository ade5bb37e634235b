/* Finishing a system: checks the mass matrix, computes its inverse, and derives what evaluations need. */
#include "math/dense.h"
#include "system/massless/massless.h"
#include "system/structure/structure.h"

#include <math.h>
#include <string.h>

int slip_mass_check(slip_context *ctx, int n, const double *mass, int *row, int *column)
{
    bool diagonal = true;
    *row = *column = -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = mass[i * n + j], b = mass[j * n + i];
            diagonal = diagonal && a == 0 && b == 0;
            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b))) {
                *row = i, *column = j;
                return slip_fail(
                    ctx, SLIP_ERROR_MODEL,
                    "the mass matrix is not symmetric: entry (%d,%d) is %.9g, entry (%d,%d) is %.9g", i + 1,
                    j + 1, a, j + 1, i + 1, b);
            }
        }
    for (int i = 0; i < n; i++)
        if (!(mass[i * n + i] >= 0)) {
            *row = *column = i;
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "the mass matrix is not positive: diagonal entry %d is %.9g; expected at least 0", i + 1,
                mass[i * n + i]);
        }
    if (diagonal)
        return SLIP_OK;
    /* With unit diagonal the eigenvalues do not depend on the units of the coordinates. */
    SLIP_FREED double *scaled = slip_alloc((int64_t)n * n + n, sizeof(double));
    double *values = scaled ? scaled + (ptrdiff_t)n * n : NULL;
    int status = slip_allocated(ctx, scaled);
    for (int i = 0; i < n && scaled; i++)
        for (int j = 0; j < n; j++)
            scaled[i * n + j] =
                mass[i * n + j] == 0 ? 0 : mass[i * n + j] / sqrt(mass[i * n + i]) / sqrt(mass[j * n + j]);
    if (scaled && !slip_dense_eigenvalues(n, scaled, values))
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "the mass matrix cannot be checked: its eigenvalues were not found");
    else if (scaled && values[0] < -1e-13 * n)
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "the mass matrix is not positive: smallest eigenvalue with unit diagonal is %.3g",
                           values[0]);
    return status;
}

/* Whether a mass matrix may be singular; a diagonal one with positive entries is not. */
static bool may_be_singular(int n, const double *mass)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j ? !(mass[i * n + i] > 0) : mass[i * n + j] != 0)
                return true;
    return false;
}

/* The matrices of the loads that are linear. */
static bool sum_linear(slip_system *system)
{
    const int n = system->n;
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        if (!term->linear) /* that of a compliant contact is not */
            continue;
        if (!system->load_q) {
            system->load_q = slip_arena_array(&system->arena, 2 * (int64_t)n * n, sizeof(double));
            system->load_v = system->load_q + (ptrdiff_t)n * n;
        }
        for (int j = 0; j < n && system->load_q; j++) {
            system->load_q[term->coordinate * n + j] += term->linear[j];
            system->load_v[term->coordinate * n + j] += term->linear[n + j];
        }
        if (!system->load_q)
            return false;
    }
    return true;
}

/* Of a constant mass matrix. */
static int divide_by_mass(slip_context *ctx, slip_system *system)
{
    const int n = system->n;
    int row, column;
    SLIP_PASS(slip_mass_check(ctx, n, system->mass, &row, &column));
    if (system->condensed)
        return SLIP_OK;
    if (may_be_singular(n, system->mass)) {
        const int status = slip_massless_create(ctx, system, &system->massless);
        if (status < 0 || system->massless)
            return status < 0 ? status : slip_system_finish(ctx, system->massless->system);
    }
    memcpy(system->inverse_mass, system->mass, (size_t)n * (size_t)n * sizeof(double));
    if (!slip_dense_invert_spd(n, system->inverse_mass))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the mass matrix is not positive definite");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double factor = system->inverse_mass[i * n + k];
            for (int j = 0; j < n && factor != 0; j++) {
                system->mass_structure[i * 2 * n + j] += factor * system->stiffness[k * n + j];
                system->mass_structure[i * 2 * n + n + j] += factor * system->damping[k * n + j];
            }
        }
    return SLIP_OK;
}

/* Stores the nonzero entries, if few of them are nonzero. */
static int find_sparse(slip_context *ctx, slip_system *system)
{
    enum { smallest = 16, part = 4 };
    const int64_t n = system->n;
    int64_t count = 0, used = 0;
    for (int64_t i = 0; i < n * n; i++)
        count += system->inverse_mass[i] != 0;
    for (int64_t i = 0; i < 2 * n * n; i++)
        count += system->mass_structure[i] != 0;
    if (n < smallest || part * count > 3 * n * n)
        return SLIP_OK;
    slip_sparse_rows *rows = &system->sparse;
    rows->start = slip_arena_array(&system->arena, 3 * n + 1, sizeof *rows->start);
    rows->column = slip_arena_array(&system->arena, count + 1, sizeof *rows->column);
    rows->value = slip_arena_array(&system->arena, count + 1, sizeof *rows->value);
    SLIP_PASS(slip_allocated(ctx, rows->start && rows->column && rows->value));
    for (int64_t i = 0; i < n; i++)
        for (int block = 0; block < 3; block++) {
            const double *from = block == 0 ? system->inverse_mass + i * n
                                            : system->mass_structure + i * 2 * n + (block - 1) * n;
            rows->start[3 * i + block] = (int)used;
            for (int j = 0; j < n; j++)
                if (from[j] != 0) {
                    rows->column[used] = j;
                    rows->value[used++] = from[j];
                }
        }
    rows->start[3 * n] = (int)used;
    return SLIP_OK;
}

int slip_system_finish(slip_context *ctx, slip_system *system)
{
    const int n = system->n;
    if (system->finished)
        return SLIP_OK;
    if (system->structure->derive)
        SLIP_PASS(system->structure->derive(ctx, system));
    system->mass_structure = slip_arena_array(&system->arena, 2 * (int64_t)n * n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, system->mass_structure));
    for (int i = 0; i < n * n; i++)
        system->linear_part |= system->damping[i] != 0 || system->stiffness[i] != 0;
    if (!system->varying_mass) {
        SLIP_PASS(divide_by_mass(ctx, system));
        SLIP_PASS(find_sparse(ctx, system));
    }
    system->state_loads = system->force_function || system->structure->push;
    for (int64_t k = 0; k < system->force_count; k++)
        system->state_loads |= !system->forces[k].time_only;
    if (system->state_loads && !sum_linear(system))
        return slip_fail_memory(ctx);
    system->accelerate = slip_system_kernel(n, system->varying_mass);
    system->finished = true;
    return SLIP_OK;
}
