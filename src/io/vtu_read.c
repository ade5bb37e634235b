/* Reads the VTU files that slip_vtu_write writes: arrays in an XML part, their bytes appended. */
#include "io/vtu.h"

#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pieces_max = 64 };

/* Where a piece is in the file, and how large. */
typedef struct piece {
    const char *from, *to; /* its part of the XML */
    int nodes, elements;
    int first; /* of its nodes in the mesh */
} piece;

typedef struct reader {
    slip_context *ctx;
    const char *path;
    slip_text text;
    const char *bytes; /* the appended part */
    piece pieces[pieces_max];
    int count;
} reader;

static int fail(const reader *r, const char *what)
{
    return slip_fail(r->ctx, SLIP_ERROR_IO,
                     "cannot read %s: %s, expected a file as `slipstick export --format vtu` writes it",
                     r->path, what);
}

static int find_pieces(reader *r)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
    const char *end = r->text.data ? strstr(r->text.data, mark) : NULL;
    int64_t nodes = 0;
    if (!end || !strstr(r->text.data, "byte_order=\"LittleEndian\""))
        return fail(r, "there are no appended bytes of little-endian order");
    r->bytes = end + strlen(mark);
    for (const char *at = r->text.data; (at = strstr(at, "<Piece ")) && at < end; at++) {
        const char *to = strstr(at, "</Piece>");
        if (r->count == pieces_max || !to || to > end)
            return fail(r, "a piece does not end, or there are too many");
        piece *p = &r->pieces[r->count++];
        *p = (piece){.from = at, .to = to, .first = (int)nodes};
        if (sscanf(at, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\"", &p->nodes, &p->elements) != 2 ||
            p->nodes < 0 || p->elements < 0 || (nodes += p->nodes) > INT_MAX)
            return fail(r, "a piece does not say how large it is");
    }
    return r->count > 0 ? SLIP_OK : fail(r, "there are no pieces");
}

/* The bytes of an array of a piece: NULL where there is none, or where it is not `size` bytes long (0: any).
 */
static const char *find_array(const reader *r, const piece *p, const char *name, uint64_t size,
                              uint64_t *found)
{
    char mark[100];
    long long offset = -1;
    const char *at;
    snprintf(mark, sizeof mark, "Name=\"%.60s\" ", name);
    for (at = p->from; (at = strstr(at, mark)) && at < p->to; at++) {
        const char *place = strstr(at, "offset=\"");
        if (place && place < p->to)
            offset = strtoll(place + 8, NULL, 10);
        break;
    }
    const int64_t room = (int64_t)r->text.length - (r->bytes - r->text.data) - (int64_t)sizeof size;
    if (offset < 0 || offset > room)
        return NULL;
    memcpy(found, r->bytes + offset, sizeof *found);
    if (*found > (uint64_t)(room - offset) || (size > 0 && *found != size))
        return NULL;
    return r->bytes + offset + sizeof *found;
}

/* Numbers at the nodes of all pieces; `to` NULL: only whether they are there, before memory is taken for
 * them. */
static int read_numbers(const reader *r, const char *name, int components, double *to)
{
    for (int k = 0; k < r->count; k++) {
        const piece *p = &r->pieces[k];
        const uint64_t size = (uint64_t)p->nodes * (uint64_t)components * sizeof(double);
        uint64_t found;
        const char *bytes = find_array(r, p, name, size, &found);
        if (!bytes || found != size)
            return fail(r, "an array is missing or of another length");
        if (to)
            memcpy(to + (int64_t)p->first * components, bytes, size);
    }
    return SLIP_OK;
}

static const slip_cell *find_cell(int vtk)
{
    for (int k = 0; slip_cells[k]; k++)
        if (slip_cells[k]->vtk == vtk)
            return slip_cells[k];
    return NULL;
}

/* Elements of one type that follow each other are a group. */
static int read_elements(const reader *r, const piece *p, slip_mesh *mesh)
{
    uint64_t size, length;
    const char *types = find_array(r, p, "types", (uint64_t)p->elements, &size),
               *nodes = find_array(r, p, "connectivity", 0, &length);
    int64_t at = 0;
    if (!types || !nodes)
        return fail(r, "a piece has no elements");
    for (int e = 0; e < p->elements;) {
        const slip_cell *cell = find_cell((unsigned char)types[e]);
        int count = 0, *to, status;
        while (e + count < p->elements && types[e + count] == types[e])
            count++;
        if (!cell || (uint64_t)(at + (int64_t)count * cell->node_count) * sizeof(int32_t) > length)
            return fail(r, "an element is of an unknown type or has no nodes");
        if ((status = slip_mesh_add_group(r->ctx, mesh, cell, count, &to)) < 0)
            return status;
        for (int64_t i = 0; i < (int64_t)count * cell->node_count; i++, at++) {
            int32_t node;
            memcpy(&node, nodes + at * (int64_t)sizeof node, sizeof node);
            if (node < 0 || node >= p->nodes)
                return fail(r, "an element has a node that is not there");
            to[i] = p->first + node;
        }
        e += count;
    }
    return SLIP_OK;
}

static bool has_field(const reader *r, const char *name)
{
    uint64_t found;
    return find_array(r, &r->pieces[0], name, 0, &found) != NULL;
}

int slip_vtu_read(slip_context *ctx, const char *path, slip_mesh **mesh, slip_vtu_wanted *wanted, int count)
{
    reader r = {.ctx = ctx, .path = path};
    int status;
    *mesh = NULL;
    for (int k = 0; k < count; k++)
        wanted[k].values = NULL;
    SLIP_TRY(slip_file_read(ctx, path, SIZE_MAX / 2, &r.text));
    SLIP_TRY(find_pieces(&r));
    SLIP_TRY(read_numbers(&r, "Points", 3, NULL));
    const piece *last = &r.pieces[r.count - 1];
    const int nodes = last->first + last->nodes;
    SLIP_TRY(slip_mesh_create(ctx, 3, nodes, mesh));
    SLIP_TRY(read_numbers(&r, "Points", 3, (*mesh)->points));
    for (int k = 0; k < r.count; k++)
        SLIP_TRY(read_elements(&r, &r.pieces[k], *mesh));
    for (int k = 0; k < count; k++)
        if (has_field(&r, wanted[k].name)) {
            wanted[k].values = slip_alloc((int64_t)nodes * wanted[k].components, sizeof(double));
            SLIP_TRY(slip_allocated(ctx, wanted[k].values));
            SLIP_TRY(read_numbers(&r, wanted[k].name, wanted[k].components, wanted[k].values));
        }
done:
    slip_text_free(&r.text);
    if (status < 0) {
        slip_mesh_destroy(*mesh);
        *mesh = NULL;
        for (int k = 0; k < count; k++) {
            free(wanted[k].values);
            wanted[k].values = NULL;
        }
    }
    return status;
}
