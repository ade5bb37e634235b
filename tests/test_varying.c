/* Laws whose parameters are expressions of t, coordinates and states, against closed forms. */
#include "motion_test.h"
#include "slipstick/simulation.h"
#include "system/system.h"

#include <math.h>

static double summary(const slip_result *result, const char *name)
{
    return slip_result_number(result, name);
}

/* ---- Heat: T' = mu N |v|/C, mu = mu0 (1 + b T).
 *
 * m v^2/2 + C T is constant, so that v' = -g (A - B v^2) with A = 1 + b m v0^2/(2 C), B = b m/(2 C) and g =
 * mu0 N/m: v = sqrt(A/B) tanh(atanh(v0 sqrt(B/A)) - g sqrt(A B) t), and the way to rest is ln(A)/(2 g B). */

#define HEATED(extra, slip, normal, gap)                                                                     \
    "slipstick: 1\nparameters: {m: 2, N: 20, mu0: 0.2, b: 0.05, C: 5, v0: 10}\n"                             \
    "states: {T: \"mu0*(1 + b*T)*N*hypot(" slip ")/C\"}\n" extra "contacts: {track: {" gap normal ", slip: "

static const double heated_time = 3.116126200701152, heated_way = 17.328679513998633, heat = 20;

static void block_heated_by_friction(void **state)
{
    (void)state;
    slip_model *model = parse(HEATED("coordinates: [x]\nmass: m\n", "x', 0", "normal_force: N",
                                     "kind: friction, ") "x', law: {type: coulomb, mu: mu0*(1 + b*T)}}}\n"
                                                         "simulate: {time: [0, 10], initial: {x': v0}}\n");
    slip_result *result = run_by(model, "event", NAN, 1e-12);
    near(summary(result, "final.x"), heated_way, 1e-10, "way");
    near(summary(result, "final.T"), heat, 1e-10, "heat");
    near(slip_result_event(result, 0)->time, heated_time, 1e-10, "time");
    near(summary(result, "energy.balance"), 0, 1e-11, "energy");
    slip_result_destroy(result);
    /* fixed steps: order 2 of theta = 1/2 */
    static const char *const methods[] = {"moreau", "midpoint_stabilised"};
    for (int k = 0; k < 2; k++) {
        result = run_by(model, methods[k], 1e-3, NAN);
        near(summary(result, "final.x"), heated_way, 2e-5, methods[k]);
        near(summary(result, "energy.balance"), 0, 1e-8, methods[k]);
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

/* The same on a slope of the plane, under a gap, and of an area that does not spin. */
static void heated_in_plane_and_under_gaps(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEATED("coordinates: [x, y]\nmass: {diagonal: [m, m]}\n", "x', y'", "normal_force: N",
               "kind: friction, ") "[x', y'], law: {type: coulomb, mu: mu0*(1 + b*T)}}}\n"
                                   "simulate: {time: [0, 10], initial: {x': 0.6*v0, y': 0.8*v0}}\n",
        HEATED("coordinates: [x, y, z]\nmass: {diagonal: [m, m, 1]}\nforces: {z: -N}\n", "x', y'", "gap: z",
               "kind: unilateral, ") "[x', y'], law: {type: coulomb, mu: mu0*(1 + b*T)}}}\n"
                                     "simulate: {time: [0, 10], initial: {x': 0.6*v0, y': 0.8*v0}}\n",
        HEATED("coordinates: [x, y, p]\nmass: {diagonal: [m, m, 1]}\n", "x', y'", "normal_force: N",
               "kind: patch, area: {shape: disc}, ") "{x: x', y: y', spin: p'}, law: {type: coulomb, mu: "
                                                     "mu0*(1 + b*T)}}}\n"
                                                     "simulate: {time: [0, 10], initial: {x': 0.6*v0, y': "
                                                     "0.8*v0}}\n",
        HEATED("coordinates: [x, z]\nmass: {diagonal: [m, 1]}\nforces: {z: -N}\n", "x', 0", "gap: z",
               "kind: unilateral, ") "x', law: {type: coulomb, mu: mu0*(1 + b*T)}}}\n"
                                     "simulate: {time: [0, 10], initial: {x': v0}}\n"};
    for (int k = 0; k < 4; k++) {
        slip_model *model = parse(texts[k]);
        for (int m = 0; m < 2; m++) {
            slip_result *result = run_by(model, m ? "moreau" : "event", m ? 1e-3 : NAN, 1e-11);
            const double x = summary(result, "final.x"), y = k < 3 ? summary(result, "final.y") : 0;
            near(hypot(x, y), heated_way, m ? 3e-5 : 1e-8, texts[k]);
            near(summary(result, "final.T"), heat, m ? 1e-4 : 1e-8, texts[k]);
            near(summary(result, "energy.balance"), 0, 1e-8, texts[k]);
            slip_result_destroy(result);
        }
        slip_model_destroy(model);
    }
}

/* ---- A track that becomes rougher, mu = mu0 (1 + b x): x'' = -g (1 + b x) until it stops, where g (x + b
 * x^2/2) = v0^2/2; then the place holds it. */
static void track_with_place(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {m: 2, N: 20, mu0: 0.2, b: 0.5, v0: 10}\n"
                              "coordinates: [x]\nmass: m\ncontacts: {track: {kind: friction, slip: x', "
                              "normal_force: N, law: {type: coulomb, mu: mu0*(1 + b*x)}}}\n"
                              "simulate: {time: [0, 10], initial: {x': v0}}\n");
    slip_result *result = run_by(model, "event", NAN, 1e-12);
    near(summary(result, "final.x"), 8.198039027185569, 1e-11, "way");
    near(slip_result_event(result, 0)->time, 1.373400766945016, 1e-11, "time");
    near(summary(result, "energy.balance"), 0, 1e-11, "energy");
    slip_result_destroy(result);
    slip_model_destroy(model);
    /* a field of mud that begins at x = 1: the step ends there */
    model = parse("slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {track: {kind: friction, slip: x', "
                  "normal_force: 10, law: {type: coulomb, mu: 'if(x > 1, 0.5, 0.1)'}}}\n"
                  "simulate: {time: [0, 10], initial: {x': 4}}\n");
    result = run_by(model, "event", NAN, 1e-12);
    near(summary(result, "final.x"), 1 + 14. / 10, 1e-12, "mud");
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- Stick under a limit that moves: mu = 0.5 - 0.1 t lets go of 0.2 at t = 3, and from there on a = 0.1 (t
 * - 3). In the plane, under a gap and in an area the same. */
static void limit_that_moves(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coordinates: [x]\nmass: 1\nforces: {x: 2}\ncontacts: {c: {kind: friction, slip: x', normal_force: "
        "10, law: {type: coulomb, mu: 0.5 - 0.1*t}}}\n",
        "coordinates: [x, z]\nmass: {diagonal: [1, 1]}\nforces: {x: 2, z: -10}\ncontacts: {c: {kind: "
        "unilateral, gap: z, slip: x', law: {type: coulomb, mu: 0.5 - 0.1*t}}}\n",
        "coordinates: [x, y]\nmass: {diagonal: [1, 1]}\nforces: {x: 2}\ncontacts: {c: {kind: friction, slip: "
        "[x', y'], normal_force: 10, law: {type: coulomb, mu: 0.5 - 0.1*t}}}\n",
        "coordinates: [x, p]\nmass: {diagonal: [1, 1]}\nforces: {x: 2}\ncontacts: {c: {kind: patch, slip: "
        "{x: "
        "x', spin: p'}, normal_force: 10, area: {shape: disc}, law: {type: coulomb, mu: 0.5 - 0.1*t}}}\n",
        /* the static ratio varies as well as mu: mu eta = 0.1 (5 - t) */
        "coordinates: [x]\nmass: 1\nforces: {x: 2}\ncontacts: {c: {kind: friction, slip: x', normal_force: "
        "10, law: {type: coulomb, mu: 'if(t < 3, 0.1, 0.5 - 0.1*t)', static_ratio: 'if(t < 3, 5 - t, "
        "1)'}}}\n"};
    for (int k = 0; k < 5; k++) {
        char text[600];
        snprintf(text, sizeof text, "slipstick: 1\n%ssimulate: {time: [0, 4.5]}\n", models[k]);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-11);
        near(summary(result, "final.x"), 1.5 * 1.5 * 1.5 / 6, 1e-9, text);
        near(summary(result, "final.x'"), 1.5 * 1.5 / 2, 1e-9, text);
        slip_result_destroy(result);
        result = run_by(model, "moreau", 1e-3, NAN);
        near(summary(result, "final.x"), 1.5 * 1.5 * 1.5 / 6, 2e-3, text);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* A limit that dips for an instant between two steps: mu is below 0.2 for a hundredth of a second. */
static void dip_is_found(void **state)
{
    (void)state;
    slip_model *model = parse(
        "slipstick: 1\ncoordinates: [x]\nmass: 1\nforces: {x: 2}\ncontacts: {c: {kind: friction, slip: x', "
        "normal_force: 10, law: {type: coulomb, mu: '0.5 - 0.4*exp(-((t - 50)/0.005)^2)'}}}\n"
        "simulate: {time: [0, 100]}\n");
    slip_result *result = run_by(model, "event", NAN, 1e-9);
    near(slip_result_event(result, 0)->time, 50 - 0.005 * sqrt(log(0.4 / 0.3)), 1e-9, "dip");
    assert_true(summary(result, "final.x") > 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- Smooth laws and laws with memory: two methods that have nothing in common agree. */
static void other_laws(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "{type: tanh, mu: 0.3*(1 + T), velocity: 0.2 + 0.1*x^2, viscous: 0.01*(1 + sin(t))}",
        "{type: sqrt, mu: 0.3*(1 + T), epsilon: 0.2, static_ratio: 1.5 + 0.2*sin(t)}",
        "{type: dahl, mu: 0.3*(1 + T), stiffness: 5 + sin(t)}",
        "{type: lugre, mu: 0.3*(1 + T), static_ratio: 1.4, velocity: 0.1, stiffness: 20, damping: 1 + x^2}",
        "{type: elastoplastic, mu: 0.3*(1 + T), velocity: 0.1, stiffness: 20, damping: 1, breakaway: 0.01}",
        "{type: boucwen, stiffness: 1 + T, beta: 2 + x^2, gamma: 1}",
        "{type: rate_state, mu: 0.3*(1 + T), a: 0.1, b: 0.05*(1 + T), length: 0.1, velocity: 0.5}",
        "{type: jenkins, mu: 0.3*(1 + T), stiffness: 5 + sin(t), viscous: 0.02*(1 + T)}",
        "{type: iwan, elements: [[2, 0.1], [1, 0.2]], stiffness: 0.5 + 0.1*x^2}",
        "{type: iwan, elements: [[2 + sin(t), 0.1], [1, 0.2*(1 + T)], [3, 0.1*(1 + x^2)]], stiffness: 0.1}",
        "{type: elliptic, mu: 0.3*(1 + T), width: 0.3}"};
    enum { law_count = sizeof laws / sizeof *laws };
    for (int k = 0; k < law_count; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 1\nforces: {x: sin(1.3*t)}\n"
                 "states: {T: 0.2*x'^2 - 0.3*T}\ncontacts: {c: {kind: friction, slip: x', law: %s}}\n"
                 "simulate: {time: [0, 10], initial: {x': 1}}\n",
                 laws[k]);
        slip_model *model = parse(text);
        slip_result *one = run_by(model, "smooth", NAN, 1e-10), *two = run_by(model, "event", NAN, 1e-10);
        near(summary(one, "final.x"), summary(two, "final.x"), 3e-8, laws[k]);
        near(summary(one, "final.T"), summary(two, "final.T"), 3e-8, laws[k]);
        near(summary(one, "energy.balance"), 0, 1e-7, laws[k]);
        slip_result_destroy(one);
        if (k < law_count - 1) { /* fixed steps have no infinite slopes */
            one = run_by(model, "moreau", 2e-3, NAN);
            near(summary(one, "final.x"), summary(two, "final.x"), 2e-4, laws[k]);
            slip_result_destroy(one);
        }
        slip_result_destroy(two);
        slip_model_destroy(model);
    }
}

/* ---- Sliders behind springs whose limit l(t) = mu/stiffness moves. Under a slip of constant velocity w the
 * deflection is the largest one that moves with w and stays below the limit: the least of z0 + w t and of
 * l(s) + w (t - s) over all s <= t (A. V. Skorokhod, 1961). */
static double below_limit(double w, double t)
{
    double least = fmin(w * t, 0.5 + 0.25 * sin(t));
    for (int k = -1; k < 10; k++) /* l'(s) = cos(s)/4 = w */
        for (int side = -1; side <= 1 && w < 0.25; side += 2) {
            const double s = side * acos(4 * w) + k * 2 * acos(-1.0);
            if (s >= 0 && s <= t)
                least = fmin(least, 0.5 + 0.25 * sin(s) + w * (t - s));
        }
    return least;
}

static void limit_of_a_slider_moves(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double w = (const double[]){1, 0.1, 0.03, 0.24}[k];
        char text[400];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {c: {kind: friction, slip: %g + 0*x', law: "
            "{type: jenkins, mu: 1 + 0.5*sin(t), stiffness: 2}}}\nsimulate: {time: [0, 20], record: {every: "
            "0.1}}\n",
            w);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-11);
        int64_t count;
        const double *z = slip_result_series(result, "c.z", &count),
                     *t = slip_result_series(result, "t", &count);
        for (int64_t i = 0; i < count; i++)
            near(z[i], below_limit(w, t[i]), 1e-9, "deflection");
        slip_result_destroy(result);
        for (int half = 0; half < 2; half++) { /* the least over whole steps: of order two */
            const double step = 0.02 / (1 + half);
            result = run_by(model, "moreau", step, NAN);
            near(summary(result, "final.c.z"), below_limit(w, 20), 0.1 * step * step, "by steps");
            slip_result_destroy(result);
        }
        slip_model_destroy(model);
    }
}

/* Elements of an Iwan model: each moves below its own limit, the second one a spring of varying stiffness. */
static void limits_of_elements_move(void **state)
{
    (void)state;
    const double w = 0.1;
    slip_model *model = parse(
        "slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {c: {kind: friction, slip: 0.1 + 0*x', law: "
        "{type: iwan, elements: [[2, 1 + 0.5*sin(t)], [4/(2 + sin(t)), 1], [3, 0.6]], stiffness: "
        "0.5}}}\nsimulate: {time: [0, 20], record: {every: 0.1}}\n");
    slip_result *result = run_by(model, "event", NAN, 1e-11);
    int64_t count;
    const double *z[4], *t = slip_result_series(result, "t", &count),
                        *force = slip_result_series(result, "c.force", &count);
    for (int k = 0; k < 4; k++)
        z[k] = slip_result_series(result, (const char *const[]){"c.z1", "c.z2", "c.z3", "c.z4"}[k], &count);
    for (int64_t i = 0; i < count; i++) {
        const double moved = below_limit(w, t[i]), still = fmin(w * t[i], 0.2),
                     soft = 4 / (2 + sin(t[i])); /* its limit is that of the first element */
        near(z[0][i], moved, 1e-9, "a limit that moves");
        near(z[1][i], moved, 1e-9, "a stiffness that moves");
        near(z[2][i], still, 1e-9, "numbers");
        near(z[3][i], w * t[i], 1e-9, "the spring");
        near(force[i], -(2 * moved + soft * moved + 3 * still + 0.5 * w * t[i]), 1e-8, "force");
    }
    slip_result_destroy(result);
    for (int half = 0; half < 2; half++) {
        const double step = 0.02 / (1 + half);
        result = run_by(model, "moreau", step, NAN);
        near(summary(result, "final.c.z1"), below_limit(w, 20), 0.1 * step * step, "by steps");
        near(summary(result, "final.c.z2"), below_limit(w, 20), 0.1 * step * step, "by steps");
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

/* An Iwan model whose elements are warmed is as many contacts of Jenkins elements. */
static void many_elements_vary(void **state)
{
    (void)state;
    enum { count = 8 };
    char elements[2000] = "", contacts[6000] = "", text[8000];
    for (int k = 0; k < count; k++) {
        const double stiffness = 1 + 0.1 * k, mu = 0.01 * (1 + k);
        snprintf(elements + strlen(elements), sizeof elements - strlen(elements), "%s[%g, %g*(1 + T)]",
                 k ? ", " : "", stiffness, mu);
        snprintf(contacts + strlen(contacts), sizeof contacts - strlen(contacts),
                 "%sc%d: {kind: friction, slip: x', law: {type: jenkins, stiffness: %g, mu: %g*(1 + T)}}",
                 k ? ", " : "", k, stiffness, mu);
    }
    double final[2][2];
    for (int which = 0; which < 2; which++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 1\nforces: {x: 3*sin(1.3*t)}\n"
                 "states: {T: 0.02*x'^2 - 0.3*T}\ncontacts: {%s%s%s}\nsimulate: {time: [0, 5]}\n",
                 which ? "" : "c: {kind: friction, slip: x', law: {type: iwan, elements: [",
                 which ? contacts : elements, which ? "" : "]}}");
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-10);
        final[which][0] = summary(result, "final.x");
        final[which][1] = summary(result, "final.T");
        near(summary(result, "energy.balance"), 0, 1e-8, "energy");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_true(final[0][1] > 0.01);
    near(final[0][0], final[1][0], 1e-8, "as contacts");
    near(final[0][1], final[1][1], 1e-8, "their heat");
}

/* A limit that leaps: down, and the force falls with it; up, and the slider sticks until it gets there. */
static void limit_of_a_slider_leaps(void **state)
{
    (void)state;
    slip_model *model = parse(
        "slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {c: {kind: friction, slip: 0.5 + 0*x', law: "
        "{type: jenkins, mu: 1 - 0.5*step(t - 2) + 0.9*step(t - 3), stiffness: 2}}}\nsimulate: {time: [0, "
        "5], record: {every: 0.5}}\n");
    slip_result *result = run_by(model, "event", NAN, 1e-11);
    static const double at[] = {0.5, 1.5, 2.5, 3.5, 4.5}, is[] = {0.25, 0.5, 0.25, 0.5, 0.7};
    int64_t count;
    const double *z = slip_result_series(result, "c.z", &count), *t = slip_result_series(result, "t", &count);
    for (int k = 0; k < 5; k++) {
        int found = 0;
        for (int64_t i = 0; i < count; i++)
            if (fabs(t[i] - at[k]) < 1e-9) {
                near(z[i], is[k], 1e-10, "deflection");
                found++;
            }
        assert_true(found > 0);
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Derivatives of the acceleration against differences. */
static void jacobians(void **state)
{
    (void)state;
    static const char *const contacts[] = {
        "slip: x' - 0.1, normal_force: 2 + y, law: {type: tanh, mu: 0.3*(1 + T + x), velocity: 0.2 + y^2}",
        ("slip: x', normal_force: 2, "
         "law: {type: lugre, mu: 0.3 + x*t, velocity: 0.1, stiffness: 20*(1 + T), damping: 1}"),
        "slip: x' - y', normal_force: 2, law: {type: jenkins, mu: 0.3 + x*t + T^2*y, stiffness: 20*(1 + T)}",
        ("slip: y' - x', normal_force: 2, "
         "law: {type: jenkins, mu: 1e-3*(3 + x*t + T^2*y), stiffness: 20*(1 + T)}"),
        "slip: [x', y'], normal_force: 2 + x, law: {type: tanh, mu: 0.3*(1 + T + x*y), velocity: 0.2}",
        "slip: y' - x', normal_force: 2, law: {type: iwan, elements: [[20*(1 + T), 1e-3*(3 + x*t + T^2*y)]]}",
        "slip: x' - y', normal_force: 2, law: {type: iwan, elements: [[20*(1 + T), 0.3 + x*t + T^2*y]]}"};
    for (int k = 0; k < (int)(sizeof contacts / sizeof *contacts); k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\nstates: {T: x - T}\n"
                 "contacts: {c: {kind: friction, %s}}\n",
                 contacts[k]);
        slip_model *model = parse(text);
        const slip_system *system = model->system;
        const int n = system->n;
        slip_workspace *work = NULL;
        double y[9] = {0.7, 0.3, 0.4, 0, 0, 0.2, 0.5, 0.6, 0.01}, a[4], a_q[16], a_v[16], a_t[4], low[4],
               high[4];
        /* t, q, v: with states at the end of both */
        double t = y[0], q[4] = {0.3, 0.4}, v[4] = {0.2, 0.5, 0.6, 0.01};
        assert_int_equal(slip_workspace_create(ctx, system, &work), SLIP_OK);
        assert_true(slip_system_jacobian(system, work, NULL, t, q, v, a, a_q, a_v, a_t, NULL));
        for (int j = 0; j < 2 * n + 1; j++) {
            double *at = j < n ? &q[j] : j < 2 * n ? &v[j - n] : &t, middle = *at, h = 1e-5;
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
                     (high[i] - low[i]) / (2 * h), 1e-6, contacts[k]);
        }
        slip_workspace_destroy(work);
        slip_model_destroy(model);
    }
}

/* ---- Built in C. */
static void built_in_c(void **state)
{
    (void)state;
    static const slip_law_expression rough[] = {{"mu", "mu0*(1 + b*x)"}};
    slip_model *model = NULL;
    slip_contact_options options = slip_contact_options_default();
    const char *const names[] = {"x"};
    assert_true(slip_model_create(ctx, 1, names, &model) >= 0);
    assert_true(slip_model_set_mass(ctx, model, (double[]){2}) >= 0);
    assert_true(slip_model_set_parameter(ctx, model, "mu0", 0.2) >= 0);
    assert_true(slip_model_set_parameter(ctx, model, "b", 0.5) >= 0);
    options.name = "track";
    options.slip = "x'";
    options.normal_force = "20";
    options.law = slip_law_default("coulomb");
    options.law.expressions = rough;
    options.law.expression_count = 1;
    assert_true(slip_model_add_contact(ctx, model, &options) >= 0);
    assert_true(slip_model_set_initial(ctx, model, (double[]){0}, (double[]){10}) >= 0);
    slip_run_options how = slip_run_options_default();
    slip_result *result = NULL;
    how.start = 0;
    how.end = 10;
    how.tolerance = 1e-12;
    assert_true(slip_run(ctx, model, &how, &result) >= 0);
    near(summary(result, "final.x"), 8.198039027185569, 1e-10, "way");
    slip_result_destroy(result);
    options.name = "other";
    options.law.mu = 0.1;
    assert_true(slip_model_add_contact(ctx, model, &options) < 0);
    expect_message("other", "mu is both a number and the expression `mu0*(1 + b*x)`");
    /* elements, of which the number is not read where there is an expression */
    static const slip_law_expression of_elements[] = {{"mu2", "mu0*(1 + b*x)"}, {"stiffness1", "3 + x"}},
                                     beyond[] = {{"mu3", "1 + x"}};
    options.name = "joint";
    options.law = slip_law_default("iwan");
    options.law.elements = (const double[]){NAN, 0.1, 5, NAN};
    options.law.element_count = 2;
    options.law.expressions = beyond;
    options.law.expression_count = 1;
    assert_true(slip_model_add_contact(ctx, model, &options) < 0);
    options.law.expressions = of_elements;
    assert_true(slip_model_add_contact(ctx, model, &options) < 0);
    expect_message("joint", "element 1 has stiffness nan and mu 0.1");
    options.law.expression_count = 2;
    assert_true(slip_model_add_contact(ctx, model, &options) >= 0);
    const char *described = slip_model_describe(ctx, model);
    assert_non_null(strstr(described, "elements [3 + x, 0.1], [5, mu0*(1 + b*x)]"));
    slip_model_destroy(model);
}

/* ---- What is wrong. */
static void messages(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {LAW("{type: coulomb, mu: 0.1*x'}"), "m.yaml:8:30: law `coulomb`: mu: found the velocity x' in "
                                             "`0.1*x'`, expected t, coordinates and states only"},
        {LAW("{type: coulomb, mu: 0.1*q}"), "unknown name `q`"},
        {LAW("{type: elliptic, mu: 0.1, width: 1 + t}"), "law `elliptic`: width cannot vary, found `1 + t`"},
        {LAW("{type: jenkins, mu: 0.1 + pad.z, stiffness: 10}"),
         "law `jenkins`: mu: found `pad.z` in `0.1 + pad.z`, expected t, coordinates and states with rates "
         "of "
         "their own"},
        {LAW("{type: rate_state, mu: 1, a: 1, b: 1, length: 1 + t, velocity: 1}"), "length cannot vary"},
        {LAW("{type: iwan, elements: [[10, 0.1 + pad.z]]}"), "law `iwan`: mu1: found `pad.z"},
        {LAW("{type: iwan, elements: [[10 + x', 0.1]]}"),
         "law `iwan`: stiffness1: found the velocity x' in `10 + x'`"},
        {HEAD2
         "contacts: {c: {kind: friction, slip: [x', y'], law: {type: tanh, mu: 0.3, velocity: 1 + t}}}\n",
         "law `tanh`: velocity: found `1 + t`, expected a number: of a slip in the plane only mu may vary"},
    };
    refuse_each(refusals, sizeof refusals / sizeof *refusals);
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: 1\ncontacts: {c: {kind: friction, slip: x', "
              "law: {type: coulomb, mu: 0.1 - x}}}\nsimulate: {time: [0, 10], initial: {x': 2}}\n");
    static const char *const methods[] = {"event", "moreau"};
    for (int k = 0; k < 2; k++) {
        slip_run_options options = slip_run_options_default();
        slip_result *result = NULL;
        options.method = methods[k];
        options.step = k ? 0.01 : NAN;
        assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_ERROR_SOLVER);
        expect_message(methods[k], "the mu of contact `c`, `0.1 - x`, is -");
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(block_heated_by_friction, setup, teardown),
        cmocka_unit_test_setup_teardown(heated_in_plane_and_under_gaps, setup, teardown),
        cmocka_unit_test_setup_teardown(track_with_place, setup, teardown),
        cmocka_unit_test_setup_teardown(limit_that_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(dip_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(other_laws, setup, teardown),
        cmocka_unit_test_setup_teardown(limit_of_a_slider_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_of_elements_move, setup, teardown),
        cmocka_unit_test_setup_teardown(many_elements_vary, setup, teardown),
        cmocka_unit_test_setup_teardown(limit_of_a_slider_leaps, setup, teardown),
        cmocka_unit_test_setup_teardown(jacobians, setup, teardown),
        cmocka_unit_test_setup_teardown(built_in_c, setup, teardown),
        cmocka_unit_test_setup_teardown(messages, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
