/* Model files: what is understood, what is refused and where, overrides, writing, building in C. */
#include "model/model.h"
#include "test.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\n"
#define HEAD2 "slipstick: 1\nparameters: {k: 2, c: 0}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
#define PAD HEAD "contacts:\n  pad:\n    kind: friction\n"
#define LAW(text) PAD "    slip: x'\n    law: " text "\n"
#define SIMULATE(text) HEAD "simulate:\n  " text "\n"

/* What the sanitizers cost. */
#ifdef __SANITIZE_ADDRESS__
#define SLOWER 4
#else
#define SLOWER 1
#endif

static slip_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

/* ---- helpers ---- */

static slip_model *parse_with(const char *text, const char *const *settings)
{
    slip_model *model;
    if (slip_model_parse(ctx, text, "m.yaml", settings, &model) < 0) {
        print_error("%s\n%s\n", text, slip_context_message(ctx));
        fail();
    }
    assert_non_null(model);
    return model;
}

static slip_model *parse(const char *text)
{
    return parse_with(text, NULL);
}

static void expect_message(const char *text, const char *part)
{
    if (strstr(slip_context_message(ctx), part))
        return;
    print_error("for:\n%.400s\nfound:\n%s\nexpected:\n%s\n", text, slip_context_message(ctx), part);
    fail();
}

static void refuse_with(const char *text, const char *const *settings, const char *part)
{
    slip_model *model = (slip_model *)&model;
    int status = slip_model_parse(ctx, text, "m.yaml", settings, &model);
    if (status != SLIP_ERROR_MODEL) {
        print_error("accepted (%d): %.400s\nexpected: %s\n", status, text, part);
        fail();
    }
    assert_null(model);
    expect_message(text, part);
}

static int line_count(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

typedef struct refusal {
    const char *text;
    const char *message; /* one whole line of the message, or its beginning */
} refusal;

/* Each text has one thing wrong, and exactly one line says so. */
static void refuse_each(const refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        refuse_with(refusals[i].text, NULL, refusals[i].message);
        if (line_count(slip_context_message(ctx)) != 1) {
            print_error("more than one line:\n%s\n", slip_context_message(ctx));
            fail();
        }
    }
}
#define REFUSE_EACH(table) refuse_each(table, sizeof table / sizeof *table)

static char *path_of(const char *name)
{
    static char path[1000];
    snprintf(path, sizeof path, "%s/tests/models/%s", SLIPSTICK_SOURCE_DIR, name);
    return path;
}

/* Written, read and written again: the same text (a model that was built in C takes one round to become a
 * document), and the same model as far as a description tells. */
static void expect_fixed_point(slip_model *model, const char *method)
{
    slip_text first = {0}, second = {0}, third = {0};
    slip_model *again, *more;
    assert_int_equal(slip_model_write(ctx, model, method, &first), SLIP_OK);
    again = parse(first.data);
    assert_int_equal(slip_model_write(ctx, again, method, &second), SLIP_OK);
    more = parse(second.data);
    assert_int_equal(slip_model_write(ctx, more, method, &third), SLIP_OK);
    assert_string_equal(second.data, third.data);
    if (model->document)
        assert_string_equal(first.data, second.data);
    if (!method || (model->simulate.method && strcmp(method, model->simulate.method) == 0))
        assert_string_equal(slip_model_describe(ctx, model), slip_model_describe(ctx, again));
    slip_model_destroy(again);
    slip_model_destroy(more);
    slip_text_free(&first);
    slip_text_free(&second);
    slip_text_free(&third);
}

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
    assert_int_equal(slip_model_fix(ctx, model), SLIP_OK);
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
    assert_close(model->simulate.record_from, 4 * pi, 1e-14);
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
                                        "record        every 0.0628318531, from t = 12.5663706",
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
    slip_model_destroy(model);
    model = parse(LAW("{type: coulomb, mu: 1, static_ratio: 1.5}"));
    assert_non_null(strstr(slip_model_describe(ctx, model), "holds up to 1.5 times the normal force"));
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

/* ---- what is refused ---- */

static void wrong_names_and_keys_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "stifness: [[1]]\n", "m.yaml:4:1: unknown key `stifness`; did you mean `stiffness`?"},
        {HEAD "velocity: 1\n", "m.yaml:4:1: unknown key `velocity`, expected one of `slipstick`, `title`,"},
        {"coordinates: [x]\nmass: 1\n",
         "m.yaml:1:1: `slipstick` is missing, expected for example `slipstick: 1`"},
        {"slipstick: 2\ncoordinates: [x]\nmass: 1\n", "m.yaml:1:12: slipstick: found `2`, expected 1"},
        {"slipstick: 1\nmass: 1\n", "m.yaml:1:1: `coordinates` is missing"},
        {"slipstick: 1\ncoordinates: [x]\n", "m.yaml:1:1: `mass` is missing"},
        {"slipstick: 1\ncoordinates: [x]\nmass:\n", "m.yaml:3:1: `mass` is missing"},
        {"slipstick: 1\ncoordinates: x\nmass: 1\n",
         "m.yaml:2:14: coordinates: found `x`, expected a list of names"},
        {"slipstick: 1\ncoordinates: []\nmass: 1\n", "m.yaml:2:14: coordinates: found an empty list"},
        {"slipstick: 1\ncoordinates: [x, [y]]\nmass: 1\n",
         "m.yaml:2:18: coordinates: found a list, expected a name"},
        {"slipstick: 1\ncoordinates: [x, y, x]\nmass: 1\n",
         "m.yaml:2:21: coordinate `x` is here for the second time"},
        {"slipstick: 1\ncoordinates: [t]\nmass: 1\n", "m.yaml:2:15: coordinate `t` is the time"},
        {"slipstick: 1\ncoordinates: [pi]\nmass: 1\n", "m.yaml:2:15: coordinate `pi` is the number 3.14"},
        {"slipstick: 1\ncoordinates: [sin]\nmass: 1\n", "m.yaml:2:15: coordinate `sin` is a function"},
        {"slipstick: 1\ncoordinates: [x']\nmass: 1\n", "m.yaml:2:15: coordinate `x'` is no name"},
        {"slipstick: 1\ncoordinates: [2x]\nmass: 1\n", "m.yaml:2:15: coordinate `2x` is no name"},
        {HEAD "parameters: {x: 1}\n", "m.yaml:4:14: parameter `x` is a coordinate too"},
        {HEAD "parameters: {t: 1}\n", "m.yaml:4:14: parameter `t` is the time"},
        {HEAD "parameters: {cos: 1}\n", "m.yaml:4:14: parameter `cos` is a function"},
        {HEAD "parameters: {a-b: 1}\n", "m.yaml:4:14: parameter `a-b` is no name"},
        {HEAD "parameters: [1]\n", "m.yaml:4:13: parameters: found a list, expected a mapping"},
        {HEAD "title: [a]\n", "m.yaml:4:8: title: found a list, expected text"},
        {HEAD "gears: {a: 1}\n", "m.yaml:4:1: section `gears` is not available in this version"},
        {HEAD "bodies: {a: 1}\n", "m.yaml:4:1: section `bodies` is not available in this version"},
        {HEAD "flanks: {a: 1}\n", "m.yaml:4:1: section `flanks` is not available in this version"},
        {HEAD "continue: {a: 1}\n", "m.yaml:4:1: section `continue` is not available in this version"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_expressions_are_refused_at_the_character(void **state)
{
    static const refusal refusals[] = {
        {HEAD "parameters: {a: 1, b: a + cc}\n", "m.yaml:4:27: parameter `b`: unknown name `cc`"},
        {HEAD "parameters: {a: 1, b: \"a + cc\"}\n", "m.yaml:4:28: parameter `b`: unknown name `cc`"},
        {HEAD "parameters:\n  stiff: 1\n  b: 2*stif\n",
         "m.yaml:6:8: parameter `b`: unknown name `stif`; did you mean `stiff`?"},
        {HEAD "parameters: {b: a, a: 1}\n",
         "m.yaml:4:17: parameter `b`: parameter `a` is defined further down"},
        {HEAD "parameters: {b: 2*b}\n", "m.yaml:4:19: parameter `b`: parameter `b` is defined further down"},
        {HEAD "parameters: {a: 2*t}\n",
         "m.yaml:4:19: parameter `a`: found `t`, expected a number or an expression in the parameters"},
        {HEAD "parameters: {a: 1 + x'}\n", "m.yaml:4:21: parameter `a`: found `x'`, expected a number"},
        {HEAD "parameters: {a: 1/0}\n", "m.yaml:4:17: parameter `a`: division by zero"},
        {HEAD "parameters: {a: 1e999}\n", "m.yaml:4:17: parameter `a`: the number `1e999` is too large"},
        {HEAD "parameters: {a: .inf}\n", "m.yaml:4:17: parameter `a`:"},
        {HEAD "parameters: {a: .nan}\n", "m.yaml:4:17: parameter `a`:"},
        {HEAD "parameters: {a: [1]}\n", "m.yaml:4:17: parameter `a`: found a list, expected a number"},
        {HEAD "parameters: {a: }\n", "parameter `a`: found nothing, expected a number"},
        {HEAD "parameters: {a: 1 +}\n",
         "m.yaml:4:20: parameter `a`: expected a number, a name or `(` but the text ends"},
        {HEAD "forces: {x: 2 y}\n", "m.yaml:4:15: force on `x`: expected an operator"},
        {HEAD "forces: {x: sin(x}\n", "m.yaml:4:18: force on `x`: expected `)`"},
        {HEAD "forces: {z: 1}\n", "m.yaml:4:10: unknown key `z`"},
        {HEAD "forces: [1]\n", "m.yaml:4:9: forces: found a list, expected a mapping"},
        {HEAD "forces:\n  x: >-\n    1 +\n    yy\n", "m.yaml:6:1: force on `x`: unknown name `yy`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
    /* What hangs on a wrong entry is not reported again. */
    refuse_with(HEAD "parameters: {a: 1 +}\nforces: {x: a}\nsimulate: {step: -a}\n", NULL, "m.yaml:4:20");
    assert_int_equal(line_count(slip_context_message(ctx)), 1);
}

static void commas_without_quotes_are_explained(void **state)
{
    (void)state;
    refuse_with(HEAD "forces: {x: min(x, 1)}\n", NULL,
                "m.yaml:4:20: unknown key `1)`; inside braces and brackets");
    expect_message("", "an expression with a comma needs quotes");
    refuse_with(HEAD "parameters: {a: max(1, 2)}\n", NULL, "needs quotes");
    refuse_with(HEAD2 "stiffness: [[max(1, 2), 0], [0, 1]]\n", NULL,
                "m.yaml:5:13: stiffness: row 1 has 3 entries, expected 2; inside braces");
}

static void wrong_matrices_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD2 "damping: [[1, 0], [0, 1, 2]]\n", "m.yaml:5:19: damping: row 2 has 3 entries, expected 2"},
        {HEAD2 "damping: [[1, 0]]\n", "m.yaml:5:10: damping: found 1 rows, expected 2"},
        {HEAD2 "damping: 3\n", "m.yaml:5:10: damping: found `3`, expected 2 rows of 2 numbers"},
        {HEAD2 "damping: [1, [1, 2]]\n",
         "m.yaml:5:11: damping: row 1: found `1`, expected a list of 2 numbers"},
        {HEAD2 "damping: [[1, t], [0, 1]]\n",
         "m.yaml:5:15: damping: row 1, entry 2: found `t`, expected a number"},
        {HEAD2 "damping:\n  - [1, 0]\n  - [0, kk]\n",
         "m.yaml:7:9: damping: row 2, entry 2: unknown name `kk`"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0.5], [0.4, 1]]\n",
         "m.yaml:3:19: the mass matrix is not symmetric"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 0]]\n",
         "m.yaml:3:20: the mass matrix is singular"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 2], [2, 1]]\n",
         "m.yaml:3:7: the mass matrix is not positive definite"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 1], [1, 1]]\n",
         "m.yaml:3:7: the mass matrix is singular"},
        {"slipstick: 1\ncoordinates: [x]\nmass: -1\n",
         "m.yaml:3:7: the mass matrix is not positive definite"},
        {"slipstick: 1\ncoordinates: [x]\nmass: {x: 1}\n", "m.yaml:3:7: mass: found a mapping"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_contacts_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "contacts: [1]\n", "m.yaml:4:11: contacts: found a list, expected a mapping"},
        {HEAD "contacts: {pad: 1}\n", "m.yaml:4:17: contact `pad`: found `1`, expected a mapping"},
        {HEAD "contacts: {p-d: {kind: friction, slip: x'}}\n", "m.yaml:4:12: contact `p-d` is no name"},
        {HEAD "contacts: {pad: {slip: x'}}\n", "m.yaml:4:17: contact `pad`: `kind` is missing"},
        {HEAD "contacts: {pad: {kind: frction, slip: x'}}\n",
         "m.yaml:4:24: unknown kind `frction`; did you mean `friction`?"},
        {HEAD "contacts: {pad: {kind: patch, slip: {x: x'}, area: 1}}\n",
         "m.yaml:4:24: contact `pad`: kind `patch` is not available in this version, expected `friction`"},
        {HEAD "contacts: {pad: {kind: unilateral, gap: x}}\n",
         "m.yaml:4:24: contact `pad`: kind `unilateral` is not available"},
        {PAD "    normal_force: 1\n", "m.yaml:6:5: contact `pad`: `slip` is missing"},
        {PAD "    slip: x'^2\n", "m.yaml:7:11: slip: `x'^2` is not linear in the velocities"},
        {PAD "    slip: x\n", "m.yaml:7:11: slip: found no velocity in `x`"},
        {PAD "    slip: {x: x'}\n", "m.yaml:7:11: slip: found a mapping"},
        {PAD "    slip: x' - vb\n", "m.yaml:7:16: slip: unknown name `vb`"},
        {PAD "    slip: x'\n    normal_force: -2\n",
         "m.yaml:8:19: normal_force: found -2, expected at least 0"},
        {PAD "    slip: x'\n    normalforce: 2\n",
         "m.yaml:8:5: unknown key `normalforce`; did you mean `normal_force`?"},
        {PAD "    slip: x'\n    gap: x\n", "m.yaml:8:5: unknown key `gap`"},
        {LAW("tanh"), "m.yaml:8:10: law of contact `pad`: found `tanh`, expected a mapping"},
        {LAW("{mu: 1}"), "m.yaml:8:10: law of contact `pad`: `type` is missing"},
        {LAW("{type: tahn, mu: 1}"), "m.yaml:8:17: unknown law `tahn`; did you mean `tanh`?"},
        {LAW("{type: glue, mu: 1}"), "m.yaml:8:17: unknown law `glue`, expected one of `coulomb`"},
        {LAW("{type: function}"), "m.yaml:8:17: unknown law `function`"},
        {LAW("{type: tanh, mu: -1, velocity: 1}"),
         "m.yaml:8:27: law `tanh`: mu: found -1, expected at least 0"},
        {LAW("{type: tanh, mu: 1, velocity: 0}"),
         "m.yaml:8:40: law `tanh`: velocity: found 0, expected more than 0"},
        {LAW("{type: tanh, mu: 1, velocity: 1 - 2}"),
         "m.yaml:8:40: law `tanh`: velocity: found `1 - 2` = -1, expected more than 0"},
        {LAW("{type: tanh, mu: 1}"), "m.yaml:8:10: law `tanh`: `velocity`"},
        {LAW("{type: tanh, mu: 1, velocity: 1, width: 2}"), "m.yaml:8:43: unknown key `width`"},
        {LAW("{type: tanh, mu: 1, velocty: 1, velocity: 2}"),
         "m.yaml:8:30: unknown key `velocty`; did you mean `velocity`?"},
        {LAW("{type: coulomb, mu: t}"), "m.yaml:8:30: law `coulomb`: mu: found `t`, expected a number"},
        {LAW("{type: coulomb, mu: 1, static_ratio: 0.5}"),
         "m.yaml:8:47: law `coulomb`: static_ratio: found 0.5, expected at least 1"},
        {LAW("{type: sqrt, mu: 1, epsilon: 1, static_ratio: 2, eta_prime: 3}"),
         "m.yaml:8:10: law `sqrt`: both static_ratio and eta_prime are given"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_simulations_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "simulate: 3\n", "m.yaml:4:11: simulate: found `3`, expected a mapping"},
        {SIMULATE("tme: [0, 1]"), "m.yaml:5:3: unknown key `tme`; did you mean `time`?"},
        {SIMULATE("method: smoth"), "m.yaml:5:11: unknown method `smoth`; did you mean `smooth`?"},
        {SIMULATE("method: [a]"), "m.yaml:5:11: simulate.method: found a list, expected a word"},
        {SIMULATE("method: moreau"), "m.yaml:5:11: method `moreau` is not available in this version"},
        {SIMULATE("segments: exat"),
         "m.yaml:5:13: simulate.segments: unknown word `exat`; did you mean `exact`?"},
        {SIMULATE("segments: what"),
         "m.yaml:5:13: simulate.segments: unknown word `what`, expected one of `auto`, `exact`, `rk`"},
        {SIMULATE("time: 5"), "m.yaml:5:9: simulate.time: found `5`, expected [start, end]"},
        {SIMULATE("time: [5]"), "m.yaml:5:9: simulate.time: found 1 entries, expected two"},
        {SIMULATE("time: [1, 1]"), "m.yaml:5:13: simulate.time: found end 1, expected more than the start 1"},
        {SIMULATE("time: [0, x]"), "m.yaml:5:13: simulate.time: end: found `x`, expected a number"},
        {SIMULATE("initial: {z: 1}"), "m.yaml:5:13: unknown key `z`"},
        {SIMULATE("initial: {x'': 1}"), "m.yaml:5:13: unknown key `x''`"},
        {SIMULATE("initial: {x': t}"), "m.yaml:5:17: initial `x'`: found `t`"},
        {SIMULATE("initial: [1]"), "m.yaml:5:12: simulate.initial: found a list"},
        {SIMULATE("tolerance: 1"),
         "m.yaml:5:14: simulate.tolerance: found 1, expected at least 1e-14 and at most 0.1"},
        {SIMULATE("tolerance: 1e-15"), "m.yaml:5:14: simulate.tolerance: found 1e-15"},
        {SIMULATE("step: 0"), "m.yaml:5:9: simulate.step: found 0, expected more than 0"},
        {SIMULATE("record: {every: 1, points: 2}"),
         "m.yaml:5:11: simulate.record: found several of every, points and steps"},
        {SIMULATE("record: {every: 0}"), "m.yaml:5:19: record.every: found 0, expected more than 0"},
        {SIMULATE("record: {points: 1}"),
         "m.yaml:5:20: record.points: found 1, expected a whole number from 2"},
        {SIMULATE("record: {points: 2.5}"), "m.yaml:5:20: record.points: found 2.5, expected a whole number"},
        {SIMULATE("record: {steps: maybe}"),
         "m.yaml:5:19: record.steps: found `maybe`, expected true or false"},
        {SIMULATE("time: [0, 1]\n  record: {from: 2}"),
         "m.yaml:6:18: record.from: found 2, expected less than"},
        {SIMULATE("steady: {within: 3}"), "m.yaml:5:11: simulate.steady: `period` is missing"},
        {SIMULATE("steady: {period: 0}"), "m.yaml:5:20: steady.period: found 0, expected more than 0"},
        {SIMULATE("steady: {period: 1, within: 0}"),
         "m.yaml:5:31: steady.within: found 0, expected a whole number from 1"},
        {SIMULATE("steady: {period: 1, tolerance: 2}"), "m.yaml:5:34: steady.tolerance: found 2"},
        {SIMULATE("theta: 1"), "m.yaml:5:3: unknown key `theta`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void what_is_not_a_document_is_refused(void **state)
{
    static const refusal refusals[] = {
        {"", "m.yaml:1:1: the file is empty"},
        {"# nothing\n", "m.yaml:1:1: the file is empty"},
        {"---\n...\n", "m.yaml:"},
        {"hello world\n", "m.yaml:1:1: found `hello world`, expected a model"},
        {"- a\n- b\n", "m.yaml:1:1: found a list, expected a model"},
        {HEAD "a: [1, 2\n", "m.yaml:"},
        {"a: b: c\n", "m.yaml:1:5: not valid YAML: "},
        {"a: \"b\n", "m.yaml:1:5: not valid YAML: "},
        {"\tfoo: x\n", "m.yaml:1:1: not valid YAML: "},
        {"a: 1\n---\nb: 2\n", "m.yaml:2:1: a second document starts here"},
        {HEAD "mass: [[2]]\n", "m.yaml:4:1: the key `mass` is here for the second time"},
        {HEAD "parameters: {a: 1, b: 2, a: 3}\n", "m.yaml:4:26: the key `a` is here for the second time"},
        {HEAD "? [a]\n: 1\n", "m.yaml:4:3: found a list as a key, expected a name"},
        {HEAD "title: !foo bar\n", "m.yaml:4:"},
        {HEAD "title: *nobody\n", "m.yaml:4:8: alias `*nobody`: expected an anchor"},
        {HEAD "title: &a [*a]\n", "m.yaml:4:12: alias `*a`: expected an anchor"},
        {HEAD "<<: 3\n", "m.yaml:4:5: `<<` merges mappings"},
        {HEAD "title: \"a\\0b\"\n", "m.yaml:4:"},
        {HEAD "title: \x01\n", "m.yaml:4:8: not a text file: found byte 0x01"},
        {HEAD "title: \xff\xfe\n", "m.yaml:4:8: not a text file: found byte 0xFF"},
        {HEAD "title: \xc3\xa4\xed\xa0\x80\n", "m.yaml:4:9: not a text file: found byte 0xED"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void many_errors_come_in_one_go_and_in_order(void **state)
{
    char text[4000] = HEAD;
    const char *message;
    (void)state;
    refuse_with("slipstick: 3\ncoordinates: [x]\nmas: 1\nsimulate: {step: -1}\nforces: {y: 1}\n", NULL,
                "m.yaml:1:1: `mass` is missing, expected for example `mass: [[1]]`\n"
                "m.yaml:1:12: slipstick: found `3`, expected 1, the version of the file format\n"
                "m.yaml:3:1: unknown key `mas`; did you mean `mass`?\n"
                "m.yaml:4:18: simulate.step: found -1, expected more than 0\n"
                "m.yaml:5:10: unknown key `y`");
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "wrong%d: 1\n", i);
    refuse_with(text, NULL, "m.yaml: and 10 more errors");
    message = slip_context_message(ctx);
    assert_int_equal(line_count(message), 21);
    assert_non_null(strstr(message, "m.yaml:4:1: unknown key `wrong0`"));
    assert_non_null(strstr(message, "m.yaml:23:1: unknown key `wrong19`"));
    assert_null(strstr(message, "wrong20"));
}

/* ---- files ---- */

static void wrong_files_are_refused(void **state)
{
    slip_model *model;
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("nowhere.yaml"), &model), SLIP_ERROR_IO);
    expect_message("", "nowhere.yaml: cannot open: No such file");
    assert_int_equal(slip_model_load(ctx, path_of(""), &model), SLIP_ERROR_IO);
    expect_message("", "found a directory, expected a model file");
    assert_int_equal(slip_model_load(ctx, "/dev/zero", &model), SLIP_ERROR_IO);
    expect_message("", "found no regular file");
    assert_int_equal(slip_model_load(ctx, path_of("empty.yaml"), &model), SLIP_ERROR_MODEL);
    expect_message("", "empty.yaml:1:1: the file is empty");
    assert_int_equal(slip_model_load(ctx, path_of("many_errors.yaml"), &model), SLIP_ERROR_MODEL);
    expect_message("", "many_errors.yaml:9:1: unknown key `stifness`; did you mean `stiffness`?");
    assert_null(model);
}

/* A temporary file with the text; returns its name. */
static const char *temporary(const char *text, size_t size)
{
    static char name[] = "/tmp/slipstick-test-XXXXXX";
    FILE *file;
    int descriptor;
    memcpy(name + strlen(name) - 6, "XXXXXX", 6);
    descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    file = fdopen(descriptor, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    return name;
}

static void expect_refused_file(const char *text, size_t size, const char *part)
{
    const char *name = temporary(text, size);
    slip_model *model;
    int status = slip_model_load(ctx, name, &model);
    remove(name);
    assert_int_equal(status, SLIP_ERROR_MODEL);
    expect_message("", part);
}

static void binary_and_large_files_are_refused(void **state)
{
    enum { size = 17 << 20 };
    char *large = malloc(size);
    (void)state;
    assert_non_null(large);
    memset(large, 'a', size);
    expect_refused_file(large, size, "found 17.0 MiB, expected a model file of at most 16 MiB");
    expect_refused_file("slipstick: 1\0\0\0", 15, ":1:13: not a text file: found byte 0x00");
    expect_refused_file("\x89PNG\r\n\x1a\n", 8, ":1:1: not a text file: found byte 0x89");
    free(large);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A text of `count` copies, between two others. In the first form with a running number. */
static char *repeated(const char *before, const char *format, int count, const char *after)
{
    slip_text text = {0};
    slip_text_append(&text, before);
    for (int i = 0; i < count; i++)
        slip_text_printf(&text, format, i);
    slip_text_append(&text, after);
    assert_false(text.failed);
    return text.data;
}

static char *copies(const char *before, const char *piece, int count, const char *after)
{
    slip_text text = {0};
    slip_text_append(&text, before);
    for (int i = 0; i < count; i++)
        slip_text_append(&text, piece);
    slip_text_append(&text, after);
    assert_false(text.failed);
    return text.data;
}

static void refuse_quickly(char *text, const char *part)
{
    double start = seconds(), limit = 2 * SLOWER;
    refuse_with(text, NULL, part);
    assert_true(seconds() - start < limit);
    free(text);
}

static void a_million_entries_are_refused_quickly(void **state)
{
    (void)state;
    refuse_quickly(repeated(HEAD, "k%d: 1\n", 1000000, ""), "too large: it has more than 400000 entries");
    refuse_quickly(repeated(HEAD "parameters: {", "k%d: 1, ", 1000000, "a: 1}\n"),
                   "more than 400000 entries");
    refuse_quickly(repeated(HEAD "damping: [[", "%d, ", 1000000, "1]]\n"), "more than 400000 entries");
    refuse_quickly(repeated(HEAD "parameters:\n", "  k%d: 1\n", 100000, ""),
                   "parameters: found 100000 of them, expected at most 1000");
    refuse_quickly(repeated(HEAD, "k%d: 1\n", 190000, ""), "and 80 or more errors");
    refuse_quickly(repeated("slipstick: 1\nmass: 1\ncoordinates: [", "k%d, ", 300000, "a]\n"),
                   "coordinates: found 300001 names, expected at most 300");
    refuse_quickly(repeated(HEAD "contacts:\n", "  k%d: 1\n", 100000, ""), "contacts: found 100000 of them");
    refuse_quickly(repeated(HEAD, "#%d\n", 1000000, "a: [\n"), "not valid YAML");
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    refuse_quickly(copies("", "[", 100000, ""), "nested deeper than 64 levels");
    refuse_quickly(repeated("", "{a%d: ", 100000, ""), "nested deeper than 64 levels");
    refuse_quickly(copies("", "- ", 100000, "a"), "nested deeper than 64 levels");
    refuse_quickly(copies("", "? ", 100000, "a"), "m.yaml:1:");
    refuse_quickly(copies(HEAD "forces: {x: ", "(", 5000, "x}\n"), "m.yaml:4:");
    refuse_quickly(copies(HEAD "title: ", "x", 5000000, ": 1\n"), "m.yaml:4:");
}

static void billion_laughs_are_refused(void **state)
{
    slip_text text = {0};
    (void)state;
    slip_text_append(&text, HEAD "a0: &a0 [l, l, l, l, l, l, l, l, l, l]\n");
    for (int i = 1; i < 20; i++)
        slip_text_printf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
                         i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refuse_quickly(text.data, "more than 400000 entries");
    refuse_quickly(repeated(HEAD, "p%d: &q 1\n", 2000, ""), "more than 1000 anchors");
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
    static const char *const titles[] = {"'a: b # c'",
                                         "\"tab\\there\"",
                                         "\"two\\nlines\"",
                                         "yes",
                                         "null ",
                                         "\"null\"",
                                         "'~'",
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
    slip_friction_options options = slip_friction_options_default();
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
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_OK);
    options.name = "other";
    options.row = NULL;
    options.offset = NULL;
    options.slip = "x'*cos(y)";
    options.normal_force = "2 + 0*x";
    options.law = slip_law_default("coulomb");
    options.law.mu = 1.0 / 3;
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, NULL, (double[]){0.1, 1e-20}), SLIP_OK);
    return model;
}

static void a_built_model_is_written_from_its_numbers(void **state)
{
    slip_model *model = built();
    (void)state;
    assert_int_equal(model->system->force_count, 1);
    assert_close(model->system->contacts[0].slip.row[1], -0.5, 0);
    assert_close(model->system->contacts[0].slip.constant, -0.1, 0);
    expect_fixed_point(model, "smooth");
    model->simulate.end = 5;
    model->simulate.step = 0.1;
    model->simulate.tolerance = 1e-7;
    model->simulate.record_every = 0.25;
    model->simulate.record_from = 1;
    model->simulate.steady_period = 2;
    model->simulate.steady_within = 10;
    expect_fixed_point(model, "rk4");
    model->simulate.method = "rk4";
    model->simulate.record_steps = 1;
    expect_fixed_point(model, "rk4");
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
    slip_friction_options options = slip_friction_options_default();
    slip_text text = {0};
    (void)state;
    assert_int_equal(slip_model_set_force_function(ctx, model, no_force, NULL), SLIP_OK);
    options.name = "own";
    options.slip = "y'";
    options.law = slip_law_default("function");
    options.law.function = no_friction;
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_OK);
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
    slip_friction_options options = slip_friction_options_default();
    (void)state;
    assert_int_equal(slip_model_create(ctx, 0, NULL, &none), SLIP_ERROR_USAGE);
    assert_null(none);
    assert_int_equal(slip_model_create(ctx, 2, (const char *const[]){"a", "a"}, &none), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_create(ctx, 1, (const char *const[]){"t"}, &none), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_mass(ctx, model, (double[]){1, 0, 0, -1}), SLIP_ERROR_MODEL);
    expect_message("", "the mass matrix is not positive definite");
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
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_ERROR_MODEL);
    options.name = "pad";
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "contact `pad` is already there");
    options.name = "new";
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_ERROR_USAGE);
    options.slip = "x'^2";
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_ERROR_MODEL);
    options.slip = "x'";
    assert_int_equal(slip_model_add_friction(ctx, model, &options), SLIP_ERROR_MODEL);
    expect_message("", "law `coulomb`: mu");
    slip_model_destroy(model);
}

static void a_fixed_model_does_not_change(void **state)
{
    slip_model *model = built(), *bare;
    (void)state;
    assert_int_equal(slip_model_fix(ctx, model), SLIP_OK);
    assert_int_equal(slip_model_fix(ctx, model), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "1"), SLIP_ERROR_USAGE);
    assert_int_equal(slip_model_set_mass(ctx, model, (double[]){1, 0, 0, 1}), SLIP_ERROR_USAGE);
    slip_model_destroy(model);
    assert_int_equal(slip_model_create(ctx, 1, (const char *const[]){"q"}, &bare), SLIP_OK);
    assert_int_equal(slip_model_fix(ctx, bare), SLIP_ERROR_MODEL);
    expect_message("", "no mass matrix");
    slip_model_destroy(bare);
}

static void a_read_model_can_be_changed_and_is_then_written_from_numbers(void **state)
{
    slip_model *model;
    slip_text text = {0};
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("elliptic.yaml"), &model), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "u", "0"), SLIP_OK);
    assert_int_equal(slip_model_write(ctx, model, "smooth", &text), SLIP_OK);
    assert_null(strstr(text.data, "forces"));
    assert_non_null(strstr(text.data, "width: 0.8"));
    slip_text_free(&text);
    expect_fixed_point(model, "smooth");
    slip_model_destroy(model);
}

static void examples_are_models(void **state)
{
    (void)state;
    assert_null(slip_example_text("no such example"));
    assert_null(slip_example_name(-1));
    assert_null(slip_example_name(slip_example_count()));
    for (int i = 0; i < slip_example_count(); i++) {
        slip_model *model = parse(slip_example_text(slip_example_name(i)));
        expect_fixed_point(model, "smooth");
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
        cmocka_unit_test(numbers_may_be_expressions_everywhere),
        cmocka_unit_test(wrong_names_and_keys_are_refused),
        cmocka_unit_test(wrong_expressions_are_refused_at_the_character),
        cmocka_unit_test(commas_without_quotes_are_explained),
        cmocka_unit_test(wrong_matrices_are_refused),
        cmocka_unit_test(wrong_contacts_are_refused),
        cmocka_unit_test(wrong_simulations_are_refused),
        cmocka_unit_test(what_is_not_a_document_is_refused),
        cmocka_unit_test(many_errors_come_in_one_go_and_in_order),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(binary_and_large_files_are_refused),
        cmocka_unit_test(a_million_entries_are_refused_quickly),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(billion_laughs_are_refused),
        cmocka_unit_test(settings_override),
        cmocka_unit_test(a_parameter_goes_before_a_section),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(numbers_are_written_for_every_reader),
        cmocka_unit_test(titles_survive),
        cmocka_unit_test(large_matrices_are_written_row_by_row),
        cmocka_unit_test(a_built_model_is_written_from_its_numbers),
        cmocka_unit_test(functions_are_said_not_to_be_written),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_fixed_model_does_not_change),
        cmocka_unit_test(a_read_model_can_be_changed_and_is_then_written_from_numbers),
        cmocka_unit_test(examples_are_models),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
