/* What a run leaves: samples before and after every event, and the energies of its summary. */
#include "model_test.h"
#include "slipstick/run.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_is_recorded_from_both_sides),
        cmocka_unit_test(every_event_is_in_the_record),
        cmocka_unit_test(the_static_peak_is_in_the_record),
        cmocka_unit_test(fixed_steps_record_the_ends_of_the_step),
    };
    return cmocka_run_group_tests_name("records", tests, setup, teardown);
}
