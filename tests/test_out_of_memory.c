/* Every allocation fails once: an error that says so comes back, nothing crashes, nothing leaks (the
 * sanitizers look), nothing is half written, and what goes on all the same gives the same numbers.
 *
 * Calls of malloc and the like from the library's own objects come here (--wrap of the linker); those of
 * other libraries do not. A job is done once to count its allocations, then again and again with the k-th of
 * them failing: at most 2000 of a job for `scripts/test --all`, else 24 of each (under the sanitizers 12),
 * spread over all of it. */
#include "slipstick/slipstick.h"
#include "test.h"
#include "test_folder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- The allocator. */

static atomic_long calls, fails_at; /* fails_at 0: never */

static bool fails(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fails_at);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}
char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* ---- Jobs: each returns its status and gives a number that says what it came to. */

typedef int (*job)(slip_context *ctx, double *answer);

static char base[test_path_size];

static slip_model *kept; /* of jobs that begin with a model that is there */

static int load(slip_context *ctx, const char *name, slip_model **model)
{
    return slip_model_parse(ctx, slip_example_text(name), name, NULL, model);
}

static int run_by(slip_context *ctx, const char *method, double end, double step, double *answer)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.end = end;
    options.step = step;
    options.record_points = 20;
    const int status = slip_run(ctx, kept, &options, &result);
    if (status >= 0 && result)
        *answer = slip_result_series(result, slip_result_series_name(result, 1), NULL)[19];
    slip_result_destroy(result);
    return status;
}

static int run_event(slip_context *ctx, double *answer)
{
    return run_by(ctx, "event", 5, NAN, answer);
}
static int run_smooth(slip_context *ctx, double *answer)
{
    return run_by(ctx, "smooth", 2, NAN, answer);
}
static int run_rk4(slip_context *ctx, double *answer)
{
    return run_by(ctx, "rk4", 2, 0.05, answer);
}
static int run_moreau(slip_context *ctx, double *answer)
{
    return run_by(ctx, "moreau", 2, 0.05, answer);
}
static int run_midpoint(slip_context *ctx, double *answer)
{
    return run_by(ctx, "midpoint", 2, 0.05, answer);
}

static int run_stabilised(slip_context *ctx, double *answer)
{
    return run_by(ctx, "midpoint_stabilised", 2, 0.05, answer);
}

static int run_explicit(slip_context *ctx, double *answer)
{
    return run_by(ctx, "explicit", 0.02, NAN, answer);
}

static int run_exponential(slip_context *ctx, double *answer)
{
    return run_by(ctx, "exponential", 0.01, NAN, answer);
}

static int describe(slip_context *ctx, double *answer)
{
    const char *text = slip_model_describe(ctx, kept);
    *answer = text ? (double)strlen(text) : 0;
    return text ? SLIP_OK : SLIP_ERROR_MEMORY;
}

static int finish_study(int status, slip_result *result, const char *number, double *answer)
{
    if (status >= 0 && result)
        *answer = slip_result_number(result, number);
    slip_result_destroy(result);
    return status;
}

static int statics(slip_context *ctx, double *answer)
{
    slip_statics *found = NULL;
    const int status = slip_statics_solve(ctx, kept, NULL, &found);
    if (status >= 0)
        *answer = (double)slip_statics_count(found);
    slip_statics_destroy(found);
    return status;
}

static int follow(slip_context *ctx, double *answer)
{
    slip_continue_options options = slip_continue_options_default();
    slip_result *result = NULL;
    options.spacing = 0.1;
    options.restarts = 0;
    const int status = slip_continue(ctx, kept, &options, &result);
    return finish_study(status, result, "branches", answer);
}

static int modes(slip_context *ctx, double *answer)
{
    slip_result *result = NULL;
    const int status = slip_modes_solve(ctx, kept, NULL, &result);
    return finish_study(status, result, "count", answer);
}

static int sweep(slip_context *ctx, double *answer)
{
    slip_sweep_options options = slip_sweep_options_default();
    slip_axis axis = {.name = "vb", .from = 0.1, .to = 0.3, .count = 3};
    slip_result *result = NULL;
    options.axes = &axis;
    options.axis_count = 1;
    options.threads = 1;
    const int status = slip_sweep(ctx, kept, &options, &result);
    return finish_study(status, result, "finished", answer);
}

static int diagram(slip_context *ctx, double *answer)
{
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_axis axis = {.name = "w", .from = 2.6, .to = 2.7, .count = 2};
    slip_result *result = NULL;
    options.axis = &axis;
    options.transient = 20;
    options.points = 5;
    const int status = slip_bifurcation(ctx, kept, &options, &result);
    return finish_study(status, result, "finished", answer);
}

static int orbit(slip_context *ctx, double *answer)
{
    slip_result *result = NULL;
    const int status = slip_orbit_find(ctx, kept, NULL, &result);
    return finish_study(status, result, "period", answer);
}

static int branch(slip_context *ctx, double *answer)
{
    slip_branch_options options = slip_branch_options_default();
    slip_result *result = NULL;
    slip_axis axis = {.name = "w", .from = 2.6, .to = 2.75, .count = 2};
    options.axis = &axis;
    const int status = slip_branch_follow(ctx, kept, &options, &result);
    return finish_study(status, result, "points", answer);
}

static int basin(slip_context *ctx, double *answer)
{
    slip_basin_options options = slip_basin_options_default();
    slip_axis axes[] = {{.name = "x", .from = -1, .to = 2, .count = 2},
                        {.name = "x'", .from = -1, .to = 1, .count = 2}};
    slip_result *result = NULL;
    options.axes = axes;
    options.axis_count = 2;
    options.threads = 1;
    options.refine = 0;
    const int status = slip_basin(ctx, kept, &options, &result);
    return finish_study(status, result, "finished", answer);
}

static int exponents(slip_context *ctx, double *answer)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *result = NULL;
    options.transient = 10;
    options.intervals = 64;
    const int status = slip_lyapunov(ctx, kept, &options, &result);
    return finish_study(status, result, "time", answer);
}

static int exponents_together(slip_context *ctx, double *answer)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    const slip_axis axis = {.name = "w", .from = 2, .to = 2.1, .count = 2};
    slip_result *result = NULL;
    options.axes = &axis;
    options.axis_count = options.threads = 1;
    options.device = "cpu";
    options.transient = 10;
    options.intervals = 64;
    const int status = slip_lyapunov(ctx, kept, &options, &result);
    return finish_study(status, result, "together", answer);
}

static int area(slip_context *ctx, double *answer)
{
    slip_patch_options options = slip_patch_options_default();
    slip_patch *patch = NULL;
    double direction[3], m, b;
    options.shape = "rectangle";
    options.sides[0] = 2;
    options.sides[1] = 1;
    options.surface = "integral";
    options.table_tolerance = 1e-2;
    int status = slip_patch_create(ctx, &options, &patch);
    if (status >= 0)
        status = slip_patch_limit(ctx, patch, (const double[]){0.3, 0.1, 0.1}, answer, direction);
    if (status >= 0)
        status = slip_patch_fit(ctx, patch, (const int[]){1, 1}, &m, &b, answer);
    slip_patch_destroy(patch);
    return status;
}

static int derivatives(slip_context *ctx, double *answer)
{
    slip_simulation *s = NULL;
    slip_derivatives wanted = slip_derivatives_default();
    double by_state[4], by_parameter[2];
    wanted.by_state = by_state;
    wanted.parameters = (const char *const[]){"vb", NULL};
    wanted.by_parameter = by_parameter;
    int status = slip_simulation_open(ctx, kept, NULL, NULL, &s);
    if (status >= 0)
        status = slip_simulation_differentiate(ctx, s, 4, &wanted);
    *answer = by_parameter[0];
    slip_simulation_close(s);
    return status;
}

static int map(slip_context *ctx, double *answer)
{
    slip_statics_map_options options = slip_statics_map_options_default();
    slip_result *result = NULL;
    options.x = "F";
    options.y = "ft";
    options.x_range[0] = options.y_range[0] = 0.5;
    options.x_range[1] = options.y_range[1] = 1.5;
    options.points = 3;
    const int status = slip_statics_map(ctx, kept, &options, &result);
    if (status >= 0 && result)
        *answer = slip_result_series(result, "solutions", NULL)[4];
    slip_result_destroy(result);
    return status;
}

static int pieces(slip_context *ctx, double *answer)
{
    slip_pieces *found = NULL;
    const int status = slip_pieces_create(ctx, kept, NULL, &found);
    *answer = (double)slip_pieces_size(found).unknowns;
    slip_pieces_destroy(found);
    return status;
}

static int unit(slip_context *ctx, double *answer)
{
    char path[test_path_size];
    slip_fmu_contents contents = {.states = -1};
    slip_fmu_options options = slip_fmu_options_default();
    test_path(path, base, "unit.fmu");
    options.library = "/dev/null";
    const int status = slip_fmu_save(ctx, kept, path, &options, &contents);
    *answer = contents.states;
    return status;
}

/* Gears are meshed, reduced and run, or their mesh cycle is found. */
static const char *gear_method, *gear_static;
static int gears(slip_context *ctx, double *answer)
{
    const bool cycle = strcmp(gear_method, "cycle") == 0;
    slip_gear_options options[2];
    slip_gear_run_options run = slip_gear_run_options_default();
    slip_gear_cycle_options at = slip_gear_cycle_options_default();
    slip_gear_cycle *found = NULL;
    slip_reduced *bodies[2] = {NULL, NULL};
    slip_result *result = NULL;
    int status = SLIP_OK;
    at.torque = 10;
    at.points = 2;
    for (int k = 0; k < 2 && status >= 0; k++) {
        slip_gear_options *o = &options[k];
        *o = slip_gear_options_default();
        o->name = k ? "wheel" : "pinion";
        o->teeth = k ? 15 : 12;
        o->module = 0.005;
        o->profile_shift = 0.4;
        o->width = 0.01;
        o->bore = 0.03;
        o->backlash = 1e-4;
        o->mesh = (slip_gear_mesh_options){
            .flank = 2, .fillet = 1, .thickness = 2, .root = 2, .rim = 1, .width = 1};
        o->modes = 4;
        run.side[k].reduction = gear_static;
        status = slip_gear_reduce(ctx, o, NULL, &bodies[k]);
    }
    run.side[0].speed = 20;
    run.method = gear_method;
    run.step = strcmp(gear_method, "exponential") == 0 ? 0 : 1e-8;
    run.time = 2e-7;
    run.samples = 3;
    if (status >= 0 && cycle)
        status = slip_gear_cycle_run(ctx, options, (const slip_reduced *const *)bodies, &at, &found);
    else if (status >= 0)
        status = slip_gear_run(ctx, options, (const slip_reduced *const *)bodies, &run, &result);
    if (status >= 0 && cycle)
        status = slip_gear_cycle_result(ctx, found, &result);
    if (status >= 0)
        *answer = slip_result_series(result, cycle ? "error" : "pinion.angle", NULL)[cycle ? 1 : 2];
    slip_gear_cycle_destroy(found);
    slip_result_destroy(result);
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(bodies[k]);
    return status;
}

/* A folder is whole or not there. */
static int save_and_load(slip_context *ctx, double *answer)
{
    char folder[test_path_size];
    slip_result *result = NULL, *again = NULL;
    test_path(folder, base, "saved");
    int status = slip_run(ctx, kept, NULL, &result);
    if (status >= 0)
        status = slip_result_save(ctx, result, folder);
    if (status >= 0)
        status = slip_result_load(ctx, folder, &again);
    if (status >= 0)
        status = slip_export(ctx, folder, "csv", NULL);
    if (again)
        *answer = slip_result_number(again, "final.x");
    slip_result_destroy(result);
    slip_result_destroy(again);
    return status;
}

static int step(slip_context *ctx, double *answer)
{
    slip_simulation *s = NULL;
    slip_saved_state *saved = NULL;
    int status = slip_simulation_open(ctx, kept, NULL, NULL, &s);
    if (status >= 0)
        status = slip_simulation_advance(ctx, s, 1);
    if (status >= 0)
        status = slip_simulation_save(ctx, s, &saved);
    if (status >= 0)
        status = slip_simulation_advance_until(ctx, s, 5, "x'");
    if (status >= 0)
        status = slip_simulation_restore(ctx, s, saved);
    if (status >= 0)
        *answer = slip_simulation_number(s, "x");
    slip_saved_state_destroy(saved);
    slip_simulation_close(s);
    return status;
}

static int build(slip_context *ctx, double *answer)
{
    static const char *const names[] = {"x", "y"};
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_contact_options pad = slip_contact_options_default();
    slip_run_options options = slip_run_options_default();
    pad.name = "pad";
    pad.slip = "y'";
    pad.law = slip_law_default("coulomb");
    pad.law.mu = 0.3;
    int status = slip_model_create(ctx, 2, names, &model);
    if (status >= 0)
        status = slip_model_set_mass(ctx, model, (const double[]){1, 0, 0, 1});
    if (status >= 0)
        status = slip_model_set_stiffness(ctx, model, (const double[]){2, -1, -1, 1});
    if (status >= 0)
        status = slip_model_set_parameter(ctx, model, "F", 2);
    if (status >= 0)
        status = slip_model_set_force(ctx, model, "x", "F*sin(t)");
    if (status >= 0)
        status = slip_model_set_state(ctx, model, "s", "x - s", 0);
    if (status >= 0)
        status = slip_model_add_contact(ctx, model, &pad);
    options.end = 2;
    if (status >= 0)
        status = slip_run(ctx, model, &options, &result);
    if (status >= 0)
        *answer = slip_result_number(result, "final.x");
    slip_result_destroy(result);
    slip_model_destroy(model);
    return status;
}

static const char *reading; /* the example that is read */
static int read_example(slip_context *ctx, double *answer)
{
    slip_model *model = NULL;
    const int status = load(ctx, reading, &model);
    *answer = status >= 0 ? slip_model_coordinate_count(model) : 0;
    slip_model_destroy(model);
    return status;
}

/* ---- Every allocation of a job. */

static long all_failed, all_calls;

static void let_fail(const char *name, job work)
{
    double expected = NAN, found;
    slip_context *ctx = slip_context_create();
    atomic_store(&fails_at, 0);
    atomic_store(&calls, 0);
    int status = work(ctx, &expected);
    if (status < 0)
        fail_msg("%s: %s", name, slip_context_message(ctx));
    const long count = atomic_load(&calls);
    const long some = test_all() ? 2000 : test_sanitized ? 12 : 24;
    all_calls += count;
    slip_context_destroy(ctx);
    for (long n = 0; n < some && n < count; n++) {
        const long k = count <= some ? n + 1 : 1 + n * (count - 1) / (some > 1 ? some - 1 : 1);
        ctx = slip_context_create();
        found = NAN;
        atomic_store(&calls, 0);
        atomic_store(&fails_at, k);
        status = work(ctx, &found);
        atomic_store(&fails_at, 0);
        const char *said = slip_context_message(ctx);
        if (status < 0 && !strstr(said, "memory"))
            fail_msg("%s: allocation %ld of %ld failed, status %d: `%s`", name, k, count, status, said);
        if (status < 0 && status != SLIP_ERROR_MEMORY && status != SLIP_ERROR_IO)
            fail_msg("%s: allocation %ld of %ld failed, and the status is %d: `%s`", name, k, count, status,
                     said);
        /* a number that cannot be looked up is NaN */
        if (status >= 0 && found != expected && !isnan(found))
            fail_msg("%s: allocation %ld of %ld failed, and the answer is %.17g instead of %.17g", name, k,
                     count, found, expected);
        slip_context_destroy(ctx);
        all_failed++;
    }
}

static void with_model(const char *example, const char *name, job work)
{
    slip_context *ctx = slip_context_create();
    char title[100];
    if (load(ctx, example, &kept) < 0)
        fail_msg("%s", slip_context_message(ctx));
    snprintf(title, sizeof title, "%s of %s", name, example);
    let_fail(title, work);
    slip_model_destroy(kept);
    kept = NULL;
    slip_context_destroy(ctx);
}

static void reading_models(void **state)
{
    static const char *const names[] = {"stribeck-belt", "heated-brake",    "disk-on-belt", "two-blocks",
                                        "quarter-car",   "double-pendulum", "gear-pair",    "pad-on-belt",
                                        "fault",         "sprung-pad",      "hinged-arm"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        reading = names[k];
        let_fail(names[k], read_example);
    }
    let_fail("building", build);
}

static void running(void **state)
{
    (void)state;
    with_model("stick-slip-belt", "event", run_event);
    with_model("jack-plane", "event", run_event);
    with_model("stribeck-belt", "event", run_event);
    with_model("disk-on-belt", "event", run_event);
    with_model("double-pendulum", "event", run_event);
    with_model("bouncing-ball", "event", run_event);
    with_model("friction-damper", "event", run_event);
    with_model("puck", "event", run_event);
    with_model("yielding-shoe", "exponential", run_exponential);
    with_model("thrown-bar", "explicit", run_explicit);
    with_model("elliptic", "smooth", run_smooth);
    with_model("elliptic", "rk4", run_rk4);
    with_model("two-masses", "moreau", run_moreau);
    with_model("puck", "moreau", run_moreau);
    with_model("sliding-block", "moreau", run_moreau);
    with_model("two-masses", "midpoint", run_midpoint);
    with_model("two-masses", "midpoint_stabilised", run_stabilised);
    with_model("stick-slip-belt", "simulation", step);
}

static void studying(void **state)
{
    (void)state;
    with_model("one-point", "statics", statics);
    with_model("two-blocks", "statics", statics);
    with_model("one-point", "continue", follow);
    with_model("squeal", "modes", modes);
    with_model("stick-slip-belt", "sweep", sweep);
    with_model("impact-diagram", "bifurcation", diagram);
    with_model("quarter-car", "describe", describe);
    with_model("stick-slip-belt", "saving", save_and_load);
    with_model("stick-slip-belt", "derivatives", derivatives);
    with_model("one-point", "map", map);
    with_model("sliding-block", "pieces", pieces);
    with_model("two-masses", "FMI unit", unit);
}

static void periodic_motions(void **state)
{
    (void)state;
    with_model("stick-slip-orbit", "orbit", orbit);
    with_model("impact-branch", "branch", branch);
    with_model("belt-basins", "basin", basin);
    with_model("impact-diagram", "lyapunov", exponents);
    with_model("impact-diagram", "lyapunov over axes", exponents_together);
}

static void areas_and_gears(void **state)
{
    static const char *const methods[][2] = {
        {"rk4", "switch"}, {"exponential", "condensed"}, {"explicit", "none"}, {"cycle", "condensed"}};
    (void)state;
    let_fail("area", area);
    for (int k = 0; k < 4; k++) {
        gear_method = methods[k][0];
        gear_static = methods[k][1];
        let_fail(gear_method, gears);
    }
}

static void done(void **state)
{
    (void)state;
    print_message("%ld allocations, %ld of them failed\n", all_calls, all_failed);
    assert_true(all_failed > (test_sanitized ? 250 : 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reading_models),  cmocka_unit_test(running),
                                       cmocka_unit_test(studying),        cmocka_unit_test(periodic_motions),
                                       cmocka_unit_test(areas_and_gears), cmocka_unit_test(done)};
    test_folder_make(base);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(base);
    return failed;
}
