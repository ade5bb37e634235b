/* Systems in a few lines, and runs of the fixed-step methods on them. */
#ifndef SLIP_TESTS_FIXED_TEST_H
#define SLIP_TESTS_FIXED_TEST_H

#include "method/fixed/fixed.h"
#include "method/types.h"
#include "system_builder.h"

#include <string.h>

static inline void add_stop(bench *b, const char *name, const char *gap, const char *slip, double mu,
                            double e, bool impact_friction)
{
    slip_law law = coulomb(mu, 1);
    add_unilateral(b, name, gap, slip, slip ? &law : NULL, e, impact_friction);
}

enum { most = 12 };
typedef struct outcome {
    double t, q[most], v[most];
    slip_method_counters counters;
    int status;
} outcome;

typedef struct settings {
    const char *method;
    double step, theta;
} settings;

static inline outcome run(bench *b, settings s, const double *q, const double *v, double end,
                          const slip_observer *observer)
{
    outcome o = {0};
    void *self = NULL;
    slip_observer none = {0};
    slip_method_options options = {
        .tolerance = 1e-8, .step = s.step, .span = end, .theta = s.theta > 0 ? s.theta : NAN};
    const slip_method_type *type = slip_method_find(s.method);
    assert_int_equal(slip_system_finish(b->ctx, b->system), SLIP_OK);
    o.status = type->open(b->ctx, b->system, &options, 0, q, v, &self);
    if (o.status != SLIP_OK)
        return o;
    o.status = type->advance(self, end, observer ? observer : &none);
    type->state(self, &o.t, o.q, o.v);
    type->counters(self, &o.counters);
    type->close(self);
    return o;
}

#endif
