/* Every allocation fails once of saving results, loading them again, exporting them, drawing them and writing
 * their pages: of every kind of result. A program in place of gnuplot makes the files that a script asks for.
 */
#include "out_of_memory.h"

#define SHORT(end) "simulate.time=[0, " end "]", "simulate.record={points: 12}"
#define OUTLINE "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 1e-4"
#define MESH "mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"

static const char pair[] =
    "slipstick: 1\ngears:\n"
    "  pinion: {teeth: 12, " OUTLINE ", " MESH ", modes: 4, static: condensed, speed: 20}\n"
    "  wheel: {teeth: 15, " OUTLINE ", " MESH ", modes: 4, static: condensed, torque: 10}\n"
    "flanks: {penalty: 1e9}\nsimulate: {time: [0, 2e-7], samples: 3, method: exponential}\n";
static const char gap[] =
    "slipstick: 1\nparameters: {w: 1, d: 0.4}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: "
    "[[1]]\n"
    "forces: {x: cos(w*t)}\ncontacts: {stop: {kind: unilateral, gap: d - x, restitution: 0.7}}\n"
    "simulate: {time: [0, 30], steady: {period: 2*pi/w}}\norbit: {period: 2*pi/w}\n"
    "sweep: {over: {w: {from: 0.8, to: 1.2, count: 2}, d: {from: 0.3, to: 0.4, count: 2}}}\nbifurcation: "
    "{over: {w: {from: 0.9, to: 1, count: 2}}, period: 2*pi/w, points: 8, transient: 8}\n"
    "branch: {over: {w: [1, 1.01]}, points: 4}\nbasin: {over: {x: {from: -1, to: 0.3, count: 2}, x': {from: "
    "-1, to: 1, count: 2}}}\n"
    "lyapunov: {interval: 1, intervals: 64, transient: 1}\n";

/* What makes a result: "run" or a study, and the model. */
typedef struct kind {
    const char *name, *model;
    const char *const *settings;
    bool bodies; /* it can be written for ParaView */
} kind;

static char kept[test_path_size]; /* the folder of the result */

static int make(slip_context *ctx, slip_model *model, const char *name, slip_result **result)
{
    if (strcmp(name, "run") == 0)
        return slip_run(ctx, model, NULL, result);
    if (strcmp(name, "modes") == 0)
        return slip_modes_solve(ctx, model, NULL, result);
    if (strcmp(name, "map") == 0) {
        slip_statics_map_options options = slip_statics_map_options_default();
        options.x = "F";
        options.y = "ft";
        options.x_range[0] = options.y_range[0] = 0.5;
        options.x_range[1] = options.y_range[1] = 1.5;
        options.points = 3;
        return slip_statics_map(ctx, model, &options, result);
    }
    if (strcmp(name, "cycle") == 0) {
        slip_gear_cycle_options options;
        int status = slip_gear_cycle_options_of(ctx, model, &options);
        options.points = 2;
        return status < 0 ? status : slip_gear_cycle_model(ctx, model, &options, result);
    }
    if (strcmp(name, "patch") == 0)
        return slip_patch_study(ctx, 1, (const slip_patch *const[]){slip_model_patch(model, 0)},
                                (const char *const[]){"pad"}, NULL, NULL, result);
    if (strcmp(name, "statics") == 0) {
        slip_statics *found = NULL;
        int status = slip_statics_solve(ctx, model, NULL, &found);
        if (status >= 0)
            status = slip_statics_result(ctx, found, result);
        slip_statics_destroy(found);
        return status;
    }
    return slip_study_run(ctx, model, name, result);
}

/* The folder of the job: a copy of what was kept. */
static const char *folder(void)
{
    static char path[test_path_size];
    return test_path(path, memory_base, "out");
}

static int load(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_result *result = NULL;
    (void)model, (void)unused;
    const int status = slip_result_load(ctx, kept, &result);
    return memory_finish(ctx, status, &result, answer);
}

/* All that can be looked up. */
static int look(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_result *result = NULL;
    (void)model, (void)unused;
    const int status = slip_result_load(ctx, kept, &result);
    for (int k = 0; status >= 0 && k < slip_result_series_count(result); k++) {
        const char *name = slip_result_series_name(result, k);
        answer->unknown |= !slip_result_series(result, name, NULL) | !slip_result_unit(result, name);
        slip_result_word(result, name, 0);
    }
    if (status >= 0) {
        const char *summary = slip_result_summary(ctx, result);
        answer->unknown |= !summary || isnan(slip_result_number(result, "records"));
        if (!summary && !strstr(slip_context_message(ctx), "memory"))
            answer->hash = 1;
    }
    return memory_finish(ctx, status, &result, answer);
}

/* Over an earlier one. */
static int save(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_result *result = NULL;
    (void)model, (void)unused;
    int status = slip_result_load(ctx, kept, &result);
    if (status >= 0)
        status = slip_result_save(ctx, result, folder());
    return memory_finish(ctx, status, &result, answer);
}

static int export(slip_context *ctx, slip_model *model, const char *format, memory_answer *answer)
{
    (void)model, (void)answer;
    return slip_export(ctx, folder(), format, NULL);
}

static int plot(slip_context *ctx, slip_model *model, const char *xy, memory_answer *answer)
{
    slip_plot_options options = slip_plot_options_default();
    (void)model, (void)answer;
    options.xy = xy;
    options.formats = xy ? "png,svg,pdf" : NULL;
    return slip_plot(ctx, folder(), &options);
}

static int report(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    (void)model, (void)unused, (void)answer;
    return slip_report(ctx, folder(), NULL);
}

static const kind kinds[] = {
    {"run", "stick-slip-belt", SETTINGS(SHORT("5")), false},
    {"run", "puck", SETTINGS(SHORT("1")), false},
    {"run", "quarter-car", SETTINGS(SHORT("1")), false},
    {"run", gap, NULL, false},
    {"run", "pad-on-belt",
     SETTINGS(SHORT("0.01"), "bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"), true},
    {"run", "stacked-blocks",
     SETTINGS(SHORT("0.005"), "bodies.upper.mesh.block.elements=[2, 1, 1]",
              "bodies.lower.mesh.block.elements=[2, 2, 1]"),
     true},
    {"run", "thrown-bar", SETTINGS(SHORT("0.001"), "bodies.bar.mesh.block.elements=[4, 1, 1]"), true},
    {"run", pair, SETTINGS("simulate.frames=2"), false},
    {"statics", "one-point", NULL, false},
    {"statics", "two-blocks",
     SETTINGS("bodies.upper.mesh.block.elements=[3, 1]", "bodies.lower.mesh.block.elements=[3, 1]"), true},
    {"continue", "one-point", NULL, false},
    {"map", "one-point", NULL, false},
    {"modes", "squeal", NULL, false},
    {"modes", "pad-on-belt", SETTINGS("bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"),
     true},
    {"sweep", gap, NULL, false},
    {"bifurcation", gap, NULL, false},
    {"orbit", gap, NULL, false},
    {"branch", gap, NULL, false},
    {"basin", gap, NULL, false},
    {"lyapunov", gap, NULL, false},
    {"cycle", pair, NULL, false},
    {"patch", "brake-pad", NULL, false},
};

static const memory_job verbs[] = {
    {"load", NULL, NULL, load, NULL, memory_whole},
    {"look", NULL, NULL, look, NULL, memory_whole},
    {"save", NULL, NULL, save, NULL, memory_whole},
    {"export csv", NULL, NULL, export, "csv", memory_whole},
    {"export mat", NULL, NULL, export, "mat", memory_whole},
    {"export vtu", NULL, NULL, export, "vtu", memory_pieces},
    {"plot", NULL, NULL, plot, NULL, memory_pieces},
    {"report", NULL, NULL, report, NULL, memory_whole},
};
static const memory_job loop = {"plot of a loop", NULL, NULL, plot, "belt.slip,belt.force", memory_pieces};

static void keep(const kind *k)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    const char *text = slip_example_text(k->model);
    test_folder_remove(kept);
    int status = slip_model_parse(ctx, text ? text : k->model, k->name, k->settings, &model);
    if (status >= 0)
        status = make(ctx, model, k->name, &result);
    if (status >= 0)
        status = slip_result_save(ctx, result, kept);
    if (status < 0)
        fail_msg("%s: %s", k->name, slip_context_message(ctx));
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void every_path_of_kinds(void **state)
{
    (void)state;
    test_path(kept, memory_base, "kept");
    memory_start = kept;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        keep(&kinds[k]);
        for (size_t n = 0; n < sizeof verbs / sizeof *verbs; n++) {
            char name[200];
            memory_job job = verbs[n];
            snprintf(name, sizeof name, "%s of %s %zu", job.name, kinds[k].name, k);
            job.name = name;
            if (job.option && strcmp(job.option, "vtu") == 0 && !kinds[k].bodies)
                continue;
            memory_let_fail(&job);
        }
        if (k == 0)
            memory_let_fail(&loop);
    }
    assert_int_equal(memory_faults, 0);
}

int main(void)
{
    return memory_run_tests((const struct CMUnitTest[]){cmocka_unit_test(every_path_of_kinds)}, 1, 4);
}
