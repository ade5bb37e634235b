/* A checkpoint of explicit gears with edits (support.h): a run refuses it with a reason, or goes on from it.
 */
#include "support.h"

#include "slipstick/gear_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run is stopped half-way, in contact, at the second of three frames. */
static int see_frame(void *user, slip_context *ctx, const slip_gear_frame *frame)
{
    const bool stop = user && frame->number == 1;
    (void)ctx;
    return stop ? SLIP_INTERRUPTED : SLIP_OK;
}

static void make_options(slip_gear_options gears[2], slip_law *law, slip_gear_run_options *options)
{
    for (int k = 0; k < 2; k++) {
        slip_gear_options gear = slip_gear_options_default();
        gear.name = k ? "wheel" : "pinion";
        gear.teeth = k ? 11 : 10;
        gear.module = 0.005;
        gear.profile_shift = 0.5;
        gear.width = 0.02;
        gear.bore = 0.024;
        gear.mesh = (slip_gear_mesh_options){2, 1, 2, 2, 1, 1};
        gears[k] = gear;
    }
    *law = slip_law_default("tanh");
    law->mu = 0.1;
    law->velocity = 0.5;
    *options = slip_gear_run_options_default();
    options->method = "explicit";
    options->side[0].speed = 50;
    options->penalty = 1e9;
    options->samples = 11;
    options->threads = 1;
    options->time = 2e-5;
    options->history = 1;
    options->friction = law;
    options->frames = 3;
    options->frame = see_frame;
}

/* A checkpoint with a step that is small, but not too small, takes long: a short part of that run will do. */
static void see_progress(void *user, const slip_progress *progress)
{
    (void)progress;
    slip_context_interrupt(user);
}

static char *make_base(size_t *size)
{
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_run_options options;
    slip_law law;
    slip_result *result = NULL;
    make_options(gears, &law, &options);
    options.checkpoint = fuzz_path("base.h5");
    options.frame_user = ctx;
    fuzz_require(slip_gear_run(ctx, gears, NULL, &options, &result) == SLIP_INTERRUPTED,
                 "the run is stopped");
    slip_result_destroy(result);
    slip_context_destroy(ctx);
    return fuzz_read(options.checkpoint, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *base;
    static size_t base_size;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_run_options options;
    slip_law law;
    slip_result *result = NULL;
    char *edits = fuzz_text(data, size);
    int status;
    if (!base)
        base = make_base(&base_size);
    make_options(gears, &law, &options);
    options.checkpoint = fuzz_path("checkpoint.h5");
    fuzz_edit_h5(base, base_size, edits, options.checkpoint);
    slip_context_set_progress(ctx, see_progress, ctx);
    status = slip_gear_run(ctx, gears, NULL, &options, &result);
    fuzz_require(status == SLIP_OK || slip_context_message(ctx)[0], "an error says something");
    if (status == SLIP_OK)
        fuzz_require(isfinite(slip_result_number(result, "peak_force")), "the run has a result");
    slip_result_destroy(result);
    slip_context_destroy(ctx);
    free(edits);
    return 0;
}
