/* What a run leaves: samples before and after every event, and the energies of its summary. */
#include "model_test.h"
#include "slipstick/run.h"
#include "test_folder.h"

#include <math.h>
#include <stdlib.h>

static slip_result *run_text(const char *text, const char *const *settings, const char *method)
{
    slip_model *model = parse_with(text, settings);
    slip_run_options options = slip_run_options_default();
    slip_result *result;
    options.method = method;
    if (slip_run(ctx, model, &options, &result) < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    slip_model_destroy(model);
    return result;
}

static const double *series(const slip_result *result, const char *name)
{
    const double *values = slip_result_series(result, name, NULL);
    assert_non_null(values);
    return values;
}

/* The samples at time t: the first of them, and how many. */
static int samples_at(const slip_result *result, double t, int64_t *first)
{
    int64_t count;
    const double *times = slip_result_series(result, "t", &count);
    int found = 0;
    for (int64_t k = 0; k < count; k++)
        if (times[k] == t && found++ == 0)
            *first = k;
    return found;
}

/* ---- Events. */

/* The slider reaches the stop at t = 2, x = 1 with velocity 1, which is a regular sample too. */
static void an_impact_is_recorded_from_both_sides(void **state)
{
    static const char *const segments[] = {"simulate.segments=exact", "simulate.segments=rk"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *settings[] = {segments[k], NULL};
        slip_result *r = run_text(slip_example_text("end-stops"), settings, "event");
        int64_t at = 0, more = 0;
        const double t = slip_result_event(r, 0)->time, second = slip_result_event(r, 2)->time;
        assert_close(t, 2, 1e-9);
        assert_true(samples_at(r, t, &at) == 2);
        assert_close(series(r, "x")[at], 1, 1e-12);
        assert_close(series(r, "x")[at + 1], 1, 1e-12);
        assert_close(series(r, "x'")[at], 1, 1e-9);
        assert_close(series(r, "x'")[at + 1], -0.8 * series(r, "x'")[at], 1e-13);
        assert_close(series(r, "x''")[at], 0.5, 1e-9);
        assert_close(series(r, "x''")[at + 1], 2, 1e-9);
        assert_true(series(r, "guide.mode")[at] == SLIP_MODE_SLIP_PLUS);
        assert_true(series(r, "guide.mode")[at + 1] == SLIP_MODE_SLIP_MINUS);
        assert_true(series(r, "guide.force")[at] == -0.75 && series(r, "guide.force")[at + 1] == 0.75);
        assert_true(samples_at(r, second, &more) == 2); /* friction reverses at 2.4 */
        assert_close(series(r, "x'")[more], 0, 1e-9);
        slip_result_destroy(r);
    }
}

/* Every event has its samples, in the order of time; without events there are the regular ones. */
static void every_event_is_in_the_record(void **state)
{
    static const char *const examples[] = {"end-stops",  "blocks-on-belt", "stick-slip-belt",
                                           "jack-plane", "bouncing-ball",  "oscillator"};
    static const char *const without[] = {"simulate.record.events=false", NULL};
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        slip_result *r = run_text(slip_example_text(examples[k]), NULL, "event");
        slip_result *plain = run_text(slip_example_text(examples[k]), without, "event");
        int64_t count, regular, instants = 0, at;
        const double *t = slip_result_series(r, "t", &count), *s = slip_result_series(plain, "t", &regular);
        for (int64_t i = 1; i < count; i++)
            assert_true(t[i] >= t[i - 1] && (i < 2 || t[i] > t[i - 2]));
        for (int64_t i = 1; i < regular; i++)
            assert_true(s[i] > s[i - 1]);
        for (int64_t i = 0; i < slip_result_event_count(r); i++) {
            const double time = slip_result_event(r, i)->time;
            if (i > 0 && time == slip_result_event(r, i - 1)->time)
                continue;
            instants++;
            assert_true(samples_at(r, time, &at) == 2);
        }
        assert_true(instants > 0 || slip_result_event_count(r) == 0);
        print_message("%s: %lld regular, %lld in all, %lld events\n", examples[k], (long long)regular,
                      (long long)count, (long long)slip_result_event_count(r));
        assert_true(count <=
                    regular + 2 * instants + 2); /* bounces that accumulate: the last, and their end */
        slip_result_destroy(r);
        slip_result_destroy(plain);
    }
}

/* A chain of three blocks on a belt, normal force 3, mu 1, static ratio 1.5: the friction that holds a block
 * is 4.5 when it lets go, 3 after that. */
static const char chain[] = "slipstick: 1\n"
                            "coordinates: [x, y, z]\n"
                            "mass: {diagonal: [1, 1, 1]}\n"
                            "springs:\n"
                            "  - {between: [x, ground], stiffness: 2}\n"
                            "  - {between: [x, y], stiffness: 1}\n"
                            "  - {between: [y, z], stiffness: 1}\n"
                            "contacts:\n"
                            "  a: &block\n"
                            "    kind: friction\n"
                            "    slip: x' - 0.5\n"
                            "    normal_force: 3\n"
                            "    law: {type: coulomb, mu: 1, static_ratio: 1.5}\n"
                            "  b: {<<: *block, slip: y' - 0.5}\n"
                            "  c: {<<: *block, slip: z' - 0.5}\n"
                            "simulate:\n"
                            "  time: [0, 60]\n"
                            "  initial: {x': 0.5, y': 0.5, z': 0.5}\n"
                            "  record: {every: 0.1}\n";

static void the_static_peak_is_in_the_record(void **state)
{
    static const char *const forces[] = {"a.force", "b.force", "c.force"};
    static const char *const segments[] = {"simulate.segments=exact", "simulate.segments=rk"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *settings[] = {segments[k], "simulate.tolerance=1e-11", NULL};
        slip_result *r = run_text(chain, settings, "event");
        int released = 0;
        for (int64_t i = 0; i < slip_result_event_count(r); i++) {
            const slip_event *event = slip_result_event(r, i);
            int64_t at = 0;
            if (event->from != SLIP_MODE_STICK)
                continue;
            const double *force = series(r, forces[event->contact]);
            assert_true(samples_at(r, event->time, &at) == 2);
            assert_close(fabs(force[at]), 4.5, 1e-9);
            assert_close(fabs(force[at + 1]), 3, 1e-12);
            released++;
        }
        assert_true(released > 5);
        slip_result_destroy(r);
    }
}

/* Methods that know an event to a step only have the ends of that step. */
static void fixed_steps_record_the_ends_of_the_step(void **state)
{
    static const char *const methods[] = {"moreau", "midpoint", "midpoint_stabilised"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        slip_result *r = run_text(slip_example_text("end-stops"), NULL, methods[m]);
        int64_t count, at = 0;
        const double *t = slip_result_series(r, "t", &count), *v = series(r, "x'");
        for (int64_t i = 1; i < count; i++)
            assert_true(t[i] >= t[i - 1]);
        for (at = 0; v[at] > 0 || at == 0;)
            at++;
        assert_close(v[at], -0.8, 1e-3);
        assert_close(v[at - 1], 1, 1e-3);
        assert_close(t[at], 2, 2e-4);
        assert_close(t[at - 1], 2, 2e-4);
        slip_result_destroy(r);
    }
}

/* ---- Long records. */

/* Numbers in a file that has no name any more, by the system's own list. */
static int mapped_files(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int count = 0;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "slipstick-record-") != NULL;
    fclose(maps);
    return count;
}

/* More than a million records of x = cos t are on the disk; where there is no folder for them, in memory. */
static void long_records_go_to_the_disk(void **state)
{
    static const char *const folders[] = {".", "/nowhere"};
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_model *model = parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nsimulate: "
                                  "{time: [0, 100], initial: {x: 1}, record: {points: 2500001}}\n");
        slip_result *r;
        int64_t count;
        setenv("TMPDIR", folders[k], 1);
        assert_int_equal(slip_run(ctx, model, NULL, &r), SLIP_OK);
        const double *t = slip_result_series(r, "t", &count), *x = series(r, "x");
        assert_int_equal(count, 2500001);
        for (int64_t i = 0; i < count; i += 997)
            assert_true(fabs(t[i] - 100.0 * (double)i / 2500000) < 1e-12 && fabs(x[i] - cos(t[i])) < 1e-12);
        assert_true(k == 0 ? mapped_files() == 4 : mapped_files() == 0);
        slip_result_destroy(r);
        assert_true(mapped_files() == 0);
        slip_model_destroy(model);
    }
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

/* ---- Energies. */

static double number(const slip_result *result, const char *path)
{
    return slip_result_number(result, path);
}

/* A block of mass 2 that slides with mu N = 3 from velocity 4 until it rests, 16/3 further on: the kinetic
 * energy 16 becomes heat. */
static void a_block_slides_to_rest(void **state)
{
    static const char *const methods[] = {"event", "moreau", "midpoint_stabilised"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        slip_result *r = run_text("slipstick: 1\ncoordinates: [x]\nmass: [[2]]\n"
                                  "contacts: {floor: {kind: friction, slip: x', normal_force: 6, law: {type: "
                                  "coulomb, mu: 0.5}}}\n"
                                  "simulate: {time: [0, 5], initial: {x': 4}, step: 1e-3}\n",
                                  NULL, methods[m]);
        const double precise = m == 0 ? 1e-12 : 1e-5;
        assert_close(number(r, "energy.kinetic_start"), 16, 1e-13);
        assert_close(number(r, "energy.kinetic_end"), 0, 1e-20);
        assert_close(number(r, "energy.largest"), 16, 1e-13);
        assert_close(number(r, "energy.loads"), 0, 0);
        assert_close(number(r, "contacts.floor.dissipation"), 3 * (16.0 / 3), precise);
        assert_close(number(r, "contacts.floor.work"), -16, precise);
        assert_close(number(r, "contacts.floor.force"), 3, 1e-12);
        assert_close(number(r, "contacts.floor.normal"), 6, 0);
        assert_true(isnan(number(r, "contacts.floor.impulse")));
        assert_close(number(r, "energy.balance"), 0, 1e-12);
        slip_result_destroy(r);
    }
}

/* The belt does work: on the block that it carries, and as heat where the block slips. Carried from x = 0 to
 * x = 2 with k = 1, the spring holds 2; the belt's work on the block is that, and nothing is dissipated. */
static void a_belt_carries_a_block(void **state)
{
    slip_result *r =
        run_text("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
                 "contacts: {belt: {kind: friction, slip: x' - 0.5, normal_force: 3, law: {type: "
                 "coulomb, mu: 1}}}\n"
                 "simulate: {time: [0, 4], initial: {x': 0.5}}\n",
                 NULL, "event");
    (void)state;
    assert_close(number(r, "contacts.belt.work"), 2, 1e-13);
    assert_close(number(r, "contacts.belt.dissipation"), 0, 1e-13);
    assert_close(number(r, "contacts.belt.force"), 2, 1e-13);
    assert_close(number(r, "energy.potential_end"), 2, 1e-13);
    assert_close(number(r, "energy.balance"), 0, 1e-13);
    slip_result_destroy(r);
}

/* A ball of mass 2 falls from 5 with g = 10, lands with velocity 10 and impulse 2 (1 + e) 10, and loses (1 -
 * e^2) of its energy, 100. */
static void an_impact_has_an_impulse(void **state)
{
    static const char *const methods[] = {"event", "midpoint_stabilised", "moreau"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        slip_result *r = run_text("slipstick: 1\ncoordinates: [y]\nmass: [[2]]\nforces: {y: -20}\n"
                                  "contacts: {floor: {kind: unilateral, gap: y, restitution: 0.5}}\n"
                                  "simulate: {time: [0, 1.5], initial: {y: 5}, step: 1e-4}\n",
                                  NULL, methods[m]);
        assert_close(number(r, "contacts.floor.impulse"), 30, m == 0 ? 1e-11 : 1e-2);
        /* of `moreau` an impact is a part of the step, and its work that of the contact */
        assert_close(m < 2 ? number(r, "energy.impacts") : number(r, "contacts.floor.dissipation"), 75,
                     m == 0 ? 1e-11 : 0.05);
        assert_close(number(r, "energy.balance"), 0, 1e-11);
        slip_result_destroy(r);
    }
}

/* At the very start too: of the velocities 1 along the floor and -1 onto it mu (1 + e) is rubbed off, and e
 * is left. Recorded later, the run knows nothing of it. */
static void an_impact_at_the_start_counts(void **state)
{
    static const char *const segments[] = {"simulate.segments=exact", "simulate.segments=rk"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *settings[] = {segments[k % 2], k < 2 ? NULL : "simulate.record.from=0.5", NULL};
        slip_result *r =
            run_text("slipstick: 1\ncoordinates: [x, y]\nmass: [[2, 0], [0, 2]]\n"
                     "contacts: {floor: {kind: unilateral, gap: y, slip: x', restitution: 0.5, "
                     "impact_friction: coulomb, law: {type: coulomb, mu: 0.2}}}\n"
                     "simulate: {time: [0, 1], initial: {x': 1, y': -1}, record: {every: 0.1}}\n",
                     settings, "event");
        const double after = 0.7 * 0.7 + 0.5 * 0.5;
        assert_close(number(r, "energy.kinetic_start"), k < 2 ? 2 : after, 1e-13);
        assert_close(number(r, "energy.kinetic_end"), after, 1e-13);
        assert_close(number(r, "energy.impacts"), k < 2 ? 2 - after : 0, 1e-13);
        assert_close(number(r, "contacts.floor.impulse"), k < 2 ? 3 : 0, 1e-13);
        assert_close(number(r, "energy.balance"), 0, 1e-13);
        slip_result_destroy(r);
    }
}

static int damper(void *user, double t, const double *q, const double *v, double *force, double *force_q,
                  double *force_v)
{
    (void)user, (void)t, (void)q;
    force[0] = -0.2 * v[0];
    if (force_q)
        force_q[0] = 0;
    if (force_v)
        force_v[0] = -0.2;
    return 0;
}

/* Loads of C functions are loads; a damping matrix is not: x'' + (0.1 + 0.2) x' + x = 0. */
static void loads_and_damping_are_told_apart(void **state)
{
    static const char *const names[] = {"x"};
    const double one = 1, damping = 0.1, rest = 0;
    slip_run_options options = slip_run_options_default();
    slip_model *model;
    slip_result *r;
    (void)state;
    options.end = 7;
    options.tolerance = 1e-11;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_damping(ctx, model, &damping), SLIP_OK);
    assert_int_equal(slip_model_set_stiffness(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_force_function(ctx, model, damper, NULL), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, &one, &rest), SLIP_OK);
    assert_int_equal(slip_run(ctx, model, &options, &r), SLIP_OK);
    const double lost = 0.5 - number(r, "energy.kinetic_end") - number(r, "energy.potential_end");
    assert_true(lost > 0.3);
    assert_close(number(r, "energy.damping"), lost / 3, 1e-9);
    assert_close(number(r, "energy.loads"), -2 * lost / 3, 1e-9);
    assert_close(number(r, "energy.balance"), 0, 1e-9);
    slip_result_destroy(r);
    slip_model_destroy(model);
}

/* A stiffness that is not symmetric, K = [[1, -s], [s, 1]]: the work of its skew part counts as that of a
 * load. */
static void a_skew_stiffness_does_work(void **state)
{
    slip_result *r = run_text("slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
                              "stiffness: [[1, -0.1], [0.1, 1]]\n"
                              "simulate: {time: [0, 10], initial: {x: 1, y': 1}, tolerance: 1e-11}\n",
                              NULL, "event");
    (void)state;
    assert_true(fabs(number(r, "energy.loads")) > 0.1);
    assert_close(number(r, "energy.balance"), 0, 1e-11);
    slip_result_destroy(r);
}

/* The largest force of a contact is found between records and between steps: a stuck block under 2 sin(3 t).
 */
static void the_largest_force_is_found(void **state)
{
    static const char *const segments[] = {"simulate.segments=exact", "simulate.segments=rk"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *settings[] = {segments[k], NULL};
        slip_result *r = run_text("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nforces: {x: 2*sin(3*t)}\n"
                                  "contacts: {pad: {kind: friction, slip: x', normal_force: 5 + cos(t), law: "
                                  "{type: coulomb, mu: 1}}}\n"
                                  "simulate: {time: [0, 9], record: {points: 4}}\n",
                                  k == 0 ? NULL : settings, "event");
        assert_close(number(r, "contacts.pad.force"), 2, 1e-9);
        assert_close(number(r, "contacts.pad.normal"), 6, 1e-9);
        slip_result_destroy(r);
    }
}

/* Every example that runs: to 1e-12 of the largest energy where segments are exact, else to 1e-6. */
static void the_energies_of_all_examples_balance(void **state)
{
    static const char *const exact[] = {"simulate.segments=exact", NULL};
    int run = 0, closed = 0;
    (void)state;
    for (int k = 0; k < slip_example_count(); k++) {
        const char *text = slip_example_text(slip_example_name(k));
        slip_model *model = parse(text);
        slip_result *r = NULL;
        slip_run_options options = slip_run_options_default();
        if (slip_model_gear_count(model) == 0) /* gears keep a ledger of their own */
            slip_run(ctx, model, &options, &r);
        slip_model_destroy(model);
        if (!r)
            continue; /* bodies, and models for statics */
        run++;
        const bool event = strcmp(slip_result_method(r), "event") == 0;
        const double balance = number(r, "energy.balance"), taken = number(r, "energy.largest");
        slip_result *same = NULL;
        model = parse_with(text, exact);
        const bool forms = event && slip_run(ctx, model, &options, &same) == SLIP_OK;
        closed += forms;
        print_message("%-20s %-8s %s largest energy %10.4g balance %9.2e\n", slip_example_name(k),
                      slip_result_method(r), forms ? "closed" : "      ", taken, balance);
        if (taken > 0) /* else nothing moves */
            assert_true(fabs(balance) <= (forms ? 1e-12 : 1e-6));
        slip_result_destroy(same);
        slip_model_destroy(model);
        slip_result_destroy(r);
    }
    assert_true(run >= 18 && closed >= 9);
}

/* Works of closed forms, of small sets of modes and of larger ones (a chain of nine blocks), are those of
 * Dormand-Prince's steps: damping, a stiffness that is not symmetric, loads that grow, a belt that speeds up,
 * viscous friction, a stop that moves. */
static void works_of_closed_forms_are_those_of_steps(void **state)
{
    static const char small[] =
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\nstiffness: [[3, -1.1], [-0.9, 1]]\n"
        "damping: [[0.1, 0], [0, 0.2]]\nforces: {x: 0.2*t - 0.01*t^2, y: 1 + sin(2*t)}\ncontacts:\n"
        "  belt: {kind: friction, slip: x' - 0.3 - 0.02*t, normal_force: 0.5, law: {type: coulomb, mu: 0.6, "
        "viscous: 0.1}}\n"
        "  stop: {kind: unilateral, gap: 0.6 + 0.1*sin(t) - y, slip: y' + 0.1*x', restitution: 0, law: "
        "{type: "
        "coulomb, mu: 0.2}}\n"
        "simulate: {method: event, time: [0, 15], tolerance: 1e-11, record: {points: 2, from: 0.7}}\n";
    static const char large[] =
        "slipstick: 1\ncoordinates: [a, b, c, d, e, f, g, h, i]\n"
        "mass: {diagonal: [1, 1, 1, 1, 1, 1, 1, 1, 1]}\nsprings:\n"
        "  - {between: [a, ground], stiffness: 2}\n  - {between: [a, b], stiffness: 1}\n"
        "  - {between: [b, c], stiffness: 1}\n  - {between: [c, d], stiffness: 1}\n"
        "  - {between: [d, e], stiffness: 1}\n  - {between: [e, f], stiffness: 1}\n"
        "  - {between: [f, g], stiffness: 1}\n  - {between: [g, h], stiffness: 1}\n"
        "  - {between: [h, i], stiffness: 1}\nforces: {a: sin(1.3*t), i: 2*cos(t)}\n"
        "damping: {diagonal: [0.1, 0, 0, 0, 0, 0, 0, 0, 0.3]}\n"
        "contacts: {belt: {kind: friction, slip: e' - 0.5, normal_force: 1 + 0.5*sin(t), law: {type: "
        "coulomb, mu: "
        "0.7}}}\n"
        "simulate: {method: event, time: [0, 15], tolerance: 1e-11, record: {points: 2, from: 0.7}}\n";
    static const char *const texts[] = {small, large}, *const paths[] = {"energy.loads",
                                                                         "energy.damping",
                                                                         "energy.impacts",
                                                                         "contacts.belt.work",
                                                                         "contacts.belt.dissipation",
                                                                         "contacts.belt.force",
                                                                         "contacts.belt.normal",
                                                                         "contacts.stop.work",
                                                                         "contacts.stop.dissipation",
                                                                         "contacts.stop.force",
                                                                         "contacts.stop.normal"};
    static const char *const segments[] = {"simulate.segments=exact", "simulate.segments=rk"};
    (void)state;
    for (int m = 0; m < 2; m++) {
        slip_result *r[2];
        for (int k = 0; k < 2; k++) {
            const char *settings[] = {segments[k], NULL};
            r[k] = run_text(texts[m], settings, "event");
        }
        assert_true(slip_result_event_count(r[0]) > 4);
        assert_close(number(r[0], "energy.balance"), 0, 1e-12);
        for (int i = 0; i < (m == 0 ? 11 : 7); i++) {
            print_message("%s %.12g %.12g\n", paths[i], number(r[0], paths[i]), number(r[1], paths[i]));
            assert_close(number(r[0], paths[i]), number(r[1], paths[i]), 1e-7);
        }
        slip_result_destroy(r[0]);
        slip_result_destroy(r[1]);
    }
}

/* What summary.json has of contacts and energies comes back. */
static void energies_are_saved_and_loaded(void **state)
{
    static const char *const paths[] = {"energy.kinetic_start",   "energy.kinetic_end",
                                        "energy.potential_start", "energy.potential_end",
                                        "energy.largest",         "energy.loads",
                                        "energy.damping",         "energy.impacts",
                                        "energy.balance",         "contacts.guide.force",
                                        "contacts.guide.normal",  "contacts.guide.work",
                                        "contacts.right.impulse", "contacts.guide.dissipation"};
    slip_result *r = run_text(slip_example_text("end-stops"), NULL, NULL), *back;
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    assert_int_equal(slip_result_save(ctx, r, folder), SLIP_OK);
    assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_OK);
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        assert_true(!isnan(number(r, paths[k])));
        assert_true(number(r, paths[k]) == number(back, paths[k]));
    }
    assert_true(slip_result_event_count(r) == slip_result_event_count(back));
    slip_result_destroy(back);
    slip_result_destroy(r);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_is_recorded_from_both_sides),
        cmocka_unit_test(every_event_is_in_the_record),
        cmocka_unit_test(the_static_peak_is_in_the_record),
        cmocka_unit_test(fixed_steps_record_the_ends_of_the_step),
        cmocka_unit_test(long_records_go_to_the_disk),
        cmocka_unit_test(a_block_slides_to_rest),
        cmocka_unit_test(a_belt_carries_a_block),
        cmocka_unit_test(an_impact_has_an_impulse),
        cmocka_unit_test(an_impact_at_the_start_counts),
        cmocka_unit_test(loads_and_damping_are_told_apart),
        cmocka_unit_test(a_skew_stiffness_does_work),
        cmocka_unit_test(the_largest_force_is_found),
        cmocka_unit_test(the_energies_of_all_examples_balance),
        cmocka_unit_test(works_of_closed_forms_are_those_of_steps),
        cmocka_unit_test(energies_are_saved_and_loaded),
    };
    return cmocka_run_group_tests_name("records", tests, setup, teardown);
}
