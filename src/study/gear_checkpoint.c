/* Checkpoints of runs of two gears. */
#include "study/gear_checkpoint.h"

#include "base/clock.h"
#include "gear/gear_settings.h"

#include <unistd.h>

/* The settings of the run: a checkpoint goes on with its own only. */
static void keep_settings(const slip_gear_checkpoint *c, slip_keeper *k)
{
    const slip_gear_task *task = &c->motion->task;
    slip_arena arena = {0};
    slip_text settings = {0};
    slip_gear_setting_pair pair;
    char *found = NULL;
    slip_gear_settings_write(task->gears, task->options, &settings);
    k->status = settings.failed ? slip_fail_memory(k->ctx)
                : k->back       ? slip_h5_read_text(k->file, "/", "settings", &arena, &found)
                                : slip_h5_write_text(k->file, "/", "settings", settings.data);
    if (slip_kept_back(k) && slip_gear_settings_differ(found ? found : "", settings.data, &pair))
        k->status =
            slip_fail(k->ctx, SLIP_ERROR_MODEL,
                      "%s: the checkpoint is of another run: found `%s` in it, expected `%s`; go on with "
                      "the settings of that run, or begin again with `--restart`",
                      c->path, pair.found, pair.expected);
    slip_text_free(&settings);
    slip_arena_free(&arena);
}

/* The time that was reached, by the model and by the samples. */
static int check_time(const slip_gear_checkpoint *c, int64_t count)
{
    const slip_gear_run_options *o = c->motion->task.options;
    const double time = c->motion->time, step = c->motion->step;
    const double due = count > 0 ? slip_gear_sample_time(o, count - 1) : 0;
    if (time >= due - step && time <= o->time + step)
        return SLIP_OK;
    return slip_fail(
        c->motion->ctx, SLIP_ERROR_IO,
        "cannot read %s: model/numbers: found the time %.9g s, expected %.9g s, where the last of its "
        "%lld samples is, to %.9g s, the end of the run",
        c->path, time, due, (long long)count, o->time);
}

static void keep(const slip_gear_checkpoint *c, slip_keeper *k)
{
    slip_gear_motion *m = c->motion;
    const int flanks[2] = {2 * m->task.gears[0].teeth, 2 * m->task.gears[1].teeth};
    keep_settings(c, k);
    slip_gear_motion_keep(m, k);
    slip_gear_recorder_keep(c->recorder, m->task.options->samples, flanks, m->flank_size, k);
    if (!slip_kept_back(k))
        return;
    m->sample = slip_gear_recorder_count(c->recorder);
    m->begun = m->sample > 0;
    k->status = check_time(c, m->sample);
}

int slip_gear_checkpoint_save(slip_gear_checkpoint *c)
{
    slip_keeper keeper = {.ctx = c->motion->ctx};
    int status = SLIP_OK;
    if (!c->path)
        return SLIP_OK;
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

static int save_when_due(void *user, slip_gear_motion *m)
{
    slip_gear_checkpoint *c = user;
    return slip_clock() - c->saved < m->task.options->checkpoint_every ? SLIP_OK
                                                                       : slip_gear_checkpoint_save(c);
}

int slip_gear_checkpoint_begin(slip_gear_checkpoint *c, slip_gear_motion *m, slip_gear_recorder *recorder)
{
    slip_keeper keeper = {.ctx = m->ctx, .back = true};
    int status = SLIP_OK;
    *c = (slip_gear_checkpoint){.motion = m, .recorder = recorder, .saved = slip_clock()};
    if (!m->task.options->checkpoint || !m->method->checkpoints)
        return SLIP_OK;
    c->path = m->task.options->checkpoint;
    m->after_step = save_when_due;
    m->after_user = c;
    if (access(c->path, F_OK) != 0)
        return SLIP_OK;
    SLIP_TRY(slip_h5_open(m->ctx, c->path, &keeper.file));
    keep(c, &keeper);
    status = keeper.status;
done:
    slip_h5_close(keeper.file);
    return status;
}
