/* One sector of a cyclic body. The theory is in the header. */
#include "flex/sector.h"

#include "base/memory.h"
#include "fem/hex8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Where a node of the mesh is, also one of the next sector. */
static void place_node(const slip_sector_mesh *mesh, int node, double *place)
{
    const double *p = &mesh->points[3 * (node % mesh->node_count)];
    double turn = node < mesh->node_count ? 0 : 2 * pi / mesh->sectors;
    place[0] = cos(turn) * p[0] - sin(turn) * p[1];
    place[1] = sin(turn) * p[0] + cos(turn) * p[1];
    place[2] = p[2];
}

int slip_sector_create(slip_context *ctx, const slip_sector_mesh *mesh, const slip_solid_options *options,
                       slip_sector **sector)
{
    SLIP_FREED_BY(slip_sector_drop) slip_sector *s = slip_alloc(1, sizeof *s);
    *sector = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->mesh = *mesh;
    s->options = *options;
    s->stiffness = slip_arena_array(&s->arena, 576 * (int64_t)mesh->element_count, sizeof *s->stiffness);
    s->mass = slip_arena_array(&s->arena, 64 * (int64_t)mesh->element_count, sizeof *s->mass);
    SLIP_PASS(slip_allocated(ctx, s->stiffness && s->mass));
    slip_hex8_material material =
        slip_hex8_material_make(options->young, options->poisson, !options->compatible);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < mesh->element_count; e++) {
        double points[24], *mass = s->mass + 64 * (size_t)e;
        for (int k = 0; k < 8; k++)
            place_node(mesh, mesh->elements[8 * e + k], points + 3 * k);
        slip_hex8_stiffness(&material, points, s->stiffness + 576 * (size_t)e);
        slip_element_mass(slip_element_find(&slip_cell_hex8), points, mass);
        for (int i = 0; i < 64; i++)
            mass[i] *= options->density;
        for (int i = 0; options->lumped && i < 8; i++) {
            double sum = 0;
            for (int k = 0; k < 8; k++) {
                sum += mass[8 * i + k];
                mass[8 * i + k] = 0;
            }
            mass[8 * i + i] = sum;
        }
    }
    SLIP_HAND(sector, s);
    return SLIP_OK;
}

SLIP_DESTROY(slip_sector)

void slip_sector_inertia(const slip_sector *s, double *mass, double *moment)
{
    const slip_sector_mesh *mesh = &s->mesh;
    double copies = mesh->sectors * (mesh->middle ? 2.0 : 1.0);
    *mass = *moment = 0;
    for (int e = 0; e < mesh->element_count; e++) {
        double points[24];
        for (int k = 0; k < 8; k++)
            place_node(mesh, mesh->elements[8 * e + k], points + 3 * k);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                double value = copies * s->mass[64 * (size_t)e + (size_t)(8 * a + b)];
                const double *p = points + 3 * a, *q = points + 3 * b;
                *mass += value;
                *moment += value * (p[0] * q[0] + p[1] * q[1]);
            }
    }
}

/* ---- Waves. */

/* The data of the element functions. An item is an element that reaches into the next sector, or one of the
 * two copies (for a and for b) of an element within the sector. */
typedef struct slip_wave_job {
    const slip_wave *wave;
    const int64_t *element;
    const bool *crosses; /* into the next sector */
    bool mass;
} slip_wave_job;

/* The matrix of an element with 24 unknowns. */
static void plain_matrix(const slip_wave_job *job, int64_t element, double matrix[576])
{
    const slip_sector *s = job->wave->sector;
    if (!job->mass) {
        memcpy(matrix, s->stiffness + 576 * element, 576 * sizeof *matrix);
        return;
    }
    memset(matrix, 0, 576 * sizeof *matrix);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            for (int d = 0; d < 3; d++)
                matrix[24 * (3 * a + d) + 3 * b + d] = s->mass[64 * element + 8 * a + b];
}

/* The transformation (24 x 24) from unknowns to displacements of an element: T a - U b is their real part. T
 * rotates the nodes of the next sector by a pitch and multiplies them by cos phi; U has sin phi in place of
 * cos phi, and zeros for the nodes of the own sector. */
static void wave_transform(const slip_wave *wave, const int *nodes, double cosine[576], double sine[576])
{
    const slip_sector_mesh *mesh = &wave->sector->mesh;
    double pitch = 2 * pi / mesh->sectors, phi = pitch * wave->harmonic;
    double c = cos(phi), s = sin(phi);
    if (!wave->complex) {
        c = wave->harmonic == 0 ? 1 : -1;
        s = 0;
    }
    memset(cosine, 0, 576 * sizeof *cosine);
    memset(sine, 0, 576 * sizeof *sine);
    for (int k = 0; k < 8; k++) {
        if (nodes[k] < mesh->node_count) {
            for (int d = 0; d < 3; d++)
                cosine[25 * (3 * k + d)] = 1;
            continue;
        }
        const double turn[9] = {cos(pitch), -sin(pitch), 0, sin(pitch), cos(pitch), 0, 0, 0, 1};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                cosine[24 * (3 * k + i) + 3 * k + j] = c * turn[3 * i + j];
                sine[24 * (3 * k + i) + 3 * k + j] = s * turn[3 * i + j];
            }
    }
}

/* product = A^T K B, all 24 x 24. */
static void sandwich(const double *A, const double *K, const double *B, double *product)
{
    double KB[576];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            double sum = 0;
            for (int k = 0; k < 24; k++)
                sum += K[24 * i + k] * B[24 * k + j];
            KB[24 * i + j] = sum;
        }
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            double sum = 0;
            for (int k = 0; k < 24; k++)
                sum += A[24 * k + i] * KB[24 * k + j];
            product[24 * i + j] = sum;
        }
}

static void wave_element(const void *user, int64_t item, double *matrix)
{
    const slip_wave_job *job = user;
    const slip_wave *wave = job->wave;
    int64_t element = job->element[item];
    double plain[576], cosine[576], sine[576], part[4][576];
    if (!job->crosses[item]) {
        plain_matrix(job, element, matrix);
        return;
    }
    plain_matrix(job, element, plain);
    wave_transform(wave, &wave->sector->mesh.elements[8 * element], cosine, sine);
    sandwich(cosine, plain, cosine, part[0]);
    if (!wave->complex) {
        memcpy(matrix, part[0], sizeof part[0]);
        return;
    }
    /* Seen: C a - S b and S a + C b, with C and S the two transforms. */
    sandwich(sine, plain, sine, part[1]);
    sandwich(cosine, plain, sine, part[2]);
    sandwich(sine, plain, cosine, part[3]);
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            int at = 24 * i + j;
            matrix[48 * i + j] = matrix[48 * (24 + i) + 24 + j] = part[0][at] + part[1][at];
            matrix[48 * i + 24 + j] = part[3][at] - part[2][at];
            matrix[48 * (24 + i) + j] = part[2][at] - part[3][at];
        }
}

static void number_unknowns(slip_wave *wave)
{
    const slip_sector_mesh *mesh = &wave->sector->mesh;
    for (int i = 0; i < mesh->node_count; i++)
        for (int d = 0; d < 3; d++) {
            bool across = d == 2, cut = mesh->middle && mesh->middle[i] && across != wave->antisymmetric;
            wave->unknown[3 * i + d] = mesh->held[i] || cut ? -1 : wave->part++;
        }
    wave->size = wave->complex ? 2 * wave->part : wave->part;
}

/* Lists of unknowns for the assembly. */
typedef struct slip_wave_items {
    int64_t count, *start, *unknowns, *element;
    bool *crosses;
} slip_wave_items;

static int list_items(slip_context *ctx, const slip_wave *wave, slip_arena *arena, slip_wave_items *items)
{
    const slip_sector_mesh *mesh = &wave->sector->mesh;
    int64_t most = 2 * (int64_t)mesh->element_count;
    items->start = slip_arena_array(arena, most + 1, sizeof *items->start);
    items->unknowns = slip_arena_array(arena, 24 * most, sizeof *items->unknowns);
    items->element = slip_arena_array(arena, most, sizeof *items->element);
    items->crosses = slip_arena_array(arena, most, sizeof *items->crosses);
    SLIP_PASS(slip_allocated(ctx, items->start && items->unknowns && items->element && items->crosses));
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = &mesh->elements[8 * e];
        bool crosses = false;
        for (int k = 0; k < 8; k++)
            crosses = crosses || nodes[k] >= mesh->node_count;
        for (int copy = 0; copy <= wave->complex; copy++) {
            bool goes_on = crosses && copy; /* the list of the first copy, then b */
            int64_t item = goes_on ? items->count - 1 : items->count++;
            int64_t *list = &items->unknowns[goes_on ? items->start[item + 1] : items->start[item]];
            for (int k = 0; k < 24; k++) {
                int64_t unknown = wave->unknown[3 * (nodes[k / 3] % mesh->node_count) + k % 3];
                list[k] = unknown < 0 ? -1 : unknown + copy * wave->part;
            }
            items->start[item + 1] = list - items->unknowns + 24;
            items->element[item] = e;
            items->crosses[item] = crosses;
        }
    }
    return SLIP_OK;
}

/* The unknowns of a node's a, and those of its b, have the same neighbours. */
static int analyse_wave(slip_context *ctx, slip_wave *wave)
{
    int64_t count = 0, last = -1;
    SLIP_FREED int64_t *group = slip_alloc(wave->size, sizeof *group);
    SLIP_PASS(slip_allocated(ctx, group));
    for (int64_t i = 0; i < 3 * (int64_t)wave->sector->mesh.node_count; i++) {
        if (wave->unknown[i] < 0)
            continue;
        count += i / 3 != last;
        last = i / 3;
        group[wave->unknown[i]] = count - 1;
    }
    for (int64_t i = 0; wave->complex && i < wave->part; i++)
        group[wave->part + i] = count + group[i];
    return slip_factor_analyse(ctx, wave->stiffness, group, &wave->factor);
}

int slip_wave_plan(slip_context *ctx, const slip_sector *sector, int harmonic, bool antisymmetric,
                   slip_wave **result)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    SLIP_FREED_BY(slip_assembly_drop) slip_assembly *assembly = NULL;
    SLIP_FREED_BY(slip_wave_drop) slip_wave *wave = slip_alloc(1, sizeof *wave);
    slip_wave_items items = {0};
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, wave));
    *wave = (slip_wave){.sector = sector, .ctx = ctx, .harmonic = harmonic, .antisymmetric = antisymmetric};
    wave->complex = harmonic != 0 && 2 * harmonic != sector->mesh.sectors;
    wave->unknown = slip_alloc(3 * (int64_t)sector->mesh.node_count, sizeof *wave->unknown);
    SLIP_PASS(slip_allocated(ctx, wave->unknown));
    number_unknowns(wave);
    SLIP_PASS(list_items(ctx, wave, &room, &items));
    SLIP_PASS(slip_assembly_create(ctx, wave->size, items.count, items.start, items.unknowns, &assembly));
    slip_wave_job job = {wave, items.element, items.crosses, false};
    SLIP_PASS(slip_sparse_create(ctx, assembly, &wave->stiffness));
    SLIP_PASS(slip_sparse_assemble(ctx, assembly, wave_element, &job, wave->stiffness));
    job.mass = true;
    SLIP_PASS(slip_sparse_create(ctx, assembly, &wave->mass));
    SLIP_PASS(slip_sparse_assemble(ctx, assembly, wave_element, &job, wave->mass));
    SLIP_PASS(analyse_wave(ctx, wave));
    SLIP_HAND(result, wave);
    return SLIP_OK;
}

int slip_wave_create(slip_context *ctx, const slip_sector *sector, int harmonic, bool antisymmetric,
                     slip_wave **result)
{
    SLIP_FREED_BY(slip_wave_drop) slip_wave *wave = NULL;
    *result = NULL;
    SLIP_PASS(slip_wave_plan(ctx, sector, harmonic, antisymmetric, &wave));
    SLIP_PASS(slip_factor_compute(ctx, wave->stiffness, wave->factor, NULL));
    SLIP_HAND(result, wave);
    return SLIP_OK;
}

void slip_wave_destroy(slip_wave *wave)
{
    if (!wave)
        return;
    slip_factor_destroy(wave->factor);
    slip_sparse_destroy(wave->stiffness);
    slip_sparse_destroy(wave->mass);
    free(wave->unknown);
    free(wave);
}

static int wave_solve(void *user, int64_t count, const double *right, double *solution)
{
    slip_wave *wave = user;
    return slip_factor_solve(wave->ctx, wave->factor, count, right, solution);
}

static void wave_mass(void *user, int64_t count, const double *x, double *product)
{
    const slip_wave *wave = user;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++)
        slip_sparse_multiply(wave->mass, x + k * wave->size, product + k * wave->size);
}

slip_eigen_problem slip_wave_problem(slip_wave *wave)
{
    return (slip_eigen_problem){wave->size, wave, wave_solve, wave_mass};
}

double slip_wave_weight(const slip_wave *wave)
{
    return wave->sector->mesh.sectors * (wave->complex ? 0.5 : 1) * (wave->sector->mesh.middle ? 2 : 1);
}

void slip_wave_inertia_load(const slip_wave *wave, bool spread, double *load)
{
    const slip_sector_mesh *mesh = &wave->sector->mesh;
    memset(load, 0, sizeof *load * (size_t)wave->size);
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = &mesh->elements[8 * e];
        const double *mass = &wave->sector->mass[64 * (size_t)e];
        for (int a = 0; a < 8; a++) {
            /* The field of a rotation is the same in all sectors, in the frame of each. */
            double turn = 2 * pi / mesh->sectors * (nodes[a] >= mesh->node_count), sum[2] = {0};
            int node = nodes[a] % mesh->node_count;
            for (int b = 0; b < 8; b++) {
                double at[3];
                place_node(mesh, nodes[b], at);
                double x = cos(turn) * at[0] + sin(turn) * at[1], y = cos(turn) * at[1] - sin(turn) * at[0];
                sum[0] += mass[8 * a + b] * (spread ? x : -y);
                sum[1] += mass[8 * a + b] * (spread ? y : x);
            }
            for (int d = 0; d < 2; d++)
                if (wave->unknown[3 * node + d] >= 0)
                    load[wave->unknown[3 * node + d]] += sum[d];
        }
    }
}

void slip_wave_turn(const slip_wave *wave, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)wave->size);
    for (int i = 0; i < wave->sector->mesh.node_count; i++) {
        int64_t first = wave->unknown[3 * i], second = wave->unknown[3 * i + 1];
        for (int64_t part = 0; first >= 0 && second >= 0 && part < wave->size; part += wave->part) {
            y[part + first] = -x[part + second];
            y[part + second] = x[part + first];
        }
    }
}

int slip_wave_count(slip_context *ctx, const slip_wave *wave, double bound, int64_t *count)
{
    const slip_sparse *k = wave->stiffness, *m = wave->mass;
    int64_t entries = k->start[k->size];
    slip_sparse shifted = *k; /* both have the pattern of the elements */
    SLIP_FREED double *value = shifted.value = slip_alloc(entries, sizeof *value);
    SLIP_PASS(slip_allocated(ctx, value));
    for (int64_t i = 0; i < entries; i++)
        value[i] = k->value[i] - bound * m->value[i];
    return slip_factor_negatives(ctx, &shifted, count);
}
