/* Locates a change of the signature to rounding, from the duration of the phase that begins there. */
#include "study/branch/walk.h"

#include <math.h>

enum { sample_count = slip_walk_zero_most, power_count = 2, scale_count = 3 };

/* Distances of samples, widest first, in units of the branch; largest shift of a located value, in units of
 * the range; largest disagreement of samples, as a part of the shift; accuracy that is enough, in units of
 * the range; and how many times the uncertainty of wider samples narrower ones may deviate: then it is
 * rounding. */
static const double apart[scale_count] = {2e-6, 2e-7, 2e-8}, most_shift = 1e-5, most_doubt = 1e-3,
                    enough = 1e-14, agreed = 10;

/* The shortest time between two events of the last evaluation of a periodic motion. */
static double shortest_phase(const slip_arc_flow *flow, double period)
{
    double least = INFINITY;
    for (int64_t k = 0; k < flow->event_count; k++) {
        const bool last = k + 1 == flow->event_count;
        least = fmin(least, flow->events[last ? 0 : k + 1].time + (last ? period : 0) - flow->events[k].time);
    }
    return least;
}

/* Takes samples from a point on, a signed distance apart along its tangent: values of the parameter and
 * durations of the shortest phase. *complete: all samples have the same signature, and events. */
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
    /* in a continuum the durations are no more accurate than the choice of its middle */
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
