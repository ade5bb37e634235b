/* The runs of a sweep, on all threads, and their records in the journal. */
#include "study/sweep/sweep.h"

#include "io/number.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Records: the number of the run, its state, its numbers, and behind them why it failed. */

void slip_sweep_write_record(const slip_sweep_job *job, int64_t at, slip_text *text)
{
    const slip_sweep_run *run = &job->runs[at];
    char number[slip_number_size];
    slip_text_printf(text, "%lld %d", (long long)at, (int)run->state);
    for (int k = 0; k < job->width; k++)
        slip_text_printf(text, " %s", slip_number_write(number, run->numbers[k]));
    if (run->text)
        slip_text_printf(text, " %s", run->text);
}

static int append_record(slip_sweep_job *job, int64_t at)
{
    slip_text text = {0};
    slip_sweep_write_record(job, at, &text);
    const int status =
        text.failed ? slip_fail_memory(job->ctx) : slip_journal_append(job->ctx, &job->journal, text.data);
    slip_text_free(&text);
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
            return SLIP_OK; /* not one of ours */
    if (!(head[0] >= 0 && head[0] < (double)job->run_count) || (head[1] != 1 && head[1] != 2))
        return SLIP_OK;
    slip_sweep_run *run = &job->runs[(int64_t)head[0]];
    char *word = *at ? slip_arena_string(&job->arena, at + 1) : NULL;
    if (*at && !word)
        return slip_fail_memory(job->ctx);
    job->finished += run->state == SLIP_SWEEP_OPEN || run->state == SLIP_SWEEP_UNASKED;
    *run = (slip_sweep_run){.state = (slip_sweep_state)head[1], .numbers = numbers, .text = word};
    return SLIP_OK;
}

/* ---- One run. */

/* What a thread has for itself. */
typedef struct worker {
    slip_sweep_job *job;
    slip_context *ctx;
    slip_values *values;
    double *q, *v; /* at the start; NAN: as the model says */
} worker;

void slip_sweep_start(const slip_sweep_job *job, int64_t at, double *q, double *v)
{
    const double *head = job->runs[at].head;
    for (int i = 0; i < job->n; i++) {
        q[i] =
            job->how.start_q && i < slip_system_coordinates(job->model->system) ? job->how.start_q[i] : NAN;
        v[i] = job->how.start_v ? job->how.start_v[i] : NAN;
    }
    for (int k = 0; k < job->options.axis_count; k++)
        if (job->places[k].kind != SLIP_AXIS_PARAMETER)
            (job->places[k].kind == SLIP_AXIS_Q ? q : v)[job->places[k].index] = slip_sweep_value(job, at, k);
    for (int i = 0; head && i < job->n; i++) {
        q[i] = head[1 + i];
        v[i] = head[1 + job->n + i];
    }
}

static int prepare(worker *w, int64_t at)
{
    slip_sweep_job *job = w->job;
    const slip_sweep_run *before =
        job->line_length > 1 && at % job->line_length > 0 ? &job->runs[at - 1] : NULL;
    int status = SLIP_OK;
    slip_sweep_start(job, at, w->q, w->v);
    if (before && before->state == SLIP_SWEEP_DONE) {
        memcpy(w->q, before->numbers + job->collect_count, (size_t)job->n * sizeof *w->q);
        memcpy(w->v, before->numbers + job->collect_count + job->n, (size_t)job->n * sizeof *w->v);
    }
    for (int k = 0; k < job->options.axis_count && status >= 0; k++)
        if (job->places[k].kind == SLIP_AXIS_PARAMETER)
            status =
                slip_values_set(w->ctx, w->values, job->options.axes[k].name, slip_sweep_value(job, at, k));
    return status;
}

/* The numbers of a run by their paths. Transitions of modes that did not happen are not in the summary. */
static int collect(const slip_sweep_job *job, slip_context *ctx, const slip_result *result, double *numbers)
{
    static const char transitions[] = "events.contacts.";
    slip_json_wanted *wanted = slip_alloc(job->collect_count + 1, sizeof *wanted);
    int status;
    SLIP_TRY(wanted ? SLIP_OK : slip_fail_memory(ctx));
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
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "sweep: the summary of a run has no number `%s`; expected a path such as max.x, "
                           "final.x, events.total (docs/results.md lists them)",
                           job->collect[k]);
        goto done;
    }
    for (int i = 0; job->line_length > 1 && i < job->n; i++) {
        numbers[job->collect_count + i] = result->final_q[i];
        numbers[job->collect_count + job->n + i] = result->final_v[i];
    }
done:
    free(wanted);
    return status;
}

int slip_sweep_run_model(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                         double *numbers, slip_text *word)
{
    slip_result *result = NULL;
    int status = slip_run(ctx, job->model, how, &result);
    (void)word;
    if (status >= 0)
        status = collect(job, ctx, result, numbers);
    slip_result_destroy(result);
    return status;
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
    return text && !run->text ? slip_fail_memory(ctx) : job->journal.path ? append_record(job, at) : SLIP_OK;
}

/* A run that fails is a row; what no other run could do better ends the sweep. */
static int run_one(worker *w, int64_t at)
{
    slip_sweep_job *job = w->job;
    slip_run_options how = job->how;
    slip_text word = {0};
    double *numbers;
    int status, kept;
#pragma omp critical(slip_sweep)
    numbers = slip_arena_array(&job->arena, job->width + 1, sizeof *numbers);
    SLIP_TRY(numbers ? SLIP_OK : slip_fail_memory(w->ctx));
    for (int k = 0; k < job->width; k++)
        numbers[k] = NAN;
    SLIP_TRY(prepare(w, at));
    how.values = job->binds ? w->values : job->how.values;
    if (!slip_model_gear_run(job->model)) {
        how.start_q = w->q;
        how.start_v = w->v;
    }
    if (job->runs[at].head)
        how.start = job->runs[at].head[0];
    status = job->task->run(job, w->ctx, &how, numbers, &word);
    if (status < 0 && status != SLIP_ERROR_SOLVER && status != SLIP_ERROR_MODEL)
        goto done;
    const char *text = status < 0 ? slip_context_message(w->ctx) : word.data;
#pragma omp critical(slip_sweep)
    kept =
        slip_sweep_finish(job, w->ctx, at, status < 0 ? SLIP_SWEEP_FAILED : SLIP_SWEEP_DONE, numbers, text);
    status = word.failed ? slip_fail_memory(w->ctx) : kept;
done:
    slip_text_free(&word);
    return status;
}

/* ---- All of them. */

static int open_worker(slip_sweep_job *job, worker *w)
{
    *w = (worker){.job = job, .ctx = slip_context_create_for(job->ctx)};
    w->q = slip_alloc(2 * (int64_t)job->n + 1, sizeof *w->q);
    if (!w->ctx || !w->q)
        return w->ctx ? slip_fail_memory(w->ctx) : SLIP_ERROR_MEMORY;
    w->v = w->q + job->n;
    return job->how.values ? slip_values_copy(w->ctx, job->how.values, &w->values)
                           : slip_values_create(w->ctx, job->model, &w->values);
}

static void close_worker(worker *w)
{
    slip_values_destroy(w->values);
    free(w->q);
    slip_context_destroy(w->ctx);
}

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
#pragma omp critical(slip_sweep)
    if (queue->ended >= 0) {
        if (!ctx)
            status = slip_fail_memory(job->ctx);
        else if (ctx != job->ctx)
            slip_fail(job->ctx, status, "%s", slip_context_message(ctx));
#pragma omp atomic write
        queue->ended = status;
    }
}

static int run_line(worker *w, const slip_sweep_queue *queue, int64_t line)
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
        if (omp_get_thread_num() == 0)
            slip_progress_count(job->ctx, job->task->kind, job->finished, queue->all, "runs");
    }
    return status;
}

void slip_sweep_run_lines(slip_sweep_job *job, slip_sweep_queue *queue)
{
    const int threads =
        (job->options.threads > 0 ? job->options.threads : omp_get_num_procs()) + (queue->serve != NULL);
#pragma omp parallel num_threads(threads)
    if (queue->serve && omp_get_thread_num() == 0) {
        queue->serve(job, queue);
    } else {
        worker w;
        int status = open_worker(job, &w);
        for (int64_t line; status >= 0 && (line = slip_sweep_next(queue)) >= 0;)
            status = run_line(&w, queue, line);
        if (status < 0)
            slip_sweep_end(job, queue, status, w.ctx);
        close_worker(&w);
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

int slip_sweep_run_all(slip_sweep_job *job)
{
    slip_sweep_queue queue;
    int status = list_lines(job, &queue);
    if (status >= 0 && slip_context_crew(job->ctx)) {
        status = slip_sweep_share(job, &queue);
    } else if (status >= 0) {
        slip_sweep_run_lines(job, &queue);
        status = queue.ended;
    }
    free(queue.lines);
    return status;
}
