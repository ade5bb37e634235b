/* Contact of flanks: nearest points, balance of forces and moments, energy, search, tooth pairs. */
#include "test.h"

#include "gear/flank/facet.h"
#include "gear/flank/tooth_pairs.h"
#include "slipstick/gear.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- Facets. */

/* The least distance by brute force: a fine grid, then finer ones around its best point. */
static double brute_distance(const slip_facet *f, const double low[2], const double high[2],
                             const double point[3])
{
    double centre[2] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}, best = INFINITY;
    double half[2] = {(high[0] - low[0]) / 2, (high[1] - low[1]) / 2};
    enum { n = 20 };
    for (int level = 0; level < 14; level++) {
        double next[2] = {centre[0], centre[1]};
        for (int i = -n; i <= n; i++)
            for (int j = -n; j <= n; j++) {
                double at[2] = {centre[0] + half[0] * i / n, centre[1] + half[1] * j / n}, x[3], square = 0;
                for (int k = 0; k < 2; k++)
                    at[k] = fmin(fmax(at[k], low[k]), high[k]);
                slip_facet_place(f, at, x);
                for (int d = 0; d < 3; d++)
                    square += (x[d] - point[d]) * (x[d] - point[d]);
                if (square < best) {
                    best = square;
                    memcpy(next, at, sizeof next);
                }
            }
        memcpy(centre, next, sizeof next);
        half[0] /= 4;
        half[1] /= 4;
    }
    return sqrt(best);
}

static void nearest_point_of_a_facet(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int inside = 0, edge = 0, corner = 0;
    for (int turn = 0; turn < 300; turn++) {
        double p[4][3], point[3];
        const double *corners[4] = {p[0], p[1], p[2], p[3]};
        for (int k = 0; k < 4; k++) {
            p[k][0] = (k == 1 || k == 2 ? 1 : -1) + test_random(&seed, -0.3, 0.3);
            p[k][1] = (k >= 2 ? 1 : -1) + test_random(&seed, -0.3, 0.3);
            p[k][2] = test_random(&seed, -0.3, 0.3);
        }
        for (int d = 0; d < 3; d++)
            point[d] = d == 2 ? test_random(&seed, -0.5, 0.5) : test_random(&seed, -2, 2);
        const double low[2] = {-1, turn % 3 ? -1 : -1.2}, high[2] = {turn % 2 ? 1 : 1.1, 1}, start[2] = {0};
        slip_facet f = slip_facet_make(corners);
        slip_facet_point found = slip_facet_nearest(&f, low, high, point, start);
        assert_close(sqrt(found.square), brute_distance(&f, low, high, point), 1e-7);
        int rims = 0;
        for (int k = 0; k < 2; k++) {
            assert_true(found.at[k] >= low[k] && found.at[k] <= high[k]);
            rims += found.at[k] == low[k] || found.at[k] == high[k];
        }
        if (found.inside) {
            double normal[3], along = 0;
            slip_facet_normal(&f, found.at, normal);
            for (int d = 0; d < 3; d++)
                along += normal[d] * (point[d] - found.place[d]);
            assert_close(fabs(along), sqrt(found.square), 1e-14);
        }
        inside += found.inside;
        edge += !found.inside && rims == 1;
        corner += rims == 2;
    }
    assert_true(inside > 50 && edge > 50 && corner > 20);
}

/* ---- Two grids. */

enum { rows = 5, columns = 7, grid = rows * columns };

typedef struct scene {
    int numbers[2][grid];
    slip_flank_surface surface[2];
    double position[2][3 * grid], velocity[2][3 * grid], force[2][3 * grid];
    slip_flank_state state[2];
    slip_flank_contact *contact;
    slip_context *ctx;
    slip_flank_totals totals;
} scene;

/* Two bent sheets, the lower looking up, the upper looking down; the upper one is `overlap` deep. */
static void fill(scene *s, uint64_t *seed, double overlap, double rough)
{
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < grid; i++) {
            double *x = s->position[body] + 3 * i, sign = body ? 1 : -1;
            x[0] = (i % columns) * (body ? 0.9 : 1) + (body ? 0.37 : 0);
            x[1] = (i / columns) * (body ? 1.1 : 1) - (body ? 0.21 : 0);
            double r = hypot(x[0] - 3, 0.3 * (x[1] - 2));
            x[2] = sign * (0.03 * r * r - overlap / 2);
            for (int d = 0; d < 3; d++) {
                x[d] += test_random(seed, -rough, rough);
                s->velocity[body][3 * i + d] = test_random(seed, -1, 1);
            }
        }
}

static void make(scene *s, const slip_flank_options *options)
{
    const int counts[2] = {1, 1};
    const slip_flank_surface *surfaces[2] = {&s->surface[0], &s->surface[1]};
    s->ctx = slip_context_create();
    for (int body = 0; body < 2; body++) {
        for (int i = 0; i < grid; i++)
            s->numbers[body][i] = i;
        s->surface[body] = (slip_flank_surface){rows, columns, s->numbers[body], body == 1};
        s->state[body] = (slip_flank_state){s->position[body], s->velocity[body], s->force[body]};
    }
    assert_int_equal(slip_flank_contact_create(s->ctx, options, counts, surfaces, &s->contact), SLIP_OK);
}

static void apply(scene *s)
{
    const slip_flank_pair pair = {{0, 0}};
    memset(s->force, 0, sizeof s->force);
    slip_flank_contact_apply(s->contact, 1, &pair, s->state, &s->totals);
}

static void drop(scene *s)
{
    slip_flank_contact_destroy(s->contact);
    slip_context_destroy(s->ctx);
}

static slip_flank_options options_of(double penalty, double two_pass, const slip_law *law)
{
    slip_flank_options o = slip_flank_options_default();
    o.penalty = penalty;
    o.two_pass = two_pass;
    o.friction = law;
    return o;
}

/* Whatever touches, with friction or not: the sum of all forces and of all moments is zero. */
static void forces_and_moments_balance(void **state)
{
    (void)state;
    uint64_t seed = 11;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.4;
    law.velocity = 0.1;
    for (int turn = 0; turn < 30; turn++) {
        scene s;
        slip_flank_options o = options_of(50, (turn % 3) / 2.0, turn % 2 ? &law : NULL);
        make(&s, &o);
        fill(&s, &seed, 0.3, 0.1);
        apply(&s);
        double sum[3] = {0}, moment[3] = {0}, size = 0;
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < grid; i++) {
                const double *x = s.position[body] + 3 * i, *f = s.force[body] + 3 * i;
                for (int d = 0; d < 3; d++) {
                    sum[d] += f[d];
                    moment[d] += x[(d + 1) % 3] * f[(d + 2) % 3] - x[(d + 2) % 3] * f[(d + 1) % 3];
                    size += fabs(f[d]);
                }
            }
        assert_true(s.totals.touching >= 5);
        for (int d = 0; d < 3; d++) {
            assert_close(sum[d], 0, 1e-13 * size);
            assert_close(moment[d], 0, 1e-12 * size);
        }
        drop(&s);
    }
}

/* The power of all forces is what the springs lose and friction takes: sum f . v = -dE/dt - lost. */
static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    uint64_t seed = 21;
    slip_law law = slip_law_default("sqrt");
    law.mu = 0.3;
    law.epsilon = 0.2;
    int valley = 0;
    for (int turn = 0; turn < 40; turn++) {
        scene s;
        slip_flank_options o = options_of(50, turn % 4 == 3 ? 1 : 0.3, turn % 2 ? &law : NULL);
        make(&s, &o);
        fill(&s, &seed, 0.3, 0.15);
        apply(&s);
        double power = 0, energy[2], h = 1e-7, normal_force = s.totals.normal_force, lost = s.totals.lost;
        int touching = s.totals.touching;
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < grid; i++) {
                const slip_flank_touch *t = &slip_flank_contact_touches(s.contact, body, 0)[i];
                valley += t->depth > 0 && (fabs(t->at[0]) == 1 || fabs(t->at[1]) == 1);
                for (int d = 0; d < 3; d++)
                    power += s.force[body][3 * i + d] * s.velocity[body][3 * i + d];
            }
        for (int k = 0; k < 2; k++) {
            for (int body = 0; body < 2; body++)
                for (int i = 0; i < 3 * grid; i++)
                    s.position[body][i] += (k ? 2 : -1) * h * s.velocity[body][i];
            apply(&s);
            energy[k] = s.totals.energy;
        }
        assert_true(touching > 5 && (lost > 0) == (turn % 2 == 1));
        assert_close(power + lost, -(energy[1] - energy[0]) / (2 * h), 1e-6 * normal_force);
        drop(&s);
    }
    assert_true(valley > 20); /* edges and corners took part */
}

/* Nodes in front by less than the margin are reported as soon as they come there, and nothing else changes.
 */
static void near_nodes_are_reported(void **state)
{
    (void)state;
    scene near, plain;
    slip_flank_options o = options_of(7, 0.5, NULL);
    uint64_t seed = 77, same = 77;
    int seen = 0;
    make(&plain, &o);
    o.margin = 0.02;
    make(&near, &o);
    for (double overlap = -0.1; overlap < 0.1; overlap += 0.003) {
        seed = same = 77;
        fill(&near, &seed, overlap, 0.01);
        fill(&plain, &same, overlap, 0.01);
        apply(&near);
        apply(&plain);
        assert_memory_equal(near.force, plain.force, sizeof near.force);
        assert_memory_equal(&near.totals, &plain.totals, sizeof near.totals);
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < grid; i++) {
                const slip_flank_touch *a = &slip_flank_contact_touches(near.contact, body, 0)[i];
                const slip_flank_touch *b = &slip_flank_contact_touches(plain.contact, body, 0)[i];
                const double *point = near.position[body] + 3 * i;
                double least = INFINITY; /* distance from the other sheet */
                for (int at = 0; at < (rows - 1) * (columns - 1); at++) {
                    const double *c = near.position[1 - body], start[2] = {0}, low[2] = {-1, -1};
                    int first = at / (columns - 1) * columns + at % (columns - 1);
                    const double *corners[4] = {c + 3 * first, c + 3 * (first + 1),
                                                c + 3 * (first + columns + 1), c + 3 * (first + columns)};
                    slip_facet f = slip_facet_make(corners);
                    least = fmin(least, slip_facet_nearest(&f, low, (double[]){1, 1}, point, start).square);
                }
                bool inner = point[0] > 1 && point[0] < 5 && point[1] > 0.5 && point[1] < 3.5;
                assert_true(b->near == (b->depth > 0) && (a->depth > 0) == (b->depth > 0));
                if (a->near && !b->near) {
                    assert_true(a->depth <= 0 && a->depth > -0.02);
                    seen++;
                }
                if (inner && !b->near)
                    assert_true(a->near == (least <= 0.02 * 0.02));
                /* Facets are turned by up to 0.1 against each other. */
                if (inner && a->near && !b->near)
                    assert_close(-a->depth, sqrt(least), 0.01 * sqrt(least) + 1e-15);
            }
    }
    assert_true(seen > 20);
    drop(&near);
    drop(&plain);
}

/* Parallel planes: every node above the other plane has the depth of the overlap. */
static void planes(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        scene s;
        const double weight = turn / 2.0, depth = 0.01;
        slip_flank_options o = options_of(7, weight, NULL);
        make(&s, &o);
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < grid; i++) {
                double *x = s.position[body] + 3 * i;
                x[0] = i % columns * (body ? 0.5 : 1) + (body ? 1.2 : 0); /* 7 of the upper, 3 of the lower */
                x[1] = i / columns * 0.7;
                x[2] = body ? -depth : 0;
            }
        apply(&s);
        int above[2] = {rows * 3, rows * 7};
        assert_int_equal(s.totals.touching, (weight > 0) * above[0] + (weight < 1) * above[1]);
        double expected = 7 * depth * (weight * above[0] + (1 - weight) * above[1]);
        assert_close(s.totals.normal_force, expected, 1e-14);
        assert_close(s.totals.energy, expected * depth / 2, 1e-15);
        assert_close(s.totals.deepest, depth, 1e-16);
        double sum = 0;
        for (int i = 0; i < grid; i++)
            sum += s.force[1][3 * i + 2];
        assert_close(sum, expected, 1e-14);
        drop(&s);
    }
}

/* A node behind a cylinder made of facets of the angle 2 beta: with the radius r of the node its depth is R
 * cos beta - r cos(angle from the facet's middle). */
static void cylinder(void **state)
{
    (void)state;
    scene s;
    slip_flank_options o = options_of(3, 1, NULL);
    make(&s, &o);
    const double radius = 2, beta = 0.05;
    for (int i = 0; i < grid; i++) {
        double *x = s.position[1] + 3 * i, angle = -pi / 2 + 2 * beta * (i % columns - 3);
        x[0] = radius * cos(angle);
        x[1] = i / columns;
        x[2] = radius * sin(angle);
    }
    uint64_t seed = 1;
    double from_middle[grid], r[grid];
    for (int i = 0; i < grid; i++) {
        double *x = s.position[0] + 3 * i, angle = test_random(&seed, -6, 6) * beta;
        r[i] = radius - test_random(&seed, 0.01, 0.1);
        from_middle[i] = angle - 2 * beta * (floor(angle / (2 * beta)) + 0.5);
        x[0] = r[i] * sin(angle);
        x[1] = test_random(&seed, 0, rows - 1);
        x[2] = -r[i] * cos(angle);
    }
    apply(&s);
    assert_int_equal(s.totals.touching, grid);
    for (int i = 0; i < grid; i++)
        assert_close(slip_flank_contact_touches(s.contact, 0, 0)[i].depth,
                     radius * cos(beta) - r[i] * cos(from_middle[i]), 1e-14);
    drop(&s);
}

/* The walk finds what a look at every facet finds, also after jumps: who is behind the surface, and its
 * nearest point. (In front of a rough surface there may be several that are nearest for themselves.) */
static void search_finds_what_brute_force_finds(void **state)
{
    (void)state;
    uint64_t seed = 31;
    scene s;
    slip_flank_options o = options_of(1, 0.5, NULL);
    make(&s, &o);
    int behind = 0;
    for (int turn = 0; turn < 60; turn++) {
        fill(&s, &seed, 0.2, 0.02);
        const double shift[2] = {test_random(&seed, -3, 3), test_random(&seed, -2, 2)};
        for (int i = 0; i < grid; i++) {
            s.position[1][3 * i] += shift[0];
            s.position[1][3 * i + 1] += shift[1];
        }
        apply(&s);
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < grid; i++) {
                const slip_flank_touch *t = &slip_flank_contact_touches(s.contact, body, 0)[i];
                const double *master = s.position[1 - body], *point = s.position[body] + 3 * i;
                double least = INFINITY, found = 0, gap = 0;
                for (int f = 0; f < (rows - 1) * (columns - 1); f++) {
                    int row = f / (columns - 1), column = f % (columns - 1), at = row * columns + column;
                    const double *corners[4] = {master + 3 * at, master + 3 * (at + 1),
                                                master + 3 * (at + columns + 1), master + 3 * (at + columns)};
                    const double low[2] = {column ? -1 : -1.1, row ? -1 : -1.1}, start[2] = {0};
                    const double high[2] = {column < columns - 2 ? 1 : 1.1, row < rows - 2 ? 1 : 1.1};
                    slip_facet facet = slip_facet_make(corners);
                    slip_facet_point p = slip_facet_nearest(&facet, low, high, point, start);
                    if (p.square < least) {
                        double normal[3];
                        least = p.square;
                        gap = 0;
                        slip_facet_normal(&facet, p.at, normal);
                        for (int d = 0; p.inside && d < 3; d++)
                            gap += (body ? 1 : -1) * normal[d] * (point[d] - p.place[d]);
                    }
                    if (row == t->row && column == t->column)
                        found = p.square;
                }
                if (t->depth > 0)
                    assert_close(found, least, 1e-15);
                if (gap != 0)
                    assert_int_equal(gap<0, t->depth> 0);
                behind += t->depth > 0;
            }
    }
    assert_true(behind > 500);
    drop(&s);
}

/* The bound is above the largest eigenvalue, found by power iteration, and not far above. */
static void eigenvalue_bound(void **state)
{
    (void)state;
    uint64_t seed = 41;
    scene s;
    slip_flank_options o = options_of(9, 0.4, NULL);
    make(&s, &o);
    double mass[2][grid];
    const double *const masses[2] = {mass[0], mass[1]};
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < grid; i++)
            mass[body][i] = test_random(&seed, 0.5, 2);
    fill(&s, &seed, 0.3, 0.02);
    apply(&s);
    double bound = slip_flank_contact_stiffness(s.contact, masses), base[2][3 * grid], quotient = 0;
    double move[2][3 * grid], first[2][3 * grid];
    memcpy(base, s.position, sizeof base);
    memcpy(first, s.force, sizeof first);
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < 3 * grid; i++)
            move[body][i] = test_random(&seed, -1, 1);
    for (int turn = 0; turn < 60; turn++) { /* power iteration by differences of the forces */
        double size = 0, work = 0, h = 1e-7;
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < 3 * grid; i++)
                size += mass[body][i / 3] * move[body][i] * move[body][i];
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < 3 * grid; i++) {
                move[body][i] /= sqrt(size);
                s.position[body][i] = base[body][i] + h * move[body][i];
            }
        apply(&s);
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < 3 * grid; i++) {
                double next = (first[body][i] - s.force[body][i]) / h;
                work += next * move[body][i];
                move[body][i] = next / mass[body][i / 3];
            }
        quotient = fmax(quotient, work);
    }
    assert_true(quotient < bound && quotient > 0.4 * bound);
    drop(&s);
}

/* ---- Gears. */

typedef struct gears {
    slip_context *ctx;
    slip_gear_options options[2];
    slip_gear_mesh *mesh[2];
    slip_flank_surface *surfaces[2];
    slip_tooth_wheel wheels[2];
    double *position[2], *force[2];
    slip_flank_contact *contact;
    double pressure_angle;
} gears;

static void make_gears(gears *g, double backlash, double depth)
{
    slip_gear_geometry geometry;
    double distance;
    int counts[2];
    g->ctx = slip_context_create();
    for (int k = 0; k < 2; k++) {
        slip_gear_options o = slip_gear_options_default();
        o.teeth = k ? 37 : 18;
        o.module = 0.005;
        o.profile_shift = k ? 0 : 0.5;
        o.width = 0.02;
        o.bore = 0.05;
        o.mesh = (slip_gear_mesh_options){k ? 11 : 12, 2, 4, 2, 3, 2};
        g->options[k] = o;
    }
    assert_int_equal(
        slip_gear_distance(g->ctx, &g->options[0], &g->options[1], &distance, &g->pressure_angle), SLIP_OK);
    for (int k = 0; k < 2; k++) {
        g->options[k].backlash = backlash;
        assert_int_equal(slip_gear_mesh_create(g->ctx, &g->options[k], &g->mesh[k]), SLIP_OK);
        assert_int_equal(slip_gear_measure(g->ctx, &g->options[k], &geometry), SLIP_OK);
        counts[k] = 2 * g->options[k].teeth;
        g->surfaces[k] = calloc((size_t)counts[k], sizeof **g->surfaces);
        assert_int_equal(slip_tooth_surfaces(g->ctx, g->mesh[k], g->surfaces[k]), SLIP_OK);
        g->wheels[k] = (slip_tooth_wheel){.teeth = g->options[k].teeth, .tip_radius = geometry.tip_radius};
        g->position[k] = calloc(3 * (size_t)g->mesh[k]->mesh->node_count, sizeof(double));
        g->force[k] = calloc(3 * (size_t)g->mesh[k]->mesh->node_count, sizeof(double));
    }
    /* Off the axes of coordinates, to see that no direction is special. */
    g->wheels[1].centre[0] = distance * cos(0.3);
    g->wheels[1].centre[1] = distance * sin(0.3);
    slip_flank_options o = options_of(1e9, 0.5, NULL);
    o.depth = depth;
    const slip_flank_surface *const surfaces[2] = {g->surfaces[0], g->surfaces[1]};
    assert_int_equal(slip_flank_contact_create(g->ctx, &o, counts, surfaces, &g->contact), SLIP_OK);
}

static void drop_gears(gears *g)
{
    slip_flank_contact_destroy(g->contact);
    for (int k = 0; k < 2; k++) {
        slip_gear_mesh_destroy(g->mesh[k]);
        free(g->surfaces[k]);
        free(g->position[k]);
        free(g->force[k]);
    }
    slip_context_destroy(g->ctx);
}

/* Angles at which tooth 1 of the first is on the line of centres, in the middle of a space of the second;
 * then the first is turned by `turn`, the second with it, and the first by `extra` alone. */
static void turn_gears(gears *g, double turn, double extra)
{
    g->wheels[0].angle = 0.3 + turn + extra;
    g->wheels[1].angle = 0.3 + pi + pi / 37 - turn * 18 / 37;
    for (int k = 0; k < 2; k++) {
        const slip_mesh *mesh = g->mesh[k]->mesh;
        double c = cos(g->wheels[k].angle), s = sin(g->wheels[k].angle);
        for (int i = 0; i < mesh->node_count; i++) {
            const double *from = mesh->points + 3 * i;
            double *to = g->position[k] + 3 * i;
            to[0] = g->wheels[k].centre[0] + c * from[0] - s * from[1];
            to[1] = g->wheels[k].centre[1] + s * from[0] + c * from[1];
            to[2] = from[2];
        }
        memset(g->force[k], 0, 3 * sizeof(double) * (size_t)mesh->node_count);
    }
}

static void touch_gears(gears *g, int count, const slip_flank_pair *pairs, slip_flank_totals *totals)
{
    const slip_flank_state states[2] = {{g->position[0], NULL, g->force[0]},
                                        {g->position[1], NULL, g->force[1]}};
    slip_flank_contact_apply(g->contact, count, pairs, states, totals);
}

static double moment_of(const gears *g, int k)
{
    double sum = 0;
    for (int i = 0; i < g->mesh[k]->mesh->node_count; i++) {
        const double *x = g->position[k] + 3 * i, *f = g->force[k] + 3 * i;
        sum += (x[0] - g->wheels[k].centre[0]) * f[1] - (x[1] - g->wheels[k].centre[1]) * f[0];
    }
    return sum;
}

/* Through a whole turn of the pinion, driven in either direction: what touches among the pairs by the angles
 * is what touches among all flanks, each against each; the right flanks are loaded; moments are in the ratio
 * of the teeth. */
static void pairs_by_angles_are_all_there_are(void **state)
{
    (void)state;
    gears g, all;
    make_gears(&g, 1e-4, INFINITY);
    make_gears(&all, 1e-4, 1e-3);
    for (int step = 0; step < 24; step++) {
        bool back = step % 2;
        double turn = step * 2 * pi / 24, extra = (back ? -1 : 1) * 0.006;
        slip_flank_pair pairs[slip_tooth_pairs_max];
        slip_flank_totals totals;
        turn_gears(&g, turn, extra);
        int count = slip_tooth_pairs_find(g.wheels, pairs);
        assert_in_range(count, 2, 14);
        touch_gears(&g, count, pairs, &totals);
        assert_true(totals.touching > 0 && totals.normal_force > 0);
        assert_int_equal(pairs[totals.deepest_pair].surface[0] % 2, back ? 0 : 1);
        double ratio = -moment_of(&g, 1) / moment_of(&g, 0);
        assert_true((moment_of(&g, 0) < 0) == !back);
        assert_close(fabs(ratio), 37.0 / 18, 0.1);
        /* Every first flank against every flank of the second. */
        turn_gears(&all, turn, extra);
        int touching = 0;
        double force = 0;
        for (int i = 0; i < 36; i++)
            for (int j = 0; j < 74; j++) {
                slip_flank_pair pair = {{i, j}};
                slip_flank_totals one;
                touch_gears(&all, 1, &pair, &one);
                touching += one.touching;
                force += one.normal_force;
            }
        assert_int_equal(touching, totals.touching);
        assert_close_relative(force, totals.normal_force, 1e-12);
    }
    drop_gears(&g);
    drop_gears(&all);
}

/* Nodes that rest while they are far away miss nothing: along a path of small and large motions and small
 * shakes the forces are those of a contact that sees each position for the first time. */
static void resting_nodes_miss_nothing(void **state)
{
    (void)state;
    gears g;
    uint64_t seed = 51;
    int touched = 0;
    make_gears(&g, 1e-4, INFINITY);
    double turn = 0, extra = 0;
    for (int step = 0; step < 150; step++) {
        slip_flank_pair pairs[slip_tooth_pairs_max];
        slip_flank_totals totals, fresh;
        turn += step % 40 == 39 ? 0.1 : 2e-3;
        extra = test_random(&seed, -0.004, 0.004);
        turn_gears(&g, turn, extra);
        int count = slip_tooth_pairs_find(g.wheels, pairs);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3 * g.mesh[k]->mesh->node_count; i++)
                g.position[k][i] += test_random(&seed, -1e-5, 1e-5);
        touch_gears(&g, count, pairs, &totals);
        const int counts[2] = {36, 74};
        const slip_flank_surface *const surfaces[2] = {g.surfaces[0], g.surfaces[1]};
        slip_flank_options o = options_of(1e9, 0.5, NULL);
        slip_flank_contact *old = g.contact;
        assert_int_equal(slip_flank_contact_create(g.ctx, &o, counts, surfaces, &g.contact), SLIP_OK);
        touch_gears(&g, count, pairs, &fresh);
        slip_flank_contact_destroy(g.contact);
        g.contact = old;
        assert_int_equal(totals.touching, fresh.touching);
        assert_close(totals.normal_force, fresh.normal_force, 1e-9 * fresh.normal_force);
        touched += totals.touching > 0;
    }
    assert_in_range(touched, 40, 140);
    drop_gears(&g);
}

/* Teeth thinner by b on both gears leave the play 2 b on the pitch circles: turned by less than half of it to
 * either side nothing touches, by more the flank on that side. Where they overlap at the start it is said
 * which teeth do. */
static void backlash_is_free(void **state)
{
    (void)state;
    gears g;
    const double backlash = 1e-4;
    make_gears(&g, backlash, INFINITY);
    double working = hypot(g.wheels[1].centre[0], g.wheels[1].centre[1]) * 18 / 55;
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < 2; k++) {
            slip_flank_pair pairs[slip_tooth_pairs_max];
            slip_flank_totals totals;
            /* Along the common normal, in which pitch circles move by cos of their pressure angle. */
            double play = backlash * cos(20 * pi / 180) / cos(g.pressure_angle) / working;
            turn_gears(&g, 0.02, side * play * (k ? 1.2 : 0.9));
            int count = slip_tooth_pairs_find(g.wheels, pairs);
            touch_gears(&g, count, pairs, &totals);
            assert_int_equal(totals.touching > 0, k);
            int status = slip_tooth_check_apart(g.ctx, &totals, pairs, 1e-9);
            assert_int_equal(status, k ? SLIP_ERROR_MODEL : SLIP_OK);
            if (k)
                assert_non_null(strstr(slip_context_message(g.ctx),
                                       side < 0 ? "the right flanks of tooth" : "the left flanks of tooth"));
        }
    drop_gears(&g);
}

/* The judge says 0 of forces by penalty, and of one that is missing, or too large, by how much: as the depth
 * that it should have been. */
static void the_judge_finds_what_is_wrong(void **state)
{
    (void)state;
    enum { penalty = 1000 };
    uint64_t seed = 11;
    scene s = {0}, judge = {0};
    const slip_flank_options o = options_of(penalty, 0.25, NULL);
    const slip_flank_pair pair = {{0, 0}};
    double normal[2][grid] = {{0}}, soft[2][grid];
    const double *const position[2] = {s.position[0], s.position[1]},
                        *const forces[2] = {normal[0], normal[1]}, *const springs[2] = {soft[0], soft[1]};
    make(&s, &o);
    make(&judge, &o);
    fill(&s, &seed, 0.2, 0.02);
    apply(&s);
    int deepest = -1, clear = -1;
    double depth = 0;
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < grid; i++) {
            const slip_flank_touch *touch = &slip_flank_contact_touches(s.contact, body, 0)[i];
            normal[body][i] = touch->normal_force;
            soft[body][i] = touch->stiffness > 0 ? 1 / touch->stiffness : 1. / penalty;
            clear = body == 0 && !(touch->depth > 0) ? i : clear;
            if (body == 0 && touch->depth > depth) {
                depth = touch->depth;
                deepest = i;
            }
        }
    assert_true(deepest >= 0 && clear >= 0);
    assert_close(slip_flank_judge(judge.contact, 1, &pair, position, forces, springs), 0, 1e-16);
    normal[0][deepest] = 0;
    assert_close_relative(slip_flank_judge(judge.contact, 1, &pair, position, forces, springs), depth, 1e-12);
    normal[0][deepest] = 1.5 * depth / soft[0][deepest];
    assert_close_relative(slip_flank_judge(judge.contact, 1, &pair, position, forces, springs), depth / 2,
                          1e-12);
    normal[0][deepest] = depth / soft[0][deepest];
    normal[0][clear] = 3; /* pressed where nothing is */
    assert_close_relative(slip_flank_judge(judge.contact, 1, &pair, position, forces, springs), 3. / penalty,
                          1e-12);
    drop(&s);
    drop(&judge);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_law coulomb = slip_law_default("coulomb");
    coulomb.mu = 0.1;
    const int nodes[4] = {0, 1, 2, 3}, counts[2] = {1, 1};
    const slip_flank_surface good = {2, 2, nodes, false}, bad = {1, 4, nodes, false};
    struct {
        slip_flank_options o;
        const slip_flank_surface *surface;
        const char *message;
    } cases[] = {
        {options_of(-1, 0.5, NULL), &good, "penalty -1: expected"},
        {options_of(1, 1.5, NULL), &good, "two_pass 1.5: expected 0 to 1"},
        {options_of(1, 0.5, &coulomb), &good, "`coulomb` is set-valued"},
        {options_of(1, 0.5, NULL), &bad, "flank 1 of body 2 has 1 x 4 nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const slip_flank_surface *const surfaces[2] = {&good, cases[i].surface};
        slip_flank_contact *contact = NULL;
        assert_int_equal(slip_flank_contact_create(ctx, &cases[i].o, counts, surfaces, &contact),
                         SLIP_ERROR_MODEL);
        if (!strstr(slip_context_message(ctx), cases[i].message))
            fail_msg("%s", slip_context_message(ctx));
        assert_null(contact);
    }
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point_of_a_facet),
        cmocka_unit_test(forces_and_moments_balance),
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(near_nodes_are_reported),
        cmocka_unit_test(planes),
        cmocka_unit_test(cylinder),
        cmocka_unit_test(search_finds_what_brute_force_finds),
        cmocka_unit_test(eigenvalue_bound),
        cmocka_unit_test(pairs_by_angles_are_all_there_are),
        cmocka_unit_test(resting_nodes_miss_nothing),
        cmocka_unit_test(backlash_is_free),
        cmocka_unit_test(the_judge_finds_what_is_wrong),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
