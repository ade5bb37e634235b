/* Complex modes of a pad on a belt, a lattice of masses and springs: seconds, memory, errors.
 *
 *     bench_modes             100,000 unknowns, 40 modes
 *     bench_modes 224 224 40  columns, rows, modes */
#include "../tests/pad_lattice.h"
#include "math/quadratic.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    const int columns = argc > 2 ? atoi(argv[1]) : 224, rows = argc > 2 ? atoi(argv[2]) : 224;
    slip_context *ctx = slip_context_create();
    slip_quadratic_options options = slip_quadratic_options_default();
    pad_matrix mass = {0}, damper = {0}, stiffness = {0};
    slip_quadratic_modes modes = {0};
    struct rusage usage;
    options.count = argc > 3 ? atoi(argv[3]) : 40;
    pad_build(columns, rows, 30, 0.5, 0.02, -0.001, &mass, &damper, &stiffness);
    const slip_quadratic problem = {mass.size, &mass.compressed, &damper.compressed, &stiffness.compressed};
    const double started = bench_seconds();
    bench_check(ctx, slip_quadratic_lowest(ctx, &problem, &options, &modes));
    const double spent = bench_seconds() - started;
    double before = 0, error = 0;
    int growing = 0;
    for (int64_t k = 0; k < modes.count; k++) {
        before = fmax(before, modes.before[k]);
        error = fmax(error, modes.error[k]);
        growing += modes.real[k] > 0;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld unknowns, %lld modes: %.2f s, %.0f MB; %lld solves, %lld rounds; error of the projection on "
           "real "
           "modes %.2g, at the end %.2g; %d grow\n",
           (long long)mass.size, (long long)modes.count, spent, (double)usage.ru_maxrss / 1024,
           (long long)modes.solves, (long long)modes.rounds, before, error, growing);
    for (int64_t k = 0; k < modes.count && k < 5; k++)
        printf("  %.9g %+.9g i\n", modes.real[k], modes.imaginary[k]);
    slip_quadratic_free(&modes);
    pad_free(&mass);
    pad_free(&damper);
    pad_free(&stiffness);
    slip_context_destroy(ctx);
    return 0;
}
