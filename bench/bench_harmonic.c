/* Harmonic balance beside shooting: a rod of some masses with dry friction at its end, followed over the
 * frequency of a load at its beginning.
 *
 *     bench_harmonic [HARMONICS [MASSES ...]]
 *
 * Prints milliseconds of processor time for each point of the branch by both, their ratio, and by how much
 * the amplitudes of the mass that rubs differ at the first point. */
#include "measure.h"

#include "slipstick/slipstick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { room = 40000, few = 12 };

static void write_chain(int masses, char *text)
{
    int used = snprintf(text, room, "slipstick: 1\nparameters: {w: 0.2}\ncoordinates: [");
    for (int i = 0; i < masses; i++)
        used += snprintf(text + used, (size_t)(room - used), "%sx%d", i ? ", " : "", i);
    used += snprintf(text + used, (size_t)(room - used), "]\nmass: {diagonal: [");
    for (int i = 0; i < masses; i++)
        used += snprintf(text + used, (size_t)(room - used), "%s%g", i ? ", " : "", 8.0 / masses);
    used += snprintf(text + used, (size_t)(room - used), "]}\nsprings:\n");
    for (int i = 0; i < masses; i++) {
        char to[20] = "ground";
        if (i > 0)
            snprintf(to, sizeof to, "x%d", i - 1);
        used += snprintf(text + used, (size_t)(room - used),
                         "  - {between: [x%d, %s], stiffness: %g, damping: %g}\n", i, to, masses / 8.0,
                         0.05 * masses / 8);
    }
    snprintf(text + used, (size_t)(room - used),
             "forces: {x0: cos(w*t)}\ncontacts: {floor: {kind: friction, slip: x%d', law: {type: coulomb, "
             "mu: 0.05}}}\n"
             "simulate: {time: [0, 600]}\norbit: {period: 2*pi/w}\n",
             masses - 1);
}

/* Milliseconds a point; the amplitude at the first one. */
static double follow(slip_context *ctx, const slip_model *model, const char *name, int harmonics,
                     double *amplitude)
{
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    slip_result *branch = NULL;
    int64_t count = 0;
    bench_check(ctx, slip_axis_parse(ctx, "w=0.2:0.21", &axis));
    options.axis = &axis;
    options.start = 0.2;
    options.harmonics = harmonics;
    options.points = few;
    double seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    bench_check(ctx, slip_branch_follow(ctx, model, &options, &branch));
    seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - seconds;
    *amplitude = slip_result_series(branch, name, &count)[0];
    slip_result_destroy(branch);
    slip_axis_free(&axis);
    return 1e3 * seconds / (double)count;
}

int main(int count, char **arguments)
{
    static const int usual[] = {4, 8, 16, 32};
    const int harmonics = count > 1 ? atoi(arguments[1]) : 7;
    const int sizes = count > 2 ? count - 2 : 4;
    slip_context *ctx = slip_context_create();
    char *text = malloc(room);
    for (int k = 0; k < sizes && text; k++) {
        const int masses = count > 2 ? atoi(arguments[2 + k]) : usual[k];
        char name[40];
        slip_model *model = NULL;
        double shot, balanced;
        write_chain(masses, text);
        snprintf(name, sizeof name, "x%d.amplitude", masses - 1);
        bench_check(ctx, slip_model_parse(ctx, text, "chain.yaml", NULL, &model));
        const double shooting = follow(ctx, model, name, 0, &shot),
                     balance = follow(ctx, model, name, harmonics, &balanced);
        printf("%3d masses: shooting %8.2f ms a point, %d harmonics %8.2f ms: %6.2f times as fast; "
               "amplitudes differ by %.1e\n",
               masses, shooting, harmonics, balance, shooting / balance, fabs(balanced / shot - 1));
        slip_model_destroy(model);
    }
    free(text);
    slip_context_destroy(ctx);
    return 0;
}
