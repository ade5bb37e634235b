/* The HDF5 file of a reduced body.
 *
 *     /                   attributes: kind, format, name, program, mesh_hash, settings
 *     /body               mass, moment, sectors, halved, numbers of modes, nodes and elements of the shape,
 * reach /modes/...          frequency, nodal_diameter, antisymmetric, rotation, spread, coriolis, softening
 *     /shape/...          points, elements, middle, real, imaginary, attachment
 *     /surface/NAME/...   counts, nodes, facets, points
 *     /residual/K/...     flexibility, mass, frequency, vectors, rotation, spread, coupling (where reach > 0)
 * Matrices are stored row by row. The reader checks every count against the lengths of the lists. */
#include "flex/reduced.h"

#include "io/hdf5.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kind[] = "reduced elastic body", format[] = "2";
enum { body_numbers = 8, side_numbers = 6 };

/* ---- Writing. */

static int write_integers(slip_context *ctx, slip_h5 *file, const char *name, const int *values,
                          int64_t count)
{
    SLIP_FREED double *copy = slip_alloc(count, sizeof *copy);
    SLIP_PASS(slip_allocated(ctx, copy));
    for (int64_t i = 0; i < count; i++)
        copy[i] = values[i];
    return slip_h5_write(file, name, copy, count);
}

/* A number of each mode, by its place in the struct. */
static int write_modes(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    int64_t n = b->mode_count;
    SLIP_FREED double *list = slip_alloc(5 * n, sizeof *list);
    static const char *const names[5] = {"modes/frequency", "modes/nodal_diameter", "modes/antisymmetric",
                                         "modes/rotation", "modes/spread"};
    SLIP_PASS(slip_allocated(ctx, list));
    for (int64_t k = 0; k < n; k++) {
        const slip_reduced_mode *m = &b->modes[k];
        const double row[5] = {m->frequency, m->nodal_diameter, m->antisymmetric, m->rotation, m->spread};
        for (int i = 0; i < 5; i++)
            list[i * n + k] = row[i];
    }
    for (int i = 0; i < 5; i++)
        SLIP_PASS(slip_h5_write(file, names[i], list + i * n, n));
    SLIP_PASS(slip_h5_write(file, "modes/coriolis", b->coriolis, n * n));
    return slip_h5_write(file, "modes/softening", b->softening, n * n);
}

static int write_shapes(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    int64_t size = 3 * (int64_t)b->shape_nodes, all = size * b->mode_count;
    SLIP_PASS(slip_h5_write(file, "shape/points", b->points, size));
    SLIP_PASS(write_integers(ctx, file, "shape/elements", b->elements, 8 * (int64_t)b->element_count));
    if (b->halved) {
        SLIP_FREED double *middle = slip_alloc(b->shape_nodes, sizeof *middle);
        SLIP_PASS(slip_allocated(ctx, middle));
        for (int i = 0; i < b->shape_nodes; i++)
            middle[i] = b->middle[i];
        SLIP_PASS(slip_h5_write_small(file, "shape/middle", middle, b->shape_nodes));
    }
    SLIP_PASS(slip_h5_write(file, "shape/real", b->real, all));
    if (b->imaginary)
        SLIP_PASS(slip_h5_write(file, "shape/imaginary", b->imaginary, all));
    if (b->attachment)
        SLIP_PASS(
            slip_h5_write(file, "shape/attachment", b->attachment, 3 * (int64_t)slip_reduced_node_count(b)));
    return SLIP_OK;
}

static int write_side(slip_context *ctx, slip_h5 *file, const slip_reduced_side *p)
{
    char name[400];
    const double counts[side_numbers] = {p->node_count, p->facet_count, p->along,
                                         p->across,     p->attachment,  p->mirrored};
    snprintf(name, sizeof name, "surface/%s/counts", p->name);
    SLIP_PASS(slip_h5_write(file, name, counts, side_numbers));
    snprintf(name, sizeof name, "surface/%s/nodes", p->name);
    SLIP_PASS(write_integers(ctx, file, name, p->nodes, p->node_count));
    snprintf(name, sizeof name, "surface/%s/facets", p->name);
    SLIP_PASS(write_integers(ctx, file, name, p->facets, 4 * (int64_t)p->facet_count));
    snprintf(name, sizeof name, "surface/%s/points", p->name);
    return slip_h5_write(file, name, p->points, 3 * (int64_t)p->node_count);
}

/* The lists of the attachment vectors of a surface: square ones first. */
static const char *const attached_names[6] = {"flexibility", "mass",     "vectors",
                                              "frequency",   "rotation", "spread"};
static void rest_lists(slip_reduced_attached *r, double **lists[6])
{
    double **const all[6] = {&r->flexibility, &r->mass, &r->vectors, &r->frequency, &r->rotation, &r->spread};
    memcpy(lists, all, sizeof all);
}

static int write_attached(slip_h5 *file, int number, int reach, const slip_reduced_attached *rest)
{
    slip_reduced_attached copy = *rest;
    double **lists[6];
    char name[100];
    rest_lists(&copy, lists);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "residual/%d/%s", number, attached_names[i]);
        SLIP_PASS(slip_h5_write(file, name, *lists[i], (i < 3 ? (int64_t)rest->size : 1) * rest->size));
    }
    snprintf(name, sizeof name, "residual/%d/coupling", number);
    return reach > 0 ? slip_h5_write(file, name, rest->coupling, reach * (int64_t)rest->size * rest->size)
                     : SLIP_OK;
}

static int write_all(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    const double body[body_numbers] = {b->mass,       b->moment,      b->sectors,       b->halved,
                                       b->mode_count, b->shape_nodes, b->element_count, b->reach};
    const char *const texts[6][2] = {{"kind", kind},         {"format", format},
                                     {"name", b->name},      {"program", slip_version()},
                                     {"mesh_hash", b->hash}, {"settings", b->settings}};
    for (int i = 0; i < 6; i++)
        SLIP_PASS(slip_h5_write_text(file, "/", texts[i][0], texts[i][1]));
    SLIP_PASS(slip_h5_write(file, "body", body, body_numbers));
    SLIP_PASS(write_modes(ctx, file, b));
    SLIP_PASS(write_shapes(ctx, file, b));
    for (int k = 0; k < b->side_count; k++)
        SLIP_PASS(write_side(ctx, file, &b->sides[k]));
    for (int k = 0; k < b->attached_count; k++)
        SLIP_PASS(write_attached(file, k, b->reach, &b->attached[k]));
    return SLIP_OK;
}

int slip_reduced_save(slip_context *ctx, const slip_reduced *body, const char *path)
{
    SLIP_NEED(ctx, body, path);
    slip_h5 *file = NULL;
    SLIP_PASS(slip_h5_create(ctx, path, &file));
    int status = write_all(ctx, file, body);
    if (status >= 0)
        return slip_h5_commit(file);
    slip_h5_close(file);
    return status;
}

/* ---- Reading. Every list is read with the size that it has to have before memory of that size is taken. */

typedef struct slip_reduced_reader {
    slip_context *ctx;
    slip_h5 *file;
    const char *path;
    slip_reduced *body;
} slip_reduced_reader;

static int fail(const slip_reduced_reader *r, const char *what)
{
    return slip_fail(r->ctx, SLIP_ERROR_IO, "cannot read %s: %s", r->path, what);
}

/* A list of exactly `count` finite numbers, kept by the body. */
static int take_list(slip_reduced_reader *r, const char *name, int64_t count, double **to)
{
    SLIP_FREED double *values = NULL;
    SLIP_PASS(slip_h5_read_exactly(r->file, name, count, &values));
    SLIP_PASS(slip_h5_check_finite(r->file, name, values, count));
    *to = slip_arena_array(&r->body->arena, count, sizeof **to);
    SLIP_PASS(slip_allocated(r->ctx, *to));
    memcpy(*to, values, sizeof **to * (size_t)count);
    return SLIP_OK;
}

/* The same, whole numbers from low to high. */
static int take_integers(slip_reduced_reader *r, const char *name, int64_t count, double low, double high,
                         int **to)
{
    SLIP_FREED double *values = NULL;
    SLIP_PASS(slip_h5_read_exactly(r->file, name, count, &values));
    SLIP_PASS(slip_h5_check_whole(r->file, name, values, count, low, high));
    *to = slip_arena_array(&r->body->arena, count, sizeof **to);
    SLIP_PASS(slip_allocated(r->ctx, *to));
    for (int64_t i = 0; i < count; i++)
        (*to)[i] = (int)values[i];
    return SLIP_OK;
}

static int read_texts(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char *found = NULL, *version = NULL;
    SLIP_PASS(slip_h5_read_text(r->file, "/", "kind", &b->arena, &found));
    SLIP_PASS(slip_h5_read_text(r->file, "/", "format", &b->arena, &version));
    if (!found || strcmp(found, kind) != 0)
        return fail(r, "it is no reduced body");
    if (!version || strcmp(version, format) != 0)
        return fail(r, "it was written by another version of this program; reduce the body again");
    SLIP_PASS(slip_h5_read_text(r->file, "/", "name", &b->arena, &b->name));
    SLIP_PASS(slip_h5_read_text(r->file, "/", "mesh_hash", &b->arena, &b->hash));
    SLIP_PASS(slip_h5_read_text(r->file, "/", "settings", &b->arena, &b->settings));
    if (!b->name || !b->hash || !b->settings)
        return fail(r, "name, mesh_hash or settings is missing");
    return SLIP_OK;
}

/* Sectors are the teeth of a gear, and nodes of all of them are counted by an int. */
enum { sectors_max = 10000, nodes_max = INT_MAX / 8 };

static int read_counts(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    SLIP_FREED double *body = NULL;
    SLIP_PASS(slip_h5_read_exactly(r->file, "body", body_numbers, &body));
    for (int i = 0; i < 2; i++)
        if (!(body[i] > 0) || !isfinite(body[i]))
            return slip_h5_fail_value(r->file, "body", i, body[i], "a positive number: mass and moment");
    const double low[body_numbers] = {0, 0, 1, 0, 1, 1, 1, 0};
    const double high[body_numbers] = {0, 0, sectors_max, 1, nodes_max, nodes_max, nodes_max, body[2] - 1};
    for (int i = 2; i < body_numbers; i++)
        if (!(body[i] >= low[i] && body[i] <= high[i]) || body[i] != floor(body[i])) {
            char expected[100];
            snprintf(expected, sizeof expected, "a whole number from %.9g to %.9g", low[i], high[i]);
            return slip_h5_fail_value(r->file, "body", i, body[i], expected);
        }
    if (body[2] * body[5] > nodes_max || body[2] * body[6] > nodes_max)
        return fail(r, "body: found more nodes or elements in all sectors than can be counted");
    b->mass = body[0];
    b->moment = body[1];
    b->sectors = (int)body[2];
    b->halved = body[3] != 0;
    b->mode_count = (int)body[4];
    b->shape_nodes = (int)body[5];
    b->element_count = (int)body[6];
    b->reach = (int)body[7];
    return SLIP_OK;
}

static int read_modes(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    const int64_t n = b->mode_count;
    double *frequency, *rotation, *spread;
    int *diameter, *antisymmetric;
    SLIP_PASS(take_list(r, "modes/frequency", n, &frequency));
    SLIP_PASS(take_integers(r, "modes/nodal_diameter", n, -1, b->sectors - 1, &diameter));
    SLIP_PASS(take_integers(r, "modes/antisymmetric", n, 0, 1, &antisymmetric));
    SLIP_PASS(take_list(r, "modes/rotation", n, &rotation));
    SLIP_PASS(take_list(r, "modes/spread", n, &spread));
    SLIP_PASS(take_list(r, "modes/coriolis", n * n, &b->coriolis));
    SLIP_PASS(take_list(r, "modes/softening", n * n, &b->softening));
    b->modes = slip_arena_array(&b->arena, n, sizeof *b->modes);
    SLIP_PASS(slip_allocated(r->ctx, b->modes));
    for (int64_t k = 0; k < n; k++) {
        if (!(frequency[k] > 0))
            return slip_h5_fail_value(r->file, "modes/frequency", k, frequency[k], "a positive number");
        b->modes[k] = (slip_reduced_mode){.frequency = frequency[k],
                                          .nodal_diameter = diameter[k],
                                          .antisymmetric = antisymmetric[k],
                                          .rotation = rotation[k],
                                          .spread = spread[k]};
    }
    return SLIP_OK;
}

static int read_attachment(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char **names;
    int count;
    SLIP_PASS(slip_h5_list(r->file, "shape", &b->arena, &names, &count));
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], "attachment") == 0)
            SLIP_PASS(
                take_list(r, "shape/attachment", 3 * (int64_t)slip_reduced_node_count(b), &b->attachment));
    return SLIP_OK;
}

static int read_shapes(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    const int64_t size = 3 * (int64_t)b->shape_nodes, all = size * b->mode_count;
    int *middle;
    SLIP_PASS(take_list(r, "shape/points", size, &b->points));
    SLIP_PASS(take_integers(r, "shape/elements", 8 * (int64_t)b->element_count, 0, 2.0 * b->shape_nodes - 1,
                            &b->elements));
    if (b->halved) {
        SLIP_PASS(take_integers(r, "shape/middle", b->shape_nodes, 0, 1, &middle));
        b->middle = slip_arena_array(&b->arena, b->shape_nodes, sizeof *b->middle);
        SLIP_PASS(slip_allocated(r->ctx, b->middle));
        for (int i = 0; i < b->shape_nodes; i++)
            b->middle[i] = middle[i] != 0;
    }
    SLIP_PASS(take_list(r, "shape/real", all, &b->real));
    if (b->sectors > 1)
        SLIP_PASS(take_list(r, "shape/imaginary", all, &b->imaginary));
    return read_attachment(r);
}

/* "surface/NAME/part" */
static const char *side_path(char path[400], const char *name, const char *part)
{
    snprintf(path, 400, "surface/%.300s/%s", name, part);
    return path;
}

static int read_side_counts(slip_reduced_reader *r, const char *name, slip_reduced_side *p)
{
    const slip_reduced *b = r->body;
    char path[400];
    SLIP_FREED double *n = NULL;
    side_path(path, name, "counts");
    SLIP_PASS(slip_h5_read_exactly(r->file, path, side_numbers, &n));
    SLIP_PASS(slip_h5_check_whole(r->file, path, n, 2, 1, nodes_max));
    SLIP_PASS(slip_h5_check_whole(r->file, path, n, side_numbers, -1, nodes_max));
    if (n[2] * n[3] != (n[2] == 0 && n[3] == 0 ? 0 : n[0]))
        return slip_h5_fail_value(r->file, path, 2, n[2],
                                  "0, or with the next number as factor the number of nodes");
    if (b->attached_count > 0 && !(n[4] >= 0 && n[4] < b->attached_count))
        return slip_h5_fail_value(r->file, path, 4, n[4], "the number of attachment vectors that are there");
    if (n[5] != 0 && n[5] != 1)
        return slip_h5_fail_value(r->file, path, 5, n[5], "0 or 1");
    *p = (slip_reduced_side){.name = slip_arena_string(&r->body->arena, name),
                             .node_count = (int)n[0],
                             .facet_count = (int)n[1],
                             .along = (int)n[2],
                             .across = (int)n[3],
                             .attachment = (int)n[4],
                             .mirrored = n[5] != 0};
    return slip_allocated(r->ctx, p->name);
}

static int read_side(slip_reduced_reader *r, const char *name, slip_reduced_side *p)
{
    const double nodes = (r->body->halved ? 2.0 : 1.0) * r->body->shape_nodes;
    char path[400];
    SLIP_PASS(read_side_counts(r, name, p));
    SLIP_PASS(take_integers(r, side_path(path, name, "nodes"), p->node_count, 0, nodes - 1, &p->nodes));
    SLIP_PASS(take_integers(r, side_path(path, name, "facets"), 4 * (int64_t)p->facet_count, 0,
                            p->node_count - 1, &p->facets));
    return take_list(r, side_path(path, name, "points"), 3 * (int64_t)p->node_count, &p->points);
}

static int read_attached(slip_reduced_reader *r, int number, int size, slip_reduced_attached *rest)
{
    double **lists[6];
    char name[100];
    rest->size = size;
    rest_lists(rest, lists);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "residual/%d/%s", number, attached_names[i]);
        SLIP_PASS(take_list(r, name, (i < 3 ? (int64_t)size : 1) * size, lists[i]));
    }
    for (int i = 0; i < size; i++)
        if (!(rest->frequency[i] > 0)) {
            snprintf(name, sizeof name, "residual/%d/frequency", number);
            return slip_h5_fail_value(r->file, name, i, rest->frequency[i], "a positive number");
        }
    snprintf(name, sizeof name, "residual/%d/coupling", number);
    if (r->body->reach > 0)
        SLIP_PASS(take_list(r, name, r->body->reach * (int64_t)size * size, &rest->coupling));
    return SLIP_OK;
}

static int read_surfaces(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char **names, **numbers;
    SLIP_PASS(slip_h5_list(r->file, "surface", &b->arena, &names, &b->side_count));
    SLIP_PASS(slip_h5_list(r->file, "residual", &b->arena, &numbers, &b->attached_count));
    if (b->side_count > nodes_max / sectors_max)
        return fail(r, "surface: found more surfaces than can be counted");
    b->sides = slip_arena_array(&b->arena, b->side_count, sizeof *b->sides);
    b->attached = slip_arena_array(&b->arena, b->attached_count, sizeof *b->attached);
    SLIP_PASS(slip_allocated(r->ctx, b->sides && b->attached));
    for (int k = 0; k < b->side_count; k++) {
        slip_reduced_side *p = &b->sides[k];
        SLIP_PASS(read_side(r, names[k], p));
        if (b->attached_count == 0)
            continue;
        if (b->attached[p->attachment].size == 0)
            SLIP_PASS(read_attached(r, p->attachment, 3 * p->node_count, &b->attached[p->attachment]));
        if (b->attached[p->attachment].size != 3 * p->node_count)
            return fail(r, "a surface has attachment vectors of another size");
    }
    for (int k = 0; k < b->attached_count; k++)
        if (b->attached[k].size == 0)
            return fail(r, "attachment vectors belong to no surface");
    return SLIP_OK;
}

int slip_reduced_load(slip_context *ctx, const char *path, slip_reduced **body)
{
    SLIP_NEED_FOR(body, ctx, path);
    SLIP_FREED_BY(slip_h5_drop) slip_h5 *file = NULL;
    SLIP_FREED_BY(slip_reduced_drop) slip_reduced *made = NULL;
    SLIP_PASS(slip_h5_open(ctx, path, &file));
    SLIP_PASS(slip_reduced_create(ctx, "", &made));
    slip_reduced_reader r = {.ctx = ctx, .file = file, .path = path, .body = made};
    SLIP_PASS(read_texts(&r));
    SLIP_PASS(read_counts(&r));
    SLIP_PASS(read_modes(&r));
    SLIP_PASS(read_shapes(&r));
    SLIP_PASS(read_surfaces(&r));
    SLIP_PASS(slip_reduced_finish(ctx, made));
    SLIP_HAND(body, made);
    return SLIP_OK;
}
