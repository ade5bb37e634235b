/* Branches stay on their curve: they leave corners on the far side, do not jump to other motions or out of
 * their range, and what they label is there. Values of the bilinear oscillator are those of an independent
 * program (flow in closed form, Newton's method). */
#include "branch_test.h"

/* A ball that comes to rest on its table in each period, after infinitely many bounces, however many of them
 * are told: all that changes is that it does not leave below G = 1. */
static void bounces_that_accumulate(void **state)
{
    (void)state;
    EXPECT(follow("slipstick: 1\nparameters: {G: 1.3}\ncoordinates: [y]\nmass: [[1]]\nforces: {y: -1}\n"
                  "contacts: {f: {kind: unilateral, gap: y - G*cos(t), restitution: 0.3}}\n"
                  "simulate: {time: [0, 60], initial: {y: 2}}\norbit: {period: 2*pi}\n",
                  "G=0.9:1.5", NAN, NAN, 0),
           {"GR", 1, 1e-9}, {"EP", 0.9, 0}, {"EP", 1.5, 0});
}

/* Over ranges to numbers beyond which there is no model: restitution from 0 to 1 (over friction it went on
 * without a model), friction from 0 up to where nothing moves, and force of a slider that would be negative,
 * which at the rate w gives way at limit = 0.6 0.5/hypot(1.6 - w^2, 0.03 w). */
static void to_limits(void **state)
{
    static const char *const stop =
        OSCILLATOR "damping: [[0.06]]\nparameters: {w: 2.5, r: 0.7, mu: 0.1}\nforces: {x: cos(w*t)}\n"
                   "contacts:\n  c: {kind: unilateral, gap: 0.1 - x, restitution: r}\n";
    const double limit = 0.3 / hypot(1.6 - 0.64, 0.024);
    slip_result *branch = follow(stop, "r=0:1", 0.7, NAN, 0);
    (void)state;
    EXPECT(branch, {"EP", 0, 0}, {"EP", 1, 0});
    branch = follow(OSCILLATOR "parameters: {w: 0.9, mu: 0.2}\nforces: {x: cos(w*t)}\ncontacts:\n"
                               "  f: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}\n",
                    "mu=0:1.2", 0.2, NAN, 0);
    assert_int_equal(slip_result_label_count(branch), 4);
    assert_close(slip_result_label(branch, 0)->value, 0, 1e-15);
    assert_close(slip_result_label(branch, 2)->value, 1, 1e-8);
    slip_result_destroy(branch);
    branch =
        follow(OSCILLATOR "damping: [[0.03]]\nparameters: {w: 0.8, lim: 0.2}\n"
                          "forces: {x: 0.5*cos(w*t)}\ncontacts:\n"
                          "  f: {kind: friction, slip: x', law: {type: jenkins, mu: lim, stiffness: 0.6}}\n",
               "lim=-1:1", 0.2, NAN, 0);
    assert_string_equal(slip_result_label(branch, 0)->note, "the model takes no values beyond");
    EXPECT(branch, {"EP", 0, 1e-8}, {"SL", limit, 1e-8}, {"EP", 1, 0});
}

/* Two stops that are grazed at once, by a motion that turns back there. */
static void two_stops(void **state)
{
    static const char *const text =
        OSCILLATOR "damping: [[0.1]]\nparameters: {w: 1}\nforces: {x: cos(w*t)}\n"
                   "contacts:\n  right: {kind: unilateral, gap: 0.5 - x, restitution: 0.7}\n"
                   "  left: {kind: unilateral, gap: 0.5 + x, restitution: 0.7}\n";
    const expected graze = {"GR", 0.7230987, 2e-6}, fold = {"LP", 0.842169324069, 1e-9},
                   first = {"BP", 0.66025, 2e-6}, second = {"BP", 0.63352, 2e-6}, low = {"EP", 0.6, 0},
                   last = {"BP", 1.0765045, 1e-6}, high = {"EP", 1.2, 0};
    (void)state;
    EXPECT(follow(text, "w=0.6:1.2", 1, NAN, 0), graze, fold, first, second, low, last, high);
    EXPECT(follow(text, "w=0.6:1.2", 0.75, NAN, 0), first, second, low, fold, graze, last, high);
    /* in wide steps, which once led to the motions that are not symmetric */
    EXPECT(follow(text, "w=0.6:4", 2, NAN, 0), {"BP", 1.474223, 1e-6}, {"BP", 1.0765045, 1e-6}, graze, fold,
           {"BP", 0.66025, 4e-6}, {"BP", 0.63352, 4e-6}, low, {"EP", 4, 0});
}

/* The same of an absorber, a mass with friction in a cage: next to that graze there are motions that hit one
 * of the stops, and the branch led to them, back to the symmetric ones and over itself, and never beyond. */
static void absorber(void **state)
{
    (void)state;
    EXPECT(follow("slipstick: 1\nparameters: {w: 1.024}\ncoordinates: [x, y]\nmass: {diagonal: [1, 0.059]}\n"
                  "springs:\n  - {between: [x, ground], stiffness: 1, damping: 0.109}\n"
                  "  - {between: [x, y], stiffness: 0.2, damping: 0.013}\nforces: {x: 0.414*cos(w*t)}\n"
                  "contacts:\n  left: {kind: unilateral, gap: 0.883 + y - x, restitution: 0.427}\n"
                  "  right: {kind: unilateral, gap: 0.883 - y + x, restitution: 0.427}\n"
                  "  rub: {kind: friction, slip: y' - x', normal_force: 1, law: {type: coulomb, mu: 0.019}}\n"
                  "  dry: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.044}}\n"
                  "simulate: {time: [0, 1250], initial: {x: 0.1}}\norbit: {period: 2*pi/w}\n",
                  "w=1.024:2.1", 1.024, NAN, 0),
           {"BP", 1.0263161278, 1e-8}, {"GR", 1.0272243903, 1e-8}, {"EP", 2.1, 0});
}

/* Between two stops motions that are not symmetric leave the symmetric ones at both of their branch points,
 * and are a closed branch, which is followed once. */
static void closed(void **state)
{
    static const char *const text =
        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\norbit: {period: 2*pi/w}\n"
        "simulate: {time: [0, 1500], initial: {x: 0.3, x': 0.4}}\ndamping: [[0.1]]\nparameters: {w: 1}\n"
        "forces: {x: cos(w*t)}\ncontacts:\n"
        "  right: {kind: unilateral, gap: 0.5 - x, restitution: 0.7}\n"
        "  left: {kind: unilateral, gap: 0.5 + x, restitution: 0.7}\n";
    slip_result *branch = follow(text, "w=0.6:0.7", 0.645, NAN, 0);
    (void)state;
    assert_string_equal(slip_result_label(branch, 2)->note, "it closes");
    EXPECT(branch, {"BP", 0.63352, 2e-6}, {"BP", 0.66025, 2e-6}, {"EP", 0.645, 0});
}

/* Motions between two stops that are not alike, with one hit of the first in a period or two: the branch
 * turns back at both grazes, where its two sides go almost the same way, and closes; and a motion with one
 * hit, next to whose graze the period doubles, less than a step from it. Both as with steps a tenth as long.
 */
static void next_to_grazes(void **state)
{
    slip_result *branch = follow(
        OSCILLATOR "damping: [[0.215571656]]\nparameters: {w: 2.5292751}\nforces: {x: cos(w*t)}\ncontacts:\n"
                   "  c: {kind: unilateral, gap: 0.143808212 - x, restitution: 0.757123756}\n"
                   "  d: {kind: unilateral, gap: 0.114342607 + x, restitution: 0.757123756}\n",
        "w=1.2:5", 2.5292751, NAN, 0);
    (void)state;
    assert_string_equal(slip_result_label(branch, 5)->note, "it closes");
    EXPECT(branch, {"GR", 1.408308423, 1e-8}, {"LP", 3.1035267444, 1e-9}, {"GR", 2.492197634, 1e-8},
           {"LP", 2.7718968919, 1e-9}, {"PD", 2.6828425730, 1e-9}, {"EP", 1.408308423, 1e-8});
    EXPECT(follow("slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 0.553114317]]\n"
                  "stiffness: [[1.4, -0.4], [-0.4, 1.1]]\ndamping: [[0.08, 0], [0, 0.0701583446]]\n"
                  "parameters: {w: 0.68}\nforces: {x: cos(w*t)}\n"
                  "contacts: {c: {kind: unilateral, gap: 0.565613468 - y, restitution: 0.878592409}}\n"
                  "simulate: {time: [0, 1277]}\norbit: {period: 2*pi/w}\n",
                  "w=0.6:0.72", 0.68, NAN, 0),
           {"PD", 0.64314569197, 1e-9}, {"GR", 0.640664746, 1e-8}, {"EP", 0.6, 0}, {"EP", 0.72, 0});
}

/* Corners beside other branches: one was told 1.1e-3 off, as near as straight steps come to it, and at a
 * graze the branch leapt to motions that graze elsewhere, and closed. By steps down to a tenth as long. */
static void beside_others(void **state)
{
    (void)state;
    EXPECT(follow(OSCILLATOR "damping: [[0.0429709157]]\nparameters: {w: 1.74467217}\n"
                             "forces: {x: 1.69907063*cos(w*t)}\n"
                             "contacts: {c: {kind: friction, slip: x' - 0.821907024, normal_force: 1, law: "
                             "{type: stribeck,\n  mu: 0.160550391, static_ratio: 1.62100436, velocity: "
                             "0.985091298}}}\n",
                  "w=0.542320709:5.19325309", 1.74467217, NAN, 0),
           {"SL", 0.58546586628, 1e-9}, {"EP", 0.542320709, 0}, {"SL", 2.36136165420, 1e-9},
           {"SL", 2.44313667026, 1e-9}, {"SL", 2.47169400413, 1e-9}, {"EP", 5.19325309, 0});
    EXPECT(follow(OSCILLATOR "damping: [[0.111971019]]\nparameters: {w: 2.56008953}\nforces: {x: cos(w*t)}\n"
                             "contacts:\n  c: {kind: unilateral, gap: 0.153102389 - x, restitution: "
                             "0.636393606}\n"
                             "  d: {kind: unilateral, gap: 0.166798767 + x, restitution: 0.636393606}\n",
                  "w=0.839858705:7.54997609", 2.56008953, NAN, 0),
           {"GR", 2.31360209338, 1e-9}, {"LP", 2.46748277331, 1e-9}, {"PD", 2.39156456525, 1e-9},
           {"GR", 1.27657101213, 1e-9}, {"LP", 1.58910599641, 1e-9}, {"PD", 1.32025028466, 1e-9},
           {"GR", 1.24392926993, 1e-9}, {"LP", 1.28373271212, 1e-9}, {"PD", 1.27660749964, 1e-9},
           {"GR", 0.969135870176, 1e-9}, {"LP", 1.08502886002, 1e-9}, {"PD", 1.00460628708, 1e-9},
           {"GR", 0.95723293021, 1e-9}, {"LP", 0.976054859336, 1e-9}, {"PD", 0.974133183336, 1e-9},
           {"GR", 0.845985868825, 1e-9}, {"LP", 0.898910983948, 1e-9}, {"PD", 0.868418991312, 1e-9},
           {"EP", 0.839858705, 0}, {"LP", 6.43798405846, 1e-9}, {"GR", 2.71309425706, 1e-9},
           {"GR", 2.74305507488, 1e-9}, {"EP", 7.54997609, 0});
}

/* At a graze that the branch comes to in many short steps the start of the period moves, and with it the
 * motion may be found on the other side: it once went back from there as if it came to it, and never
 * reached 1.25. */
static void across_graze(void **state)
{
    slip_result *branch =
        follow(OSCILLATOR "damping: [[0.1]]\nparameters: {w: 0.6}\nforces: {x: cos(w*t)}\ncontacts:\n"
                          "  right: {kind: unilateral, gap: 0.5 - x, restitution: 0.7}\n"
                          "  left: {kind: unilateral, gap: 0.6 + x, restitution: 0.7}\n",
               "w=0.6:1.25", 0.761, NAN, 0);
    const slip_label *last = slip_result_label(branch, slip_result_label_count(branch) - 1);
    (void)state;
    assert_string_equal(last->note, "end of the range");
    assert_close(last->value, 1.25, 0);
    slip_result_destroy(branch);
}

/* Cycles on belts that shrink to steady sliding, in which they end where the falling law, with the slope
 * 0.48 v/0.09 exp(-(v/0.3)^2) at the velocity v, balances the damping 0.05; stick ends a little before, where
 * a motion that only slips just comes to the velocity of the belt (integrated by DOP853). With a law that has
 * a slope at v = 0 the cycle sticks at all sizes, and shrinks with the velocity itself. */
static void to_equilibria(void **state)
{
    static const char *const text =
        "slipstick: 1\nparameters: {vb: 0.2}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
        "damping: [[0.05]]\ncontacts: {belt: {kind: friction, slip: x' - vb,\n"
        "  law: {type: stribeck, mu: 0.3, static_ratio: 1.8, velocity: 0.3, exponent: %d}}}\n"
        "simulate: {time: [0, 100]}\norbit: {period: auto}\n";
    char model[500];
    (void)state;
    snprintf(model, sizeof model, text, 2);
    EXPECT(follow(model, "vb=-0.5:0.5", 0.2, NAN, 0), {"SL", 0.00939108420458, 1e-10},
           {"EP", 0.00938417769674, 1e-9}, {"EP", 0.5, 0});
    snprintf(model, sizeof model, text, 1);
    EXPECT(follow(model, "vb=-0.5:0.5", 0.2, NAN, 0), {"EP", 0, 1e-9}, {"EP", 0.5, 0});
}

/* An oscillator with a second spring: doublings close to each other, and where a doubled branch ends. Next to
 * the last of these it turns once more: with `bifurcation` downwards from 2.0801 in steps of 5e-6 the motion
 * of twice the period is there from 2.08 to 2.079965, and not at 2.07996. */
static void bilinear(void **state)
{
    (void)state;
    EXPECT(follow(OSCILLATOR "damping: [[0.1]]\nparameters: {w: 2}\n"
                             "forces: {x: \"cos(w*t) - 20*max(x-0.3,0)\"}\n",
                  "w=1.9:3.5", 2, NAN, 1),
           {"EP", 1.9, 0}, {"PD", 2.0320105789, 1e-9}, {"PD", 2.0800010720, 1e-9}, {"EP", 3.5, 0},
           {"EP", 2.0320105789, 1e-9}, {"PD", 2.0752169242, 1e-9}, {"PD", 2.3217883681, 1e-9},
           {"PD", 2.3496944121, 1e-9}, {"PD", 2.5027161542, 1e-9}, {"LP", 3.1161556297, 1e-9},
           {"LP", 2.0799625, 2.5e-6}, {"EP", 2.0800010720, 1e-9});
}

/* The same over a wide range, with doublings of the doubled branch that are close to each other: as with
 * steps a third as long. */
static void wide(void **state)
{
    static const double spacings[] = {NAN, 0.015};
    slip_result *branches[2];
    (void)state;
    for (int k = 0; k < 2; k++)
        branches[k] = follow(OSCILLATOR "damping: [[0.1]]\nparameters: {w: 2}\n"
                                        "forces: {x: \"cos(w*t) - 20*max(x-0.3,0)\"}\n",
                             "w=1.5:0.6", 1.5, spacings[k], 1);
    expected list[32];
    const int64_t count = slip_result_label_count(branches[1]);
    int found = 0;
    assert_true(count <= 32);
    for (int64_t k = 0; k < count; k++) {
        const slip_label *label = slip_result_label(branches[1], k);
        list[k] = (expected){label->type, label->value, 1e-8};
        found += strcmp(label->type, "PD") == 0 &&
                 (fabs(label->value - 0.92264) < 1e-5 || fabs(label->value - 0.95495) < 1e-5);
    }
    assert_int_equal(found, 2);
    expect_labels(branches[0], list, count);
    slip_result_destroy(branches[1]);
}

/* What happens in the step that leads to a corner, and where that is. */
static void corners(void **state)
{
    /* without impact x has the amplitude 1/sqrt((1 - w^2)^2 + c^2 w^2), which is the gap where it grazes */
    const double gap = 0.118041378, c = 0.0560545265, b = 2 - c * c,
                 graze = sqrt((b + sqrt(b * b - 4 * (1 - 1 / (gap * gap)))) / 2);
    (void)state;
    EXPECT(follow(OSCILLATOR
                  "damping: [[0.0560545265]]\nparameters: {w: 2.47285822}\nforces: {x: cos(w*t)}\n"
                  "contacts: {c: {kind: unilateral, gap: 0.118041378 - x, restitution: 0.527492083}}\n",
                  "w=2:4", 2.5, NAN, 0),
           {"PD", 2.42128855834, 1e-9}, {"EP", 2, 0}, {"GR", graze, 3e-9}, {"EP", 4, 0});
    /* a fold next to a graze, with a smooth motion beyond it straight ahead */
    EXPECT(follow(OSCILLATOR
                  "damping: [[0.214849264]]\nparameters: {w: 0.45}\nforces: {x: cos(w*t)}\ncontacts:\n"
                  "  c: {kind: unilateral, gap: 1.55548925 - x, restitution: 0.42019602}\n"
                  "  d: {kind: unilateral, gap: 1.13813282 + x, restitution: 0.42019602}\n",
                  "w=0.45:0.22", 0.45, NAN, 0),
           {"LP", 0.350390776404, 1e-9}, {"GR", 0.353055718427, 1e-8}, {"EP", 0.22, 0});
    /* a doubling next to where sticking ends */
    EXPECT(follow(OSCILLATOR
                  "damping: [[0.236853185]]\nparameters: {w: 1.6}\nforces: {x: 0.326267721*cos(w*t)}\n"
                  "contacts: {c: {kind: friction, slip: x' - 0.210143088, normal_force: 1, law:\n"
                  "  {type: stribeck, mu: 0.435039123, static_ratio: 1.99832604, velocity: 0.996890208}}}\n",
                  "w=1.6:4.6", 1.6, NAN, 0),
           {"PD", 1.93101553711, 1e-9}, {"PD", 2.03531134402, 1e-9}, {"SL", 2.0403001197, 1e-9},
           {"EP", 4.6, 0});
    /* a corner at which the branch turns by more than a right angle */
    EXPECT(follow(OSCILLATOR
                  "damping: [[0.146852153]]\nparameters: {w: 0.53}\nforces: {x: 1.90193232*cos(w*t)}\n"
                  "contacts: {c: {kind: friction, slip: x' - 0.595243717, normal_force: 1, law:\n"
                  "  {type: stribeck, mu: 0.207308905, static_ratio: 1.90392709, velocity: 0.473115132}}}\n",
                  "w=0.53:0.5", 0.53, NAN, 0),
           {"SL", 0.52425321104, 1e-9}, {"SL", 0.5159556018, 1e-9}, {"EP", 0.5, 0});
}

/* Two real multipliers with the product 1 are no torus. */
static void neutral_saddles(void **state)
{
    slip_result *branch =
        follow(OSCILLATOR "damping: [[0.05]]\nparameters: {w: 1.3}\nforces: {x: 0.5*cos(w*t)}\n"
                          "contacts: {belt: {kind: friction, slip: x' - 0.5, normal_force: 1,\n"
                          "  law: {type: stribeck, mu: 0.4, static_ratio: 1.5, velocity: 0.5}}}\n",
               "w=1.3:2.5", 1.3, 0.03, 0);
    (void)state;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        assert_string_not_equal(slip_result_label(branch, k)->type, "NS");
    slip_result_destroy(branch);
}

/* A fold and a torus in one step: a forced oscillator of van der Pol. */
static void order(void **state)
{
    slip_result *branch = follow("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
                                 "parameters: {F: 0.6}\nforces: {x: \"0.4*(1-x^2)*x' + F*cos(1.1*t)\"}\n"
                                 "simulate: {time: [0, 300], initial: {x: 1}}\norbit: {period: 2*pi/1.1}\n",
                                 "F=2:0.1", 0.6, NAN, 0);
    (void)state;
    assert_string_equal(slip_result_label(branch, 2)->to, "stable");
    assert_string_equal(slip_result_label(branch, 3)->from, "stable");
    EXPECT(branch, {"EP", 2, 0}, {"LP", 0.427432325, 1e-8}, {"LP", 0.434756535, 1e-8},
           {"NS", 0.434698580, 1e-8}, {"EP", 0.1, 0});
}

/* Its curve of tori ends where both multipliers become real. */
static void curve_of_tori(void **state)
{
    slip_model *model = parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
                              "parameters: {F: 0.6, w: 1.1}\norbit: {period: 2*pi/w}\n"
                              "forces: {x: \"0.4*(1-x^2)*x' + F*cos(w*t)\"}\n"
                              "simulate: {time: [0, 300], initial: {x: 1}}\n");
    slip_branch_options options = slip_branch_options_default();
    slip_axis over = {0}, second = {0};
    slip_result *curve = NULL;
    (void)state;
    good(slip_axis_parse(ctx, "F=0.7:0.3", &over));
    good(slip_axis_parse(ctx, "w=1.05:1.12", &second));
    options.axis = &over;
    options.second = &second;
    options.curve = "NS";
    good(slip_branch_follow(ctx, model, &options, &curve));
    assert_int_equal(slip_result_label_count(curve), 2);
    assert_string_equal(slip_result_label(curve, 0)->note, "both multipliers become real");
    assert_string_equal(slip_result_label(curve, 1)->note, "end of the range");
    slip_result_destroy(curve);
    slip_axis_free(&over);
    slip_axis_free(&second);
    slip_model_destroy(model);
}

/* A frequency has no period at zero: the branch ends with that as the reason, after a bounded time. */
static void to_no_frequency(void **state)
{
    (void)state;
    slip_result *branch = follow(OSCILLATOR "damping: [[0.4]]\nparameters: {w: 0.4}\nforces: {x: cos(w*t)}\n",
                                 "w=0:0.5", NAN, NAN, 0);
    const slip_label *end = slip_result_label(branch, 0);
    assert_string_equal(end->note, "the period grows without bound");
    assert_true(end->value > 0 && end->value < 0.004);
    EXPECT(branch, {"EP", 0.002, 0.002}, {"EP", 0.5, 0});
}

/* At low frequencies phases of stick come one after the other, and pieces with the same events follow each
 * other: each change is told once, in its place. */
static void one_after_the_other(void **state)
{
    (void)state;
    slip_result *branch = follow(OSCILLATOR "parameters: {w: 0.8}\nforces: {x: cos(w*t)}\n"
                                            "contacts: {c: {kind: friction, slip: x', normal_force: 1,\n"
                                            "  law: {type: coulomb, mu: 0.3}}}\n",
                                 "w=0.025:1", NAN, NAN, 0);
    /* the last one where a step ends at the end of the range; its piece ends once more beyond, at 0.024994 */
    const double values[] = {0.0411,          0.0367112508646848, 0.0328520031834, 0.0327428706219,
                             0.0297344993520, 0.0271578538128,    0.0264513432365, 0.025};
    double last = INFINITY;
    int next = 1;
    for (int64_t k = 0; k < slip_result_label_count(branch) && next < 8; k++) {
        const double value = slip_result_label(branch, k)->value;
        assert_true(value < last);
        last = value;
        if (value < values[0])
            assert_close(value, values[next++], 1e-9);
    }
    assert_int_equal(next, 8);
    slip_result_destroy(branch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_of_numbers(bounces_that_accumulate),
                                       cmocka_unit_test(to_limits),
                                       cmocka_unit_test_of_numbers(two_stops),
                                       cmocka_unit_test_of_numbers(absorber),
                                       cmocka_unit_test(closed),
                                       cmocka_unit_test_of_numbers(next_to_grazes),
                                       cmocka_unit_test_of_numbers(beside_others),
                                       cmocka_unit_test_of_numbers(across_graze),
                                       cmocka_unit_test_of_numbers(to_equilibria),
                                       cmocka_unit_test_of_numbers(bilinear),
                                       cmocka_unit_test_of_numbers(wide),
                                       cmocka_unit_test_of_numbers(corners),
                                       cmocka_unit_test(to_no_frequency),
                                       cmocka_unit_test_of_numbers(one_after_the_other),
                                       cmocka_unit_test_of_numbers(neutral_saddles),
                                       cmocka_unit_test(order),
                                       cmocka_unit_test_of_numbers(curve_of_tori)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
