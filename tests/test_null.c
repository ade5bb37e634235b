/* NULL where something is required is an error that names it, not a crash. */
#include "slipstick/slipstick.h"
#include "test.h"

#include <string.h>

static slip_context *ctx;

#define REFUSES(call, name)                                                                                  \
    do {                                                                                                     \
        assert_int_equal((call), SLIP_ERROR_USAGE);                                                          \
        assert_non_null(strstr(slip_context_message(ctx), "`" name "` is NULL"));                            \
    } while (0)

static void required_pointers(void **state)
{
    slip_model *model = NULL;
    slip_result *result;
    slip_patch *patch;
    (void)state;
    ctx = slip_context_create();
    REFUSES(slip_model_load(ctx, NULL, &model), "path");
    REFUSES(slip_model_parse(ctx, NULL, "m", NULL, &model), "text");
    REFUSES(slip_model_parse(ctx, "slipstick: 1", "m", NULL, NULL), "model");
    REFUSES(slip_model_set_mass(ctx, NULL, &(double){1}), "model");
    REFUSES(slip_run(ctx, NULL, NULL, &result), "model");
    REFUSES(slip_gear_cycle_options_of(ctx, NULL, &(slip_gear_cycle_options){0}), "model");
    REFUSES(slip_gear_cycle_model(ctx, NULL, NULL, &result), "model");
    REFUSES(slip_result_load(ctx, NULL, &result), "folder");
    REFUSES(slip_plot(ctx, NULL, NULL), "folder");
    REFUSES(slip_patch_create(ctx, NULL, &patch), "options");
    REFUSES(slip_figure_plot(ctx, &(slip_figure){0}, ".", NULL, NULL), "figure->name");
    const slip_patch_options area = slip_patch_options_default();
    assert_int_equal(slip_patch_create(ctx, &area, &patch), SLIP_OK);
    REFUSES(slip_patch_limit(ctx, patch, (double[3]){0}, NULL, (double[3]){0}), "ratio");
    REFUSES(slip_patch_fit(ctx, patch, (int[]){0, 1}, NULL, &(double){0}, NULL), "m");
    slip_patch_destroy(patch);
    assert_int_equal(slip_run(NULL, NULL, NULL, NULL), SLIP_ERROR_USAGE);
    assert_int_equal(slip_model_parse(ctx, "slipstick: 1\ncoordinates: [x]\nmass: 1\n", "m", NULL, &model),
                     SLIP_OK);
    REFUSES(slip_run(ctx, model, NULL, NULL), "result");
    REFUSES(slip_continue(ctx, model, NULL, NULL), "result");
    REFUSES(slip_basin(ctx, model, NULL, NULL), "result");
    REFUSES(slip_lyapunov(ctx, model, NULL, NULL), "result");
    REFUSES(slip_study_run(ctx, model, NULL, NULL), "name");
    slip_model_destroy(model);
    assert_int_equal(slip_model_create(ctx, 1, (const char *const[]){"x"}, &model), SLIP_OK);
    REFUSES(slip_model_set_mass(ctx, model, NULL), "matrix");
    REFUSES(slip_model_set_force(ctx, model, NULL, "1"), "coordinate");
    REFUSES(slip_model_set_force(ctx, model, "x", NULL), "expression");
    REFUSES(slip_model_add_contact(ctx, model, NULL), "given_options");
    slip_model_destroy(model);
    REFUSES(slip_model_create(ctx, 1, NULL, &model), "coordinate_names");
    slip_context_destroy(ctx);
}

static void required_of_gears(void **state)
{
    slip_gear_options gears[2] = {slip_gear_options_default(), slip_gear_options_default()};
    const slip_reduced *const bodies[2] = {NULL, NULL};
    const slip_gear_select_options select = slip_gear_select_options_default();
    slip_gear_cycle *cycle;
    slip_gear_run_options chosen;
    slip_result *result;
    (void)state;
    ctx = slip_context_create();
    REFUSES(slip_gear_distance(ctx, &gears[0], &gears[1], NULL, NULL), "distance");
    REFUSES(slip_gear_contact_ratio(ctx, &gears[0], &gears[1], 0, NULL), "ratio");
    REFUSES(slip_gear_run_check(ctx, gears, NULL), "options");
    REFUSES(slip_gear_run(ctx, gears, bodies, NULL, &result), "options");
    REFUSES(slip_gear_cycle_check(ctx, gears, NULL), "options");
    REFUSES(slip_gear_cycle_run(ctx, gears, bodies, NULL, &cycle), "options");
    REFUSES(slip_gear_select_check(ctx, gears, NULL), "options");
    REFUSES(slip_gear_select(ctx, gears, bodies, NULL, NULL, NULL, &chosen), "options");
    REFUSES(slip_gear_select(ctx, gears, bodies, &select, NULL, NULL, NULL), "chosen");
    slip_context_destroy(ctx);
}

/* Of an object that is NULL there is nothing. */
static void nothing(void **state)
{
    int count = 7;
    int64_t sets = 7;
    (void)state;
    slip_context_set_log(NULL, NULL, NULL);
    slip_context_set_progress(NULL, NULL, NULL);
    assert_null(slip_model_describe(NULL, NULL));
    assert_string_equal(slip_model_title(NULL), "");
    assert_int_equal(
        slip_model_coordinate_count(NULL) + slip_model_given_count(NULL) + slip_model_state_count(NULL) +
            slip_model_contact_count(NULL) + slip_model_output_count(NULL) + slip_model_gear_count(NULL) +
            slip_model_has_gears(NULL) + slip_bodies_point_count(NULL) + slip_bodies_node_count(NULL),
        0);
    assert_null(slip_model_coordinate_name(NULL, 0));
    assert_null(slip_model_state_name(NULL, 0));
    assert_null(slip_model_contact_name(NULL, 0));
    assert_null(slip_model_output_name(NULL, 0));
    assert_null(slip_model_patch(NULL, 0));
    assert_null(slip_model_gear(NULL, 0));
    assert_null(slip_model_gear_run(NULL));
    assert_int_equal(slip_statics_count(NULL) + slip_statics_complete(NULL) +
                         slip_statics_contact_count(NULL) + slip_statics_coordinate_count(NULL),
                     0);
    assert_null(slip_statics_at(NULL, 0));
    assert_null(slip_statics_contact_name(NULL, 0));
    assert_null(slip_statics_coordinate_name(NULL, 0));
    slip_statics_searched(NULL, &sets, NULL);
    assert_int_equal(sets, 0);
    assert_null(slip_gear_cycle_points(NULL, &count));
    assert_null(slip_gear_cycle_changes(NULL, NULL));
    assert_null(slip_gear_cycle_layers(NULL, &count));
    assert_int_equal(count, 0);
    assert_close(slip_gear_cycle_summarise(NULL).width, 0, 0);
    assert_int_equal(slip_gear_result_participation(NULL, "pinion").surface, -1);
    assert_true(isnan(slip_axis_value(NULL, 0)));
    assert_true(isnan(slip_values_number(NULL, "mu")));
    assert_true(isnan(slip_result_number(NULL, "steps")));
    assert_true(isnan(slip_simulation_time(NULL)));
}

/* A program that was compiled when the options ended behind `end`: the rest has its defaults. */
static void older_options(void **state)
{
    static const char text[] = "slipstick: 1\ncoordinates: [x]\nmass: 1\nsimulate: {time: [0, 1]}\n";
    slip_run_options old = slip_run_options_default();
    slip_model *model = NULL;
    slip_result *result = NULL;
    const size_t known = offsetof(slip_run_options, tolerance);
    (void)state;
    ctx = slip_context_create();
    assert_int_equal(slip_model_parse(ctx, text, "m", NULL, &model), SLIP_OK);
    memset((char *)&old + known, 0x7f, sizeof old - known);
    old.size = known;
    old.end = 2;
    assert_int_equal(slip_run(ctx, model, &old, &result), SLIP_OK);
    assert_close(slip_result_number(result, "final.t"), 2, 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(required_pointers),
                                       cmocka_unit_test(required_of_gears), cmocka_unit_test(nothing),
                                       cmocka_unit_test(older_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
