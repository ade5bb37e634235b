/* Starts of a basin side by side: lanes (batch/batch.h) carry the motions through their transients.
 *
 * Lanes move on by some periods at a time until the states at the marks repeat. Where several lanes have come
 * to the same states, one of them (the example) is followed further like a single start (follow.c), from the
 * state of its lane; this gives the kind, period and signature of the motion. The other starts are assigned
 * to that motion if their states agree with it. A start that ends in a set of motions is followed from the
 * state of its lane, too. A start that lanes cannot take, or that does not settle within the given periods,
 * is run by itself from the beginning. */
#include "batch/batch.h"
#include "simulation/simulation.h"
#include "study/basin/basin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { returns_at_a_time = 2 * slip_settling_longest, lanes_at_a_time = 1 << 16, most_examples = 1000 };

/* A start on its way. */
typedef struct start {
    int64_t run, returns;
    int64_t
        example; /* the start that is followed in place of this one, or this one; -1: it has not settled */
    int multiple;
} start;

typedef struct pack {
    slip_sweep_job *job;
    slip_model *bound;
    const slip_model *model;
    int n;
    double period, first_time;
    slip_batch_motion motion;
    slip_symmetry *symmetry;
    double *apart; /* 2 n */
    int64_t count;
    start *starts;
    double *state, *size, *largest; /* 2 n for each start: state at its first mark; largest values in the last
                                       periods; in all periods */
    double *returns;
    int64_t *list;
} pack;

static void leave(pack *p, const char *reason)
{
    slip_sweep_together *together = p->job->info.together;
    if (together->reason[0] == 0)
        snprintf(together->reason, sizeof together->reason, "%s", reason);
}

/* ---- Lanes. */

static void set_apart(const pack *p, const double *a, const double *b)
{
    for (int i = 0; i < 2 * p->n; i++)
        p->apart[i] = a[i] - b[i];
    slip_symmetry_reduce(p->symmetry, p->apart);
}

static bool repeats(const pack *p, int64_t k, const double *states, int multiple)
{
    const double share = 0.1 * ((const slip_basin_how *)p->job->user)->options.tolerance;
    const int m = 2 * p->n;
    for (int j = 0; j < multiple; j++) {
        const double *now = states + (returns_at_a_time - 1 - j) * m, *before = now - multiple * m;
        set_apart(p, now, before);
        for (int i = 0; i < m; i++)
            if (!(fabs(p->apart[i]) <= share * (p->size[k * m + i] + 1e-3 * p->largest[k * m + i])))
                return false;
    }
    return true;
}

/* Judges the last returns of a start; true when they repeat. */
static bool arrives(pack *p, int64_t k, double *states)
{
    const int m = 2 * p->n;
    start *s = &p->starts[k];
    for (int j = 0; j < returns_at_a_time; j++)
        slip_symmetry_reduce(p->symmetry, states + j * m);
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < returns_at_a_time; j++)
            most = fmax(most, fabs(states[j * m + i]));
        p->size[k * m + i] = most;
        p->largest[k * m + i] = fmax(p->largest[k * m + i], most);
    }
    s->returns += returns_at_a_time;
    s->multiple = 1;
    while (s->multiple <= slip_settling_longest && !repeats(p, k, states, s->multiple))
        s->multiple++;
    if (s->multiple > slip_settling_longest)
        return false;
    const double *last = states + (returns_at_a_time - s->multiple) * m;
    memcpy(p->state + k * m, last + slip_basin_first_mark(p->symmetry, last, s->multiple, m) * m,
           (size_t)m * sizeof(double));
    return true;
}

/* Stores the state of the lane, from which a settled start goes on by itself. */
static int keep_head(pack *p, int64_t k, const slip_batch_lane *lane)
{
    start *s = &p->starts[k];
    s->example = k;
    return slip_sweep_keep_head(p->job, p->job->ctx, s->run, p->first_time + (double)s->returns * p->period,
                                lane);
}

static int move_lanes(pack *p, slip_batch *batch, int64_t first, int64_t count)
{
    const slip_basin_how *how = p->job->user;
    int64_t left = count;
    int status = SLIP_OK;
    for (int64_t k = 0; k < count; k++)
        p->list[k] = k;
    for (int64_t done = 0; left > 0 && done + returns_at_a_time <= how->options.within;
         done += returns_at_a_time) {
        int64_t kept = 0;
        status = slip_batch_advance(p->job->ctx, batch, p->list, left, returns_at_a_time, p->returns);
        if (status != SLIP_OK)
            return status;
        for (int64_t i = 0; i < left; i++) {
            const int64_t k = p->list[i];
            const slip_batch_lane lane = slip_batch_get(batch, k);
            if (lane.status != BATCH_GOES_ON)
                leave(p, slip_batch_reason(lane.status));
            else if (!arrives(p, first + k, p->returns + i * returns_at_a_time * 2 * p->n))
                p->list[kept++] = k;
            else
                SLIP_PASS(status = keep_head(p, first + k, &lane));
        }
        left = kept;
        slip_progress_count(p->job->ctx, "basin", first + count - left, p->count, "starts");
    }
    if (left > 0)
        leave(p, "it has not settled within the periods that are given");
    return status;
}

/* Moves `count` starts, which fill one batch, until they settle or are given up. */
static int move_some(pack *p, int64_t first, int64_t count)
{
    slip_sweep_job *job = p->job;
    const slip_basin_options *o = &((const slip_basin_how *)job->user)->options;
    const slip_batch_settings settings = {.threads = o->threads, .device = o->device, .expected = count};
    SLIP_FREED_BY(slip_batch_drop) slip_batch *batch = NULL;
    char reason[300];
    int set, status = SLIP_OK;
    SLIP_PASS(slip_batch_create(job->ctx, &settings, &batch));
    SLIP_PASS(slip_batch_add_set(job->ctx, batch, p->model->system, &p->motion, &set, reason, sizeof reason));
    if (set < 0) {
        leave(p, reason);
        return status;
    }
    for (int64_t k = 0; k < count; k++) {
        double *q = p->largest + 2 * (first + k) * p->n, *v = q + p->n;
        int64_t lane;
        slip_sweep_start(job, p->starts[first + k].run, q, v);
        for (int i = 0; i < p->n; i++) {
            q[i] = isnan(q[i]) ? p->model->initial_q[i] : q[i];
            v[i] = isnan(v[i]) ? p->model->initial_v[i] : v[i];
        }
        SLIP_PASS(slip_batch_add_lane(job->ctx, batch, set, p->first_time, q, v, &lane));
        for (int i = 0; i < 2 * p->n; i++)
            q[i] = fabs(q[i]);
    }
    status = move_lanes(p, batch, first, count);
    job->info.together->left_by_card += slip_batch_left_by_card(batch);
    return status;
}

/* ---- Examples. */

static bool is_close(const pack *p, int64_t k, const double *state, const double *size)
{
    const double share = slip_basin_close * ((const slip_basin_how *)p->job->user)->options.tolerance;
    const int m = 2 * p->n;
    set_apart(p, p->state + k * m, state);
    for (int i = 0; i < m; i++)
        if (!(fabs(p->apart[i]) <= share * fmax(p->size[k * m + i], size[i])))
            return false;
    return true;
}

/* Of starts that have come to the same states the first is followed; the others wait. */
static void choose_examples(pack *p)
{
    const int m = 2 * p->n;
    int64_t examples[most_examples], count = 0;
    for (int64_t k = 0; k < p->count; k++) {
        start *s = &p->starts[k];
        for (int64_t e = 0; e < count && s->example == k; e++) {
            const int64_t other = examples[e];
            if (p->starts[other].multiple == s->multiple &&
                is_close(p, k, p->state + other * m, p->size + other * m))
                s->example = other;
        }
        if (s->example == k && count < most_examples)
            examples[count++] = k;
        if (s->example >= 0 && s->example != k)
            p->job->runs[s->run].state = SLIP_SWEEP_UNASKED;
    }
}

/* Gives a waiting start the end of its example if their states agree; else the start stays open. */
static int take_example(pack *p, int64_t k)
{
    const start *s = &p->starts[k];
    slip_sweep_run *run = &p->job->runs[s->run];
    const slip_sweep_run *example = &p->job->runs[p->starts[s->example].run];
    const int m = 2 * p->n;
    run->state = SLIP_SWEEP_OPEN;
    if (example->state != SLIP_SWEEP_DONE)
        return SLIP_OK;
    const slip_basin_kind kind = (slip_basin_kind)example->numbers[SLIP_BASIN_KIND];
    if ((kind != SLIP_BASIN_CYCLE && kind != SLIP_BASIN_EQUILIBRIUM && kind != SLIP_BASIN_SLIDING) ||
        !is_close(p, k, example->numbers + SLIP_BASIN_STATE, example->numbers + SLIP_BASIN_STATE + m))
        return SLIP_OK;
    double *numbers = slip_arena_array(&p->job->arena, p->job->width + 1, sizeof *numbers);
    SLIP_PASS(slip_allocated(p->job->ctx, numbers));
    memcpy(numbers, example->numbers, (size_t)p->job->width * sizeof *numbers);
    memcpy(numbers + SLIP_BASIN_STATE, p->state + k * m, (size_t)m * sizeof *numbers);
    numbers[SLIP_BASIN_TIME] = (double)s->returns * p->period;
    return slip_sweep_finish(p->job, p->job->ctx, s->run, SLIP_SWEEP_DONE, numbers, example->text);
}

/* ---- All starts. */

/* Prepares what lanes need of the model; *takes is false where lanes cannot take it, with the reason. */
static int prepare(pack *p, bool *takes)
{
    slip_sweep_job *job = p->job;
    const slip_basin_options *o = &((const slip_basin_how *)job->user)->options;
    slip_settings settings;
    const char *reason = NULL;
    SLIP_PASS(slip_model_ready(job->ctx, job->model, job->how.values, &p->bound, &p->model));
    SLIP_PASS(slip_settings_resolve(job->ctx, p->model, &job->how, &settings));
    SLIP_PASS(slip_basin_period(job->ctx, p->model, o, &p->period));
    p->first_time = settings.values.start;
    p->motion = (slip_batch_motion){
        .period = p->period, .tolerance = settings.values.tolerance, .segments = settings.values.segments};
    if (job->binds)
        reason = "an axis is a parameter";
    else if (isnan(p->period))
        reason = "the model has no period";
    else if (slip_context_crew(job->ctx))
        reason = "several processes share the starts";
    else if (p->model->initial_static)
        reason = "it starts from a static solution";
    else if (strcmp(settings.method->info.name, "event") != 0)
        reason = "its method is not `event`";
    if (reason)
        leave(p, reason);
    *takes = !reason;
    return SLIP_OK;
}

static int collect_starts(pack *p)
{
    slip_sweep_job *job = p->job;
    const int64_t room = job->run_count + 1;
    p->n = p->model->system->n;
    p->starts = slip_alloc(room, sizeof *p->starts);
    SLIP_PASS(slip_allocated(job->ctx, p->starts));
    for (int64_t at = job->options.part - 1; at < job->run_count; at += job->options.parts)
        if (job->runs[at].state == SLIP_SWEEP_OPEN)
            p->starts[p->count++] = (start){.run = at, .example = -1};
    const int64_t some = p->count < lanes_at_a_time ? p->count : lanes_at_a_time;
    p->state = slip_alloc(6 * p->count * p->n + 1, sizeof *p->state);
    p->returns = slip_alloc(2 * some * returns_at_a_time * p->n + 1, sizeof *p->returns);
    p->list = slip_alloc(some + 1, sizeof *p->list);
    p->apart = slip_alloc(2 * p->n, sizeof *p->apart);
    SLIP_PASS(slip_symmetry_create(job->ctx, p->model->system, &p->symmetry));
    SLIP_PASS(slip_allocated(job->ctx, p->state && p->returns && p->list && p->apart));
    p->size = p->state + 2 * p->count * p->n;
    p->largest = p->size + 2 * p->count * p->n;
    return SLIP_OK;
}

int slip_basin_run_together(slip_sweep_job *job)
{
    pack p = {.job = job};
    bool takes = false;
    int status;
    SLIP_TRY(prepare(&p, &takes));
    if (!takes)
        goto done;
    SLIP_TRY(collect_starts(&p));
    for (int64_t first = 0; first < p.count && status == SLIP_OK; first += lanes_at_a_time)
        status = move_some(&p, first, p.count - first < lanes_at_a_time ? p.count - first : lanes_at_a_time);
    if (status != SLIP_OK)
        goto done;
    choose_examples(&p);
    status = slip_sweep_run_all(job);
    for (int64_t k = 0; k < p.count; k++) {
        job->info.together->count += p.starts[k].example >= 0;
        if (p.starts[k].example >= 0 && p.starts[k].example != k) {
            const int kept = take_example(&p, k);
            status = status < 0 ? status : kept;
        }
    }
done:
    free(p.starts);
    free(p.state);
    free(p.returns);
    free(p.list);
    free(p.apart);
    slip_symmetry_destroy(p.symmetry);
    slip_model_destroy(p.bound);
    return status == SLIP_INTERRUPTED ? slip_interrupt_check(job->ctx) : status < 0 ? status : SLIP_OK;
}
