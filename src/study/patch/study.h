/* Properties of a contact area: computed, printed, stored and drawn. */
#ifndef SLIP_STUDY_PATCH_STUDY_H
#define SLIP_STUDY_PATCH_STUDY_H

#include "figure/album.h"
#include "patch/patch.h"
#include "result/result.h"
#include "slipstick/run.h"

/* The best approximation of each order, and the patch's own where it has one. */
typedef struct slip_patch_approximation {
    char label[40];
    slip_pade pade;
    double rms, force, moment; /* errors: root mean square, largest ones of force and moment/size */
} slip_patch_approximation;

enum { slip_patch_orders = 4, slip_patch_approximations_max = slip_patch_orders + 1 };

typedef struct slip_patch_view {
    slip_context *ctx;
    const char *name;
    const slip_patch *patch;
    slip_patch rigid;  /* the same, not smoothed: its surface in space is that of its directions */
    slip_patch direct; /* the integral model of the same area */
    slip_patch_approximation approximations[slip_patch_approximations_max];
    int count;
    bool own; /* the first of them is the patch's own */
} slip_patch_view;

/* Directions at which friction is sampled: thetas of each phi; and those of the limit surface. */
enum { slip_patch_angles = 181, slip_patch_rows = 49, slip_patch_columns = 73 };

/* A table NAME-WHAT of the result, with a CSV file of that name. NULL when out of memory. */
slip_table *slip_patch_view_table(const slip_patch_view *view, slip_result *result, const char *what);

/* Draws the three pictures of each area of the result (study/view). */
int slip_patch_draw(slip_album *album);

#endif
