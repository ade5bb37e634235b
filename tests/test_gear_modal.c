/* Two gears by modes and attachment modes: residual vectors of some nodes, near nodes, balances, switching.
 */
#include "gear_test.h"

#include "gear/gear_modal.h"
#include "gear/gear_stability.h"

#include <string.h>

static gear_fixture fixture;

static int set_up(void **state)
{
    (void)state;
    gear_fixture_make(&fixture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gear_fixture_free(&fixture);
    return 0;
}

static slip_gear_modal *make(const slip_gear_run_options *options)
{
    slip_gear_modal *m = NULL;
    if (slip_gear_modal_create(fixture.ctx, fixture.gears, fixture.bodies, options, &m) < 0)
        fail_msg("%s", slip_context_message(fixture.ctx));
    return m;
}

/* ---- Residual vectors. */

/* Random nodes; those of `within` only, where it is given. */
static void choose(uint64_t *seed, int nodes, const unsigned char *within, unsigned char *set)
{
    for (int i = 0; i < nodes; i++)
        set[i] = (!within || within[i]) && test_random(seed, 0, 1) < 0.4;
    set[3] = !within || within[3];
}

/* The displacement of a direction: with the rows of the coordinates. */
static double displacement(const slip_gear_wheel *w, const slip_gear_basis *b, double *scratch,
                           const double *p, int direction)
{
    const int node = direction / 3;
    double rows[3 * 400], sum = 0;
    slip_gear_basis_rows(w, b, false, 1, &node, scratch, rows);
    for (int i = 0; i < b->count; i++)
        sum += rows[direction % 3 * b->count + i] * p[i];
    return sum;
}

static void vectors_of_some_nodes(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", 1e9);
    o.side[0].modes = 12;
    slip_gear_modal *m = make(&o);
    const slip_gear_wheel *w = m->gear[0].wheel;
    slip_gear_basis wide, narrow;
    unsigned char set[400] = {0}, part[400] = {0};
    double f[400], a[400], p[400], rate[400], scratch[400], next[400], momenta[400];
    uint64_t seed = 3;
    assert_int_equal(slip_gear_basis_reserve(fixture.ctx, &m->arena, w->size, true, &wide), SLIP_OK);
    assert_int_equal(slip_gear_basis_reserve(fixture.ctx, &m->arena, w->size, true, &narrow), SLIP_OK);
    choose(&seed, w->nodes, NULL, set);
    choose(&seed, w->nodes, set, part);
    assert_int_equal(slip_gear_basis_make(fixture.ctx, w, set, m->scratch, &wide), SLIP_OK);
    assert_int_equal(slip_gear_basis_make(fixture.ctx, w, part, m->scratch, &narrow), SLIP_OK);
    assert_true(narrow.count > 0 && narrow.count < wide.count && wide.count < w->size);
    /* Quasi-statically an amplitude is the nodal force, and the displacement that of the flexibility. */
    for (int i = 0; i < wide.count; i++)
        f[i] = test_random(&seed, -1, 1);
    memset(p, 0, sizeof p);
    for (int k = 0; k < wide.count; k++)
        for (int i = 0; i < wide.count; i++) {
            double sum = 0; /* of G f */
            for (int j = 0; j < wide.count; j++)
                sum += w->rest.flexibility[wide.direction[i] * w->size + wide.direction[j]] * f[j];
            p[k] += wide.vectors[k * wide.count + i] * sum / wide.square[k];
        }
    slip_gear_basis_amplitudes(&wide, p, a);
    for (int i = 0; i < wide.count; i++)
        assert_close(a[i], f[i], 1e-8);
    /* A smaller set keeps the nodes that it has where they are. */
    slip_gear_basis_carry(w, &wide, a, f, &narrow, scratch, next, momenta);
    for (int i = 0; i < narrow.count; i++) {
        double before = displacement(w, &wide, m->scratch, p, narrow.direction[i]);
        assert_close(displacement(w, &narrow, m->scratch, next, narrow.direction[i]), before,
                     1e-9 * fabs(before) + 1e-18);
    }
    /* A larger one has the old amplitudes and rates, and new ones that are zero. */
    slip_gear_basis_amplitudes(&narrow, next, a);
    slip_gear_basis_amplitudes(&narrow, momenta, rate);
    slip_gear_basis_carry(w, &narrow, a, rate, &wide, scratch, p, next);
    slip_gear_basis_amplitudes(&wide, p, f);
    slip_gear_basis_amplitudes(&wide, next, momenta);
    for (int i = 0, k = 0; i < wide.count; i++) {
        bool old = k < narrow.count && narrow.direction[k] == wide.direction[i];
        assert_close(f[i], old ? a[k] : 0, 1e-6);
        assert_close(momenta[i], old ? rate[k] : 0, 1e-6);
        k += old;
    }
    slip_gear_modal_destroy(m);
}

/* ---- Motion. */

/* Gears that are pressed into each other, with their attachment modes on. */
static slip_gear_modal *pressed(const slip_gear_run_options *options, double margin)
{
    slip_gear_modal *m = make(options);
    bool changed;
    m->margin = margin > 0 ? margin : m->margin;
    slip_gear_modal_start(m, m->pair->sense * 2e-4);
    double *slope = calloc(2 * (size_t)m->capacity + slip_modal_sums, sizeof *slope);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(slip_gear_modal_follow(fixture.ctx, m), SLIP_OK);
        slip_gear_modal_evaluate(m, m->state, slope);
        assert_int_equal(slip_gear_modal_switch(fixture.ctx, m, &changed), SLIP_OK);
    }
    assert_true(m->pair->totals.touching > 0 && !m->missed);
    free(slope);
    return m;
}

/* With only the near nodes in motion everything is as with all nodes. */
static void far_nodes_do_not_matter(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("all", 1e9);
    slip_gear_modal *near = pressed(&o, 0), *all = pressed(&o, 1);
    int n = 2 * near->count + slip_modal_sums, listed[2] = {0};
    double *slope[2];
    uint64_t seed = 9;
    assert_int_equal(near->count, all->count);
    for (int i = 0; i < near->count; i++)
        near->state[i] = all->state[i] += i > 0 ? test_random(&seed, -1e-9, 1e-9) : 0;
    for (int k = 0; k < 2; k++) {
        slip_gear_modal *m = k ? all : near;
        slope[k] = calloc((size_t)n, sizeof **slope);
        slip_gear_modal_evaluate(m, m->state, slope[k]);
        for (int i = 0; i < m->gear[0].flank_count; i++)
            listed[k] += m->gear[0].flanks[i]->near_count;
    }
    assert_true(listed[0] < listed[1] / 2);
    assert_true(near->pair->totals.normal_force > 100);
    for (int i = 0; i < n; i++)
        assert_close(slope[0][i], slope[1][i], 1e-12 * fabs(slope[1][i]) + 1e-7);
    for (int k = 0; k < 2; k++)
        free(slope[k]);
    slip_gear_modal_destroy(near);
    slip_gear_modal_destroy(all);
}

static void step(slip_gear_modal *m, double h, double *slope, double *stage, double *sum)
{
    static const double next[4] = {0.5, 0.5, 1, 0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    int n = 2 * m->count + slip_modal_sums;
    memcpy(stage, m->state, sizeof(double) * (size_t)n);
    memcpy(sum, m->state, sizeof(double) * (size_t)n);
    for (int k = 0; k < 4; k++) {
        slip_gear_modal_evaluate(m, stage, slope);
        for (int i = 0; i < n; i++) {
            sum[i] += h * weight[k] * slope[i];
            stage[i] = m->state[i] + h * next[k] * slope[i];
        }
    }
    memcpy(m->state, sum, sizeof(double) * (size_t)n);
}

typedef struct outcome {
    double force, energy, momentum[2]; /* at the end; change, with what was lost and done; off the impulse */
} outcome;

/* Pressed gears in motion while nothing changes in their contact. */
static outcome spring_back(const slip_gear_run_options *options, int steps)
{
    slip_gear_modal *m = pressed(options, 0);
    size_t n = 2 * (size_t)m->capacity + slip_modal_sums;
    double *slope = calloc(n, sizeof *slope), *stage = calloc(n, sizeof *stage),
           *sum = calloc(n, sizeof *sum);
    int touching = m->pair->totals.touching;
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_modal_account first = slip_gear_modal_measure(m);
    double contact = m->pair->totals.energy;
    for (int i = 0; i < steps; i++) {
        step(m, 3.2e-6 / steps, slope, stage, sum);
        assert_int_equal(m->pair->totals.touching, touching);
    }
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_modal_account last = slip_gear_modal_measure(m);
    const double *sums = m->state + 2 * m->count;
    assert_true(last.strain > 1e-4 * contact); /* something has happened */
    outcome result = {.force = m->pair->totals.normal_force,
                      .energy = (last.kinetic + last.strain + m->pair->totals.energy + sums[SLIP_MODAL_LOST] -
                                 sums[SLIP_MODAL_WORK] - first.kinetic - first.strain - contact) /
                                contact};
    for (int k = 0; k < 2; k++)
        result.momentum[k] = (last.momentum[k] - first.momentum[k] - sums[SLIP_MODAL_IMPULSE + k]) /
                             (first.momentum[0] + 1e-3 * contact);
    slip_gear_modal_destroy(m);
    free(slope);
    free(stage);
    free(sum);
    return result;
}

/* With contact that stays as it is the equations are smooth: errors fall with the fourth power of the step,
 * also those of energy and momentum; turning fast, with torque, inertia and a drive. */
static void balances_are_of_fourth_order(void **state)
{
    (void)state;
    static const char *const reductions[] = {"none", "all", "switch"};
    for (int i = 0; i < 4; i++) {
        slip_gear_run_options o = gear_impact(reductions[i % 3], 1e8);
        o.side[0].speed = i == 2 ? 55 : 5;
        o.side[1].speed = i == 2 ? -40 : 0;
        o.side[1].torque = 3;
        o.side[1].inertia = 1e-5;
        o.side[0].driven = i == 3;
        outcome coarse = spring_back(&o, 40), middle = spring_back(&o, 80), fine = spring_back(&o, 160);
        double order = log2((coarse.force - middle.force) / (middle.force - fine.force));
        if (!(order > 3.7 && order < 5.3))
            fail_msg("%s: order %g", reductions[i % 3], order);
        assert_true(fabs(fine.energy) < fabs(middle.energy) / 12 + 1e-10 && fabs(fine.energy) < 1e-5);
        for (int k = 0; k < 2; k++)
            assert_close(fine.momentum[k], 0, 1e-8);
    }
}

/* ---- Switching. */

/* Other nodes touch than those whose attachment modes are on. */
static void switching_keeps_momentum(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", 1e9);
    slip_gear_modal *m = pressed(&o, 0);
    double *slope = calloc(2 * (size_t)m->capacity + slip_modal_sums, sizeof *slope);
    uint64_t seed = 2;
    bool changed;
    for (int i = 0; i < m->count; i++)
        m->state[m->count + i] = test_random(&seed, -1, 1);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++)
            for (int j = 0; j < m->gear[k].flanks[i]->basis.count; j++)
                m->state[m->gear[k].flanks[i]->at + j] = test_random(&seed, -1e-11, 1e-11);
    m->state[m->gear[0].at] -= m->pair->sense * 1.5e-3; /* far apart */
    slip_modal_account before = slip_gear_modal_measure(m);
    int count = m->count;
    m->missed = true;
    assert_int_equal(slip_gear_modal_follow(fixture.ctx, m), SLIP_OK);
    slip_gear_modal_evaluate(m, m->state, slope);
    assert_int_equal(m->pair->totals.touching, 0);
    assert_int_equal(slip_gear_modal_switch(fixture.ctx, m, &changed), SLIP_OK);
    assert_true(changed && m->count < count);
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_gear_modal_settle(m);
    slip_modal_account after = slip_gear_modal_measure(m);
    for (int k = 0; k < 2; k++)
        assert_close_relative(after.momentum[k], before.momentum[k], 1e-12);
    double taken = before.kinetic + before.strain - after.kinetic - after.strain;
    assert_true(taken > 0);
    assert_close_relative(m->switched, taken, 1e-9);
    assert_close_relative(m->state[2 * m->count + SLIP_MODAL_LOST], taken, 1e-9);
    free(slope);
    slip_gear_modal_destroy(m);
}

/* ---- Stability. */

static void limits_of_the_method(void **state)
{
    (void)state;
    assert_close(slip_rk4_limit(1, 0), 2 * sqrt(2), 1e-9);
    assert_close(slip_rk4_limit(4, 0), sqrt(2), 1e-9);
    assert_close(slip_rk4_limit(0, 1), 2.785293563405, 1e-9); /* the real root of R = 1 */
    assert_true(isinf(slip_rk4_limit(0, 0)));
    assert_true(slip_rk4_limit(1, 2) > 2.5 && slip_rk4_limit(1, 2) < 2.786);
}

/* Power iteration finds what the whole matrix of differences has. */
static void stiffest_motion_is_found(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", 1e10);
    slip_gear_modal *m = pressed(&o, 0);
    slip_gear_stability s;
    assert_int_equal(slip_gear_stability_create(fixture.ctx, m, &s), SLIP_OK);
    int n = m->count;
    double *a = calloc((size_t)(n * n), sizeof *a), *x = calloc(2 * (size_t)n, sizeof *x), *y = x + n,
           value = 0;
    slip_gear_modal_evaluate(m, m->state, s.base);
    for (int k = 0; k < n; k++) {
        memcpy(s.state, m->state, sizeof(double) * (2 * (size_t)n + slip_modal_sums));
        s.state[k] += 1e-12;
        slip_gear_modal_evaluate(m, s.state, s.slope);
        for (int i = 0; i < n; i++)
            a[i * n + k] = (s.base[n + i] - s.slope[n + i]) / 1e-12;
        x[k] = 1 + k % 7;
    }
    for (int pass = 0; pass < 3000; pass++) {
        double size = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int k = 0; k < n; k++)
                y[i] += a[i * n + k] * x[k];
            size += y[i] * y[i];
        }
        value = sqrt(size);
        for (int i = 0; i < n; i++)
            x[i] = y[i] / value;
    }
    double exact = slip_rk4_limit(value, 0), found = slip_gear_stability_limit(&s, m, true, 60);
    assert_true(found <= exact && found > 0.85 * exact);
    free(a);
    free(x);
    slip_gear_modal_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_some_nodes),        cmocka_unit_test(far_nodes_do_not_matter),
        cmocka_unit_test(balances_are_of_fourth_order), cmocka_unit_test(switching_keeps_momentum),
        cmocka_unit_test(limits_of_the_method),         cmocka_unit_test(stiffest_motion_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
