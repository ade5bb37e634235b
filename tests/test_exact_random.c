/* Closed-form segments on random systems against slow and obvious twins: Dormand-Prince at its tightest for
 * the motion, the system's own constraint forces, dense sampling for events, Runge-Kutta segments for whole
 * runs. */
#include "exact_builder.h"
#include "method/exact/types.h"
#include "ode/stepper.h"

/* ---- The motion and the forces. */

typedef struct twin {
    const slip_system *system;
    slip_workspace *work;
    slip_branch branches[4];
} twin;

static bool twin_rhs(void *user, double t, const double *y, double *dy)
{
    twin *w = user;
    int n = w->system->n;
    memcpy(dy, y + n, (size_t)n * sizeof(double));
    return slip_system_acceleration(w->system, w->work, w->branches, t, y, y + n, dy + n) &&
           slip_system_constrain(w->system, w->work, w->branches, t, y, y + n, dy + n);
}

static void twin_run(bench *b, twin *w, double t, double end, double *y)
{
    slip_ode ode = {.m = 2 * w->system->n, .rhs = twin_rhs, .user = w};
    slip_stepper *stepper = NULL;
    check_done(b, slip_stepper_create(b->ctx, &slip_stepper_dopri, &ode, 1e-14, 0, &stepper));
    check_done(b, slip_stepper_start(stepper, t, y, end, 0));
    while (stepper->x1 < end)
        check_done(b, slip_stepper_step(stepper, end));
    memcpy(y, stepper->y1, (size_t)ode.m * sizeof(double));
    slip_stepper_destroy(stepper);
}

static void set_branches(const bench *b, const slip_mode *modes, slip_branch *branches)
{
    for (int c = 0; c < (int)b->system->contact_count; c++)
        branches[c] =
            (slip_branch){.piece = modes[c] == SLIP_MODE_SLIP_MINUS ? 0 : 1, .chart = -1, .mode = modes[c]};
    for (int c = 0; c < (int)b->system->contact_count; c++)
        if (b->system->contacts[c].frictionless)
            branches[c].piece = 0;
}

/* A state that satisfies the constraints: what the propagator itself makes of a random one. */
static void random_state(uint64_t *seed, bench *b, slip_exact *exact, const slip_mode *modes, double t,
                         double *y)
{
    int n = b->system->n;
    double q[most_n], v[most_n];
    for (int i = 0; i < n; i++) {
        q[i] = test_random(seed, -1, 1);
        v[i] = test_random(seed, -1, 1);
    }
    check_done(b, slip_exact_start(exact, modes, NULL, t, q, v));
    slip_exact_state(exact, t, y, y + n, NULL);
    check_done(b, slip_exact_start(exact, modes, NULL, t, y, y + n));
}

static void check_forces(bench *b, twin *w, const slip_exact *exact, const slip_mode *modes, double t)
{
    int n = b->system->n;
    double q[most_n], v[most_n], a[most_n], found[most_n], slip[4], normal[4], force[4], gap[4];
    slip_exact_state(exact, t, q, v, found);
    slip_exact_contacts(exact, t, slip, normal, force, gap);
    assert_true(slip_system_acceleration(b->system, w->work, w->branches, t, q, v, a));
    assert_true(slip_system_constrain(b->system, w->work, w->branches, t, q, v, a));
    double size = largest_of(n, found);
    for (int c = 0; c < (int)b->system->contact_count; c++)
        size = fmax(size, fmax(fabs(normal[c]), fabs(force[c])));
    for (int i = 0; i < n; i++)
        assert_close(found[i], a[i], 1e-10 * size);
    for (int c = 0; c < (int)b->system->contact_count; c++) {
        const slip_contact *contact = &b->system->contacts[c];
        assert_close(normal[c], modes[c] == SLIP_MODE_OPEN ? 0 : w->work->contacts[c].normal, 1e-10 * size);
        assert_close(force[c], modes[c] == SLIP_MODE_OPEN ? 0 : w->work->contacts[c].force, 1e-10 * size);
        assert_close(slip[c], slip_system_slip(b->system, w->work, c, t, q, v), 1e-12 * size);
        if (modes[c] == SLIP_MODE_STICK)
            assert_true(slip[c] == 0);
        if (contact->has_gap)
            assert_close(gap[c], slip_system_gap(b->system, w->work, c, t, q), 1e-12 * size);
        if (contact->has_gap && modes[c] != SLIP_MODE_OPEN)
            assert_true(gap[c] == 0);
    }
}

static void random_motions(void **state)
{
    uint64_t seed = 5;
    int done = 0;
    double worst = 0;
    (void)state;
    for (int k = 0; k < test_cases(600); k++) {
        int n = 1 + random_integer(&seed, most_n), contacts = random_integer(&seed, n < 3 ? n + 1 : 4);
        bench b = random_system(&seed, n, contacts);
        slip_mode modes[4];
        slip_exact *exact = create(&b);
        twin w = {.system = b.system};
        double y[2 * most_n], q[most_n], v[most_n], t = test_random(&seed, 0, 3), end;
        check_done(&b, slip_workspace_create(b.ctx, b.system, &w.work));
        random_modes(&seed, &b, modes);
        set_branches(&b, modes, w.branches);
        end = t + test_random(&seed, 0, 6);
        for (int i = 0; i < n; i++)
            q[i] = v[i] = 0;
        if (constraint_count(&b, modes) <= n && slip_exact_start(exact, modes, NULL, t, q, v) == SLIP_OK) {
            random_state(&seed, &b, exact, modes, t, y);
            check_forces(&b, &w, exact, modes, t);
            check_forces(&b, &w, exact, modes, end);
            twin_run(&b, &w, t, end, y);
            slip_exact_state(exact, end, q, v, NULL);
            double size = fmax(largest_of(n, q), largest_of(n, v));
            for (int i = 0; i < n; i++) {
                worst = fmax(worst, fmax(fabs(q[i] - y[i]), fabs(v[i] - y[n + i])) / size);
                assert_close(q[i], y[i], 3e-12 * size);
                assert_close(v[i], y[n + i], 3e-12 * size);
            }
            done++;
        }
        slip_workspace_destroy(w.work);
        slip_exact_destroy(exact);
        clear(&b);
    }
    print_message("%d motions, worst relative difference %.2g\n", done, worst);
    assert_true(done > test_cases(450));
}

/* ---- Random systems: events against dense sampling. */

static int condition_count(const slip_exact *exact)
{
    return exact->set->watch_count;
}

/* A condition of the running segment and its derivatives up to `order` (at most 9) at a time. */
static void condition_derivatives(const slip_exact *exact, int index, double t, int order, double *values)
{
    enum { count = slip_exact_degree + 1 };
    const slip_exact_set *set = exact->set;
    const slip_exact_watch *watch = &set->watches[index];
    const double *y = slip_exact_at(exact, t);
    double factor = 1, c[count];
    if (set->wide) {
        slip_exact_series_fill(exact, y, false);
        slip_exact_series_expand(exact, watch, c);
    }
    for (int k = 0; k <= order; k++) {
        values[k] = set->wide ? c[k] : 0;
        for (int j = 0; j < set->size && !set->wide; j++)
            values[k] += watch->taylor[j * count + k] * y[j];
        values[k] *= factor;
        factor *= (k + 1) / set->step;
    }
}

static int sample_conditions(const slip_exact *exact, double t, double *lowest)
{
    double g[10];
    int at = -1;
    *lowest = INFINITY;
    for (int i = 0; i < condition_count(exact); i++) {
        condition_derivatives(exact, i, t, 0, g);
        if (g[0] < *lowest) {
            *lowest = g[0];
            at = i;
        }
    }
    return at;
}

static void check_taylor(const slip_exact *exact, double t)
{
    double here[10], there[10], h = 0.02 / (1 + slip_exact_rate(exact));
    for (int i = 0; i < condition_count(exact); i++) {
        double sum = 0, power = 1, size = 1;
        condition_derivatives(exact, i, t, 9, here);
        condition_derivatives(exact, i, t + h, 0, there);
        for (int k = 0; k <= 9; k++) {
            sum += here[k] * power;
            size += fabs(here[k] * power);
            power *= h / (k + 1);
        }
        assert_close(there[0], sum, 1e-13 * size);
    }
}

static void check_first_event(const slip_exact *exact, bool found, const slip_exact_event *event, double t0,
                              double end)
{
    enum { samples = 3000 };
    double g[10], lowest;
    for (int k = 1; k <= samples; k++) {
        double t = t0 + (end - t0) * k / samples;
        sample_conditions(exact, t, &lowest);
        if (found && t >= event->t)
            break;
        if (lowest < -1e-11)
            print_error("missed: %.17g at t = %.17g, reported %.17g\n", lowest, t, found ? event->t : NAN);
        assert_true(lowest >= -1e-11);
    }
    if (!found)
        return;
    /* the reported condition is zero there and falls */
    double smallest = INFINITY;
    for (int i = 0; i < condition_count(exact); i++) {
        condition_derivatives(exact, i, event->t, 9, g);
        double size = 0;
        for (int k = 0; k <= 9; k++)
            size = fmax(size, fabs(g[k]));
        if (g[1] <= 1e-7 * size)
            smallest = fmin(smallest, fabs(g[0]) / size);
    }
    assert_true(smallest < 1e-13 * fmax(1, event->t));
}

static void random_events(void **state)
{
    uint64_t seed = 77;
    int events = 0, none = 0;
    (void)state;
    for (int k = 0; k < test_cases(1000); k++) {
        int n = 1 + random_integer(&seed, 3), contacts = 1 + random_integer(&seed, 3);
        bench b = random_system(&seed, n, contacts);
        slip_mode modes[4];
        slip_exact *exact = create(&b);
        slip_exact_event event = {0};
        double y[2 * most_n] = {0}, lowest, t = test_random(&seed, 0, 3), end = t + 12;
        for (int attempt = 0; attempt < 20; attempt++) {
            random_modes(&seed, &b, modes);
            if (constraint_count(&b, modes) > n || slip_exact_start(exact, modes, NULL, t, y, y) != SLIP_OK)
                continue;
            random_state(&seed, &b, exact, modes, t, y);
            sample_conditions(exact, t, &lowest);
            bool found = slip_exact_first_event(exact, end, &event);
            if (lowest < -1e-9) {
                assert_true(found && event.t == t);
                continue;
            }
            check_taylor(exact, t + 1);
            check_first_event(exact, found, &event, t, end);
            events += found;
            none += !found;
            break;
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
    print_message("%d events, %d segments without\n", events, none);
    assert_true(events > test_cases(500) && none > 0);
}

/* ---- Whole runs: closed forms and Runge-Kutta check each other. */

enum { most_events = 4000 };

typedef struct witness {
    const slip_system *system;
    slip_workspace *work;
    slip_event events[most_events];
    int count;
    double last, residual, worst_slip, mismatch;
} witness;

static int see_step(void *user, const slip_step *step)
{
    witness *w = user;
    double q[most_n], v[most_n], a[most_n], slip[4], normal[4], force[4], mode[4];
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    int n = w->system->n;
    assert_true(step->t0 == w->last && step->t1 >= step->t0);
    w->last = step->t1;
    for (int k = 0; k <= 3; k++) {
        double t = k == 3 ? step->t1 : step->t0 + (step->t1 - step->t0) * k / 3;
        step->sample(step->self, t, &sample);
        double speed = 0;
        for (int i = 0; i < n; i++)
            speed = fmax(speed, fabs(v[i]));
        /* where all velocities are rounding at once, the judge cannot tell the sign of a slip */
        if (speed == 0 || speed > 1e-14)
            w->residual =
                fmax(w->residual, slip_system_residual(w->system, w->work, t, q, v, normal, force, NULL) /
                                      largest_of(n, a));
        for (int c = 0; c < (int)w->system->contact_count; c++)
            if (mode[c] == SLIP_MODE_STICK)
                w->worst_slip = fmax(w->worst_slip, fabs(slip[c]));
        for (int i = 0; i < n && (k == 0 || k == 3); i++)
            w->mismatch = fmax(w->mismatch, fabs(q[i] - (k ? step->q1 : step->q0)[i]) +
                                                fabs(v[i] - (k ? step->v1 : step->v0)[i]) +
                                                fabs(a[i] - (k ? step->a1 : step->a0)[i]));
    }
    return SLIP_OK;
}

static int see_event(void *user, const slip_event *event)
{
    witness *w = user;
    assert_true(w->count < most_events);
    w->events[w->count++] = *event;
    return SLIP_OK;
}

typedef struct outcome {
    int status;
    double q[most_n], v[most_n];
    witness w;
} outcome;

static void run_segments(bench *b, const char *segments, const double *q, const double *v, double end,
                         outcome *o)
{
    void *self = NULL;
    double t;
    const slip_method_type *type = slip_method_find("event");
    slip_method_options options = {.tolerance = 1e-11, .span = end, .segments = segments};
    slip_observer observer = {.user = &o->w, .step = see_step, .event = see_event};
    memset(o, 0, sizeof *o);
    o->w.system = b->system;
    check_done(b, slip_workspace_create(b->ctx, b->system, &o->w.work));
    check_done(b, type->open(b->ctx, b->system, &options, 0, q, v, &self));
    o->status = type->advance(self, 0.3 * end, &observer);
    if (o->status == SLIP_OK)
        o->status = type->advance(self, end, &observer);
    type->state(self, &t, o->q, o->v);
    type->close(self);
    slip_workspace_destroy(o->w.work);
}

static void published_runs(void **state)
{
    const double pi = 3.14159265358979323846, q[] = {0, 0}, v[] = {0, 0.1};
    outcome *o = malloc(sizeof *o);
    (void)state;
    assert_non_null(o);
    for (int k = 0; k < 2; k++) {
        const expected_event *expected = k ? events_b : events_a;
        bench b = k ? jack_plane(0.3, "0.5") : jack_plane(0.4, "1.3");
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_segments(&b, "exact", q, v, 120 * pi, o);
        assert_int_equal(o->status, SLIP_OK);
        assert_true(k || o->w.count == 60);
        for (int i = 0; i < (k ? 8 : 12); i++)
            assert_close(o->w.events[i].time, expected[i].t, 1e-12);
        assert_true(o->w.worst_slip == 0);
        assert_close(o->w.residual, 0, 1e-12);
        assert_true(o->w.mismatch == 0);
        clear(&b);
    }
    free(o);
}

/* The same events and the same end, up to where bounces follow each other within 1e-9: of those both may see
 * any number, and what is left of them differs. */
static bool agree(const outcome *exact, const outcome *rk, int n)
{
    for (int i = 0; i < exact->w.count || i < rk->w.count; i++) {
        const slip_event *a = &exact->w.events[i], *b = &rk->w.events[i];
        if (i > 1 && a[-1].to == SLIP_MODE_OPEN && a[-1].time - a[-2].time < 1e-9)
            return true;
        if (i >= exact->w.count || i >= rk->w.count)
            return false;
        if (a->contact != b->contact || a->to != b->to || fabs(a->time - b->time) > 1e-6)
            return false;
    }
    for (int i = 0; i < n; i++)
        if (fabs(exact->q[i] - rk->q[i]) > 1e-5 * largest_of(n, exact->q))
            return false;
    return true;
}

/* A start that is allowed: gaps open. */
static bool start_anywhere(uint64_t *seed, const bench *b, slip_workspace *work, double *q, double *v)
{
    for (int attempt = 0; attempt < test_cases(200); attempt++) {
        bool allowed = true;
        for (int i = 0; i < b->system->n; i++) {
            q[i] = test_random(seed, -1, 1);
            v[i] = test_random(seed, -1, 1);
        }
        for (int c = 0; c < (int)b->system->contact_count; c++)
            if (b->system->contacts[c].has_gap)
                allowed &= slip_system_gap(b->system, work, c, 0, q) > 0.01;
        if (allowed)
            return true;
    }
    return false;
}

/* Directions that can be held at the same time; with more of them than coordinates forces are not unique, and
 * the two kinds of segments need not choose the same. */
static int direction_count(const bench *b)
{
    int count = 0;
    for (int c = 0; c < (int)b->system->contact_count; c++)
        count += b->system->contacts[c].has_gap && !b->system->contacts[c].frictionless ? 2 : 1;
    return count;
}

static void show_difference(const outcome *o)
{
    for (int i = 0; i < o[0].w.count || i < o[1].w.count; i++) {
        for (int k = 0; k < 2; k++) {
            const slip_event *event = &o[k].w.events[i];
            if (i < o[k].w.count)
                print_message("  %.12f %d %s>%s", event->time, event->contact, slip_mode_name(event->from),
                              slip_mode_name(event->to));
        }
        print_message("\n");
    }
}

static void random_runs(void **state)
{
    uint64_t seed = 2025;
    outcome *o = malloc(2 * sizeof *o);
    int done = 0, differ = 0, events = 0;
    double residual = 0;
    (void)state;
    assert_non_null(o);
    for (int k = 0; k < test_cases(500); k++) {
        int n = 1 + random_integer(&seed, 4), contacts = 1 + random_integer(&seed, 3);
        bench b = random_system(&seed, n, contacts);
        double q[most_n], v[most_n];
        slip_workspace *work = NULL;
        check_done(&b, slip_system_finish(b.ctx, b.system));
        check_done(&b, slip_workspace_create(b.ctx, b.system, &work));
        if (direction_count(&b) <= n && start_anywhere(&seed, &b, work, q, v)) {
            run_segments(&b, "exact", q, v, 8, &o[0]);
            run_segments(&b, "rk", q, v, 8, &o[1]);
            if (o[0].status != o[1].status || o[0].status == SLIP_OK) {
                bool same = o[0].status == o[1].status && agree(&o[0], &o[1], n);
                if (!same) {
                    print_message("%d: status %d %d\n", k, o[0].status, o[1].status);
                    show_difference(o);
                }
                done++;
                differ += !same;
                events += o[0].w.count;
                residual = fmax(residual, o[0].w.residual);
                assert_true(o[0].w.worst_slip == 0);
            }
        }
        slip_workspace_destroy(work);
        clear(&b);
    }
    print_message("%d runs, %d differ, %d events, residual %.2g\n", done, differ, events, residual);
    assert_true(done > test_cases(200) && differ == 0 && residual < 1e-12);
    free(o);
}

/* ---- Works. */

/* -force . slip of each contact and v . C v, integrated by Gauss's rule over parts of a quarter of a radian.
 */
static void integrate_powers(const bench *b, const slip_exact *exact, double from, double to, double *taken,
                             double *damped)
{
    static const double node[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                  0.9061798459386640},
                        weight[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                    0.4786286704993665, 0.2369268850561891};
    const int n = b->system->n, m = (int)b->system->contact_count;
    const int parts = (int)fmax(ceil(4 * slip_exact_rate(exact) * (to - from)), 8);
    const double half = 0.5 * (to - from) / parts;
    double v[most_n], slip[4], force[4];
    *damped = 0;
    memset(taken, 0, (size_t)m * sizeof *taken);
    for (int k = 0; k < 5 * parts; k++) {
        const double t = from + half * (2 * (k / 5) + 1 + node[k % 5]), share = half * weight[k % 5];
        slip_exact_state(exact, t, NULL, v, NULL);
        slip_exact_contacts(exact, t, slip, NULL, force, NULL);
        for (int c = 0; c < m; c++)
            taken[c] -= share * force[c] * slip[c];
        *damped += share * slip_system_form(n, v, b->system->damping, v);
    }
}

static double energy_at(const bench *b, const slip_exact *exact, double t)
{
    const int n = b->system->n;
    double q[most_n], v[most_n];
    slip_exact_state(exact, t, q, v, NULL);
    return 0.5 *
           (slip_system_form(n, v, b->system->mass, v) + slip_system_form(n, q, b->system->stiffness, q));
}

/* Works of what contacts and dampers take, by quadrature; those of loads, by the balance of energies. */
static void random_works(void **state)
{
    (void)state;
    uint64_t seed = 20261118;
    int done = 0;
    for (int k = 0; k < test_cases(2000); k++) {
        const int n = 2 + random_integer(&seed, 2), contacts = 1 + random_integer(&seed, 2);
        bench b = random_system(&seed, n, contacts);
        slip_exact *exact = create(&b);
        slip_mode modes[4];
        double y[2 * most_n], works[SLIP_WORK_CONTACTS + 8] = {0}, taken[4], damped, sum, size;
        const double t = test_random(&seed, 0, 3), from = t + test_random(&seed, 0, 1) * (k % 2),
                     to = from + test_random(&seed, 0, 1) * (k % 3 ? 20 : 0.02);
        random_modes(&seed, &b, modes);
        if (constraint_count(&b, modes) <= n) {
            random_state(&seed, &b, exact, modes, t, y);
            assert_true(slip_exact_works(exact, from, to, works));
            integrate_powers(&b, exact, from, to, taken, &damped);
            sum = works[SLIP_WORK_LOADS] - works[SLIP_WORK_DAMPING];
            size =
                energy_at(&b, exact, from) + energy_at(&b, exact, to) + fabs(works[SLIP_WORK_LOADS]) + damped;
            for (int c = 0; c < contacts; c++) {
                sum += works[SLIP_WORK_CONTACTS + c];
                size += fabs(works[SLIP_WORK_CONTACTS + c]) + fabs(taken[c]);
            }
            for (int c = 0; c < contacts; c++)
                assert_close(works[SLIP_WORK_CONTACTS + contacts + c], taken[c], 1e-11 * size);
            assert_close(works[SLIP_WORK_DAMPING], damped, 1e-11 * size);
            assert_close(sum, energy_at(&b, exact, to) - energy_at(&b, exact, from), 1e-11 * size);
            done++;
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
    assert_true(done > test_cases(2000) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions), cmocka_unit_test(random_works), cmocka_unit_test(random_events),
        cmocka_unit_test(published_runs), cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
