/* The structure `modal`: a gear train (train.h) among the coordinates of a system.
 *
 * x are the lumped coordinates, which include the angles; theta_b is the angle of body b, w its speed, and
 * y_b its own coordinates, of unit mass. The kinetic energy of gear_modal.h gives
 *
 *     (A + sum_b J_b e_b e_b^T) x'' + sum_b e_b c_b.y_b'' = f,      y_b'' + c_b theta_b'' = f_b,
 *
 * A is the mass matrix of the lumped coordinates; J_b and c_b are functions of y_b. Elimination of y'' leaves
 * one equation for each lumped coordinate: S x'' = f - sum_b e_b c_b.f_b, S = A + sum_b (J_b - c_b.c_b) e_b
 * e_b^T. So accelerations need no matrix of all coordinates.
 *
 * Stiffness and damping of the bodies are diagonal entries of the system's matrices K and C. The forces of
 * this structure are the inertia forces of rotating bodies, and contact forces of flanks by penalty. */
#include "gear/gear_motion.h"
#include "gear/train/train_work.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Differences of coordinates with unit mass, which are fractions of a nanometre at a node, and of rates. */
static const double difference[2] = {1e-12, 1e-9};

/* ---- Inertia. */

/* Inertia and inertia forces of the rotating bodies at q and v. */
static void turn_bodies(slip_train_work *w, const double *q, const double *v)
{
    const slip_train *train = w->train;
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        const int first = slip_train_first(w, b);
        const slip_floating_terms terms =
            slip_floating_inertia(w->frames[b], v[body->turn], q + first, v + first,
                                  w->coupling_there + body->first, w->force + first);
        w->force[body->turn] += terms.torque;
        w->moment_there[b] = terms.moment;
    }
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            const double *p = q + train->lumped + side->first, *spread = slip_train_full(w, side)->spread;
            for (int slot = 0; slot < 2 * side->window; slot++, p += side->size)
                w->moment_there[side->body] += 2 * slip_dense_dot(side->size, spread, p);
        }
}

static void place(const slip_system *system, slip_workspace *work, double t, const double *q)
{
    work->placed_at = t;
    memcpy(work->placed, q, (size_t)system->n * sizeof(double));
    work->unfilled = true;
    ((slip_train_work *)work->own)->settled = false;
}

/* Computes the inertia at the workspace's q, or reuses that of the last evaluation. */
static void settle(const slip_system *system, slip_workspace *work)
{
    slip_train_work *w = work->own;
    const slip_train *train = w->train;
    const int n = system->n, given = train->lumped;
    if (w->settled)
        return;
    if (!w->evaluated || memcmp(work->placed, w->q, (size_t)n * sizeof(double)) != 0)
        slip_train_evaluate(system, work, work->placed, w->v);
    memcpy(w->coupling, w->coupling_there, (size_t)(train->count + train->body_count) * sizeof(double));
    for (int i = 0; i < given; i++)
        memcpy(w->schur + i * given, system->mass + (int64_t)i * n, (size_t)given * sizeof(double));
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        const double *c = w->coupling + body->first;
        w->schur[body->turn * (given + 1)] += w->moment[b] - slip_dense_dot(body->count, c, c);
    }
    if (!slip_dense_invert_spd(given, w->schur))
        for (int i = 0; i < given * given; i++)
            w->schur[i] = NAN; /* so that the acceleration is not finite, and the run ends there */
    w->settled = true;
}

/* In place. */
static void divide_by_mass(slip_train_work *w, double *f)
{
    const slip_train *train = w->train;
    const int given = train->lumped;
    double *right = w->right, *x = w->right + given;
    memcpy(right, f, (size_t)given * sizeof(double));
    for (int b = 0; b < train->body_count; b++)
        right[train->bodies[b].turn] -= slip_dense_dot(
            train->bodies[b].count, w->coupling + train->bodies[b].first, f + slip_train_first(w, b));
    for (int i = 0; i < given; i++)
        x[i] = slip_dense_dot(given, w->schur + i * given, right);
    memcpy(f, x, (size_t)given * sizeof(double));
    for (int b = 0; b < train->body_count; b++)
        slip_modal_add(train->bodies[b].count, -x[train->bodies[b].turn],
                       w->coupling + train->bodies[b].first, f + slip_train_first(w, b));
}

static void divide(const slip_system *system, slip_workspace *work, const double *force, const double *q,
                   const double *v, double *a)
{
    slip_train_work *w = work->own;
    double *f = w->right + 2 * w->train->lumped;
    settle(system, work);
    memcpy(f, force, (size_t)system->n * sizeof(double));
    for (int e = 0; q && e < w->entry_count; e++) {
        const slip_train_entry *own = &w->entries[e];
        f[own->row] -= own->stiffness * q[own->column] + own->damping * v[own->column];
    }
    divide_by_mass(w, f);
    memcpy(a, f, (size_t)system->n * sizeof(double));
}

static void fill(const slip_system *system, slip_workspace *work)
{
    slip_train_work *w = work->own;
    const slip_train *train = w->train;
    const int64_t n = system->n;
    double *row = w->right + 2 * train->lumped;
    settle(system, work);
    memcpy(work->mass, system->mass, (size_t)(n * n) * sizeof(double));
    for (int b = 0; b < train->body_count; b++) {
        const int turn = train->bodies[b].turn;
        work->mass[turn * (n + 1)] += w->moment[b];
        for (int i = 0; i < train->bodies[b].count; i++)
            work->mass[turn * n + slip_train_first(w, b) + i] =
                work->mass[(slip_train_first(w, b) + i) * n + turn] = w->coupling[train->bodies[b].first + i];
    }
    memset(work->own_structure, 0, (size_t)(2 * n * n) * sizeof(double));
    for (int64_t j = 0; j < n; j++) {
        memset(row, 0, (size_t)n * sizeof(double));
        row[j] = 1;
        divide_by_mass(w, row);
        memcpy(work->own_inverse + j * n, row, (size_t)n * sizeof(double));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) /* symmetric, to the last bit */
            work->own_inverse[j * n + i] = work->own_inverse[i * n + j];
    for (int e = 0; e < w->entry_count; e++) {
        const slip_train_entry *own = &w->entries[e];
        const double *column = work->own_inverse + own->row * n;
        for (int64_t i = 0; i < n; i++) {
            work->own_structure[i * 2 * n + own->column] += column[i] * own->stiffness;
            work->own_structure[i * 2 * n + n + own->column] += column[i] * own->damping;
        }
    }
}

/* ---- Forces. */

static int wrapped(int i, int count)
{
    return ((i % count) + count) % count;
}

/* Assigns the attachment vectors to the flanks in the window at this angle; a new flank there has to be
 * searched. */
static void turn_window(slip_gear_modal *m, const slip_modal_gear *g, const slip_train_side *side,
                        slip_modal_flank *const *slots)
{
    const double angle = m->state[g->at];
    const int teeth = g->wheel->flanks / 2;
    const double pitch = 2 * pi / teeth;
    for (int left = 0; left < 2; left++) {
        const double middle = left ? side->middle : -side->middle;
        const int low = (int)ceil((middle - angle + side->towards) / pitch - 0.5 * side->window);
        for (int i = low; i < low + side->window; i++) {
            slip_modal_flank *f = slots[left * side->window + wrapped(i, side->window)];
            const int flank = 2 * wrapped(i, teeth) + left;
            if (f->flank == flank)
                continue;
            f->flank = flank;
            f->close = false;
            f->near_count = 0;
            m->missed = true;
        }
    }
}

/* Coordinates and rates of the gears, one after the other. */
static void gather(const slip_train_work *w, const double *q, const double *v)
{
    slip_gear_modal *m = w->m;
    for (int b = 0; b < w->train->body_count; b++) {
        const slip_train_body *body = &w->train->bodies[b];
        for (int rate = 0; rate < 2 && body->modal >= 0; rate++) {
            const double *x = rate ? v : q;
            double *to = m->state + (rate ? m->count : 0) + m->gear[body->modal].at;
            to[0] = x[body->turn] + (rate ? 0 : body->offset);
            memcpy(to + 1, x + slip_train_first(w, b), (size_t)body->count * sizeof(double));
        }
    }
}

static int push_flanks(slip_train_work *w, const double *q, const double *v)
{
    const slip_train *train = w->train;
    slip_gear_modal *m = w->m;
    gather(w, q, v);
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            turn_window(m, &m->gear[train->bodies[side->body].modal], side, w->slots[i][k]);
        }
    SLIP_PASS(slip_gear_modal_follow(w->ctx, m));
    slip_gear_modal_touch(m, m->state, m->state + m->count);
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        slip_floating_terms terms = {0};
        if (body->modal < 0)
            continue;
        slip_modal_gear *g = &m->gear[body->modal];
        memset(g->load, 0, (size_t)body->count * sizeof(double));
        slip_gear_modal_load(m, body->modal, m->state, m->state + m->count, &terms);
        slip_modal_add(body->count, 1, g->load, w->force + slip_train_first(w, b));
        w->force[body->turn] += terms.torque + g->moment;
    }
    w->stored = m->totals.energy;
    w->lost = m->totals.lost;
    return SLIP_OK;
}

/* Whether a search for contacts is useless: amplitudes that move teeth by more than a module, angles of ten
 * million turns, or values that are not numbers. */
static bool is_beyond(const slip_train *train, const double *q)
{
    bool within = true;
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        const double *own = q + train->lumped + body->first,
                     most = body->gear.module * sqrt(slip_reduced_mass(body->reduced));
        within = within && fabs(q[body->turn]) < 6e7;
        for (int i = 0; i < body->count; i++)
            within = within && fabs(own[i]) < most;
    }
    return !within;
}

void slip_train_evaluate(const slip_system *system, slip_workspace *work, const double *q, const double *v)
{
    slip_train_work *w = work->own;
    const slip_train *train = w->train;
    const size_t size = (size_t)system->n * sizeof(double);
    if (w->evaluated && memcmp(q, w->q, size) == 0 && memcmp(v, w->v, size) == 0)
        return;
    memcpy(w->q, q, size);
    memcpy(w->v, v, size);
    memset(w->force, 0, size);
    w->evaluated = true;
    w->stored = w->lost = 0;
    turn_bodies(w, q, v);
    w->status = is_beyond(train, q) ? SLIP_ERROR_SOLVER : SLIP_OK;
    if (w->m && w->status >= 0)
        w->status = push_flanks(w, q, v);
    if (w->status < 0)
        w->force[0] = NAN;
}

static void push(const slip_system *system, slip_workspace *work, double t, const double *q, const double *v,
                 double *force)
{
    const slip_train_work *w = work->own;
    (void)t;
    slip_train_evaluate(system, work, q, v);
    slip_modal_add(system->n, 1, w->force, force);
    for (int i = 0; i < w->train->mesh_count; i++)
        work->contacts[w->train->meshes[i].contact].normal = w->m->pairs[i].pair->totals.normal_force;
}

/* ---- Derivatives. */

/* The derivative by y of minus the mass times fixed accelerations: c = r + C y, J = J_0 + 2 s.y + y.S y. */
static void differentiate_mass(const slip_system *system, slip_train_work *w, const double *q,
                               const double *a, double *f_q)
{
    const slip_train *train = w->train;
    const int64_t n = system->n;
    for (int b = 0; b < train->body_count; b++) {
        const slip_floating *frame = w->frames[b];
        const slip_floating_matrix *c = &frame->coriolis, *s = &frame->softening;
        const int64_t turn = train->bodies[b].turn, first = slip_train_first(w, b);
        for (int k = 0; k < frame->modes; k++) {
            f_q[turn * n + first + k] -= 2 * frame->spread[k] * a[turn];
            for (int e = s->first[k]; e < s->first[k + 1]; e++)
                f_q[turn * n + first + k] -= 2 * s->value[e] * q[first + s->column[e]] * a[turn];
            for (int e = c->first[k]; e < c->first[k + 1]; e++) {
                f_q[turn * n + first + c->column[e]] -= c->value[e] * a[first + k];
                f_q[(first + k) * n + first + c->column[e]] -= c->value[e] * a[turn];
            }
        }
    }
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            const int64_t turn = train->bodies[side->body].turn;
            const double *spread = slip_train_full(w, side)->spread;
            for (int j = 0; j < 2 * side->window * side->size; j++)
                f_q[turn * n + train->lumped + side->first + j] -= 2 * spread[j % side->size] * a[turn];
        }
}

/* Derivatives of the forces by coordinate or rate j, by finite differences. */
static void differentiate_forces(const slip_system *system, slip_workspace *work, const double *base, int j,
                                 bool rate, double step, double *q, double *v, double *derivative)
{
    const slip_train_work *w = work->own;
    double *x = rate ? v : q;
    const double kept = x[j];
    const int64_t n = system->n;
    x[j] += step;
    step = x[j] - kept;
    slip_train_evaluate(system, work, q, v);
    x[j] = kept;
    for (int64_t i = 0; i < n; i++)
        derivative[i * n + j] += (w->force[i] - base[i]) / step;
}

static void differentiate(const slip_system *system, slip_workspace *work, double t, const double *q,
                          const double *v, const double *a, double *f_q, double *f_v, double *f_t)
{
    slip_train_work *w = work->own;
    const slip_train *train = w->train;
    const size_t n = (size_t)system->n;
    double *room = w->room;
    (void)f_t;
    slip_system_place(system, work, t, q);
    settle(system, work);
    differentiate_mass(system, w, q, a, f_q);
    memcpy(room, q, n * sizeof *room);
    memcpy(room + n, v, n * sizeof *room);
    slip_train_evaluate(system, work, q, v);
    memcpy(room + 2 * n, w->force, n * sizeof *room);
    for (int rate = 0; rate < 2; rate++) {
        double *to = rate ? f_v : f_q;
        for (int b = 0; b < train->body_count; b++) {
            bool again = false; /* another gear on this shaft */
            for (int other = 0; other < b; other++)
                again = again || train->bodies[other].turn == train->bodies[b].turn;
            if (!again)
                differentiate_forces(system, work, room + 2 * n, train->bodies[b].turn, rate,
                                     difference[rate] / sqrt(w->moment[b]), room, room + n, to);
        }
        for (int j = train->lumped; j < train->lumped + train->count; j++)
            differentiate_forces(system, work, room + 2 * n, j, rate, difference[rate], room, room + n, to);
    }
}

/* ---- The account. */

static void energies(const slip_system *system, slip_workspace *work, double t, const double *q,
                     const double *v, slip_energies_now *now)
{
    slip_train_work *w = work->own;
    const slip_train *train = w->train;
    const int n = system->n;
    slip_floating_account sum = {0};
    (void)t;
    slip_train_evaluate(system, work, q, v);
    *now = (slip_energies_now){.potential = w->stored};
    for (int i = 0; i < train->lumped; i++)
        for (int j = 0; j < train->lumped; j++)
            now->kinetic += 0.5 * v[i] * system->mass[(int64_t)i * n + j] * v[j];
    for (int b = 0; b < train->body_count; b++)
        sum.kinetic += slip_floating_measure(w->frames[b], v[train->bodies[b].turn],
                                             q + slip_train_first(w, b), v + slip_train_first(w, b))
                           .kinetic;
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_train_side *side = &train->meshes[i].side[k];
            for (int slot = 0; slot < 2 * side->window; slot++) {
                const int at = train->lumped + side->first + slot * side->size;
                slip_modal_measure_flank(w->slots[i][k][slot], v[train->bodies[side->body].turn], q + at,
                                         v + at, &sum);
            }
        }
    now->kinetic += sum.kinetic;
    for (int e = 0; e < w->entry_count; e++)
        now->potential += 0.5 * q[w->entries[e].row] * w->entries[e].stiffness * q[w->entries[e].column];
}

static void powers(const slip_system *system, slip_workspace *work, double t, const double *q,
                   const double *v, double *driven, double *dissipated)
{
    (void)t;
    slip_train_evaluate(system, work, q, v);
    *driven = 0;
    *dissipated = ((slip_train_work *)work->own)->lost;
}

static double judge(const slip_system *system, slip_workspace *work, const double *q, const double *v)
{
    const slip_train_work *w = work->own;
    slip_train_evaluate(system, work, q, v);
    return w->status < 0 ? INFINITY : w->m ? slip_gear_modal_judge(w->m) : 0;
}

/* Scales for deflections: for teeth some hundredths of a module at the tips, and for coordinates of unit mass
 * the amplitude that moves the whole gear by that. */
static void deflections(const slip_system *system, double *to)
{
    const double part = 0.01;
    const slip_train *train = system->bodies;
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        const double length = part * body->gear.module,
                     angle = 2 * length / (body->gear.module * body->gear.teeth);
        to[body->turn] = to[body->turn] > 0 ? fmin(to[body->turn], angle) : angle;
        for (int i = 0; i < body->count; i++)
            to[train->lumped + body->first + i] = length * sqrt(slip_reduced_mass(body->reduced));
    }
}

static int diagnose(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                    const double *q)
{
    slip_train_work *w = work->own;
    place(system, work, t, q);
    settle(system, work);
    if (is_beyond(w->train, q))
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "at t = %.9g the motion of a gear has grown beyond all measure: try a smaller "
                         "`simulate.step`, or `event`, which chooses its steps",
                         t);
    if (w->status < 0)
        return w->status;
    if (isnan(w->schur[0]))
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "at t = %.9g the mass matrix of the coordinates and the bodies that turn with them "
                         "is not positive definite",
                         t);
    return SLIP_OK;
}

const slip_structure slip_structure_modal = {
    .name = "modal",
    .instead = (const struct slip_method_type *const[]){&slip_gear_exponential, &slip_gear_explicit, NULL},
    .derive = slip_train_derive,
    .open = slip_train_open,
    .close = slip_train_close,
    .place = place,
    .fill = fill,
    .divide = divide,
    .push = push,
    .differentiate = differentiate,
    .deflections = deflections,
    .energies = energies,
    .powers = powers,
    .judge = judge,
    .diagnose = diagnose};

/* ---- Trains that one method moves, which keeps their state and their account. */

static int derive_bricks(slip_context *ctx, slip_system *system)
{
    (void)ctx;
    system->varying_mass = true;
    return SLIP_OK;
}

/* Nobody evaluates them (slip_model_check_lumped). */
static void place_nowhere(const slip_system *system, slip_workspace *work, double t, const double *q)
{
    (void)system, (void)work, (void)t, (void)q;
}

const slip_structure slip_structure_condensed = {
    .name = "condensed",
    .derive = slip_train_derive,
    .place = place_nowhere,
    .methods = (const struct slip_method_type *const[]){&slip_gear_exponential, NULL}};

const slip_structure slip_structure_bricks = {
    .name = "bricks",
    .derive = derive_bricks,
    .place = place_nowhere,
    .methods = (const struct slip_method_type *const[]){&slip_gear_explicit, NULL}};

bool slip_structure_is_train(const slip_structure *structure)
{
    return structure == &slip_structure_modal || structure == &slip_structure_condensed ||
           structure == &slip_structure_bricks;
}

void slip_train_attach(slip_system *system, const slip_train *train)
{
    system->structure = slip_train_is_whole(train)       ? &slip_structure_bricks
                        : slip_train_is_condensed(train) ? &slip_structure_condensed
                                                         : &slip_structure_modal;
    system->bodies = train;
    system->amplitudes = train->count;
}
