/* Simulations of two gears: in pieces and as a whole, states that are kept, looking by name, stop conditions,
 * torques that change, errors. */
#include "test.h"

#include "slipstick/gear_run.h"
#include "slipstick/simulation.h"

#include <string.h>

/* 12 and 15 teeth: the pinion turns with 5 rad/s at first contact. %s: the method, its reduction, flanks,
 * more of the pinion. */
static const char text[] =
    "slipstick: 1\n"
    "parameters: {torque: 0, w: 5, modes: 20}\n"
    "gears:\n"
    "  pinion: {teeth: 12, module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03,\n"
    "    backlash: 1e-4, element: full, modes: modes, speed: w, torque: torque, static: %s,\n"
    "    mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}\n"
    "  wheel: {teeth: 15, module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03,\n"
    "    backlash: 1e-4, element: full, modes: 20, static: %s,\n"
    "    mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}\n"
    "flanks: {penalty: %s%s}\n"
    "simulate: {method: %s, time: [0, 4e-5], samples: 51%s}\n";

typedef struct kind {
    const char *method, *reduction, *penalty, *friction, *more;
    double step;         /* of a method with fixed ones, else 0 */
    double angle, speed; /* by how much pieces may differ from the whole */
} kind;

static const char rubbing[] = ", friction: {type: tanh, mu: 0.1, velocity: 0.05}";
static const kind kinds[] = {
    {"exponential", "condensed", "1e9", "", "", 0, 1e-9, 2e-5},
    {"exponential", "condensed", "rigid", rubbing, "", 0, 1e-9, 2e-5},
    {"rk4", "switch", "1e9", "", ", step: 4e-8", 4e-8, 1e-13, 2e-9},
    {"rk4", "all", "1e8", rubbing, ", step: 4e-8", 4e-8, 1e-13, 2e-9},
    {"rk4", "switch_teeth", "1e9", "", ", step: 4e-8", 4e-8, 1e-13, 2e-9},
    {"explicit", "condensed", "1e9", "", ", step: 5e-8", 5e-8, 1e-9, 5e-3},
    {"explicit", "condensed", "1e9", rubbing, "", 0, 1e-9, 5e-3},
    {"explicit", "condensed", "rigid", rubbing, ", step: 5e-8", 5e-8, 1e-9, 5e-3},
};
enum { kind_count = sizeof kinds / sizeof *kinds };

typedef struct fixture {
    slip_context *ctx;
    slip_model *model;
    slip_simulation *s;
} fixture;

static void good(fixture *f, int status)
{
    if (status < 0)
        fail_msg("%s", slip_context_message(f->ctx));
}

/* Reduced bodies are the same for all kinds: made once. */
static slip_reduced *bodies[2];

static slip_simulation *open_one(fixture *f)
{
    slip_simulation_options o = slip_simulation_options_default();
    slip_simulation *s = NULL;
    o.bodies[0] = bodies[0];
    o.bodies[1] = bodies[1];
    o.threads = 1;
    good(f, slip_simulation_open(f->ctx, f->model, NULL, &o, &s));
    return s;
}

static void set_up(fixture *f, const kind *k)
{
    char model[2000];
    snprintf(model, sizeof model, text, k->reduction, k->reduction, k->penalty, k->friction, k->method,
             k->more);
    *f = (fixture){.ctx = slip_context_create()};
    good(f, slip_model_parse(f->ctx, model, "gears.yaml", NULL, &f->model));
    for (int i = 0; i < 2; i++)
        if (!bodies[i])
            good(f,
                 slip_gear_reduce(f->ctx, slip_model_gear(f->model, i),
                                  &(slip_reduce_options){.attachment = 1, .symmetry = 1, .tolerance = 1e-10},
                                  &bodies[i]));
    f->s = open_one(f);
}

static void tear_down(fixture *f)
{
    slip_simulation_close(f->s);
    slip_model_destroy(f->model);
    slip_context_destroy(f->ctx);
}

static const char *const names[] = {"pinion.angle", "pinion.speed", "pinion.moment", "wheel.angle",
                                    "wheel.speed",  "wheel.moment", "force",         "touching",
                                    "depth",        "kinetic",      "strain",        "contact",
                                    "lost",         "work",         "balance"};
enum { name_count = sizeof names / sizeof *names };

static void look(slip_simulation *s, double values[name_count])
{
    for (int i = 0; i < name_count; i++)
        values[i] = slip_simulation_number(s, names[i]);
}

static void assert_same(slip_simulation *a, slip_simulation *b)
{
    double one[name_count], two[name_count];
    look(a, one);
    look(b, two);
    for (int i = 0; i < name_count; i++)
        if (one[i] != two[i] || !isfinite(one[i]))
            fail_msg("%s: %.17g and %.17g", names[i], one[i], two[i]);
    assert_true(slip_simulation_time(a) == slip_simulation_time(b));
}

/* ---- The whole and its pieces. */

/* Stops at uneven times, exactly reached, against one advance. Tolerances: that of the method, or what
 * shorter steps at the stops change. */
static void pieces_are_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < kind_count; i++) {
        const kind *k = &kinds[i];
        const double end = 4e-5;
        fixture f;
        set_up(&f, k);
        slip_simulation *pieces = open_one(&f);
        good(&f, slip_simulation_advance(f.ctx, f.s, end));
        for (double t = 1.234567e-6; t < end; t += 9.1773e-6) {
            good(&f, slip_simulation_advance(f.ctx, pieces, t));
            assert_true(slip_simulation_time(pieces) == t && slip_simulation_number(pieces, "t") == t);
            assert_true(isfinite(slip_simulation_number(pieces, "force")));
        }
        good(&f, slip_simulation_advance(f.ctx, pieces, end));
        for (int n = 0; n < 5; n++) {
            const double a = slip_simulation_number(f.s, names[n]),
                         b = slip_simulation_number(pieces, names[n]);
            if (n != 2 && fabs(b - a) > (n % 3 == 0 ? k->angle : k->speed))
                fail_msg("%s, %s: %s: %.12g and %.12g", k->method, k->reduction, names[n], a, b);
        }
        slip_simulation_close(pieces);
        tear_down(&f);
    }
}

/* Stops on steps of a fixed length change no bit, and neither does looking there. */
static void stops_on_steps_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < kind_count; i++) {
        fixture f;
        if (!(kinds[i].step > 0))
            continue;
        set_up(&f, &kinds[i]);
        slip_simulation *pieces = open_one(&f);
        good(&f, slip_simulation_advance(f.ctx, f.s, 600 * kinds[i].step));
        for (int n = 0; n <= 600; n += 100) {
            double values[name_count];
            good(&f, slip_simulation_advance(f.ctx, pieces, n * kinds[i].step));
            look(pieces, values);
        }
        assert_same(f.s, pieces);
        slip_simulation_close(pieces);
        tear_down(&f);
    }
}

/* ---- States. */

/* Kept before contact and in it: going on, going on again, and going on in another simulation of the model
 * give the same bits. */
static void going_on_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < kind_count; i += test_sanitized ? 2 : 1) {
        fixture f;
        set_up(&f, &kinds[i]);
        slip_simulation *other = open_one(&f);
        for (int at = 0; at < 3; at += test_sanitized ? 2 : 1) {
            const double from = at == 0 ? 0 : at == 1 ? 1.3e-5 : 3.1e-5, to = from + 8.1e-6;
            double now[name_count], again[name_count];
            slip_saved_state *kept = NULL;
            if (at > 0)
                good(&f, slip_simulation_advance(f.ctx, f.s, from));
            good(&f, slip_simulation_save(f.ctx, f.s, &kept));
            look(f.s, now);
            good(&f, slip_simulation_advance(f.ctx, f.s, to));
            good(&f, slip_simulation_restore(f.ctx, other, kept));
            assert_true(slip_simulation_time(other) == from);
            look(other, again);
            assert_memory_equal(now, again, sizeof now);
            good(&f, slip_simulation_advance(f.ctx, other, to));
            assert_same(f.s, other);
            good(&f, slip_simulation_restore(f.ctx, f.s, kept));
            good(&f, slip_simulation_advance(f.ctx, f.s, to));
            assert_same(f.s, other);
            slip_saved_state_destroy(kept);
        }
        slip_simulation_close(other);
        tear_down(&f);
    }
}

/* ---- Runs. */

/* A run of the model is slip_gear_run bit by bit. */
static void a_run_is_the_run(void **state)
{
    static const char *const numbers[] = {"steps",         "step",         "contact_time",
                                          "first_contact", "last_contact", "peak_force",
                                          "energy.start",  "energy.end",   "energy.drift"};
    const int every = test_all() ? 1 : 3; /* a run reduces its bodies, which takes long */
    (void)state;
    for (int i = 0; i < kind_count; i += every) {
        fixture f;
        slip_result *one = NULL, *two = NULL;
        set_up(&f, &kinds[i]);
        const slip_gear_options gears[2] = {*slip_model_gear(f.model, 0), *slip_model_gear(f.model, 1)};
        const slip_reduced *const own[2] = {bodies[0], bodies[1]};
        slip_gear_run_options how = *slip_model_gear_run(f.model);
        slip_run_gears_options alone = slip_run_gears_options_default();
        slip_run_options run = slip_run_options_default();
        how.threads = alone.reduce.threads = 1;
        run.gears = &alone;
        good(&f, slip_gear_run(f.ctx, gears, own, &how, &one));
        good(&f, slip_run(f.ctx, f.model, &run, &two));
        for (int k = 0; k < slip_result_series_count(one); k++) {
            const char *name = slip_result_series_name(one, k);
            int64_t counts[2];
            const double *a = slip_result_series(one, name, &counts[0]);
            const double *b = slip_result_series(two, name, &counts[1]);
            assert_true(counts[0] == 51 && counts[1] == 51);
            assert_memory_equal(a, b, sizeof *a * 51);
        }
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            const double a = slip_result_number(one, numbers[k]), b = slip_result_number(two, numbers[k]);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
        slip_result_destroy(one);
        slip_result_destroy(two);
        tear_down(&f);
    }
}

/* ---- Conditions, torques. */

static void stops_at_a_force(void **state)
{
    (void)state;
    const int some[] = {0, 2, 5};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        fixture f;
        set_up(&f, &kinds[some[i]]);
        assert_int_equal(slip_simulation_advance_until(f.ctx, f.s, 1e-4, "force - 300"), SLIP_STOPPED);
        assert_close_relative(slip_simulation_number(f.s, "force"), 300.0, 1e-5);
        const double t = slip_simulation_time(f.s);
        assert_true(t > 1e-7 && t < 5e-5);
        /* From there it goes on to where the force is that again, and then to the end. */
        assert_int_equal(slip_simulation_advance_until(f.ctx, f.s, 1e-4, "force - 300"), SLIP_STOPPED);
        assert_true(slip_simulation_time(f.s) > t + 1e-7);
        assert_close_relative(slip_simulation_number(f.s, "force"), 300.0, 1e-5);
        assert_int_equal(slip_simulation_advance_until(f.ctx, f.s, 1e-4, "force + 1"), SLIP_OK);
        assert_true(slip_simulation_time(f.s) == 1e-4);
        assert_int_equal(slip_simulation_advance_until(f.ctx, f.s, 2e-4, "nothing"), SLIP_ERROR_USAGE);
        assert_non_null(strstr(slip_context_message(f.ctx), "condition `nothing`"));
        tear_down(&f);
    }
}

/* A torque that is switched on by a parameter gives the angular momentum torque x time, before contact comes
 * back: here against a motion without it, from the same state. */
static void torque_follows_an_input(void **state)
{
    (void)state;
    const int some[] = {0, 2, 5};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        fixture f;
        slip_saved_state *kept = NULL;
        double work[2], energy[2];
        set_up(&f, &kinds[some[i]]);
        good(&f, slip_simulation_advance(f.ctx, f.s, 2e-5));
        good(&f, slip_simulation_save(f.ctx, f.s, &kept));
        for (int with = 0; with < 2; with++) {
            good(&f, slip_simulation_restore(f.ctx, f.s, kept));
            if (with)
                assert_int_equal(slip_simulation_input(f.s, "torque", 30), SLIP_OK);
            const double angle = slip_simulation_number(f.s, "pinion.angle");
            good(&f, slip_simulation_advance(f.ctx, f.s, 6e-5));
            work[with] = slip_simulation_number(f.s, "work");
            energy[with] = slip_simulation_number(f.s, "balance");
            if (with)
                assert_close_relative(work[1], 30 * (slip_simulation_number(f.s, "pinion.angle") - angle),
                                      kinds[some[i]].step > 4e-8 ? 1e-3 : 1e-6);
        }
        assert_true(work[0] == 0 && work[1] > 1e-3);
        assert_close_relative(energy[1], energy[0], 2e-3);
        /* And away again. */
        good(&f, slip_simulation_restore(f.ctx, f.s, kept));
        good(&f, slip_simulation_advance(f.ctx, f.s, 6e-5));
        assert_true(slip_simulation_number(f.s, "work") == 0);
        /* What is no torque cannot change. */
        assert_int_equal(slip_simulation_input(f.s, "w", 6), SLIP_OK);
        assert_int_equal(slip_simulation_advance(f.ctx, f.s, 7e-5), SLIP_ERROR_USAGE);
        assert_non_null(strstr(slip_context_message(f.ctx), "found `gears.pinion.speed: 6`"));
        assert_int_equal(slip_simulation_input(f.s, "w", 5), SLIP_OK);
        good(&f, slip_simulation_advance(f.ctx, f.s, 7e-5));
        slip_saved_state_destroy(kept);
        tear_down(&f);
    }
}

/* ---- Errors. */

static int stop_soon(void *user, double t, const double *q, const double *v)
{
    (void)q;
    (void)v;
    return t > *(double *)user;
}

static void observers_and_errors(void **state)
{
    (void)state;
    fixture f;
    slip_simulation_options o = slip_simulation_options_default();
    slip_simulation *other = NULL;
    slip_saved_state *kept = NULL;
    slip_values *values = NULL;
    double after = 3e-6;
    set_up(&f, &kinds[0]);
    assert_int_equal(slip_simulation_set_state(f.ctx, f.s, 0, NULL, NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f.ctx), "slip_simulation_restore"));
    assert_int_equal(slip_simulation_advance(f.ctx, f.s, -1), SLIP_ERROR_USAGE);
    assert_true(isnan(slip_simulation_number(f.s, "gear.angle")));
    good(&f, slip_simulation_save(f.ctx, f.s, &kept));
    o.bodies[0] = bodies[0];
    o.bodies[1] = bodies[1];
    o.threads = 1;
    o.method = "explicit";
    o.step_observer = stop_soon;
    o.observer_user = &after;
    good(&f, slip_simulation_open(f.ctx, f.model, NULL, &o, &other));
    assert_int_equal(slip_simulation_restore(f.ctx, other, kept), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f.ctx), "found a state with `simulate.method: exponential`, "
                                                        "expected one with `simulate.method: explicit`"));
    assert_true(slip_simulation_time(other) == 0);
    assert_int_equal(slip_simulation_advance(f.ctx, other, 1e-4), SLIP_STOPPED);
    assert_true(slip_simulation_time(other) > after && slip_simulation_time(other) < after + 1e-6);
    slip_simulation_close(other);
    /* Bodies of other sizes. */
    o.method = NULL;
    o.step_observer = NULL;
    o.bodies[0] = NULL;
    good(&f, slip_values_create(f.ctx, f.model, &values));
    good(&f, slip_values_set(f.ctx, values, "modes", 30));
    good(&f, slip_simulation_open(f.ctx, f.model, values, &o, &other));
    assert_int_equal(slip_simulation_restore(f.ctx, other, kept), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f.ctx), "found a state with `gears.pinion.modes: 20`"));
    good(&f, slip_simulation_advance(f.ctx, other, 1e-6));
    slip_values_destroy(values);
    slip_simulation_close(other);
    o.start = 1;
    assert_int_equal(slip_simulation_open(f.ctx, f.model, NULL, &o, &other), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f.ctx), "the start time is 1; expected 0 for gears"));
    o.start = NAN;
    o.method = "event";
    assert_int_equal(slip_simulation_open(f.ctx, f.model, NULL, &o, &other), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(f.ctx), "found method event, expected rk4, exponential or"));
    slip_saved_state_destroy(kept);
    tear_down(&f);
}

static int free_bodies(void **state)
{
    (void)state;
    slip_reduced_destroy(bodies[0]);
    slip_reduced_destroy(bodies[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(pieces_are_the_whole),
        cmocka_unit_test_of_numbers(stops_on_steps_change_nothing),
        cmocka_unit_test(going_on_gives_the_same_bits),
        cmocka_unit_test_of_numbers(a_run_is_the_run),
        cmocka_unit_test_of_numbers(stops_at_a_force),
        cmocka_unit_test(torque_follows_an_input),
        cmocka_unit_test(observers_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, free_bodies);
}
