/* The plane mesh of one pitch of a gear: a tooth and the space after it, in quadrilaterals.
 *
 * Two blocks. The rim, `rim` rows from the bore (row 0) up to the root, `thickness + root` columns by
 * ascending angle: the first `thickness` below the tooth, the others below the space; the column after the
 * last one is the first of the next pitch. The tooth, rows from the rim's last one (row 0) to the tip,
 * `thickness + 1` columns of nodes. The middle of the tooth is on the x axis and the mesh is its own mirror
 * image there.
 *
 * Where the outline of the space ends and the side of the tooth begins, half way up the fillet, three
 * elements meet. Nodes inside are moved to the least value of the sum over all corners of |T|^2 / (2 det T),
 * where T is the corner's Jacobian relative to a rectangle of the element's first size: 1 for that rectangle,
 * infinite where an element folds. The first mesh has no folded element (its rows are arcs and the radius of
 * the outline increases), and an infinite measure keeps elements from folding. (Knupp's target matrices;
 * shape measure.) */
#ifndef SLIP_GEAR_GEOMETRY_SECTION_H
#define SLIP_GEAR_GEOMETRY_SECTION_H

#include "base/memory.h"
#include "gear/geometry/profile.h"

typedef struct slip_section {
    slip_arena arena;
    slip_gear_mesh_options counts;
    int teeth;
    int tooth_rows; /* fillet, flank, and one for a chamfer */
    int columns;    /* thickness + root */
    int node_count, quad_count;
    double *points; /* x, y of each node */
    /* Four corners of each quad, counterclockwise; those of the next pitch are node_count higher. */
    int *quads;
} slip_section;

/* The plane mesh of one pitch of a gear. */
int slip_section_create(slip_context *ctx, const slip_gear_options *options, slip_section **section);
void slip_section_destroy(slip_section *section);
SLIP_OWNED(slip_section, slip_section_destroy)

/* Nodes by row and column. column = columns is the next pitch. */
static inline int slip_section_rim(const slip_section *s, int row, int column)
{
    return column < s->columns ? row * s->columns + column : s->node_count + row * s->columns;
}
static inline int slip_section_tooth(const slip_section *s, int row, int column)
{
    if (row == 0)
        return slip_section_rim(s, s->counts.rim, column);
    return (s->counts.rim + 1) * s->columns + (row - 1) * (s->counts.thickness + 1) + column;
}

/* Row k of the flank, 0 to counts.flank. */
static inline int slip_section_flank_row(const slip_section *s, int k)
{
    return s->counts.fillet + k;
}

/* The smallest Jacobian of any corner relative to its two edges: the sine of the sharpest corner. */
double slip_section_quality(const slip_section *section);

#endif
