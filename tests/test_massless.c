/* Coordinates without mass: springs, dampers and friction decide. Against closed forms, laws that say the
 * same, reference numbers (two independent integrations each), and the equation of motion itself. */
#include "motion_test.h"
#include "slipstick/simulation.h"
#include "study/run.h"

#include <math.h>

static const way exact = {"event", "exact", NAN, NAN, 0}, stiff = {"smooth", NULL, NAN, 1e-10, 0};

/* ---- A slider between springs. */

#define SLIDER(more)                                                                                         \
    "slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\nparameters: {P: 1, w: 1}\nsprings: "       \
    "[{between: [x, ground], stiffness: 1, damping: 0.04}, {between: [x, u], stiffness: 1}]\nforces: {x: "   \
    "P*cos(w*t)}\ncontacts: {joint: {kind: friction, slip: u', law: {type: coulomb, mu: 0.5}}}\n" more
#define ELEMENT(more)                                                                                        \
    "slipstick: 1\ncoordinates: [x]\nmass: 1\nparameters: {P: 1, w: 1}\nsprings: [{between: [x, ground], "   \
    "stiffness: 1, damping: 0.04}]\nforces: {x: P*cos(w*t)}\ncontacts: {joint: {kind: friction, slip: x', "  \
    "law: {type: jenkins, mu: 0.5, stiffness: 1}}}\n" more

/* It is a Jenkins element, by every method: the same motion, events and forces. */
static void slider_is_a_jenkins_element(void **state)
{
    (void)state;
    static const way ways[] = {{"event", "exact", NAN, NAN, 1e-13},
                               {"event", "rk", NAN, 1e-11, 1e-9},
                               {"moreau", NULL, 1e-2, NAN, 1e-12},
                               {"midpoint", NULL, 1e-2, NAN, 1e-12},
                               {"midpoint_stabilised", NULL, 1e-2, NAN, 1e-12}};
    slip_model *slider = parse(SLIDER("simulate: {time: [0, 40], record: {points: 101}}\n")),
               *element = parse(ELEMENT("simulate: {time: [0, 40], record: {points: 101}}\n"));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        slip_result *a = run(slider, ways[k]), *b = run(element, ways[k]);
        int64_t count, other;
        const double *x = slip_result_series(a, "x", &count), *y = slip_result_series(b, "x", &other),
                     *u = slip_result_series(a, "u", NULL), *z = slip_result_series(b, "joint.z", NULL),
                     *slip = slip_result_series(a, "joint.slip", NULL),
                     *mode = slip_result_series(a, "joint.mode", NULL),
                     *f = slip_result_series(a, "joint.force", NULL),
                     *g = slip_result_series(b, "joint.force", NULL);
        assert_int_equal(count, other);
        for (int64_t i = 0; i < count; i++) {
            assert_close(x[i], y[i], ways[k].error);
            assert_close(x[i] - u[i], z[i], ways[k].error);
            assert_close(f[i], g[i], ways[k].error);
            if (mode[i] == SLIP_MODE_STICK)
                assert_true(slip[i] == 0);
        }
        assert_true(slip_result_event_count(a) > 10);
        assert_int_equal(slip_result_event_count(a), slip_result_event_count(b));
        for (int64_t e = 0; e < slip_result_event_count(a); e++) {
            assert_close(slip_result_event(a, e)->time, slip_result_event(b, e)->time, ways[k].error);
            assert_int_equal(slip_result_event(a, e)->to, slip_result_event(b, e)->to);
        }
        if (k == 0) {
            double residual;
            good(slip_result_residual(ctx, slider->system, a, &residual));
            assert_true(residual < 1e-12);
            assert_close(slip_result_number(a, "energy.balance"), 0, 1e-12);
            /* the spring's energy counts as that of a spring, and friction takes what is left */
            const double kept =
                0.5 * slip_result_number(b, "final.joint.z") * slip_result_number(b, "final.joint.z");
            assert_close(slip_result_number(a, "contacts.joint.dissipation"),
                         slip_result_number(b, "contacts.joint.dissipation") - kept, 1e-11);
        }
        slip_result_destroy(a);
        slip_result_destroy(b);
    }
    slip_model_destroy(slider);
    slip_model_destroy(element);
}

/* Steady amplitudes of the oscillator with a slider. */
static void steady_amplitudes(void **state)
{
    (void)state;
    static const double cases[][3] = {{0.2, 1.3, 0.6482255469646326}, {0.2, 1.45, 0.60722249180019},
                                      {1, 0.7, 0.8316458270742682},   {1, 1, 9.46823312909054},
                                      {1, 1.1, 4.406199677002329},    {1, 1.6, 0.9272924534713292}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2][40];
        const char *settings[] = {text[0], text[1], NULL};
        snprintf(text[0], sizeof text[0], "P=%g", cases[k][0]);
        snprintf(text[1], sizeof text[1], "w=%.17g", cases[k][1]);
        slip_model *model = parse_with(
            SLIDER("simulate: {steady: {period: 2*pi/w, tolerance: 1e-10, within: 3000}}\n"), settings);
        slip_result *result = run(model, exact);
        assert_close_relative(slip_result_number(result, "steady.max.x"), cases[k][2], 1e-9);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-11);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* Sliders beside each other are an Iwan model. */
static void sliders_are_an_iwan_model(void **state)
{
    (void)state;
    slip_model *many = parse(
                   "slipstick: 1\ncoordinates: [x, u, v]\nmass: {diagonal: [1, 0, 0]}\nsprings: "
                   "[{between: [x, ground], stiffness: 1.5}, {between: [x, u], stiffness: 3}, "
                   "{between: [x, v], stiffness: 6}]\nforces: {x: 2*sin(1.3*t)}\ncontacts: {a: "
                   "{kind: friction, slip: \"2*u'\", normal_force: 3, law: {type: coulomb, mu: 0.05}}, b: "
                   "{kind: friction, slip: v', normal_force: 3, law: {type: coulomb, mu: "
                   "0.4}}}\nsimulate: {time: [0, 30], record: {points: 61, events: false}}\n"),
               *one = parse("slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 1\nforces: {x: "
                            "2*sin(1.3*t)}\ncontacts: {a: {kind: friction, slip: x', normal_force: 3, law: "
                            "{type: iwan, elements: [[1, 0.1], [2, 0.4]], stiffness: 0.16666666666666667}}}\n"
                            "simulate: {time: [0, 30], record: {points: 61, events: false}}\n");
    slip_result *a = run(many, exact), *b = run(one, exact);
    int64_t count;
    const double *x = slip_result_series(a, "x", &count), *y = slip_result_series(b, "x", NULL);
    for (int64_t i = 0; i < count; i++)
        assert_close(x[i], y[i], 1e-11);
    assert_true(slip_result_event_count(a) > 10);
    slip_result_destroy(a);
    slip_result_destroy(b);
    slip_model_destroy(many);
    slip_model_destroy(one);
}

/* ---- Springs alone, and dampers. */

/* A spring behind a spring, and one behind a damper (Maxwell), against the same with the coordinates
 * eliminated by hand. */
static void springs_and_dampers(void **state)
{
    (void)state;
    static const way ways[] = {{"event", "exact", NAN, NAN, 1e-13},
                               {"event", "rk", NAN, 1e-12, 1e-9},
                               {"smooth", NULL, NAN, 1e-12, 1e-8},
                               {"moreau", NULL, 1e-3, NAN, 1e-5},
                               {"rk4", NULL, 1e-3, NAN, 1e-9}};
    slip_model *model = parse("slipstick: 1\ncoordinates: [u, x, d]\nmass: {diagonal: [0, 1, 0]}\nsprings: "
                              "[{between: [u, ground], stiffness: 3}, {between: [x, u], stiffness: 5}, "
                              "{between: [x, d], stiffness: 2}, {between: [d, ground], damping: "
                              "0.2}]\nforces: {x: cos(1.3*t), u: 0.3*sin(t)}\noutputs: {speed: u' + "
                              "d'}\nsimulate: {time: [0, 20]}\n"),
               *plain = parse("slipstick: 1\ncoordinates: [x]\nstates: {d: 10*(x - d)}\nmass: 1\nstiffness: "
                              "15/8\nforces: {x: cos(1.3*t) + 0.3*5/8*sin(t) - 2*(x - d)}\nsimulate: {time: "
                              "[0, 20]}\n");
    slip_result *expected = run(plain, exact);
    const double x = slip_result_number(expected, "final.x"), w = slip_result_number(expected, "final.x'"),
                 d = slip_result_number(expected, "final.d");
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        slip_result *result = run(model, ways[k]);
        assert_close(slip_result_number(result, "final.x"), x, ways[k].error);
        assert_close(slip_result_number(result, "final.u"), (5 * x + 0.3 * sin(20)) / 8, ways[k].error);
        assert_close(slip_result_number(result, "final.u'"), (5 * w + 0.3 * cos(20)) / 8, ways[k].error);
        assert_close(slip_result_number(result, "final.d"), d, ways[k].error);
        assert_close(slip_result_number(result, "final.d'"), 10 * (x - d), 10 * ways[k].error);
        int64_t count;
        const double *speed = slip_result_series(result, "speed", &count);
        assert_close(speed[count - 1], (5 * w + 0.3 * cos(20)) / 8 + 10 * (x - d), 10 * ways[k].error);
        if (k == 0)
            assert_close(slip_result_number(result, "energy.balance"), 0, 1e-13);
        slip_result_destroy(result);
    }
    slip_result_destroy(expected);
    slip_model_destroy(model);
    slip_model_destroy(plain);
}

/* c u' + k u + friction = F t: it sticks until F t is at the limit, then creeps after the load. */
static void damper_and_friction(void **state)
{
    (void)state;
    const double c = 0.5, k = 2, rate = 0.7, limit = 0.35, start = limit / rate;
    slip_model *model = parse("slipstick: 1\ncoordinates: [u]\nmass: 0\nsprings: [{between: [u, ground], "
                              "stiffness: 2, damping: 0.5}]\nforces: {u: 0.7*t}\ncontacts: {seat: {kind: "
                              "friction, slip: u', normal_force: 0.5, law: {type: coulomb, mu: "
                              "0.7}}}\nsimulate: {time: [0, 3], record: {points: 31}}\n");
    slip_result *result = run(model, (way){"event", NULL, NAN, 1e-12, 0});
    int64_t count;
    const double *t = slip_result_series(result, "t", &count), *u = slip_result_series(result, "u", NULL),
                 *mode = slip_result_series(result, "seat.mode", NULL),
                 *force = slip_result_series(result, "seat.force", NULL);
    for (int64_t i = 0; i < count; i++) {
        const double since = fmax(t[i] - start, 0);
        const double expected = rate / k * (since - c / k * (1 - exp(-k / c * since)));
        assert_close(u[i], expected, 1e-10);
        assert_close(force[i], -fmin(rate * t[i], limit), 1e-9);
        if (fabs(t[i] - start) > 1e-9)
            assert_int_equal((int)mode[i], t[i] < start ? SLIP_MODE_STICK : SLIP_MODE_SLIP_PLUS);
    }
    assert_close(slip_result_number(result, "energy.balance"), 0, 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* What such friction does is listed. It holds u until 4 x is at its limit, with x = 2/(5 - w^2) (sin w t -
 * w/sqrt(5) sin(sqrt(5) t)), and holds it again where the force comes below that. */
static void damper_and_friction_events(void **state)
{
    static const way ways[] = {{"event", NULL, NAN, 1e-11, 1e-9},
                               {"smooth", NULL, NAN, 1e-11, 1e-7},
                               {"moreau", NULL, 1e-3, NAN, 1e-3}};
    slip_result *first = NULL;
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\nsprings: [{between: "
              "[x, ground], stiffness: 1}, {between: [x, u], stiffness: 4}, {between: [u, "
              "ground], damping: 0.5}]\nforces: {x: 2*sin(1.3*t)}\ncontacts: {seat: {kind: "
              "friction, slip: u', normal_force: 2, law: {type: coulomb, mu: 0.3}}}\n"
              "simulate: {time: [0, 10]}\n");
    for (int k = 0; k < 3; k++) {
        slip_result *result = run(model, ways[k]);
        first = first ? first : result;
        assert_int_equal(slip_result_event_count(result), 7);
        assert_close(slip_result_number(result, "events.total"), 7, 0);
        near(slip_result_event(result, 0)->time, 0.7484380257876905, ways[k].error, "release");
        for (int i = 0; i < 7; i++) {
            const slip_event *event = slip_result_event(result, i);
            near(event->time, slip_result_event(first, i)->time, ways[k].error, ways[k].method);
            assert_int_equal(event->to, i % 2 == 1   ? SLIP_MODE_STICK
                                        : i % 4 == 0 ? SLIP_MODE_SLIP_PLUS
                                                     : SLIP_MODE_SLIP_MINUS);
        }
        if (k > 0)
            slip_result_destroy(result);
    }
    slip_result_destroy(first);
    slip_model_destroy(model);
}

/* ---- The equation of motion, on random systems: any rank of mass and damping, friction and loads. */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

enum { most = 5 };

typedef struct matrices {
    int n;
    double mass[most * most], damping[most * most], stiffness[most * most], load[most], phase[most];
} matrices;

/* Adds a part of rank one: of a row with few entries, or along one coordinate. */
static void add_part(int n, uint64_t *seed, bool plain, double size, double *matrix)
{
    double row[most] = {0};
    row[(int)(uniform(seed) * n)] = 1;
    if (!plain)
        row[(int)(uniform(seed) * n)] -= 0.5 + uniform(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[i * n + j] += size * row[i] * row[j];
}

static void write_matrix(char *text, size_t size, const char *name, int n, const double *matrix)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s: [", name);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            used += (size_t)snprintf(text + used, size - used, "%s%.17g%s",
                                     j   ? ", "
                                     : i ? ", ["
                                         : "[",
                                     matrix[i * n + j], j == n - 1 ? "]" : "");
    snprintf(text + used, size - used, "]\n");
}

static void write_model(const matrices *m, const bool *rubbed, char *text, size_t size)
{
    snprintf(text, size, "slipstick: 1\ncoordinates: [");
    for (int i = 0; i < m->n; i++)
        snprintf(text + strlen(text), size - strlen(text), "%sq%d", i ? ", " : "", i);
    strcat(text, "]\n");
    write_matrix(text, size, "mass", m->n, m->mass);
    write_matrix(text, size, "damping", m->n, m->damping);
    write_matrix(text, size, "stiffness", m->n, m->stiffness);
    strcat(text, "forces: {");
    for (int i = 0; i < m->n; i++)
        snprintf(text + strlen(text), size - strlen(text), "%sq%d: %.17g*cos(1.3*t + %.17g)", i ? ", " : "",
                 i, m->load[i], m->phase[i]);
    strcat(text, "}\ncontacts: {");
    for (int i = 0; i < m->n; i++)
        if (rubbed[i])
            snprintf(text + strlen(text), size - strlen(text),
                     "%sc%d: {kind: friction, slip: \"q%d' - 0.1*sin(t)\", normal_force: 0.4, law: {type: "
                     "coulomb, "
                     "mu: 0.5}}",
                     text[strlen(text) - 1] == '{' ? "" : ", ", i, i);
    strcat(text, "}\nsimulate: {time: [0, 12], record: {points: 201}, tolerance: 1e-11}\n");
}

/* By how much the recorded motion misses M q'' + C q' + K q = f + friction, after the first moment. */
static double find_error(const matrices *m, const bool *rubbed, const slip_result *result)
{
    const double *q[most], *v[most], *a[most], *force[most] = {NULL};
    int64_t count;
    double worst = 0;
    const double *t = slip_result_series(result, "t", &count);
    for (int i = 0; i < m->n; i++) {
        char name[20];
        snprintf(name, sizeof name, "q%d", i);
        q[i] = slip_result_series(result, name, NULL);
        snprintf(name, sizeof name, "q%d'", i);
        v[i] = slip_result_series(result, name, NULL);
        snprintf(name, sizeof name, "q%d''", i);
        a[i] = slip_result_series(result, name, NULL);
        snprintf(name, sizeof name, "c%d.force", i);
        force[i] = rubbed[i] ? slip_result_series(result, name, NULL) : NULL;
    }
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < m->n; i++) {
            double rest = -m->load[i] * cos(1.3 * t[k] + m->phase[i]) - (force[i] ? force[i][k] : 0);
            for (int j = 0; j < m->n; j++)
                rest += m->damping[i * m->n + j] * v[j][k] + m->stiffness[i * m->n + j] * q[j][k] +
                        (m->mass[i * m->n + j] != 0 ? m->mass[i * m->n + j] * a[j][k] : 0);
            worst = fmax(worst, isnan(rest) ? INFINITY : fabs(rest));
        }
    return worst;
}

static void random_systems(void **state)
{
    (void)state;
    uint64_t seed = 2024;
    int taken = 0, refused = 0, slid = 0, closed = 0;
    for (int round = 0; round < test_cases(200); round++) {
        matrices m = {.n = 2 + (int)(uniform(&seed) * (most - 1))};
        bool rubbed[most] = {false};
        char text[5000];
        slip_model *model = NULL;
        const int parts = 1 + (int)(uniform(&seed) * (m.n - 1));
        const bool plain = round % 2;
        for (int k = 0; k < parts; k++)
            add_part(m.n, &seed, plain, 0.5 + uniform(&seed), m.mass);
        for (int k = 0; k < (int)(uniform(&seed) * 3); k++)
            add_part(m.n, &seed, uniform(&seed) < 0.5, 0.2 + 0.3 * uniform(&seed), m.damping);
        for (int k = 0; k < m.n + 1; k++)
            add_part(m.n, &seed, k < m.n - 1 && uniform(&seed) < 0.5, 1 + 2 * uniform(&seed), m.stiffness);
        for (int i = 0; i < m.n; i++) {
            m.load[i] = uniform(&seed);
            m.phase[i] = 6 * uniform(&seed);
            rubbed[i] = uniform(&seed) < 0.4;
        }
        write_model(&m, rubbed, text, sizeof text);
        if (slip_model_parse(ctx, text, "m.yaml", NULL, &model) < 0) {
            if (!strstr(slip_context_message(ctx), "mass"))
                print_error("%s\n%s\n", text, slip_context_message(ctx));
            assert_non_null(strstr(slip_context_message(ctx), "mass"));
            refused++;
            continue;
        }
        slip_result *result = run(model, (way){"event", NULL, NAN, NAN, 0});
        double residual, error = find_error(&m, rubbed, result);
        good(slip_result_residual(ctx, model->system, result, &residual));
        const double balance = fabs(slip_result_number(result, "energy.balance"));
        if (!(error < 1e-8) || !(residual < 1e-9) || !(balance < 1e-7))
            print_error("round %d: %.3g %.3g %.3g\n%s\n", round, error, residual, balance, text);
        assert_true(error < 1e-8);
        assert_true(residual < 1e-9);
        assert_true(balance < 1e-7);
        slid += slip_result_event_count(result) > 0;
        closed += strstr(slip_model_describe(ctx, model), "closed forms\n") != NULL;
        taken += model->system->massless != NULL;
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("%d without some mass, %d refused; %d with events, %d in closed form\n", taken, refused,
                  slid, closed);
    assert_true(taken > test_cases(100) - 4 && slid > test_cases(50) - 4 && closed > test_cases(80) - 4);
}

/* ---- Rate and state without inertia. */

/* Earthquake cycles with radiation damping over nine decades of velocity. */
static void quasi_dynamic_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *evolution;
        double recurrence, fastest, duration;
    } cases[] = {{"aging", 55715922.40836268, 0.7670900947144295, 1.2044729761035462},
                 {"slip", 51209610.08489025, 0.9409935902801249, 0.6836268507300786}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: 0\nsprings: [{between: [x, ground], stiffness: "
                 "124999997.5, damping: 5e6}]\nforces: {x: 124999997.5*1e-9*t}\ncontacts: {fault: {kind: "
                 "friction, slip: x', normal_force: 5e7, law: {type: rate_state, mu: 0.6, a: 0.01, b: 0.015, "
                 "length: 1e-3, velocity: 1e-6, evolution: %s}}}\nsimulate: {time: [0, 3e8], record: {steps: "
                 "true}, initial: {x: -0.24, fault.theta: 5e5}}\n",
                 cases[k].evolution);
        slip_model *model = parse(text);
        slip_result *result = run(model, stiff);
        int64_t count;
        const double *t = slip_result_series(result, "t", &count),
                     *v = slip_result_series(result, "x'", NULL);
        double last = NAN, recurrence = NAN, begin = NAN, duration = NAN;
        for (int64_t i = 1; i < count; i++) {
            const bool up = v[i - 1] < 1e-3 && v[i] >= 1e-3, down = v[i - 1] >= 1e-3 && v[i] < 1e-3;
            /* the velocity is nearly exponential in time there */
            const double at = t[i - 1] + (t[i] - t[i - 1]) * log(1e-3 / v[i - 1]) / log(v[i] / v[i - 1]);
            if (up) {
                recurrence = at - last;
                last = begin = at;
            } else if (down) {
                duration = at - begin;
            }
        }
        assert_close_relative(recurrence, cases[k].recurrence, 1e-7);
        assert_close_relative(slip_result_number(result, "max.x'"), cases[k].fastest, 1e-6);
        assert_close_relative(duration, cases[k].duration, 1e-3);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* A disturbance of steady sliding neither grows nor dies at the critical stiffness, and turns with the
 * frequency of the linear theory. */
static void critical_stiffness(void **state)
{
    (void)state;
    const double critical = 0.002999999999999999, frequency = 0.4999999999999999, damping = 0.002;
    const double period = 2 * 3.14159265358979323846 / frequency;
    for (int side = -1; side <= 1; side++) {
        const double k = critical * (1 + 0.02 * side);
        double size[2];
        char text[700];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: 0\ndamping: %.17g\nforces: {x: %.17g*(t - "
            "x)}\ncontacts: {fault: {kind: friction, slip: x', law: {type: rate_state, mu: 0.6, a: 0.01, "
            "b: 0.015, length: 1, velocity: 1}}}\noutputs: {d: x' - 1}\nsimulate: {time: [0, 1], "
            "initial: {x: %.17g, fault.theta: 1.0001}}\n",
            damping, k, -(0.6 + damping) / k);
        slip_model *model = parse(text);
        for (int i = 0; i < 2; i++) {
            slip_run_options options = slip_run_options_default();
            slip_result *result = NULL;
            options.method = "smooth";
            options.tolerance = 1e-11;
            options.record_from = (5 + 20 * i) * period;
            options.end = options.record_from + 2 * period;
            good(slip_run(ctx, model, &options, &result));
            size[i] = slip_result_number(result, "max.d");
            slip_result_destroy(result);
        }
        if (side == 0) {
            assert_close(size[1] / size[0], 1, 1e-3);
        } else {
            assert_true((size[1] > 1.05 * size[0]) == (side < 0));
            assert_true((size[1] < 0.95 * size[0]) == (side > 0));
        }
        slip_model_destroy(model);
    }
}

/* A smooth law on a coordinate without mass, in closed form: k u + mu tanh(u'/v) = F t is u' = v atanh of
 * what is left, which creeps close to F/k. */
static void smooth_laws(void **state)
{
    (void)state;
    static const char *const laws[] = {"{type: tanh, mu: 0.3, velocity: 0.01, viscous: 0.1}",
                                       "{type: arctan, mu: 0.3, velocity: 0.01}",
                                       "{type: sqrt, mu: 0.3, epsilon: 0.01}"};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\nsprings: [{between: [x, "
                 "ground], stiffness: 2}, {between: [x, u], stiffness: 3}]\nforces: {x: "
                 "sin(1.1*t)}\ncontacts: {seat: {kind: friction, slip: \"u' - 0.02\", law: %s}}\nsimulate: "
                 "{time: [0, 10], record: {points: 101}}\n",
                 laws[k]);
        slip_model *model = parse(text);
        slip_result *a = run(model, (way){"smooth", NULL, NAN, 1e-12, 0}),
                    *b = run(model, (way){"event", NULL, NAN, 1e-12, 0});
        int64_t count;
        const double *x = slip_result_series(a, "x", &count), *u = slip_result_series(a, "u", NULL),
                     *w = slip_result_series(a, "u'", NULL), *slip = slip_result_series(a, "seat.slip", NULL),
                     *force = slip_result_series(a, "seat.force", NULL);
        double residual;
        for (int64_t i = 0; i < count; i++) {
            assert_close(force[i], 3 * (u[i] - x[i]), 1e-12);
            assert_close(slip[i], w[i] - 0.02, 1e-14);
        }
        good(slip_result_residual(ctx, model->system, a, &residual));
        assert_true(residual < 1e-12);
        assert_close(slip_result_number(a, "energy.balance"), 0, 1e-6);
        assert_close(slip_result_number(a, "final.u"), slip_result_number(b, "final.u"), 1e-8);
        slip_run_options options = slip_run_options_default();
        slip_result *none = NULL;
        options.method = "moreau";
        options.step = 1e-3;
        assert_int_equal(slip_run(ctx, model, &options, &none), SLIP_ERROR_MODEL);
        expect_message(text,
                       "decides the velocity of a coordinate without mass, which `moreau` does not take");
        slip_result_destroy(none);
        slip_result_destroy(a);
        slip_result_destroy(b);
        slip_model_destroy(model);
    }
}

/* ---- What is refused. */

#define MASSLESS(more) "slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\n" more
#define HELD "stiffness: [[2, -1], [-1, 1]]\n"

/* A spring that pulls with all that the law can give: its velocity is beyond what rounding tells. Steps
 * become as short as they must be for that, and the run ends with what is wrong. */
static void gives_way_no_more(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\nsprings: [{between: "
              "[x, ground], stiffness: 1}, {between: [x, u], stiffness: 4}]\nforces: {x: "
              "2*sin(1.3*t)}\ncontacts: {b: {kind: friction, slip: u', law: {type: tanh, mu: 0.4, "
              "velocity: 0.05}}}\nsimulate: {time: [0, 10]}\n");
    for (int k = 0; k < 2; k++) {
        slip_run_options options = slip_run_options_default();
        slip_result *result = NULL;
        options.method = k ? "smooth" : "event";
        assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_ERROR_SOLVER);
        expect_message("", "its law `tanh` does not give way enough; add a damper or a mass");
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

static void refused(void **state)
{
    (void)state;
    static const refusal table[] = {
        {MASSLESS("stiffness: [[2, 0], [0, 0]]\n"),
         "m.yaml:3:7: mass: `u` has no mass, and nothing decides its motion: expected a spring, a damper"},
        {MASSLESS("contacts: {c: {kind: friction, slip: u', law: {type: coulomb, mu: 1}}}\n"),
         "`u` has no mass, and nothing decides its motion"},
        {MASSLESS("stiffness: [[2, 0], [0, -1]]\n"), "`u` has no mass, and its stiffness is not positive"},
        {MASSLESS(HELD "contacts: {c: {kind: unilateral, gap: u}}\n"),
         "contact `c` acts on `u`, which has no mass, and has a gap"},
        {MASSLESS(HELD "contacts: {c: {kind: friction, slip: [x', u'], law: {type: coulomb, mu: 1}}}\n"),
         "its slip has more than one dimension"},
        {MASSLESS(HELD "contacts: {c: {kind: friction, slip: u', law: {type: coulomb, mu: 1, static_ratio: "
                       "2}}}\n"),
         "static friction above kinetic friction would make it jump"},
        {MASSLESS(HELD "contacts: {c: {kind: friction, slip: u', normal_force: 2 + sin(t), law: {type: "
                       "coulomb, mu: 1}}}\n"),
         "its normal force is not a number"},
        {MASSLESS(HELD "contacts: {c: {kind: friction, slip: u', law: {type: dahl, mu: 1, stiffness: 3}}}\n"),
         "the force of its law `dahl` does not rise with the slip velocity: give the coordinate a damper"},
        {MASSLESS(HELD "contacts: {c: {kind: friction, slip: u', law: {type: lugre, mu: 1, velocity: 1, "
                       "stiffness: 3}}}\n"),
         "the force of its law `lugre` does not rise with the slip velocity"},
        {MASSLESS(HELD "forces: {u: -u^3}\n"), "depends on a coordinate without mass in a way"},
        {"slipstick: 1\ncoordinates: [u, w]\nmass: {diagonal: [0, 0]}\nstiffness: [[2, -1], [-1, "
         "2]]\ncontacts: {a: {kind: friction, slip: u', law: {type: coulomb, mu: 1}}, b: {kind: friction, "
         "slip: w', law: {type: coulomb, mu: 1}}}\n",
         "`w` and `u` have no mass, friction acts on both and springs connect them"},
        {"slipstick: 1\ncoordinates: [x]\nmass: -1\n",
         "m.yaml:3:7: the mass matrix is not positive: diagonal entry 1 is -1; expected at least 0"},
        {"slipstick: 1\ncoordinates: [x, y]\nenergy:\n  kinetic: \"x'^2 - y'^2\"\n",
         "m.yaml:4:12: energy.kinetic: the mass matrix is not positive: diagonal entry 2 is -2"},
    };
    REFUSE_EACH(table);
}

/* `check` says what decides. */
static void described(void **state)
{
    (void)state;
    slip_model *model = parse(SLIDER("simulate: {time: [0, 1]}\n"));
    assert_non_null(strstr(slip_model_describe(ctx, model),
                           "without mass  u: springs decide where it is, and friction of `joint`\n"));
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* A simulation that is stopped, saved and changed goes on as one that is not. */
static void stopped_and_changed(void **state)
{
    (void)state;
    slip_model *model = parse(SLIDER("simulate: {time: [0, 20]}\n"));
    slip_result *whole = run(model, exact);
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    for (int k = 1; k <= 20; k++) {
        double q[2], v[2];
        good(slip_simulation_advance(ctx, s, k));
        slip_simulation_state(s, q, v);
        assert_close(slip_simulation_number(s, "joint.force"), q[1] - q[0], 1e-12);
        if (k % 5 == 0)
            good(slip_simulation_set_state(ctx, s, k, q, v));
    }
    assert_close(slip_simulation_number(s, "x"), slip_result_number(whole, "final.x"), 1e-12);
    assert_close(slip_simulation_number(s, "u"), slip_result_number(whole, "final.u"), 1e-12);
    slip_simulation_close(s);
    slip_result_destroy(whole);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_is_a_jenkins_element),
        cmocka_unit_test(steady_amplitudes),
        cmocka_unit_test(sliders_are_an_iwan_model),
        cmocka_unit_test_of_numbers(springs_and_dampers),
        cmocka_unit_test(damper_and_friction),
        cmocka_unit_test(damper_and_friction_events),
        cmocka_unit_test(random_systems),
        cmocka_unit_test_of_numbers(quasi_dynamic_cycles),
        cmocka_unit_test(critical_stiffness),
        cmocka_unit_test_of_numbers(smooth_laws),
        cmocka_unit_test(gives_way_no_more),
        cmocka_unit_test(refused),
        cmocka_unit_test(described),
        cmocka_unit_test(stopped_and_changed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
