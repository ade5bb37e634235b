/* The structure `modal`: its matrices, and its memory in a workspace. */
#include "gear/train/train_work.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- The system. */

/* When the system is finished. */
int slip_train_derive(slip_context *ctx, slip_system *system)
{
    const slip_train *train = system->bodies;
    const int64_t n = system->n;
    (void)ctx;
    system->varying_mass = true;
    for (int64_t i = train->lumped; i < n; i++)
        system->mass[i * (n + 1)] = 1;
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        const slip_reduced_mode *modes = slip_reduced_modes(body->reduced);
        for (int k = 0; k < body->modes; k++) {
            const int64_t at = (train->lumped + body->first + k) * (n + 1);
            system->stiffness[at] = pow(2 * pi * modes[k].frequency, 2);
            system->damping[at] = body->damping[0] * system->stiffness[at];
        }
    }
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            for (int j = 0; j < 2 * side->window * side->size; j++) {
                const int64_t at = (train->lumped + side->first + j) * (n + 1);
                system->stiffness[at] = side->square[j % side->size];
                system->damping[at] = train->bodies[side->body].damping[1] * system->stiffness[at];
            }
        }
    return SLIP_OK;
}

/* ---- Workspaces. */

static int list_entries(slip_context *ctx, const slip_system *system, slip_train_work *w)
{
    const int n = system->n;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(w->entries = slip_arena_array(&w->arena, count + 1, sizeof *w->entries)))
            return slip_fail_memory(ctx);
        count = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const double k = system->stiffness[(int64_t)i * n + j],
                             c = system->damping[(int64_t)i * n + j];
                if (k == 0 && c == 0)
                    continue;
                if (pass)
                    w->entries[count] = (slip_train_entry){i, j, k, c};
                count++;
            }
    }
    w->entry_count = count;
    return SLIP_OK;
}

/* Makes the flanks with attachment vectors, as many as the windows of a body have, in their order. */
static int make_slots(slip_context *ctx, slip_train_work *w, int b)
{
    const slip_train *train = w->train;
    slip_modal_gear *g = &w->m->gear[train->bodies[b].modal];
    g->at = w->m->count;
    g->count = 1 + g->wheel->modes;
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            const int count = 2 * side->window;
            if (side->body != b)
                continue;
            w->slots[i][k] = slip_arena_array(&w->arena, count + 1, sizeof **w->slots[i]);
            if (!w->slots[i][k] || g->flank_count + count > g->flank_capacity)
                return slip_fail_memory(ctx);
            for (int slot = 0; slot < count; slot++, g->count += side->size) {
                slip_modal_flank *f = w->slots[i][k][slot] = g->flanks[g->flank_count++];
                f->flank = -1;
                f->pair = i;
                f->side = k;
                f->close = false;
                f->basis = g->full;
                f->at = g->at + g->count;
            }
        }
    w->m->count += g->count;
    return SLIP_OK;
}

static int make_modal(slip_context *ctx, slip_train_work *w)
{
    SLIP_PASS(slip_train_open_modal(ctx, w->train, &w->m));
    slip_gear_modal_start(w->m, 0);
    w->m->count = 0;
    for (int b = 0; b < w->train->body_count; b++)
        if (w->train->bodies[b].modal >= 0)
            SLIP_PASS(make_slots(ctx, w, b));
    return SLIP_OK;
}

/* The part of c that does not change: that of attachment vectors. */
static void fill_couplings(slip_train_work *w)
{
    for (int i = 0; i < w->train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &w->train->meshes[i].side[k];
            const double *rotation = slip_train_full(w, side)->rotation;
            for (int slot = 0; slot < 2 * side->window; slot++)
                for (int j = 0; j < side->size; j++)
                    w->coupling_there[side->first + slot * side->size + j] =
                        slot < side->window ? rotation[j] : -rotation[j];
        }
}

void slip_train_close(slip_workspace *work)
{
    slip_train_work *w = work->own;
    if (!w)
        return;
    slip_gear_modal_destroy(w->m);
    for (int b = 0; w->frames && b < w->train->body_count; b++)
        slip_floating_destroy(w->frames[b]);
    slip_arena_free(&w->arena);
    free(w);
    work->own = NULL;
}

static bool allocate(slip_train_work *w, int n)
{
    const slip_train *train = w->train;
    const int64_t given = train->lumped;
    w->frames = slip_arena_array(&w->arena, train->body_count, sizeof *w->frames);
    w->slots = slip_arena_array(&w->arena, train->mesh_count + 1, sizeof *w->slots);
    w->coupling =
        slip_arena_array(&w->arena, 2 * ((int64_t)train->count + train->body_count), sizeof(double));
    w->schur = slip_arena_array(&w->arena, given * given, sizeof(double));
    w->right = slip_arena_array(&w->arena, 2 * given + n, sizeof(double));
    w->q = slip_arena_array(&w->arena, 6 * (int64_t)n, sizeof(double));
    return w->frames && w->slots && w->coupling && w->schur && w->right && w->q;
}

int slip_train_open(slip_context *ctx, const slip_system *system, slip_workspace *work)
{
    const slip_train *train = system->bodies;
    slip_train_work *w = work->own = slip_alloc(1, sizeof *w);
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, w));
    w->ctx = ctx;
    w->train = train;
    SLIP_TRY(slip_allocated(ctx, allocate(w, system->n)));
    w->v = w->q + system->n;
    w->force = w->v + system->n;
    w->room = w->force + system->n;
    w->moment = w->coupling + train->count;
    w->coupling_there = w->moment + train->body_count;
    w->moment_there = w->coupling_there + train->count;
    for (int b = 0; b < train->body_count; b++)
        SLIP_TRY(
            slip_floating_create(ctx, train->bodies[b].reduced, train->bodies[b].modes, 0, &w->frames[b]));
    if (train->mesh_count > 0)
        SLIP_TRY(make_modal(ctx, w));
    fill_couplings(w);
    SLIP_TRY(list_entries(ctx, system, w));
done:
    if (status < 0)
        slip_train_close(work);
    return status;
}
