/* Random systems: impacts against brute force, the balance of energy over whole runs, and closed-form
 * against Runge-Kutta segments. */
#include "method/impact.h"
#include "random_contacts.h"
#include "run_system.h"

/* ---- Impacts. */

enum { sides = 2 * most_contacts };

typedef struct blow {
    int count;
    double before[sides], wanted[most_contacts]; /* rates: gap and slip of each contact; gap rate after */
    double gram[sides][sides];                   /* rows M^-1 rows */
    double mu[most_contacts], impulse[sides];
} blow;

/* Gauss elimination with partial pivoting; false when singular. */
static bool solve_plain(int m, double a[sides][sides + 1], double *x)
{
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(a[i][k]) > fabs(a[best][k]))
                best = i;
        if (fabs(a[best][k]) < 1e-11)
            return false;
        for (int j = 0; j <= m; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = 0; i < m; i++) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= m && i != k; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < m; k++)
        x[k] = a[k][m] / a[k][k];
    return true;
}

static void prepare_blow(random_system *r, const double *v, blow *b)
{
    double rows[sides][most_coordinates], response[sides][most_coordinates];
    memset(b, 0, sizeof *b);
    b->count = r->count;
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        memcpy(rows[2 * c], contact->gap, sizeof rows[0]);
        memcpy(rows[2 * c + 1], contact->slip, sizeof rows[0]);
        b->before[2 * c] = slip_system_gap_rate(r->b.system, r->work, c, r->t, r->q, v);
        b->before[2 * c + 1] = slip_system_slip(r->b.system, r->work, c, r->t, r->q, v);
        b->wanted[c] = fmax(0, -contact->restitution * b->before[2 * c]);
        b->mu[c] = contact->impact_friction && !contact->frictionless ? contact->mu : 0;
    }
    for (int k = 0; k < 2 * r->count; k++) {
        double a[sides][sides + 1];
        for (int i = 0; i < r->n; i++) {
            for (int j = 0; j < r->n; j++)
                a[i][j] = r->b.system->mass[i * r->n + j];
            a[i][r->n] = rows[k][i];
        }
        assert_true(solve_plain(r->n, a, response[k]));
    }
    for (int k = 0; k < 2 * r->count; k++)
        for (int j = 0; j < 2 * r->count; j++)
            b->gram[k][j] = row_times(r->n, rows[k], response[j]);
}

/* Roles 0: no impulse, 1: slips to plus, 2: to minus, 3: sticks. One equation for every impulse. */
static bool solve_roles(blow *b, const int *roles)
{
    double a[sides][sides + 1] = {{0}};
    const int m = 2 * b->count;
    for (int c = 0; c < b->count; c++) {
        int n = 2 * c, t = n + 1;
        for (int j = 0; j < m; j++) {
            a[n][j] = roles[c] ? b->gram[n][j] : 0;
            a[t][j] = roles[c] == 3 ? b->gram[t][j] : 0;
        }
        a[n][m] = roles[c] ? b->wanted[c] - b->before[n] : 0;
        a[t][m] = roles[c] == 3 ? -b->before[t] : 0;
        if (!roles[c])
            a[n][n] = 1;
        if (roles[c] != 3)
            a[t][t] = 1;
        if (roles[c] == 1 || roles[c] == 2)
            a[t][n] = roles[c] == 1 ? b->mu[c] : -b->mu[c];
    }
    return solve_plain(m, a, b->impulse);
}

/* The least reserve of the impact law for given impulses. */
static double blow_reserve(const blow *b, const double *impulse)
{
    double least = INFINITY;
    for (int c = 0; c < b->count; c++) {
        double gap = b->before[2 * c], slip = b->before[2 * c + 1], p = impulse[2 * c],
               f = impulse[2 * c + 1];
        for (int j = 0; j < 2 * b->count; j++) {
            gap += b->gram[2 * c][j] * impulse[j];
            slip += b->gram[2 * c + 1][j] * impulse[j];
        }
        least = fmin(least, fmin(p, gap - b->wanted[c]));
        least = fmin(least, -fabs(p * (gap - b->wanted[c])));
        least = fmin(least, b->mu[c] * p - fabs(f));
        if (b->mu[c] > 0) /* full friction against the slip that is left */
            least = fmin(least, -fabs(slip) * fabs(f + (slip > 0 ? 1 : -1) * b->mu[c] * p));
    }
    return least;
}

/* How many roles solve the law, and whether `impulse` is among their impulses. */
static int count_blows(blow *b, const double *impulse, bool *among)
{
    int roles[most_contacts] = {0}, c, count = 0;
    *among = false;
    do {
        if (solve_roles(b, roles) && blow_reserve(b, b->impulse) > -1e-9) {
            double difference = 0;
            for (int k = 0; k < 2 * b->count; k += 2)
                difference = fmax(difference, fabs(b->impulse[k] - impulse[k]));
            *among |= difference < 1e-7;
            count++;
        }
        for (c = 0; c < b->count && ++roles[c] == (b->mu[c] > 0 ? 4 : 2); c++)
            roles[c] = 0;
    } while (c < b->count);
    return count;
}

/* n, contacts, equal restitution, friction. */
static void simultaneous_impacts(void **state)
{
    uint64_t seed = 21;
    int none = 0, rubbed = 0;
    (void)state;
    for (int trial = 0; trial < test_many(1500); trial++) {
        random_wishes wishes = {.n = random_int(&seed, 1, 6),
                                .largest_mu = 0.8,
                                .only_unilateral = true,
                                .still = true,
                                .no_loads = true,
                                .equal = trial % 2 == 0,
                                .restitution = test_random(&seed, 0, 1),
                                .no_impact_friction = trial % 3 != 0};
        random_system r;
        slip_impact *impact = NULL;
        blow b;
        bool at_stop[most_contacts], solved, among;
        double v[most_coordinates], impulse[most_contacts] = {0}, both[sides] = {0}, energy;
        int count;
        wishes.count = random_int(&seed, 1, wishes.no_impact_friction ? 6 : 4);
        random_make(&seed, &wishes, &r);
        memcpy(v, r.v, sizeof v);
        /* nothing at its stop is leaving it */
        for (int c = 0; c < r.count; c++) {
            random_contact *contact = &r.contacts[c];
            at_stop[c] = true;
            if (row_times(r.n, contact->gap, v) > 0)
                for (int i = 0; i < r.n; i++) {
                    contact->gap[i] = -contact->gap[i];
                    r.b.system->contacts[c].gap.row[i] = contact->gap[i];
                }
        }
        prepare_blow(&r, v, &b);
        check_done(&r.b, slip_impact_create(r.b.ctx, r.b.system, r.work, &impact));
        energy = quadratic(r.n, r.b.system->mass, v);
        memset(impulse, 0, sizeof impulse);
        solved = slip_impact_solve(impact, r.t, r.q, v, at_stop, impulse);
        for (int c = 0; c < r.count; c++)
            both[2 * c] = impulse[c];
        count = count_blows(&b, both, &among);
        /* more directions than motions: impulses are not unique, and are shared between the corners that
         * brute force finds */
        if (wishes.no_impact_friction && r.count > r.n)
            among |= blow_reserve(&b, both) > -1e-9;
        else if (2 * r.count > r.n)
            among = true;
        if (solved != (count > 0) || (solved && !among)) {
            print_error("trial %d: n = %d, %d contacts: %d by brute force, solved %d, among them %d\n", trial,
                        r.n, r.count, count, solved, among);
            fail();
        }
        none += !solved;
        for (int c = 0; c < r.count && solved; c++) {
            double after = slip_system_gap_rate(r.b.system, r.work, c, r.t, r.q, v);
            assert_true(after >= b.wanted[c] - 1e-9);
            assert_true(at_stop[c] == (after < 1e-9) || fabs(after) < 1e-7);
            rubbed += b.mu[c] > 0 && impulse[c] > 0;
        }
        /* Newton's law with equal restitution and no friction takes energy away, or keeps it */
        if (wishes.equal && wishes.no_impact_friction) {
            assert_true(solved);
            assert_true(quadratic(r.n, r.b.system->mass, v) <= energy * (1 + 1e-12));
        }
        slip_impact_destroy(impact);
        random_clear(&r);
    }
    print_message("%d without solution, %d impulses with friction\n", none, rubbed);
    assert_true(rubbed > test_many(100) - 3);
}

/* ---- Energy. */

typedef struct run_tally {
    int runs, named; /* ended in trouble that is reported */
    int64_t events;
} run_tally;

/* Trouble is allowed if it is said what it is. */
static bool went_through(random_system *r, const run_outcome *o, run_tally *t)
{
    const char *message = slip_context_message(r->b.ctx);
    t->runs++;
    t->events += o->w->count;
    if (o->status == SLIP_OK)
        return true;
    t->named++;
    if (!strstr(message, "no mode of the contacts") && !strstr(message, "more than one set of modes") &&
        !strstr(message, "no impulses obey")) {
        print_error("run %d: %s\n", t->runs, message);
        fail();
    }
    return false;
}

static const slip_method_options fine = {.tolerance = 1e-10};

static run_outcome run_random(random_system *r, const char *segments, double length)
{
    slip_method_options options = fine;
    options.segments = segments;
    return run_method(&r->b, "event", options, r->t, r->q, r->v, r->t + length);
}

static void energy_never_grows_by_itself(void **state)
{
    uint64_t seed = 31;
    run_tally t = {0};
    (void)state;
    for (int trial = 0; trial < test_many(150); trial++) {
        const int count = random_int(&seed, 1, 4);
        random_wishes wishes = {.n = 2 * count + random_int(&seed, -1, 1),
                                .count = count,
                                .full = true,
                                .largest_mu = 0.5,
                                .still = true,
                                .no_loads = true,
                                .equal = true,
                                .restitution = random_chance(&seed, 0.3) ? 0 : test_random(&seed, 0.1, 1),
                                .no_impact_friction = true};
        random_system r;
        run_outcome o;
        random_make(&seed, &wishes, &r);
        o = run_random(&r, trial % 2 ? "rk" : "auto", 10);
        if (went_through(&r, &o, &t)) {
            run_check_judge(&o);
            /* where bounces accumulate, a millionth of them is left out, and what friction takes in this time
             * is given in advance */
            if (o.w->growth > (o.counters.accumulations ? 1e-6 : 1e-8) * (1e-3 + o.w->largest_energy)) {
                print_error("trial %d: energy grows by %g of %g\n", trial, o.w->growth, o.w->largest_energy);
                fail();
            }
        }
        run_finish(&o);
        random_clear(&r);
    }
    print_message("%d runs, %d with named trouble, %lld events\n", t.runs, t.named, (long long)t.events);
    assert_true(t.named * 10 < t.runs);
}

/* Change of energy = work of the loads + damping and friction; impacts only take. */
static void energy_is_balanced_with_loads(void **state)
{
    uint64_t seed = 41;
    run_tally t = {0};
    (void)state;
    for (int trial = 0; trial < test_many(150); trial++) {
        bool impacts = trial % 2;
        const int count = random_int(&seed, 1, 4);
        random_wishes wishes = {.n = 2 * count + random_int(&seed, -1, 1),
                                .count = count,
                                .full = true,
                                .largest_mu = 0.5,
                                .static_peak = trial % 3 == 0,
                                .only_friction = !impacts,
                                .still = true,
                                .equal = true,
                                .restitution = test_random(&seed, 0, 0.8),
                                .no_impact_friction = true};
        random_system r;
        run_outcome o;
        random_make(&seed, &wishes, &r);
        o = run_random(&r, "rk", 10);
        if (went_through(&r, &o, &t)) {
            double before = energy_of(r.b.system, r.q, r.v), after = energy_of(r.b.system, o.q, o.v);
            double missing = after - before - o.w->work_of_loads - o.w->dissipated;
            double size = 1 + o.w->largest_energy;
            run_check_judge(&o);
            assert_true(o.w->dissipated <= 1e-12 * size);
            if (missing > 1e-6 * size || (!impacts && missing < -1e-6 * size)) {
                print_error("trial %d: %g of %g is missing\n", trial, missing, size);
                fail();
            }
        }
        run_finish(&o);
        random_clear(&r);
    }
    print_message("%d runs, %d with named trouble, %lld events\n", t.runs, t.named, (long long)t.events);
    assert_true(t.named * 10 < t.runs);
}

/* ---- Two kinds of segments. */

static bool same_events(const run_outcome *a, const run_outcome *b)
{
    if (a->w->count != b->w->count)
        return false;
    for (int k = 0; k < a->w->count && k < run_most_events; k++) {
        const slip_event *x = &a->w->events[k], *y = &b->w->events[k];
        if (fabs(x->time - y->time) > 1e-6 || x->to != y->to || x->contact != y->contact)
            return false;
    }
    return true;
}

static void closed_forms_and_runge_kutta_agree(void **state)
{
    uint64_t seed = 51;
    run_tally t = {0};
    (void)state;
    for (int trial = 0; trial < test_many(150); trial++) {
        const int count = random_int(&seed, 1, 3);
        random_wishes wishes = {.n = 2 * count + random_int(&seed, -1, 1),
                                .count = count,
                                .full = true,
                                .largest_mu = 0.5,
                                .only_friction = trial % 2 == 0};
        random_system r;
        run_outcome exact, rk;
        random_make(&seed, &wishes, &r);
        exact = run_random(&r, "exact", 8);
        rk = run_random(&r, "rk", 8);
        if (went_through(&r, &exact, &t)) {
            run_check_judge(&exact);
            run_check_judge(&rk);
            if (rk.status != SLIP_OK || !same_events(&exact, &rk)) {
                print_error("trial %d: events differ\nexact:\n", trial);
                run_print_events(&exact, 30);
                print_error("rk (%d):\n", rk.status);
                run_print_events(&rk, 30);
                fail();
            }
            for (int i = 0; i < r.n; i++)
                assert_close(rk.q[i], exact.q[i], 1e-6 * (1 + fabs(exact.q[i])));
        } else {
            assert_true(rk.status != SLIP_OK);
        }
        run_finish(&exact);
        run_finish(&rk);
        random_clear(&r);
    }
    print_message("%d runs, %d with named trouble, %lld events\n", t.runs, t.named, (long long)t.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simultaneous_impacts),
        cmocka_unit_test(energy_never_grows_by_itself),
        cmocka_unit_test(energy_is_balanced_with_loads),
        cmocka_unit_test(closed_forms_and_runge_kutta_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
