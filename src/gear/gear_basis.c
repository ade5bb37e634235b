/* Residual vectors of a set of nodes. The theory is in the header. */
#include "gear/gear_basis.h"

#include "flex/residual.h"
#include "math/columns.h"

#include <string.h>

int slip_gear_basis_reserve(slip_context *ctx, slip_arena *arena, int size, bool own, slip_gear_basis *b)
{
    *b = (slip_gear_basis){.direction = slip_arena_array(arena, size, sizeof *b->direction),
                           .square = slip_arena_array(arena, size, sizeof(double)),
                           .rotation = slip_arena_array(arena, size, sizeof(double)),
                           .spread = slip_arena_array(arena, size, sizeof(double))};
    if (own)
        b->vectors = slip_arena_array(arena, (int64_t)size * size, sizeof(double));
    bool fine = b->direction && b->square && b->rotation && b->spread && (b->vectors || !own);
    return fine ? SLIP_OK : slip_fail_memory(ctx);
}

/* to = from of the rows and columns of the directions. */
static void select_block(const double *from, int size, const slip_gear_basis *b, double *to)
{
    for (int i = 0; i < b->count; i++) {
        const double *row = from + (size_t)b->direction[i] * (size_t)size;
        for (int k = 0; k < b->count; k++)
            *to++ = row[b->direction[k]];
    }
}

int slip_gear_basis_make(slip_context *ctx, const slip_gear_wheel *g, const unsigned char *set,
                         double *scratch, slip_gear_basis *b)
{
    size_t square = (size_t)g->size * (size_t)g->size;
    double *mass = scratch, *flexibility = scratch + square;
    b->count = 0;
    for (int i = 0; i < g->nodes; i++)
        for (int d = 0; set[i] && d < 3; d++)
            b->direction[b->count++] = 3 * i + d;
    if (b->count == 0)
        return SLIP_OK;
    select_block(g->rest.mass, g->size, b, mass);
    select_block(g->rest.flexibility, g->size, b, flexibility);
    const char *wrong = slip_residual_orthonormalise(b->count, mass, flexibility, b->vectors, b->square,
                                                     scratch + 2 * square);
    if (wrong)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: %s: %d modes leave less than rounding errors", g->name,
                         wrong, g->modes);
    for (int k = 0; k < b->count; k++) {
        const double *z = b->vectors + (size_t)k * (size_t)b->count;
        b->rotation[k] = b->spread[k] = 0;
        for (int i = 0; i < b->count; i++) {
            b->rotation[k] += z[i] * g->rest.rotation[b->direction[i]];
            b->spread[k] += z[i] * g->rest.spread[b->direction[i]];
        }
    }
    return SLIP_OK;
}

void slip_gear_basis_rows(const slip_gear_wheel *g, const slip_gear_basis *b, bool left, int count,
                          const int *nodes, double *scratch, double *rows)
{
    double *to = scratch;
    for (int i = 0; i < 3 * count; i++) {
        const double *row = g->rest.flexibility + (size_t)(3 * nodes[i / 3] + i % 3) * (size_t)g->size;
        double sign = left && i % 3 == 1 ? -1 : 1;
        for (int k = 0; k < b->count; k++)
            *to++ = sign * row[b->direction[k]];
    }
    /* Row by row the rows are (Z^T (G rows)^T) by columns. */
    slip_columns_multiply(true, b->count, 3 * count, b->count, 1, (slip_columns){b->vectors, b->count},
                          (slip_columns){scratch, b->count}, 0, (slip_columns){rows, b->count});
}

void slip_gear_basis_amplitudes(const slip_gear_basis *b, const double *p, double *amplitudes)
{
    if (b->count > 0)
        slip_columns_apply(false, b->count, b->count, 1, b->vectors, b->count, p, 0, amplitudes);
}

/* to = matrix_BA a. */
static void cross(const double *matrix, int size, const slip_gear_basis *from, const double *a,
                  const slip_gear_basis *b, double *to)
{
    for (int i = 0; i < b->count; i++) {
        const double *row = matrix + (size_t)b->direction[i] * (size_t)size;
        to[i] = 0;
        for (int k = 0; k < from->count; k++)
            to[i] += row[from->direction[k]] * a[k];
    }
}

void slip_gear_basis_carry(const slip_gear_wheel *g, const slip_gear_basis *from, const double *amplitudes,
                           const double *rates, const slip_gear_basis *to, double *scratch, double *p,
                           double *momenta)
{
    int n = to->count;
    if (n == 0)
        return;
    cross(g->rest.flexibility, g->size, from, amplitudes, to, scratch);
    slip_columns_apply(true, n, n, 1, to->vectors, n, scratch, 0, p);
    for (int i = 0; i < n; i++)
        p[i] /= to->square[i];
    cross(g->rest.mass, g->size, from, rates, to, scratch);
    slip_columns_apply(true, n, n, 1, to->vectors, n, scratch, 0, momenta);
}
