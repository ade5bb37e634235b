/* Statics of model files: what is read, what is refused, files, runs that start from a static solution. */
#include "io/file.h"
#include "io/json.h"
#include "model_test.h"
#include "slipstick/slipstick.h"
#include "slipstick/statics.h"
#include "test_folder.h"

static slip_statics *solve(slip_model *model)
{
    slip_statics *statics = NULL;
    if (slip_statics_solve(ctx, model, NULL, &statics) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(statics);
    return statics;
}

static slip_model *one_point(const char *const *settings)
{
    return parse_with(slip_example_text("one-point"), settings);
}

/* ---- One point. */

static void one_point_from_a_file(void **state)
{
    (void)state;
    slip_model *model = one_point(NULL);
    slip_statics *statics = solve(model);
    assert_int_equal(slip_statics_count(statics), 3);
    assert_true(slip_statics_complete(statics));
    for (int k = 0; k < 3; k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        assert_int_equal(s->mode_sets, 1);
        if (s->modes[0] == 1 << SLIP_MODE_OPEN) {
            assert_close(s->state.q[0], -10.0 / 11, 1e-12);
            assert_close(s->state.q[1], -23.0 / 11, 1e-12);
            assert_close(s->state.gap[0], 10.0 / 11, 1e-12);
        } else if (s->modes[0] == 1 << SLIP_MODE_STICK) {
            assert_close(s->state.normal[0], 1, 1e-12);
            assert_close(s->state.tangential[0], 1.6, 1e-12);
        } else {
            assert_int_equal(s->modes[0], 1 << SLIP_MODE_SLIP_MINUS);
            assert_int_equal(s->stability, -1);
            assert_close(s->state.q[1], -0.5, 1e-12);
            assert_close(s->state.normal[0], 0.5, 1e-12);
        }
    }
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* On the fold two sets of modes share a solution, and the file says so. */
static void solutions_file(void **state)
{
    (void)state;
    const char *const settings[] = {"ft=-2", NULL};
    slip_model *model = one_point(settings);
    slip_statics *statics = solve(model);
    slip_arena arena = {0};
    slip_text text = {0};
    const slip_json *list = NULL;
    char folder[test_path_size], *path;
    int count = 0, shared = 0;
    test_folder_make(folder);
    path = slip_path_join(folder, "solutions.json");
    slip_result *result = NULL;
    assert_int_equal(slip_statics_result(ctx, statics, &result), SLIP_OK);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    slip_result_destroy(result);
    assert_int_equal(slip_file_read(ctx, path, 1 << 20, &text), SLIP_OK);
    assert_int_equal(slip_json_parse(ctx, &arena, path, text.data, text.length, &list), SLIP_OK);
    assert_int_equal(list->type, SLIP_JSON_LIST);
    for (const slip_json *item = list->child; item; item = item->next, count++) {
        const slip_json *mode = slip_json_find(slip_json_find(item, "modes"), "plane");
        assert_non_null(mode);
        if (strcmp(mode->string, "stick|slip-") != 0)
            continue;
        shared++;
        assert_close(slip_json_get(item, "mode_sets"), 2, 0);
        assert_close(slip_json_get(slip_json_find_path(item, "force.plane"), "normal"), 1, 1e-12);
        assert_close(slip_json_get(slip_json_find_path(item, "force.plane"), "tangential"), 2, 1e-12);
        assert_close(slip_json_get(slip_json_find(item, "q"), "ut"), 0, 1e-12);
    }
    assert_int_equal(count, 2);
    assert_int_equal(shared, 1);
    slip_text_free(&text);
    slip_arena_free(&arena);
    free(path);
    test_folder_remove(folder);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

static void continuum_from_a_file(void **state)
{
    (void)state;
    const char *const settings[] = {"F=1.2", "ft=-1.2", NULL};
    slip_model *model = one_point(settings);
    slip_statics *statics = solve(model);
    int continua = 0;
    for (int k = 0; k < slip_statics_count(statics); k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        if (s->dimension == 0)
            continue;
        continua++;
        assert_int_equal(s->end_count, 2);
        assert_close(fmin(s->ends[0].q[1], s->ends[1].q[1]), -1, 1e-12);
        assert_close(fmax(s->ends[0].q[1], s->ends[1].q[1]), 0, 1e-12);
    }
    assert_int_equal(continua, 1);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- Other models. */

#define SPRING(forces, contact)                                                                              \
    "slipstick: 1\nparameters: {f: 3, mu: 0.5}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[2]]\nforces: "   \
    "{x: "                                                                                                   \
    "" forces "}\ncontacts:\n  pad: " contact "\n"

/* A spring with dry friction under a given normal force: stick, or slip with the rest of the force. */
static void friction_contact(void **state)
{
    (void)state;
    for (int k = -6; k <= 6; k++) {
        char force[30];
        const char *settings[] = {force, NULL};
        const double f = 0.7 * k, limit = 0.5 * 4;
        snprintf(force, sizeof force, "f=%g", f);
        slip_model *model = parse_with(
            SPRING("f", "{kind: friction, slip: x', normal_force: 4, law: {type: coulomb, mu: mu}}"),
            settings);
        slip_statics *statics = solve(model);
        assert_int_equal(slip_statics_count(statics), 1);
        const slip_statics_solution *s = slip_statics_at(statics, 0);
        const double x = fabs(f) <= limit ? 0 : (f - (f > 0 ? limit : -limit)) / 2;
        assert_close(s->state.q[0], x, 1e-14);
        assert_close(s->state.tangential[0], 2 * x - f, 1e-14);
        assert_close(s->state.normal[0], 4, 0);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* What is linear in the coordinates is stiffness, wherever it is written. */
static void linear_forces_are_stiffness(void **state)
{
    (void)state;
    slip_model *model = parse(SPRING("f - 4*x", "{kind: unilateral, gap: 0.3 - x}"));
    slip_statics *statics = solve(model);
    assert_int_equal(slip_statics_count(statics), 1);
    const slip_statics_solution *s = slip_statics_at(statics, 0);
    assert_int_equal(s->modes[0], 1 << SLIP_MODE_CLOSED);
    assert_close(s->state.q[0], 0.3, 1e-15);
    assert_close(s->state.normal[0], 3 - 6 * 0.3, 1e-14);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* A cubic spring that snaps through, 2 x - 6 x + x^3 = f with f = 0: x = 0, 2, -2; a stop at x = 1 leaves 0,
 * -2 and pressing on the stop with 1*(6 - 2 - 1) = 3. */
static void nonlinear_forces_by_newton(void **state)
{
    (void)state;
    slip_model *model = parse(SPRING("6*x - x^3", "{kind: unilateral, gap: 1 - x}"));
    slip_statics *statics = solve(model);
    int found = 0;
    assert_false(slip_statics_complete(statics));
    for (int k = 0; k < slip_statics_count(statics); k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        const double x = s->state.q[0];
        if (s->modes[0] == 1 << SLIP_MODE_CLOSED) {
            assert_close(x, 1, 1e-14);
            assert_close(s->state.normal[0], 3, 1e-12);
            found |= 1;
        } else if (fabs(x) < 1) {
            assert_close(x, 0, 1e-12);
            assert_int_equal(s->stability, -1);
            found |= 2;
        } else {
            assert_close(x, -2, 1e-12);
            assert_int_equal(s->stability, 1);
            found |= 4;
        }
    }
    assert_int_equal(slip_statics_count(statics), 3);
    assert_int_equal(found, 7);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- The jack plane stands still and then runs. */

static void check_rest(const char *text, const char *const *settings, const char *method)
{
    slip_model *model = parse_with(text, settings);
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    int64_t count;
    options.method = method;
    options.end = 20;
    if (slip_run(ctx, model, &options, &result) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    const double *ut = slip_result_series(result, "ut", &count);
    const double *un = slip_result_series(result, "un", NULL), *v = slip_result_series(result, "ut'", NULL);
    for (int64_t i = 0; i < count; i++) {
        assert_close(ut[i], ut[0], 1e-9);
        assert_close(un[i], un[0], 1e-9);
        assert_close(v[i], 0, 1e-9);
    }
    assert_int_equal(slip_result_event_count(result), 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void static_start_stays_at_rest(void **state)
{
    (void)state;
    const char *const open[] = {"fn=-1", "ft=0.5", NULL}, *const slip[] = {"ft=3", NULL};
    const char *const jack[] = {"forces.ut=0.4", "simulate.initial=static", NULL};
    check_rest(slip_example_text("one-point"), NULL, "event");
    check_rest(slip_example_text("one-point"), open, "event");
    check_rest(slip_example_text("one-point"), slip, "event");
    check_rest(slip_example_text("jack-plane"), jack, "event");
    check_rest(slip_example_text("jack-plane"), jack, "midpoint_stabilised");
}

/* The file of the dynamic example answers `statics` too: K is minus the matrix of its motion. */
static void jack_plane_serves_both(void **state)
{
    (void)state;
    const char *const settings[] = {"forces.ut=0.8", NULL};
    slip_model *model = parse_with(slip_example_text("jack-plane"), settings);
    slip_statics *statics = solve(model);
    assert_int_equal(slip_statics_count(statics), 1);
    const slip_statics_solution *s = slip_statics_at(statics, 0);
    assert_int_equal(s->modes[0], 1 << SLIP_MODE_SLIP_PLUS);
    assert_close(s->state.q[1], 0.175, 1e-12);
    assert_close(s->state.normal[0], 1.475, 1e-12);
    assert_close(s->state.tangential[0], -0.59, 1e-12);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- Paths. */

static slip_result *follow(slip_model *model, const slip_continue_options *options)
{
    slip_result *paths = NULL;
    if (slip_continue(ctx, model, options, &paths) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(paths);
    return paths;
}

static int count_type(const slip_result *paths, const char *type)
{
    int count = 0;
    for (int k = 0; k < slip_result_label_count(paths); k++)
        count += strcmp(slip_result_label(paths, k)->type, type) == 0;
    return count;
}

static void folds_of_the_file(void **state)
{
    (void)state;
    slip_model *model = one_point(NULL);
    slip_result *paths = follow(model, NULL);
    int64_t count;
    assert_int_equal((int)slip_result_number(paths, "branches"), 1);
    assert_int_equal(count_type(paths, "LP"), 2);
    assert_int_equal(count_type(paths, "MC"), 1);
    assert_close(slip_result_label(paths, 1)->value, -1.2, 1e-12);
    assert_close(slip_result_label(paths, 2)->value, -2, 1e-12);
    assert_close(slip_result_label(paths, 3)->value, 2, 1e-12);
    const double *value = slip_result_series(paths, "value", &count);
    const double *ut = slip_result_series(paths, "ut", NULL),
                 *mode = slip_result_series(paths, "plane.mode", NULL);
    for (int64_t i = 0; i < count; i++) {
        const double expected = mode[i] == SLIP_MODE_OPEN         ? (1 + 1.2 * value[i]) / 0.44
                                : mode[i] == SLIP_MODE_STICK      ? 0
                                : mode[i] == SLIP_MODE_SLIP_MINUS ? (value[i] + 2) / (1.2 - 2)
                                                                  : (value[i] - 2) / (1.2 + 2);
        assert_close(ut[i], expected, 1e-12 * (1 + fabs(expected)));
    }
    assert_null(slip_result_series(paths, "nothing", NULL));
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

/* From the fold at ft = -2 over F: stick for larger F, nothing else for smaller. */
static void from_a_label(void **state)
{
    (void)state;
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = one_point(NULL);
    slip_result *paths = follow(model, NULL), *second;
    char folder[test_path_size];
    bool stick = false;
    test_folder_make(folder);
    assert_int_equal(slip_result_save(ctx, paths, folder), SLIP_OK);
    slip_result_destroy(paths);
    options.parameter = "F";
    options.low = 0;
    options.high = 3;
    options.from = folder;
    options.from_label = 3;
    second = follow(model, &options);
    assert_string_equal(slip_result_text(second, "parameter"), "F");
    assert_close(slip_result_label(second, 0)->value, 2, 1e-12);
    int64_t count;
    const double *mode = slip_result_series(second, "plane.mode", &count);
    const double *normal = slip_result_series(second, "plane.normal", NULL);
    for (int64_t i = 0; i < count; i++) {
        stick = stick || mode[i] == SLIP_MODE_STICK;
        if (mode[i] == SLIP_MODE_STICK)
            assert_close(normal[i], 1, 1e-12);
    }
    assert_true(stick);
    slip_result_destroy(second);
    options.from_label = 77;
    assert_int_equal(slip_continue(ctx, model, &options, &second), SLIP_ERROR_USAGE);
    expect_message("", "there is no label 77, expected one of 1 to 5");
    test_folder_remove(folder);
    slip_model_destroy(model);
}

/* Three solutions at the start; the way over the second parameter comes back to all of them, and each is
 * followed once. */
static void second_parameter_repeats_nothing(void **state)
{
    (void)state;
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = one_point(NULL);
    options.parameter = "F";
    options.low = 1.7;
    options.high = 1.9;
    options.restarts = 0;
    options.also = "ft";
    options.also_low = -4;
    options.also_high = 4;
    slip_result *paths = follow(model, &options);
    assert_int_equal((int)slip_result_number(paths, "branches"), 3);
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

/* A closed path: open and slip- between two folds, found from a value in between. Each fold is listed once,
 * and no stretch twice: two solutions at every value between the folds, besides stick. */
static void closed_path_is_listed_once(void **state)
{
    (void)state;
    const char *const settings[] = {"ft=-1.3 + 0.6*sin(alpha)", NULL};
    slip_model *model = one_point(settings);
    slip_continue_options options = slip_continue_options_default();
    options.parameter = "alpha";
    options.low = 1.5;
    options.high = 7.5;
    for (int inside = 0; inside < 2; inside++) {
        int64_t count;
        int folds = 0, crossings = 0, closed = 0;
        options.start = inside ? 4 : NAN;
        slip_result *paths = follow(model, &options);
        for (int k = 0; k < slip_result_label_count(paths); k++) {
            const slip_label *label = slip_result_label(paths, k);
            folds += strcmp(label->type, "LP") == 0;
            closed += strcmp(label->type, "EP") == 0 && strstr(label->note, "followed before") != NULL;
        }
        const double *value = slip_result_series(paths, "value", &count);
        const double *branch = slip_result_series(paths, "branch", &count);
        for (int64_t i = 0; i + 1 < count; i++)
            crossings += branch[i] == branch[i + 1] && (value[i] < 3.2) != (value[i + 1] < 3.2);
        assert_int_equal(folds, 2);
        assert_int_equal(crossings, 3);
        assert_int_equal(closed, 1);
        slip_result_destroy(paths);
    }
    slip_model_destroy(model);
}

/* The second point stays on the boundary of open and slip+ along the whole path: its two sets of modes are
 * one path, whichever way it is followed. */
static void a_path_between_modes_is_one_path(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {F: 3}\ncoordinates: [a, b, c, d]\n"
                              "stiffness: [[4, -1, -3, 0], [-1, 4, 1, 2], [-3, 1, 4, 0], [0, 2, 0, 4]]\n"
                              "forces: {a: 4, b: 1, d: 1}\ncontacts:\n"
                              "  p: {kind: unilateral, gap: -a, slip: b', law: {type: coulomb, mu: F}}\n"
                              "  q: {kind: unilateral, gap: -c, slip: d', law: {type: coulomb, mu: F}}\n");
    slip_continue_options options = slip_continue_options_default();
    options.parameter = "F";
    options.low = 0;
    options.high = 6;
    for (int back = 0; back < 2; back++) {
        options.start = back ? 6 : 0;
        slip_result *paths = follow(model, &options);
        assert_int_equal((int)slip_result_number(paths, "branches"), 1);
        assert_int_equal(slip_result_label_count(paths), 3);
        assert_string_equal(slip_result_label(paths, 1)->type, "MC");
        assert_close(slip_result_label(paths, 1)->value, 0.125, 1e-12);
        slip_result_destroy(paths);
    }
    slip_model_destroy(model);
}

/* Statics needs no mass; a run says that it does. */
static void statics_needs_no_mass(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\nparameters: {f: 3}\ncoordinates: [x]\nstiffness: [[2]]\nforces: {x: f}\n"
              "contacts:\n  stop: {kind: unilateral, gap: 1 - x}\nsimulate: {time: [0, 1]}\n");
    slip_statics *statics = solve(model);
    slip_result *result = NULL;
    assert_close(slip_statics_at(statics, 0)->state.normal[0], 1, 1e-14);
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_ERROR_MODEL);
    expect_message("", "`mass` is missing, expected for example `mass: [[1]]`");
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- What is refused. */

static void refuse_statics(const char *text, const char *message)
{
    slip_model *model = parse(text);
    slip_statics *statics = NULL;
    assert_true(slip_statics_solve(ctx, model, NULL, &statics) < 0);
    assert_null(statics);
    expect_message(text, message);
    slip_model_destroy(model);
}

static void models_that_statics_refuses(void **state)
{
    (void)state;
    refuse_statics(SPRING("f", "{kind: friction, slip: x', law: {type: tanh, mu: mu, velocity: 1}}"),
                   "contact `pad`: statics knows laws that hold a body still");
    refuse_statics(SPRING("f", "{kind: friction, slip: x', law: {type: dahl, mu: mu, stiffness: 1}}"),
                   "or a slip that something drives (a belt), which slides with any law; found `dahl`");
    refuse_statics(SPRING("f", "{kind: friction, slip: x'}"),
                   "the model has no contact that presses or rubs");
    refuse_statics(SPRING("1/x", "{kind: unilateral, gap: 1 - x}"),
                   "the force on `x`, `1/x`, is inf at rest");
}

#define CONTINUE(text) SPRING("f", "{kind: unilateral, gap: 1 - x}") "continue: " text "\n"

static void continue_sections_that_are_wrong(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {CONTINUE("{range: [0, 1]}"), "continue: `parameter` is missing"},
        {CONTINUE("{parameter: f}"), "continue: `range` is missing"},
        {CONTINUE("{parameter: g, range: [0, 1]}"), "unknown parameter `g`"},
        {CONTINUE("{parameter: f, range: [1, 1]}"),
         "continue.range: found high 1, expected more than low, 1"},
        {CONTINUE("{parameter: f, range: 2}"), "continue.range: found `2`, expected [low, high]"},
        {CONTINUE("{parameter: f, range: [0, 1], start: 2}"),
         "continue.start: found 2, expected a value in the range"},
        {CONTINUE("{parameter: f, range: [0, 1], speed: 2}"), "unknown key `speed`"},
        {CONTINUE("{parameter: f, range: [0, 1], spacing: 0}"), "continue.spacing: found 0"},
        {CONTINUE("{parameter: f, range: [0, 1], also: {parameter: h, range: [0, 1]}}"),
         "unknown parameter `h`"},
    };
    REFUSE_EACH(refusals);
}

static void settings_that_are_wrong(void **state)
{
    (void)state;
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = parse(SPRING("f", "{kind: unilateral, gap: 1 - x}"));
    slip_result *paths = NULL;
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_ERROR_USAGE);
    expect_message("", "which parameter?");
    options.parameter = "g";
    options.low = 0;
    options.high = 1;
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_ERROR_USAGE);
    expect_message("", "the model has no parameter `g`");
    options.parameter = "f";
    options.start = 3;
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_ERROR_USAGE);
    expect_message("", "the start 3 lies outside the range [0, 1]");
    options.start = NAN;
    options.quantity = "pad.slid";
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_ERROR_USAGE);
    expect_message("", "there is no quantity `pad.slid`");
    options.quantity = NULL;
    options.spacing = 1e-9;
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_ERROR_USAGE);
    expect_message("", "the spacing is 1e-09, expected 1e-06 to 1");
    options.spacing = NAN;
    slip_model_destroy(model);
    model = parse(
        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nforces: {x: 1}\ncontacts:\n  stop: "
        "{kind: unilateral, gap: -x - 0.5}\nsimulate: {time: [0, 1], initial: static}\n");
    slip_result *result = NULL;
    slip_run_options run = slip_run_options_default();
    (void)run;
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_OK); /* pressed to x = -0.5 */
    assert_close(slip_result_number(result, "final.x"), -0.5, 1e-12);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Units of coordinates and contact forces are those that the model gives. */
static void results_have_units(void **state)
{
    slip_model *model = NULL;
    slip_statics *statics = NULL;
    slip_result *result = NULL;
    (void)state;
    assert_int_equal(
        slip_model_parse(ctx,
                         "slipstick: 1\ncoordinates: [x]\nstiffness: 2\nforces: {x: 1}\ncontacts: {w: {kind: "
                         "unilateral, gap: 0.1 - x}}\nunits: {x: mm, w.normal: N}\n",
                         "model", NULL, &model),
        SLIP_OK);
    assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_OK);
    assert_int_equal(slip_statics_result(ctx, statics, &result), SLIP_OK);
    assert_string_equal(slip_result_unit(result, "x"), "mm");
    assert_string_equal(slip_result_unit(result, "w.normal"), "N");
    assert_string_equal(slip_result_unit(result, "w.gap"), "");
    assert_string_equal(slip_result_word(result, "w.mode", 0), "closed");
    assert_true(slip_result_series(result, "w.mode", NULL)[0] == SLIP_MODE_CLOSED);
    slip_result_destroy(result);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_units),
        cmocka_unit_test(one_point_from_a_file),
        cmocka_unit_test(solutions_file),
        cmocka_unit_test(continuum_from_a_file),
        cmocka_unit_test(friction_contact),
        cmocka_unit_test(linear_forces_are_stiffness),
        cmocka_unit_test(nonlinear_forces_by_newton),
        cmocka_unit_test(static_start_stays_at_rest),
        cmocka_unit_test(jack_plane_serves_both),
        cmocka_unit_test(folds_of_the_file),
        cmocka_unit_test(from_a_label),
        cmocka_unit_test(second_parameter_repeats_nothing),
        cmocka_unit_test(closed_path_is_listed_once),
        cmocka_unit_test(a_path_between_modes_is_one_path),
        cmocka_unit_test(statics_needs_no_mass),
        cmocka_unit_test(models_that_statics_refuses),
        cmocka_unit_test(continue_sections_that_are_wrong),
        cmocka_unit_test(settings_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
