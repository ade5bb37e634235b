/* Two gears in mesh under load: surfaces, balance, statics against whole finite element meshes, the mesh
 * cycle against closed forms and symmetries, errors. */
#include "test.h"

#include "fem/solid.h"
#include "gear/statics/gear_balance.h"
#include "gear/statics/gear_cycle.h"
#include "gear/statics/gear_static.h"
#include "math/factor.h"
#include "slipstick/gear_run.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static double noise(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* ---- Gears. */

typedef struct couple {
    slip_context *ctx;
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
} couple;

static slip_gear_options gear_of(const char *name, int teeth, double shift, double bore,
                                 slip_gear_mesh_options mesh)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = name;
    o.teeth = teeth;
    o.module = 0.005;
    o.profile_shift = shift;
    o.width = 0.038;
    o.bore = bore;
    o.modes = 20;
    o.mesh = mesh;
    return o;
}

static void reduce(couple *c)
{
    slip_reduce_options o = slip_reduce_options_default();
    for (int k = 0; k < 2; k++)
        if (slip_gear_reduce(c->ctx, &c->gears[k], &o, &c->bodies[k]) < 0)
            fail_msg("%s", slip_context_message(c->ctx));
}

static void release(couple *c)
{
    slip_reduced_destroy(c->bodies[0]);
    slip_reduced_destroy(c->bodies[1]);
    slip_context_destroy(c->ctx);
}

/* Small gears with few modes: what these leave out between teeth counts. */
static couple small_couple(int flank, int layers)
{
    const slip_gear_mesh_options mesh = {
        .flank = flank, .fillet = 1, .thickness = 2, .root = 2, .rim = 2, .width = layers};
    couple c = {.ctx = slip_context_create()};
    c.gears[0] = gear_of("pinion", 13, 0.4, 0.03, mesh);
    c.gears[1] = gear_of("wheel", 16, 0.2, 0.04, mesh);
    reduce(&c);
    return c;
}

/* The pair of the static modes switching study, coarse. */
static couple published_couple(void)
{
    const slip_gear_mesh_options mesh = {
        .flank = 8, .fillet = 2, .thickness = 4, .root = 2, .rim = 3, .width = 2};
    couple c = {.ctx = slip_context_create()};
    c.gears[0] = gear_of("pinion", 18, 0.5, 0.05, mesh);
    c.gears[1] = gear_of("wheel", 37, 0, 0.059, mesh);
    reduce(&c);
    return c;
}

static slip_gear_cycle *turn(couple *c, const slip_gear_cycle_options *o)
{
    const slip_reduced *const bodies[2] = {c->bodies[0], c->bodies[1]};
    slip_gear_cycle *cycle = NULL;
    if (slip_gear_cycle_run(c->ctx, c->gears, bodies, o, &cycle) < 0)
        fail_msg("%s", slip_context_message(c->ctx));
    return cycle;
}

static slip_gear_cycle_options options_of(double torque, int points)
{
    slip_gear_cycle_options o = slip_gear_cycle_options_default();
    o.torque = torque;
    o.points = points;
    o.locate = 0;
    return o;
}

/* ---- Surfaces. */

/* Nodes on an involute; in between the surface is nowhere off by more than what a polynomial of 4th degree
 * leaves of the bulge. */
static void surfaces_are_involutes(void **state)
{
    (void)state;
    enum { columns = 9, rows = 3 };
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = gear_of("g", 18, 0.5, 0.05, (slip_gear_mesh_options){.flank = 1});
    slip_profile profile;
    slip_profile_point points[columns];
    double position[3 * rows * columns], bulge[columns - 1][3], largest = 0, chord = 0;
    assert_int_equal(slip_profile_make(ctx, &gear, &profile), SLIP_OK);
    slip_profile_flank_points(&profile, columns - 1, points);
    for (int i = 0; i < rows * columns; i++) {
        slip_profile_point p = points[i % columns];
        position[3 * i] = p.radius * cos(p.angle);
        position[3 * i + 1] = -p.radius * sin(p.angle);
        position[3 * i + 2] = 0.01 * (i / columns);
    }
    slip_flank_curve_measure(&profile, columns - 1, position, bulge);
    slip_flank_curve curve = {.rows = rows, .columns = columns, .overhang = 0.1, .bulge = bulge};
    for (int k = 0; k <= 200; k++) {
        double r = points[0].radius + (points[columns - 1].radius - points[0].radius) * k / 200;
        slip_profile_point p = slip_profile_involute(&profile, r);
        double place[3] = {r * cos(p.angle), -r * sin(p.angle), 0.0123};
        for (int smooth = 0; smooth < 2; smooth++) {
            slip_flank_point at = {.column = 4};
            curve.bulge = smooth ? bulge : NULL;
            curve.beyond[0] = curve.beyond[1] = 0.1;
            assert_true(slip_flank_curve_nearest(&curve, position, place, &at));
            double gap = 0;
            for (int d = 0; d < 3; d++)
                gap += (place[d] - at.place[d]) * at.normal[d];
            *(smooth ? &largest : &chord) = fmax(*(smooth ? &largest : &chord), fabs(gap));
        }
    }
    assert_true(chord > 1e-5);
    assert_true(largest < 1e-3 * chord);
    slip_context_destroy(ctx);
}

/* The gap of a place on one deformed surface to another changes with each node as the gradients say, and
 * they balance: no force and no moment is left. */
static void gradients_are_exact(void **state)
{
    (void)state;
    enum { columns = 4, rows = 3, count = 3 * rows * columns };
    double position[2][count],
        bulge[columns - 1][3] = {{3e-3, 1e-4, 2e-5}, {2e-3, -1e-4, 0}, {1e-3, 0, 1e-4}};
    unsigned seed = 3;
    const slip_flank_curve curve[2] = {
        {.rows = rows, .columns = columns, .overhang = 0.1, .bulge = bulge},
        {.rows = rows, .columns = columns, .flipped = true, .overhang = 0.1, .bulge = bulge}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < rows * columns; i++) {
            position[k][3 * i] = i % columns + 0.02 * noise(&seed);
            position[k][3 * i + 1] = i / columns + 0.02 * noise(&seed);
            position[k][3 * i + 2] = (k ? 0.01 : 0) + 0.002 * noise(&seed);
        }
    for (int trial = 0; trial < 20; trial++) {
        slip_flank_point place = {
            .row = trial % 2, .column = trial % 3, .at = {1.5 * noise(&seed), 1.5 * noise(&seed)}};
        slip_flank_point at = {.row = 1, .column = 1};
        int nodes[2][4];
        double gradient[2][4][3], back[3], force[3] = {0}, moment[3] = {0}, gap[3] = {0};
        slip_flank_curve_place(&curve[0], position[0], &place);
        assert_true(slip_flank_curve_nearest(&curve[1], position[1], place.place, &at));
        for (int d = 0; d < 3; d++)
            back[d] = -at.normal[d];
        slip_flank_curve_gradient(&curve[0], position[0], &place, at.normal, nodes[0], gradient[0]);
        slip_flank_curve_gradient(&curve[1], position[1], &at, back, nodes[1], gradient[1]);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 4; i++) {
                const double *x = &position[k][3 * nodes[k][i]], *f = gradient[k][i];
                for (int d = 0; d < 3; d++) {
                    force[d] += f[d];
                    moment[d] += x[(d + 1) % 3] * f[(d + 2) % 3] - x[(d + 2) % 3] * f[(d + 1) % 3];
                }
            }
        for (int d = 0; d < 3; d++) {
            assert_close(force[d], 0, 1e-14);
            assert_close(moment[d], 0, 1e-13);
        }
        int k = trial % 2, i = trial % 4, d = trial % 3;
        double *moved = &position[k][3 * nodes[k][i] + d], was = *moved, step = 1e-6;
        for (int side = 0; side < 3; side++) {
            slip_flank_point here = place, there = at;
            *moved = was + (side - 1) * step;
            slip_flank_curve_place(&curve[0], position[0], &here);
            assert_true(slip_flank_curve_nearest(&curve[1], position[1], here.place, &there));
            for (int e = 0; e < 3; e++)
                gap[side] += (here.place[e] - there.place[e]) * there.normal[e];
        }
        *moved = was;
        assert_close((gap[2] - gap[0]) / (2 * step), gradient[k][i][d], 2e-4);
    }
}

/* ---- Balance. */

/* Every set of closed contacts is tried: the one that fits is what is found. */
static void balance_is_the_only_one(void **state)
{
    (void)state;
    enum { n = 6 };
    unsigned seed = 11;
    slip_context *ctx = slip_context_create();
    for (int trial = 0; trial < 300; trial++) {
        double root[n * n], w[n * n] = {0}, r[n], m[n], force[n], numbers[(n + 1) * (n + 1) + 4 * (n + 1)];
        int indices[2 * (n + 1)];
        bool active[n];
        for (int i = 0; i < n * n; i++)
            root[i] = noise(&seed);
        for (int i = 0; i < n; i++) {
            r[i] = 2 * noise(&seed);
            m[i] = noise(&seed) + (trial % 2 ? 0.6 : 0); /* of one sense, or of both */
            active[i] = noise(&seed) > 0;
            for (int k = 0; k < n; k++) {
                w[i * n + k] = i == k ? 0.05 : 0;
                for (int l = 0; l < n; l++)
                    w[i * n + k] += root[i * n + l] * root[k * n + l];
            }
        }
        slip_gear_balance b = {n, w, r, m, 0.7, 1e-12, active, force, 0, 0, numbers, indices};
        bool can = false;
        for (int i = 0; i < n; i++)
            can = can || m[i] > 0;
        int status = slip_gear_balance_solve(ctx, &b);
        assert_int_equal(status, can ? SLIP_OK : SLIP_ERROR_SOLVER);
        double sum = 0;
        for (int i = 0; can && i < n; i++) {
            double gap = r[i] + m[i] * b.turn;
            for (int k = 0; k < n; k++)
                gap += w[i * n + k] * force[k];
            sum += m[i] * force[i];
            assert_true(force[i] >= 0 && gap > -1e-10);
            assert_close(force[i] * gap, 0, 1e-9);
        }
        if (can)
            assert_close(sum, 0.7, 1e-10);
    }
    slip_context_destroy(ctx);
}

/* ---- Statics. */

/* Displacements of the flanks of a gear under nodal forces, by its whole mesh. */
static void check_whole_mesh(slip_context *ctx, const slip_gear_options *gear, const slip_gear_static *s,
                             int k)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    slip_gear_mesh *whole = NULL;
    slip_solid *solid = NULL;
    slip_factor *factor = NULL;
    slip_solid_options material = {gear->young, gear->poisson, gear->density, false, false};
    slip_flank_surface *surfaces = calloc((size_t)g->flanks, sizeof *surfaces);
    assert_int_equal(slip_gear_mesh_create(ctx, gear, &whole), SLIP_OK);
    assert_int_equal(slip_tooth_surfaces(ctx, whole, surfaces), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(whole->mesh, "bore", SLIP_SET_NODES);
    assert_int_equal(slip_solid_create(ctx, "gear", whole->mesh, bore, &material, &solid), SLIP_OK);
    assert_int_equal(slip_factor_create(ctx, solid->stiffness, NULL, &factor, NULL), SLIP_OK);
    double *x = calloc(3 * (size_t)solid->free_count, sizeof *x), largest = 0;
    for (int step = 0; step < 2; step++) {
        for (int p = 0; p < s->pair->pair_count; p++) {
            int flank = s->pair->pairs[p].surface[k];
            double c = cos(g->turn[flank]), sn = sin(g->turn[flank]);
            /* Flanks of the other side are moved by the modes alone. */
            if (flank % 2 != (s->torque > 0))
                continue;
            for (int i = 0; i < g->nodes; i++) {
                double *to = &x[3 * solid->free[surfaces[flank].nodes[i]]];
                size_t at = 3 * ((size_t)flank * (size_t)g->nodes + (size_t)i);
                const double *f = s->nodal[k] + at, *u = s->displacement[k] + at;
                if (step == 0) {
                    to[0] += c * f[0] - sn * f[1];
                    to[1] += sn * f[0] + c * f[1];
                    to[2] += f[2];
                    continue;
                }
                assert_close(u[0], c * to[0] + sn * to[1], 1e-9 * largest);
                assert_close(u[1], c * to[1] - sn * to[0], 1e-9 * largest);
                assert_close(u[2], to[2], 1e-9 * largest);
            }
        }
        if (step == 0)
            assert_int_equal(slip_factor_solve(ctx, factor, 1, x, x), SLIP_OK);
        for (int i = 0; i < 3 * solid->free_count; i++)
            largest = fmax(largest, fabs(x[i]));
    }
    free(x);
    free(surfaces);
    slip_factor_destroy(factor);
    slip_solid_destroy(solid);
    slip_gear_mesh_destroy(whole);
}

/* The found forces move the nodes of the whole finite element gears to where the flanks just touch: two pairs
 * of teeth at once, either sense, rigid and by penalty. */
static void statics_are_those_of_the_meshes(void **state)
{
    (void)state;
    couple c = small_couple(4, 2);
    const slip_reduced *const bodies[2] = {c.bodies[0], c.bodies[1]};
    slip_gear_run_options run = slip_gear_run_options_default();
    int most_pairs = 0;
    for (int trial = 0; trial < 4; trial++) {
        slip_gear_pair *pair = NULL;
        slip_gear_static *s = NULL;
        double penalty = trial % 2 ? 1e9 : INFINITY, torque = trial < 2 ? 400 : -400;
        const slip_gear_static_options o = {penalty, 0.5, trial != 3, torque};
        assert_int_equal(slip_gear_pair_create(c.ctx, c.gears, bodies, &run, NULL, &pair), SLIP_OK);
        assert_int_equal(slip_gear_static_create(c.ctx, pair, c.gears, &o, &s), SLIP_OK);
        double theta = (trial < 2 ? 0.35 : -0.35) * 2 * pi / 13;
        double angle[2] = {theta, pi + pi / 16 - theta * 13 / 16};
        assert_int_equal(slip_gear_static_touch(c.ctx, s, angle), SLIP_OK);
        assert_int_equal(slip_gear_static_load(c.ctx, s, angle), SLIP_OK);
        assert_close(s->moment[1], -torque, 1e-10 * fabs(torque));
        bool pressed[slip_tooth_pairs_max] = {false};
        int pairs = 0;
        for (int r = 0; r < s->row_count; r++) {
            double spring = s->force[r] * (isinf(penalty) ? 0 : s->samples / (0.5 * penalty));
            /* Closed where there is force, open where there is none, as placed. */
            assert_true(s->force[r] >= 0);
            assert_true(s->rows[r].gap + spring > -1e-12);
            if (s->force[r] > 0)
                assert_close(s->rows[r].gap + spring, 0, isinf(penalty) ? 2e-13 : 1e-12);
            pairs += s->force[r] > 0 && !pressed[s->rows[r].pair];
            pressed[s->rows[r].pair] = pressed[s->rows[r].pair] || s->force[r] > 0;
        }
        most_pairs = pairs > most_pairs ? pairs : most_pairs;
        for (int k = 0; k < 2; k++)
            check_whole_mesh(c.ctx, &c.gears[k], s, k);
        slip_gear_static_destroy(s);
        slip_gear_pair_destroy(pair);
    }
    assert_true(most_pairs >= 2);
    release(&c);
}

/* With facets and a penalty the forces are those of the contact that gears in motion have, at the same
 * places. */
static void facets_are_those_of_gears_in_motion(void **state)
{
    (void)state;
    couple c = small_couple(6, 2);
    const slip_reduced *const bodies[2] = {c.bodies[0], c.bodies[1]};
    slip_gear_run_options run = slip_gear_run_options_default();
    run.penalty = 1e9;
    for (int trial = 0; trial < 6; trial++) {
        slip_gear_pair *pair = NULL;
        slip_gear_static *s = NULL;
        const slip_gear_static_options o = {run.penalty, 0.5, false, 300};
        assert_int_equal(slip_gear_pair_create(c.ctx, c.gears, bodies, &run, NULL, &pair), SLIP_OK);
        assert_int_equal(slip_gear_static_create(c.ctx, pair, c.gears, &o, &s), SLIP_OK);
        double theta = (trial + 0.3) / 6 * 2 * pi / 13;
        double angle[2] = {theta, pi + pi / 16 - theta * 13 / 16};
        assert_int_equal(slip_gear_static_touch(c.ctx, s, angle), SLIP_OK);
        assert_int_equal(slip_gear_static_load(c.ctx, s, angle), SLIP_OK);
        slip_gear_pair_turn(pair, angle);
        for (int k = 0; k < 2; k++)
            for (int p = 0; p < pair->pair_count; p++) {
                int flank = pair->pairs[p].surface[k];
                slip_gear_pair_place(pair, k, flank,
                                     s->displacement[k] + (size_t)flank * (size_t)pair->gear[k]->size, 0,
                                     NULL);
            }
        slip_gear_pair_touch(pair);
        assert_close(pair->moment[1], -300, 1e-6 * 300);
        assert_close(pair->moment[0], s->moment[0], 1e-6 * 300);
        slip_gear_static_destroy(s);
        slip_gear_pair_destroy(pair);
    }
    release(&c);
}

/* ---- The cycle. */

/* Stiffness by ISO 6336-1, method B, of solid discs of steel, N/(mm um): of a single pair at its largest, and
 * of the mesh on average, for which the standard takes 0.8 of it. */
static double iso_single(const slip_gear_options gears[2])
{
    double z[2] = {gears[0].teeth, gears[1].teeth}, x[2] = {gears[0].profile_shift, gears[1].profile_shift};
    return 1 / (0.04723 + 0.15551 / z[0] + 0.25791 / z[1] - 0.00635 * x[0] - 0.11654 * x[0] / z[0] -
                0.00193 * x[1] - 0.24188 * x[1] / z[1] + 0.00529 * x[0] * x[0] + 0.00182 * x[1] * x[1]);
}

static void cycle_is_that_of_textbooks(void **state)
{
    (void)state;
    couple c = published_couple();
    slip_gear_cycle_options o = options_of(400, 40);
    o.locate = 1;
    slip_gear_cycle *cycle = turn(&c, &o);
    slip_gear_cycle_summary s = slip_gear_cycle_summarise(cycle);
    int count, changes, single = 0, both = 0;
    const slip_gear_cycle_point *p = slip_gear_cycle_points(cycle, &count);
    const slip_gear_cycle_change *change = slip_gear_cycle_changes(cycle, &changes);
    assert_int_equal(count, 41);
    double low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < p[i].pair_count; k++)
            sum += p[i].pairs[k].share;
        assert_close(sum, 1, 1e-10);
        assert_close(p[i].moment[1], -400, 1e-8 * 400);
        assert_true(fabs(p[i].ratio - 1) < 1e-2);
        single += p[i].pair_count == 1;
        both += p[i].pair_count == 2;
        *(p[i].pair_count == 1 ? &low : &high) += p[i].tangent / s.width * 1e-9;
    }
    assert_int_equal(single + both, count);
    assert_true(fabs(s.ratio_mean - 1) < 1e-3);
    assert_true(s.balance < 1e-8);
    /* One pair and two pairs in turn, a little longer two than the outlines say. */
    assert_close(s.contact_ratio, 1.474, 1e-3);
    assert_true(s.loaded_ratio > s.contact_ratio && s.loaded_ratio < s.contact_ratio + 0.15);
    assert_int_equal(changes, 2);
    assert_int_not_equal(change[0].enters, change[1].enters);
    double apart = fabs(change[1].position - change[0].position), two = change[0].enters ? apart : 1 - apart;
    assert_close(1 + two, s.loaded_ratio, 1e-12);
    /* The step between them, and the standard's numbers. */
    double c_single = iso_single(c.gears), c_mesh = 0.8 * c_single * (0.75 * s.contact_ratio + 0.25);
    assert_true(high / both > 1.25 * low / single);
    assert_close(low / single, c_single, 0.2 * c_single);
    assert_close(1e-9 * s.stiffness_mean / s.width, c_mesh, 0.15 * c_mesh);
    /* From pitch to pitch the same. */
    assert_close(p[40].error, p[0].error, 1e-7 * p[0].error);
    assert_close(p[40].stiffness, p[0].stiffness, 1e-7 * p[0].stiffness);
    assert_close(p[40].unloaded, p[0].unloaded, 1e-11);
    slip_gear_cycle_destroy(cycle);
    release(&c);
}

/* Torques of either sense see mirror images. */
static void senses_are_mirror_images(void **state)
{
    (void)state;
    couple c = small_couple(5, 2);
    slip_gear_cycle_options o = options_of(300, 7);
    o.phase = 0.1;
    slip_gear_cycle *one = turn(&c, &o);
    o.torque = -300;
    o.phase = -1.1;
    slip_gear_cycle *other = turn(&c, &o);
    int count;
    const slip_gear_cycle_point *p = slip_gear_cycle_points(one, &count),
                                *q = slip_gear_cycle_points(other, &count);
    for (int i = 0; i < count; i++) {
        const slip_gear_cycle_point *m = &q[count - 1 - i];
        assert_close(m->position, -p[i].position, 1e-12);
        assert_close(m->error, p[i].error, 1e-7 * p[i].error);
        assert_close(m->moment[0], -p[i].moment[0], 1e-6 * 300);
        assert_int_equal(m->pair_count, p[i].pair_count);
        assert_int_not_equal(m->pairs[0].left, p[i].pairs[0].left);
    }
    slip_gear_cycle_destroy(one);
    slip_gear_cycle_destroy(other);
    release(&c);
}

/* The facets' error without load falls with the square of their length; involutes have next to none, also
 * with backlash by distance and by thickness. */
static void perfect_gears_have_no_error_without_load(void **state)
{
    (void)state;
    double range[3];
    for (int i = 0; i < 3; i++) {
        couple c = small_couple(4 << i, 1);
        slip_gear_cycle_options o = options_of(300, 40);
        o.smooth = 0;
        slip_gear_cycle *cycle = turn(&c, &o);
        range[i] = slip_gear_cycle_summarise(cycle).unloaded_range;
        slip_gear_cycle_destroy(cycle);
        if (i == 0) {
            o.smooth = 1;
            o.points = 10;
            for (int k = 0; k < 2; k++) {
                o.distance = k ? 0.0758 : 0;
                cycle = turn(&c, &o);
                int count;
                const slip_gear_cycle_point *p = slip_gear_cycle_points(cycle, &count);
                for (int n = 0; n < count; n++)
                    assert_true(fabs(p[n].unloaded) < 0.03 * p[n].error);
                slip_gear_cycle_destroy(cycle);
            }
        }
        release(&c);
    }
    assert_true(range[1] < range[0] / 2.5);
    assert_true(range[2] < range[1] / 2.5);
}

static void softer_flanks_yield_more(void **state)
{
    (void)state;
    couple c = small_couple(5, 2);
    const double penalties[4] = {1e8, 1e9, 1e10, INFINITY};
    double before = 0;
    for (int i = 0; i < 4; i++) {
        slip_gear_cycle_options o = options_of(300, 6);
        o.penalty = penalties[i];
        slip_gear_cycle *cycle = turn(&c, &o);
        slip_gear_cycle_summary s = slip_gear_cycle_summarise(cycle);
        assert_true(s.stiffness_mean > before);
        before = s.stiffness_mean;
        slip_gear_cycle_destroy(cycle);
    }
    release(&c);
}

/* Gears in slow motion, the first driven and the second braked, over two teeth: about the statics of the
 * same facets. The motion has no residual flexibility between teeth, which is worth 2e-3 with these modes. */
static void slow_motion_is_about_the_statics(void **state)
{
    (void)state;
    const double torque = 1000, speed = 30;
    slip_gear_run_options run = slip_gear_run_options_default();
    slip_gear_cycle_options o = options_of(torque, 40);
    couple c = small_couple(16, 1);
    slip_gear_geometry wheel;
    for (int k = 0; k < 2; k++) {
        slip_reduced_destroy(c.bodies[k]);
        c.gears[k].modes = 60;
        run.side[k].damping = 1e-5;
    }
    reduce(&c);
    const slip_reduced *const bodies[2] = {c.bodies[0], c.bodies[1]};
    run.side[0].speed = speed;
    run.side[0].driven = 1;
    run.side[1].speed = -speed * 13 / 16;
    run.side[1].torque = torque;
    run.method = "exponential";
    run.tolerance = 1e-3;
    run.time = 2 * 2 * pi / 13 / speed;
    run.samples = 2001;
    slip_result *motion = NULL;
    assert_int_equal(slip_gear_run(c.ctx, c.gears, bodies, &run, &motion), SLIP_OK);
    o.smooth = 0;
    o.penalty = run.penalty;
    slip_gear_cycle *cycle = turn(&c, &o);
    slip_gear_cycle_summary s = slip_gear_cycle_summarise(cycle);
    int64_t count;
    const double *first = slip_result_series(motion, "pinion.angle", &count);
    const double *second = slip_result_series(motion, "wheel.angle", &count);
    double mean = 0, low = INFINITY, high = -INFINITY;
    assert_int_equal(slip_gear_measure(c.ctx, &c.gears[1], &wheel), SLIP_OK);
    assert_int_equal(count, run.samples);
    for (int i = 1000; i < 2000; i++) { /* the mesh cycle after the start */
        double error = wheel.base_radius * (second[i] - (pi + pi / 16 - first[i] * 13 / 16));
        mean += error / 1000;
        low = fmin(low, error);
        high = fmax(high, error);
    }
    assert_close(mean, s.error_mean, 5e-3 * s.error_mean);
    assert_close(high - low, s.error_range, 0.15 * s.error_range);
    slip_result_destroy(motion);
    slip_gear_cycle_destroy(cycle);
    release(&c);
}

/* Contact at one place is linear: stiffness does not depend on a torque that is small, down to the least one
 * that is taken. */
static void small_torques_scale(void **state)
{
    (void)state;
    couple c = published_couple();
    slip_gear_cycle_options o = options_of(1e-2, 3);
    assert_int_equal(slip_gear_distance(c.ctx, &c.gears[0], &c.gears[1], &o.distance, NULL), SLIP_OK);
    o.distance += 1e-4; /* a mesh is not so exact that both flanks fit */
    slip_gear_cycle *fair = turn(&c, &o), *small;
    int count;
    const slip_gear_cycle_point *a = slip_gear_cycle_points(fair, &count), *b;
    for (int sign = -1; sign <= 1; sign += 2) {
        o.torque = sign * 1e-4;
        small = turn(&c, &o);
        b = slip_gear_cycle_points(small, &count);
        for (int i = 0; i < count && sign > 0; i++) {
            assert_close(b[i].stiffness, a[i].stiffness, 1e-3 * a[i].stiffness);
            assert_close(b[i].moment[1], a[i].moment[1] / 100, 1e-8 * fabs(o.torque));
        }
        slip_gear_cycle_destroy(small);
    }
    slip_gear_cycle_destroy(fair);
    release(&c);
}

/* ---- Errors. */

static void expect_error(couple *c, const slip_gear_cycle_options *o, const slip_reduced *first,
                         const char *text)
{
    const slip_reduced *const bodies[2] = {first, c->bodies[1]};
    slip_gear_cycle *cycle = NULL;
    assert_int_equal(slip_gear_cycle_run(c->ctx, c->gears, bodies, o, &cycle), SLIP_ERROR_MODEL);
    assert_null(cycle);
    if (!strstr(slip_context_message(c->ctx), text))
        fail_msg("found `%s`, expected `%s`", slip_context_message(c->ctx), text);
}

static void errors_are_told(void **state)
{
    (void)state;
    couple c = small_couple(3, 1);
    slip_gear_cycle_options o = options_of(300, 6);
    slip_reduce_options r = slip_reduce_options_default();
    slip_reduced *bare = NULL;
    r.attachment = 0;
    assert_int_equal(slip_gear_reduce(c.ctx, &c.gears[0], &r, &bare), SLIP_OK);
    expect_error(&c, &o, NULL, "no reduced body");
    expect_error(&c, &o, c.bodies[1], "another gear");
    expect_error(&c, &o, bare, "without attachment modes");
    o.torque = 0;
    expect_error(&c, &o, c.bodies[0], "found torque 0");
    o.torque = -1e-9;
    expect_error(&c, &o, c.bodies[0], "found torque -1e-09 N m, expected at least");
    assert_int_equal(slip_gear_cycle_check(c.ctx, c.gears, &o), SLIP_ERROR_MODEL);
    o.torque = 300;
    assert_int_equal(slip_gear_cycle_check(c.ctx, c.gears, &o), SLIP_OK);
    o.points = 1;
    expect_error(&c, &o, c.bodies[0], "found points 1");
    o.points = 6;
    o.two_pass = 1.5;
    expect_error(&c, &o, c.bodies[0], "found two_pass 1.5");
    o.two_pass = 0.5;
    o.distance = 0.05;
    expect_error(&c, &o, c.bodies[0], "found distance 0.05");
    o.distance = 0.09; /* the teeth do not reach each other */
    expect_error(&c, &o, c.bodies[0], "near each other");
    slip_reduced_destroy(bare);
    release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_involutes),
        cmocka_unit_test(gradients_are_exact),
        cmocka_unit_test(balance_is_the_only_one),
        cmocka_unit_test(statics_are_those_of_the_meshes),
        cmocka_unit_test(facets_are_those_of_gears_in_motion),
        cmocka_unit_test(cycle_is_that_of_textbooks),
        cmocka_unit_test(senses_are_mirror_images),
        cmocka_unit_test_of_numbers(perfect_gears_have_no_error_without_load),
        cmocka_unit_test_of_numbers(softer_flanks_yield_more),
        cmocka_unit_test_of_all(slow_motion_is_about_the_statics),
        cmocka_unit_test_of_numbers(small_torques_scale),
        cmocka_unit_test(errors_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
