/* What tests of basins share: a belt with a falling law, and a basin that has to be found. */
#ifndef SLIP_TESTS_BASIN_TEST_H
#define SLIP_TESTS_BASIN_TEST_H

#include "model_test.h"

#include "slipstick/basin.h"

#define BELT                                                                                                 \
    "slipstick: 1\nparameters: {vb: 1.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\n"                 \
    "stiffness: [[1]]\ncontacts: {belt: {kind: friction, slip: \"x' - vb\", law: {type: stribeck, mu: "      \
    "0.5, static_ratio: 2, velocity: 0.5, exponent: 1}}}\nsimulate: {time: [0, 60]}\n"

static inline slip_result *basin(const slip_model *model, const slip_basin_options *options)
{
    slip_result *result = NULL;
    if (slip_basin(ctx, model, options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

#endif
