/* Roots and minima of functions of one variable. */
#ifndef SLIP_ODE_ROOT_H
#define SLIP_ODE_ROOT_H

typedef double (*slip_scalar_function)(void *user, double x);

/* The root between a and b, where f(a) = fa and f(b) = fb have different signs (or are zero): bracketing,
 * never leaves the interval, ends when the bracket is narrower than rounding allows. Of the two ends of the
 * last bracket it returns the one with the smaller |f|. Chandrupatla's method. */
double slip_root_bracketed(slip_scalar_function f, void *user, double a, double fa, double b, double fb);

/* The same, but returns the end of the last bracket at which f has the sign of fb: the far side of a jump, or
 * of the root. */
double slip_root_far(slip_scalar_function f, void *user, double a, double fa, double b, double fb);

/* A point between a and b where f is smallest, for a function with one minimum there; to about sqrt(rounding)
 * in x. Golden section. *value gets f there. */
double slip_minimum_bracketed(slip_scalar_function f, void *user, double a, double b, double *value);

#endif
