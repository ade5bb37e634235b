/* Friction of a point in a plane with a given normal force: closed forms, isotropy, stick, other laws. */
#include "point_test.h"

static const char *const names[] = {"x", "y"};
static const double gravity = 9.81;

/* ---- A block on an incline with a cross velocity. Its direction turns downhill; where friction is more than
 * the slope it stops. Values by quadrature of the hodograph at 40 digits. */

typedef struct incline {
    double slope, mu, v[2], time, place[2];
} incline;

static bench on_incline(const incline *c)
{
    bench b = build(2, names);
    char text[60];
    snprintf(text, sizeof text, "%.17g", gravity * sin(c->slope));
    add_force(&b, 0, text);
    snprintf(text, sizeof text, "%.17g", gravity * cos(c->slope));
    add_round_point(&b, "block", "x'", "y'", text, c->mu, 1);
    return b;
}

static void test_incline(void **state)
{
    static const incline cases[] = {
        {0.3, 0.5, {0, 2}, 0.6914766235042755, {0.213898785407538, 0.47197257496895906}},
        {0.3, 0.4, {-1, 1.5}, 0.683199782014452, {-0.05290298150793832, 0.33312271710732194}}};
    const double q[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const incline *c = &cases[k];
        bench b = on_incline(c);
        patch_outcome o = point_run(&b, "event", 1e-12, q, c->v, 1);
        assert_int_equal(o.w->count, 1);
        patch_check_event(&o, 0, 0, "slip>stick", c->time, 1e-9);
        assert_close(o.q[0], c->place[0], 1e-9);
        assert_close(o.q[1], c->place[1], 1e-9);
        assert_close(o.w->residual, 0, 1e-12);
        assert_true(o.w->power <= 0);
        patch_finish(&o);
        o = point_run(&b, "moreau", 1e-4, q, c->v, 1);
        assert_close(o.w->events[0].time, c->time, 2e-4);
        assert_close(o.q[0], c->place[0], 1e-6);
        assert_close(o.q[1], c->place[1], 1e-6);
        patch_finish(&o);
        clear(&b);
    }
}

/* At the angle of friction |v| + v_x is kept, and the speed tends to half of it, downhill. */
static void test_critical_incline(void **state)
{
    const incline c = {0.3, tan(0.3), {0, 2}, 0.5, {0.26542496629953466, 0.6589295379680175}};
    const double q[2] = {0, 0};
    bench b = on_incline(&c);
    patch_outcome o = point_run(&b, "event", 1e-12, q, c.v, c.time);
    (void)state;
    assert_close(o.v[0], 0.8687096013923555, 1e-10);
    assert_close(o.v[1], 0.7246803394811935, 1e-10);
    assert_close(o.q[0], c.place[0], 1e-10);
    assert_close(o.q[1], c.place[1], 1e-10);
    assert_close(hypot(o.v[0], o.v[1]) + o.v[0], 2, 1e-11);
    patch_finish(&o);
    o = point_run(&b, "event", 1e-10, q, c.v, 20);
    assert_int_equal(o.w->count, 0);
    assert_close(o.v[0], 1, 1e-6);
    patch_finish(&o);
    clear(&b);
}

/* ---- An elliptic cone. Without a load x' is proportional to y'^(a^2/b^2): with a^2 = 2 b^2 all is
 * elementary. */

static void test_elliptic_cone(void **state)
{
    const double b2 = 0.2, v[2] = {1.2, 0.9}, q[2] = {0, 0}, mu[2] = {b2 * sqrt(2), b2};
    const double k = v[0] / (v[1] * v[1]), c = sqrt(2) * k, u = v[1], root = sqrt(1 + c * c * u * u);
    /* in units in which b N/m is 1: dt = sqrt(1 + c^2 u^2) du, u = y' */
    const double time = (u * root / 2 + asinh(c * u) / (2 * c)) / b2,
                 y = (root * root * root - 1) / (3 * c * c) / b2,
                 x = k * (u * (1 + 2 * c * c * u * u) * root - asinh(c * u) / c) / (8 * c * c) / b2;
    bench b = build(2, names);
    patch_outcome o;
    (void)state;
    add_point(&b, "block", "x'", "y'", NULL, coulomb(1, 1), mu);
    o = point_run(&b, "event", 1e-12, q, v, 20);
    assert_int_equal(o.w->count, 1);
    patch_check_event(&o, 0, 0, "slip>stick", time, 1e-9);
    assert_close(o.q[0], x, 1e-9);
    assert_close(o.q[1], y, 1e-9);
    assert_close(o.w->residual, 0, 1e-11);
    patch_finish(&o);
    o = point_run(&b, "moreau", 1e-3, q, v, 20);
    assert_close(o.q[0], x, 1e-5);
    assert_close(o.q[1], y, 1e-5);
    patch_finish(&o);
    clear(&b);
}

/* ---- Stick up to the cone, and the direction in which slip starts. */

static void test_lets_go_at_the_cone(void **state)
{
    const double zero[2] = {0, 0}, mu[2] = {0.5, 0.25};
    (void)state;
    for (int k = 0; k < 12; k++) {
        const double angle = 0.1 + 0.5 * k, load[2] = {cos(angle), sin(angle)}, ratio = k % 2 ? 1.3 : 1,
                     limit = ratio / hypot(load[0] / mu[0], load[1] / mu[1]);
        double across;
        char text[2][60];
        bench b = build(2, names);
        patch_outcome o;
        for (int i = 0; i < 2; i++) {
            snprintf(text[i], sizeof text[i], "%.17g*t", load[i]);
            add_force(&b, i, text[i]);
        }
        add_point(&b, "block", "x'", "y'", NULL, coulomb(1, ratio), mu);
        o = point_run(&b, "event", 1e-10, zero, zero, limit + 1e-3);
        patch_check_event(&o, 0, 0, "stick>slip", limit, 1e-11);
        /* with one coefficient the load is on the surface, whose normal is the direction of slip */
        across = o.v[0] * load[1] / (mu[1] * mu[1]) - o.v[1] * load[0] / (mu[0] * mu[0]);
        if (ratio == 1)
            assert_close(across / hypot(o.v[0], o.v[1]), 0, 5e-2);
        assert_true(o.v[0] * load[0] + o.v[1] * load[1] > 0);
        assert_close(o.w->residual, 0, 1e-9);
        patch_finish(&o);
        clear(&b);
    }
}

/* ---- Nothing depends on the axes, and one direction is that of a contact of kind friction. */

static int rotated(double angle, double belt, double out[4])
{
    const double c = cos(angle), s = sin(angle), m[2] = {1.3, 0.4}, stiffness[3] = {3, 0.7, 2};
    const double load[2] = {0.9, 0.35}, q0[2] = {0.2, -0.1}, v0[2] = {0.5, 1.1};
    const double turn[4] = {c, s, -s, c}; /* from the fixed axes to the turned ones */
    double q[2], v[2];
    char text[120], slip[2][120];
    bench b = build(2, names);
    patch_outcome o;
    int count;
    for (int i = 0; i < 2; i++) {
        const double *r = turn + 2 * i;
        q[i] = r[0] * q0[0] + r[1] * q0[1];
        v[i] = r[0] * v0[0] + r[1] * v0[1];
        snprintf(text, sizeof text, "(%.17g*cos(1.7*t) + %.17g*sin(0.9*t))*%d", r[0] * load[0],
                 r[1] * load[1], belt == 0);
        add_force(&b, i, text);
        for (int j = 0; j < 2; j++) {
            const double *w = turn + 2 * j;
            b.system->mass[2 * i + j] = r[0] * w[0] * m[0] + r[1] * w[1] * m[1];
            b.system->stiffness[2 * i + j] = r[0] * w[0] * stiffness[0] + r[1] * w[1] * stiffness[2] +
                                             (r[0] * w[1] + r[1] * w[0]) * stiffness[1];
        }
        snprintf(slip[i], sizeof slip[i], "%c' - %.17g", "xy"[i], belt * (r[0] * 0.1 + r[1] * 0.05));
    }
    add_round_point(&b, "pad", slip[0], slip[1], "1 + 0.3*sin(t)", 0.7, 1.2);
    o = point_run(&b, "event", 1e-13, q, v, 20);
    count = o.w->count;
    for (int i = 0; i < 2; i++) {
        out[i] = turn[i] * o.q[0] + turn[2 + i] * o.q[1];
        out[2 + i] = turn[i] * o.v[0] + turn[2 + i] * o.v[1];
    }
    patch_finish(&o);
    clear(&b);
    return count;
}

static void test_isotropy(void **state)
{
    double fixed[4], turned[4];
    (void)state;
    for (int belt = 0; belt < 2; belt++) {
        const int count = rotated(0, belt, fixed);
        assert_true(count >= 6);
        for (int k = 1; k < 8; k++) {
            assert_int_equal(rotated(0.77 * k, belt, turned), count);
            for (int i = 0; i < 4; i++)
                assert_close(turned[i], fixed[i], 1e-12);
        }
    }
}

static void test_one_direction(void **state)
{
    const double q[2] = {0.3, 0}, v[2] = {0.2, 0.1};
    bench b[2] = {build(2, names), build(2, names)};
    patch_outcome o[2];
    (void)state;
    for (int which = 0; which < 2; which++) {
        b[which].system->stiffness[0] = 1;
        b[which].system->stiffness[3] = 2;
        b[which].system->stiffness[1] = b[which].system->stiffness[2] = -0.5;
        add_force(&b[which], 1, "0.6*sin(0.7*t)");
    }
    add_round_point(&b[0], "pad", "x' - 0.2", "0.5*(x' - 0.2)", "1 + 0.2*cos(t)", 0.3 / sqrt(1.25), 1);
    add_friction(&b[1], "pad", "x' - 0.2", "1 + 0.2*cos(t)", coulomb(0.3, 1));
    for (int which = 0; which < 2; which++)
        o[which] = point_run(&b[which], "event", 1e-11, q, v, 50);
    assert_true(o[1].w->count > 10);
    assert_int_equal(o[0].w->count, o[1].w->count);
    for (int e = 0; e < o[1].w->count; e++)
        assert_close(o[0].w->events[e].time, o[1].w->events[e].time, 1e-8);
    assert_close(o[0].q[0], o[1].q[0], 1e-8);
    for (int which = 0; which < 2; which++) {
        patch_finish(&o[which]);
        clear(&b[which]);
    }
}

/* ---- Smooth laws: that of one direction, along the slip; derivatives. */

/* A load that reads |x'| of a velocity that is zero when slip starts: both its forms are tried, and the start
 * of the slip is as if they had not been. */
static void test_starts_beside_a_switch(void **state)
{
    static const double zero[2] = {0};
    double end[2][2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, names);
        add_force(&b, 0, "sin(t)");
        add_force(&b, 1, "1 - 0.1*abs(x')");
        add_round_point(&b, "foot", "x'", "y'", NULL, 0.3, 1);
        patch_outcome o = point_run(&b, k == 0 ? "event" : "moreau", k == 0 ? 1e-11 : 1e-3, zero, zero, 6);
        assert_int_equal(o.status, SLIP_OK);
        memcpy(end[k], o.q, sizeof end[k]);
        patch_finish(&o);
        clear(&b);
    }
    assert_close(end[0][0], end[1][0], 1e-6);
    assert_close(end[0][1], end[1][1], 1e-6);
}

static void test_smooth_laws(void **state)
{
    static const char *const types[] = {"tanh", "arctan", "sqrt"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_law law = slip_law_default(types[k]);
        const double axes[2] = {1, 0.6};
        slip_context *ctx = slip_context_create();
        slip_patch *point;
        uint64_t seed = 5;
        law.mu = 0.4;
        *(k == 2 ? &law.epsilon : &law.velocity) = 0.05;
        law.viscous = 0.1;
        assert_int_equal(slip_patch_create_point(ctx, &law, axes, &point), SLIP_OK);
        for (int trial = 0; trial < 50; trial++) {
            const double size = pow(10, test_random(&seed, -12, 1)), angle = test_random(&seed, 0, 6.3);
            const double w[3] = {size * cos(angle), size * sin(angle), 0};
            const double s = hypot(axes[0] * w[0], axes[1] * w[1]);
            double T[3], D[9], force, slope;
            slip_patch_evaluate(point, w, T, D);
            assert_int_equal(slip_law_evaluate(ctx, &law, s, &force, &slope), SLIP_OK);
            assert_close_relative(hypot(T[0] / axes[0], T[1] / axes[1]), force, 1e-12);
            for (int j = 0; j < 2; j++) {
                double low[3] = {w[0], w[1], 0}, high[3] = {w[0], w[1], 0}, T0[3], T1[3], h = 1e-6 * size;
                low[j] -= h;
                high[j] += h;
                slip_patch_evaluate(point, low, T0, NULL);
                slip_patch_evaluate(point, high, T1, NULL);
                for (int i = 0; i < 2; i++)
                    assert_close(D[3 * i + j], (T1[i] - T0[i]) / (2 * h), 1e-6 * (fabs(D[0]) + fabs(D[4])));
            }
        }
        slip_patch_destroy(point);
        slip_context_destroy(ctx);
    }
}

/* A law of one's own has no velocity scale that is known; it is f(s)/s w all the same, also next to rest. */
static void like_tanh(void *user, double v, double *force, double *slope)
{
    const double scale = *(const double *)user, y = tanh(v / scale);
    *force = 0.3 * y;
    *slope = 0.3 * (1 - y * y) / scale;
}

static void test_own_law(void **state)
{
    slip_context *ctx = slip_context_create();
    double scale = 1e-3;
    slip_law law = slip_law_default("function");
    slip_patch *point;
    (void)state;
    law.function = like_tanh;
    law.user = &scale;
    assert_int_equal(slip_patch_create_point(ctx, &law, (const double[2]){1, 1}, &point), SLIP_OK);
    for (double s = 1e-18; s < 10; s *= 3) {
        double T[3], D[9];
        slip_patch_evaluate(point, (const double[3]){0.6 * s, -0.8 * s, 0}, T, D);
        assert_close_relative(T[0], 0.6 * 0.3 * tanh(s / scale), 1e-14);
        assert_close_relative(T[1], -0.8 * 0.3 * tanh(s / scale), 1e-14);
        assert_close_relative(0.8 * (0.8 * D[0] + 0.6 * D[1]) + 0.6 * (0.8 * D[3] + 0.6 * D[4]),
                              0.3 * tanh(s / scale) / s, 1e-12); /* across the slip */
    }
    slip_patch_destroy(point);
    slip_context_destroy(ctx);
}

static void pushes_at_rest(void *user, double v, double *force, double *slope)
{
    (void)user;
    *force = 0.1 + v;
    *slope = 1;
}

/* A steep smooth law comes to the motion of the set-valued one. */
static void test_smooth_method(void **state)
{
    const incline c = {0.3, 0.5, {0, 2}, 0.6914766235042755, {0.213898785407538, 0.47197257496895906}};
    const double q[2] = {0, 0}, mu[2] = {c.mu, c.mu};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, names);
        slip_law law = slip_law_default("tanh");
        patch_outcome o;
        char text[60];
        law.velocity = k ? 1e-6 : 1e-4;
        snprintf(text, sizeof text, "%.17g", gravity * sin(c.slope));
        add_force(&b, 0, text);
        snprintf(text, sizeof text, "%.17g", gravity * cos(c.slope));
        add_point(&b, "block", "x'", "y'", text, law, mu);
        o = point_run(&b, "smooth", 1e-10, q, c.v, 0.8);
        assert_close(o.q[0], c.place[0], k ? 1e-6 : 1e-4);
        assert_close(o.q[1], c.place[1], k ? 1e-6 : 1e-4);
        assert_close(o.w->residual, 0, 1e-12);
        patch_finish(&o);
        clear(&b);
    }
}

static void refused_along(slip_law law, double x, double y, const char *word)
{
    slip_context *ctx = slip_context_create();
    slip_patch *point;
    assert_int_equal(slip_patch_create_point(ctx, &law, (const double[2]){x, y}, &point), SLIP_ERROR_MODEL);
    assert_true(strstr(slip_context_message(ctx), word) != NULL);
    assert_null(point);
    slip_context_destroy(ctx);
}

static void refused(slip_law law, const char *word)
{
    refused_along(law, 1, 1, word);
}

static void test_refuses(void **state)
{
    slip_law law = slip_law_default("stribeck");
    (void)state;
    law.mu = 0.3;
    law.velocity = 0.1;
    refused(law, "direction");
    law = coulomb(0.3, 1);
    law.viscous = 0.1;
    refused(law, "damping");
    /* it would stick along one axis and slide along the other */
    refused_along(coulomb(0.3, 1), 1, 0, "along one axis");
    refused_along(coulomb(0.3, 1), 0, 1, "along one axis");
    law = slip_law_default("elliptic");
    law.mu = 0.3;
    law.width = 0.1;
    refused(law, "smooth");
    law = slip_law_default("function");
    law.function = pushes_at_rest;
    refused(law, "at rest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_incline),
                                       cmocka_unit_test(test_critical_incline),
                                       cmocka_unit_test(test_elliptic_cone),
                                       cmocka_unit_test(test_lets_go_at_the_cone),
                                       cmocka_unit_test(test_isotropy),
                                       cmocka_unit_test(test_one_direction),
                                       cmocka_unit_test(test_starts_beside_a_switch),
                                       cmocka_unit_test(test_smooth_laws),
                                       cmocka_unit_test(test_own_law),
                                       cmocka_unit_test(test_smooth_method),
                                       cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
