/* Attachment vectors of a flank. The theory is in the header. */
#include "gear/body/gear_basis.h"

#include "flex/attachment.h"
#include "math/columns.h"

#include <math.h>
#include <string.h>

/* A direction that adds less than this share of its flexibility is left out. */
static const double least_share = 1e-6;

/* ---- Making. */

int slip_gear_attachment_make(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g, int count,
                              slip_gear_attachment *r)
{
    r->gear = g;
    int status = slip_gear_kept_make(ctx, arena, g, INFINITY, count, &r->kept);
    return status < 0 ? status : slip_gear_kept_remainder(ctx, arena, g, &r->kept, &r->remainder);
}

int slip_gear_basis_reserve(slip_context *ctx, slip_arena *arena, int size, slip_gear_basis *b)
{
    *b = (slip_gear_basis){.direction = slip_arena_array(arena, size, sizeof *b->direction),
                           .vectors = slip_arena_array(arena, (int64_t)size * size, sizeof(double)),
                           .square = slip_arena_array(arena, size, sizeof(double)),
                           .rotation = slip_arena_array(arena, size, sizeof(double)),
                           .spread = slip_arena_array(arena, size, sizeof(double))};
    return b->direction && b->vectors && b->square && b->rotation && b->spread ? SLIP_OK
                                                                               : slip_fail_memory(ctx);
}

void slip_gear_basis_keep(slip_gear_basis *b, slip_keeper *k)
{
    SLIP_KEEP_ALL(k, SLIP_BLOCK(b->count), SLIP_BLOCK(b->kept), SLIP_BLOCK(b->directions));
    const size_t n = (size_t)b->count, own = (size_t)b->directions;
    slip_keep_bytes(k, b->direction, sizeof *b->direction * own);
    slip_keep_bytes(k, b->vectors, sizeof(double) * own * own);
    slip_keep_bytes(k, b->square, sizeof(double) * n);
    slip_keep_bytes(k, b->rotation, sizeof(double) * n);
    slip_keep_bytes(k, b->spread, sizeof(double) * n);
}

/* to = from of the rows and columns of the directions. */
static void select_block(const double *from, int size, const slip_gear_basis *b, double *to)
{
    for (int i = 0; i < b->directions; i++) {
        const double *row = from + (size_t)b->direction[i] * (size_t)size;
        for (int k = 0; k < b->directions; k++)
            *to++ = row[b->direction[k]];
    }
}

/* c -= c_p c_p^T/c_pp: what direction p does not have. */
static void take_out(int n, int p, double *c, double *column)
{
    double pivot = c[(size_t)p * (size_t)n + (size_t)p];
    memcpy(column, c + (size_t)p * (size_t)n, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) {
        double *row = c + (size_t)i * (size_t)n, factor = column[i] / pivot;
        for (int k = 0; k < n; k++)
            row[k] -= factor * column[k];
    }
}

/* Leaves out directions that add nothing to the kept vectors and to the others: those of the pivots of
 * Cholesky's method stay, the largest first. */
static void choose_directions(const slip_gear_attachment *r, double *scratch, slip_gear_basis *b)
{
    int n = b->directions, size = r->gear->size;
    double *c = scratch, *column = scratch + (size_t)size * (size_t)size;
    unsigned char *chosen = (unsigned char *)(column + size);
    select_block(r->remainder.flexibility, size, b, c);
    memset(chosen, 0, (size_t)n);
    for (int count = 0; count < n && count < size - r->kept.count; count++) {
        int best = -1;
        double most = least_share;
        for (int i = 0; i < n; i++) {
            size_t d = (size_t)b->direction[i] * (size_t)(size + 1);
            double share = c[(size_t)i * (size_t)(n + 1)] / r->gear->remainder.flexibility[d];
            if (!chosen[i] && share > most) {
                best = i;
                most = share;
            }
        }
        if (best < 0)
            break;
        chosen[best] = 1;
        take_out(n, best, c, column);
    }
    b->directions = 0;
    for (int i = 0; i < n; i++)
        if (chosen[i])
            b->direction[b->directions++] = b->direction[i];
}

static int find_vectors(slip_context *ctx, const slip_gear_attachment *r, double *scratch, slip_gear_basis *b)
{
    const slip_gear_wheel *g = r->gear;
    int n = b->directions;
    size_t square = (size_t)g->size * (size_t)g->size;
    double *mass = scratch, *flexibility = scratch + square;
    select_block(r->remainder.mass, g->size, b, mass);
    select_block(r->remainder.flexibility, g->size, b, flexibility);
    const char *wrong = slip_attachment_orthonormalise(n, mass, flexibility, b->vectors, b->square + b->kept,
                                                       scratch + 2 * square);
    if (wrong)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: %s: %d modes leave less than rounding errors", g->name,
                         wrong, g->modes);
    for (int k = 0; k < n; k++) {
        const double *z = b->vectors + (size_t)k * (size_t)n;
        double rotation = 0, spread = 0;
        for (int i = 0; i < n; i++) {
            rotation += z[i] * r->remainder.rotation[b->direction[i]];
            spread += z[i] * r->remainder.spread[b->direction[i]];
        }
        b->rotation[b->kept + k] = rotation;
        b->spread[b->kept + k] = spread;
    }
    return SLIP_OK;
}

int slip_gear_basis_make(slip_context *ctx, const slip_gear_attachment *r, bool keep,
                         const unsigned char *set, double *scratch, slip_gear_basis *b)
{
    b->kept = keep ? r->kept.count : 0;
    b->directions = 0;
    for (int i = 0; i < r->gear->nodes; i++)
        for (int d = 0; set[i] && d < 3; d++)
            b->direction[b->directions++] = 3 * i + d;
    if (r->kept.count > 0 && b->directions > 0)
        choose_directions(r, scratch, b);
    b->count = b->kept + b->directions;
    if (b->kept > 0) {
        size_t bytes = sizeof(double) * (size_t)b->kept;
        memcpy(b->square, r->kept.square, bytes);
        memcpy(b->rotation, r->kept.rotation, bytes);
        memcpy(b->spread, r->kept.spread, bytes);
    }
    return b->directions > 0 ? find_vectors(ctx, r, scratch, b) : SLIP_OK;
}

/* ---- Use. */

void slip_gear_basis_rows(const slip_gear_attachment *r, const slip_gear_basis *b, bool left, int count,
                          const int *nodes, double *scratch, double *rows)
{
    double *to = scratch;
    for (int i = 0; i < 3 * count; i++) {
        size_t at = 3 * (size_t)nodes[i / 3] + (size_t)i % 3;
        const double *row = r->remainder.flexibility + at * (size_t)r->gear->size;
        double sign = left && i % 3 == 1 ? -1 : 1;
        for (int k = 0; k < b->directions; k++)
            *to++ = sign * row[b->direction[k]];
        for (int k = 0; k < b->kept; k++)
            rows[(size_t)i * (size_t)b->count + (size_t)k] =
                sign * r->kept.rows[at * (size_t)b->kept + (size_t)k];
    }
    /* Row by row the rows are (Z^T (G rows)^T) by columns. */
    if (b->directions > 0)
        slip_columns_multiply(
            true, b->directions, 3 * count, b->directions, 1, (slip_columns){b->vectors, b->directions},
            (slip_columns){scratch, b->directions}, 0, (slip_columns){rows + b->kept, b->count});
}

void slip_gear_basis_amplitudes(const slip_gear_basis *b, const double *p, double *amplitudes)
{
    int n = b->directions;
    if (n > 0)
        slip_columns_apply(false, n, n, 1, b->vectors, n, p + b->kept, 0, amplitudes);
}

void slip_gear_basis_displace(const slip_gear_attachment *r, const slip_gear_basis *b, const double *p,
                              double *scratch, double *displacement)
{
    double *a = scratch;
    slip_gear_basis_amplitudes(b, p, a);
    for (int i = 0; i < r->gear->size; i++) {
        const double *row = r->remainder.flexibility + (size_t)i * (size_t)r->gear->size;
        double sum = 0;
        for (int k = 0; k < b->kept; k++)
            sum += r->kept.rows[(size_t)i * (size_t)b->kept + (size_t)k] * p[k];
        for (int k = 0; k < b->directions; k++)
            sum += row[b->direction[k]] * a[k];
        displacement[i] = sum;
    }
}

/* to = Z_B^T matrix_BA a, a = Z_A p. */
static void cross(const double *matrix, int size, const slip_gear_basis *from, const double *p,
                  const slip_gear_basis *b, double *scratch, double *to)
{
    double *a = scratch, *sum = scratch + size;
    slip_gear_basis_amplitudes(from, p, a);
    for (int i = 0; i < b->directions; i++) {
        const double *row = matrix + (size_t)b->direction[i] * (size_t)size;
        sum[i] = 0;
        for (int k = 0; k < from->directions; k++)
            sum[i] += row[from->direction[k]] * a[k];
    }
    slip_columns_apply(true, b->directions, b->directions, 1, b->vectors, b->directions, sum, 0,
                       to + b->kept);
}

void slip_gear_basis_carry(const slip_gear_attachment *r, const slip_gear_basis *from,
                           const double *coordinates, const double *rates, const slip_gear_basis *to,
                           double *scratch, double *p, double *momenta)
{
    for (int i = 0; i < to->kept; i++) {
        p[i] = from->kept ? coordinates[i] : 0;
        momenta[i] = from->kept ? rates[i] : 0;
    }
    if (to->directions == 0)
        return;
    cross(r->remainder.flexibility, r->gear->size, from, coordinates, to, scratch, p);
    for (int i = to->kept; i < to->count; i++)
        p[i] /= to->square[i];
    cross(r->remainder.mass, r->gear->size, from, rates, to, scratch, momenta);
}
