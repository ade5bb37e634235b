/* Every allocation of two gears in contact fails once: reading, reducing, runs, the mesh cycle, files and
 * pictures. */
#include "out_of_memory.h"

#define OUTLINE "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 1e-4"
#define MESH "mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"
#define PAIR(settings)                                                                                       \
    "slipstick: 1\ngears:\n"                                                                                 \
    "  pinion: {teeth: 12, " OUTLINE ", " MESH ", modes: 4, static: " settings ", speed: 20}\n"              \
    "  wheel: {teeth: 15, " OUTLINE ", " MESH ", modes: 4, static: " settings ", torque: 10}\n"
#define FLANKS(method) "flanks: {penalty: 1e9}\nsimulate: {time: [0, 2e-7], samples: 3, method: " method "}\n"

static const char switched[] = PAIR("switch") FLANKS("rk4");
static const char alone[] = PAIR("none") FLANKS("rk4");
static const char condensed[] = PAIR("condensed") FLANKS("exponential");
static const char whole[] = PAIR("none") FLANKS("explicit");
static const char teeth[] = PAIR("switch_teeth") FLANKS("rk4");
static const char rigid[] = PAIR("condensed") "flanks: {penalty: rigid}\n";

/* In a folder: with reduced bodies, frames and, of `explicit`, a checkpoint. */
static int run_in_folder(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_run_options options = slip_run_options_default();
    slip_run_gears_options gears = slip_run_gears_options_default();
    slip_result *result = NULL;
    char folder[test_path_size];
    (void)unused;
    gears.folder = test_path(folder, memory_base, "out");
    gears.reduce.threads = 1;
    gears.pictures = 0;
    options.gears = &gears;
    int status = slip_run(ctx, model, &options, &result);
    if (status >= 0)
        status = slip_result_save(ctx, result, gears.folder);
    return memory_finish(ctx, status, &result, answer);
}

static int stop_at_second(void *user, slip_context *ctx, const slip_gear_frame *frame)
{
    (void)user;
    if (frame->number == 1)
        slip_context_interrupt(ctx);
    return SLIP_OK;
}

/* Interrupted, with a checkpoint, from which it goes on. */
static int interrupted(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    const slip_reduced *const none[2] = {NULL, NULL};
    slip_gear_run_options options = *slip_model_gear_run(model);
    slip_result *result = NULL;
    char folder[test_path_size], path[test_path_size];
    (void)unused;
    options.checkpoint = test_path(path, test_path(folder, memory_base, "out"), "checkpoint.h5");
    options.frames = 3;
    options.frame = stop_at_second;
    int status = slip_gear_run(ctx, gears, none, &options, &result);
    slip_result_destroy(result);
    result = NULL;
    slip_context_resume(ctx);
    if (status == SLIP_INTERRUPTED)
        status = slip_gear_run(ctx, gears, none, &options, &result);
    return memory_finish(ctx, status, &result, answer);
}

static int cycle(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_gear_cycle_options options;
    slip_result *result = NULL;
    (void)unused;
    int status = slip_gear_cycle_options_of(ctx, model, &options);
    options.points = 2;
    options.locate = 0;
    if (status >= 0)
        status = slip_gear_cycle_model(ctx, model, &options, &result);
    return memory_finish(ctx, status, &result, answer);
}

/* The reduced body in a file, which is read again; its mesh, and what it measures. */
static int body(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    char folder[test_path_size], path[test_path_size];
    const slip_gear_options *gear = slip_model_gear(model, 0);
    slip_gear_geometry geometry;
    slip_reduced *made = NULL, *read = NULL;
    double distance = 0, ratio = 0;
    (void)unused;
    test_path(folder, memory_base, "out");
    int status = slip_gear_measure(ctx, gear, &geometry);
    if (status >= 0)
        status = slip_gear_distance(ctx, gear, slip_model_gear(model, 1), &distance, NULL);
    if (status >= 0)
        status = slip_gear_contact_ratio(ctx, gear, slip_model_gear(model, 1), distance, &ratio);
    if (status >= 0)
        status = slip_gear_reduce_file(ctx, gear, NULL, test_path(path, folder, "gear.h5"), &made, NULL);
    if (status >= 0)
        status = slip_reduced_load(ctx, path, &read);
    if (status >= 0)
        status = slip_reduced_save_vtu(ctx, read, 0, test_path(path, folder, "mode.vtu"));
    if (status >= 0)
        status = slip_gear_save_mesh(ctx, gear, test_path(path, folder, "mesh.vtu"));
    if (status >= 0)
        status = slip_gear_save_mesh(ctx, gear, test_path(path, folder, "mesh.inp"));
    if (status >= 0)
        answer_number(answer, slip_reduced_modes(read)[0].frequency);
    slip_reduced_destroy(made);
    slip_reduced_destroy(read);
    return status;
}

static int mesh_picture(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    char folder[test_path_size];
    (void)answer;
    return slip_gear_plot_mesh(ctx, slip_model_gear(model, 0), test_path(folder, memory_base, name), NULL,
                               NULL);
}

/* Of a body that was reduced before. */
static int mode_picture(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    char folder[test_path_size], path[test_path_size];
    slip_reduced *read = NULL;
    (void)model;
    int status = slip_reduced_load(ctx, test_path(path, memory_base, "gear.h5"), &read);
    if (status >= 0)
        answer_number(answer, slip_reduced_modes(read)[0].frequency);
    if (status >= 0)
        status = slip_reduced_plot(ctx, read, (const int[]){0}, 1, test_path(folder, memory_base, name), NULL,
                                   NULL);
    slip_reduced_destroy(read);
    return status;
}

static int reduced_at_once(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_reduce_options options = slip_reduce_options_default();
    slip_reduced *made = NULL;
    (void)unused;
    options.symmetry = 0;
    options.check = 1;
    const int status = slip_gear_reduce(ctx, slip_model_gear(model, 0), &options, &made);
    if (status >= 0)
        answer_number(answer, slip_reduced_modes(made)[0].frequency);
    slip_reduced_destroy(made);
    return status;
}

static int choose(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_gear_select_options options = slip_gear_select_options_default();
    slip_gear_options gears[2];
    slip_gear_run_options chosen;
    slip_reduced *made[2] = {NULL, NULL};
    int status = SLIP_OK;
    (void)unused;
    options.run = *slip_model_gear_run(model);
    options.tolerance = 0.5;
    options.run.side[0].modes = options.run.side[1].modes = 2;
    for (int k = 0; k < 2 && status >= 0; k++) {
        gears[k] = *slip_model_gear(model, k);
        status = slip_gear_reduce(ctx, &gears[k], NULL, &made[k]);
    }
    if (status >= 0)
        status =
            slip_gear_select(ctx, gears, (const slip_reduced *const *)made, &options, NULL, NULL, &chosen);
    if (status >= 0)
        answer_number(answer, chosen.penalty);
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(made[k]);
    return status;
}

static const memory_job gears[] = {
    {"gears, whole", whole, NULL, memory_run, NULL, memory_whole},
    {"whole gears in a folder", whole, SETTINGS("simulate.frames=2"), run_in_folder, NULL, memory_pieces},
    {"checkpoint", whole, SETTINGS("simulate.time=[0, 4e-6]"), interrupted, NULL, memory_whole},
    {"gears, switched", switched, NULL, memory_run, NULL, memory_whole},
    {"gears, modes alone", alone, NULL, memory_run, NULL, memory_whole},
    {"gears, condensed", condensed, NULL, memory_run, NULL, memory_whole},
    {"gears, switched by teeth", teeth, NULL, memory_run, NULL, memory_whole},
    {"gears in a folder", condensed, SETTINGS("simulate.frames=2"), run_in_folder, NULL, memory_pieces},
    {"reduced body", condensed, NULL, body, NULL, memory_pieces},
    {"reduced at once", condensed, NULL, reduced_at_once, NULL, memory_pieces},
};
MEMORY_TESTS(gears)

/* What takes longest. */
static const memory_job searches[] = {
    {"mesh cycle", rigid, NULL, cycle, NULL, memory_whole},
    {"picture of a mesh", condensed, NULL, mesh_picture, "out", memory_pieces},
    {"picture of a mode", NULL, NULL, mode_picture, "out", memory_pieces},
    {"choice of modes", switched, NULL, choose, NULL, memory_whole},
};
MEMORY_TESTS(searches)

static int keep_body(void **state)
{
    char path[test_path_size];
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_reduced *made = NULL;
    (void)state;
    int status = slip_model_parse(ctx, condensed, "gears", NULL, &model);
    if (status >= 0)
        status = slip_gear_reduce_file(ctx, slip_model_gear(model, 0), NULL,
                                       test_path(path, memory_base, "gear.h5"), &made, NULL);
    slip_reduced_destroy(made);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status;
}

int main(void)
{
    const bool fewer = test_sanitized && !test_all();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_of_gears),
        {"every_path_of_searches", fewer ? test_skipped : every_path_of_searches, keep_body, NULL, NULL}};
    return memory_run_tests(tests, 2, 2);
}
