/* Gear trains by the methods that keep a state of their own: `exponential`, whose gears are condensed or have
 * modes alone, and `explicit`, whose gears are whole. Two gears as those of `gears:`; an idler; two stages on
 * three shafts; what these methods cannot move. */
#include "test.h"

#include "model/model.h"
#include "simulation/simulation.h"
#include "slipstick/statics.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINE "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 2e-5, element: full"
#define MESH "mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"
#define BODY "gear: {teeth: %d, " OUTLINE "}, " MESH

static slip_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

/* ---- Models. */

/* How gears are kept: condensed, by modes alone, whole. */
typedef struct kind {
    const char *method, *reduce;
    double balance, momentum; /* errors that energy and angular momentum may have */
} kind;

static const kind condensed = {"exponential", "reduce: {modes: 20, contact: condensed}", 2e-4, 1e-9},
                  alone = {"exponential", "reduce: {modes: 20, contact: none}", 2e-4, 1e-9},
                  whole = {"explicit", "reduce: none", 5e-4, 1e-9};

static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static void add_body(char *text, size_t size, const kind *k, const char *name, int teeth, const char *turn)
{
    add(text, size, "  %s: {" BODY ", turn: %s, %s}\n", name, teeth, turn, k->reduce);
}

static slip_result *run_text(const char *text)
{
    slip_model *model = NULL;
    slip_result *r = NULL;
    if (slip_model_parse(ctx, text, "train.yaml", NULL, &model) < 0 || slip_run(ctx, model, NULL, &r) < 0)
        fail_msg("%s\n%s", slip_context_message(ctx), text);
    slip_model_destroy(model);
    return r;
}

static double number(const slip_result *r, const char *name)
{
    const double value = slip_result_number(r, name);
    if (isnan(value))
        fail_msg("no number %s", name);
    return value;
}

static const double *series(const slip_result *r, const char *name, int64_t *count)
{
    const double *x = slip_result_series(r, name, count);
    if (!x)
        fail_msg("no series %s", name);
    return x;
}

/* Energy, momentum of every shaft, and the law of the flanks, in metres. */
static void check_balances(const slip_result *r, const kind *k, bool turning, const char *const *shafts)
{
    const double limit = turning ? 2e-5 : k->balance; /* in an impact steps are longer */
    assert_true(number(r, "energy.drift") < limit);
    assert_true(fabs(number(r, "energy.balance")) < limit);
    for (; *shafts; shafts++) {
        char name[60];
        snprintf(name, sizeof name, "momentum.%s", *shafts);
        assert_true(fabs(number(r, name)) < k->momentum);
    }
    assert_true(number(r, "residual") < 1e-9);
}

/* ---- Two gears. */

/* The same gears by `gears:` and `flanks:`, which are as they were, and as a train: to rounding. Coordinates
 * of a train are zero where the flanks are about to touch. */
static void two_gears_are_those_of_a_pair(void **state)
{
    static const kind *const kinds[] = {&condensed, &alone, &whole};
    static const char *const reductions[] = {"condensed", "none", NULL};
    static const char *const shafts[] = {"phi1", "phi2", NULL};
    (void)state;
    for (int k = 0; k < 4; k++) { /* once more with friction */
        const kind *own = kinds[k % 3];
        const char *friction = k == 3 ? ", friction: {type: tanh, mu: 0.1, velocity: 0.05}" : "";
        const char *penalty = k == 0 ? "rigid" : "1e9";
        char text[3000] = "slipstick: 1\ngears:\n", train[3000] = "slipstick: 1\ncoordinates: [phi1, phi2]\n";
        for (int g = 0; g < 2; g++) {
            add(text, sizeof text, "  %s: {teeth: %d, " OUTLINE ", " MESH ", %s", g ? "wheel" : "pinion",
                g ? 15 : 12, g ? "torque: -3" : "speed: 5, inertia: 1e-4");
            if (reductions[k % 3])
                add(text, sizeof text, ", modes: 20, static: %s, damping: {modes: 1e-9, static: 1e-7}",
                    reductions[k % 3]);
            add(text, sizeof text, "}\n");
        }
        add(text, sizeof text, "flanks: {penalty: %s%s}\n", penalty, friction);
        add(text, sizeof text, "simulate: {time: [0, 5e-5], samples: 11, method: %s}\n", own->method);
        add(train, sizeof train, "mass: {diagonal: [1e-4, 0]}\nforces: {phi2: -3}\nbodies:\n");
        for (int g = 0; g < 2; g++)
            add(train, sizeof train, "  %s: {" BODY ", turn: phi%d, %s%s}\n", g ? "wheel" : "pinion",
                g ? 15 : 12, g + 1, own->reduce,
                reductions[k % 3] ? ", damping: {modes: 1e-9, static: 1e-7}" : "");
        add(train, sizeof train,
            "contacts: {mesh: {kind: flanks, between: [pinion, wheel], penalty: %s%s}}\n"
            "simulate: {time: [0, 5e-5], method: %s, initial: {phi1': 5}, record: {points: 11}}\n",
            penalty, friction, own->method);
        slip_result *pair = run_text(text), *r = run_text(train);
        check_balances(r, own, false, shafts);
        assert_close_relative(number(r, "peak_force"), number(pair, "peak_force"), 1e-7);
        int64_t count, events;
        const double *force = series(pair, "force", &count), *normal = series(r, "mesh.normal", &events);
        for (int g = 0; g < 2; g++) {
            const double *angle = series(pair, g ? "wheel.angle" : "pinion.angle", NULL),
                         *speed = series(pair, g ? "wheel.speed" : "pinion.speed", NULL),
                         *phi = series(r, g ? "phi2" : "phi1", NULL),
                         *rate = series(r, g ? "phi2'" : "phi1'", NULL);
            /* `explicit` takes the steps that are nearest to its end. */
            const double late = series(r, "t", NULL)[events - 1] - series(pair, "t", NULL)[count - 1];
            assert_close(phi[events - 1] - late * rate[events - 1], angle[count - 1] - angle[0], 1e-9);
            assert_close(rate[events - 1], speed[count - 1], late == 0 ? 1e-7 : 1e-3);
        }
        assert_close(normal[events - 1], force[count - 1], 1e-2 * number(pair, "peak_force"));
        assert_true(number(pair, "peak_force") > 100);
        slip_result_destroy(r);
        slip_result_destroy(pair);
    }
}

/* ---- An idler. */

/* An impact, or (time above that of one) under load, with speeds that fit. */
static slip_result *run_idler(const kind *k, bool third, double away, double time)
{
    const bool loaded = time > 1e-4;
    const double torque = loaded ? 20 : 0;
    char text[4000] = "slipstick: 1\n";
    add(text, sizeof text, "coordinates: [first, idler%s]\n", third ? ", last" : "");
    add(text, sizeof text, "mass: {diagonal: [1e-4, 0%s]}\nbodies:\n", third ? ", 1e-4" : "");
    add_body(text, sizeof text, k, "left", 15, "first");
    add_body(text, sizeof text, k, "middle", 12, "idler");
    if (third)
        add_body(text, sizeof text, k, "right", 15, "last");
    add(text, sizeof text, "forces: {first: %g", torque);
    if (third)
        add(text, sizeof text, ", last: %g", -0.5 * torque);
    add(text, sizeof text,
        "}\ncontacts:\n  driving: {kind: flanks, between: [left, middle], penalty: 1e8}\n");
    if (third)
        add(text, sizeof text,
            "  driven: {kind: flanks, between: [middle, right], penalty: 1e8, sense: -1, direction: 0.4}\n");
    add(text, sizeof text, "simulate: {time: [0, %g], method: %s, initial: {first': %g", time, k->method,
        loaded ? 100.0 : 5.0);
    if (third)
        add(text, sizeof text, ", last: %g", away);
    if (loaded)
        add(text, sizeof text, ", idler': -125, last': 100");
    add(text, sizeof text, "}, record: {points: 41}}\n");
    return run_text(text);
}

/* A third gear that the idler does not reach changes nothing. */
static void a_gear_that_is_away_changes_nothing(void **state)
{
    static const kind *const kinds[] = {&condensed, &alone, &whole};
    static const char *const both[] = {"first", "idler", NULL}, *const all[] = {"first", "idler", "last",
                                                                                NULL};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *two = run_idler(kinds[k], false, 0, 6e-5),
                    *three = run_idler(kinds[k], true, 8e-4, 6e-5);
        check_balances(two, kinds[k], false, both);
        check_balances(three, kinds[k], false, all);
        assert_true(number(two, "contacts.driving.normal") > 100);
        assert_true(number(three, "contacts.driven.normal") == 0);
        assert_close(number(three, "final.last'"), 0, 1e-9);
        for (int i = 0; both[i]; i++) {
            char name[60];
            snprintf(name, sizeof name, "final.%s", both[i]);
            assert_close_relative(number(three, name), number(two, name), 1e-8);
            snprintf(name, sizeof name, "final.%s'", both[i]);
            assert_close_relative(number(three, name), number(two, name), 1e-6);
        }
        slip_result_destroy(two);
        slip_result_destroy(three);
    }
}

/* Both wheels turn alike but for the facets of coarse flanks (some 0.04 mm) and dents, whatever moves them.
 */
static void an_idler_turns_two_wheels_alike(void **state)
{
    static const kind *const kinds[] = {&condensed, &whole};
    static const char *const all[] = {"first", "idler", "last", NULL};
    double first[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *r = run_idler(kinds[k], true, 0, 1e-3);
        check_balances(r, kinds[k], true, all);
        first[k] = number(r, "final.first");
        assert_true(first[k] > 0.1);
        assert_close(number(r, "final.last"), first[k], 7e-3);
        assert_close(number(r, "final.idler"), -15. / 12 * first[k], 7e-3);
        assert_true(number(r, "contacts.driven.normal") > 100);
        slip_result_destroy(r);
    }
    assert_close_relative(first[1], first[0], 0.02);
}

/* With 40 modes of this idler the attachment vectors of its eight flanks have more inertia together than the
 * modes left, which is shared among them. Forces at the end of an impact are those of condensed gears, whose
 * flanks are not taken as independent for that; with 20 modes they are off by 6e-3. */
static void flanks_share_the_inertia_of_an_idler(void **state)
{
    static const kind attached = {"event", "reduce: {modes: 40, contact: attachment}", 1e-6, 0},
                      follow = {"exponential", "reduce: {modes: 40, contact: condensed}", 1e-3, 1e-9};
    static const char *const names[] = {"contacts.driving.normal", "contacts.driven.normal", "final.first'",
                                        "final.last'"};
    slip_result *r = run_idler(&attached, true, 0, 1e-4), *other = run_idler(&follow, true, 0, 1e-4);
    (void)state;
    assert_true(fabs(number(r, "energy.balance")) < attached.balance);
    for (int i = 0; i < 4; i++)
        assert_close_relative(number(r, names[i]), number(other, names[i]), 2e-3);
    slip_result_destroy(r);
    slip_result_destroy(other);
}

static void keep_warning(void *user, slip_log_level level, const char *message)
{
    char *warning = user;
    if (level == SLIP_LOG_WARNING && !*warning)
        snprintf(warning, 400, "%s", message);
}

/* Modes that do not have how a gear turns against its shaft leave so much of its inertia to the vectors of
 * its flanks that results are off, by 2 % here: that is told. So is, with 8 modes, that most of what a flank
 * yields is left to its own vectors (3 %). With 40 modes there is nothing to tell. */
static void too_few_modes_are_told(void **state)
{
    static const kind few = {"event", "reduce: {modes: 2, contact: attachment}", 1e-6, 0},
                      some = {"event", "reduce: {modes: 8, contact: attachment}", 1e-6, 0},
                      enough = {"event", "reduce: {modes: 40, contact: attachment}", 1e-6, 0},
                      follow = {"exponential", "reduce: {modes: 60, contact: condensed}", 1e-3, 1e-9};
    static const kind *const kinds[] = {&follow, &enough, &few, &some};
    char warning[4][400] = {"", "", "", ""};
    double speed[4];
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_context_set_log(ctx, keep_warning, warning[k]);
        slip_result *r = run_idler(kinds[k], true, 0, 1e-4);
        speed[k] = number(r, "final.last'");
        slip_result_destroy(r);
        slip_context_set_log(ctx, NULL, NULL);
    }
    print_message("off by %.1e and %.1e\n%s\n", speed[1] / speed[0] - 1, speed[2] / speed[0] - 1, warning[2]);
    assert_string_equal(warning[0], "");
    assert_string_equal(warning[1], "");
    assert_close_relative(speed[1], speed[0], 1e-3);
    assert_non_null(strstr(warning[2], "body `left`: its 2 modes are too few"));
    assert_true(fabs(speed[2] / speed[0] - 1) > 0.01);
    assert_non_null(strstr(warning[3], "body `left`: its 8 modes are too few: they leave 0.8"));
    assert_true(fabs(speed[3] / speed[0] - 1) > 0.01);
}

/* ---- Static equilibrium. */

/* An idler with loads on both wheels, 20 N m on the last one. */
static int start_idler(const char *contact, const char *method, const char *first, slip_result **r)
{
    char text[4000] = "slipstick: 1\ncoordinates: [first, idler, last]\nmass: {diagonal: [1e-4, 0, 1e-4]}\n";
    char reduce[80];
    slip_model *model = NULL;
    int status;
    snprintf(reduce, sizeof reduce, *contact ? "reduce: {modes: 20, contact: %s}" : "reduce: none%s",
             contact);
    const kind own = {method, reduce, 0, 0};
    add(text, sizeof text, "%s\nbodies:\n", first);
    add_body(text, sizeof text, &own, "left", 15, "first");
    add_body(text, sizeof text, &own, "middle", 12, "idler");
    add_body(text, sizeof text, &own, "right", 15, "last");
    add(text, sizeof text,
        "contacts:\n  driving: {kind: flanks, between: [left, middle], penalty: 1e8}\n"
        "  driven: {kind: flanks, between: [middle, right], penalty: 1e8, sense: -1, direction: 0.4}\n"
        "simulate: {time: [0, %g], method: %s, initial: static, record: {points: 41}}\n",
        *contact ? 2e-4 : 2e-5, method);
    status = slip_model_parse(ctx, text, "train.yaml", NULL, &model);
    if (status >= 0)
        status = slip_run(ctx, model, NULL, r);
    slip_model_destroy(model);
    return status;
}

/* By `exponential` as by `event` with a stiff spring, which brings what the first wheel has to carry; from
 * there nothing vibrates. So too by `explicit`. Loads that do not balance are told. */
static void trains_start_at_rest(void **state)
{
    static const char *const contacts[] = {"none", "condensed", ""}, *const methods[] = {"exponential",
                                                                                         "exponential",
                                                                                         "explicit"};
    static const char *const names[] = {"idler", "last", "driving.normal", "driven.normal"};
    double yielded[3][4];
    slip_result *held = NULL;
    (void)state;
    assert_int_equal(start_idler("none", "event",
                                 "forces: {last: -20}\nsprings: [{between: [first, ground], stiffness: 1e9}]",
                                 &held),
                     SLIP_OK);
    const double torque = -1e9 * number(held, "final.first");
    for (int k = 0; k < 3; k++) {
        slip_result *r = NULL;
        char loads[100];
        snprintf(loads, sizeof loads, "forces: {first: %.17g, last: -20}", torque);
        if (start_idler(contacts[k], methods[k], loads, &r) < 0)
            fail_msg("%s", slip_context_message(ctx));
        for (int i = 0; i < 4; i++) {
            int64_t count;
            const double *x = series(r, names[i], &count), expected = series(held, names[i], NULL)[0];
            if (k == 0) /* the same equations, but for what the spring yields */
                assert_close_relative(x[0], expected, 2e-4);
            yielded[k][i] = x[0];
            for (int64_t j = 0; i >= 2 && j < count; j++)
                assert_close_relative(x[j], x[0], 1e-3);
        }
        slip_result_destroy(r);
        assert_int_equal(start_idler(contacts[k], methods[k], "forces: {first: 9, last: -20}", &r),
                         SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx), "expected loads that balance: 18.3"));
    }
    for (int i = 0; i < 4; i++) /* whole gears as with all that 20 modes leave out, but for large strains */
        assert_close_relative(yielded[2][i], yielded[1][i], 5e-3);
    slip_result_destroy(held);
}

/* ---- Two stages on three shafts. */

static void stages_turn_with_the_product_of_ratios(void **state)
{
    static const kind *const kinds[] = {&condensed, &whole};
    static const char *const shafts[] = {"a", "b", "c", NULL};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[4000] = "slipstick: 1\ncoordinates: [a, b, c]\nmass: {diagonal: [2e-4, 0, 1e-4]}\n"
                          "forces: {a: 10, c: -10}\nbodies:\n";
        add_body(text, sizeof text, kinds[k], "one", 12, "a");
        add_body(text, sizeof text, kinds[k], "two", 15, "b");
        add_body(text, sizeof text, kinds[k], "three", 12, "b");
        add_body(text, sizeof text, kinds[k], "four", 18, "c");
        add(text, sizeof text,
            "contacts:\n  fast: {kind: flanks, between: [one, two], penalty: 1e8}\n"
            "  slow: {kind: flanks, between: [three, four], penalty: 1e8, sense: -1, direction: 1}\n"
            "simulate: {time: [0, 1e-3], method: %s, initial: {a': 100, b': -80, c': %.17g}, "
            "record: {points: 21}}\n",
            kinds[k]->method, 80 * 12. / 18);
        slip_result *r = run_text(text);
        check_balances(r, kinds[k], true, shafts);
        const double a = number(r, "final.a");
        assert_true(a > 0.1);
        assert_close(number(r, "final.b"), -12. / 15 * a, 1.5e-3);
        assert_close(number(r, "final.c"), 12. / 15 * 12 / 18 * a, 5e-3);
        assert_true(number(r, "contacts.fast.normal") > 100 && number(r, "contacts.slow.normal") > 100);
        slip_result_destroy(r);
    }
}

/* ---- States and loads of a simulation. */

/* Saved and restored it goes on with the same bits; another torque is taken over. */
static void simulations_are_kept(void **state)
{
    static const kind *const kinds[] = {&condensed, &whole};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[3000] = "slipstick: 1\nparameters: {torque: 20}\ncoordinates: [first, idler]\n"
                          "mass: {diagonal: [1e-4, 0]}\nforces: {first: torque}\nbodies:\n";
        slip_model *model = NULL;
        slip_simulation *s = NULL;
        slip_saved_state *kept = NULL;
        double end[2];
        add_body(text, sizeof text, kinds[k], "left", 15, "first");
        add_body(text, sizeof text, kinds[k], "middle", 12, "idler");
        add(text, sizeof text,
            "contacts: {driving: {kind: flanks, between: [left, middle], penalty: 1e8}}\n"
            "simulate: {time: [0, 4e-5], method: %s, initial: {first': 5}}\n",
            kinds[k]->method);
        assert_int_equal(slip_model_parse(ctx, text, "train.yaml", NULL, &model), SLIP_OK);
        assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, 2e-5), SLIP_OK);
        assert_int_equal(slip_simulation_save(ctx, s, &kept), SLIP_OK);
        assert_true(slip_simulation_number(s, "driving.normal") > 0);
        assert_true(slip_simulation_number(s, "idler'") < 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(slip_simulation_advance(ctx, s, 4e-5), SLIP_OK);
            end[i] = slip_simulation_number(s, "first'");
            assert_int_equal(slip_simulation_restore(ctx, s, kept), SLIP_OK);
        }
        assert_true(end[0] == end[1]);
        assert_int_equal(slip_simulation_input(s, "torque", 2000), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, 4e-5), SLIP_OK);
        assert_true(slip_simulation_number(s, "first'") > end[0] + 1);
        slip_saved_state_destroy(kept);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* ---- What is refused. */

static void refuse(const kind *k, const char *more, const char *mesh, const char *message)
{
    char text[3000] = "slipstick: 1\ncoordinates: [phi1, phi2]\nmass: {diagonal: [1e-4, 1e-4]}\nbodies:\n";
    slip_model *model = NULL;
    slip_result *r = NULL;
    add_body(text, sizeof text, k, "pinion", 12, "phi1");
    add_body(text, sizeof text, k, "wheel", 15, "phi2");
    add(text, sizeof text,
        "contacts:\n  mesh: {kind: flanks, between: [pinion, wheel], penalty: %s}\n%s\n"
        "simulate: {time: [0, 1e-5], method: %s}\n",
        mesh, more, k->method);
    const int status = slip_model_parse(ctx, text, "train.yaml", NULL, &model) < 0
                           ? SLIP_ERROR_MODEL
                           : slip_run(ctx, model, NULL, &r);
    assert_int_equal(status, SLIP_ERROR_MODEL);
    if (!strstr(slip_context_message(ctx), message))
        fail_msg("%s", slip_context_message(ctx));
    slip_result_destroy(r);
    slip_model_destroy(model);
}

static void other_models_are_refused(void **state)
{
    static const kind by_event = {"event", "reduce: none", 0, 0},
                      also = {"event", "reduce: {modes: 5, contact: condensed}", 0, 0},
                      attached = {"exponential", "reduce: {modes: 20}", 0, 0},
                      reduced = {"explicit", "reduce: {modes: 5, contact: none}", 0, 0};
    (void)state;
    refuse(&alone, "springs: [{between: [phi1, ground], stiffness: 1}]", "1e8",
           "a spring, a damper or a mass");
    refuse(&alone, "forces: {phi1: sin(1e4*t)}", "1e8", "a load that varies, on `phi1`");
    refuse(&alone, "  brake: {kind: friction, slip: phi2', normal_force: 1, law: {type: coulomb, mu: 1}}",
           "1e8", "contact `brake`");
    refuse(&alone, "", "rigid", "rigid flanks are for `reduce: {contact: condensed}`");
    refuse(&by_event, "", "1e8", "expected explicit");
    refuse(&also, "", "1e8", "expected exponential");
    refuse(&attached, "", "1e8", "expects `reduce: {contact: condensed}` or `none`");
    refuse(&reduced, "", "1e8", "moves whole gears: expected `reduce: none`");
}

/* Everything but runs. */
static void studies_are_refused(void **state)
{
    static const kind *const kinds[] = {&condensed, &whole};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[3000] =
            "slipstick: 1\ncoordinates: [phi1, phi2]\nmass: {diagonal: [1e-4, 1e-4]}\nbodies:\n";
        slip_model *model = NULL;
        slip_result *r = NULL;
        add_body(text, sizeof text, kinds[k], "pinion", 12, "phi1");
        add_body(text, sizeof text, kinds[k], "wheel", 15, "phi2");
        add(text, sizeof text,
            "contacts: {mesh: {kind: flanks, between: [pinion, wheel]}}\n"
            "simulate: {time: [0, 1e-5], initial: static}\n");
        assert_int_equal(slip_model_parse(ctx, text, "train.yaml", NULL, &model), SLIP_OK);
        assert_int_equal(slip_run(ctx, model, NULL, &r), SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx), "found no torque on the shafts"));
        slip_statics *statics = NULL;
        assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx), "gears among its bodies"));
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gears_are_those_of_a_pair),
        cmocka_unit_test(a_gear_that_is_away_changes_nothing),
        cmocka_unit_test(an_idler_turns_two_wheels_alike),
        cmocka_unit_test(flanks_share_the_inertia_of_an_idler),
        cmocka_unit_test(too_few_modes_are_told),
        cmocka_unit_test(trains_start_at_rest),
        cmocka_unit_test(stages_turn_with_the_product_of_ratios),
        cmocka_unit_test(simulations_are_kept),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(studies_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
