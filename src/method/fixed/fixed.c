/* Common part of the fixed-step methods: memory, matrices, the sequence of steps, samples for observers. */
#include "method/fixed/fixed.h"

#include "math/dense.h"
#include "math/vector.h"
#include "system/detector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening and closing. */

static double *numbers(slip_fixed *f, int64_t count, bool *complete)
{
    double *memory = slip_arena_array(&f->arena, count + 1, sizeof(double));
    *complete &= memory != NULL;
    return memory;
}

static bool allocate_motion(slip_fixed *f)
{
    const int64_t n = f->n;
    bool complete = true;
    double **vectors[] = {&f->q,    &f->v,    &f->q0,   &f->v0,    &f->a,    &f->force,
                          &f->free, &f->at_q, &f->at_v, &f->end_q, &f->zero, &f->known};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = numbers(f, f->size, &complete);
    f->memory_z = numbers(f, slip_memory_room * n, &complete);
    if (f->system->varying_laws && f->system->slider_count > 0)
        f->limits = numbers(f, 2 * f->system->slider_count, &complete);
    f->matrices.from_v = numbers(f, n * n, &complete);
    f->matrices.from_q = numbers(f, n * n, &complete);
    f->matrices.from_f = numbers(f, n * n, &complete);
    f->matrices.pivots = slip_arena_array(&f->arena, n, sizeof(int));
    f->pinned = slip_arena_array(&f->arena, n, sizeof(bool));
    return complete && f->matrices.pivots && f->pinned;
}

static bool allocate_contacts(slip_fixed *f)
{
    const int patches = f->system->patch_count;
    const int64_t most = 2 * (int64_t)(f->contact_count + patches), room = most + 1;
    bool complete = true;
    f->matrices.responses = numbers(f, most * f->n, &complete);
    f->rows_now = numbers(f, (most + 1) * f->n, &complete);
    f->impacts.impulses = numbers(f, f->contact_count, &complete);
    f->impulses = numbers(f, most, &complete);
    f->problem.shift = numbers(f, most, &complete);
    f->problem.initial = numbers(f, most, &complete);
    for (int c = 0; c < f->contact_count; c++)
        if (f->system->contacts[c].yields && !f->problem.give)
            f->problem.give = numbers(f, most, &complete);
    f->problem.solution.p = numbers(f, most, &complete);
    f->problem.solution.y = numbers(f, most, &complete);
    f->patches = slip_arena_array(&f->arena, patches + 1, sizeof *f->patches);
    f->directions = slip_arena_array(&f->arena, room, sizeof *f->directions);
    f->contacts = slip_arena_array(&f->arena, room, sizeof *f->contacts);
    f->states = slip_arena_array(&f->arena, room, sizeof *f->states);
    f->problem.solution.states = slip_arena_array(&f->arena, room, sizeof *f->states);
    f->problem.active = slip_arena_array(&f->arena, room, sizeof(int));
    f->impacts.at_stop = slip_arena_array(&f->arena, room, sizeof(bool));
    f->problem.rows = slip_arena_array(&f->arena, room, sizeof *f->problem.rows);
    return complete && f->patches && f->directions && f->contacts && f->states &&
           f->problem.solution.states && f->problem.active && f->impacts.at_stop && f->problem.rows;
}

/* Makes damping and stiffness matrices that include linear loads; false when out of memory. */
static bool take_loads(slip_fixed *f)
{
    const slip_system *system = f->system;
    const int n = f->n;
    bool complete = true;
    f->matrices.damping = system->damping;
    f->matrices.stiffness = system->stiffness;
    if (!system->load_q)
        return true;
    double *damping = numbers(f, (int64_t)n * n, &complete),
           *stiffness = numbers(f, (int64_t)n * n, &complete);
    for (int i = 0; complete && i < n * n; i++) {
        damping[i] = system->damping[i] - system->load_v[i];
        stiffness[i] = system->stiffness[i] - system->load_q[i];
    }
    f->matrices.damping = damping;
    f->matrices.stiffness = stiffness;
    return complete;
}

/* Refuses laws that rise from zero over velocities too small to be resolved: Newton's method would stay at
 * rest. */
static int check_laws(slip_context *ctx, const slip_system *system, const slip_fixed_rules *rules)
{
    static const double narrowest = 1e-9;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_law_kernel *law = &system->contacts[c].law;
        if (system->contacts[c].state_count > 0 && law->type->velocity_scale &&
            law->type->velocity_scale(law) < narrowest * law->law.velocity)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "contact `%s`: law `%s` rises within a slip velocity of %.3g, which fixed steps of "
                "`%s` cannot resolve; use `smooth`",
                system->contacts[c].name, law->type->info.name, law->type->velocity_scale(law), rules->name);
        if (system->contacts[c].creep.balance)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "contact `%s`: law `%s` decides the velocity of a coordinate without mass, which "
                "`%s` does not take; use `smooth` or `event`, or law `coulomb`",
                system->contacts[c].name, law->type->info.name, rules->name);
    }
    return SLIP_OK;
}

int slip_fixed_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                    const slip_fixed_rules *rules, double theta, double t, const double *q, const double *v,
                    void **self)
{
    int status = SLIP_OK;
    slip_fixed *f = calloc(1, sizeof *f);
    *self = NULL;
    SLIP_PASS(slip_allocated(ctx, f));
    f->ctx = ctx;
    f->system = system;
    f->rules = rules;
    f->options = *options;
    f->theta = theta;
    f->n = system->n;
    f->size = slip_system_size(system);
    f->moving = slip_system_coordinates(system);
    f->contact_count = (int)system->contact_count;
    f->matrices.h = f->clock.limit = NAN;
    f->t = f->t0 = f->opened_at = t;
    SLIP_TRY(check_laws(ctx, system, rules));
    SLIP_TRY(slip_allocated(ctx, allocate_motion(f) && allocate_contacts(f) && take_loads(f)));
    memcpy(f->q, q, (size_t)f->size * sizeof(double));
    memcpy(f->v, v, (size_t)f->size * sizeof(double));
    SLIP_TRY(slip_workspace_create(ctx, system, &f->work));
    SLIP_TRY(slip_fixed_prepare(f));
    SLIP_TRY(slip_fixed_find_groups(f));
    if (system->field)
        SLIP_TRY(rules->whole->create(f));
    if (!rules->impulsive)
        SLIP_TRY(slip_impact_create(ctx, system, f->work, &f->impacts.solver));
    for (int c = 0; c < f->contact_count && options->memory; c++) {
        f->contacts[c].mode = options->memory->modes[c];
        f->contacts[c].mode_known = options->memory->known[c];
    }
    f->quick = slip_fixed_quick_applies(f);
    f->damped = slip_system_damped(system);
    f->skew = slip_system_skew(system);
    SLIP_HAND(self, f);
done:
    slip_fixed_close(f);
    return status;
}

void slip_fixed_close(void *self)
{
    SLIP_FREED slip_fixed *f = self;
    if (!f)
        return;
    slip_impact_destroy(f->impacts.solver);
    if (f->field)
        f->rules->whole->destroy(f->field);
    slip_workspace_destroy(f->work);
    slip_arena_free(&f->arena);
}

void slip_fixed_state(const void *self, double *t, double *q, double *v)
{
    const slip_fixed *f = self;
    *t = f->t;
    memcpy(q, f->q, (size_t)f->size * sizeof(double));
    memcpy(v, f->v, (size_t)f->size * sizeof(double));
}

void slip_fixed_remember(const void *self, slip_method_memory *memory)
{
    const slip_fixed *f = self;
    for (int c = 0; c < f->contact_count; c++) {
        memory->modes[c] = f->contacts[c].mode;
        memory->known[c] = f->contacts[c].mode_known;
        memory->gaps[c] = NAN;
    }
}

void slip_fixed_counters(const void *self, slip_method_counters *counters)
{
    const slip_fixed *f = self;
    *counters = (slip_method_counters){
        .steps = f->steps, .events = f->events, .evaluations = f->work->evaluations, .residual = f->residual};
}

/* ---- Matrices of a step size. */

/* Responses inverse . W of directions, and their Gram matrix: of those of active contacts, or of all.
 * `inverse` is that times `scale`. */
static void respond(slip_fixed *f, bool active, const double *inverse, double scale)
{
    const int n = f->n, all = f->direction_count;
    int count = 0, *list = f->problem.active;
    for (int d = 0; d < all; d++)
        if (!active || f->contacts[f->directions[d].contact].active)
            list[count++] = d;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++)
            f->matrices.responses[list[k] * n + i] =
                scale * slip_dot(n, inverse + i * n, f->directions[list[k]].row);
    if (f->field && f->rules->whole->respond)
        f->rules->whole->respond(f, count, list, inverse, scale);
    for (int k = 0; k < count; k++) {
        const slip_fixed_direction *one = &f->directions[list[k]];
        const slip_fixed_group *group = &f->groups.list[one->group];
        double *row = f->matrices.gram + group->gram + (int64_t)one->place * group->directions;
        for (int j = 0; j < group->directions; j++) {
            const int other = f->groups.directions[group->member + j];
            if (!active || f->contacts[f->directions[other].contact].active)
                row[j] = slip_dot(n, one->row, f->matrices.responses + other * n);
        }
    }
    if (f->field)
        f->rules->whole->add_gram(f, count, list);
}

static int factor(slip_fixed *f, double h)
{
    const slip_system *system = f->system;
    const int n = f->n;
    const double a = f->theta * h, *mass = system->varying_mass ? f->work->mass : system->mass;
    double *inverse = f->matrices.from_f;
    slip_system_fill(system, f->work);
    for (int i = 0; i < n * n; i++)
        inverse[i] = mass[i] + a * f->matrices.damping[i] + a * a * f->matrices.stiffness[i];
    if (f->field)
        SLIP_PASS(f->rules->whole->factor(f, h, inverse));
    if (!slip_dense_invert(n, inverse, f->matrices.pivots))
        return slip_fail(f->ctx, SLIP_ERROR_SOLVER,
                         "method `%s`: at step %.9g the matrix mass + %g h damping + %g h^2 stiffness is "
                         "singular; try a smaller `simulate.step`",
                         f->rules->name, h, f->theta, f->theta * f->theta);
    respond(f, false, inverse, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double of_v = 0, of_q = 0;
            for (int k = 0; k < n; k++) {
                of_v += inverse[i * n + k] *
                        (f->matrices.damping[k * n + j] + a * f->matrices.stiffness[k * n + j]);
                of_q += inverse[i * n + k] * f->matrices.stiffness[k * n + j];
            }
            f->matrices.from_v[i * n + j] = (i == j) - h * of_v;
            f->matrices.from_q[i * n + j] = h * of_q;
        }
    for (int i = 0; i < n * n; i++)
        f->matrices.from_f[i] *= h;
    f->matrices.h = h;
    f->matrices.inverse_h = 1 / h;
    f->rows_ready = false;
    return SLIP_OK;
}

/* Computes directions that vary, at t and q. */
static void turn_directions(slip_fixed *f, double t, const double *q)
{
    const int n = f->n;
    for (int d = 0; d < f->direction_count; d++) {
        const slip_fixed_direction *one = &f->directions[d];
        double *row = f->rows_now + d * n;
        if (one->row != row)
            continue;
        if (one->normal)
            memcpy(row, slip_system_gap_row(f->system, f->work, one->contact, t, q),
                   (size_t)n * sizeof(double));
        else
            f->contacts[one->contact].friction->turn(f, d, t, q, row);
    }
}

/* Computes the mass matrix at t and q, and the matrices that follow from it and the directions. */
static int place_mass(slip_fixed *f, double t, const double *q)
{
    slip_system_place(f->system, f->work, t, q);
    slip_system_fill(f->system, f->work);
    if (f->system->varying_mass && !isfinite(f->work->inverse_mass[0]))
        return slip_system_diagnose(f->ctx, f->system, f->work, t, q, f->zero);
    return factor(f, f->matrices.h);
}

/* Computes mass matrix and directions that vary at t and q, and the matrices that follow from them. */
static int place(slip_fixed *f, double t, const double *q)
{
    turn_directions(f, t, q);
    return place_mass(f, t, q);
}

/* Inside a step: the mass matrix at its point a, and the directions there or, where laws hold for the
 * velocity of its end, at its end: so a gap that is closed stays so up to h^2. */
static int place_inside(slip_fixed *f)
{
    const double h = f->matrices.h, t = f->t0 + f->theta * h;
    if (f->rules->middle)
        turn_directions(f, t, f->at_q);
    else
        turn_directions(f, f->t0 + h, f->end_q);
    return place_mass(f, t, f->at_q);
}

/* ---- A step. */

/* Whether whole bodies are integrated by central differences. */
static bool leaps(const slip_fixed *f)
{
    return f->field && f->rules->whole->local;
}

/* Divides the time to a new end into steps: full steps where it is a multiple of the step up to rounding,
 * otherwise with a shorter last one; or equal shorter ones, where energies belong to a step size. */
static void plan(slip_fixed *f, double end)
{
    double ratio = (end - f->t) / f->options.step, whole = nearbyint(ratio);
    f->clock.start = f->t;
    f->clock.limit = end;
    f->clock.number = 0;
    f->clock.h = f->options.step;
    f->clock.count = (int64_t)ceil(ratio);
    if (whole >= 1 && fabs(ratio - whole) < 1e-6)
        f->clock.count = (int64_t)whole;
    if ((whole >= 1 && fabs(ratio - whole) < 1e-6) || leaps(f))
        f->clock.h = (end - f->t) / (double)f->clock.count;
}

/* The forces at the point a that are not in the matrices. */
static const double *known_force(slip_fixed *f)
{
    const slip_system *system = f->system;
    const int n = f->n;
    if (!system->load_q)
        return f->force;
    for (int i = 0; i < n; i++)
        f->known[i] = f->force[i] - slip_dot(n, system->load_q + i * n, f->at_q) -
                      slip_dot(n, system->load_v + i * n, f->at_v);
    return f->known;
}

static inline void find_free(slip_fixed *f)
{
    const int n = f->n;
    const double *force = known_force(f);
    for (int i = 0; i < n; i++) {
        const double *of_v = f->matrices.from_v + i * n, *of_q = f->matrices.from_q + i * n,
                     *of_f = f->matrices.from_f + i * n;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += of_v[j] * f->v0[j] - of_q[j] * f->q0[j] + of_f[j] * force[j];
        f->free[i] = sum;
    }
    if (f->field && f->rules->whole->free)
        f->rules->whole->free(f);
}

/* Computes the point a of the step from the last v_1; returns the change of its velocity. */
static double move_point(slip_fixed *f)
{
    const double a = f->theta, h = f->matrices.h;
    double change = 0;
    for (int i = 0; i < f->n; i++) {
        double velocity = a * f->v[i] + (1 - a) * f->v0[i];
        change = fmax(change, fabs(velocity - f->at_v[i]));
        f->at_v[i] = velocity;
        f->at_q[i] = i < f->moving ? f->q0[i] + a * h * velocity : 0;
        f->end_q[i] = i < f->moving ? f->q0[i] + h * velocity : 0;
    }
    return f->field ? fmax(change, slip_fixed_field_point(f)) : change;
}

static void first_point(slip_fixed *f)
{
    memcpy(f->v, f->v0, (size_t)f->n * sizeof(double));
    move_point(f);
}

/* One evaluation of loads and laws, and the velocity that follows. */
static int evaluate(slip_fixed *f, int turn)
{
    if (f->varying)
        SLIP_PASS(place_inside(f));
    if (!slip_system_loads(f->system, f->work, f->t0 + f->theta * f->matrices.h, f->at_q, f->at_v, f->force))
        return slip_system_diagnose(f->ctx, f->system, f->work, f->t0, f->at_q, f->at_v);
    find_free(f);
    SLIP_PASS(slip_fixed_collect(f, turn));
    slip_fixed_solve(f);
    if (f->rules->impulsive && !f->impacts.plastic && slip_fixed_unsolved(f, f->step_residual, 1e-9)) {
        f->impacts.plastic = true;
        slip_fixed_part_impact(f);
        SLIP_PASS(slip_fixed_collect(f, turn));
        slip_fixed_solve(f);
    }
    if (f->moving < f->n)
        slip_fixed_remember_states(f);
    return SLIP_OK;
}

/* The size of the terms of the velocity at the end, to which rounding errors are relative. */
static double velocity_scale(const slip_fixed *f)
{
    double scale = fmax(slip_largest(f->n, f->v0), slip_largest(f->n, f->free));
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++)
            scale = fmax(scale, fabs(f->matrices.from_f[i * f->n + j] * f->force[j]));
    return (f->field ? fmax(scale, slip_fixed_field_scale(f)) : scale) + 1e-300;
}

static int iterate(slip_fixed *f)
{
    enum { most = 300, patience = 30 };
    for (int turn = 0; turn < most; turn++) {
        int status = evaluate(f, turn);
        double change, scale;
        if (status != SLIP_OK)
            return status;
        change = move_point(f);
        scale = velocity_scale(f);
        if (change <= (turn < patience ? 4e-15 : 1e-12) * scale || !(change < INFINITY))
            return SLIP_OK; /* the check of the step reports what is not finite */
    }
    return slip_fail(
        f->ctx, SLIP_ERROR_SOLVER,
        "at t = %.9g the forces that depend on the state did not settle within a step of `%s`; try a "
        "smaller `simulate.step`, or method `smooth`",
        f->t0, f->rules->name);
}

static int check_finite(slip_fixed *f)
{
    double zero = (f->v[0] + f->q[0]) * 0;
    for (int64_t i = 1; i < f->size; i++)
        zero += f->v[i] * 0 + f->q[i] * 0;
    if (zero == 0)
        return SLIP_OK;
    if (f->field)
        SLIP_PASS(slip_fixed_field_diagnose(f));
    return slip_system_diagnose(f->ctx, f->system, f->work, f->t0 + f->theta * f->matrices.h, f->q0, f->v0);
}

/* The end of the step from its velocity. */
static void finish_step(slip_fixed *f)
{
    const double h = f->matrices.h;
    for (int i = 0; i < f->n; i++) {
        f->q[i] = i < f->moving ? f->q0[i] + h * (f->theta * f->v[i] + (1 - f->theta) * f->v0[i]) : 0;
        f->a[i] = (f->v[i] - f->v0[i]) * f->matrices.inverse_h;
    }
    if (f->field)
        f->rules->whole->end(f);
    if (f->step_residual > f->residual)
        f->residual = f->step_residual;
}

/* Rows of contacts whose bodies slide far, for this step: as they are at its end with constant velocities, so
 * that closed gaps stay closed up to h^2. */
static void detect(slip_fixed *f)
{
    for (int64_t i = 0; i < f->size; i++)
        f->end_q[i] = i < f->moving || i >= f->n ? f->q0[i] + f->matrices.h * f->v0[i] : 0;
    slip_system_detect(f->system, f->work, f->end_q);
}

static __attribute__((noinline)) int solve_any(slip_fixed *f)
{
    int status = SLIP_OK;
    f->added = false;
    if (f->system->detector_count > 0)
        detect(f);
    if (f->varying)
        SLIP_PASS(place(f, f->t0, f->q0));
    slip_fixed_activate(f);
    if (f->system->detector_count > 0)
        respond(f, true, f->matrices.from_f, f->matrices.inverse_h);
    if (f->rules->impulsive && !f->constant_rows)
        slip_fixed_part_impact(f);
    if (f->limits) {
        const slip_memory_step step = slip_fixed_memory(f, f->theta);
        slip_memory_note_limits(&step, f->t0, f->q0);
    }
    if (f->field)
        f->rules->whole->begin(f);
    if (f->iterate) {
        first_point(f);
        status = iterate(f);
    } else {
        status = evaluate(f, 0);
    }
    finish_step(f);
    return status == SLIP_OK && f->step_residual > 0 ? slip_fixed_check(f) : status;
    return status;
}

static int solve_step(slip_fixed *f)
{
    if (!f->quick || !f->rows_ready)
        return solve_any(f);
    slip_fixed_quick(f, slip_system_time_loads(f->system, f->work, f->t0 + f->theta * f->matrices.h));
    return SLIP_OK;
}

static int take_step(slip_fixed *f)
{
    const bool last = f->clock.number + 1 == f->clock.count;
    double h = f->clock.h;
    if (last && (double)f->clock.count * f->clock.h > (f->clock.limit - f->clock.start) * (1 + 1e-9))
        h = f->clock.limit - f->t;
    if (h != f->matrices.h) {
        slip_system_place(f->system, f->work, f->t, f->q);
        SLIP_PASS(factor(f, h));
    }
    slip_swap(&f->q, &f->q0);
    slip_swap(&f->v, &f->v0);
    f->t0 = f->t;
    SLIP_PASS(solve_step(f));
    f->clock.number++;
    f->t = last ? f->clock.limit : f->clock.start + (double)f->clock.number * f->clock.h;
    f->steps++;
    return check_finite(f);
}

/* ---- A step as the observer sees it: the cubic through positions and velocities of its ends, a velocity
 * that changes evenly, and forces that are the impulses spread over the step.
 *
 * The laws hold for the velocity at the end. Where a contact comes to rest or reverses within the step, a
 * sample before its end shows slip in the old direction, so it shows the mode and the friction of that slip
 * too: a sample in stick has slip zero, always. (`midpoint` holds the laws for the middle of the step, and
 * shows at its ends what that leaves.) */

static void view_state(const void *self, double t, double *q, double *v)
{
    const slip_fixed *f = self;
    const double h = f->t - f->t0, s = fmin(fmax((t - f->t0) / h, 0), 1), rest = 1 - s;
    for (int i = 0; i < f->n; i++) {
        double rise = f->q[i] - f->q0[i];
        q[i] = i < f->moving ? f->q0[i] + s * rise +
                                   s * rest * (rest * (h * f->v0[i] - rise) + s * (rise - h * f->v[i]))
                             : 0;
        v[i] = f->v0[i] + s * (f->v[i] - f->v0[i]);
    }
    if (s == 1) { /* exactly the end of the step */
        memcpy(q, f->q, (size_t)f->n * sizeof(double));
        memcpy(v, f->v, (size_t)f->n * sizeof(double));
    }
}

static void view_sample(const void *self, double t, slip_sample *sample)
{
    const slip_fixed *f = self;
    size_t size = (size_t)f->n * sizeof(double);
    view_state(self, t, f->at_q, f->at_v);
    if (f->field)
        slip_fixed_field_read(f, t);
    slip_system_tune(f->system, f->work, t, f->at_q, f->at_v);
    if (sample->q)
        memcpy(sample->q, f->at_q, size);
    if (sample->v)
        memcpy(sample->v, f->at_v, size);
    if (sample->a)
        memcpy(sample->a, f->a, size);
    for (int c = 0; c < f->contact_count; c++) {
        f->contacts[c].friction->view(f, c, t, sample);
        if (sample->mode && sample->normal)
            sample->mode[c] = slip_shown_mode(&f->system->contacts[c], sample->normal[c], sample->mode[c]);
    }
}

static bool view_loads(const void *self, double t, const double *q, const double *v, double *loads)
{
    const slip_fixed *f = self;
    return slip_system_given_loads(f->system, f->work, t, q, v, loads);
}

static inline int show_step(slip_fixed *f, bool event, const slip_observer *observer)
{
    const slip_works *works = observer->works;
    slip_step *view = &f->view;
    if (!observer->step)
        return SLIP_OK;
    view->t0 = f->t0;
    view->t1 = f->t;
    view->q0 = f->q0;
    view->v0 = f->v0;
    view->q1 = f->q;
    view->v1 = f->v;
    view->event1 = event;
    view->leap = leaps(f) ? f->matrices.h : 0;
    view->told = f->added || (works && f->t0 >= works->from && f->t <= works->end);
    if (view->told && !f->added)
        slip_fixed_add_works(f, works);
    return observer->step(observer->user, view);
}

static __attribute__((noinline)) void report_progress(slip_fixed *f)
{
    char modes[200] = "";
    size_t used = 0;
    slip_progress progress = {.what = "run",
                              .fraction =
                                  isfinite(f->options.span) ? (f->t - f->opened_at) / f->options.span : -1,
                              .time = f->t,
                              .steps = f->steps,
                              .events = f->events,
                              .modes = modes};
    for (int c = 0; c < f->contact_count && used < sizeof modes; c++)
        used += (size_t)snprintf(modes + used, sizeof modes - used, "%s%s: %s", c > 0 ? ", " : "",
                                 f->system->contacts[c].name, slip_mode_name(f->contacts[c].mode));
    slip_progress_report(f->ctx, &progress);
}

static int advance_once(slip_fixed *f, const slip_observer *observer)
{
    bool lands;
    int shown, status = SLIP_OK;
    SLIP_PASS(status = take_step(f));
    if (f->quick && f->contacts->mode_known && f->states[0] == f->contacts->reported) /* same mode */
        f->contacts->held_before = f->contacts->mode == SLIP_MODE_STICK;
    else
        SLIP_PASS(status = slip_fixed_report(f, observer));
    lands = !f->rules->impulsive && slip_fixed_lands(f);
    shown = show_step(f, lands, observer);
    if (shown < 0)
        return shown;
    if (lands && status == SLIP_OK)
        SLIP_PASS(status = slip_fixed_land(f, observer));
    return status == SLIP_OK ? shown : status;
}

int slip_fixed_advance(void *self, double end, const slip_observer *observer)
{
    slip_fixed *f = self;
    int status = SLIP_OK;
    if (!f->started && !f->rules->impulsive) {
        slip_observer nobody = {0};
        slip_system_place(f->system, f->work, f->t, f->q);
        SLIP_PASS(status = factor(f, f->options.step));
        if (slip_fixed_lands(f))
            SLIP_PASS(status = slip_fixed_land(f, &nobody));
    }
    f->started = true;
    f->to = f->skew ? NULL : observer->works;
    if (f->to && (f->t < f->to->from || end > f->to->end))
        f->to = NULL;
    f->view = (slip_step){
        .a0 = f->a, .a1 = f->a, .self = f, .state = view_state, .sample = view_sample, .loads = view_loads};
    f->view.field = f->field ? slip_fixed_field_view : NULL;
    if (f->t < end)
        plan(f, end);
    while (f->t < end && status == SLIP_OK) {
        status = advance_once(f, observer);
        if (f->quick && f->steps % 64 != 0)
            continue;
        if (slip_progress_due(f->ctx))
            report_progress(f);
        if (status == SLIP_OK && slip_interrupted(f->ctx))
            status = slip_fail(f->ctx, SLIP_INTERRUPTED, "interrupted at t = %.9g", f->t);
    }
    return status;
}
