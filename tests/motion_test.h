/* What the tests of motions of model files share: a run by a given method, and what must be near to what. */
#ifndef SLIP_TESTS_MOTION_TEST_H
#define SLIP_TESTS_MOTION_TEST_H

#include "model_test.h"

#include <math.h>

static inline void good(int status)
{
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_true(status >= 0);
}

/* How a model is run, and how far from the truth it may be. */
typedef struct way {
    const char *method, *segments;
    double step, tolerance, error;
} way;

static inline slip_result *run(const slip_model *model, way how)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = how.method;
    options.segments = how.segments;
    options.step = how.step;
    options.tolerance = how.tolerance;
    good(slip_run(ctx, model, &options, &result));
    return result;
}

static inline slip_result *run_by(const slip_model *model, const char *method, double step, double tolerance)
{
    return run(model, (way){method, NULL, step, tolerance, 0});
}

/* As the model's own section says. */
static inline slip_result *run_as_said(const slip_model *model)
{
    return run_by(model, NULL, NAN, NAN);
}

static inline slip_result *run_text_as_said(const char *text)
{
    slip_model *model = parse(text);
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    return result;
}

static inline double last_of(const slip_result *result, const char *name)
{
    int64_t count = 0;
    const double *series = slip_result_series(result, name, &count);
    if (!series)
        print_error("no series %s\n", name);
    assert_true(series && count > 0);
    return series[count - 1];
}

/* The largest difference of a series over the times that both have, which are more than 40; and the largest
 * number of the second there. */
static inline double difference(const slip_result *a, const slip_result *b, const char *name, double *size)
{
    int64_t count = 0, other = 0, met = 0;
    const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other),
                 *s = slip_result_series(a, "t", NULL), *t = slip_result_series(b, "t", NULL);
    double most = 0;
    if (!x || !y)
        print_error("no series %s\n", name);
    assert_true(x && y);
    *size = 0;
    for (int64_t i = 0, k = 0; i < count; i++) {
        while (k + 1 < other && t[k] < s[i] - 1e-9)
            k++;
        if (fabs(t[k] - s[i]) > 1e-9)
            continue;
        most = fmax(most, fabs(x[i] - y[k]));
        *size = fmax(*size, fabs(y[k]));
        met++;
    }
    assert_true(met > 40);
    return most;
}

static inline void near(double found, double expected, double error, const char *what)
{
    if (fabs(found - expected) <= error)
        return;
    print_error("%s: found %.16g, expected %.16g: off by %.2e, more than %.2e\n", what, found, expected,
                found - expected, error);
    fail();
}

#endif
