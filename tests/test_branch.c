/* Periodic motions over a parameter: where they fold, double their period, graze, begin to stick and end,
 * against values that were found in two independent ways each. */
#include "motion_test.h"
#include "slipstick/slipstick.h"

#define OSCILLATOR "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
#define STOP                                                                                                 \
    OSCILLATOR "parameters: {z: 0.05, s: 0.5, r: 0.8, w: 2.2}\ndamping: [[2*z]]\nforces: {x: cos(w*t)}\n"    \
               "contacts: {c: {kind: unilateral, gap: s - x, restitution: r}}\n"                             \
               "simulate: {time: [0, 60]}\norbit: {period: 2*pi/w}\n"
#define BELT                                                                                                 \
    OSCILLATOR                                                                                               \
    "parameters: {c: 0.1, mu: 0.5, v0: 0.5, e: 1, vb: 0.6}\ndamping: [[c]]\n"                                \
    "contacts: {c: {kind: friction, slip: x' - vb, law: {type: stribeck, mu: mu, static_ratio: 2, "          \
    "velocity: v0, exponent: e}}}\n"                                                                         \
    "simulate: {time: [0, 60], initial: {x: 0.9, x': vb}}\norbit: {period: auto}\n"

static slip_result *follow(const char *text, const char *const *settings, const char *over, int doublings)
{
    slip_model *model = parse_with(text, settings);
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    slip_result *branch = NULL;
    good(slip_axis_parse(ctx, over, &axis));
    options.axis = &axis;
    options.doublings = doublings;
    good(slip_branch_follow(ctx, model, &options, &branch));
    slip_axis_free(&axis);
    slip_model_destroy(model);
    return branch;
}

/* There is a label of this type within the error of the value; returns its number. */
static int expect_label(const slip_result *branch, const char *type, double value, double error)
{
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) {
        const slip_label *label = slip_result_label(branch, k);
        if (strcmp(label->type, type) == 0 && fabs(label->value - value) <= error)
            return (int)k;
    }
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        print_error("%s %.15g\n", slip_result_label(branch, k)->type, slip_result_label(branch, k)->value);
    print_error("no %s at %.15g\n", type, value);
    fail();
    return -1;
}

static int count_labels(const slip_result *branch, const char *type)
{
    int count = 0;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        count += strcmp(slip_result_label(branch, k)->type, type) == 0;
    return count;
}

/* The motion without impact grazes the stop, turns back as an unstable one with impacts, and folds. */
static void graze_and_fold(void **state)
{
    slip_result *branch = follow(STOP, NULL, "w=2.2:1.6", 0);
    int64_t count = 0;
    const double *stable, *w = slip_result_series(branch, "w", &count);
    (void)state;
    expect_label(branch, "GR", 1.729885745753515, 1e-8);
    const int fold = expect_label(branch, "LP", 1.8929790976609646, 1e-9);
    assert_string_equal(slip_result_label(branch, fold)->from, "unstable");
    assert_string_equal(slip_result_label(branch, fold)->to, "stable");
    expect_label(branch, "EP", 1.6, 1e-12);
    assert_int_equal(slip_result_label_count(branch), 3);
    /* points of all three sides, of which the unstable one is between graze and fold */
    stable = slip_result_series(branch, "stable", NULL);
    for (int64_t k = 0; k < count; k++)
        assert_true(stable[k] == 1 || (w[k] > 1.7298 && w[k] < 1.893));
    slip_result_destroy(branch);
}

static void doublings(void **state)
{
    const char *const settings[] = {"z=0", "s=0", "w=2.5", "simulate.initial={x: -0.5}", NULL},
                      *const twice[] = {"w=2.6", "orbit.multiple=2", "simulate.time=[0.2145, 60]",
                                        "simulate.initial={x: 0.4999, x': -0.525}", NULL};
    slip_result *branch = follow(STOP, settings, "w=1.15:2.8", 1);
    (void)state;
    expect_label(branch, "PD", 2.653347727855323, 1e-9);
    expect_label(branch, "PD", 1.2606766415488824, 1e-9);
    assert_true(slip_result_number(branch, "branches") == 3);
    /* the one of twice the period doubles again, and begins where the first one does */
    expect_label(branch, "PD", 2.715987, 1e-4);
    int ends = 0;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        ends += strcmp(slip_result_label(branch, k)->note, "the branch of half the period") == 0;
    assert_int_equal(ends, 2);
    slip_result_destroy(branch);
    branch = follow(STOP, twice, "w=2.4:2.7", 0);
    expect_label(branch, "PD", 2.45121078127777, 1e-8);
    slip_result_destroy(branch);
}

#define DEN_HARTOG                                                                                           \
    OSCILLATOR "parameters: {w: 0.7, mu: 0.4}\nforces: {x: cos(w*t)}\n"                                      \
               "contacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"                   \
               "simulate: {time: [0, 60], initial: {x: 0.3}}\norbit: {period: 2*pi/w}\n"

/* Den Hartog: the largest friction of a motion without stops. At w = 0.3 stops begin inside the half period,
 * and two more of their kinds follow; at w = 0.5 the free oscillation closes in half a period, any share of
 * it up to stops is as good as another, and these meet at 1/3; at w = 1 it is pi/4, where motions of all
 * sizes stand beside each other: no branch crosses there, and there is no end of them. */
static void stops_begin(void **state)
{
    static const struct {
        const char *w, *start, *over;
        double mu;
        int stops;
    } cases[] = {{"w=0.3", "mu=0.06", "mu=0.05:0.9", 0.08640727785396565, 3},
                 {"w=0.5", "mu=0.25", "mu=0.2:0.9", 1.0 / 3, 1},
                 {"w=0.7", "mu=0.4", "mu=0.3:0.9", 0.7220709759221042, 1},
                 {"w=0.7", "mu=0.8", "mu=0.3:0.9", 0.7220709759221042, 1},
                 {"w=0.9", "mu=0.4", "mu=0.3:0.9", 0.8196503776728301, 1},
                 {"w=1", "mu=0.85", "mu=0.7:0.9", 0.7853981633974483, 1},
                 {"w=1.5", "mu=0.4", "mu=0.3:0.9", 0.6465790872963897, 1},
                 {"w=3", "mu=0.4", "mu=0.3:0.9", 0.5625, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const settings[] = {cases[k].w, cases[k].start, NULL};
        slip_result *branch = follow(DEN_HARTOG, settings, cases[k].over, 0);
        expect_label(branch, "SL", cases[k].mu, 2e-11);
        assert_int_equal(count_labels(branch, "SL"), cases[k].stops);
        assert_int_equal(slip_result_label_count(branch), cases[k].stops + 2);
        const slip_label *last = slip_result_label(branch, cases[k].stops);
        if (strcmp(cases[k].w, "w=1") == 0) {
            near(last->value, cases[k].mu, 1e-9, "all sizes");
            assert_string_equal(last->note, "the motion grows without bound");
        }
        slip_result_destroy(branch);
    }
}

/* A contact beside it that acts on nothing else changes nothing: what counts as zero goes by forces, and not
 * by how many contacts there are. */
static void stops_begin_beside_another_contact(void **state)
{
    (void)state;
    slip_result *branch =
        follow("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: {diagonal: [1, 1]}\n"
               "parameters: {mu: 0.4}\nforces: {x: cos(0.7*t), y: 0.5}\n"
               "contacts:\n  c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}\n"
               "  d: {kind: friction, slip: y', law: {type: coulomb, mu: 1}}\n"
               "simulate: {time: [0, 60], initial: {x: 0.3}}\norbit: {period: 2*pi/0.7}\n",
               NULL, "mu=0.3:0.9", 0);
    expect_label(branch, "SL", 0.7220709759221042, 1e-11);
    assert_int_equal(count_labels(branch, "SL"), 1);
    slip_result_destroy(branch);
}

/* The unstable motion next to a value of the parameter: its period and multiplier. */
static void expect_unstable(const slip_result *branch, const char *name, double value, double period,
                            double multiplier)
{
    int64_t count, best = -1;
    const double *p = slip_result_series(branch, name, &count),
                 *stable = slip_result_series(branch, "stable", NULL);
    for (int64_t k = 0; k < count; k++)
        if (stable[k] == 0 && (best < 0 || fabs(p[k] - value) < fabs(p[best] - value)))
            best = k;
    assert_true(best >= 0);
    near(slip_result_series(branch, "period", NULL)[best], period, 1e-8, "period");
    near(slip_result_series(branch, "multiplier", NULL)[best], multiplier, 1e-7, "multiplier");
}

/* The stick-slip cycle meets the unstable one, which shrinks to steady sliding. */
static void belt(void **state)
{
    const char *const other[] = {"c=0.05", "mu=0.25", "v0=0.2", "e=2", "vb=0.5", NULL};
    slip_result *branch = follow(BELT, NULL, "vb=0.3:2", 0);
    (void)state;
    expect_label(branch, "SL", 1.8366009722079086, 5e-9);
    expect_unstable(branch, "vb", 1.8366009722079086, 6.304013731052026, 2.0957815124360795);
    expect_label(branch, "EP", 1.151292546497023, 5e-9);
    slip_result_destroy(branch);
    branch = follow(BELT, other, "vb=0.3:1.6", 0);
    expect_label(branch, "SL", 1.451999943437126, 1e-8);
    expect_unstable(branch, "vb", 1.451999943437126, 6.2972305283605445, 1.6817991087358763);
    expect_label(branch, "EP", 0.4328561463675626, 2e-7);
    slip_result_destroy(branch);
}

/* The jack plane over the amplitude of its load, through twelve changes of its signature; at the last it
 * begins to lift off. */
static void jack_plane(void **state)
{
    slip_result *branch =
        follow("slipstick: 1\nparameters: {A: 1}\ncoordinates: [un, ut]\nmass: [[1, 0], [0, 1]]\n"
               "stiffness: [[1.2, -1], [-1, 1.2]]\nforces: {un: 1.3, ut: A*sin(t/6)}\n"
               "contacts: {plane: {kind: unilateral, gap: -un, slip: ut', law: {type: coulomb, mu: 0.4}}}\n"
               "simulate: {time: [0, 400], initial: {ut': 0.1}}\norbit: {period: 12*pi}\n",
               NULL, "A=0.3:1.48", 0);
    (void)state;
    assert_true(count_labels(branch, "SL") >= 10);
    expect_label(branch, "EP", 0.3, 0);
    expect_label(branch, "EP", 1.48, 0);
    slip_result_destroy(branch);
}

static void refusals(void **state)
{
    static const struct {
        const char *over, *message;
    } cases[] = {{"q=1:2", "q"}, {"x=1:2", "is an initial value"}};
    slip_model *model = parse(STOP);
    slip_result *branch = NULL;
    (void)state;
    assert_true(slip_branch_follow(ctx, model, NULL, &branch) < 0);
    expect_message("none", "found nothing to vary");
    for (int k = 0; k < 2; k++) {
        slip_branch_options options = slip_branch_options_default();
        slip_axis axis = {0};
        good(slip_axis_parse(ctx, cases[k].over, &axis));
        options.axis = &axis;
        assert_true(slip_branch_follow(ctx, model, &options, &branch) < 0 && !branch);
        expect_message(cases[k].over, cases[k].message);
        slip_axis_free(&axis);
    }
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graze_and_fold),
                                       cmocka_unit_test_of_numbers(doublings),
                                       cmocka_unit_test_of_numbers(stops_begin),
                                       cmocka_unit_test_of_numbers(stops_begin_beside_another_contact),
                                       cmocka_unit_test_of_numbers(belt),
                                       cmocka_unit_test_of_numbers(jack_plane),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
