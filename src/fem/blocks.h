/* The stiffness of an isotropic element by blocks of its nodes: for functions a, b with slopes g,
 *
 *     K_ab = sum over Gauss points of volume (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I),
 *
 * which is B^T D B without its zeros. In the plane lambda is the entry xx, yy of D. */
#ifndef SLIP_FEM_BLOCKS_H
#define SLIP_FEM_BLOCKS_H

/* Adds a Gauss point's part to the d x d blocks on and below the diagonal; `matrix` has d count rows. lambda
 * and mu are times the volume. */
static inline void slip_add_blocks(int d, int count, const double *slope, double lambda, double mu,
                                   double *matrix)
{
    const int size = d * count;
    for (int a = 0; a < count; a++) {
        const double *g = slope + d * a;
        for (int b = 0; b <= a; b++) {
            const double *h = slope + d * b;
            double *block = matrix + d * a * size + d * b;
            const double dot = mu * (g[0] * h[0] + g[1] * h[1] + (d == 3 ? g[2] * h[2] : 0));
            for (int i = 0; i < d; i++) {
                for (int k = 0; k < d; k++)
                    block[i * size + k] += lambda * g[i] * h[k] + mu * h[i] * g[k];
                block[i * size + i] += dot;
            }
        }
    }
}

#endif
