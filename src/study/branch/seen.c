/* Labels that a walk has passed: where one is passed again, the branch is closed or followed a second
 * time. */
#include "study/branch/walk.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_walk_seen {
    slip_walk_seen *next;
    const char *type;
    char *from, *to;
    double p, time, period;
    double *x, *tangent, *ranges; /* ranges: least values of the coordinates, then largest values */
};

/* Bounds for equal values of the parameter (in units of the range) and equal motions (of their size). */
static const double same_value = 1e-6, same_motion = 1e-4;

static double phase_between(const slip_walk_seen *seen, const slip_branch_point *at)
{
    const double part = (at->orbit.time - seen->time) / seen->period;
    return fabs(part - round(part));
}

static bool is_same(const slip_walk *w, const slip_walk_seen *seen, const char *type, double p,
                    const slip_branch_point *at)
{
    const int coordinates = slip_system_coordinates(w->b->simulation->ready->system);
    double most = 0;
    if (strcmp(seen->type, type) != 0 || !(fabs(seen->p - p) < same_value * (w->b->high - w->b->low)))
        return false;
    for (int i = 0; i < at->orbit.count && phase_between(seen, at) < 1e-9 && !at->orbit.own_period; i++)
        most = fmax(most, fabs(seen->x[i] - at->orbit.x[i]) / at->orbit.scale[i]);
    for (int i = 0; i < coordinates && !w->b->flow.map; i++)
        most = fmax(most, fmax(fabs(seen->ranges[i] - at->low[i]),
                               fabs(seen->ranges[coordinates + i] - at->high[i])) /
                              at->orbit.scale[i]);
    return most < same_motion;
}

/* The direction in which a label was passed: +1 as now, -1 the opposite one, 0: neither, or undecided. */
static int direction_of(const slip_walk_seen *seen, const char *from, const char *to,
                        const slip_branch_point *at)
{
    const int n = at->orbit.count;
    if (strcmp(from, to) != 0 && (strcmp(seen->type, "GR") == 0 || strcmp(seen->type, "SL") == 0))
        return strcmp(seen->from, from) == 0 && strcmp(seen->to, to) == 0   ? 1
               : strcmp(seen->from, to) == 0 && strcmp(seen->to, from) == 0 ? -1
                                                                            : 0;
    if (phase_between(seen, at) > 1e-9)
        return 0;
    const double turn = slip_dot(n + 2, seen->tangent, at->tangent);
    return turn > 0.9 ? 1 : turn < -0.9 ? -1 : 0;
}

static int add(slip_walk *w, const char *type, double p, const char *from, const char *to,
               const slip_branch_point *at)
{
    const int n = at->orbit.count, coordinates = slip_system_coordinates(w->b->simulation->ready->system);
    slip_walk_seen *seen = slip_arena_array(w->arena, 1, sizeof *seen);
    double *room = slip_arena_array(w->arena, 2 * (int64_t)n + 2 + 2 * coordinates, sizeof(double));
    char *first = slip_arena_string(w->arena, from), *second = slip_arena_string(w->arena, to);
    SLIP_PASS(slip_allocated(w->b->ctx, seen && room && first && second));
    *seen = (slip_walk_seen){.next = w->seen,
                             .type = type,
                             .from = first,
                             .to = second,
                             .p = p,
                             .time = at->orbit.time,
                             .period = at->orbit.period,
                             .x = room,
                             .tangent = room + n,
                             .ranges = room + 2 * n + 2};
    memcpy(seen->x, at->orbit.x, (size_t)n * sizeof(double));
    memcpy(seen->tangent, at->tangent, (size_t)(n + 2) * sizeof(double));
    memcpy(seen->ranges, at->low, (size_t)coordinates * sizeof(double));
    memcpy(seen->ranges + coordinates, at->high, (size_t)coordinates * sizeof(double));
    w->seen = seen;
    return SLIP_OK;
}

int slip_walk_pass(slip_walk *w, const char *type, double p, const char *from, const char *to,
                   const slip_branch_point *at, int *again)
{
    *again = 0;
    for (const slip_walk_seen *seen = w->seen; seen && *again == 0; seen = seen->next)
        if (is_same(w, seen, type, p, at))
            *again = direction_of(seen, from, to, at);
    return *again == 0 ? add(w, type, p, from, to, at) : SLIP_OK;
}
