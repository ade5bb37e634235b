/* Any bytes as a table of an area, rows of x, y and pressure: it is refused with a reason, or becomes an area
 * whose friction is finite and no larger than friction can be. */
#include "support.h"

#include "patch/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { size_max = 4000 }; /* an area of more rows is no other case, but slow */

static void check_patch(slip_context *ctx, const slip_patch *patch)
{
    const slip_patch_info info = slip_patch_describe(patch);
    const double s = info.size;
    const double velocities[][3] = {
        {1, 0, 0}, {0, -1, 0}, {0, 0, 1 / s}, {0.3, 0.4, -0.5 / s}, {1e-9, 0, 1e3 / s}};
    double moment;
    fuzz_require(isfinite(s) && s > 0 && isfinite(info.area) && info.area >= 0,
                 "the size is positive, the area not negative");
    fuzz_require(strcmp(info.treatment, "bilinear grid") == 0 || strcmp(info.treatment, "point loads") == 0,
                 "a table is one or the other");
    fuzz_require(slip_patch_moment(ctx, patch, 0, 0, 0, &moment) == SLIP_OK && fabs(moment - 1) < 1e-6,
                 "the pressure of unit load integrates to 1");
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) {
        double force[3];
        if (!isfinite(velocities[k][2]))
            continue;
        slip_patch_integral(patch, velocities[k], force, NULL);
        fuzz_require(hypot(force[0], force[1]) <= 1 + 1e-6, "friction is no more than mu N");
        fuzz_require(isfinite(force[2]), "the moment is finite");
        fuzz_require(
            force[0] * velocities[k][0] + force[1] * velocities[k][1] + force[2] * velocities[k][2] >= 0,
            "friction takes power");
        slip_patch_evaluate(patch, velocities[k], force, NULL);
        fuzz_require(isfinite(force[0]) && isfinite(force[1]) && isfinite(force[2]), "the surface is finite");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    slip_context *ctx = slip_context_create();
    slip_patch_options options = slip_patch_options_default();
    slip_patch *patch = NULL;
    fuzz_require(ctx != NULL, "memory");
    options.shape = "table";
    options.file = fuzz_path("area.txt");
    fuzz_write(options.file, data, size < size_max ? size : size_max);
    if (slip_patch_create(ctx, &options, &patch) == SLIP_OK)
        check_patch(ctx, patch);
    else
        fuzz_require(!patch && slip_context_message(ctx)[0], "an error says something");
    slip_patch_destroy(patch);
    slip_context_destroy(ctx);
    return 0;
}
