/* The runs of a sweep, on all threads. */
#include "study/sweep/sweep.h"

#include "base/threads.h"
#include "batch/batch.h"
#include "card/card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One run. */

/* The numbers of a run by their paths. Transitions of modes that did not happen are not in the summary. */
static int collect(const slip_sweep_job *job, slip_context *ctx, const slip_result *result, double *numbers)
{
    static const char transitions[] = "events.contacts.";
    SLIP_FREED slip_json_wanted *wanted = slip_alloc(job->collect_count + 1, sizeof *wanted);
    SLIP_PASS(slip_allocated(ctx, wanted));
    for (int k = 0; k < job->collect_count; k++)
        wanted[k].path = job->collect[k];
    slip_result_seek(result, job->collect_count, wanted);
    for (int k = 0; k < job->collect_count; k++) {
        numbers[k] = wanted[k].number;
        if (wanted[k].found)
            continue;
        if (strncmp(job->collect[k], transitions, sizeof transitions - 1) == 0) {
            numbers[k] = 0;
            continue;
        }
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "sweep: the summary of a run has no number `%s`; expected a path such as max.x, "
                         "final.x, events.total (docs/results.md lists them)",
                         job->collect[k]);
    }
    for (int i = 0; job->line_length > 1 && i < job->n; i++) {
        numbers[job->collect_count + i] = result->final_q[i];
        numbers[job->collect_count + job->n + i] = result->final_v[i];
    }
    return SLIP_OK;
}

int slip_sweep_run_model(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                         double *numbers, slip_text *word)
{
    SLIP_FREED_BY(slip_result_drop) slip_result *result = NULL;
    SLIP_PASS(slip_run(ctx, job->model, how, &result));
    (void)word;
    return collect(job, ctx, result, numbers);
}

/* Does one run. A failed run is a row of the table; an error that would occur in every run ends the sweep. */
static int run_one(slip_sweep_worker *w, int64_t at)
{
    slip_sweep_job *job = w->job;
    slip_run_options how = job->how;
    SLIP_FREED_BY(slip_text_free) slip_text word = {0};
    double *numbers;
    int kept, status = SLIP_OK;
#pragma omp critical(sweep_runs)
    numbers = slip_arena_array(&job->arena, job->width + 1, sizeof *numbers);
    SLIP_PASS(status = slip_allocated(w->ctx, numbers));
    for (int k = 0; k < job->width; k++)
        numbers[k] = NAN;
    SLIP_PASS(status = slip_sweep_prepare(w, at));
    how.values = job->binds ? w->values : job->how.values;
    if (!slip_model_gear_run(job->model)) {
        how.start_q = w->q;
        how.start_v = w->v;
    }
    if (job->runs[at].head) {
        how.start = job->runs[at].head[0];
        how.start_modes = job->runs[at].modes;
    }
    status = job->task->run(job, w->ctx, &how, numbers, &word);
    if (status < 0 && status != SLIP_ERROR_SOLVER && status != SLIP_ERROR_MODEL)
        return status;
    for (int k = 0; k < job->collect_count && job->runs[at].events > 0; k++)
        if (strcmp(job->collect[k], "events.total") == 0)
            numbers[k] += (double)job->runs[at].events;
    job->runs[at].together &= status >= 0;
    const char *text = status < 0 ? slip_context_message(w->ctx) : word.data;
#pragma omp critical(sweep_runs)
    kept =
        slip_sweep_finish(job, w->ctx, at, status < 0 ? SLIP_SWEEP_FAILED : SLIP_SWEEP_DONE, numbers, text);
    return word.failed ? slip_fail_memory(w->ctx) : kept;
}

/* ---- All of them. */

int64_t slip_sweep_next(slip_sweep_queue *queue)
{
    int64_t at;
    int ended;
#pragma omp atomic read
    ended = queue->ended;
    if (ended < 0)
        return -1;
#pragma omp atomic capture
    at = queue->next++;
    return at < queue->count ? queue->lines[at] : -1;
}

void slip_sweep_end(slip_sweep_job *job, slip_sweep_queue *queue, int status, const slip_context *ctx)
{
#pragma omp critical(sweep_runs)
    if (queue->ended >= 0) {
        if (!ctx)
            status = slip_fail_memory(job->ctx);
        else if (ctx != job->ctx)
            status = slip_fail(job->ctx, status, "%s", slip_context_message(ctx));
#pragma omp atomic write
        queue->ended = status;
    }
}

static int run_line(slip_sweep_worker *w, const slip_sweep_queue *queue, int64_t line)
{
    slip_sweep_job *job = w->job;
    int status = SLIP_OK;
    for (int64_t at = line * job->line_length; at < (line + 1) * job->line_length && status >= 0; at++) {
        int stop;
#pragma omp atomic read
        stop = queue->ended;
        if (stop < 0)
            return SLIP_OK;
        if (slip_interrupted(job->ctx))
            status = slip_interrupt_check(w->ctx);
        if (status >= 0 && job->runs[at].state == SLIP_SWEEP_OPEN)
            status = run_one(w, at);
        if (slip_thread_number() == 0)
            slip_progress_count(job->ctx, job->task->kind, job->finished, queue->all, "runs");
    }
    return status;
}

/* Lines that a thread takes at a time: one, or for lanes as many as make vectors efficient. */
enum { lines_most = 256 };
static int64_t lines_at_a_time(const slip_sweep_job *job, const slip_sweep_queue *queue, int threads)
{
    const int64_t share = queue->count / (4 * threads), some = share < 16 ? 16 : share;
    return !job->lanes ? 1 : some < lines_most ? some : lines_most;
}

/* Runs some lines of the queue; *more is false when there are none. */
static int run_some(slip_sweep_worker *w, slip_sweep_queue *queue, int64_t at_a_time, bool *more)
{
    int64_t lines[lines_most], count = 0, line = 0;
    int status = SLIP_OK;
    while (count < at_a_time && (line = slip_sweep_next(queue)) >= 0)
        lines[count++] = line;
    *more = line >= 0;
    if (w->job->lanes)
        status = slip_sweep_move_lines(w->job, w, count, lines);
    for (int64_t k = 0; k < count && status >= 0; k++)
        status = run_line(w, queue, lines[k]);
    return status;
}

void slip_sweep_run_lines(slip_sweep_job *job, slip_sweep_queue *queue)
{
    const int threads = slip_threads(job->options.threads) + (queue->serve != NULL);
    const int64_t some = lines_at_a_time(job, queue, threads);
#pragma omp parallel num_threads(threads)
    if (queue->serve && slip_thread_number() == 0) {
        queue->serve(job, queue);
    } else {
        slip_sweep_worker w;
        int status = slip_sweep_open_worker(job, &w);
        for (bool more = true; more && status >= 0;)
            status = run_some(&w, queue, some, &more);
        if (status < 0)
            slip_sweep_end(job, queue, status, w.ctx);
        slip_sweep_close_worker(&w);
    }
}

static int list_lines(const slip_sweep_job *job, slip_sweep_queue *queue)
{
    const int64_t lines = job->run_count / job->line_length;
    *queue = (slip_sweep_queue){.lines = slip_alloc(lines + 1, sizeof *queue->lines), .all = job->finished};
    for (int64_t line = job->options.part - 1; line < lines && queue->lines; line += job->options.parts) {
        int64_t open = 0;
        for (int64_t at = line * job->line_length; at < (line + 1) * job->line_length; at++)
            open += job->runs[at].state == SLIP_SWEEP_OPEN;
        queue->all += open;
        if (open > 0)
            queue->lines[queue->count++] = line;
    }
    return queue->lines ? SLIP_OK : slip_fail_memory(job->ctx);
}

/* Moves runs on the card, where there is one. */
static int move_by_card(slip_sweep_job *job, const slip_sweep_queue *queue)
{
    int status = slip_batch_find_card(job->ctx, job->options.device, job->run_count, &job->card);
    if (status >= 0 && job->card)
        status = slip_sweep_move_lines(job, NULL, queue->count, queue->lines);
    slip_card_close(job->card);
    job->card = NULL;
    return status;
}

int slip_sweep_run_all(slip_sweep_job *job)
{
    slip_sweep_queue queue;
    int status = list_lines(job, &queue);
    if (status >= 0 && slip_context_crew(job->ctx)) {
        status = slip_sweep_share(job, &queue);
    } else if (status >= 0) {
        if (job->lanes)
            status = move_by_card(job, &queue);
        if (status >= 0) {
            slip_sweep_run_lines(job, &queue);
            status = queue.ended;
        }
    }
    free(queue.lines);
    return status;
}
