/* What the tests of contact areas share. */
#ifndef SLIP_TESTS_PATCH_TEST_H
#define SLIP_TESTS_PATCH_TEST_H

#include "patch/patch.h"
#include "patch_reference.h"
#include "test.h"

#include <string.h>

static const double test_pi = 3.14159265358979323846;

static inline slip_patch_options reference_options(int area)
{
    slip_patch_options o = slip_patch_options_default();
    o.surface = "integral";
    if (area == DISC_HERTZ)
        o.pressure = "hertz";
    if (area == RECT_2TO1) {
        o.shape = "rectangle";
        o.sides[0] = 2;
        o.sides[1] = 1;
    }
    if (area == DISC_LINEAR) {
        o.pressure = "linear";
        o.linear[0] = 0.5;
    }
    return o;
}

static inline slip_patch *make_patch(const slip_patch_options *options)
{
    slip_context *ctx = slip_context_create();
    slip_patch *patch = NULL;
    if (slip_patch_create(ctx, options, &patch) < 0) {
        print_error("%s\n", slip_context_message(ctx));
        fail();
    }
    slip_context_destroy(ctx);
    return patch;
}

static inline void direction(double theta, double phi, double q[3])
{
    q[0] = cos(theta) * cos(phi);
    q[1] = cos(theta) * sin(phi);
    q[2] = sin(theta);
}

static inline void random_direction(uint64_t *seed, double q[3])
{
    direction(test_random(seed, -test_pi / 2, test_pi / 2), test_random(seed, 0, 2 * test_pi), q);
}

typedef void (*vector_function)(const void *user, const double q[3], double T[3]);

/* Central differences of order 6 in every variable, against a derivative. */
static inline void check_derivative(vector_function f, const void *user, const double q[3],
                                    const double *derivative, double step, double tolerance)
{
    static const double weights[3] = {0.75, -0.15, 1.0 / 60};
    for (int j = 0; j < 3; j++) {
        double slope[3] = {0, 0, 0};
        for (int k = 1; k <= 3; k++) {
            double up[3] = {q[0], q[1], q[2]}, down[3] = {q[0], q[1], q[2]}, high[3], low[3];
            up[j] += k * step;
            down[j] -= k * step;
            f(user, up, high);
            f(user, down, low);
            for (int i = 0; i < 3; i++)
                slope[i] += weights[k - 1] * (high[i] - low[i]) / step;
        }
        for (int i = 0; i < 3; i++)
            assert_close(derivative[3 * i + j], slope[i], tolerance);
    }
}

#endif
