/* Many lanes at once against one run after the other: the same events, the same states; the same bits for any
 * width of the vectors and any number of threads; no event passed over. */
#include "batch_test.h"
#include "result/result.h"

static const struct trial trial = {NULL, NAN, 1e-12, 1e-10};

/* ---- Random systems as model files. */

/* A chain of masses; friction on a belt or between neighbours, stops. */
static char *random_model(uint64_t *seed, int n, int friction, int stops)
{
    slip_text text = {0};
    const bool two_waves = test_random(seed, 0, 1) < 0.3;
    append_chain(&text, seed, n);
    append(&text, "forces:\n");
    for (int i = 0; i < n; i++)
        append(&text, "  x%d: %.4f*cos(1.1*t + %.3f) + %.4f%s\n", i, test_random(seed, 0.5, 2.5),
               test_random(seed, 0, 6), test_random(seed, -0.3, 0.3), two_waves ? " + 0.4*sin(1.9*t)" : "");
    append(&text, "contacts:\n");
    for (int c = 0; c < friction; c++) {
        const int i = (c + random_count(seed, 0, 9) / 9) % n,
                  kind = n > 1 ? random_count(seed, 0, 2) : random_count(seed, 0, 1);
        append(&text, "  f%d: {kind: friction, normal_force: %.3f, slip: x%d'", c,
               test_random(seed, 0.5, 1.5), i);
        if (kind == 1)
            append(&text, " - %.3f", test_random(seed, -0.5, 0.5));
        else if (kind == 2)
            append(&text, " - x%d'", (i + 1) % n);
        append(&text, ", law: {type: coulomb, mu: %.3f, static_ratio: %.3f%s}}\n",
               test_random(seed, 0.1, 0.6), test_random(seed, 0, 1) < 0.5 ? 1 : test_random(seed, 1.05, 1.6),
               test_random(seed, 0, 1) < 0.3 ? ", viscous: 0.05" : "");
    }
    for (int c = 0; c < stops; c++) {
        const int i = random_count(seed, 0, n - 1);
        append(&text, "  s%d: {kind: unilateral, gap: %.3f %c x%d", c, test_random(seed, 0.1, 1.2),
               c % 2 ? '-' : '+', i);
        if (n > 1 && test_random(seed, 0, 1) < 0.3)
            append(&text, " %c x%d", c % 2 ? '+' : '-', (i + 1) % n);
        if (test_random(seed, 0, 1) < 0.2)
            append(&text, " + 0.05*sin(1.1*t)");
        append(&text, ", restitution: %.3f}\n",
               test_random(seed, 0, 1) < 0.2 ? 0 : test_random(seed, 0.2, 0.95));
    }
    append(&text, "simulate: {time: [0, 100]}\n");
    return text.data;
}

/* ---- Lanes against single runs. */

static void compare(int number, tally *t)
{
    uint64_t seed = 77 + 1000 * (uint64_t)number;
    const int n = random_count(&seed, 1, 4), friction = random_count(&seed, 0, 3),
              stops = random_count(&seed, friction == 0, 2);
    char *text = random_model(&seed, n, friction, stops);
    compare_text(number, text, t);
    free(text);
}

/* A body that rests at its stop, in the middle of its load and with no other force, leaves it where its
 * acceleration has no term but the load, which is zero there. */
static void leaves_rest_where_all_terms_vanish(void **state)
{
    tally t = {0};
    (void)state;
    for (int k = 0; k < 32; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD "stiffness: [[1]]\nforces: {x: cos(%g*t)}\ncontacts: {s: {kind: unilateral, gap: -x, "
                      "restitution: %g}}\nsimulate: {time: [0, 100], initial: {x: -0.5}}\n",
                 2.6 + 0.0125 * k, k % 2 ? 0.3 : 0.0);
        compare_text(k, text, &t);
    }
    assert_int_equal(t.ended[BATCH_AMBIGUOUS], 0);
    judge(&t);
}

static int first_case, case_count;

static void same_events_as_one_by_one(void **state)
{
    (void)state;
    tally t = {0};
    compare(4740, &t);  /* a stop that a body leaves while friction holds it */
    compare(25169, &t); /* impacts that bring to rest what slides: the gap is that of the slip */
    compare(28652, &t);
    for (int k = 0; k < case_count; k++)
        compare(first_case + k, &t);
    judge(&t);
}

/* ---- Largest values. */

/* Of one system, from `starts` starts, against slip_run; lanes of width 1 and of the widest have the same
 * bits. */
static void compare_peaks(int number, tally *t)
{
    uint64_t seed = 31 + 1000 * (uint64_t)number;
    const int n = random_count(&seed, 1, 3), friction = random_count(&seed, 0, 2),
              stops = random_count(&seed, friction == 0, 1);
    char *text = random_model(&seed, n, friction, stops);
    slip_model *model = parse(text);
    const slip_batch_motion motion = {.period = period, .peaks = true};
    slip_run_options options = slip_run_options_default();
    slip_batch_lane ends[2];
    alone a = {.states = (double[2 * 8 * returns]){0}};
    slip_result *result = NULL;
    for (int b = 0; b < 2; b++) {
        const slip_batch_settings settings = {.threads = 1, .lanes = b ? 0 : 1};
        slip_batch *batch = NULL;
        char reason[300];
        int64_t lane;
        int set;
        assert_int_equal(slip_batch_create(ctx, &settings, &batch), SLIP_OK);
        assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &motion, &set, reason, sizeof reason),
                         SLIP_OK);
        assert_true(set >= 0);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, model->initial_q, model->initial_v, &lane),
                         SLIP_OK);
        assert_int_equal(slip_batch_advance(ctx, batch, NULL, 1, returns, NULL), SLIP_OK);
        ends[b] = slip_batch_get(batch, lane);
        slip_batch_destroy(batch);
    }
    assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
    options.end = returns * period;
    t->systems++;
    t->ended[ends[0].status]++;
    if (ends[0].status == BATCH_GOES_ON && slip_run(ctx, model, &options, &result) >= 0 &&
        run_alone(model, NULL, &a)) {
        double worst = 0;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fmax(fabs(ends[0].largest[i] - result->max_q[i]),
                                     fabs(ends[0].largest[n + i] - result->max_v[i])));
        if (worst < 1e-9)
            t->equal++;
        else if (a.signature != ends[0].signature || is_sensitive(model, &a))
            t->sensitive++;
        else {
            print_error("system %d: largest values differ by %.3g\n%s", number, worst, text);
            t->wrong++;
        }
        t->largest = worst < 1e-9 ? fmax(t->largest, worst) : t->largest;
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
    free(text);
}

static void largest_values_are_those_of_one_by_one(void **state)
{
    tally t = {0};
    (void)state;
    for (int k = 0; k < (test_all() ? 4000 : test_cases(400)); k++)
        compare_peaks(k, &t);
    judge(&t);
}

/* A mass that sticks from the start, and one whose extrema come in pairs next to where it turns least. */
static void largest_values_of_rest(void **state)
{
    slip_model *model =
        parse(HEAD "forces: {x: 0.1*cos(1.1*t)}\ncontacts: {p: {kind: friction, slip: x', law: "
                   "{type: coulomb, mu: 0.2}}}\nsimulate: {time: [0, 1]}\n");
    slip_batch *batch = NULL;
    char reason[300];
    int64_t lane;
    int set;
    (void)state;
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){0}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system,
                                        &(slip_batch_motion){.period = period, .peaks = true}, &set, reason,
                                        sizeof reason),
                     SLIP_OK);
    assert_int_equal(
        slip_batch_add_lane(ctx, batch, set, 0, (const double[]){0.05}, (const double[]){0}, &lane), SLIP_OK);
    assert_int_equal(slip_batch_advance(ctx, batch, NULL, 1, 1000, NULL), SLIP_OK);
    const slip_batch_lane end = slip_batch_get(batch, lane);
    assert_int_equal(end.events, 0);
    assert_true(end.largest[0] == 0.05);
    assert_true(end.largest[1] < 1e-15);
    slip_batch_destroy(batch);
    slip_model_destroy(model);
}

/* ---- Derivatives. */

/* Lanes and a run by itself over each return, as far as both go; how far apart they are at most, relative to
 * the largest of a derivative. */
typedef struct forgetful {
    alone *a;
    const slip_system *system;
    unsigned contacts;
} forgetful;

static int see_event(void *user, const slip_event *event)
{
    forgetful *f = user;
    const slip_contact *contact = &f->system->contacts[event->contact];
    if (event->to == SLIP_MODE_STICK || event->to == SLIP_MODE_CLOSED ||
        (contact->has_gap && event->from == SLIP_MODE_OPEN && contact->restitution == 0))
        f->contacts |= 1u << event->contact;
    return count_event(f->a, event);
}

/* Behind each derivative the contacts that have stuck or closed. */
static bool differentiate_alone(const slip_model *model, alone *a, double *derivatives)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_derivatives to = slip_derivatives_default();
    slip_simulation *s = NULL;
    const int n = model->system->n, width = 4 * n * n + 1;
    forgetful f = {.a = a, .system = model->system};
    options.event_observer = see_event;
    options.observer_user = &f;
    a->signature = BATCH_SIGNATURE;
    int status = slip_simulation_open(ctx, model, NULL, &options, &s);
    for (int k = 0; k < returns && status >= 0; k++) {
        to.by_state = derivatives + k * width;
        f.contacts = 0;
        for (int c = 0; c < f.system->contact_count; c++) {
            const slip_mode mode = slip_simulation_mode(s, f.system->contacts[c].name);
            f.contacts |= (unsigned)(mode == SLIP_MODE_STICK || mode == SLIP_MODE_CLOSED) << c;
        }
        status = slip_simulation_differentiate(ctx, s, (k + 1) * period, &to);
        to.by_state[width - 1] = f.contacts;
        slip_simulation_whole_state(s, a->states + 2 * k * n, a->states + (2 * k + 1) * n);
    }
    slip_simulation_close(s);
    return status >= 0;
}

static double derivative_difference(int count, const double *a, const double *b)
{
    double size = 1, largest = 0;
    for (int i = 0; i < count; i++) {
        size = fmax(size, fabs(a[i]));
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest / size;
}

static void compare_derivatives(int number, const char *text, tally *t)
{
    slip_model *model = parse(text);
    const int n = model->system->n, width = 4 * n * n + 1;
    double own[2 * 8 * returns], derivatives[(4 * 64 + 1) * returns], states[2 * 8 * returns],
        columns[(4 * 64 + 1) * returns];
    alone a = {.states = own};
    slip_batch *batch = NULL;
    char reason[300] = "";
    int64_t lane;
    int set;
    const bool runs = differentiate_alone(model, &a, derivatives);
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &(slip_batch_motion){.period = period},
                                        &set, reason, sizeof reason),
                     SLIP_OK);
    assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, model->initial_q, model->initial_v, &lane),
                     SLIP_OK);
    assert_int_equal(slip_batch_differentiate(ctx, batch, NULL, 1, returns, states, columns), SLIP_OK);
    const slip_batch_lane l = slip_batch_get(batch, lane);
    t->systems++;
    t->ended[l.status]++;
    if (l.status == BATCH_GOES_ON && runs) {
        double worst = 0;
        bool forget = true; /* the same contacts */
        for (int k = 0; k < returns; k++) {
            const double *one = derivatives + k * width, *other = columns + k * width;
            worst = fmax(worst, derivative_difference(width - 1, one, other));
            forget = forget && one[width - 1] == other[width - 1];
        }
        if (worst < 1e-9 && forget) {
            t->equal++;
            t->largest = fmax(t->largest, worst);
        } else if (is_sensitive(model, &a)) {
            t->sensitive++;
        } else {
            print_error("system %d: derivatives differ by %.3g\n%s", number, worst, text);
            t->wrong++;
        }
    }
    slip_batch_destroy(batch);
    slip_model_destroy(model);
}

static void derivatives_are_those_of_one_by_one(void **state)
{
    tally t = {0};
    (void)state;
    for (int k = 0; k < (test_all() ? 4000 : test_cases(400)); k++) {
        uint64_t seed = 41 + 1000 * (uint64_t)k;
        const int n = random_count(&seed, 1, 4), friction = random_count(&seed, 0, 2),
                  stops = random_count(&seed, friction == 0, 2);
        char *text = random_model(&seed, n, friction, stops);
        compare_derivatives(k, text, &t);
        free(text);
    }
    judge(&t);
}

/* ---- The same bits in whatever company. */

static void same_bits_in_any_company(void **state)
{
    const char *text =
        "slipstick: 1\nparameters: {mu: 0.3, k: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[k + 0.8, -0.8], [-0.8, 1.4]]\n"
        "forces: {x: cos(1.1*t), y: 0.4}\ncontacts:\n"
        "  pad: {kind: friction, slip: x' - 0.1, law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
        "  stop: {kind: unilateral, gap: 1 - y, restitution: 0.7}\nsimulate: {time: [0, 10]}\n";
    (void)state;
    expect_same_bits(text, true);
}

/* ---- Random systems, from eight starts each: vectors of lanes against one lane, bit by bit. */

enum { starts = 8, few_returns = 5 };

/* `derivatives` may be NULL. */
static void move_starts(const slip_model *model, int width, uint64_t seed, slip_batch_lane *ends,
                        double *states, double *derivatives)
{
    const int n = model->system->n;
    slip_batch *batch = NULL;
    char reason[300];
    int set;
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1, .lanes = width}, &batch),
                     SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &(slip_batch_motion){.period = period},
                                        &set, reason, sizeof reason),
                     SLIP_OK);
    for (int k = 0; k < starts; k++) {
        double start[16];
        int64_t lane;
        for (int i = 0; i < n; i++) {
            start[i] = test_random(&seed, -0.05, 0.05);
            start[n + i] = k % 2 ? 0 : test_random(&seed, -0.5, 0.5);
        }
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, start, start + n, &lane), SLIP_OK);
    }
    if (derivatives)
        assert_int_equal(slip_batch_differentiate(ctx, batch, NULL, starts, few_returns, states, derivatives),
                         SLIP_OK);
    else
        assert_int_equal(slip_batch_advance(ctx, batch, NULL, starts, few_returns, states), SLIP_OK);
    for (int k = 0; k < starts; k++)
        ends[k] = slip_batch_get(batch, k);
    slip_batch_destroy(batch);
}

static void vectors_of_lanes_are_one_lane(void **state)
{
    const int systems = getenv("SLIPSTICK_TEST_ALL") ? 12500 : test_cases(100);
    long long moved = 0, events = 0;
    (void)state;
    for (int number = 0; number < systems; number++) {
        uint64_t seed = 5 + 1000 * (uint64_t)number;
        const int n = random_count(&seed, 1, 3), friction = random_count(&seed, 0, 2),
                  stops = random_count(&seed, friction == 0, 1);
        char *text = random_model(&seed, n, friction, stops);
        slip_model *model = parse(text);
        slip_batch_lane ends[2][starts];
        double states[2][starts * few_returns * 2 * 8] = {{0}};
        static double columns[2][starts * few_returns * (4 * 9 + 1)];
        memset(columns, 0, sizeof columns);
        for (int b = 0; b < 2; b++)
            move_starts(model, b ? 0 : 1, seed, ends[b], states[b], number % 2 ? columns[b] : NULL);
        if (memcmp(ends[0], ends[1], sizeof ends[0]) != 0 ||
            memcmp(states[0], states[1], sizeof states[0]) != 0 ||
            memcmp(columns[0], columns[1], sizeof columns[0]) != 0)
            fail_msg("system %d: vectors and one lane differ\n%s", number, text);
        for (int k = 0; k < starts; k++) {
            moved += ends[0][k].status == BATCH_GOES_ON;
            events += ends[0][k].events;
        }
        slip_model_destroy(model);
        free(text);
    }
    printf("%d motions, %lld to their end, %lld events\n", systems * starts, moved, events);
    assert_true((double)moved > 0.7 * systems * starts && events > 10 * moved);
}

/* ---- What is refused. */

static void expect_refusal(const char *text, const char *part)
{
    expect_refusal_by("exact", text, part);
}

static void says_what_it_does_not_take(void **state)
{
    (void)state;
    expect_refusal(LAW("{type: tanh, mu: 0.3, velocity: 0.1}"), "law `tanh`");
    expect_refusal(HEAD "forces: {x: sin(t)}\n", "no contacts");
    expect_refusal(
        HEAD "forces: {x: x^3}\ncontacts: {p: {kind: friction, slip: x', law: {type: coulomb, mu: 0.2}}}\n",
        "force on `x`");
    expect_refusal(
        HEAD "contacts: {p: {kind: friction, normal_force: 1 + 0.2*sin(t), slip: x', law: {type: coulomb, "
             "mu: 0.2}}}\n",
        "contact `p` has a normal force that is not constant");
    expect_refusal(HEAD
                   "forces: {x: 0.1*t}\ncontacts: {p: {kind: friction, slip: x', law: {type: coulomb, mu: "
                   "0.2}}}\n",
                   "power of t");
    expect_refusal(
        "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\ncontacts: {p: {kind: unilateral, gap: "
        "y, slip: x', law: {type: coulomb, mu: 0.2}}}\n",
        "contact `p` has a gap with friction");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_events_as_one_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_rest_where_all_terms_vanish, setup, teardown),
        cmocka_unit_test_setup_teardown(largest_values_are_those_of_one_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(largest_values_of_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(derivatives_are_those_of_one_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(same_bits_in_any_company, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_of_lanes_are_one_lane, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_it_does_not_take, setup, teardown),
    };
    first_case = count > 1 ? atoi(arguments[1]) : 0;
    case_count = count > 2 ? atoi(arguments[2]) : count > 1 ? 1 : test_all() ? 12000 : test_cases(1000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
