/* The mesh of a whole gear: the section of one pitch, turned from tooth to tooth and swept along the axis.
 *
 * Node (pitch p, node k of the section, layer l) has the number (p n + k) (L + 1) + l, n nodes a section, L
 * layers; the axis is z, the mid-plane z = 0. Its place is the section's, turned by 2 pi p / teeth: the mesh
 * is cyclic, and its own mirror image at the mid-plane.
 *
 * Sets of nodes: "bore"; "front" and "back", the sides at the lower and the upper end of z; for each tooth k
 * from 1 "toothK_right" and "toothK_left", the flanks at the lower and the higher angle: counts.flank + 1
 * nodes from foot to tip, for each layer in turn (an ordered grid). */
#ifndef SLIP_GEAR_GEOMETRY_GEAR_MESH_H
#define SLIP_GEAR_GEOMETRY_GEAR_MESH_H

#include "flex/sector.h"
#include "gear/geometry/section.h"
#include "io/mesh/mesh.h"

typedef struct slip_gear_mesh {
    slip_section *section;
    slip_mesh *mesh;
    int sector_nodes; /* of one pitch */
    int sector_elements;
} slip_gear_mesh;

/* The name of a flank's set: flank 2 k is the right one of tooth k (from 0), flank 2 k + 1 the left one. */
enum { slip_gear_flank_name_size = 40 };
void slip_gear_flank_name(int flank, char name[slip_gear_flank_name_size]);

/* The mesh of the whole gear with its sets. */
int slip_gear_mesh_create(slip_context *ctx, const slip_gear_options *options, slip_gear_mesh **mesh);
void slip_gear_mesh_destroy(slip_gear_mesh *mesh);
SLIP_OWNED(slip_gear_mesh, slip_gear_mesh_destroy)

/* One sector of the mesh, for slip_sector_create: the half below the mid-plane where the number of layers is
 * even, else the whole. Node (node k of the section, layer l) has the number k (layers of it + 1) + l. */
typedef struct slip_gear_sector {
    slip_arena arena;
    slip_sector_mesh mesh;
    int layers;
} slip_gear_sector;

int slip_gear_sector_create(slip_context *ctx, const slip_gear_mesh *gear, slip_gear_sector **sector);
void slip_gear_sector_destroy(slip_gear_sector *sector);
SLIP_OWNED(slip_gear_sector, slip_gear_sector_destroy)

static inline int slip_gear_node(const slip_gear_mesh *gear, int pitch, int section_node, int layer)
{
    const slip_section *s = gear->section;
    pitch = (pitch + section_node / s->node_count) % s->teeth;
    return (pitch * s->node_count + section_node % s->node_count) * (s->counts.width + 1) + layer;
}

#endif
