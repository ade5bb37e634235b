/* Contacts in large motion: gaps and slip velocities that are not linear, mass matrices that vary. */
#include "method/impact.h"
#include "model_test.h"
#include "study/run.h"
#include "system/structure/energy.h"

static const double pi = 3.14159265358979323846;

static slip_result *run(const char *text, const char *const *settings)
{
    slip_model *model = parse_with(text, settings);
    slip_result *result = NULL;
    if (slip_run(ctx, model, NULL, &result) != SLIP_OK) {
        print_error("%s\n%s\n", text, slip_context_message(ctx));
        fail();
    }
    slip_model_destroy(model);
    return result;
}

static double last(const slip_result *result, const char *name)
{
    int64_t count;
    const double *values = slip_result_series(result, name, &count);
    assert_non_null(values);
    return values[count - 1];
}

static double largest(const slip_result *result, const char *name)
{
    int64_t count;
    const double *values = slip_result_series(result, name, &count);
    double most = 0;
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

/* ---- The second rate of a gap. */

static void curvature_of_a_gap_is_in_its_second_rate(void **state)
{
    slip_model *model = parse("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
                              "contacts: {c: {kind: unilateral, gap: y - 0.3*x^2*cos(t) - exp(-x*y)}}\n");
    slip_workspace *work;
    uint64_t seed = 3;
    (void)state;
    assert_int_equal(slip_workspace_create(ctx, model->system, &work), SLIP_OK);
    for (int k = 0; k < 50; k++) {
        const double q[2] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1)},
                     v[2] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1)},
                     a[2] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1)};
        const double t = test_random(&seed, -1, 1);
        double gap[2][3], rate[2], curve[2];
        for (int step = 0; step < 2; step++) {
            const double h = step ? 1e-3 : 2e-3;
            for (int i = 0; i < 3; i++) {
                const double s = (i - 1) * h,
                             at[2] = {q[0] + s * (v[0] + 0.5 * s * a[0]), q[1] + s * (v[1] + 0.5 * s * a[1])};
                gap[step][i] = slip_system_gap(model->system, work, 0, t + s, at);
            }
            rate[step] = (gap[step][2] - gap[step][0]) / (2 * h);
            curve[step] = (gap[step][2] - 2 * gap[step][1] + gap[step][0]) / (h * h);
        }
        assert_close(slip_system_gap_rate(model->system, work, 0, t, q, v), (4 * rate[1] - rate[0]) / 3,
                     1e-9);
        assert_close(slip_system_gap_curve(model->system, work, 0, t, q, v, a), (4 * curve[1] - curve[0]) / 3,
                     1e-7);
    }
    slip_workspace_destroy(work);
    slip_model_destroy(model);
}

/* ---- A bead in a bowl: the pendulum in other coordinates. */

#define BOWL(friction)                                                                                       \
    "slipstick: 1\nparameters: {g: 9.81, R: 2}\ncoordinates: [x, y]\n"                                       \
    "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: g*y}\ncontacts:\n"                                    \
    "  bowl: {kind: unilateral, gap: 'R - hypot(x, y)'" friction "}\n"                                       \
    "outputs: {gap: 'R - hypot(x, y)'}\n"                                                                    \
    "simulate: {time: [0, 20], initial: {x: R*sin(1), y: -R*cos(1)}, tolerance: 1e-10}\n"

/* Held on a curve for many swings: the gap stays closed and energy is kept. */
static void a_closed_gap_does_not_drift(void **state)
{
    (void)state;
    slip_result *bead = run(BOWL(""), NULL),
                *pendulum = run("slipstick: 1\nparameters: {g: 9.81, R: 2}\ncoordinates: [p]\n"
                                "energy: {kinetic: R^2*p'^2/2, potential: -g*R*cos(p)}\n"
                                "simulate: {time: [0, 20], initial: {p: 1}, tolerance: 1e-11}\n",
                                NULL);
    const double x = last(bead, "x"), y = last(bead, "y");
    assert_close(atan2(x, -y), last(pendulum, "p"), 1e-8);
    assert_true(largest(bead, "gap") < 1e-13);
    assert_close(largest(bead, "bowl.normal"), 9.81 * (3 - 2 * cos(1.0)), 1e-5);
    assert_true(fabs(slip_result_number(bead, "energy.balance")) < 1e-8);
    slip_result_destroy(bead);
    slip_result_destroy(pendulum);
}

/* With friction it slides to and fro and comes to rest; as a pendulum with the normal force written by hand.
 */
static void friction_in_a_bowl(void **state)
{
    (void)state;
    slip_result *bead =
                    run(BOWL(", slip: \"(x*y' - y*x')/hypot(x, y)\", law: {type: coulomb, mu: 0.1}"), NULL),
                *pendulum = run("slipstick: 1\nparameters: {g: 9.81, R: 2}\ncoordinates: [p]\n"
                                "energy: {kinetic: R^2*p'^2/2, potential: -g*R*cos(p)}\n"
                                "contacts:\n"
                                "  bowl: {kind: friction, slip: R*p', normal_force: g*cos(p) + R*p'^2,\n"
                                "    law: {type: coulomb, mu: 0.1}}\n"
                                "simulate: {time: [0, 20], initial: {p: 1}, tolerance: 1e-11}\n",
                                NULL);
    assert_close(atan2(last(bead, "x"), -last(bead, "y")), last(pendulum, "p"), 1e-7);
    assert_true(last(bead, "x'") == 0 && last(bead, "y'") == 0);
    assert_int_equal(slip_result_event_count(bead), slip_result_event_count(pendulum));
    assert_true(largest(bead, "gap") < 1e-13);
    assert_true(fabs(slip_result_number(bead, "energy.balance")) < 1e-8);
    slip_result_destroy(bead);
    slip_result_destroy(pendulum);
}

/* A disc that rolls in a bowl, held by friction: a pendulum with 3/2 of its inertia. */
static void a_disc_rolls_in_a_bowl(void **state)
{
    const double amplitude = 0.6, rho = 1.5, w = sqrt(2 * 9.81 / (3 * rho));
    double a = 1, b = cos(amplitude / 2);
    char time[80];
    (void)state;
    while (fabs(a - b) > 1e-15) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    snprintf(time, sizeof time, "simulate.time=[0, %.17g]", 3 * 2 * pi / w / a);
    const char *const settings[] = {time, NULL};
    slip_result *result = run(
        "slipstick: 1\nparameters: {g: 9.81, r: 0.5, rho: 1.5, J: r^2/2}\ncoordinates: [x, y, p]\n"
        "energy: {kinetic: \"(x'^2 + y'^2 + J*p'^2)/2\", potential: g*y}\ncontacts:\n"
        "  bowl: {kind: unilateral, gap: 'rho - hypot(x, y)', slip: \"(x*y' - y*x')/hypot(x, y) + r*p'\",\n"
        "    law: {type: coulomb, mu: 0.5}}\n"
        "outputs: {gap: 'rho - hypot(x, y)'}\n"
        "simulate: {initial: {x: rho*sin(0.6), y: -rho*cos(0.6)}, tolerance: 1e-11}\n",
        settings);
    assert_close(atan2(last(result, "x"), -last(result, "y")), amplitude, 1e-9);
    assert_close(last(result, "p"), 0, 1e-9);
    assert_true(largest(result, "bowl.slip") < 1e-13 && largest(result, "gap") < 1e-13);
    assert_int_equal(slip_result_event_count(result), 0);
    slip_result_destroy(result);
}

/* ---- A disc that rolls on a plane, held by friction in the plane, with its height among the coordinates.
 * Steady rolling on a circle has, with the rate w of heading and the rate s of turning about its axis,
 *
 *     A w^2 sin cos - (C + m r^2) w s sin = m g r cos    of the angle between disc and plane. */

#define DISC                                                                                                 \
    "slipstick: 1\nparameters: {m: 1, r: 0.2, g: 9.81, A: m*r^2/4, C: m*r^2/2, w: 2, p: 1.2,\n"              \
    "  s: (A*w^2*sin(p) - m*g*r)*cos(p)/((C + m*r^2)*w*sin(p)), push: 0}\n"                                  \
    "coordinates: [x, y, z, lean, head, spin]\nenergy:\n"                                                    \
    "  kinetic: m/2*(x'^2 + y'^2 + z'^2) + A/2*(lean'^2 + (head'*sin(lean))^2)\n"                            \
    "    + C/2*(spin' + head'*cos(lean))^2\n"                                                                \
    "  potential: m*g*z\ncontacts:\n  floor:\n    kind: unilateral\n    gap: z - r*sin(lean)\n"              \
    "    slip: [\"x'*cos(head) + y'*sin(head) + r*(spin' + head'*cos(lean))\",\n"                            \
    "      \"-x'*sin(head) + y'*cos(head) + r*lean'*sin(lean)\"]\n"                                          \
    "    law: {type: coulomb, mu: 1}\noutputs: {gap: z - r*sin(lean)}\n"                                     \
    "simulate: {time: [0, 3], tolerance: 1e-10,\n"                                                           \
    "  initial: {lean: p + push, z: r*sin(p + push), head': w, spin': s - w*cos(p + push), x': -r*s}}\n"

static void a_disc_rolls_on_a_plane(void **state)
{
    const char *const pushed[] = {"push=0.1", NULL};
    (void)state;
    slip_result *result = run(DISC, NULL);
    assert_close(last(result, "lean"), 1.2, 1e-9);
    assert_close(last(result, "head"), 6, 1e-9);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-10);
    slip_result_destroy(result);
    result = run(DISC, pushed); /* it wobbles, and goes on rolling */
    assert_int_equal(slip_result_event_count(result), 0);
    assert_true(largest(result, "lean'") > 0.1);
    assert_true(largest(result, "floor.slip") < 1e-12 && largest(result, "gap") < 1e-13);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-8);
    slip_result_destroy(result);
}

/* ---- Housner's rocking block: G. W. Housner, The behavior of inverted pendulum structures during
 * earthquakes, Bull. Seism. Soc. Am. 53, 1963. */

#define BLOCK                                                                                                \
    "slipstick: 1\nparameters: {m: 1, b: 0.1, h: 0.5, g: 9.81, I: m*(b^2 + h^2)/3, a: 0.05}\n"               \
    "coordinates: [x, y, p]\n"                                                                               \
    "energy: {kinetic: \"m*(x'^2 + y'^2)/2 + I*p'^2/2\", potential: m*g*y}\ncontacts:\n"                     \
    "  left: {kind: unilateral, gap: y - h*cos(p) - b*sin(p), slip: rate(x + h*sin(p) - b*cos(p)),\n"        \
    "    law: {type: coulomb, mu: 5}, impact_friction: coulomb}\n"                                           \
    "  right: {kind: unilateral, gap: y - h*cos(p) + b*sin(p), slip: rate(x + h*sin(p) + b*cos(p)),\n"       \
    "    law: {type: coulomb, mu: 5}, impact_friction: coulomb}\n"                                           \
    "simulate: {time: [0, 2.5], initial: {p: a, x: b*cos(a) - b - h*sin(a), y: h*cos(a) + b*sin(a)},\n"      \
    "  tolerance: 1e-11}\n"

/* The time from rest at an angle to upright: I0 p'^2/2 = m g R (cos(alpha - p0) - cos(alpha - p)), with p =
 * p0 - u^2 in the integral, which is regular then. */
static double fall_time(double alpha, double p0, double stiffness)
{
    enum { count = 2000 };
    const double end = sqrt(p0), step = end / count;
    double sum = 0;
    for (int i = 0; i <= count; i++) {
        const double u = i * step, p = p0 - u * u;
        const double speed = i == 0 ? sqrt(2 * stiffness * sin(alpha - p0))
                                    : sqrt(2 * stiffness * (cos(alpha - p0) - cos(alpha - p))) / u;
        sum += (i == 0 || i == count ? 1 : i % 2 ? 4 : 2) * 2 / speed;
    }
    return sum * step / 3;
}

static void a_block_rocks(void **state)
{
    const double alpha = atan(0.2), R = hypot(0.1, 0.5), stiffness = 3 * 9.81 / (4 * R);
    const double ratio = 1 - 1.5 * sin(alpha) * sin(alpha);
    double p0 = 0.05, t = fall_time(alpha, p0, stiffness);
    (void)state;
    slip_result *result = run(BLOCK, NULL);
    /* Housner's period, for slender blocks and small angles */
    assert_close(4 * t, 4 / sqrt(stiffness) * acosh(1 / (1 - p0 / alpha)), 4e-3 * 4 * t);
    assert_int_equal(slip_result_event_count(result) % 2, 0);
    for (int64_t k = 0; k < slip_result_event_count(result); k += 2) {
        assert_close(slip_result_event(result, k)->time, t, 1e-9);
        assert_close(slip_result_event(result, k + 1)->time, t, 1e-9);
        /* the energy after the impact is ratio^2 of that before, which gives the next angle */
        p0 = alpha - acos(cos(alpha) + ratio * ratio * (cos(alpha - p0) - cos(alpha)));
        t += 2 * fall_time(alpha, p0, stiffness);
    }
    assert_true(slip_result_event_count(result) >= 14);
    slip_result_destroy(result);
}

/* ---- Impacts with a mass matrix that varies. */

#define STRUCK                                                                                               \
    "slipstick: 1\ncoordinates: [a, b]\n"                                                                    \
    "energy: {kinetic: \"a'^2 + b'^2/4 + cos(a - b)*a'*b'/2\", potential: -20*cos(a) - 5*cos(b)}\n"          \
    "contacts: {wall: {kind: unilateral, gap: 0.8 - sin(a) - sin(b)/2, restitution: 0.7}}\n"                 \
    "simulate: {time: [0, 6], initial: {a: -1, b: -1.5}}\n"

static void impacts_keep_what_they_must(void **state)
{
    slip_model *model = parse(STRUCK);
    slip_workspace *work;
    slip_impact *impact;
    uint64_t seed = 9;
    (void)state;
    assert_int_equal(slip_workspace_create(ctx, model->system, &work), SLIP_OK);
    assert_int_equal(slip_impact_create(ctx, model->system, work, &impact), SLIP_OK);
    for (int k = 0; k < 100; k++) {
        const double q[2] = {test_random(&seed, -1, 1), test_random(&seed, -2, 2)}, c = cos(q[0] - q[1]);
        const double mass[4] = {2, c / 2, c / 2, 0.5}, row[2] = {-cos(q[0]), -cos(q[1]) / 2};
        double v[2] = {test_random(&seed, -3, 3), test_random(&seed, -3, 3)}, before[2] = {v[0], v[1]},
               impulse = 0;
        bool at_stop = true;
        const double rate = row[0] * v[0] + row[1] * v[1];
        if (rate >= -0.01)
            continue;
        assert_true(slip_impact_solve(impact, 0, q, v, &at_stop, &impulse));
        assert_close(row[0] * v[0] + row[1] * v[1], -0.7 * rate, 1e-13);
        for (int i = 0; i < 2; i++)
            assert_close(mass[2 * i] * (v[0] - before[0]) + mass[2 * i + 1] * (v[1] - before[1]),
                         impulse * row[i], 1e-13);
    }
    slip_impact_destroy(impact);
    slip_workspace_destroy(work);
    slip_model_destroy(model);
    slip_result *result = run(STRUCK, NULL);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-7);
    assert_true(slip_result_number(result, "energy.impacts") > 0.1);
    slip_result_destroy(result);
}

/* ---- Painleve's rod: uniform, half length l, at the angle p to the floor, its lower end on it. Sliding to
 * the left, the end has the acceleration A N + b with
 *
 *     m A = 1 + 3 cos(p) (cos(p) - mu sin(p)),    b = l p'^2 sin(p) - g.
 *
 * For A < 0, which takes mu > 4/3, there is no force for b < 0, and for b > 0 both one and flight. */

#define ROD                                                                                                  \
    "slipstick: 1\nparameters: {m: 1, l: 0.5, g: 9.81, mu: 1, p0: pi/3, turn: 0}\n"                          \
    "coordinates: [x, y, p]\n"                                                                               \
    "energy: {kinetic: \"m*(x'^2 + y'^2)/2 + m*l^2/6*p'^2\", potential: m*g*y}\ncontacts:\n"                 \
    "  tip: {kind: unilateral, gap: y - l*sin(p), slip: rate(x - l*cos(p)), law: {type: coulomb, mu: mu}}\n" \
    "simulate: {time: [0, 0.05], initial: {y: l*sin(p0), p: p0, p': turn, y': l*cos(p0)*turn, x': -10}}\n"

static void a_rod_has_one_acceleration_or_says_which(void **state)
{
    const char *const steep[] = {"mu=2", NULL}, *const turning[] = {"mu=2", "turn=10", NULL};
    const double p = pi / 3, A = 1 + 3 * cos(p) * (cos(p) - sin(p));
    int64_t count;
    (void)state;
    slip_result *result = run(ROD, NULL);
    assert_close(slip_result_series(result, "tip.normal", &count)[0], 9.81 / A, 1e-10);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-8);
    slip_result_destroy(result);
    for (int k = 0; k < 2; k++) {
        slip_model *model = parse_with(ROD, k ? turning : steep);
        assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_ERROR_SOLVER);
        expect_message(ROD, k ? "contact `tip`: at t = 0 more than one set of modes is consistent"
                              : "contact `tip`: at t = 0 no mode of the contacts is consistent");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* ---- Random systems: two links above a floor, and a bead on a wavy floor that shakes. The account of energy
 * closes, the judge finds the laws fulfilled, and a smaller tolerance gives the same motion. */

static void write_random(uint64_t *seed, bool links, char *text, size_t size)
{
    const double mus[] = {0, 0.1, 0.3, 0.6}, bounces[] = {0, 0, 0.3, 0.7};
    const double mu = mus[(int)test_random(seed, 0, 4)], e = bounces[(int)test_random(seed, 0, 4)];
    const char *const impact = mu > 0 && test_random(seed, 0, 1) > 0.5 ? "coulomb" : "none";
    char law[80] = "", numbers[200];
    if (mu > 0)
        snprintf(law, sizeof law, ", law: {type: coulomb, mu: %g}, impact_friction: %s", mu, impact);
    for (int k = 0, used = 0; k < 6; k++)
        used += snprintf(numbers + used, sizeof numbers - (size_t)used, "%sr%d: %.4f", k ? ", " : "", k,
                         test_random(seed, 0, 1));
    if (links)
        snprintf(text, size,
                 "slipstick: 1\nparameters: {%s, m: 0.3 + 1.7*r0, l: 0.5 + r1/2, g: 9.81, h: 1 + r2/2}\n"
                 "coordinates: [a, b]\nenergy:\n"
                 "  kinetic: (rate(sin(a))^2 + rate(cos(a))^2)/2\n"
                 "    + m/2*(rate(sin(a) + l*sin(b))^2 + rate(cos(a) + l*cos(b))^2)\n"
                 "  potential: -g*cos(a) - m*g*(cos(a) + l*cos(b))\n  dissipation: 0.1*r3*a'^2\n"
                 "contacts:\n  tip: {kind: unilateral, gap: h - cos(a) - l*cos(b), restitution: %g,\n"
                 "    slip: rate(sin(a) + l*sin(b))%s}\n"
                 "simulate: {time: [0, 2], initial: {a: 1.6 + 0.6*r4, b: 1.6 + 1.4*r5}, tolerance: 1e-9}\n",
                 numbers, e, law);
    else
        snprintf(text, size,
                 "slipstick: 1\nparameters: {%s, A: 0.1 + 0.4*r0, w: 1 + 3*r1, g: 9.81}\n"
                 "coordinates: [x, y]\nmass: {diagonal: [1, 1]}\nforces: {y: -g, x: 3*r2*sin(3*t)}\n"
                 "contacts:\n  floor: {kind: unilateral, gap: y - A*cos(w*x) - 0.05*sin((2 + 7*r3)*t),\n"
                 "    restitution: %g,\n"
                 "    slip: \"(x' - A*w*sin(w*x)*y')/sqrt(1 + (A*w*sin(w*x))^2)\"%s}\n"
                 "simulate: {time: [0, 2], initial: {x: 2*r4 - 1, y: 1, x': 4*r5 - 2}, tolerance: 1e-9}\n",
                 numbers, e, law);
}

static void random_systems(void **state)
{
    const char *const finer[] = {"simulate.tolerance=1e-11", NULL};
    uint64_t seed = 77;
    int events = 0;
    (void)state;
    for (int k = 0; k < 60; k++) {
        char text[1200];
        double residual;
        write_random(&seed, k % 2, text, sizeof text);
        slip_result *result = run(text, NULL), *fine = run(text, finer);
        slip_model *model = parse(text);
        const char *const name = k % 2 ? "a" : "x";
        assert_int_equal(slip_result_residual(ctx, model->system, result, &residual), SLIP_OK);
        const double balance = slip_result_number(result, "energy.balance"),
                     change = fabs(last(result, name) - last(fine, name));
        if (!(fabs(balance) < 1e-7) || !(change < 1e-5) || !(residual < 1e-8)) {
            print_error("%s\nbalance %g, change %g, residual %g\n", text, balance, change, residual);
            fail();
        }
        events += (int)slip_result_event_count(result);
        slip_model_destroy(model);
        slip_result_destroy(fine);
        slip_result_destroy(result);
    }
    assert_true(events > 100);
}

/* ---- Fixed steps. */

static double end_of(const char *text, const char *name, const char *method, double step)
{
    char a[60], b[60];
    snprintf(a, sizeof a, "simulate.method=%s", method);
    snprintf(b, sizeof b, "simulate.step=%g", step);
    const char *const settings[] = {a, b, "simulate.time=[0, 2]", NULL}, *const adaptive[] = {
                                                                             "simulate.tolerance=1e-12",
                                                                             "simulate.time=[0, 2]", NULL};
    slip_result *result = run(text, step > 0 ? settings : adaptive);
    const double end = last(result, name);
    slip_result_destroy(result);
    return end;
}

/* Without contacts the midpoint rule has order 2, also where the mass matrix varies. */
static void fixed_steps_have_their_order(void **state)
{
    const char *const text = "slipstick: 1\ncoordinates: [a, b]\n"
                             "energy: {kinetic: \"a'^2 + b'^2/4 + cos(a - b)*a'*b'/2\",\n"
                             "  potential: -20*cos(a) - 5*cos(b), dissipation: a'^2/10}\n"
                             "simulate: {initial: {a: 1, b: 1.5}}\n";
    const double exact = end_of(text, "a", "event", 0);
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const method = k ? "midpoint" : "moreau";
        const double one = fabs(end_of(text, "a", method, 4e-3) - exact),
                     two = fabs(end_of(text, "a", method, 2e-3) - exact);
        assert_true(two < 1e-4);
        assert_close(one / two, 4, 0.1);
    }
}

static void fixed_steps_hold_contacts(void **state)
{
    const char *const text = BOWL(", slip: \"(x*y' - y*x')/hypot(x, y)\", law: {type: coulomb, mu: 0.1}");
    const double exact = end_of(text, "x", "event", 0);
    (void)state;
    const double one = fabs(end_of(text, "x", "moreau", 2e-3) - exact),
                 two = fabs(end_of(text, "x", "moreau", 5e-4) - exact);
    assert_true(two < 1e-3 && two < 0.4 * one);
}

/* The direction of a slip vanishes where x passes 0 and pi, as that of a piston does at the dead centres of
 * its crank: the slip changes its sign there whatever friction does, and nothing stops. In between friction
 * takes mu N |sin x| from the force, and so 2 mu N from x'^2/2 from one dead centre to the next. */
static void dead_centres_are_passed(void **state)
{
    const double rubs = 0.05;
    (void)state;
    slip_result *result = run("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ncontacts:\n"
                              "  c: {kind: friction, slip: rate(cos(x)), normal_force: 0.1, law: {type: "
                              "coulomb, mu: 0.5}}\n"
                              "simulate: {time: [0, 4], initial: {x: -0.5, x': 1}, tolerance: 1e-11}\n",
                              NULL);
    const double x = last(result, "x"), taken = rubs * (1 - cos(0.5) + 2 + 1 + cos(x));
    assert_int_equal(slip_result_event_count(result), 2);
    assert_true(x > pi && x < 2 * pi);
    assert_close(last(result, "x'"), sqrt(1 - 2 * taken), 1e-9);
    assert_close(slip_result_number(result, "energy.balance"), 0, 1e-9);
    slip_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curvature_of_a_gap_is_in_its_second_rate),
        cmocka_unit_test(a_closed_gap_does_not_drift),
        cmocka_unit_test(friction_in_a_bowl),
        cmocka_unit_test(dead_centres_are_passed),
        cmocka_unit_test(a_disc_rolls_in_a_bowl),
        cmocka_unit_test(a_disc_rolls_on_a_plane),
        cmocka_unit_test(a_block_rocks),
        cmocka_unit_test(impacts_keep_what_they_must),
        cmocka_unit_test(a_rod_has_one_acceleration_or_says_which),
        cmocka_unit_test(random_systems),
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(fixed_steps_hold_contacts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
