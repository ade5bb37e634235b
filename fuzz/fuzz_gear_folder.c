/* The result.h5 of two gears with edits (support.h): it is refused with a reason, or has series of one
 * length. */
#include "support.h"

#include "result/gear_folder.h"

#include <stdlib.h>
#include <string.h>

static char *make_base(size_t *size)
{
    slip_context *ctx = slip_context_create();
    slip_gear_result *result = NULL;
    slip_gear_options gears[2];
    slip_gear_run_options options = slip_gear_run_options_default();
    for (int k = 0; k < 2; k++) {
        gears[k] = slip_gear_options_default();
        gears[k].name = k ? "wheel" : "pinion";
        gears[k].teeth = 10 + k;
        gears[k].module = 0.005;
        gears[k].profile_shift = 0.5;
        gears[k].width = 0.02;
        gears[k].bore = 0.024;
        gears[k].mesh = (slip_gear_mesh_options){2, 1, 2, 2, 1, 1};
    }
    options.method = "explicit";
    options.side[0].speed = 50;
    options.penalty = 1e9;
    options.samples = 4;
    options.history = 1;
    options.threads = 1;
    options.time = 1e-5;
    fuzz_require(slip_gear_run(ctx, gears, NULL, &options, &result) == SLIP_OK, "the gears run");
    const slip_gear_source source = {.result = result,
                                     .gears = {"pinion", "wheel"},
                                     .title = "pair",
                                     .method = "explicit",
                                     .status = SLIP_OK};
    fuzz_require(slip_gear_folder_save(ctx, &source, fuzz_path("gears")) == SLIP_OK,
                 "the sound folder is made");
    slip_gear_result_destroy(result);
    slip_context_destroy(ctx);
    return fuzz_read(fuzz_path("gears/result.h5"), size);
}

static void check_folder(const slip_gear_folder *folder)
{
    fuzz_require(folder->series_count >= 1 && folder->count >= 0, "there is a series");
    for (int k = 0; k < folder->series_count; k++) {
        fuzz_require(folder->names[k] && slip_gear_folder_series(folder, folder->names[k]),
                     "series have names");
        fuzz_touch(folder->series[k], folder->count);
    }
    for (int k = 0; k < 2; k++)
        fuzz_touch(folder->participation[k].amplitude, folder->count * folder->participation[k].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *base;
    static size_t base_size;
    char *edits = fuzz_text(data, size);
    slip_context *ctx = slip_context_create();
    slip_gear_folder folder = {0};
    if (!base)
        base = make_base(&base_size);
    fuzz_edit_h5(base, base_size, edits, fuzz_path("gears/result.h5"));
    if (slip_gear_folder_is(fuzz_path("gears"))) {
        if (slip_gear_folder_load(ctx, fuzz_path("gears"), &folder) == SLIP_OK)
            check_folder(&folder);
        else
            fuzz_require(strstr(slip_context_message(ctx), fuzz_path("gears")) != NULL,
                         "an error names the file");
        slip_gear_folder_free(&folder);
    }
    slip_context_destroy(ctx);
    free(edits);
    return 0;
}
