/* The method "explicit": the nonlinear finite element model of two gears. */
#include "gear/gear_impact.h"
#include "gear/gear_run.h"

#include <math.h>

static int take_sample(slip_context *ctx, const slip_gear_task *task, slip_gear_impact *g)
{
    slip_explicit_ledger ledger;
    int status = slip_explicit_account(ctx, g->model, &ledger);
    if (status < 0)
        return status;
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
    return slip_gear_record_add(ctx, task->result, &s);
}

static void report(slip_context *ctx, const slip_gear_task *task, const slip_gear_impact *g, int64_t steps)
{
    double time = slip_explicit_time(g->model);
    if (slip_progress_due(ctx))
        slip_progress_report(ctx, &(slip_progress){.what = "gears",
                                                   .fraction = time / task->options->time,
                                                   .time = time,
                                                   .steps = steps,
                                                   .modes = g->totals.touching ? "contact" : "free"});
}

static int advance(slip_context *ctx, const slip_gear_task *task, slip_gear_impact *g)
{
    int status;
    int64_t steps = 0;
    SLIP_TRY(take_sample(ctx, task, g));
    slip_gear_record_watch(task->result, 0, 0);
    for (int64_t i = 1; i < task->options->samples; i++) {
        double until = slip_gear_sample_time(task->options, i) - slip_explicit_step(g->model) / 2;
        for (; slip_explicit_time(g->model) < until; steps++) {
            SLIP_TRY(slip_explicit_advance(ctx, g->model, 1));
            slip_gear_record_watch(task->result, g->time, g->totals.normal_force);
            report(ctx, task, g, steps);
        }
        SLIP_TRY(take_sample(ctx, task, g));
    }
done:
    if (slip_gear_record_number(ctx, task->result, "steps", (double)steps) < 0)
        return SLIP_ERROR_MEMORY;
    return status;
}

static int run(slip_context *ctx, const slip_gear_task *task)
{
    const slip_gear_run_options *o = task->options;
    slip_gear_impact_options impact = slip_gear_impact_options_default();
    slip_gear_impact *g = NULL;
    impact.distance = o->distance;
    impact.phase = o->phase;
    impact.step = o->step;
    impact.threads = o->threads;
    impact.flanks.penalty = o->penalty;
    impact.flanks.two_pass = o->two_pass;
    impact.flanks.friction = o->friction;
    for (int k = 0; k < 2; k++)
        impact.speed[k] = o->side[k].speed;
    int status = slip_gear_impact_create(ctx, task->gears, &impact, &g);
    if (status >= 0)
        status = advance(ctx, task, g);
    slip_gear_impact_destroy(g);
    return status;
}

const slip_gear_method slip_gear_method_explicit = {"explicit", false, false, run};
