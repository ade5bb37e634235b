/* Two elastic gears hit each other: balance, energy, and what theory says of the outcome. */
#include "gear_test.h"

#include "gear/gear_impact.h"
#include "slipstick/gear.h"

#include <string.h>

static void small_gears(slip_gear_options gears[2])
{
    for (int k = 0; k < 2; k++) {
        gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
        gears[k].mesh = (slip_gear_mesh_options){6, 2, 4, 2, 3, 2};
    }
}

static slip_gear_run_options options_of(double two_pass, int threads)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.two_pass = two_pass;
    o.threads = threads;
    return o;
}

typedef struct outcome {
    double begin, end; /* of contact */
    double momentum[2], inertia[2];
    double impulse[2]; /* of the contact, about each axis */
    double peak, lost;
    int side; /* of the flanks that touched: 1 left, 0 right */
} outcome;

static double inertia_of(const slip_gear_impact *g, int k)
{
    double sum = 0;
    int first = slip_explicit_rotor_of(g->model, k).first_node;
    for (int i = 0; i < g->mesh[k]->mesh->node_count; i++) {
        const double *x = g->mesh[k]->mesh->points + 3 * i;
        sum += slip_explicit_state_of(g->model).mass[first + i] * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}

/* The balances that hold at every instant. */
static void check_ledger(slip_context *ctx, slip_gear_impact *g, const slip_explicit_ledger *first,
                         const double momentum[2], double tolerance, double *lost)
{
    slip_explicit_ledger now;
    if (slip_explicit_account(ctx, g->model, &now) != SLIP_OK)
        fail_msg("%s", slip_context_message(ctx));
    assert_close_relative(now.total, first->total, tolerance);
    for (int k = 0; k < 2; k++)
        assert_close(slip_explicit_momentum(g->model, k) - momentum[k], g->impulse[k],
                     1e-11 * fabs(momentum[0]));
    *lost = now.lost / first->total;
}

static void run(const slip_gear_options gears[2], const slip_gear_run_options *options, outcome *result)
{
    slip_context *ctx = slip_context_create();
    slip_gear_impact *g = NULL;
    slip_explicit_ledger first;
    gear_pair_group pair;
    if (slip_gear_impact_create(ctx, gear_group(&pair, gears, NULL, options), options, NULL, NULL, NULL,
                                &g) != SLIP_OK)
        fail_msg("%s", slip_context_message(ctx));
    assert_int_equal(slip_explicit_account(ctx, g->model, &first), SLIP_OK);
    *result = (outcome){.begin = NAN, .side = -1};
    double momentum[2];
    int steps = 0;
    for (int k = 0; k < 2; k++) {
        momentum[k] = slip_explicit_momentum(g->model, k);
        result->inertia[k] = inertia_of(g, k);
        assert_close(momentum[k], result->inertia[k] * options->side[k].speed, 1e-12 * fabs(momentum[0]));
    }
    /* Until some time after the contact. */
    while (slip_explicit_state_of(g->model).time < 2e-4 &&
           !(slip_explicit_state_of(g->model).time > result->end + 3e-5)) {
        if (slip_explicit_advance(ctx, g->model, 1) != SLIP_OK)
            fail_msg("%s", slip_context_message(ctx));
        if (g->totals.touching) {
            result->begin = isnan(result->begin) ? g->time : result->begin;
            result->end = g->time;
            result->peak = fmax(result->peak, g->totals.normal_force);
            result->side = g->moment[1] < 0; /* a left flank turns the wheel back */
            if (steps++ % 20 == 0)
                check_ledger(ctx, g, &first, momentum, 0.004, &result->lost);
        }
    }
    check_ledger(ctx, g, &first, momentum, 0.004, &result->lost);
    for (int k = 0; k < 2; k++) {
        result->momentum[k] = slip_explicit_momentum(g->model, k);
        result->impulse[k] = g->impulse[k];
    }
    slip_gear_impact_destroy(g);
    slip_context_destroy(ctx);
}

/* The pinion hits the wheel at rest. Moments of inertia J_k, base radii r_k: an impulse I along the line of
 * action changes the speeds by -I r_k/J_k. A perfectly elastic impact of rigid gears would turn the relative
 * velocity v round, I = 2 v/(r_1^2/J_1 + r_2^2/J_2), a perfectly plastic one has half of it. Elastic gears
 * keep some vibration: they are between. */
static void impact_of_a_pair(void **state)
{
    (void)state;
    slip_gear_options gears[2];
    slip_gear_geometry geometry;
    slip_gear_run_options o = options_of(0.5, 1);
    slip_context *ctx = slip_context_create();
    outcome both, first, back;
    double r[2];
    small_gears(gears);
    run(gears, &o, &both);
    assert_true(both.begin < 1e-6 && both.end > 2e-5 && both.end < 1.5e-4 && both.side == 1);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(slip_gear_measure(ctx, &gears[k], &geometry), SLIP_OK);
        r[k] = geometry.base_radius;
    }
    double elastic = 2 * 5 * r[0] / (r[0] * r[0] / both.inertia[0] + r[1] * r[1] / both.inertia[1]);
    double restitution = -2 * both.impulse[1] / r[1] / elastic - 1;
    assert_true(restitution > 0.5 && restitution < 1);
    /* Six facets along a flank: their normals are off by up to a fortieth. */
    assert_close(both.impulse[1] / both.impulse[0], r[1] / r[0], 0.08);
    /* One pass only: nearly the same. */
    o = options_of(1, 1);
    run(gears, &o, &first);
    assert_close_relative(first.momentum[1], both.momentum[1], 0.03);
    assert_close_relative(first.end, both.end, 0.1);
    /* The other way round: the mirror image, with the right flanks. */
    o = options_of(0.5, 1);
    o.side[0].speed = -5;
    run(gears, &o, &back);
    assert_int_equal(back.side, 0);
    assert_close_relative(back.momentum[1], -both.momentum[1], 1e-6);
    assert_close_relative(back.peak, both.peak, 1e-6);
    slip_context_destroy(ctx);
}

/* Friction takes energy, and the ledger knows how much. */
static void impact_with_friction(void **state)
{
    (void)state;
    slip_gear_options gears[2];
    slip_gear_run_options o = options_of(0.5, 1);
    slip_law law = slip_law_default("tanh");
    outcome result;
    law.mu = 0.3;
    law.velocity = 0.1;
    o.friction = &law;
    o.phase = 0.4;
    o.step = 3e-8; /* friction is damping, which an explicit step has to resolve */
    small_gears(gears);
    run(gears, &o, &result);
    assert_true(result.lost > 0.005 && result.lost < 0.2);
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_impact *g[2];
    slip_gear_run_options o[2];
    gear_pair_group pair[2];
    small_gears(gears);
    for (int k = 0; k < 2; k++) {
        o[k] = options_of(0.5, k + 1);
        assert_int_equal(slip_gear_impact_create(ctx, gear_group(&pair[k], gears, NULL, &o[k]), &o[k], NULL,
                                                 NULL, NULL, &g[k]),
                         SLIP_OK);
        assert_int_equal(slip_explicit_advance(ctx, g[k]->model, 60), SLIP_OK);
        assert_true(g[k]->totals.touching > 0);
    }
    size_t count = (size_t)(g[0]->mesh[0]->mesh->node_count + g[0]->mesh[1]->mesh->node_count);
    assert_memory_equal(slip_explicit_state_of(g[0]->model).position,
                        slip_explicit_state_of(g[1]->model).position, 3 * count * sizeof(double));
    for (int k = 0; k < 2; k++)
        slip_gear_impact_destroy(g[k]);
    slip_context_destroy(ctx);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_impact *g = NULL;
    gear_pair_group pair;
    small_gears(gears);
    slip_gear_run_options o = options_of(0.5, 1);
    const slip_gear_group *group = gear_group(&pair, gears, NULL, &o);
    o.distance = 0.0685;
    assert_int_equal(slip_gear_impact_create(ctx, group, &o, NULL, NULL, NULL, &g), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "the gears are one inside the other at the start"));
    /* A step that the elements do not stand: the limit is named, and what is below it is accepted. */
    o = options_of(0.5, 1);
    o.step = 1e-6;
    assert_int_equal(slip_gear_impact_create(ctx, group, &o, NULL, NULL, NULL, &g), SLIP_ERROR_MODEL);
    const char *limit = strstr(slip_context_message(ctx), "expected at most ");
    assert_non_null(limit);
    o.step = 0.999 * strtod(limit + strlen("expected at most "), NULL);
    assert_true(o.step > 0 && o.step < 1e-6);
    assert_int_equal(slip_gear_impact_create(ctx, group, &o, NULL, NULL, NULL, &g), SLIP_OK);
    slip_gear_impact_destroy(g);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(impact_of_a_pair),
        cmocka_unit_test_of_numbers(impact_with_friction),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(bad_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
