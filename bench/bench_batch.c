/* Many motions at once: lanes of the vector units against one lane and against one run after the other, on
 * one core, in the same minute (processor time of this thread: idle ones spin beside it). Each trajectory
 * is 50 periods of the load, with parameters of its own.
 *
 *     friction   forced Coulomb oscillator with static friction: frequency by friction
 *     stop       impact oscillator: frequency by gap
 *     chain      two masses on belts with static friction: frequency by friction
 *     steps      the first one by Dormand-Prince with a tolerance of 1e-10
 *     steps8     the same with 1e-8
 *     stop8      the impact oscillator by Dormand-Prince with 1e-8
 *     belts      two masses on a belt with Stribeck's law, by Dormand-Prince with 1e-8: belt speed by
 *                friction
 *     friction', stop', chain'   with the derivative of the state over each period
 *
 *     bench_batch                  the table
 *     bench_batch cuda [N [CASE [shuffled]]]  a graphics card with N lanes (default 1,000,000) of 100
 * periods: trajectories a second with all transfers, these alone; lanes whose events are not those of the
 * processor, and how many of these are sensitive; neighbours have the same parameters, or those of any lane
 *     bench_batch CASE N           N trajectories of one case by lanes alone, for valgrind --tool=callgrind
 */
#include "batch/batch.h"
#include "batch/lanes.h"
#include "measure.h"
#include "model/model.h"
#include "peer_arkode.h"
#include "slipstick/slipstick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct example {
    const char *name, *text, *names[2];
    double low[2], high[2];
    double tolerance; /* of Dormand-Prince; 0: closed forms */
    bool derivatives;
} example;

#define FRICTION                                                                                             \
    "slipstick: 1\nparameters: {w: 1, mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: "                    \
    "[[0.1]]\nstiffness: "                                                                                   \
    "[[1]]\nforces: {x: cos(w*t)}\ncontacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: mu, " \
    "static_ratio: 1.3}}}\nsimulate: {time: [0, 100*pi/w]}\n"

#define STOP                                                                                                 \
    "slipstick: 1\nparameters: {w: 1, d: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: " \
    "[[1]]\nforces: {x: cos(w*t)}\ncontacts: {stop: {kind: unilateral, gap: d - x, restitution: "            \
    "0.8}}\nsimulate: {time: [0, 100*pi/w]}\n"

#define CHAIN                                                                                                \
    "slipstick: 1\nparameters: {w: 1, mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\ndamping: "      \
    "[[0.05, "                                                                                               \
    "-0.03], [-0.03, 0.03]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\nforces: {x: 0.3*cos(w*t)}\ncontacts: "   \
    "{a: "                                                                                                   \
    "{kind: friction, slip: x' - 0.2, law: {type: coulomb, mu: mu, static_ratio: 1.4}}, b: {kind: "          \
    "friction, "                                                                                             \
    "slip: "                                                                                                 \
    "y' - 0.2, law: {type: coulomb, mu: 0.9*mu, static_ratio: 1.4}}}\nsimulate: {time: [0, 100*pi/w]}\n"

static const example examples[] = {
    {"friction", FRICTION, {"w", "mu"}, {0.3, 0.05}, {1.8, 0.75}, 0, false},
    {"stop", STOP, {"w", "d"}, {0.4, 0.02}, {3, 0.92}, 0, false},
    {"chain", CHAIN, {"w", "mu"}, {0.4, 0.05}, {1.5, 0.4}, 0, false},
    {"steps", FRICTION, {"w", "mu"}, {0.3, 0.05}, {1.8, 0.75}, 1e-10, false},
    {"steps8", FRICTION, {"w", "mu"}, {0.3, 0.05}, {1.8, 0.75}, 1e-8, false},
    {"stop8", STOP, {"w", "d"}, {0.4, 0.02}, {3, 0.92}, 1e-8, false},
    {"belts",
     "slipstick: 1\nparameters: {speed: 0.2, mu: 0.3, w: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, "
     "1]]\ndamping: [[0.05, -0.03], [-0.03, 0.03]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\nforces: {x: "
     "0.3*cos(1.1*t)}\ncontacts: {a: {kind: friction, slip: x' - speed, law: {type: stribeck, mu: mu, "
     "static_ratio: 1.4, velocity: 0.3}}, b: {kind: friction, slip: y' - speed, law: {type: stribeck, mu: "
     "0.9*mu, static_ratio: 1.4, velocity: 0.3}}}\nsimulate: {time: [0, 100*pi/1.1]}\n",
     {"speed", "mu"},
     {0.05, 0.05},
     {0.6, 0.4},
     1e-8,
     false},
    {"friction'", FRICTION, {"w", "mu"}, {0.3, 0.05}, {1.8, 0.75}, 0, true},
    {"stop'", STOP, {"w", "d"}, {0.4, 0.02}, {3, 0.92}, 0, true},
    {"chain'", CHAIN, {"w", "mu"}, {0.4, 0.05}, {1.5, 0.4}, 0, true},
};

/* Between returns; of a model without w as a name that changes, that of its load. */
static double period_of(const example *e, double value)
{
    return 2 * acos(-1) / (strcmp(e->names[0], "w") == 0 ? value : 1.1);
}

enum { side = 64, periods = 50 };

static double value_of(const example *e, int which, int i)
{
    return e->low[which] + (e->high[which] - e->low[which]) * (i + 0.5) / side;
}

typedef struct measured {
    double bind, seconds;
    long long lanes, events, left;
} measured;

/* Adds the set of parameters number k of the example; *set is negative where the batch does not take it. The
 * model that was bound to them, for the caller to destroy. */
static slip_model *add_set(slip_context *ctx, slip_batch *batch, const slip_model *model, slip_values *values,
                           const example *e, int k, int *set)
{
    slip_model *bound = NULL;
    char reason[200];
    const double w = value_of(e, 0, k / side % side);
    const slip_batch_motion motion = {
        .period = period_of(e, w), .tolerance = e->tolerance, .segments = e->tolerance > 0 ? "rk" : NULL};
    bench_check(ctx, slip_values_set(ctx, values, e->names[0], w));
    bench_check(ctx, slip_values_set(ctx, values, e->names[1], value_of(e, 1, k % side)));
    bench_check(ctx, slip_model_bind(ctx, model, values, &bound));
    bench_check(ctx, slip_batch_add_set(ctx, batch, bound->system, &motion, set, reason, sizeof reason));
    return bound;
}

/* Return by return in parts, as a study has them. */
static void differentiate(slip_context *ctx, slip_batch *batch, int64_t lanes)
{
    enum { part = 10 };
    const int n = slip_batch_coordinates(batch);
    double *numbers =
        calloc((size_t)(lanes * part * (2 * n + slip_batch_derivatives(batch))) + 1, sizeof *numbers);
    for (int k = 0; k < periods; k += part)
        bench_check(ctx, slip_batch_differentiate(ctx, batch, NULL, lanes, part, numbers,
                                                  numbers + lanes * part * 2 * n));
    free(numbers);
}

static measured by_lanes(slip_context *ctx, const slip_model *model, const example *e, int width, int threads,
                         int count)
{
    const slip_batch_settings settings = {.threads = threads, .lanes = width, .device = "cpu"};
    slip_batch *batch = NULL;
    slip_values *values = NULL;
    measured m = {0};
    double started = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    bench_check(ctx, slip_batch_create(ctx, &settings, &batch));
    bench_check(ctx, slip_values_create(ctx, model, &values));
    for (int k = 0; k < count; k++) {
        int64_t lane;
        int set;
        slip_model *bound = add_set(ctx, batch, model, values, e, k, &set);
        if (set >= 0)
            bench_check(ctx,
                        slip_batch_add_lane(ctx, batch, set, 0, bound->initial_q, bound->initial_v, &lane));
        m.lanes += set >= 0;
        slip_model_destroy(bound);
    }
    m.bind = bench_clock(CLOCK_THREAD_CPUTIME_ID) - started;
    started = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    if (e->derivatives)
        differentiate(ctx, batch, m.lanes);
    else
        bench_check(ctx, slip_batch_advance(ctx, batch, NULL, m.lanes, periods, NULL));
    m.seconds = bench_clock(CLOCK_THREAD_CPUTIME_ID) - started;
    for (int64_t k = 0; k < m.lanes; k++) {
        const slip_batch_lane lane = slip_batch_get(batch, k);
        m.events += lane.events;
        m.left += lane.status != BATCH_GOES_ON;
    }
    slip_values_destroy(values);
    slip_batch_destroy(batch);
    return m;
}

/* One by one, without records; opening the run is not counted. */
static double one_by_one(slip_context *ctx, const slip_model *model, const example *e, int count)
{
    slip_values *values = NULL;
    double seconds = 0;
    bench_check(ctx, slip_values_create(ctx, model, &values));
    for (int k = 0; k < count; k++) {
        const int at = (int)((long long)k * side * side / count);
        const double w = value_of(e, 0, at / side % side);
        slip_simulation *s = NULL;
        bench_check(ctx, slip_values_set(ctx, values, e->names[0], w));
        bench_check(ctx, slip_values_set(ctx, values, e->names[1], value_of(e, 1, at % side)));
        slip_simulation_options options = slip_simulation_options_default();
        options.tolerance = e->tolerance > 0 ? e->tolerance : NAN;
        options.segments = e->tolerance > 0 ? "rk" : NULL;
        bench_check(ctx, slip_simulation_open(ctx, model, values, &options, &s));
        const double started = bench_clock(CLOCK_THREAD_CPUTIME_ID);
        if (!e->derivatives)
            bench_check(ctx, slip_simulation_advance(ctx, s, periods * period_of(e, w)));
        for (int r = 1; r <= periods && e->derivatives; r++) {
            double by_state[16];
            slip_derivatives to = slip_derivatives_default();
            to.by_state = by_state;
            bench_check(ctx, slip_simulation_differentiate(ctx, s, r * period_of(e, w), &to));
        }
        seconds += bench_clock(CLOCK_THREAD_CPUTIME_ID) - started;
        slip_simulation_close(s);
    }
    slip_values_destroy(values);
    return seconds / count;
}

/* The first example by ARKODE: some of its trajectories, and how far lanes are from them. */
static void against_arkode(slip_context *ctx, const slip_model *model, double lanes_a_second)
{
    enum { count = 16 };
    const example *e = &examples[0];
    slip_batch *batch = NULL;
    slip_values *values = NULL;
    double seconds = 0, worst = 0;
    int other = 0;
    bench_check(ctx, slip_batch_create(ctx, &(slip_batch_settings){.threads = 1, .device = "cpu"}, &batch));
    bench_check(ctx, slip_values_create(ctx, model, &values));
    for (int k = 0; k < count; k++) {
        const int at = (2 * k + 1) * side * side / (2 * count) + side / 2;
        const double w = value_of(e, 0, at / side % side), mu = value_of(e, 1, at % side), q[] = {0};
        double x;
        int64_t lane;
        int set;
        slip_model_destroy(add_set(ctx, batch, model, values, e, at, &set));
        bench_check(ctx, slip_batch_add_lane(ctx, batch, set, 0, q, q, &lane));
        bench_check(ctx, slip_batch_advance(ctx, batch, &lane, 1, periods, NULL));
        const slip_batch_lane end = slip_batch_get(batch, lane);
        const double started = bench_clock(CLOCK_THREAD_CPUTIME_ID);
        const long long events = peer_arkode_run(w, mu, periods * period_of(e, w), &x);
        seconds += bench_clock(CLOCK_THREAD_CPUTIME_ID) - started;
        worst = fmax(worst, fabs(x - end.y[0]));
        other += events != end.events;
    }
    printf(
        "%-10s ARKODE with roots (tolerance 1e-10): %.3g trajectories/s, lanes do %.0f times as many; of %d "
        "%d have another number of events, x at the end differs by %.2g\n",
        "", count / seconds, lanes_a_second * seconds / count, count, other, worst);
    slip_values_destroy(values);
    slip_batch_destroy(batch);
}

static void table(slip_context *ctx)
{
    printf("%d periods each, one core, %d lanes side by side\n", periods, slip_batch_width());
    printf("%-10s %14s %14s %14s %14s %10s %8s\n", "case", "trajectories/s", "events/s", "of one lane",
           "one by one", "ratio", "left");
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const example *e = &examples[k];
        slip_model *model = NULL;
        bench_check(ctx, slip_model_parse(ctx, e->text, e->name, NULL, &model));
        const measured wide = by_lanes(ctx, model, e, 0, 1, side * side),
                       narrow = by_lanes(ctx, model, e, 1, 1, side * side);
        const double single = one_by_one(ctx, model, e, e->tolerance > 0 ? 40 : 200);
        printf("%-10s %14.3g %14.3g %14.3g %14.3g %10.1f %8lld\n", e->name, (double)wide.lanes / wide.seconds,
               (double)wide.events / wide.seconds, (double)narrow.lanes / narrow.seconds, 1 / single,
               single * (double)wide.lanes / wide.seconds, wide.left);
        printf("%-10s binding the parameters takes %.3g us each\n", "", 1e6 * wide.bind / (double)wide.lanes);
        if (k == 0)
            against_arkode(ctx, model, (double)wide.lanes / wide.seconds);
        slip_model_destroy(model);
    }
}

/* ---- A graphics card. */

enum { long_periods = 100 };
static bool shuffled;

/* The set of lane k where so many lanes have each. */
static int set_of(int64_t k, int64_t starts)
{
    const int64_t sets = side * side;
    return (int)(shuffled ? (int64_t)((uint64_t)k * 2654435761u >> 7) % sets : k / starts % sets);
}

/* Sets as in the table, lanes from different states: the first `some` of `count`, their velocities shifted.
 */
static slip_batch *many_starts(slip_context *ctx, const slip_model *model, const example *e,
                               const char *device, int64_t count, int64_t some, double shift)
{
    const slip_batch_settings settings = {.device = device, .expected = some};
    const int n = model->system->n;
    slip_batch *batch = NULL;
    slip_values *values = NULL;
    bench_check(ctx, slip_batch_create(ctx, &settings, &batch));
    bench_check(ctx, slip_values_create(ctx, model, &values));
    for (int k = 0; k < side * side; k++) {
        int set;
        slip_model_destroy(add_set(ctx, batch, model, values, e, k, &set));
    }
    /* neighbours are alike, as in a map */
    const int64_t starts = (count + side * side - 1) / (side * side);
    for (int64_t k = 0; k < some; k++) {
        double q[8] = {0}, v[8] = {0};
        int64_t lane;
        for (int i = 0; i < n; i++)
            v[i] = 0.5 * (double)(k % starts) / (double)starts + shift;
        bench_check(ctx, slip_batch_add_lane(ctx, batch, set_of(k, starts), 0, q, v, &lane));
    }
    slip_values_destroy(values);
    return batch;
}

static bool differ(const slip_batch *a, const slip_batch *b, int64_t lane)
{
    const slip_batch_lane one = slip_batch_get(a, lane), other = slip_batch_get(b, lane);
    return one.signature != other.signature || one.status != other.status;
}

/* The same of a lane from its state on at some later return: a body that rests at its stop forgets its start,
 * and with it what was shifted there. */
static bool wavers_later(slip_context *ctx, const slip_model *model, const example *e, int64_t count,
                         int64_t number)
{
    slip_batch *batch = many_starts(ctx, model, e, "cpu", count, number + 1, 0);
    bool moved = false;
    for (int done = 5; done < long_periods && !moved; done += 5) {
        int64_t lane[3];
        bench_check(ctx, slip_batch_advance(ctx, batch, &number, 1, 5, NULL));
        const slip_batch_lane now = slip_batch_get(batch, number);
        for (int k = 0; k < 3; k++) {
            const double v[] = {now.y[1] + (k - 1) * 1e-13};
            bench_check(ctx, slip_batch_add_lane(ctx, batch, now.set, now.time, now.y, v, &lane[k]));
        }
        bench_check(ctx, slip_batch_advance(ctx, batch, lane, 3, long_periods - done, NULL));
        const slip_batch_lane end = slip_batch_get(batch, lane[1]);
        for (int k = 0; k < 3 && end.status == BATCH_GOES_ON; k++) {
            const slip_batch_lane near = slip_batch_get(batch, lane[k]);
            moved |= near.status == BATCH_GOES_ON &&
                     (near.signature != end.signature || fabs(near.y[0] - end.y[0]) > 1e-8);
        }
    }
    slip_batch_destroy(batch);
    return moved;
}

/* Of the lanes whose events on the card are not those of the processor: how many are so sensitive on the
 * processor that 1e-13 at the start, or later, gives other events or has grown 1e5 times at the end. A card
 * fuses products, so that it begins with such differences. */
static void explain(slip_context *ctx, const slip_model *model, const example *e, slip_batch *const *batch,
                    int64_t count, int64_t some)
{
    int64_t *list = calloc((size_t)some + 1, sizeof *list), unequal = 0, sensitive = 0;
    slip_batch *near[2];
    for (int64_t i = 0; i < some; i++)
        if (differ(batch[0], batch[1], i))
            list[unequal++] = i;
    for (int k = 0; k < 2; k++) {
        near[k] = many_starts(ctx, model, e, "cpu", count, some, k ? -1e-13 : 1e-13);
        bench_check(ctx, slip_batch_advance(ctx, near[k], list, unequal, long_periods, NULL));
    }
    for (int64_t i = 0; i < unequal; i++) {
        const double own = slip_batch_get(batch[1], list[i]).y[0];
        bool moved = false;
        for (int k = 0; k < 2; k++)
            moved |= differ(near[k], batch[1], list[i]) ||
                     fabs(slip_batch_get(near[k], list[i]).y[0] - own) > 1e-8;
        moved = moved || (model->system->n == 1 && wavers_later(ctx, model, e, count, list[i]));
        sensitive += moved;
        if (!moved) { /* that is not explained: which, and what became of it */
            const slip_batch_lane there = slip_batch_get(batch[0], list[i]),
                                  here = slip_batch_get(batch[1], list[i]);
            printf("%10s lane %lld: set %d, status %d and %d, returns %lld and %lld, events %lld and %lld, "
                   "%.17g and %.17g\n",
                   "", (long long)list[i], here.set, there.status, here.status, there.returns, here.returns,
                   there.events, here.events, there.y[0], here.y[0]);
        }
    }
    printf("%10s not equal %lld of %lld, of these sensitive %lld\n", "", (long long)unequal, (long long)some,
           (long long)sensitive);
    for (int k = 0; k < 2; k++)
        slip_batch_destroy(near[k]);
    free(list);
}

static void card_case(slip_context *ctx, const example *e, int64_t count)
{
    const int64_t some = count / 50 + 1; /* for the cores, which are slower: the first fiftieth */
    slip_model *model = NULL;
    slip_batch *batch[2];
    double seconds[2], started, begun = 0, transfers = 0;
    long long events = 0, left = 0;
    bench_check(ctx, slip_model_parse(ctx, e->text, e->name, NULL, &model));
    for (int b = 0; b < 2; b++) {
        batch[b] = many_starts(ctx, model, e, b ? "cpu" : "cuda", count, b ? some : count, 0);
        for (int turn = 0; turn < 2 && b == 0;
             turn++) { /* there and back alone: with the compiler, without */
            started = bench_seconds();
            bench_check(ctx, slip_batch_advance(ctx, batch[b], NULL, count, 0, NULL));
            *(turn ? &transfers : &begun) = bench_seconds() - started;
        }
        started = bench_seconds();
        bench_check(ctx, slip_batch_advance(ctx, batch[b], NULL, b ? some : count, long_periods, NULL));
        seconds[b] = bench_seconds() - started;
    }
    for (int64_t i = 0; i < count; i++) {
        const slip_batch_lane lane = slip_batch_get(batch[0], i);
        events += lane.events;
        left += lane.status != BATCH_GOES_ON;
    }
    const double rate = (double)count / seconds[0], cores = (double)some / seconds[1];
    printf("%-10s %8.3g %8.3g %8.3g %14.3g %12.3g %12.3g %8.1f %6lld\n", e->name, begun, seconds[0],
           transfers, rate, (double)events / seconds[0], cores, rate / cores, left);
    explain(ctx, model, e, batch, count, some);
    for (int b = 0; b < 2; b++)
        slip_batch_destroy(batch[b]);
    slip_model_destroy(model);
}

static void card(slip_context *ctx, int64_t count, const char *only)
{
    slip_device devices[2] = {{.size = sizeof *devices}, {.size = sizeof *devices}};
    slip_device_list(ctx, devices, 2);
    printf("%s\n%lld lanes, %d periods each; seconds: to send all lanes there and back without a motion the "
           "first "
           "time (with the compiler), of all lanes, to send them without a motion again\n",
           devices[1].description, (long long)count, long_periods);
    printf("%-10s %8s %8s %8s %14s %12s %12s %8s %6s\n", "case", "first", "all", "transfer", "trajectories/s",
           "events/s", "processors", "ratio", "left");
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        if (!examples[k].derivatives && (!only || strcmp(only, examples[k].name) == 0))
            card_case(ctx, &examples[k], count);
}

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    if (argc > 1 && strcmp(argv[1], "cuda") == 0) {
        shuffled = argc > 4 && strcmp(argv[4], "shuffled") == 0;
        card(ctx, argc > 2 ? atoll(argv[2]) : 1000000, argc > 3 ? argv[3] : NULL);
    } else if (argc < 3)
        table(ctx);
    for (size_t k = 0; argc > 2 && strcmp(argv[1], "cuda") != 0 && k < sizeof examples / sizeof *examples;
         k++)
        if (strcmp(argv[1], examples[k].name) == 0) {
            slip_model *model = NULL;
            bench_check(ctx, slip_model_parse(ctx, examples[k].text, "model", NULL, &model));
            by_lanes(ctx, model, &examples[k], argc > 3 ? atoi(argv[3]) : 0, 1, atoi(argv[2]));
            slip_model_destroy(model);
        }
    slip_context_destroy(ctx);
    return 0;
}
