/* Quadrilaterals with bilinear shape functions
 *
 *     N_a = product over k of (1 + c_ak x_k)/2,     c_a: reference coordinates of node a,
 *
 * integrated by two Gauss points in each direction. These are at c_a/sqrt(3) with weight 1, one for each
 * node, in the order of the nodes. */
#include "fem/element.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { dimension_max = 2 };

static const double gauss_place = 0.57735026918962576451; /* 1/sqrt(3) */

/* ---- material ---- */

slip_elastic slip_elastic_make(slip_elastic_kind kind, double young, double poisson, double thickness)
{
    const double shear = young / (2 * (1 + poisson));
    const double lame = kind == SLIP_PLANE_STRESS ? young * poisson / ((1 + poisson) * (1 - poisson))
                                                  : young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    slip_elastic e = {.kind = kind, .young = young, .poisson = poisson, .thickness = thickness};
    e.strain_count = 3;
    for (int i = 0; i < e.strain_count; i++)
        for (int j = 0; j < e.strain_count; j++)
            e.matrix[i * e.strain_count + j] =
                i < 2 && j < 2 ? lame + (i == j) * 2 * shear : (i == j) * shear;
    return e;
}

double slip_elastic_stress_zz(const slip_elastic *elastic, double xx, double yy)
{
    return elastic->kind == SLIP_PLANE_STRAIN ? elastic->poisson * (xx + yy) : 0;
}

/* ---- shape functions ---- */

void slip_element_shape(const slip_element_type *type, const slip_cell *cell, const double *at, double *value,
                        double *slope)
{
    const int dimension = cell->dimension;
    for (int a = 0; a < cell->node_count; a++) {
        const double *corner = type->corners[a];
        double factor[dimension_max], product = 1;
        for (int k = 0; k < dimension; k++) {
            factor[k] = (1 + corner[k] * at[k]) / 2;
            product *= factor[k];
        }
        value[a] = product;
        for (int k = 0; k < dimension; k++) {
            slope[a * dimension + k] = corner[k] / 2;
            for (int other = 0; other < dimension; other++)
                if (other != k)
                    slope[a * dimension + k] *= factor[other];
        }
    }
}

/* Returns the determinant. */
static double invert(const double m[4], double inverse[4])
{
    const double determinant = m[0] * m[3] - m[1] * m[2];
    inverse[0] = m[3] / determinant;
    inverse[1] = -m[1] / determinant;
    inverse[2] = -m[2] / determinant;
    inverse[3] = m[0] / determinant;
    return determinant;
}

double slip_element_gradient(const slip_element_type *type, const slip_cell *cell, const double *points,
                             const double *at, double *value, double *gradient)
{
    const int d = cell->dimension;
    double slope[slip_element_unknowns_max], jacobian[dimension_max * dimension_max] = {0};
    double inverse[dimension_max * dimension_max], determinant;
    slip_element_shape(type, cell, at, value, slope);
    /* jacobian[k][i] = d x_i / d reference_k */
    for (int a = 0; a < cell->node_count; a++)
        for (int k = 0; k < d; k++)
            for (int i = 0; i < d; i++)
                jacobian[k * d + i] += slope[a * d + k] * points[a * d + i];
    determinant = invert(jacobian, inverse);
    for (int a = 0; a < cell->node_count; a++)
        for (int i = 0; i < d; i++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += inverse[i * d + k] * slope[a * d + k];
            gradient[a * d + i] = sum;
        }
    return determinant;
}

static void gauss_point(const slip_element_type *type, int dimension, int index, double *at)
{
    for (int k = 0; k < dimension; k++)
        at[k] = gauss_place * type->corners[index][k];
}

double slip_element_quality(const slip_element_type *type, const slip_cell *cell, const double *points)
{
    double value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    double smallest = INFINITY, mean = 0;
    for (int a = 0; a < cell->node_count; a++) {
        const double determinant =
            slip_element_gradient(type, cell, points, type->corners[a], value, gradient);
        smallest = fmin(smallest, determinant);
        mean += fabs(determinant) / cell->node_count;
    }
    return mean > 0 ? smallest / mean : 0;
}

/* ---- stiffness ---- */

/* B: strains of the unit displacements, strain_count rows. */
static void strain_matrix(const slip_cell *cell, int strain_count, const double *gradient, double *b)
{
    const int d = cell->dimension, n = d * cell->node_count;
    memset(b, 0, (size_t)(strain_count * n) * sizeof *b);
    for (int a = 0; a < cell->node_count; a++) {
        const double *g = gradient + a * d;
        for (int i = 0; i < d; i++)
            b[i * n + a * d + i] = g[i];
        for (int s = d; s < strain_count; s++) {
            const int i = (s - d) % d, j = (i + 1) % d;
            b[s * n + a * d + i] = g[j];
            b[s * n + a * d + j] = g[i];
        }
    }
}

/* D B */
static void stress_matrix(const slip_elastic *elastic, int n, const double *b, double *db)
{
    const int s = elastic->strain_count;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < s; k++)
                sum += elastic->matrix[i * s + k] * b[k * n + j];
            db[i * n + j] = sum;
        }
}

/* K = integral of B^T D B. */
static void stiffness_full(const slip_element_type *type, const slip_cell *cell, const double *points,
                           const slip_elastic *elastic, double *matrix)
{
    enum { size = slip_element_strains_max * slip_element_unknowns_max };
    const int n = cell->dimension * cell->node_count, s = elastic->strain_count;
    double b[size], db[size], value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    for (int g = 0; g < cell->node_count; g++) {
        double at[dimension_max], volume;
        gauss_point(type, cell->dimension, g, at);
        volume = elastic->thickness * slip_element_gradient(type, cell, points, at, value, gradient);
        strain_matrix(cell, s, gradient, b);
        stress_matrix(elastic, n, b, db);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int k = 0; k < s; k++)
                    sum += b[k * n + i] * db[k * n + j];
                matrix[i * n + j] += sum * volume;
            }
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            matrix[i * n + j] = matrix[j * n + i];
}

/* ---- the table ---- */

static const double square[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

static const slip_element_type types[] = {{"quad4", square, stiffness_full}};

const slip_element_type *slip_element_find(const slip_cell *cell)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].cell, cell->name) == 0)
            return &types[i];
    return NULL;
}

/* ---- stresses, loads ---- */

void slip_element_stresses(const slip_element_type *type, const slip_cell *cell, const double *points,
                           const slip_elastic *elastic, const double *displacements, double *stresses)
{
    enum { size = slip_element_strains_max * slip_element_unknowns_max };
    const int n = cell->dimension * cell->node_count, s = elastic->strain_count;
    double b[size], db[size], value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    double at_gauss[slip_cell_nodes_max * slip_element_strains_max], at[dimension_max];
    for (int g = 0; g < cell->node_count; g++) {
        gauss_point(type, cell->dimension, g, at);
        slip_element_gradient(type, cell, points, at, value, gradient);
        strain_matrix(cell, s, gradient, b);
        stress_matrix(elastic, n, b, db);
        for (int i = 0; i < s; i++) {
            at_gauss[g * s + i] = 0;
            for (int j = 0; j < n; j++)
                at_gauss[g * s + i] += db[i * n + j] * displacements[j];
        }
    }
    /* The Gauss points are the corners of a smaller element; its shape functions reach out to the nodes. */
    for (int a = 0; a < cell->node_count; a++) {
        for (int k = 0; k < cell->dimension; k++)
            at[k] = type->corners[a][k] / gauss_place;
        slip_element_shape(type, cell, at, value, gradient);
        for (int i = 0; i < s; i++) {
            stresses[a * s + i] = 0;
            for (int g = 0; g < cell->node_count; g++)
                stresses[a * s + i] += value[g] * at_gauss[g * s + i];
        }
    }
}

void slip_element_integrate(const slip_element_type *type, const slip_cell *cell, const double *points,
                            double thickness, slip_element_visit visit, void *user)
{
    double value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    for (int g = 0; g < cell->node_count; g++) {
        double at[dimension_max], place[dimension_max] = {0}, volume;
        gauss_point(type, cell->dimension, g, at);
        volume = thickness * slip_element_gradient(type, cell, points, at, value, gradient);
        for (int a = 0; a < cell->node_count; a++)
            for (int k = 0; k < cell->dimension; k++)
                place[k] += value[a] * points[a * cell->dimension + k];
        visit(user, value, place, volume);
    }
}
