/* Reduced bodies: memory, attachment vectors, use. The theory is in the headers. */
#include "flex/reduced.h"

#include "base/memory.h"
#include "flex/attachment.h"
#include "io/vtu.h"
#include "math/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- Memory. */

int slip_reduced_create(slip_context *ctx, const char *name, slip_reduced **body)
{
    SLIP_FREED_BY(slip_reduced_drop) slip_reduced *b = slip_alloc(1, sizeof *b);
    *body = NULL;
    SLIP_PASS(slip_allocated(ctx, b));
    b->sectors = 1;
    b->name = slip_arena_string(&b->arena, name);
    b->hash = b->settings = slip_arena_string(&b->arena, "");
    SLIP_PASS(slip_allocated(ctx, b->name && b->hash));
    SLIP_HAND(body, b);
    return SLIP_OK;
}

SLIP_DESTROY(slip_reduced)

static double *numbers(slip_reduced *b, int64_t count)
{
    return slip_arena_array(&b->arena, count, sizeof(double));
}

int slip_reduced_allocate_modes(slip_context *ctx, slip_reduced *b)
{
    int64_t n = b->mode_count, size = 3 * (int64_t)b->shape_nodes;
    b->modes = slip_arena_array(&b->arena, n, sizeof *b->modes);
    b->coriolis = numbers(b, n * n);
    b->softening = numbers(b, n * n);
    b->points = numbers(b, size);
    b->elements = slip_arena_array(&b->arena, 8 * (int64_t)b->element_count, sizeof *b->elements);
    b->middle = b->halved ? slip_arena_array(&b->arena, b->shape_nodes, sizeof *b->middle) : NULL;
    b->real = numbers(b, n * size);
    b->imaginary = b->sectors > 1 ? numbers(b, n * size) : NULL;
    return slip_allocated(ctx, b->modes && b->coriolis && b->softening && b->points && b->elements &&
                                   b->real && (b->middle || !b->halved) && (b->imaginary || b->sectors == 1));
}

int slip_reduced_allocate_side(slip_context *ctx, slip_reduced *b, slip_reduced_side *p)
{
    p->nodes = slip_arena_array(&b->arena, p->node_count, sizeof *p->nodes);
    p->facets = slip_arena_array(&b->arena, 4 * (int64_t)p->facet_count, sizeof *p->facets);
    p->points = numbers(b, 3 * (int64_t)p->node_count);
    return slip_allocated(ctx, p->nodes && p->facets && p->points);
}

static int allocate_attached(slip_context *ctx, slip_reduced *b, slip_reduced_attached *r)
{
    int64_t size = r->size, square = size * size;
    r->flexibility = numbers(b, square);
    r->mass = numbers(b, square);
    r->vectors = numbers(b, square);
    r->frequency = numbers(b, size);
    r->rotation = numbers(b, size);
    r->spread = numbers(b, size);
    r->coupling = numbers(b, b->reach * square);
    return slip_allocated(ctx, r->flexibility && r->mass && r->vectors && r->frequency && r->rotation &&
                                   r->spread && (r->coupling || !b->reach));
}

int slip_reduced_finish(slip_context *ctx, slip_reduced *b)
{
    char name[400];
    b->surface_names =
        slip_arena_array(&b->arena, (int64_t)b->sectors * b->side_count, sizeof *b->surface_names);
    SLIP_PASS(slip_allocated(ctx, b->surface_names));
    for (int k = 0; k < b->sectors * b->side_count; k++) {
        const char *own = b->sides[k % b->side_count].name;
        if (b->sectors > 1)
            snprintf(name, sizeof name, "tooth%d_%s", k / b->side_count + 1, own);
        b->surface_names[k] = slip_arena_string(&b->arena, b->sectors > 1 ? name : own);
        SLIP_PASS(slip_allocated(ctx, b->surface_names[k]));
    }
    return SLIP_OK;
}

/* ---- The hash: FNV-1a over what makes the mesh. */

static uint64_t add_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

int slip_reduced_take_hash(slip_context *ctx, slip_reduced *b)
{
    uint64_t hash = 14695981039346656037u;
    char text[17];
    hash = add_bytes(hash, &b->sectors, sizeof b->sectors);
    hash = add_bytes(hash, b->points, sizeof(double) * 3 * (size_t)b->shape_nodes);
    hash = add_bytes(hash, b->elements, sizeof(int) * 8 * (size_t)b->element_count);
    for (int k = 0; k < b->side_count; k++)
        hash = add_bytes(hash, b->sides[k].nodes, sizeof(int) * (size_t)b->sides[k].node_count);
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    b->hash = slip_arena_string(&b->arena, text);
    return b->hash ? SLIP_OK : slip_fail_memory(ctx);
}

/* ---- Shapes. */

/* Displacement of a node of the shape (+ shape_nodes: of its image) in a sector's frame. */
static void shape_at(const slip_reduced *b, int mode, int sector, int node, double value[3])
{
    bool image = node >= b->shape_nodes;
    const slip_reduced_mode *m = &b->modes[mode];
    int64_t at = 3 * ((int64_t)mode * b->shape_nodes + (image ? node - b->shape_nodes : node));
    int turns = m->nodal_diameter > 0 ? (int)((int64_t)sector * m->nodal_diameter % b->sectors) : 0;
    double phase = 2 * pi * turns / b->sectors, c = cos(phase), s = sin(phase);
    for (int d = 0; d < 3; d++) {
        value[d] = c * b->real[at + d] - (b->imaginary ? s * b->imaginary[at + d] : 0);
        if (image && (d == 2) != (m->antisymmetric != 0))
            value[d] = -value[d];
    }
}

void slip_reduced_rows_of(const slip_reduced *b, int surface, int modes, double *rows)
{
    const slip_reduced_side *p = &b->sides[surface % b->side_count];
    int64_t n = modes;
    for (int i = 0; i < p->node_count; i++)
        for (int k = 0; k < n; k++) {
            double value[3];
            shape_at(b, k, surface / b->side_count, p->nodes[i], value);
            for (int d = 0; d < 3; d++)
                rows[(3 * i + d) * n + k] = value[d];
        }
}

void slip_reduced_rows(const slip_reduced *b, int surface, double *rows)
{
    slip_reduced_rows_of(b, surface, b->mode_count, rows);
}

/* ---- Residuals. */

/* a -= rows diag(factor) rows^T, both triangles. */
static int subtract_modes(slip_context *ctx, const slip_reduced *b, const double *rows, int size, int power,
                          double *a)
{
    int n = b->mode_count;
    SLIP_FREED double *scaled = slip_alloc((int64_t)size * n, sizeof *scaled);
    SLIP_PASS(slip_allocated(ctx, scaled));
    for (int i = 0; i < size; i++)
        for (int k = 0; k < n; k++)
            scaled[(int64_t)i * n + k] =
                rows[(int64_t)i * n + k] / pow(2 * pi * b->modes[k].frequency, 2 * power);
    slip_columns_multiply(true, size, size, n, -1, (slip_columns){(double *)(uintptr_t)rows, n},
                          (slip_columns){scaled, n}, 1, (slip_columns){a, size});
    for (int64_t i = 0; i < size; i++)
        for (int64_t k = 0; k < i; k++)
            a[i * size + k] = a[k * size + i] = (a[i * size + k] + a[k * size + i]) / 2;
    return SLIP_OK;
}

int slip_reduced_take_coupling(slip_context *ctx, slip_reduced *b, int p, const double *flexibility)
{
    slip_reduced_attached *r = &b->attached[b->sides[0].attachment];
    int n = b->mode_count, size = r->size;
    int64_t square = (int64_t)size * size;
    SLIP_FREED double *here = slip_alloc((int64_t)size * n, sizeof *here);
    double *to = r->coupling + (p - 1) * square;
    SLIP_FREED double *there = slip_alloc((int64_t)size * n, sizeof *there);
    SLIP_PASS(slip_allocated(ctx, here && there));
    slip_reduced_rows(b, 0, here);
    slip_reduced_rows(b, p * b->side_count, there);
    for (int64_t i = 0; i < size; i++)
        for (int k = 0; k < n; k++)
            here[i * n + k] /= pow(2 * pi * b->modes[k].frequency, 2);
    memcpy(to, flexibility, sizeof *to * (size_t)square);
    /* The columns of the result are the rows of sector p here. */
    slip_columns_multiply(true, size, size, n, -1, (slip_columns){here, n}, (slip_columns){there, n}, 1,
                          (slip_columns){to, size});
    return SLIP_OK;
}

static int orthonormalise(slip_context *ctx, slip_reduced *b, slip_reduced_attached *r)
{
    size_t square = (size_t)r->size * (size_t)r->size;
    SLIP_FREED double *g = slip_alloc((int64_t)square, sizeof *g);
    SLIP_FREED double *scratch = slip_alloc(r->size, sizeof *scratch);
    SLIP_PASS(slip_allocated(ctx, g && scratch));
    memcpy(g, r->flexibility, sizeof *g * square);
    const char *wrong =
        slip_attachment_orthonormalise(r->size, r->mass, g, r->vectors, r->frequency, scratch);
    if (wrong)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: %s: %d modes leave less than rounding errors", b->name,
                         wrong, b->mode_count);
    for (int k = 0; k < r->size; k++)
        r->frequency[k] = sqrt(r->frequency[k]) / (2 * pi);
    return SLIP_OK;
}

/* Scalar products of the fields of a rotation with Psi: K^-1 of the inertia load, less its part in the modes.
 */
static void rotate_residual(const slip_reduced *b, const double *rows, const double *whole, bool spread,
                            slip_reduced_attached *r)
{
    for (int64_t i = 0; i < r->size; i++) {
        double sum = whole[i];
        for (int k = 0; k < b->mode_count; k++) {
            double product = spread ? b->modes[k].spread : b->modes[k].rotation;
            sum -= rows[i * b->mode_count + k] * product / pow(2 * pi * b->modes[k].frequency, 2);
        }
        (spread ? r->spread : r->rotation)[i] = sum;
    }
}

int slip_reduced_take_attached(slip_context *ctx, slip_reduced *b, int side, double *flexibility,
                               double *inner, const double *rotation, const double *spread)
{
    slip_reduced_attached *r = &b->attached[b->sides[side].attachment];
    r->size = 3 * b->sides[side].node_count;
    size_t square = (size_t)r->size * (size_t)r->size;
    SLIP_FREED double *rows = slip_alloc((int64_t)r->size * b->mode_count, sizeof *rows);
    SLIP_PASS(slip_allocated(ctx, rows));
    SLIP_PASS(allocate_attached(ctx, b, r));
    slip_reduced_rows(b, side, rows);
    SLIP_PASS(subtract_modes(ctx, b, rows, r->size, 1, flexibility));
    SLIP_PASS(subtract_modes(ctx, b, rows, r->size, 2, inner));
    memcpy(r->flexibility, flexibility, sizeof *flexibility * square);
    memcpy(r->mass, inner, sizeof *inner * square);
    rotate_residual(b, rows, rotation, false, r);
    rotate_residual(b, rows, spread, true, r);
    return orthonormalise(ctx, b, r);
}

void slip_reduced_flexibility(const slip_reduced *b, int surface, double *matrix)
{
    slip_reduced_flexibility_between(b, surface, surface, matrix);
}

/* The block of sector -p is the transpose of that of p. For a mirrored surface the order of the sectors is
 * reversed, and y changes sign. */
int slip_reduced_flexibility_between(const slip_reduced *b, int at, int by, double *matrix)
{
    const slip_reduced_side *side = &b->sides[at % b->side_count];
    const slip_reduced_attached *r = &b->attached[side->attachment];
    int64_t size = 3 * (int64_t)side->node_count;
    int p = (at / b->side_count - by / b->side_count + b->sectors) % b->sectors;
    p = 2 * p > b->sectors ? p - b->sectors : p;
    if (at % b->side_count != by % b->side_count || abs(p) > b->reach) {
        memset(matrix, 0, sizeof *matrix * (size_t)(size * size));
        return 0;
    }
    bool turned = side->mirrored ? p > 0 : p < 0;
    const double *g = p == 0 ? r->flexibility : r->coupling + (abs(p) - 1) * size * size;
    for (int64_t i = 0; i < size; i++)
        for (int64_t k = 0; k < size; k++) {
            double value = turned ? g[k * size + i] : g[i * size + k];
            matrix[i * size + k] = side->mirrored && (i % 3 == 1) != (k % 3 == 1) ? -value : value;
        }
    return 1;
}

/* ---- From a cyclic body. */

int slip_reduced_from_cyclic(slip_context *ctx, const slip_cyclic *c, slip_reduced *b)
{
    const slip_sector_mesh *mesh = &c->sector->mesh;
    size_t size = 3 * (size_t)mesh->node_count, n = (size_t)c->mode_count;
    b->sectors = mesh->sectors;
    b->halved = mesh->middle != NULL;
    b->mode_count = c->mode_count;
    b->shape_nodes = mesh->node_count;
    b->element_count = mesh->element_count;
    SLIP_PASS(slip_reduced_allocate_modes(ctx, b));
    slip_sector_inertia(c->sector, &b->mass, &b->moment);
    memcpy(b->points, mesh->points, sizeof(double) * size);
    memcpy(b->elements, mesh->elements, sizeof(int) * 8 * (size_t)mesh->element_count);
    if (b->halved)
        memcpy(b->middle, mesh->middle, sizeof(bool) * (size_t)mesh->node_count);
    memcpy(b->coriolis, c->coriolis, sizeof(double) * n * n);
    memcpy(b->softening, c->softening, sizeof(double) * n * n);
    for (size_t k = 0; k < n; k++) {
        const slip_cyclic_mode *m = &c->modes[k];
        b->modes[k] = (slip_reduced_mode){.frequency = sqrt(m->eigenvalue) / (2 * pi),
                                          .nodal_diameter = m->harmonic,
                                          .antisymmetric = m->antisymmetric,
                                          .rotation = m->rotation,
                                          .spread = m->spread};
        memcpy(b->real + k * size, m->real, sizeof(double) * size);
        if (m->imaginary)
            memcpy(b->imaginary + k * size, m->imaginary, sizeof(double) * size);
    }
    return SLIP_OK;
}

/* ---- The whole body. A sector has its own nodes, then the images of those that are not on the mid-plane. */

static int sector_node_count(const slip_reduced *b)
{
    int count = b->shape_nodes;
    for (int i = 0; b->halved && i < b->shape_nodes; i++)
        count += !b->middle[i];
    return count;
}

int slip_reduced_node_count(const slip_reduced *b)
{
    return b->sectors * sector_node_count(b);
}

static void turn_by(double angle, const double from[3], double to[3])
{
    to[0] = cos(angle) * from[0] - sin(angle) * from[1];
    to[1] = sin(angle) * from[0] + cos(angle) * from[1];
    to[2] = from[2];
}

void slip_reduced_points(const slip_reduced *b, double *points)
{
    for (int p = 0; p < b->sectors; p++)
        for (int image = 0; image <= b->halved; image++)
            for (int i = 0; i < b->shape_nodes; i++) {
                if (image && b->middle[i])
                    continue;
                const double *own = &b->points[3 * i];
                turn_by(2 * pi * p / b->sectors, (double[]){own[0], own[1], image ? -own[2] : own[2]},
                        points);
                points += 3;
            }
}

void slip_reduced_shape(const slip_reduced *b, int mode, double *displacement)
{
    for (int p = 0; p < b->sectors; p++)
        for (int image = 0; image <= b->halved; image++)
            for (int i = 0; i < b->shape_nodes; i++) {
                double value[3];
                if (image && b->middle[i])
                    continue;
                shape_at(b, mode, p, i + image * b->shape_nodes, value);
                turn_by(2 * pi * p / b->sectors, value, displacement);
                displacement += 3;
            }
}

int slip_reduced_mesh(slip_context *ctx, const slip_reduced *b, slip_mesh **mesh)
{
    int each = sector_node_count(b), copies = b->halved ? 2 : 1, *nodes;
    SLIP_FREED int *upper = slip_alloc(b->shape_nodes, sizeof *upper); /* of each node: its image's number */
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *made = NULL;
    *mesh = NULL;
    SLIP_PASS(slip_allocated(ctx, upper));
    for (int i = 0, next = b->shape_nodes; i < b->shape_nodes; i++)
        upper[i] = b->halved && !b->middle[i] ? next++ : i;
    SLIP_PASS(slip_mesh_create(ctx, 3, slip_reduced_node_count(b), &made));
    SLIP_PASS(
        slip_mesh_add_group(ctx, made, &slip_cell_hex8, b->sectors * copies * b->element_count, &nodes));
    slip_reduced_points(b, made->points);
    for (int p = 0; p < b->sectors; p++)
        for (int image = 0; image < copies; image++)
            for (int e = 0; e < b->element_count; e++)
                for (int k = 0; k < 8; k++) {
                    /* The image has its lower face where the original has its upper one. */
                    int node = b->elements[8 * e + (image ? (k + 4) % 8 : k)], own = node % b->shape_nodes;
                    int sector = (p + (node >= b->shape_nodes)) % b->sectors;
                    *nodes++ = sector * each + (image ? upper[own] : own);
                }
    SLIP_HAND(mesh, made);
    return SLIP_OK;
}

/* ---- Looking. */

const char *slip_reduced_name(const slip_reduced *b)
{
    return b->name;
}

const char *slip_reduced_mesh_hash(const slip_reduced *b)
{
    return b->hash;
}

const char *slip_reduced_settings(const slip_reduced *b)
{
    return b->settings;
}

double slip_reduced_mass(const slip_reduced *b)
{
    return b->mass;
}

double slip_reduced_moment(const slip_reduced *b)
{
    return b->moment;
}

int slip_reduced_mode_count(const slip_reduced *b)
{
    return b->mode_count;
}

const slip_reduced_mode *slip_reduced_modes(const slip_reduced *b)
{
    return b->modes;
}

const double *slip_reduced_coriolis(const slip_reduced *b)
{
    return b->coriolis;
}

const double *slip_reduced_softening(const slip_reduced *b)
{
    return b->softening;
}

int slip_reduced_surface_count(const slip_reduced *b)
{
    return b->sectors * b->side_count;
}

slip_reduced_surface slip_reduced_surface_at(const slip_reduced *b, int index)
{
    const slip_reduced_side *p = &b->sides[index % b->side_count];
    int sector = index / b->side_count;
    return (slip_reduced_surface){.name = b->surface_names[index],
                                  .tooth = sector,
                                  .turn = 2 * pi * sector / b->sectors,
                                  .node_count = p->node_count,
                                  .points = p->points,
                                  .facet_count = p->facet_count,
                                  .facets = p->facets,
                                  .along = p->along,
                                  .across = p->across,
                                  .attachment = b->attached_count > 0 ? p->attachment : -1,
                                  .mirrored = p->mirrored};
}

int slip_reduced_attachment_count(const slip_reduced *b)
{
    return b->attached_count;
}

slip_reduced_attachment slip_reduced_attachment_at(const slip_reduced *b, int index)
{
    const slip_reduced_attached *r = &b->attached[index];
    return (slip_reduced_attachment){r->size,    r->flexibility, r->mass,  r->frequency,
                                     r->vectors, r->rotation,    r->spread};
}

int slip_reduced_save_vtu(slip_context *ctx, const slip_reduced *b, int mode, const char *path)
{
    SLIP_NEED(ctx, b, path);
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *mesh = NULL;
    SLIP_FREED double *shape = slip_alloc(3 * (int64_t)slip_reduced_node_count(b), sizeof *shape);
    SLIP_PASS(slip_allocated(ctx, shape));
    SLIP_PASS(slip_interrupt_check(ctx));
    SLIP_PASS(slip_reduced_mesh(ctx, b, &mesh));
    slip_reduced_shape(b, mode, shape);
    const slip_vtu_field field = {.name = "displacement", .components = 3, .values = shape};
    return slip_vtu_write(ctx, path, &(slip_vtu_piece){mesh, &field, 1}, 1);
}
