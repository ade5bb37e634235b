/* VTU: unstructured grids for ParaView and VisIt, as XML with binary data appended. */
#ifndef SLIP_IO_VTU_H
#define SLIP_IO_VTU_H

#include "base/text.h"
#include "io/mesh/mesh.h"

typedef struct slip_vtu_field {
    const char *name;
    int components; /* 2 are written as 3, the last of them zero */
    const double *values;
    bool on_elements; /* else at nodes */
} slip_vtu_field;

/* One mesh of a file. All pieces of a file have the same fields. */
typedef struct slip_vtu_piece {
    const slip_mesh *mesh;
    const slip_vtu_field *fields;
    int field_count;
} slip_vtu_piece;

/* slip_vtu_read reads a file written by slip_vtu_write: all pieces as one mesh in space, and the wanted
 * fields at nodes, `components` numbers a node. */
typedef struct slip_vtu_wanted {
    const char *name;
    int components;
    double *values; /* freed by the caller; NULL if the file has no such field */
} slip_vtu_wanted;
int slip_vtu_read(slip_context *ctx, const char *path, slip_mesh **mesh, slip_vtu_wanted *wanted, int count);

int slip_vtu_write(slip_context *ctx, const char *path, const slip_vtu_piece *pieces, int piece_count);

/* A list of such files with their times (PVD), which ParaView opens as one: adds an entry, writes it. */
void slip_vtu_list_add(slip_text *list, double time, const char *file);
int slip_vtu_list_write(slip_context *ctx, const slip_text *list, const char *path);

#endif
