/* Combinations of attachment vectors with unit mass. */
#ifndef SLIP_FLEX_ATTACHMENT_H
#define SLIP_FLEX_ATTACHMENT_H

/* Solves the eigenvalue problem G z = omega^2 M z of attachment vectors with the stiffness G (`flexibility`)
 * and the mass M. It is solved as M z = omega^-2 G z, because G is better conditioned than M. vectors: the
 * columns of Z one after the other, Z^T M Z = 1; square: omega^2, ascending. G is overwritten; scratch: size
 * numbers. Returns NULL, or the text of an error. */
const char *slip_attachment_orthonormalise(int size, const double *mass, double *flexibility, double *vectors,
                                           double *square, double *scratch);

/* The same for the solutions with omega^2 up to `highest`, of which there are *count. scratch: size^2 + size
 * numbers; vectors: room for all. */
const char *slip_attachment_lowest(int size, const double *mass, double *flexibility, double highest,
                                   double *vectors, double *square, int *count, double *scratch);

#endif
