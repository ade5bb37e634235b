/* The least period: a motion that is found over some time may repeat several times in it. */
#include "study/orbit/orbit.h"

#include <math.h>
#include <string.h>

/* Relative to the motion: states that are as close are the same. A motion that doubles its period is that
 * close to the one that it has doubled within 1e-14 of the parameter only. */
static const double same = 1e-7;

/* How far from its start the motion is after a part of the period; INFINITY where it does not get there. The
 * derivatives of the first arc are lost. */
static int distance_after(slip_arc_flow *flow, slip_orbit *orbit, double time, double *distance)
{
    const slip_arc arc = {orbit->ends, orbit->by_state, orbit->rates, orbit->by_start, orbit->by_parameter};
    const int status = slip_arc_flow_run(flow, orbit->time, orbit->x, time, &arc);
    *distance = status == SLIP_OK ? 0 : INFINITY;
    for (int i = 0; i < orbit->count && status == SLIP_OK; i++)
        *distance = fmax(*distance, fabs(arc.end[i] - orbit->x[i]) / orbit->scale[i]);
    if (status == SLIP_ERROR_SOLVER)
        slip_context_clear(flow->ctx);
    return status < 0 && status != SLIP_ERROR_SOLVER ? status : SLIP_OK;
}

/* The sequence of events is the same one after the other, `parts` times. */
static bool events_repeat(const slip_event *events, int64_t count, int parts)
{
    if (count % parts != 0)
        return false;
    for (int64_t k = count / parts; k < count; k++) {
        const slip_event *x = &events[k], *y = &events[k - count / parts];
        if (x->contact != y->contact || x->from != y->from || x->to != y->to)
            return false;
    }
    return true;
}

/* How many times the motion repeats in its period; of a load that divides the multiple. `count` events of it
 * are known. *ran: the derivatives are lost. */
static int find_parts(slip_arc_flow *flow, slip_orbit *orbit, int multiple, int64_t count, bool *ran)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
    double away = 0, distance;
    int status = SLIP_OK;
    for (size_t k = 0; k < sizeof primes / sizeof *primes;) {
        const int parts = orbit->repeats * primes[k];
        distance = INFINITY;
        if ((orbit->own_period || multiple % parts == 0) && events_repeat(flow->events, count, parts)) {
            if (!*ran) /* what stands still is no motion */
                SLIP_TRY(distance_after(flow, orbit, 0.6180339887498949 * orbit->period, &away));
            *ran = true;
            if (away > same)
                SLIP_TRY(distance_after(flow, orbit, orbit->period / parts, &distance));
        }
        if (distance < same)
            orbit->repeats = parts;
        else
            k++;
    }
done:
    return status;
}

/* The same motion over its least period, in one arc. It stays as it is where that is not solved. */
static int shorten(slip_arc_flow *flow, slip_orbit *orbit)
{
    const size_t bytes = (size_t)orbit->count * sizeof(double);
    slip_orbit shorter = {.own_period = true,
                          .time = orbit->time,
                          .period = orbit->period / orbit->repeats,
                          .repeats = 1,
                          .iterations = orbit->iterations};
    int status;
    SLIP_TRY(slip_orbit_create(flow->ctx, orbit->count, 1, &shorter));
    memcpy(shorter.x, orbit->x, bytes);
    memcpy(shorter.scale, orbit->scale, bytes);
    memcpy(shorter.phase, orbit->phase, bytes);
    status = slip_orbit_solve(flow, &shorter, NULL);
    if (status == SLIP_OK) {
        SLIP_TRY(slip_orbit_judge(flow->ctx, &shorter));
        slip_orbit_free(orbit);
        *orbit = shorter;
        shorter = (slip_orbit){0};
    } else if (status == SLIP_STOPPED) {
        status = slip_orbit_evaluate(flow, orbit);
    }
done:
    slip_orbit_free(&shorter);
    return status;
}

int slip_orbit_take_least(slip_arc_flow *flow, slip_orbit *orbit, int multiple)
{
    bool ran = false;
    int status = SLIP_OK;
    orbit->repeats = 1;
    if (!flow->map)
        SLIP_TRY(find_parts(flow, orbit, multiple, flow->event_count, &ran));
    if (orbit->own_period && orbit->repeats > 1)
        return shorten(flow, orbit);
    return ran ? slip_orbit_evaluate(flow, orbit) : SLIP_OK;
done:
    return status;
}
