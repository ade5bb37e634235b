/* The largest eigenvalue of an explicit model, by power iteration.
 *
 * A motion z is that of the free nodes and a rotation of each rigid part. K z is the difference of the
 * elastic forces at x + a z and x - a z over 2 a, a so small that the largest displacement is 1e-4 of the
 * smallest element: the cubic part of the forces is then below 1e-7 of the linear one. */
#include "fem/explicit/types.h"

#include <math.h>
#include <stdlib.h>

typedef struct iteration {
    double *motion;   /* of the nodes; those of rigid ones are not used */
    double *rotation; /* of each body that leads a shaft */
    double *position, *force[2];
} iteration;

/* Any motion in which every eigenvector has a part: a fixed sequence. */
static void begin(const slip_explicit *e, iteration *it)
{
    uint64_t seed = 1;
    for (int64_t i = 0; i < 3 * (int64_t)e->node_count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        it->motion[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
}

/* Scales to z M z = 1 and returns the largest displacement. */
static double normalise(const slip_explicit *e, iteration *it)
{
    double square = 0, largest = 0;
    for (int i = 0; i < e->node_count; i++)
        for (int d = 0; d < 3; d++) {
            double *z = &it->motion[3 * (size_t)i + (size_t)d];
            *z = e->held[i] ? 0 : *z;
            square += e->mass[i] * *z * *z;
            largest = fmax(largest, fabs(*z));
        }
    for (int k = 0; k < e->part_count; k++)
        if (slip_explicit_leads(e, k))
            square += e->parts[k].inertia * it->rotation[k] * it->rotation[k];
    double factor = 1 / sqrt(square);
    for (int64_t i = 0; i < 3 * (int64_t)e->node_count; i++)
        it->motion[i] *= factor;
    for (int k = 0; k < e->part_count; k++)
        it->rotation[k] *= factor;
    return largest * factor;
}

static void force_at(slip_explicit *e, iteration *it, double amount, double *force)
{
    for (int64_t i = 0; i < 3 * (int64_t)e->node_count; i++)
        it->position[i] = e->position[i] + amount * it->motion[i];
    for (int k = 0; k < e->part_count; k++)
        slip_explicit_turn(e, k, e->parts[k].angle + amount * it->rotation[e->parts[k].leader], it->position);
    slip_explicit_elastic(e, it->position, force, NULL);
}

/* z -> M^-1 K z; returns z K z. */
static double multiply(slip_explicit *e, iteration *it, double amount)
{
    double work = 0;
    for (int side = 0; side < 2; side++)
        force_at(e, it, side ? amount : -amount, it->force[side]);
    for (int64_t i = 0; i < 3 * (int64_t)e->node_count; i++)
        it->force[0][i] = (it->force[0][i] - it->force[1][i]) / (2 * amount);
    for (int k = 0; k < e->part_count; k++)
        if (slip_explicit_leads(e, k)) {
            double moment = slip_explicit_shaft_moment(e, k, e->position, it->force[0]);
            work += moment * it->rotation[k];
            it->rotation[k] = moment / e->parts[k].inertia;
        }
    for (int i = 0; i < e->node_count; i++)
        for (int d = 0; d < 3 && !e->held[i]; d++) {
            size_t at = 3 * (size_t)i + (size_t)d;
            work += it->force[0][at] * it->motion[at];
            it->motion[at] = it->force[0][at] / e->mass[i];
        }
    return work;
}

int slip_explicit_find_eigenvalue(slip_context *ctx, slip_explicit *e, double *eigenvalue)
{
    enum { turns = 500, watched = 10 };
    int64_t size = 3 * (int64_t)e->node_count;
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    iteration it = {.motion = slip_arena_array(&room, size, sizeof(double)),
                    .rotation = slip_arena_array(&room, e->part_count, sizeof(double)),
                    .position = slip_arena_array(&room, size, sizeof(double)),
                    .force = {slip_arena_array(&room, size, sizeof(double)),
                              slip_arena_array(&room, size, sizeof(double))}};
    double found = 0, before = 0;
    SLIP_PASS(slip_allocated(ctx, it.motion && it.rotation && it.position && it.force[0] && it.force[1]));
    begin(e, &it);
    for (int turn = 1; turn <= turns; turn++) {
        SLIP_PASS(slip_interrupt_check(ctx));
        double largest = normalise(e, &it);
        found = multiply(e, &it, 1e-4 * e->length / largest);
        if (turn % watched == 0) {
            if (found - before < 1e-3 * found)
                break;
            before = found;
        }
    }
    *eigenvalue = 1.02 * found;
    return SLIP_OK;
}
