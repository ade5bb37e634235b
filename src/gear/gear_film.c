#include "gear/gear_film.h"

#include "gear/gear_motion.h"
#include "gear/train/train.h"
#include "gear/train/train_stage.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>

struct slip_gear_film {
    slip_arena arena;
    slip_context *ctx;
    const slip_system *system;
    int frames, shown;
    double from, end;
    slip_gear_frame_function function;
    void *user;
    int gear_count, mesh_count;
    const slip_gear_options *gears;
    int (*meshes)[2]; /* which gears meet */
    slip_gear_scene scene;
    double (*pitch)[2];
    slip_train_stage *stage; /* NULL: not needed yet */
    slip_observer to;        /* whoever watches through it */
};

/* ---- The gears of a system. */

/* Those of a train; NULL: it has none. */
static const slip_train *train_of(const slip_system *system)
{
    return slip_structure_is_train(system->structure) ? system->bodies : NULL;
}

const slip_gear_options *slip_system_gears(const slip_system *system, slip_arena *arena, int *count)
{
    const slip_train *train = train_of(system);
    slip_gear_options *list;
    *count = train ? train->body_count : 2;
    if (!train && system->structure == &slip_structure_gears)
        return ((const slip_gear_task *)system->bodies)->gears;
    *count = train ? *count : 0;
    list = train ? slip_arena_array(arena, *count, sizeof *list) : NULL;
    for (int b = 0; list && b < *count; b++)
        list[b] = train->bodies[b].gear;
    return list;
}

static void list_meshes(slip_gear_film *f)
{
    const slip_train *train = train_of(f->system);
    for (int i = 0; i < f->mesh_count; i++)
        for (int k = 0; k < 2; k++)
            f->meshes[i][k] = train ? train->meshes[i].side[k].body : k;
}

/* ---- Making. */

int slip_gear_film_create(slip_context *ctx, const slip_system *system, int frames,
                          slip_gear_frame_function function, void *user, slip_gear_film **film)
{
    slip_gear_film *f = *film = slip_alloc(1, sizeof *f);
    SLIP_PASS(slip_allocated(ctx, f));
    f->ctx = ctx;
    f->system = system;
    f->frames = frames;
    f->function = function;
    f->user = user;
    f->gears = slip_system_gears(system, &f->arena, &f->gear_count);
    f->mesh_count = train_of(system) ? train_of(system)->mesh_count : 1;
    f->meshes = slip_arena_array(&f->arena, f->mesh_count, sizeof *f->meshes);
    f->pitch = slip_arena_array(&f->arena, f->mesh_count, sizeof *f->pitch);
    f->scene.gears = slip_arena_array(&f->arena, f->gear_count, sizeof *f->scene.gears);
    if (!f->gears || !f->meshes || !f->pitch || !f->scene.gears) {
        slip_gear_film_destroy(f);
        *film = NULL;
        return slip_fail_memory(ctx);
    }
    list_meshes(f);
    return SLIP_OK;
}

void slip_gear_film_destroy(slip_gear_film *f)
{
    if (!f)
        return;
    slip_train_stage_destroy(f->stage);
    slip_arena_free(&f->arena);
    free(f);
}

/* ---- Frames. */

/* When the next one is due. */
static double due(const slip_gear_film *f)
{
    return f->frames > 1 ? f->from + (f->end - f->from) * f->shown / (f->frames - 1) : f->from;
}

static int set_scene(slip_gear_film *f, const slip_step *step, double t)
{
    if (step->scene)
        return step->scene(step->self, t, &f->scene);
    if (!f->stage)
        SLIP_PASS(slip_train_stage_create(f->ctx, f->system, &f->stage));
    return slip_train_stage_set(f->ctx, f->stage, step, t, &f->scene);
}

static int show(slip_gear_film *f, const slip_step *step, double t)
{
    int status = SLIP_OK;
    SLIP_PASS(set_scene(f, step, t));
    for (int i = 0; i < f->mesh_count; i++) {
        const int *gear = f->meshes[i];
        const double *a = f->scene.gears[gear[0]].centre, *b = f->scene.gears[gear[1]].centre;
        const int teeth = f->gears[gear[0]].teeth;
        for (int d = 0; d < 2; d++)
            f->pitch[i][d] = a[d] + (b[d] - a[d]) * teeth / (teeth + f->gears[gear[1]].teeth);
    }
    status = f->function(f->user, f->ctx,
                         &(slip_gear_frame){.number = f->shown,
                                            .time = f->scene.time,
                                            .force = f->scene.force,
                                            .gear_count = f->gear_count,
                                            .mesh_count = f->mesh_count,
                                            .gears = f->scene.gears,
                                            .pitch = (const double(*)[2])f->pitch});
    f->shown++;
    return status;
}

/* A frame that ends the run does so with the step seen. */
static int see_step(void *user, const slip_step *step)
{
    slip_gear_film *f = user;
    const double slack = 1e-12 * (f->end - f->from);
    int status = f->to.step ? f->to.step(f->to.user, step) : SLIP_OK, shown = SLIP_OK;
    while (status >= 0 && shown >= 0 && f->shown < f->frames && due(f) <= step->t1 + slack)
        shown = show(f, step, fmin(fmax(due(f), step->t0), step->t1));
    return status < 0 || shown >= 0 ? status : shown;
}

static int see_event(void *user, const slip_event *event)
{
    const slip_gear_film *f = user;
    return f->to.event ? f->to.event(f->to.user, event) : SLIP_OK;
}

static void see_impulse(void *user, int contact, double impulse)
{
    const slip_gear_film *f = user;
    if (f->to.impulse)
        f->to.impulse(f->to.user, contact, impulse);
}

slip_observer slip_gear_film_observe(slip_gear_film *f, double from, double end,
                                     const slip_observer *observer)
{
    slip_observer own = *observer;
    f->to = *observer;
    f->from = from;
    f->end = end;
    own.user = f;
    own.step = see_step;
    own.event = see_event;
    own.impulse = see_impulse;
    return own;
}

void slip_gear_film_keep(slip_gear_film *f, slip_keeper *k)
{
    double shown = f->shown;
    slip_keep(k, "film", &shown, 1);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "film", &shown, 1, 0, f->frames);
    if (slip_kept_back(k))
        f->shown = (int)shown;
}
