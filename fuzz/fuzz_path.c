/* The path.h5 of static solutions with edits (support.h): a label of it is refused with a reason, or is a
 * start of as many numbers as the model has. */
#include "support.h"

#include "model/model.h"
#include "study/paths.h"

#include <stdlib.h>
#include <string.h>

static const char model_text[] =
    "slipstick: 1\n"
    "parameters: {F: 0}\n"
    "coordinates: [x, y]\n"
    "stiffness: [[2, 1], [1, 2]]\n"
    "forces: {x: F, y: -1}\n"
    "contacts:\n"
    "  foot: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: 0.5}}\n"
    "continue: {parameter: F, range: [-3, 3]}\n";

static int directions;

static char *make_base(size_t *size)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_paths *paths = NULL;
    const slip_continue_options options = slip_continue_options_default();
    fuzz_require(slip_model_parse(ctx, model_text, "model", NULL, &model) == SLIP_OK &&
                     slip_continue(ctx, model, &options, &paths) == SLIP_OK &&
                     slip_paths_save(ctx, paths, fuzz_path("paths")) == SLIP_OK,
                 "the sound paths are made");
    directions = paths->direction_count;
    slip_paths_destroy(paths);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return fuzz_read(fuzz_path("paths/path.h5"), size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *base;
    static size_t base_size;
    char *edits = fuzz_text(data, size);
    if (!base)
        base = make_base(&base_size);
    fuzz_edit_h5(base, base_size, edits, fuzz_path("paths/path.h5"));
    for (int number = 0; number < 3; number++) {
        slip_context *ctx = slip_context_create();
        slip_paths_start start = {0};
        if (slip_paths_load_label(ctx, fuzz_path("paths"), number, directions, &start) == SLIP_OK) {
            double copy[2] = {0};
            fuzz_require(start.parameter != NULL, "the parameter has a name");
            for (int k = 0; k < directions; k++)
                copy[0] += start.lambda[k], copy[1] += start.d[k];
            fuzz_require(copy[0] - copy[0] == 0 && copy[1] - copy[1] == 0 && start.value - start.value == 0,
                         "a state is finite");
        } else {
            fuzz_require(strstr(slip_context_message(ctx), fuzz_path("paths")) != NULL,
                         "an error names the file");
        }
        slip_arena_free(&start.arena);
        slip_context_destroy(ctx);
    }
    free(edits);
    return 0;
}
