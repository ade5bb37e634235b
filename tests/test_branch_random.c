/* No fold, doubling or grazing is missed: branches of random forced systems against sweeps by brute force,
 * and against branches with steps a tenth as long.
 *
 * A sweep runs the system for many periods at each of many frequencies, from where it ended at the last one,
 * up and down. As long as it settles to motions of the branch that are stable there nothing happens. Where it
 * leaves the branch from one frequency to the next, comes to a motion that the branch has as unstable, or to
 * another number of events in a period, there is a label between them.
 *
 * Arguments: the first random number and how many systems from there on.
 */
#include "motion_test.h"
#include "slipstick/slipstick.h"
#include "test.h"

enum { periods = 250, most_coordinates = 2, kinds = 6 };

/* What a long run ends in. */
typedef struct settled {
    double q[most_coordinates], v[most_coordinates];
    double high, low, amplitude; /* of x in the last run; amplitude: of its fundamental */
    bool repeats;
    int64_t events, landings; /* in a period */
} settled;

typedef struct subject {
    char text[1500];
    double start, from, to;
    int coordinates;
} subject;

static subject make(uint64_t *seed, int kind)
{
    subject s = {.coordinates = kind == 2 ? 2 : 1};
    const double z = test_random(seed, 0.02, 0.12), w = test_random(seed, 0.6, 2.6),
                 size = 1 / hypot(1 - w * w, 2 * z * w);
    s.start = w;
    s.from = w * test_random(seed, 0.3, 0.7);
    s.to = w * test_random(seed, 1.5, 3);
    if (kind == 3) /* a second spring */
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[%.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: \"cos(w*t) - %.9g*max(x-%.9g,0)\"}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 2 * z, w, pow(10, test_random(seed, 0, 1.7)), test_random(seed, -0.2, 0.6) * size, 1000 / w);
    else if (kind == 4) /* a belt */
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[%.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: %.9g*cos(w*t)}\n"
                 "contacts: {c: {kind: friction, slip: x' - %.9g, normal_force: 1, law: {type: stribeck,\n"
                 "  mu: %.9g, static_ratio: %.9g, velocity: %.9g}}}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 2 * z, w, test_random(seed, 0.2, 2), test_random(seed, 0.2, 1), test_random(seed, 0.1, 0.5),
                 test_random(seed, 1, 2), test_random(seed, 0.3, 1), 1000 / w);
    else if (kind == 5) { /* two stops, alike or not */
        const double gap = test_random(seed, 0.5, 1.4) * size, r = test_random(seed, 0.3, 0.9);
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[%.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: cos(w*t)}\n"
                 "contacts:\n  c: {kind: unilateral, gap: %.9g - x, restitution: %.9g}\n"
                 "  d: {kind: unilateral, gap: %.9g + x, restitution: %.9g}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 2 * z, w, gap, r, gap * (test_random(seed, 0, 1) < 0.5 ? 1 : test_random(seed, 0.7, 1.5)), r,
                 1000 / w);
    } else if (kind == 0) /* a stop, that the motion does not always reach */
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[%.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: cos(w*t)}\n"
                 "contacts: {c: {kind: unilateral, gap: %.9g - x, restitution: %.9g}}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 2 * z, w, test_random(seed, 0.5, 1.4) * size, test_random(seed, 0.3, 0.9), 1000 / w);
    else if (kind == 1) /* dry friction */
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[%.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: cos(w*t)}\n"
                 "contacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: %.9g}}}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 2 * z, w, test_random(seed, 0.4, 0.9), 1000 / w);
    else /* two masses, the second with a stop */
        snprintf(s.text, sizeof s.text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, %.9g]]\n"
                 "stiffness: [[1.4, -0.4], [-0.4, 1.1]]\ndamping: [[0.08, 0], [0, %.9g]]\n"
                 "parameters: {w: %.9g}\nforces: {x: cos(w*t)}\n"
                 "contacts: {c: {kind: unilateral, gap: %.9g - y, restitution: %.9g}}\n"
                 "simulate: {time: [0, %.9g]}\norbit: {period: 2*pi/w}\n",
                 test_random(seed, 0.5, 1.5), 2 * z, w, test_random(seed, 0.2, 1),
                 test_random(seed, 0.3, 0.9), 1000 / w);
    return s;
}

static double end_of(const slip_result *result, const char *name, bool rate)
{
    char text[8];
    int64_t count = 0;
    snprintf(text, sizeof text, "%s%s", name, rate ? "'" : "");
    const double *series = slip_result_series(result, text, &count);
    assert_true(series && count > 0);
    return series[count - 1];
}

/* Runs some periods on from a state; what happens in them. */
static bool run_on(const subject *s, const slip_model *model, slip_values *numbers, double w, int count,
                   settled *to)
{
    static const char *const names[] = {"x", "y"};
    const double pi = 3.141592653589793238;
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    double q[most_coordinates], v[most_coordinates];
    good(slip_values_set(ctx, numbers, "w", w));
    memcpy(q, to->q, sizeof q);
    memcpy(v, to->v, sizeof v);
    options.values = numbers;
    options.method = "event";
    options.start = 0;
    options.end = 2 * pi / w * count;
    options.record_points = 200;
    options.start_q = q;
    options.start_v = v;
    if (slip_run(ctx, model, &options, &result) < 0)
        return false;
    to->events = slip_result_event_count(result);
    int64_t points = 0;
    const double *x = slip_result_series(result, "x", &points), *t = slip_result_series(result, "t", NULL);
    double sums[2] = {0};
    to->high = to->low = x[0];
    for (int64_t k = 1; k < points; k++) {
        to->high = fmax(to->high, x[k]);
        to->low = fmin(to->low, x[k]);
        sums[0] += 0.5 * (t[k] - t[k - 1]) * (x[k] * cos(w * t[k]) + x[k - 1] * cos(w * t[k - 1]));
        sums[1] += 0.5 * (t[k] - t[k - 1]) * (x[k] * sin(w * t[k]) + x[k - 1] * sin(w * t[k - 1]));
    }
    to->amplitude = hypot(sums[0], sums[1]) * w / (pi * count);
    to->landings = 0;
    for (int64_t k = 0; k < to->events; k++)
        to->landings += slip_result_event(result, k)->from == SLIP_MODE_OPEN;
    to->repeats = true;
    for (int i = 0; i < s->coordinates; i++) {
        to->q[i] = end_of(result, names[i], false);
        to->v[i] = end_of(result, names[i], true);
        to->repeats = to->repeats && hypot(to->q[i] - q[i], to->v[i] - v[i]) < 1e-5;
    }
    slip_result_destroy(result);
    return true;
}

static bool settle(const subject *s, const slip_model *model, slip_values *numbers, double w, settled *to)
{
    return run_on(s, model, numbers, w, periods, to) && run_on(s, model, numbers, w, 1, to);
}

/* The branch has a label that is not an end between two values, or a part of their distance beyond. */
static bool has_label(const slip_result *branch, double a, double b, double part)
{
    const double more = part * fabs(b - a);
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) {
        const slip_label *label = slip_result_label(branch, k);
        if (label->value >= fmin(a, b) - more && label->value <= fmax(a, b) + more &&
            strcmp(label->type, "EP") != 0)
            return true;
    }
    return false;
}

/* From the frequency of the model. */
static slip_result *follow(const slip_model *model, const subject *s, double spacing)
{
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {.name = "w", .from = s->from, .to = s->to, .count = 2};
    slip_result *branch = NULL;
    options.axis = &axis;
    options.spacing = spacing;
    options.points = 30000;
    return slip_branch_follow(ctx, model, &options, &branch) < 0 ? NULL : branch;
}

/* A number of a motion is what two points of the branch say of it, as far as a line between them tells. */
static bool is_between(double number, double a, double b, double part, double size)
{
    return fabs(number - a - part * (b - a)) < 0.25 * fabs(b - a) + 0.01 * size;
}

/* A motion is one of the branch: between two of its points. *stable: as that says, where it is not in doubt.
 */
static bool is_on(const slip_result *branch, double w, const settled *motion, bool *stable)
{
    int64_t count = 0;
    const double *at = slip_result_series(branch, "w", &count),
                 *high = slip_result_series(branch, "x.max", NULL),
                 *low = slip_result_series(branch, "x.min", NULL),
                 *amplitude = slip_result_series(branch, "x.amplitude", NULL),
                 *events = slip_result_series(branch, "events", NULL),
                 *multiplier = slip_result_series(branch, "multiplier", NULL);
    bool found = false;
    *stable = false;
    for (int64_t k = 0; k + 1 < count; k++) {
        const double part = (w - at[k]) / (at[k + 1] - at[k]), size = high[k] - low[k];
        if (!(part >= -1e-9 && part <= 1 + 1e-9) ||
            !is_between(motion->high, high[k], high[k + 1], part, size) ||
            !is_between(motion->low, low[k], low[k + 1], part, size) ||
            !is_between(motion->amplitude, amplitude[k], amplitude[k + 1], part, 0.5 * size) ||
            (motion->events != (int64_t)events[k] && motion->events != (int64_t)events[k + 1]))
            continue;
        found = true;
        *stable = *stable || multiplier[k] + part * (multiplier[k + 1] - multiplier[k]) < 1.01;
    }
    return found;
}

/* Motions of the branch are reached slowly there: the run may not have settled. */
static bool is_slow(const slip_result *branch, double w)
{
    int64_t count = 0;
    const double *at = slip_result_series(branch, "w", &count),
                 *multiplier = slip_result_series(branch, "multiplier", NULL);
    bool slow = false;
    for (int64_t k = 0; k + 1 < count; k++)
        slow = slow || ((w - at[k]) * (w - at[k + 1]) <= 0 && fmax(multiplier[k], multiplier[k + 1]) > 0.95 &&
                        fmin(multiplier[k], multiplier[k + 1]) < 1);
    return slow;
}

/* What is counted over all systems. */
static int followed, changes, losses, visits;

static void complain(const subject *s, const slip_result *branch, double last, double w, const char *what,
                     const settled *before, const settled *now)
{
    print_error("%s\nfrom w = %.9g to %.9g it %s (%d events in a period, %d before), labels:", s->text, last,
                w, what, (int)now->events, (int)before->events);
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        print_error(" %s %.9g", slip_result_label(branch, k)->type, slip_result_label(branch, k)->value);
    print_error("\n");
}

/* Between points that are far apart a line does not tell whether a motion is on the branch, and a step of the
 * frequency can throw it over to another one that is stable too: in short steps, and with a branch of short
 * steps, it stays. */
static bool comes_along(const subject *s, const slip_model *model, slip_values *numbers, double last,
                        double w, const settled *before, settled *now)
{
    slip_result *fine = follow(model, s, 0.005);
    settled there = *before;
    bool stable = false, comes = fine && is_on(fine, w, now, &stable) && stable;
    for (int k = 1; k <= 20 && fine && !comes; k++)
        if (!settle(s, model, numbers, last + (w - last) * k / 20, &there))
            break;
    if (!comes && fine && there.repeats && is_on(fine, w, &there, &stable) && stable) {
        *now = there;
        comes = true;
    }
    slip_result_destroy(fine);
    return comes;
}

/* A sweep from the frequency of the model to another; how often branch and sweep contradict. */
static int sweep(const subject *s, const slip_model *model, slip_values *numbers, const slip_result *branch,
                 double to, int values)
{
    settled now = {0}, before;
    bool on = false, stable = false;
    int wrong = 0;
    for (int k = 0; k <= values && wrong == 0; k++) {
        const double last = s->start + (to - s->start) * (k - 1) / values,
                     w = s->start + (to - s->start) * k / values;
        const bool was = on && stable;
        const char *what = NULL;
        before = now;
        if (!settle(s, model, numbers, w, &now))
            break;
        on = now.repeats && is_on(branch, w, &now, &stable);
        visits += on && stable;
        if (was && !has_label(branch, last, w, 1) && !is_slow(branch, w))
            what = !on                           ? "leaves the branch"
                   : !stable                     ? "settles where the branch is unstable"
                   : now.events != before.events ? "has other events"
                                                 : NULL;
        changes += was && on && now.events != before.events;
        losses += was && !on;
        if (what && !on && comes_along(s, model, numbers, last, w, &before, &now)) {
            on = stable = true;
            what = NULL;
        }
        if (what)
            complain(s, branch, last, w, what, &before, &now);
        wrong += what != NULL;
    }
    return wrong;
}

static bool is_as_swept(uint64_t seed, int kind, int values)
{
    const subject s = make(&seed, kind);
    slip_model *model = parse(s.text);
    slip_values *numbers = NULL;
    slip_result *branch = follow(model, &s, NAN);
    int wrong = 0;
    good(slip_values_create(ctx, model, &numbers));
    if (branch) {
        followed++;
        wrong = sweep(&s, model, numbers, branch, s.from, values) +
                sweep(&s, model, numbers, branch, s.to, values);
    }
    slip_result_destroy(branch);
    slip_values_destroy(numbers);
    slip_model_destroy(model);
    return wrong == 0;
}

static void as_swept(void **state)
{
    (void)state;
    const bool all = test_all();
    int wrong = 0;
    followed = changes = 0;
    for (int k = 0; k < (all ? 60 : 12); k++)
        wrong += !is_as_swept(1000 + (uint64_t)k, k % kinds, all ? 60 : 20);
    print_message("%d branches, %d visits, %d changes of events, %d losses, %d differ\n", followed, visits,
                  changes, losses, wrong);
    assert_true(all ? followed >= 50 && changes >= 40 && losses >= 20 : followed >= 10 && losses >= 4);
    assert_int_equal(wrong, 0);
}

/* Labels with the steps of the default and with steps a tenth as long are the same, in the same order. */
static bool is_as_fine(uint64_t seed, int kind)
{
    const subject s = make(&seed, kind);
    slip_model *model = parse(s.text);
    slip_result *wide = follow(model, &s, 0.05), *fine = follow(model, &s, 0.005);
    bool same = !wide == !fine;
    if (wide && fine) {
        const int64_t count = slip_result_label_count(fine);
        same = slip_result_label_count(wide) == count;
        for (int64_t k = 0; k < count && same; k++) {
            const slip_label *a = slip_result_label(wide, k), *b = slip_result_label(fine, k);
            same = strcmp(a->type, b->type) == 0 && fabs(a->value - b->value) < 2e-5 * fabs(s.to - s.from);
        }
        for (int j = 0; j < 2 && !same; j++) {
            print_error("%s", j ? "fine" : s.text);
            for (int64_t k = 0; k < slip_result_label_count(j ? fine : wide); k++)
                print_error(" %s %.9g", slip_result_label(j ? fine : wide, k)->type,
                            slip_result_label(j ? fine : wide, k)->value);
            print_error("\n");
        }
        followed++;
        changes += (int)count;
    }
    slip_result_destroy(wide);
    slip_result_destroy(fine);
    slip_model_destroy(model);
    return same;
}

static void wide_steps(void **state)
{
    (void)state;
    const int count = test_all() ? 24 : 5;
    int wrong = 0;
    followed = changes = 0;
    for (int k = 0; k < count; k++)
        wrong += !is_as_fine(2000 + (uint64_t)k, k % kinds);
    print_message("%d branches, %d labels, %d differ\n", followed, changes, wrong);
    assert_true(followed >= 7 * count / 10);
    assert_int_equal(wrong, 0);
}

/* Systems of all kinds from a random number on, both ways. */
static int look_at(uint64_t first, int count)
{
    int wrong = 0;
    setup(NULL);
    for (uint64_t seed = first; seed < first + (uint64_t)count; seed++)
        if (!is_as_swept(seed, (int)(seed % kinds), 100) || !is_as_fine(seed, (int)(seed % kinds))) {
            print_error("random number %d\n", (int)seed);
            wrong++;
        }
    print_message("%d branches, %d visits, %d changes and labels, %d losses, %d of %d systems differ\n",
                  followed, visits, changes, losses, wrong, count);
    teardown(NULL);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_of_numbers(as_swept),
                                       cmocka_unit_test_of_numbers(wide_steps)};
    if (argc == 3)
        return look_at(strtoull(argv[1], NULL, 10), atoi(argv[2]));
    return cmocka_run_group_tests(tests, setup, teardown);
}
