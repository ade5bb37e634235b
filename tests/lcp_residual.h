/* The judge of linear complementarity problems. */
#ifndef LCP_RESIDUAL_H
#define LCP_RESIDUAL_H

#include <math.h>

/* The largest |min(w_i, z_i)|: zero exactly at a solution. */
static inline double lcp_residual(int n, const double *matrix, const double *constant, const double *z)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = constant[i];
        for (int j = 0; j < n; j++)
            w += matrix[i * n + j] * z[j];
        worst = fmax(worst, fabs(fmin(w, z[i])));
    }
    return worst;
}

#endif
