/* The gear pair of the static modes switching study at its published size, for several benchmarks. */
#ifndef SLIP_BENCH_PUBLISHED_GEARS_H
#define SLIP_BENCH_PUBLISHED_GEARS_H

#include "slipstick/gear.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline slip_gear_options published_gear(bool wheel)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = wheel ? "wheel" : "pinion";
    o.teeth = wheel ? 37 : 18;
    o.profile_shift = wheel ? 0 : 0.5;
    o.module = 0.005;
    o.width = 0.038;
    o.bore = wheel ? 0.059 : 0.05;
    o.element = "full";
    o.modes = wheel ? 200 : 50;
    o.mesh.flank = wheel ? 24 : 25;
    return o;
}

/* Ends the program where something failed. */
static inline void check(slip_context *ctx, int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", slip_context_message(ctx));
    exit(1);
}

#endif
