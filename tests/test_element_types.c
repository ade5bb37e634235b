/* Every row of the table of elements: shape functions, patch test, rigid motions, masses, faces, frequencies.
 */
#include "fem/assemble.h"
#include "fem/check.h"
#include "fem/solid.h"
#include "grid_test.h"
#include "math/dense.h"
#include "math/factor.h"

static slip_context *ctx;

static const slip_cell *const solids[] = {&slip_cell_tri3,  &slip_cell_tri6, &slip_cell_quad4,
                                          &slip_cell_quad8, &slip_cell_tet4, &slip_cell_tet10,
                                          &slip_cell_hex8,  &slip_cell_hex20};
enum { solid_count = sizeof solids / sizeof *solids, unknowns_max = slip_element_unknowns_max };

static int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

static bool is_second_order(const slip_cell *cell)
{
    return cell->node_count > cell->corner_count;
}

static slip_elastic material(const slip_cell *cell, bool incompatible)
{
    slip_elastic e = slip_elastic_make(cell->dimension == 3 ? SLIP_SOLID : SLIP_PLANE_STRAIN, 2.5, 0.3,
                                       cell->dimension == 3 ? 1 : 0.7);
    e.density = 1.3;
    e.incompatible = incompatible;
    return e;
}

/* N_a is 1 at node a and 0 at the others, their sum is 1 everywhere, and slopes are differences. */
static void shapes(void **state)
{
    const double step = 1e-5;
    uint64_t seed = 3;
    (void)state;
    for (int i = 1; slip_cells[i]; i++) {
        const slip_element_type *type = slip_element_find(slip_cells[i]);
        const int n = slip_cells[i]->node_count, d = slip_cells[i]->dimension;
        double value[20], slope[60], ahead[20], behind[20], unused[60];
        assert_non_null(type);
        for (int a = 0; a < n; a++) {
            type->shape(type, type->nodes[a], value, slope);
            for (int b = 0; b < n; b++)
                assert_close(value[b], a == b, 1e-15);
        }
        for (int turn = 0; turn < 5; turn++) {
            double at[3], sum = 0;
            for (int k = 0; k < 3; k++)
                at[k] = test_random(&seed, 0, 0.5);
            type->shape(type, at, value, slope);
            for (int k = 0; k < d; k++) {
                double total = 0, moved[3];
                memcpy(moved, at, sizeof at);
                moved[k] = at[k] + step;
                type->shape(type, moved, ahead, unused);
                moved[k] = at[k] - step;
                type->shape(type, moved, behind, unused);
                for (int a = 0; a < n; a++) {
                    assert_close(slope[a * d + k], (ahead[a] - behind[a]) / (2 * step), 1e-9);
                    total += slope[a * d + k];
                }
                assert_close(total, 0, 1e-14);
            }
            for (int a = 0; a < n; a++)
                sum += value[a];
            assert_close(sum, 1, 1e-15);
        }
    }
}

/* A linear field on distorted elements: the same stress everywhere, no force on nodes inside. */
static void patch_test(void **state)
{
    static const double slope[3][3] = {{1, 0.3, -0.2}, {0.5, -0.7, 0.4}, {0.1, 0.6, 0.8}};
    (void)state;
    for (int turn = 0; turn <= solid_count; turn++) {
        const slip_cell *cell = turn < solid_count ? solids[turn] : &slip_cell_hex8;
        const int counts[3] = {3, 2, 2}, d = cell->dimension;
        const double size[3] = {1.5, 1, 0.8};
        slip_mesh *mesh = grid_make(ctx, cell, counts, size, 0.2);
        const slip_element_type *type = slip_element_find(cell);
        const slip_elastic e = material(cell, turn == solid_count);
        const int s = e.strain_count;
        const int64_t n = (int64_t)d * mesh->node_count;
        double *u = slip_alloc(n, sizeof *u), *force = slip_alloc(n, sizeof *force), largest = 0;
        double strain[6], stress[6] = {0};
        slip_sparse *stiffness = NULL;
        bool *boundary = NULL, *outside = slip_alloc(mesh->node_count, sizeof *outside);
        assert_int_equal(slip_mesh_check(ctx, "patch", mesh, &boundary), SLIP_OK);
        for (int i = 0; i < slip_cell_faces_max * mesh->element_count; i++) {
            int nodes[slip_face_nodes_max];
            for (int k = boundary[i] ? slip_mesh_face_nodes(mesh, i, nodes) : 0; k-- > 0;)
                outside[nodes[k]] = true;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < d; j++)
                u[i] += slope[i % d][j] * mesh->points[i / d * d + j];
        for (int k = 0; k < s; k++)
            strain[k] = k < d ? slope[k][k] : slope[k - d][(k - d + 1) % d] + slope[(k - d + 1) % d][k - d];
        for (int k = 0; k < s * s; k++)
            stress[k / s] += e.matrix[k] * strain[k % s];
        for (int el = 0; el < mesh->element_count; el++) {
            double points[unknowns_max], own[unknowns_max], found[20 * 6];
            slip_element_points(mesh, el, points);
            assert_true(slip_element_quality(type, points, NULL) > 0.02);
            for (int i = 0; i < d * cell->node_count; i++)
                own[i] = u[slip_mesh_nodes(mesh, el)[i / d] * d + i % d];
            slip_element_stresses(type, points, &e, own, found);
            for (int i = 0; i < s * cell->node_count; i++)
                assert_close(found[i], stress[i % s], 1e-12);
        }
        assert_int_equal(slip_mesh_matrices(ctx, mesh, &e, false, &stiffness, NULL), SLIP_OK);
        slip_sparse_multiply(stiffness, u, force);
        int inside = 0;
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(force[i]));
            inside += !outside[i / d];
            if (!outside[i / d])
                assert_close(force[i], 0, 1e-13);
        }
        assert_true(largest > 0.1 && inside > 0);
        slip_sparse_destroy(stiffness);
        slip_mesh_destroy(mesh);
        free(u);
        free(force);
        free(boundary);
        free(outside);
    }
}

/* The nodes of one element, all of them moved a little: edges of second order are curved. */
static void bent_element(const slip_element_type *type, double *points)
{
    uint64_t seed = 21;
    const int d = type->cell->dimension;
    for (int a = 0; a < type->cell->node_count; a++)
        for (int k = 0; k < d; k++)
            points[a * d + k] = type->nodes[a][k] * (k + 1) + test_random(&seed, -0.08, 0.08);
}

/* Three motions in the plane and six in space have no energy, and no other one. */
static void rigid_motions(void **state)
{
    (void)state;
    for (int turn = 0; turn <= solid_count; turn++) {
        const slip_cell *cell = turn < solid_count ? solids[turn] : &slip_cell_hex8;
        const slip_element_type *type = slip_element_find(cell);
        const slip_elastic e = material(cell, turn == solid_count);
        const int n = cell->dimension * cell->node_count, free_motions = cell->dimension == 2 ? 3 : 6;
        double points[unknowns_max], matrix[unknowns_max * unknowns_max], values[unknowns_max];
        bent_element(type, points);
        assert_true(slip_element_quality(type, points, NULL) > 0.02);
        type->stiffness(type, points, &e, matrix);
        assert_true(slip_dense_eigenvalues(n, matrix, values));
        for (int i = 0; i < n; i++)
            if (i < free_motions)
                assert_close(values[i] / values[n - 1], 0, 1e-14);
            else
                assert_true(values[i] / values[n - 1] > 1e-4);
    }
}

/* u^T M u of the field u = (1, 0, 0): density times volume. */
static double mass_of(const slip_sparse *mass, int d)
{
    double *u = slip_alloc(mass->size, sizeof *u), *product = slip_alloc(mass->size, sizeof *product),
           sum = 0;
    for (int64_t i = 0; i < mass->size; i += d)
        u[i] = 1;
    slip_sparse_multiply(mass, u, product);
    for (int64_t i = 0; i < mass->size; i += d)
        sum += product[i];
    free(u);
    free(product);
    return sum;
}

/* Both masses are density times volume; the consistent one also has the integral of x x, and the lumped one
 * no node without mass. */
static void masses(void **state)
{
    (void)state;
    for (int turn = 0; turn < solid_count; turn++) {
        const slip_cell *cell = solids[turn];
        const int counts[3] = {3, 2, 2}, d = cell->dimension;
        const double size[3] = {1.5, 1, 0.8}, volume = d == 3 ? 1.5 * 0.8 : 1.5 * 0.7;
        slip_mesh *mesh = grid_make(ctx, cell, counts, size, 0.2);
        const slip_elastic e = material(cell, false);
        for (int lumped = 0; lumped < 2; lumped++) {
            slip_sparse *mass = NULL;
            assert_int_equal(slip_mesh_matrices(ctx, mesh, &e, lumped, NULL, &mass), SLIP_OK);
            assert_int_equal(mass->size, d * mesh->node_count);
            assert_close_relative(mass_of(mass, d), 1.3 * volume, 1e-14);
            double moment = 0;
            for (int64_t j = 0; j < mass->size; j++)
                for (int64_t p = mass->start[j]; p < mass->start[j + 1]; p++) {
                    assert_true(mass->row[p] % d == j % d); /* directions are not coupled */
                    if (j % d == 0)
                        moment += (p > mass->start[j] ? 2 : 1) * mass->value[p] * mesh->points[j] *
                                  mesh->points[mass->row[p]];
                    if (lumped)
                        assert_true(mass->value[p] > 1e-4 * volume);
                }
            if (!lumped)
                assert_close_relative(moment, 1.3 * volume * 1.5 * 1.5 / 3, 1e-13);
            slip_sparse_destroy(mass);
        }
        slip_mesh_destroy(mesh);
    }
}

typedef struct surface {
    double area, flux, share[8];
} surface;

static void add_area(void *user, const double *value, const double *place, double size)
{
    surface *s = user;
    (void)place;
    s->area += size;
    for (int a = 0; a < 8; a++)
        s->share[a] += value[a] * size;
}

/* The faces of a straight element close it: areas times outward normals add up to zero, and times place to
 * dimension times volume; the shape functions of a face share its area (1/6, 4/6, 1/6 on a straight edge). */
static void faces(void **state)
{
    (void)state;
    for (int turn = 0; turn < solid_count; turn++) {
        const slip_cell *cell = solids[turn];
        const slip_element_type *type = slip_element_find(cell), *of_face = slip_element_find(cell->face);
        const int d = cell->dimension, m = cell->face->node_count;
        double points[unknowns_max], lumps[20], volume = 0, flux = 0;
        for (int i = 0; i < d * cell->node_count; i++)
            points[i] = type->nodes[i / d][i % d] * (i % d + 1);
        slip_element_lumps(type, points, lumps);
        for (int a = 0; a < cell->node_count; a++)
            volume += lumps[a];
        for (int f = 0; f < cell->face_count; f++) {
            double corners[3 * 8], normal[3], length = 0, height = 0, sum = 0;
            surface s = {0};
            for (int i = 0; i < d * m; i++)
                corners[i] = points[cell->faces[f][i / d] * d + i % d];
            slip_element_integrate(of_face, d, corners, add_area, &s);
            for (int k = 0; k < d; k++) {
                const double *p = corners, *q = corners + d, *r = corners + 2 * d;
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                normal[k] = d == 2 ? (k == 0 ? q[1] - p[1] : p[0] - q[0])
                                   : (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]);
                length += normal[k] * normal[k];
            }
            for (int k = 0; k < d; k++)
                height += normal[k] * corners[k] / sqrt(length);
            flux += height * s.area;
            for (int a = 0; a < m; a++)
                sum += s.share[a];
            assert_close_relative(sum, s.area, 1e-14);
            if (cell->face == &slip_cell_line3) {
                assert_close_relative(s.share[0], s.area / 6, 1e-14);
                assert_close_relative(s.share[2], s.area * 4 / 6, 1e-14);
            }
        }
        assert_close_relative(flux, d * volume, 1e-14);
    }
}

/* The lowest frequency of a bar of length 1 that is held at x = 0 and moves along x only: E u_xx + G (u_yy +
 * u_zz) = density u_tt, of which the lowest mode is sin(pi x/2) on any section. Returns omega^2 over its
 * exact value, (pi/2)^2 (lambda + 2 mu)/density, less 1. */
static double bar_error(const slip_cell *cell, int along, bool lumped)
{
    const int counts[3] = {along, along / 2, along / 2}, d = cell->dimension;
    const double size[3] = {1, 0.5, 0.5}, pi = 3.14159265358979323846;
    slip_mesh *mesh = grid_make(ctx, cell, counts, size, 0);
    const slip_elastic e = material(cell, false);
    slip_sparse *part[2];
    int *number = slip_alloc(mesh->node_count, sizeof *number), n = 0;
    double *dense[2], *values;
    assert_int_equal(slip_mesh_matrices(ctx, mesh, &e, lumped, &part[0], &part[1]), SLIP_OK);
    for (int i = 0; i < mesh->node_count; i++)
        number[i] = mesh->points[d * i] > 0 ? n++ : -1;
    values = slip_alloc(n, sizeof *values);
    for (int k = 0; k < 2; k++) {
        dense[k] = slip_alloc((int64_t)n * n, sizeof *dense[k]);
        for (int64_t j = 0; j < part[k]->size; j += d)
            for (int64_t p = part[k]->start[j]; p < part[k]->start[j + 1]; p++) {
                const int64_t i = part[k]->row[p];
                if (i % d == 0 && number[i / d] >= 0 && number[j / d] >= 0)
                    dense[k][number[i / d] * n + number[j / d]] =
                        dense[k][number[j / d] * n + number[i / d]] = part[k]->value[p];
            }
        slip_sparse_destroy(part[k]);
    }
    assert_true(slip_dense_eigenvectors_pair(n, dense[0], dense[1], values));
    const double error = values[0] / (pi * pi / 4 * e.matrix[0] / e.density) - 1;
    free(dense[0]);
    free(dense[1]);
    free(values);
    free(number);
    slip_mesh_destroy(mesh);
    return error;
}

/* The consistent mass is above, with the order 2 (first order) or 4 (second order) in the size of elements.
 */
static void frequencies(void **state)
{
    (void)state;
    for (int turn = 0; turn < solid_count; turn++) {
        const slip_cell *cell = solids[turn];
        const int along = cell->dimension == 3 && is_second_order(cell) ? 2 : 4;
        const double coarse = bar_error(cell, along, false), fine = bar_error(cell, 2 * along, false);
        const double order = log2(coarse / fine);
        const double lumped = log2(fabs(bar_error(cell, along, true) / bar_error(cell, 2 * along, true)));
        assert_true(coarse > 0 && fine > 0);
        assert_close(order, is_second_order(cell) ? 4 : 2, cell->dimension == 3 ? 0.5 : 0.15);
        assert_true(lumped > 1.7);
    }
}

/* The lowest frequency of a clamped beam 10 x 1 (x 1) in bending, over that of Euler and Bernoulli, by
 * inverse iteration. */
static double beam_frequency(const slip_cell *cell, int along, bool incompatible)
{
    const int counts[3] = {along, 1, 1}, d = cell->dimension;
    const double size[3] = {10, 1, 1}, young = 1000, density = 2;
    slip_mesh *mesh = grid_make(ctx, cell, counts, size, 0);
    slip_elastic e = slip_elastic_make(d == 3 ? SLIP_SOLID : SLIP_PLANE_STRESS, young, 0.3, 1);
    slip_sparse *stiffness = NULL, *mass = NULL;
    slip_factor *factor = NULL;
    int *number = slip_alloc(mesh->node_count, sizeof *number), count = 0;
    e.density = density;
    e.incompatible = incompatible;
    for (int i = 0; i < mesh->node_count; i++)
        number[i] = mesh->points[d * i] > 0 ? count++ : -1;
    double *x = slip_alloc((int64_t)d * count, sizeof *x), *mx = slip_alloc((int64_t)d * count, sizeof *mx);
    assert_int_equal(slip_assemble_stiffness(ctx, mesh, &e, number, count, &stiffness), SLIP_OK);
    assert_int_equal(slip_assemble_mass(ctx, mesh, &e, d, number, count, &mass), SLIP_OK);
    assert_int_equal(slip_factor_create(ctx, stiffness, NULL, &factor, NULL), SLIP_OK);
    for (int i = 0; i < count; i++)
        x[d * i + 1] = 1;
    double square = 0;
    for (int turn = 0; turn < 12; turn++) { /* square = x.Kx/x.Mx with K x = M x of the turn before */
        double top = 0, bottom = 0;
        slip_sparse_multiply(mass, x, mx);
        assert_int_equal(slip_factor_solve(ctx, factor, 1, mx, x), SLIP_OK);
        for (int i = 0; i < d * count; i++)
            top += x[i] * mx[i];
        slip_sparse_multiply(mass, x, mx);
        for (int i = 0; i < d * count; i++)
            bottom += x[i] * mx[i];
        square = top / bottom;
        for (int i = 0; i < d * count; i++)
            x[i] /= sqrt(bottom);
    }
    slip_factor_destroy(factor);
    slip_sparse_destroy(stiffness);
    slip_sparse_destroy(mass);
    slip_mesh_destroy(mesh);
    free(number);
    free(x);
    free(mx);
    return sqrt(square / (12.3623634 * young / 12 / density / 1e4));
}

/* Shear takes 0.65 % off a beam ten times as long as high, the inertia of its sections 0.2 %. Second order
 * has it to 2 % with ten elements of the height, and so have bricks with incompatible modes; first order
 * locks. */
static void beams(void **state)
{
    (void)state;
    for (int turn = 0; turn < solid_count; turn++) {
        const double ratio = beam_frequency(solids[turn], 10, false);
        if (is_second_order(solids[turn]))
            assert_close(ratio, 0.9915, 0.018);
        else
            assert_true(ratio > 1.15);
    }
    assert_close(beam_frequency(&slip_cell_hex8, 10, true), 0.9915, 0.018);
}

/* Mass, first and second moments of a box; the products with the mass and the loads of a rotation are those
 * of the matrices of the whole mesh. */
static void solid_bodies(void **state)
{
    const double size[3] = {1.5, 1, 0.8}, whole = 1.3 * 1.5 * 0.8;
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    (void)state;
    for (int turn = 0; turn < 2 * solid_count; turn++) {
        const slip_cell *cell = solids[turn / 2];
        const int counts[3] = {3, 2, 2};
        const slip_solid_options options = {2.5, 0.3, 1.3, false, turn % 2};
        double mass, first[3], second[6];
        slip_solid *solid = NULL;
        slip_sparse *all = NULL;
        if (cell->dimension < 3)
            continue;
        slip_mesh *mesh = grid_make(ctx, cell, counts, size, 0.2);
        const slip_elastic e = slip_solid_elastic(&options);
        const int n = 3 * mesh->node_count;
        double *turned = slip_alloc(n, sizeof *turned), *product = slip_alloc(n, sizeof *product);
        double *load = slip_alloc(n, sizeof *load), *x = slip_alloc(n, sizeof *x);
        assert_int_equal(slip_solid_create(ctx, "box", mesh, slip_mesh_find(mesh, "left", SLIP_SET_NODES),
                                           &options, &solid),
                         SLIP_OK);
        slip_solid_inertia(solid, &mass, first, second);
        assert_close_relative(mass, whole, 1e-13);
        for (int k = 0; k < 3; k++)
            assert_close_relative(first[k], whole * size[k] / 2, 1e-13);
        for (int k = 0; k < 6; k++)
            assert_close_relative(second[k], whole * size[pair[k][0]] * size[pair[k][1]] / (k < 3 ? 3 : 4),
                                  1e-13);
        assert_int_equal(slip_mesh_matrices(ctx, mesh, &e, options.lumped, NULL, &all), SLIP_OK);
        for (int i = 0; i < mesh->node_count; i++) {
            turned[3 * i] = -mesh->points[3 * i + 1];
            turned[3 * i + 1] = mesh->points[3 * i];
        }
        slip_sparse_multiply(all, turned, product);
        slip_solid_plane_load(solid, false, load);
        for (int i = 0; i < 3 * solid->free_count; i++)
            assert_close(load[i], product[3 * solid->node[i / 3] + i % 3], 1e-14);
        for (int i = 0; i < n; i++)
            turned[i] = solid->free[i / 3] < 0 ? 0 : sin(i);
        for (int i = 0; i < 3 * solid->free_count; i++)
            x[i] = turned[3 * solid->node[i / 3] + i % 3];
        slip_sparse_multiply(all, turned, product);
        slip_solid_mass(solid, 1, x, load);
        for (int i = 0; i < 3 * solid->free_count; i++)
            assert_close(load[i], product[3 * solid->node[i / 3] + i % 3], 1e-15);
        slip_solid_destroy(solid);
        slip_sparse_destroy(all);
        slip_mesh_destroy(mesh);
        free(turned);
        free(product);
        free(load);
        free(x);
    }
}

/* An element of second order whose middle node is nearer to a corner than a quarter of its edge is inside out
 * there, though its corners are good. */
static void middle_nodes(void **state)
{
    (void)state;
    for (int turn = 0; turn < solid_count; turn++) {
        const slip_cell *cell = solids[turn];
        const slip_element_type *type = slip_element_find(cell);
        const int d = cell->dimension, middle = cell->corner_count;
        double points[unknowns_max];
        int worst = -1;
        if (!is_second_order(cell))
            continue;
        for (int i = 0; i < d * cell->node_count; i++)
            points[i] = type->nodes[i / d][i % d];
        points[d * middle] = points[0] + 0.26 * (points[d] - points[0]);
        assert_true(slip_element_quality(type, points, &worst) > 0);
        points[d * middle] = points[0] + 0.24 * (points[d] - points[0]);
        assert_true(slip_element_quality(type, points, &worst) < 0);
        assert_int_equal(worst, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes), cmocka_unit_test(patch_test),   cmocka_unit_test(rigid_motions),
        cmocka_unit_test(masses), cmocka_unit_test(faces),        cmocka_unit_test(frequencies),
        cmocka_unit_test(beams),  cmocka_unit_test(solid_bodies), cmocka_unit_test(middle_nodes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
