#include "gear/train/train_stage.h"

#include "gear/modal/gear_modal_show.h"
#include "gear/train/train_work.h"

#include <stdlib.h>

struct slip_train_stage {
    slip_arena arena;
    const slip_system *system;
    slip_workspace *work;
    slip_gear_frames *frames;
    double *q, *v, *room;
};

/* Gears in the order of the train's bodies. */
static int make_frames(slip_context *ctx, slip_train_stage *s)
{
    const slip_train_work *w = s->work->own;
    const slip_train *train = w->train;
    slip_gear_subject *subjects = slip_arena_array(&s->arena, train->body_count, sizeof *subjects);
    SLIP_PASS(slip_allocated(ctx, subjects));
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        subjects[b] = body->modal >= 0 ? slip_gear_modal_subject(w->m, body->modal, &body->gear)
                                       : (slip_gear_subject){&body->gear, body->reduced, body->modes, NULL};
    }
    return slip_gear_frames_create(ctx, train->body_count, subjects, &s->frames);
}

int slip_train_stage_create(slip_context *ctx, const slip_system *system, slip_train_stage **stage)
{
    SLIP_FREED_BY(slip_train_stage_drop) slip_train_stage *s = slip_alloc(1, sizeof *s);
    *stage = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->system = system;
    SLIP_PASS(slip_workspace_create(ctx, system, &s->work));
    const slip_train_work *w = s->work->own;
    s->q = slip_arena_array(&s->arena, 2 * (int64_t)system->n, sizeof(double));
    s->room = slip_arena_array(&s->arena, w->m ? 3 * (int64_t)slip_gear_modal_size(w->m) : 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, s->q && s->room));
    s->v = s->q + system->n;
    SLIP_PASS(make_frames(ctx, s));
    SLIP_HAND(stage, s);
    return SLIP_OK;
}

void slip_train_stage_destroy(slip_train_stage *s)
{
    if (!s)
        return;
    slip_gear_frames_destroy(s->frames);
    slip_workspace_destroy(s->work);
    slip_arena_free(&s->arena);
    free(s);
}

int slip_train_stage_set(slip_context *ctx, slip_train_stage *s, const slip_step *step, double t,
                         slip_gear_scene *scene)
{
    static const double origin[2] = {0, 0}; /* of a gear that meets no other */
    const slip_train_work *w = s->work->own;
    step->state(step->self, t, s->q, s->v);
    slip_train_evaluate(s->system, s->work, s->q, s->v);
    SLIP_PASS(w->status);
    scene->time = t;
    scene->force = w->m ? w->m->totals.normal_force : 0;
    for (int b = 0; b < w->train->body_count; b++) {
        const slip_train_body *body = &w->train->bodies[b];
        if (body->modal >= 0)
            slip_gear_modal_show(w->m, body->modal, s->room, s->frames, b);
        else
            slip_gear_frames_place(s->frames, b, s->q[body->turn] + body->offset, origin,
                                   s->q + slip_train_first(w, b));
        SLIP_PASS(slip_gear_frames_solve(ctx, s->frames, b, &scene->gears[b]));
    }
    return SLIP_OK;
}
