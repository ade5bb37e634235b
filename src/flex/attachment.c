/* Combinations of attachment vectors with unit mass. */
#include "flex/attachment.h"

#include "math/dense.h"

#include <math.h>
#include <stdint.h>

/* To unit mass, from vectors that are orthonormal in G with values -1/omega^2. */
static const char *scale(int size, int count, const double *values, double *vectors, double *square)
{
    for (int64_t k = 0; k < count; k++) {
        double ratio = -values[k];
        if (!(ratio > 0))
            return "an attachment vector has no mass";
        square[k] = 1 / ratio;
        for (int64_t i = 0; i < size; i++)
            vectors[k * size + i] /= sqrt(ratio);
    }
    return 0;
}

const char *slip_attachment_orthonormalise(int size, const double *mass, double *flexibility, double *vectors,
                                           double *square, double *scratch)
{
    for (int64_t i = 0, count = (int64_t)size * size; i < count; i++)
        vectors[i] = -mass[i]; /* so that the frequencies are ascending */
    if (!slip_dense_eigenvectors_pair(size, vectors, flexibility, scratch))
        return "the residual flexibility is not positive definite";
    return scale(size, size, scratch, vectors, square);
}

const char *slip_attachment_lowest(int size, const double *mass, double *flexibility, double highest,
                                   double *vectors, double *square, int *count, double *scratch)
{
    for (int64_t i = 0, all = (int64_t)size * size; i < all; i++)
        scratch[i] = -mass[i];
    if (!slip_dense_eigenvectors_pair_below(size, scratch, flexibility, -1 / highest, square, vectors, count,
                                            (int *)(scratch + (int64_t)size * size)))
        return "the residual flexibility is not positive definite";
    return scale(size, *count, square, vectors, square);
}
