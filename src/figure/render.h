/* Pictures of meshes in space: outer faces, drawn with a depth buffer. Colours show a number at the nodes;
 * light comes from the viewer's upper left. Lines are the edges of elements, all drawn with the same
 * intensity, which is lower if elements are small. */
#ifndef SLIP_FIGURE_RENDER_H
#define SLIP_FIGURE_RENDER_H

#include "figure/album.h"
#include "io/mesh/mesh.h"

typedef struct slip_camera {
    double toward[3]; /* direction to the viewer */
    double up[3];     /* upwards in the picture, not along `toward` */
    double centre[3]; /* of the picture */
    double height;    /* what the picture shows, in units of the mesh */
} slip_camera;

/* Outer faces of a mesh: four nodes each, counter-clockwise from outside; to be freed. */
int slip_mesh_skin(slip_context *ctx, const slip_mesh *mesh, int **faces, int *count);

/* Right, up and towards the viewer, as unit vectors. */
void slip_camera_axes(const slip_camera *view, double axis[3][3]);

/* A mesh to draw: faces of four nodes each; position of each node, three numbers; value of each node from 0
 * to 1 for its colour, or NULL: plain metal. */
typedef struct slip_drawn {
    const int *faces;
    int face_count;
    const double *places, *value;
} slip_drawn;

/* Adds a square panel of `size` pixels with this mesh to the album's last figure. */
int slip_render(slip_album *album, const char *title, int size, const slip_drawn *drawn,
                const slip_camera *view);

#endif
