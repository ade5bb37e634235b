/* Runs of two gears with their reduced bodies: a motion, a recorder, checkpoints. */
#include "study/gear_run.h"

#include "study/gear_checkpoint.h"

/* The message of a run that ended early is kept over what is done after it. */
static int finish(slip_context *ctx, slip_gear_recorder *recorder, const char *method, int ended,
                  slip_result **result)
{
    slip_text message = {0};
    int status;
    if (ended < 0)
        slip_text_append(&message, slip_context_message(ctx));
    status = slip_gear_recorder_finish(ctx, recorder, method, ended, message.data, result);
    if (status >= 0 && ended < 0)
        status = slip_fail(ctx, ended, "%s", message.data ? message.data : "");
    slip_text_free(&message);
    return status;
}

int slip_gear_motion_record_run(slip_gear_motion *motion, slip_result **result)
{
    const slip_gear_options *gears = motion->task.gears;
    const char *const names[2] = {gears[0].name, gears[1].name};
    slip_gear_recorder *recorder = NULL;
    slip_gear_checkpoint checkpoint;
    int status;
    SLIP_TRY(slip_gear_recorder_create(motion->ctx, names, &recorder));
    motion->sink = slip_gear_recorder_sink(recorder);
    SLIP_TRY(slip_gear_checkpoint_begin(&checkpoint, motion, recorder));
    status = slip_gear_motion_run(motion);
    if (status == SLIP_INTERRUPTED) {
        const int saved = slip_gear_checkpoint_save(&checkpoint);
        status = saved < 0 ? saved : status;
    }
    const int handed = slip_gear_motion_numbers(motion); /* of use however the run ended */
    status = handed < 0 ? handed : status;
    status = finish(motion->ctx, recorder, motion->method->name, status, result);
done:
    motion->sink = (slip_gear_sink){0};
    slip_gear_recorder_destroy(recorder);
    return status;
}

int slip_gear_run(slip_context *ctx, const slip_gear_options gears[2], const slip_reduced *const bodies[2],
                  const slip_gear_run_options *options, slip_result **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, gears, result);
    slip_gear_motion *motion = NULL;
    int status;
    SLIP_TRY(slip_gear_run_check(ctx, gears, options));
    if (options->frames > 0 && !options->frame)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "found %d frames and no function to show them",
                         options->frames);
    SLIP_TRY(slip_gear_motion_open(ctx, &(slip_gear_task){gears, bodies, options}, NULL, &motion));
    status = slip_gear_motion_record_run(motion, result);
done:
    slip_gear_motion_close(motion);
    return status;
}
