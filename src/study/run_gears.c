/* The gears of a model in motion: their reduced bodies, the run, frames and checkpoint. */
#include "io/file.h"
#include "model/model.h"
#include "study/describe.h"
#include "study/gear_run.h"
#include "study/run.h"

#include <errno.h>
#include <math.h>
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
    const char *folder; /* NULL: none */
    slip_gear_run_options how;
    slip_gear_options gears[2];
    char *checkpoint; /* of `explicit`, else NULL */
    slip_reduced *bodies[2];
} gear_job;

/* ---- Before the run. */

static int reduce(gear_job *job, int gear)
{
    const slip_gear_options *g = &job->gears[gear];
    slip_text name = {0};
    char *path;
    int reused = 0, status;
    if (!job->folder) {
        status = slip_gear_reduce(job->ctx, g, &job->options->reduce, &job->bodies[gear]);
        if (status >= 0 && job->options->reduced)
            job->options->reduced(job->options->user, job->bodies[gear], NULL, 0);
        return status;
    }
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
    const slip_gear_method *method = slip_gear_method_find(&job->how);
    int status = SLIP_OK;
    if ((job->options->resume || job->options->restart) && !(method->checkpoints && job->folder))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "found `%s` with method %s%s, expected %s",
                         job->options->resume ? "resume" : "restart", method->name,
                         job->folder ? "" : " and no folder",
                         method->checkpoints ? "a folder, where checkpoints are kept"
                                             : "method explicit: only it has checkpoints");
    for (int i = 0; i < 2 && method->reduced && status >= 0; i++)
        status = reduce(job, i);
    if (!method->checkpoints || !job->folder)
        return status;
    job->checkpoint = slip_path_join(job->folder, checkpoint_name);
    return job->checkpoint ? check_checkpoint(job) : slip_fail_memory(job->ctx);
}

/* ---- After it. */

/* At the start the flanks are about to touch: a run without contact is seldom what was wanted. */
static void tell_apart(const gear_job *job, const slip_result *result)
{
    const slip_gear_run_options *how = &job->how;
    const slip_gear_side *a = &how->side[0], *b = &how->side[1];
    const bool at_rest = a->speed == 0 && b->speed == 0 && a->torque == 0 && b->torque == 0;
    if (slip_result_number(result, "peak_force") > 0)
        return;
    slip_log(job->ctx, SLIP_LOG_WARNING, "the flanks did not touch in %g s: %s", how->time,
             at_rest ? "no gear has `speed` or `torque`"
                     : "see `speed` and `torque` of the gears, which have to close the gap, and "
                       "`simulate.time`");
}

/* ---- Frames. */

static int begin_frames(gear_job *job, slip_gear_animation **animation)
{
    char *folder;
    int status;
    if (!job->folder)
        job->how.frames = 0;
    if (job->how.frames == 0)
        return SLIP_OK;
    folder = slip_path_join(job->folder, "frames");
    status = folder ? slip_gear_animation_create(job->ctx, job->gears, &job->how, folder, animation)
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

static int run(gear_job *job, slip_result **result)
{
    const slip_reduced *const bodies[2] = {job->bodies[0], job->bodies[1]};
    slip_gear_animation *animation = NULL;
    int status;
    job->how.checkpoint = job->checkpoint;
    job->how.threads = job->options->reduce.threads;
    SLIP_TRY(begin_frames(job, &animation));
    status = slip_gear_run(job->ctx, job->gears, bodies, &job->how, result);
    if (status >= 0)
        tell_apart(job, *result);
    if (status >= 0 && job->checkpoint) {
        (*result)->served = slip_arena_string(&(*result)->arena, job->checkpoint);
        status = (*result)->served ? status : slip_fail_memory(job->ctx);
    }
    end_frames(job, animation, status);
done:
    return status;
}

/* ---- All of it. */

/* The caller's options before the model. */
static int resolve(gear_job *job, const slip_run_options *o)
{
    const bool other = o->segments || (!isnan(o->start) && o->start != 0) || !isnan(o->theta) ||
                       !isnan(o->record_every) || o->record_points >= 0 || o->record_steps > 0 ||
                       !isnan(o->record_from) || !isnan(o->steady_period) || o->step_observer ||
                       o->event_observer;
    if (other)
        return slip_fail(
            job->ctx, SLIP_ERROR_USAGE,
            "of a run with gears method, end, tolerance and step can be given; found another option");
    slip_gears_take(o, &job->how);
    return slip_gear_run_check(job->ctx, job->gears, &job->how);
}

static int describe(gear_job *job, int ended, slip_result *result)
{
    slip_text message = {0};
    int status;
    if (ended < 0)
        slip_text_append(&message, slip_context_message(job->ctx));
    SLIP_TRY(slip_describe(job->ctx, result, job->model, result->method));
    if (ended < 0)
        status = slip_fail(job->ctx, ended, "%s", message.data ? message.data : "");
done:
    slip_text_free(&message);
    return status;
}

int slip_run_gears(slip_context *ctx, const slip_model *model, const slip_run_options *run_options,
                   slip_result **result)
{
    SLIP_TAKE(slip_run_gears_options, options, run_options->gears);
    gear_job job = {.ctx = ctx,
                    .model = model,
                    .options = options,
                    .folder = options->folder,
                    .how = *slip_model_gear_run(model),
                    .gears = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)}};
    int status;
    SLIP_TRY(resolve(&job, run_options));
    if (job.folder)
        SLIP_TRY(slip_folder_make(ctx, job.folder));
    SLIP_TRY(prepare(&job));
    status = run(&job, result);
    if (*result)
        status = describe(&job, status, *result);
done:
    for (int i = 0; i < 2; i++)
        slip_reduced_destroy(job.bodies[i]);
    free(job.checkpoint);
    return status;
}
