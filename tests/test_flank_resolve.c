/* Contact in steps of central differences, by penalty and without: bars that hit each other, against the
 * theory of waves.
 *
 * A bar with the velocity v hits an equal one at rest. Plane waves with c = sqrt(E/rho) run into both, behind
 * them the velocity is v/2 and the stress rho c v/2; they come back from the free ends after 2 L/c: then the
 * bars part, the first at rest, the second with v. Poisson's ratio is 0, so the bars are one-dimensional. */
#include "test.h"

#include "brick_test.h"
#include "fem/explicit/explicit.h"
#include "gear/flank/flank_contact.h"

#include <string.h>

static const double length = 20, section = 0.5, velocity = 1e-4, start_gap = 5e-5;
static const double far_away = 1e4; /* bars turn about an axis there: that is a translation */

typedef struct crash {
    slip_context *ctx;
    slip_mesh *mesh[2];
    slip_flank_contact *contact;
    slip_explicit *e;
    double *force[2];
    slip_flank_totals totals;
} crash;

static int collide(void *user, slip_context *ctx, const slip_explicit *e, double *force,
                   slip_explicit_load *load)
{
    crash *c = user;
    slip_flank_state state[2];
    slip_flank_motion motion[2];
    const slip_flank_pair pair = {{0, 0}};
    (void)ctx;
    for (int k = 0; k < 2; k++) {
        size_t first = (size_t)slip_explicit_rotor_of(e, k).first_node,
               size = 3 * (size_t)c->mesh[k]->node_count;
        state[k] = (slip_flank_state){slip_explicit_state_of(e).position + 3 * first,
                                      slip_explicit_state_of(e).velocity + 3 * first, c->force[k]};
        motion[k] = (slip_flank_motion){slip_explicit_state_of(e).mass + first, force + 3 * first};
        memset(c->force[k], 0, sizeof(double) * size);
    }
    if (!slip_explicit_state_of(e).started)
        return SLIP_OK;
    const double steps[2] = {slip_explicit_state_of(e).step_before, slip_explicit_state_of(e).step};
    slip_flank_contact_resolve(c->contact, 1, &pair, state, motion, steps, &c->totals);
    load->energy = c->totals.energy;
    load->lost = c->totals.lost;
    load->lost_before = c->totals.lost_before;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3 * c->mesh[k]->node_count; i++)
            force[3 * slip_explicit_rotor_of(e, k).first_node + i] += c->force[k][i];
    return SLIP_OK;
}

/* across: elements along the sides of the sections. penalty: 0 for none. */
static void make_crash(crash *c, const int across[2], double two_pass, double penalty)
{
    slip_explicit_body bodies[2];
    slip_flank_surface faces[2];
    slip_explicit_options options = {.safety = 0.9, .threads = 1, .force = collide, .user = c};
    slip_flank_options flanks = slip_flank_options_default();
    *c = (crash){.ctx = slip_context_create()};
    for (int k = 0; k < 2; k++) {
        const int counts[3] = {80, across[k], across[k]};
        const double size[3] = {length, section, section};
        c->mesh[k] = brick_box(c->ctx, counts, size, 0);
        c->force[k] = calloc(3 * (size_t)c->mesh[k]->node_count, sizeof(double));
        for (int i = 0; i < c->mesh[k]->node_count; i++)
            c->mesh[k]->points[3 * i + 1] += far_away;
        bodies[k] = (slip_explicit_body){.name = k ? "second" : "first",
                                         .mesh = c->mesh[k],
                                         .young = 1,
                                         .density = 1,
                                         .centre = {(k ? 1 : -1) * (length + start_gap) / 2, -far_away},
                                         .speed = k ? 0 : -velocity / far_away};
        faces[k] = (slip_flank_surface){
            .rows = across[k] + 1,
            .columns = across[k] + 1,
            .nodes = slip_mesh_find(c->mesh[k], k ? "low" : "high", SLIP_SET_NODES)->items,
            .flipped = k == 0};
    }
    const slip_flank_surface *const surfaces[2] = {&faces[0], &faces[1]};
    flanks.kinematic = penalty == 0;
    flanks.penalty = penalty;
    flanks.margin = start_gap; /* more than what moves in a step */
    flanks.two_pass = two_pass;
    assert_int_equal(slip_flank_contact_create(c->ctx, &flanks, (const int[2]){1, 1}, surfaces, &c->contact),
                     SLIP_OK);
    if (slip_explicit_create(c->ctx, 2, bodies, &options, &c->e) < 0)
        fail_msg("%s", slip_context_message(c->ctx));
}

static void drop_crash(crash *c)
{
    slip_explicit_destroy(c->e);
    slip_flank_contact_destroy(c->contact);
    for (int k = 0; k < 2; k++) {
        slip_mesh_destroy(c->mesh[k]);
        free(c->force[k]);
    }
    slip_context_destroy(c->ctx);
}

/* Mean velocity of a bar along x. */
static double mean_velocity(const crash *c, int k)
{
    double sum = 0, mass = 0;
    int first = slip_explicit_rotor_of(c->e, k).first_node;
    for (int i = first; i < first + c->mesh[k]->node_count; i++) {
        sum += slip_explicit_state_of(c->e).mass[i] * slip_explicit_state_of(c->e).velocity[3 * i];
        mass += slip_explicit_state_of(c->e).mass[i];
    }
    return sum / mass;
}

/* Of nodes that face nodes: the largest depth. */
static double overlap(const crash *c)
{
    const slip_mesh_set *high = slip_mesh_find(c->mesh[0], "high", SLIP_SET_NODES),
                        *low = slip_mesh_find(c->mesh[1], "low", SLIP_SET_NODES);
    double largest = -INFINITY;
    for (int i = 0; high->count == low->count && i < low->count; i++)
        largest = fmax(largest,
                       slip_explicit_state_of(c->e).position[3 * high->items[i]] -
                           slip_explicit_state_of(c->e)
                               .position[3 * (slip_explicit_rotor_of(c->e, 1).first_node + low->items[i])]);
    return largest;
}

/* Shared steps of a run: energy and momentum in every one. */
typedef struct watched {
    double begin, end; /* of contact */
    double impulse, most_overlap;
    slip_explicit_ledger last;
} watched;

static watched run(crash *c, double until)
{
    slip_explicit_ledger first, now;
    watched w = {.begin = NAN, .most_overlap = -INFINITY};
    assert_int_equal(slip_explicit_account(c->ctx, c->e, &first), SLIP_OK);
    double momentum = mean_velocity(c, 0) + mean_velocity(c, 1), energy = first.kinetic + first.strain,
           lost = 0;
    while (slip_explicit_state_of(c->e).time < until) {
        double time = slip_explicit_state_of(c->e).time;
        if (slip_explicit_advance(c->ctx, c->e, 1) < 0)
            fail_msg("%s", slip_context_message(c->ctx));
        if (c->totals.touching) {
            w.begin = isnan(w.begin) ? time : w.begin;
            w.end = time + slip_explicit_state_of(c->e).step;
            w.impulse += slip_explicit_state_of(c->e).step * c->totals.normal_force;
        }
        w.most_overlap = fmax(w.most_overlap, overlap(c));
        assert_int_equal(slip_explicit_account(c->ctx, c->e, &now), SLIP_OK);
        /* Never created, not even in a step; what is lost is known. */
        assert_true(now.kinetic + now.strain < energy + 1e-7 * first.total);
        assert_true(now.lost >= lost - 1e-11 * first.total);
        energy = now.kinetic + now.strain;
        lost = now.lost;
        assert_close_relative(mean_velocity(c, 0) + mean_velocity(c, 1), momentum, 1e-12);
    }
    assert_close_relative(now.total, first.total, 1e-5);
    w.last = now;
    return w;
}

static void equal_bars_exchange_their_velocities(void **state)
{
    (void)state;
    static const double passes[3] = {1, 0, 0.5};
    double ends[3];
    for (int k = 0; k < 3; k++) {
        crash c;
        make_crash(&c, (const int[2]){2, 2}, passes[k], 0);
        watched w = run(&c, 2.6 * length);
        double step = slip_explicit_state_of(c.e).step;
        assert_close(w.begin, start_gap / velocity, step);
        assert_close_relative(w.end - w.begin, 2 * length, 0.02);
        ends[k] = w.end;
        assert_close(mean_velocity(&c, 0), 0, 0.02 * velocity);
        assert_close(mean_velocity(&c, 1), velocity, 0.02 * velocity);
        /* A column of nodes as heavy as half an element loses what it has. */
        assert_true(w.last.lost > 0 && w.last.lost < 0.01 * w.last.total);
        /* Nodes face nodes: no facet turns, nothing is left. */
        assert_true(w.most_overlap < 1e-9 * velocity);
        /* rho c v/2 over the section for 2 L/c: an impulse of rho L v over it. */
        assert_close_relative(w.impulse, length * velocity * section * section, 0.02);
        drop_crash(&c);
    }
    assert_close(ends[1], ends[0], 0.1);
    assert_close(ends[2], ends[0], 0.1);
}

/* Meshes that do not match: nodes inside facets; where there is one pass, the finer one has the slaves. */
static void different_meshes(void **state)
{
    (void)state;
    static const int across[3][2] = {{3, 1}, {3, 2}, {2, 3}};
    for (int k = 0; k < 3; k++) {
        crash c;
        make_crash(&c, across[k], k ? 0.5 : 1, 0);
        watched w = run(&c, 2.6 * length);
        assert_close_relative(w.end - w.begin, 2 * length, 0.03);
        assert_close(mean_velocity(&c, 1), velocity, 0.03 * velocity);
        drop_crash(&c);
    }
}

/* Springs on whose nodes an impact would last from many steps to a tenth of one: the facets do not turn,
 * so the sum of all energies is constant in every step, also where nodes land and leave. */
static void springs_make_no_energy(void **state)
{
    (void)state;
    static const double penalties[] = {1e-2, 1, 1e2};
    for (int k = 0; k < 6; k += test_sanitized ? 5 : 1) {
        crash c;
        slip_explicit_ledger first, now;
        int touching = 0;
        double begin = NAN, end = NAN;
        make_crash(&c, k % 2 ? (const int[2]){3, 2} : (const int[2]){2, 2}, 0.5, penalties[k / 2]);
        assert_int_equal(slip_explicit_account(c.ctx, c.e, &first), SLIP_OK);
        double momentum = mean_velocity(&c, 0) + mean_velocity(&c, 1);
        while (slip_explicit_state_of(c.e).time < 3 * length) {
            if (slip_explicit_advance(c.ctx, c.e, 1) < 0)
                fail_msg("%s", slip_context_message(c.ctx));
            if (c.totals.touching > 0) {
                touching++;
                end = slip_explicit_state_of(c.e).time;
                begin = isnan(begin) ? end : begin;
            }
            assert_int_equal(slip_explicit_account(c.ctx, c.e, &now), SLIP_OK);
            assert_close_relative(now.total, first.total, 2e-5); /* rounding of places that far away */
        }
        assert_true(touching > 50);
        assert_close_relative(mean_velocity(&c, 0) + mean_velocity(&c, 1), momentum, 1e-12);
        if (k >= 2) {
            assert_close_relative(end - begin, 2 * length, 0.03);
            assert_close(mean_velocity(&c, 1), velocity, 0.03 * velocity);
        }
        drop_crash(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bars_exchange_their_velocities),
        cmocka_unit_test_of_all(different_meshes),
        cmocka_unit_test(springs_make_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
