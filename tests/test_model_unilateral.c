/* Model files and building in C: unilateral contacts, theta, and initial states that overlap. */
#include "model_test.h"

#define WALL HEAD2 "contacts:\n  wall:\n    kind: unilateral\n"
#define RUBBING WALL "    gap: 1 - x\n    slip: y'\n"

/* ---- what is understood ---- */

static void a_gap_is_enough(void **state)
{
    slip_model *model = parse(WALL "    gap: 3 - k*x + y/2\n");
    const slip_contact *wall = &model->system->contacts[0];
    (void)state;
    assert_string_equal(slip_model_contact_name(model, 0), "wall");
    assert_true(wall->has_gap);
    assert_close(wall->gap.row[0], -2, 0);
    assert_close(wall->gap.row[1], 0.5, 0);
    assert_close(wall->gap.constant, 3, 0);
    assert_null(wall->gap.rest);
    assert_true(wall->frictionless);
    assert_close(wall->restitution, 0, 0);
    assert_false(wall->impact_friction);
    assert_non_null(strstr(slip_model_describe(ctx, model),
                           "wall: unilateral, gap 3 - k*x + y/2, restitution 0, impact friction none\n"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "no law: no friction"));
    expect_fixed_point(model, "event");
    slip_model_destroy(model);
}

static void every_field_is_read(void **state)
{
    slip_model *model = parse(WALL "    gap: x - 0.1*sin(k*t)\n    slip: y' - k\n    restitution: 1/k\n"
                                   "    impact_friction: coulomb\n    law: {type: coulomb, mu: 0.3}\n"
                                   "simulate: {theta: 0.5 + c, step: 0.1}\n");
    const slip_contact *wall = &model->system->contacts[0];
    (void)state;
    assert_close(wall->gap.row[0], 1, 0);
    assert_int_equal(wall->gap.term_count, 1);
    assert_close(wall->slip.row[1], 1, 0);
    assert_close(wall->slip.constant, -2, 0);
    assert_close(wall->restitution, 0.5, 0);
    assert_true(wall->impact_friction);
    assert_false(wall->frictionless);
    assert_close(wall->law.law.mu, 0.3, 0);
    assert_close(model->simulate.theta, 0.5, 0);
    assert_non_null(strstr(slip_model_describe(ctx, model),
                           "gap x - 0.1*sin(k*t), slip y' - k, restitution 0.5, impact friction coulomb\n"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "theta         0.5\n"));
    expect_fixed_point(model, "event");
    slip_model_destroy(model);
}

static void a_slip_without_law_is_no_friction(void **state)
{
    slip_model *model = parse(RUBBING "    impact_friction: none\n");
    (void)state;
    assert_true(model->system->contacts[0].frictionless);
    assert_close(model->system->contacts[0].slip.row[1], 1, 0);
    expect_fixed_point(model, "event");
    slip_model_destroy(model);
}

/* ---- what is refused ---- */

static void wrong_unilateral_contacts_are_refused(void **state)
{
    static const refusal refusals[] = {
        {WALL, "m.yaml:7:5: contact `wall`: `gap` is missing, expected for example `gap: 1 - x`"},
        {WALL "    gap: 1\n", "m.yaml:8:10: gap: found no coordinate in `1`, expected one, such as 1 - x"},
        {WALL "    gap: x + y'\n",
         "m.yaml:8:10: gap: found the velocity y' in `x + y'`, expected coordinates and t only"},
        {WALL "    gap: x - kk\n", "m.yaml:8:14: gap: unknown name `kk`"},
        {WALL "    gap: [1]\n", "m.yaml:8:10: gap: found a list, expected a number or an expression"},
        {WALL "    gap: x\n    slip: x\n", "m.yaml:9:11: slip: found no velocity in `x`"},
        {WALL "    gap: x\n    normal_force: 1\n", "m.yaml:9:5: unknown key `normal_force`"},
        {WALL "    gap: x\n    restitution: 1.5\n",
         "m.yaml:9:18: restitution: found 1.5, expected at least 0 and at most 1"},
        {WALL "    gap: x\n    restitution: -k\n",
         "m.yaml:9:18: restitution: found `-k` = -2, expected at least 0 and at most 1"},
        {WALL "    gap: x\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:9:5: contact `wall`: found a law without `slip`"},
        {RUBBING "    law: {type: coulomb, mu: -1}\n", "m.yaml:10:30: law `coulomb`: mu: found -1"},
        {RUBBING "    impact_friction: colomb\n",
         "m.yaml:10:22: impact_friction: unknown word `colomb`; did you mean `coulomb`?"},
        {RUBBING "    impact_friction: coulomb\n",
         "m.yaml:10:22: impact_friction: found `coulomb` without a law"},
        {HEAD2 "contacts: {wall: {kind: unilaterl, gap: x}}\n",
         "m.yaml:5:25: unknown kind `unilaterl`; did you mean `unilateral`?"},
        {SIMULATE("theta: 0.4"),
         "m.yaml:5:10: simulate.theta: found 0.4, expected at least 0.5 and at most 1"},
        {SIMULATE("theta: 2"), "m.yaml:5:10: simulate.theta: found 2"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

/* ---- building in C ---- */

static slip_model *bare(void)
{
    static const char *const names[] = {"x", "y"};
    slip_model *model;
    assert_int_equal(slip_model_create(ctx, 2, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, (double[]){1, 0, 0, 2}), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "d", 0.25), SLIP_OK);
    return model;
}

static void a_built_contact_is_written_from_its_numbers(void **state)
{
    slip_model *model = bare();
    slip_contact_options options = slip_contact_options_default();
    (void)state;
    options.name = "stop";
    options.kind = "unilateral";
    options.gap = "d - x";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_OK);
    options.name = "floor";
    options.gap = "y + 1e-3*cos(2*t)";
    options.row = (double[]){1, 0.5};
    options.offset = "-d";
    options.restitution = 0.7;
    options.impact_friction = "coulomb";
    options.law = slip_law_default("coulomb");
    options.law.mu = 0.2;
    options.law.static_ratio = 1.25;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_OK);
    assert_true(model->system->contacts[0].frictionless);
    assert_close(model->system->contacts[0].gap.constant, 0.25, 0);
    assert_close(model->system->contacts[1].slip.row[1], 0.5, 0);
    assert_close(model->system->contacts[1].slip.constant, -0.25, 0);
    assert_close(model->system->contacts[1].restitution, 0.7, 0);
    assert_true(model->system->contacts[1].impact_friction);
    model->simulate.theta = 0.75;
    expect_fixed_point(model, "event");
    slip_model_destroy(model);
}

typedef struct wrong_call {
    const char *name, *gap, *slip, *offset, *impact_friction, *law;
    double restitution;
    int status;
    const char *message;
} wrong_call;

static void wrong_calls_are_refused(void **state)
{
    const wrong_call calls[] = {
        {NULL, "x", NULL, NULL, NULL, NULL, NAN, SLIP_ERROR_MODEL, "contact: name `` is missing"},
        {"w", NULL, NULL, NULL, NULL, NULL, NAN, SLIP_ERROR_MODEL, "contact `w`: `gap` is missing"},
        {"w", "x*x'", NULL, NULL, NULL, NULL, NAN, SLIP_ERROR_MODEL, "contact `w`: gap: found the velocity"},
        {"w", "1 + z", NULL, NULL, NULL, NULL, NAN, SLIP_ERROR_MODEL, "contact `w`: gap: `1 + z`: at"},
        {"w", "x", "y'^2", NULL, NULL, NULL, NAN, SLIP_ERROR_MODEL, "slip: `y'^2` is not"},
        {"w", "x", "y'", NULL, NULL, "coulomb", NAN, SLIP_ERROR_MODEL, "law `coulomb`: mu"},
        {"w", "x", NULL, NULL, NULL, "tanh", NAN, SLIP_ERROR_MODEL, "law `tanh`: mu"},
        {"w", "x", NULL, "1", NULL, NULL, NAN, SLIP_ERROR_USAGE, "expected either row"},
        {"w", "x", NULL, NULL, NULL, NULL, 2, SLIP_ERROR_MODEL, "contact `w`: restitution: found 2"},
        {"w", "x", NULL, NULL, "glue", NULL, NAN, SLIP_ERROR_MODEL, "impact_friction: unknown word `glue`"},
        {"w", "x", NULL, NULL, "coulomb", NULL, NAN, SLIP_ERROR_MODEL, "`coulomb` without a law"},
    };
    slip_model *model = bare();
    slip_contact_options options;
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        options = slip_contact_options_default();
        options.kind = "unilateral";
        options.name = calls[i].name;
        options.gap = calls[i].gap;
        options.slip = calls[i].slip;
        options.offset = calls[i].offset;
        options.impact_friction = calls[i].impact_friction;
        options.restitution = calls[i].restitution;
        options.law = slip_law_default(calls[i].law);
        assert_int_equal(slip_model_add_contact(ctx, model, &options), calls[i].status);
        expect_message(calls[i].message, calls[i].message);
        assert_int_equal(slip_model_contact_count(model), 0);
    }
    /* A law needs a direction and a type; what another kind has is refused. */
    options = slip_contact_options_default();
    options.name = "w";
    options.kind = "unilateral";
    options.gap = "x";
    options.law.mu = 0.3;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_USAGE);
    expect_message("", "found parameters without a type");
    options.law.type = "coulomb";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "found a law without `slip`");
    options.slip = "y'";
    options.normal_force = "2";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "contact `w`: unknown key `normal_force`");
    options.normal_force = NULL;
    options.kind = "friction";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "contact `w`: unknown key `gap`");
    options.kind = "patch";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_USAGE);
    expect_message("", "the law of an area follows from area.epsilon");
    options.kind = "glue";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "unknown kind `glue`");
    slip_model_destroy(model);
}

/* ---- the initial state ---- */

static void overlap_at_the_start_is_refused(void **state)
{
    static const struct {
        const char *setting;
        int status;
    } cases[] = {{"simulate.initial.x=-1", SLIP_OK},
                 {"simulate.initial.x=1", SLIP_OK}, /* closed */
                 {"simulate.initial.x=1 + 1e-10", SLIP_OK},
                 {"simulate.initial.x=1 + 1e-8", SLIP_ERROR_MODEL},
                 {"simulate.initial.x=1.5", SLIP_ERROR_MODEL},
                 {"simulate.time=[2, 3]", SLIP_ERROR_MODEL}}; /* the wall has moved by then */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_model *model = parse_with(WALL "    gap: 1 - x - t\nsimulate: {time: [0, 1]}\n",
                                       (const char *const[]){cases[i].setting, NULL});
        double start = isnan(model->simulate.start) ? 0 : model->simulate.start;
        assert_int_equal(slip_model_finish(ctx, model), SLIP_OK);
        assert_int_equal(slip_model_check_initial(ctx, model, start, model->initial_q), cases[i].status);
        slip_model_destroy(model);
    }
    expect_message("", "contact `wall`: its gap `1 - x - t` is -1 in the initial state, at t = 2; expected 0 "
                       "(closed) or more (open)");
}

static void a_run_looks_at_the_initial_state(void **state)
{
    slip_model *model = parse(WALL "    gap: 1 - x\nsimulate: {time: [0, 1], initial: {x: 3}}\n");
    slip_result *result;
    (void)state;
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_ERROR_MODEL);
    assert_null(result);
    expect_message("", "contact `wall`: its gap `1 - x` is -2 in the initial state");
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_enough),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(a_slip_without_law_is_no_friction),
        cmocka_unit_test(wrong_unilateral_contacts_are_refused),
        cmocka_unit_test(a_built_contact_is_written_from_its_numbers),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(overlap_at_the_start_is_refused),
        cmocka_unit_test(a_run_looks_at_the_initial_state),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
