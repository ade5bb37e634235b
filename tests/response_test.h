/* What is asked of a branch of responses. */
#ifndef SLIP_TESTS_RESPONSE_TEST_H
#define SLIP_TESTS_RESPONSE_TEST_H

#include "motion_test.h"
#include "slipstick/slipstick.h"

/* A series at its k-th point. */
static inline double at(const slip_result *branch, const char *name, int64_t k)
{
    int64_t count = 0;
    const double *series = slip_result_series(branch, name, &count);
    assert_non_null(series);
    assert_true(k < count);
    return series[k];
}

static inline int64_t points_of(const slip_result *branch)
{
    int64_t count = 0;
    slip_result_series(branch, "period", &count);
    return count;
}

#endif
