/* Processes that share the runs of a sweep. The first hands lines out, runs some itself, and keeps every
 * record as it comes: the finished runs of a process that dies are kept. When all are run, everybody gets all
 * records, in a form that keeps every bit, and goes on alike.
 *
 * A message is lines of text. At the start and at the end the first process tells "STATUS MESSAGE" and all
 * records. Between, messages to it are records, or "!STATUS MESSAGE", and each asks for more; it answers with
 * numbers of lines, or with nothing: there are no more. */
#include "base/clock.h"
#include "study/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { piece_most = 10000 };
static const double piece_seconds = 0.1; /* a process that asks again sooner gets twice as many lines */

/* What the first process knows of another. */
typedef struct mate {
    int64_t piece;
    double since; /* when it got its last lines */
} mate;

static int fail_crew(slip_sweep_job *job)
{
    return slip_fail(job->ctx, SLIP_ERROR_IO, "%s: a process that shares the work does not answer",
                     job->task->kind);
}

/* In one line: line ends become semicolons. */
static void write_status(slip_text *text, const char *mark, int status, const slip_context *ctx)
{
    const size_t before = text->length;
    slip_text_printf(text, "%s%d %s", mark, status, slip_context_message(ctx));
    for (size_t k = before; k < text->length; k++)
        if (text->data[k] == '\n')
            text->data[k] = ';';
    slip_text_append(text, "\n");
}

static void write_finished(const slip_sweep_job *job, int64_t at, slip_text *text)
{
    if (job->runs[at].state != SLIP_SWEEP_DONE && job->runs[at].state != SLIP_SWEEP_FAILED)
        return;
    slip_sweep_write_record(job, at, text);
    slip_text_append(text, "\n");
}

/* One record of another process. */
static int take_record(slip_sweep_job *job, const char *record)
{
    int status;
#pragma omp critical(sweep_runs)
    {
        status = slip_sweep_take(job, record);
        if (status >= 0 && job->journal.path)
            status = slip_journal_append(job->ctx, &job->journal, record);
    }
    return status;
}

/* What another process says; the message is cut into its lines. */
static void listen_to(slip_sweep_job *job, slip_sweep_queue *queue, char *message)
{
    for (char *line = message, *end; *line; line = end) {
        end = strchr(line, '\n');
        if (!end)
            break;
        *end++ = '\0';
        if (*line == '!') {
            char *text;
            const int status = (int)strtol(line + 1, &text, 10);
            slip_context *ctx = slip_context_create_for(job->ctx);
            if (ctx)
                slip_fail(ctx, status, "%s", text + (*text == ' '));
            slip_sweep_end(job, queue, status, ctx);
            slip_context_destroy(ctx);
        } else {
            const int status = take_record(job, line);
            if (status < 0)
                slip_sweep_end(job, queue, status, job->ctx);
        }
    }
}

/* The next lines for another process. Returns 1 where there are none: it will not ask again. */
static int answer(slip_sweep_queue *queue, const slip_crew *crew, int to, mate *m)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    const double now = slip_clock();
    int64_t line = 0;
    if (now - m->since < piece_seconds && m->piece < piece_most)
        m->piece *= 2;
    m->since = now;
    for (int64_t k = 0; k < m->piece && line >= 0; k++) {
        line = slip_sweep_next(queue);
        if (line >= 0)
            slip_text_printf(&text, "%lld\n", (long long)line);
    }
    const int sent = text.failed ? -1 : crew->send(crew->user, to, text.data ? text.data : "", text.length);
    const int last = text.length == 0;
    return sent < 0 ? sent : last;
}

/* The first thread of the first process, until no other process has work. */
static void serve(slip_sweep_job *job, slip_sweep_queue *queue)
{
    const slip_crew *crew = slip_context_crew(job->ctx);
    const struct timespec nap = {0, 500000};
    SLIP_FREED mate *mates = slip_alloc(crew->count, sizeof *mates);
    int working = crew->count - 1;
    for (int k = 0; k < crew->count && mates; k++)
        mates[k] = (mate){.piece = 1, .since = -piece_seconds};
    if (!mates)
        slip_sweep_end(job, queue, SLIP_ERROR_MEMORY, NULL);
    while (working > 0) {
        char *message = NULL;
        size_t length;
        int from;
        mate none = {.piece = 1};
        const int got = crew->receive(crew->user, 0, &from, &message, &length);
        if (got == 0) {
            nanosleep(&nap, NULL);
        } else if (got > 0) {
            listen_to(job, queue, message);
            const int last = answer(queue, crew, from, mates ? &mates[from] : &none);
            working -= last != 0;
            if (last < 0)
                slip_sweep_end(job, queue, fail_crew(job), job->ctx);
        } else {
            slip_sweep_end(job, queue, fail_crew(job), job->ctx);
            working = 0;
        }
        free(message);
        if (slip_interrupted(job->ctx) && slip_interrupt_check(job->ctx) < 0)
            slip_sweep_end(job, queue, SLIP_INTERRUPTED, job->ctx);
        slip_progress_count(job->ctx, job->task->kind, job->finished, queue->all, "runs");
    }
}

/* Sends the status so far and, with `all`, the records of all finished runs. */
static int tell(slip_sweep_job *job, const slip_crew *crew, int status, bool all)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    write_status(&text, "", status, job->ctx);
    for (int64_t at = 0; at < job->run_count && all; at++)
        write_finished(job, at, &text);
    for (int k = 1; k < crew->count; k++)
        if (crew->send(crew->user, k, text.failed ? "" : text.data, text.failed ? 0 : text.length) < 0 &&
            status >= 0)
            status = fail_crew(job);
    if (text.failed)
        status = slip_fail_memory(job->ctx);
    return status;
}

/* Runs the lines that it got, and tells what came of them. */
static void run_piece(slip_sweep_job *job, char *message, slip_text *text)
{
    slip_sweep_queue piece = {.all = job->run_count};
    for (const char *at = message; (at = strchr(at, '\n')); at++)
        piece.count++;
    piece.lines = slip_alloc(piece.count + 1, sizeof *piece.lines);
    char *at = message;
    for (int64_t k = 0; k < piece.count && piece.lines; k++)
        piece.lines[k] = strtoll(at, &at, 10);
    if (piece.lines)
        slip_sweep_run_lines(job, &piece);
    else
        piece.ended = slip_fail_memory(job->ctx);
    for (int64_t k = 0; k < piece.count && piece.lines; k++)
        for (int64_t run = piece.lines[k] * job->line_length; run < (piece.lines[k] + 1) * job->line_length;
             run++)
            write_finished(job, run, text);
    if (piece.ended < 0)
        write_status(text, "!", piece.ended, job->ctx);
    free(piece.lines);
}

/* What the first process tells of all. */
static int hear(slip_sweep_job *job, const slip_crew *crew)
{
    char *text;
    SLIP_FREED char *message = NULL;
    size_t length;
    int from, status = SLIP_OK;
    SLIP_PASS(crew->receive(crew->user, 1, &from, &message, &length) < 0 ? fail_crew(job) : SLIP_OK);
    char *end = strchr(message, '\n');
    SLIP_PASS(slip_allocated(job->ctx, end));
    *end++ = '\0';
    status = (int)strtol(message, &text, 10);
    if (status < 0)
        slip_fail(job->ctx, status, "%s", text + (*text == ' '));
    for (char *line = end; *line && status >= 0; line = end) {
        end = strchr(line, '\n');
        *end++ = '\0';
        status = slip_sweep_take(job, line);
    }
    return status;
}

int slip_sweep_share_records(slip_sweep_job *job, int status)
{
    const slip_crew *crew = slip_context_crew(job->ctx);
    if (!crew)
        return status;
    return crew->rank == 0 ? tell(job, crew, status, true) : hear(job, crew);
}

/* What the others have finished, and the first error. */
static int collect(slip_sweep_job *job, const slip_crew *crew, int status)
{
    slip_sweep_queue queue = {.ended = status};
    for (int k = 1; k < crew->count; k++) {
        char *message = NULL;
        size_t length;
        int from;
        if (crew->receive(crew->user, 1, &from, &message, &length) < 0)
            slip_sweep_end(job, &queue, fail_crew(job), job->ctx);
        else
            listen_to(job, &queue, message);
        free(message);
    }
    return queue.ended;
}

int slip_sweep_gather(slip_sweep_job *job, int status, int64_t count, const int64_t *runs)
{
    const slip_crew *crew = slip_context_crew(job->ctx);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    if (!crew)
        return status;
    if (crew->rank == 0)
        return tell(job, crew, collect(job, crew, status), false);
    for (int64_t k = 0; k < count; k++)
        write_finished(job, runs[k], &text);
    if (status < 0)
        write_status(&text, "!", status, job->ctx);
    const char *told = text.failed ? "!-5 out of memory\n" : text.data ? text.data : "";
    return crew->send(crew->user, 0, told, strlen(told)) < 0 ? fail_crew(job) : hear(job, crew);
}

/* Asks for lines and runs them, until there are none. */
static int follow(slip_sweep_job *job, const slip_crew *crew)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    size_t length = 1;
    int from, status = SLIP_OK;
    while (length > 0 && status >= 0) {
        char *message = NULL;
        const char *told = text.failed ? "!-5 out of memory\n" : text.data ? text.data : "";
        if (crew->send(crew->user, 0, told, strlen(told)) < 0 ||
            crew->receive(crew->user, 1, &from, &message, &length) < 0)
            status = fail_crew(job);
        slip_text_clear(&text);
        if (status >= 0)
            run_piece(job, message, &text);
        free(message);
    }
    return status;
}

int slip_sweep_share(slip_sweep_job *job, slip_sweep_queue *queue)
{
    const slip_crew *crew = slip_context_crew(job->ctx);
    int status;
    if (crew->rank > 0) {
        status = follow(job, crew);
        return status < 0 ? status : slip_sweep_share_records(job, status);
    }
    queue->serve = serve;
    slip_sweep_run_lines(job, queue);
    return slip_sweep_share_records(job, queue->ended);
}
