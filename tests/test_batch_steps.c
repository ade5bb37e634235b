/* Lanes by Dormand-Prince against one run after the other: the same events, the same states; the same bits
 * for any width of the vectors and any number of threads; functions of the vectors against the library's. */
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

static const char *random_load(uint64_t *seed, char *text, size_t size)
{
    const double a = test_random(seed, 0.5, 2.5), phase = test_random(seed, 0, 6);
    switch (random_count(seed, 0, 3)) {
    case 0:
        snprintf(text, size, "%.4f*cos(1.1*t)", a);
        break;
    case 1:
        snprintf(text, size, "%.4f*cos(1.1*t + %.3f) + 0.2", a, phase);
        break;
    case 2:
        snprintf(text, size, "%.4f*sin(1.1*t + 0.4*sin(2.2*t + %.3f))", a, phase);
        break;
    default:
        snprintf(text, size, "%.4f*cos(1.1*t)/(1.5 + 0.5*sin(1.1*t + %.3f))", a, phase);
        break;
    }
    return text;
}

/* A chain of masses, springs that harden, friction on belts or between neighbours by Stribeck's law. */
static char *random_model(uint64_t *seed, int n, int contacts)
{
    slip_text text = {0};
    char load[200];
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
        append(&text, "  x%d: %s%s\n", i, random_load(seed, load, sizeof load),
               i == 0 && test_random(seed, 0, 1) < 0.5 ? " - 0.1*x0^3" : "");
    append(&text, "contacts:\n");
    for (int c = 0; c < contacts; c++) {
        const int i = c % n, kind = random_count(seed, 0, i + 1 < n ? 2 : 1);
        append(&text, "  f%d: {kind: friction, slip: x%d'", c, i);
        if (test_random(seed, 0, 1) < 0.3)
            append(&text, " + 0.1*sin(1.1*t)");
        if (kind == 1)
            append(&text, " - %.3f", test_random(seed, -0.5, 0.5));
        else if (kind == 2)
            append(&text, " - x%d'", i + 1);
        append(&text, ", normal_force: %.3f%s", test_random(seed, 0.5, 1.5),
               test_random(seed, 0, 1) < 0.2 ? " + 0.2*cos(2.2*t)" : "");
        if (test_random(seed, 0, 1) < 0.25) {
            append(&text, ", law: {type: %s, mu: %.3f, %s}}\n", c % 2 ? "arctan" : "tanh",
                   test_random(seed, 0.1, 0.6), c % 2 ? "velocity: 0.1" : "velocity: 0.2");
            continue;
        }
        if (test_random(seed, 0, 1) < 0.2) {
            append(&text, ", law: {type: dahl, mu: %.3f, stiffness: %.2f}}\n", test_random(seed, 0.1, 0.6),
                   test_random(seed, 2, 20));
            continue;
        }
        append(&text, ", law: {type: stribeck, mu: %.3f, static_ratio: %.3f, velocity: %.3f%s%s}}\n",
               test_random(seed, 0.1, 0.6), test_random(seed, 1.05, 1.8), test_random(seed, 0.1, 1),
               test_random(seed, 0, 1) < 0.3 ? ", exponent: 1" : "",
               test_random(seed, 0, 1) < 0.3 ? ", viscous: 0.05" : "");
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

enum { returns = 12 };
static const double period = 6.283185307179586 / 1.1, tolerance = 1e-10;

/* False where it fails. */
static bool run_alone(const slip_model *model, double exact, const double *start, alone *a)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    const int n = model->system->n;
    int status;
    a->signature = BATCH_SIGNATURE;
    a->events = 0;
    options.event_observer = count_event;
    options.observer_user = a;
    options.tolerance = exact;
    options.segments = "rk";
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

/* Does another tolerance, or a start that differs by it, change the events or the states by more than that?
 */
static bool is_sensitive(const slip_model *model, const alone *a)
{
    const int n = model->system->n, count = 2 * n * returns;
    double other[2 * 8 * returns], start[16];
    bool sensitive = false;
    for (int sign = -1; sign < 2 && !sensitive; sign += 2) {
        alone b = {.states = other};
        for (int i = 0; i < n; i++) {
            start[i] = model->initial_q[i] + sign * 1e-11 * (1 + i);
            start[n + i] = model->initial_v[i] + sign * 1e-11;
        }
        sensitive = !run_alone(model, tolerance, start, &b) || b.signature != a->signature ||
                    largest_difference(count, a->states, other) > 2e-10;
    }
    return sensitive;
}

static void compare_text(int number, const char *text, tally *t)
{
    char reason[300] = "";
    slip_model *model = parse(text);
    const int n = model->system->n;
    const slip_batch_motion motion = {.period = period, .tolerance = tolerance, .segments = "rk"};
    double own[2 * 8 * returns], lanes[2 * 8 * returns];
    alone a = {.states = own};
    slip_batch *batch = NULL;
    int set;
    int64_t lane;
    const bool runs = run_alone(model, tolerance, NULL, &a);
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

static void compare(int number, tally *t)
{
    uint64_t seed = 77 + 1000 * (uint64_t)number;
    const int n = random_count(&seed, 1, 3), contacts = random_count(&seed, 1, n);
    char *text = random_model(&seed, n, contacts);
    compare_text(number, text, t);
    free(text);
}

static int first_case, case_count;

static void same_events_as_one_by_one(void **state)
{
    (void)state;
    tally t = {0};
    compare_text(
        -1,
        "slipstick: 1\ncoordinates: [x0]\nmass: {diagonal: [1.722]}\nsprings:\n  - {between: [x0, ground], "
        "stiffness: 1.4678, damping: 0.0716}\nforces:\n  x0: 0.7436*sin(1.1*t + 0.4*sin(2.2*t + 2.402)) - "
        "0.1*x0^3\ncontacts:\n  f0: {kind: friction, slip: x0' - 0.104, normal_force: 1.424, law: {type: "
        "stribeck, mu: 0.354, static_ratio: 1.788, velocity: 0.312}}\nsimulate: {time: [0, 100]}\n",
        &t); /* lets go for a short while between two looks at a long step */
    for (int k = 0; k < case_count; k++)
        compare(first_case + k, &t);
    printf(
        "%d systems: %d equal (%.2g), %d sensitive, %d wrong; left to single runs: %d ties, %d ambiguous, %d "
        "dependent, %d work, %d beyond\n",
        t.systems, t.equal, t.largest, t.sensitive, t.wrong, t.ended[BATCH_TIE], t.ended[BATCH_AMBIGUOUS],
        t.ended[BATCH_DEPENDENT], t.ended[BATCH_WORK], t.ended[BATCH_BEYOND]);
    assert_int_equal(t.wrong, 0);
    assert_true(t.equal >= 0.75 * t.systems);
}

/* ---- The same bits in whatever company. */

enum { company = 150 };

static void fill_company(int width, int threads, bool backwards, slip_batch_lane *ends, double *states)
{
    const char *text =
        "slipstick: 1\nparameters: {mu: 0.3, k: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[k + 0.8, -0.8], [-0.8, 1.4]]\n"
        "forces: {x: cos(1.1*t) - 0.2*x^3, y: 0.4*exp(sin(1.1*t))}\ncontacts:\n"
        "  a: {kind: friction, slip: x' - 0.1, law: {type: stribeck, mu: mu, static_ratio: 1.4, velocity: "
        "0.5}}\n"
        "  b: {kind: friction, slip: y', law: {type: coulomb, mu: 0.7*mu, static_ratio: 1.2}}\n"
        "simulate: {time: [0, 10]}\n";
    slip_batch *batch = NULL;
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
}

static void same_bits_in_any_company(void **state)
{
    static slip_batch_lane first[company], other[company];
    static double states[2][company * returns * 4];
    (void)state;
    fill_company(1, 1, false, first, states[0]);
    int moving = 0;
    for (int k = 0; k < company; k++)
        moving += first[k].status == BATCH_GOES_ON && first[k].events > 20;
    assert_true(moving > company / 2);
    for (int width = 1; width <= 8; width += width == 1 ? 3 : 4)
        for (int threads = 1; threads <= 2; threads++) {
            memset(states[1], 0, sizeof states[1]);
            fill_company(width, threads, threads == 2, other, states[1]);
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

/* ---- Functions of the vectors: forces of which each is a function of time, held by a pad that never slips.
 * Its work is not seen, so the acceleration is taken from a mass without friction: v = integral of f. */

static void functions_are_those_of_the_library(void **state)
{
    static const char *const functions[] = {
        "exp(sin(t))",         "cos(3*t)^3",       "sin(20*t)",         "tanh(cos(t))",
        "sqrt(2 + cos(t))",    "log(2 + sin(t))",  "atan(2*cos(t))",    "(2 + sin(t))^1.5",
        "cosh(sin(t))",        "1/(2 + cos(t))",   "exp(-50*sin(t)^2)", "sin(2e6 + t)",
        "(1.5 + sin(t))^(-3)", "hypot(1, cos(t))", "asin(0.9*sin(t))",  "exp(-200 + cos(t))",
    };
    (void)state;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        char text[500], reason[300] = "";
        const slip_batch_motion motion = {.period = 1, .tolerance = 1e-12};
        double own[2 * 2 * returns], lanes[2 * 2 * returns];
        slip_batch *batch = NULL;
        int64_t lane;
        int set;
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\nstiffness: [[1, 0], [0, 1]]\n"
            "forces:\n  x: %s - 0.01*x^3\ncontacts: {pad: {kind: friction, slip: y', law: {type: coulomb, "
            "mu: 0.5}}}\nsimulate: {time: [0, 12]}\n",
            functions[k]);
        slip_model *model = parse(text);
        slip_simulation_options options = slip_simulation_options_default();
        slip_simulation *s = NULL;
        options.tolerance = 1e-12;
        assert_int_equal(slip_simulation_open(ctx, model, NULL, &options, &s), SLIP_OK);
        for (int i = 0; i < returns; i++) {
            assert_int_equal(slip_simulation_advance(ctx, s, i + 1), SLIP_OK);
            slip_simulation_whole_state(s, own + 4 * i, own + 4 * i + 2);
        }
        slip_simulation_close(s);
        assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1}, &batch), SLIP_OK);
        assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &motion, &set, reason, sizeof reason),
                         SLIP_OK);
        if (set < 0)
            fail_msg("%s: %s", functions[k], reason);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, model->initial_q, model->initial_v, &lane),
                         SLIP_OK);
        assert_int_equal(slip_batch_advance(ctx, batch, NULL, 1, returns, lanes), SLIP_OK);
        if (!(largest_difference(4 * returns, own, lanes) < 1e-10))
            fail_msg("%s: differs by %g", functions[k], largest_difference(4 * returns, own, lanes));
        slip_batch_destroy(batch);
        slip_model_destroy(model);
    }
}

/* ---- Laws as expressions are the laws themselves. */

static void laws_as_expressions_are_the_laws(void **state)
{
    uint64_t seed = 3;
    int laws = 0;
    (void)state;
    for (const slip_law_type *const *type = slip_law_types; *type; type++) {
        const slip_law_info *info = &(*type)->info;
        slip_law law = slip_law_default(info->name);
        slip_law_kernel kernel;
        slip_symbol symbols[20] = {{.name = "v", .slot = 0}, {.name = "side", .slot = 1}};
        slip_expression *expression = NULL;
        slip_expression_error error;
        double scratch[100];
        int count = 2;
        if (!(*type)->expression || (*type)->rate_expression)
            continue;
        laws++;
        for (int k = 0; k < info->parameter_count; k++)
            if (strcmp(info->parameters[k].name, "eta_prime") != 0 &&
                strcmp(info->parameters[k].name, "viscous") != 0)
                *slip_law_parameter(&law, info->parameters[k].name) =
                    strcmp(info->parameters[k].name, "exponent") == 0 ? 3 : test_random(&seed, 1.1, 1.9);
        assert_int_equal(slip_law_prepare(ctx, &law, &kernel), SLIP_OK);
        for (int k = 0; k < info->parameter_count; k++)
            symbols[count++] =
                (slip_symbol){.name = info->parameters[k].name,
                              .slot = -1,
                              .value = *slip_law_parameter(&kernel.law, info->parameters[k].name)};
        if (slip_expression_compile((*type)->expression, symbols, &expression, &error) < 0)
            fail_msg("%s: %s", info->name, error.message);
        assert_true(slip_expression_scratch(expression) <= 100);
        for (int k = 0; k < 200; k++) {
            const int piece = info->set_valued ? k % 2 : 0;
            const double slots[2] = {test_random(&seed, -3, 3), piece ? 1 : -1},
                         found = slip_expression_value(expression, slots, scratch);
            double force, slope;
            (*type)->evaluate(&kernel, piece, slots[0], &force, &slope);
            assert_close(found, force, 1e-14);
        }
        slip_expression_destroy(expression);
    }
    assert_int_equal(laws, 5);
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
                                        &(slip_batch_motion){.period = 1, .segments = "rk"}, &set, reason,
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

#define OWN_PAD "contacts: {p: {kind: friction, slip: x', law: {type: coulomb, mu: 0.2}}}\n"

static void says_what_it_does_not_take(void **state)
{
    (void)state;
    expect_refusal(LAW("{type: elliptic, mu: 0.3, width: 0.1}"),
                   "contact `pad` has a law that is none for lanes");
    expect_refusal(HEAD "forces: {x: sin(t)}\n", "no contacts");
    expect_refusal(HEAD "forces: {x: abs(x)}\n" OWN_PAD, "a force switches");
    expect_refusal(HEAD "forces: {x: 0.1*sin(t^2)}\n" OWN_PAD, "no bound is known");
    expect_refusal(HEAD "contacts: {p: {kind: unilateral, gap: x + 1}}\n", "contact `p` has a gap");
    expect_refusal(LAW("{type: jenkins, mu: 0.3, stiffness: 10}"), "contact `pad` has a law with memory");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_events_as_one_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(same_bits_in_any_company, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_are_those_of_the_library, setup, teardown),
        cmocka_unit_test_setup_teardown(laws_as_expressions_are_the_laws, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_it_does_not_take, setup, teardown),
    };
    first_case = count > 1 ? atoi(arguments[1]) : 0;
    case_count = count > 2 ? atoi(arguments[2]) : count > 1 ? 1 : test_all() ? 12000 : test_cases(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
