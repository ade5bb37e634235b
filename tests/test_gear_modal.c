/* Two gears by modes and attachment modes: attachment vectors of some nodes, near nodes, balances, switching.
 */
#include "gear_test.h"

#include "gear/modal/gear_modal.h"
#include "gear/modal/gear_stability.h"

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
    gear_pair_group pair;
    if (slip_gear_modal_create(fixture.ctx, gear_group(&pair, fixture.gears, fixture.bodies, options), &m) <
        0)
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

/* Coordinates of a basis at rest under forces on the directions of the flank: p = rows^T f / Omega^2. */
static void press(const slip_gear_attachment *r, const slip_gear_basis *b, double *scratch, const double *f,
                  double *p)
{
    double rows[3 * 400];
    for (int k = 0; k < b->count; k++)
        p[k] = 0;
    for (int node = 0; node < r->gear->nodes; node++) {
        slip_gear_basis_rows(r, b, false, 1, &node, scratch, rows);
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < b->count; k++)
                p[k] += rows[d * b->count + k] * f[3 * node + d] / b->square[k];
    }
}

static void expect_displacements(const slip_gear_attachment *r, const slip_gear_basis *b, const double *p,
                                 const double *expected)
{
    double scratch[400], found[400], largest = 0;
    slip_gear_basis_displace(r, b, p, scratch, found);
    for (int i = 0; i < r->gear->size; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int i = 0; i < r->gear->size; i++)
        assert_close(found[i], expected[i], 1e-9 * largest);
}

/* With vectors of the whole flank and without. */
static void vectors_of_some_nodes(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", 1e9);
    o.side[0].modes = 12;
    slip_gear_modal *m = make(&o);
    const slip_gear_wheel *w = m->gear[0].wheel;
    for (int kept = 0; kept < 21; kept += 20) {
        slip_gear_attachment r;
        slip_gear_basis wide, narrow;
        unsigned char set[400] = {0}, part[400] = {0};
        double f[400] = {0}, u[400] = {0}, a[400], p[400], rate[400], scratch[400], next[400], momenta[400],
               back[400], moving[400];
        uint64_t seed = 3;
        assert_int_equal(slip_gear_attachment_make(fixture.ctx, &m->arena, w, kept, &r), SLIP_OK);
        assert_int_equal(slip_gear_basis_reserve(fixture.ctx, &m->arena, w->size, &wide), SLIP_OK);
        assert_int_equal(slip_gear_basis_reserve(fixture.ctx, &m->arena, w->size, &narrow), SLIP_OK);
        choose(&seed, w->nodes, NULL, set);
        choose(&seed, w->nodes, set, part);
        assert_int_equal(slip_gear_basis_make(fixture.ctx, &r, true, set, m->scratch, &wide), SLIP_OK);
        assert_int_equal(slip_gear_basis_make(fixture.ctx, &r, true, part, m->scratch, &narrow), SLIP_OK);
        assert_int_equal(wide.kept, kept);
        assert_true(narrow.directions > 0 && narrow.count < wide.count && wide.count < w->size);
        for (int i = 1; i < wide.count; i++)
            assert_true(wide.square[i] >= wide.square[i - 1]);
        /* At rest an amplitude is the nodal force, and the displacement that of the whole flexibility. */
        for (int i = 0; i < wide.directions; i++)
            f[wide.direction[i]] = test_random(&seed, -1, 1);
        for (int i = 0; i < w->size; i++)
            for (int j = 0; j < w->size; j++)
                u[i] += w->remainder.flexibility[i * w->size + j] * f[j];
        press(&r, &wide, m->scratch, f, p);
        slip_gear_basis_amplitudes(&wide, p, a);
        for (int i = 0; i < wide.directions; i++)
            assert_close(a[i], f[wide.direction[i]], 1e-7);
        expect_displacements(&r, &wide, p, u);
        /* A smaller set keeps the nodes that it has where they are, and the vectors of the whole flank. */
        for (int i = 0; i < wide.count; i++)
            rate[i] = test_random(&seed, -1, 1);
        slip_gear_basis_carry(&r, &wide, p, rate, &narrow, scratch, next, momenta);
        slip_gear_basis_displace(&r, &narrow, next, scratch, a);
        for (int i = 0; i < narrow.directions; i++)
            assert_close(a[narrow.direction[i]], u[narrow.direction[i]],
                         1e-9 * fabs(u[narrow.direction[i]]) + 1e-18);
        for (int i = 0; i < kept; i++)
            assert_true(next[i] == p[i] && momenta[i] == rate[i]);
        /* A larger one has the same field and the same velocities. */
        slip_gear_basis_carry(&r, &narrow, next, momenta, &wide, scratch, back, moving);
        expect_displacements(&r, &wide, back, a);
        slip_gear_basis_displace(&r, &narrow, momenta, scratch, a);
        expect_displacements(&r, &wide, moving, a);
    }
    slip_gear_modal_destroy(m);
}

/* All nodes and kept vectors are more than a flank has: directions are left out, and the frequencies are
 * those of all nodes by themselves. */
static void more_vectors_than_a_flank_has(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", 1e9);
    slip_gear_modal *m = make(&o);
    const slip_gear_wheel *w = m->gear[1].wheel;
    slip_gear_attachment r[2];
    slip_gear_basis b[2];
    unsigned char set[400];
    double f[400], p[400], u[400] = {0};
    uint64_t seed = 5;
    memset(set, 1, sizeof set);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(slip_gear_attachment_make(fixture.ctx, &m->arena, w, k ? 30 : 0, &r[k]), SLIP_OK);
        assert_int_equal(slip_gear_basis_reserve(fixture.ctx, &m->arena, w->size, &b[k]), SLIP_OK);
        assert_int_equal(slip_gear_basis_make(fixture.ctx, &r[k], true, set, m->scratch, &b[k]), SLIP_OK);
        assert_int_equal(b[k].count, w->size);
    }
    assert_int_equal(b[1].directions, w->size - 30);
    for (int i = 0; i < w->size; i++) {
        assert_close_relative(b[1].square[i], b[0].square[i], 1e-6);
        assert_close(fabs(b[1].rotation[i]), fabs(b[0].rotation[i]), 1e-6);
        assert_close(fabs(b[1].spread[i]), fabs(b[0].spread[i]), 1e-6);
        f[i] = test_random(&seed, -1, 1);
    }
    for (int i = 0; i < w->size; i++)
        for (int j = 0; j < w->size; j++)
            u[i] += w->remainder.flexibility[i * w->size + j] * f[j];
    press(&r[1], &b[1], m->scratch, f, p);
    expect_displacements(&r[1], &b[1], p, u);
    slip_gear_modal_destroy(m);
}

/* ---- Motion. */

/* Gears that are pressed into each other, with their attachment modes on. */
static slip_gear_modal *pressed(const slip_gear_run_options *options, double margin)
{
    slip_gear_modal *m = make(options);
    bool changed;
    m->pairs[0].margin = margin > 0 ? margin : m->pairs[0].margin;
    slip_gear_modal_start(m, m->pairs[0].pair->sense * 2e-4);
    double *slope = calloc(2 * (size_t)m->capacity + (size_t)slip_modal_sums(m), sizeof *slope);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(slip_gear_modal_follow(fixture.ctx, m), SLIP_OK);
        slip_gear_modal_evaluate(m, m->state, slope);
        assert_int_equal(slip_gear_modal_switch(fixture.ctx, m, &changed), SLIP_OK);
    }
    assert_true(m->totals.touching > 0 && !m->missed);
    free(slope);
    return m;
}

/* With only the near nodes in motion everything is as with all nodes. */
static void far_nodes_do_not_matter(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("all", 1e9);
    slip_gear_modal *near = pressed(&o, 0), *all = pressed(&o, 1);
    int n = 2 * near->count + slip_modal_sums(near), listed[2] = {0};
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
    assert_true(near->totals.normal_force > 100);
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
    int n = 2 * m->count + slip_modal_sums(m);
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
    size_t n = 2 * (size_t)m->capacity + (size_t)slip_modal_sums(m);
    double *slope = calloc(n, sizeof *slope), *stage = calloc(n, sizeof *stage),
           *sum = calloc(n, sizeof *sum);
    int touching = m->totals.touching;
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_modal_account first = slip_gear_modal_measure(m);
    const double begun[2] = {m->gear[0].momentum, m->gear[1].momentum};
    double contact = m->totals.energy;
    for (int i = 0; i < steps; i++) {
        step(m, 3.2e-6 / steps, slope, stage, sum);
        assert_int_equal(m->totals.touching, touching);
    }
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_modal_account last = slip_gear_modal_measure(m);
    const double *sums = m->state + 2 * m->count;
    assert_true(last.strain > 1e-4 * contact); /* something has happened */
    outcome result = {.force = m->totals.normal_force,
                      .energy = (last.kinetic + last.strain + m->totals.energy + sums[SLIP_MODAL_LOST] -
                                 sums[SLIP_MODAL_WORK] - first.kinetic - first.strain - contact) /
                                contact};
    for (int k = 0; k < 2; k++)
        result.momentum[k] =
            (m->gear[k].momentum - begun[k] - sums[SLIP_MODAL_IMPULSE + k]) / (begun[0] + 1e-3 * contact);
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
        int steps = i % 3 ? 80 : 40; /* attachment modes are faster */
        outcome coarse = spring_back(&o, steps), middle = spring_back(&o, 2 * steps),
                fine = spring_back(&o, 4 * steps);
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
    double *slope = calloc(2 * (size_t)m->capacity + (size_t)slip_modal_sums(m), sizeof *slope);
    uint64_t seed = 2;
    bool changed;
    for (int i = 0; i < m->count; i++)
        m->state[m->count + i] = test_random(&seed, -1, 1);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++)
            for (int j = 0; j < m->gear[k].flanks[i]->basis.count; j++)
                m->state[m->gear[k].flanks[i]->at + j] = test_random(&seed, -1e-11, 1e-11);
    m->state[m->gear[0].at] -= m->pairs[0].pair->sense * 1.5e-3; /* far apart */
    slip_modal_account before = slip_gear_modal_measure(m);
    const double momentum[2] = {m->gear[0].momentum, m->gear[1].momentum};
    int count = m->count;
    m->missed = true;
    assert_int_equal(slip_gear_modal_follow(fixture.ctx, m), SLIP_OK);
    slip_gear_modal_evaluate(m, m->state, slope);
    assert_int_equal(m->totals.touching, 0);
    assert_int_equal(slip_gear_modal_switch(fixture.ctx, m, &changed), SLIP_OK);
    assert_true(changed && m->count < count);
    slip_gear_modal_evaluate(m, m->state, slope);
    slip_gear_modal_settle(m);
    slip_modal_account after = slip_gear_modal_measure(m);
    for (int k = 0; k < 2; k++)
        assert_close_relative(m->gear[k].momentum, momentum[k], 1e-12);
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
        memcpy(s.state, m->state, sizeof(double) * (2 * (size_t)n + (size_t)slip_modal_sums(m)));
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
        cmocka_unit_test(vectors_of_some_nodes),    cmocka_unit_test(more_vectors_than_a_flank_has),
        cmocka_unit_test(far_nodes_do_not_matter),  cmocka_unit_test_of_numbers(balances_are_of_fourth_order),
        cmocka_unit_test(switching_keeps_momentum), cmocka_unit_test(limits_of_the_method),
        cmocka_unit_test(stiffest_motion_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
