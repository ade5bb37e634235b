/* The method "explicit": the nonlinear finite element model of two gears. */
#include "base/clock.h"
#include "fem/brick_stress.h"
#include "gear/gear_impact.h"
#include "gear/gear_run.h"
#include "gear/gear_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

typedef struct explicit_run {
    const slip_gear_task *task;
    slip_gear_impact *g;
    /* Angular momentum: at the start, the largest of both gears, the largest that does not balance. */
    double momentum[2], largest, unbalanced[2];
    int64_t frames;   /* shown */
    bool *seen[2];    /* flanks that had a force at a sample */
    double *flank;    /* forces on one */
    double *mises[2]; /* of a frame */
    double saved;     /* when the state was written last, on the clock */
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

static int take_history(slip_context *ctx, explicit_run *r, int64_t sample)
{
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++)
        for (int flank = 0; flank < 2 * r->task->gears[k].teeth && status >= 0; flank++) {
            const slip_flank_surface *s = &r->g->surfaces[k][flank];
            int size = 3 * s->rows * s->columns;
            double force = 0;
            if (is_paired(r, k, flank))
                force = flank_forces(r, k, flank, r->flank);
            else
                memset(r->flank, 0, sizeof(double) * (size_t)size);
            r->seen[k][flank] = r->seen[k][flank] || force > 0;
            if (r->seen[k][flank])
                status = slip_gear_record_participation(ctx, r->task->result, k, flank, sample, size,
                                                        r->flank, NULL, force);
        }
    return status;
}

/* What the gears gained must be what contact, torque and drive brought. */
static void check_momentum(explicit_run *r, bool first)
{
    for (int k = 0; k < 2; k++) {
        double now = slip_explicit_momentum(r->g->model, k);
        double brought = r->g->impulse[k] + slip_explicit_impulse(r->g->model, k);
        if (first)
            r->momentum[k] = now;
        r->largest = fmax(r->largest, fabs(now));
        r->unbalanced[k] = fmax(r->unbalanced[k], fabs(now - r->momentum[k] - brought));
    }
}

/* Names the fastest node. */
static int stop_growth(slip_context *ctx, const explicit_run *r, const slip_gear_sample *s)
{
    const double *v = slip_explicit_velocities(r->g->model);
    char when[60], who[160];
    double largest = 0;
    int gear = 0, node = 0;
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
    return slip_gear_record_unbounded(ctx, r->task->result, s, when, who);
}

static int take_sample(slip_context *ctx, explicit_run *r)
{
    slip_gear_impact *g = r->g;
    slip_explicit_ledger ledger;
    int64_t sample = slip_gear_record_count(r->task->result);
    int status;
    SLIP_TRY(slip_explicit_account(ctx, g->model, &ledger));
    slip_gear_sample s = {.time = slip_explicit_time(g->model),
                          .force = g->totals.normal_force,
                          .touching = g->totals.touching,
                          .depth = g->totals.deepest,
                          .kinetic = ledger.kinetic,
                          .strain = ledger.strain,
                          .contact = ledger.load,
                          .lost = ledger.lost,
                          .work = ledger.work};
    for (int k = 0; k < 2; k++) {
        s.angle[k] = slip_explicit_angle(g->model, k);
        s.speed[k] = slip_explicit_speed(g->model, k);
        s.moment[k] = g->moment[k];
    }
    if (slip_gear_record_balance(r->task->result, &s))
        return stop_growth(ctx, r, &s);
    check_momentum(r, sample == 0);
    SLIP_TRY(slip_gear_record_add(ctx, r->task->result, &s));
    if (r->task->options->history)
        SLIP_TRY(take_history(ctx, r, sample));
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
    int status = SLIP_OK;
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

/* ---- Checkpoints. */

enum { run_numbers = 6 };

static int save(slip_context *ctx, const explicit_run *r)
{
    slip_text settings = {0};
    slip_h5 *file = NULL;
    const double numbers[run_numbers] = {r->momentum[0],   r->momentum[1],   r->largest,
                                         r->unbalanced[0], r->unbalanced[1], (double)r->frames};
    int status;
    slip_gear_settings_write(r->task->gears, r->task->options, &settings);
    SLIP_TRY(settings.failed ? slip_fail_memory(ctx) : SLIP_OK);
    SLIP_TRY(slip_h5_create(ctx, r->task->options->checkpoint, &file));
    SLIP_TRY(slip_h5_write_text(file, "/", "settings", settings.data));
    SLIP_TRY(slip_h5_write(file, "run", numbers, run_numbers));
    SLIP_TRY(slip_gear_impact_write(ctx, r->g, file));
    SLIP_TRY(slip_gear_record_write(ctx, r->task->result, file));
    status = slip_h5_commit(file);
    file = NULL;
done:
    slip_h5_close(file);
    slip_text_free(&settings);
    return status;
}

/* A checkpoint goes on with its own settings only. */
static int check_settings(slip_context *ctx, const explicit_run *r, slip_h5 *file)
{
    slip_arena arena = {0};
    slip_text settings = {0};
    slip_gear_setting_pair pair;
    char *found = NULL;
    int status = slip_h5_read_text(file, "/", "settings", &arena, &found);
    slip_gear_settings_write(r->task->gears, r->task->options, &settings);
    if (status >= 0 && settings.failed)
        status = slip_fail_memory(ctx);
    if (status >= 0 && slip_gear_settings_differ(found ? found : "", settings.data, &pair))
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "%s: the checkpoint is of another run: found `%s` in it, expected `%s`; go on with "
                      "the settings of that run, or begin again with `--restart`",
                      r->task->options->checkpoint, pair.found, pair.expected);
    slip_text_free(&settings);
    slip_arena_free(&arena);
    return status;
}

/* The time that was reached, by the model and by the samples. */
static int check_time(slip_context *ctx, const explicit_run *r)
{
    const slip_gear_run_options *o = r->task->options;
    const double time = slip_explicit_time(r->g->model), step = slip_explicit_step(r->g->model);
    const int64_t count = slip_gear_record_count(r->task->result);
    const double due = count > 0 ? slip_gear_sample_time(o, count - 1) : 0;
    if (time >= due - step && time <= o->time + step)
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_IO,
        "cannot read %s: model/numbers: found the time %.9g s, expected %.9g s, where the last of its "
        "%lld samples is, to %.9g s, the end of the run",
        o->checkpoint, time, due, (long long)count, o->time);
}

static int read_checkpoint(slip_context *ctx, explicit_run *r, slip_h5 *file)
{
    const slip_gear_run_options *o = r->task->options;
    double *numbers = NULL;
    int flanks[2], sizes[2], status;
    for (int k = 0; k < 2; k++) {
        const slip_flank_surface *s = &r->g->surfaces[k][0];
        flanks[k] = 2 * r->task->gears[k].teeth;
        sizes[k] = 3 * s->rows * s->columns;
    }
    SLIP_TRY(check_settings(ctx, r, file));
    SLIP_TRY(slip_h5_read_exactly(file, "run", run_numbers, &numbers));
    SLIP_TRY(slip_h5_check_finite(file, "run", numbers, run_numbers - 1));
    if (!(numbers[5] >= 0 && numbers[5] <= o->frames) || numbers[5] != floor(numbers[5])) {
        status = slip_h5_fail_value(file, "run", 5, numbers[5], "a number of frames up to that of the run");
        goto done;
    }
    SLIP_TRY(slip_gear_impact_read(ctx, r->g, file, o->checkpoint));
    SLIP_TRY(slip_gear_record_read(ctx, r->task->result, o->samples, flanks, sizes, file));
    SLIP_TRY(check_time(ctx, r));
    for (int k = 0; k < 2; k++) {
        r->momentum[k] = numbers[k];
        r->unbalanced[k] = numbers[3 + k];
        for (int flank = 0; flank < 2 * r->task->gears[k].teeth; flank++)
            r->seen[k][flank] = slip_gear_record_has(r->task->result, k, flank);
    }
    r->largest = numbers[2];
    r->frames = (int64_t)numbers[5];
done:
    free(numbers);
    return status;
}

/* Goes on from a checkpoint where there is one. */
static int resume(slip_context *ctx, explicit_run *r)
{
    const char *path = r->task->options->checkpoint;
    slip_h5 *file = NULL;
    int status = SLIP_OK;
    if (!path || access(path, F_OK) != 0)
        return SLIP_OK;
    SLIP_TRY(slip_h5_open(ctx, path, &file));
    status = read_checkpoint(ctx, r, file);
done:
    slip_h5_close(file);
    return status;
}

static int save_when_due(slip_context *ctx, explicit_run *r)
{
    const slip_gear_run_options *o = r->task->options;
    if (!o->checkpoint || slip_clock() - r->saved < o->checkpoint_every)
        return SLIP_OK;
    int status = save(ctx, r);
    r->saved = slip_clock();
    return status;
}

/* ---- The run. */

static void report(slip_context *ctx, const explicit_run *r)
{
    double time = slip_explicit_time(r->g->model);
    if (slip_progress_due(ctx))
        slip_progress_report(ctx, &(slip_progress){.what = "gears",
                                                   .fraction = time / r->task->options->time,
                                                   .time = time,
                                                   .steps = slip_explicit_steps(r->g->model),
                                                   .modes = r->g->totals.touching ? "contact" : "free"});
}

static int take_step(slip_context *ctx, explicit_run *r)
{
    int status;
    SLIP_TRY(slip_explicit_advance(ctx, r->g->model, 1));
    slip_gear_record_watch(r->task->result, r->g->time, r->g->totals.normal_force);
    SLIP_TRY(show_frames(ctx, r));
    SLIP_TRY(save_when_due(ctx, r));
    report(ctx, r);
done:
    return status;
}

static int advance(slip_context *ctx, explicit_run *r)
{
    const slip_gear_run_options *o = r->task->options;
    int status = SLIP_OK;
    if (slip_gear_record_count(r->task->result) == 0) {
        SLIP_TRY(take_sample(ctx, r));
        slip_gear_record_watch(r->task->result, 0, 0);
        SLIP_TRY(show_frames(ctx, r));
    }
    for (int64_t i = slip_gear_record_count(r->task->result); i < o->samples; i++) {
        double due = slip_gear_sample_time(o, i);
        while (slip_explicit_time(r->g->model) < due - slip_explicit_step(r->g->model) / 2)
            SLIP_TRY(take_step(ctx, r));
        SLIP_TRY(take_sample(ctx, r));
    }
done:
    return status;
}

static int add_numbers(slip_context *ctx, const explicit_run *r)
{
    double steps = (double)slip_explicit_steps(r->g->model);
    char name[120];
    int status;
    SLIP_TRY(slip_gear_record_number(ctx, r->task->result, "steps", steps));
    SLIP_TRY(slip_gear_record_step(ctx, r->task->result, slip_explicit_step(r->g->model),
                                   slip_explicit_first_step(r->g->model)));
    SLIP_TRY(slip_gear_record_number(ctx, r->task->result, "evaluations",
                                     (double)slip_explicit_evaluations(r->g->model)));
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "momentum.%.80s", r->task->gears[k].name);
        SLIP_TRY(slip_gear_record_number(ctx, r->task->result, name,
                                         r->largest > 0 ? r->unbalanced[k] / r->largest : 0));
    }
done:
    return status;
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
        r->seen[k] = slip_alloc(2 * r->task->gears[k].teeth, sizeof *r->seen[k]);
        r->mises[k] = slip_alloc(nodes, sizeof(double));
        good = good && r->seen[k] && r->mises[k];
    }
    r->flank = slip_alloc(most, sizeof *r->flank);
    return good && r->flank ? SLIP_OK : slip_fail_memory(ctx);
}

static int run(slip_context *ctx, const slip_gear_task *task)
{
    const slip_gear_run_options *o = task->options;
    explicit_run r = {.task = task, .saved = slip_clock()};
    slip_gear_impact_options impact = impact_options(o);
    int status;
    SLIP_TRY(slip_gear_impact_create(ctx, task->gears, &impact, &r.g));
    SLIP_TRY(reserve(ctx, &r));
    SLIP_TRY(resume(ctx, &r));
    status = advance(ctx, &r);
    int also = status == SLIP_INTERRUPTED && o->checkpoint ? save(ctx, &r) : SLIP_OK;
    if (also >= 0)
        also = add_numbers(ctx, &r);
    status = also < 0 ? also : status;
done:
    slip_gear_impact_destroy(r.g);
    free(r.flank);
    for (int k = 0; k < 2; k++) {
        free(r.seen[k]);
        free(r.mises[k]);
    }
    return status;
}

const slip_gear_method slip_gear_method_explicit = {"explicit", false, false, run};
