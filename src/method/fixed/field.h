/* Whole bodies in a fixed step: data and functions that implicit.c and lumped.c share. */
#ifndef SLIP_METHOD_FIXED_FIELD_H
#define SLIP_METHOD_FIXED_FIELD_H

#include "method/fixed/fixed.h"
#include "system/field.h"

struct slip_fixed_part;

struct slip_fixed_field {
    double *force, *product; /* of the size of the field (like all arrays but `moments`): loads; scratch */
    double *moments[SLIP_FIXED_MOMENTS]; /* of each direction */
    double largest[2];                   /* |q| and |v| of the state that was reached */
    double factored;                     /* step */
    double *right, *y;
    /* For implicit steps: K q and K v of the present state, and K v of the previous one. They start the next
     * step and give the work of damping, with one product by K. */
    double *stiff_q, *stiff_v, *stiff_v0;
    struct slip_fixed_part *parts; /* of each body */
    int count;
    double *sums;  /* one number for each row of a body */
    double *still; /* velocities of directions without impulses and without rotation of bodies */
    bool turns;
    /* For central differences: the inverse of the diagonal matrix of a step, and S of dashpots (lumped.c);
     * else NULL. */
    double *inverse, *drag;
};

/* Allocates the arrays that both kinds of steps need. */
int slip_fixed_field_make(slip_fixed *fixed);
/* Begins a step: all entries of `moments` become the velocities at its start. */
void slip_fixed_field_start(slip_fixed *fixed);
/* Computes `largest` for the present state. */
void slip_fixed_field_measure(slip_fixed *fixed);

#endif
