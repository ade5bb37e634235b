/* The method "explicit": the nonlinear finite element model of two gears. */
#include "card/card.h"
#include "fem/brick_stress.h"
#include "gear/gear_impact.h"
#include "gear/gear_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct explicit_run {
    slip_gear_motion *motion;
    const slip_gear_task *task;
    slip_gear_impact *g;
    slip_card *card; /* NULL: the processor takes the steps */
    /* Angular momentum: at the start, the largest of both gears, the largest that does not balance. */
    double momentum[2], largest, unbalanced[2];
    int64_t frames;   /* shown */
    double *flank;    /* forces on one */
    double *mises[2]; /* of a frame */
} explicit_run;

/* ---- Samples. */

/* Forces of the contact on the nodes of a flank, in its frame. Returns the size of their sum. */
static double flank_forces(const explicit_run *r, int k, int flank, double *force)
{
    const slip_flank_surface *s = &r->g->surfaces[k][flank];
    double angle = r->g->wheels[k].angle + 2 * pi * (flank / 2) / r->task->gears[k].teeth, c = cos(angle),
           d = sin(angle), sum[3] = {0};
    for (int i = 0; i < s->rows * s->columns; i++, force += 3) {
        const double *f = r->g->force[k] + 3 * (size_t)s->nodes[i];
        force[0] = c * f[0] + d * f[1];
        force[1] = c * f[1] - d * f[0];
        force[2] = f[2];
        for (int j = 0; j < 3; j++)
            sum[j] += f[j];
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

static bool is_paired(const explicit_run *r, int k, int flank)
{
    for (int p = 0; p < r->g->pair_count; p++)
        if (r->g->pairs[p].surface[k] == flank)
            return r->g->totals.touching > 0;
    return false;
}

/* The history of a flank begins with its first force at a sample. */
static int take_history(slip_gear_motion *motion, double t, int64_t row)
{
    explicit_run *r = motion->self;
    int status = SLIP_OK;
    (void)t;
    for (int k = 0; k < 2; k++)
        for (int flank = 0; flank < 2 * r->task->gears[k].teeth && status >= 0; flank++) {
            const slip_flank_surface *s = &r->g->surfaces[k][flank];
            int size = 3 * s->rows * s->columns;
            double force = 0;
            if (is_paired(r, k, flank))
                force = flank_forces(r, k, flank, r->flank);
            else
                memset(r->flank, 0, sizeof(double) * (size_t)size);
            status =
                slip_gear_motion_participation(motion, k, flank, force > 0, row, size, r->flank, NULL, force);
        }
    return status;
}

/* What the gears gained must be what contact, torque and drive brought. */
static void check_momentum(explicit_run *r)
{
    for (int k = 0; k < 2; k++) {
        double now = slip_explicit_momentum(r->g->model, k);
        double brought = r->g->impulse[k] + slip_explicit_impulse(r->g->model, k);
        if (r->motion->steps == 0)
            r->momentum[k] = now;
        r->largest = fmax(r->largest, fabs(now));
        r->unbalanced[k] = fmax(r->unbalanced[k], fabs(now - r->momentum[k] - brought));
    }
}

/* Names the fastest node. */
static int stop_growth(slip_context *ctx, const explicit_run *r, const slip_gear_sample *s)
{
    const int status = slip_explicit_fetch(ctx, r->g->model);
    const double *v = slip_explicit_velocities(r->g->model);
    char when[60], who[160];
    double largest = 0;
    int gear = 0, node = 0;
    if (status < 0)
        return status;
    for (int k = 0; k < 2; k++) {
        int first = slip_explicit_first_node(r->g->model, k);
        for (int i = 0; i < r->g->mesh[k]->mesh->node_count; i++) {
            const double *own = v + 3 * ((size_t)first + (size_t)i);
            double square = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
            if (square > largest) {
                largest = square;
                gear = k;
                node = i;
            }
        }
    }
    snprintf(who, sizeof who, "node %d of %.100s", node + 1, r->task->gears[gear].name);
    snprintf(when, sizeof when, "t = %.9g s: ", s->time);
    return slip_gear_account_unbounded(ctx, &r->motion->account, s, when, who);
}

static int look(slip_gear_motion *motion, slip_gear_sample *now)
{
    const explicit_run *r = motion->self;
    slip_gear_impact *g = r->g;
    slip_explicit_ledger ledger;
    const int status = slip_explicit_account(motion->ctx, g->model, &ledger);
    *now = (slip_gear_sample){.time = slip_explicit_time(g->model),
                              .force = g->totals.normal_force,
                              .touching = g->totals.touching,
                              .depth = g->totals.deepest,
                              .kinetic = ledger.kinetic,
                              .strain = ledger.strain,
                              .contact = ledger.load,
                              .lost = ledger.lost,
                              .work = ledger.work};
    for (int k = 0; k < 2; k++) {
        now->angle[k] = slip_explicit_angle(g->model, k);
        now->speed[k] = slip_explicit_speed(g->model, k);
        now->moment[k] = g->moment[k];
    }
    return status;
}

static int see(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    slip_gear_sample s;
    int status;
    SLIP_TRY(look(motion, &s));
    motion->evaluations = slip_explicit_evaluations(r->g->model);
    check_momentum(r);
    if (slip_gear_motion_see(motion, &s))
        status = stop_growth(motion->ctx, r, &s);
done:
    return status;
}

/* ---- Frames. */

static int show_frame(slip_context *ctx, explicit_run *r)
{
    const slip_gear_run_options *o = r->task->options;
    slip_gear_frame frame = {.number = (int)r->frames,
                             .time = slip_explicit_time(r->g->model),
                             .force = r->g->totals.normal_force};
    int status = slip_explicit_fetch(ctx, r->g->model);
    for (int k = 0; k < 2 && status >= 0; k++) {
        const slip_gear_options *gear = &r->task->gears[k];
        const double *position =
            slip_explicit_positions(r->g->model) + 3 * (size_t)slip_explicit_first_node(r->g->model, k);
        frame.node_count[k] = r->g->mesh[k]->mesh->node_count;
        frame.angle[k] = slip_explicit_angle(r->g->model, k);
        memcpy(frame.centre[k], r->g->wheels[k].centre, sizeof frame.centre[k]);
        frame.position[k] = position;
        frame.stress[k] = r->mises[k];
        status = slip_brick_mises(ctx, r->g->mesh[k]->mesh, position, gear->young, gear->poisson,
                                  o->hourglass > 0, r->mises[k]);
    }
    if (status >= 0)
        status = o->frame(o->frame_user, ctx, &frame);
    r->frames++;
    return status;
}

static int show_frames(slip_context *ctx, explicit_run *r)
{
    const slip_gear_run_options *o = r->task->options;
    if (r->frames >= o->frames)
        return SLIP_OK;
    double due = o->frames > 1 ? o->time * (double)r->frames / (o->frames - 1) : 0;
    if (slip_explicit_time(r->g->model) < due - slip_explicit_step(r->g->model) / 2)
        return SLIP_OK;
    return show_frame(ctx, r);
}

/* ---- The motion. */

static void see_time(slip_gear_motion *motion)
{
    const explicit_run *r = motion->self;
    motion->time = slip_explicit_time(r->g->model);
    motion->steps = slip_explicit_steps(r->g->model);
    motion->evaluations = slip_explicit_evaluations(r->g->model);
    motion->step = slip_explicit_step(r->g->model);
    motion->touching = r->g->totals.touching > 0;
}

static int step(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    slip_explicit *model = r->g->model;
    const double time = slip_explicit_time(model), h = slip_explicit_step(model);
    const double next = slip_gear_next_step(motion, time, h);
    int status = SLIP_OK;
    if (next == 0)
        return SLIP_STOPPED;
    if (motion->steps == 0)
        SLIP_TRY(show_frames(motion->ctx, r));
    SLIP_TRY(next < h ? slip_explicit_advance_to(motion->ctx, model, time + next)
                      : slip_explicit_advance(motion->ctx, model, 1));
    see_time(motion);
    slip_gear_motion_watch(motion, r->g->time, r->g->totals.normal_force);
    motion->residual = fmax(motion->residual, r->g->totals.residual);
    SLIP_TRY(show_frames(motion->ctx, r));
    slip_gear_motion_show_near(motion);
done:
    return status;
}

static void load(slip_gear_motion *motion)
{
    const explicit_run *r = motion->self;
    for (int k = 0; k < 2; k++)
        slip_explicit_set_torque(r->g->model, k, r->task->options->side[k].torque);
}

static int hand_numbers(slip_gear_motion *motion, const slip_number_sink *sink)
{
    const explicit_run *r = motion->self;
    const slip_explicit *model = r->g->model;
    double off[2];
    int status;
    for (int k = 0; k < 2; k++)
        off[k] = r->largest > 0 ? r->unbalanced[k] / r->largest : 0;
    SLIP_TRY(slip_gear_motion_number_step(motion, sink, slip_explicit_step(model),
                                          slip_explicit_first_step(model)));
    SLIP_TRY(slip_gear_motion_number_momentum(motion, sink, off));
done:
    return status;
}

static void keep(slip_gear_motion *motion, slip_keeper *k)
{
    explicit_run *r = motion->self;
    const slip_gear_run_options *o = r->task->options;
    double n[] = {r->momentum[0],   r->momentum[1],    r->largest,      r->unbalanced[0],
                  r->unbalanced[1], (double)r->frames, motion->residual};
    enum { count = sizeof n / sizeof *n };
    slip_keep_finite(k, "run", n, count);
    if (slip_kept_read(k) && (!(n[5] >= 0 && n[5] <= o->frames) || n[5] != floor(n[5])))
        k->status = slip_h5_fail_value(k->file, "run", 5, n[5], "a number of frames up to that of the run");
    slip_gear_impact_keep(r->g, k, o->checkpoint);
    if (!slip_kept_back(k))
        return;
    for (int i = 0; i < 2; i++) {
        r->momentum[i] = n[i];
        r->unbalanced[i] = n[3 + i];
    }
    r->largest = n[2];
    r->frames = (int64_t)n[5];
    motion->residual = n[6];
    if (k->file)
        see_time(motion);
}

static slip_gear_impact_options impact_options(const slip_gear_run_options *o)
{
    slip_gear_impact_options impact = slip_gear_impact_options_default();
    impact.distance = o->distance;
    impact.phase = o->phase;
    impact.step = o->step;
    impact.threads = o->threads;
    impact.hourglass = o->hourglass;
    impact.flanks.penalty = o->penalty;
    impact.flanks.two_pass = o->two_pass;
    impact.flanks.friction = o->friction;
    impact.flanks.kinematic = isinf(o->penalty);
    for (int k = 0; k < 2; k++) {
        impact.speed[k] = o->side[k].speed;
        impact.inertia[k] = o->side[k].inertia;
        impact.torque[k] = o->side[k].torque;
        impact.driven[k] = o->side[k].driven != 0;
    }
    return impact;
}

static int reserve(slip_context *ctx, explicit_run *r)
{
    int64_t most = 0;
    bool good = true;
    for (int k = 0; k < 2; k++) {
        const slip_flank_surface *s = &r->g->surfaces[k][0];
        int64_t nodes = r->task->options->frames > 0 ? r->g->mesh[k]->mesh->node_count : 0;
        most = 3 * s->rows * s->columns > most ? 3 * s->rows * s->columns : most;
        r->mises[k] = slip_alloc(nodes, sizeof(double));
        good = good && r->mises[k];
    }
    r->flank = slip_alloc(most, sizeof *r->flank);
    return good && r->flank ? SLIP_OK : slip_fail_memory(ctx);
}

/* The graphics card, where one is wanted. */
static int open_card(slip_context *ctx, const char *device, slip_card **card)
{
    const bool asked = device && strcmp(device, "cuda") == 0;
    if (!asked && (!device || strcmp(device, "auto") != 0))
        return SLIP_OK;
    const int status = slip_card_open(ctx, card);
    if (status < 0 && !asked)
        slip_context_clear(ctx);
    return asked ? status : SLIP_OK;
}

static int open(slip_gear_motion *motion)
{
    explicit_run *r = motion->self = slip_alloc(1, sizeof *r);
    slip_gear_impact_options impact = impact_options(motion->task.options);
    int status;
    if (!r)
        return slip_fail_memory(motion->ctx);
    r->motion = motion;
    r->task = &motion->task;
    SLIP_TRY(open_card(motion->ctx, motion->task.options->device, &r->card));
    impact.card = r->card;
    SLIP_TRY(slip_gear_impact_create(motion->ctx, motion->task.gears, &impact, &r->g));
    see_time(motion);
    SLIP_TRY(reserve(motion->ctx, r));
done:
    return status;
}

static void close(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    slip_gear_impact_destroy(r->g);
    slip_card_close(r->card);
    free(r->flank);
    free(r->mises[0]);
    free(r->mises[1]);
    free(r);
}

const slip_gear_method slip_gear_method_explicit = {.name = "explicit",
                                                    .open = open,
                                                    .step = step,
                                                    .look = look,
                                                    .see = see,
                                                    .history = take_history,
                                                    .load = load,
                                                    .keep = keep,
                                                    .numbers = hand_numbers,
                                                    .close = close};
