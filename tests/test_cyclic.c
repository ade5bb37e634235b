/* Modes and flexibility of a cyclic body by waves, against the whole body. */
#include "test.h"

#include "flex/cyclic.h"
#include "gear/geometry/gear_mesh.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct fixture {
    slip_context *ctx;
    slip_gear_mesh *gear;
    slip_gear_sector *part;
    slip_sector *sector;
    slip_solid *solid;
    slip_factor *factor;
} fixture;

static void setup(fixture *f, int teeth, int width)
{
    slip_gear_options o = slip_gear_options_default();
    *f = (fixture){.ctx = slip_context_create()};
    o.teeth = teeth;
    o.module = 0.005;
    o.profile_shift = 0.5;
    o.width = 0.02;
    o.bore = 0.5 * teeth * o.module;
    o.mesh = (slip_gear_mesh_options){
        .flank = 3, .fillet = 1, .thickness = 2, .root = 2, .rim = 2, .width = width};
    slip_solid_options solid = {210e9, 0.3, 7850, false, false};
    assert_int_equal(slip_gear_mesh_create(f->ctx, &o, &f->gear), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(f->gear->mesh, "bore", SLIP_SET_NODES);
    assert_int_equal(slip_solid_create(f->ctx, "gear", f->gear->mesh, bore, &solid, &f->solid), SLIP_OK);
    assert_int_equal(slip_factor_create(f->ctx, f->solid->stiffness, NULL, &f->factor, NULL), SLIP_OK);
    assert_int_equal(slip_gear_sector_create(f->ctx, f->gear, &f->part), SLIP_OK);
    assert_int_equal(slip_sector_create(f->ctx, &f->part->mesh, &solid, &f->sector), SLIP_OK);
}

static void teardown(fixture *f)
{
    slip_sector_destroy(f->sector);
    slip_gear_sector_destroy(f->part);
    slip_factor_destroy(f->factor);
    slip_solid_destroy(f->solid);
    slip_gear_mesh_destroy(f->gear);
    slip_context_destroy(f->ctx);
}

/* Displacement of a node of the sector's mesh in a mode, in the frame of a sector; `mirrored`: of the node's
 * image above the mid-plane. */
static void find_shape(const slip_cyclic *c, int mode, int sector, int node, bool mirrored, double value[3])
{
    const slip_cyclic_mode *m = &c->modes[mode];
    const int sectors = c->sector->mesh.sectors;
    const double phase = 2 * pi * sector * m->harmonic / sectors;
    for (int d = 0; d < 3; d++) {
        const double real = m->real[3 * node + d], imaginary = m->imaginary ? m->imaginary[3 * node + d] : 0;
        value[d] = real * cos(phase) - imaginary * sin(phase);
        if (mirrored && (d == 2) != m->antisymmetric)
            value[d] *= -1;
    }
}

/* The whole body's vector of a mode. */
static void expand_mode(const fixture *f, const slip_cyclic *c, int mode, double *u)
{
    const slip_section *s = f->gear->section;
    int layers = s->counts.width, high = f->part->layers + 1;
    for (int pitch = 0; pitch < s->teeth; pitch++)
        for (int k = 0; k < s->node_count; k++)
            for (int layer = 0; layer <= layers; layer++) {
                bool mirrored = layer >= high;
                double w[3], turn = 2 * pi * pitch / s->teeth;
                find_shape(c, mode, pitch, k * high + (mirrored ? layers - layer : layer), mirrored, w);
                int at = f->solid->free[slip_gear_node(f->gear, pitch, k, layer)];
                if (at < 0)
                    continue;
                u[3 * at] = cos(turn) * w[0] - sin(turn) * w[1];
                u[3 * at + 1] = sin(turn) * w[0] + cos(turn) * w[1];
                u[3 * at + 2] = w[2];
            }
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void check_modes(const fixture *f, const slip_cyclic *c)
{
    int64_t n = 3 * (int64_t)f->solid->free_count;
    double *u = calloc((size_t)(n * c->mode_count), sizeof *u), *mu = malloc(sizeof(double) * (size_t)n);
    double *ku = malloc(sizeof(double) * (size_t)n);
    for (int m = 0; m < c->mode_count; m++)
        expand_mode(f, c, m, u + m * n);
    for (int m = 0; m < c->mode_count; m++) {
        slip_solid_mass(f->solid, 1, u + m * n, mu);
        slip_sparse_multiply(f->solid->stiffness, u + m * n, ku);
        for (int k = 0; k <= m; k++)
            assert_close(dot(n, u + k * n, mu), k == m, 1e-9);
        double size = sqrt(dot(n, ku, ku));
        for (int64_t i = 0; i < n; i++)
            ku[i] -= c->modes[m].eigenvalue * mu[i];
        assert_true(sqrt(dot(n, ku, ku)) < 1e-6 * size);
        if (m > 0)
            assert_true(c->modes[m].eigenvalue >= c->modes[m - 1].eigenvalue);
    }
    free(u);
    free(mu);
    free(ku);
}

/* Flexibility of the left flank of tooth 1 against solves with the whole body. */
static void check_flexibility(const fixture *f, const slip_cyclic *c)
{
    const slip_mesh_set *flank = slip_mesh_find(f->gear->mesh, "tooth1_left", SLIP_SET_NODES);
    int along = f->gear->section->counts.flank + 1, layers = f->gear->section->counts.width + 1;
    int high = f->part->layers + 1, count = flank->count, size = 3 * count;
    int64_t n = 3 * (int64_t)f->solid->free_count;
    slip_cyclic_node *nodes = calloc((size_t)count, sizeof *nodes);
    for (int layer = 0; layer < layers; layer++)
        for (int k = 0; k < along; k++) {
            bool mirrored = layer >= high;
            nodes[layer * along + k] =
                (slip_cyclic_node){(mirrored ? layers - 1 - layer : layer) * along + k, mirrored};
        }
    double *g = calloc((size_t)(size * size), sizeof *g), *p = calloc((size_t)(size * size), sizeof *p);
    double *x = calloc((size_t)(n * size), sizeof *x), *mx = calloc((size_t)n, sizeof *mx);
    slip_cyclic_flexibility(c, false, count, nodes, g);
    slip_cyclic_flexibility(c, true, count, nodes, p);
    for (int i = 0; i < size; i++)
        x[i * n + 3 * f->solid->free[flank->items[i / 3]] + i % 3] = 1;
    assert_int_equal(slip_factor_solve(f->ctx, f->factor, size, x, x), SLIP_OK);
    for (int k = 0; k < size; k++) {
        slip_solid_mass(f->solid, 1, x + k * n, mx);
        for (int i = 0; i < size; i++) {
            double direct = x[k * n + 3 * f->solid->free[flank->items[i / 3]] + i % 3];
            assert_close(g[i * size + k], direct, 1e-10 * g[0]);
            assert_close(p[i * size + k], dot(n, x + i * n, mx), 1e-10 * p[0]);
        }
    }
    free(nodes);
    free(g);
    free(p);
    free(x);
    free(mx);
}

static void check_body(int teeth, int width, int modes)
{
    fixture f;
    setup(&f, teeth, width);
    const slip_section *s = f.gear->section;
    int along = s->counts.flank + 1, high = f.part->layers + 1;
    int *loaded = calloc((size_t)(along * high), sizeof *loaded);
    for (int layer = 0; layer < high; layer++)
        for (int k = 0; k < along; k++)
            loaded[layer * along + k] =
                slip_section_tooth(s, slip_section_flank_row(s, k), s->counts.thickness) * high + layer;
    slip_cyclic_options options = slip_cyclic_options_default();
    options.modes = modes;
    options.loaded = loaded;
    options.loaded_count = along * high;
    slip_cyclic *c = NULL, *again = NULL;
    assert_int_equal(slip_cyclic_create(f.ctx, f.sector, &options, &c), SLIP_OK);
    assert_true(c->mode_count == modes || c->mode_count == modes + 1);
    check_modes(&f, c);
    check_flexibility(&f, c);
    /* The same bits for any number of threads. */
    options.threads = 1;
    assert_int_equal(slip_cyclic_create(f.ctx, f.sector, &options, &again), SLIP_OK);
    assert_int_equal(again->mode_count, c->mode_count);
    for (int m = 0; m < c->mode_count; m++)
        assert_true(c->modes[m].eigenvalue == again->modes[m].eigenvalue);
    assert_memory_equal(c->flexibility[0], again->flexibility[0],
                        sizeof(double) * 9 * (size_t)(along * high * along * high));
    slip_cyclic_destroy(c);
    slip_cyclic_destroy(again);
    free(loaded);
    teardown(&f);
}

static void waves_make_the_whole_body(void **state)
{
    (void)state;
    check_body(12, 2, 30);
    check_body(11, 1, 15);
}

static void many_modes_from_few_waves(void **state)
{
    (void)state;
    fixture f;
    setup(&f, 12, 2);
    slip_cyclic_options options = slip_cyclic_options_default();
    slip_cyclic *c = NULL;
    options.modes = 1000000000;
    assert_int_equal(slip_cyclic_create(f.ctx, f.sector, &options, &c), SLIP_ERROR_MODEL);
    options.modes = 3 * f.sector->mesh.node_count * 24 - 1; /* some are held */
    assert_int_equal(slip_cyclic_create(f.ctx, f.sector, &options, &c), SLIP_ERROR_MODEL);
    assert_null(c);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_make_the_whole_body),
        cmocka_unit_test(many_modes_from_few_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
