#include "simulation/equilibrium.h"

#include "flex/plane_motion.h"
#include "simulation/scene.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool create(slip_arena *arena, const slip_system *system, slip_equilibrium *to)
{
    const int64_t n = slip_system_size(system), m = system->contact_count;
    *to = (slip_equilibrium){.q = slip_arena_array(arena, n + 1, sizeof(double)),
                             .v = slip_arena_array(arena, n + 1, sizeof(double)),
                             .slip = slip_arena_array(arena, m + 1, sizeof(double)),
                             .normal = slip_arena_array(arena, m + 1, sizeof(double)),
                             .force = slip_arena_array(arena, m + 1, sizeof(double)),
                             .modes = slip_arena_array(arena, m + 1, sizeof(slip_mode)),
                             .patches =
                                 slip_arena_array(arena, system->patch_count + 1, sizeof(slip_patch_state))};
    return to->q && to->v && to->slip && to->normal && to->force && to->modes && to->patches;
}

/* Of several the one whose determinant is positive and that is nearest to where the model starts; of a
 * continuum one of its ends. */
typedef struct choice {
    const slip_static_solution *item;
    const double *lambda, *d;
    double size;
} choice;

static choice choose(const slip_scene *scene, const slip_static_solutions *list)
{
    choice best = {.item = NULL};
    for (int64_t k = 0; k < list->count; k++) {
        const slip_static_solution *item = &list->items[k];
        for (int e = 0; e < (item->end_count > 0 ? item->end_count : 1); e++) {
            const double *d = item->end_count > 0 ? item->end_d[e] : item->d;
            double size = item->sign_high > 0 ? 0 : 1e300;
            for (int i = 0; i < slip_system_coordinates(scene->model->system); i++)
                size += fabs(d[scene->first_coordinate + i] - scene->model->initial_q[i]);
            if (!best.item || size < best.size)
                best = (choice){item, item->end_count > 0 ? item->end_lambda[e] : item->lambda, d, size};
        }
    }
    return best;
}

static int translate(slip_scene *scene, const choice *from, slip_equilibrium *to)
{
    const slip_system *system = scene->model->system;
    const int coordinates = slip_system_coordinates(system);
    slip_scene_contact *of = slip_alloc(scene->shape.contact_count + 1, sizeof *of);
    int status = of ? SLIP_OK : slip_fail_memory(scene->ctx);
    SLIP_TRY(status);
    SLIP_TRY(slip_scene_contacts(scene, scene->value, from->lambda, from->d, of));
    for (int i = 0; i < system->n; i++)
        (i < coordinates ? to->q : to->v)[i] = from->d[scene->first_coordinate + i];
    for (int c = 0; c < scene->shape.contact_count; c++) {
        const int own = scene->model_contacts[c];
        const slip_contact *contact = &system->contacts[own];
        to->normal[own] = of[c].normal;
        to->force[own] = of[c].tangential;
        to->modes[own] = from->item->modes[c];
        if (scene->general && from->item->modes[c] != SLIP_MODE_STICK)
            to->slip[own] = slip_scene_drives(scene, c) ? of[c].slip : 0;
        for (int k = 0; k < contact->shown / 2; k++) {
            to->patches[contact->vector].slip[k] = slip_scene_drives(scene, c) ? of[c].plane[k] : 0;
            to->patches[contact->vector].force[k] = of[c].plane[3 + k];
        }
    }
    to->stability = from->item->sign_low == from->item->sign_high ? from->item->sign_low : 0;
done:
    free(of);
    return status;
}

/* From the state of the reduced bodies to that of the whole ones. */
static void unfold(const slip_model *model, const slip_model *reduced, const double *from_q,
                   const double *from_v, slip_equilibrium *to)
{
    const slip_plane_motion *whole = model->bodies->motion, *motion = reduced->bodies->motion;
    const int coordinates = slip_system_coordinates(model->system), given = coordinates - whole->count,
              all = slip_system_coordinates(reduced->system);
    memcpy(to->q, from_q, sizeof(double) * (size_t)given);
    memcpy(to->v + coordinates, from_v + all, sizeof(double) * (size_t)model->system->state_count);
    for (int b = 0; b < motion->body_count; b++) {
        const double *own = from_q + given + motion->first[b];
        if (whole->bodies[b])
            memcpy(to->q + given + whole->first[b], own,
                   sizeof(double) * (size_t)(motion->first[b + 1] - motion->first[b]));
        else
            slip_plane_motion_unfold(motion, b, from_q + given,
                                     to->q + model->system->n + whole->first_field[b]);
    }
}

int slip_equilibrium_find(slip_context *ctx, const slip_model *model, slip_arena *arena, slip_equilibrium *to)
{
    const int restarts = 30;
    slip_scene *scene = NULL;
    slip_static_solutions list = {0};
    slip_static_problem problem;
    int status;
    SLIP_TRY(slip_model_check_lumped(ctx, model));
    if (model->system->structure->push) {
        SLIP_TRY(slip_allocated(ctx, create(arena, model->system, to)));
        return slip_equilibrium_relax(ctx, model, arena, to);
    }
    SLIP_TRY(slip_scene_open(ctx, model, NULL, 0, 1, &scene));
    SLIP_TRY(slip_allocated(ctx, create(arena, scene->model->system, to)));
    SLIP_TRY(slip_scene_solve(scene, 0, restarts, &problem, &list));
    const choice best = choose(scene, &list);
    if (!best.item) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "initial: static: the model has no static solution at t = %.9g to start from",
                           slip_scene_time(model));
        goto done;
    }
    SLIP_TRY(translate(scene, &best, to));
    if (scene->reduced) {
        const double *q = to->q, *v = to->v;
        const int64_t size = slip_system_size(model->system);
        to->q = slip_arena_array(arena, size + 1, sizeof(double));
        to->v = slip_arena_array(arena, size + 1, sizeof(double));
        SLIP_TRY(slip_allocated(ctx, to->q && to->v));
        unfold(model, scene->reduced, q, v, to);
    }
done:
    slip_static_solutions_free(&list);
    slip_scene_close(scene);
    return status;
}
