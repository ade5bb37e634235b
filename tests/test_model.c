/* Model files: what is understood, overrides, writing, building in C. */
#include "model_test.h"

/* ---- what is understood ---- */

static void smallest_model_is_neutral(void **state)
{
    slip_model *model = parse(HEAD);
    (void)state;
    assert_int_equal(slip_model_coordinate_count(model), 1);
    assert_string_equal(slip_model_coordinate_name(model, 0), "x");
    assert_null(slip_model_coordinate_name(model, 1));
    assert_int_equal(slip_model_contact_count(model), 0);
    assert_null(slip_model_contact_name(model, 0));
    assert_string_equal(slip_model_title(model), "");
    assert_close(model->system->damping[0], 0, 0);
    assert_close(model->system->stiffness[0], 0, 0);
    assert_close(model->initial_q[0], 0, 0);
    assert_null(model->simulate.method);
    assert_true(isnan(model->simulate.end));
    assert_int_equal(slip_model_finish(ctx, model), SLIP_OK);
    slip_model_destroy(model);
    slip_model_destroy(NULL);
}

static void every_section_is_read(void **state)
{
    const double pi = 3.14159265358979323846;
    slip_model *model;
    const slip_contact *pad;
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("elliptic.yaml"), &model), SLIP_OK);
    assert_string_equal(slip_model_title(model), "Oscillator: elliptic law, #1");
    assert_int_equal(model->parameter_count, 8);
    assert_string_equal(model->parameters[7].name, "T");
    assert_close(model->parameters[7].value, 2 * pi, 1e-15);
    assert_null(model->parameters[8].name);
    assert_close(model->system->damping[0], 0.1, 0);
    assert_close(model->system->stiffness[0], 1, 0);
    assert_int_equal(model->system->force_count, 1);
    assert_string_equal(slip_model_contact_name(model, 0), "pad");
    pad = &model->system->contacts[0];
    assert_string_equal(pad->law.law.type, "elliptic");
    assert_close(pad->law.law.mu, 3.2, 0);
    assert_close(pad->law.law.width, 0.8, 0);
    assert_close(pad->slip.row[0], 1, 0);
    assert_string_equal(model->simulate.method, "smooth");
    assert_close(model->simulate.start, 0, 0);
    assert_close(model->simulate.end, 20 * pi, 1e-14);
    assert_close(model->simulate.tolerance, 1e-10, 0);
    assert_close(model->simulate.record_every, 2 * pi / 100, 1e-16);
    assert_true(isnan(model->simulate.record_from));
    assert_close(model->simulate.steady_period, 2 * pi, 1e-15);
    assert_close(model->simulate.steady_tolerance, 1e-8, 0);
    assert_int_equal(model->simulate.steady_within, 200);
    expect_fixed_point(model, "smooth");
    slip_model_destroy(model);
}

static void styles_anchors_and_merge_keys_are_read(void **state)
{
    slip_model *model;
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("belt.yaml"), &model), SLIP_OK);
    assert_int_equal(slip_model_contact_count(model), 3);
    assert_string_equal(slip_model_contact_name(model, 1), "right");
    assert_close(model->system->contacts[1].law.law.mu, 0.3, 0);
    assert_close(model->system->contacts[1].slip.row[1], -1, 0);
    assert_close(model->system->contacts[0].slip.constant, -0.15, 0);
    assert_false(model->contact_texts[2].has_law);
    assert_close(model->initial_v[0], 0.15, 0);
    assert_close(model->initial_v[1], -0.15, 0);
    assert_close(model->system->stiffness[1], -0.85, 0);
    assert_int_equal(model->simulate.record_points, 101);
    assert_close(model->simulate.step, 1e-3, 0);
    expect_fixed_point(model, "rk4");
    expect_fixed_point(model, "smooth");
    slip_model_destroy(model);
}

static void description_says_what_was_understood(void **state)
{
    static const char *const parts[] = {"Oscillator: elliptic law, #1",
                                        "T = 6.28318531",
                                        "mass          [ 1 ]",
                                        "u: P*sin(w*t)",
                                        "pad: friction, slip u', normal force 1",
                                        "law elliptic: mu = 3.2, width = 0.8, static_width = 0, viscous = 0",
                                        "0 (infinite slope)",
                                        "method        smooth",
                                        "time          0 to 62.8318531",
                                        "tolerance     1e-10",
                                        "record        every 0.0628318531",
                                        "steady        period 6.28318531"};
    slip_model *model;
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("elliptic.yaml"), &model), SLIP_OK);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(slip_model_describe(ctx, model), parts[i])) {
            print_error("%s\nexpected: %s\n", slip_model_describe(ctx, model), parts[i]);
            fail();
        }
    slip_model_destroy(model);
    model = parse(LAW("{type: sqrt, mu: 1, epsilon: 1, static_ratio: 1.5}"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "eta_prime = 2.92953353"));
    assert_non_null(strstr(
        slip_model_describe(ctx, model),
        "segments      Dormand-Prince steps, for closed forms do not exist: contact `pad`: law `sqrt`"));
    slip_model_destroy(model);
    model = parse(LAW("{type: coulomb, mu: 1, static_ratio: 1.5}"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "holds up to 1.5 times the normal force"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "segments      closed forms\n"));
    slip_model_destroy(model);
    model = parse("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ncontacts: {foot: {kind: "
                  "friction, slip: [x', y'], law: {type: coulomb, mu: 1}}}\n");
    assert_non_null(strstr(slip_model_describe(ctx, model),
                           "contact `foot`: friction of a slip in the plane, or of an area, is not linear"));
    slip_model_destroy(model);
    model = parse("slipstick: 1\ncoordinates: [a, b, c, d, e, f, g, h, i]\nmass: {diagonal: [1, 1, 1, 1, 1, "
                  "1, 1, 1, 1]}\n");
    assert_non_null(
        strstr(slip_model_describe(ctx, model), "segments      closed forms, of many unknowns: by series"));
    slip_model_destroy(model);
}

static void tabs_are_spaces_behind_the_indentation(void **state)
{
    slip_model *model =
        parse("slipstick:\t1\t# one\n\t\n\t# two\ncoordinates: [x,\ty]\nmass:\t[[1,\t0], [0,\t2]]\n");
    (void)state;
    assert_close(model->system->mass[3], 2, 0);
    slip_model_destroy(model);
}

static void numbers_may_be_expressions_everywhere(void **state)
{
    slip_model *model = parse("slipstick: 1\nparameters: {a: 2, b: a^2}\ncoordinates: [x]\nmass: b\n"
                              "contacts: {c: {kind: friction, slip: a*x' - b, normal_force: a,"
                              " law: {type: tanh, mu: a/4, velocity: 1/b}}}\n"
                              "simulate: {time: [a, b], step: a/100, tolerance: 1/b^10, initial: {x: -a},"
                              " record: {points: 10*a}, steady: {period: a, within: b}}\n");
    (void)state;
    assert_close(model->system->mass[0], 4, 0);
    assert_close(model->system->contacts[0].slip.row[0], 2, 0);
    assert_close(model->system->contacts[0].slip.constant, -4, 0);
    assert_close(model->system->contacts[0].normal_constant, 2, 0);
    assert_close(model->system->contacts[0].law.law.velocity, 0.25, 0);
    assert_close(model->simulate.start, 2, 0);
    assert_close(model->initial_q[0], -2, 0);
    assert_int_equal(model->simulate.record_points, 20);
    assert_int_equal(model->simulate.steady_within, 4);
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* ---- overrides ---- */

static void settings_override(void **state)
{
    static const char *const settings[] = {"k=3",
                                           "simulate.method=smooth",
                                           "simulate.time=[0, 10*k]",
                                           "contacts.pad.law.mu=k/2",
                                           "mass[0][0]=5",
                                           "mass.1.1=max(6, 7)",
                                           "simulate.initial.x'=-1",
                                           "title=a: b",
                                           "damping=[[1, 0], [0, 1]]",
                                           NULL};
    slip_model *model = NULL;
    (void)state;
    refuse_with(HEAD2 "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1}}}\n", settings,
                "--set title=a: b: title: found a mapping, expected text");
    model = parse_with(HEAD2 "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1}}}\n",
                       (const char *const[]){settings[0], settings[1], settings[2], settings[3], settings[4],
                                             settings[5], settings[6], "title=a = b", settings[8], NULL});
    assert_close(model->parameters[0].value, 3, 0);
    assert_string_equal(model->simulate.method, "smooth");
    assert_close(model->simulate.end, 30, 0);
    assert_close(model->system->contacts[0].law.law.mu, 1.5, 0);
    assert_close(model->system->mass[0], 5, 0);
    assert_close(model->system->mass[3], 7, 0);
    assert_close(model->initial_v[0], -1, 0);
    assert_string_equal(slip_model_title(model), "a = b");
    assert_close(model->system->damping[3], 1, 0);
    expect_fixed_point(model, "smooth");
    slip_model_destroy(model);
}

static void a_parameter_goes_before_a_section(void **state)
{
    slip_model *model = parse_with("slipstick: 1\nparameters: {mass: 1}\ncoordinates: [x]\nmass: mass\n",
                                   (const char *const[]){"mass=4", NULL});
    (void)state;
    assert_close(model->system->mass[0], 4, 0);
    slip_model_destroy(model);
    model = parse_with("slipstick: 1\ncoordinates: [x]\nmass: 1\nsimulate:\n",
                       (const char *const[]){"mass=4", "stiffness=2", "simulate.step=1", NULL});
    assert_close(model->system->mass[0], 4, 0);
    assert_close(model->system->stiffness[0], 2, 0);
    assert_close(model->simulate.step, 1, 0);
    slip_model_destroy(model);
}

static void wrong_settings_are_refused(void **state)
{
    static const struct {
        const char *setting, *message;
    } wrong[] = {
        {"stif=1", "--set stif=1: unknown parameter `stif`; did you mean `stiff`?"},
        {"parameters.stif=1", "--set parameters.stif=1: unknown parameter `stif`; did you mean `stiff`?"},
        {"contacts.pda.law.mu=1", "--set contacts.pda.law.mu=1: unknown contact `pda`; did you mean `pad`?"},
        {"simulate.metod=rk4", "--set simulate.metod=rk4: unknown key `metod`; did you mean `method`?"},
        {"simulat.method=rk4", "--set simulat.method=rk4: unknown key `simulat`; did you mean `simulate`?"},
        {"simulate.method=rk5", "--set simulate.method=rk5: unknown method `rk5`; did you mean `rk4`?"},
        {"contacts.pad.law.mu=-1",
         "--set contacts.pad.law.mu=-1: law `coulomb`: mu: found -1, expected at least 0"},
        {"contacts.pad.law.mu.x=1", "--set contacts.pad.law.mu.x=1: `mu` has no field `x`"},
        {"mass[2][0]=1", "--set mass[2][0]=1: there is no entry 2: found 1 of them"},
        {"mass.x.y=1", "--set mass.x.y=1: found `x` in the path, expected the number of an entry"},
        {"stiff", "--set stiff: expected name=value"},
        {"=1", "--set =1: expected a name or a path"},
        {"a..b=1", "--set a..b=1: expected a name or a path"},
        {"a.=1", "--set a.=1: expected a name or a path"},
        {"stiff=", "--set stiff=: parameter `stiff`: found nothing, expected a number"},
        {"stiff=[1", "--set stiff=[1: not valid YAML: "},
        {"stiff=2*yy", "--set stiff=2*yy: parameter `stiff`: unknown name `yy`"},
        {"stiff=\xff", "--set stiff=\xff: the value is not UTF-8 text"},
    };
    (void)state;
    refuse_with(HEAD "parameters: {a: 1, b: 1, c: 1, d: 1}\n", (const char *const[]){"zzz_qqq=1", NULL},
                "`, ...");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuse_with(HEAD "parameters: {stiff: 1}\n"
                         "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1}}}\n",
                    (const char *const[]){wrong[i].setting, NULL}, wrong[i].message);
        assert_int_equal(line_count(slip_context_message(ctx)), 1);
    }
}

/* ---- writing ---- */

static void numbers_are_written_for_every_reader(void **state)
{
    slip_text text = {0};
    slip_model *model =
        parse(HEAD "title: 1e5\nparameters: {a: 1e-4, b: 210e9, c: .5, d: 2., e: 010, f: +3,\n"
                   "  g: -1E+3, h: 2 - 1, i: 'max(1, 2)', j: 2001-01-01, k: 1.50}\n");
    (void)state;
    assert_int_equal(slip_model_write(ctx, model, "rk4", &text), SLIP_OK);
    assert_string_equal(text.data,
                        "# slipstick " SLIPSTICK_VERSION ", method rk4\n"
                        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ntitle: '1e5'\n"
                        "parameters:\n  a: 1.0e-4\n  b: 210.0e+9\n  c: 0.5\n  d: 2.0\n  e: 10\n  f: 3\n"
                        "  g: -1.0e+3\n  h: 2 - 1\n  i: 'max(1, 2)'\n  j: '2001-01-01'\n  k: 1.50\n"
                        "simulate: {method: rk4}\n");
    slip_text_free(&text);
    assert_string_equal(slip_model_title(model), "1e5");
    expect_fixed_point(model, "rk4");
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

static void titles_survive(void **state)
{
    static const char *const titles[] = {
        "'a: b # c'",
        "\"tab\\there\"",
        "\"two\\nlines\"",
        "yes",
        "null ",
        "\"null\"",
        "'~'",
        "'many '''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''' quotes'",
        "\"\"",
        "it's",
        "\"quote \\\" and \\\\\"",
        "Schwingung \xc3\xbc",
        "\"\\u2028\\x85\\uFEFF\"",
        "|\n  one\n  two\n",
        "'- x'",
        "'*a'",
        "'&a'",
        "'!a'",
        "'[a'",
        "\"a,b\"",
        "' a '",
        "true",
        "0x1F",
        "1_000",
        "12:30:00",
        "'%a'",
        "'@a'",
        "'`a'",
        "'? a'",
        "'...'"};
    char text[300];
    (void)state;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        slip_model *model, *again;
        slip_text written = {0};
        snprintf(text, sizeof text, HEAD "title: %s\n", titles[i]);
        model = parse(text);
        assert_int_equal(slip_model_write(ctx, model, NULL, &written), SLIP_OK);
        again = parse(written.data);
        assert_string_equal(slip_model_title(model), slip_model_title(again));
        slip_text_free(&written);
        slip_model_destroy(again);
        expect_fixed_point(model, "rk4");
        slip_model_destroy(model);
    }
}

static void quotes_in_quotes_are_kept(void **state)
{
    slip_model *model = parse(HEAD "title: 'a''''b''''''''''''''''c''d'\n");
    (void)state;
    assert_string_equal(slip_model_title(model), "a''b''''''''c'd");
    expect_fixed_point(model, "rk4");
    slip_model_destroy(model);
    model = parse(HEAD "title: 'it''s\n\n  two'\n");
    assert_string_equal(slip_model_title(model), "it's\ntwo");
    slip_model_destroy(model);
    refuse_with(HEAD "title: 'a''''b\n  c'\n", NULL,
                "m.yaml:4:9: found `''''` in a quoted text of several lines");
}

static void what_is_written_runs_the_same(void **state)
{
    slip_model *model, *again;
    slip_result *first, *second;
    slip_run_options options = slip_run_options_default();
    slip_text text = {0};
    (void)state;
    assert_int_equal(
        slip_model_load_with(ctx, path_of("belt.yaml"), (const char *const[]){"k12=0.3", NULL}, &model),
        SLIP_OK);
    assert_int_equal(slip_model_write(ctx, model, "rk4", &text), SLIP_OK);
    again = parse(text.data);
    assert_int_equal(slip_run(ctx, model, &options, &first), SLIP_OK);
    assert_int_equal(slip_run(ctx, again, &options, &second), SLIP_OK);
    assert_close(slip_result_number(first, "final.x"), slip_result_number(second, "final.x"), 0);
    assert_close(slip_result_number(first, "final.y"), slip_result_number(second, "final.y"), 0);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "1"), SLIP_ERROR_USAGE); /* it was read */
    expect_message("", "a model that was read from a file is not changed");
    slip_result_destroy(first);
    slip_result_destroy(second);
    slip_model_destroy(model);
    slip_model_destroy(again);
    slip_text_free(&text);
}

static void large_matrices_are_written_row_by_row(void **state)
{
    enum { n = 40 };
    slip_text text = {0};
    slip_model *model;
    (void)state;
    slip_text_append(&text, "slipstick: 1\ncoordinates: [");
    for (int i = 0; i < n; i++)
        slip_text_printf(&text, "q%d%s", i, i < n - 1 ? ", " : "]\nmass:\n");
    for (int i = 0; i < n; i++) {
        slip_text_append(&text, "  - [");
        for (int j = 0; j < n; j++)
            slip_text_printf(&text, "%s%s", i == j ? "2.5" : "0", j < n - 1 ? ", " : "]\n");
    }
    model = parse(text.data);
    expect_fixed_point(model, "smooth");
    assert_non_null(strstr(slip_model_describe(ctx, model), "40 x 40, 40 of 1600 entries are not zero"));
    slip_model_destroy(model);
    slip_text_free(&text);
}

/* ---- building in C ---- */

static slip_model *built(void)
{
    static const char *const names[] = {"x", "y"};
    static const double mass[] = {2, 0, 0, 1e-3}, damping[] = {0.1, 0, 0, 0}, row[] = {1, -0.5};
    slip_contact_options options = slip_contact_options_default();
    slip_model *model;
    assert_int_equal(slip_model_create(ctx, 2, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, mass), SLIP_OK);
    assert_int_equal(slip_model_set_damping(ctx, model, damping), SLIP_OK);
    assert_int_equal(slip_model_set_stiffness(ctx, model, mass), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "vb", 0.1), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "1"), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "sin(t) + min(x, vb)"), SLIP_OK);
    options.name = "pad";
    options.row = row;
    options.offset = "-vb";
    options.law = slip_law_default("sqrt");
    options.law.mu = 0.3;
    options.law.epsilon = 1e-3;
    options.law.eta_prime = 2;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_OK);
    options.name = "other";
    options.row = NULL;
    options.offset = NULL;
    options.slip = "x'*cos(y)";
    options.normal_force = "2 + 0*x";
    options.law = slip_law_default("coulomb");
    options.law.mu = 1.0 / 3;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, NULL, (double[]){0.1, 1e-20}), SLIP_OK);
    return model;
}

static void a_built_model_is_written(void **state)
{
    slip_model *model = built();
    (void)state;
    assert_int_equal(model->system->force_count, 1);
    assert_close(model->system->contacts[0].slip.row[1], -0.5, 0);
    assert_close(model->system->contacts[0].slip.constant, -0.1, 0);
    expect_fixed_point(model, "smooth");
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

static int no_force(void *user, double t, const double *q, const double *v, double *force, double *dq,
                    double *dv)
{
    (void)user, (void)t, (void)q, (void)v, (void)dq, (void)dv;
    force[0] = 0;
    return 0;
}

static void no_friction(void *user, double v, double *force, double *slope)
{
    (void)user, (void)v;
    *force = *slope = 0;
}

static void functions_are_said_not_to_be_written(void **state)
{
    slip_model *model = built();
    slip_contact_options options = slip_contact_options_default();
    slip_text text = {0};
    (void)state;
    assert_int_equal(slip_model_set_force_function(ctx, model, no_force, NULL), SLIP_OK);
    options.name = "own";
    options.slip = "y'";
    options.law = slip_law_default("function");
    options.law.function = no_friction;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_OK);
    assert_int_equal(slip_model_write(ctx, model, "smooth", &text), SLIP_OK);
    assert_non_null(strstr(text.data, "# The load has a part that is a C function"));
    assert_non_null(strstr(text.data, "# The law is a C function"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "a C function"));
    slip_model_destroy(parse(text.data));
    slip_text_free(&text);
    slip_model_destroy(model);
}

static void wrong_calls_are_refused(void **state)
{
    slip_model *model = built(), *none;
    slip_contact_options options = slip_contact_options_default();
    (void)state;
    assert_int_equal(slip_model_create(ctx, 0, NULL, &none), SLIP_ERROR_USAGE);
    assert_null(none);
    assert_int_equal(slip_model_create(ctx, 2, (const char *const[]){"a", "a"}, &none), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_create(ctx, 1, (const char *const[]){"t"}, &none), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_mass(ctx, model, (double[]){1, 0, 0, -1}), SLIP_ERROR_MODEL);
    expect_message("", "the mass matrix is not positive: diagonal entry");
    assert_int_equal(slip_model_set_damping(ctx, model, (double[]){1, 0, NAN, 1}), SLIP_ERROR_MODEL);
    expect_message("", "damping: row 2, entry 1 is nan, expected a finite number");
    assert_int_equal(slip_model_set_parameter(ctx, model, "vb", 1), SLIP_ERROR_USAGE);
    assert_int_equal(slip_model_set_parameter(ctx, model, "x", 1), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_parameter(ctx, model, "a b", 1), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_parameter(ctx, model, "z", INFINITY), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_force(ctx, model, "z", "1"), SLIP_ERROR_USAGE);
    expect_message("", "unknown coordinate `z`");
    assert_int_equal(slip_model_set_force(ctx, model, "x", "1 + kk"), SLIP_ERROR_MODEL);
    expect_message("", "force on `x`: `1 + kk`: at character 5: unknown name `kk`");
    assert_int_equal(slip_model_set_initial(ctx, model, (double[]){0, INFINITY}, NULL), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    options.name = "pad";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "contact `pad` is already there");
    options.name = "new";
    options.law = slip_law_default("coulomb");
    options.law.mu = 0.3;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "`slip` is missing");
    options.slip = "x'^2";
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    options.slip = "x'";
    options.law.mu = NAN;
    assert_int_equal(slip_model_add_contact(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "law `coulomb`: mu");
    slip_model_destroy(model);
}

static void a_model_without_mass_does_not_run(void **state)
{
    slip_model *bare;
    slip_result *result;
    (void)state;
    assert_int_equal(slip_model_create(ctx, 1, (const char *const[]){"q"}, &bare), SLIP_OK);
    assert_int_equal(slip_run(ctx, bare, NULL, &result), SLIP_ERROR_MODEL);
    expect_message("", "no mass matrix");
    slip_model_destroy(bare);
}

static void examples_are_models(void **state)
{
    (void)state;
    assert_null(slip_example_text("no such example"));
    assert_null(slip_example_name(-1));
    assert_null(slip_example_name(slip_example_count()));
    for (int i = 0; i < slip_example_count(); i++) {
        slip_model *model = parse(slip_example_text(slip_example_name(i)));
        expect_fixed_point(model,
                           slip_model_gear_count(model) == 2 ? slip_model_gear_method(model) : "smooth");
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_model_is_neutral),
        cmocka_unit_test(every_section_is_read),
        cmocka_unit_test(styles_anchors_and_merge_keys_are_read),
        cmocka_unit_test(description_says_what_was_understood),
        cmocka_unit_test(tabs_are_spaces_behind_the_indentation),
        cmocka_unit_test(numbers_may_be_expressions_everywhere),
        cmocka_unit_test(settings_override),
        cmocka_unit_test(a_parameter_goes_before_a_section),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(numbers_are_written_for_every_reader),
        cmocka_unit_test(titles_survive),
        cmocka_unit_test(quotes_in_quotes_are_kept),
        cmocka_unit_test(what_is_written_runs_the_same),
        cmocka_unit_test(large_matrices_are_written_row_by_row),
        cmocka_unit_test(a_built_model_is_written),
        cmocka_unit_test(functions_are_said_not_to_be_written),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_model_without_mass_does_not_run),
        cmocka_unit_test_of_numbers(examples_are_models),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
