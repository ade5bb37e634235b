/* Comparison of two points of a walk: signature, tangents, relative position. */
#include "study/branch/walk.h"

#include <math.h>
#include <string.h>

bool slip_walk_same(const slip_branch_point *a, const slip_branch_point *b)
{
    return strcmp(a->signature, b->signature) == 0;
}

void slip_walk_put(slip_branch_point *to, slip_branch_point *from)
{
    slip_branch_point_free(to);
    *to = *from;
    *from = (slip_branch_point){0};
}

double slip_walk_turn(const slip_branch_point *a, const slip_branch_point *b)
{
    double sum = 0;
    for (int i = 0; i < a->orbit.count + 2; i++)
        sum += a->tangent[i] * b->tangent[i];
    return sum;
}

double slip_walk_between(const slip_walk *w, const slip_branch_point *from, const slip_branch_point *to,
                         int i)
{
    const int n = from->orbit.count;
    return i < n    ? (to->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i]
           : i == n ? (from->orbit.own_period ? log(to->orbit.period / from->orbit.period) : 0)
                    : (to->p - from->p) / (w->b->high - w->b->low);
}

double slip_walk_bound(const slip_walk *w)
{
    return w->here.tangent[w->here.orbit.count + 1] > 0 ? w->b->high : w->b->low;
}

double slip_walk_along(const slip_walk *w, const slip_branch_point *point)
{
    double sum = 0;
    for (int i = 0; i < w->here.orbit.count + 2; i++)
        sum += w->here.tangent[i] * slip_walk_between(w, &w->here, point, i);
    return sum;
}

void slip_walk_turn_back(slip_branch_point *point)
{
    for (int i = 0; i < point->orbit.count + 2; i++)
        point->tangent[i] = -point->tangent[i];
}

void slip_walk_head_on(const slip_orbit_branch *b, const slip_branch_point *from, slip_branch_point *to)
{
    const int n = from->orbit.count;
    double sum = to->tangent[n + 1] * (to->p - from->p) / (b->high - b->low);
    for (int i = 0; i < n; i++)
        sum += to->tangent[i] * (to->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i];
    if (sum < 0)
        slip_walk_turn_back(to);
}

bool slip_walk_goes_straight(const slip_walk *w, const slip_branch_point *point, double length)
{
    /* in a continuum, which harmonic balance does not recognise, the next point may lie beside the tangent */
    const bool beside = w->here.neutral || point->neutral || w->b->flow.map;
    const double far = slip_branch_distance(w->b, &w->here, point);
    return slip_walk_turn(&w->here, point) > 0.9 && far <= (beside ? 3 : 1.2) * length &&
           (beside || far >= 0.9 * length);
}

double slip_walk_at_zero(int count, const double *test, double *p)
{
    for (int m = 1; m < count; m++)
        for (int k = 0; k + m < count; k++)
            p[k] = (test[k + m] * p[k] - test[k] * p[k + 1]) / (test[k + m] - test[k]);
    return p[0];
}

double slip_walk_zero_of_power(int power, int count, const double *test, const double *p, double *doubt)
{
    double tests[slip_walk_zero_most], part[slip_walk_zero_most], whole[slip_walk_zero_most] = {0};
    for (int k = 0; k < count; k++) {
        tests[k] = pow(test[k], power);
        part[k] = whole[k] = p[k];
    }
    const double found = slip_walk_at_zero(count, tests, whole);
    *doubt = fabs(found - slip_walk_at_zero(count - 1, tests, part));
    return found;
}

/* Halves of a period that differ by less are the same. */
static const double least_half = 1e-6;

double slip_walk_half(const slip_branch_point *point)
{
    double sum = 0;
    for (int i = 0; i < point->orbit.count; i++)
        sum += point->half[i] * point->half[i];
    return sqrt(sum);
}

bool slip_walk_same_half(const slip_branch_point *a, const slip_branch_point *b)
{
    double product = 0;
    for (int i = 0; i < a->orbit.count; i++)
        product += a->half[i] * b->half[i];
    return product > 0 && slip_walk_half(b) > least_half;
}

slip_branch_doubling *slip_walk_origin(const slip_walk *w, double p)
{
    slip_branch_doubling *nearest = NULL;
    for (int k = 0; k < w->b->origin_count; k++)
        if (!nearest || fabs(w->b->origins[k].p - p) < fabs(nearest->p - p))
            nearest = &w->b->origins[k];
    return nearest;
}

bool slip_walk_before(const slip_walk *w, const slip_branch_point *point, int test)
{
    return test == slip_walk_two_halves ? slip_walk_same_half(&w->here, point)
                                        : slip_branch_same_side(&w->here, point, test) ||
                                              (test == slip_walk_fold && w->here.still && point->still);
}

/* Asymmetry of a motion: largest plus smallest value of the coordinates, over the scales. */
static double unevenness(const slip_branch_point *point, int coordinates)
{
    double most = 0;
    for (int i = 0; i < coordinates; i++)
        most = fmax(most, fabs(point->low[i] + point->high[i]) / point->orbit.scale[i]);
    return most;
}

int slip_walk_breaks(slip_walk *w, const slip_branch_point *next, bool *breaks)
{
    const slip_orbit *orbit = &next->orbit;
    const int64_t n = orbit->count;
    const int coordinates = slip_system_coordinates(w->b->simulation->ready->system);
    SLIP_FREED double *room = NULL;
    double miss = 0;
    *breaks = false;
    if (w->b->flow.map || slip_walk_same(&w->here, next) || unevenness(&w->here, coordinates) > 1e-9 ||
        !(unevenness(next, coordinates) > 1e-8))
        return SLIP_OK;
    room = slip_alloc(4 * n + n * n, sizeof(double));
    SLIP_PASS(slip_allocated(w->b->ctx, room));
    double *x = room, *end = x + n;
    const slip_arc arc = {end, end + 3 * n, end + n, end + 2 * n, NULL};
    for (int i = 0; i < n; i++)
        x[i] = -orbit->x[i];
    const int status =
        slip_arc_flow_run(&w->b->flow, orbit->time + 0.5 * orbit->period, x, orbit->period, &arc);
    if (status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL) {
        slip_context_clear(w->b->ctx); /* no motion starts there */
        return SLIP_OK;
    }
    SLIP_PASS(status);
    for (int i = 0; i < n; i++)
        miss = fmax(miss, fabs(end[i] - x[i]) / orbit->scale[i]);
    *breaks = miss < 0.01 * unevenness(next, coordinates);
    return SLIP_OK;
}
