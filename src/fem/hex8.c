/* The eight-node brick. The theory is in the header. */
#include "fem/hex8.h"

#include "fem/blocks.h"

#include <string.h>

enum { nodes = 8, inner = 3, functions = nodes + inner };

static const double corners[nodes][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

slip_hex8_material slip_hex8_material_make(double young, double poisson, bool incompatible)
{
    return (slip_hex8_material){.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                                .mu = young / (2 * (1 + poisson)),
                                .incompatible = incompatible};
}

static void shape(const double at[3], double value[8], double slope[24])
{
    for (int a = 0; a < nodes; a++) {
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = 1 + corners[a][k] * at[k];
        value[a] = f[0] * f[1] * f[2] / 8;
        slope[3 * a] = corners[a][0] * f[1] * f[2] / 8;
        slope[3 * a + 1] = corners[a][1] * f[0] * f[2] / 8;
        slope[3 * a + 2] = corners[a][2] * f[0] * f[1] / 8;
    }
}

/* inverse[3 i + k] = d xi_i / d x_k; returns the determinant of the Jacobian. */
static double invert_jacobian(const double points[24], const double reference_slope[24], double inverse[9])
{
    double j[9] = {0}; /* d x_k / d xi_i at [3 i + k] */
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                j[3 * i + k] += reference_slope[3 * a + i] * points[3 * a + k];
    double c[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            c[3 * i + k] = j[3 * i1 + k1] * j[3 * i2 + k2] - j[3 * i1 + k2] * j[3 * i2 + k1];
        }
    double det = j[0] * c[0] + j[1] * c[1] + j[2] * c[2];
    for (int i = 0; i < 9; i++)
        inverse[i] = c[i] / det;
    return det;
}

double slip_hex8_gradient(const double points[24], const double at[3], double value[8], double slope[24])
{
    double reference[24], inverse[9];
    shape(at, value, reference);
    double det = invert_jacobian(points, reference, inverse);
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < 3; k++)
            slope[3 * a + k] = reference[3 * a] * inverse[k] + reference[3 * a + 1] * inverse[3 + k] +
                               reference[3 * a + 2] * inverse[6 + k];
    return det;
}

/* Number k of the eight Gauss points. */
static void gauss_point(int k, double at[3])
{
    static const double place = 0.57735026918962576451;
    for (int i = 0; i < 3; i++)
        at[i] = corners[k][i] * place;
}

/* Slopes of all functions, those of the incompatible modes behind the nodes'; returns det J, which is the
 * volume that a Gauss point stands for. */
static double all_slopes(const double points[24], const double centre[9], double centre_det,
                         const double at[3], double slope[3 * functions])
{
    double value[8];
    double det = slip_hex8_gradient(points, at, value, slope);
    for (int i = 0; i < inner; i++)
        for (int k = 0; k < 3; k++)
            slope[3 * (nodes + i) + k] = -2 * at[i] * centre[3 * i + k] * centre_det / det;
    return det;
}

/* The stiffness of all functions, lower triangle of blocks. */
static void full_stiffness(const slip_hex8_material *m, const double points[24], int count, double *matrix)
{
    double value[8], reference[24], centre[9], slope[3 * functions], at[3] = {0};
    shape(at, value, reference);
    double det = invert_jacobian(points, reference, centre);
    memset(matrix, 0, sizeof(double) * (size_t)(9 * count * count));
    for (int k = 0; k < 8; k++) {
        gauss_point(k, at);
        double volume = all_slopes(points, centre, det, at, slope);
        slip_add_blocks(3, count, slope, m->lambda * volume, m->mu * volume, matrix);
    }
}

/* Eliminates the last unknown of the lower triangle of a matrix, one after the other, down to 24. Leaves the
 * pivots' rows in place, from which the eliminated unknowns can be recovered. */
static void eliminate_inner(double matrix[33 * 33])
{
    enum { size = 3 * functions };
    for (int p = size - 1; p >= 3 * nodes; p--) {
        const double *row = matrix + p * size;
        for (int i = 0; i < p; i++) {
            double factor = row[i] / row[p];
            double *target = matrix + i * size;
            for (int k = 0; k <= i; k++)
                target[k] -= factor * row[k];
        }
    }
}

void slip_hex8_stiffness(const slip_hex8_material *material, const double points[24], double matrix[576])
{
    enum { outer = 3 * nodes };
    double work[9 * functions * functions];
    int count = material->incompatible ? functions : nodes, size = 3 * count;
    full_stiffness(material, points, count, work);
    if (material->incompatible)
        eliminate_inner(work);
    for (int i = 0; i < outer; i++)
        for (int k = 0; k <= i; k++)
            matrix[i * outer + k] = matrix[k * outer + i] = work[i * size + k];
}

/* The displacements of the incompatible modes that go with those of the nodes. */
static void recover_inner(const slip_hex8_material *material, const double points[24],
                          double all[3 * functions])
{
    enum { size = 3 * functions };
    double work[size * size];
    full_stiffness(material, points, functions, work);
    eliminate_inner(work);
    for (int p = 3 * nodes; p < size; p++) {
        double sum = 0;
        for (int k = 0; k < p; k++)
            sum += work[p * size + k] * all[k];
        all[p] = -sum / work[p * size + p];
    }
}

void slip_hex8_stress(const slip_hex8_material *m, const double points[24], const double displacement[24],
                      double stress[48])
{
    double all[3 * functions] = {0}, value[8], reference[24], centre[9], at[3] = {0};
    memcpy(all, displacement, 24 * sizeof *all);
    shape(at, value, reference);
    double det = invert_jacobian(points, reference, centre);
    if (m->incompatible)
        recover_inner(m, points, all);
    for (int g = 0; g < 8; g++) {
        double slope[3 * functions], d[9] = {0}; /* d u_i / d x_k */
        gauss_point(g, at);
        all_slopes(points, centre, det, at, slope);
        for (int a = 0; a < functions; a++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    d[3 * i + k] += all[3 * a + i] * slope[3 * a + k];
        double trace = m->lambda * (d[0] + d[4] + d[8]), *s = stress + 6 * g;
        for (int i = 0; i < 3; i++) {
            s[i] = trace + 2 * m->mu * d[4 * i];
            s[3 + i] = m->mu * (d[3 * i + (i + 1) % 3] + d[3 * ((i + 1) % 3) + i]);
        }
    }
}
