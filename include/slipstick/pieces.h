/* Slipstick: linear elastic bodies, element by element: for programs that put their matrices together piece
 * by piece, on many machines (the folder parallel/ is one).
 *
 * K u = f, K x = omega^2 M x over the unknowns, the displacements without supports. */
#ifndef SLIPSTICK_PIECES_H
#define SLIPSTICK_PIECES_H

#include "slipstick/model.h"

SLIP_BEGIN_C

typedef struct slip_pieces slip_pieces;

/* The body of one gear of the model, held at its bore, by the name of the gear; or, where `gear` is NULL, all
 * bodies of the section `bodies`, which may be made of elements only. Contacts take no part. The model
 * outlives the pieces, which the caller ends by slip_pieces_destroy. */
SLIP_API int slip_pieces_create(slip_context *ctx, const slip_model *model, const char *gear,
                                slip_pieces **pieces);
/* NULL is fine. */
SLIP_API void slip_pieces_destroy(slip_pieces *pieces);

typedef struct slip_pieces_counts {
    int dimension; /* 2 or 3: displacements of a node */
    int64_t nodes, elements, unknowns;
} slip_pieces_counts;
/* Of NULL: zeros. */
SLIP_API slip_pieces_counts slip_pieces_size(const slip_pieces *pieces);

/* The unknown of a node's displacement along a direction, from 0; -1 where that is held. Unknowns of nodes
 * with higher numbers are higher. */
SLIP_API int64_t slip_pieces_unknown(const slip_pieces *pieces, int64_t node, int direction);
/* Where a node is at rest: fills in `dimension` numbers, in the unit of the mesh. */
SLIP_API void slip_pieces_place(const slip_pieces *pieces, int64_t node, double *place);

/* How many nodes an element has, and which. `stiffness` is of size dimension times that, direction after
 * direction of each node; `mass`, of size that, is the same for each direction, which it does not couple.
 * Both are symmetric, row by row, and may be NULL. Threads may call it at the same time. */
enum { slip_pieces_nodes_max = 20 };
SLIP_API int slip_pieces_element(const slip_pieces *pieces, int64_t element,
                                 int64_t nodes[slip_pieces_nodes_max], double *stiffness, double *mass);

/* The forces of the loads of the bodies: fills in a number for each unknown. Fails where a load changes with
 * time. */
SLIP_API int slip_pieces_force(slip_context *ctx, slip_pieces *pieces, double *force);

SLIP_END_C

#endif
