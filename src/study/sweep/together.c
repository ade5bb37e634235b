/* Runs of a sweep side by side: a lane each (batch/batch.h).
 *
 * Lanes bring runs to their end where all numbers that are collected are such as lanes have: states at the
 * end, the number of events, the largest |q| and |v|. Where only the last part of a run is recorded, lanes
 * bring it to the begin of that, and it goes on by itself: its numbers are whatever a run has. Another task
 * says where lanes go at first, and goes on with them itself (together.h). A lane does
 * not depend on what moves beside it, and what is not taken runs by itself from its start: so the numbers of
 * a run are the same for any threads, parts and processes. Those of a lane are not those of a run by itself
 * to the last bit: they agree to rounding, which grows as the motion is sensitive. */
#include "study/sweep/together.h"

#include "base/threads.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { lanes_of_card = 1 << 16 };

typedef enum source { OF_TIME, OF_STATE, OF_EVENTS, OF_LARGEST, OF_RECORDS } source;

/* The source of each collected number. */
typedef struct slip_sweep_lanes {
    source *sources;
    int *places;        /* in the state, q and v */
    bool largest, late; /* some come from largest values; from records, which begin late in the run */
} slip_sweep_lanes;

static void leave(slip_sweep_job *job, const char *reason)
{
#pragma omp critical(sweep_runs)
    if (job->info.together->reason[0] == 0)
        snprintf(job->info.together->reason, sizeof job->info.together->reason, "%s", reason);
}

/* ---- Numbers. */

/* "x", "x'" or a state: its place in q and v, or -1. */
static int place_of(const slip_system *system, const char *name)
{
    slip_axis_place place;
    if (!slip_axis_find_initial(system, name, &place))
        return -1;
    return place.kind == SLIP_AXIS_V ? system->n + place.index : place.index;
}

/* Where a number comes from; false where nowhere. */
static bool find_source(const slip_system *system, const char *path, source *from, int *place)
{
    static const char *const recorded[] = {"max.", "contacts.", "energy.", NULL};
    *place = -1;
    if (strcmp(path, "events.total") == 0)
        return *from = OF_EVENTS, true;
    if (strcmp(path, "final.t") == 0)
        return *from = OF_TIME, true;
    if (strncmp(path, "final.", 6) == 0)
        return *from = OF_STATE, (*place = place_of(system, path + 6)) >= 0;
    if (strncmp(path, "max.", 4) == 0 && (*place = place_of(system, path + 4)) >= 0)
        return *from = OF_LARGEST, true;
    for (int k = 0; recorded[k]; k++)
        if (strncmp(path, recorded[k], strlen(recorded[k])) == 0)
            return *from = OF_RECORDS, true;
    return false;
}

/* Why no run of the job is for lanes; NULL: some may be. */
static const char *refuse(const slip_sweep_job *job)
{
    const slip_run_options *how = &job->how;
    if (job->line_length > 1)
        return "states are carried from run to run";
    if (slip_model_has_gears(job->model))
        return "the model has gears";
    if (how->step_observer || how->event_observer)
        return "steps or events are observed";
    if (!job->task->lane_task && (!isnan(how->steady_period) || !isnan(job->model->simulate.steady_period)))
        return "each run goes on until it is steady";
    return NULL;
}

int slip_sweep_plan_lanes(slip_sweep_job *job)
{
    slip_sweep_lanes *lanes;
    const char *reason = refuse(job);
    char text[200];
    if (reason)
        return leave(job, reason), SLIP_OK;
    lanes = slip_arena_array(&job->arena, 1, sizeof *lanes);
    SLIP_PASS(slip_allocated(job->ctx, lanes));
    lanes->sources = slip_arena_array(&job->arena, job->collect_count + 1, sizeof *lanes->sources);
    lanes->places = slip_arena_array(&job->arena, job->collect_count + 1, sizeof *lanes->places);
    SLIP_PASS(slip_allocated(job->ctx, lanes->sources && lanes->places));
    for (int k = 0; k < job->collect_count && !job->task->lane_task; k++) {
        if (!find_source(job->model->system, job->collect[k], &lanes->sources[k], &lanes->places[k])) {
            snprintf(text, sizeof text, "`%.150s` is no number of lanes", job->collect[k]);
            return leave(job, text), SLIP_OK;
        }
        lanes->largest |= lanes->sources[k] == OF_LARGEST;
        lanes->late |= lanes->sources[k] == OF_RECORDS;
    }
    job->lanes = lanes;
    return SLIP_OK;
}

/* ---- Runs. */

typedef slip_sweep_candidate candidate;

static void free_candidate(candidate *c)
{
    slip_batch_free_set(&c->set);
    free(c->state);
    free(c->numbers);
}

/* What the settings of the run say; NULL: lanes may take it. */
static const char *judge_settings(const slip_sweep_lanes *lanes, const slip_settings *settings, candidate *c)
{
    const slip_run_options *v = &settings->values;
    c->start = v->start;
    c->until = v->end;
    c->whole = !(v->record_from > v->start) || !(lanes->largest || lanes->late);
    if (!c->whole)
        c->until = v->record_from;
    if (!(c->until > c->start && isfinite(c->until)))
        return "it has no end";
    if (c->whole && lanes->late)
        return "what is collected of forces, energies or outputs is recorded from the start on";
    return NULL;
}

/* The same for lanes of another task, which have closed forms. */
static const char *judge_lane(const slip_settings *settings, candidate *c)
{
    const char *segments = settings->values.segments;
    c->start = settings->values.start;
    return segments && strcmp(segments, "rk") == 0 ? "its segments are `rk`" : NULL;
}

/* The set of a run, or the reason why there is none. */
static int make_set(slip_sweep_worker *w, const slip_model *bound, candidate *c)
{
    const slip_sweep_lanes *lanes = w->job->lanes;
    const slip_sweep_lane_task *other = w->job->task->lane_task;
    slip_run_options how = w->job->how;
    slip_settings settings;
    const char *reason;
    how.values = NULL;
    SLIP_PASS(slip_settings_resolve(w->ctx, bound, &how, &settings));
    reason = bound->initial_static                              ? "it starts from a static solution"
             : strcmp(settings.method->info.name, "event") != 0 ? "its method is not `event`"
             : other                                            ? judge_lane(&settings, c)
                                                                : judge_settings(lanes, &settings, c);
    if (reason)
        return snprintf(c->reason, sizeof c->reason, "%s", reason), SLIP_OK;
    if (other)
        SLIP_PASS(other->aim(w->job, w->ctx, bound, &how, c));
    const bool moves = c->until > c->start;
    SLIP_PASS(slip_batch_make_set(w->ctx, bound->system,
                                  &(slip_batch_motion){.period = moves ? c->until - c->start : c->interval,
                                                       .tolerance = settings.values.tolerance,
                                                       .segments = other ? "exact" : settings.values.segments,
                                                       .peaks = lanes->largest && c->whole},
                                  &c->set, c->reason, sizeof c->reason));
    if (c->set.numbers && moves)
        c->returns = slip_batch_divide(&c->set, c->until - c->start);
    return SLIP_OK;
}

static void bind_run(slip_sweep_worker *w, candidate *c)
{
    const int n = w->job->n;
    slip_model *bound = NULL;
    const slip_model *ready;
    int status;
    SLIP_TRY(slip_sweep_prepare(w, c->at));
    SLIP_TRY(slip_model_ready(w->ctx, w->job->model, w->job->binds ? w->values : w->job->how.values, &bound,
                              &ready));
    SLIP_TRY(make_set(w, ready, c));
    if (!c->set.numbers)
        goto done;
    c->state = slip_alloc(2 * (int64_t)n + 1, sizeof *c->state);
    SLIP_TRY(slip_allocated(w->ctx, c->state));
    for (int i = 0; i < n; i++) {
        c->state[i] = isnan(w->q[i]) ? ready->initial_q[i] : w->q[i];
        c->state[n + i] = isnan(w->v[i]) ? ready->initial_v[i] : w->v[i];
    }
done:
    slip_model_destroy(bound);
    c->status = status;
    if (status < 0 && status != SLIP_ERROR_MEMORY) { /* it fails by itself, and says why */
        slip_batch_free_set(&c->set);
        snprintf(c->reason, sizeof c->reason, "it fails");
        slip_context_clear(w->ctx);
        c->status = SLIP_OK;
    }
}

/* By one worker or by all threads. */
static int bind_runs(slip_sweep_job *job, slip_sweep_worker *worker, int64_t count, candidate *list)
{
    const int threads = worker ? 1 : slip_threads(job->options.threads);
    int ended = SLIP_OK;
#pragma omp parallel num_threads(threads)
    {
        slip_sweep_worker own;
        const bool ready = worker || slip_sweep_open_worker(job, &own) >= 0;
#pragma omp for schedule(dynamic, 64)
        for (int64_t k = 0; k < count; k++) {
            if (ready && !slip_interrupted(job->ctx))
                bind_run(worker ? worker : &own, &list[k]);
            if (!ready || list[k].status < 0) {
#pragma omp atomic write
                ended = SLIP_ERROR_MEMORY;
            }
        }
        if (!worker)
            slip_sweep_close_worker(&own);
    }
    return ended;
}

/* ---- Lanes. */

/* Lanes of one form that want as many returns. */
typedef struct group {
    slip_batch *batch;
    int64_t returns, lanes;
} group;

typedef struct pack {
    slip_sweep_job *job;
    slip_context *ctx;
    slip_batch_settings settings;
    group *groups; /* as many as there are: whether a run has a lane does not depend on others */
    int64_t group_count, group_capacity;
} pack;

/* The group in which the run has a place. */
static int find_group(pack *p, candidate *c)
{
    for (c->group = 0; c->group < p->group_count; c->group++)
        if (p->groups[c->group].returns == c->returns && slip_batch_fits(p->groups[c->group].batch, &c->set))
            return SLIP_OK;
    SLIP_PASS(slip_allocated(p->ctx, SLIP_ROOM(p->groups, p->group_capacity, p->group_count + 1)));
    p->groups[p->group_count] = (group){.returns = c->returns};
    SLIP_PASS(slip_batch_create(p->ctx, &p->settings, &p->groups[p->group_count].batch));
    p->group_count++;
    return SLIP_OK;
}

static int add_run(pack *p, candidate *c)
{
    const int n = p->job->n;
    int set = -1;
    c->group = -1;
    if (c->set.numbers) {
        SLIP_PASS(find_group(p, c));
        SLIP_PASS(slip_batch_take_set(p->ctx, p->groups[c->group].batch, &c->set, &set, c->reason,
                                      sizeof c->reason));
    }
    if (set < 0) {
        c->group = -1;
        leave(p->job, c->reason);
        return SLIP_OK;
    }
    group *g = &p->groups[c->group];
    g->lanes++;
    return slip_batch_add_lane(p->ctx, g->batch, set, c->start, c->state, c->state + n, &c->lane);
}

/* Takes the end of a lane as the end of its run. */
static int take_run(pack *p, const candidate *c)
{
    slip_sweep_job *job = p->job;
    slip_sweep_run *run = &job->runs[c->at];
    const slip_sweep_lanes *lanes = job->lanes;
    const slip_batch_lane lane = slip_batch_get(p->groups[c->group].batch, c->lane);
    double *numbers;
    int status = SLIP_OK;
    if (lane.status != BATCH_GOES_ON)
        return leave(job, slip_batch_reason(lane.status)), SLIP_OK;
    if (job->task->lane_task && !c->numbers)
        return leave(job, c->reason), SLIP_OK;
    run->together = true;
    run->events = c->whole || c->numbers ? 0 : lane.events;
    if (!c->whole && !c->numbers)
        return slip_sweep_keep_head(job, p->ctx, c->at, c->until, &lane);
#pragma omp critical(sweep_runs)
    numbers = slip_arena_array(&job->arena, job->width + 1, sizeof *numbers);
    SLIP_PASS(slip_allocated(p->ctx, numbers));
    for (int k = 0; k < job->collect_count; k++)
        numbers[k] = c->numbers                       ? c->numbers[k]
                     : lanes->sources[k] == OF_TIME   ? c->until
                     : lanes->sources[k] == OF_EVENTS ? (double)lane.events
                     : lanes->sources[k] == OF_STATE  ? lane.y[lanes->places[k]]
                                                      : lane.largest[lanes->places[k]];
#pragma omp critical(sweep_runs)
    status = slip_sweep_finish(job, p->ctx, c->at, SLIP_SWEEP_DONE, numbers, NULL);
    return status;
}

/* Continues with the lanes of a group, which have reached their first time. */
static int follow_group(pack *p, int64_t k, int64_t count, candidate *list)
{
    const group *g = &p->groups[k];
    int64_t own = 0;
    SLIP_FREED candidate **lanes = slip_alloc(g->lanes + 1, sizeof *lanes);
    SLIP_PASS(slip_allocated(p->ctx, lanes));
    for (int64_t i = 0; i < count; i++)
        if (list[i].group == k)
            lanes[own++] = &list[i];
    return p->job->task->lane_task->follow(p->job, p->ctx, g->batch, own, lanes);
}

static int move_runs(pack *p, int64_t count, candidate *list)
{
    int status = SLIP_OK;
    for (int64_t k = 0; k < count; k++)
        SLIP_PASS(status = add_run(p, &list[k]));
    for (int64_t k = 0; k < p->group_count && status == SLIP_OK; k++) {
        const group *g = &p->groups[k];
        status = slip_batch_advance(p->ctx, g->batch, NULL, g->lanes, g->returns, NULL);
#pragma omp critical(sweep_runs)
        p->job->info.together->left_by_card += slip_batch_left_by_card(g->batch);
        if (status == SLIP_OK && p->job->task->lane_task)
            status = follow_group(p, k, count, list);
    }
    if (status == SLIP_INTERRUPTED)
        status = slip_interrupt_check(p->ctx);
    for (int64_t k = 0; k < count && status >= 0; k++)
        if (list[k].group >= 0)
            status = take_run(p, &list[k]);
    return status;
}

static int move_some(slip_sweep_job *job, slip_sweep_worker *worker, int64_t count, const int64_t *runs)
{
    pack p = {.job = job,
              .ctx = worker ? worker->ctx : job->ctx,
              .settings = {.threads = worker ? 1 : job->options.threads, .device = "cpu", .card = job->card}};
    candidate *list = slip_alloc(count + 1, sizeof *list);
    int64_t open = 0;
    int status;
    SLIP_TRY(slip_allocated(p.ctx, list));
    for (int64_t k = 0; k < count; k++)
        if (job->runs[runs[k]].state == SLIP_SWEEP_OPEN && !job->runs[runs[k]].head)
            list[open++].at = runs[k];
    if (bind_runs(job, worker, open, list) < 0)
        status = slip_fail_memory(p.ctx);
    if (status >= 0)
        status = slip_interrupted(job->ctx) ? slip_interrupt_check(p.ctx) : move_runs(&p, open, list);
done:
    for (int64_t k = 0; k < open && list; k++)
        free_candidate(&list[k]);
    free(list);
    for (int64_t k = 0; k < p.group_count; k++)
        slip_batch_destroy(p.groups[k].batch);
    free(p.groups);
    return status;
}

int slip_sweep_move_lines(slip_sweep_job *job, slip_sweep_worker *worker, int64_t count, const int64_t *lines)
{
    int status = SLIP_OK;
    for (int64_t first = 0; first < count && status >= 0; first += lanes_of_card)
        status = move_some(job, worker, count - first < lanes_of_card ? count - first : lanes_of_card,
                           lines + first);
    return status < 0 ? status : SLIP_OK;
}
