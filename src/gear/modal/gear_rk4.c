/* The method "rk4": gears by modes and attachment modes, classical Runge-Kutta with a fixed step.
 *
 * The set of nodes in contact is updated once a step, at its start; changes within a step are not located.
 *
 * "switch_teeth" takes its set of nodes of each flank from a run with "switch" of the same gears, step and
 * time: all nodes that were in contact or corners of a facet in contact, with one ring of neighbours. A node
 * outside this set is added when it comes into contact. */
#include "gear/gear_motion.h"
#include "gear/modal/gear_modal_show.h"
#include "gear/modal/gear_stability.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The step where the user gives none, s: that of the publication, or, where this exceeds the stability limit,
 * the share default_share of the limit. */
static const double default_step = 1e-8, default_share = 0.9;
static const double steps_max = 1e12; /* weeks of work */

/* Before the run gears are made to overlap by this, in modules, to estimate their contact stiffness. */
static const double trial_depth = 1e-3;

enum { trial_iterations = 60, check_iterations = 8, check_every = 250 };
enum { judge_every = 250 };  /* all nodes are looked for anew */
enum { balance_every = 10 }; /* the energy of every step would be a seventh of the work */

/* With friction the limit is computed again when the normal force has grown by force_growth. A step above the
 * limit is lowered to the share lower_share of it, since the force may grow further. */
static const double force_growth = 1.2, lower_share = 0.5;
/* A step is not lowered below this share of the first one. */
static const double lowest = 1e-6;

typedef struct rk4 {
    slip_context *ctx;
    slip_gear_motion *motion;
    const slip_gear_run_options *options;
    slip_gear_modal *m;
    slip_gear_stability stability;
    double step, time;
    bool chosen;                 /* the step, by the program */
    double first_step;           /* where it was lowered since */
    double time_from;            /* when that was last, */
    int64_t steps_from;          /* after so many steps */
    double checked;              /* normal force when the stability limit was last computed */
    int64_t taken;               /* steps so far */
    double *slope, *stage, *sum; /* of the state's size */
    /* Angular momentum of each gear: at the start; largest; largest difference from the impulse. */
    double *momentum, *largest, *off;
    double *amplitude;
    unsigned char *active;
    slip_gear_frames *frames;
    bool record; /* false: the run only looks for patches */
} rk4;

/* ---- Steps. */

static int begin_step(rk4 *r)
{
    slip_gear_modal *m = r->m;
    bool changed = false;
    for (int tries = 0; tries < 2; tries++) {
        SLIP_PASS(slip_gear_modal_follow(r->ctx, m));
        slip_gear_modal_evaluate(m, m->state, r->slope);
        SLIP_PASS(slip_gear_modal_switch(r->ctx, m, &changed));
        if (!m->missed)
            break;
    }
    if (changed) {
        slip_gear_modal_evaluate(m, m->state, r->slope);
        slip_gear_modal_settle(m);
    }
    return SLIP_OK;
}

/* A step of length h, from the slope at the start, which is known. */
static void take_step(rk4 *r, double h)
{
    static const double next[3] = {0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    slip_gear_modal *m = r->m;
    int n = 2 * m->count + slip_modal_sums(m);
    memcpy(r->sum, m->state, sizeof(double) * (size_t)n);
    slip_modal_add(n, weight[0] * h, r->slope, r->sum);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            r->stage[i] = m->state[i] + next[k] * h * r->slope[i];
        slip_gear_modal_evaluate(m, r->stage, r->slope);
        slip_modal_add(n, weight[k + 1] * h, r->slope, r->sum);
    }
    memcpy(m->state, r->sum, sizeof(double) * (size_t)n);
}

/* ---- Checks. */

static int name_flank(const rk4 *r, int k, int coordinate, char *text, size_t size)
{
    const slip_modal_gear *g = &r->m->gear[k];
    for (int i = 0; i < g->flank_count; i++) {
        const slip_modal_flank *f = g->flanks[i];
        int own = coordinate - f->at - f->basis.kept;
        const char *side = f->flank % 2 ? "left" : "right";
        if (coordinate < f->at || own >= f->basis.directions)
            continue;
        if (own < 0)
            return snprintf(text, size, "an attachment vector of the %s flank of tooth %d", side,
                            f->flank / 2 + 1);
        return snprintf(text, size, "an attachment mode of the %s flank of tooth %d, at node %d", side,
                        f->flank / 2 + 1, f->basis.direction[own] / 3 + 1);
    }
    return coordinate == g->at ? snprintf(text, size, "the rotation")
                               : snprintf(text, size, "mode %d", coordinate - g->at);
}

static int check_finite(const rk4 *r)
{
    const slip_gear_modal *m = r->m;
    double sum = 0;
    char what[120];
    for (int i = 0; i < 2 * m->count; i++)
        sum += m->state[i] * m->state[i];
    if (isfinite(sum))
        return SLIP_OK;
    for (int k = 0; k < m->gear_count; k++)
        for (int i = m->gear[k].at; i < m->gear[k].at + m->gear[k].count; i++)
            if (!isfinite(m->state[i] * m->state[i]) ||
                !isfinite(m->state[m->count + i] * m->state[m->count + i])) {
                name_flank(r, k, i, what, sizeof what);
                return slip_fail(
                    r->ctx, SLIP_ERROR_SOLVER,
                    "at t = %.9g s %s of %s is no finite number: the step (%g s) is too large, or a "
                    "load is",
                    r->time, what, m->gear[k].wheel->name, r->step);
            }
    return slip_fail(r->ctx, SLIP_ERROR_SOLVER, "at t = %.9g s the motion is no finite number", r->time);
}

static int refuse_step(const rk4 *r, double limit, int status, const char *when)
{
    return slip_fail(r->ctx, status,
                     "%sfound step %g s, which is above the stability limit of modes, attachment modes and "
                     "contact: expected at most %.3g s (a lower penalty%s or less damping raise it)",
                     when, r->step, limit, r->m->friction ? ", friction with a wider transition" : "");
}

/* Too many steps are refused. */
static int count_steps(const rk4 *r, double limit)
{
    double left = ceil((r->options->time - r->time) / r->step - 1e-9);
    if (!((double)r->taken + left <= steps_max))
        return slip_fail(
            r->ctx, SLIP_ERROR_MODEL,
            "found time %g s, which is %.3g steps of %g s (the stability limit of modes, attachment "
            "modes and contact is %.3g s), expected at most %g steps: a shorter time, a lower penalty%s "
            "or less damping",
            r->options->time, (double)r->taken + left, r->step, limit, steps_max,
            r->m->friction ? ", friction with a wider transition" : "");
    return SLIP_OK;
}

static int lower_step(rk4 *r, double limit)
{
    r->time_from = r->time;
    r->steps_from = r->taken;
    r->step = lower_share * limit;
    return count_steps(r, limit);
}

static bool check_is_due(rk4 *r)
{
    double force = r->m->totals.normal_force;
    bool grown = r->chosen && r->m->friction && force > force_growth * r->checked;
    if (!(force > 0) || (!grown && r->taken % check_every != 0))
        return false;
    r->checked = force;
    return true;
}

/* Checks the stability limit during the run. A step given by the user that exceeds it ends the run; a step
 * chosen by the program is lowered, and has to be stable with friction at zero slip too, which nodes may
 * reach at any time. */
static int check_on_the_way(rk4 *r)
{
    char when[60];
    if (!check_is_due(r))
        return SLIP_OK;
    snprintf(when, sizeof when, "at t = %.9g s: ", r->time);
    double limit = slip_gear_stability_limit(
        &r->stability, r->m, r->chosen ? SLIP_DAMPING_AT_REST : SLIP_DAMPING_NOW, check_iterations);
    slip_gear_modal_evaluate(r->m, r->m->state, r->slope);
    if (!(r->step > limit))
        return SLIP_OK;
    if (!r->chosen || lower_share * limit < lowest * r->first_step)
        return refuse_step(r, limit, SLIP_ERROR_SOLVER, when);
    return lower_step(r, limit);
}

/* Chooses the step by the limit for gears that overlap by trial_depth at the start. */
static int choose_step(rk4 *r)
{
    slip_gear_modal *m = r->m;
    double depth = trial_depth * r->motion->group.gears[0].module, wanted = r->options->step;
    slip_gear_modal_start(m, m->pairs[0].pair->sense * depth / m->gear[0].tip_radius);
    for (int k = 0; k < m->gear_count; k++)
        m->state[m->count + m->gear[k].at] = 0;
    SLIP_PASS(begin_step(r));
    double limit = slip_gear_stability_limit(&r->stability, m, SLIP_DAMPING_NONE, trial_iterations);
    r->chosen = !(wanted > 0);
    r->step = r->first_step = r->chosen ? fmin(default_step, default_share * limit) : wanted;
    if (r->step > limit)
        return refuse_step(r, limit, SLIP_ERROR_MODEL, "");
    return count_steps(r, limit);
}

/* ---- Results. */

static int make_frames(rk4 *r)
{
    const slip_gear_modal *m = r->m;
    SLIP_FREED slip_gear_subject *subjects = slip_alloc(m->gear_count, sizeof *subjects);
    SLIP_PASS(slip_allocated(r->ctx, subjects));
    for (int k = 0; k < m->gear_count; k++)
        subjects[k] = slip_gear_modal_subject(m, k, &r->motion->group.gears[k]);
    return slip_gear_frames_create(r->ctx, m->gear_count, subjects, &r->frames);
}

static int set_scene(slip_gear_motion *motion, double t, slip_gear_scene *scene)
{
    rk4 *r = motion->self;
    (void)t;
    if (!r->frames)
        SLIP_PASS(make_frames(r));
    scene->time = r->time;
    scene->force = r->m->totals.normal_force;
    for (int k = 0; k < r->m->gear_count; k++) {
        slip_gear_modal_show(r->m, k, r->amplitude, r->frames, k);
        SLIP_PASS(
            slip_gear_frames_solve(r->ctx, r->frames, k, &scene->gears[slip_gear_motion_place(motion, k)]));
    }
    return SLIP_OK;
}

/* The history of a flank begins with its first attachment modes. */
static int record_history(slip_gear_motion *motion, double t, int64_t row)
{
    rk4 *r = motion->self;
    slip_gear_modal *m = r->m;
    (void)t;
    for (int k = 0; k < m->gear_count; k++) {
        const slip_modal_gear *g = &m->gear[k];
        const slip_gear_wheel *w = g->wheel;
        for (int flank = 0; flank < w->flanks; flank++) {
            const slip_modal_flank *f = slip_modal_find(g, flank);
            bool on = f && f->basis.count > 0;
            double force[3] = {0};
            slip_gear_modal_amplitudes(m, k, f, r->sum, r->amplitude);
            for (int i = 0; i < w->size; i++)
                r->active[i] = on && f->set[i / 3];
            for (int i = 0; on && f->close && i < w->size; i++)
                force[i % 3] +=
                    m->pairs[f->pair].pair->force[f->side][(size_t)flank * (size_t)w->size + (size_t)i];
            SLIP_PASS(slip_gear_motion_participation(motion, k, w->surface[flank], on, row, w->size,
                                                     r->amplitude, r->active,
                                                     hypot(hypot(force[0], force[1]), force[2])));
        }
    }
    return SLIP_OK;
}

static void find_forces(const rk4 *r, double *normal)
{
    for (int p = 0; p < r->m->pair_count; p++)
        normal[p] = r->m->pairs[p].pair->totals.normal_force;
}

/* The state as a sample; sees to the momenta of the gears too. */
static void measure(rk4 *r, slip_gear_sample *s)
{
    const slip_gear_modal *m = r->m;
    const double *x = m->state, *v = m->state + m->count, *sums = m->state + 2 * m->count;
    const slip_modal_account own = slip_gear_modal_measure(r->m);
    s->time = r->time;
    s->force = m->totals.normal_force;
    s->touching = m->totals.touching;
    s->depth = m->totals.deepest;
    s->kinetic = own.kinetic;
    s->strain = own.strain;
    s->contact = m->totals.energy;
    s->lost = sums[SLIP_MODAL_LOST];
    s->work = sums[SLIP_MODAL_WORK];
    for (int k = 0; k < m->gear_count; k++) {
        s->angle[k] = x[m->gear[k].at];
        s->speed[k] = v[m->gear[k].at];
        s->moment[k] = m->gear[k].moment;
    }
    find_forces(r, s->normal);
}

/* Fails for unbounded growth, and names the vibration with the largest energy. */
static int stop_growth(rk4 *r)
{
    const slip_gear_modal *m = r->m;
    const double *v = m->state + m->count;
    char when[60], what[120], who[260];
    int gear = 0, largest = m->gear[0].at + 1;
    for (int k = 0; k < m->gear_count; k++)
        for (int i = m->gear[k].at + 1; i < m->gear[k].at + m->gear[k].count; i++)
            if (fabs(v[i]) > fabs(v[largest])) {
                gear = k;
                largest = i;
            }
    name_flank(r, gear, largest, what, sizeof what);
    snprintf(when, sizeof when, "at t = %.9g s ", r->time);
    snprintf(who, sizeof who, "%s of %.100s", what, m->gear[gear].wheel->name);
    return slip_gear_motion_unbounded(r->motion, when, who);
}

/* Measures energies and momenta of the present state and checks for unbounded growth. */
static int check_growth(slip_gear_motion *motion)
{
    rk4 *r = motion->self;
    const double *sums = r->m->state + 2 * r->m->count;
    measure(r, slip_gear_motion_next_sample(motion));
    for (int k = 0; k < r->m->gear_count; k++) {
        const double momentum = r->m->gear[k].momentum;
        r->largest[k] = fmax(r->largest[k], fabs(momentum));
        r->off[k] = fmax(r->off[k], fabs(momentum - r->momentum[k] - sums[SLIP_MODAL_IMPULSE + k]));
    }
    return slip_gear_motion_check(motion) ? stop_growth(r) : SLIP_OK;
}

/* After a step: reports contact forces, checks energies every few steps, and shows the step to the observer.
 */
static int keep_record(rk4 *r)
{
    find_forces(r, r->motion->sample.normal);
    slip_gear_motion_watch(r->motion, r->time, r->motion->sample.normal);
    if (r->taken % balance_every == 0)
        SLIP_PASS(check_growth(r->motion));
    if (r->taken % judge_every == 0)
        r->motion->residual = fmax(r->motion->residual, slip_gear_modal_judge(r->m));
    slip_gear_motion_show_near(r->motion);
    return SLIP_OK;
}

static int hand_numbers(slip_gear_motion *motion, const slip_number_sink *sink)
{
    const rk4 *r = motion->self;
    SLIP_PASS(slip_gear_motion_number_step(motion, sink, r->step, r->first_step));
    SLIP_PASS(sink->number(sink->user, r->ctx, "switches", (double)r->m->switches));
    SLIP_PASS(sink->number(sink->user, r->ctx, "energy.switching", r->m->switched));
    for (int k = 0; k < r->m->gear_count; k++)
        SLIP_PASS(slip_gear_motion_number_momentum(motion, sink, k,
                                                   r->largest[k] > 0 ? r->off[k] / r->largest[k] : 0));
    return SLIP_OK;
}

/* ---- Runs. */

/* After a step, and at the start: updates the nodes in contact and the active attachment modes. */
static int arrive(rk4 *r)
{
    SLIP_PASS(check_finite(r));
    SLIP_PASS(begin_step(r));
    r->motion->time = r->time;
    r->motion->steps = r->taken;
    r->motion->evaluations = r->m->evaluations;
    r->motion->step = r->step;
    r->motion->touching = r->m->totals.touching > 0;
    return SLIP_OK;
}

/* The gears at their start. */
static int start(rk4 *r)
{
    slip_gear_modal_start(r->m, 0);
    if (r->options->initial)
        SLIP_PASS(slip_gear_modal_rest(r->ctx, r->m, &r->motion->group, r->slope));
    r->time = r->time_from = r->checked = 0;
    r->taken = r->steps_from = 0;
    SLIP_PASS(count_steps(r, r->step));
    SLIP_PASS(arrive(r));
    slip_gear_modal_measure(r->m);
    for (int k = 0; k < r->m->gear_count; k++) {
        r->momentum[k] = r->m->gear[k].momentum;
        r->largest[k] = fabs(r->momentum[k]);
    }
    return SLIP_OK;
}

static int step(slip_gear_motion *motion)
{
    rk4 *r = motion->self;
    if (slip_gear_next_step(motion, r->time, r->step) == 0)
        return SLIP_STOPPED;
    SLIP_PASS(check_on_the_way(r));
    const double h = slip_gear_next_step(motion, r->time, r->step);
    take_step(r, h);
    r->taken++;
    if (h < r->step) {
        r->time_from = r->time + h;
        r->steps_from = r->taken;
    }
    r->time = r->time_from + (double)(r->taken - r->steps_from) * r->step;
    SLIP_PASS(arrive(r));
    if (r->record)
        SLIP_PASS(keep_record(r));
    return SLIP_OK;
}

static int measure_now(slip_gear_motion *motion, slip_gear_sample *now)
{
    measure(motion->self, now);
    return SLIP_OK;
}

static void set_torques(slip_gear_motion *motion)
{
    rk4 *r = motion->self;
    slip_gear_modal_evaluate(r->m, r->m->state, r->slope);
}

/* One more ring of nodes around each patch. */
static void widen(const slip_modal_gear *g, int along, unsigned char *scratch)
{
    int nodes = g->wheel->nodes, across = nodes / along;
    for (int f = 0; f < g->wheel->flanks; f++) {
        unsigned char *patch = g->patch + (size_t)f * (size_t)nodes;
        memcpy(scratch, patch, (size_t)nodes);
        for (int i = 0; i < nodes; i++)
            for (int k = 0; scratch[i] && k < 9; k++) {
                int row = i / along + k / 3 - 1, column = i % along + k % 3 - 1;
                if (row >= 0 && row < across && column >= 0 && column < along)
                    patch[row * along + column] = 1;
            }
    }
}

static int find_patches(rk4 *r)
{
    slip_gear_motion *motion = r->motion;
    const char *what = motion->what;
    motion->what = "contact patch";
    motion->share = 0.5;
    motion->end = r->options->time;
    for (int k = 0; k < r->m->gear_count; k++) {
        slip_modal_gear *g = &r->m->gear[k];
        if (g->reduction == SLIP_STATIC_TEETH)
            g->reduction = SLIP_STATIC_SWITCH;
        memset(g->patch, 0, (size_t)g->wheel->flanks * (size_t)g->wheel->nodes);
    }
    int status = start(r);
    if (status >= 0)
        status = slip_gear_motion_go(motion);
    for (int k = 0; k < r->m->gear_count; k++) {
        slip_modal_gear *g = &r->m->gear[k];
        if (strcmp(g->side->reduction, "switch_teeth") != 0)
            continue;
        g->reduction = SLIP_STATIC_TEETH;
        widen(g, g->wheel->along, r->active);
    }
    motion->what = what;
    motion->done = 0.5;
    return status;
}

static int prepare(rk4 *r)
{
    slip_gear_modal *m = r->m;
    const int64_t size = 2 * (int64_t)m->capacity + slip_modal_sums(m), largest = slip_gear_modal_size(m);
    r->slope = slip_arena_array(&m->arena, size, sizeof(double));
    r->stage = slip_arena_array(&m->arena, size, sizeof(double));
    r->sum = slip_arena_array(&m->arena, size, sizeof(double));
    r->momentum = slip_arena_array(&m->arena, 3 * (int64_t)m->gear_count, sizeof(double));
    r->amplitude = slip_arena_array(&m->arena, 3 * largest, sizeof(double));
    r->active = slip_arena_array(&m->arena, largest, 1);
    SLIP_PASS(
        slip_allocated(r->ctx, r->slope && r->stage && r->sum && r->momentum && r->amplitude && r->active));
    r->largest = r->momentum + m->gear_count;
    r->off = r->largest + m->gear_count;
    SLIP_PASS(slip_gear_stability_create(r->ctx, m, &r->stability));
    return choose_step(r);
}

static int open(slip_gear_motion *motion)
{
    rk4 *r = motion->self = slip_alloc(1, sizeof *r);
    SLIP_PASS(slip_allocated(motion->ctx, r));
    r->ctx = motion->ctx;
    r->motion = motion;
    r->options = &motion->options;
    SLIP_PASS(slip_gear_modal_create(r->ctx, &motion->group, &r->m));
    SLIP_PASS(prepare(r));
    bool patches = false;
    for (int k = 0; k < r->m->gear_count; k++)
        patches = patches || r->m->gear[k].reduction == SLIP_STATIC_TEETH;
    if (patches)
        SLIP_PASS(find_patches(r));
    r->record = true;
    return start(r);
}

static void close(slip_gear_motion *motion)
{
    SLIP_FREED rk4 *r = motion->self;
    slip_gear_frames_destroy(r->frames);
    slip_gear_modal_destroy(r->m);
}

static void keep(slip_gear_motion *motion, slip_keeper *k)
{
    rk4 *r = motion->self;
    slip_gear_modal_keep(r->m, k);
    slip_gear_stability_keep(&r->stability, r->m, k);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(r->step), SLIP_BLOCK(r->time), SLIP_BLOCK(r->first_step),
                  SLIP_BLOCK(r->time_from), SLIP_BLOCK(r->steps_from), SLIP_BLOCK(r->checked),
                  SLIP_BLOCK(r->taken));
    slip_keep_bytes(k, r->momentum, sizeof(double) * 3 * (size_t)r->m->gear_count);
    slip_keep_bytes(k, r->slope, sizeof(double) * (2 * (size_t)r->m->count + (size_t)slip_modal_sums(r->m)));
}

const slip_gear_method slip_gear_method_rk4 = {.name = "rk4",
                                               .reduced = true,
                                               .serial = true,
                                               .open = open,
                                               .step = step,
                                               .measure = measure_now,
                                               .check = check_growth,
                                               .history = record_history,
                                               .scene = set_scene,
                                               .set_torques = set_torques,
                                               .keep = keep,
                                               .numbers = hand_numbers,
                                               .close = close};
