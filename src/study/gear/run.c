/* Runs of models with gears, two of them or trains: reduced bodies in files, frames, histories of flanks and
 * checkpoint beside the run that every model has. */
#include "study/run.h"
#include "gear/gear_motion.h"
#include "io/file.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char checkpoint_name[] = "checkpoint.h5";

SLIP_OPTIONS_FILL(slip_run_gears_options, .reduce = slip_reduce_options_default(), .pictures = 1)

/* Data of a run of gears in addition to those of any run. */
typedef struct gear_job {
    slip_context *ctx;
    const slip_model *model;
    const slip_run_gears_options *options;
    const char *folder; /* NULL: none */
    const slip_method_type *method;
    slip_arena arena;
    int gear_count;
    const slip_gear_options *gears;
    slip_gear_flanked *flanked; /* the same, for histories */
    bool reduces;               /* two gears, by a method that needs reduced bodies: made here */
    slip_opening opening;
    slip_reduced *bodies[2];
    slip_gear_film *film; /* NULL: not wanted */
    char *path;           /* of the checkpoint, or NULL */
    slip_checkpoint checkpoint;
    slip_gear_history *history; /* NULL: not wanted */
} gear_job;

/* ---- Before the run. */

static int reduce(gear_job *job, int gear)
{
    const slip_gear_options *g = &job->gears[gear];
    SLIP_FREED_BY(slip_text_free) slip_text name = {0};
    int reused = 0, status;
    if (!job->folder) {
        status = slip_gear_reduce(job->ctx, g, &job->options->reduce, &job->bodies[gear]);
        if (status >= 0 && job->options->reduced)
            job->options->reduced(job->options->user, job->bodies[gear], NULL, 0);
        return status;
    }
    slip_text_printf(&name, "%s.h5", g->name);
    SLIP_FREED char *path = name.failed ? NULL : slip_path_join(job->folder, name.data);
    status =
        path ? slip_gear_reduce_file(job->ctx, g, &job->options->reduce, path, &job->bodies[gear], &reused)
             : slip_fail_memory(job->ctx);
    if (status >= 0 && job->options->reduced)
        job->options->reduced(job->options->user, job->bodies[gear], path, reused);
    return status;
}

/* A checkpoint is hours of work: it is neither used nor thrown away unasked. */
static int check_checkpoint(gear_job *job)
{
    struct stat about;
    const bool found = stat(job->path, &about) == 0;
    if (found && job->options->restart && unlink(job->path) != 0)
        return slip_fail_file(job->ctx, "cannot remove the old", job->path, errno);
    if (found && !job->options->restart && !job->options->resume)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "found %s of a run that did not come to its end, expected `--resume` to go on from "
                         "it or `--restart` to begin again",
                         job->path);
    if (!found && job->options->resume)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "found no %s to resume from", job->path);
    return SLIP_OK;
}

static int prepare(gear_job *job)
{
    const char *method = job->method->info.name;
    const bool checkpoints = job->method->checkpoints;
    int status = slip_gear_device_check(job->ctx, job->options->device, method);
    if (status < 0)
        return status;
    if ((job->options->resume || job->options->restart) && !(checkpoints && job->folder))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "found `%s` with method %s%s, expected %s",
                         job->options->resume ? "resume" : "restart", method,
                         job->folder ? "" : " and no folder",
                         checkpoints ? "a folder, where checkpoints are kept"
                                     : "method explicit: only it has checkpoints");
    for (int i = 0; i < job->gear_count && job->reduces && status >= 0; i++) {
        status = reduce(job, i);
        job->opening.gears.given[i] = job->bodies[i];
    }
    if (status < 0 || !checkpoints || !job->folder)
        return status;
    job->path = slip_path_join(job->folder, checkpoint_name);
    return job->path ? check_checkpoint(job) : slip_fail_memory(job->ctx);
}

/* ---- After it. */

/* Warns where the gears have never touched: at the start their flanks are about to touch, so this is seldom
 * wanted. */
static void tell_apart(const gear_job *job, const slip_result *result)
{
    const slip_gear_side *a = &job->model->gear_run.side[0], *b = &job->model->gear_run.side[1];
    const double end = isnan(job->opening.run.end) ? job->model->gear_run.time : job->opening.run.end;
    const bool at_rest = a->speed == 0 && b->speed == 0 && a->torque == 0 && b->torque == 0;
    if (slip_result_number(result, "peak_force") > 0)
        return;
    slip_log(job->ctx, SLIP_LOG_WARNING, "the flanks did not touch in %g s: %s", end,
             at_rest ? "no gear has `speed` or `torque`"
                     : "see `speed` and `torque` of the gears, which have to close the gap, and "
                       "`simulate.time`");
}

/* ---- Frames. */

static int begin_frames(gear_job *job, slip_gear_animation **animation)
{
    slip_gear_run_options how = job->model->gear_run;
    char *folder;
    int status;
    if (!job->folder || how.frames == 0)
        return SLIP_OK;
    folder = slip_path_join(job->folder, "frames");
    how.time = job->opening.run.end;
    SLIP_TRY(folder
                 ? slip_gear_animation_create(job->ctx, job->gear_count, job->gears, &how, folder, animation)
                 : slip_fail_memory(job->ctx));
    status = slip_gear_film_create(job->ctx, job->model->system, how.frames, how.frame, how.frame_user,
                                   &job->film);
done:
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

/* ---- The run. */

static int open_history(gear_job *job)
{
    slip_gear_setup *setup = &job->opening.gears;
    if (!job->model->gear_run.history)
        return SLIP_OK;
    SLIP_PASS(slip_gear_history_create(job->ctx, &job->history));
    setup->participation = slip_gear_history_add;
    setup->participation_user = job->history;
    return SLIP_OK;
}

static int open_checkpoint(gear_job *job, const char *path, slip_job *run)
{
    slip_checkpoint *c = &job->checkpoint;
    *c = (slip_checkpoint){.path = path,
                           .every = job->model->gear_run.checkpoint_every,
                           .history = job->history,
                           .gear_count = job->gear_count,
                           .gears = job->flanked,
                           .film = job->film};
    for (int k = 0; k < job->gear_count; k++) {
        slip_gear_counts counts;
        SLIP_PASS(slip_gear_mesh_size(job->ctx, &job->gears[k], &counts));
        job->flanked[k].flanks = counts.flanks;
        job->flanked[k].size = 3 * counts.flank_nodes;
    }
    run->checkpoint = c;
    return SLIP_OK;
}

/* With bodies and frames at hand. `path`: of the checkpoint, or NULL. */
static int run(gear_job *job, const char *path, slip_result **result)
{
    SLIP_FREED_BY(slip_job_close) slip_job motion = {0};
    int status = SLIP_OK;
    SLIP_PASS(open_history(job));
    SLIP_PASS(slip_job_open(job->ctx, job->model, &job->opening, &motion));
    if (path && motion.settings->method->checkpoints)
        SLIP_PASS(open_checkpoint(job, path, &motion));
    motion.film = job->film;
    status = slip_job_conclude(&motion, slip_job_go(&motion));
    if (job->history) {
        const int kept =
            slip_gear_history_finish(job->ctx, job->history, job->gear_count, job->flanked, motion.result);
        status = kept < 0 ? kept : status;
    }
    slip_job_hand_over(&motion, status, result);
    return status;
}

/* The caller's options before the model: of two gears there are few. */
static int resolve_pair(gear_job *job, slip_run_options *o)
{
    const bool other = o->segments || (!isnan(o->start) && o->start != 0) || !isnan(o->theta) ||
                       !isnan(o->record_every) || o->record_points >= 0 || o->record_steps > 0 ||
                       !isnan(o->record_from) || !isnan(o->steady_period) || o->step_observer ||
                       o->event_observer || o->start_q || o->start_v;
    slip_gear_run_options how = job->model->gear_run;
    if (other)
        return slip_fail(
            job->ctx, SLIP_ERROR_USAGE,
            "of a run with gears method, end, tolerance and step can be given; found another option");
    how.method = o->method ? o->method : how.method;
    how.time = o->end = isnan(o->end) ? how.time : o->end;
    how.step = isnan(o->step) ? how.step : o->step;
    how.tolerance = isnan(o->tolerance) ? how.tolerance : o->tolerance;
    const slip_gear_method *method = slip_gear_method_find(&how);
    SLIP_PASS(slip_gear_run_check(job->ctx, job->gears, &how));
    job->method = slip_method_for(job->model->system, method->name);
    job->reduces = method->reduced;
    return SLIP_OK;
}

/* Trains are coordinates: every option counts. */
static int resolve(gear_job *job)
{
    slip_run_options *o = &job->opening.run;
    slip_settings settings;
    if (slip_model_gear_run(job->model))
        return resolve_pair(job, o);
    SLIP_PASS(slip_settings_resolve(job->ctx, job->model, o, &settings));
    job->method = settings.method;
    o->end = isnan(o->end) ? settings.values.end : o->end;
    return SLIP_OK;
}

/* The gears of the model, for everything that is of each of them. */
static int list_gears(gear_job *job)
{
    job->gears = slip_system_gears(job->model->system, &job->arena, &job->gear_count);
    job->flanked = slip_arena_array(&job->arena, job->gear_count, sizeof *job->flanked);
    SLIP_PASS(slip_allocated(job->ctx, job->gears && job->flanked));
    for (int k = 0; k < job->gear_count; k++)
        job->flanked[k].name = job->gears[k].name;
    return SLIP_OK;
}

static int run_model(gear_job *job, slip_result **result)
{
    slip_gear_animation *animation = NULL;
    SLIP_PASS(resolve(job));
    if (job->folder && (slip_model_gear_run(job->model) || job->model->gear_run.frames > 0))
        SLIP_PASS(slip_folder_create(job->ctx, job->folder));
    SLIP_PASS(prepare(job));
    int status = begin_frames(job, &animation);
    if (status < 0) {
        slip_gear_animation_destroy(animation);
        return status;
    }
    status = run(job, job->path, result);
    if (status >= 0 && slip_model_gear_run(job->model))
        tell_apart(job, *result);
    if (status >= 0 && job->path) {
        (*result)->served = slip_arena_string(&(*result)->arena, job->path);
        status = (*result)->served ? status : slip_fail_memory(job->ctx);
    }
    end_frames(job, animation, status);
    return status;
}

static void close_job(gear_job *job)
{
    for (int i = 0; i < 2; i++)
        slip_reduced_destroy(job->bodies[i]);
    if (job->history)
        slip_gear_history_destroy(job->history);
    slip_gear_film_destroy(job->film);
    slip_arena_free(&job->arena);
    free(job->path);
}

int slip_run_gears(slip_context *ctx, const slip_model *model, const slip_run_options *run_options,
                   slip_result **result)
{
    SLIP_TAKE(slip_run_gears_options, options, run_options->gears);
    SLIP_FREED_BY(slip_model_drop) slip_model *bound = NULL;
    SLIP_FREED_BY(close_job) gear_job job = {.ctx = ctx, .options = options, .folder = options->folder};
    SLIP_PASS(slip_model_ready(ctx, model, run_options->values, &bound, &job.model));
    SLIP_PASS(list_gears(&job));
    job.opening = (slip_opening){.run = *run_options,
                                 .whole = true,
                                 .gears = {.threads = options->reduce.threads, .device = options->device}};
    job.opening.run.values = NULL;
    return run_model(&job, result);
}

int slip_gear_run(slip_context *ctx, const slip_gear_options gears[2], const slip_reduced *const bodies[2],
                  const slip_gear_run_options *options, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, gears, options);
    slip_model *model = NULL;
    gear_job job = {.ctx = ctx};
    int status;
    SLIP_TRY(slip_gear_run_check(ctx, gears, options));
    if (options->frames > 0 && !options->frame)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "found %d frames and no function to show them",
                         options->frames);
    SLIP_TRY(slip_model_of_gears(ctx, gears, options, &model));
    job.model = model;
    job.opening = (slip_opening){.run = slip_run_options_default(),
                                 .whole = true,
                                 .gears = {.threads = options->threads, .device = options->device}};
    SLIP_TRY(list_gears(&job));
    for (int k = 0; k < job.gear_count && bodies; k++)
        job.opening.gears.given[k] = bodies[k];
    if (options->frames > 0)
        SLIP_TRY(slip_gear_film_create(ctx, model->system, options->frames, options->frame,
                                       options->frame_user, &job.film));
    status = run(&job, options->checkpoint, result);
done:
    close_job(&job);
    slip_model_destroy(model);
    return status;
}
