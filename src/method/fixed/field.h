/* Whole bodies in a fixed step: what implicit.c and lumped.c share. */
#ifndef SLIP_METHOD_FIXED_FIELD_H
#define SLIP_METHOD_FIXED_FIELD_H

#include "method/fixed/fixed.h"
#include "system/field.h"

struct slip_fixed_part;

struct slip_fixed_field {
    double *force, *product;             /* as large as the field, as all but the moments: loads; scratch */
    double *moments[SLIP_FIXED_MOMENTS]; /* of each direction */
    double largest[2];                   /* |q| and |v| of the state that was reached */
    double factored;                     /* step */
    double *right, *y;
    /* Implicitly: K q and K v of the state that was reached, and K v of the one before: what the next step
     * begins with and what damping took, for one reading of K. */
    double *stiff_q, *stiff_v, *stiff_v0;
    struct slip_fixed_part *parts; /* of each body */
    int count;
    double *sums;  /* of the rows of a body */
    double *still; /* velocities of directions without impulses and turns */
    bool turns;
    /* By central differences: what divides impulses, and S of dashpots (lumped.c); NULL without. */
    double *inverse, *drag;
};

/* Makes what all have. */
int slip_fixed_field_make(slip_fixed *fixed);
/* The step begins: all moments are those of its start. */
void slip_fixed_field_start(slip_fixed *fixed);
/* How large the state is that was reached. */
void slip_fixed_field_measure(slip_fixed *fixed);

#endif
