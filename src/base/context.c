#include "base/context.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slip_context {
    slip_text asked; /* what was asked for as text */
    int64_t models;  /* read from text */
    int64_t memory_failures;
    slip_text message;
    slip_log_function log;
    void *log_user;
    slip_progress_function progress;
    void *progress_user;
    atomic_int interrupted; /* lock-free, hence safe in a signal handler too */
    const slip_context *owner;
    const slip_crew *crew;
    int progress_skip;
    double progress_looked, progress_last;
};

/* What is said when there is no memory left to say more. */
static const char out_of_memory[] = "out of memory";

slip_context *slip_context_create(void)
{
    return calloc(1, sizeof(slip_context));
}

slip_context *slip_context_create_for(const slip_context *owner)
{
    slip_context *ctx = slip_context_create();
    if (ctx)
        ctx->owner = owner;
    return ctx;
}

void slip_context_set_crew(slip_context *ctx, const slip_crew *crew)
{
    if (ctx)
        ctx->crew = crew && crew->count > 1 ? crew : NULL;
}

const slip_crew *slip_context_crew(const slip_context *ctx)
{
    return ctx->crew;
}

void slip_context_destroy(slip_context *ctx)
{
    if (!ctx)
        return;
    slip_text_free(&ctx->message);
    slip_text_free(&ctx->asked);
    free(ctx);
}

const char *slip_context_message(const slip_context *ctx)
{
    if (!ctx)
        return "";
    if (ctx->message.failed)
        return out_of_memory;
    return ctx->message.data ? ctx->message.data : "";
}

void slip_context_interrupt(slip_context *ctx)
{
    if (ctx)
        atomic_store_explicit(&ctx->interrupted, 1, memory_order_relaxed);
}

void slip_context_resume(slip_context *ctx)
{
    if (ctx)
        atomic_store_explicit(&ctx->interrupted, 0, memory_order_relaxed);
}

bool slip_interrupted(const slip_context *ctx)
{
    return atomic_load_explicit(&ctx->interrupted, memory_order_relaxed) != 0 ||
           (ctx->owner && slip_interrupted(ctx->owner));
}

int slip_interrupt_check(slip_context *ctx)
{
    return slip_interrupted(ctx) ? slip_fail(ctx, SLIP_INTERRUPTED, "interrupted") : SLIP_OK;
}

void slip_context_set_log(slip_context *ctx, slip_log_function function, void *user)
{
    if (!ctx)
        return;
    ctx->log = function;
    ctx->log_user = user;
}

void slip_context_set_progress(slip_context *ctx, slip_progress_function function, void *user)
{
    if (!ctx)
        return;
    ctx->progress = function;
    ctx->progress_user = user;
}

void slip_context_clear(slip_context *ctx)
{
    slip_text_clear(&ctx->message);
}

/* A failure that there is no memory to tell of is one of memory. */
static int told(slip_context *ctx, int status)
{
    ctx->memory_failures += ctx->message.failed;
    return ctx->message.failed ? SLIP_ERROR_MEMORY : status;
}

int slip_fail(slip_context *ctx, int status, const char *format, ...)
{
    va_list args;
    if (!ctx)
        return status;
    /* The old message may be among the arguments, so the new one is made before the old one goes. */
    slip_text fresh = {0};
    va_start(args, format);
    slip_text_vprintf(&fresh, format, args);
    va_end(args);
    slip_text_free(&ctx->message);
    ctx->message = fresh;
    return told(ctx, status);
}

int slip_fail_more(slip_context *ctx, int status, const char *format, ...)
{
    va_list args;
    if (ctx->message.length > 0)
        slip_text_append(&ctx->message, "\n");
    va_start(args, format);
    slip_text_vprintf(&ctx->message, format, args);
    va_end(args);
    return told(ctx, status);
}

int slip_fail_null(slip_context *ctx, int count, const void *const *pointers, const char *function,
                   const char *names)
{
    if (!ctx)
        return SLIP_ERROR_USAGE;
    for (int k = 0; k < count; k++, names += strcspn(names, ",")) {
        names += strspn(names, ", ");
        if (!pointers[k])
            return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: `%.*s` is NULL, which it must not be", function,
                             (int)strcspn(names, ","), names);
    }
    return SLIP_OK;
}

int slip_fail_memory(slip_context *ctx)
{
    if (ctx)
        ctx->memory_failures++;
    return slip_fail(ctx, SLIP_ERROR_MEMORY, "%s", out_of_memory);
}

int64_t slip_context_memory_failures(const slip_context *ctx)
{
    return ctx->memory_failures;
}

int slip_memory_since(slip_context *ctx, int64_t before, int status)
{
    return ctx->memory_failures > before ? slip_fail_memory(ctx) : status;
}

int slip_memory_check(slip_context *ctx, const slip_memory_need *need, double limit)
{
    const char *whose = limit > 0 ? "may be used" : "are free";
    if (!(limit > 0))
        limit = slip_memory_available();
    slip_log(ctx, SLIP_LOG_INFO, "%s: %s needs %.3g GB of memory, of %.3g GB that %s", need->name, need->what,
             1e-9 * need->bytes, 1e-9 * limit, whose);
    if (need->bytes <= limit)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_MEMORY, "%s: %s needs %.3g GB of memory, but only %.3g GB %s; %s",
                     need->name, need->what, 1e-9 * need->bytes, 1e-9 * limit, whose, need->advice);
}

void slip_log(slip_context *ctx, slip_log_level level, const char *format, ...)
{
    char line[1024];
    va_list args;
    if (!ctx->log)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->log(ctx->log_user, level, line);
}

bool slip_progress_due(slip_context *ctx)
{
    if (!ctx->progress || ctx->progress_skip-- > 0)
        return false;
    double seconds = slip_clock();
    ctx->progress_skip =
        seconds - ctx->progress_looked > 1e-3 ? 0 : 256; /* slow steps are worth a look each */
    ctx->progress_looked = seconds;
    if (seconds - ctx->progress_last < 0.1)
        return false;
    ctx->progress_last = seconds;
    return true;
}

void slip_progress_report(slip_context *ctx, const slip_progress *progress)
{
    if (ctx->progress)
        ctx->progress(ctx->progress_user, progress);
}

void slip_progress_count(slip_context *ctx, const char *what, int64_t done, int64_t all, const char *things)
{
    char text[80];
    if (!slip_progress_due(ctx))
        return;
    snprintf(text, sizeof text, "%lld of %lld %s", (long long)done, (long long)all, things);
    const slip_progress progress = {
        .what = what, .fraction = (double)done / (double)all, .time = NAN, .steps = done, .modes = text};
    slip_progress_report(ctx, &progress);
}

const char *slip_version(void)
{
    return SLIPSTICK_VERSION;
}

struct slip_text *slip_context_text(slip_context *ctx)
{
    return &ctx->asked;
}

void slip_context_count_model(slip_context *ctx)
{
    ctx->models++;
}

int64_t slip_context_model_count(const slip_context *ctx)
{
    return ctx->models;
}
