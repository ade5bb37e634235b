/* A patch with one slip velocity is a friction contact with Coulomb's law: its force has two values, or is
 * what stick takes. Random systems with friction contacts, and the same with some of them as patches, move in
 * the same way; also where contacts depend on each other, because a body lies on the ground and on a
 * neighbour. */
#include "patch_run.h"

enum { most_bodies = 4, most_pairs = 8, most_events = 400 };

typedef struct pair {
    char slip[100], normal[40];
    double static_ratio;
    bool patch; /* in the twin */
} pair;

typedef struct stack {
    int n, count;
    double mass[most_bodies], ground[most_bodies], spring[most_bodies]; /* to the ground, to the one before */
    double q[most_bodies], v[most_bodies];
    char load[most_bodies][120];
    pair pairs[most_pairs];
} stack;

typedef struct motion {
    int status, count;
    double q[most_bodies], v[most_bodies];
    slip_event events[most_events];
    char message[300];
} motion;

static bool chance(uint64_t *seed, double probability)
{
    return test_random(seed, 0, 1) < probability;
}

static void add_pair(uint64_t *seed, stack *s, int body, int on, const char *belt)
{
    pair *p = &s->pairs[s->count++];
    if (on >= 0)
        snprintf(p->slip, sizeof p->slip, "x%d' - x%d'", body, on);
    else
        snprintf(p->slip, sizeof p->slip, "x%d'%s", body, belt);
    snprintf(p->normal, sizeof p->normal, "%.3f", test_random(seed, 0.3, 2));
    p->static_ratio = chance(seed, 0.5) ? 1 : test_random(seed, 1, 3);
    p->patch = false;
}

/* Blocks in a stack or side by side. `dependent`: some lie on two things at once, which depend on each other
 * when all stick. */
static stack random_stack(uint64_t *seed, bool dependent)
{
    stack s = {.n = dependent ? 2 + (int)test_random(seed, 0, 3) : 1 + (int)test_random(seed, 0, 4)};
    for (int i = 0; i < s.n; i++) {
        char belt[60] = "";
        s.mass[i] = test_random(seed, 0.3, 3);
        s.ground[i] = chance(seed, 0.5) ? test_random(seed, 0, 3) : 0;
        s.spring[i] = i > 0 && chance(seed, 0.5) ? test_random(seed, 0, 2) : 0;
        snprintf(s.load[i], sizeof s.load[i], "%.3f + %.3f*sin(%.3f*t + %.3f)", test_random(seed, -2, 2),
                 test_random(seed, -2, 2), test_random(seed, 0.3, 3), test_random(seed, -3, 3));
        s.v[i] = chance(seed, 0.67) ? 0 : test_random(seed, -2, 2);
        s.q[i] = chance(seed, 0.5) ? 0 : test_random(seed, -1, 1);
        if (chance(seed, dependent ? 0.1 : 0.33))
            snprintf(belt, sizeof belt, " - %.3f*sin(%.3f*t)", test_random(seed, -1, 1),
                     test_random(seed, 0.3, 2));
        const bool on_ground = i == 0 || chance(seed, 0.3);
        add_pair(seed, &s, i, on_ground ? -1 : i - 1, belt);
        if (dependent && i > 0 && (i == 1 || chance(seed, 0.4)))
            add_pair(seed, &s, i, on_ground ? i - 1 : -1, belt);
    }
    if (dependent && chance(seed, 0.3)) { /* two pads for one */
        s.pairs[s.count] = s.pairs[(int)test_random(seed, 0, s.count)];
        snprintf(s.pairs[s.count].normal, sizeof s.pairs[s.count].normal, "%.3f", test_random(seed, 0.3, 2));
        s.count++;
    }
    s.pairs[(int)test_random(seed, 0, s.count)].patch = true;
    if (chance(seed, 0.4))
        s.pairs[(int)test_random(seed, 0, s.count)].patch = true;
    return s;
}

static int note_event(void *user, const slip_event *event)
{
    motion *m = user;
    if (m->count < most_events)
        m->events[m->count] = *event;
    m->count++;
    return SLIP_OK;
}

static motion run_stack(const stack *s, bool twin, double end)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3"};
    bench b = build(s->n, names);
    motion m = {.status = 0};
    slip_observer observer = {.user = &m, .event = note_event};
    const slip_method_type *type = slip_method_find("event");
    void *self = NULL;
    double t;
    for (int i = 0; i < s->n; i++) {
        double *k = b.system->stiffness;
        b.system->mass[i * s->n + i] = s->mass[i];
        k[i * s->n + i] += s->ground[i] + s->spring[i];
        if (i > 0) {
            k[(i - 1) * s->n + i - 1] += s->spring[i];
            k[i * s->n + i - 1] -= s->spring[i];
            k[(i - 1) * s->n + i] -= s->spring[i];
        }
        add_force(&b, i, s->load[i]);
    }
    for (int c = 0; c < s->count; c++) {
        const pair *p = &s->pairs[c];
        char name[20];
        snprintf(name, sizeof name, "c%d", c);
        if (twin && p->patch) {
            slip_patch_options area = slip_patch_options_default();
            area.shape = "disc";
            area.static_ratio = p->static_ratio;
            add_patch(&b, name, p->slip, NULL, NULL, p->normal, 1, &area);
        } else {
            add_friction(&b, name, p->slip, p->normal, coulomb(1, p->static_ratio));
        }
    }
    check_done(&b, slip_system_finish(b.ctx, b.system));
    const slip_method_options options = {.tolerance = 1e-11, .segments = twin ? NULL : "exact", .span = end};
    check_done(&b, type->open(b.ctx, b.system, &options, 0, s->q, s->v, &self));
    m.status = type->advance(self, end, &observer);
    if (m.status < 0)
        snprintf(m.message, sizeof m.message, "%s", slip_context_message(b.ctx));
    type->state(self, &t, m.q, m.v);
    type->close(self);
    clear(&b);
    return m;
}

/* Stick and slip, whichever way: what the events of a patch tell. Reversals are no events of patches. */
static int list_rests(const motion *m, int contact, slip_event *list)
{
    int count = 0;
    for (int k = 0; k < m->count && k < most_events; k++)
        if (m->events[k].contact == contact &&
            (m->events[k].from == SLIP_MODE_STICK) != (m->events[k].to == SLIP_MODE_STICK))
            list[count++] = m->events[k];
    return count;
}

static bool same_events(const stack *s, const motion *a, const motion *b)
{
    slip_event of_a[most_events], of_b[most_events];
    for (int c = 0; c < s->count; c++) {
        const int count = list_rests(a, c, of_a);
        if (list_rests(b, c, of_b) != count)
            return false;
        for (int k = 0; k < count; k++)
            if (fabs(of_a[k].time - of_b[k].time) > 1e-6 ||
                (of_a[k].to == SLIP_MODE_STICK) != (of_b[k].to == SLIP_MODE_STICK))
                return false;
    }
    return true;
}

static void print_motion(const motion *m)
{
    print_error("  status %d %s\n", m->status, m->message);
    for (int k = 0; k < m->count && k < 12; k++)
        print_error("    %.9f c%d %s>%s\n", m->events[k].time, m->events[k].contact,
                    slip_mode_name(m->events[k].from), slip_mode_name(m->events[k].to));
}

static void print_stack(const stack *s, const motion *truth, const motion *found)
{
    for (int i = 0; i < s->n; i++)
        print_error("  x%d: m %.3f k %.3f %.3f, load %s, q %.3f v %.3f\n", i, s->mass[i], s->ground[i],
                    s->spring[i], s->load[i], s->q[i], s->v[i]);
    for (int c = 0; c < s->count; c++)
        print_error("  c%d: %s, N %s, static %.3f%s\n", c, s->pairs[c].slip, s->pairs[c].normal,
                    s->pairs[c].static_ratio, s->pairs[c].patch ? ", patch" : "");
    print_motion(truth);
    print_motion(found);
}

static int only = -1; /* of the systems, from the command line */

static void compare(bool dependent, int count)
{
    int wrong = 0, events = 0;
    for (int round = only < 0 ? 0 : only; round < (only < 0 ? count : only + 1); round++) {
        uint64_t seed = 1000 + (uint64_t)round * 7919;
        for (int k = 0; k < 5; k++)
            test_random(&seed, 0, 1);
        const stack s = random_stack(&seed, dependent);
        const motion truth = run_stack(&s, false, 6), found = run_stack(&s, true, 6);
        double most = 0;
        assert_int_equal(truth.status, SLIP_OK);
        for (int i = 0; i < s.n; i++)
            most = fmax(most, fmax(fabs(truth.q[i] - found.q[i]), fabs(truth.v[i] - found.v[i])));
        events += truth.count;
        if (found.status < 0 || !(most < 1e-6) || !same_events(&s, &truth, &found)) {
            wrong++;
            print_error("system %d: differs by %g %s\n", round, most, found.message);
            if (only >= 0)
                print_stack(&s, &truth, &found);
        }
    }
    print_message("%d systems, %d events, %d wrong\n", count, events, wrong);
    assert_int_equal(wrong, 0);
}

static void test_independent(void **state)
{
    (void)state;
    compare(false, test_many(240));
}

static void test_that_depend(void **state)
{
    (void)state;
    compare(true, test_many(600));
}

/* A pad that is held in two directions, and guides along some directions e_i: loads t F are held as long as t
 * F is in the sum of the pad's disc of forces and the guides' segments. By its support function that ends at
 *
 *     t = min over n of (h + sum of h_i |n . e_i|) / (n . F),   n . F > 0. */
static double end_of_hold(const double F[2], double pad, int count, const double *angles, const double *holds)
{
    double best = INFINITY, at = 0, width = 1e-3;
    for (int pass = 0; pass < 4; pass++, width *= 3e-3) {
        const double middle = at, steps = pass == 0 ? 3142 : 400;
        for (int k = (int)-steps; k <= (int)steps; k++) {
            const double a = middle + width * k, along = cos(a) * F[0] + sin(a) * F[1];
            double sum = pad;
            for (int i = 0; i < count; i++)
                sum += holds[i] * fabs(cos(a - angles[i]));
            if (along > 0 && sum / along < best) {
                best = sum / along;
                at = a;
            }
        }
    }
    return best;
}

static void test_pad_and_guides(void **state)
{
    static const char *const names[] = {"x", "y"};
    (void)state;
    for (int round = 0; round < test_cases(18); round++) {
        uint64_t seed = 77 + (uint64_t)round * 7919;
        bench b = build(2, names);
        slip_patch_options area = slip_patch_options_default();
        const int count = 1 + round % 3;
        const double turn = test_random(&seed, -3, 3), F[2] = {cos(turn), sin(turn)},
                     pad = test_random(&seed, 0.2, 2);
        double angles[3], holds[3], end;
        char text[100], normal[40];
        for (int i = 0; i < 2; i++) {
            snprintf(text, sizeof text, "%.17g*t", F[i]);
            add_force(&b, i, text);
        }
        area.shape = "disc";
        snprintf(normal, sizeof normal, "%.17g", pad);
        add_patch(&b, "pad", "x'", "y'", NULL, normal, 1, &area);
        for (int i = 0; i < count; i++) {
            angles[i] = test_random(&seed, -3, 3);
            holds[i] = test_random(&seed, 0.2, 2);
            snprintf(text, sizeof text, "%.17g*x' + %.17g*y'", cos(angles[i]), sin(angles[i]));
            snprintf(normal, sizeof normal, "%.17g", holds[i]);
            add_friction(&b, i == 0 ? "one" : i == 1 ? "two" : "three", text, normal, coulomb(1, 1));
        }
        end = end_of_hold(F, pad, count, angles, holds);
        const double rest[2] = {0, 0};
        patch_outcome o = patch_run_event(&b, 1e-9, rest, rest, 1.3 * end);
        if (!(fabs(o.w->events[0].time - end) < 1e-8) || !(o.w->residual < 1e-6)) {
            print_error("round %d: held until %.12g\n", round, end);
            patch_print(&o);
            fail();
        }
        for (int k = 0; k < o.w->count; k++)
            assert_true(o.w->events[k].time >= end - 1e-8);
        patch_finish(&o);
        clear(&b);
    }
}

/* A body that slides and spins on a pad, with guides along some of its coordinates, under loads that change:
 * there are modes at all times, the laws hold, and friction takes energy away. */
static void test_guided_bodies(void **state)
{
    static const char *const names[] = {"x", "y", "phi"}, *const slips[] = {"x'", "y'", "phi'",
                                                                            "x' + 0.4*phi'"};
    int events = 0;
    (void)state;
    for (int round = 0; round < test_cases(24); round++) {
        uint64_t seed = 5 + (uint64_t)round * 7919;
        bench b = build(3, names);
        slip_patch_options area = slip_patch_options_default();
        char text[100], normal[40];
        const double q[3] = {test_random(&seed, -1, 1), 0, test_random(&seed, -1, 1)},
                     v[3] = {0, round % 2 ? test_random(&seed, -1, 1) : 0, 0};
        for (int i = 0; i < 3; i++) {
            b.system->stiffness[4 * i] = test_random(&seed, 0, 2);
            snprintf(text, sizeof text, "%.3f + %.3f*sin(%.3f*t + %.3f)", test_random(&seed, -1, 1),
                     test_random(&seed, 0, 3), test_random(&seed, 0.3, 3), test_random(&seed, 0, 6));
            add_force(&b, i, text);
        }
        area.shape = "disc";
        area.static_ratio = chance(&seed, 0.5) ? 1 : test_random(&seed, 1.05, 2);
        snprintf(normal, sizeof normal, "%.3f", test_random(&seed, 0.3, 2));
        add_patch(&b, "pad", "x'", "y'", round % 3 ? "phi'" : NULL, normal, 1, &area);
        for (int i = 0; i < 1 + round % 2; i++) {
            snprintf(normal, sizeof normal, "%.3f", test_random(&seed, 0.2, 1.5));
            add_friction(&b, i == 0 ? "one" : "two", slips[(round + 2 * i) % 4], normal,
                         coulomb(1, chance(&seed, 0.5) ? 1 : test_random(&seed, 1, 2)));
        }
        patch_outcome o = patch_run_event(&b, 1e-8, q, v, 12);
        if (!(o.w->residual < 1e-6) || !(o.w->power <= 1e-12)) {
            print_error("round %d\n", round);
            patch_print(&o);
            fail();
        }
        events += o.w->count;
        patch_finish(&o);
        clear(&b);
    }
    assert_true(events > (test_sanitized ? 5 : 50));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent),
        cmocka_unit_test(test_that_depend),
        cmocka_unit_test(test_pad_and_guides),
        cmocka_unit_test(test_guided_bodies),
    };
    if (argc > 1)
        only = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
