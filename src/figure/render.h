/* Pictures of meshes in space: outer faces, drawn with a depth buffer. Colours show a number at the nodes;
 * light comes from the viewer's upper left. Lines are the edges of elements, all of one strength, which is
 * less where elements are small. */
#ifndef SLIP_FIGURE_RENDER_H
#define SLIP_FIGURE_RENDER_H

#include "io/mesh/mesh.h"

typedef struct slip_view {
    double toward[3]; /* direction to the viewer */
    double up[3];     /* upwards in the picture, not along `toward` */
    double centre[3]; /* of the picture */
    double height;    /* what the picture shows, in units of the mesh */
} slip_view;

/* Outer faces of a mesh: four nodes each, counter-clockwise from outside; to be freed. */
int slip_mesh_skin(slip_context *ctx, const slip_mesh *mesh, int **faces, int *count);

/* Draws faces (four nodes each) into pixels of three bytes, from the top. `places` are three numbers a node;
 * `value` one from 0 to 1, or NULL: plain metal. */
int slip_render(slip_context *ctx, const int *faces, int face_count, const double *places,
                const double *value, const slip_view *view, int width, int height, unsigned char *pixels);

/* The colours of values from 0 to 1. */
void slip_render_colour(double value, double rgb[3]);

#endif
