/* Combinations of attachment vectors with unit mass. */
#ifndef SLIP_FLEX_ATTACHMENT_H
#define SLIP_FLEX_ATTACHMENT_H

/* G z = omega^2 M z for vectors with the stiffness G and the mass M, solved as M z = omega^-2 G z: G is the
 * better conditioned of the two. Z^T M Z = 1; the columns of Z one after the other, square = omega^2
 * ascending. G is overwritten; scratch: size numbers. Returns what is wrong, NULL where nothing is. */
const char *slip_attachment_orthonormalise(int size, const double *mass, double *flexibility, double *vectors,
                                           double *square, double *scratch);

/* Only those with omega^2 up to `highest`, of which there are *count. scratch: size^2 + size numbers;
 * vectors: room for all. */
const char *slip_attachment_lowest(int size, const double *mass, double *flexibility, double highest,
                                   double *vectors, double *square, int *count, double *scratch);

#endif
