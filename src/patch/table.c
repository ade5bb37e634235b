/* Table of the integral model over all directions.
 *
 * It belongs to the area, not to the origin of its coordinates: velocities are those of the centre of the
 * load, moments those about it, and both are shifted exactly. In the principal axes of the load, with twice
 * its radii of gyration r1, r2, directions are those of p = (v1/r2, v2/r1, w): the instantaneous centre, in
 * units of r1 and r2, is (-p2, p1)/p3, so that long areas look like short ones, and edges are where some
 * linear function of p vanishes.
 *
 * The table stores the difference of T and the simple function (v, 0)/sqrt(v^2 + b^2 w^2). It vanishes for
 * pure sliding, w = 0, which is a line of the grid, so the table is exact there.
 *
 * Directions are points on a cube: the component f of p with the largest magnitude chooses the face, a =
 * p[f+1]/p[f] and b = p[f+2]/p[f], within [-1, 1], the place on it; T(-p) = -T(p) leaves three faces. No
 * angles and no roots are needed. Each face is a tree of squares. On a square T is the polynomial with the
 * twelve terms s^i t^j, i + j <= 3, s^3 t, s t^3 (Adini's), fixed by exact values and gradients at the
 * corners: continuous from square to square of one size, and good to the fourth order. At its middle and the
 * middles of its edges values and gradients are compared with the integral model; where they differ too much
 * the square is quartered, and those five points are the new corners. Points are kept in a hash table while
 * the tree grows, so that neighbours share them.
 *
 * Errors count in T and in M/size, about the centre of the load and about the origin of the coordinates; of
 * the latter, where that is more than 100 sizes away, in M over a hundredth of the distance.
 *
 * Where the instantaneous centre crosses an edge the integral model behaves like x^2 log x: along these
 * curves squares are small, and their number grows with the square root of 1/tolerance. Squares are made
 * level by level; if they would be smaller than the finest level, or too many, the integral model itself is
 * used there. */
#include "patch/table.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bound of the error on a square: margin (|value| + slope_weight width |slope|), the largest of five points.
 * An edge that crosses a square between the points shows in the slopes: of 40,000 squares of random polygons
 * the largest error is 0.3 to 1.01 times that without the margin, where values alone are off by 6. */
static const double slope_weight = 0.3, margin = 1.25;

enum { terms = 12, level_max = 20, roots_per_side = 4, root_count = 3 * roots_per_side * roots_per_side };

typedef struct node {
    int child; /* the first of four, or -1 */
    int leaf;  /* index of the polynomials, or -1: the integral model itself */
} node;

/* Coefficients of one square, of the three components next to each other. */
typedef struct leaf {
    double c[terms][3];
} leaf;

struct slip_patch_table {
    double centre[2];        /* of the load */
    double map[9];           /* from its velocity to p */
    double bb;               /* b^2 */
    slip_table_line *line;   /* circular areas */
    const slip_patch *patch; /* the integral model itself, where it is not tabulated */
    node *nodes;             /* roots first: face, row, column */
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
    struct square *squares; /* of the nodes */
    int64_t square_capacity;
    double tolerance;
    int deepest;     /* level of the smallest squares */
    double back[9];  /* from p to the velocity of the centre of the load */
    double place[2]; /* this centre, from the pole */
    double unit;     /* of moments about the origin, in sizes */
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

/* Adds `sign` times the function that is not tabulated, and its derivative unless NULL. */
static void add_plain(const slip_patch_table *table, double sign, const double q[3], double T[3],
                      double *derivative)
{
    const double per_L = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + table->bb * q[2] * q[2]);
    const double x = q[0] * per_L, y = q[1] * per_L, w = table->bb * q[2] * per_L; /* the slope of L */
    T[0] += sign * x;
    T[1] += sign * y;
    if (!derivative)
        return;
    sign *= per_L;
    derivative[0] += sign * (1 - x * x);
    derivative[1] -= sign * x * y;
    derivative[2] -= sign * x * w;
    derivative[3] -= sign * x * y;
    derivative[4] += sign * (1 - y * y);
    derivative[5] -= sign * y * w;
}

/* The point (i, k) of the finest grid, 0 .. 2^level_max roots_per_side. */
static bool exact(builder *b, int face, int64_t i, int64_t k, corner *out)
{
    uint64_t key = 1 + (uint64_t)face + 4 * ((uint64_t)i + ((uint64_t)k << 28));
    double finest = ldexp(2.0 / roots_per_side, -level_max), p[3], q[3], H[9];
    if (2 * (b->corner_count + 1) > b->corner_capacity && !grow(b))
        return false;
    corner *place = slot(b->corners, b->corner_capacity, key);
    if (place->key == 0) {
        int x = (face + 1) % 3, y = (face + 2) % 3;
        const double *m = b->back, away[2] = {-b->place[0], -b->place[1]};
        double at_pole[3];
        p[face] = 1;
        p[x] = -1 + finest * (double)i;
        p[y] = -1 + finest * (double)k;
        place->key = key;
        b->corner_count++;
        for (int n = 0; n < 3; n++)
            q[n] = m[3 * n] * p[0] + m[3 * n + 1] * p[1] + m[3 * n + 2] * p[2];
        slip_pole_velocity(away, q, at_pole);
        slip_patch_integral_about_pole(b->patch, 1e-3 * b->tolerance, at_pole, place->T, H);
        slip_pole_force(away, place->T, H);
        add_plain(b->table, -1, q, place->T, H);
        for (int n = 0; n < 3; n++) {
            place->by_a[n] = H[3 * n] * m[x] + H[3 * n + 1] * m[3 + x] + H[3 * n + 2] * m[6 + x];
            place->by_b[n] = H[3 * n] * m[y] + H[3 * n + 1] * m[3 + y] + H[3 * n + 2] * m[6 + y];
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

/* The largest of an error of (Tx, Ty, M), M also about the origin. */
static double size_of(const builder *b, const double error[3])
{
    const double *r = b->table->centre;
    double moment = fabs(error[2] + r[0] * error[1] - r[1] * error[0]) / b->unit;
    return fmax(fmax(fabs(error[0]), fabs(error[1])), fmax(fabs(error[2]), moment));
}

/* A bound of the error from the middle and the middles of the edges. */
static bool compare(builder *b, const square *at, const leaf *l, double *error)
{
    static const int places[5][2] = {{1, 1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}};
    int64_t half = (int64_t)1 << (level_max - at->level - 1);
    double width = ldexp(2.0 / roots_per_side, -at->level);
    *error = 0;
    for (int p = 0; p < 5; p++) {
        corner seen;
        double T[3], by_s[3], by_t[3];
        if (!exact(b, at->face, at->i + half * places[p][0], at->k + half * places[p][1], &seen))
            return false;
        polynomial(l, places[p][0] / 2.0, places[p][1] / 2.0, T);
        polynomial_slopes(l, places[p][0] / 2.0, places[p][1] / 2.0, by_s, by_t);
        for (int n = 0; n < 3; n++) {
            T[n] -= seen.T[n];
            by_s[n] -= width * seen.by_a[n];
            by_t[n] -= width * seen.by_b[n];
        }
        *error = fmax(*error, size_of(b, T) + slope_weight * fmax(size_of(b, by_s), size_of(b, by_t)));
    }
    *error *= margin;
    return true;
}

static bool add_nodes(builder *b, int count)
{
    slip_patch_table *table = b->table;
    const int64_t total = table->node_count + count;
    if (!SLIP_ROOM(table->nodes, table->node_capacity, total) ||
        !SLIP_ROOM(b->squares, b->square_capacity, total))
        return false;
    table->node_count = total;
    return true;
}

/* Makes the node a leaf, or quarters it. */
static int fill(builder *b, int64_t at)
{
    slip_patch_table *table = b->table;
    const square place = b->squares[at];
    const int64_t width = (int64_t)1 << (level_max - place.level), first = table->node_count;
    corner k[4];
    leaf l;
    double error;
    for (int n = 0; n < 4; n++)
        SLIP_PASS(slip_allocated(
            b->ctx, exact(b, place.face, place.i + width * (n & 1), place.k + width * (n >> 1), &k[n])));
    interpolate(k, ldexp(2.0 / roots_per_side, -place.level), &l);
    SLIP_PASS(slip_allocated(b->ctx, compare(b, &place, &l, &error)));
    table->nodes[at] = (node){-1, -1};
    if (error <= b->tolerance) {
        SLIP_PASS(
            slip_allocated(b->ctx, SLIP_ROOM(table->leaves, table->leaf_capacity, table->leaf_count + 1)));
        table->leaves[table->leaf_count] = l;
        table->nodes[at].leaf = (int)table->leaf_count++;
        table->error = fmax(table->error, error);
    } else if (place.level < b->deepest && first + 4 <= slip_table_cells_max) {
        SLIP_PASS(slip_allocated(b->ctx, add_nodes(b, 4)));
        table->nodes[at].child = (int)first;
        for (int n = 0; n < 4; n++)
            b->squares[first + n] = (square){place.face, place.level + 1, place.i + width / 2 * (n & 1),
                                             place.k + width / 2 * (n >> 1)};
    }
    return SLIP_OK;
}

/* The maps between velocities and p. */
static void set_maps(builder *b)
{
    double spread[3], *r = b->table->centre, c, s, mean, across, r1, r2, angle;
    slip_patch_spread(b->patch, b->place, spread);
    for (int k = 0; k < 2; k++)
        r[k] = b->patch->region.pole[k] + b->place[k];
    b->unit = fmax(1, hypot(r[0], r[1]) / 100);
    mean = (spread[0] + spread[2]) / 2;
    across = hypot((spread[0] - spread[2]) / 2, spread[1]);
    angle = atan2(spread[1], (spread[0] - spread[2]) / 2) / 2;
    r1 = 2 * sqrt(mean + across);
    r2 = 2 * sqrt(fmax(mean - across, 1e-12 * mean));
    c = cos(angle), s = sin(angle);
    const double map[9] = {c / r2, s / r2, 0, -s / r1, c / r1, 0, 0, 0, 1};
    const double back[9] = {r2 * c, -r1 * s, 0, r2 * s, r1 * c, 0, 0, 0, 1};
    memcpy(b->table->map, map, sizeof map);
    memcpy(b->back, back, sizeof back);
    b->table->bb = 2 * mean;
}

static int build_faces(slip_context *ctx, const slip_patch *patch, double tolerance, slip_patch_table *table)
{
    builder b = {.ctx = ctx, .patch = patch, .table = table, .tolerance = tolerance};
    int status = SLIP_OK;
    set_maps(&b);
    b.deepest = (int)ceil(log2(1 / sqrt(tolerance))) + (slip_patch_is_quick(patch) ? 0 : 3);
    SLIP_TRY(slip_allocated(ctx, add_nodes(&b, root_count)));
    for (int n = 0; n < root_count; n++) {
        int per_face = roots_per_side * roots_per_side;
        b.squares[n] = (square){n / per_face, 0, (int64_t)(n % roots_per_side) << level_max,
                                (int64_t)(n % per_face / roots_per_side) << level_max};
    }
    for (int64_t at = 0; at < table->node_count; at++) {
        SLIP_TRY(fill(&b, at));
        if (slip_progress_due(ctx)) /* how many squares there will be is not known */
            slip_progress_report(ctx, &(slip_progress){.what = "table of the contact area", .fraction = -1});
        if (slip_interrupted(ctx)) {
            status = slip_fail(ctx, SLIP_INTERRUPTED, "interrupted while tabulating the integral model");
            goto done;
        }
    }
done:
    free(b.corners);
    free(b.squares);
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
    SLIP_PASS(slip_allocated(ctx, made));
    made->patch = patch;
    if (patch->load == SLIP_PATCH_POINTS)
        return SLIP_OK; /* need no table */
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
 * NULL where there is none. */
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
    return n->leaf < 0 ? NULL : &table->leaves[n->leaf];
}

static void face_evaluate(const slip_patch_table *table, const double q[3], double T[3], double *derivative)
{
    const double *m = table->map;
    double own[3], p[3], by_s[3], by_t[3], F[3], largest, a, b, scale = roots_per_side / 2.0, s, t;
    int face = 0, x, y;
    slip_pole_velocity(table->centre, q, own);
    p[0] = m[0] * own[0] + m[1] * own[1];
    p[1] = m[3] * own[0] + m[4] * own[1];
    p[2] = own[2];
    for (int i = 1; i < 3; i++)
        if (fabs(p[i]) > fabs(p[face]))
            face = i;
    x = (face + 1) % 3, y = (face + 2) % 3;
    largest = p[face], a = p[x] / largest, b = p[y] / largest;
    s = (a + 1) * scale, t = (b + 1) * scale;
    const leaf *l = find(table, face, &s, &t, &scale);
    if (!l) {
        slip_patch_integral_direct(table->patch, q, T, derivative);
        return;
    }
    polynomial(l, s, t, F);
    for (int n = 0; n < 3; n++)
        F[n] = largest < 0 ? -F[n] : F[n];
    if (derivative) {
        const double *mx = m + 3 * x, *my = m + 3 * y, *mf = m + 3 * face;
        double across[3], along[3], D[9];
        polynomial_slopes(l, s, t, by_s, by_t);
        scale /= fabs(largest);
        for (int j = 0; j < 3; j++) {
            across[j] = scale * (mx[j] - a * mf[j]);
            along[j] = scale * (my[j] - b * mf[j]);
        }
        for (int n = 0; n < 3; n++)
            for (int j = 0; j < 3; j++)
                D[3 * n + j] = by_s[n] * across[j] + by_t[n] * along[j];
        add_plain(table, 1, own, F, D);
        slip_pole_force(table->centre, F, D);
        memcpy(derivative, D, sizeof D);
    } else {
        add_plain(table, 1, own, F, NULL);
        slip_pole_force(table->centre, F, NULL);
    }
    memcpy(T, F, sizeof F);
}

void slip_patch_table_evaluate(const slip_patch_table *table, const double q[3], double T[3],
                               double *derivative)
{
    if (table->patch->load == SLIP_PATCH_POINTS) {
        slip_patch_integral_direct(table->patch, q, T, derivative);
    } else if (q[0] == 0 && q[1] == 0 && q[2] == 0) {
        memset(T, 0, 3 * sizeof *T);
        if (derivative)
            memset(derivative, 0, 9 * sizeof *derivative);
    } else if (table->line) {
        slip_table_line_evaluate(table->line, q, T, derivative);
    } else {
        face_evaluate(table, q, T, derivative);
    }
}
