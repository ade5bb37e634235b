/* Pictures of elastic bodies: deformed, coloured by stress, with the contact forces. */
#ifndef SLIP_FIGURE_PLOT_BODIES_H
#define SLIP_FIGURE_PLOT_BODIES_H

#include "fem/plane/plane.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

typedef struct slip_bodies_options {
    const char *name;       /* of the picture files, without ending; NULL: "bodies" */
    const char *title;      /* NULL: none */
    const slip_mode *modes; /* of each contact point, to mark it; NULL: no marks */
    bool shape;             /* an eigenmode, whose amplitude has no meaning */
} slip_bodies_options;

/* Draws the picture into the folder as `plot` says. `u` are the displacements of all nodes, `lambda` the
 * contact forces (NULL: none). */
int slip_bodies_draw(slip_context *ctx, const slip_plane *plane, const double *u, const double *lambda,
                     const slip_bodies_options *options, const char *folder, const slip_plot_options *plot);

#endif
