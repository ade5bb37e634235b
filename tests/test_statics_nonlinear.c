/* Equilibria of models whose forces, gaps and slips are not linear in the coordinates, against closed forms.
 */
#include "model_test.h"
#include "slipstick/slipstick.h"
#include "slipstick/statics.h"

static slip_statics *solve(const char *text, const char *const *settings, slip_model **model)
{
    slip_statics *statics = NULL;
    *model = parse_with(text, settings);
    if (slip_statics_solve(ctx, *model, NULL, &statics) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(statics);
    return statics;
}

/* The solution of these modes and with coordinate i near to x, which must be there once. */
static const slip_statics_solution *the_one(const slip_statics *statics, const unsigned char *modes, int i,
                                            double x)
{
    const slip_statics_solution *found = NULL;
    for (int k = 0; k < slip_statics_count(statics); k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        bool same = fabs(remainder(s->state.q[i] - x, 2 * acos(-1.0))) < 1e-9;
        for (int c = 0; c < slip_statics_contact_count(statics); c++)
            same = same && s->modes[c] == 1 << modes[c];
        if (!same)
            continue;
        assert_null(found);
        found = s;
    }
    assert_non_null(found);
    return found;
}

/* ---- Two bars that snap through, and a stop: k (L - L0) y/L twice is the force upwards of the load. */
#define TRUSS                                                                                                \
    "slipstick: 1\nparameters: {k: 100, b: 1, h: 0.5, P: 0, stop: 0.25}\ncoordinates: [y]\n"                 \
    "energy:\n  kinetic: y'^2/2\n  potential: k*(sqrt(b^2 + y^2) - sqrt(b^2 + h^2))^2 + P*y\n"               \
    "contacts:\n  stop: {kind: unilateral, gap: y + stop}\nsimulate: {initial: {y: h}}\n"

static double truss_force(double y)
{
    const double L = sqrt(1 + y * y), L0 = sqrt(1.25);
    return 200 * (L - L0) * y / L;
}

static void truss_on_a_stop(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics = solve(TRUSS, NULL, &model);
    assert_int_equal(slip_statics_count(statics), 3);
    const slip_statics_solution *s = the_one(statics, (const unsigned char[]){SLIP_MODE_OPEN}, 0, 0.5);
    assert_int_equal(s->stability, 1);
    s = the_one(statics, (const unsigned char[]){SLIP_MODE_OPEN}, 0, 0);
    assert_int_equal(s->stability, -1);
    s = the_one(statics, (const unsigned char[]){SLIP_MODE_CLOSED}, 0, -0.25);
    assert_close(s->state.normal[0], truss_force(-0.25), 1e-12);
    assert_int_equal(s->stability, 1);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* Without a stop there is nothing but the bars, and a load has three states below the limit. */
static void truss_alone(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics =
        solve("slipstick: 1\ncoordinates: [y]\nenergy:\n  kinetic: y'^2/2\n  potential: 100*(sqrt(1 + y^2) - "
              "sqrt(1.25))^2 + 2*y\n",
              NULL, &model);
    assert_int_equal(slip_statics_count(statics), 3);
    for (int k = 0; k < 3; k++)
        assert_close(truss_force(slip_statics_at(statics, k)->state.q[0]), -2, 1e-12);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- A pendulum that a force pushes against a wall: N = F - m g tan(phi). */
static void pendulum_on_a_wall(void **state)
{
    (void)state;
    slip_model *model;
    const double a = 0.3, F = 5, g = 9.81, pi = acos(-1.0);
    slip_statics *statics = solve("slipstick: 1\nparameters: {a: 0.3, F: 5, g: 9.81}\ncoordinates: [p]\n"
                                  "energy: {kinetic: p'^2/2, potential: -g*cos(p) - F*sin(p)}\n"
                                  "contacts:\n  wall: {kind: unilateral, gap: a - sin(p)}\n",
                                  NULL, &model);
    assert_int_equal(slip_statics_count(statics), 3);
    const slip_statics_solution *s = the_one(statics, (const unsigned char[]){SLIP_MODE_CLOSED}, 0, asin(a));
    assert_close(s->state.normal[0], F - g * tan(asin(a)), 1e-12);
    assert_int_equal(s->stability, 1);
    s = the_one(statics, (const unsigned char[]){SLIP_MODE_CLOSED}, 0, pi - asin(a));
    assert_close(s->state.normal[0], F + g * tan(asin(a)), 1e-12);
    s = the_one(statics, (const unsigned char[]){SLIP_MODE_OPEN}, 0, pi + atan(F / g));
    assert_int_equal(s->stability, -1);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- A ladder: rough floor, smooth wall. The floor holds m g/(2 tan p) while that is at most mu m g. */
#define LADDER(wall)                                                                                         \
    "slipstick: 1\nparameters: {m: 2, g: 10, l: 1.5, mu: 0.5, p0: 1.1}\ncoordinates: [x, y, p]\n"            \
    "energy: {kinetic: m*(x'^2 + y'^2)/2 + m*l^2/6*p'^2, potential: m*g*y}\n"                                \
    "contacts:\n  floor: {kind: unilateral, gap: y - l*sin(p), slip: rate(x + l*cos(p)), law: {type: "       \
    "coulomb, mu: mu}}\n"                                                                                    \
    "  wall: {kind: unilateral, gap: x - l*cos(p)" wall "}\n"                                                \
    "simulate: {initial: {x: l*cos(p0), y: l*sin(p0), p: p0}}\n"
#define ROUGH ", slip: rate(y + l*sin(p)), law: {type: coulomb, mu: mu}"

static void ladder_on_a_smooth_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        char angle[40];
        const char *const settings[] = {angle, NULL};
        const double p = 0.3 + 0.1 * k, held = 20 / (2 * tan(p));
        slip_model *model;
        snprintf(angle, sizeof angle, "p0=%.17g", p);
        slip_statics *statics = solve(LADDER(""), settings, &model);
        if (tan(p) < 1) { /* it slides; there is no state in which it lies that this model knows */
            for (int j = 0; j < slip_statics_count(statics); j++)
                assert_true(slip_statics_at(statics, j)->modes[0] != 1 << SLIP_MODE_STICK);
        } else {
            const slip_statics_solution *s =
                the_one(statics, (const unsigned char[]){SLIP_MODE_STICK, SLIP_MODE_CLOSED}, 2, p);
            assert_close(s->state.normal[0], 20, 1e-12);
            assert_close(s->state.normal[1], held, 1e-11);
            assert_close(s->state.tangential[0], -held, 1e-11);
            assert_close(s->state.slip[0], 0, 1e-12);
        }
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* Rough at both ends it has one force more than equations: a line of forces while tan p > (1 - mu^2)/(2 mu),
 * which ends where one of the contacts is at its limit. */
static void ladder_on_a_rough_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double mu = 0.5, p = atan((1 - mu * mu) / (2 * mu)) + (k == 0 ? 0.05 : -0.05);
        char angle[40];
        const char *const settings[] = {angle, NULL};
        slip_model *model;
        int lines = 0;
        snprintf(angle, sizeof angle, "p0=%.17g", p);
        slip_statics *statics = solve(LADDER(ROUGH), settings, &model);
        for (int j = 0; j < slip_statics_count(statics); j++) {
            const slip_statics_solution *s = slip_statics_at(statics, j);
            if (fabs(s->state.q[2] - p) > 1e-9)
                continue;
            lines++;
            assert_int_equal(s->dimension, 1);
            assert_int_equal(s->end_count, 2);
            for (int e = 0; e < 2; e++) {
                const slip_statics_state *end = &s->ends[e];
                const double floor = fabs(end->tangential[0]) / end->normal[0],
                             wall = fabs(end->tangential[1]) / end->normal[1];
                assert_close(fmax(floor, wall), mu, 1e-10);
                assert_close(end->normal[0] + end->tangential[1], 20, 1e-10);
                /* moments about the foot: 2 l (N2 sin p + T2 cos p) = m g l cos p */
                assert_close(2 * (end->normal[1] * sin(p) + end->tangential[1] * cos(p)), 20 * cos(p), 1e-10);
            }
        }
        assert_int_equal(lines, k == 0 ? 1 : 0);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- A block on a cylinder holds while the slope is at most the angle of friction. */
static void block_on_a_cylinder(void **state)
{
    (void)state;
    const double limit = atan(0.4);
    for (int k = -1; k <= 1; k += 2) {
        char angle[40];
        const char *const settings[] = {angle, NULL};
        const double a = limit + 1e-6 * k;
        slip_model *model;
        snprintf(angle, sizeof angle, "a=%.17g", a);
        slip_statics *statics =
            solve("slipstick: 1\nparameters: {a: 0.1, R: 2, mu: 0.4}\ncoordinates: [x, y]\n"
                  "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                  "contacts:\n  top: {kind: unilateral, gap: sqrt(x^2 + y^2) - R, slip: 'rate(R*atan2(x, "
                  "y))', law: "
                  "{type: coulomb, mu: mu}}\n"
                  "simulate: {initial: {x: R*sin(a), y: R*cos(a)}}\n",
                  settings, &model);
        int held = 0;
        for (int j = 0; j < slip_statics_count(statics); j++) {
            const slip_statics_solution *s = slip_statics_at(statics, j);
            if (s->modes[0] != 1 << SLIP_MODE_STICK)
                continue;
            held++;
            assert_close(s->state.normal[0], 9.81 * cos(a), 1e-10);
            assert_close(s->state.tangential[0], -9.81 * sin(a), 1e-10);
        }
        assert_int_equal(held, k < 0);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- A ball on a spring over a compliant floor: k z + F = N, N = c (-z - d)^1.5; without friction too it is
 * a contact that is listed. */
static void ball_on_a_compliant_floor(void **state)
{
    static const char text[] =
        "slipstick: 1\nparameters: {F: 0}\ncoordinates: [z]\nstiffness: 1000\nforces: {z: -F}\ncontacts: "
        "{floor: "
        "{kind: unilateral, gap: z + 0.005, normal: {stiffness: 1e5, exponent: 1.5}}}\n";
    const double d = 0.001, N = 1e5 * pow(d, 1.5);
    char force[60];
    slip_model *model;
    (void)state;
    snprintf(force, sizeof force, "F=%.17g", 1000 * (0.005 + d) + N);
    slip_statics *statics = solve(text, (const char *const[]){force, NULL}, &model);
    const slip_statics_solution *s =
        the_one(statics, (const unsigned char[]){SLIP_MODE_CLOSED}, 0, -0.005 - d);
    assert_close(s->state.normal[0], N, 1e-9);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
    statics = solve(text, (const char *const[]){"F=4", NULL}, &model);
    s = the_one(statics, (const unsigned char[]){SLIP_MODE_OPEN}, 0, -0.004);
    assert_close(s->state.normal[0], 0, 0);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- A static coefficient above the kinetic one. Between the two limits there are two states. */
#define PIVOT                                                                                                \
    "slipstick: 1\nparameters: {M: 0, g: 9.81}\ncoordinates: [p]\nenergy: {kinetic: p'^2/2, potential: "     \
    "-g*cos(p)}\nforces: {p: M}\ncontacts: {pivot: {kind: friction, slip: p', normal_force: 4, law: {type: " \
    "coulomb, mu: 0.5, static_ratio: 1.6}}}\n"

static void pendulum_in_a_rough_pivot(void **state)
{
    static const struct {
        const char *moment;
        double M;
        bool sticks, slips;
    } cases[] = {{"M=1.9", 1.9, true, false}, {"M=2.5", 2.5, true, true}, {"M=3.3", 3.3, false, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_model *model;
        slip_statics *statics = solve(PIVOT, (const char *const[]){cases[k].moment, NULL}, &model);
        const double p = asin((cases[k].M - 2) / 9.81);
        int stick = 0, slip = 0;
        for (int i = 0; i < slip_statics_count(statics); i++) {
            const slip_statics_solution *s = slip_statics_at(statics, i);
            assert_true(s->residual <= 1e-9);
            stick += s->modes[0] == 1 << SLIP_MODE_STICK;
            slip += s->modes[0] == 1 << SLIP_MODE_SLIP_PLUS && fabs(s->state.q[0] - p) < 1e-12;
        }
        assert_int_equal(stick, cases[k].sticks);
        assert_int_equal(slip, cases[k].slips);
        if (cases[k].sticks)
            assert_close(
                the_one(statics, (const unsigned char[]){SLIP_MODE_STICK}, 0, 0)->state.tangential[0],
                -cases[k].M, 1e-12);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* In the plane: held up to static_ratio mu N, or moved along the load by (|F| - mu N)/k. */
static void puck_on_springs(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics =
        solve("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: {diagonal: [4, 4]}\n"
              "forces: {x: 0.6*1.25, y: 0.8*1.25}\ncontacts: {puck: {kind: friction, slip: [x', y'], "
              "normal_force: 2, law: {type: coulomb, mu: 0.5, static_ratio: 1.4}}}\n",
              NULL, &model);
    assert_int_equal(slip_statics_count(statics), 2);
    const slip_statics_solution *s =
        the_one(statics, (const unsigned char[]){SLIP_MODE_SLIP}, 0, 0.6 * 0.0625);
    assert_close(s->state.q[1], 0.8 * 0.0625, 1e-12);
    the_one(statics, (const unsigned char[]){SLIP_MODE_STICK}, 0, 0);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* Two masses between springs, each with friction: all sets of modes by hand. */
static void check_two_masses(uint64_t seed)
{
    double k[3], F[2], N[2], mu[2], ratio[2], found[16][2];
    char text[600];
    int count = 0;
    for (int i = 0; i < 3; i++)
        k[i] = test_random(&seed, 0.5, 1.5);
    for (int i = 0; i < 2; i++) {
        F[i] = test_random(&seed, -2, 2);
        N[i] = test_random(&seed, 1, 2);
        mu[i] = test_random(&seed, 0.1, 0.6);
        ratio[i] = test_random(&seed, 1, 2.5);
    }
    for (int set = 0; set < 9; set++) { /* of each: stick, slip+, slip- */
        const int mode[2] = {set % 3, set / 3};
        const double K[2][2] = {{k[0] + k[1], -k[1]}, {-k[1], k[1] + k[2]}};
        double x[2], f[2];
        for (int i = 0; i < 2; i++)
            f[i] = F[i] - (mode[i] == 0 ? 0 : mode[i] == 1 ? 1 : -1) * mu[i] * N[i];
        if (mode[0] == 0 && mode[1] == 0)
            x[0] = x[1] = 0;
        else if (mode[0] == 0)
            x[0] = 0, x[1] = f[1] / K[1][1];
        else if (mode[1] == 0)
            x[1] = 0, x[0] = f[0] / K[0][0];
        else {
            const double determinant = K[0][0] * K[1][1] - K[0][1] * K[1][0];
            x[0] = (f[0] * K[1][1] - K[0][1] * f[1]) / determinant;
            x[1] = (K[0][0] * f[1] - f[0] * K[1][0]) / determinant;
        }
        bool holds = true;
        for (int i = 0; i < 2; i++) {
            const double force = K[i][0] * x[0] + K[i][1] * x[1] - F[i];
            holds = holds && (mode[i] == 0   ? fabs(force) <= ratio[i] * mu[i] * N[i]
                              : mode[i] == 1 ? x[i] >= 0
                                             : x[i] <= 0);
        }
        if (!holds)
            continue;
        found[count][0] = x[0];
        found[count++][1] = x[1];
    }
    snprintf(
        text, sizeof text,
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: [[%.17g, %.17g], [%.17g, "
        "%.17g]]\nforces: {x: %.17g, y: %.17g}\ncontacts:\n"
        "  a: {kind: friction, slip: x', normal_force: %.17g, law: {type: coulomb, mu: %.17g, static_ratio: "
        "%.17g}}\n"
        "  b: {kind: friction, slip: y', normal_force: %.17g, law: {type: coulomb, mu: %.17g, static_ratio: "
        "%.17g}}\n",
        k[0] + k[1], -k[1], -k[1], k[1] + k[2], F[0], F[1], N[0], mu[0], ratio[0], N[1], mu[1], ratio[1]);
    slip_model *model;
    slip_statics *statics = solve(text, NULL, &model);
    assert_int_equal(slip_statics_count(statics), count);
    for (int i = 0; i < count; i++) {
        int same = 0;
        for (int j = 0; j < count; j++) {
            const double *q = slip_statics_at(statics, j)->state.q;
            same += fabs(q[0] - found[i][0]) + fabs(q[1] - found[i][1]) <= 1e-11;
        }
        assert_int_equal(same, 1);
    }
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

static void two_masses_against_all_modes(void **state)
{
    (void)state;
    for (int k = 0; k < test_many(500); k++)
        check_two_masses((uint64_t)k * 977 + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truss_on_a_stop),           cmocka_unit_test(truss_alone),
        cmocka_unit_test(pendulum_on_a_wall),        cmocka_unit_test(ladder_on_a_smooth_wall),
        cmocka_unit_test(ladder_on_a_rough_wall),    cmocka_unit_test_of_numbers(block_on_a_cylinder),
        cmocka_unit_test(ball_on_a_compliant_floor), cmocka_unit_test(pendulum_in_a_rough_pivot),
        cmocka_unit_test(puck_on_springs),           cmocka_unit_test(two_masses_against_all_modes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
