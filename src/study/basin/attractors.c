/* The attractors that many starts lead to: what of their ends is the same. */
#include "study/basin/basin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_set(const slip_basin_end *end)
{
    return end->kind == SLIP_BASIN_STICK || end->kind == SLIP_BASIN_CYCLE_SET;
}

/* Sets have the same modes and events; motions the same place. Motions that have not settled have none. */
static bool same(const slip_basin_end *a, const slip_basin_end *b, int m, double tolerance)
{
    if (a->kind != b->kind || a->multiple != b->multiple)
        return false;
    if (a->kind >= SLIP_BASIN_CHAOTIC)
        return true;
    if (!isnan(a->period) &&
        fabs(a->period - b->period) > slip_basin_close * tolerance * fmax(a->period, b->period))
        return false;
    if (is_set(a))
        return strcmp(a->signature, b->signature) == 0;
    for (int i = 0; i < m; i++)
        if (fabs(a->state[i] - b->state[i]) > slip_basin_close * tolerance * fmax(a->size[i], b->size[i]))
            return false;
    return true;
}

/* "cycle 2": the kind, and which of that kind. */
static void set_name(slip_attractor *list, int count)
{
    slip_attractor *a = &list[count - 1];
    int number = 0;
    for (int k = 0; k < count; k++)
        number += list[k].end.kind == a->end.kind;
    if (a->end.kind >= SLIP_BASIN_CHAOTIC)
        snprintf(a->name, sizeof a->name, "%s", slip_basin_kinds[a->end.kind]);
    else
        snprintf(a->name, sizeof a->name, "%s %d", slip_basin_kinds[a->end.kind], number);
}

int slip_basin_find_attractors(slip_context *ctx, int64_t count, const slip_basin_end *ends, int m,
                               double tolerance, int *labels, slip_attractor **list, int *found)
{
    int64_t capacity = 0;
    int last = 0;
    *list = NULL;
    *found = 0;
    for (int64_t k = 0; k < count; k++) {
        int a = 0;
        labels[k] = -1;
        if (ends[k].kind == SLIP_BASIN_FAILED)
            continue;
        if (last < *found && same(&(*list)[last].end, &ends[k], m, tolerance))
            a = last;
        while (a < *found && !same(&(*list)[a].end, &ends[k], m, tolerance))
            a++;
        if (a == *found) {
            SLIP_PASS(slip_allocated(ctx, slip_array_reserve(list, &capacity, a + 1, sizeof **list)));
            (*list)[a] = (slip_attractor){.end = ends[k]};
            set_name(*list, ++*found);
        }
        (*list)[a].count++;
        labels[k] = last = a;
    }
    return SLIP_OK;
}
