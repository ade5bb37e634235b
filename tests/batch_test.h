/* What the tests of lanes share: random chains, one run by itself, lanes against it, lanes in whatever
 * company. Who includes it says by `trial` how lanes move. */
#ifndef BATCH_TEST_H
#define BATCH_TEST_H

#include "batch/batch.h"
#include "model_test.h"
#include "simulation/simulation.h"

enum { returns = 12, company = 150 };
static const double period = 6.283185307179586 / 1.1;

/* Segments and tolerance of lanes and of single runs; and a lane that differs from its run is no fault where
 * a change of the start by `change` grows beyond `growth`. */
struct trial {
    const char *segments; /* NULL: closed forms */
    double tolerance, change, growth;
};
static const struct trial trial;

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

/* Masses in a chain of springs, up to the forces. */
static void append_chain(slip_text *text, uint64_t *seed, int n)
{
    append(text, "slipstick: 1\ncoordinates: [");
    for (int i = 0; i < n; i++)
        append(text, "%sx%d", i ? ", " : "", i);
    append(text, "]\nmass: {diagonal: [");
    for (int i = 0; i < n; i++)
        append(text, "%s%.3f", i ? ", " : "", test_random(seed, 0.5, 2));
    append(text, "]}\nsprings:\n");
    for (int i = 0; i < n; i++)
        append(text, "  - {between: [x%d, ground], stiffness: %.4f, damping: %.4f}\n", i,
               test_random(seed, 0.5, 2), test_random(seed, 0.02, 0.3));
    for (int i = 1; i < n; i++)
        append(text, "  - {between: [x%d, x%d], stiffness: %.4f, damping: %.4f}\n", i - 1, i,
               test_random(seed, 0.2, 2), test_random(seed, 0, 0.1));
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
static bool run_alone(const slip_model *model, const double *start, alone *a)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    const int n = model->system->n;
    int status;
    a->signature = BATCH_SIGNATURE;
    a->events = 0;
    options.event_observer = count_event;
    options.observer_user = a;
    options.tolerance = trial.tolerance;
    options.segments = trial.segments;
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

typedef struct tally {
    int systems, equal, wrong, sensitive, ended[BATCH_STATUSES];
    double largest;
} tally;

static double largest_difference(int count, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return largest;
}

/* Does a small change of the start grow, or change the events? */
static bool is_sensitive(const slip_model *model, const alone *a)
{
    const int n = model->system->n, count = 2 * n * returns;
    double other[2 * 8 * returns], start[16];
    bool sensitive = false;
    for (int sign = -1; sign < 2 && !sensitive; sign += 2) {
        alone b = {.states = other};
        for (int i = 0; i < n; i++) {
            start[i] = model->initial_q[i] + sign * trial.change * (1 + i);
            start[n + i] = model->initial_v[i] + sign * trial.change;
        }
        sensitive = !run_alone(model, start, &b) || b.signature != a->signature ||
                    largest_difference(count, a->states, other) > trial.growth;
    }
    return sensitive;
}

static slip_batch_motion motion_of_trial(void)
{
    return (slip_batch_motion){.period = period,
                               .tolerance = isnan(trial.tolerance) ? 0 : trial.tolerance,
                               .segments = trial.segments};
}

/* The system of that number as a lane and by itself. */
static void compare_text(int number, const char *text, tally *t)
{
    char reason[300] = "";
    slip_model *model = parse(text);
    const int n = model->system->n;
    const slip_batch_motion motion = motion_of_trial();
    double own[2 * 8 * returns], lanes[2 * 8 * returns];
    alone a = {.states = own};
    slip_batch *batch = NULL;
    int set;
    int64_t lane;
    const bool runs = run_alone(model, NULL, &a);
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &motion, &set, reason, sizeof reason),
                     SLIP_OK);
    t->systems++;
    if (set < 0) {
        print_error("system %d: %s\n%s", number, reason, text);
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
        } else {
            t->equal++;
            t->largest = fmax(t->largest, difference);
        }
    }
    slip_batch_destroy(batch);
    slip_model_destroy(model);
}

static void judge(const tally *t)
{
    printf(
        "%d systems: %d equal (%.2g), %d sensitive, %d wrong; left to single runs: %d ties, %d ambiguous, %d "
        "dependent, %d work, %d beyond\n",
        t->systems, t->equal, t->largest, t->sensitive, t->wrong, t->ended[BATCH_TIE],
        t->ended[BATCH_AMBIGUOUS], t->ended[BATCH_DEPENDENT], t->ended[BATCH_WORK], t->ended[BATCH_BEYOND]);
    assert_int_equal(t->wrong, 0);
    assert_true(t->equal >= 0.75 * t->systems);
}

/* ---- The same bits in whatever company. */

/* Lanes of a model with a parameter mu and one or two coordinates, of which each has its own mu; how many
 * coordinates it has. `derivatives` may be NULL. */
static int fill_company(const char *text, int width, int threads, bool backwards, slip_batch_lane *ends,
                        double *states, double *derivatives)
{
    slip_batch *batch = NULL;
    int64_t list[company], lane;
    int n = 0;
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
        n = own->system->n;
        slip_model_destroy(own);
    }
    /* in two parts: lanes go on where they stood */
    assert_int_equal(slip_batch_advance(ctx, batch, list, company, 7, NULL), SLIP_OK);
    if (derivatives)
        assert_int_equal(slip_batch_differentiate(ctx, batch, NULL, company, returns, states, derivatives),
                         SLIP_OK);
    else
        assert_int_equal(slip_batch_advance(ctx, batch, NULL, company, returns, states), SLIP_OK);
    for (int k = 0; k < company; k++)
        ends[k] = slip_batch_get(batch, k);
    slip_batch_destroy(batch);
    return n;
}

/* With derivatives the states are those without. */
static void expect_same_bits(const char *text, bool derivatives)
{
    static slip_batch_lane first[company], other[company];
    static double states[2][company * returns * 4], columns[2][company * returns * 17];
    const int n = fill_company(text, 1, 1, false, first, states[0], NULL), of_lane = returns * 2 * n,
              of_columns = returns * (4 * n * n + 1);
    int moving = 0;
    for (int k = 0; k < company; k++)
        moving += first[k].status == BATCH_GOES_ON && first[k].events > 20;
    assert_true(moving > company / 2);
    for (int width = 1; width <= 8; width += width == 1 ? 3 : 4)
        for (int threads = 1; threads <= 2; threads++) {
            double *own = derivatives ? columns[width > 1 || threads > 1] : NULL;
            memset(states[1], 0, sizeof states[1]);
            fill_company(text, width, threads, threads == 2, other, states[1], own);
            for (int k = 0; k < company; k++) {
                assert_int_equal(first[k].status, other[k].status);
                assert_true(first[k].signature == other[k].signature);
                assert_memory_equal(first[k].y, other[k].y, sizeof first[k].y);
                if (first[k].status != BATCH_GOES_ON)
                    continue;
                assert_memory_equal(states[0] + k * of_lane, states[1] + k * of_lane,
                                    (size_t)of_lane * sizeof(double));
                if (own)
                    assert_memory_equal(columns[0] + k * of_columns, own + k * of_columns,
                                        (size_t)of_columns * sizeof(double));
            }
        }
}

/* ---- What is refused. */

static void expect_refusal_by(const char *segments, const char *text, const char *part)
{
    slip_model *model = parse(text);
    slip_batch *batch = NULL;
    char reason[300] = "";
    int set = 0;
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){0}, &batch), SLIP_OK);
    assert_int_equal(slip_batch_add_set(ctx, batch, model->system,
                                        &(slip_batch_motion){.period = 1, .segments = segments}, &set, reason,
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

#endif
