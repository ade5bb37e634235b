/* Attachment vectors that move. The theory is in the header. */
#include "gear/body/gear_kept.h"

#include "flex/attachment.h"
#include "math/columns.h"
#include "math/dense.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- Making. */

/* Rows of g = G z and G' = G - sum g g^T/w^2, from the columns of Z. */
static int take_vectors(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g, const double *vectors,
                        slip_gear_kept *kept)
{
    int n = g->size, count = kept->count;
    /* They are only read. */
    double *columns = (double *)(uintptr_t)vectors, *whole = (double *)(uintptr_t)g->remainder.flexibility;
    if (count == 0)
        return SLIP_OK;
    double *flexibility = slip_arena_array(arena, (int64_t)n * n, sizeof(double));
    kept->rows = slip_arena_array(arena, (int64_t)n * count, sizeof(double));
    kept->vectors = slip_arena_array(arena, (int64_t)n * count, sizeof(double));
    kept->rotation = slip_arena_array(arena, count, sizeof(double));
    kept->spread = slip_arena_array(arena, count, sizeof(double));
    SLIP_FREED double *soft = slip_alloc((int64_t)n * count, sizeof(double)); /* g/w^2 */
    SLIP_PASS(slip_allocated(ctx, flexibility && kept->rows && kept->vectors && kept->rotation &&
                                      kept->spread && soft));
    memcpy(kept->vectors, vectors, sizeof(double) * (size_t)n * (size_t)count);
    /* Row by row the rows are Z^T G by columns. */
    slip_columns_multiply(true, count, n, n, 1, (slip_columns){columns, n}, (slip_columns){whole, n}, 0,
                          (slip_columns){kept->rows, count});
    slip_columns_apply(true, n, count, 1, vectors, n, g->remainder.rotation, 0, kept->rotation);
    slip_columns_apply(true, n, count, 1, vectors, n, g->remainder.spread, 0, kept->spread);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < count; k++)
            soft[i * count + k] = kept->rows[i * count + k] / kept->square[k];
    memcpy(flexibility, g->remainder.flexibility, sizeof(double) * (size_t)n * (size_t)n);
    slip_columns_multiply(true, n, n, count, -1, (slip_columns){soft, count},
                          (slip_columns){kept->rows, count}, 1, (slip_columns){flexibility, n});
    kept->flexibility = flexibility;
    return SLIP_OK;
}

/* With all modes of the body in use its file has the vectors. */
static int take_stored(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g, double highest,
                       int most, slip_gear_kept *kept)
{
    slip_reduced_surface surface = slip_reduced_surface_at(g->body, g->surface[0]);
    slip_reduced_attachment stored = slip_reduced_attachment_at(g->body, surface.attachment);
    for (; kept->count < most && kept->count < g->size; kept->count++) {
        double frequency = 2 * pi * stored.frequency[kept->count];
        if (frequency > highest)
            break;
        kept->square[kept->count] = frequency * frequency;
    }
    return take_vectors(ctx, arena, g, stored.vectors, kept);
}

static int find_vectors(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g, double highest,
                        int most, slip_gear_kept *kept)
{
    int64_t square = (int64_t)g->size * g->size;
    SLIP_FREED double *numbers = slip_alloc(3 * square + g->size, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, numbers));
    double *flexibility = numbers, *vectors = numbers + square, *scratch = vectors + square;
    memcpy(flexibility, g->remainder.flexibility, sizeof(double) * (size_t)square);
    const char *wrong = slip_attachment_lowest(g->size, g->remainder.mass, flexibility, highest * highest,
                                               vectors, kept->square, &kept->count, scratch);
    if (wrong)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: %s: %d modes leave less than rounding errors", g->name,
                         wrong, g->modes);
    kept->count = kept->count < most ? kept->count : most;
    return take_vectors(ctx, arena, g, vectors, kept);
}

int slip_gear_kept_make(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g, double highest,
                        int most, slip_gear_kept *kept)
{
    *kept = (slip_gear_kept){.flexibility = g->remainder.flexibility};
    if (!(highest > 0) || most == 0)
        return SLIP_OK;
    kept->square = slip_arena_array(arena, g->size, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, kept->square));
    return g->modes == slip_reduced_mode_count(g->body) ? take_stored(ctx, arena, g, highest, most, kept)
                                                        : find_vectors(ctx, arena, g, highest, most, kept);
}

int slip_gear_kept_remainder(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *g,
                             const slip_gear_kept *kept, slip_gear_remainder *remainder)
{
    int n = g->size, count = kept->count;
    *remainder = g->remainder;
    if (count == 0)
        return SLIP_OK;
    double *mass = slip_arena_array(arena, (int64_t)n * n, sizeof(double));
    double *rotation = slip_arena_array(arena, n, sizeof(double));
    double *spread = slip_arena_array(arena, n, sizeof(double));
    SLIP_FREED double *soft = slip_alloc((int64_t)n * count, sizeof(double)); /* M z = g/w^2 */
    SLIP_PASS(slip_allocated(ctx, mass && rotation && spread && soft));
    for (int i = 0; i < n; i++) {
        double *row = soft + (size_t)i * (size_t)count;
        for (int k = 0; k < count; k++)
            row[k] = kept->rows[(size_t)i * (size_t)count + (size_t)k] / kept->square[k];
        rotation[i] = g->remainder.rotation[i] - slip_dense_dot(count, row, kept->rotation);
        spread[i] = g->remainder.spread[i] - slip_dense_dot(count, row, kept->spread);
    }
    memcpy(mass, g->remainder.mass, sizeof(double) * (size_t)n * (size_t)n);
    slip_columns_multiply(true, n, n, count, -1, (slip_columns){soft, count}, (slip_columns){soft, count}, 1,
                          (slip_columns){mass, n});
    *remainder = (slip_gear_remainder){kept->flexibility, mass, rotation, spread};
    return SLIP_OK;
}

/* ---- Use. */

/* On a left flank y has the other sign. */
static double sign_of(int flank, int direction)
{
    return flank % 2 && direction == 1 ? -1 : 1;
}

static void add_row(const slip_gear_kept *kept, int direction, double factor, double *to)
{
    const double *row = kept->rows + (size_t)direction * (size_t)kept->count;
    for (int k = 0; k < kept->count; k++)
        to[k] += factor * row[k];
}

void slip_gear_kept_row(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                        const double *share, const double force[3], double *to)
{
    memset(to, 0, sizeof(double) * (size_t)kept->count);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            add_row(kept, 3 * nodes[i] + d, sign_of(flank, d) * share[i] * force[d], to);
}

void slip_gear_kept_displace(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                             const double *p, double *displacement)
{
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++) {
            int at = 3 * nodes[i] + d;
            displacement[at] += sign_of(flank, d) *
                                slip_dense_dot(kept->count, kept->rows + (size_t)at * (size_t)kept->count, p);
        }
}

void slip_gear_kept_amplitudes(const slip_gear_kept *kept, int flank, int size, const double *p,
                               const double *e, double *scratch, double *amplitude)
{
    memset(scratch, 0, sizeof(double) * (size_t)kept->count);
    for (int i = 0; i < size; i++)
        if (e[i] != 0)
            add_row(kept, i, sign_of(flank, i % 3) * e[i], scratch);
    memcpy(amplitude, e, sizeof *e * (size_t)size);
    for (int k = 0; k < kept->count; k++) {
        const double *z = kept->vectors + (size_t)k * (size_t)size;
        const double share = p[k] - scratch[k] / kept->square[k];
        for (int i = 0; i < size; i++)
            amplitude[i] += share * sign_of(flank, i % 3) * z[i];
    }
}
