/* Two gears in motion: the table of methods, and what they share. */
#include "gear/gear_motion.h"

#include "base/clock.h"
#include "math/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const slip_gear_method *const methods[] = {&slip_gear_method_rk4, &slip_gear_method_exponential,
                                                  &slip_gear_method_explicit};
enum { method_count = sizeof methods / sizeof *methods };

/* Energies below this, over Young's modulus and the cube of the module, come from places that are rounded. */
static const double rounding = 1e-20;

const slip_gear_method *slip_gear_method_find(const slip_gear_run_options *o)
{
    const bool condensed =
        strcmp(o->side[0].reduction, "condensed") == 0 || strcmp(o->side[1].reduction, "condensed") == 0;
    const char *name = o->method ? o->method : condensed ? "exponential" : "rk4";
    for (int i = 0; i < method_count; i++)
        if (strcmp(name, methods[i]->name) == 0)
            return methods[i];
    return NULL;
}

/* ---- Opening and closing. */

static int begin_work(const slip_gear_motion *m)
{
    return m->method->serial ? slip_columns_threads(1) : 0;
}

static void end_work(const slip_gear_motion *m, int threads)
{
    if (m->method->serial)
        slip_columns_threads(threads);
}

int slip_gear_motion_open(slip_context *ctx, const slip_gear_task *task, const slip_gear_sink *sink,
                          slip_gear_motion **motion)
{
    slip_gear_motion *m = *motion = slip_alloc(1, sizeof *m);
    if (!m)
        return slip_fail_memory(ctx);
    m->ctx = ctx;
    m->method = slip_gear_method_find(task->options);
    m->task = *task;
    m->sink = sink ? *sink : (slip_gear_sink){0};
    m->account = slip_gear_account_begin(rounding * task->gears[0].young * pow(task->gears[0].module, 3));
    m->opened = slip_clock();
    m->what = "gears";
    m->share = 1;
    const int threads = begin_work(m);
    const int status = m->method->open(m);
    end_work(m, threads);
    if (status < 0) {
        slip_gear_motion_close(m);
        *motion = NULL;
    }
    return status;
}

void slip_gear_motion_close(slip_gear_motion *m)
{
    if (m && m->self)
        m->method->close(m);
    free(m);
}

/* ---- Advancing. */

static void report(slip_gear_motion *m)
{
    if (slip_progress_due(m->ctx))
        slip_progress_report(
            m->ctx, &(slip_progress){.what = m->what,
                                     .fraction = m->done + m->share * m->time / m->task.options->time,
                                     .time = m->time,
                                     .steps = m->steps,
                                     .modes = m->touching ? "contact" : "free"});
}

int slip_gear_motion_go(slip_gear_motion *m)
{
    int status = SLIP_OK;
    while (status == SLIP_OK) {
        if (slip_interrupted(m->ctx))
            return slip_fail(m->ctx, SLIP_INTERRUPTED, "interrupted at t = %g s", m->time);
        status = m->method->step(m);
        if (status == SLIP_STOPPED)
            return SLIP_OK;
        if (status == SLIP_OK && m->after_step)
            status = m->after_step(m->after_user, m);
        report(m);
    }
    return status;
}

static int begin_and_go(slip_gear_motion *m)
{
    const int threads = begin_work(m);
    int status = SLIP_OK;
    if (!m->begun)
        SLIP_TRY(m->method->begin(m));
    m->begun = true;
    status = slip_gear_motion_go(m);
done:
    end_work(m, threads);
    return status;
}

int slip_gear_motion_advance(slip_gear_motion *m, double time)
{
    m->whole = false;
    m->end = time;
    const int status = begin_and_go(m);
    if (status == SLIP_OK)
        m->time = time; /* the method's own is rounded */
    return status;
}

int slip_gear_motion_run(slip_gear_motion *m)
{
    m->whole = true;
    m->end = m->task.options->time;
    return begin_and_go(m);
}

double slip_gear_next_step(double left, double step)
{
    const double steps = ceil(left / step - slip_gear_step_share);
    return steps > 2 || fabs(left - steps * step) <= slip_gear_step_share * step ? step : left / steps;
}

/* ---- Looking, keeping. */

int slip_gear_motion_look(slip_gear_motion *m, slip_gear_sample *now)
{
    const int status = m->method->look(m, now);
    now->time = m->time;
    return status;
}

void slip_gear_motion_keep(slip_gear_motion *m, slip_keeper *k)
{
    if (!k->file) {
        SLIP_KEEP_ALL(k, SLIP_BLOCK(m->begun), SLIP_BLOCK(m->sample), SLIP_BLOCK(m->time),
                      SLIP_BLOCK(m->steps), SLIP_BLOCK(m->step), SLIP_BLOCK(m->touching));
    }
    m->method->keep(m, k);
    slip_gear_account_keep(&m->account, k);
}

/* ---- Handing over. */

int slip_gear_motion_record(slip_gear_motion *m, const slip_gear_sample *s)
{
    slip_gear_account_sample(&m->account, s);
    m->sample++;
    return m->sink.sample ? m->sink.sample(m->sink.user, m->ctx, s) : SLIP_OK;
}

int slip_gear_motion_participation(slip_gear_motion *m, int gear, int surface, bool begins, int size,
                                   const double *amplitude, const unsigned char *active, double force)
{
    return m->sink.participation(m->sink.user, m->ctx, gear, surface, begins, m->sample - 1, size, amplitude,
                                 active, force);
}

int slip_gear_motion_numbers(slip_gear_motion *m)
{
    const char *const names[2] = {m->task.gears[0].name, m->task.gears[1].name};
    int status;
    SLIP_TRY(m->method->numbers(m));
    SLIP_TRY(slip_gear_sink_number(&m->sink, m->ctx, "wall_seconds", slip_clock() - m->opened));
    SLIP_TRY(slip_gear_account_numbers(m->ctx, &m->account, names, &m->sink));
done:
    return status;
}

int slip_gear_motion_number_momentum(slip_gear_motion *m, const double off[2])
{
    int status = SLIP_OK;
    for (int k = 0; k < 2 && status >= 0; k++) {
        char name[slip_gear_name_size];
        snprintf(name, sizeof name, "momentum.%.80s", m->task.gears[k].name);
        status = slip_gear_sink_number(&m->sink, m->ctx, name, off[k]);
    }
    return status;
}

int slip_gear_motion_number_step(slip_gear_motion *m, double step, double first)
{
    int status = slip_gear_sink_number(&m->sink, m->ctx, "step", step);
    if (status >= 0 && step < first)
        status = slip_gear_sink_number(&m->sink, m->ctx, "first_step", first);
    return status;
}
