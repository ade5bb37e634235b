/* Reduced bodies: statics, orthonormality, symmetric against whole, rotated bodies, files, errors. */
#include "test.h"

#include "flex/reduced.h"
#include "gear/geometry/gear_mesh.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static slip_gear_options small_gear(int teeth, int width)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = "small";
    o.teeth = teeth;
    o.module = 0.005;
    o.profile_shift = 0.5;
    o.width = 0.02;
    o.bore = 0.5 * teeth * o.module;
    o.modes = 20;
    o.mesh = (slip_gear_mesh_options){
        .flank = 3, .fillet = 1, .thickness = 2, .root = 2, .rim = 2, .width = width};
    return o;
}

static slip_reduced *reduce(slip_context *ctx, const slip_gear_options *gear, int symmetry)
{
    slip_reduce_options o = slip_reduce_options_default();
    slip_reduced *body = NULL;
    o.symmetry = symmetry;
    o.check = 1;
    o.tolerance = 1e-12;
    int status = slip_gear_reduce(ctx, gear, &o, &body);
    if (status < 0)
        print_message("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    return body;
}

static int find_surface(const slip_reduced *body, const char *name)
{
    for (int k = 0; k < slip_reduced_surface_count(body); k++)
        if (strcmp(slip_reduced_surface_at(body, k).name, name) == 0)
            return k;
    fail_msg("no surface %s", name);
    return -1;
}

/* The same load seen from the same flank of other teeth: modes and what they leave out between teeth at most
 * 3 apart. */
static void check_neighbours(const slip_reduced *body, int by, const slip_mesh *mesh, const slip_solid *solid,
                             const double *f, const double *x)
{
    int n = slip_reduced_mode_count(body), teeth = slip_reduced_surface_count(body) / 2;
    int size = 3 * slip_reduced_surface_at(body, by).node_count;
    double *rows[2] = {calloc((size_t)(size * n), sizeof(double)),
                       calloc((size_t)(size * n), sizeof(double))};
    double *g = calloc((size_t)(size * size), sizeof *g), largest = 0, without = 0;
    slip_reduced_rows(body, by, rows[0]);
    for (int i = 0; i < 3 * solid->free_count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int p = -3; p <= 3; p++) {
        int at = (by + 2 * (p + teeth)) % (2 * teeth);
        slip_reduced_surface s = slip_reduced_surface_at(body, at);
        const slip_mesh_set *flank = slip_mesh_find(mesh, s.name, SLIP_SET_NODES);
        double c = cos(s.turn), sn = sin(s.turn);
        slip_reduced_rows(body, at, rows[1]);
        assert_int_equal(slip_reduced_flexibility_between(body, at, by, g), 1);
        for (int i = 0; i < size; i++) {
            const double *own = &x[3 * solid->free[flank->items[i / 3]]];
            double direct = i % 3 == 0   ? c * own[0] + sn * own[1]
                            : i % 3 == 1 ? c * own[1] - sn * own[0]
                                         : own[2];
            double sum = 0, rest = 0;
            for (int k = 0; k < size; k++) {
                rest += g[i * size + k] * f[k];
                for (int m = 0; m < n; m++)
                    sum += rows[1][i * n + m] * rows[0][k * n + m] * f[k] /
                           pow(2 * pi * slip_reduced_modes(body)[m].frequency, 2);
            }
            assert_close(sum + rest, direct, 1e-9 * largest);
            without = p ? fmax(without, fabs(rest)) : without;
        }
    }
    assert_true(without > 1e-3 * largest); /* so they matter */
    assert_int_equal(slip_reduced_flexibility_between(body, (by + 1) % (2 * teeth), by, g), 0);
    free(rows[0]);
    free(rows[1]);
    free(g);
}

/* Any load on a flank of any tooth: modes and residual flexibility give the displacement that a solve with
 * the whole mesh gives. */
static void check_statics(slip_context *ctx, const slip_gear_options *gear, const slip_reduced *body,
                          const char *name)
{
    slip_gear_mesh *whole = NULL;
    slip_solid *solid = NULL;
    slip_factor *factor = NULL;
    slip_solid_options material = {gear->young, gear->poisson, gear->density, false, false};
    assert_int_equal(slip_gear_mesh_create(ctx, gear, &whole), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(whole->mesh, "bore", SLIP_SET_NODES);
    const slip_mesh_set *flank = slip_mesh_find(whole->mesh, name, SLIP_SET_NODES);
    assert_int_equal(slip_solid_create(ctx, "gear", whole->mesh, bore, &material, &solid), SLIP_OK);
    assert_int_equal(slip_factor_create(ctx, solid->stiffness, NULL, &factor, NULL), SLIP_OK);
    int index = find_surface(body, name), n = slip_reduced_mode_count(body);
    slip_reduced_surface s = slip_reduced_surface_at(body, index);
    int size = 3 * s.node_count;
    assert_int_equal(s.node_count, flank->count);
    double *rows = calloc((size_t)(size * n), sizeof *rows), *g = calloc((size_t)(size * size), sizeof *g);
    double *x = calloc(3 * (size_t)solid->free_count, sizeof *x), *f = calloc((size_t)size, sizeof *f);
    slip_reduced_rows(body, index, rows);
    slip_reduced_flexibility(body, index, g);
    double c = cos(s.turn), sn = sin(s.turn), largest = 0;
    unsigned seed = 7;
    for (int i = 0; i < size; i++) {
        seed = seed * 1103515245u + 12345u;
        f[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
    for (int i = 0; i < s.node_count; i++) {
        int at = 3 * solid->free[flank->items[i]];
        x[at] = c * f[3 * i] - sn * f[3 * i + 1];
        x[at + 1] = sn * f[3 * i] + c * f[3 * i + 1];
        x[at + 2] = f[3 * i + 2];
        const double *p = &whole->mesh->points[3 * flank->items[i]];
        assert_close(p[0], c * s.points[3 * i] - sn * s.points[3 * i + 1], 1e-15);
        assert_close(p[2], s.points[3 * i + 2], 1e-15);
    }
    assert_int_equal(slip_factor_solve(ctx, factor, 1, x, x), SLIP_OK);
    check_neighbours(body, index, whole->mesh, solid, f, x);
    for (int i = 0; i < 3 * solid->free_count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < size; i++) {
        const double *own = &x[3 * solid->free[flank->items[i / 3]]];
        double direct = i % 3 == 0   ? c * own[0] + sn * own[1]
                        : i % 3 == 1 ? c * own[1] - sn * own[0]
                                     : own[2];
        double sum = 0;
        for (int k = 0; k < size; k++) {
            sum += g[i * size + k] * f[k];
            for (int m = 0; m < n; m++)
                sum += rows[i * n + m] * rows[k * n + m] * f[k] /
                       pow(2 * pi * slip_reduced_modes(body)[m].frequency, 2);
        }
        assert_close(sum, direct, 1e-9 * largest);
    }
    free(rows);
    free(g);
    free(x);
    free(f);
    slip_factor_destroy(factor);
    slip_solid_destroy(solid);
    slip_gear_mesh_destroy(whole);
}

static void statics_are_exact(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    for (int width = 1; width <= 2; width++) {
        slip_gear_options gear = small_gear(width == 1 ? 11 : 12, width);
        slip_reduced *body = reduce(ctx, &gear, 1);
        check_statics(ctx, &gear, body, "tooth1_right");
        check_statics(ctx, &gear, body, "tooth1_left");
        check_statics(ctx, &gear, body, "tooth5_left");
        slip_reduced_destroy(body);
    }
    slip_context_destroy(ctx);
}

/* Z^T M_r Z = 1, Z^T G_r Z = omega^2; residual frequencies are above those of the modes. */
static void residual_modes_are_orthonormal(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *body = reduce(ctx, &gear, 1);
    slip_reduced_attachment r = slip_reduced_attachment_at(body, 0);
    int n = r.size;
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++) {
            double mass = 0, stiffness = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double product = r.vectors[k * n + i] * r.vectors[l * n + j];
                    mass += product * r.mass[i * n + j];
                    stiffness += product * r.flexibility[i * n + j];
                }
            double omega2 = pow(2 * pi * r.frequency[k], 2);
            assert_close(mass, k == l, 1e-8);
            assert_close(stiffness / omega2, k == l, 1e-8);
        }
    assert_true(r.frequency[0] > slip_reduced_modes(body)[slip_reduced_mode_count(body) - 1].frequency);
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
}

static double sum_squares(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Sector by sector or all at once: the same frequencies, attachment vectors and integrals; the same spaces.
 * Shapes of pairs differ by a rotation within the pair, so what is compared does not depend on it. */
static void symmetric_and_whole_agree(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *cyclic = reduce(ctx, &gear, 1);
    gear.modes = slip_reduced_mode_count(cyclic);
    slip_reduced *whole = reduce(ctx, &gear, 0);
    int n = gear.modes;
    const slip_reduced_mode *a = slip_reduced_modes(cyclic), *b = slip_reduced_modes(whole);
    double rotation[2] = {0}, spread[2] = {0};
    for (int k = 0; k < n; k++) {
        assert_close(a[k].frequency, b[k].frequency, 1e-8 * a[k].frequency);
        rotation[0] += a[k].rotation * a[k].rotation;
        rotation[1] += b[k].rotation * b[k].rotation;
        spread[0] += a[k].spread * a[k].spread;
        spread[1] += b[k].spread * b[k].spread;
    }
    double mass = slip_reduced_mass(whole), moment = slip_reduced_moment(whole);
    assert_close(slip_reduced_mass(cyclic), mass, 1e-12 * mass);
    assert_close(slip_reduced_moment(cyclic), moment, 1e-12 * moment);
    assert_true(rotation[0] > 0.1 * moment);
    assert_true(rotation[0] < moment);
    assert_close(rotation[0], rotation[1], 1e-7 * rotation[1]);
    assert_close(spread[0], spread[1], 1e-7 * moment);
    assert_close(sum_squares(n * n, slip_reduced_coriolis(cyclic)),
                 sum_squares(n * n, slip_reduced_coriolis(whole)), 1e-6);
    assert_true(sum_squares(n * n, slip_reduced_coriolis(whole)) > 1e-3);
    assert_close(sum_squares(n * n, slip_reduced_softening(cyclic)),
                 sum_squares(n * n, slip_reduced_softening(whole)), 1e-6);
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            assert_close(slip_reduced_coriolis(cyclic)[k * n + l], -slip_reduced_coriolis(cyclic)[l * n + k],
                         1e-9);
    slip_reduced_attachment r = slip_reduced_attachment_at(cyclic, 0),
                            s = slip_reduced_attachment_at(whole, 0);
    assert_int_equal(r.size, s.size);
    for (int i = 0; i < r.size * r.size; i++) {
        assert_close(r.flexibility[i], s.flexibility[i], 1e-8 * s.flexibility[0]);
        assert_close(r.mass[i], s.mass[i], 1e-7 * s.mass[0]);
    }
    double largest = 0;
    for (int i = 0; i < r.size; i++) {
        assert_close(r.frequency[i], s.frequency[i], 1e-6 * s.frequency[i]);
        largest = fmax(largest, fabs(s.rotation[i]));
    }
    assert_true(largest > 0);
    for (int i = 0; i < r.size; i++) {
        assert_close(r.rotation[i], s.rotation[i], 1e-6 * largest);
        assert_close(r.spread[i], s.spread[i], 1e-6 * largest);
    }
    slip_reduced_destroy(cyclic);
    slip_reduced_destroy(whole);
    slip_context_destroy(ctx);
}

/* The node of `points` at a place. */
static int node_at(int count, const double *points, const double *place)
{
    for (int i = 0; i < count; i++)
        if (hypot(hypot(points[3 * i] - place[0], points[3 * i + 1] - place[1]),
                  points[3 * i + 2] - place[2]) < 1e-9)
            return i;
    fail_msg("no node at %g, %g, %g", place[0], place[1], place[2]);
    return -1;
}

/* The modes found sector by sector span the space of those found all at once: projected onto the latter with
 * the whole mass, nothing of their length is lost. */
static void spaces_are_the_same(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *cyclic = reduce(ctx, &gear, 1);
    int n = gear.modes = slip_reduced_mode_count(cyclic);
    slip_reduced *whole = reduce(ctx, &gear, 0);
    slip_gear_mesh *made = NULL;
    slip_solid *solid = NULL;
    slip_solid_options material = {gear.young, gear.poisson, gear.density, false, false};
    assert_int_equal(slip_gear_mesh_create(ctx, &gear, &made), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(made->mesh, "bore", SLIP_SET_NODES);
    assert_int_equal(slip_solid_create(ctx, "gear", made->mesh, bore, &material, &solid), SLIP_OK);
    int nodes = slip_reduced_node_count(whole), size = 3 * solid->free_count;
    assert_int_equal(slip_reduced_node_count(cyclic), nodes);
    double *points[2], *u = calloc(3 * (size_t)nodes, sizeof *u), *mx = calloc((size_t)size, sizeof *mx);
    double *x[2];
    for (int k = 0; k < 2; k++) {
        const slip_reduced *b = k ? whole : cyclic;
        points[k] = calloc(3 * (size_t)nodes, sizeof(double));
        x[k] = calloc((size_t)(size * n), sizeof(double));
        slip_reduced_points(b, points[k]);
        int *from = calloc((size_t)solid->free_count, sizeof *from);
        for (int i = 0; i < solid->free_count; i++)
            from[i] = node_at(nodes, points[k], &made->mesh->points[3 * solid->node[i]]);
        for (int m = 0; m < n; m++) {
            slip_reduced_shape(b, m, u);
            for (int i = 0; i < size; i++)
                x[k][m * size + i] = u[3 * from[i / 3] + i % 3];
        }
        free(from);
        free(points[k]);
    }
    for (int m = 0; m < n; m++) {
        double kept = 0;
        slip_solid_mass(solid, 1, x[0] + m * size, mx);
        for (int k = 0; k < n; k++) {
            double product = 0;
            for (int i = 0; i < size; i++)
                product += x[1][k * size + i] * mx[i];
            kept += product * product;
        }
        assert_close(kept, 1, 1e-8);
    }
    free(u);
    free(mx);
    free(x[0]);
    free(x[1]);
    slip_solid_destroy(solid);
    slip_gear_mesh_destroy(made);
    slip_reduced_destroy(cyclic);
    slip_reduced_destroy(whole);
    slip_context_destroy(ctx);
}

/* The attachment shape has on its flank the column of the residual flexibility of one unit load. */
static void check_attachment(const slip_reduced *b, const char *surface)
{
    slip_reduced_surface s = slip_reduced_surface_at(b, find_surface(b, surface));
    slip_reduced_attachment r = slip_reduced_attachment_at(b, s.attachment);
    int nodes = slip_reduced_node_count(b), size = r.size, columns = 0;
    double *points = calloc(3 * (size_t)nodes, sizeof *points), *own = calloc((size_t)size, sizeof *own);
    assert_non_null(b->attachment);
    slip_reduced_points(b, points);
    for (int i = 0; i < s.node_count; i++)
        memcpy(own + 3 * i, b->attachment + 3 * node_at(nodes, points, s.points + 3 * i), 3 * sizeof *own);
    for (int c = 0; c < size; c++) {
        double far = 0;
        for (int i = 0; i < size; i++)
            far = fmax(far, fabs(own[i] - r.flexibility[i * size + c]));
        columns += far < 1e-9 * r.flexibility[c * size + c];
    }
    assert_int_equal(columns, 1);
    free(points);
    free(own);
}

static void attachment_shape_is_that_of_a_unit_load(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    for (int symmetry = 0; symmetry < 2; symmetry++) {
        slip_reduced *body = reduce(ctx, &gear, symmetry);
        check_attachment(body, "tooth1_right");
        slip_reduced_destroy(body);
    }
    slip_context_destroy(ctx);
}

/* Asked for the first of a pair, a whole body gives both, as a cyclic one does. */
static void pairs_are_not_split(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *body = reduce(ctx, &gear, 1);
    const slip_reduced_mode *modes = slip_reduced_modes(body);
    int first = 0;
    while (modes[first + 1].frequency > modes[first].frequency * (1 + 1e-9))
        first++;
    gear.modes = first + 1;
    for (int symmetry = 0; symmetry < 2; symmetry++) {
        slip_reduced *few = reduce(ctx, &gear, symmetry);
        assert_int_equal(slip_reduced_mode_count(few), first + 2);
        slip_reduced_destroy(few);
    }
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
}

/* Rebuilt from the sector, the shapes are modes of the rebuilt mesh: orthonormal, and K phi = omega^2 M phi.
 */
static void shapes_are_modes_of_the_whole_body(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *body = reduce(ctx, &gear, 1);
    slip_mesh *mesh = NULL;
    slip_solid *solid = NULL;
    slip_solid_options material = {gear.young, gear.poisson, gear.density, false, false};
    assert_int_equal(slip_reduced_mesh(ctx, body, &mesh), SLIP_OK);
    int *items, count = 0, n = slip_reduced_mode_count(body);
    assert_int_equal(slip_mesh_add_set(ctx, mesh, "bore", SLIP_SET_NODES, mesh->node_count, &items), SLIP_OK);
    for (int i = 0; i < mesh->node_count; i++)
        if (hypot(mesh->points[3 * i], mesh->points[3 * i + 1]) < 0.5 * gear.bore * (1 + 1e-9))
            items[count++] = i;
    mesh->sets[0].count = count;
    assert_int_equal(slip_solid_create(ctx, "again", mesh, &mesh->sets[0], &material, &solid), SLIP_OK);
    int size = 3 * solid->free_count;
    double *u = calloc((size_t)(3 * mesh->node_count), sizeof *u), *x = calloc((size_t)(size * n), sizeof *x);
    double *mx = calloc((size_t)size, sizeof *mx), *kx = calloc((size_t)size, sizeof *kx);
    for (int m = 0; m < n; m++) {
        slip_reduced_shape(body, m, u);
        for (int i = 0; i < size; i++)
            x[m * size + i] = u[3 * solid->node[i / 3] + i % 3];
        slip_solid_mass(solid, 1, x + m * size, mx);
        slip_sparse_multiply(solid->stiffness, x + m * size, kx);
        for (int k = 0; k <= m; k++) {
            double sum = 0;
            for (int i = 0; i < size; i++)
                sum += x[k * size + i] * mx[i];
            assert_close(sum, k == m, 1e-8);
        }
        double norm = sqrt(sum_squares(size, kx)), omega = 2 * pi * slip_reduced_modes(body)[m].frequency;
        for (int i = 0; i < size; i++)
            kx[i] -= omega * omega * mx[i];
        assert_true(sqrt(sum_squares(size, kx)) < 1e-8 * norm);
    }
    free(u);
    free(x);
    free(mx);
    free(kx);
    slip_solid_destroy(solid);
    slip_mesh_destroy(mesh);
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
}

/* The mesh of a file, turned in space and moved: the same frequencies, the flexibility turned. */
static void rotated_body_gives_rotated_results(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 1);
    slip_gear_mesh *made = NULL;
    slip_reduced *body[2] = {NULL};
    double a = 0.7, b = 0.4;
    const double turn[9] = {cos(a),          -sin(a),         0,
                            cos(b) * sin(a), cos(b) * cos(a), -sin(b),
                            sin(b) * sin(a), sin(b) * cos(a), cos(b)};
    assert_int_equal(slip_gear_mesh_create(ctx, &gear, &made), SLIP_OK);
    for (int which = 0; which < 2; which++) {
        for (int i = 0; which && i < made->mesh->node_count; i++) {
            double *p = &made->mesh->points[3 * i], old[3] = {p[0], p[1], p[2]};
            for (int d = 0; d < 3; d++)
                p[d] = turn[3 * d] * old[0] + turn[3 * d + 1] * old[1] + turn[3 * d + 2] * old[2] + 0.01 * d;
        }
        assert_int_equal(slip_mesh_write_abaqus(ctx, made->mesh, "test_reduced_turned.inp"), SLIP_OK);
        slip_gear_options file = slip_gear_options_default();
        file.name = "turned";
        file.mesh_file = "test_reduced_turned.inp";
        file.flanks = (const char *const[]){"tooth3_left", "tooth4_right", NULL};
        file.modes = 12;
        body[which] = reduce(ctx, &file, 1);
    }
    for (int k = 0; k < 12; k++)
        assert_close(slip_reduced_modes(body[0])[k].frequency, slip_reduced_modes(body[1])[k].frequency,
                     1e-8 * slip_reduced_modes(body[0])[k].frequency);
    assert_int_equal(slip_reduced_surface_count(body[0]), 2);
    slip_reduced_surface s = slip_reduced_surface_at(body[0], 0);
    assert_string_equal(s.name, "tooth3_left");
    assert_int_equal(s.facet_count, gear.mesh.flank * gear.mesh.width);
    /* Whole flexibility of two nodes: G_r and modes. */
    int size = 3 * s.node_count;
    const double *g = slip_reduced_attachment_at(body[0], 0).flexibility,
                 *h = slip_reduced_attachment_at(body[1], 0).flexibility;
    for (int i = 0; i < s.node_count; i++)
        for (int d = 0; d < 3; d++)
            for (int e = 0; e < 3; e++) {
                double sum = 0;
                for (int k = 0; k < 9; k++)
                    sum += turn[3 * d + k / 3] * g[(3 * i + k / 3) * size + 3 + k % 3] * turn[3 * e + k % 3];
                assert_close(h[(3 * i + d) * size + 3 + e], sum, 1e-8 * fabs(g[0]));
            }
    unlink("test_reduced_turned.inp");
    slip_reduced_destroy(body[0]);
    slip_reduced_destroy(body[1]);
    slip_gear_mesh_destroy(made);
    slip_context_destroy(ctx);
}

/* ---- Files. */

static void file_keeps_everything(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduced *body = reduce(ctx, &gear, 1), *again = NULL;
    assert_int_equal(slip_reduced_save(ctx, body, "test_reduced.h5"), SLIP_OK);
    assert_int_equal(slip_reduced_load(ctx, "test_reduced.h5", &again), SLIP_OK);
    int n = slip_reduced_mode_count(body), size = slip_reduced_attachment_at(body, 0).size;
    assert_int_equal(slip_reduced_mode_count(again), n);
    assert_memory_equal(slip_reduced_modes(again), slip_reduced_modes(body),
                        sizeof(slip_reduced_mode) * (size_t)n);
    assert_string_equal(slip_reduced_mesh_hash(again), slip_reduced_mesh_hash(body));
    assert_string_equal(slip_reduced_settings(again), slip_reduced_settings(body));
    assert_int_equal(slip_reduced_surface_count(again), 24);
    double *rows[2], *g[2];
    for (int k = 0; k < 2; k++) {
        const slip_reduced *b = k ? again : body;
        rows[k] = calloc((size_t)(size * n), sizeof(double));
        g[k] = calloc((size_t)(size * size), sizeof(double));
        slip_reduced_rows(b, 5, rows[k]);
        slip_reduced_flexibility(b, 5, g[k]);
    }
    assert_memory_equal(rows[0], rows[1], sizeof(double) * (size_t)(size * n));
    assert_memory_equal(g[0], g[1], sizeof(double) * (size_t)(size * size));
    assert_memory_equal(slip_reduced_attachment_at(body, 0).vectors,
                        slip_reduced_attachment_at(again, 0).vectors, sizeof(double) * (size_t)(size * size));
    assert_int_equal(again->reach, 3);
    assert_memory_equal(body->attached[0].coupling, again->attached[0].coupling,
                        sizeof(double) * 3 * (size_t)(size * size));
    assert_memory_equal(body->attachment, again->attachment,
                        sizeof(double) * 3 * (size_t)slip_reduced_node_count(body));
    for (int k = 0; k < 2; k++) {
        free(rows[k]);
        free(g[k]);
    }
    unlink("test_reduced.h5");
    slip_reduced_destroy(body);
    slip_reduced_destroy(again);
    slip_context_destroy(ctx);
}

static void file_is_reused_while_nothing_changes(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(11, 1);
    slip_reduce_options o = slip_reduce_options_default();
    const char *path = "test_reduced_reuse.h5";
    unlink(path);
    for (int turn = 0; turn < 4; turn++) {
        slip_reduced *body = NULL;
        int reused = -1;
        if (turn == 2)
            gear.bore *= 0.99;
        if (turn == 3)
            assert_int_equal(truncate(path, 3000), 0); /* no longer readable: made again */
        assert_int_equal(slip_gear_reduce_file(ctx, &gear, &o, path, &body, &reused), SLIP_OK);
        assert_int_equal(reused, turn == 1);
        slip_reduced_destroy(body);
    }
    slip_reduced *body = NULL;
    assert_int_equal(slip_gear_reduce_file(ctx, &gear, &o, path, &body, NULL), SLIP_OK);
    slip_reduced_destroy(body);
    unlink(path);
    slip_context_destroy(ctx);
}

static void full_disk_leaves_nothing(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(11, 1);
    slip_reduced *body = reduce(ctx, &gear, 1);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 20000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = slip_reduced_save(ctx, body, "test_reduced_full.h5");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(ctx), "test_reduced_full.h5"));
    assert_int_not_equal(access("test_reduced_full.h5", F_OK), 0);
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
}

/* ---- Errors. */

static void expect_error(slip_context *ctx, const slip_gear_options *gear, const char *message)
{
    slip_reduce_options o = slip_reduce_options_default();
    slip_reduced *body = NULL;
    assert_true(slip_gear_reduce(ctx, gear, &o, &body) < 0);
    assert_null(body);
    if (!strstr(slip_context_message(ctx), message))
        fail_msg("found: %s\nexpected: %s", slip_context_message(ctx), message);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

#define CUBE                                                                                                 \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"                        \
    "9,5,0,0\n10,6,0,0\n11,6,1,0\n12,5,1,0\n13,5,0,1\n14,6,0,1\n15,6,1,1\n16,5,1,1\n"

static void bad_meshes_are_told(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = slip_gear_options_default();
    const char *path = "test_reduced_bad.inp";
    gear.name = "part";
    gear.mesh_file = path;
    gear.modes = 3;
    static const struct {
        const char *mesh, *message;
    } cases[] = {
        {CUBE "*ELEMENT,TYPE=C3D8\n800,9,10,11,12,13,14,15,16\n7,5,6,7,8,1,2,3,4\n*NSET,NSET=bore\n1,2,3,4\n",
         "part: element 7 of the mesh is inside out at its node 1 (number 5, at 0, 0, 1)"},
        /* By the file's numbers, not by their order. */
        {"*NODE\n99,9,9,9\n50,0,0,0\n12,1,0,0\n13,1,1,0\n14,0,1,0\n15,0,0,1\n16,1,0,1\n17,1,1,1\n18,0,1,1\n"
         "*ELEMENT,TYPE=C3D8\n310,15,16,17,18,50,12,13,14\n*NSET,NSET=bore\n50\n",
         "part: element 310 of the mesh is inside out at its node 1 (number 15, at 0, 0, 1)"},
        {CUBE "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,9,10,11,12,13,14,15,16\n*NSET,NSET=bore\n1,2,3,4\n",
         "not connected"},
        {CUBE "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,9,10,11,12,13,14,15,16\n",
         "test_reduced_bad.inp: part: the mesh has no set of nodes `bore`, which is to be held; it has no "
         "sets"},
        {CUBE "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,9,10,11,12,13,14,15,16\n*NSET,NSET=bore\n",
         "test_reduced_bad.inp:21: *NSET: set `bore`: found nothing in it, expected nodes in the lines "
         "below"},
        {CUBE
         "17,9,9,9\n*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,9,10,11,12,13,14,15,16\n*NSET,NSET=bore\n17\n",
         "the set `bore`, which is to be held, has no nodes of any element"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        write_text(path, cases[k].mesh);
        expect_error(ctx, &gear, cases[k].message);
    }
    write_text(path, CUBE "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n2,9,10,11,12,13,14,15,16\n"
                          "*NSET,NSET=bore\n1,9\n*NSET,NSET=a_left\n2,3\n*NSET,NSET=b_left\n2,2\n");
    gear.flanks = (const char *const[]){"a_rigt", NULL};
    expect_error(ctx, &gear, "no set of nodes `a_rigt`, a contact surface; it has bore, a_left, b_left");
    gear.flanks = (const char *const[]){"a_lef", NULL};
    expect_error(ctx, &gear, "did you mean `a_left`?");
    gear.flanks = (const char *const[]){"b_left", NULL};
    expect_error(ctx, &gear, "has node 2 twice");
    gear.flanks = (const char *const[]){"a_left", "a_left", NULL};
    expect_error(ctx, &gear, "found surface `a_left` twice");
    gear.flanks = (const char *const[]){"bore", NULL};
    expect_error(ctx, &gear, "is held by");
    unlink(path);
    expect_error(ctx, &gear, "test_reduced_bad.inp");
    gear = small_gear(12, 2);
    gear.element = "wedge";
    expect_error(ctx, &gear, "expected incompatible or full");
    gear = small_gear(12, 2);
    gear.poisson = 0.5;
    expect_error(ctx, &gear, "poisson");
    slip_context_destroy(ctx);
}

static void little_memory_is_refused(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = small_gear(12, 2);
    slip_reduce_options o = slip_reduce_options_default();
    slip_reduced *body = NULL;
    for (o.symmetry = 0; o.symmetry < 2; o.symmetry++) {
        o.memory = 1e6;
        assert_int_equal(slip_gear_reduce(ctx, &gear, &o, &body), SLIP_ERROR_MEMORY);
        assert_non_null(strstr(slip_context_message(ctx), "only 0.001 GB may be used"));
        assert_null(body);
        o.memory = 1e9;
        assert_int_equal(slip_gear_reduce(ctx, &gear, &o, &body), SLIP_OK);
        slip_reduced_destroy(body);
        body = NULL;
    }
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statics_are_exact),
        cmocka_unit_test(residual_modes_are_orthonormal),
        cmocka_unit_test_of_numbers(symmetric_and_whole_agree),
        cmocka_unit_test_of_numbers(spaces_are_the_same),
        cmocka_unit_test_of_numbers(attachment_shape_is_that_of_a_unit_load),
        cmocka_unit_test(pairs_are_not_split),
        cmocka_unit_test(shapes_are_modes_of_the_whole_body),
        cmocka_unit_test_of_numbers(rotated_body_gives_rotated_results),
        cmocka_unit_test(file_keeps_everything),
        cmocka_unit_test(file_is_reused_while_nothing_changes),
        cmocka_unit_test(full_disk_leaves_nothing),
        cmocka_unit_test(bad_meshes_are_told),
        cmocka_unit_test(little_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
