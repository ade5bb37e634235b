/* The choice of modes and penalty: what is chosen is close to what everything would give, and more would not
 * matter. */
#include "gear_test.h"

#include "slipstick/gear_select.h"

#include <string.h>

enum { rows_max = 200 };

static slip_gear_options small_gear(const char *name, int teeth)
{
    slip_gear_options o = gear_small(name, teeth);
    o.backlash = 2e-4;
    o.modes = 120;
    o.mesh = (slip_gear_mesh_options){4, 1, 4, 2, 2, 2};
    return o;
}

typedef struct table {
    slip_gear_select_row rows[rows_max];
    int count;
} table;

static void keep_row(void *user, const slip_gear_select_row *row)
{
    table *t = user;
    assert_true(t->count < rows_max);
    t->rows[t->count++] = *row;
}

static slip_result *run(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_reduced *const bodies[2], const slip_gear_run_options *options)
{
    slip_result *result = NULL;
    if (slip_gear_run(ctx, gears, bodies, options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

/* Of the angular momentum of the wheel, from samples at equal distances. */
static double difference(const slip_result *a, const slip_result *b)
{
    int64_t count;
    const double *u = slip_result_series(a, "wheel.moment", &count),
                 *v = slip_result_series(b, "wheel.moment", NULL);
    double first = 0, second = 0, change = 0, whole = 0;
    for (int64_t i = 0; i < count; i++) {
        first += u[i];
        second += v[i];
        change += (first - second) * (first - second);
        whole += second * second;
    }
    return sqrt(change / whole);
}

static void check_rows(const table *t, double tolerance)
{
    assert_true(t->count > 5);
    assert_string_equal(t->rows[0].what, "start");
    assert_true(isnan(t->rows[0].change));
    for (int i = 1; i < t->count; i++) {
        const slip_gear_select_row *r = &t->rows[i];
        assert_true(r->matters == (r->change > tolerance));
        assert_true(r->penalty >= t->rows[i - 1].penalty);
        assert_true(strcmp(r->what, "penalty") == 0 || strcmp(r->what, "pinion") == 0 ||
                    strcmp(r->what, "wheel") == 0);
    }
}

static void expect_refusal(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_reduced *const bodies[2], const slip_gear_select_options *o,
                           const char *message)
{
    slip_gear_run_options chosen;
    assert_int_equal(slip_gear_select(ctx, gears, bodies, o, NULL, NULL, &chosen), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), message));
}

static void choice_is_enough(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2] = {small_gear("pinion", 12), small_gear("wheel", 15)};
    slip_reduce_options reduce = slip_reduce_options_default();
    slip_reduced *made[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(slip_gear_reduce(ctx, &gears[k], &reduce, &made[k]), SLIP_OK);
    const slip_reduced *const bodies[2] = {made[0], made[1]};
    slip_gear_select_options o = slip_gear_select_options_default();
    slip_gear_run_options chosen;
    static table t;
    o.run.side[0].speed = 5;
    o.run.time = 1e-4;
    o.run.samples = 200;
    o.tolerance = 0.02; /* the bore of this coarse wheel rings by some percent, other modes other percents */
    t.count = 0;
    if (slip_gear_select(ctx, gears, bodies, &o, keep_row, &t, &chosen) < 0)
        fail_msg("%s", slip_context_message(ctx));
    check_rows(&t, o.tolerance);
    assert_true(chosen.penalty > o.run.penalty);
    /* All modes of either gear, or a stiffer contact, change less than the tolerance. */
    slip_result *now = run(ctx, gears, bodies, &chosen);
    for (int what = 0; what < 3; what++) {
        slip_gear_run_options more = chosen;
        if (what < 2)
            more.side[what].modes = -1;
        else
            more.penalty *= 2;
        slip_result *other = run(ctx, gears, bodies, &more);
        assert_true(difference(now, other) < 1.5 * o.tolerance);
        slip_result_destroy(other);
    }
    slip_result_destroy(now);

    /* A penalty that may not be raised is not enough. */
    o.most_penalty = 3e8;
    assert_int_equal(slip_gear_select(ctx, gears, bodies, &o, NULL, NULL, &chosen), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(ctx), "still depends on the penalty"));
    /* Runs that would look the same with any model are no ground to choose one. */
    const slip_gear_select_options good = o;
    o.run.side[0].speed = 0;
    expect_refusal(ctx, gears, bodies, &o, "the gears do not touch");
    o = good;
    o.run.side[1].driven = 1;
    expect_refusal(ctx, gears, bodies, &o, "wheel: found `drive: true`");
    o = good;
    o.run.method = "explicit";
    expect_refusal(ctx, gears, bodies, &o, "found method explicit");
    o = good;
    o.run.side[0].modes = 0;
    assert_int_equal(slip_gear_select(ctx, gears, bodies, &o, NULL, NULL, &chosen), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "found 0 modes to start from"));
    assert_int_equal(slip_gear_select(ctx, gears, NULL, &o, NULL, NULL, &chosen), SLIP_ERROR_MODEL);
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(made[k]);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(choice_is_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
