/* One wave of a cyclic body. */
#include "flex/cyclic_wave.h"

#include "base/memory.h"
#include "math/columns.h"

#include <math.h>
#include <stdlib.h>

/* Whether a rotation about the axis excites this wave. */
static bool takes_rotation(const slip_wave *wave)
{
    return wave->harmonic == 0 && !wave->antisymmetric;
}

/* Inertia integrals of a rotating frame: products of the modes with the fields of a rotation and with each
 * other. */
static int find_integrals(slip_context *ctx, const slip_wave *wave, int count, const double *vectors,
                          slip_wave_result *r)
{
    int64_t n = wave->size, square = (int64_t)count * count;
    SLIP_FREED double *turned = slip_alloc(n, sizeof *turned), *product = slip_alloc(n, sizeof *product);
    r->coriolis = slip_arena_array(&r->of_modes, square, sizeof *r->coriolis);
    r->softening = slip_arena_array(&r->of_modes, square, sizeof *r->softening);
    r->rotation = slip_arena_array(&r->of_modes, count, sizeof *r->rotation);
    r->spread = slip_arena_array(&r->of_modes, count, sizeof *r->spread);
    SLIP_PASS(
        slip_allocated(ctx, turned && product && r->coriolis && r->softening && r->rotation && r->spread));
    for (int l = 0; l < count; l++) {
        slip_wave_turn(wave, vectors + l * n, turned);
        slip_sparse_multiply(wave->mass, turned, product);
        for (int k = 0; k < count; k++)
            r->coriolis[k * count + l] = slip_columns_dot((int)n, vectors + k * n, 1, product, 1);
        slip_wave_turn(wave, product, turned); /* turned twice: minus the part across the axis */
        for (int k = 0; k < count; k++)
            r->softening[k * count + l] = -slip_columns_dot((int)n, vectors + k * n, 1, turned, 1);
    }
    double scale = sqrt(slip_wave_weight(wave));
    for (int which = 0; takes_rotation(wave) && which < 2; which++) {
        slip_wave_inertia_load(wave, which == 1, product);
        for (int k = 0; k < count; k++)
            (which ? r->spread : r->rotation)[k] =
                scale * slip_columns_dot((int)n, vectors + k * n, 1, product, 1);
    }
    return SLIP_OK;
}

int slip_wave_basis(int modes)
{
    return 3 * modes + 32;
}

static int find_modes(slip_context *ctx, slip_wave *wave, double tolerance, slip_wave_result *r)
{
    int nodes3 = 3 * wave->sector->mesh.node_count;
    int count = r->want < wave->size ? r->want : (int)wave->size;
    SLIP_FREED double *vectors = NULL;
    double scale = 1 / sqrt(slip_wave_weight(wave));
    slip_eigen_problem problem = slip_wave_problem(wave);
    slip_eigen_options options = slip_eigen_options_default();
    slip_eigen_report report = {0};
    options.count = count;
    options.tolerance = tolerance;
    options.block = 8;
    options.basis = slip_wave_basis(count);
    slip_arena_free(&r->of_modes);
    r->values = slip_arena_array(&r->of_modes, count, sizeof *r->values);
    r->vectors = slip_arena_array(&r->of_modes, 2 * (int64_t)count * nodes3, sizeof *r->vectors);
    SLIP_PASS(slip_allocated(ctx, r->values && r->vectors));
    SLIP_PASS(slip_eigen_lowest(ctx, &problem, &options, r->values, &vectors, &report));
    for (int k = 0; k < count; k++)
        for (int i = 0; i < nodes3; i++) {
            int64_t unknown = wave->unknown[i];
            const double *from = vectors + k * wave->size;
            if (unknown < 0)
                continue;
            r->vectors[(int64_t)k * nodes3 + i] = scale * from[unknown];
            if (wave->complex)
                r->vectors[(int64_t)(count + k) * nodes3 + i] = scale * from[wave->part + unknown];
        }
    SLIP_PASS(find_integrals(ctx, wave, count, vectors, r));
    r->have = count;
    r->solves += report.solves;
    r->residual = report.residual;
    return SLIP_OK;
}

/* Responses to the loads of a rotation at the loaded nodes. */
static int find_static_rotation(slip_context *ctx, slip_wave *wave, const slip_cyclic_options *options,
                                slip_wave_result *r)
{
    int loads = 3 * options->loaded_count;
    SLIP_FREED double *x = slip_alloc(wave->size, sizeof *x);
    r->static_rotation = slip_arena_array(&r->arena, loads, sizeof *r->static_rotation);
    r->static_spread = slip_arena_array(&r->arena, loads, sizeof *r->static_spread);
    SLIP_PASS(slip_allocated(ctx, x && r->static_rotation && r->static_spread));
    for (int which = 0; which < 2; which++) {
        slip_wave_inertia_load(wave, which == 1, x);
        SLIP_PASS(slip_factor_solve(ctx, wave->factor, 1, x, x));
        for (int i = 0; i < loads; i++) {
            int64_t unknown = wave->unknown[3 * options->loaded[i / 3] + i % 3];
            (which ? r->static_spread : r->static_rotation)[i] = unknown >= 0 ? x[unknown] : 0;
        }
    }
    return SLIP_OK;
}

/* Keeps the response to one load. */
static int keep_field(slip_context *ctx, const slip_wave *wave, const double *x, slip_wave_result *r)
{
    int nodes3 = 3 * wave->sector->mesh.node_count;
    double weight = (wave->complex ? 2.0 : 1.0) / wave->sector->mesh.sectors;
    r->field = slip_arena_array(&r->arena, 2 * (int64_t)nodes3, sizeof *r->field);
    SLIP_PASS(slip_allocated(ctx, r->field));
    for (int i = 0; i < nodes3; i++)
        if (wave->unknown[i] >= 0) {
            r->field[i] = weight * x[wave->unknown[i]];
            r->field[nodes3 + i] = wave->complex ? weight * x[wave->part + wave->unknown[i]] : 0;
        }
    return SLIP_OK;
}

/* Responses to unit loads in blocks; their displacements at the loaded nodes and their inner products. */
static int find_flexibility(slip_context *ctx, slip_wave *wave, const slip_cyclic_options *options,
                            slip_wave_result *r)
{
    enum { block = 64 };
    int loads = 3 * options->loaded_count, count = 0;
    int64_t n = wave->size;
    double weight = (wave->complex ? 2.0 : 1.0) / wave->sector->mesh.sectors;
    SLIP_FREED int *list = slip_alloc(loads, sizeof *list);
    SLIP_FREED double *x = slip_alloc(n * loads, sizeof *x);
    SLIP_FREED double *product = slip_alloc(n * block, sizeof *product);
    SLIP_FREED double *part = slip_alloc((int64_t)loads * block, sizeof *part);
    r->flexibility = slip_arena_array(&r->arena, (int64_t)loads * loads, sizeof *r->flexibility);
    r->inner = slip_arena_array(&r->arena, (int64_t)loads * loads, sizeof *r->inner);
    bool shifted = wave->complex && options->reach > 0;
    r->imaginary = shifted ? slip_arena_array(&r->arena, (int64_t)loads * loads, sizeof *r->imaginary) : NULL;
    if (!list || !x || !product || !part || !r->flexibility || !r->inner || (shifted && !r->imaginary))
        return slip_fail_memory(ctx);
    for (int i = 0; i < loads; i++) /* directions that this wave has */
        if (wave->unknown[3 * options->loaded[i / 3] + i % 3] >= 0)
            list[count++] = i;
#define UNKNOWN(i) wave->unknown[3 * options->loaded[list[i] / 3] + list[i] % 3]
    for (int from = 0; from < count; from += block) {
        int here = count - from < block ? count - from : block;
        double *to = x + from * n;
        for (int k = 0; k < here; k++)
            to[k * n + UNKNOWN(from + k)] = 1;
        SLIP_PASS(slip_factor_solve(ctx, wave->factor, here, to, to));
        r->solves += here;
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted");
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            r->flexibility[list[i] * loads + list[k]] = weight * x[k * n + UNKNOWN(i)];
    for (int i = 0; r->imaginary && i < count; i++)
        for (int k = 0; k < count; k++)
            r->imaginary[list[i] * loads + list[k]] = weight * x[k * n + wave->part + UNKNOWN(i)];
#undef UNKNOWN
    for (int k = 0; k < count; k++)
        if (list[k] == options->field)
            SLIP_PASS(keep_field(ctx, wave, x + k * n, r));
    if (takes_rotation(wave))
        SLIP_PASS(find_static_rotation(ctx, wave, options, r));
    for (int from = 0; from < count; from += block) {
        int here = count - from < block ? count - from : block;
        for (int k = 0; k < here; k++)
            slip_sparse_multiply(wave->mass, x + (from + k) * n, product + k * n);
        slip_columns_multiply(true, count, here, (int)n, weight, (slip_columns){x, (int)n},
                              (slip_columns){product, (int)n}, 0, (slip_columns){part, count});
        for (int k = 0; k < here; k++)
            for (int i = 0; i < count; i++)
                r->inner[list[i] * loads + list[from + k]] = part[k * count + i];
    }
    return SLIP_OK;
}

int slip_wave_result_solve(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                           slip_wave_result *r)
{
    SLIP_FREED_BY(slip_wave_drop) slip_wave *wave = NULL;
    SLIP_PASS(slip_wave_create(ctx, sector, r->harmonic, r->antisymmetric, &wave));
    r->most = wave->size;
    r->complex = wave->complex;
    SLIP_PASS(find_modes(ctx, wave, options->tolerance, r));
    if (options->loaded_count > 0 && !r->flexible)
        SLIP_PASS(find_flexibility(ctx, wave, options, r));
    r->flexible = true;
    return SLIP_OK;
}

void slip_wave_result_free(slip_wave_result *r)
{
    slip_arena_free(&r->of_modes);
    slip_arena_free(&r->arena);
}
