/* Every set of modes of a small problem, depth first: one contact after the other takes each of its modes,
 * and the inverse follows by updates, so that sets that agree in their first contacts share the work. Where
 * an update meets a matrix that is singular (or nearly), the sets below it are factored one by one. */
#include "statics/solutions.h"

enum { levels_max = slip_static_exhaustive_max + 1 };

typedef struct search {
    slip_context *ctx;
    const slip_static_problem *problem;
    slip_static_solutions *list;
    slip_static_active level[levels_max]; /* after the modes of the first contacts were chosen */
    slip_static_active fresh;
    slip_mode modes[levels_max];
    double *lambda, *d, *numbers;
} search;

/* Recomputes a set of modes with a fresh factorisation: its solution to rounding, or its continuum if the
 * matrix is singular. */
static int look_closely(search *s)
{
    if (!slip_static_active_factor(&s->fresh, s->problem->at.compliance, s->problem->at.friction, s->modes)) {
        const int status = slip_static_continuum(s->ctx, s->problem, &s->fresh, NULL, s->list);
        return status == SLIP_STOPPED
                   ? slip_fail(s->ctx, SLIP_ERROR_SOLVER,
                               "the contacts share their loads in too many ways to list them")
                   : status;
    }
    slip_static_state(s->problem, &s->fresh, s->lambda, s->d, s->numbers);
    if (!slip_static_holds(s->problem, s->modes, s->lambda, s->d, slip_static_rounding))
        return SLIP_OK;
    return slip_static_solutions_add(s->ctx, s->list, s->problem, s->modes, s->lambda, s->d,
                                     s->fresh.sign * s->problem->shape.sign);
}

/* Tries all modes of contact c and of those after it. begin, share: interval of the progress from 0 to 1. */
static int descend(search *s, int c, double begin, double share)
{
    const double roughly = 1e-6;
    slip_mode modes[4];
    int status = SLIP_OK, count;
    if (slip_interrupted(s->ctx))
        return slip_interrupt_check(s->ctx);
    if (slip_progress_due(s->ctx))
        slip_progress_report(s->ctx, &(slip_progress){.what = "sets of modes", .fraction = begin});
    if (c == s->problem->shape.contact_count) {
        if (s->level[c].sign != 0) {
            slip_static_state(s->problem, &s->level[c], s->lambda, s->d, s->numbers);
            if (!slip_static_holds(s->problem, s->modes, s->lambda, s->d, roughly))
                return SLIP_OK;
        }
        return look_closely(s);
    }
    count = slip_static_modes_of(&s->problem->shape.contacts[c], modes);
    for (int k = 0; k < count && status >= 0; k++) {
        slip_static_active_copy(&s->level[c], &s->level[c + 1]);
        s->modes[c] = modes[k];
        slip_static_active_change(&s->level[c + 1], c, modes[k]);
        status = descend(s, c + 1, begin + share * k / count, share / count);
    }
    return status;
}

int slip_static_enumerate(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list)
{
    const int status = slip_static_search(ctx, problem, list);
    return status < 0 ? status : slip_static_gather(ctx, problem, list);
}

int slip_static_search(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list)
{
    const int64_t n = problem->shape.direction_count;
    const int m = problem->shape.contact_count;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    search s = {.ctx = ctx, .problem = problem, .list = list};
    if (m > slip_static_exhaustive_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%d contacts are more than the %d of which every set of modes "
                         "can be tried",
                         m, slip_static_exhaustive_max);
    s.numbers = slip_arena_array(&arena, 4 * n + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, s.numbers && slip_static_active_create(&arena, &problem->shape, &s.fresh)));
    s.lambda = s.numbers + 2 * n;
    s.d = s.numbers + 3 * n;
    for (int c = 0; c <= m; c++)
        SLIP_PASS(slip_allocated(ctx, slip_static_active_create(&arena, &problem->shape, &s.level[c])));
    for (int c = 0; c < m; c++) {
        slip_mode modes[4];
        slip_static_modes_of(&problem->shape.contacts[c], modes);
        s.modes[c] = modes[0];
    }
    slip_static_active_factor(&s.level[0], problem->at.compliance, problem->at.friction, s.modes);
    list->complete = true;
    return descend(&s, 0, 0, 1);
}
