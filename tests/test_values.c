/* Values: one model, other numbers for its parameters. Binding must give what a file with these numbers
 * gives, to the bit, and read no text. */
#include "model_test.h"

#include "result/result.h"

static const char *const models[] = {"belt.yaml", "elliptic.yaml"};

static void same_state(const slip_result *a, const slip_result *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->main.count, b->main.count);
    for (int k = 0; k < a->main.column_count; k++)
        assert_memory_equal(slip_series_values(a, k), slip_series_values(b, k),
                            (size_t)a->main.count * sizeof(double));
}

/* For each parameter of some models: bound to another value, and read with it. */
static void bound_is_what_is_read(void **state)
{
    int64_t compared = 0;
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        slip_model *model;
        assert_int_equal(slip_model_load(ctx, path_of(models[m]), &model), SLIP_OK);
        for (int64_t p = 0; p < model->parameter_count; p += test_sanitized ? 3 : 1) {
            const double value = 0.9 * model->parameters[p].value + 0.01;
            char setting[120];
            slip_model *read = NULL, *bound = NULL;
            slip_result *first = NULL, *second = NULL;
            snprintf(setting, sizeof setting, "%s=%.17g", model->parameters[p].name, value);
            assert_int_equal(
                slip_model_load_with(ctx, path_of(models[m]), (const char *const[]){setting, NULL}, &read),
                SLIP_OK);
            assert_int_equal(slip_model_bind_one(ctx, model, model->parameters[p].name, value, &bound),
                             SLIP_OK);
            for (int64_t k = 0; k < model->parameter_count; k++)
                assert_true(read->parameters[k].value == bound->parameters[k].value);
            const int status = slip_run(ctx, read, NULL, &first);
            assert_int_equal(slip_run(ctx, bound, NULL, &second), status);
            if (first && second) {
                same_state(first, second);
                compared++;
            }
            slip_result_destroy(first);
            slip_result_destroy(second);
            slip_model_destroy(read);
            slip_model_destroy(bound);
        }
        slip_model_destroy(model);
    }
    assert_true(compared >= (test_sanitized ? 4 : 10));
}

/* What an earlier motion has left with the model (mode sets) changes nothing but the time that the next one
 * takes; another motion in between must not show either. */
static void a_model_runs_again_with_the_same_bits(void **state)
{
    static const char *const names[] = {"jack-plane", "end-stops", "bouncing-ball", "blocks-on-belt",
                                        "friction-damper"};
    (void)state;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        slip_model *model;
        slip_result *runs[3] = {NULL};
        assert_int_equal(slip_model_parse(ctx, slip_example_text(names[m]), names[m], NULL, &model), SLIP_OK);
        for (int k = 0; k < 3; k++) {
            const double speeds[] = {0.3, -0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
            slip_run_options options = slip_run_options_default();
            assert_true(model->system->n <= 8);
            options.segments = "exact";
            options.start_v = k == 1 ? speeds : NULL;
            assert_int_equal(slip_run(ctx, model, &options, &runs[k]), SLIP_OK);
        }
        assert_true(runs[0]->event_count > 0);
        assert_int_equal(runs[0]->counters.steps, runs[2]->counters.steps);
        same_state(runs[0], runs[2]);
        for (int k = 0; k < 3; k++)
            slip_result_destroy(runs[k]);
        slip_model_destroy(model);
    }
}

/* The text of model.yaml is made when it is asked for, also after the model is gone. */
static void a_result_tells_its_model_when_that_is_gone(void **state)
{
    slip_model *model = parse(HEAD "parameters: {a: 2, b: 3*a}\nstiffness: [[b]]\n"), *bound;
    slip_values *values;
    slip_result *first = NULL, *second = NULL;
    slip_run_options options = slip_run_options_default();
    slip_text plain = {0}, changed = {0};
    const char *text;
    (void)state;
    assert_int_equal(slip_model_bind_one(ctx, model, "a", 0.1, &bound), SLIP_OK);
    assert_int_equal(slip_model_write(ctx, model, "event", &plain), SLIP_OK);
    assert_int_equal(slip_model_write(ctx, bound, "event", &changed), SLIP_OK);
    slip_model_destroy(bound);
    options.end = 1;
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    assert_int_equal(slip_values_set(ctx, values, "a", 0.1), SLIP_OK);
    assert_int_equal(slip_run(ctx, model, &options, &first), SLIP_OK);
    options.values = values;
    assert_int_equal(slip_run(ctx, model, &options, &second), SLIP_OK);
    slip_values_destroy(values);
    slip_model_destroy(model);
    assert_int_equal(slip_result_model_text(ctx, first, &text), SLIP_OK);
    assert_string_equal(text, plain.data);
    slip_result_destroy(first);
    assert_int_equal(slip_result_model_text(ctx, second, &text), SLIP_OK);
    assert_string_equal(text, changed.data);
    slip_result_destroy(second);
    slip_text_free(&plain);
    slip_text_free(&changed);
}

static void parameters_follow_unless_they_are_set(void **state)
{
    slip_model *model = parse(HEAD "parameters: {a: 2, b: 3*a, c: a + b}\n");
    slip_values *values, *copy;
    (void)state;
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    assert_close(slip_values_number(values, "c"), 8, 0);
    assert_int_equal(slip_values_set(ctx, values, "a", 1), SLIP_OK);
    assert_close(slip_values_number(values, "c"), 4, 0);
    assert_int_equal(slip_values_set(ctx, values, "b", 7), SLIP_OK);
    assert_int_equal(slip_values_set(ctx, values, "a", 5), SLIP_OK);
    assert_close(slip_values_number(values, "b"), 7, 0);
    assert_close(slip_values_number(values, "c"), 12, 0);
    assert_int_equal(slip_values_copy(ctx, values, &copy), SLIP_OK);
    slip_values_reset(values);
    assert_close(slip_values_number(values, "c"), 8, 0);
    assert_close(slip_values_number(copy, "c"), 12, 0);
    assert_true(isnan(slip_values_number(values, "d")));
    assert_int_equal(slip_values_set(ctx, values, "aa", 1), SLIP_ERROR_USAGE);
    expect_message("", "the model has no parameter `aa`; did you mean `a`?");
    assert_int_equal(slip_values_set(ctx, values, "a", NAN), SLIP_ERROR_MODEL);
    assert_int_equal(slip_values_set(ctx, NULL, "a", 1), SLIP_ERROR_USAGE);
    slip_values_destroy(values);
    assert_int_equal(slip_values_create(ctx, NULL, &values), SLIP_ERROR_USAGE);
    assert_null(values);
    slip_values_destroy(copy);
    slip_model_destroy(model);
}

static void what_a_value_makes_wrong_is_told_with_its_place(void **state)
{
    slip_model *model =
        parse(HEAD "parameters: {mu: 0.5, k: 2}\nstiffness: [[1/k]]\n"
                   "contacts:\n  pad: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}\n");
    slip_model *bound;
    (void)state;
    assert_int_equal(slip_model_bind_one(ctx, model, "mu", -1, &bound), SLIP_ERROR_MODEL);
    expect_message("", "m.yaml:7:");
    expect_message("", "found `mu` = -1, expected at least 0");
    assert_null(bound);
    assert_int_equal(slip_model_bind_one(ctx, model, "k", 0, &bound), SLIP_ERROR_MODEL);
    expect_message("", "m.yaml:5:14: stiffness: row 1, entry 1: division by zero in `1/k`");
    slip_model_destroy(model);
}

static void a_built_model_is_bound_too(void **state)
{
    static const char *const names[] = {"x"};
    slip_contact_options pad = slip_contact_options_default();
    slip_model *model, *bound;
    const double mass = 2;
    (void)state;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "P", 3), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, &mass), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "P*t"), SLIP_OK);
    pad.name = "pad";
    pad.slip = "x' - P";
    pad.normal_force = "P^2";
    pad.law = slip_law_default("coulomb");
    pad.law.mu = 0.25;
    assert_int_equal(slip_model_add_contact(ctx, model, &pad), SLIP_OK);
    assert_close(model->system->contacts[0].normal_constant, 9, 0);
    assert_int_equal(slip_model_bind_one(ctx, model, "P", 5, &bound), SLIP_OK);
    assert_close(bound->system->mass[0], 2, 0);
    assert_close(bound->system->contacts[0].normal_constant, 25, 0);
    assert_close(bound->system->contacts[0].slip.constant, -5, 0);
    assert_close(bound->system->contacts[0].law.law.mu, 0.25, 0);
    assert_close(model->system->contacts[0].normal_constant, 9, 0);
    slip_model_destroy(bound);
    slip_model_destroy(model);
}

static void bound_numbers_are_written(void **state)
{
    slip_model *model = parse(HEAD "parameters: {a: 2, b: 3*a}\nstiffness: [[b]]\n"), *bound, *again;
    slip_text text = {0};
    (void)state;
    assert_int_equal(slip_model_bind_one(ctx, model, "a", 0.1, &bound), SLIP_OK);
    assert_int_equal(slip_model_write(ctx, bound, "event", &text), SLIP_OK);
    again = parse(text.data);
    assert_true(again->parameters[0].value == 0.1);
    assert_true(again->system->stiffness[0] == bound->system->stiffness[0]);
    slip_text_free(&text);
    slip_model_destroy(again);
    slip_model_destroy(bound);
    slip_model_destroy(model);
}

/* An area that does not depend on the value is the same object. */
static void areas_are_shared(void **state)
{
    slip_model *model = parse(
        HEAD
        "parameters: {mu: 0.5, R: 2}\ncontacts:\n  pad:\n    kind: patch\n    slip: {x: x'}\n"
        "    area: {shape: disc, radius: R}\n    law: {type: coulomb, mu: mu, surface: {type: integral}}\n");
    slip_model *other, *larger;
    (void)state;
    assert_int_equal(slip_model_bind_one(ctx, model, "mu", 0.7, &other), SLIP_OK);
    assert_ptr_equal(slip_model_patch(other, 0), slip_model_patch(model, 0));
    assert_close(other->system->contacts[0].patch->mu, 0.7, 0);
    assert_int_equal(slip_model_bind_one(ctx, model, "R", 3, &larger), SLIP_OK);
    assert_ptr_not_equal(slip_model_patch(larger, 0), slip_model_patch(model, 0));
    assert_close(slip_patch_describe(slip_model_patch(larger, 0)).size, 3, 1e-12);
    slip_model_destroy(other);
    slip_model_destroy(larger);
    slip_model_destroy(model);
}

static void continuing_reads_one_model(void **state)
{
    slip_model *model;
    slip_result *paths = NULL;
    slip_continue_options options = slip_continue_options_default();
    const int64_t before = slip_context_model_count(ctx);
    (void)state;
    assert_int_equal(slip_model_parse(ctx, slip_example_text("one-point"), "one-point.yaml", NULL, &model),
                     SLIP_OK);
    options.parameter = "B";
    options.low = 1.05;
    options.high = 3;
    assert_int_equal(slip_continue(ctx, model, &options, &paths), SLIP_OK);
    assert_int_equal(slip_context_model_count(ctx) - before, 1);
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(bound_is_what_is_read),
        cmocka_unit_test_of_numbers(a_model_runs_again_with_the_same_bits),
        cmocka_unit_test(a_result_tells_its_model_when_that_is_gone),
        cmocka_unit_test(parameters_follow_unless_they_are_set),
        cmocka_unit_test(what_a_value_makes_wrong_is_told_with_its_place),
        cmocka_unit_test(a_built_model_is_bound_too),
        cmocka_unit_test(bound_numbers_are_written),
        cmocka_unit_test(areas_are_shared),
        cmocka_unit_test(continuing_reads_one_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
