/* Compliant contacts: a spring, Hertz, Hunt and Crossley in place of a rigid gap. */
#include "model_test.h"

#include "slipstick/run.h"

#include <math.h>
#include <stdio.h>

#define BALL                                                                                                 \
    "slipstick: 1\nparameters: {k: 2e4, e: 1, c: 0, g: 0, v0: 1.5, end: 1}\ncoordinates: [y]\nmass: [[2]]\n" \
    "forces: {y: -2*g}\n"                                                                                    \
    "contacts: {floor: {kind: unilateral, gap: y, normal: {stiffness: k, exponent: e, damping: c}}}\n"       \
    "simulate: {initial: {y: 0.1, y': -v0}, time: [0, end]}\n"

typedef struct bounced {
    double y, v, normal, balance, first, time, last, peak;
} bounced;

static bounced run_text(const char *text, const char *method, const char *const *settings)
{
    slip_run_options options = slip_run_options_default();
    slip_model *model = NULL;
    slip_result *result = NULL;
    int status = slip_model_parse(ctx, text, "test", settings, &model);
    bounced b;
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    options.method = method;
    options.tolerance = 1e-12;
    options.step = 2e-6;
    status = slip_run(ctx, model, &options, &result);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    b = (bounced){slip_result_number(result, "final.y"),
                  slip_result_number(result, "final.y'"),
                  slip_result_number(result, "contacts.floor.normal"),
                  slip_result_number(result, "energy.balance"),
                  slip_result_number(result, "contacts.floor.first_contact"),
                  slip_result_number(result, "contacts.floor.contact_time"),
                  slip_result_number(result, "last_contact"),
                  slip_result_number(result, "peak_force")};
    slip_result_destroy(result);
    slip_model_destroy(model);
    return b;
}

/* ---- A spring: under gravity the contact lasts (pi + 2 atan(g/(w v)))/w, and presses with m g + sqrt((m
 * g)^2 + k m v^2) at most. */

static void test_spring(void **state)
{
    static const char *const methods[] = {"event", "smooth", "midpoint", "moreau"};
    const double m = 2, k = 2e4, g = 9.81, v0 = 1.5, w = sqrt(k / m), pi = 3.14159265358979323846;
    const double v = sqrt(v0 * v0 + 2 * g * 0.1), fall = (v - v0) / g,
                 touch = (pi + 2 * atan(g / (w * v))) / w;
    const double rise = 0.2 - fall - touch;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bounced b = run_text(BALL, methods[i], (const char *const[]){"g=9.81", "end=0.2", NULL});
        assert_close(b.y, v * rise - 0.5 * g * rise * rise, i < 2 ? 1e-9 : 1e-6);
        assert_close(b.v, v - g * rise, i < 2 ? 1e-9 : 1e-6);
        assert_close_relative(b.normal, m * g + sqrt(m * m * g * g + k * m * v * v), i < 2 ? 1e-6 : 1e-4);
        assert_close(b.balance, 0, i < 2 ? 1e-9 : 1e-6);
        assert_close(b.first, fall, i < 2 ? 1e-9 : 3e-6);
        assert_close(b.time, touch, i < 2 ? 1e-9 : 3e-6);
        assert_close(b.last, fall + touch, i < 2 ? 1e-9 : 3e-6);
        assert_true(b.peak == b.normal);
    }
}

/* ---- Hertz: the contact lasts 2 d/v times the integral of 1/sqrt(1 - u^(5/2)), d the largest overlap. */

static void test_hertz(void **state)
{
    const double m = 2, k = 2e4, v = 1.5, d = pow(1.25 * m * v * v / k, 0.4),
                 integral = sqrt(3.14159265358979323846) * tgamma(1.4) / tgamma(0.9),
                 touch = 2 * d / v * integral;
    bounced b;
    (void)state;
    b = run_text(BALL, "event", (const char *const[]){"e=1.5", NULL});
    assert_close(b.v, v, 1e-9);
    assert_close(b.y, v * (1 - 0.1 / v - touch), 1e-9);
    assert_close_relative(b.normal, k * pow(d, 1.5), 1e-6);
}

/* ---- Hunt and Crossley: with G(v) = v/c - ln(1 + c v)/c^2 the speed v1 after the contact has G(v0) =
 * G(-v1), whatever stiffness and exponent are. It never pulls. */

static double potential(double c, double v)
{
    return v / c - log1p(c * v) / (c * c);
}

static void test_hunt_crossley(void **state)
{
    static const char *const methods[] = {"event", "smooth"};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const double c = i % 2 ? 0.8 : 0.2, v0 = 1.5;
        double low = 0, high = fmin(v0, 1 / c);
        char damping[20];
        bounced b;
        for (int half = 0; half < 200; half++) {
            const double middle = 0.5 * (low + high);
            *(potential(c, -middle) < potential(c, v0) ? &low : &high) = middle;
        }
        snprintf(damping, sizeof damping, "c=%g", c);
        b = run_text(BALL, methods[i / 4], (const char *const[]){damping, i / 2 % 2 ? "e=1.5" : "e=1", NULL});
        assert_close(b.v, low, i / 4 ? 1e-8 : 1e-9);
    }
}

/* ---- Friction on top of it: while a puck slides, mu times the impulse of the normal force, m (z' + g t),
 * has gone from its speed; set-valued laws of one direction, and in the plane. */

#define PUCK(slip, law)                                                                                      \
    "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\nforces: {z: -10}\n"                  \
    "contacts: {floor: {kind: unilateral, gap: z, slip: " slip ", law: " law                                 \
    ", normal: {stiffness: 1e4, exponent: 1.5, damping: 0.2}}}\n"                                            \
    "simulate: {initial: {x': 3, y': 4, z: 0.2}, time: [0, 0.9], tolerance: 1e-11}\n"

static void slide(const char *text, double share, const char *last)
{
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_run_options options = slip_run_options_default();
    double x, y, z, expected;
    assert_int_equal(slip_model_parse(ctx, text, "test", NULL, &model), SLIP_OK);
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_OK);
    x = slip_result_number(result, "final.x'");
    y = slip_result_number(result, "final.y'");
    z = slip_result_number(result, "final.z'");
    expected = 0.3 * (z + 10 * 0.9);
    assert_close(3 - x, share * expected, 1e-8);
    if (share < 1)
        assert_close(4 - y, 0.8 * expected, 1e-8);
    slip_result_destroy(result);
    result = NULL;
    options.end = 8; /* it comes to rest, on the floor */
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_OK);
    assert_close(slip_result_number(result, "final.x'"), 0, 1e-12);
    assert_close(slip_result_number(result, "final.z'"), 0, 1e-2);
    {
        int64_t count;
        const double *mode = slip_result_series(result, "floor.mode", &count);
        assert_true((int)mode[0] == SLIP_MODE_OPEN);
        assert_string_equal(slip_mode_name((slip_mode)mode[count - 1]), last);
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void test_friction(void **state)
{
    (void)state;
    slide(PUCK("x'", "{type: coulomb, mu: 0.3}"), 1, "stick");
    slide(PUCK("[x', y']", "{type: coulomb, mu: 0.3}"), 0.6, "stick");
}

/* ---- Openings and closings are events: those of the spring of test_spring. */

static slip_result *run_model(slip_model *model, const char *method, double step, double tolerance)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.tolerance = tolerance;
    options.step = step;
    const int status = slip_run(ctx, model, &options, &result);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    return result;
}

static void test_events(void **state)
{
    static const char *const methods[] = {"event", "smooth", "rk4", "midpoint", "moreau"};
    static const double errors[] = {1e-12, 1e-9, 1e-6, 1e-4, 1e-4};
    const double m = 2, k = 2e4, g = 9.81, v0 = 1.5, w = sqrt(k / m), pi = 3.14159265358979323846;
    const double v = sqrt(v0 * v0 + 2 * g * 0.1), fall = (v - v0) / g,
                 touch = (pi + 2 * atan(g / (w * v))) / w, flight = 2 * v / g;
    const double expected[] = {fall, fall + touch, fall + touch + flight, fall + 2 * touch + flight};
    (void)state;
    for (int i = 0; i < 5; i++) {
        slip_model *model = parse_with(BALL, (const char *const[]){"g=9.81", "end=0.7", NULL});
        slip_result *result = run_model(model, methods[i], 1e-4, 1e-12);
        assert_int_equal(slip_result_event_count(result), 4);
        for (int e = 0; e < 4; e++) {
            const slip_event *event = slip_result_event(result, e);
            assert_close(event->time, expected[e], errors[i]);
            assert_int_equal(event->from, e % 2 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN);
            assert_int_equal(event->to, e % 2 ? SLIP_MODE_OPEN : SLIP_MODE_CLOSED);
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* ---- Gaps that are not linear in the coordinates. */

/* A bead that is pressed into a bowl of radius 1 by its speed: on the circle 1 + d it needs v^2 = k d (1 +
 * d), and with friction mu it slows down by mu k d. */
static void test_bowl(void **state)
{
    static const struct {
        const char *method;
        double step, error;
    } ways[] = {{"event", NAN, 1e-9}, {"smooth", NAN, 1e-8}, {"moreau", 1e-4, 1e-6}};
    const double k = 500, d = 0.01, v = sqrt(k * d * (1 + d));
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ncontacts: {bowl: {kind: "
                 "unilateral, gap: '1 - hypot(x, y)', normal: {stiffness: 500, damping: 0.3}}}\nsimulate: "
                 "{initial: {x: 1.01, y': %.17g}, time: [0, 3]}\n",
                 v);
        slip_model *model = parse(text);
        slip_result *result = run_model(model, ways[i].method, ways[i].step, 1e-11);
        assert_close(slip_result_number(result, "final.x"), (1 + d) * cos(v / (1 + d) * 3), ways[i].error);
        assert_close(slip_result_number(result, "final.y"), (1 + d) * sin(v / (1 + d) * 3), ways[i].error);
        assert_close(slip_result_number(result, "contacts.bowl.normal"), k * d, k * ways[i].error);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-9);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* A rod that falls onto its end: the contact as such, and its spring as a potential energy. */
static void test_rod(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "energy: {kinetic: \"(x'^2 + y'^2 + p'^2/3)/2\", potential: 10*y}\ncontacts: {a: {kind: unilateral, "
        "gap: y - sin(p), normal: {stiffness: 1e3, exponent: 1.5}}, b: {kind: unilateral, gap: y + sin(p), "
        "normal: {stiffness: 1e3, exponent: 1.5}}}\n",
        "energy: {kinetic: \"(x'^2 + y'^2 + p'^2/3)/2\", potential: \"10*y + 1e3/2.5*(max(sin(p) - y, 0)^2.5 "
        "+ "
        "max(-y - sin(p), 0)^2.5)\"}\n"};
    double end[2][3];
    for (int i = 0; i < 2; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y, p]\n%ssimulate: {initial: {y: 1.5, p: 0.6}, time: [0, "
                 "2]}\n",
                 texts[i]);
        slip_model *model = parse(text);
        slip_result *result = run_model(model, "event", NAN, 1e-12);
        end[i][0] = slip_result_number(result, "final.y");
        end[i][1] = slip_result_number(result, "final.p");
        end[i][2] = slip_result_number(result, "final.p'");
        if (i == 0)
            assert_true(slip_result_event_count(result) > 4);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-9);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    for (int k = 0; k < 3; k++)
        assert_close(end[0][k], end[1][k], 1e-7);
}

/* ---- The same by calls: a point in a plane and an area with gaps, rigid and compliant. */

static double final_of(slip_model *model, const char *name)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    double value;
    int status;
    options.end = 2;
    options.tolerance = 1e-10;
    status = slip_run(ctx, model, &options, &result);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    value = slip_result_number(result, name);
    slip_result_destroy(result);
    slip_model_destroy(model);
    return value;
}

static slip_model *falling(void)
{
    static const char *const names[] = {"x", "y", "z"};
    const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {0, 0, 0.2}, v[3] = {1.2, 0.9, 0};
    slip_model *model = NULL;
    assert_int_equal(slip_model_create(ctx, 3, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, mass), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, q, v), SLIP_OK);
    return model;
}

static void test_calls(void **state)
{
    slip_contact_options puck = slip_contact_options_default();
    slip_contact_options pad = slip_contact_options_default();
    slip_model *model;
    (void)state;
    puck.name = "puck";
    puck.kind = "unilateral";
    puck.gap = "z";
    puck.slip = "x'";
    puck.slip_y = "y'";
    puck.law = slip_law_default("coulomb");
    puck.law.mu = puck.mu_y = 0.3;
    model = falling();
    assert_int_equal(slip_model_add_contact(ctx, model, &puck), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "z", "-10"), SLIP_OK);
    assert_close(final_of(model, "final.x"), 0.54, 1e-8);
    pad.name = "pad";
    pad.kind = "patch";
    pad.slip = "x'";
    pad.slip_y = "y'";
    pad.gap = "z";
    pad.law.mu = 0.3;
    model = falling();
    assert_int_equal(slip_model_add_contact(ctx, model, &pad), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "z", "-10"), SLIP_OK);
    assert_close(final_of(model, "final.x"), 0.54, 1e-8);
    puck.normal_stiffness = pad.normal_stiffness = 5e4;
    puck.normal_damping = pad.normal_damping = 0.2;
    for (int k = 0; k < 2; k++) { /* the force that is set later leaves that of the contact alone */
        model = falling();
        assert_int_equal(k ? slip_model_add_contact(ctx, model, &pad)
                           : slip_model_add_contact(ctx, model, &puck),
                         SLIP_OK);
        assert_int_equal(slip_model_set_force(ctx, model, "z", "-10"), SLIP_OK);
        assert_close(final_of(model, "final.z"), 0, 0.1);
    }
    puck.slip = NULL;
    model = falling();
    assert_int_equal(slip_model_add_contact(ctx, model, &puck), SLIP_ERROR_USAGE);
    slip_model_destroy(model);
}

static void test_refuses(void **state)
{
    slip_model *model = NULL;
    (void)state;
    assert_true(slip_model_parse(ctx, BALL, "test",
                                 (const char *const[]){"contacts.floor.restitution=0.5", NULL}, &model) < 0);
    assert_true(strstr(slip_context_message(ctx), "beside `normal`") != NULL);
    assert_true(slip_model_parse(ctx, BALL, "test",
                                 (const char *const[]){"contacts.floor.normal.exponent=0.5", NULL},
                                 &model) < 0);
    assert_true(strstr(slip_context_message(ctx), "at least 1") != NULL);
    assert_true(slip_model_parse(ctx, BALL, "test", (const char *const[]){"k=0", NULL}, &model) < 0);
    assert_true(strstr(slip_context_message(ctx), "more than 0") != NULL);
}

/* ---- Times of contact, of each and of all together: y falls from 2 at t = 0 and stays on its floor, z
 * bounces once on its own with restitution 1/2 before the end, w was closed all the time until it is thrown
 * up. */
static void test_times(void **state)
{
    static const char *const methods[] = {"event", "moreau"};
    static const char text[] =
        "slipstick: 1\ncoordinates: [y, z, w, x]\nmass: {diagonal: [1, 1, 1, 1]}\n"
        "forces: {y: -1, z: -1, w: -1 + 4*t, x: 0}\n"
        "contacts:\n  y: {kind: unilateral, gap: y}\n  z: {kind: unilateral, gap: z, restitution: 0.5}\n"
        "  w: {kind: unilateral, gap: w}\n  pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1}}\n"
        "simulate: {time: [0, 3], initial: {y: 2, z: 0.5}, step: 1e-4, method: %s, record: {every: 0.01, "
        "from: %g}}\n";
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double from = i / 2 * 1.5, tolerance = i % 2 ? 2e-4 : 1e-9;
        char whole[1000];
        slip_model *model = NULL;
        slip_result *r = NULL;
        snprintf(whole, sizeof whole, text, methods[i % 2], from);
        if (slip_model_parse(ctx, whole, "test", NULL, &model) < 0 || slip_run(ctx, model, NULL, &r) < 0)
            fail_msg("%s", slip_context_message(ctx));
        assert_close(slip_result_number(r, "contacts.y.first_contact"), 2, tolerance);
        assert_close(slip_result_number(r, "contacts.y.contact_time"), 1, tolerance);
        assert_close(slip_result_number(r, "contacts.y.last_contact"), 3, 1e-12);
        /* w is pulled up from 1/4 on */
        assert_close(slip_result_number(r, "contacts.w.contact_time"), from > 0 ? 0 : 0.25, tolerance);
        assert_true(isnan(slip_result_number(r, "contacts.w.first_contact")) == (from > 0));
        /* z strikes at 1, 2, 2.5, 2.75, 2.875, 2.9375 ... and rests from 3 on */
        assert_close(slip_result_number(r, "contacts.z.first_contact"), from > 0 ? 2 : 1, tolerance);
        assert_close(slip_result_number(r, "contacts.z.contact_time"), 0, i % 2 ? 1e-2 : 1e-9);
        assert_close(slip_result_number(r, "first_contact"), from > 0 ? 2 : 0, tolerance);
        assert_close(slip_result_number(r, "contact_time"), from > 0 ? 1 : 1.25, i % 2 ? 1e-2 : 1e-9);
        assert_true(isnan(slip_result_number(r, "contacts.pad.contact_time")));
        assert_close(slip_result_number(r, "peak_force"), 1, i % 2 ? INFINITY : 1e-9);
        slip_result_destroy(r);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spring),   cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_hertz),    cmocka_unit_test(test_hunt_crossley),
                                       cmocka_unit_test(test_friction), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_bowl),     cmocka_unit_test(test_rod),
                                       cmocka_unit_test(test_calls),    cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
