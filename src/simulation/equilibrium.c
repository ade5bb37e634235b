#include "simulation/equilibrium.h"

#include "flex/plane_motion.h"
#include "law/law.h"
#include "math/dense.h"
#include "simulation/scene.h"
#include "system/structure/structure.h"
#include "system/vibration/linearise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Static equilibrium of a model. For a model with gears among its bodies, whose contact forces of flanks the
 * structure computes (system/structure/structure.h), it is found by steps in pseudo time from the initial
 * state:
 *
 * At a state at rest let a be the acceleration, K the stiffness with that of flanks in contact, and J and G
 * the rows of sticking contacts (system/vibration/linearise.h). A step of length s of the implicit Euler
 * method, started at zero velocity, is
 *
 *     (M/s^2 + K) dq = M a + G^T l,    J dq = 0.
 *
 * A short step reduces the energy, a long one is a Newton step. s is raised where accelerations decrease, and
 * lowered where they increase, as when a tooth comes into contact or a flank opens. */

enum { tries_max = 300 };
static const double longest = 1;     /* largest s: without balance the state would be far away by then */
static const double settled = 1e-10; /* converged: a long step moves by this share of a deflection */
static const double furthest = 2;    /* deflections in a step, at most */

typedef struct relaxation {
    slip_context *ctx;
    const slip_system *system;
    slip_workspace *work;
    double t;
    double *deflection; /* that counts, of each coordinate */
    slip_branch *branches;
    int *pivots; /* scratch */
    slip_equilibrium *to;
} relaxation;

/* Whether friction holds it, and what statics of flanks cannot take. */
static int set_branches(relaxation *r)
{
    for (int c = 0; c < (int)r->system->contact_count; c++) {
        const slip_contact *contact = &r->system->contacts[c];
        const bool holds =
            !contact->of_structure && !contact->frictionless && contact->law.type->info.set_valued;
        if (contact->has_gap || contact->dimension > 1 || contact->state_count > 0)
            return slip_fail(
                r->ctx, SLIP_ERROR_MODEL,
                "static equilibrium: found the contact `%s` in a model with gears, expected none but "
                "flanks and friction with a given normal force and without memory",
                contact->name);
        r->branches[c] =
            (slip_branch){.piece = -1, .chart = -1, .mode = holds ? SLIP_MODE_STICK : SLIP_MODE_CLOSED};
    }
    if (r->system->state_count == 0)
        return SLIP_OK;
    return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                     "static equilibrium: found states in a model with gears, expected coordinates alone");
}

/* dq of a step of length s; false where the matrix is singular. */
static bool find_step(const slip_linear_motion *m, double s, double *matrix, int *pivots, double *right)
{
    const int n = m->n, all = n + m->count;
    memset(matrix, 0, sizeof(double) * (size_t)all * (size_t)all);
    for (int i = 0; i < n; i++) {
        right[i] = slip_dense_dot(n, m->mass + (int64_t)i * n, m->acceleration);
        for (int j = 0; j < n; j++)
            matrix[(int64_t)i * all + j] =
                m->mass[(int64_t)i * n + j] / (s * s) + m->stiffness[(int64_t)i * n + j];
    }
    for (int k = 0; k < m->count; k++) {
        right[n + k] = 0;
        for (int i = 0; i < n; i++) {
            matrix[(int64_t)i * all + n + k] = -m->columns[(int64_t)k * n + i];
            matrix[(int64_t)(n + k) * all + i] = m->rows[(int64_t)k * n + i];
        }
    }
    if (!slip_dense_factor(all, matrix, pivots))
        return false;
    slip_dense_substitute(all, matrix, pivots, right);
    return true;
}

/* a M a, the measure of accelerations. */
static double unrest(const slip_linear_motion *m)
{
    double sum = 0;
    for (int i = 0; i < m->n; i++)
        sum += m->acceleration[i] * slip_dense_dot(m->n, m->mass + (int64_t)i * m->n, m->acceleration);
    return sum;
}

static double size_of(const relaxation *r, const double *step)
{
    double most = 0;
    for (int i = 0; i < r->system->n; i++)
        most = fmax(most, fabs(step[i]) / r->deflection[i]);
    return most;
}

static int linearise(const relaxation *r, const double *q, slip_linear_motion *to)
{
    const slip_linear_point point = {.t = r->t, .q = q, .v = r->to->v, .branches = r->branches};
    slip_arena_free(&to->arena);
    *to = (slip_linear_motion){0};
    return slip_system_linearise(r->ctx, r->system, r->work, &point, to);
}

/* Iterates from q to the equilibrium. */
static int relax(relaxation *r, double *room, slip_linear_motion *now)
{
    const size_t n = (size_t)r->system->n;
    double *q = r->to->q, *next = room, *step = room + n,
           *matrix = step + n + (size_t)r->system->contact_count;
    slip_linear_motion other = {0};
    double s = longest;
    int status;
    SLIP_TRY(linearise(r, q, now));
    for (size_t i = 0; i < n; i++) /* also without elasticity not further than a deflection */
        s = fmin(s, sqrt(r->deflection[i] / fmax(fabs(now->acceleration[i]), 1e-300)));
    for (int tries = 0; tries < tries_max; tries++) {
        const bool solved = find_step(now, s, matrix, r->pivots, step);
        const double size = solved ? size_of(r, step) : INFINITY;
        if (size <= settled && s == longest)
            goto done;
        bool good = isfinite(size) && size <= furthest;
        if (good) {
            for (size_t i = 0; i < n; i++)
                next[i] = q[i] + step[i];
            SLIP_TRY(linearise(r, next, &other));
            good = unrest(&other) <= 4 * unrest(now);
        }
        if (!good) {
            s /= 4;
            continue;
        }
        const double gain = sqrt(unrest(now) / fmax(unrest(&other), 1e-300));
        s = fmin(longest, s * fmin(fmax(gain, 1.5), 100));
        memcpy(q, next, n * sizeof *q);
        const slip_linear_motion before = *now;
        *now = other;
        other = before;
    }
    status = slip_fail(
        r->ctx, SLIP_ERROR_MODEL,
        "static equilibrium: the model with gears has no static solution near its initial coordinates: "
        "expected loads that balance through the flanks (a spring, or friction that holds, on a "
        "shaft), and flanks that touch where they have to");
done:
    slip_arena_free(&other.arena);
    return status;
}

/* Computes the contact forces at the equilibrium; fails where stick exceeds its limit. */
static int tell_contacts(const relaxation *r, double *a)
{
    const double *q = r->to->q, *v = r->to->v;
    if (!slip_system_acceleration(r->system, r->work, r->branches, r->t, q, v, a) ||
        !slip_system_constrain(r->system, r->work, r->branches, r->t, q, v, a))
        return slip_system_diagnose(r->ctx, r->system, r->work, r->t, q, v);
    for (int c = 0; c < (int)r->system->contact_count; c++) {
        const slip_contact_state *state = &r->work->contacts[c];
        const double hold = state->normal * slip_law_hold(slip_contact_law(r->system, r->work, c));
        r->to->normal[c] = state->normal;
        r->to->force[c] = state->force;
        r->to->modes[c] = r->system->contacts[c].of_structure && !(state->normal > 0) ? SLIP_MODE_OPEN
                                                                                      : r->branches[c].mode;
        if (r->branches[c].mode == SLIP_MODE_STICK && fabs(state->force) > hold)
            return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                             "static equilibrium: contact `%s` would have to hold %.6g, and can hold %.6g",
                             r->system->contacts[c].name, fabs(state->force), hold);
    }
    return SLIP_OK;
}

/* slip_equilibrium_find for a model with gears among its bodies, with allocated arrays. All contacts stick.
 */
static int find_relaxed(slip_context *ctx, const slip_model *model, slip_arena *arena, slip_equilibrium *to)
{
    const slip_system *system = model->system;
    const int64_t n = system->n, all = n + system->contact_count;
    relaxation r = {.ctx = ctx, .system = system, .t = slip_scene_time(model), .to = to};
    slip_linear_motion now = {0};
    double *room = slip_alloc(n + all + all * all, sizeof *room);
    int status;
    r.deflection = slip_arena_array(arena, n, sizeof(double));
    r.branches = slip_arena_array(arena, system->contact_count + 1, sizeof *r.branches);
    r.pivots = slip_arena_array(arena, all, sizeof *r.pivots);
    SLIP_TRY(slip_allocated(ctx, room && r.deflection && r.branches && r.pivots));
    system->structure->deflections(system, r.deflection);
    for (int64_t i = 0; i < n; i++)
        r.deflection[i] = r.deflection[i] > 0 ? r.deflection[i] : 1;
    memcpy(to->q, model->initial_q, sizeof(double) * (size_t)n);
    SLIP_TRY(set_branches(&r));
    SLIP_TRY(slip_workspace_create(ctx, system, &r.work));
    SLIP_TRY(relax(&r, room, &now));
    SLIP_TRY(tell_contacts(&r, room));
done:
    slip_arena_free(&now.arena);
    slip_workspace_destroy(r.work);
    free(room);
    return status;
}

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

/* The choice among several solutions: positive determinant, nearest to the initial state; of a continuum an
 * end. */
typedef struct choice {
    const slip_static_solution *item;
    const double *lambda, *d;
    double size;
} choice;

static choice choose(const slip_scene *scene, const slip_static_solutions *list)
{
    const slip_model *model = scene->model;
    const int coordinates = slip_system_coordinates(model->system);
    choice best = {.item = NULL};
    for (int64_t k = 0; k < list->count; k++) {
        const slip_static_solution *item = &list->items[k];
        for (int e = 0; e < (item->end_count > 0 ? item->end_count : 1); e++) {
            const double *d = item->end_count > 0 ? item->end_d[e] : item->d;
            double size = item->sign_high > 0 ? 0 : 1e300;
            for (int i = 0; i < model->system->n; i++)
                size += fabs(d[scene->first_coordinate + i] -
                             (i < coordinates ? model->initial_q : model->initial_v)[i]);
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
    SLIP_FREED slip_scene_contact *of = slip_alloc(scene->shape.contact_count + 1, sizeof *of);
    SLIP_PASS(slip_allocated(scene->ctx, of));
    SLIP_PASS(slip_scene_contacts(scene, scene->value, from->lambda, from->d, of));
    for (int i = 0; i < system->n; i++)
        (i < coordinates ? to->q : to->v)[i] = from->d[scene->first_coordinate + i];
    for (int c = 0; c < scene->shape.contact_count; c++) {
        const int own = scene->model_contacts[c];
        const slip_contact *contact = &system->contacts[own];
        to->normal[own] = of[c].normal;
        to->force[own] = of[c].tangential;
        to->modes[own] = (slip_mode)slip_shown_mode(contact, of[c].normal, from->item->modes[c]);
        if (scene->general && from->item->modes[c] != SLIP_MODE_STICK)
            to->slip[own] = slip_scene_drives(scene, c) ? of[c].slip : 0;
        for (int k = 0; k < contact->shown / 2; k++) {
            to->patches[contact->vector].slip[k] = slip_scene_drives(scene, c) ? of[c].plane[k] : 0;
            to->patches[contact->vector].force[k] = of[c].plane[3 + k];
        }
    }
    to->stability = from->item->sign_low == from->item->sign_high ? from->item->sign_low : 0;
    return SLIP_OK;
}

/* Converts the state of a model with reduced bodies to that of the model with whole bodies. */
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
    SLIP_FREED_BY(slip_scene_drop) slip_scene *scene = NULL;
    SLIP_FREED_BY(slip_static_solutions_free) slip_static_solutions list = {0};
    slip_static_problem problem;
    SLIP_PASS(slip_model_check_lumped(ctx, model));
    if (model->system->structure->push) {
        SLIP_PASS(slip_allocated(ctx, create(arena, model->system, to)));
        return find_relaxed(ctx, model, arena, to);
    }
    SLIP_PASS(slip_scene_open(ctx, model, NULL, 0, 1, &scene));
    SLIP_PASS(slip_allocated(ctx, create(arena, scene->model->system, to)));
    SLIP_PASS(slip_scene_solve(scene, 0, restarts, &problem, &list));
    const choice best = choose(scene, &list);
    if (!best.item)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the model has no static solution at t = %.9g",
                         slip_scene_time(model));
    SLIP_PASS(translate(scene, &best, to));
    if (scene->reduced) {
        const double *q = to->q, *v = to->v;
        const int64_t size = slip_system_size(model->system);
        to->q = slip_arena_array(arena, size + 1, sizeof(double));
        to->v = slip_arena_array(arena, size + 1, sizeof(double));
        SLIP_PASS(slip_allocated(ctx, to->q && to->v));
        unfold(model, scene->reduced, q, v, to);
    }
    return SLIP_OK;
}
