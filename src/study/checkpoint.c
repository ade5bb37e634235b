/* Checkpoints of runs: the simulation, the record and what is beside it. */
#include "study/checkpoint.h"

#include "base/clock.h"

#include <unistd.h>

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

int slip_checkpoint_save(slip_checkpoint *c)
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

int slip_checkpoint_arrive(void *user, double t)
{
    slip_checkpoint *c = user;
    (void)t;
    return slip_clock() - c->saved < c->every ? SLIP_OK : slip_checkpoint_save(c);
}

int slip_checkpoint_begin(slip_checkpoint *c, slip_simulation *simulation, slip_recorder *recorder,
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
