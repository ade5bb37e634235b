/* A small pair of gears for the tests of condensed attachment vectors, and its runs. */
#ifndef SLIP_TESTS_CONDENSED_TEST_H
#define SLIP_TESTS_CONDENSED_TEST_H

#include "gear_test.h"

#include "base/context.h"
#include "slipstick/gear_run.h"

enum { modes = 30 };

typedef struct fixture {
    slip_context *ctx;
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
} fixture;

static inline void choose_gears(slip_gear_options gears[2], int mode_count)
{
    for (int k = 0; k < 2; k++) {
        gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
        gears[k].mesh = (slip_gear_mesh_options){6, 2, 4, 2, 3, 2};
        gears[k].modes = mode_count;
    }
}

static inline fixture *make_fixture(int mode_count)
{
    fixture *f = calloc(1, sizeof *f);
    slip_reduce_options options = slip_reduce_options_default();
    f->ctx = slip_context_create();
    choose_gears(f->gears, mode_count);
    for (int k = 0; k < 2; k++)
        if (slip_gear_reduce(f->ctx, &f->gears[k], &options, &f->bodies[k]) < 0)
            fail_msg("%s", slip_context_message(f->ctx));
    return f;
}

static inline void free_fixture(fixture *f)
{
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(f->bodies[k]);
    slip_context_destroy(f->ctx);
    free(f);
}

static inline int set_up(void **state)
{
    *state = make_fixture(modes);
    return 0;
}

static inline int tear_down(void **state)
{
    free_fixture(*state);
    return 0;
}

/* The pinion with 5 rad/s against the wheel at rest, as long as they touch and some more. */
static inline slip_gear_run_options impact(void)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.time = 1e-4;
    o.samples = 201;
    return o;
}

static inline slip_result *run(const fixture *f, const slip_gear_run_options *o)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_result *r = NULL;
    if (slip_gear_run(f->ctx, f->gears, bodies, o, &r) != SLIP_OK)
        fail_msg("%s", slip_context_message(f->ctx));
    return r;
}

static inline double number(const slip_result *r, const char *name)
{
    return slip_result_number(r, name);
}

/* The largest difference of a series over its largest value. */
static inline double distance(const slip_result *a, const slip_result *b, const char *name)
{
    int64_t count, other;
    const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other);
    double worst = 0, largest = 0;
    assert_int_equal(count, other);
    for (int64_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return worst / largest;
}

#endif
