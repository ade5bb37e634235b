/* Set-valued patches by the event method: the disk on a belt, and bodies that come to rest. */
#include "belt_disc.h"
#include "model/model.h"
#include "patch_run.h"

/* ---- The disk on a belt. */

static patch_outcome belt(double static_ratio, double tolerance, const double *q, const double *v, double end)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(0, static_ratio);
    slip_model *model = belt_model(ctx, &pad);
    patch_outcome o;
    belt_check(ctx, slip_model_finish(ctx, model));
    o = patch_run(ctx, model->system, "event", (slip_method_options){.tolerance = tolerance}, q, v, end);
    assert_close(o.w->residual, 0, 1e-9);
    assert_true(o.w->power <= 0);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return o;
}

static void test_belt_from_stuck_origin(void **state)
{
    const double q[2] = {0, 0}, v[2] = {0.15, 0};
    double t = 102.4451912;
    patch_outcome o = belt(4.98, 1e-10, q, v, 300);
    (void)state;
    assert_int_equal(o.w->count, 4);
    patch_check_event(&o, 0, 0, "stick>slip", t, 1e-7);
    patch_check_event(&o, 1, 0, "slip>stick", t += 5.735156901, 1e-7);
    patch_check_event(&o, 2, 0, "stick>slip", t += 131.6130058, 1e-7);
    patch_check_event(&o, 3, 0, "slip>stick", t += 17.76819463, 1e-7);
    assert_close(o.w->states[0][0], 0.15 * 102.4451912, 1e-7);
    assert_close(o.w->states[1][0], -3.742562435875, 1e-8);
    assert_close(o.w->states[1][1], -0.601546817578, 1e-8);
    assert_close(o.w->states[3][1], -0.632200664899, 1e-8);
    patch_finish(&o);
}

/* From the onset of slip on the periodic orbit. */
static void test_belt_period(void **state)
{
    const double q[2] = {16.167051265467922, -0.7610713443354}, v[2] = {0.15, 0};
    patch_outcome o = belt(4.98, 1e-11, q, v, 300);
    /* to rounding of the onset given: it slips at once, or a moment later */
    const int at = o.w->events[0].to == SLIP_MODE_STICK ? 0 : 1;
    (void)state;
    assert_true(at == 0 || o.w->events[0].time < 1e-8);
    patch_check_event(&o, at, 0, "slip>stick", 17.828153764449162, 1e-8);
    assert_close(o.w->states[at][0], -0.8283323654338018, 1e-8);
    assert_close(o.w->states[at][1], -0.7610713443341766, 1e-8);
    patch_check_event(&o, at + 1, 0, "stick>slip", 131.13071130378543, 1e-7);
    patch_check_event(&o, at + 3, 0, "stick>slip", 2 * 131.13071130378543, 1e-7);
    patch_finish(&o);
}

/* The direction in which slip starts, the way around, and the extrema. */
static void test_belt_orbit(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(0, 4.98);
    slip_model *model = belt_model(ctx, &pad);
    slip_run_options run = slip_run_options_default();
    slip_result *result = NULL;
    const double q[2] = {16.167051265467922, -0.7610713443354}, v[2] = {0.15, 0};
    const double *t, *slip, *spin, *mode;
    int64_t count, k = 0;
    (void)state;
    belt_check(ctx, slip_model_set_initial(ctx, model, q, v));
    run.end = 131;
    run.tolerance = 1e-10;
    run.record_steps = 1;
    belt_check(ctx, slip_run(ctx, model, &run, &result));
    t = slip_result_series(result, "t", &count);
    slip = slip_result_series(result, "pad.slip_x", NULL);
    spin = slip_result_series(result, "pad.spin", NULL);
    mode = slip_result_series(result, "pad.mode", NULL);
    while (k < count && !(mode[k] == SLIP_MODE_SLIP && hypot(slip[k], spin[k]) > 1e-7))
        k++;
    assert_true(k < count && t[k] < 1e-5);
    assert_close(atan2(spin[k], slip[k]), -3.127932092845181, 1e-6);
    assert_close(slip_result_number(result, "max.x"), 16.168120540244683, 1e-8);
    assert_close(slip_result_number(result, "max.phi"), 1.3300485501321337, 1e-8);
    assert_close(slip_result_number(result, "max.x'"), 10.606040607522313 - 0.15, 1e-7);
    assert_close(slip_result_number(result, "max.phi'"), 0.1794183388982763, 1e-8);
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* Without a static peak slip starts with the square of the time. The state to which tolerances down to 1e-13
 * and first moments of different lengths converge; and what the smooth law comes to, the nearer the steeper
 * it is. */
static void test_belt_creeps_off(void **state)
{
    const double q[2] = {0, 0}, v[2] = {0.15, 0}, x = 16.051067193, phi = -13.088141278;
    double before = INFINITY;
    (void)state;
    for (double tolerance = 1e-8; tolerance > 0.9e-12; tolerance *= 1e-2) {
        patch_outcome o = belt(1, tolerance, q, v, 280);
        assert_int_equal(o.w->count, 1);
        patch_check_event(&o, 0, 0, "stick>slip", 20.571293086, 1e-8);
        assert_close(o.q[0], x, fmax(10 * tolerance, 5e-9));
        assert_close(o.q[1], phi, fmax(10 * tolerance, 5e-9));
        patch_finish(&o);
    }
    for (double epsilon = 1e-4; epsilon > 0.9e-6; epsilon *= 0.1) {
        slip_context *ctx = slip_context_create();
        slip_contact_options pad = belt_patch(epsilon, 0);
        slip_model *model = belt_model(ctx, &pad);
        patch_outcome o;
        double error;
        belt_check(ctx, slip_model_finish(ctx, model));
        o = patch_run(ctx, model->system, "smooth", (slip_method_options){.tolerance = 1e-12}, q, v, 280);
        error = hypot(o.q[0] - x, o.q[1] - phi);
        assert_true(error < 0.3 * before);
        before = error;
        patch_finish(&o);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

static void test_belt_slides_steadily(void **state)
{
    const double q[2] = {20, -20}, v[2] = {0, 0};
    patch_outcome o = belt(4.98, 1e-10, q, v, 20000);
    (void)state;
    assert_int_equal(o.w->count, 0);
    assert_close(o.q[0], 18.018018018018015, 1e-7);
    assert_close(o.q[1], -15.315315315315312, 1e-7);
    patch_finish(&o);
}

static void test_belt_eleven_sticks(void **state)
{
    /* on the attractor, right after its longest slip */
    const double q[2] = {0, 0}, v[2] = {0.15, 0};
    patch_outcome o = belt(2.7, 1e-8, q, v, 20000);
    double longest[3];
    int sticks[3] = {0, 0, 0}, period = 0;
    (void)state;
    for (int k = o.w->count - 1; k > 0 && period < 3; k--) {
        double length = o.w->events[k].time - o.w->events[k - 1].time;
        if (o.w->events[k].to != SLIP_MODE_STICK)
            continue;
        if (length > 20)
            longest[period++] = o.w->events[k].time;
        if (period < 3)
            sticks[period]++;
    }
    assert_int_equal(period, 3);
    assert_int_equal(sticks[1], 11);
    assert_int_equal(sticks[2], 11);
    assert_close(longest[0] - longest[1], longest[1] - longest[2], 1e-5);
    patch_finish(&o);
}

/* ---- Bodies on a plane that come to rest. */

static slip_patch_options area_of(const char *shape, const char *surface)
{
    slip_patch_options o = slip_patch_options_default();
    o.shape = shape;
    o.surface = surface;
    o.inner = 0.5;
    o.outer = 1;
    o.sides[0] = 2;
    o.sides[1] = 1;
    if (strcmp(surface, "integral") == 0)
        o.table_tolerance = strcmp(shape, "rectangle") == 0 ? 1e-6 : 1e-9;
    return o;
}

static bench body_on_plane(double inertia, double mu, const slip_patch_options *area)
{
    static const char *const names[] = {"x", "y", "phi"};
    bench b = build(3, names);
    b.system->mass[8] = inertia;
    /* slip in the body's axes, which turn; of a circular area they need not */
    if (strcmp(area->shape, "rectangle") == 0)
        add_patch(&b, "foot", "x'*cos(phi) + y'*sin(phi)", "-x'*sin(phi) + y'*cos(phi)", "phi'", NULL, mu,
                  area);
    else
        add_patch(&b, "foot", "x'", "y'", "phi'", NULL, mu, area);
    return b;
}

/* Sliding and spinning stop at the same instant; all energy has gone into friction by then. */
static void test_sliding_and_spinning_stop_together(void **state)
{
    static const char *const shapes[] = {"annulus", "disc", "rectangle"};
    static const char *const surfaces[] = {"integral", "pade"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        slip_patch_options area = area_of(shapes[k % 3], surfaces[k / 3]);
        bench b = body_on_plane(0.6, 0.5, &area);
        const double q[3] = {0, 0, 0}, v[3] = {1, 0.3, 2};
        patch_outcome o = patch_run_event(&b, 1e-9, q, v, 20);
        assert_int_equal(o.w->count, 1);
        assert_string_equal(slip_mode_name(o.w->events[0].to), "stick");
        assert_true(o.w->events[0].time > 1 && o.w->events[0].time < 10);
        assert_true(o.v[0] == 0 && o.v[1] == 0 && o.v[2] == 0);
        assert_true(o.w->power <= 0);
        assert_close(o.w->residual, 0, 1e-7);
        patch_finish(&o);
        clear(&b);
    }
}

/* Pure sliding and pure spin are simple: v0/(mu g), and with the mean distance from the centre. */
static void test_pure_motions(void **state)
{
    slip_patch_options area = area_of("annulus", "integral");
    bench b = body_on_plane(0.7, 0.5, &area);
    const double still[3] = {0, 0, 0}, slides[3] = {0.6, -0.8, 0}, spins[3] = {0, 0, -3};
    const double mean = 2.0 / 3 * (1 - 0.125) / (1 - 0.25);
    patch_outcome o = patch_run_event(&b, 1e-10, still, slides, 10);
    (void)state;
    patch_check_event(&o, 0, 0, "slip>stick", 2, 1e-9);
    assert_close(o.q[0], 0.6, 1e-9);
    assert_close(o.q[1], -0.8, 1e-9);
    patch_finish(&o);
    o = patch_run_event(&b, 1e-10, still, spins, 20);
    patch_check_event(&o, 0, 0, "slip>stick", 3 * 0.7 / (0.5 * mean), 1e-8);
    patch_finish(&o);
    clear(&b);
}

/* ---- Limits: one direction is Coulomb's law, and so is an area without size. */

static void set_oscillator(bench *b)
{
    b->system->stiffness[0] = 1;
    b->system->damping[0] = 0.02;
}

static void test_one_direction_is_coulomb(void **state)
{
    static const double ratios[] = {1, 1.4};
    static const char *const names[] = {"x"};
    const double q[1] = {0}, v[1] = {0.2};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_patch_options area = area_of("rectangle", "pade");
        slip_law law = coulomb(0.5, ratios[k]);
        bench a = build(1, names), b = build(1, names);
        patch_outcome of_patch, of_point;
        area.pressure = "linear";
        area.linear[1] = 0.5;
        area.static_ratio = ratios[k];
        set_oscillator(&a);
        set_oscillator(&b);
        /* with jumps of the load and of the belt */
        add_force(&a, 0, "0.3*sin(0.7*t) + 0.4*(t > 31.4)");
        add_force(&b, 0, "0.3*sin(0.7*t) + 0.4*(t > 31.4)");
        add_patch(&a, "pad", "x' - 0.2*(1 + 0.5*(t > 61))", NULL, NULL, "1 + 0.2*cos(t)", 0.5, &area);
        add_friction(&b, "pad", "x' - 0.2*(1 + 0.5*(t > 61))", "1 + 0.2*cos(t)", law);
        of_patch = patch_run_event(&a, 1e-10, q, v, 100);
        of_point = patch_run_event(&b, 1e-10, q, v, 100);
        assert_true(of_point.w->count > 10);
        assert_int_equal(of_patch.w->count, of_point.w->count);
        for (int e = 0; e < of_point.w->count; e++) {
            assert_close(of_patch.w->events[e].time, of_point.w->events[e].time, 1e-7);
            assert_int_equal(of_patch.w->events[e].to == SLIP_MODE_STICK,
                             of_point.w->events[e].to == SLIP_MODE_STICK);
        }
        assert_close(of_patch.q[0], of_point.q[0], 1e-7);
        assert_close(of_patch.w->residual, 0, 1e-8);
        patch_finish(&of_patch);
        patch_finish(&of_point);
        clear(&a);
        clear(&b);
    }
}

/* A tiny disc slides on a plane like a point: straight, whatever its spin; on a slope it follows the load. */
static void test_small_area_is_a_point(void **state)
{
    slip_patch_options area = area_of("disc", "pade");
    static const char *const names[] = {"x", "y", "phi"};
    bench b = build(3, names);
    const double q[3] = {0, 0, 0}, v[3] = {0.6, 0.8, 0.5};
    patch_outcome o;
    (void)state;
    area.radius = 1e-7;
    add_patch(&b, "foot", "x'", "y'", "phi'", NULL, 0.5, &area);
    o = patch_run_event(&b, 1e-9, q, v, 1.9);
    assert_close(o.q[0], 0.6 * (1.9 - 0.25 * 1.9 * 1.9), 1e-6);
    assert_close(o.q[1], 0.8 * (1.9 - 0.25 * 1.9 * 1.9), 1e-6);
    assert_close(o.v[2], 0.5, 1e-6);
    patch_finish(&o);
    clear(&b);
}

/* One slip velocity passes through zero while the other does not: no event. */
static void test_reversal_with_spin_is_no_event(void **state)
{
    slip_patch_options area = area_of("disc", "pade");
    static const char *const names[] = {"x", "phi"};
    bench b = build(2, names);
    const double q[2] = {1, 0}, v[2] = {0, 2};
    patch_outcome o;
    (void)state;
    b.system->stiffness[0] = 4;
    add_force(&b, 1, "0.5*2/3 + 0.05"); /* keeps it spinning */
    add_patch(&b, "foot", "x'", NULL, "phi'", NULL, 0.5, &area);
    o = patch_run_event(&b, 1e-9, q, v, 20);
    assert_int_equal(o.w->count, 0);
    assert_true(o.w->power <= 0);
    assert_close(o.w->residual, 0, 1e-9);
    patch_finish(&o);
    clear(&b);
}

/* A foot that cannot but rest where another one does, which can rest without it. */
static void test_one_sided_rest_is_refused(void **state)
{
    static const char *const names[] = {"x", "phi"};
    slip_patch_options area = area_of("disc", "pade");
    bench b = build(2, names);
    const double zero[2] = {0, 0};
    void *self = NULL;
    (void)state;
    add_patch(&b, "left", "x' + 0.3*phi'", NULL, "phi'", NULL, 0.5, &area);
    add_patch(&b, "right", "x' - 0.3*phi'", NULL, NULL, NULL, 0.5, &area);
    check_done(&b, slip_system_finish(b.ctx, b.system));
    assert_true(slip_method_find("event")->open(b.ctx, b.system, &(slip_method_options){.tolerance = 1e-8}, 0,
                                                zero, zero, &self) < 0);
    assert_non_null(strstr(slip_context_message(b.ctx),
                           "contacts `left` and `right`: where the first patch comes to rest the "));
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_belt_from_stuck_origin),
        cmocka_unit_test(test_belt_period),
        cmocka_unit_test(test_belt_orbit),
        cmocka_unit_test(test_belt_creeps_off),
        cmocka_unit_test(test_belt_slides_steadily),
        cmocka_unit_test(test_belt_eleven_sticks),
        cmocka_unit_test(test_sliding_and_spinning_stop_together),
        cmocka_unit_test(test_pure_motions),
        cmocka_unit_test(test_one_direction_is_coulomb),
        cmocka_unit_test(test_small_area_is_a_point),
        cmocka_unit_test(test_reversal_with_spin_is_no_event),
        cmocka_unit_test(test_one_sided_rest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
