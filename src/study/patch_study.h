/* A contact area looked at from all sides: what is printed, drawn and written of it. */
#ifndef SLIP_STUDY_PATCH_STUDY_H
#define SLIP_STUDY_PATCH_STUDY_H

#include "law/patch.h"
#include "result/figure.h"
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
    const slip_patch *patch;
    slip_patch rigid;  /* the same, not smoothed: its surface in space is that of its directions */
    slip_patch direct; /* the integral model of the same area */
    slip_patch_approximation approximations[slip_patch_approximations_max];
    int count;
    bool own; /* the first of them is the patch's own */
} slip_patch_view;

/* Draws the three pictures and writes the data as CSV files. */
int slip_patch_view_draw(const slip_patch_view *view, const slip_patch_study_options *options);

#endif
