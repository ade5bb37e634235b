/* Runs of a sweep: their start, the data of a thread for them, and their records in the journal. */
#include "batch/engine.h"
#include "io/number.h"
#include "study/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Records: the number of the run, its state (or that it was moved together), its numbers, and behind
 * them why it failed. */

enum { done_together = 4 };

void slip_sweep_write_record(const slip_sweep_job *job, int64_t at, slip_text *text)
{
    const slip_sweep_run *run = &job->runs[at];
    char number[slip_number_size];
    slip_text_printf(text, "%lld %d", (long long)at, run->together ? done_together : (int)run->state);
    for (int k = 0; k < job->width; k++)
        slip_text_printf(text, " %s", slip_number_write(number, run->numbers[k]));
    if (run->text)
        slip_text_printf(text, " %s", run->text);
}

static int append_record(slip_sweep_job *job, slip_context *ctx, int64_t at)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_sweep_write_record(job, at, &text);
    const int status =
        text.failed ? slip_fail_memory(ctx) : slip_journal_append(ctx, &job->journal, text.data);
    return status;
}

int slip_sweep_take(void *user, const char *record)
{
    slip_sweep_job *job = user;
    const char *at = record;
    double head[2], *numbers = slip_arena_array(&job->arena, job->width + 1, sizeof *numbers);
    SLIP_PASS(slip_allocated(job->ctx, numbers));
    for (int k = 0; k < 2 + job->width; k++)
        if (!slip_number_read(at + strspn(at, " "), &at, k < 2 ? &head[k] : &numbers[k - 2]))
            return SLIP_OK; /* a record of another job */
    const bool together = head[1] == done_together;
    head[1] = together ? SLIP_SWEEP_DONE : head[1];
    if (!(head[0] >= 0 && head[0] < (double)job->run_count) || (head[1] != 1 && head[1] != 2))
        return SLIP_OK;
    slip_sweep_run *run = &job->runs[(int64_t)head[0]];
    char *word = *at ? slip_arena_string(&job->arena, at + 1) : NULL;
    if (*at && !word)
        return slip_fail_memory(job->ctx);
    job->finished += run->state == SLIP_SWEEP_OPEN || run->state == SLIP_SWEEP_UNASKED;
    *run = (slip_sweep_run){
        .state = (slip_sweep_state)head[1], .numbers = numbers, .text = word, .together = together};
    return SLIP_OK;
}

/* One line: line ends become semicolons. */
static char *keep_text(slip_arena *arena, const char *text)
{
    char *copy = slip_arena_string(arena, text);
    for (char *at = copy; at && *at; at++)
        *at = *at == '\n' ? ';' : *at;
    return copy;
}

int slip_sweep_finish(slip_sweep_job *job, slip_context *ctx, int64_t at, slip_sweep_state state,
                      double *numbers, const char *text)
{
    slip_sweep_run *run = &job->runs[at];
    run->numbers = numbers;
    run->text = text ? keep_text(&job->arena, text) : NULL;
    run->state = state;
    job->finished++;
    return text && !run->text  ? slip_fail_memory(ctx)
           : job->journal.path ? append_record(job, ctx, at)
                               : SLIP_OK;
}

/* ---- What a thread has. */

void slip_sweep_start(const slip_sweep_job *job, int64_t at, double *q, double *v)
{
    const double *head = job->runs[at].head;
    for (int i = 0; i < job->n; i++) {
        q[i] =
            job->how.start_q && i < slip_system_coordinates(job->model->system) ? job->how.start_q[i] : NAN;
        v[i] = job->how.start_v ? job->how.start_v[i] : NAN;
    }
    for (int k = 0; k < slip_sweep_outer(&job->info, job->options.axis_count); k++)
        if (job->places[k].kind != SLIP_AXIS_PARAMETER)
            (job->places[k].kind == SLIP_AXIS_Q ? q : v)[job->places[k].index] = slip_sweep_value(job, at, k);
    for (int i = 0; head && i < job->n; i++) {
        q[i] = head[1 + i];
        v[i] = head[1 + job->n + i];
    }
}

int slip_sweep_keep_head(slip_sweep_job *job, slip_context *ctx, int64_t at, double time,
                         const slip_batch_lane *lane)
{
    const int64_t contacts = job->model->system->contact_count;
    slip_sweep_run *run = &job->runs[at];
    double *head;
#pragma omp critical(sweep_runs)
    {
        head = slip_arena_array(&job->arena, 1 + 2 * (int64_t)job->n, sizeof *head);
        run->modes = slip_arena_array(&job->arena, contacts + 1, sizeof *run->modes);
    }
    SLIP_PASS(slip_allocated(ctx, head && run->modes));
    head[0] = time;
    memcpy(head + 1, lane->y, 2 * (size_t)job->n * sizeof *head);
    for (int64_t c = 0; c < contacts; c++)
        run->modes[c] = lane->mode[c] == BATCH_STICK    ? SLIP_MODE_STICK
                        : lane->mode[c] == BATCH_CLOSED ? SLIP_MODE_CLOSED
                                                        : SLIP_MODE_OPEN;
    run->head = head;
    return SLIP_OK;
}

int slip_sweep_prepare(slip_sweep_worker *w, int64_t at)
{
    slip_sweep_job *job = w->job;
    const slip_sweep_run *before =
        job->line_length > 1 && at % job->line_length > 0 ? &job->runs[at - 1] : NULL;
    slip_sweep_start(job, at, w->q, w->v);
    if (before && before->state == SLIP_SWEEP_DONE) {
        memcpy(w->q, before->numbers + job->collect_count, (size_t)job->n * sizeof *w->q);
        memcpy(w->v, before->numbers + job->collect_count + job->n, (size_t)job->n * sizeof *w->v);
    }
    for (int k = 0; k < slip_sweep_outer(&job->info, job->options.axis_count); k++)
        if (job->places[k].kind == SLIP_AXIS_PARAMETER)
            SLIP_PASS(
                slip_values_set(w->ctx, w->values, job->options.axes[k].name, slip_sweep_value(job, at, k)));
    return SLIP_OK;
}

int slip_sweep_open_worker(slip_sweep_job *job, slip_sweep_worker *w)
{
    *w = (slip_sweep_worker){.job = job, .ctx = slip_context_create_for(job->ctx)};
    w->q = slip_alloc(2 * (int64_t)job->n + 1, sizeof *w->q);
    if (!w->ctx || !w->q)
        return w->ctx ? slip_fail_memory(w->ctx) : SLIP_ERROR_MEMORY;
    w->v = w->q + job->n;
    return job->how.values ? slip_values_copy(w->ctx, job->how.values, &w->values)
                           : slip_values_create(w->ctx, job->model, &w->values);
}

void slip_sweep_close_worker(slip_sweep_worker *w)
{
    slip_values_destroy(w->values);
    free(w->q);
    slip_context_destroy(w->ctx);
}
