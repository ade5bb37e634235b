/* Random systems with every kind of contact, and derivatives of their motions against differences of whole
 * runs.
 *
 * A column is compared where the motion is smooth over the differences: all runs have the same events, and
 * two differences of fourth order, one with half the step, agree. */
#ifndef SLIP_TESTS_DERIVATIVE_TEST_H
#define SLIP_TESTS_DERIVATIVE_TEST_H

#include "motion_test.h"
#include "slipstick/simulation.h"

enum { derivative_most = 24, derivative_text = 8000 };

typedef struct derivative_case {
    const slip_model *model;
    const char *segments;
    double tolerance, start, end;
    unsigned
        without; /* numbers of the state that are none: velocities of coordinates without mass, as bits */
} derivative_case;

typedef struct derivative_tally {
    int systems, columns, rough, failed;
    int64_t events;
    double worst;
} derivative_tally;

/* What a run did: its end and its events, as one number. */
typedef struct derivative_run {
    double state[derivative_most];
    uint64_t events;
    int count, bounces;
} derivative_run;

static inline int derivative_event(void *user, const slip_event *event)
{
    derivative_run *r = user;
    r->events = (r->events ^ (uint64_t)(event->contact * 64 + (int)event->from * 8 + (int)event->to + 1)) *
                1099511628211u;
    r->count++;
    r->bounces += event->from == SLIP_MODE_OPEN && event->to == SLIP_MODE_OPEN;
    return 0;
}

static inline int derivative_open(const derivative_case *c, const slip_values *values, const double *start,
                                  double t, derivative_run *r, slip_simulation **s)
{
    slip_simulation_options options = slip_simulation_options_default();
    options.method = "event";
    options.segments = c->segments;
    options.tolerance = c->tolerance;
    options.start = t;
    options.event_observer = derivative_event;
    options.observer_user = r;
    int status = slip_simulation_open(ctx, c->model, values, &options, s);
    const int n = (int)slip_model_coordinate_count(c->model);
    if (status == SLIP_OK && start) {
        status = slip_simulation_set_state(ctx, *s, t, start, start + n);
        if (status == SLIP_OK && slip_simulation_state_size(*s) > 2 * n)
            status = slip_simulation_set_states(ctx, *s, start + 2 * n);
    }
    return status;
}

static inline void derivative_state(const slip_simulation *s, int n, double *state)
{
    slip_simulation_state(s, state, state + n);
    slip_simulation_states(s, state + 2 * n);
}

/* A run from a start that is moved by `by` along number k of the state, the time, or a parameter. */
static inline bool derivative_try(const derivative_case *c, const double *start, int size, int k, double by,
                                  const char *const *parameters, derivative_run *r)
{
    double moved[derivative_most], t = c->start;
    slip_values *values = NULL;
    slip_simulation *s = NULL;
    memcpy(moved, start, (size_t)size * sizeof(double));
    *r = (derivative_run){.events = 14695981039346656037u};
    if (k > size)
        good(slip_values_create(ctx, c->model, &values));
    if (k < size)
        moved[k] += by;
    else if (k == size)
        t += by;
    else
        good(slip_values_set(ctx, values, parameters[k - size - 1],
                             slip_values_number(values, parameters[k - size - 1]) + by));
    int status = derivative_open(c, values, moved, t, r, &s);
    if (status == SLIP_OK)
        status = slip_simulation_advance(ctx, s, c->end);
    if (status == SLIP_OK)
        derivative_state(s, (int)slip_model_coordinate_count(c->model), r->state);
    slip_simulation_close(s);
    slip_values_destroy(values);
    return status == SLIP_OK;
}

/* The difference of fourth order with a step; false where the motion is not the same all along. */
static inline bool derivative_difference(const derivative_case *c, const double *start, int size, int k,
                                         double step, const char *const *parameters, uint64_t events,
                                         double *to)
{
    static const double places[] = {-2, -1, 1, 2}, weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    memset(to, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < 4; i++) {
        derivative_run r;
        if (!derivative_try(c, start, size, k, places[i] * step, parameters, &r) || r.events != events)
            return false;
        for (int j = 0; j < size; j++)
            to[j] += weights[i] / step * r.state[j];
    }
    return true;
}

static inline double derivative_size(int size, const double *a)
{
    double most = 0;
    for (int i = 0; i < size; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* ---- Random models. */

typedef struct derivative_writer {
    uint64_t *seed;
    char *text;
    size_t used;
    int n;
} derivative_writer;

static inline double derivative_number(derivative_writer *w, double low, double high)
{
    return test_random(w->seed, low, high);
}

static inline bool derivative_chance(derivative_writer *w, double probability)
{
    return derivative_number(w, 0, 1) < probability;
}

__attribute__((format(printf, 2, 3))) static inline void derivative_write(derivative_writer *w,
                                                                          const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->used += (size_t)vsnprintf(w->text + w->used, derivative_text - w->used, format, list);
    va_end(list);
    assert_true(w->used < derivative_text);
}

/* A sum of coordinates, or of their velocities. */
static inline void derivative_row(derivative_writer *w, int sure, const char *mark)
{
    for (int i = 0; i < w->n; i++)
        if (i == sure || derivative_chance(w, 0.3))
            derivative_write(w, "%+.4f*x%d%s ",
                             i == sure ? derivative_number(w, 0.7, 1.3) : derivative_number(w, -0.5, 0.5), i,
                             mark);
}

/* The laws in closed form come first. */
static const char *const derivative_laws[] = {
    "{type: coulomb, mu: mu}",
    "{type: coulomb, mu: mu, static_ratio: 1.4}",
    "{type: jenkins, mu: mu, stiffness: 2}",
    "{type: iwan, elements: [[1, 0.2], [0.7, 0.5]], stiffness: 0.2}",
    "{type: stribeck, mu: mu, static_ratio: 1.6, velocity: 0.4, exponent: 1}",
    "{type: stribeck, mu: mu, static_ratio: 1.3, velocity: 0.6, viscous: 0.1}",
    "{type: elliptic, mu: mu, width: 0.5}",
    "{type: tanh, mu: mu, velocity: 0.3}",
    "{type: dahl, mu: mu, stiffness: 3}",
    "{type: lugre, mu: mu, static_ratio: 1.3, velocity: 0.3, stiffness: 20, damping: 1}",
    "{type: boucwen, stiffness: 1, beta: 1, gamma: 0.5}",
    ("{type: elastoplastic, mu: mu, static_ratio: 1.2, velocity: 0.3, stiffness: 10, damping: 0.5, "
     "breakaway: 0.002}"),
    "{type: coulomb, mu: mu*(1 + 0.3*sin(x0))}",
};
enum { derivative_exact_laws = 4, derivative_set_valued_laws = 2, derivative_laws_count = 13 };

static inline void derivative_friction(derivative_writer *w, int c, bool exact)
{
    const int law = (int)derivative_number(w, 0, exact ? derivative_exact_laws : derivative_laws_count);
    derivative_write(w, "  c%d: {kind: friction, slip: ", c);
    derivative_row(w, c % w->n, "'");
    derivative_write(w, "- vb, normal_force: %.4f, law: %s}\n", derivative_number(w, 0.5, 1.5),
                     derivative_laws[law]);
}

static inline void derivative_unilateral(derivative_writer *w, int c, bool exact)
{
    const bool rubs = w->n > 1 && derivative_chance(w, 0.6), curved = !exact && derivative_chance(w, 0.3),
               soft = !exact && derivative_chance(w, 0.15);
    derivative_write(w, "  c%d: {kind: unilateral, gap: \"s + ", c);
    derivative_row(w, c % w->n, "");
    if (curved)
        derivative_write(w, "+ 0.1*x%d^2 ", (c + 1) % w->n);
    if (derivative_chance(w, 0.3))
        derivative_write(w, "+ %.3f*sin(%.3f*t)", derivative_number(w, 0.05, 0.2),
                         derivative_number(w, 0.5, 2));
    derivative_write(w, "\"");
    if (soft)
        derivative_write(w, ", normal: {stiffness: 30, exponent: 1.5, damping: 0.2}");
    else if (derivative_chance(w, 0.7))
        derivative_write(w, ", restitution: %.3f", derivative_number(w, 0.2, 0.9));
    if (rubs) {
        derivative_write(w, ", slip: ");
        derivative_row(w, (c + 1) % w->n, "'");
        derivative_write(w, ", law: {type: %s, mu: 0.3%s}",
                         exact || derivative_chance(w, 0.5) ? "coulomb"
                                                            : "stribeck, velocity: 0.5, exponent: 1",
                         derivative_chance(w, 0.5) ? ", static_ratio: 1.3" : "");
        if (!soft && derivative_chance(w, 0.5))
            derivative_write(w, ", impact_friction: coulomb");
    }
    derivative_write(w, "}\n");
}

/* A model whose segments have a closed form, or any. */
static inline void derivative_model(uint64_t *seed, bool exact, char *text)
{
    derivative_writer w = {seed, text, 0, 1 + (int)test_random(seed, 0, 3)};
    const int contacts = 1 + (int)derivative_number(&w, 0, 2.5);
    derivative_write(
        &w, "slipstick: 1\nparameters: {P: %.4f, w: %.4f, k: %.4f, vb: %.4f, mu: %.4f, s: %.4f}\n",
        derivative_number(&w, 0.5, 2), derivative_number(&w, 0.5, 2.5), derivative_number(&w, 0.5, 2),
        derivative_chance(&w, 0.5) ? 0 : derivative_number(&w, 0.1, 0.6), derivative_number(&w, 0.1, 0.8),
        derivative_number(&w, 0.3, 1));
    derivative_write(&w, "coordinates: [x0%s%s]\nmass: {diagonal: [", w.n > 1 ? ", x1" : "",
                     w.n > 2 ? ", x2" : "");
    for (int i = 0; i < w.n; i++)
        derivative_write(&w, "%s%.4f", i ? ", " : "", derivative_number(&w, 0.5, 2));
    derivative_write(&w, "]}\nsprings:\n");
    for (int i = 0; i < w.n; i++)
        derivative_write(&w, "  - {between: [x%d, %s], stiffness: k*%.3f, damping: %.3f}\n", i,
                         i + 1 < w.n ? (i ? "x2" : "x1") : "ground", derivative_number(&w, 0.5, 1.5),
                         derivative_number(&w, 0, 0.3));
    if (!exact && derivative_chance(&w, 0.3))
        derivative_write(&w, "states: {z: \"x0 - 0.5*z\"}\n");
    derivative_write(&w, "forces:\n");
    for (int i = 0; i < w.n; i++) {
        derivative_write(&w, "  x%d: %sP*cos(w*t%+.3f) %+.3f", i, i ? "0.3*" : "",
                         derivative_number(&w, 0, 6), derivative_number(&w, -0.3, 0.3));
        if (derivative_chance(&w, 0.15))
            derivative_write(&w, " + 0.4*step(t - 3)");
        if (!exact && derivative_chance(&w, 0.3))
            derivative_write(&w, " - 0.2*x%d^3", i);
        if (!exact && derivative_chance(&w, 0.1))
            derivative_write(&w, " - 0.3*max(x%d - 0.2, 0)", i);
        derivative_write(&w, "\n");
    }
    derivative_write(&w, "contacts:\n");
    for (int c = 0; c < contacts; c++)
        (derivative_chance(&w, 0.5) ? derivative_friction : derivative_unilateral)(&w, c, exact);
    derivative_write(&w, "simulate: {initial: {");
    for (int i = 0; i < w.n; i++)
        derivative_write(&w, "%sx%d: %.3f, x%d': %.3f", i ? ", " : "", i, derivative_number(&w, -0.1, 0.1), i,
                         derivative_number(&w, -1, 1));
    derivative_write(&w, "}}\n");
}

/* One system: some of its columns. Errors are relative to the largest number of the column, or to a twentieth
 * of 1 and of the largest by the state. */
static inline void derivative_check(const derivative_case *c, const char *const *parameters,
                                    int parameter_count, uint64_t *seed, int columns, double step,
                                    double tolerance, const char *name, derivative_tally *tally)
{
    double start[derivative_most], by_state[derivative_most * derivative_most], by_start[derivative_most],
        by_parameter[derivative_most * derivative_most];
    slip_simulation *s = NULL;
    derivative_run r = {.events = 14695981039346656037u};
    slip_derivatives d = slip_derivatives_default();
    int status = derivative_open(c, NULL, NULL, c->start, &r, &s);
    const int n = (int)slip_model_coordinate_count(c->model),
              size = status == SLIP_OK ? slip_simulation_state_size(s) : 0;
    assert_true(size <= derivative_most);
    tally->systems++;
    if (status == SLIP_OK) {
        derivative_state(s, n, start);
        d.by_state = by_state;
        d.by_start = by_start;
        d.parameters = parameters;
        d.by_parameter = by_parameter;
        status = slip_simulation_differentiate(ctx, s, c->end, &d);
    }
    if (status == SLIP_OK) { /* a motion that is differentiated is no other one */
        double end[derivative_most];
        derivative_run plain;
        derivative_state(s, n, end);
        assert_true(derivative_try(c, start, size, 0, 0, parameters, &plain));
        for (int i = 0; i < size; i++)
            if (!(fabs(end[i] - plain.state[i]) <= 3e-12 * (1 + fabs(end[i])))) {
                print_error("%s: number %d of the state is %.17g with derivatives, %.17g without\n", name, i,
                            end[i], plain.state[i]);
                fail();
            }
    }
    tally->failed += status != SLIP_OK;
    tally->events += r.count;
    slip_simulation_close(s);
    for (int k = 0; k < columns && status == SLIP_OK; k++) {
        const int total = size + 1 + parameter_count,
                  which = columns >= total ? k : (int)test_random(seed, 0, total);
        double found[derivative_most], once[derivative_most], twice[derivative_most], error = 0, rough = 0;
        if (which >= total)
            break;
        for (int i = 0; i < size; i++)
            found[i] = which < size    ? by_state[i * size + which]
                       : which == size ? by_start[i]
                                       : by_parameter[i * parameter_count + which - size - 1];
        tally->columns++;
        if (!derivative_difference(c, start, size, which, step, parameters, r.events, once) ||
            !derivative_difference(c, start, size, which, 0.5 * step, parameters, r.events, twice)) {
            tally->rough++;
            continue;
        }
        const double largest =
            fmax(derivative_size(size, twice), 0.05 * fmax(1, derivative_size(size * size, by_state)));
        for (int i = 0; i < size; i++) {
            if (c->without >> i & 1)
                continue;
            rough = fmax(rough, fabs(once[i] - twice[i]) / largest);
            error = fmax(error, fabs(found[i] - twice[i]) / largest);
        }
        if (rough > 0.5 * tolerance) {
            tally->rough++;
            continue;
        }
        tally->worst = fmax(tally->worst, error);
        if (error > tolerance) {
            print_error("%s: column %d of %d, %d events: off by %.3g (differences by %.3g)\n", name, which,
                        total, r.count, error, rough);
            for (int i = 0; i < size; i++)
                print_error("   %20.12g %20.12g\n", found[i], twice[i]);
            fail();
        }
    }
}

/* So many systems of which all segments have a closed form, or of any kind. */
static inline void derivative_systems(uint64_t seed, int count, bool exact)
{
    static const char *const all[] = {"P", "w", "k", "vb", "mu", "s", NULL};
    derivative_tally tally = {0};
    for (int trial = 0; trial < count; trial++) {
        char text[derivative_text], name[derivative_text + 40];
        derivative_model(&seed, exact, text);
        slip_model *model = parse(text);
        const derivative_case c = {model, exact ? "exact" : "auto", 1e-11, 0, exact ? 6 : 3, 0};
        /* beside a kink of the equation, which a compliant contact has where it closes, steps are less exact
         */
        const double tolerance = exact ? 1e-9 : strstr(text, "normal: {") ? 3e-6 : 1e-6;
        snprintf(name, sizeof name, "trial %d\n%s", trial, text);
        derivative_check(&c, all, 6, &seed, 4, 1e-3, tolerance, name, &tally);
        slip_model_destroy(model);
    }
    print_message("%d systems, %d columns, %d of them rough, %d failed, %d events, largest error %.2e\n",
                  tally.systems, tally.columns, tally.rough, tally.failed, (int)tally.events, tally.worst);
    assert_true(tally.rough * 6 < tally.columns && tally.failed * 25 < tally.systems);
}

#endif
