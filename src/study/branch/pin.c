/* Where a signature changes, to rounding: from the phase that begins there. */
#include "study/branch/walk.h"

#include <math.h>
#include <string.h>

enum { sample_count = 4, power_count = 2 };

/* How far apart samples are and how far they may move a value that was located, distances in units of the
 * branch, values in units of the range; and by how much of that they may disagree about it. */
static const double apart = 2e-6, most_shift = 1e-5, most_doubt = 1e-3;

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

/* Samples from a point on, along its tangent (way +1) or against it: values of the parameter and the phase.
 * *complete: all of them have one signature, and events. */
static int take_samples(slip_orbit_branch *b, const slip_branch_point *at, int way, double *p, double *phase,
                        bool *complete)
{
    slip_branch_point first = {0};
    int status = SLIP_OK;
    *complete = true;
    for (int k = 0; k < sample_count && status == SLIP_OK && *complete; k++) {
        slip_branch_point point = {0};
        status = slip_branch_reach(b, at, at->tangent, way * apart * (k + 1), NULL, &point);
        if (status != SLIP_OK)
            break;
        p[k] = point.p;
        phase[k] = shortest_phase(&b->flow, point.orbit.period);
        *complete = k > 0 ? slip_walk_same(&first, &point)
                          : slip_walk_same(at, &point) == (way < 0) && point.events > 1;
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
    bool complete;
    const int status = take_samples(b, at, way, p, phase, &complete);
    for (int power = 1; power <= power_count && complete && status == SLIP_OK; power++) {
        double test[sample_count], part[sample_count], whole[sample_count];
        for (int k = 0; k < sample_count; k++) {
            test[k] = pow(phase[k], power);
            part[k] = whole[k] = p[k];
        }
        const double found = slip_walk_at_zero(sample_count, test, whole),
                     doubt = fabs(found - slip_walk_at_zero(sample_count - 1, test, part));
        if (doubt < best && doubt < most_doubt * fabs(found - located) &&
            fabs(found - located) < most_shift * range) {
            best = doubt;
            *value = found;
        }
    }
    return status;
}
