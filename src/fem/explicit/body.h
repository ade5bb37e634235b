/* Elastic forces at large strains of a body of bricks, whose displacements are in a field (system/field.h).
 */
#ifndef SLIP_FEM_EXPLICIT_BODY_H
#define SLIP_FEM_EXPLICIT_BODY_H

#include "fem/element.h"
#include "io/mesh/mesh.h"
#include "math/sparse.h"
#include "system/field.h"

typedef struct slip_brick_body {
    const char *name;
    const slip_mesh *mesh; /* bricks of eight nodes */
    const slip_elastic *elastic;
    double hourglass;           /* as in slip_explicit_body */
    const slip_sparse *springs; /* to the ground, over its components; NULL: none */
    int64_t *part;              /* the unknown of each component, or negative; owned */
} slip_brick_body;

/* Makes a copy of `from` with a copy of `part`; everything else that it points to must outlive the body. */
int slip_brick_body_create(slip_context *ctx, const slip_brick_body *from, slip_brick_body **body);
void slip_brick_body_destroy(slip_brick_body *body);

/* The elastic forces of such a body. */
extern const slip_field_elastic slip_brick_elastic;

#endif
