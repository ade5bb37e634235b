/* A simulation that its caller steps: the same motion as a run, stops, changes, states that are kept. */
#include "slipstick/simulation.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const double steps_of[] = {NAN,  NAN,  1e-3, 1e-3,
                                  1e-3, 1e-3, 1e-3, 1e-3}; /* of the methods, in their order */

static slip_context *context(void)
{
    slip_context *ctx = slip_context_create();
    assert_non_null(ctx);
    return ctx;
}

static void good(slip_context *ctx, int status)
{
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_true(status >= 0);
}

static slip_model *model_of(slip_context *ctx, const char *text)
{
    slip_model *model = NULL;
    good(ctx, slip_model_parse(ctx, text, "m.yaml", NULL, &model));
    return model;
}

/* A block on a belt, driven: it sticks and slips. `law` makes it for every method. */
#define BELT(law, force)                                                                                     \
    "slipstick: 1\ncoordinates: [x]\nparameters: {F: 0, N: 1, vb: 0.3, k: 1}\nmass: [[1]]\nstiffness: "      \
    "[[k]]\n"                                                                                                \
    "forces: {x: " force "}\ncontacts:\n  pad: {kind: friction, slip: x' - vb, normal_force: N, law: " law   \
    "}\nsimulate: {time: [0, 10], initial: {x: 0.2}}\n"
#define COULOMB "{type: coulomb, mu: 0.5, static_ratio: 1.5}"
#define TANH "{type: tanh, mu: 0.5, velocity: 0.01}"

static const char *law_for(const char *method)
{
    const bool smooth =
        strcmp(method, "smooth") == 0 || strcmp(method, "rk4") == 0 || strcmp(method, "exponential") == 0;
    return smooth ? BELT(TANH, "F + 0.1*sin(2*t)") : BELT(COULOMB, "F + 0.1*sin(2*t)");
}

static slip_simulation *open_with(slip_context *ctx, const slip_model *model, int method)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    options.method = slip_method_at(method)->name;
    options.step = steps_of[method];
    options.tolerance = 1e-10;
    good(ctx, slip_simulation_open(ctx, model, NULL, &options, &s));
    assert_non_null(s);
    return s;
}

/* In pieces of odd length as in one: events, and the state at the end. */
static void pieces_are_the_whole(void **state)
{
    (void)state;
    for (int k = 0; k < slip_method_count() && !slip_method_at(k)->gears; k++) {
        slip_context *ctx = context();
        slip_model *model = model_of(ctx, law_for(slip_method_at(k)->name));
        slip_simulation *s = open_with(ctx, model, k);
        slip_run_options run = slip_run_options_default();
        slip_result *result = NULL;
        run.method = slip_method_at(k)->name;
        run.step = steps_of[k];
        run.tolerance = 1e-10;
        good(ctx, slip_run(ctx, model, &run, &result));
        if (strstr(law_for(run.method), "coulomb"))
            assert_true(slip_result_event_count(result) >= 2);
        for (double t = 0.37; t < 10; t += 0.37) {
            good(ctx, slip_simulation_advance(ctx, s, t));
            assert_true(slip_simulation_time(s) == t);
        }
        good(ctx, slip_simulation_advance(ctx, s, 10));
        const double limit = isnan(steps_of[k]) ? 2e-8 : strcmp(run.method, "rk4") == 0 ? 1e-6 : 2e-3;
        assert_close(slip_simulation_number(s, "x"), slip_result_number(result, "final.x"), limit);
        assert_close(slip_simulation_number(s, "x'"), slip_result_number(result, "final.x'"), limit);
        slip_result_destroy(result);
        slip_simulation_close(s);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

/* Saved, restored elsewhere and again: the same bits as going on. */
static void a_saved_state_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < slip_method_count() && !slip_method_at(k)->gears; k++)
        for (double at = 0; at < 5; at += 0.61) {
            slip_context *ctx = context();
            slip_model *model = model_of(ctx, law_for(slip_method_at(k)->name));
            slip_simulation *s = open_with(ctx, model, k), *other = open_with(ctx, model, k);
            slip_saved_state *kept = NULL;
            double x[3], v[3], f[3];
            good(ctx, slip_simulation_input(s, "F", 0.05));
            good(ctx, slip_simulation_advance(ctx, s, at));
            good(ctx, slip_simulation_save(ctx, s, &kept));
            good(ctx, slip_simulation_advance(ctx, other, 7));
            for (int run = 0; run < 3; run++) {
                slip_simulation *which = run == 1 ? other : s;
                if (run > 0)
                    good(ctx, slip_simulation_restore(ctx, which, kept));
                assert_true(slip_simulation_time(which) == at);
                good(ctx, slip_simulation_advance(ctx, which, at + 3));
                good(ctx, slip_simulation_advance(ctx, which, 9));
                x[run] = slip_simulation_number(which, "x");
                v[run] = slip_simulation_number(which, "x'");
                f[run] = slip_simulation_number(which, "pad.force");
            }
            for (int run = 1; run < 3; run++) {
                assert_true(x[run] == x[0] && v[run] == v[0]);
                assert_true(f[run] == f[0]);
            }
            slip_saved_state_destroy(kept);
            slip_simulation_close(s);
            slip_simulation_close(other);
            slip_model_destroy(model);
            slip_context_destroy(ctx);
        }
}

/* One table has the methods of all models; what a method does not move it says. */
static void methods_say_what_they_do_not_move(void **state)
{
    static const char *const names[] = {"event",  "smooth", "midpoint",    "midpoint_stabilised",
                                        "moreau", "rk4",    "exponential", "explicit"};
    enum { count = sizeof names / sizeof *names };
    slip_context *ctx = context();
    slip_model *model = model_of(ctx, law_for("rk4"));
    (void)state;
    assert_int_equal(slip_method_count(), count);
    for (int k = 0; k < count; k++) {
        slip_simulation_options options = slip_simulation_options_default();
        slip_simulation *s = NULL;
        assert_string_equal(slip_method_at(k)->name, names[k]);
        options.method = names[k];
        options.step = 1e-3;
        const int status = slip_simulation_open(ctx, model, NULL, &options, &s);
        assert_int_equal(status, slip_method_at(k)->gears ? SLIP_ERROR_MODEL : SLIP_OK);
        if (status < 0) {
            assert_non_null(strstr(slip_context_message(ctx), names[k]));
            assert_non_null(strstr(slip_context_message(ctx), "moves gears"));
        }
        slip_simulation_close(s);
    }
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* x = 1 - cos t passes 0.3 at acos(0.7), and 0.3 again on its way back. */
static void a_condition_stops_it(void **state)
{
    static const char text[] = "slipstick: 1\ncoordinates: [x]\nparameters: {level: 0.3}\nmass: [[1]]\n"
                               "stiffness: [[1]]\nforces: {x: 1}\n";
    const double first = acos(0.7), pi = acos(-1);
    (void)state;
    for (int k = 0; k < slip_method_count() && !slip_method_at(k)->gears; k++) {
        slip_context *ctx = context();
        slip_model *model = model_of(ctx, text);
        slip_simulation *s = open_with(ctx, model, k);
        const double limit = isnan(steps_of[k]) ? 1e-8 : 2e-6;
        assert_int_equal(slip_simulation_advance_until(ctx, s, 100, "x - level"), SLIP_STOPPED);
        assert_close(slip_simulation_time(s), first, limit);
        assert_close(slip_simulation_number(s, "x"), 0.3, limit);
        assert_close(slip_simulation_number(s, "x'"), sin(first), limit);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 100, "x - level"), SLIP_STOPPED);
        assert_close(slip_simulation_time(s), 2 * pi - first, 5 * limit);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 6, "x - 3"), SLIP_OK);
        assert_true(slip_simulation_time(s) == 6);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 7, "x - "), SLIP_ERROR_USAGE);
        assert_non_null(strstr(slip_context_message(ctx), "condition `x - `: at character"));
        slip_simulation_close(s);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

/* A load that the caller changes every millisecond is the same load as a table in the model. */
static void inputs_are_a_table_of_the_model(void **state)
{
    enum { steps = 3000 };
    static char text[120000];
    double load[steps];
    slip_context *ctx = context();
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s", BELT(COULOMB, "load(t)") "inputs:\n  load: {points: [");
    (void)state;
    for (int k = 0; k < steps; k++) {
        load[k] = 0.25 * sin(2.7 * k / 1000.0) + 0.5 * sin(0.01 * k * k) + (k > 1700 ? 0.3 : 0);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d/1000, %.17g]", k > 0 ? ", " : "", k,
                                 load[k]);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "], between: hold}\n");
    assert_true(used < sizeof text);
    slip_model *table = model_of(ctx, text), *model = model_of(ctx, BELT(COULOMB, "F"));
    slip_simulation *whole = open_with(ctx, table, 0), *s = open_with(ctx, model, 0);
    for (int k = 0; k < steps; k++) {
        good(ctx, slip_simulation_input(s, "F", load[k]));
        good(ctx, slip_simulation_advance(ctx, s, (k + 1) / 1000.0));
        if (k % 100 == 99) {
            good(ctx, slip_simulation_advance(ctx, whole, (k + 1) / 1000.0));
            assert_close(slip_simulation_number(s, "x"), slip_simulation_number(whole, "x"), 1e-12);
            assert_close(slip_simulation_number(s, "x'"), slip_simulation_number(whole, "x'"), 1e-12);
            assert_int_equal(slip_simulation_mode(s, "pad"), slip_simulation_mode(whole, "pad"));
        }
    }
    slip_simulation_close(whole);
    slip_simulation_close(s);
    slip_model_destroy(table);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* A load that changes every millisecond, by input and as steps of the model itself. */
static void inputs_are_what_the_model_would_say(void **state)
{
    static const char held[] = BELT(COULOMB, "0.2*floor(1000*t)/1000");
    slip_context *ctx = context();
    slip_model *table = model_of(ctx, held), *model = model_of(ctx, BELT(COULOMB, "F"));
    slip_simulation *whole = open_with(ctx, table, 0), *s = open_with(ctx, model, 0);
    (void)state;
    good(ctx, slip_simulation_advance(ctx, whole, 4.5));
    for (int k = 0; k < 4500; k++) {
        good(ctx, slip_simulation_input(s, "F", 0.2 * (k / 1000.0)));
        good(ctx, slip_simulation_advance(ctx, s, (k + 1) / 1000.0));
    }
    assert_close(slip_simulation_number(s, "x"), slip_simulation_number(whole, "x"), 1e-12);
    assert_close(slip_simulation_number(s, "x'"), slip_simulation_number(whole, "x'"), 1e-12);
    assert_int_equal(slip_simulation_input(s, "G", 1), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "no parameter `G`"));
    slip_simulation_close(whole);
    slip_simulation_close(s);
    slip_model_destroy(table);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* What static friction holds goes on being held through changes that do not concern it: the load is between
 * the kinetic and the static limit, where a contact that is decided afresh could do either. */
static void what_is_held_stays_held(void **state)
{
    static const char text[] =
        "slipstick: 1\ncoordinates: [x, y]\nparameters: {F: 0, G: 0}\n"
        "mass: [[1, 0], [0, 1]]\nforces: {x: F, y: G}\ncontacts:\n"
        "  pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1, static_ratio: 2}}\n";
    (void)state;
    for (int k = 0; k < 5; k++) {
        slip_context *ctx = context();
        slip_model *model;
        slip_simulation *s;
        if (k == 1) { /* smooth: no stick */
            slip_context_destroy(ctx);
            continue;
        }
        model = model_of(ctx, text);
        s = open_with(ctx, model, k);
        for (int i = 0; i < 19; i++) {
            good(ctx, slip_simulation_input(s, "F", 0.1 * i));
            good(ctx, slip_simulation_input(s, "G", i));
            good(ctx, slip_simulation_advance(ctx, s, 0.1 * (i + 1)));
            assert_int_equal(slip_simulation_mode(s, "pad"), SLIP_MODE_STICK);
            assert_close(slip_simulation_number(s, "pad.force"), -0.1 * i, 1e-9);
        }
        good(ctx, slip_simulation_input(s, "F", 2.5));
        good(ctx, slip_simulation_advance(ctx, s, 3));
        assert_int_equal(slip_simulation_mode(s, "pad"), SLIP_MODE_SLIP_PLUS);
        good(ctx, slip_simulation_input(s, "F", 1.2)); /* below the static limit, but it slides */
        good(ctx, slip_simulation_advance(ctx, s, 4));
        assert_int_equal(slip_simulation_mode(s, "pad"), SLIP_MODE_SLIP_PLUS);
        slip_simulation_close(s);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

static int count_event(void *user, const slip_event *event)
{
    (void)event;
    ++*(int *)user;
    return 0;
}

/* A change of a number is an event where it changes a mode. */
static void changes_are_events(void **state)
{
    slip_context *ctx = context();
    slip_model *model = model_of(ctx, BELT(COULOMB, "F"));
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    int events = 0;
    (void)state;
    options.event_observer = count_event;
    options.observer_user = &events;
    good(ctx, slip_simulation_open(ctx, model, NULL, &options, &s));
    good(ctx, slip_simulation_set_state(ctx, s, 0, (double[]){0}, (double[]){0.3}));
    good(ctx, slip_simulation_advance(ctx, s, 0.1));
    assert_int_equal(slip_simulation_mode(s, "pad"), SLIP_MODE_STICK);
    assert_int_equal(events, 0);
    good(ctx, slip_simulation_input(s, "N", 2));
    good(ctx, slip_simulation_advance(ctx, s, 0.2));
    assert_int_equal(events, 0);
    good(ctx, slip_simulation_input(s, "N", 0));
    good(ctx, slip_simulation_advance(ctx, s, 0.3));
    assert_int_equal(events, 1);
    assert_close(slip_simulation_number(s, "x'"), 0.3 * cos(0.1) - (0.06) * sin(0.1), 1e-12);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* Two simulations with a spring between them, exchanged at every step, tend to the coupled system. */
static void two_are_coupled(void **state)
{
    static const char one[] = "slipstick: 1\ncoordinates: [x]\nparameters: {F: 0}\nmass: [[1]]\n"
                              "stiffness: [[1]]\nforces: {x: F}\nsimulate: {initial: {x: 1}}\n";
    static const char other[] =
        "slipstick: 1\ncoordinates: [x]\nparameters: {F: 0}\nmass: [[2]]\nforces: {x: F}\n";
    static const char both[] = "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 2]]\n"
                               "stiffness: [[1.5, -0.5], [-0.5, 0.5]]\nsimulate: {initial: {x: 1}}\n";
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double h = k == 0 ? 1e-2 : 5e-3;
        slip_context *ctx = context();
        slip_model *models[3] = {model_of(ctx, one), model_of(ctx, other), model_of(ctx, both)};
        slip_simulation *s[3];
        for (int i = 0; i < 3; i++)
            s[i] = open_with(ctx, models[i], 0);
        for (int i = 0; i < (int)lround(4 / h); i++) {
            /* half a step ahead, so that the exchange is of second order */
            const double stretch =
                slip_simulation_number(s[1], "x") + 0.5 * h * slip_simulation_number(s[1], "x'") -
                slip_simulation_number(s[0], "x") - 0.5 * h * slip_simulation_number(s[0], "x'");
            good(ctx, slip_simulation_input(s[0], "F", 0.5 * stretch));
            good(ctx, slip_simulation_input(s[1], "F", -0.5 * stretch));
            good(ctx, slip_simulation_advance(ctx, s[0], (i + 1) * h));
            good(ctx, slip_simulation_advance(ctx, s[1], (i + 1) * h));
        }
        good(ctx, slip_simulation_advance(ctx, s[2], slip_simulation_time(s[0])));
        error[k] = fabs(slip_simulation_number(s[1], "x") - slip_simulation_number(s[2], "y"));
        for (int i = 0; i < 3; i++) {
            slip_simulation_close(s[i]);
            slip_model_destroy(models[i]);
        }
        slip_context_destroy(ctx);
    }
    assert_true(error[0] < 1e-4 && error[1] < 0.3 * error[0]);
}

static void numbers_are_those_of_the_records(void **state)
{
    slip_context *ctx = context();
    slip_model *model = model_of(ctx, BELT(COULOMB, "0.1*sin(2*t)"));
    slip_simulation *s = open_with(ctx, model, 0);
    slip_result *result = NULL;
    static const char *const names[] = {"t",        "x",          "x'",        "x''",
                                        "pad.slip", "pad.normal", "pad.force", "pad.mode"};
    (void)state;
    slip_run_options run = slip_run_options_default();
    run.record_points = 41;
    run.record_events = 0;
    run.tolerance = 1e-10;
    good(ctx, slip_run(ctx, model, &run, &result));
    for (int at = 0; at < 41; at++) {
        good(ctx, slip_simulation_advance(ctx, s, slip_result_series(result, "t", NULL)[at]));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            assert_close(slip_simulation_number(s, names[k]), slip_result_series(result, names[k], NULL)[at],
                         1e-10);
    }
    assert_true(isnan(slip_simulation_number(s, "y")));
    assert_true(isnan(slip_simulation_number(s, "pad.")));
    slip_result_destroy(result);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* A thousand values of a parameter by four threads that share the model: the bits of one thread. */
enum { value_count = 1000, thread_count = 4 };
typedef struct share {
    const slip_model *model;
    int first, stride;
    double *ends;
} share;

static void *sweep(void *user)
{
    share *part = user;
    slip_context *ctx = slip_context_create();
    slip_values *values = NULL;
    slip_values_create(ctx, part->model, &values);
    for (int k = part->first; k < value_count; k += part->stride) {
        slip_simulation *s = NULL;
        part->ends[k] = NAN;
        if (slip_values_set(ctx, values, "vb", 0.1 + 1e-3 * k) >= 0 &&
            slip_simulation_open(ctx, part->model, values, NULL, &s) >= 0 &&
            slip_simulation_advance(ctx, s, 10) >= 0)
            part->ends[k] = slip_simulation_number(s, "x");
        slip_simulation_close(s);
    }
    slip_values_destroy(values);
    slip_context_destroy(ctx);
    return NULL;
}

static void threads_share_a_model(void **state)
{
    slip_context *ctx = context();
    slip_model *model = model_of(ctx, BELT(COULOMB, "0.1*sin(2*t)"));
    static double one[value_count], four[value_count];
    share alone = {model, 0, 1, one}, parts[thread_count];
    pthread_t threads[thread_count];
    (void)state;
    sweep(&alone);
    for (int i = 0; i < thread_count; i++) {
        parts[i] = (share){model, i, thread_count, four};
        assert_int_equal(pthread_create(&threads[i], NULL, sweep, &parts[i]), 0);
    }
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    for (int k = 0; k < value_count; k++)
        assert_true(isfinite(one[k]) && one[k] == four[k]);
    assert_true(one[0] != one[999]);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void wrong_calls_are_errors(void **state)
{
    slip_context *ctx = context(), *other = context();
    slip_model *model = model_of(ctx, BELT(COULOMB, "F"));
    slip_simulation *s = open_with(ctx, model, 0), *none;
    slip_saved_state *kept;
    slip_simulation_options old = slip_simulation_options_default();
    (void)state;
    assert_int_equal(slip_simulation_open(ctx, NULL, NULL, NULL, &none), SLIP_ERROR_USAGE);
    assert_null(none);
    assert_int_equal(slip_simulation_open(NULL, model, NULL, NULL, &none), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_advance(ctx, NULL, 1), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_advance(other, s, 1), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_advance(ctx, s, NAN), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_advance(ctx, s, -1), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "before that of the simulation"));
    assert_int_equal(slip_simulation_advance_until(ctx, s, 1, NULL), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_set_state(ctx, s, 0, (double[]){NAN}, NULL), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_restore(ctx, s, NULL), SLIP_ERROR_USAGE);
    assert_int_equal(slip_simulation_save(ctx, NULL, &kept), SLIP_ERROR_USAGE);
    assert_true(isnan(slip_simulation_number(NULL, "x")));
    assert_int_equal(slip_simulation_input(NULL, "F", 1), SLIP_ERROR_USAGE);
    slip_simulation_close(NULL);
    slip_saved_state_destroy(NULL);
    slip_simulation_close(s);
    /* a program that knows no more than the method */
    memset((char *)&old + offsetof(slip_simulation_options, segments), 0xff,
           sizeof old - offsetof(slip_simulation_options, segments));
    old.size = offsetof(slip_simulation_options, segments);
    old.method = "moreau";
    assert_int_equal(slip_simulation_open(ctx, model, NULL, &old, &none), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "`moreau` has fixed steps"));
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    slip_context_destroy(other);
}

/* A belt that slows down at a jump leaves what it carried behind, a stop that jumps away leaves a gap:
 * coordinates and velocities stay, and modes that no longer hold go. */
static void jumps_of_belts_and_stops_move_nothing(void **state)
{
    static const char belt[] =
        "slipstick: 1\nparameters: {vb: 0.2}\ncoordinates: [x]\nmass: 1\nstiffness: 2\ncontacts: {b: {kind: "
        "friction, slip: x' - vb, normal_force: 1, law: {type: coulomb, mu: 0.3}}}\nsimulate: {time: [0, 5], "
        "initial: {x': 0.2}}\n";
    static const char stop[] = "slipstick: 1\nparameters: {d: 1}\ncoordinates: [x]\nmass: 1\nforces: {x: "
                               "2}\ncontacts: {s: {kind: unilateral, "
                               "gap: d - x}}\nsimulate: {time: [0, 5], initial: {x: 1}}\n";
    static const char *const segments[] = {"exact", "rk"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_context *ctx = slip_context_create();
        slip_simulation_options options = slip_simulation_options_default();
        slip_simulation *s = NULL;
        slip_model *model = NULL;
        const bool of_belt = k < 2;
        options.segments = segments[k % 2];
        options.tolerance = 1e-12;
        assert_int_equal(slip_model_parse(ctx, of_belt ? belt : stop, "model", NULL, &model), SLIP_OK);
        assert_int_equal(slip_simulation_open(ctx, model, NULL, &options, &s), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, 0.5), SLIP_OK);
        const double x = slip_simulation_number(s, "x"), v = slip_simulation_number(s, "x'");
        assert_int_equal(slip_simulation_input(s, of_belt ? "vb" : "d", of_belt ? 0.1 : 1.5), SLIP_OK);
        assert_int_equal(slip_simulation_mode(s, of_belt ? "b" : "s"),
                         of_belt ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_OPEN);
        assert_true(slip_simulation_number(s, "x") == x && slip_simulation_number(s, "x'") == v);
        assert_int_equal(slip_simulation_advance(ctx, s, 0.55), SLIP_OK);
        if (of_belt) {
            const double w = sqrt(2), angle = 0.05 * w;
            assert_close(slip_simulation_number(s, "x'"), 0.2 * cos(angle) - 0.25 * w * sin(angle), 1e-10);
        } else {
            assert_close(slip_simulation_number(s, "x"), 1.0025, 1e-10);
            assert_int_equal(slip_simulation_input(s, "d", 0.9), SLIP_OK);
            assert_true(slip_simulation_advance(ctx, s, 1) < 0);
            assert_non_null(strstr(slip_context_message(ctx), "the gap of `s` would be -0.1025"));
            assert_close(slip_simulation_number(s, "x"), 1.0025, 1e-10);
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

/* An interrupt stays until it is forgotten; then the simulation goes on as one that was never interrupted. */
static void an_interrupted_simulation_goes_on(void **state)
{
    slip_context *ctx = context();
    slip_model *model = model_of(ctx, BELT(COULOMB, "F"));
    slip_simulation *s = NULL, *twin = NULL;
    double q[2], v[2];
    (void)state;
    good(ctx, slip_simulation_open(ctx, model, NULL, NULL, &s));
    good(ctx, slip_simulation_open(ctx, model, NULL, NULL, &twin));
    good(ctx, slip_simulation_advance(ctx, twin, 5000));
    slip_context_interrupt(ctx);
    assert_int_equal(slip_simulation_advance(ctx, s, 5000), SLIP_INTERRUPTED);
    assert_int_equal(slip_simulation_advance(ctx, s, 5000), SLIP_INTERRUPTED);
    slip_context_resume(ctx);
    good(ctx, slip_simulation_advance(ctx, s, 5000));
    slip_simulation_state(s, &q[0], &v[0]);
    slip_simulation_state(twin, &q[1], &v[1]);
    assert_true(slip_simulation_time(s) == 5000);
    assert_float_equal(q[0], q[1], 1e-7);
    assert_float_equal(v[0], v[1], 1e-7);
    slip_context_resume(NULL);
    slip_simulation_close(twin);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_of_belts_and_stops_move_nothing),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
        cmocka_unit_test(methods_say_what_they_do_not_move),
        cmocka_unit_test(a_condition_stops_it),
        cmocka_unit_test(inputs_are_what_the_model_would_say),
        cmocka_unit_test(inputs_are_a_table_of_the_model),
        cmocka_unit_test(what_is_held_stays_held),
        cmocka_unit_test(changes_are_events),
        cmocka_unit_test(two_are_coupled),
        cmocka_unit_test(numbers_are_those_of_the_records),
        cmocka_unit_test(threads_share_a_model),
        cmocka_unit_test(an_interrupted_simulation_goes_on),
        cmocka_unit_test(wrong_calls_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
