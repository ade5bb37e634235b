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

static inline void near(double found, double expected, double error, const char *what)
{
    if (fabs(found - expected) <= error)
        return;
    print_error("%s: found %.16g, expected %.16g: off by %.2e, more than %.2e\n", what, found, expected,
                found - expected, error);
    fail();
}

#endif
