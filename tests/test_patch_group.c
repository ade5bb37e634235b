/* Patches that can only come to rest together, by the event method: parts of one area, feet, brake pads. */
#include "patch_run.h"

/* ---- A rectangle, whole or as two halves. */

static slip_patch_options half_or_whole(double side, double static_ratio)
{
    slip_patch_options o = slip_patch_options_default();
    o.shape = "rectangle";
    o.surface = "integral";
    o.sides[0] = side;
    o.sides[1] = 1;
    o.static_ratio = static_ratio;
    return o;
}

typedef enum parts { WHOLE, HALVES, SWAPPED } parts;

/* A block on springs, with loads that push and turn it. `turns`: slip in the axes of
 * the body, which turn with it. */
static bench block(parts cut, double static_ratio, bool turns)
{
    static const char *const names[] = {"x", "y", "phi"};
    bench b = build(3, names);
    slip_patch_options whole = half_or_whole(2, static_ratio), half = half_or_whole(1, static_ratio);
    const char *x = turns ? "x'*cos(phi) + y'*sin(phi)" : "x'";
    const char *y[3] = {turns ? "-x'*sin(phi) + y'*cos(phi)" : "y'",
                        turns ? "-x'*sin(phi) + y'*cos(phi) + 0.5*phi'" : "y' + 0.5*phi'",
                        turns ? "-x'*sin(phi) + y'*cos(phi) - 0.5*phi'" : "y' - 0.5*phi'"};
    b.system->mass[8] = 0.7;
    for (int i = 0; i < 3; i++) {
        b.system->stiffness[4 * i] = 1 + 0.3 * i;
        b.system->damping[4 * i] = 0.02;
    }
    add_force(&b, 0, "0.9*sin(0.4*t)");
    add_force(&b, 2, "0.15*cos(0.5*t)");
    if (cut == WHOLE)
        add_patch(&b, "foot", x, y[0], "phi'", "1", 0.5, &whole);
    for (int k = 0; cut != WHOLE && k < 2; k++) {
        int right = k == (cut == SWAPPED);
        add_patch(&b, right ? "right" : "left", x, y[right ? 1 : 2], "phi'", "0.5", 0.5, &half);
    }
    return b;
}

/* The same motion, the same events, each with those of both halves; forces within their limits. */
static void test_halves_are_the_whole(void **state)
{
    const double q[3] = {0.3, 0, 0.1}, v[3] = {0, 0.2, 0.4};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double ratio = k % 2 ? 1 : 1.5;
        bench whole = block(WHOLE, ratio, k >= 2);
        patch_outcome one = patch_run_event(&whole, 1e-9, q, v, 13);
        assert_true(one.w->count > 4);
        for (parts cut = HALVES; cut <= SWAPPED; cut++) {
            bench halves = block(cut, ratio, k >= 2);
            patch_outcome two = patch_run_event(&halves, 1e-9, q, v, 13);
            assert_int_equal(two.w->count, 2 * one.w->count);
            for (int e = 0; e < one.w->count; e++)
                for (int half = 0; half < 2; half++) {
                    const slip_event *event = &two.w->events[2 * e + half];
                    assert_close(event->time, one.w->events[e].time, 1e-7);
                    assert_int_equal(event->to, one.w->events[e].to);
                }
            for (int i = 0; i < 3; i++) {
                assert_close(two.q[i], one.q[i], 1e-7);
                assert_close(two.v[i], one.v[i], 1e-7);
            }
            assert_true(two.w->residual < 1e-7);
            assert_true(two.w->power <= 1e-12);
            patch_finish(&two);
            clear(&halves);
        }
        patch_finish(&one);
        clear(&whole);
    }
}

/* ---- Two pads on one disc: Coulomb friction with the lever of each. */

static void test_pads_on_a_disc(void **state)
{
    static const char *const names[] = {"phi"};
    const double q[1] = {0.2}, v[1] = {0.5};
    slip_patch_options area = half_or_whole(1, 1.4);
    slip_law law = coulomb(0.5, 1.4);
    bench pads = build(1, names), point = build(1, names);
    patch_outcome two, one;
    (void)state;
    pads.system->stiffness[0] = point.system->stiffness[0] = 1;
    add_force(&pads, 0, "0.4*sin(0.7*t)");
    add_force(&point, 0, "0.4*sin(0.7*t)");
    add_patch(&pads, "near", "0.3*(phi' - 0.1)", NULL, NULL, "1 + 0.2*cos(t)", 0.5, &area);
    add_patch(&pads, "far", NULL, "-0.5*(phi' - 0.1)", NULL, "0.4", 0.5, &area);
    add_friction(&point, "all", "phi' - 0.1", "0.3*(1 + 0.2*cos(t)) + 0.5*0.4", law);
    two = patch_run_event(&pads, 1e-10, q, v, 60);
    one = patch_run_event(&point, 1e-10, q, v, 60);
    assert_true(one.w->count > 6);
    assert_close(two.q[0], one.q[0], 1e-7);
    assert_close(two.v[0], one.v[0], 1e-7);
    assert_true(two.w->residual < 1e-8);
    patch_finish(&two);
    patch_finish(&one);
    clear(&pads);
    clear(&point);
}

/* ---- A table on three feet of different kinds: any order. */

static bench table(const int order[3], double most)
{
    static const char *const names[] = {"x", "y", "phi"}, *const feet[] = {"one", "two", "three"};
    static const char *const x[] = {"x' - 0.5*phi'", "x' - 0.5*phi'", "x' + 0.8*phi'"};
    static const char *const y[] = {"y' + 0.6*phi' - 0.1", "y' - 0.6*phi' - 0.1", "y' - 0.1"};
    static const char *const shapes[] = {"disc", "annulus", "rectangle"}, *const normals[] = {"0.5", "0.3",
                                                                                              "0.6"};
    static const double ratios[] = {1.2, 1.6, 1};
    bench b = build(3, names);
    b.system->mass[8] = 0.5;
    for (int i = 0; i < 3; i++)
        b.system->stiffness[4 * i] = 1 + 0.2 * i;
    add_force(&b, 0, "0.5*sin(0.6*t)");
    add_force(&b, 2, "0.3*cos(0.9*t)");
    for (int k = 0; k < 3; k++) {
        slip_patch_options area = slip_patch_options_default();
        area.shape = shapes[order[k]];
        area.radius = 0.2;
        area.inner = 0.1;
        area.outer = 0.3;
        area.sides[0] = 0.3;
        area.sides[1] = 0.2;
        area.static_ratio = fmin(ratios[order[k]], most);
        add_patch(&b, feet[order[k]], x[order[k]], y[order[k]], "phi'", normals[order[k]], 0.5, &area);
    }
    return b;
}

static void test_table_on_three_feet(void **state)
{
    const double q[3] = {0.4, 0, 0.2}, v[3] = {0, 0.1, 0.3};
    static const int orders[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    patch_outcome all[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = table(orders[k], 2);
        all[k] = patch_run_event(&b, 1e-9, q, v, 20);
        assert_true(all[k].w->count >= 6 && all[k].w->count % 3 == 0);
        assert_true(all[k].w->residual < 1e-7);
        assert_true(all[k].w->power <= 1e-12);
        assert_int_equal(all[k].w->count, all[0].w->count);
        for (int i = 0; i < 3; i++)
            assert_close(all[k].q[i], all[0].q[i], 1e-6);
        clear(&b);
    }
    for (int k = 0; k < 3; k++)
        patch_finish(&all[k]);
}

/* The fixed steps of moreau find the same. */
static void test_halves_by_moreau(void **state)
{
    const double q[3] = {0.3, 0, 0.1}, v[3] = {0, 0.2, 0.4};
    bench b = block(HALVES, 1, false);
    patch_outcome exact = patch_run_event(&b, 1e-9, q, v, 13), o;
    (void)state;
    o = patch_run(b.ctx, b.system, "moreau", (slip_method_options){.step = 1e-2, .theta = 0.5}, q, v, 13);
    for (int i = 0; i < 3; i++)
        assert_close(o.q[i], exact.q[i], 2e-3);
    patch_finish(&o);
    patch_finish(&exact);
    clear(&b);
}

static void test_feet_by_moreau(void **state)
{
    const double q[3] = {0.4, 0, 0.2}, v[3] = {0, 0.1, 0.3};
    static const int order[3] = {2, 0, 1};
    bench b = table(order, 2);
    patch_outcome exact = patch_run_event(&b, 1e-9, q, v, 10), o;
    (void)state;
    o = patch_run(b.ctx, b.system, "moreau", (slip_method_options){.step = 2e-3, .theta = 0.5}, q, v, 10);
    for (int i = 0; i < 3; i++)
        assert_close(o.q[i], exact.q[i], 2e-3);
    assert_true(o.w->residual < 1e-8);
    patch_finish(&o);
    patch_finish(&exact);
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves_are_the_whole), cmocka_unit_test(test_pads_on_a_disc),
        cmocka_unit_test(test_table_on_three_feet),  cmocka_unit_test(test_halves_by_moreau),
        cmocka_unit_test(test_feet_by_moreau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
