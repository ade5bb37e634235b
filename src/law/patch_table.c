/* Table of the integral model over all directions.
 *
 * Directions are points on a cube: the component f of q with the largest magnitude chooses the face, a =
 * q[f+1]/q[f] and b = q[f+2]/q[f], within [-1, 1], the place on it; T(-q) = -T(q) leaves three faces. No
 * angles and no roots are needed. Each face is a tree of squares. On a square T is the polynomial with the
 * twelve terms s^i t^j, i + j <= 3, s^3 t, s t^3 (Adini's), fixed by exact values and gradients at the
 * corners: continuous from square to square of one size, and good to the fourth order. Its middle and the
 * middles of its edges are compared with the integral model; where they differ too much the square is
 * quartered, and those five points are the new corners. Points are kept in a hash table while the tree grows,
 * so that neighbours share them.
 *
 * Where the instantaneous centre crosses an edge the integral model behaves like x^2 log x: along these
 * curves the squares get small, and their number grows with the square root of 1/tolerance. */
#include "law/patch_table.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { terms = 12, level_max = 20, roots_per_side = 4, root_count = 3 * roots_per_side * roots_per_side };

typedef struct node {
    int child; /* the first of four, or -1 */
    int leaf;  /* index of the polynomials */
} node;

/* Coefficients of one square, of the three components next to each other. */
typedef struct leaf {
    double c[terms][3];
} leaf;

struct slip_patch_table {
    slip_table_line *line;    /* circular areas */
    const slip_patch *points; /* point loads need no table */
    node *nodes;              /* roots first: face, row, column */
    leaf *leaves;
    int64_t node_count, node_capacity, leaf_count, leaf_capacity;
    double error;
};

/* Value and gradient in a and b at a point of a face. */
typedef struct corner {
    uint64_t key; /* 0: empty */
    double T[3], by_a[3], by_b[3];
} corner;

typedef struct builder {
    slip_context *ctx;
    const slip_patch *patch;
    slip_patch_table *table;
    double tolerance;
    corner *corners;
    int64_t corner_count, corner_capacity; /* capacity: a power of two */
} builder;

/* ---- exact points ---- */

static uint64_t spread(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    return key;
}

static corner *slot(corner *corners, int64_t capacity, uint64_t key)
{
    int64_t at = (int64_t)(spread(key) & (uint64_t)(capacity - 1));
    while (corners[at].key != 0 && corners[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &corners[at];
}

static bool grow(builder *b)
{
    int64_t capacity = b->corner_capacity ? 2 * b->corner_capacity : 4096;
    corner *corners = slip_alloc(capacity, sizeof *corners);
    if (!corners)
        return false;
    for (int64_t i = 0; i < b->corner_capacity; i++)
        if (b->corners[i].key != 0)
            *slot(corners, capacity, b->corners[i].key) = b->corners[i];
    free(b->corners);
    b->corners = corners;
    b->corner_capacity = capacity;
    return true;
}

/* The point (i, k) of the finest grid, 0 .. 2^level_max roots_per_side. */
static bool exact(builder *b, int face, int64_t i, int64_t k, corner *out)
{
    uint64_t key = 1 + (uint64_t)face + 4 * ((uint64_t)i + ((uint64_t)k << 28));
    double finest = ldexp(2.0 / roots_per_side, -level_max), q[3], H[9];
    corner *place;
    if (2 * (b->corner_count + 1) > b->corner_capacity && !grow(b))
        return false;
    place = slot(b->corners, b->corner_capacity, key);
    if (place->key == 0) {
        int x = (face + 1) % 3, y = (face + 2) % 3;
        q[face] = 1;
        q[x] = -1 + finest * (double)i;
        q[y] = -1 + finest * (double)k;
        place->key = key;
        b->corner_count++;
        slip_patch_integral_direct(b->patch, q, place->T, H);
        for (int n = 0; n < 3; n++) {
            place->by_a[n] = H[3 * n + x];
            place->by_b[n] = H[3 * n + y];
        }
    }
    *out = *place;
    return true;
}

/* ---- polynomials ---- */

/* Order of the terms: 1 s s2 s3, t t2 t3, st s2t st2 s3t st3. */
enum { c00, c10, c20, c30, c01, c02, c03, c11, c21, c12, c31, c13 };

/* Along each edge a cubic from the values and slopes at its ends; together they fix all twelve. Corners:
 * (0,0), (1,0), (0,1), (1,1). */
static void interpolate(const corner k[4], double width, leaf *out)
{
    for (int n = 0; n < 3; n++) {
        double f[4], s[4], t[4], c2, c3, d2, d3, c[terms];
        for (int i = 0; i < 4; i++) {
            f[i] = k[i].T[n];
            s[i] = width * k[i].by_a[n];
            t[i] = width * k[i].by_b[n];
        }
        c[c00] = f[0];
        c[c10] = s[0];
        c[c20] = 3 * (f[1] - f[0]) - 2 * s[0] - s[1];
        c[c30] = 2 * (f[0] - f[1]) + s[0] + s[1];
        c[c01] = t[0];
        c[c02] = 3 * (f[2] - f[0]) - 2 * t[0] - t[2];
        c[c03] = 2 * (f[0] - f[2]) + t[0] + t[2];
        c2 = 3 * (f[3] - f[2]) - 2 * s[2] - s[3]; /* along t = 1 */
        c3 = 2 * (f[2] - f[3]) + s[2] + s[3];
        d2 = 3 * (f[3] - f[1]) - 2 * t[1] - t[3]; /* along s = 1 */
        d3 = 2 * (f[1] - f[3]) + t[1] + t[3];
        c[c21] = c2 - c[c20];
        c[c31] = c3 - c[c30];
        c[c12] = d2 - c[c02];
        c[c13] = d3 - c[c03];
        c[c11] = t[1] - c[c01] - c[c21] - c[c31];
        for (int i = 0; i < terms; i++)
            out->c[i][n] = c[i];
    }
}

static void polynomial(const leaf *l, double s, double t, double T[3])
{
    const double(*c)[3] = l->c;
    for (int n = 0; n < 3; n++) {
        double along0 = c[c00][n] + s * (c[c10][n] + s * (c[c20][n] + s * c[c30][n]));
        double along1 = c[c01][n] + s * (c[c11][n] + s * (c[c21][n] + s * c[c31][n]));
        double along2 = c[c02][n] + s * c[c12][n], along3 = c[c03][n] + s * c[c13][n];
        T[n] = along0 + t * (along1 + t * (along2 + t * along3));
    }
}

static void polynomial_slopes(const leaf *l, double s, double t, double by_s[3], double by_t[3])
{
    const double(*c)[3] = l->c;
    for (int n = 0; n < 3; n++) {
        double along1 = c[c01][n] + s * (c[c11][n] + s * (c[c21][n] + s * c[c31][n]));
        double along2 = c[c02][n] + s * c[c12][n], along3 = c[c03][n] + s * c[c13][n];
        by_t[n] = along1 + t * (2 * along2 + 3 * t * along3);
        by_s[n] = c[c10][n] + s * (2 * c[c20][n] + 3 * s * c[c30][n]) +
                  t * (c[c11][n] + s * (2 * c[c21][n] + 3 * s * c[c31][n]) + t * (c[c12][n] + t * c[c13][n]));
    }
}

/* ---- growing ---- */

typedef struct square {
    int face, level;
    int64_t i, k; /* of its lower left corner on the finest grid */
} square;

/* The largest difference at the middle and the middles of the edges. */
static bool compare(builder *b, const square *at, const leaf *l, double *error)
{
    static const int places[5][2] = {{1, 1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}};
    int64_t half = (int64_t)1 << (level_max - at->level - 1);
    *error = 0;
    for (int p = 0; p < 5; p++) {
        corner seen;
        double T[3];
        if (!exact(b, at->face, at->i + half * places[p][0], at->k + half * places[p][1], &seen))
            return false;
        polynomial(l, places[p][0] / 2.0, places[p][1] / 2.0, T);
        for (int n = 0; n < 3; n++)
            *error = fmax(*error, fabs(T[n] - seen.T[n]));
    }
    return true;
}

static int keep(builder *b, int64_t at, const leaf *l, double error)
{
    slip_patch_table *table = b->table;
    if (!slip_array_reserve(&table->leaves, &table->leaf_capacity, table->leaf_count + 1, sizeof *l))
        return slip_fail_memory(b->ctx);
    table->leaves[table->leaf_count] = *l;
    table->nodes[at] = (node){-1, (int)table->leaf_count++};
    table->error = fmax(table->error, error);
    return SLIP_OK;
}

static int fill(builder *b, int64_t at, square place)
{
    slip_patch_table *table = b->table;
    int64_t width = (int64_t)1 << (level_max - place.level), first;
    corner k[4];
    leaf l;
    double error;
    int status;
    for (int n = 0; n < 4; n++)
        if (!exact(b, place.face, place.i + width * (n & 1), place.k + width * (n >> 1), &k[n]))
            return slip_fail_memory(b->ctx);
    interpolate(k, ldexp(2.0 / roots_per_side, -place.level), &l);
    if (!compare(b, &place, &l, &error))
        return slip_fail_memory(b->ctx);
    if (error <= b->tolerance / 4 || place.level == level_max - 2)
        return keep(b, at, &l, error);
    if (slip_interrupted(b->ctx))
        return slip_fail(b->ctx, SLIP_INTERRUPTED, "interrupted while tabulating the integral model");
    first = table->node_count;
    if (first + 4 > slip_table_cells_max)
        return slip_fail(b->ctx, SLIP_ERROR_SOLVER,
                         "surface: %d squares do not reach the table tolerance %g; give a larger one",
                         slip_table_cells_max, b->tolerance);
    if (!slip_array_reserve(&table->nodes, &table->node_capacity, first + 4, sizeof(node)))
        return slip_fail_memory(b->ctx);
    table->node_count += 4;
    table->nodes[at] = (node){(int)first, -1};
    for (int n = 0; n < 4; n++)
        SLIP_TRY(fill(b, first + n,
                      (square){place.face, place.level + 1, place.i + width / 2 * (n & 1),
                               place.k + width / 2 * (n >> 1)}));
done:
    return status;
}

static int build_faces(slip_context *ctx, const slip_patch *patch, double tolerance, slip_patch_table *table)
{
    builder b = {.ctx = ctx, .patch = patch, .table = table, .tolerance = tolerance};
    int status = SLIP_OK;
    if (!slip_array_reserve(&table->nodes, &table->node_capacity, root_count, sizeof(node)))
        return slip_fail_memory(ctx);
    table->node_count = root_count;
    for (int n = 0; n < root_count; n++) {
        int per_face = roots_per_side * roots_per_side;
        square place = {n / per_face, 0, (int64_t)(n % roots_per_side) << level_max,
                        (int64_t)(n % per_face / roots_per_side) << level_max};
        SLIP_TRY(fill(&b, n, place));
    }
done:
    free(b.corners);
    return status;
}

int slip_patch_table_build(slip_context *ctx, const slip_patch *patch, double tolerance,
                           slip_patch_table **table)
{
    slip_patch_table *made;
    if (!(tolerance >= 1e-9) || !(tolerance <= 0.1))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "surface: table tolerance %g: expected a number from 1e-9 to 0.1", tolerance);
    *table = made = slip_alloc(1, sizeof *made);
    if (!made)
        return slip_fail_memory(ctx);
    if (patch->load == SLIP_PATCH_POINTS) {
        made->points = patch;
        return SLIP_OK;
    }
    if (patch->circular)
        return slip_table_line_build(ctx, patch, tolerance, &made->line, &made->error);
    return build_faces(ctx, patch, tolerance, made);
}

void slip_patch_table_destroy(slip_patch_table *table)
{
    if (!table)
        return;
    slip_table_line_destroy(table->line);
    free(table->nodes);
    free(table->leaves);
    free(table);
}

int slip_patch_table_cells(const slip_patch_table *table)
{
    return table->line ? slip_table_line_cells(table->line) : (int)table->leaf_count;
}

double slip_patch_table_error(const slip_patch_table *table)
{
    return table->error;
}

/* ---- evaluating ---- */

/* The square that holds (s, t), given in units of a root; s and t become the place in it, scale its fineness.
 */
static const leaf *find(const slip_patch_table *table, int face, double *s, double *t, double *scale)
{
    int column = (int)*s < roots_per_side ? (int)*s : roots_per_side - 1;
    int row = (int)*t < roots_per_side ? (int)*t : roots_per_side - 1;
    const node *n = &table->nodes[(face * roots_per_side + row) * roots_per_side + column];
    *s -= column;
    *t -= row;
    while (n->child >= 0) {
        int right, upper;
        *s *= 2;
        *t *= 2;
        *scale *= 2;
        right = *s >= 1;
        upper = *t >= 1;
        *s -= right;
        *t -= upper;
        n = &table->nodes[n->child + right + 2 * upper];
    }
    return &table->leaves[n->leaf];
}

static void face_evaluate(const slip_patch_table *table, int face, const double q[3], double T[3],
                          double *derivative)
{
    int x = (face + 1) % 3, y = (face + 2) % 3;
    double largest = q[face], a = q[x] / largest, b = q[y] / largest, sign = slip_sign(largest);
    double scale = roots_per_side / 2.0, s = (a + 1) * scale, t = (b + 1) * scale, by_s[3], by_t[3];
    const leaf *l = find(table, face, &s, &t, &scale);
    polynomial(l, s, t, T);
    for (int n = 0; n < 3; n++)
        T[n] *= sign;
    if (!derivative)
        return;
    polynomial_slopes(l, s, t, by_s, by_t);
    scale /= fabs(largest);
    for (int n = 0; n < 3; n++) {
        derivative[3 * n + x] = scale * by_s[n];
        derivative[3 * n + y] = scale * by_t[n];
        derivative[3 * n + face] = -scale * (a * by_s[n] + b * by_t[n]);
    }
}

void slip_patch_table_evaluate(const slip_patch_table *table, const double q[3], double T[3],
                               double *derivative)
{
    int face = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(q[i]) > fabs(q[face]))
            face = i;
    if (table->points) {
        slip_patch_integral_direct(table->points, q, T, derivative);
    } else if (q[face] == 0) {
        memset(T, 0, 3 * sizeof *T);
        if (derivative)
            memset(derivative, 0, 9 * sizeof *derivative);
    } else if (table->line) {
        slip_table_line_evaluate(table->line, q, T, derivative);
    } else {
        face_evaluate(table, face, q, T, derivative);
    }
}
