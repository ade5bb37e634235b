/* Response of a forced motion: amplitude of the fundamental of each coordinate, and its lag behind the load.
 */
#include "study/branch/branch.h"

#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586476925;

/* The phase of the load: the load with the largest fundamental among all coordinates, with the structure at
 * zero and at rest, is c cos(frequency t - phase). The trapezoidal rule over a period is exact for the first
 * harmonics of a load that has few of them. Without a load, the phase of sin(frequency t). */
static int find_load(slip_orbit_branch *b, double start, double period, double *phase)
{
    enum { samples = 256 };
    const slip_system *system = b->flow.system;
    const int n = system->n;
    SLIP_FREED_BY(slip_workspace_drop) slip_workspace *work = NULL;
    double *loads, *cosine, largest = 0, most = 0;
    SLIP_FREED double *room = slip_alloc(5 * (int64_t)n + 1, sizeof(double));
    SLIP_PASS(room ? SLIP_OK : slip_fail_memory(b->ctx));
    SLIP_PASS(slip_workspace_create(b->ctx, system, &work));
    loads = room + 2 * n;
    cosine = room + 3 * n;
    for (int k = 0; k < samples; k++) {
        const double t = start + period * k / samples, angle = two_pi * t / period;
        if (!slip_system_given_loads(system, work, t, room, room + n, loads))
            continue;
        for (int i = 0; i < slip_system_coordinates(system); i++) {
            cosine[i] += loads[i] * cos(angle);
            cosine[n + i] += loads[i] * sin(angle);
            most = fmax(most, fabs(loads[i]));
        }
    }
    *phase = 0.25 * two_pi;
    for (int i = 0; i < slip_system_coordinates(system); i++) {
        const double size = hypot(cosine[i], cosine[n + i]);
        if (size > largest * (1 + 1e-9) && size > 1e-9 * most * samples) {
            largest = size;
            *phase = atan2(cosine[n + i], cosine[i]);
        }
    }
    return SLIP_OK;
}

int slip_branch_find_probes(slip_orbit_branch *b)
{
    const slip_outputs *outputs = &b->simulation->ready->outputs;
    b->probes = slip_arena_array(&b->arena, outputs->count + 1, sizeof *b->probes);
    for (int k = 0; k < outputs->count && b->probes; k++)
        if (outputs->list[k].row && outputs->list[k].tail.count == 0)
            b->probes[b->probe_count++] = &outputs->list[k];
    return b->probes ? SLIP_OK : slip_fail_memory(b->ctx);
}

int slip_branch_find_response(slip_orbit_branch *b, slip_branch_point *point, const double *fourier)
{
    const int coordinates = slip_system_coordinates(b->flow.system);
    const double period = point->orbit.period;
    double phase = 0;
    int status = SLIP_OK;
    if (!point->orbit.own_period)
        status = find_load(b, point->orbit.time, period / b->plan.options.multiple, &phase);
    for (int i = 0; i < coordinates + b->probe_count; i++) {
        double cosine = 0, sine = 0;
        for (int k = 0; k < coordinates; k++) {
            const double part = i >= coordinates ? b->probes[i - coordinates]->row[k] : i == k ? 1 : 0;
            cosine += part * fourier[k];
            sine += part * fourier[coordinates + k];
        }
        const double lag = atan2(sine, cosine) - phase;
        point->amplitude[i] = point->orbit.own_period ? NAN : 2 * hypot(cosine, sine) / period;
        point->lag[i] = point->orbit.own_period ? NAN : lag - two_pi * floor(lag / two_pi);
    }
    return status;
}
