/* An equilibrium of a model with gears among its bodies, whose flanks push by themselves
 * (system/structure.h): from where the model starts, by steps in pseudo time.
 *
 * At a state at rest let a be the acceleration, K the stiffness with that of the flanks that touch there, and
 * J and G the rows of what friction holds (system/linearise.h). A step of length s of the implicit Euler
 * method that forgets its velocity is
 *
 *     (M/s^2 + K) dq = M a + G^T l,    J dq = 0.
 *
 * A short one goes downhill, a long one is Newton's. s grows where the accelerations fall, and falls where
 * they grow: a tooth comes in, a flank lets go. */
#include "law/law.h"
#include "math/dense.h"
#include "simulation/equilibrium.h"
#include "simulation/scene.h"
#include "system/evaluate.h"
#include "system/structure/structure.h"
#include "system/vibration/linearise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { tries_max = 300 };
static const double longest = 1;     /* s, in seconds: loads that do not balance would be far by then */
static const double settled = 1e-10; /* of a deflection: so little is left to go in a long step */
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
                "initial: static: found the contact `%s` in a model with gears, expected none but "
                "flanks and friction with a given normal force and without memory",
                contact->name);
        r->branches[c] =
            (slip_branch){.piece = -1, .chart = -1, .mode = holds ? SLIP_MODE_STICK : SLIP_MODE_CLOSED};
    }
    if (r->system->state_count == 0)
        return SLIP_OK;
    return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                     "initial: static: found states in a model with gears, expected coordinates alone");
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

/* a M a: what the accelerations are judged by. */
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

/* From q to the equilibrium. */
static int relax(relaxation *r, double *room, slip_linear_motion *now)
{
    const size_t n = (size_t)r->system->n;
    double *q = r->to->q, *next = room, *step = room + n,
           *matrix = step + n + (size_t)r->system->contact_count;
    slip_linear_motion other = {0};
    double s = longest;
    int status;
    SLIP_TRY(linearise(r, q, now));
    for (size_t i = 0; i < n; i++) /* not further than a deflection, were nothing elastic */
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
        "initial: static: the model with gears has no static solution near its initial coordinates: "
        "expected loads that balance through the flanks (a spring, or friction that holds, on a "
        "shaft), and flanks that touch where they have to");
done:
    slip_arena_free(&other.arena);
    return status;
}

/* What the contacts do there; friction must be able to. */
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
                             "initial: static: contact `%s` would have to hold %.6g, and can hold %.6g",
                             r->system->contacts[c].name, fabs(state->force), hold);
    }
    return SLIP_OK;
}

int slip_equilibrium_relax(slip_context *ctx, const slip_model *model, slip_arena *arena,
                           slip_equilibrium *to)
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
