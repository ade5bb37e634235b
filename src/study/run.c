#include "study/run.h"

#include "base/clock.h"
#include "study/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_patches(slip_context *ctx, const slip_system *system, slip_result *result)
{
    int *patches = slip_alloc(system->patch_count, sizeof *patches), status;
    if (!patches)
        return slip_fail_memory(ctx);
    for (int c = 0; c < (int)system->contact_count; c++)
        if (system->contacts[c].patch)
            patches[system->contacts[c].patch->index] = c;
    status = slip_result_add_patches(ctx, result, system->patch_count, patches);
    free(patches);
    return status;
}

static int create_result(slip_context *ctx, const slip_model *model, const slip_settings *settings,
                         slip_result **result)
{
    const slip_system *system = model->system;
    slip_text text = {0};
    int status = SLIP_OK;
    const char **contacts = slip_alloc(system->contact_count, sizeof *contacts);
    if (!contacts)
        return slip_fail_memory(ctx);
    for (int64_t c = 0; c < system->contact_count; c++)
        contacts[c] = system->contacts[c].name;
    SLIP_TRY(slip_result_create(ctx, system->n, (const char *const *)system->names,
                                (int)system->contact_count, contacts, result));
    if (system->patch_count > 0)
        SLIP_TRY(add_patches(ctx, system, *result));
    (*result)->method = settings->method->info.name;
    SLIP_TRY(slip_model_write(ctx, model, settings->method->info.name, &text));
    (*result)->model_text = slip_arena_string(&(*result)->arena, text.data ? text.data : "");
    (*result)->title = slip_arena_string(&(*result)->arena, model->title);
    if (!(*result)->model_text || !(*result)->title)
        status = slip_fail_memory(ctx);
done:
    free(contacts);
    slip_text_free(&text);
    return status;
}

/* A run that could not even start has at least its start. */
static int keep_start(slip_job *job, slip_recorder *recorder, int status)
{
    slip_result *result = job->result;
    double t;
    job->settings->method->state(job->method, &t, result->final_q, result->final_v);
    int kept = slip_recorder_keep_start(recorder, t, result->final_q, result->final_v);
    return kept < 0 ? kept : status;
}

int slip_job_record(slip_job *job, double from, double end, bool steady)
{
    const slip_run_options *v = &job->settings->values;
    slip_recorder *recorder = NULL;
    slip_observer observer;
    int status;
    slip_recorder_options options = {.every = v->record_every,
                                     .points = v->record_points > 0 ? v->record_points : 0,
                                     .steps = v->record_steps > 0,
                                     .from = from,
                                     .end = end,
                                     .steady = steady,
                                     .period = v->steady_period,
                                     .step_observer = v->step_observer,
                                     .event_observer = v->event_observer,
                                     .observer_user = v->observer_user};
    SLIP_TRY(slip_recorder_create(job->ctx, job->result, &options, &recorder));
    observer = slip_recorder_observer(recorder);
    status = job->settings->method->advance(job->method, end, &observer);
    if (status < 0)
        status = keep_start(job, recorder, status);
    slip_recorder_finish(recorder);
done:
    slip_recorder_destroy(recorder);
    return status;
}

/* What the run came to, also when it ended early. */
static int conclude(slip_job *job, int status, double started)
{
    slip_result *result = job->result;
    const slip_method_type *method = job->settings->method;
    method->counters(job->method, &result->counters);
    method->state(job->method, &result->final_t, result->final_q, result->final_v);
    result->wall_seconds = slip_clock() - started;
    result->status = status;
    if (status < 0) {
        result->message = slip_arena_string(&result->arena, slip_context_message(job->ctx));
        if (!result->message)
            return slip_fail_memory(job->ctx);
    }
    return status;
}

int slip_run(slip_context *ctx, slip_model *model, const slip_run_options *options, slip_result **result)
{
    int status;
    double started = slip_clock();
    slip_run_options nothing = slip_run_options_default();
    slip_settings settings;
    slip_job job = {.ctx = ctx, .settings = &settings};
    *result = NULL;
    slip_context_clear(ctx);
    SLIP_TRY(slip_model_fix(ctx, model));
    if (model->initial_static)
        SLIP_TRY(slip_scene_initial(ctx, model));
    SLIP_TRY(slip_settings_resolve(ctx, model, options ? options : &nothing, &settings));
    SLIP_TRY(slip_model_check_initial(ctx, model, settings.values.start));
    SLIP_TRY(create_result(ctx, model, &settings, &job.result));
    job.system = model->system;
    slip_method_options method = {.tolerance = settings.values.tolerance,
                                  .step = settings.values.step,
                                  .theta = settings.values.theta,
                                  .segments = settings.values.segments,
                                  .span = settings.steady ? (double)settings.values.steady_within *
                                                                settings.values.steady_period
                                                          : settings.values.end - settings.values.start};
    SLIP_TRY(settings.method->open(ctx, model->system, &method, settings.values.start, model->initial_q,
                                   model->initial_v, &job.method));
    status = settings.steady ? slip_job_settle(&job)
                             : slip_job_record(&job, settings.values.record_from, settings.values.end, false);
    status = conclude(&job, status, started);
    if (status >= 0 || status == SLIP_ERROR_SOLVER || status == SLIP_INTERRUPTED) {
        *result = job.result;
        job.result = NULL;
    }
done:
    if (job.method)
        settings.method->close(job.method);
    slip_result_destroy(job.result);
    return status;
}
