#include "flex/plane_motion.h"
#include "math/dense.h"
#include "simulation/equilibrium.h"
#include "simulation/scene.h"
#include "simulation/simulation.h"
#include "study/eigenmodes/eigenmodes.h"
#include "system/field.h"
#include "system/vibration/field.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* ---- The state. */

/* Whether the law is infinitely steep at this slip velocity, so that the contact is a constraint. */
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
    if (contact->state_count >
        0) { /* a law with memory: its states stick or slip, the slip velocity is not constrained */
        branch->mode = mode == SLIP_MODE_OPEN ? SLIP_MODE_OPEN : SLIP_MODE_SLIP;
        return SLIP_OK;
    }
    if (mode == SLIP_MODE_STICK || mode == SLIP_MODE_OPEN || contact->frictionless)
        return SLIP_OK;
    if (contact->set_valued && slip == 0 && mode == SLIP_MODE_SLIP)
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "contact `%s` begins to slip at this state: the direction of its friction is not "
                         "known; give it a velocity, or friction that holds it",
                         contact->name);
    if (contact->set_valued) {
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
    SLIP_FREED_BY(slip_text_free) slip_text series = {0};
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
    return status;
}

/* The initial state, with the modes and forces that method `event` begins with. */
static int find_rest(slip_context *ctx, slip_eigenmodes *at, const slip_model *model, slip_mode *modes)
{
    const slip_system *system = model->system;
    slip_operating_point *point = &at->point;
    slip_simulation_options options = slip_simulation_options_default();
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = NULL;
    options.method = "event";
    if (system->condensed)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "modes about the initial state: found `reduce: {contact: condensed}`, whose contact "
                         "points follow their forces at once, expected `--about static`, or `contact: "
                         "attachment`");
    SLIP_PASS(slip_simulation_open(ctx, model, NULL, &options, &s));
    at->point.t = slip_simulation_time(s);
    slip_simulation_whole_state(s, at->point.q, at->point.v);
    for (int i = 0; i < slip_system_coordinates(system); i++)
        SLIP_PASS(look_up(ctx, s, system->names[i], "''", &point->acceleration[i]));
    for (int c = 0; c < (int)system->contact_count; c++) {
        const char *name = system->contacts[c].name;
        const slip_contact *contact = &system->contacts[c];
        double mode;
        SLIP_PASS(look_up(ctx, s, name, ".mode", &mode));
        SLIP_PASS(look_up(ctx, s, name, ".normal", &point->normal[c]));
        SLIP_PASS(look_up(ctx, s, name, ".force", &point->force[c]));
        for (int k = 0; k < contact->shown / 2; k++) {
            static const char *const slips[] = {".slip_x", ".slip_y", ".spin"}, *const forces[] = {".force_x",
                                                                                                   ".force_y",
                                                                                                   ".moment"};
            SLIP_PASS(look_up(ctx, s, name, slips[k], &point->patches[contact->vector].slip[k]));
            SLIP_PASS(look_up(ctx, s, name, forces[k], &point->patches[contact->vector].force[k]));
        }
        modes[c] = (slip_mode)mode;
    }
    return SLIP_OK;
}

/* An equilibrium with its modes. About sliding some contact must be. */
static int find_equilibrium(slip_context *ctx, bool sliding, slip_eigenmodes *at, const slip_model *model,
                            slip_mode *modes)
{
    const slip_system *system = model->system;
    slip_equilibrium found;
    bool slides = false;
    SLIP_PASS(slip_equilibrium_find(ctx, model, &at->arena, &found));
    at->point.t = slip_scene_time(model);
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
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "modes about sliding: no contact slides in equilibrium; let something move under one, "
            "such as `slip: x' - v`, or take modes about `static`");
    return SLIP_OK;
}

static int find_point(slip_context *ctx, const char *about, slip_eigenmodes *at, const slip_model *model,
                      slip_workspace *work)
{
    const slip_system *system = model->system;
    const int64_t n = system->n, contacts = system->contact_count;
    slip_mode *modes = slip_arena_array(&at->arena, contacts + 1, sizeof *modes);
    at->point.q = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.v = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.branches = slip_arena_array(&at->arena, contacts + 1, sizeof *at->point.branches);
    at->point.acceleration = slip_arena_array(&at->arena, n + 1, sizeof(double));
    at->point.normal = slip_arena_array(&at->arena, contacts + 1, sizeof(double));
    at->point.force = slip_arena_array(&at->arena, contacts + 1, sizeof(double));
    at->point.patches = slip_arena_array(&at->arena, system->patch_count + 1, sizeof *at->point.patches);
    SLIP_PASS(slip_allocated(ctx, modes && at->point.q && at->point.v && at->point.branches &&
                                      at->point.acceleration && at->point.normal && at->point.force &&
                                      at->point.patches));
    SLIP_PASS(strcmp(about, "rest") == 0
                  ? find_rest(ctx, at, model, modes)
                  : find_equilibrium(ctx, strcmp(about, "sliding") == 0, at, model, modes));
    for (int c = 0; c < (int)contacts; c++)
        SLIP_PASS(set_branch(ctx, system, work, c, modes[c], &at->point));
    return SLIP_OK;
}

/* M times every shape. */
static int weigh(slip_context *ctx, slip_eigenmodes *at)
{
    const slip_system *system = at->model->system;
    const int n = system->n, coordinates = slip_system_coordinates(system);
    const int64_t width = at->width;
    const double *mass = at->reduced ? system->mass : at->motion.mass;
    at->weighed = slip_arena_array(&at->arena, 2 * width * at->vibration.count + 1, sizeof(double));
    at->size = slip_arena_array(&at->arena, at->vibration.count + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, at->weighed && at->size));
    for (int k = 0; k < at->vibration.count; k++)
        for (int part = 0; part < 2; part++) {
            const double *shape = at->vibration.modes[k].shape + part * width;
            double *to = at->weighed + (2 * (int64_t)k + part) * width;
            for (int i = 0; i < coordinates; i++)
                to[i] = slip_dense_dot(coordinates, mass + (int64_t)i * n, shape);
            for (int b = 0; at->reduced && b < system->field->body_count; b++) {
                const slip_field_body *body = &system->field->bodies[b];
                slip_sparse_multiply(body->mass, shape + n + body->first, to + n + body->first);
                slip_field_add_turn(system, body, 1, shape, to);
            }
            for (int64_t i = 0; i < width; i++)
                at->size[k] += shape[i] * to[i];
        }
    return SLIP_OK;
}

void slip_eigenmodes_keep_lowest(slip_eigenmodes *at, int count)
{
    const slip_eigenmode *modes = at->vibration.modes;
    const int64_t numbers = 2 * at->width;
    double limit = 0;
    int kept = 0;
    while (kept < at->vibration.count && kept < count) { /* the next larger |s|, and all that have it */
        double next = INFINITY;
        for (int k = 0; k < at->vibration.count; k++)
            if (hypot(modes[k].real, modes[k].imaginary) > limit)
                next = fmin(next, hypot(modes[k].real, modes[k].imaginary));
        limit = next;
        kept = 0;
        for (int k = 0; k < at->vibration.count; k++)
            kept += hypot(modes[k].real, modes[k].imaginary) <= limit;
    }
    kept = 0;
    for (int k = 0; k < at->vibration.count; k++) {
        if (hypot(modes[k].real, modes[k].imaginary) > limit)
            continue;
        at->vibration.modes[kept] = modes[k];
        at->size[kept] = at->size[k];
        memmove(at->weighed + kept * numbers, at->weighed + k * numbers, sizeof(double) * (size_t)numbers);
        kept++;
    }
    at->vibration.count = kept;
}

static int linearise(slip_context *ctx, slip_eigenmodes *at, const slip_model *model, const char *about)
{
    const slip_operating_point *found = &at->point;
    SLIP_FREED_BY(slip_workspace_drop) slip_workspace *work = NULL;
    SLIP_PASS(slip_workspace_create(ctx, model->system, &work));
    SLIP_PASS(find_point(ctx, about, at, model, work));
    const slip_linear_point point = {.t = found->t,
                                     .q = found->q,
                                     .v = found->v,
                                     .branches = found->branches,
                                     .acceleration = model->system->massless ? found->acceleration : NULL,
                                     .normal = found->normal,
                                     .force = found->force,
                                     .patches = found->patches};
    return slip_system_linearise(ctx, model->system, work, &point, &at->motion);
}

/* ---- Whole bodies. */

/* For each coordinate of the model its number in the reduced model. */
static int *find_places(slip_eigenmodes *at)
{
    const slip_plane_motion *whole = at->model->bodies->motion, *motion = at->reduced->bodies->motion;
    const int n = at->model->system->n, given = n - whole->count;
    int *place = slip_arena_array(&at->arena, n + 1, sizeof *place);
    for (int i = 0; place && i < given; i++)
        place[i] = i;
    for (int b = 0; place && b < whole->body_count; b++)
        for (int i = whole->first[b]; i < whole->first[b + 1]; i++)
            place[given + i] = given + motion->first[b] + i - whole->first[b];
    return place;
}

int slip_eigenmodes_find_whole(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                               slip_eigenmodes *at, const char **obstacle)
{
    slip_field_motion given = {.system = model->system, .motion = &at->motion};
    at->value = NAN;
    at->model = model;
    at->width = slip_system_size(model->system);
    *obstacle = "the model has states";
    if (model->system->state_count > 0)
        return SLIP_OK;
    SLIP_PASS(slip_model_reduce(ctx, model, slip_scene_modes, &at->reduced));
    SLIP_PASS(linearise(ctx, at, at->reduced, options->about));
    given.place = at->places = find_places(at);
    SLIP_PASS(slip_allocated(ctx, given.place));
    *obstacle = slip_vibration_field_obstacle(&given);
    if (*obstacle)
        return SLIP_OK;
    SLIP_PASS(slip_vibration_solve_field(ctx, &given, options->count, &at->vibration));
    return weigh(ctx, at);
}

int slip_eigenmodes_find(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                         double value, slip_eigenmodes *at)
{
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    at->value = value;
    if (options->parameter) {
        SLIP_PASS(slip_values_create(ctx, model, &values));
        SLIP_PASS(slip_values_set(ctx, values, options->parameter, value));
    }
    SLIP_PASS(slip_model_ready(ctx, model, values, &at->bound, &at->model));
    SLIP_PASS(linearise(ctx, at, at->model, options->about));
    at->width = at->motion.n;
    SLIP_PASS(slip_vibration_solve(ctx, at->model->system, &at->motion, &at->vibration));
    return weigh(ctx, at);
}

void slip_eigenmodes_free(slip_eigenmodes *at)
{
    slip_arena_free(&at->vibration.arena);
    slip_arena_free(&at->motion.arena);
    slip_arena_free(&at->arena);
    slip_model_destroy(at->bound);
    slip_model_destroy(at->reduced);
    *at = (slip_eigenmodes){0};
}

/* ---- Parts of coordinates and contacts in a mode. */

bool slip_eigenmodes_grows(const slip_eigenmodes *at, int k)
{
    const slip_eigenmode *mode = &at->vibration.modes[k];
    return mode->real > 1e-12 * hypot(mode->real, mode->imaginary) + mode->rounding;
}

const char *slip_eigenmodes_whole_name(const slip_eigenmodes *at, int b)
{
    const slip_plane_motion *motion = at->model->bodies->motion;
    int own = 0;
    while (motion->bodies[own] || b-- > 0)
        own++;
    return slip_plane_body_name(at->model->bodies->plane, own);
}

static double complex shape_at(const double *shape, int n, int i)
{
    return shape[i] + I * shape[n + i];
}

double slip_eigenmodes_likeness(const slip_eigenmodes *a, int i, const slip_eigenmodes *b, int j)
{
    const int n = (int)b->width;
    const double *x = a->vibration.modes[i].shape, *y = b->weighed + 2 * (int64_t)j * n;
    const double sizes = a->size[i] * b->size[j],
                 real = slip_dense_dot(n, x, y) + slip_dense_dot(n, x + n, y + n),
                 imaginary = slip_dense_dot(n, x, y + n) - slip_dense_dot(n, x + n, y);
    return sizes > 0 ? (real * real + imaginary * imaginary) / sizes : 0;
}

static double part_of(const slip_eigenmodes *at, int k, int64_t i)
{
    const int64_t n = at->width;
    const double *x = at->vibration.modes[k].shape, *weighed = at->weighed + 2 * k * n;
    return at->size[k] > 0 ? (x[i] * weighed[i] + x[n + i] * weighed[n + i]) / at->size[k] : 0;
}

double slip_eigenmodes_participation(const slip_eigenmodes *at, int k, int i)
{
    return part_of(at, k, i);
}

double slip_eigenmodes_body_part(const slip_eigenmodes *at, int k, int64_t first, int64_t size)
{
    double sum = 0;
    for (int64_t i = 0; i < size; i++)
        sum += part_of(at, k, at->model->system->n + first + i);
    return sum;
}

/* From M s^2 x = (sum of all forces F), times x^H: the imaginary part is 2 real imaginary x^H M x = (sum of
 * Im x^H F), to which symmetric stiffness and constraints add nothing. Without oscillation real x^H M x =
 * (sum of x^H F/s). Each contact contributes a part to either sum. */
slip_contact_part slip_eigenmodes_contact(const slip_eigenmodes *at, int k, int contact)
{
    const slip_linear_motion *m = &at->motion;
    const slip_eigenmode *mode = &at->vibration.modes[k];
    const double complex s = mode->real + I * mode->imaginary;
    const int n = m->n;
    double slip = 0, force = 0;
    double complex power = 0; /* (s x)^H F */
    for (int f = 0; f < m->friction_count; f++) {
        const slip_linear_friction *own = &m->friction[f];
        double complex w = 0, along = 0, load = 0;
        if (own->contact != contact)
            continue;
        if (mode->rub) {
            const slip_mode_rub *rub = &mode->rub[f];
            w = along = rub->slip[0] + I * rub->slip[1];
            load = rub->force[0] + I * rub->force[1];
        }
        for (int i = 0; i < n && !mode->rub; i++) {
            const double complex x = shape_at(mode->shape, n, i), place = i < m->coordinates ? x : 0,
                                 velocity = i < m->coordinates ? s * x : x;
            w += own->slip[i] * place + own->slip[n + i] * velocity;
            along += own->row[i] * velocity;
            load += own->gradient[i] * place + own->gradient[n + i] * velocity;
        }
        if (own->normal >= 0 && !mode->rub)
            load += own->ratio * shape_at(mode->force, m->count, own->normal);
        if (own->held >= 0 && !mode->rub)
            load += shape_at(mode->force, m->count, own->held);
        slip += creal(w * conj(w));
        force += creal(load * conj(load));
        power += conj(along) * load;
    }
    const double size = creal(s * conj(s)) * at->size[k],
                 growth = mode->imaginary != 0 ? cimag(s * power) / (2 * mode->imaginary) : creal(power);
    return (slip_contact_part){sqrt(slip), sqrt(force), size > 0 ? growth / size : 0};
}
