/* Eigenmodes and flexibility of a cyclic body. The theory is in the header. */
#include "flex/cyclic_wave.h"

#include "base/memory.h"
#include "base/threads.h"
#include "math/columns.h"
#include "math/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

slip_cyclic_options slip_cyclic_options_default(void)
{
    return (slip_cyclic_options){.tolerance = 1e-10, .field = -1, .name = "body"};
}

/* ---- All waves. */

/* Solves every wave that needs it. Each thread has a context of its own, since a context serves one thread.
 */
static int solve_round(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                       slip_wave_result *waves, int count)
{
    int threads = slip_threads(options->threads), done_count = 0;
    slip_columns_hold();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int k = 0; k < count; k++) {
        slip_wave_result *r = &waves[k];
        if (r->have >= r->want || slip_interrupted(ctx))
            continue;
        slip_context *own = slip_context_create_for(ctx);
        r->status = own ? slip_wave_result_solve(own, sector, options, r) : SLIP_ERROR_MEMORY;
        if (r->status < 0 && own) {
            strncpy(r->message, slip_context_message(own), sizeof r->message - 1);
        }
        slip_context_destroy(own);
#pragma omp critical
        {
            done_count++;
            if (slip_thread_number() == 0)
                slip_progress_report(ctx, &(slip_progress){.what = "modes of the sector",
                                                           .fraction = (double)done_count / count,
                                                           .steps = done_count});
        }
    }
    slip_columns_give_back();
    if (slip_interrupted(ctx))
        return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted");
    for (int k = 0; k < count; k++)
        if (waves[k].status == SLIP_ERROR_MEMORY)
            return slip_fail_memory(ctx);
        else if (waves[k].status < 0)
            return slip_fail(ctx, waves[k].status, "%s", waves[k].message);
    return SLIP_OK;
}

/* The `wanted`-th smallest of all eigenvalues computed so far; infinite if there are fewer. */
static double last_wanted(const slip_wave_result *waves, int count, int wanted, double *scratch)
{
    int total = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < waves[k].have; i++)
            scratch[total++] = waves[k].values[i];
    qsort(scratch, (size_t)total, sizeof *scratch, slip_order_numbers);
    return total >= wanted ? scratch[wanted - 1] : INFINITY;
}

/* Whether two eigenvalues are equal within their accuracy, as those of a pair are. */
static bool within(double value, double last)
{
    return value <= last * (1 + 1e-9);
}

/* Requests more modes of each wave that may have further ones below `last`. Returns whether there is any such
 * wave. It is then solved from the beginning: the factorisation is an eighth of its work, and at published
 * sizes no wave is solved twice, so it is not worth keeping all factors (40 times 50 MB). */
static bool ask_for_more(slip_wave_result *waves, int count, double last)
{
    bool any = false;
    for (int k = 0; k < count; k++) {
        slip_wave_result *r = &waves[k];
        if (r->have < r->most && within(r->values[r->have - 1], last)) {
            r->want = 2 * r->have;
            any = true;
        }
    }
    return any;
}

typedef struct slip_known_mode {
    double value;
    int wave, number;
} slip_known_mode;

static int by_value(const void *a, const void *b)
{
    const slip_known_mode *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return x->wave != y->wave ? x->wave - y->wave : x->number - y->number;
}

/* Couplings of modes by the rotating frame: only within a wave. */
static int gather_integrals(slip_context *ctx, slip_cyclic *c, const slip_wave_result *waves,
                            const slip_known_mode *modes)
{
    int64_t n = c->mode_count;
    c->coriolis = slip_arena_array(&c->arena, n * n, sizeof(double));
    c->softening = slip_arena_array(&c->arena, n * n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, c->coriolis && c->softening));
    for (int64_t k = 0; k < n; k++) {
        const slip_wave_result *r = &waves[modes[k].wave];
        c->modes[k].rotation = r->rotation[modes[k].number];
        c->modes[k].spread = r->spread[modes[k].number];
        for (int64_t l = 0; l < n; l++)
            if (modes[l].wave == modes[k].wave) {
                int64_t from = (int64_t)modes[k].number * r->have + modes[l].number;
                c->coriolis[k * n + l] = r->coriolis[from];
                c->softening[k * n + l] = r->softening[from];
            }
    }
    return SLIP_OK;
}

static int gather_modes(slip_context *ctx, slip_cyclic *c, const slip_wave_result *waves, int count,
                        int wanted, double last)
{
    int nodes3 = 3 * c->sector->mesh.node_count, total = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < waves[k].have; i++)
            total += within(waves[k].values[i], last);
    SLIP_FREED slip_known_mode *known = slip_alloc(total, sizeof *known);
    c->modes = slip_arena_array(&c->arena, total, sizeof *c->modes);
    SLIP_PASS(slip_allocated(ctx, known && c->modes));
    total = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < waves[k].have && within(waves[k].values[i], last); i++)
            known[total++] = (slip_known_mode){waves[k].values[i], k, i};
    qsort(known, (size_t)total, sizeof *known, by_value);
    for (int m = 0; m < total; m++) {
        const slip_wave_result *r = &waves[known[m].wave];
        /* Beyond the wanted number only the partner of the last mode is kept, which is of the same wave. */
        if (m >= wanted && known[m].wave != known[wanted - 1].wave)
            continue;
        known[c->mode_count] = known[m];
        slip_cyclic_mode *mode = &c->modes[c->mode_count++];
        *mode = (slip_cyclic_mode){.eigenvalue = r->values[known[m].number],
                                   .harmonic = r->harmonic,
                                   .antisymmetric = r->antisymmetric};
        mode->real = slip_arena_array(&c->arena, nodes3, sizeof(double));
        mode->imaginary = r->complex ? slip_arena_array(&c->arena, nodes3, sizeof(double)) : NULL;
        SLIP_PASS(slip_allocated(ctx, mode->real && (mode->imaginary || !r->complex)));
        memcpy(mode->real, r->vectors + (int64_t)known[m].number * nodes3, sizeof(double) * (size_t)nodes3);
        if (r->complex)
            memcpy(mode->imaginary, r->vectors + (int64_t)(r->have + known[m].number) * nodes3,
                   sizeof(double) * (size_t)nodes3);
    }
    return gather_integrals(ctx, c, waves, known);
}

/* The response of the whole body: in sector p the sum of all waves, each with its phase p phi. */
static int gather_field(slip_context *ctx, slip_cyclic *c, const slip_wave_result *waves, int count)
{
    int64_t nodes3 = 3 * (int64_t)c->sector->mesh.node_count;
    int sectors = c->sector->mesh.sectors;
    for (int part = 0; part < 2; part++)
        SLIP_PASS(slip_allocated(
            ctx, (c->field[part] = slip_arena_array(&c->arena, sectors * nodes3, sizeof(double)))));
    for (int k = 0; k < count; k++)
        for (int p = 0; waves[k].field && p < sectors; p++) {
            double phase = 2 * pi * (int)((int64_t)p * waves[k].harmonic % sectors) / sectors;
            double *to = c->field[waves[k].antisymmetric] + p * nodes3;
            for (int64_t i = 0; i < nodes3; i++)
                to[i] += cos(phase) * waves[k].field[i] - sin(phase) * waves[k].field[nodes3 + i];
        }
    return SLIP_OK;
}

/* The flexibility between sectors: the part of a wave has the phase p phi in sector p. */
static int gather_coupling(slip_context *ctx, slip_cyclic *c, const slip_wave_result *waves, int count)
{
    int64_t loads = 3 * (int64_t)c->loaded_count, square = loads * loads;
    int sectors = c->sector->mesh.sectors;
    for (int part = 0; part <= (c->sector->mesh.middle != NULL); part++)
        SLIP_PASS(slip_allocated(
            ctx, (c->coupling[part] = slip_arena_array(&c->arena, c->reach * square, sizeof(double)))));
    for (int k = 0; k < count; k++)
        for (int p = 1; p <= c->reach; p++) {
            double phase = 2 * pi * (int)((int64_t)p * waves[k].harmonic % sectors) / sectors;
            double *to = c->coupling[waves[k].antisymmetric] + (p - 1) * square;
            for (int64_t i = 0; i < square; i++) {
                to[i] += cos(phase) * waves[k].flexibility[i];
                if (waves[k].imaginary)
                    to[i] -= sin(phase) * waves[k].imaginary[i];
            }
        }
    return SLIP_OK;
}

/* Sums in the order of the waves: the same bits for any number of threads. */
static int gather_flexibility(slip_context *ctx, slip_cyclic *c, const slip_wave_result *waves, int count,
                              const slip_cyclic_options *options)
{
    int64_t loads = 3 * (int64_t)options->loaded_count, square = loads * loads;
    c->loaded_count = options->loaded_count;
    c->loaded = slip_arena_array(&c->arena, options->loaded_count, sizeof *c->loaded);
    SLIP_PASS(slip_allocated(ctx, c->loaded));
    memcpy(c->loaded, options->loaded, sizeof(int) * (size_t)options->loaded_count);
    for (int part = 0; part <= (c->sector->mesh.middle != NULL); part++) {
        c->flexibility[part] = slip_arena_array(&c->arena, square, sizeof(double));
        c->inner[part] = slip_arena_array(&c->arena, square, sizeof(double));
        SLIP_PASS(slip_allocated(ctx, c->flexibility[part] && c->inner[part]));
    }
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < square; i++) {
            c->flexibility[waves[k].antisymmetric][i] += waves[k].flexibility[i];
            c->inner[waves[k].antisymmetric][i] += waves[k].inner[i];
        }
    c->rotation = slip_arena_array(&c->arena, loads, sizeof(double));
    c->spread = slip_arena_array(&c->arena, loads, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, c->rotation && c->spread));
    memcpy(c->rotation, waves[0].static_rotation, sizeof(double) * (size_t)loads); /* harmonic 0 is first */
    memcpy(c->spread, waves[0].static_spread, sizeof(double) * (size_t)loads);
    c->reach = options->reach;
    int status = c->reach > 0 ? gather_coupling(ctx, c, waves, count) : SLIP_OK;
    return status >= 0 && options->field >= 0 ? gather_field(ctx, c, waves, count) : status;
}

/* Starts each wave with half as many again as its share, and a few more. */
static int plan_waves(const slip_sector *sector, int modes, slip_wave_result *waves)
{
    int sectors = sector->mesh.sectors, parts = sector->mesh.middle ? 2 : 1, count = 0;
    for (int h = 0; h <= sectors / 2; h++)
        for (int part = 0; part < parts; part++) {
            int width = h == 0 || 2 * h == sectors ? 1 : 2;
            int64_t share = (3 * (int64_t)modes + 2 * sectors * parts - 1) / (2 * sectors * parts);
            waves[count++] =
                (slip_wave_result){.harmonic = h, .antisymmetric = part, .want = width * (int)(share + 2)};
        }
    return count;
}

/* Estimates memory: the results of all waves, and for each wave solved in parallel its factor, its matrices,
 * and either a Lanczos basis or all responses to loads. */
static int check_memory(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                        const slip_wave_result *waves, int count)
{
    int sectors = sector->mesh.sectors, threads = slip_threads(options->threads);
    double loads = 3.0 * options->loaded_count, modes = 0, widest = 0;
    SLIP_FREED_BY(slip_wave_drop) slip_wave *wave = NULL;
    SLIP_PASS(slip_wave_plan(ctx, sector, sectors > 2, false, &wave));
    for (int k = 0; k < count; k++) {
        modes += waves[k].want;
        widest = fmax(widest, waves[k].want);
    }
    double entries = (double)wave->stiffness->start[wave->size], n = (double)wave->size;
    double each = (double)slip_factor_entries(wave->factor) + 4 * entries +
                  n * fmax(slip_wave_basis((int)widest) + 16.0, loads + 128);
    double kept = 6.0 * sector->mesh.node_count * modes + 2 * loads * loads * (count + 2) +
                  640.0 * sector->mesh.element_count;
    if (options->field >= 0)
        kept += 6.0 * sector->mesh.node_count * sectors;
    const double need = sizeof(double) * (kept + (threads < count ? threads : count) * each);
    return slip_memory_check(
        ctx, &(slip_memory_need){options->name, "the reduction", "use a coarser mesh or fewer modes", need},
        options->memory);
}

/* Counts the eigenvalues below the first one that was left out, wave by wave. */
static int check_counts(slip_context *ctx, const slip_sector *sector, const slip_wave_result *waves,
                        int count, double last)
{
    double bound = last * (1 + 1e-6);
    for (int k = 0; k < count; k++) {
        const slip_wave_result *r = &waves[k];
        SLIP_FREED_BY(slip_wave_drop) slip_wave *wave = NULL;
        int64_t found = 0, expected = 0;
        for (int i = 0; i < r->have; i++)
            expected += r->values[i] < bound;
        SLIP_PASS(slip_wave_create(ctx, sector, r->harmonic, r->antisymmetric, &wave));
        SLIP_PASS(slip_wave_count(ctx, wave, bound, &found));
        if (found != expected)
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "%lld modes with %d nodal diameters were found, but %lld are there",
                             (long long)expected, r->harmonic, (long long)found);
    }
    return SLIP_OK;
}

static int fail_too_many(slip_context *ctx, const slip_cyclic_options *options)
{
    return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %d modes, more than the body has", options->name,
                     options->modes);
}

/* Collects the modes and all other requested results from the waves. */
static int gather_waves(slip_context *ctx, slip_cyclic *c, const slip_cyclic_options *options,
                        slip_wave_result *waves, int count)
{
    double last = 0;
    SLIP_PASS(check_memory(ctx, c->sector, options, waves, count));
    do {
        int64_t total = 0;
        SLIP_PASS(solve_round(ctx, c->sector, options, waves, count));
        for (int k = 0; k < count; k++)
            total += waves[k].have;
        SLIP_FREED double *scratch = slip_alloc(total, sizeof *scratch);
        SLIP_PASS(slip_allocated(ctx, scratch));
        last = last_wanted(waves, count, options->modes, scratch);
    } while (ask_for_more(waves, count, last));
    if (!isfinite(last))
        return fail_too_many(ctx, options);
    SLIP_PASS(gather_modes(ctx, c, waves, count, options->modes, last));
    if (options->check)
        SLIP_PASS(check_counts(ctx, c->sector, waves, count, last));
    if (options->loaded_count > 0)
        SLIP_PASS(gather_flexibility(ctx, c, waves, count, options));
    for (int k = 0; k < count; k++) {
        c->solves += waves[k].solves;
        c->residual = fmax(c->residual, waves[k].residual);
    }
    return SLIP_OK;
}

int slip_cyclic_create(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                       slip_cyclic **cyclic)
{
    SLIP_FREED_BY(slip_cyclic_drop) slip_cyclic *c = slip_alloc(1, sizeof *c);
    SLIP_FREED slip_wave_result *waves = slip_alloc(sector->mesh.sectors + 2, sizeof *waves);
    *cyclic = NULL;
    SLIP_PASS(slip_allocated(ctx, c && waves));
    c->sector = sector;
    if (options->modes > 3.0 * sector->mesh.node_count * sector->mesh.sectors * (sector->mesh.middle ? 2 : 1))
        return fail_too_many(ctx, options);
    const int count = plan_waves(sector, options->modes, waves),
              status = gather_waves(ctx, c, options, waves, count);
    for (int k = 0; k < count; k++)
        slip_wave_result_free(&waves[k]);
    SLIP_PASS(status);
    SLIP_HAND(cyclic, c);
    return SLIP_OK;
}

SLIP_DESTROY(slip_cyclic)

/* ---- Use. */

/* The sign of a displacement's image above the mid-plane. */
static double image_sign(bool antisymmetric, int direction)
{
    return (direction == 2) == antisymmetric ? 1 : -1;
}

void slip_cyclic_response(const slip_cyclic *c, int sector, int node, bool mirrored, double value[3])
{
    int64_t at = 3 * ((int64_t)sector * c->sector->mesh.node_count + node);
    for (int d = 0; d < 3; d++) {
        if (!c->sector->mesh.middle) {
            value[d] = c->field[0][at + d];
            continue;
        }
        double sign[2] = {mirrored ? image_sign(false, d) : 1, mirrored ? image_sign(true, d) : 1};
        value[d] = (sign[0] * c->field[0][at + d] + sign[1] * c->field[1][at + d]) / 2;
    }
}

/* Of the nodes and their images, from the symmetric and the antisymmetric part between loaded nodes. */
static void compose(const slip_cyclic *c, const double *const parts[2], int count,
                    const slip_cyclic_node *nodes, double *matrix)
{
    int64_t loads = 3 * (int64_t)c->loaded_count, size = 3 * (int64_t)count;
    for (int64_t i = 0; i < size; i++)
        for (int64_t k = 0; k < size; k++) {
            int64_t from = (3 * nodes[i / 3].loaded + i % 3) * loads + 3 * nodes[k / 3].loaded + k % 3;
            if (!parts[1]) {
                matrix[i * size + k] = parts[0][from];
                continue;
            }
            double sum = 0;
            for (int part = 0; part < 2; part++) {
                double sign = (nodes[i / 3].mirrored ? image_sign(part, (int)(i % 3)) : 1) *
                              (nodes[k / 3].mirrored ? image_sign(part, (int)(k % 3)) : 1);
                sum += sign * parts[part][from] / 2;
            }
            matrix[i * size + k] = sum;
        }
}

void slip_cyclic_flexibility(const slip_cyclic *c, bool inner, int count, const slip_cyclic_node *nodes,
                             double *matrix)
{
    double *const *parts = inner ? c->inner : c->flexibility;
    compose(c, (const double *const[2]){parts[0], parts[1]}, count, nodes, matrix);
}

void slip_cyclic_coupling(const slip_cyclic *c, int p, int count, const slip_cyclic_node *nodes,
                          double *matrix)
{
    int64_t from = (p - 1) * 9 * (int64_t)c->loaded_count * c->loaded_count;
    const double *const parts[2] = {c->coupling[0] + from, c->coupling[1] ? c->coupling[1] + from : NULL};
    compose(c, parts, count, nodes, matrix);
}
