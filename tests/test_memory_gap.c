/* Laws with memory under gaps, rigid and compliant: they forget where the contact opens. */
#include "motion_test.h"
#include "slipstick/simulation.h"

#include <math.h>

static double final(const slip_result *result, const char *name)
{
    char path[60];
    snprintf(path, sizeof path, "final.%s", name);
    return slip_result_number(result, path);
}

static const char *const laws[] = {
    "{type: dahl, mu: 0.5, stiffness: 20, viscous: 0.01}",
    "{type: lugre, mu: 0.5, static_ratio: 1.3, velocity: 0.1, stiffness: 30, damping: 1}",
    "{type: jenkins, mu: 0.5, stiffness: 20}",
    "{type: boucwen, stiffness: 20, beta: 30, gamma: 10}",
    "{type: elastoplastic, mu: 0.5, velocity: 0.1, stiffness: 30, damping: 1, breakaway: 0.005}",
    "{type: iwan, elements: [[15, 0.2], [10, 0.3]]}",
    "{type: rate_state, mu: 0.5, a: 0.05, b: 0.03, length: 0.1, velocity: 0.1}"};
enum { law_count = 7, planes = 4 };

/* ---- A contact that stays closed under its weight is one with a given normal force. */
static void closed_is_given(void **state)
{
    (void)state;
    for (int k = 0; k < law_count; k++)
        for (int plane = 0; plane < (k < planes ? 2 : 1); plane++) {
            double found[2][3];
            for (int gap = 0; gap < 2; gap++) {
                char text[900];
                snprintf(text, sizeof text,
                         "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\nstiffness: "
                         "{diagonal: [5, 5, 0]}\nforces: {x: 8*sin(2*t), y: 6*sin(2*t), z: -9}\ncontacts: "
                         "{floor: {%s, slip: %s, law: %s}%s}\nsimulate: {time: [0, 3]}\n",
                         gap ? "kind: unilateral, gap: z" : "kind: friction, normal_force: 9",
                         plane ? "[x', y']" : "0.8*x' + 0.6*y'", laws[k],
                         gap ? "" : ", ground: {kind: unilateral, gap: z}");
                slip_model *model = parse(text);
                slip_result *result = run_by(model, "event", NAN, 1e-10);
                found[gap][0] = final(result, "x");
                found[gap][1] = final(result, "y");
                slip_result_destroy(result);
                result = run_by(model, "moreau", 1e-3, NAN);
                found[gap][2] = final(result, "x");
                slip_result_destroy(result);
                slip_model_destroy(model);
            }
            near(found[1][0], found[0][0], 2e-8, laws[k]);
            near(found[1][1], found[0][1], 2e-8, laws[k]);
            near(found[1][2], found[0][2], 1e-9, laws[k]);
            near(found[1][2], found[1][0], 1e-3, laws[k]);
        }
}

/* ---- The same from steady sliding on a belt, whose states are not those of an open contact: the floor may
 * be a spring. */
static void starts_in_contact(void **state)
{
    static const char *const floors[] = {"kind: friction, normal_force: 9", "kind: unilateral, gap: z",
                                         "kind: unilateral, gap: z, normal: {stiffness: 1e4}"};
    static const char *const methods[] = {"event", "moreau"};
    (void)state;
    for (int k = 0; k < law_count; k++)
        for (int m = 0; m < 2; m++) {
            double found[3];
            for (int floor = 0; floor < 3; floor++) {
                char text[900];
                snprintf(text, sizeof text,
                         "slipstick: 1\ncoordinates: [x, z]\nmass: {diagonal: [1, 1]}\nstiffness: "
                         "{diagonal: [5, 0]}\nforces: {z: -9}\ncontacts: {floor: {%s, slip: \"x' - 0.2 + "
                         "0.6*sin(2*t)\", law: %s}%s}\nsimulate: {time: [0, 3], initial: static}\n",
                         floors[floor], laws[k], floor > 0 ? "" : ", ground: {kind: unilateral, gap: z}");
                slip_model *model = parse(text);
                slip_result *result = run_by(model, methods[m], m == 1 ? 1e-3 : NAN, m == 1 ? NAN : 1e-10);
                found[floor] = final(result, "x");
                slip_result_destroy(result);
                slip_model_destroy(model);
            }
            near(found[1], found[0], 1e-7, laws[k]);
            near(found[2], found[0], 1e-7, laws[k]);
        }
}

/* ---- A block falls on the floor, rests, is lifted, and falls again. Dahl's force is a function of the way
 * since the landing, F = mu (1 - exp(-k s/mu)): so is the speed, v^2 = v0^2 - 2 g (mu s - mu^2/k (1 - exp(-k
 * s/mu))). */
static void forgets_in_flight(void **state)
{
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\nforces: {z: 'if((t > "
            "0.3)*(t < 0.4), 5, -10)'}\ncontacts: {floor: {kind: unilateral, gap: z, slip: %s, law: {type: "
            "dahl, mu: 0.2, stiffness: 50}}}\nsimulate: {time: [0, 0.6], initial: {x': %g, y': %g, z: "
            "0.05}, record: {points: 601}}\n",
            plane ? "[x', y']" : "x'", plane ? 1.2 : 2, plane ? 1.6 : 0.0);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-11);
        /* down at 0.1, up at 0.3; with 5 for 0.1, then -10: flies for 0.1 + 0.05 + sqrt(2 (0.025 +
         * 0.0125)/10) */
        const double down = 0.1, lift = 0.3, back = 0.45 + sqrt(2 * 0.0375 / 10);
        int64_t count;
        const double *t = slip_result_series(result, "t", &count), *x = slip_result_series(result, "x", NULL),
                     *y = slip_result_series(result, "y", NULL), *u = slip_result_series(result, "x'", NULL),
                     *w = slip_result_series(result, "y'", NULL),
                     *zx = slip_result_series(result, plane ? "floor.zx" : "floor.z", NULL);
        double from = 0, speed = 0;
        assert_non_null(zx);
        near(slip_result_event(result, 0)->time, down, 1e-10, "lands");
        near(slip_result_event(result, 1)->time, lift, 1e-10, "is lifted");
        near(slip_result_event(result, 2)->time, back, 1e-9, "lands again");
        for (int64_t i = 0; i < count; i++) {
            const double path = hypot(x[i], y[i]), v = hypot(u[i], w[i]);
            if (t[i] < down || (t[i] > lift && t[i] < back)) {
                assert_true(t[i] < lift + 1e-12 || zx[i] == 0);
                from = path + v * ((t[i] < lift ? down : back) - t[i]);
                speed = v;
                continue;
            }
            const double s = path - from, bend = 0.04 / 50 * (1 - exp(-50 * s / 0.2));
            near(v * v, speed * speed - 20 * (0.2 * s - bend), 1e-8, "speed after the landing");
        }
        slip_result_destroy(result);
        /* fixed steps come to it, by order 1: impacts are within a step */
        slip_result *fixed = run_by(model, "moreau", 1e-4, NAN), *again = run_by(model, "event", NAN, 1e-9);
        near(final(fixed, "x"), final(again, "x"), 2e-3, "moreau");
        slip_result_destroy(fixed);
        slip_result_destroy(again);
        slip_model_destroy(model);
    }
}

/* ---- A compliant floor: three methods agree, and the law forgets where nothing presses it. */
static void compliant_floor(void **state)
{
    (void)state;
    for (int k = 0; k < law_count; k++)
        for (int plane = 0; plane < (k < planes ? 2 : 1); plane++) {
            char text[900];
            snprintf(
                text, sizeof text,
                "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\nforces: {z: -10}\n"
                "contacts: {floor: {kind: unilateral, gap: z, slip: %s, normal: {stiffness: 2000, damping: "
                "0.5}, law: %s}}\nsimulate: {time: [0, 1], initial: {x': 1.2, y': 1.6, z: 0.05}, record: "
                "{points: 501}}\n",
                plane ? "[x', y']" : "0.6*x' + 0.8*y'", laws[k]);
            slip_model *model = parse(text);
            slip_result *one = run_by(model, "event", NAN, 1e-10), *two = run_by(model, "smooth", NAN, 1e-10),
                        *three = run_by(model, "moreau", 2e-4, NAN);
            int64_t count;
            const double *normal = slip_result_series(one, "floor.normal", &count), *z = NULL;
            static const char *const names[] = {"floor.z", "floor.zx", "floor.z1", "floor.theta"};
            for (int i = 0; i < 4 && !z; i++)
                z = slip_result_series(one, names[i], NULL);
            assert_non_null(z);
            const double start = strstr(laws[k], "rate_state") ? 1 : 0;
            int open = 0;
            for (int64_t i = 2; i < count; i++)
                if (normal[i] == 0 && normal[i - 1] == 0 && normal[i - 2] == 0) {
                    near(z[i], start, 1e-15, laws[k]);
                    open++;
                }
            assert_true(open > 50);
            near(final(one, "x"), final(two, "x"), 1e-7, laws[k]);
            near(final(one, "x"), final(three, "x"), 1e-3, laws[k]);
            near(slip_result_number(one, "energy.balance"), 0, 1e-7, laws[k]);
            slip_result_destroy(one);
            slip_result_destroy(two);
            slip_result_destroy(three);
            slip_model_destroy(model);
        }
}

static void messages(void **state)
{
    (void)state;
#define FLOOR(rest)                                                                                          \
    HEAD2 "contacts: {c: {kind: unilateral, gap: y, slip: x', " rest "}}\nsimulate: {time: [0, 1]}\n"
    refuse_with(
        FLOOR("impact_friction: coulomb, law: {type: boucwen, stiffness: 1, beta: 1, gamma: 1}"), NULL,
        "contact `c`: impact_friction `coulomb` is that of a law with a coefficient mu, and law `boucwen` "
        "has none");
    static const struct {
        const char *text, *method, *message;
    } cases[] = {
        {FLOOR("law: {type: dahl, mu: 1, stiffness: 10}"), "smooth",
         "contact `c` is unilateral, and method `smooth` has no impacts; use `event`"},
        {FLOOR("normal: {stiffness: 100}, law: {type: dahl, mu: 1, stiffness: 10}"), "rk4",
         "contact `c`: law `dahl` has memory, which is lost where the contact opens, and method `rk4` "
         "does not stop there; use `event`, `smooth` or `moreau`"}};
    for (int k = 0; k < 2; k++) {
        slip_model *model = parse(cases[k].text);
        slip_run_options options = slip_run_options_default();
        slip_result *result = NULL;
        options.method = cases[k].method;
        options.step = 0.01;
        assert_true(slip_run(ctx, model, &options, &result) < 0);
        expect_message(cases[k].text, cases[k].message);
        slip_model_destroy(model);
    }
}

/* What a contact does under a rigid gap where its law does not stick: `slip+` and `slip-` by its slip
 * velocity, whatever it landed with, and what its sliders do; the same by every method. */
static void modes_follow_the_slip(void **state)
{
    static const char *const own[] = {
        "{type: tanh, mu: 0.4, velocity: 0.05}", "{type: dahl, mu: 0.4, stiffness: 30}",
        "{type: lugre, mu: 0.4, stiffness: 30, velocity: 0.1}", "{type: jenkins, mu: 0.4, stiffness: 30}"};
    static const way ways[] = {{"event", NULL, NAN, 1e-9, 0},
                               {"moreau", NULL, 1e-3, NAN, 2.5e-3},
                               {"midpoint_stabilised", NULL, 1e-3, NAN, 2.5e-3}};
    (void)state;
    for (int k = 0; k < 8; k++) {
        char text[800];
        slip_result *first = NULL;
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y, w]\nmass: {diagonal: [1, 1, 1]}\nstiffness: {diagonal: [3, 0, "
            "1]}\nforces: {x: sin(1.7*t), y: -1}\ncontacts: {floor: {kind: unilateral, gap: y, slip: %s, "
            "law: "
            "%s}}\nsimulate: {time: [0, 6], initial: {y: 0.1, x': 0.5}, record: {every: 0.05}}\n",
            k % 2 ? "[x', w']" : "x'", own[k / 2]);
        slip_model *model = parse(text);
        for (int m = 0; m < 3; m++) {
            slip_result *result = run(model, ways[m]);
            int64_t count;
            const double *mode = slip_result_series(result, "floor.mode", &count),
                         *slip = slip_result_series(result, "floor.slip", &count);
            first = first ? first : result;
            for (int64_t i = 0; i < count && k % 2 == 0; i++)
                if ((int)mode[i] == SLIP_MODE_SLIP_PLUS || (int)mode[i] == SLIP_MODE_SLIP_MINUS)
                    assert_true(mode[i] == SLIP_MODE_SLIP_PLUS ? slip[i] > -1e-12 : slip[i] < 1e-12);
            assert_int_equal(slip_result_event_count(result), k >= 6 ? 8 : k % 2 ? 1 : 4);
            for (int64_t i = 0; i < slip_result_event_count(result); i++) {
                const slip_event *one = slip_result_event(first, i), *other = slip_result_event(result, i);
                assert_int_equal(one->to, other->to);
                near(other->time, one->time, ways[m].error, text);
            }
            if (m > 0)
                slip_result_destroy(result);
        }
        slip_result_destroy(first);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(closed_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(starts_in_contact, setup, teardown),
        cmocka_unit_test_setup_teardown(forgets_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(compliant_floor, setup, teardown),
        cmocka_unit_test_setup_teardown(modes_follow_the_slip, setup, teardown),
        cmocka_unit_test_setup_teardown(messages, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
