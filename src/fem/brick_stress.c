/* Stress of bricks. The formulas are in the header. */
#include "fem/brick_stress.h"

#include "fem/hex8.h"

#include <math.h>
#include <string.h>

static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* Columns of d x / d xi_m. */
static void tangents(const double points[24], const double at[3], double t[3][3])
{
    memset(t, 0, 9 * sizeof(double));
    for (int a = 0; a < 8; a++)
        for (int m = 0; m < 3; m++) {
            int n = (m + 1) % 3, o = (m + 2) % 3;
            double slope = sign[a][m] * (1 + sign[a][n] * at[n]) * (1 + sign[a][o] * at[o]) / 8;
            for (int d = 0; d < 3; d++)
                t[d][m] += slope * points[3 * a + d];
        }
}

/* Returns the determinant. */
static double invert(double a[3][3], double inverse[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
            inverse[i][k] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
        }
    double determinant = a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
    for (int i = 0; i < 9; i++)
        inverse[i / 3][i % 3] /= determinant;
    return determinant;
}

static void multiply(double a[3][3], double b[3][3], double product[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            product[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

void slip_brick_stress(const double points[24], const double moved[24], const double at[3], double lambda,
                       double mu, double stress[6])
{
    double before[3][3], after[3][3], inverse[3][3], f[3][3], s[3][3], fs[3][3], trace = 0;
    tangents(points, at, before);
    tangents(moved, at, after);
    invert(before, inverse);
    multiply(after, inverse, f);
    double determinant = invert(f, inverse);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double e = (f[0][i] * f[0][k] + f[1][i] * f[1][k] + f[2][i] * f[2][k] - (i == k)) / 2;
            s[i][k] = 2 * mu * e;
            trace += i == k ? e : 0;
        }
    for (int i = 0; i < 3; i++)
        s[i][i] += lambda * trace;
    multiply(f, s, fs);
    static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}};
    for (int c = 0; c < 6; c++) {
        const double *row = fs[place[c][0]], *other = f[place[c][1]];
        stress[c] = (row[0] * other[0] + row[1] * other[1] + row[2] * other[2]) / determinant;
    }
}

void slip_brick_nodal_stresses(const double points[24], const double moved[24], bool one_point, double lambda,
                               double mu, double nodal[8][6])
{
    static const double middle[3] = {0, 0, 0};
    double gauss[8][6];
    if (one_point) {
        slip_brick_stress(points, moved, middle, lambda, mu, nodal[0]);
        for (int a = 1; a < 8; a++)
            memcpy(nodal[a], nodal[0], sizeof nodal[a]);
        return;
    }
    for (int g = 0; g < 8; g++) {
        const double at[3] = {sign[g][0] / sqrt(3), sign[g][1] / sqrt(3), sign[g][2] / sqrt(3)};
        slip_brick_stress(points, moved, at, lambda, mu, gauss[g]);
    }
    memset(nodal, 0, 8 * sizeof *nodal);
    for (int a = 0; a < 8; a++)
        for (int g = 0; g < 8; g++) {
            double share = 1;
            for (int d = 0; d < 3; d++)
                share *= (1 + sqrt(3) * sign[a][d] * sign[g][d]) / 2;
            for (int c = 0; c < 6; c++)
                nodal[a][c] += share * gauss[g][c];
        }
}

static double mises_of(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

int slip_brick_mises(slip_context *ctx, const slip_mesh *mesh, const double *position, double young,
                     double poisson, bool one_point, double *mises)
{
    slip_hex8_material material = slip_hex8_material_make(young, poisson, false);
    SLIP_FREED double *sums = slip_alloc(7 * (int64_t)mesh->node_count, sizeof *sums);
    SLIP_PASS(slip_allocated(ctx, sums));
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(mesh, e);
        double points[24], moved[24], nodal[8][6];
        for (int a = 0; a < 8; a++) {
            memcpy(points + 3 * a, mesh->points + 3 * (size_t)nodes[a], 3 * sizeof *points);
            memcpy(moved + 3 * a, position + 3 * (size_t)nodes[a], 3 * sizeof *moved);
        }
        slip_brick_nodal_stresses(points, moved, one_point, material.lambda, material.mu, nodal);
        for (int a = 0; a < 8; a++) {
            double *sum = sums + 7 * (size_t)nodes[a];
            for (int c = 0; c < 6; c++)
                sum[c] += nodal[a][c];
            sum[6]++;
        }
    }
    for (int i = 0; i < mesh->node_count; i++) {
        double *sum = sums + 7 * (size_t)i;
        for (int c = 0; c < 6; c++)
            sum[c] /= sum[6];
        mises[i] = mises_of(sum);
    }
    return SLIP_OK;
}
