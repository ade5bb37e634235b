/* The gears of a model in motion: their reduced bodies, the run, its folder. */
#include "io/file.h"
#include "model/model.h"
#include "result/gear_result.h"
#include "slipstick/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char checkpoint_name[] = "checkpoint.h5";

SLIP_OPTIONS_FILL(slip_run_gears_options, .reduce = slip_reduce_options_default(), .pictures = 1)

/* A run under way. */
typedef struct gear_job {
    slip_context *ctx;
    const slip_model *model;
    const slip_run_gears_options *options;
    const char *folder, *method;
    char *checkpoint; /* of `explicit`, else NULL */
    slip_reduced *bodies[2];
} gear_job;

/* ---- Before the run. */

static int reduce(gear_job *job, int gear)
{
    const slip_gear_options *g = slip_model_gear(job->model, gear);
    slip_text name = {0};
    char *path;
    int reused, status;
    slip_text_printf(&name, "%s.h5", g->name);
    path = name.failed ? NULL : slip_path_join(job->folder, name.data);
    status =
        path ? slip_gear_reduce_file(job->ctx, g, &job->options->reduce, path, &job->bodies[gear], &reused)
             : slip_fail_memory(job->ctx);
    if (status >= 0 && job->options->reduced)
        job->options->reduced(job->options->user, job->bodies[gear], path, reused);
    slip_text_free(&name);
    free(path);
    return status;
}

/* A checkpoint is hours of work: it is neither used nor thrown away unasked. */
static int check_checkpoint(gear_job *job)
{
    struct stat about;
    const bool found = stat(job->checkpoint, &about) == 0;
    if (found && job->options->restart && unlink(job->checkpoint) != 0)
        return slip_fail_file(job->ctx, "cannot remove the old", job->checkpoint, errno);
    if (found && !job->options->restart && !job->options->resume)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "found %s of a run that did not come to its end, expected `--resume` to go on from "
                         "it or `--restart` to begin again",
                         job->checkpoint);
    if (!found && job->options->resume)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "found no %s to resume from", job->checkpoint);
    return SLIP_OK;
}

static int prepare(gear_job *job)
{
    int status = SLIP_OK;
    if (strcmp(job->method, "explicit") != 0) {
        if (job->options->resume || job->options->restart)
            return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                             "found `%s` with method %s, expected method explicit: only it has checkpoints",
                             job->options->resume ? "resume" : "restart", job->method);
        for (int i = 0; i < 2 && status >= 0; i++)
            status = reduce(job, i);
        return status;
    }
    job->checkpoint = slip_path_join(job->folder, checkpoint_name);
    return job->checkpoint ? check_checkpoint(job) : slip_fail_memory(job->ctx);
}

/* ---- After it. */

static int save(gear_job *job, const slip_gear_result *run, int ended)
{
    slip_text text = {0}, message = {0};
    slip_result *result = NULL;
    int status;
    if (ended < 0)
        slip_text_append(&message, slip_context_message(job->ctx));
    SLIP_TRY(message.failed ? slip_fail_memory(job->ctx) : SLIP_OK);
    SLIP_TRY(slip_model_write(job->ctx, job->model, job->method, &text));
    const slip_gear_source source = {
        .result = run,
        .gears = {slip_model_gear(job->model, 0)->name, slip_model_gear(job->model, 1)->name},
        .model_text = text.data,
        .title = job->model->title,
        .method = job->method,
        .status = ended,
        .message = message.data};
    SLIP_TRY(slip_gear_result_convert(job->ctx, &source, &result));
    SLIP_TRY(slip_result_save(job->ctx, result, job->folder));
    if (ended < 0)
        status = slip_fail(job->ctx, ended, "%s", message.data ? message.data : "");
done:
    slip_result_destroy(result);
    slip_text_free(&text);
    slip_text_free(&message);
    return status;
}

/* At the start the flanks are about to touch: a run without contact is seldom what was wanted. */
static void tell_apart(const gear_job *job, const slip_gear_result *result)
{
    const slip_gear_run_options *how = slip_model_gear_run(job->model);
    const slip_gear_side *a = &how->side[0], *b = &how->side[1];
    const bool at_rest = a->speed == 0 && b->speed == 0 && a->torque == 0 && b->torque == 0;
    if (slip_gear_result_number(result, "peak_force") > 0)
        return;
    slip_log(job->ctx, SLIP_LOG_WARNING, "the flanks did not touch in %g s: %s", how->time,
             at_rest ? "no gear has `speed` or `torque`"
                     : "see `speed` and `torque` of the gears, which have to close the gap, and "
                       "`simulate.time`");
}

/* ---- Frames. */

static int begin_frames(gear_job *job, const slip_gear_options gears[2], slip_gear_run_options *how,
                        slip_gear_animation **animation)
{
    char *folder;
    int status;
    if (how->frames == 0)
        return SLIP_OK;
    folder = slip_path_join(job->folder, "frames");
    status = folder ? slip_gear_animation_create(job->ctx, gears, how, folder, animation)
                    : slip_fail_memory(job->ctx);
    free(folder);
    return status;
}

/* A run whose pictures could not be drawn is still a run: that is a warning. */
static void end_frames(gear_job *job, slip_gear_animation *animation, int ended)
{
    slip_text message = {0};
    if (!animation)
        return;
    slip_text_append(&message, slip_context_message(job->ctx));
    if (slip_gear_animation_finish(job->ctx, animation, job->options->pictures && ended != SLIP_INTERRUPTED,
                                   NULL, NULL) < 0)
        slip_log(job->ctx, SLIP_LOG_WARNING, "frames: %s", slip_context_message(job->ctx));
    if (ended < 0)
        slip_fail(job->ctx, ended, "%s", message.data ? message.data : "");
    slip_text_free(&message);
    slip_gear_animation_destroy(animation);
}

static int run(gear_job *job, slip_gear_result **result)
{
    const slip_gear_options gears[2] = {*slip_model_gear(job->model, 0), *slip_model_gear(job->model, 1)};
    const slip_reduced *const bodies[2] = {job->bodies[0], job->bodies[1]};
    slip_gear_run_options how = *slip_model_gear_run(job->model);
    slip_gear_animation *animation = NULL;
    int64_t count = 0;
    int status;
    how.checkpoint = job->checkpoint;
    how.threads = job->options->reduce.threads;
    status = begin_frames(job, gears, &how, &animation);
    if (status < 0)
        return status;
    status = slip_gear_run(job->ctx, gears, bodies, &how, result);
    if (*result)
        slip_gear_result_series(*result, "t", &count);
    if (count > 0)
        status = save(job, *result, status);
    if (status >= 0)
        tell_apart(job, *result);
    if (status >= 0 && job->checkpoint)
        unlink(job->checkpoint); /* it has served; there may be none */
    end_frames(job, animation, status);
    return status;
}

int slip_run_gears(slip_context *ctx, const slip_model *model, const slip_run_gears_options *given_options,
                   const char *folder, slip_gear_result **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, model, folder, result);
    SLIP_TAKE(slip_run_gears_options, options, given_options);
    gear_job job = {.ctx = ctx, .model = model, .options = options, .folder = folder};
    int status;
    if (!slip_model_gear_run(model))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s has %d gear%s, expected two that touch",
                         model->file ? model->file : "the model", model->gear_count,
                         model->gear_count == 1 ? "" : "s");
    job.method = slip_model_gear_method(model);
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    SLIP_TRY(slip_gear_run_check(ctx, gears, slip_model_gear_run(model)));
    SLIP_TRY(slip_folder_make(ctx, folder));
    SLIP_TRY(prepare(&job));
    status = run(&job, result);
done:
    for (int i = 0; i < 2; i++)
        slip_reduced_destroy(job.bodies[i]);
    free(job.checkpoint);
    return status;
}
