/* Laws with memory in the plane: reference numbers (two independent integrations each), closed forms, and
 * what must not matter: the axes, and that a line is a plane. */
#include "motion_test.h"
#include "slipstick/simulation.h"
#include "system/system.h"

#include <complex.h>
#include <math.h>

static slip_result *run_with(const slip_model *model, const char *method, double step, double tolerance,
                             double end)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.step = step;
    options.tolerance = tolerance;
    options.end = end;
    if (slip_run(ctx, model, &options, &result) < 0) {
        print_error("%s: %s\n", method, slip_context_message(ctx));
        fail();
    }
    return result;
}

static void final_is(const slip_result *result, const char *name, double expected, double error)
{
    char path[60];
    snprintf(path, sizeof path, "final.%s", name);
    near(slip_result_number(result, path), expected, error, name);
}

#define LUGRE                                                                                                \
    "{type: lugre, mu: 1, static_ratio: 1.5, velocity: 1e-3, stiffness: 1e5, damping: 316.22776601683796, "  \
    "viscous: 0.4}"

/* ---- Reference: LuGre with a vector of bristles. */
static void lugre_with_a_vector_of_bristles(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nforces: {y: 0.8}\n"
              "contacts: {seat: {kind: friction, slip: [x', y'], law: " LUGRE "}}\n"
              "simulate: {time: [0, 3], initial: {x': 0.1, y': 0.02}}\n");
    slip_result *result = run_with(model, "smooth", NAN, 1e-12, 0.05);
    final_is(result, "x", 0.0036467688755544036, 1e-13);
    final_is(result, "y", 0.0015158343413679554, 1e-13);
    final_is(result, "x'", 0.05061397482469117, 1e-12);
    final_is(result, "y'", 0.037781169774677076, 1e-12);
    slip_result_destroy(result);
    result = run_with(model, "smooth", NAN, 1e-12, 3);
    final_is(result, "x", 0.0060006936422858734, 1e-12);
    final_is(result, "y", 0.0072915441569453955, 1e-12);
    near(slip_result_number(result, "energy.balance"), 0, 1e-9, "energy");
    slip_result_destroy(result);
    /* fixed steps of order 2 */
    double error[2];
    for (int k = 0; k < 2; k++) {
        result = run_with(model, "moreau", 1e-4 / (1 + k), NAN, 0.05);
        error[k] = fabs(slip_result_number(result, "final.y") - 0.0015158343413679554);
        slip_result_destroy(result);
    }
    assert_true(error[0] < 1e-9 && error[1] < error[0] / 3);
    slip_model_destroy(model);
    for (int k = 0; k < 3; k++) {
        char text[600];
        const double angle = 0.7 * k;
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ncontacts: {seat: {kind: "
                 "friction, slip: [x', y'], law: " LUGRE "}}\nsimulate: {time: [0, 1], initial: {x': %.17g, "
                 "y': %.17g}}\n",
                 0.1 * cos(angle), 0.1 * sin(angle));
        model = parse(text);
        result = run_with(model, "smooth", NAN, 1e-12, 1);
        near(hypot(slip_result_number(result, "final.x"), slip_result_number(result, "final.y")),
             0.004573428814719542, 1e-13, "distance");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* ---- The law alone, on a circle w = V e^(it): closed forms with complex numbers z = zx + i zy. */

static slip_model *driven(const char *law, double speed)
{
    char text[600];
    snprintf(text, sizeof text,
             "slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {seat: {kind: friction, slip: [%g*cos(t), "
             "%g*sin(t)], law: %s}}\nsimulate: {time: [0, 20]}\n",
             speed, speed, law);
    return parse(text);
}

static void circles(void **state)
{
    (void)state;
    static const char *const methods[] = {"event", "smooth"};
    for (int m = 0; m < 2; m++) {
        /* Dahl: z' = V e^(it) - c z, c = V stiffness/mu: z = V (e^(it) - e^(-ct))/(i + c) */
        const double V = 0.02, c = V * 100;
        slip_model *model = driven("{type: dahl, mu: 1, stiffness: 100}", V);
        for (int k = 1; k <= 2; k++) {
            const double t = 10.0 * k;
            slip_result *result = run_with(model, methods[m], NAN, 1e-12, t);
            const double complex z = V * (cexp(I * t) - exp(-c * t)) / (I + c);
            final_is(result, "seat.zx", creal(z), 1e-12);
            final_is(result, "seat.zy", cimag(z), 1e-12);
            slip_result_destroy(result);
        }
        slip_model_destroy(model);
        /* Bouc and Wen: on its circle |z|^n = a/(beta + gamma), behind w by sin(phi) = |z|/(a V) */
        model = driven("{type: boucwen, stiffness: 1, beta: 30, gamma: 20, exponent: 1.5}", 0.2);
        slip_result *result = run_with(model, methods[m], NAN, 1e-12, 20);
        const double r = pow(1. / 50, 1 / 1.5), phi = asin(r / 0.2);
        final_is(result, "seat.zx", r * cos(20 - phi), 1e-10);
        final_is(result, "seat.zy", r * sin(20 - phi), 1e-10);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    /* Jenkins: the deflection is mu/stiffness long, behind w by sin(phi) = mu/(stiffness V); it yields where
     * the way 2 V sin(t/2) is that long */
    slip_model *model = driven("{type: jenkins, mu: 1, stiffness: 100}", 0.02);
    slip_result *result = run_with(model, "event", NAN, 1e-12, 20);
    const double phi = asin(0.01 / 0.02);
    final_is(result, "seat.zx", 0.01 * cos(20 - phi), 1e-9);
    final_is(result, "seat.zy", 0.01 * sin(20 - phi), 1e-9);
    assert_int_equal(slip_result_event_count(result), 1);
    near(slip_result_event(result, 0)->time, 2 * asin(0.01 / 0.04), 1e-10, "yields");
    slip_result_destroy(result);
    slip_model_destroy(model);
    /* elasto-plastic: likewise with g(V)/stiffness; below `breakaway` z is the way itself */
    model =
        driven("{type: elastoplastic, mu: 1, static_ratio: 1.5, velocity: 0.02, stiffness: 100, breakaway: "
               "0.005}",
               0.02);
    result = run_with(model, "smooth", NAN, 1e-12, 20);
    const double z_s = 0.01 * (1 + 0.5 * exp(-1)), behind = asin(z_s / 0.02);
    final_is(result, "seat.zx", z_s * cos(20 - behind), 1e-9);
    final_is(result, "seat.zy", z_s * sin(20 - behind), 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
    model = driven("{type: elastoplastic, mu: 1, velocity: 0.02, stiffness: 100, breakaway: 0.009}", 0.004);
    result = run_with(model, "smooth", NAN, 1e-12, 20);
    final_is(result, "seat.zx", 0.004 * sin(20), 1e-11);
    final_is(result, "seat.zy", 0.004 * (1 - cos(20)), 1e-11);
    slip_result_destroy(result);
    slip_model_destroy(model);
    /* within its limit it is a spring: z is the way itself */
    model = driven("{type: jenkins, mu: 1, stiffness: 100}", 0.004);
    result = run_with(model, "event", NAN, 1e-12, 20);
    final_is(result, "seat.zx", 0.004 * sin(20), 1e-12);
    final_is(result, "seat.zy", 0.004 * (1 - cos(20)), 1e-12);
    assert_int_equal(slip_result_event_count(result), 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- A block on springs under a load that turns, in axes that are turned, and along a line. */

static const char *const laws[] = {
    "{type: dahl, mu: 1, stiffness: 20, viscous: 0.1}",
    "{type: lugre, mu: 1, static_ratio: 1.3, velocity: 0.1, stiffness: 50, damping: 2, viscous: 0.1}",
    "{type: boucwen, stiffness: 10, beta: 8, gamma: 2}",
    "{type: jenkins, mu: 1, stiffness: 20}",
    "{type: lugre, mu: 1 + 0.2*T, velocity: 0.1, stiffness: 50 + 10*sin(t), damping: 2, viscous: 0.1*(1 + "
    "T)}",
    "{type: elastoplastic, mu: 1, static_ratio: 1.3, velocity: 0.1, stiffness: 20, damping: 1, breakaway: "
    "0.02, viscous: 0.1}",
    "{type: jenkins, mu: 1 + 0.3*T + 0.2*sin(2*t), stiffness: 20}"};
enum { law_count = 7 };

/* `line`: the load along an axis only. */
static slip_model *block(const char *law, double angle, bool line)
{
    char text[1200];
    const double c = cos(angle), s = sin(angle);
    snprintf(
        text, sizeof text,
        "slipstick: 1\nparameters: {c: %.17g, s: %.17g, line: %d}\ncoordinates: [x, y]\nmass: {diagonal: "
        "[1, 1]}\nstiffness: {diagonal: [4, 4]}\nstates: {T: \"0.1*(x'^2 + y'^2) - T\"}\n"
        "forces: {x: 3*c*sin(1.7*t) - 3*s*cos(2.3*t)*(1 - line), y: 3*s*sin(1.7*t) + 3*c*cos(2.3*t)*(1 - "
        "line)}\ncontacts: {seat: {kind: friction, slip: [x', y'], law: %s}}\nsimulate: {time: [0, 6]}\n",
        c, s, line, law);
    return parse(text);
}

static void axes_do_not_matter(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double step, tolerance, error;
    } ways[] = {{"moreau", 0.01, NAN, 1e-12}, {"event", NAN, 1e-12, 2e-10}, {"smooth", NAN, 1e-12, 2e-9}};
    for (int k = 0; k < law_count; k++)
        for (int m = 0; m < 3; m++) {
            double place[2][4];
            if (m == 2 && strstr(laws[k], "jenkins"))
                continue; /* events are for `event` */
            for (int turned = 0; turned < 2; turned++) {
                const double angle = 0.6 * turned, c = cos(angle), s = sin(angle);
                slip_model *model = block(laws[k], angle, false);
                slip_result *result = run_with(model, ways[m].method, ways[m].step, ways[m].tolerance, 6);
                const double x = slip_result_number(result, "final.x"),
                             y = slip_result_number(result, "final.y"),
                             zx = slip_result_number(result, "final.seat.zx"),
                             zy = slip_result_number(result, "final.seat.zy");
                place[turned][0] = c * x + s * y;
                place[turned][1] = c * y - s * x;
                place[turned][2] = c * zx + s * zy;
                place[turned][3] = c * zy - s * zx;
                near(slip_result_number(result, "energy.balance"), 0, 1e-7, laws[k]);
                slip_result_destroy(result);
                slip_model_destroy(model);
            }
            for (int i = 0; i < 4; i++)
                near(place[1][i], place[0][i], ways[m].error, laws[k]);
        }
}

static void a_line_is_the_law_of_one_direction(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double step, tolerance, error;
    } ways[] = {{"moreau", 0.01, NAN, 1e-12}, {"event", NAN, 1e-11, 2e-8}, {"smooth", NAN, 1e-11, 2e-8}};
    for (int k = 0; k < law_count; k++)
        for (int m = 0; m < 3; m++) {
            char text[700];
            if (m == 2 && strstr(laws[k], "jenkins"))
                continue;
            snprintf(text, sizeof text,
                     "slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 4\nstates: {T: 0.1*x'^2 - T}\n"
                     "forces: {x: 3*sin(1.7*t)}\ncontacts: {seat: {kind: friction, slip: x', law: %s}}\n"
                     "simulate: {time: [0, 6]}\n",
                     laws[k]);
            slip_model *line = parse(text), *plane = block(laws[k], 0.6, true);
            slip_result *one = run_with(line, ways[m].method, ways[m].step, ways[m].tolerance, 6),
                        *two = run_with(plane, ways[m].method, ways[m].step, ways[m].tolerance, 6);
            near(hypot(slip_result_number(two, "final.x"), slip_result_number(two, "final.y")),
                 fabs(slip_result_number(one, "final.x")), ways[m].error, laws[k]);
            near(hypot(slip_result_number(two, "final.seat.zx"), slip_result_number(two, "final.seat.zy")),
                 fabs(slip_result_number(one, "final.seat.z")), ways[m].error, laws[k]);
            slip_result_destroy(one);
            slip_result_destroy(two);
            slip_model_destroy(line);
            slip_model_destroy(plane);
        }
}

/* Fixed steps come to what `event` finds. */
static void methods_agree(void **state)
{
    (void)state;
    for (int k = 0; k < law_count; k++) {
        slip_model *model = block(laws[k], 0.2, false);
        slip_result *one = run_with(model, "event", NAN, 1e-10, 6), *two;
        double error[2];
        for (int half = 0; half < 2; half++) {
            two = run_with(model, half ? "moreau" : "midpoint_stabilised", 1e-3, NAN, 6);
            error[half] = fabs(slip_result_number(one, "final.x") - slip_result_number(two, "final.x"));
            assert_true(error[half] < 1e-3);
            slip_result_destroy(two);
        }
        slip_result_destroy(one);
        slip_model_destroy(model);
    }
}

/* ---- Derivatives. */
static void jacobians(void **state)
{
    (void)state;
    for (int k = 0; k < law_count; k++) {
        slip_model *model = block(laws[k], 0.3, false);
        const slip_system *system = model->system;
        const int n = system->n;
        slip_workspace *work = NULL;
        double t = 0.7, q[5] = {0.3, 0.4}, v[5] = {0.2, 0.5, 0.3, 0.03, 0.04}, a[5], a_q[25], a_v[25], a_t[5],
               low[5], high[5];
        assert_int_equal(n, 5);
        assert_int_equal(slip_workspace_create(ctx, system, &work), SLIP_OK);
        /* within and beyond the limit of the slider, 0.05 */
        for (int turn = 0; turn < 2; turn++) {
            v[3] = turn ? 0.06 : 0.02;
            assert_true(slip_system_jacobian(system, work, NULL, t, q, v, a, a_q, a_v, a_t, NULL));
            for (int j = 0; j < 2 * n + 1; j++) {
                double *at = j < n ? &q[j] : j < 2 * n ? &v[j - n] : &t, middle = *at, h = 1e-6;
                if (j >= slip_system_coordinates(system) && j < n)
                    continue;
                *at = middle - h;
                assert_true(slip_system_acceleration(system, work, NULL, t, q, v, low));
                *at = middle + h;
                assert_true(slip_system_acceleration(system, work, NULL, t, q, v, high));
                *at = middle;
                for (int i = 0; i < n; i++)
                    near(j < n       ? a_q[i * n + j]
                         : j < 2 * n ? a_v[i * n + j - n]
                                     : a_t[i],
                         (high[i] - low[i]) / (2 * h), 1e-6 * (1 + fabs(high[i])), laws[k]);
            }
        }
        slip_workspace_destroy(work);
        slip_model_destroy(model);
    }
}

static void messages(void **state)
{
    (void)state;
#define PLANE(law) HEAD2 "contacts: {c: {kind: friction, slip: [x', y'], law: " law "}}\n"
    static const refusal refusals[] = {
        {PLANE("{type: rate_state, mu: 1, a: 0.01, b: 0.02, length: 1, velocity: 1}"),
         "m.yaml:5:53: law `rate_state` remembers the slip of one direction; in the plane expected one "
         "of"},
        {PLANE("{type: dahl, mu: 1, stiffness: 10, exponent: 2}"),
         "m.yaml:5:53: law `dahl` with another exponent than 1 remembers the slip of one direction"},
        {PLANE("{type: dahl, mu: [1, 2], stiffness: 10}"), "m.yaml:5:53: law `dahl`: mu is a list of two"}};
    refuse_each(refusals, sizeof refusals / sizeof *refusals);
    slip_model *model =
        parse(PLANE("{type: jenkins, mu: 1, stiffness: 10}") "simulate: {time: [0, 1], initial: {c.zx: 0.09, "
                                                             "c.zy: 0.09}}\n");
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    assert_true(slip_run(ctx, model, &options, &result) < 0);
    expect_message("jenkins",
                   "`c.zx` and `c.zy` start at 0.09 and 0.09, of size 0.127279221; expected at most "
                   "the limit of law `jenkins`, 0.1");
    slip_model_destroy(model);
}

/* In fixed steps a slider turns on its circle in closed form, so that steps are of order two, where it slips
 * all the time and where it sticks and yields within steps. */
static void sliders_in_fixed_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[700];
        double error[2];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ndamping: {diagonal: [0.05, "
                 "0.05]}\nstiffness: {diagonal: [2, 2]}\nforces: {x: %s, y: %s}\ncontacts: {b: {kind: "
                 "friction, slip: "
                 "[x', y'], normal_force: 1.5, law: {type: jenkins, mu: 0.5, stiffness: 20}}}\nsimulate: "
                 "{time: [0, "
                 "10], initial: {x': 0.7}}\n",
                 k ? "sin(1.3*t) + 0.2" : "2*cos(t)", k ? "0.8*cos(2*t)" : "2*sin(t)");
        slip_model *model = parse(text);
        slip_result *truth = run_by(model, "event", NAN, 1e-11);
        for (int i = 0; i < 2; i++) {
            slip_result *result = run_by(model, "moreau", 4e-3 / (1 + i), NAN);
            error[i] =
                fmax(fabs(slip_result_number(result, "final.x'") - slip_result_number(truth, "final.x'")),
                     fabs(slip_result_number(result, "final.y'") - slip_result_number(truth, "final.y'")));
            slip_result_destroy(result);
        }
        assert_true(error[0] < 3e-4 && error[1] < 0.35 * error[0]);
        slip_result_destroy(truth);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lugre_with_a_vector_of_bristles, setup, teardown),
        cmocka_unit_test_setup_teardown(circles, setup, teardown),
        cmocka_unit_test_setup_teardown(axes_do_not_matter, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_is_the_law_of_one_direction, setup, teardown),
        cmocka_unit_test_setup_teardown(methods_agree, setup, teardown),
        cmocka_unit_test_setup_teardown(jacobians, setup, teardown),
        cmocka_unit_test_setup_teardown(sliders_in_fixed_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(messages, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
