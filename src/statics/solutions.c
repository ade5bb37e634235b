#include "statics/solutions.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void slip_static_solutions_free(slip_static_solutions *list)
{
    free(list->items);
    free(list->parts);
    slip_arena_free(&list->arena);
    *list = (slip_static_solutions){0};
}

void slip_static_state(const slip_static_problem *problem, const slip_static_active *active, double *lambda,
                       double *d, double *numbers)
{
    const int n = problem->shape.direction_count;
    double *b = numbers, *x = numbers + n;
    memset(lambda, 0, sizeof(double) * (size_t)n);
    for (int c = 0; c < problem->shape.contact_count; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        if (own->normal < 0)
            lambda[own->tangent] =
                -slip_static_slip_sign(active->modes[c]) * problem->at.friction[c] * problem->at.normal[c];
    }
    for (int i = 0; i < n; i++) {
        const double *row = problem->at.compliance + (int64_t)i * n;
        double sum = problem->at.free[i];
        for (int c = 0; c < problem->shape.contact_count; c++)
            if (problem->shape.contacts[c].normal < 0)
                sum += row[problem->shape.contacts[c].tangent] * lambda[problem->shape.contacts[c].tangent];
        d[i] = sum;
    }
    for (int k = 0; k < active->count; k++)
        b[k] = -d[active->direction[k]];
    slip_static_active_solve(active, b, x);
    slip_static_active_scatter(active, x, lambda);
    for (int i = 0; i < n; i++)
        d[i] = problem->at.free[i] + slip_dense_dot(n, problem->at.compliance + (int64_t)i * n, lambda);
    /* A sum below the rounding error of its terms is set to zero: as a coordinate held at zero by a contact.
     */
    for (int i = slip_static_contact_directions(&problem->shape); i < n; i++) {
        const double *row = problem->at.compliance + (int64_t)i * n;
        double size = fabs(problem->at.free[i]);
        for (int j = 0; j < n; j++)
            size = fmax(size, fabs(row[j] * lambda[j]));
        if (fabs(d[i]) <= 1e-14 * size)
            d[i] = 0;
    }
    for (int k = 0; k < active->count; k++)
        d[active->direction[k]] = 0;
}

bool slip_static_holds(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                       const double *d, double tolerance)
{
    const slip_static_scale scale = slip_static_scale_of(problem, lambda, d);
    for (int c = 0; c < problem->shape.contact_count; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        const double mu = problem->at.friction[c];
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(own, modes[c], margins);
        for (int k = 0; k < count; k++) {
            const double size = slip_static_margin_size(&margins[k], &scale, mu);
            if (!(slip_static_margin_value(own, &margins[k], lambda, d, mu, problem->at.normal[c]) >=
                  -tolerance * size))
                return false;
        }
    }
    return true;
}

bool slip_static_agrees(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                        const double *d, const slip_static_scale *scale, double tolerance, bool direction)
{
    for (int c = 0; c < problem->shape.contact_count; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        const double mu = problem->at.friction[c];
        slip_static_condition conditions[slip_static_conditions_max];
        const int count = slip_static_conditions(own, modes[c], conditions);
        for (int k = 0; k < count; k++) {
            const double size = slip_static_margin_size(&conditions[k].form, scale, mu);
            const double value = slip_static_margin_value(own, &conditions[k].form, lambda, d, mu,
                                                          direction ? 0 : problem->at.normal[c]);
            if (!(value >= -tolerance * size) || (conditions[k].equal && value > tolerance * size))
                return false;
        }
    }
    return true;
}

/* Whether two states are equal up to rounding. Held directions have other units and follow from the other
 * directions, so they are not compared. */
static bool is_same(const slip_static_problem *problem, const double *lambda, const double *d,
                    const slip_static_solution *other)
{
    const int inner = slip_static_contact_directions(&problem->shape);
    const slip_static_scale scale = slip_static_scale_of(problem, lambda, d);
    const double tolerance = 10 * slip_static_rounding;
    for (int i = 0; i < inner; i++)
        if (!(fabs(lambda[i] - other->lambda[i]) <= tolerance * scale.force) ||
            !(fabs(d[i] - other->d[i]) <= tolerance * scale.displacement))
            return false;
    return true;
}

int64_t slip_static_solutions_find(const slip_static_solutions *list, const slip_static_problem *problem,
                                   const double *lambda, const double *d)
{
    const slip_static_scale scale = slip_static_scale_of(problem, lambda, d);
    for (int64_t k = 0; k < list->count; k++) {
        const slip_static_solution *item = &list->items[k];
        if (item->dimension == 0 && is_same(problem, lambda, d, item))
            return k;
        for (int part = 0; part < item->part_count; part++)
            if (slip_static_agrees(problem, item->parts[part]->modes, lambda, d, &scale,
                                   10 * slip_static_rounding, false))
                return k;
    }
    return -1;
}

int slip_static_solutions_add(slip_context *ctx, slip_static_solutions *list,
                              const slip_static_problem *problem, const slip_mode *modes,
                              const double *lambda, const double *d, int sign)
{
    const int n = problem->shape.direction_count, m = problem->shape.contact_count;
    const int64_t found = slip_static_solutions_find(list, problem, lambda, d);
    slip_static_solution *to = found >= 0 ? &list->items[found] : NULL;
    if (!to) {
        SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(list->items, list->capacity, list->count + 1)));
        to = &list->items[list->count];
        *to = (slip_static_solution){.sign_low = sign, .sign_high = sign};
        to->lambda = slip_arena_array(&list->arena, n + 1, sizeof(double));
        to->d = slip_arena_array(&list->arena, n + 1, sizeof(double));
        to->allowed = slip_arena_array(&list->arena, m + 1, 1);
        to->modes = slip_arena_array(&list->arena, m + 1, sizeof *to->modes);
        SLIP_PASS(slip_allocated(ctx, to->lambda && to->d && to->allowed && to->modes));
        memcpy(to->lambda, lambda, sizeof(double) * (size_t)n);
        memcpy(to->d, d, sizeof(double) * (size_t)n);
        memcpy(to->modes, modes, sizeof *modes * (size_t)m);
        list->count++;
    }
    if (to->dimension > 0) /* one of the states of a continuum */
        return SLIP_OK;
    for (int c = 0; c < m; c++)
        to->allowed[c] |= (unsigned char)(1 << modes[c]);
    to->sign_low = sign < to->sign_low ? sign : to->sign_low;
    to->sign_high = sign > to->sign_high ? sign : to->sign_high;
    to->mode_sets++;
    return SLIP_OK;
}

int slip_static_solutions_append(slip_context *ctx, slip_static_solutions *list, slip_static_solutions *other)
{
    SLIP_PASS(slip_allocated(
        ctx, SLIP_ROOM(list->items, list->capacity, list->count + other->count) &&
                 SLIP_ROOM(list->parts, list->part_capacity, list->part_count + other->part_count)));
    for (int64_t k = 0; k < other->count; k++)
        list->items[list->count++] = other->items[k];
    for (int64_t k = 0; k < other->part_count; k++)
        list->parts[list->part_count++] = other->parts[k];
    slip_arena_adopt(&list->arena, &other->arena);
    slip_static_solutions_free(other);
    return SLIP_OK;
}
