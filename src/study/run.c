#include "study/run.h"

#include "base/clock.h"
#include "study/describe.h"
#include "system/structure/structure.h"

#include <math.h>
#include <unistd.h>

/* ---- Checkpoints: the simulation, the record and what is beside it. */

/* The time that was reached, by the method and by the samples. */
static int check_time(const slip_checkpoint *c)
{
    const slip_table *table = &c->result->main;
    const double time = c->simulation->t, slack = 1e-9 * c->end,
                 due = table->count > 0 ? table->columns[0].values[table->count - 1] : 0;
    if (time >= due - slack && time <= c->end + slack)
        return SLIP_OK;
    return slip_fail(
        c->simulation->ctx, SLIP_ERROR_IO,
        "cannot read %s: model/numbers: found the time %.9g s, expected %.9g s, where the last of "
        "its %lld samples is, to %.9g s, the end of the run",
        c->path, time, due, (long long)table->count, c->end);
}

static void keep(const slip_checkpoint *c, slip_keeper *k)
{
    slip_course_keep(c->simulation, k);
    slip_recorder_keep(c->recorder, k);
    if (c->history && k->status >= 0)
        slip_gear_history_keep(c->history, c->result->main.count, c->gear_count, c->gears, k);
    if (c->film && k->status >= 0)
        slip_gear_film_keep(c->film, k);
    if (slip_kept_back(k))
        k->status = check_time(c);
}

/* Writes it now. */
static int save_checkpoint(slip_checkpoint *c)
{
    slip_keeper keeper = {.ctx = c->simulation->ctx};
    int status;
    SLIP_TRY(slip_h5_create(keeper.ctx, c->path, &keeper.file));
    keep(c, &keeper);
    SLIP_TRY(keeper.status);
    status = slip_h5_commit(keeper.file);
    keeper.file = NULL;
    c->saved = slip_clock();
done:
    slip_h5_close(keeper.file);
    return status;
}

/* Writes it where that is due: `arrived` of an observer; user: the checkpoint. */
static int arrive_at(void *user, double t)
{
    slip_checkpoint *c = user;
    (void)t;
    return slip_clock() - c->saved < c->every ? SLIP_OK : save_checkpoint(c);
}

/* Goes on from the file where it is there, and has the run write it every so often (slip_observer.arrived). A
 * file of another run fails and says what differs. */
static int begin_checkpoints(slip_checkpoint *c, slip_simulation *simulation, slip_recorder *recorder,
                             slip_result *result, double end)
{
    slip_keeper keeper = {.ctx = simulation->ctx, .back = true};
    int status = SLIP_OK;
    c->simulation = simulation;
    c->recorder = recorder;
    c->result = result;
    c->end = end;
    c->saved = slip_clock();
    if (access(c->path, F_OK) != 0)
        return SLIP_OK;
    SLIP_TRY(slip_h5_open(keeper.ctx, c->path, &keeper.file));
    keep(c, &keeper);
    status = keeper.status;
done:
    slip_h5_close(keeper.file);
    return status;
}

/* ---- A run. */

static int create_result(slip_context *ctx, const slip_model *model, const slip_settings *settings,
                         slip_result **result)
{
    const slip_system *system = model->system;
    const int contact_count = (int)system->contact_count;
    SLIP_FREED const char **contacts = slip_alloc(contact_count, sizeof *contacts);
    SLIP_PASS(slip_allocated(ctx, contacts));
    for (int c = 0; c < contact_count; c++)
        contacts[c] = system->contacts[c].name;
    const slip_run_names names = {slip_system_coordinates(system),
                                  contact_count,
                                  system->patch_count,
                                  slip_system_coordinates(system) - slip_model_given_count(model),
                                  (const char *const *)system->names,
                                  contacts,
                                  system->vectors,
                                  model->outputs.series_count > 0 ? &model->outputs : NULL,
                                  system->series,
                                  system->series_count,
                                  system->series_count > 0 ? system->structure->name : NULL};
    SLIP_PASS(slip_result_create_run(ctx, &names, result));
    (*result)->method = settings->method->info.name;
    (*result)->judged = settings->method->solves_laws;
    if (slip_model_has_text(model))
        SLIP_PASS(slip_describe(ctx, *result, model, settings->method->info.name));
    return SLIP_OK;
}

int slip_job_open(slip_context *ctx, const slip_model *model, const slip_opening *opening, slip_job *job)
{
    *job = (slip_job){.ctx = ctx, .started = slip_clock()};
    SLIP_PASS(slip_simulation_open_with(ctx, model, opening->run.values, opening, &job->simulation));
    job->system = job->simulation->ready->system;
    job->settings = slip_simulation_settings(job->simulation);
    return create_result(ctx, job->simulation->ready, job->settings, &job->result);
}

void slip_job_close(slip_job *job)
{
    slip_simulation_close(job->simulation);
    slip_result_destroy(job->result);
}

/* Records the initial state where a run fails before its first record. */
static int keep_start(slip_job *job, slip_recorder *recorder, int status)
{
    slip_result *result = job->result;
    double t = slip_simulation_time(job->simulation);
    slip_simulation_whole_state(job->simulation, result->final_q, result->final_v);
    int kept = slip_recorder_keep_start(recorder, t, result->final_q, result->final_v);
    return kept < 0 ? kept : status;
}

/* An interrupted run is kept where it is; its message stays. */
static int keep_interrupted(slip_job *job)
{
    SLIP_FREED_BY(slip_text_free) slip_text message = {0};
    slip_text_append(&message, slip_context_message(job->ctx));
    SLIP_PASS(save_checkpoint(job->checkpoint));
    return slip_fail(job->ctx, SLIP_INTERRUPTED, "%s", message.data ? message.data : "");
}

int slip_job_record(slip_job *job, double from, double end, bool steady)
{
    const slip_run_options *v = &job->settings->values;
    SLIP_FREED_BY(slip_recorder_drop) slip_recorder *recorder = NULL;
    slip_observer observer;
    int status = SLIP_OK;
    slip_recorder_options options = {.every = v->record_every,
                                     .points = v->record_points > 0 ? v->record_points : 0,
                                     .steps = v->record_steps > 0,
                                     .system = job->system,
                                     .outputs = &job->simulation->ready->outputs,
                                     .events = v->record_events != 0,
                                     .from = from,
                                     .end = end,
                                     .steady = steady,
                                     .period = job->result->steady.forcing_period,
                                     .step_observer = v->step_observer,
                                     .event_observer = v->event_observer,
                                     .observer_user = v->observer_user};
    SLIP_PASS(status = slip_recorder_create(job->ctx, job->result, &options, &recorder));
    observer = slip_recorder_observer(recorder);
    if (job->film)
        observer = slip_gear_film_observe(job->film, steady ? from : v->start, end, &observer);
    status = SLIP_OK;
    if (job->checkpoint) {
        observer.arrived = arrive_at;
        observer.arrived_user = job->checkpoint;
        status = begin_checkpoints(job->checkpoint, job->simulation, recorder, job->result, end);
    }
    slip_simulation_whole_state(job->simulation, job->result->final_q, job->result->final_v);
    slip_recorder_start(recorder, slip_simulation_time(job->simulation), job->result->final_q,
                        job->result->final_v);
    if (status >= 0)
        status = slip_simulation_observe(job->simulation, end, &observer);
    if (status == SLIP_INTERRUPTED && job->checkpoint)
        status = keep_interrupted(job);
    if (status < 0)
        status = keep_start(job, recorder, status);
    slip_recorder_finish(recorder);
    return status;
}

/* A model in metres whose bodies move by micrometres is not resolved by an absolute error of 1e-8. */
static void warn_of_small_motion(const slip_job *job)
{
    const slip_result *result = job->result;
    const double resolution = result->counters.resolution;
    double largest = 0;
    for (int i = 0; i < result->n; i++)
        largest = fmax(largest, result->max_q[i]);
    if (largest > 0 && largest < 1e3 * resolution)
        slip_log(
            job->ctx, SLIP_LOG_WARNING,
            "no coordinate gets beyond %.3g, and the tolerance %g is an absolute error too; take a smaller "
            "tolerance, or units in which the motion is larger",
            largest, job->settings->values.tolerance);
}

static int add_number(void *user, slip_context *ctx, const char *name, double value)
{
    return slip_result_add_number(ctx, user, name, value);
}

/* Judges contacts that a structure solves by itself, outside the contact problem of the method. */
static int judge_structure(slip_job *job)
{
    enum { records = 100 };
    slip_result *result = job->result;
    if (!job->system->structure->judge)
        return SLIP_OK;
    result->judged = true;
    return slip_result_judge(job->ctx, job->system, result, result->main.count / records + 1,
                             &result->counters.residual);
}

int slip_job_conclude(slip_job *job, int status)
{
    slip_result *result = job->result;
    const int handed = slip_simulation_numbers(job->simulation, &(slip_number_sink){result, add_number});
    status = handed < 0 ? handed : status;
    slip_simulation_counters(job->simulation, &result->counters);
    if (status >= 0)
        status = judge_structure(job) < 0 ? SLIP_ERROR_MEMORY : status;
    result->final_t = slip_simulation_time(job->simulation);
    slip_simulation_whole_state(job->simulation, result->final_q, result->final_v);
    slip_result_time_contacts(result, job->system);
    result->wall_seconds = slip_clock() - job->started;
    result->status = status;
    warn_of_small_motion(job);
    if (status < 0) {
        result->message = slip_arena_string(&result->arena, slip_context_message(job->ctx));
        SLIP_PASS(slip_allocated(job->ctx, result->message));
    }
    return status;
}

void slip_job_hand_over(slip_job *job, int status, slip_result **result)
{
    if (status < 0 && status != SLIP_ERROR_SOLVER && status != SLIP_INTERRUPTED)
        return;
    *result = job->result;
    job->result = NULL;
}

int slip_job_go(slip_job *job)
{
    const slip_run_options *v = &job->settings->values;
    return job->settings->steady ? slip_job_settle(job) : slip_job_record(job, v->record_from, v->end, false);
}

int slip_run_check(slip_context *ctx, const slip_model *model, const slip_run_options *given_options)
{
    SLIP_NEED(ctx, model);
    SLIP_TAKE(slip_run_options, options, given_options);
    const slip_run_options *own = &model->simulate;
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *simulation = NULL;
    slip_context_clear(ctx);
    if (slip_model_gear_run(model) || !model->mass_given /* for statics only */ ||
        (isnan(options->end) && isnan(options->steady_period) && isnan(own->end) &&
         isnan(own->steady_period)))
        return SLIP_OK;
    return slip_simulation_open_run(ctx, model, options->values, options, &simulation);
}

int slip_run(slip_context *ctx, const slip_model *model, const slip_run_options *given_options,
             slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_run_options, options, given_options);
    SLIP_FREED_BY(slip_job_close) slip_job job = {0};
    int status = SLIP_OK;
    slip_context_clear(ctx);
    if (slip_model_has_gears(model))
        return slip_run_gears(ctx, model, options, result);
    SLIP_PASS(slip_job_open(ctx, model, &(slip_opening){.run = *options, .whole = true}, &job));
    status = slip_job_conclude(&job, slip_job_go(&job));
    slip_job_hand_over(&job, status, result);
    return status;
}
