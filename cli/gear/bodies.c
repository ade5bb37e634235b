#include "gear/bodies.h"

#include <stdio.h>

enum { path_size = 4096 };

int reduce_gears(slip_context *ctx, const slip_model *model, const slip_reduce_options *reduce,
                 cli_terminal *terminal, const char *folder, slip_reduced *bodies[2])
{
    int status = SLIP_OK;
    for (int k = 0; k < 2 && status >= 0; k++) {
        char path[path_size];
        int reused = 0;
        snprintf(path, sizeof path, "%.3000s/%.500s.h5", folder, slip_model_gear(model, k)->name);
        status = slip_gear_reduce_file(ctx, slip_model_gear(model, k), reduce, path, &bodies[k], &reused);
        if (!terminal)
            continue;
        terminal_clear(terminal);
        if (status >= 0)
            printf("%s: %d modes; %s %s\n", slip_reduced_name(bodies[k]), slip_reduced_mode_count(bodies[k]),
                   reused ? "kept" : "wrote", path);
    }
    return status;
}
