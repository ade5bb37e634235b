/* Many lanes at once against one run after the other: the same events, the same states; the same bits for any
 * width of the vectors and any number of threads; no event passed over. */
#include "batch/batch.h"
#include "model_test.h"
#include "simulation/simulation.h"

/* ---- Random systems as model files. */

static int random_count(uint64_t *seed, int low, int high)
{
    return (int)floor(test_random(seed, low, high + 1));
}

static void append(slip_text *text, const char *format, ...)
{
    char line[400];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    slip_text_printf(text, "%s", line);
}

/* A chain of masses; friction on a belt or between neighbours, stops. */
static char *random_model(uint64_t *seed, int n, int friction, int stops)
{
    slip_text text = {0};
    const bool two_waves = test_random(seed, 0, 1) < 0.3;
    append(&text, "slipstick: 1\ncoordinates: [");
    for (int i = 0; i < n; i++)
        append(&text, "%sx%d", i ? ", " : "", i);
    append(&text, "]\nmass: {diagonal: [");
    for (int i = 0; i < n; i++)
        append(&text, "%s%.3f", i ? ", " : "", test_random(seed, 0.5, 2));
    append(&text, "]}\nsprings:\n");
    for (int i = 0; i < n; i++)
        append(&text, "  - {between: [x%d, ground], stiffness: %.4f, damping: %.4f}\n", i,
               test_random(seed, 0.5, 2), test_random(seed, 0.02, 0.3));
    for (int i = 1; i < n; i++)
        append(&text, "  - {between: [x%d, x%d], stiffness: %.4f, damping: %.4f}\n", i - 1, i,
               test_random(seed, 0.2, 2), test_random(seed, 0, 0.1));
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

/* ---- The run of one by itself. */

typedef struct alone {
    unsigned long long signature;
    long long events;
    double *states;
} alone;

static int count_event(void *user, const slip_event *event)
{
    static const int modes[] = {[SLIP_MODE_OPEN] = BATCH_OPEN,
                                [SLIP_MODE_STICK] = BATCH_STICK,
                                [SLIP_MODE_SLIP_PLUS] = BATCH_PLUS,
                                [SLIP_MODE_SLIP_MINUS] = BATCH_MINUS,
                                [SLIP_MODE_CLOSED] = BATCH_CLOSED};
    alone *a = user;
    a->signature = BATCH_SIGN(a->signature, event->contact, modes[event->from], modes[event->to]);
    a->events++;
    return SLIP_OK;
}

/* False where it fails. */
static bool run_alone(const slip_model *model, double period, int returns, const double *start, alone *a)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    const int n = model->system->n;
    int status;
    a->signature = BATCH_SIGNATURE;
    a->events = 0;
    options.event_observer = count_event;
    options.observer_user = a;
    status = slip_simulation_open(ctx, model, NULL, &options, &s);
    if (status >= 0 && start)
        status = slip_simulation_set_state(ctx, s, 0, start, start + n);
    for (int k = 0; k < returns && status >= 0; k++) {
        status = slip_simulation_advance(ctx, s, (k + 1) * period);
        if (status >= 0)
            slip_simulation_whole_state(s, a->states + 2 * k * n, a->states + (2 * k + 1) * n);
    }
    slip_simulation_close(s);
    return status >= 0;
}

enum { returns = 12 };
static const double period = 6.283185307179586 / 1.1;

typedef struct tally {
    int systems, equal, wrong, sensitive, ended[BATCH_STATUSES];
} tally;

static double largest_difference(int count, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return largest;
}

/* Does a change of the start by 1e-12 grow beyond 1e-10, or change the events? */
static bool is_sensitive(const slip_model *model, const alone *a)
{
    const int n = model->system->n, count = 2 * n * returns;
    double other[2 * 8 * returns], start[16];
    bool sensitive = false;
    for (int sign = -1; sign < 2 && !sensitive; sign += 2) {
        alone b = {.states = other};
        for (int i = 0; i < n; i++) {
            start[i] = model->initial_q[i] + sign * 1e-12 * (1 + i);
            start[n + i] = model->initial_v[i] + sign * 1e-12;
        }
        sensitive = !run_alone(model, period, returns, start, &b) || b.signature != a->signature ||
                    largest_difference(count, a->states, other) > 1e-10;
    }
    return sensitive;
}

static void compare(int number, tally *t)
{
    uint64_t seed = 77 + 1000 * (uint64_t)number;
    const int n = random_count(&seed, 1, 4), friction = random_count(&seed, 0, 3),
              stops = random_count(&seed, friction == 0, 2);
    char *text = random_model(&seed, n, friction, stops), reason[300] = "";
    slip_model *model = parse(text);
    double own[2 * 8 * returns], lanes[2 * 8 * returns];
    alone a = {.states = own};
    slip_batch *batch = NULL;
    int set;
    int64_t lane;
    const bool runs = run_alone(model, period, returns, NULL, &a);
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &(slip_batch_motion){.period = period},
                                        &set, reason, sizeof reason),
                     SLIP_OK);
    t->systems++;
    if (set < 0) {
        print_error("system %d: %s\n", number, reason);
        fail();
    }
    assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, model->initial_q, model->initial_v, &lane),
                     SLIP_OK);
    assert_int_equal(slip_batch_advance(ctx, batch, NULL, 1, returns, lanes), SLIP_OK);
    const slip_batch_lane l = slip_batch_get(batch, lane);
    t->ended[l.status]++;
    if (l.status == BATCH_GOES_ON) {
        const double difference = runs ? largest_difference(2 * n * returns, own, lanes) : NAN;
        if (!runs || l.signature != a.signature || !(difference < 1e-9)) {
            if (runs && is_sensitive(model, &a))
                t->sensitive++;
            else {
                print_error("system %d: events %lld and %lld, difference %.3g (%s)\n%s", number, a.events,
                            l.events, difference, runs ? "" : slip_context_message(ctx), text);
                t->wrong++;
            }
        } else
            t->equal++;
    }
    slip_batch_destroy(batch);
    slip_model_destroy(model);
    free(text);
}

static int first_case, case_count;

static void same_events_as_one_by_one(void **state)
{
    (void)state;
    tally t = {0};
    compare(4740, &t); /* a stop that a body leaves while friction holds it */
    for (int k = 0; k < case_count; k++)
        compare(first_case + k, &t);
    printf("%d systems: %d equal, %d sensitive, %d wrong; left to single runs: %d ties, %d ambiguous, %d "
           "dependent, %d "
           "work, %d beyond\n",
           t.systems, t.equal, t.sensitive, t.wrong, t.ended[BATCH_TIE], t.ended[BATCH_AMBIGUOUS],
           t.ended[BATCH_DEPENDENT], t.ended[BATCH_WORK], t.ended[BATCH_BEYOND]);
    assert_int_equal(t.wrong, 0);
    assert_true(t.equal >= 0.75 * t.systems);
}

/* ---- The same bits in whatever company. */

enum { company = 150 };

static void fill_company(slip_batch *batch, int width, int threads, bool backwards, slip_batch_lane *ends,
                         double *states)
{
    const char *text =
        "slipstick: 1\nparameters: {mu: 0.3, k: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[k + 0.8, -0.8], [-0.8, 1.4]]\n"
        "forces: {x: cos(1.1*t), y: 0.4}\ncontacts:\n"
        "  pad: {kind: friction, slip: x' - 0.1, law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
        "  stop: {kind: unilateral, gap: 1 - y, restitution: 0.7}\nsimulate: {time: [0, 10]}\n";
    slip_model *model = parse(text);
    int64_t list[company], lane;
    assert_int_equal(
        slip_batch_create(ctx, &(slip_batch_settings){.threads = threads, .lanes = width}, &batch), SLIP_OK);
    for (int k = 0; k < company; k++) {
        char mu[40], reason[200];
        int set;
        snprintf(mu, sizeof mu, "mu=%.6f", 0.1 + 0.003 * k);
        slip_model *own = parse_with(text, (const char *const[]){mu, NULL});
        assert_int_equal(slip_batch_add_set(ctx, batch, own->system, &(slip_batch_motion){.period = period},
                                            &set, reason, sizeof reason),
                         SLIP_OK);
        assert_true(set >= 0);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, (const double[]){0.01 * k, 0},
                                             (const double[]){0, 0.02 * k}, &lane),
                         SLIP_OK);
        list[backwards ? company - 1 - k : k] = k;
        slip_model_destroy(own);
    }
    /* in two parts: lanes go on where they stood */
    assert_int_equal(slip_batch_advance(ctx, batch, list, company, 7, NULL), SLIP_OK);
    assert_int_equal(slip_batch_advance(ctx, batch, NULL, company, returns, states), SLIP_OK);
    for (int k = 0; k < company; k++)
        ends[k] = slip_batch_get(batch, k);
    slip_batch_destroy(batch);
    slip_model_destroy(model);
}

static void same_bits_in_any_company(void **state)
{
    static slip_batch_lane first[company], other[company];
    static double states[2][company * returns * 4];
    (void)state;
    fill_company(NULL, 1, 1, false, first, states[0]);
    int moving = 0;
    for (int k = 0; k < company; k++)
        moving += first[k].status == BATCH_GOES_ON && first[k].events > 20;
    assert_true(moving > company / 2);
    for (int width = 1; width <= 8; width += width == 1 ? 3 : 4)
        for (int threads = 1; threads <= 2; threads++) {
            memset(states[1], 0, sizeof states[1]);
            fill_company(NULL, width, threads, threads == 2, other, states[1]);
            for (int k = 0; k < company; k++) {
                assert_int_equal(first[k].status, other[k].status);
                assert_true(first[k].signature == other[k].signature);
                assert_memory_equal(first[k].y, other[k].y, sizeof first[k].y);
                if (first[k].status == BATCH_GOES_ON)
                    assert_memory_equal(states[0] + k * returns * 4, states[1] + k * returns * 4,
                                        returns * 4 * sizeof(double));
            }
        }
}

/* ---- Random systems, from eight starts each: vectors of lanes against one lane, bit by bit. */

enum { starts = 8, few_returns = 5 };

static void move_starts(const slip_model *model, int width, uint64_t seed, slip_batch_lane *ends,
                        double *states)
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
        for (int b = 0; b < 2; b++)
            move_starts(model, b ? 0 : 1, seed, ends[b], states[b]);
        if (memcmp(ends[0], ends[1], sizeof ends[0]) != 0 ||
            memcmp(states[0], states[1], sizeof states[0]) != 0)
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
    slip_model *model = parse(text);
    slip_batch *batch = NULL;
    char reason[300] = "";
    int set = 0;
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){0}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system,
                                        &(slip_batch_motion){.period = 1, .segments = "exact"}, &set, reason,
                                        sizeof reason),
                     SLIP_OK);
    assert_int_equal(set, -1);
    if (!strstr(reason, part)) {
        print_error("found `%s`, expected `%s`\n", reason, part);
        fail();
    }
    slip_batch_destroy(batch);
    slip_model_destroy(model);
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
        cmocka_unit_test_setup_teardown(same_bits_in_any_company, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_of_lanes_are_one_lane, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_it_does_not_take, setup, teardown),
    };
    first_case = count > 1 ? atoi(arguments[1]) : 0;
    case_count = count > 2 ? atoi(arguments[2]) : count > 1 ? 1 : test_all() ? 12000 : test_cases(1000);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
