/* Parameters from data that were made with known ones: exactly without noise; with noise within three
 * standard deviations, in 95 of 100 seeds. */
#include "model_test.h"

#include "slipstick/fit.h"
#include "slipstick/run.h"
#include "test_folder.h"

#include <math.h>
#include <stdlib.h>

static char folder[test_path_size];

static int set_up(void **state)
{
    test_folder_make(folder);
    return setup(state);
}

static int tear_down(void **state)
{
    test_folder_remove(folder);
    return teardown(state);
}

static slip_model *load(const char *name)
{
    slip_model *model = NULL;
    const char *text = slip_example_text(name);
    assert_non_null(text);
    assert_int_equal(slip_model_parse(ctx, text, name, NULL, &model), SLIP_OK);
    return model;
}

/* ---- Noise: sums of twelve even numbers, from a seed. */

static double even(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += even(seed);
    return sum;
}

/* ---- Measurements: a run with the true numbers. */

typedef struct truth {
    const char *name;
    double value;
} truth;

static slip_result *measure(const slip_model *model, const truth *truths, int count)
{
    slip_run_options options = slip_run_options_default();
    slip_values *values = NULL;
    slip_result *result = NULL;
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    for (int k = 0; k < count; k++)
        assert_int_equal(slip_values_set(ctx, values, truths[k].name, truths[k].value), SLIP_OK);
    options.values = values;
    options.record_events = 0;
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_OK);
    slip_values_destroy(values);
    return result;
}

static void write_series(const char *path, const slip_result *run, const char *const *names,
                         const double *noise, uint64_t seed)
{
    int64_t count;
    const double *t = slip_result_series(run, "t", &count);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# measured\nt");
    for (int k = 0; names[k]; k++)
        fprintf(file, ",%s", names[k]);
    fprintf(file, ",other\n");
    for (int64_t i = 0; i < count; i++) {
        fprintf(file, "%.17g", t[i]);
        for (int k = 0; names[k]; k++)
            fprintf(file, ",%.17g", slip_result_series(run, names[k], NULL)[i] + noise[k] * normal(&seed));
        fprintf(file, ",1\n");
    }
    assert_int_equal(fclose(file), 0);
}

static slip_result *fit(const slip_model *model, const char *path)
{
    slip_fit_options options = slip_fit_options_default();
    slip_result *result = NULL;
    options.data = path;
    const int status = slip_fit(ctx, model, &options, &result);
    if (status != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    return result;
}

static double number(const slip_result *result, const char *group, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "%s.%s", group, name);
    return slip_result_number(result, path);
}

/* ---- Tests. */

static const truth coulomb[] = {{"mu", 0.31}, {"c", 0.16}},
                   lugre[] = {{"mu", 0.4}, {"viscous", 0.3}, {"stiffness", 300}};
static const char *const only_x[] = {"x", NULL}, *const both[] = {"x", "x'", NULL};

static void exact_data(void **state)
{
    static const double none[] = {0, 0};
    const struct {
        const char *model;
        const truth *truths;
        int count;
        const char *const *names;
        double tolerance;
    } cases[] = {{"fit-coulomb", coulomb, 2, only_x, 1e-8}, {"fit-lugre", lugre, 3, both, 1e-4}};
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        char path[test_path_size];
        slip_model *model = load(cases[c].model);
        slip_result *run = measure(model, cases[c].truths, cases[c].count);
        test_path(path, folder, "exact.csv");
        write_series(path, run, cases[c].names, none, 1);
        slip_result *result = fit(model, path);
        for (int k = 0; k < cases[c].count; k++)
            assert_close(number(result, "value", cases[c].truths[k].name), cases[c].truths[k].value,
                         cases[c].tolerance * cases[c].truths[k].value);
        assert_true(slip_result_number(result, "converged") == 1);
        slip_result_destroy(result);
        slip_result_destroy(run);
        slip_model_destroy(model);
    }
}

/* Times of events tell the same as the motion does. */
static void event_times(void **state)
{
    char path[test_path_size];
    slip_model *model = load("fit-coulomb");
    slip_result *run = measure(model, coulomb, 2);
    FILE *file;
    (void)state;
    test_path(path, folder, "events.csv");
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,contact,from,to\n");
    for (int64_t k = 0; k < slip_result_event_count(run); k++) {
        const slip_event *event = slip_result_event(run, k);
        fprintf(file, "%.17g,guide,%s,%s\n", event->time, slip_mode_name(event->from),
                slip_mode_name(event->to));
    }
    fclose(file);
    slip_fit_options options = slip_fit_options_default();
    slip_result *result = NULL;
    const char *const vary[] = {"c=0:5", NULL};
    slip_values *values = NULL;
    slip_run_options how = slip_run_options_default();
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    assert_int_equal(slip_values_set(ctx, values, "mu", 0.31), SLIP_OK);
    assert_int_equal(slip_values_set(ctx, values, "c", 0.17),
                     SLIP_OK); /* with it the last events are the same */
    how.values = values;
    options.data = path;
    options.vary = vary;
    options.run = &how;
    assert_int_equal(slip_fit(ctx, model, &options, &result), SLIP_OK);
    assert_close(number(result, "value", "c"), 0.16, 1e-6);
    slip_result_destroy(result);
    slip_values_destroy(values);
    slip_result_destroy(run);
    slip_model_destroy(model);
}

/* The share of seeds in which all parameters are within three standard deviations. */
static void with_noise(const char *name, const truth *truths, int count, const char *const *names,
                       const double *noise, int seeds)
{
    char path[test_path_size];
    slip_model *model = load(name);
    slip_result *run = measure(model, truths, count);
    double spread = 0;
    int good = 0;
    test_path(path, folder, "noisy.csv");
    for (int seed = 1; seed <= seeds; seed++) {
        bool within = true;
        write_series(path, run, names, noise, (uint64_t)seed * 7919);
        slip_result *result = fit(model, path);
        for (int k = 0; k < count; k++) {
            const double off = (number(result, "value", truths[k].name) - truths[k].value) /
                               number(result, "error", truths[k].name);
            within = within && fabs(off) <= 3;
            spread += off * off;
        }
        good += within;
        assert_close(number(result, "noise", "x"), noise[0], 0.3 * noise[0]);
        slip_result_destroy(result);
    }
    spread = sqrt(spread / (seeds * count));
    print_message("%s: %d of %d seeds within three standard deviations, deviations of %.3g on the average\n",
                  name, good, seeds, spread);
    assert_true(good >= 0.95 * seeds);
    /* and the errors are not just large: deviations are about one of them */
    assert_true(spread > 0.5 && spread < 1.6);
    slip_result_destroy(run);
    slip_model_destroy(model);
}

static int seeds_of(int few, int all)
{
    return test_all() ? all : few;
}

static void noise_coulomb(void **state)
{
    static const double noise[] = {0.003};
    (void)state;
    with_noise("fit-coulomb", coulomb, 2, only_x, noise, seeds_of(20, 100));
}

static void noise_lugre(void **state)
{
    static const double noise[] = {0.002, 0.02};
    (void)state;
    with_noise("fit-lugre", lugre, 3, both, noise, seeds_of(2, 100));
}

/* A truth beyond a bound is found at the bound, and has no error. */
static void bounds(void **state)
{
    static const double none[] = {0};
    static const char *const vary[] = {"mu=0.1:0.25", "c=0:5", NULL};
    char path[test_path_size];
    slip_model *model = load("fit-coulomb");
    slip_result *run = measure(model, coulomb, 2), *result = NULL;
    slip_fit_options options = slip_fit_options_default();
    (void)state;
    test_path(path, folder, "bounds.csv");
    write_series(path, run, only_x, none, 1);
    options.data = path;
    options.vary = vary;
    assert_int_equal(slip_fit(ctx, model, &options, &result), SLIP_OK);
    assert_close(number(result, "value", "mu"), 0.25, 1e-12);
    assert_true(isnan(number(result, "error", "mu")));
    slip_result_destroy(result);
    slip_result_destroy(run);
    slip_model_destroy(model);
}

static void refuse(const slip_model *model, const char *text, const char *const *vary, const char *expected)
{
    char path[test_path_size];
    slip_result *result = NULL;
    slip_fit_options options = slip_fit_options_default();
    test_path(path, folder, "bad.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    options.data = path;
    options.vary = vary;
    assert_true(slip_fit(ctx, model, &options, &result) < 0);
    assert_null(result);
    if (!strstr(slip_context_message(ctx), expected)) {
        print_error("found %s\nexpected %s\n", slip_context_message(ctx), expected);
        fail();
    }
}

static void bad_input(void **state)
{
    slip_model *model = load("fit-coulomb");
    const char *good = "t,x\n0,0.3\n1,0.1\n2,0\n3,0\n";
    (void)state;
    refuse(model, "", NULL, "expected numbers");
    refuse(model, "t\n1\n", NULL, "names of 2 to 1000 columns");
    refuse(model, "x,y\n1,2\n", NULL, "a column `t`");
    refuse(model, "t,y\n1,2\n", NULL, "expected one of the names");
    refuse(model, "t,x\n1,2\n0,2\n", NULL, "bad.csv:3: time");
    refuse(model, "t,x\n1,a\n", NULL, "bad.csv:2: a number: found `a`");
    refuse(model, "t,x\n1\n", NULL, "as many fields");
    refuse(model, "t,x\n0,1\n1,0,5\n", NULL, "bad.csv:3: a row: found 3 fields");
    refuse(model, "\xef\xbb\xbft, x\r\n 0 ,1,\r\n1,\ta\r\n", NULL, "bad.csv:3: a number: found `a`");
    refuse(model, "t,x\n1,2\n", NULL, "expected more than the 2 parameters");
    refuse(model, "t,x\n-1,2\n0,1\n1,1\n", NULL, "before the run does");
    refuse(model, "time,contact,from,to\n1,gide,stick,slip+\n", NULL, "a contact of the model");
    refuse(model, "time,contact,from,to\n1,guide,stik,slip+\n", NULL, "open, stick");
    refuse(model, good, (const char *const[]){"nu", NULL}, "no parameter `nu`");
    refuse(model, good, (const char *const[]){"mu=0.5:0.6", NULL}, "within its bounds");
    refuse(model, good, (const char *const[]){"mu=1", NULL}, "expected NAME or NAME=LOW:HIGH");
    refuse(model, good, (const char *const[]){"mu", "mu", NULL}, "twice");
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),      cmocka_unit_test(bad_input),
        cmocka_unit_test(event_times), cmocka_unit_test_of_numbers(noise_coulomb),
        cmocka_unit_test(exact_data),  cmocka_unit_test_of_numbers(noise_lugre),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
