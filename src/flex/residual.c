/* Residual vectors with unit mass. */
#include "flex/residual.h"

#include "math/dense.h"

#include <math.h>
#include <stdint.h>

const char *slip_residual_orthonormalise(int size, const double *mass, double *flexibility, double *vectors,
                                         double *square, double *scratch)
{
    for (int64_t i = 0, count = (int64_t)size * size; i < count; i++)
        vectors[i] = -mass[i]; /* so that the frequencies are ascending */
    if (!slip_dense_eigenvectors_pair(size, vectors, flexibility, scratch))
        return "the residual flexibility is not positive definite";
    for (int64_t k = 0; k < size; k++) {
        double ratio = -scratch[k]; /* 1/omega^2; vectors are orthonormal in G */
        if (!(ratio > 0))
            return "a residual vector has no mass";
        square[k] = 1 / ratio;
        for (int64_t i = 0; i < size; i++)
            vectors[k * size + i] /= sqrt(ratio);
    }
    return 0;
}
