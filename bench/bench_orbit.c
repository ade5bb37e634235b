/* Periodic motions from starts that are off by a tenth: of Den Hartog's oscillator, of the impact oscillator,
 * and of the jack plane, whose period has six events, also over ten periods of its load.
 *
 *     bench_orbit [COUNT]
 *
 * Prints microseconds of processor time for each orbit, from a state to the fixed point with its multipliers,
 * and how many there are in a second. */
#include "measure.h"

#include "study/orbit/orbit.h"

#include <math.h>
#include <string.h>

static const char *const den_hartog =
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nforces: {x: cos(0.7*t)}\n"
    "contacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: 0.5}}}\n"
    "simulate: {time: [0, 100], initial: {x: 1}}\norbit: {period: 2*pi/0.7}\n";
static const char *const impacts =
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[0.1]]\nforces: {x: "
    "cos(1.8*t)}\n"
    "contacts: {c: {kind: unilateral, gap: 0.5 - x, restitution: 0.8}}\n"
    "simulate: {time: [0, 200], initial: {x: -3}}\norbit: {period: 2*pi/1.8}\n";
static const char *const jack_plane =
    "slipstick: 1\ncoordinates: [un, ut]\nmass: [[1, 0], [0, 1]]\nstiffness: [[1.2, -1], [-1, 1.2]]\n"
    "forces: {un: 1.3, ut: sin(t/6)}\n"
    "contacts: {plane: {kind: unilateral, gap: -un, slip: ut', law: {type: coulomb, mu: 0.4}}}\n"
    "simulate: {time: [0, 600], initial: {ut': 0.1}}\norbit: {period: 12*pi}\n";

static void measure(const char *name, const char *text, int multiple, int count)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_simulation *simulation = NULL;
    slip_orbit_plan plan;
    slip_arc_flow flow;
    slip_orbit orbit = {0};
    slip_simulation_options how = slip_simulation_options_default();
    slip_orbit_options options = slip_orbit_options_default();
    options.multiple = multiple;
    double start[8], seconds;
    int64_t iterations = 0;
    bench_check(ctx, slip_model_parse(ctx, text, "orbit.yaml", NULL, &model));
    how.method = "event";
    bench_check(ctx, slip_simulation_open(ctx, model, NULL, &how, &simulation));
    bench_check(ctx, slip_orbit_plan_make(ctx, model, &options, &plan));
    bench_check(ctx, slip_arc_flow_open(ctx, model->system, slip_simulation_settings(simulation), 1e-10, NULL,
                                        &flow));
    bench_check(ctx, slip_orbit_start(ctx, simulation, &plan, &orbit));
    memcpy(start, orbit.x, (size_t)orbit.count * sizeof(double));
    seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < orbit.count; i++)
            orbit.x[i] = start[i] == 0 ? 0 : start[i] + 0.1 * orbit.scale[i] * cos(3 * k + i);
        bench_check(ctx, slip_orbit_solve(&flow, &orbit, NULL));
        bench_check(ctx, slip_orbit_judge(ctx, &orbit));
        iterations += orbit.iterations;
    }
    seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - seconds;
    printf(
        "%-20s %8.1f us an orbit, %8.0f in a second; %.1f steps of Newton's method, %lld events a period\n",
        name, 1e6 * seconds / count, count / seconds, (double)iterations / count,
        (long long)flow.event_count);
    slip_orbit_free(&orbit);
    slip_arc_flow_close(&flow);
    slip_simulation_close(simulation);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(int count, char **arguments)
{
    const int orbits = count > 1 ? atoi(arguments[1]) : 2000;
    measure("Den Hartog", den_hartog, 1, orbits);
    measure("impact oscillator", impacts, 1, orbits);
    measure("jack plane", jack_plane, 1, orbits);
    measure("ten periods of it", jack_plane, 10, orbits);
    return 0;
}
