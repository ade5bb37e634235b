/* What follows from a row of the table of elements. The formulas are in the header. */
#include "fem/element.h"

#include "fem/blocks.h"

#include <math.h>
#include <string.h>

enum { dimension_max = 3, matrix_max = slip_element_strains_max * slip_element_unknowns_max };

/* ---- material ---- */

slip_elastic slip_elastic_make(slip_elastic_kind kind, double young, double poisson, double thickness)
{
    const double shear = young / (2 * (1 + poisson));
    const double lame = kind == SLIP_PLANE_STRESS ? young * poisson / ((1 + poisson) * (1 - poisson))
                                                  : young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const int direct = kind == SLIP_SOLID ? 3 : 2;
    slip_elastic e = {.kind = kind, .young = young, .poisson = poisson, .thickness = thickness};
    e.strain_count = kind == SLIP_SOLID ? 6 : 3;
    for (int i = 0; i < e.strain_count; i++)
        for (int j = 0; j < e.strain_count; j++)
            e.matrix[i * e.strain_count + j] =
                i < direct && j < direct ? lame + (i == j) * 2 * shear : (i == j) * shear;
    return e;
}

double slip_elastic_stress_zz(const slip_elastic *elastic, double xx, double yy)
{
    return elastic->kind == SLIP_PLANE_STRAIN ? elastic->poisson * (xx + yy) : 0;
}

/* ---- places ---- */

void slip_element_points(const slip_mesh *mesh, int element, double *points)
{
    const int *nodes = slip_mesh_nodes(mesh, element), d = mesh->dimension;
    const int count = slip_mesh_group_of(mesh, element)->cell->node_count;
    for (int a = 0; a < count; a++)
        memcpy(points + a * d, mesh->points + (int64_t)nodes[a] * d, (size_t)d * sizeof *points);
}

/* jacobian[k * space + i] = d x_i / d reference_k */
static void find_jacobian(const slip_cell *cell, int space, const double *points, const double *slope,
                          double *jacobian)
{
    const int d = cell->dimension;
    memset(jacobian, 0, (size_t)(d * space) * sizeof *jacobian);
    for (int a = 0; a < cell->node_count; a++)
        for (int k = 0; k < d; k++)
            for (int i = 0; i < space; i++)
                jacobian[k * space + i] += slope[a * d + k] * points[a * space + i];
}

/* inverse[k * d + i] = d reference_k / d x_i; returns the determinant. */
static double invert(int d, const double *j, double *inverse)
{
    double determinant;
    if (d == 2) {
        const double c[4] = {j[3], -j[2], -j[1], j[0]};
        determinant = j[0] * j[3] - j[1] * j[2];
        memcpy(inverse, c, sizeof c);
    } else {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                inverse[3 * i + k] = j[3 * i1 + k1] * j[3 * i2 + k2] - j[3 * i1 + k2] * j[3 * i2 + k1];
            }
        determinant = j[0] * inverse[0] + j[1] * inverse[1] + j[2] * inverse[2];
    }
    for (int i = 0; i < d * d; i++)
        inverse[i] /= determinant;
    return determinant;
}

double slip_element_gradient(const slip_element_type *type, const double *points, const double *at,
                             double *value, double *gradient)
{
    const int d = type->cell->dimension;
    double slope[slip_element_unknowns_max], jacobian[dimension_max * dimension_max];
    double inverse[dimension_max * dimension_max], determinant;
    type->shape(type, at, value, slope);
    find_jacobian(type->cell, d, points, slope, jacobian);
    determinant = invert(d, jacobian, inverse);
    for (int a = 0; a < type->cell->node_count; a++)
        for (int i = 0; i < d; i++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += inverse[k * d + i] * slope[a * d + k];
            gradient[a * d + i] = sum;
        }
    return determinant;
}

/* The node that is nearest to a place of the reference element. */
static int nearest_node(const slip_element_type *type, const double *at)
{
    double best = INFINITY;
    int node = 0;
    for (int a = 0; a < type->cell->node_count; a++) {
        double distance = 0;
        for (int k = 0; k < type->cell->dimension; k++)
            distance += (at[k] - type->nodes[a][k]) * (at[k] - type->nodes[a][k]);
        node = distance < best ? a : node;
        best = fmin(best, distance);
    }
    return node;
}

double slip_element_quality(const slip_element_type *type, const double *points, int *worst)
{
    const int nodes = type->cell->node_count;
    double value[slip_cell_nodes_max], gradient[slip_element_unknowns_max], at[dimension_max];
    double smallest = INFINITY, mean = 0;
    for (int i = 0; i < nodes + type->rule->count; i++) {
        if (i < nodes)
            memcpy(at, type->nodes[i], sizeof at);
        else
            type->rule->point(i - nodes, at);
        const double determinant = slip_element_gradient(type, points, at, value, gradient);
        mean += i < nodes ? fabs(determinant) / nodes : 0;
        if (determinant < smallest && worst)
            *worst = nearest_node(type, at);
        smallest = fmin(smallest, determinant);
    }
    return mean > 0 ? smallest / mean : 0;
}

/* ---- stiffness ---- */

void slip_element_stiffness(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                            double *matrix)
{
    const int d = type->cell->dimension, count = type->cell->node_count, n = d * count;
    const int s = elastic->strain_count;
    double value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    for (int g = 0; g < type->rule->count; g++) {
        double at[dimension_max];
        const double weight = elastic->thickness * type->rule->point(g, at);
        const double volume = weight * slip_element_gradient(type, points, at, value, gradient);
        const double lambda = volume * elastic->matrix[1], mu = volume * elastic->matrix[s * s - 1];
        if (d == 2) /* the compiler makes a function of each */
            slip_add_blocks(2, count, gradient, lambda, mu, matrix);
        else
            slip_add_blocks(3, count, gradient, lambda, mu, matrix);
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            matrix[i * n + j] = matrix[j * n + i];
}

/* ---- mass, loads ---- */

/* The volume of an element that is as wide as the space, the area of a surface, the length of a line. */
static double measure(int d, int space, const double *j)
{
    double inverse[dimension_max * dimension_max], normal[3];
    if (d == space && d > 1)
        return invert(d, j, inverse);
    if (d == 1)
        return sqrt(j[0] * j[0] + (space > 1 ? j[1] * j[1] : 0) + (space > 2 ? j[2] * j[2] : 0));
    for (int i = 0; i < 3; i++)
        normal[i] = j[(i + 1) % 3] * j[3 + (i + 2) % 3] - j[(i + 2) % 3] * j[3 + (i + 1) % 3];
    return sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

void slip_element_integrate(const slip_element_type *type, int dimension, const double *points,
                            slip_element_visit visit, void *user)
{
    const slip_cell *cell = type->cell;
    double value[slip_cell_nodes_max], slope[slip_element_unknowns_max],
        jacobian[dimension_max * dimension_max];
    for (int g = 0; g < type->exact->count; g++) {
        double at[dimension_max], place[dimension_max] = {0};
        const double weight = type->exact->point(g, at);
        type->shape(type, at, value, slope);
        find_jacobian(cell, dimension, points, slope, jacobian);
        for (int a = 0; a < cell->node_count; a++)
            for (int k = 0; k < dimension; k++)
                place[k] += value[a] * points[a * dimension + k];
        visit(user, value, place, weight * measure(cell->dimension, dimension, jacobian));
    }
}

typedef struct mass_visit {
    int count;
    double *matrix;
} mass_visit;

static void add_mass(void *user, const double *value, const double *place, double volume)
{
    const mass_visit *v = user;
    (void)place;
    for (int a = 0; a < v->count; a++)
        for (int b = 0; b < v->count; b++)
            v->matrix[v->count * a + b] += volume * value[a] * value[b];
}

void slip_element_mass(const slip_element_type *type, const double *points, double *matrix)
{
    const int n = type->cell->node_count;
    mass_visit visit = {n, matrix};
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    slip_element_integrate(type, type->cell->dimension, points, add_mass, &visit);
}

void slip_element_lumps(const slip_element_type *type, const double *points, double *lumps)
{
    const int n = type->cell->node_count;
    const bool scaled = n > type->cell->corner_count;
    double matrix[slip_cell_nodes_max * slip_cell_nodes_max], whole = 0, diagonal = 0;
    slip_element_mass(type, points, matrix);
    for (int a = 0; a < n; a++) {
        double sum = 0;
        for (int b = 0; b < n; b++)
            sum += matrix[n * a + b];
        lumps[a] = scaled ? matrix[n * a + a] : sum;
        whole += sum;
        diagonal += matrix[n * a + a];
    }
    for (int a = 0; a < n && scaled; a++)
        lumps[a] *= whole / diagonal;
}

/* ---- stresses ---- */

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

void slip_element_stress(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                         const double *displacements, double *stress)
{
    const int d = type->cell->dimension, n = d * type->cell->node_count, s = elastic->strain_count;
    double b[matrix_max], db[matrix_max], value[slip_cell_nodes_max], gradient[slip_element_unknowns_max];
    for (int g = 0; g < type->cell->corner_count; g++) {
        double at[dimension_max];
        for (int k = 0; k < d; k++)
            at[k] = type->centre + type->scale * (type->nodes[g][k] - type->centre);
        slip_element_gradient(type, points, at, value, gradient);
        strain_matrix(type->cell, s, gradient, b);
        stress_matrix(elastic, n, b, db);
        for (int i = 0; i < s; i++) {
            stress[g * s + i] = 0;
            for (int j = 0; j < n; j++)
                stress[g * s + i] += db[i * n + j] * displacements[j];
        }
    }
}

void slip_element_stresses(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                           const double *displacements, double *stresses)
{
    const int d = type->cell->dimension, s = elastic->strain_count;
    double found[slip_cell_nodes_max * slip_element_strains_max];
    double value[slip_cell_nodes_max], slope[slip_element_unknowns_max];
    type->stress(type, points, elastic, displacements, found);
    /* The places are the corners of a smaller element; its shape functions reach out to the nodes. */
    for (int a = 0; a < type->cell->node_count; a++) {
        double at[dimension_max];
        for (int k = 0; k < d; k++)
            at[k] = type->centre + (type->nodes[a][k] - type->centre) / type->scale;
        type->first_order->shape(type->first_order, at, value, slope);
        for (int i = 0; i < s; i++) {
            stresses[a * s + i] = 0;
            for (int g = 0; g < type->cell->corner_count; g++)
                stresses[a * s + i] += value[g] * found[g * s + i];
        }
    }
}
