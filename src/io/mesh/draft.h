/* A mesh under construction: nodes, elements and sets in the order and numbering of the file;
 * slip_draft_finish converts it to a slip_mesh. */
#ifndef SLIP_IO_MESH_DRAFT_H
#define SLIP_IO_MESH_DRAFT_H

#include "io/mesh/mesh.h"
#include "io/scan.h"

enum { slip_draft_count_max = 100000000 }; /* of nodes, and of elements */

typedef struct slip_draft_element {
    const slip_cell *cell;
    int nodes[slip_cell_nodes_max]; /* of the draft */
} slip_draft_element;

typedef struct slip_draft_set {
    char *name;
    slip_set_kind kind;
    int *items; /* of the draft */
    int64_t count, capacity;
} slip_draft_set;

typedef struct slip_draft {
    double *points; /* x, y, z */
    int64_t node_count, node_capacity;
    slip_tags node_tags;
    slip_draft_element *elements; /* of every dimension */
    int64_t element_count, element_capacity;
    slip_tags element_tags;
    slip_draft_set *sets;
    int64_t set_count, set_capacity;
} slip_draft;

void slip_draft_free(slip_draft *draft);

/* Add a node or an element; a repeated tag is an error. */
int slip_draft_add_node(slip_scan *scan, slip_draft *draft, int64_t tag, const double point[3]);
int slip_draft_add_element(slip_scan *scan, slip_draft *draft, int64_t tag, const slip_cell *cell,
                           const int64_t *node_tags);

/* The set of that name (capital and small letters are the same where `fold`), made where there is none; NULL
 * when out of memory. Valid until the next call. */
slip_draft_set *slip_draft_set_get(slip_draft *draft, const char *name, slip_set_kind kind, bool fold);
slip_draft_set *slip_draft_set_find(const slip_draft *draft, const char *name, slip_set_kind kind, bool fold);
bool slip_draft_set_append(slip_draft_set *set, int item);

/* The mesh: elements of the highest dimension, the nodes that they use, and the sets. A set of elements of a
 * lower dimension becomes a set of nodes and, where they are faces, a set of faces. */
int slip_draft_finish(slip_context *ctx, const char *file, const slip_draft *draft, slip_mesh **mesh);

#endif
