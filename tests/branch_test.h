/* What tests of branches share: a branch that is followed, and all of its labels in their order. */
#ifndef SLIP_TESTS_BRANCH_TEST_H
#define SLIP_TESTS_BRANCH_TEST_H

#include "motion_test.h"
#include "slipstick/slipstick.h"
#include "test.h"

#define OSCILLATOR                                                                                           \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\norbit: {period: 2*pi/w}\n"               \
    "simulate: {time: [0, 200]}\n"

static inline slip_result *follow(const char *text, const char *over, double start, double spacing,
                                  int doublings)
{
    slip_model *model = parse(text);
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    slip_result *branch = NULL;
    good(slip_axis_parse(ctx, over, &axis));
    options.axis = &axis;
    options.start = start;
    options.spacing = spacing;
    options.doublings = doublings;
    options.points = 1000;
    good(slip_branch_follow(ctx, model, &options, &branch));
    int64_t count = 0;
    const double *p = slip_result_series(branch, axis.name, &count);
    for (int64_t k = 0; k < count; k++) /* never outside of the range */
        assert_true(p[k] >= fmin(axis.from, axis.to) && p[k] <= fmax(axis.from, axis.to));
    const char *signature = NULL;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) { /* each way changes what it has come to */
        const slip_label *label = slip_result_label(branch, k);
        const bool changes = strcmp(label->type, "GR") == 0 || strcmp(label->type, "SL") == 0;
        if (changes && signature)
            assert_string_equal(label->from, signature);
        signature = changes ? label->to : strcmp(label->type, "EP") == 0 ? NULL : signature;
    }
    slip_axis_free(&axis);
    slip_model_destroy(model);
    return branch;
}

/* All labels, in their order. */
typedef struct expected {
    const char *type;
    double value, error;
} expected;

static inline void expect_labels(slip_result *branch, const expected *list, int64_t count)
{
    bool right = slip_result_label_count(branch) == count;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) {
        const slip_label *label = slip_result_label(branch, k);
        right = right && strcmp(label->type, list[k].type) == 0 &&
                fabs(label->value - list[k].value) <= list[k].error;
        if (!right)
            print_error("label %d: %s %.15g %s\n", (int)k, label->type, label->value, label->note);
    }
    assert_true(right);
    slip_result_destroy(branch);
}
#define EXPECT(branch, ...)                                                                                  \
    expect_labels((branch), (const expected[]){__VA_ARGS__},                                                 \
                  (int64_t)(sizeof((const expected[]){__VA_ARGS__}) / sizeof(expected)))

#endif
