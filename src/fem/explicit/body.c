/* The forces of bricks as those of a body of a field. */
#include "fem/explicit/body.h"

#include "fem/explicit/types.h"
#include "math/vector.h"

#include <stdlib.h>
#include <string.h>

int slip_brick_body_create(slip_context *ctx, const slip_brick_body *from, slip_brick_body **body)
{
    const int64_t count = 3 * (int64_t)from->mesh->node_count;
    slip_brick_body *b = *body = slip_alloc(1, sizeof *b);
    SLIP_PASS(slip_allocated(ctx, b));
    *b = *from;
    b->part = slip_alloc(count, sizeof *b->part);
    SLIP_PASS(slip_allocated(ctx, b->part));
    memcpy(b->part, from->part, (size_t)count * sizeof *b->part);
    return SLIP_OK;
}

void slip_brick_body_destroy(slip_brick_body *body)
{
    if (!body)
        return;
    free(body->part);
    free(body);
}

/* ---- An instance. */

typedef struct bricks {
    slip_arena arena;
    const slip_brick_body *of;
    slip_explicit *model;
    double *position, *force; /* of all components */
    double *displacement;     /* where it has springs */
} bricks;

static void close_bricks(void *self)
{
    SLIP_FREED bricks *b = self;
    if (!b)
        return;
    slip_explicit_destroy(b->model);
    slip_arena_free(&b->arena);
}

static int open_bricks(slip_context *ctx, const void *of, int threads, void **self)
{
    const slip_brick_body *body = of;
    const int64_t count = 3 * (int64_t)body->mesh->node_count;
    const slip_explicit_body description = {.name = body->name,
                                            .mesh = body->mesh,
                                            .young = body->elastic->young,
                                            .poisson = body->elastic->poisson,
                                            .density = body->elastic->density,
                                            .hourglass = body->hourglass};
    slip_explicit_options options = slip_explicit_options_default();
    bricks *b = slip_alloc(1, sizeof *b);
    int status = slip_allocated(ctx, b);
    SLIP_TRY(status);
    options.threads = threads;
    options.bare = true;
    b->of = body;
    b->position = slip_arena_array(&b->arena, count, sizeof *b->position);
    b->force = slip_arena_array(&b->arena, count, sizeof *b->force);
    b->displacement = slip_arena_array(&b->arena, body->springs ? count : 1, sizeof *b->displacement);
    SLIP_TRY(slip_allocated(ctx, b->position && b->force && b->displacement));
    SLIP_TRY(slip_explicit_create(ctx, 1, &description, &options, &b->model));
    SLIP_HAND(self, b);
done:
    close_bricks(b);
    return status;
}

/* Springs hold all components, which move by the displacements of those that are free. */
static void add_springs(bricks *b, const double *displacement, double *force, double *energy)
{
    const slip_brick_body *of = b->of;
    const int64_t count = of->springs->size;
    for (int64_t i = 0; i < count; i++)
        b->displacement[i] = of->part[i] >= 0 ? displacement[of->part[i]] : 0;
    slip_sparse_multiply(of->springs, b->displacement, b->force);
    for (int64_t i = 0; i < count; i++)
        if (of->part[i] >= 0)
            force[of->part[i]] += b->force[i];
    if (energy)
        *energy += 0.5 * slip_dot(count, b->displacement, b->force);
}

static void find_forces(void *self, const double *displacement, double *force, double *energy)
{
    bricks *b = self;
    const slip_brick_body *of = b->of;
    const int64_t count = 3 * (int64_t)of->mesh->node_count;
    for (int64_t i = 0; i < count; i++)
        b->position[i] = of->mesh->points[i] + (of->part[i] >= 0 ? displacement[of->part[i]] : 0);
    slip_explicit_elastic(b->model, b->position, b->force, energy);
    for (int64_t i = 0; i < count; i++)
        if (of->part[i] >= 0)
            force[of->part[i]] = -b->force[i];
    if (of->springs)
        add_springs(b, displacement, force, energy);
}

/* Springs add less than the largest sum of a row over a mass. */
static int find_eigenvalue(slip_context *ctx, void *self, double *eigenvalue)
{
    const bricks *b = self;
    const slip_sparse *springs = b->of->springs;
    const double *mass = slip_explicit_state_of(b->model).mass;
    double most = 0;
    SLIP_PASS(slip_explicit_find_eigenvalue(ctx, b->model, eigenvalue));
    if (!springs)
        return SLIP_OK;
    memset(b->force, 0, (size_t)springs->size * sizeof *b->force);
    for (int64_t j = 0; j < springs->size; j++)
        for (int64_t k = springs->start[j]; k < springs->start[j + 1]; k++) {
            const double size = fabs(springs->value[k]);
            b->force[j] += size / mass[j / 3];
            if (springs->row[k] != j)
                b->force[springs->row[k]] += size / mass[springs->row[k] / 3];
        }
    for (int64_t j = 0; j < springs->size; j++)
        most = fmax(most, b->force[j]);
    *eigenvalue += most;
    return SLIP_OK;
}

const slip_field_elastic slip_brick_elastic = {
    .open = open_bricks, .close = close_bricks, .forces = find_forces, .eigenvalue = find_eigenvalue};
