/* Contacts that depend on each other: more of them stick or are closed than there are motions to hold. Forces
 * are not unique then; contacts stick as long as some forces within all limits hold, and give way together.
 */
#include "math/least.h"
#include "random_contacts.h"
#include "run_system.h"

static const char *const x_only[] = {"x"}, *const x_and_y[] = {"x", "y"};
static const char *const kinds[] = {"exact", "rk"};
static const double zeros[most_coordinates];

/* ---- Two pads on one mass. */

static run_outcome two_pads(bench *b, const char *segments, bool exchanged, double ratio, double end)
{
    run_outcome o;
    *b = build(1, x_only);
    add_force(b, 0, "2*sin(t)");
    add_friction(b, exchanged ? "c2" : "c1", "x'", "1", coulomb(exchanged ? 0.3 : 0.5, ratio));
    add_friction(b, exchanged ? "c1" : "c2", exchanged ? "2*x'" : "x'", exchanged ? "0.5" : "1",
                 coulomb(exchanged ? 0.5 : 0.3, ratio));
    o = run_event(b, segments, 1e-10, zeros, zeros, end);
    check_done(b, o.status);
    return o;
}

static void two_pads_give_way_together(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b;
        run_outcome o = two_pads(&b, kinds[k % 2], k / 2, 1, 12);
        run_check_judge(&o);
        assert_true(o.w->count == 8);
        for (int i = 0; i < 2; i++) {
            run_check_event(&o, i, "stick>slip+", asin(0.4), 1e-12);
            assert_true(o.w->events[i].time == o.w->events[0].time && o.w->events[i].contact == i);
        }
        /* x'' = 2 sin t - 0.8 until x' = 0 */
        double t = 4.113048910395678, t0 = asin(0.4);
        assert_close(2 * (cos(t0) - cos(t)) - 0.8 * (t - t0), 0, 1e-12);
        for (int i = 2; i < 4; i++)
            run_check_event(&o, i, "slip+>slip-", t, 1e-8);
        assert_true(o.w->idle == 0);
        run_finish(&o);
        clear(&b);
    }
}

/* Static friction 1.5 times as large: asin(1.2/2); then kinetic. With a smaller load they stick again. */
static void two_pads_with_static_friction(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b;
        run_outcome o = two_pads(&b, kinds[k % 2], k / 2, 1.5, 3);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 2);
        for (int i = 0; i < 2; i++)
            run_check_event(&o, i, "stick>slip+", asin(0.6), 1e-12);
        /* x'' = 2 sin t - 0.8 */
        double t = 3, t0 = asin(0.6);
        assert_close(o.v[0], 2 * (cos(t0) - cos(t)) - 0.8 * (t - t0), 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

static void pads_stick_again_together(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(1, x_only);
        run_outcome o;
        slip_law stribeck = slip_law_default("stribeck");
        int stops = 0;
        stribeck.mu = 0.1, stribeck.static_ratio = 1.5, stribeck.velocity = 1, stribeck.exponent = 1;
        add_force(&b, 0, "1.1*sin(t)");
        add_friction(&b, "c1", "x'", "1", coulomb(0.5, 1));
        add_friction(&b, "c2", "-2*x'", "1", k == 0 ? coulomb(0.15, 1) : stribeck);
        o = run_event(&b, k == 0 ? "exact" : "rk", 1e-10, zeros, zeros, 30);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_true(o.w->count >= 16 && o.w->count % 2 == 0);
        for (int i = 0; i < o.w->count; i += 2) {
            const slip_event *one = &o.w->events[i], *two = one + 1;
            assert_true(one->time == two->time && one->contact != two->contact);
            assert_true((one->to == SLIP_MODE_STICK) == (two->to == SLIP_MODE_STICK));
            stops += one->to == SLIP_MODE_STICK;
        }
        assert_true(stops >= 8);
        /* static limits 0.5 and 2 times 0.15 */
        run_check_event(&o, 0, "stick>slip+", asin(0.8 / 1.1), 1e-11);
        run_check_event(&o, 1, "stick>slip-", asin(0.8 / 1.1), 1e-11);
        assert_true(o.w->idle == 0);
        run_finish(&o);
        clear(&b);
    }
}

/* A floor that rubs along the coordinate of a pad holds half of the load until its normal force, 1 - t, lets
 * it hold no more than 0.5 (1 - t); 1e-6 later it opens. The pad goes on holding. */
static void a_floor_that_opens_next_to_its_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, x_and_y);
        slip_law law = coulomb(0.5, 1);
        run_outcome o;
        add_force(&b, 0, "1e-6");
        add_force(&b, 1, "t - 1");
        add_friction(&b, "pad", "x'", "1", law);
        add_unilateral(&b, "floor", "y", "x'", &law, 0, false);
        o = run_event(&b, kinds[k], 1e-10, zeros, zeros, 2);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "stick>open", 1, 1e-10);
        assert_close(o.q[1], 1.0 / 6, 1e-9);
        assert_close(o.q[0], 0, 1e-15);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Normal forces that are not unique. */

/* Two floors under one block share the weight equally, whatever their friction. */
static void two_floors_share_the_load(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b = build(2, x_and_y);
        slip_law rough = coulomb(0.5, 1), plain = coulomb(0.3, 1);
        run_outcome o;
        add_force(&b, 0, "2*sin(t)");
        add_force(&b, 1, "-2");
        add_unilateral(&b, "c1", "y", "x'", k < 2 ? &rough : &plain, 0, false);
        add_unilateral(&b, "c2", "y", "x'", k < 2 ? &plain : &rough, 0, false);
        o = run_event(&b, kinds[k % 2], 1e-10, zeros, zeros, 3);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 2);
        for (int i = 0; i < 2; i++)
            run_check_event(&o, i, "stick>slip+", asin(0.4), 1e-12);
        double t = 3, t0 = asin(0.4);
        assert_close(o.v[0], 2 * (cos(t0) - cos(t)) - 0.8 * (t - t0), 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

/* A slot without play: its walls do not squeeze the slider more than its load does. */
static void a_slot_without_play_is_no_clamp(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, x_and_y);
        slip_law law = coulomb(0.4, 1);
        run_outcome o;
        add_force(&b, 0, "2*sin(t)");
        add_force(&b, 1, "-1 - 0.5*t");
        add_unilateral(&b, "lower", "y", "x'", &law, 0, false);
        add_unilateral(&b, "upper", "-y", "x'", &law, 0, false);
        o = run_event(&b, kinds[k], 1e-10, zeros, zeros, 2);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 2);
        double t = o.w->events[0].time;
        assert_close(2 * sin(t), 0.4 * (1 + 0.5 * t), 1e-12);
        assert_true(o.w->events[1].time == t);
        run_finish(&o);
        clear(&b);
    }
}

/* Three supports of a stiff beam. The load wanders out to the end; the far support is let go of before the
 * beam tilts about the last one, and that is no event. */
static void a_beam_on_three_supports(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        static const char *const names[] = {"y", "phi"};
        bench b = build(2, names);
        run_outcome o;
        add_force(&b, 0, "-1");
        add_force(&b, 1, "0.5*t");
        add_unilateral(&b, "left", "y - phi", NULL, NULL, 0, false);
        add_unilateral(&b, "middle", "y", NULL, NULL, 0, false);
        add_unilateral(&b, "right", "y + phi", NULL, NULL, 0, false);
        /* torque 0.5 t: the left one presses more, until it has the whole load at 0.5 t = 1 */
        o = run_event(&b, kinds[k], 1e-10, zeros, zeros, 2.5);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 2);
        run_check_event(&o, 0, "closed>open", 2, 1e-12);
        run_check_event(&o, 1, "closed>open", 2, 1e-12);
        assert_true(o.w->events[0].contact == 1 && o.w->events[1].contact == 2);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Impacts. */

/* A beam falls on two stops of different friction. It may land on both at once, or by rounding on one after
 * the other: they share the impulse, and the motion is the same. The gap of the second is written in three
 * ways that round differently. */
static void symmetric_impacts_do_not_depend_on_rounding(void **state)
{
    static const char *const names[] = {"x", "y", "phi"};
    static const char *const gaps[] = {"y - 0.3*phi + 0.1", "(y - 0.3*phi) + 0.3/3",
                                       "1.1*(y/1.1 - phi*0.3/1.1) + 0.1*(1 + 1e-15)"};
    double reference[3] = {0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double q[3] = {0, 0.37, 0}, v[3] = {0.9, 0, 0};
        bench b = build(3, names);
        slip_law rough = coulomb(0.3, 1), plain = coulomb(0.1, 1);
        run_outcome o;
        b.system->mass[8] = 0.05;
        add_force(&b, 1, "-1");
        add_unilateral(&b, "left", "y + 0.3*phi + 0.1", "x'", &rough, 0, true);
        add_unilateral(&b, "right", gaps[k / 2], "x'", &plain, 0, true);
        o = run_event(&b, kinds[k % 2], 1e-10, q, v, 2);
        check_done(&b, o.status);
        run_check_judge(&o);
        /* falls by 0.47; both impulses together take mu = 0.2 of the speed */
        double speed = sqrt(2 * 0.47), after = 0.9 - 0.2 * speed;
        assert_close(o.v[0], after - 0.2 * (2 - speed), 1e-7);
        assert_close(o.v[2], 0, 1e-9);
        for (int i = 0; i < 3 && k == 0; i++)
            reference[i] = o.q[i];
        for (int i = 0; i < 3; i++)
            assert_close(o.q[i], reference[i], 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

/* An impact whose friction stops the slip: one row, from open to stick. */
static void an_impact_that_sticks_is_one_event(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q[2] = {0, 0.5}, v[2] = {0.3, 0};
        bench b = build(2, x_and_y);
        slip_law law = coulomb(0.6, 1);
        run_outcome o;
        add_force(&b, 0, "0.1*sin(t)");
        add_force(&b, 1, "-1");
        add_unilateral(&b, "floor", "y", "x'", &law, 0, true);
        o = run_event(&b, kinds[k], 1e-10, q, v, 4);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "open>stick", 1, 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

/* A body falls into a corner with plastic walls, each of which throws it at the other: infinitely many
 * impacts in finite time. At the end it rests on both. */
static void stops_that_throw_to_and_fro(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        static const char *const names[] = {"y", "phi"};
        const double q[2] = {0.1, 0.2}, v[2] = {0, 0};
        bench b = build(2, names);
        run_outcome o;
        /* a heavy rod that rocks on its ends: an impact of one opens the other */
        b.system->mass[3] = 0.9;
        add_force(&b, 0, "-1");
        add_unilateral(&b, "left", "y - 0.5*phi", NULL, NULL, 0, false);
        add_unilateral(&b, "right", "y + 0.5*phi", NULL, NULL, 0, false);
        o = run_event(&b, kinds[k], 1e-10, q, v, 20);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_true(o.w->count > 4 && o.w->count < 400);
        assert_close(o.q[0], 0, 1e-12);
        assert_close(o.q[1], 0, 1e-12);
        assert_true(o.w->events[o.w->count - 1].to == SLIP_MODE_CLOSED);
        assert_close(o.v[0], 0, 0);
        assert_close(o.v[1], 0, 0);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Random systems. */

typedef struct pool {
    double row[3][most_coordinates];
    double offset[3];
    int count;
} pool;

static pool make_pool(uint64_t *seed, int n, bool gaps)
{
    pool p = {.count = random_int(seed, 1, gaps ? 2 : 3)};
    for (int k = 0; k < p.count; k++) {
        random_row(seed, n, false, p.row[k]);
        p.offset[k] = gaps && random_chance(seed, 0.4) ? test_random(seed, 0.02, 0.3) : 0;
    }
    return p;
}

typedef struct plan {
    int n, count;
    bool unilateral[6], frictionless[6];
    double gap[6][most_coordinates], slip[6][most_coordinates], offset[6];
    bool impacts;
    double mu[6], ratio[6], normal[6], swing[6], restitution;
    double mass[16], damping[16], stiffness[16], load[4][5];
} plan;

static plan make_plan(uint64_t *seed, bool unilateral, bool peaks)
{
    plan p = {.n = random_int(seed, 1, 4), .count = random_int(seed, 2, 6)};
    pool gaps = make_pool(seed, p.n, true), slips = make_pool(seed, p.n, false);
    random_positive(seed, p.n, 0.7, 0.5, p.mass);
    random_positive(seed, p.n, 0.3, 0.02, p.damping);
    random_positive(seed, p.n, 0.8, 0.1, p.stiffness);
    p.restitution = random_chance(seed, 0.5) ? 0 : test_random(seed, 0.1, 0.7);
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < 5; k++)
            p.load[i][k] = k < 3 ? test_random(seed, -2, 2) : test_random(seed, 0.5, 2.5);
    for (int c = 0; c < p.count; c++) {
        int g = random_int(seed, 0, gaps.count - 1), s = random_int(seed, 0, slips.count - 1);
        double factor = random_chance(seed, 0.5) ? 1 : test_random(seed, 0.5, 2),
               along = (random_chance(seed, 0.5) ? 1 : test_random(seed, 0.5, 2)) *
                       (random_chance(seed, 0.5) ? 1 : -1),
               more = random_chance(seed, 0.3) ? 1 : 0;
        p.unilateral[c] = unilateral && p.n > 1 && random_chance(seed, 0.6);
        p.impacts |= p.unilateral[c];
        p.frictionless[c] = p.unilateral[c] && random_chance(seed, 0.4);
        for (int i = 0; i < p.n; i++) {
            p.gap[c][i] = factor * gaps.row[g][i];
            p.slip[c][i] = along * (slips.row[s][i] + more * slips.row[(s + 1) % slips.count][i]);
        }
        p.offset[c] = factor * gaps.offset[g];
        if (p.unilateral[c]) { /* along the gap nothing slips */
            double share = row_times(p.n, p.slip[c], p.gap[c]) / row_times(p.n, p.gap[c], p.gap[c]);
            for (int i = 0; i < p.n; i++)
                p.slip[c][i] -= share * p.gap[c][i];
            p.frictionless[c] |= row_times(p.n, p.slip[c], p.slip[c]) < 1e-2;
        }
        p.mu[c] = test_random(seed, 0.05, 0.4);
        p.ratio[c] = peaks && random_chance(seed, 0.5) ? test_random(seed, 1.05, 1.6) : 1;
        p.normal[c] = test_random(seed, 0.5, 2);
        p.swing[c] = random_chance(seed, 0.3) ? test_random(seed, 0, 0.45) : 0;
    }
    return p;
}

static bench make_bench(const plan *p, bool backwards)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3"};
    bench b = build(p->n, names);
    char text[400], gap[400], name[20];
    memcpy(b.system->mass, p->mass, (size_t)(p->n * p->n) * sizeof(double));
    memcpy(b.system->damping, p->damping, (size_t)(p->n * p->n) * sizeof(double));
    memcpy(b.system->stiffness, p->stiffness, (size_t)(p->n * p->n) * sizeof(double));
    for (int i = 0; i < p->n; i++) {
        const double *l = p->load[i];
        snprintf(text, sizeof text, "%.17g + %.17g*cos(%.17g*t) + %.17g*sin(%.17g*t)", l[0], l[1], l[3], l[2],
                 l[4]);
        add_force(&b, i, text);
    }
    for (int k = 0; k < p->count; k++) {
        int c = backwards ? p->count - 1 - k : k;
        slip_law law = coulomb(p->mu[c], p->ratio[c]);
        snprintf(name, sizeof name, "c%d", c);
        print_row(p->n, p->slip[c], "'", text, sizeof text);
        if (p->unilateral[c]) {
            print_row(p->n, p->gap[c], "", gap, sizeof gap - 40);
            snprintf(gap + strlen(gap), 40, " + %.17g", p->offset[c]);
            add_unilateral(&b, name, gap, p->frictionless[c] ? NULL : text, p->frictionless[c] ? NULL : &law,
                           p->restitution, false);
        } else {
            snprintf(gap, sizeof gap, "%.17g*(1 + %.17g*cos(1.7*t))", p->normal[c], p->swing[c]);
            add_friction(&b, name, text, gap, law);
        }
    }
    return b;
}

static bool is_named(bench *b)
{
    const char *message = slip_context_message(b->ctx);
    return strstr(message, "no mode of the contacts") || strstr(message, "more than one set of modes") ||
           strstr(message, "no impulses obey");
}

typedef struct findings {
    int runs, named, unnamed, judged, idle, differ, order, energy;
    int64_t events;
} findings;

static double farthest(int n, const run_outcome *a, const run_outcome *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a->q[i] - b->q[i]) / (1 + fabs(a->q[i])));
    return largest;
}

static void complain(int *count, int trial, const char *what, double value, const char *message)
{
    if ((*count)++ < 3)
        print_error("trial %d: %s %g %s\n", trial, what, value, message);
}

static void check_run(findings *f, int trial, bench *b, const run_outcome *o, const char *segments)
{
    if (o->status != SLIP_OK && !is_named(b))
        complain(&f->unnamed, trial, segments, o->t, slip_context_message(b->ctx));
    if (!(o->w->residual < 1e-9) || o->w->worst_slip != 0)
        complain(&f->judged, trial, "judge", o->w->residual, segments);
    if (o->w->idle > 1e-6)
        complain(&f->idle, trial, "slips without moving over", o->w->idle, segments);
}

static void check_energy(findings *f, int trial, bench *b, const run_outcome *o, bool impacts)
{
    double missing = energy_of(b->system, o->q, o->v) - o->w->work_of_loads - o->w->dissipated,
           size = 1 + o->w->largest_energy;
    if (missing > 1e-6 * size || (!impacts && missing < -1e-6 * size))
        complain(&f->energy, trial, "energy", missing, "");
}

/* Closed forms, Runge-Kutta, and closed forms with the contacts in the opposite order. */
static void compare_runs(findings *f, int trial, const plan *p)
{
    const int runs = trial % 2 ? 3 : 2;
    bench b[3];
    run_outcome o[3];
    for (int k = 0; k < runs; k++) {
        b[k] = make_bench(p, k == 2);
        o[k] = run_event(&b[k], k == 1 ? "rk" : "exact", 1e-10, zeros, zeros, 8);
        check_run(f, trial, &b[k], &o[k], k == 1 ? "rk" : k == 2 ? "backwards" : "exact");
    }
    f->runs++;
    f->named += o[0].status != SLIP_OK;
    f->events += o[0].w->count;
    for (int k = 1; k < runs; k++) {
        double far = farthest(p->n, &o[0], &o[k]);
        if (o[0].status != o[k].status || o[0].w->count != o[k].w->count || far > (k == 1 ? 1e-6 : 1e-9))
            complain(k == 1 ? &f->differ : &f->order, trial,
                     k == 1 ? "rk differs by" : "backwards differs by", far,
                     o[k].status ? slip_context_message(b[k].ctx) : "");
    }
    if (o[1].status == SLIP_OK)
        check_energy(f, trial, &b[1], &o[1], p->impacts);
    for (int k = 0; k < runs; k++) {
        run_finish(&o[k]);
        clear(&b[k]);
    }
}

static void run_many(uint64_t seed, int trials, bool unilateral, bool peaks)
{
    findings f = {0};
    trials = test_many(trials);
    for (int trial = 0; trial < trials; trial++) {
        plan p = make_plan(&seed, unilateral, peaks);
        compare_runs(&f, trial, &p);
    }
    print_message("%d systems, %lld events; %d end in named trouble\n", f.runs, (long long)f.events, f.named);
    assert_true(f.named * 50 < f.runs);
    assert_int_equal(f.unnamed, 0);
    assert_int_equal(f.judged, 0);
    assert_int_equal(f.idle, 0);
    assert_int_equal(f.differ, 0);
    assert_int_equal(f.order, 0);
    assert_int_equal(f.energy, 0);
}

static void random_friction(void **state)
{
    (void)state;
    run_many(101, 400, false, false);
}

static void random_static_friction(void **state)
{
    (void)state;
    run_many(102, 300, false, true);
}

static void random_stops_and_friction(void **state)
{
    (void)state;
    run_many(103, 400, true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_pads_give_way_together),
        cmocka_unit_test(two_pads_with_static_friction),
        cmocka_unit_test(pads_stick_again_together),
        cmocka_unit_test(a_floor_that_opens_next_to_its_limit),
        cmocka_unit_test(two_floors_share_the_load),
        cmocka_unit_test(a_slot_without_play_is_no_clamp),
        cmocka_unit_test(a_beam_on_three_supports),
        cmocka_unit_test(symmetric_impacts_do_not_depend_on_rounding),
        cmocka_unit_test(an_impact_that_sticks_is_one_event),
        cmocka_unit_test(stops_that_throw_to_and_fro),
        cmocka_unit_test(random_friction),
        cmocka_unit_test(random_static_friction),
        cmocka_unit_test(random_stops_and_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
