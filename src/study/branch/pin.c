/* Where a signature changes, to rounding: from the phase that begins there. */
#include "study/branch/walk.h"

#include <math.h>

enum { sample_count = slip_walk_zero_most, power_count = 2, scale_count = 3 };

/* How far apart samples are, wider ones first, and how far they may move a value that was located, distances
 * in units of the branch, values in units of the range; by how much of that they may disagree about it, what
 * of the range they need not know better, and how many times what wider ones were in doubt of narrower ones
 * may be off: beyond that it is rounding that they show. */
static const double apart[scale_count] = {2e-6, 2e-7, 2e-8}, most_shift = 1e-5, most_doubt = 1e-3,
                    enough = 1e-14, agreed = 10;

/* The shortest time between two events of the last evaluation, of a motion that repeats. */
static double shortest_phase(const slip_arc_flow *flow, double period)
{
    double least = INFINITY;
    for (int64_t k = 0; k < flow->event_count; k++) {
        const bool last = k + 1 == flow->event_count;
        least = fmin(least, flow->events[last ? 0 : k + 1].time + (last ? period : 0) - flow->events[k].time);
    }
    return least;
}

/* Samples from a point on, a signed distance apart along its tangent: values of the parameter and the phase.
 * *complete: all of them have one signature, and events. */
static int take_samples(slip_orbit_branch *b, const slip_branch_point *at, double distance, double *p,
                        double *phase, bool *complete)
{
    slip_branch_point first = {0};
    int status = SLIP_OK;
    *complete = true;
    for (int k = 0; k < sample_count && status == SLIP_OK && *complete; k++) {
        slip_branch_point point = {0};
        status = slip_branch_reach(b, at, at->tangent, distance * (k + 1), NULL, &point);
        if (status != SLIP_OK)
            break;
        p[k] = point.p;
        phase[k] = shortest_phase(&b->flow, point.orbit.period);
        *complete = k > 0 ? slip_walk_same(&first, &point)
                          : slip_walk_same(at, &point) == (distance < 0) && point.events > 1;
        if (k == 0)
            first = point;
        else
            slip_branch_point_free(&point);
    }
    slip_branch_point_free(&first);
    *complete = *complete && status == SLIP_OK;
    return status < 0 ? status : SLIP_OK;
}

int slip_branch_pin(slip_orbit_branch *b, const slip_branch_point *at, int way, double *value)
{
    const double range = b->high - b->low, located = *value;
    double p[sample_count], phase[sample_count], best = INFINITY;
    /* of motions that stand beside each other phases are known no better than the one in the middle */
    const int scales = at->beside || at->neutral ? 1 : scale_count;
    int status = SLIP_OK;
    for (int scale = 0; scale < scales && best > enough * range && status == SLIP_OK; scale++) {
        bool complete;
        status = take_samples(b, at, way * apart[scale], p, phase, &complete);
        for (int power = 1; power <= power_count && complete && status == SLIP_OK; power++) {
            double doubt;
            const double found = slip_walk_zero_of_power(power, sample_count, phase, p, &doubt);
            if (doubt < best && doubt < most_doubt * fmax(fabs(found - located), apart[scale] * range) &&
                fabs(found - located) < most_shift * range && !(fabs(found - *value) > agreed * best)) {
                best = doubt;
                *value = found;
            }
        }
    }
    return status;
}
