#include "math/dense.h"
#include "simulation/equilibrium.h"
#include "simulation/scene.h"
#include "simulation/simulation.h"
#include "study/eigenmodes/eigenmodes.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The state. */

/* A law that is infinitely steep at the slip velocity holds it. */
static bool holds(const slip_contact *contact, double slip)
{
    for (int k = 0; k < contact->law.break_count; k++)
        if (contact->law.breaks[k].singular && contact->law.breaks[k].velocity == slip)
            return true;
    return false;
}

static int set_branch(slip_context *ctx, const slip_system *system, slip_workspace *work, int c,
                      slip_mode mode, const slip_operating_point *point)
{
    const slip_contact *contact = &system->contacts[c];
    const double slip = slip_system_slip(system, work, c, point->t, point->q, point->v);
    slip_branch *branch = &point->branches[c];
    *branch = (slip_branch){.piece = -1, .chart = -1, .mode = mode};
    if (contact->state_count > 0) { /* its states stick or slip: the slip velocity is free */
        branch->mode = mode == SLIP_MODE_OPEN ? SLIP_MODE_OPEN : SLIP_MODE_SLIP;
        return SLIP_OK;
    }
    if (mode == SLIP_MODE_STICK || mode == SLIP_MODE_OPEN || contact->frictionless)
        return SLIP_OK;
    if (contact->patch) {
        if (contact->patch->set_valued && slip == 0)
            return slip_fail(
                ctx, SLIP_ERROR_SOLVER,
                "contact `%s` begins to slip at this state: the direction of its friction is not "
                "known; give it a velocity, or friction that holds it",
                contact->name);
    } else if (contact->law.type->info.set_valued) {
        if (mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS)
            branch->piece = mode == SLIP_MODE_SLIP_PLUS;
    } else if (holds(contact, slip)) {
        branch->mode = SLIP_MODE_STICK;
    }
    return SLIP_OK;
}

/* A number of the simulation by the name of its series. */
static int look_up(slip_context *ctx, slip_simulation *s, const char *name, const char *part, double *to)
{
    slip_text series = {0};
    int status = SLIP_OK;
    const int64_t memory = slip_context_memory_failures(ctx);
    slip_text_printf(&series, "%s%s", name, part);
    slip_context_clear(ctx);
    *to = series.failed ? NAN : slip_simulation_number(s, series.data);
    if (series.failed || slip_context_memory_failures(ctx) > memory)
        status = slip_fail_memory(ctx);
    else if (isnan(*to))
        status = *slip_context_message(ctx)
                     ? SLIP_ERROR_SOLVER
                     : slip_fail(ctx, SLIP_ERROR_SOLVER, "`%s` could not be found at the initial state",
                                 series.data);
    slip_text_free(&series);
    return status;
}

/* The initial state, with the modes and forces that method `event` begins with. */
static int find_rest(slip_context *ctx, slip_eigenmodes *at, slip_mode *modes)
{
    const slip_system *system = at->model->system;
    slip_operating_point *point = &at->point;
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    int status;
    options.method = "event";
    SLIP_TRY(slip_simulation_open(ctx, at->model, NULL, &options, &s));
    at->point.t = slip_simulation_time(s);
    slip_simulation_whole_state(s, at->point.q, at->point.v);
    for (int i = 0; i < slip_system_coordinates(system); i++)
        SLIP_TRY(look_up(ctx, s, system->names[i], "''", &point->acceleration[i]));
    for (int c = 0; c < (int)system->contact_count; c++) {
        const char *name = system->contacts[c].name;
        const slip_patch_form *patch = system->contacts[c].patch;
        double mode;
        SLIP_TRY(look_up(ctx, s, name, ".mode", &mode));
        SLIP_TRY(look_up(ctx, s, name, ".normal", &point->normal[c]));
        SLIP_TRY(look_up(ctx, s, name, ".force", &point->force[c]));
        for (int k = 0; k < 3 && patch; k++) {
            static const char *const slips[] = {".slip_x", ".slip_y", ".spin"}, *const forces[] = {".force_x",
                                                                                                   ".force_y",
                                                                                                   ".moment"};
            SLIP_TRY(look_up(ctx, s, name, slips[k], &point->patches[patch->index].slip[k]));
            SLIP_TRY(look_up(ctx, s, name, forces[k], &point->patches[patch->index].force[k]));
        }
        modes[c] = (slip_mode)mode;
    }
done:
    slip_simulation_close(s);
    return status;
}

/* An equilibrium with its modes. About sliding some contact must be. */
static int find_equilibrium(slip_context *ctx, bool sliding, slip_eigenmodes *at, slip_mode *modes)
{
    const slip_system *system = at->model->system;
    slip_equilibrium found;
    bool slides = false;
    int status;
    SLIP_TRY(slip_equilibrium_find(ctx, at->model, &at->arena, &found));
    at->point.t = slip_scene_time(at->model);
    memcpy(at->point.q, found.q, sizeof(double) * (size_t)system->n);
    memcpy(at->point.v, found.v, sizeof(double) * (size_t)system->n);
    at->point.normal = found.normal;
    at->point.force = found.force;
    at->point.patches = found.patches;
    for (int c = 0; c < (int)system->contact_count; c++) {
        modes[c] = found.modes[c];
        slides = slides || (found.slip[c] != 0 && modes[c] != SLIP_MODE_OPEN);
    }
    if (sliding && !slides)
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "modes about sliding: no contact slides in equilibrium; let something move under one, "
                      "such as `slip: x' - v`, or take modes about `static`");
done:
    return status;
}

static int find_point(slip_context *ctx, const char *about, slip_eigenmodes *at, slip_workspace *work)
{
    const slip_system *system = at->model->system;
    const int64_t n = system->n, contacts = system->contact_count;
    slip_mode *modes = slip_arena_array(&at->arena, contacts + 1, sizeof *modes);
    int status;
    at->point.q = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.v = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.branches = slip_arena_array(&at->arena, contacts + 1, sizeof *at->point.branches);
    at->point.acceleration = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.normal = slip_arena_array(&at->arena, contacts + 1, sizeof(double));
    at->point.force = slip_arena_array(&at->arena, contacts + 1, sizeof(double));
    at->point.patches = slip_arena_array(&at->arena, system->patch_count + 1, sizeof *at->point.patches);
    SLIP_TRY(modes && at->point.q && at->point.v && at->point.branches && at->point.acceleration &&
                     at->point.normal && at->point.force && at->point.patches
                 ? SLIP_OK
                 : slip_fail_memory(ctx));
    SLIP_TRY(strcmp(about, "rest") == 0 ? find_rest(ctx, at, modes)
                                        : find_equilibrium(ctx, strcmp(about, "sliding") == 0, at, modes));
    for (int c = 0; c < (int)contacts; c++)
        SLIP_TRY(set_branch(ctx, system, work, c, modes[c], &at->point));
done:
    return status;
}

/* M times every shape. */
static int weigh(slip_context *ctx, slip_eigenmodes *at)
{
    const int n = at->motion.n, coordinates = at->motion.coordinates;
    at->weighed = slip_arena_array(&at->arena, 2 * (int64_t)n * at->vibration.count + 1, sizeof(double));
    at->size = slip_arena_array(&at->arena, at->vibration.count + 1, sizeof(double));
    if (!at->weighed || !at->size)
        return slip_fail_memory(ctx);
    for (int k = 0; k < at->vibration.count; k++) {
        const double *shape = at->vibration.modes[k].shape;
        double *to = at->weighed + 2 * (int64_t)k * n;
        for (int i = 0; i < coordinates; i++) {
            const double *row = at->motion.mass + (int64_t)i * n;
            to[i] = slip_dense_dot(coordinates, row, shape);
            to[n + i] = slip_dense_dot(coordinates, row, shape + n);
        }
        at->size[k] = slip_dense_dot(n, shape, to) + slip_dense_dot(n, shape + n, to + n);
    }
    return SLIP_OK;
}

int slip_eigenmodes_find(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                         double value, slip_eigenmodes *at)
{
    slip_workspace *work = NULL;
    slip_values *values = NULL;
    int status;
    at->value = value;
    if (options->parameter) {
        SLIP_TRY(slip_values_create(ctx, model, &values));
        SLIP_TRY(slip_values_set(ctx, values, options->parameter, value));
    }
    SLIP_TRY(slip_model_ready(ctx, model, values, &at->bound, &at->model));
    SLIP_TRY(slip_workspace_create(ctx, at->model->system, &work));
    SLIP_TRY(find_point(ctx, options->about, at, work));
    const slip_operating_point *found = &at->point;
    const slip_linear_point point = {.t = found->t,
                                     .q = found->q,
                                     .v = found->v,
                                     .branches = found->branches,
                                     .acceleration = at->model->system->massless ? found->acceleration : NULL,
                                     .normal = found->normal,
                                     .force = found->force,
                                     .patches = found->patches};
    SLIP_TRY(slip_system_linearise(ctx, at->model->system, work, &point, &at->motion));
    SLIP_TRY(slip_vibration_solve(ctx, at->model->system, &at->motion, &at->vibration));
    SLIP_TRY(weigh(ctx, at));
done:
    slip_workspace_destroy(work);
    slip_values_destroy(values);
    return status;
}

void slip_eigenmodes_free(slip_eigenmodes *at)
{
    slip_arena_free(&at->vibration.arena);
    slip_arena_free(&at->motion.arena);
    slip_arena_free(&at->arena);
    slip_model_destroy(at->bound);
    *at = (slip_eigenmodes){0};
}

/* ---- What modes are made of. */

bool slip_eigenmodes_grows(const slip_eigenmodes *at, int k)
{
    const slip_vibration *v = &at->vibration;
    double size = 0;
    for (int i = 0; i < v->count; i++)
        size = fmax(size, hypot(v->modes[i].real, v->modes[i].imaginary));
    return v->modes[k].real > 1e-12 * hypot(v->modes[k].real, v->modes[k].imaginary) + 1e-15 * size;
}

static double complex shape_at(const double *shape, int n, int i)
{
    return shape[i] + I * shape[n + i];
}

double slip_eigenmodes_likeness(const slip_eigenmodes *a, int i, const slip_eigenmodes *b, int j)
{
    const int n = b->motion.n;
    const double *x = a->vibration.modes[i].shape, *y = b->weighed + 2 * (int64_t)j * n;
    const double sizes = a->size[i] * b->size[j],
                 real = slip_dense_dot(n, x, y) + slip_dense_dot(n, x + n, y + n),
                 imaginary = slip_dense_dot(n, x, y + n) - slip_dense_dot(n, x + n, y);
    return sizes > 0 ? (real * real + imaginary * imaginary) / sizes : 0;
}

double slip_eigenmodes_participation(const slip_eigenmodes *at, int k, int i)
{
    const int n = at->motion.n;
    const double *x = at->vibration.modes[k].shape, *weighed = at->weighed + 2 * (int64_t)k * n;
    return at->size[k] > 0 ? (x[i] * weighed[i] + x[n + i] * weighed[n + i]) / at->size[k] : 0;
}

/* From M s^2 x = (all forces), times (s x)^H: the real part of s is the sum of Re((s x)^H force) over |s|^2
 * x^H M x, of which each contact has its own. */
slip_contact_part slip_eigenmodes_contact(const slip_eigenmodes *at, int k, int contact)
{
    const slip_linear_motion *m = &at->motion;
    const slip_eigenmode *mode = &at->vibration.modes[k];
    const double complex s = mode->real + I * mode->imaginary;
    const int n = m->n;
    double slip = 0, force = 0, power = 0;
    for (int f = 0; f < m->friction_count; f++) {
        const slip_linear_friction *own = &m->friction[f];
        double complex w = 0, along = 0, load = 0;
        if (own->contact != contact)
            continue;
        for (int i = 0; i < n; i++) {
            const double complex x = shape_at(mode->shape, n, i), place = i < m->coordinates ? x : 0,
                                 velocity = i < m->coordinates ? s * x : x;
            w += own->slip[i] * place + own->slip[n + i] * velocity;
            along += own->row[i] * velocity;
            load += own->gradient[i] * place + own->gradient[n + i] * velocity;
        }
        if (own->normal >= 0)
            load += own->ratio * shape_at(mode->force, m->count, own->normal);
        if (own->held >= 0)
            load += shape_at(mode->force, m->count, own->held);
        slip += creal(w * conj(w));
        force += creal(load * conj(load));
        power += creal(conj(along) * load);
    }
    const double size = creal(s * conj(s)) * at->size[k];
    return (slip_contact_part){sqrt(slip), sqrt(force), size > 0 ? power / size : 0};
}
