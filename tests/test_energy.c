/* Structures that are given by their energies: the equations against hand-written ones, what motion keeps,
 * closed forms of nonlinear motion, structures that turn out to be linear, and what is refused. */
#include "math/dense.h"
#include "model_test.h"
#include "slipstick/run.h"
#include "system/structure/energy.h"

/* ---- Equations. */

/* The accelerations of a double pendulum with rods l1, l2 and point masses, angles from the vertical. */
static void double_pendulum(const double *q, const double *v, double a[2])
{
    const double m1 = 1.3, m2 = 0.6, l1 = 1.1, l2 = 0.7, g = 9.81, d = q[0] - q[1], s = sin(d), c = cos(d);
    const double m11 = (m1 + m2) * l1 * l1, m12 = m2 * l1 * l2 * c, m22 = m2 * l2 * l2;
    const double f1 = -m2 * l1 * l2 * s * v[1] * v[1] - (m1 + m2) * g * l1 * sin(q[0]);
    const double f2 = m2 * l1 * l2 * s * v[0] * v[0] - m2 * g * l2 * sin(q[1]);
    const double det = m11 * m22 - m12 * m12;
    a[0] = (m22 * f1 - m12 * f2) / det;
    a[1] = (m11 * f2 - m12 * f1) / det;
}

#define PENDULA                                                                                              \
    "slipstick: 1\nparameters: {m1: 1.3, m2: 0.6, l1: 1.1, l2: 0.7, g: 9.81}\ncoordinates: [a, b]\n"
/* by the velocities of the two masses */
#define BY_POINTS                                                                                            \
    "energy:\n"                                                                                              \
    "  kinetic: m1/2*(rate(l1*sin(a))^2 + rate(l1*cos(a))^2)\n"                                              \
    "    + m2/2*(rate(l1*sin(a) + l2*sin(b))^2 + rate(l1*cos(a) + l2*cos(b))^2)\n"                           \
    "  potential: -m1*g*l1*cos(a) - m2*g*(l1*cos(a) + l2*cos(b))\n"
#define BY_ANGLES                                                                                            \
    "energy:\n"                                                                                              \
    "  kinetic: (m1 + m2)*l1^2*a'^2/2 + m2*l2^2*b'^2/2 + m2*l1*l2*cos(a - b)*a'*b'\n"                        \
    "  potential: -(m1 + m2)*g*l1*cos(a) - m2*g*l2*cos(b)\n"

/* A top in Euler angles, and a disc on its edge on a smooth plane, whose centre is r sin(theta) high: with n
 * = psi' + phi' cos(theta), which is kept, and the inertia B(theta) of theta. */
static void spinning(double inertia, double bend, double moment, const double *q, const double *v,
                     double a[3])
{
    const double A = 0.2, C = 0.1, s = sin(q[0]), c = cos(q[0]), n = v[2] + v[1] * c;
    a[0] = (A * v[1] * v[1] * s * c - C * n * v[1] * s + bend * v[0] * v[0] + moment) / inertia;
    a[1] = (C * n * v[0] - 2 * A * v[1] * v[0] * c) / (A * s);
    a[2] = v[1] * v[0] * s - a[1] * c;
}

static void spinning_top(const double *q, const double *v, double *a)
{
    spinning(0.2, 0, 9.81 * 0.3 * sin(q[0]), q, v, a);
}

static void disc_on_its_edge(const double *q, const double *v, double *a)
{
    const double r = 0.4, c = cos(q[0]);
    spinning(0.2 + r * r * c * c, r * r * sin(q[0]) * c, -9.81 * r * c, q, v, a);
}

/* A block that turns about its corner. */
static void block_on_its_corner(const double *q, const double *v, double *a)
{
    const double R = hypot(0.1, 0.5), alpha = atan(0.2);
    (void)v;
    a[0] = -0.75 * 9.81 / R * sin(alpha - q[0]);
}

static void equations_are_those_written_by_hand(void **state)
{
    static const struct {
        const char *text;
        void (*by_hand)(const double *q, const double *v, double *a);
    } cases[] = {
        {PENDULA BY_POINTS, double_pendulum},
        {PENDULA BY_ANGLES, double_pendulum},
        {"slipstick: 1\nparameters: {A: 0.2, C: 0.1, m: 1, g: 9.81, l: 0.3}\ncoordinates: [theta, phi, psi]\n"
         "energy:\n  kinetic: A/2*(theta'^2 + (phi'*sin(theta))^2) + C/2*(psi' + phi'*cos(theta))^2\n"
         "  potential: m*g*l*cos(theta)\n",
         spinning_top},
        {"slipstick: 1\nparameters: {A: 0.2, C: 0.1, m: 1, g: 9.81, r: 0.4}\ncoordinates: [lean, head, "
         "spin]\n"
         "energy:\n  kinetic: m/2*rate(r*sin(lean))^2 + A/2*(lean'^2 + (head'*sin(lean))^2) + C/2*(spin' + "
         "head'*cos(lean))^2\n  potential: m*g*r*sin(lean)\n",
         disc_on_its_edge},
        {"slipstick: 1\nparameters: {m: 1, b: 0.1, h: 0.5, g: 9.81}\ncoordinates: [p]\nenergy:\n"
         "  kinetic: m/2*(rate(h*sin(p) - b*cos(p))^2 + rate(h*cos(p) + b*sin(p))^2) + m*(b^2 + h^2)/6*p'^2\n"
         "  potential: m*g*(h*cos(p) + b*sin(p))\n",
         block_on_its_corner},
    };
    uint64_t seed = 5;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_model *model = parse(cases[k].text);
        const int n = model->system->n;
        slip_workspace *work;
        assert_int_equal(slip_workspace_create(ctx, model->system, &work), SLIP_OK);
        for (int i = 0; i < 200; i++) {
            double q[3], v[3], a[3], expected[3], size = 10;
            for (int j = 0; j < n; j++) {
                q[j] = test_random(&seed, -3, 3);
                v[j] = test_random(&seed, -5, 5);
            }
            if (n == 3) /* Euler's angles have a pole */
                q[0] = test_random(&seed, 0.4, 2.7);
            assert_true(slip_system_acceleration(model->system, work, NULL, 0, q, v, a));
            cases[k].by_hand(q, v, expected);
            for (int j = 0; j < n; j++)
                size = fmax(size, fabs(expected[j]));
            for (int j = 0; j < n; j++)
                assert_close(a[j], expected[j], 1e-13 * (n == 3 ? size : 10 + fabs(expected[j])));
        }
        slip_workspace_destroy(work);
        slip_model_destroy(model);
    }
}

/* Three coordinates, a mass matrix with everything in it, moving frame, dissipation that is not quadratic. */
#define EVERYTHING                                                                                           \
    "slipstick: 1\ncoordinates: [x, y, p]\nenergy:\n"                                                        \
    "  kinetic: (1 + y^2)*(x' + 0.3*t*cos(p))^2/2 + (2 + sin(x*t))*y'^2/2 + exp(-p^2)*p'^2 + 0.2*x*y'*p'\n"  \
    "    + p'^2 + x*y*rate(t^2)*y'\n"                                                                        \
    "  potential: x^4/4 + x*y + cos(p)*t\n"                                                                  \
    "  dissipation: 0.1*(x' - y')^4 + x^2*p'^2/2\n"                                                          \
    "springs: [{between: [x, y], stiffness: 2, damping: 0.1}]\nforces: {p: sin(t)*x*y'}\n"

static void derivatives_of_the_acceleration_are_exact(void **state)
{
    enum { n = 3 };
    slip_model *model = parse(EVERYTHING);
    slip_workspace *work;
    uint64_t seed = 11;
    (void)state;
    assert_int_equal(slip_workspace_create(ctx, model->system, &work), SLIP_OK);
    for (int k = 0; k < 50; k++) {
        double y[1 + 2 * n], at[1 + 2 * n], a[n], a_q[n * n], a_v[n * n], a_t[n], up[n], down[n];
        for (int i = 0; i <= 2 * n; i++)
            y[i] = test_random(&seed, -1, 1);
        assert_true(
            slip_system_jacobian(model->system, work, NULL, y[0], y + 1, y + 1 + n, a, a_q, a_v, a_t, NULL));
        for (int j = 0; j <= 2 * n; j++) {
            double slope[2][n];
            for (int step = 0; step < 2; step++) {
                const double h = step ? 5e-4 : 1e-3;
                memcpy(at, y, sizeof at);
                at[j] = y[j] + h;
                assert_true(
                    slip_system_acceleration(model->system, work, NULL, at[0], at + 1, at + 1 + n, up));
                at[j] = y[j] - h;
                assert_true(
                    slip_system_acceleration(model->system, work, NULL, at[0], at + 1, at + 1 + n, down));
                for (int i = 0; i < n; i++)
                    slope[step][i] = (up[i] - down[i]) / (2 * h);
            }
            for (int i = 0; i < n; i++) {
                const double found = j == 0 ? a_t[i] : j <= n ? a_q[i * n + j - 1] : a_v[i * n + j - 1 - n];
                const double expected = (4 * slope[1][i] - slope[0][i]) / 3;
                assert_close(found, expected, 1e-8 * (1 + fabs(expected)));
            }
        }
    }
    slip_workspace_destroy(work);
    slip_model_destroy(model);
}

/* ---- Runs. */

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

/* By how much a series changes, over its largest value. */
static double drift(const slip_result *result, const char *name)
{
    int64_t count;
    const double *values = slip_result_series(result, name, &count);
    double most = 0, size = 0;
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(values[i] - values[0]));
        size = fmax(size, fabs(values[i]));
    }
    return most / size;
}

static double last(const slip_result *result, const char *name)
{
    int64_t count;
    const double *values = slip_result_series(result, name, &count);
    assert_non_null(values);
    return values[count - 1];
}

static void energy_is_kept(void **state)
{
    const char *const methods[] = {"event", "smooth", "rk4"};
    double end[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        char method[40];
        snprintf(method, sizeof method, "simulate.method=%s", methods[k]);
        const char *const settings[] = {"simulate.time=[0, 10]", "simulate.initial={a: 1, b: 0.5}", method,
                                        k == 2 ? "simulate.step=5e-4" : "simulate.tolerance=1e-11", NULL};
        slip_result *result = run(PENDULA BY_POINTS, settings);
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-8);
        assert_close(slip_result_number(result, "energy.potential_start"),
                     -(1.9 * 9.81 * 1.1 * cos(1) + 0.6 * 9.81 * 0.7 * cos(0.5)), 1e-12);
        end[k] = last(result, "b");
        slip_result_destroy(result);
    }
    assert_close(end[1], end[0], 2e-7);
    assert_close(end[2], end[0], 2e-7);
}

/* With everything there is, the account closes: springs, dissipation, loads, a frame that moves. */
static void the_account_closes(void **state)
{
    const char *const settings[] = {"simulate.time=[0, 5]", "simulate.initial={x: 0.5, p': 1}",
                                    "simulate.tolerance=1e-11", NULL};
    (void)state;
    slip_result *result = run(EVERYTHING, settings);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-8);
    assert_true(slip_result_number(result, "energy.damping") > 0.01);
    slip_result_destroy(result);
}

/* Heavy symmetric top: energy and the momenta of the angles that its energy does not depend on. */
static void a_top_keeps_its_momenta(void **state)
{
    (void)state;
    slip_result *result =
        run("slipstick: 1\nparameters: {A: 0.2, C: 0.1, m: 1, g: 9.81, l: 0.3}\n"
            "coordinates: [theta, phi, psi]\nenergy:\n"
            "  kinetic: A/2*(theta'^2 + (phi'*sin(theta))^2) + C/2*(psi' + phi'*cos(theta))^2\n"
            "  potential: m*g*l*cos(theta)\n"
            "outputs:\n"
            "  vertical: A*phi'*sin(theta)^2 + C*(psi' + phi'*cos(theta))*cos(theta)\n"
            "  axial: C*(psi' + phi'*cos(theta))\n"
            "simulate: {time: [0, 10], initial: {theta: 0.4, psi': 40}, tolerance: 1e-11}\n",
            NULL);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-9);
    assert_true(drift(result, "vertical") < 1e-8);
    assert_true(drift(result, "axial") < 1e-9);
    assert_true(drift(result, "theta") > 0.01);
    slip_result_destroy(result);
}

/* The period of a pendulum is 2 pi sqrt(l/g)/agm(1, cos(a/2)). */
static void a_pendulum_has_its_period(void **state)
{
    const double amplitude = 2, g = 9.81;
    double x = 1, y = cos(amplitude / 2);
    char time[80];
    (void)state;
    while (fabs(x - y) > 1e-15) {
        const double mean = 0.5 * (x + y);
        y = sqrt(x * y);
        x = mean;
    }
    snprintf(time, sizeof time, "simulate.time=[0, %.17g]", 2 * 3.14159265358979323846 / sqrt(g) / x);
    const char *const settings[] = {time, NULL};
    slip_result *result = run("slipstick: 1\ncoordinates: [p]\n"
                              "energy: {kinetic: p'^2/2, potential: -9.81*cos(p)}\n"
                              "simulate: {initial: {p: 2}, tolerance: 1e-12}\n",
                              settings);
    assert_close(last(result, "p"), amplitude, 1e-11);
    assert_close(last(result, "p'"), 0, 1e-9);
    slip_result_destroy(result);
}

/* A bead on a hoop that turns: relative equilibrium at cos(p) = g/(R w^2), small motion about it with
 * frequency w sin(p); the energy that the drive puts in is in the account. The kinetic energy in space, with
 * t in it, gives the same motion. */
static void a_bead_on_a_turning_hoop(void **state)
{
    const char *const texts[] = {"p'^2/2 + w^2*sin(p)^2/2",
                                 "(rate(sin(p)*cos(w*t))^2 + rate(sin(p)*sin(w*t))^2 + rate(cos(p))^2)/2"};
    const double w = 5, g = 9.81, rest = acos(g / (w * w)), frequency = w * sin(rest);
    double end[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {w: 5}\ncoordinates: [p]\n"
                 "energy: {kinetic: \"%s\", potential: -9.81*cos(p)}\n"
                 "simulate: {time: [0, %.17g], initial: {p: %.17g}, tolerance: 1e-12}\n",
                 texts[k], 2 * 3.14159265358979323846 / frequency, rest + 1e-4);
        slip_result *result = run(text, NULL);
        end[k] = last(result, "p");
        assert_close(end[k], rest + 1e-4, 1e-8);
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-10);
        slip_result_destroy(result);
    }
    assert_close(end[0], end[1], 1e-11);
}

/* A disc on a smooth plane: its centre moves straight, energy and the momenta of heading and spin are kept.
 */
static void a_disc_on_a_smooth_plane(void **state)
{
    (void)state;
    slip_result *result =
        run("slipstick: 1\nparameters: {m: 1, r: 0.2, g: 9.81, A: m*r^2/4, C: m*r^2/2}\n"
            "coordinates: [x, y, lean, head, spin]\nenergy:\n"
            "  kinetic: m/2*(x'^2 + y'^2 + rate(r*sin(lean))^2) + A/2*(lean'^2 + (head'*sin(lean))^2)\n"
            "    + C/2*(spin' + head'*cos(lean))^2\n"
            "  potential: m*g*r*sin(lean)\n"
            "outputs: {axial: C*(spin' + head'*cos(lean)),\n"
            "  vertical: \"A*head'*sin(lean)^2 + C*(spin' + head'*cos(lean))*cos(lean)\"}\n"
            "simulate: {time: [0, 3], initial: {lean: 1.2, head': 12, spin': 20, x': 1}, tolerance: 1e-11}\n",
            NULL);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-9);
    assert_true(drift(result, "axial") < 1e-9 && drift(result, "vertical") < 1e-9);
    assert_close(last(result, "x"), 3, 1e-9);
    slip_result_destroy(result);
}

/* ---- Linear structures. */

static void linear_energies_become_matrices(void **state)
{
    (void)state;
    /* a Foucault pendulum's gyroscopic terms, a shaken support, gravity */
    slip_model *model =
        parse("slipstick: 1\nparameters: {m: 2, k: 3, w: 0.5, g: 10}\ncoordinates: [x, y]\nenergy:\n"
              "  kinetic: m*((x' - w*y)^2 + (y' + w*x)^2)/2\n"
              "  potential: k*(x - 0.1*sin(3*t))^2/2 + k*y^2 + m*g*y\n"
              "  dissipation: 0.2*(x' - y')^2/2\n");
    const slip_system *system = model->system;
    const double mass[] = {2, 0, 0, 2}, damping[] = {0.2, -0.2 - 2, -0.2 + 2, 0.2},
                 stiffness[] = {3 - 0.5, 0, 0, 6 - 0.5};
    assert_null(system->energy);
    for (int i = 0; i < 4; i++) {
        assert_close(system->mass[i], mass[i], 1e-15);
        assert_close(system->damping[i], damping[i], 1e-15);
        assert_close(system->stiffness[i], stiffness[i], 1e-15);
    }
    assert_int_equal(system->force_count, 2);
    slip_model_destroy(model);
    slip_result *result =
        run("slipstick: 1\ncoordinates: [x]\nenergy: {kinetic: 2*x'^2, potential: 8*x^2 - x*sin(t)}\n"
            "simulate: {time: [0, 3], initial: {x: 1}}\n",
            NULL);
    assert_true(slip_result_number(result, "evaluations") == 0); /* in closed form */
    /* 4 x'' + 16 x = sin t */
    assert_close(last(result, "x"), cos(6.0) - sin(6.0) / 24 + sin(3.0) / 12, 1e-13);
    slip_result_destroy(result);
}

/* A pendulum whose support is moved by a table: t^3, which a spline gives back exactly. */
static void rates_of_tables(void **state)
{
    (void)state;
    slip_result
        *result = run(
            "slipstick: 1\ncoordinates: [p]\n"
            "inputs: {road: {points: [[0, 0], [0.5, 0.125], [1, 1], [1.5, 3.375], [2, 8]], between: cubic}}\n"
            "energy:\n  kinetic: (rate(sin(p) + road(t))^2 + rate(cos(p))^2)/2\n"
            "  potential: -9.81*cos(p)\n"
            "simulate: {time: [0, 1.9], initial: {p: 0.3}, tolerance: 1e-11}\n",
            NULL),
        *same = run("slipstick: 1\ncoordinates: [p]\nmass: [[1]]\n"
                    "forces: {p: -9.81*sin(p) - 6*t*cos(p)}\n"
                    "simulate: {time: [0, 1.9], initial: {p: 0.3}, tolerance: 1e-11}\n",
                    NULL);
    assert_close(last(result, "p"), last(same, "p"), 1e-9);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-9);
    slip_result_destroy(same);
    slip_result_destroy(result);
}

/* A pendulum whose support is moved by a state, as if by another pendulum's damper: z' = (sin(p) - z)/T. The
 * state is in the potential energy, and the motion is that of the same force written by hand. */
static void states_may_stand_in_potential_energies(void **state)
{
    (void)state;
    slip_result *result = run("slipstick: 1\ncoordinates: [p]\nstates: {z: sin(p) - z}\n"
                              "energy: {kinetic: \"(2 + cos(p))*p'^2/2\", potential: -9.81*cos(p) + 3*z*p}\n"
                              "simulate: {time: [0, 5], initial: {p: 1}, tolerance: 1e-11}\n",
                              NULL),
                *same = run("slipstick: 1\ncoordinates: [p]\nstates: {z: sin(p) - z}\n"
                            "mass: [[1]]\nforces: {p: \"(sin(p)*p'^2/2 - 9.81*sin(p) - 3*z)/(2 + cos(p))\"}\n"
                            "simulate: {time: [0, 5], initial: {p: 1}, tolerance: 1e-11}\n",
                            NULL);
    assert_close(last(result, "p"), last(same, "p"), 1e-8);
    assert_close(last(result, "z"), last(same, "z"), 1e-8);
    slip_result_destroy(same);
    slip_result_destroy(result);
    refuse_with("slipstick: 1\ncoordinates: [p]\nstates: {z: sin(p) - z}\nenergy: {kinetic: (1 + z)*p'^2}\n",
                NULL, "reads the state `z`");
}

/* ---- From C, and what is refused. */

static void energies_can_be_given_in_c(void **state)
{
    const char *const names[] = {"p"};
    const double q = 2, v = 0;
    slip_model *model;
    slip_result *result = NULL;
    slip_run_options options = slip_run_options_default();
    (void)state;
    options.end = 1;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "g", 9.81), SLIP_OK);
    assert_int_equal(slip_model_set_energy(ctx, model, "abs(p')^3", NULL, NULL), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "is not quadratic in the velocities"));
    assert_int_equal(slip_model_set_energy(ctx, model, "p'^2/2", "-g*cos(p)", NULL), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, &q, &v), SLIP_OK);
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_OK);
    slip_result *same = run("slipstick: 1\ncoordinates: [p]\n"
                            "energy: {kinetic: p'^2/2, potential: -9.81*cos(p)}\n"
                            "simulate: {time: [0, 1], initial: {p: 2}}\n",
                            NULL);
    assert_true(last(result, "p") == last(same, "p"));
    slip_result_destroy(same);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

#define ENERGY(text) "slipstick: 1\ncoordinates: [x, y]\nenergy: {" text "}\n"

static void wrong_energies_are_refused(void **state)
{
    static const refusal refusals[] = {
        {ENERGY("potential: x^2"), "m.yaml:3:9: energy: `kinetic` is missing"},
        {ENERGY("kinetic: x'^2, elastic: x^2"),
         "m.yaml:3:25: unknown key `elastic`, expected one of `kinetic`"},
        {ENERGY("kinetic: x'^2 + z'^2"), "unknown name `z'`"},
        {ENERGY("kinetic: x'^3 + y'^2"),
         "m.yaml:3:19: the kinetic energy `x'^3 + y'^2` is not quadratic in the velocities: its derivative "
         "with respect to `x'` is not linear in them"},
        {ENERGY("kinetic: x'^2 + y'^2, potential: x*y'"),
         "m.yaml:3:43: the potential energy `x*y'` reads `y'`"},
        {ENERGY("kinetic: x'^2") "mass: [[1, 0], [0, 1]]\n",
         "m.yaml:4:1: found `mass` beside `energy`, expected one of them"},
        {ENERGY("kinetic: x'^2 + y'^2, dissipation: log(x"), "m.yaml:3:"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void refuse_run(const char *text, const char *part)
{
    const char *const settings[] = {"simulate.time=[0, 10]", NULL};
    slip_model *model = parse_with(text, settings);
    slip_result *result = NULL;
    assert_true(slip_run(ctx, model, NULL, &result) < 0);
    expect_message(text, part);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void motions_without_mass_are_named(void **state)
{
    (void)state;
    refuse_with(ENERGY("kinetic: (x' - y')^2"), NULL,
                "m.yaml:3:19: energy.kinetic: `y` has no mass, and nothing decides its motion");
    refuse_run(
        ENERGY("kinetic: (x' + cos(x)*y')^2/2, potential: x^2"),
        "at t = 0 the mass matrix of the kinetic energy `(x' + cos(x)*y')^2/2` is not positive definite: the "
        "motion x' = ");
    /* on the way: the second mass is x */
    refuse_run(ENERGY("kinetic: x'^2/2 + x*y'^2/2, potential: x") "simulate: {initial: {x: 0.5}}\n",
               "is not positive definite: the motion y' = 1 has no positive kinetic energy");
    refuse_run(ENERGY("kinetic: x'^2/2 + (1 + y^2)*y'^2/2, potential: 1/x") "simulate: {initial: {y: 1}}\n",
               "at t = 0 the potential energy, `1/x`, is not defined: division by zero");
}

/* `check` warns of a mass that jumps, and not of one that has a corner. */
static void masses_that_jump(void **state)
{
    (void)state;
    slip_model *jumps = parse(ENERGY("kinetic: (1 + step(x))*(x'^2 + y'^2)/2")),
               *bends = parse(ENERGY("kinetic: \"(1 + max(x, 0) + abs(y))*(x'^2 + y'^2)/2\""));
    assert_non_null(
        strstr(slip_model_describe(ctx, jumps), "warning: where `step(x)` switches the mass may jump"));
    assert_null(strstr(slip_model_describe(ctx, bends), "warning"));
    slip_model_destroy(jumps);
    slip_model_destroy(bends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_those_written_by_hand),
        cmocka_unit_test(derivatives_of_the_acceleration_are_exact),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(the_account_closes),
        cmocka_unit_test(a_top_keeps_its_momenta),
        cmocka_unit_test(a_pendulum_has_its_period),
        cmocka_unit_test(a_bead_on_a_turning_hoop),
        cmocka_unit_test(a_disc_on_a_smooth_plane),
        cmocka_unit_test(linear_energies_become_matrices),
        cmocka_unit_test(rates_of_tables),
        cmocka_unit_test(states_may_stand_in_potential_energies),
        cmocka_unit_test(energies_can_be_given_in_c),
        cmocka_unit_test(wrong_energies_are_refused),
        cmocka_unit_test(masses_that_jump),
        cmocka_unit_test(motions_without_mass_are_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
