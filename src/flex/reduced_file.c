/* The HDF5 file of a reduced body.
 *
 *     /                   attributes: kind, format, name, program, mesh_hash, settings
 *     /body               mass, moment, sectors, halved, numbers of modes, nodes and elements of the shape,
 * reach /modes/...          frequency, nodal_diameter, antisymmetric, rotation, spread, coriolis, softening
 *     /shape/...          points, elements, middle, real, imaginary, attachment
 *     /surface/NAME/...   counts, nodes, facets, points
 *     /residual/K/...     flexibility, mass, frequency, vectors, rotation, spread, coupling (where reach > 0)
 *
 * Matrices are lists, row by row. The reader trusts no count that the lists do not have. */
#include "flex/reduced.h"

#include "io/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kind[] = "reduced elastic body", format[] = "2";
enum { body_numbers = 8, patch_numbers = 6 };

/* ---- Writing. */

static int write_integers(slip_context *ctx, slip_h5 *file, const char *name, const int *values,
                          int64_t count)
{
    double *copy = slip_alloc(count, sizeof *copy);
    int status;
    if (!copy)
        return slip_fail_memory(ctx);
    for (int64_t i = 0; i < count; i++)
        copy[i] = values[i];
    status = slip_h5_write(file, name, copy, count);
    free(copy);
    return status;
}

/* A number of each mode, by its place in the struct. */
static int write_modes(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    int64_t n = b->mode_count;
    double *list = slip_alloc(5 * n, sizeof *list);
    static const char *const names[5] = {"modes/frequency", "modes/nodal_diameter", "modes/antisymmetric",
                                         "modes/rotation", "modes/spread"};
    int status = SLIP_OK;
    if (!list)
        return slip_fail_memory(ctx);
    for (int64_t k = 0; k < n; k++) {
        const slip_reduced_mode *m = &b->modes[k];
        const double row[5] = {m->frequency, m->nodal_diameter, m->antisymmetric, m->rotation, m->spread};
        for (int i = 0; i < 5; i++)
            list[i * n + k] = row[i];
    }
    for (int i = 0; i < 5; i++)
        SLIP_TRY(slip_h5_write(file, names[i], list + i * n, n));
    SLIP_TRY(slip_h5_write(file, "modes/coriolis", b->coriolis, n * n));
    SLIP_TRY(slip_h5_write(file, "modes/softening", b->softening, n * n));
done:
    free(list);
    return status;
}

static int write_shapes(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    int64_t size = 3 * (int64_t)b->shape_nodes, all = size * b->mode_count;
    int status;
    SLIP_TRY(slip_h5_write(file, "shape/points", b->points, size));
    SLIP_TRY(write_integers(ctx, file, "shape/elements", b->elements, 8 * (int64_t)b->element_count));
    if (b->halved) {
        double *middle = slip_alloc(b->shape_nodes, sizeof *middle);
        for (int i = 0; middle && i < b->shape_nodes; i++)
            middle[i] = b->middle[i];
        status = middle ? slip_h5_write_small(file, "shape/middle", middle, b->shape_nodes)
                        : slip_fail_memory(ctx);
        free(middle);
        if (status < 0)
            return status;
    }
    SLIP_TRY(slip_h5_write(file, "shape/real", b->real, all));
    if (b->imaginary)
        SLIP_TRY(slip_h5_write(file, "shape/imaginary", b->imaginary, all));
    if (b->attachment)
        SLIP_TRY(
            slip_h5_write(file, "shape/attachment", b->attachment, 3 * (int64_t)slip_reduced_node_count(b)));
done:
    return status;
}

static int write_patch(slip_context *ctx, slip_h5 *file, const slip_reduced_patch *p)
{
    char name[400];
    const double counts[patch_numbers] = {p->node_count, p->facet_count, p->along,
                                          p->across,     p->residual,    p->mirrored};
    int status;
    snprintf(name, sizeof name, "surface/%s/counts", p->name);
    SLIP_TRY(slip_h5_write(file, name, counts, patch_numbers));
    snprintf(name, sizeof name, "surface/%s/nodes", p->name);
    SLIP_TRY(write_integers(ctx, file, name, p->nodes, p->node_count));
    snprintf(name, sizeof name, "surface/%s/facets", p->name);
    SLIP_TRY(write_integers(ctx, file, name, p->facets, 4 * (int64_t)p->facet_count));
    snprintf(name, sizeof name, "surface/%s/points", p->name);
    SLIP_TRY(slip_h5_write(file, name, p->points, 3 * (int64_t)p->node_count));
done:
    return status;
}

/* The lists of a residual: square ones first. */
static const char *const rest_names[6] = {"flexibility", "mass",     "vectors",
                                          "frequency",   "rotation", "spread"};
static void rest_lists(slip_reduced_rest *r, double **lists[6])
{
    double **const all[6] = {&r->flexibility, &r->mass, &r->vectors, &r->frequency, &r->rotation, &r->spread};
    memcpy(lists, all, sizeof all);
}

static int write_rest(slip_h5 *file, int number, int reach, const slip_reduced_rest *rest)
{
    slip_reduced_rest copy = *rest;
    double **lists[6];
    char name[100];
    int status = SLIP_OK;
    rest_lists(&copy, lists);
    for (int i = 0; i < 6 && status >= 0; i++) {
        snprintf(name, sizeof name, "residual/%d/%s", number, rest_names[i]);
        status = slip_h5_write(file, name, *lists[i], (i < 3 ? (int64_t)rest->size : 1) * rest->size);
    }
    snprintf(name, sizeof name, "residual/%d/coupling", number);
    if (status >= 0 && reach > 0)
        status = slip_h5_write(file, name, rest->coupling, reach * (int64_t)rest->size * rest->size);
    return status;
}

static int write_all(slip_context *ctx, slip_h5 *file, const slip_reduced *b)
{
    const double body[body_numbers] = {b->mass,       b->moment,      b->sectors,       b->halved,
                                       b->mode_count, b->shape_nodes, b->element_count, b->reach};
    const char *const texts[6][2] = {{"kind", kind},         {"format", format},
                                     {"name", b->name},      {"program", slip_version()},
                                     {"mesh_hash", b->hash}, {"settings", b->settings}};
    int status;
    for (int i = 0; i < 6; i++)
        SLIP_TRY(slip_h5_write_text(file, "/", texts[i][0], texts[i][1]));
    SLIP_TRY(slip_h5_write(file, "body", body, body_numbers));
    SLIP_TRY(write_modes(ctx, file, b));
    SLIP_TRY(write_shapes(ctx, file, b));
    for (int k = 0; k < b->patch_count; k++)
        SLIP_TRY(write_patch(ctx, file, &b->patches[k]));
    for (int k = 0; k < b->rest_count; k++)
        SLIP_TRY(write_rest(file, k, b->reach, &b->rests[k]));
done:
    return status;
}

int slip_reduced_save(slip_context *ctx, const slip_reduced *body, const char *path)
{
    slip_h5 *file = NULL;
    int status = slip_h5_create(ctx, path, &file);
    if (status < 0)
        return status;
    status = write_all(ctx, file, body);
    if (status >= 0)
        return slip_h5_commit(file);
    slip_h5_close(file);
    return status;
}

/* ---- Reading. */

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

/* A list of exactly `count` numbers. */
static int read_list(slip_reduced_reader *r, const char *name, int64_t count, double *to)
{
    double *values = NULL;
    int64_t found = 0;
    char text[500];
    int status = slip_h5_read(r->file, name, &values, &found);
    if (status >= 0 && found != count) {
        snprintf(text, sizeof text, "%s has %lld numbers, expected %lld", name, (long long)found,
                 (long long)count);
        status = fail(r, text);
    }
    if (status >= 0)
        memcpy(to, values, sizeof *to * (size_t)count);
    free(values);
    return status;
}

/* The same, whole numbers from 0 (or -1) to below `bound`. */
static int read_integers(slip_reduced_reader *r, const char *name, int64_t count, double bound, int *to)
{
    double *values = slip_alloc(count, sizeof *values);
    int status = values ? read_list(r, name, count, values) : slip_fail_memory(r->ctx);
    for (int64_t i = 0; status >= 0 && i < count; i++) {
        if (!(values[i] >= -1 && values[i] < bound) || values[i] != floor(values[i]))
            status = fail(r, name);
        else
            to[i] = (int)values[i];
    }
    free(values);
    return status;
}

static int read_texts(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char *found = NULL, *version = NULL;
    int status;
    SLIP_TRY(slip_h5_read_text(r->file, "/", "kind", &b->arena, &found));
    SLIP_TRY(slip_h5_read_text(r->file, "/", "format", &b->arena, &version));
    if (!found || strcmp(found, kind) != 0)
        return fail(r, "it is no reduced body");
    if (!version || strcmp(version, format) != 0)
        return fail(r, "it was written by another version of this program; reduce the body again");
    SLIP_TRY(slip_h5_read_text(r->file, "/", "name", &b->arena, &b->name));
    SLIP_TRY(slip_h5_read_text(r->file, "/", "mesh_hash", &b->arena, &b->hash));
    SLIP_TRY(slip_h5_read_text(r->file, "/", "settings", &b->arena, &b->settings));
    if (!b->name || !b->hash || !b->settings)
        status = fail(r, "name, mesh_hash or settings is missing");
done:
    return status;
}

static int read_counts(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    double body[body_numbers];
    int status = read_list(r, "body", body_numbers, body);
    if (status < 0)
        return status;
    for (int i = 2; i < body_numbers; i++)
        if (!(body[i] >= 0 && body[i] < 1e9) || (i != 3 && i != 7 && body[i] < 1))
            return fail(r, "body: a count is out of range");
    b->mass = body[0];
    b->moment = body[1];
    b->sectors = (int)body[2];
    b->halved = body[3] != 0;
    b->mode_count = (int)body[4];
    b->shape_nodes = (int)body[5];
    b->element_count = (int)body[6];
    b->reach = (int)body[7];
    if (b->reach >= b->sectors)
        return fail(r, "body: a count is out of range");
    return SLIP_OK;
}

/* Lists are as long as the file's, so that a wrong count is found before anything large is allocated. */
static int check_sizes(slip_reduced_reader *r)
{
    const slip_reduced *b = r->body;
    double *list = NULL;
    int64_t found = 0;
    int status = slip_h5_read(r->file, "shape/points", &list, &found);
    free(list);
    if (status >= 0 && found != 3 * (int64_t)b->shape_nodes)
        return fail(r, "shape/points has another size than body says");
    if (status < 0)
        return status;
    status = slip_h5_read(r->file, "modes/frequency", &list, &found);
    free(list);
    if (status >= 0 && found != b->mode_count)
        return fail(r, "modes/frequency has another size than body says");
    return status;
}

static int read_modes(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    int64_t n = b->mode_count;
    double *list = slip_alloc(5 * n, sizeof *list);
    int status;
    if (!list)
        return slip_fail_memory(r->ctx);
    SLIP_TRY(read_list(r, "modes/frequency", n, list));
    SLIP_TRY(read_list(r, "modes/nodal_diameter", n, list + n));
    SLIP_TRY(read_list(r, "modes/antisymmetric", n, list + 2 * n));
    SLIP_TRY(read_list(r, "modes/rotation", n, list + 3 * n));
    SLIP_TRY(read_list(r, "modes/spread", n, list + 4 * n));
    for (int64_t k = 0; k < n; k++) {
        b->modes[k] = (slip_reduced_mode){.frequency = list[k],
                                          .nodal_diameter = (int)list[n + k],
                                          .antisymmetric = list[2 * n + k] != 0,
                                          .rotation = list[3 * n + k],
                                          .spread = list[4 * n + k]};
        if (!(list[k] > 0))
            status = fail(r, "a frequency is not positive");
    }
    if (status < 0)
        goto done;
    SLIP_TRY(read_list(r, "modes/coriolis", n * n, b->coriolis));
    SLIP_TRY(read_list(r, "modes/softening", n * n, b->softening));
done:
    free(list);
    return status;
}

static int read_attachment(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char **names;
    int count, status;
    int64_t size = 3 * (int64_t)slip_reduced_node_count(b);
    SLIP_TRY(slip_h5_list(r->file, "shape", &b->arena, &names, &count));
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], "attachment") == 0) {
            b->attachment = slip_arena_array(&b->arena, size, sizeof(double));
            if (!b->attachment)
                return slip_fail_memory(r->ctx);
            SLIP_TRY(read_list(r, "shape/attachment", size, b->attachment));
        }
done:
    return status;
}

static int read_shapes(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    int64_t size = 3 * (int64_t)b->shape_nodes, all = size * b->mode_count;
    int *middle = NULL, status;
    SLIP_TRY(read_list(r, "shape/points", size, b->points));
    SLIP_TRY(
        read_integers(r, "shape/elements", 8 * (int64_t)b->element_count, 2.0 * b->shape_nodes, b->elements));
    for (int64_t i = 0; i < 8 * (int64_t)b->element_count; i++)
        if (b->elements[i] < 0)
            return fail(r, "shape/elements: a node is negative");
    if (b->halved) {
        middle = slip_alloc(b->shape_nodes, sizeof *middle);
        if (!middle)
            return slip_fail_memory(r->ctx);
        SLIP_TRY(read_integers(r, "shape/middle", b->shape_nodes, 2, middle));
        for (int i = 0; i < b->shape_nodes; i++)
            b->middle[i] = middle[i] != 0;
    }
    SLIP_TRY(read_list(r, "shape/real", all, b->real));
    if (b->imaginary)
        SLIP_TRY(read_list(r, "shape/imaginary", all, b->imaginary));
    SLIP_TRY(read_attachment(r));
done:
    free(middle);
    return status;
}

static int read_patch(slip_reduced_reader *r, const char *name, slip_reduced_patch *p)
{
    double counts[patch_numbers];
    char path[500];
    int status;
    snprintf(path, sizeof path, "surface/%.300s/counts", name);
    SLIP_TRY(read_list(r, path, patch_numbers, counts));
    for (int i = 0; i < patch_numbers; i++)
        if (!(counts[i] >= -1 && counts[i] < 1e8))
            return fail(r, path);
    *p = (slip_reduced_patch){.name = slip_arena_string(&r->body->arena, name),
                              .node_count = (int)counts[0],
                              .facet_count = (int)counts[1],
                              .along = (int)counts[2],
                              .across = (int)counts[3],
                              .residual = (int)counts[4],
                              .mirrored = counts[5] != 0};
    if (!p->name)
        return slip_fail_memory(r->ctx);
    SLIP_TRY(slip_reduced_allocate_patch(r->ctx, r->body, p));
    double nodes = (r->body->halved ? 2.0 : 1.0) * r->body->shape_nodes;
    snprintf(path, sizeof path, "surface/%.300s/nodes", name);
    SLIP_TRY(read_integers(r, path, p->node_count, nodes, p->nodes));
    snprintf(path, sizeof path, "surface/%.300s/facets", name);
    SLIP_TRY(read_integers(r, path, 4 * (int64_t)p->facet_count, p->node_count, p->facets));
    snprintf(path, sizeof path, "surface/%.300s/points", name);
    SLIP_TRY(read_list(r, path, 3 * (int64_t)p->node_count, p->points));
    for (int i = 0; i < p->node_count; i++)
        if (p->nodes[i] < 0)
            return fail(r, "a node of a surface is negative");
done:
    return status;
}

static int read_rest(slip_reduced_reader *r, int number, int size, slip_reduced_rest *rest)
{
    double **lists[6];
    char name[100];
    rest->size = size;
    int status = slip_reduced_allocate_rest(r->ctx, r->body, rest);
    rest_lists(rest, lists);
    for (int i = 0; i < 6 && status >= 0; i++) {
        snprintf(name, sizeof name, "residual/%d/%s", number, rest_names[i]);
        status = read_list(r, name, (i < 3 ? (int64_t)size : 1) * size, *lists[i]);
    }
    snprintf(name, sizeof name, "residual/%d/coupling", number);
    if (status >= 0 && r->body->reach > 0)
        status = read_list(r, name, r->body->reach * (int64_t)size * size, rest->coupling);
    return status;
}

static int read_surfaces(slip_reduced_reader *r)
{
    slip_reduced *b = r->body;
    char **names, **numbers;
    int status;
    SLIP_TRY(slip_h5_list(r->file, "surface", &b->arena, &names, &b->patch_count));
    SLIP_TRY(slip_h5_list(r->file, "residual", &b->arena, &numbers, &b->rest_count));
    b->patches = slip_arena_array(&b->arena, b->patch_count, sizeof *b->patches);
    b->rests = slip_arena_array(&b->arena, b->rest_count, sizeof *b->rests);
    if (!b->patches || !b->rests)
        return slip_fail_memory(r->ctx);
    for (int k = 0; k < b->patch_count; k++) {
        slip_reduced_patch *p = &b->patches[k];
        SLIP_TRY(read_patch(r, names[k], p));
        if (b->rest_count == 0)
            continue;
        if (p->residual < 0 || p->residual >= b->rest_count)
            return fail(r, "a surface has a residual that is not there");
        if (b->rests[p->residual].size == 0)
            SLIP_TRY(read_rest(r, p->residual, 3 * p->node_count, &b->rests[p->residual]));
        if (b->rests[p->residual].size != 3 * p->node_count)
            return fail(r, "a surface has a residual of another size");
    }
    for (int k = 0; k < b->rest_count; k++)
        if (b->rests[k].size == 0)
            return fail(r, "a residual belongs to no surface");
done:
    return status;
}

int slip_reduced_load(slip_context *ctx, const char *path, slip_reduced **body)
{
    slip_reduced_reader r = {.ctx = ctx, .path = path};
    int status;
    *body = NULL;
    SLIP_TRY(slip_h5_open(ctx, path, &r.file));
    SLIP_TRY(slip_reduced_create(ctx, "", &r.body));
    SLIP_TRY(read_texts(&r));
    SLIP_TRY(read_counts(&r));
    SLIP_TRY(check_sizes(&r));
    SLIP_TRY(slip_reduced_allocate_modes(ctx, r.body));
    SLIP_TRY(read_modes(&r));
    SLIP_TRY(read_shapes(&r));
    SLIP_TRY(read_surfaces(&r));
    SLIP_TRY(slip_reduced_finish(ctx, r.body));
    *body = r.body;
    r.body = NULL;
done:
    slip_h5_close(r.file);
    slip_reduced_destroy(r.body);
    return status;
}
