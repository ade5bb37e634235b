/* The values of a diagram side by side: one lane for each value, judged return by return like a single run.
 *
 * Lanes move on by some returns at a time. Their states are passed in order to the judge of each value until
 * it says that the motion has settled; the following states are the points. Returns beyond the last point are
 * not used. So points, multiples and numbers of returns are those of a run by itself. */
#include "study/bifurcation/bifurcation.h"

#include "base/threads.h"
#include "batch/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { returns_at_a_time = 16, lanes_at_a_time = 1024, lanes_of_card = 32768 };

/* One value on its way. */
typedef struct follower {
    slip_bifurcation_visit *visit;
    slip_return_judge judge;
    int64_t lane, wanted;
    double start, period;
    bool judged, failed;
} follower;

typedef struct pack {
    slip_context *ctx;
    const slip_model *model;
    const slip_bifurcation_options *options;
    const slip_section *section;
    const slip_run_options *run;
    slip_bifurcation_together *together;
    slip_batch *batch;
    int n, threads;
    follower *followers;
    int64_t count, *list;
    double *states;
} pack;

static void leave(pack *p, const char *reason)
{
    if (p->together->reason[0] == 0)
        snprintf(p->together->reason, sizeof p->together->reason, "%s", reason);
}

/* A value for which the model is bound. Binding takes longer than the motion: all threads share it. */
typedef struct bound_value {
    int status; /* negative: it failed */
    slip_batch_set set;
    double start, period, *state; /* n of q, n of v */
    slip_symmetry *symmetry;
    slip_return_judge judge;
    char reason[300];
} bound_value;

static void free_value(bound_value *b)
{
    slip_return_judge_close(&b->judge);
    slip_symmetry_destroy(b->symmetry);
    slip_batch_free_set(&b->set);
    free(b->state);
    *b = (bound_value){0};
}

static int bind_value(const pack *p, slip_context *ctx, double value, bound_value *b)
{
    SLIP_FREED_BY(slip_model_drop) slip_model *bound = NULL;
    slip_settings settings;
    *b = (bound_value){.reason = "its method is not `event`"};
    int status = slip_model_bind_one(ctx, p->model, p->options->axis->name, value, &bound);
    if (status >= 0)
        status = slip_settings_resolve(ctx, bound, p->run, &settings);
    if (status == SLIP_ERROR_MEMORY)
        return status;
    if (status < 0) {
        strcpy(b->reason, "it fails"); /* the run by itself gives the message */
        slip_context_clear(ctx);
        return SLIP_OK;
    }
    b->start = settings.values.start;
    SLIP_PASS(slip_section_period(ctx, bound, "bifurcation", p->section->period, &b->period));
    if (bound->initial_static)
        strcpy(b->reason, "it starts from a static solution");
    else if (strcmp(settings.method->info.name, "event") == 0 && !isnan(b->period))
        SLIP_PASS(slip_batch_make_set(ctx, bound->system,
                                      &(slip_batch_motion){.period = b->period,
                                                           .tolerance = settings.values.tolerance,
                                                           .segments = settings.values.segments},
                                      &b->set, b->reason, sizeof b->reason));
    if (!b->set.numbers)
        return SLIP_OK;
    b->state = slip_alloc(2 * (int64_t)p->n, sizeof *b->state);
    SLIP_PASS(slip_allocated(ctx, b->state));
    memcpy(b->state, bound->initial_q, (size_t)p->n * sizeof *b->state);
    memcpy(b->state + p->n, bound->initial_v, (size_t)p->n * sizeof *b->state);
    SLIP_PASS(slip_symmetry_create(ctx, bound->system, &b->symmetry));
    return slip_return_judge_open(ctx, bound->system, b->symmetry, p->options->tolerance,
                                  p->options->transient, &b->judge);
}

static void bind_values(const pack *p, int64_t count, const slip_bifurcation_visit *visits,
                        bound_value *values)
{
#pragma omp parallel num_threads(p->threads)
    {
        slip_context *ctx = slip_context_create_for(p->ctx);
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < count; k++)
            values[k].status = ctx ? bind_value(p, ctx, visits[k].value, &values[k]) : SLIP_ERROR_MEMORY;
        slip_context_destroy(ctx);
    }
}

/* Adds a value as a lane; a value that lanes cannot take stays open. */
static int add_value(pack *p, slip_bifurcation_visit *visit, bound_value *b)
{
    follower *f = &p->followers[p->count];
    int set = -1;
    if (b->status < 0) { /* here its message is for the caller */
        free_value(b);
        SLIP_PASS(bind_value(p, p->ctx, visit->value, b));
    }
    *f = (follower){.visit = visit, .start = b->start, .period = b->period};
    SLIP_PASS(slip_batch_take_set(p->ctx, p->batch, &b->set, &set, b->reason, sizeof b->reason));
    if (set < 0) {
        leave(p, b->reason);
        return SLIP_OK;
    }
    SLIP_PASS(slip_batch_add_lane(p->ctx, p->batch, set, b->start, b->state, b->state + p->n, &f->lane));
    f->judge = b->judge;
    b->judge = (slip_return_judge){0};
    visit->symmetry = b->symmetry;
    b->symmetry = NULL;
    p->count++;
    return SLIP_OK;
}

/* The next return of a value; true when it has all that it needs. */
static bool take_return(const pack *p, follower *f, const double *state)
{
    slip_bifurcation_visit *v = f->visit;
    const int width = 1 + 2 * p->n;
    const double before = f->start + (double)v->returns * f->period,
                 now = f->start + (double)(v->returns + 1) * f->period;
    v->returns++;
    if (!f->judged) {
        f->judged = slip_return_judge_take(&f->judge, state, state + p->n, now - f->start, &v->multiple);
        f->wanted = v->multiple > 0 ? v->multiple : p->options->points;
        if (f->judged)
            v->points = slip_alloc(f->wanted * width, sizeof *v->points);
        f->failed = f->judged && !v->points;
        return f->failed;
    }
    double *point = v->points + v->count++ * width;
    point[0] = now - before;
    memcpy(point + 1, state, 2 * (size_t)p->n * sizeof *point);
    slip_symmetry_reduce(v->symmetry, point + 1);
    return v->count == f->wanted;
}

/* Takes the new returns of a lane; true when the value needs no more of them. */
static bool take_returns(const pack *p, follower *f, const double *states)
{
    const slip_batch_lane lane = slip_batch_get(p->batch, f->lane);
    const int64_t there = returns_at_a_time - (lane.wanted - lane.returns);
    bool over = false;
    for (int64_t k = 0; k < there && !over; k++)
        over = take_return(p, f, states + 2 * k * p->n);
    if (over && !f->failed)
        f->visit->done = true;
    return over || lane.status != BATCH_GOES_ON;
}

/* Resets a value that was not followed to its end. */
static void give_up(pack *p, follower *f)
{
    slip_bifurcation_visit *v = f->visit;
    if (v->done) {
        p->together->count++;
        return;
    }
    leave(p, slip_batch_reason(slip_batch_get(p->batch, f->lane).status));
    free(v->points);
    slip_symmetry_destroy(v->symmetry);
    *v = (slip_bifurcation_visit){.value = v->value, .back = v->back};
}

static int move(pack *p)
{
    int64_t left = p->count;
    int status = SLIP_OK;
    bool failed = false;
    follower **going = slip_alloc(p->count + 1, sizeof *going);
    SLIP_TRY(slip_allocated(p->ctx, going));
    for (int64_t k = 0; k < left; k++)
        going[k] = &p->followers[k];
    while (left > 0) {
        int64_t kept = 0;
        for (int64_t k = 0; k < left; k++)
            p->list[k] = going[k]->lane;
        status = slip_batch_advance(p->ctx, p->batch, p->list, left, returns_at_a_time, p->states);
        if (status != SLIP_OK)
            goto done;
#pragma omp parallel for schedule(dynamic, 16) num_threads(p->threads)
        for (int64_t k = 0; k < left; k++)
            if (take_returns(p, going[k], p->states + 2 * k * returns_at_a_time * p->n))
                p->list[k] = -1;
        for (int64_t k = 0; k < left; k++) {
            failed |= going[k]->failed;
            if (p->list[k] >= 0)
                going[kept++] = going[k];
        }
        left = kept;
    }
done:
    free(going);
    return failed && status >= 0 ? slip_fail_memory(p->ctx) : status;
}

static int move_some(pack *p, int64_t count, slip_bifurcation_visit *visits)
{
    slip_batch_settings settings = {.threads = p->threads, .device = p->options->device, .expected = count};
    bound_value *values = slip_alloc(count + 1, sizeof *values);
    int status;
    p->count = 0;
    SLIP_TRY(slip_allocated(p->ctx, values));
    SLIP_TRY(slip_batch_create(p->ctx, &settings, &p->batch));
    bind_values(p, count, visits, values);
    /* from the middle on: the first value decides the form of all lanes, and a parameter is more often 0 or 1
     * at the ends of its range, where terms vanish from the form */
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = (k + count / 2) % count;
        SLIP_TRY(add_value(p, &visits[at], &values[at]));
    }
    SLIP_TRY(move(p));
    p->together->left_by_card += slip_batch_left_by_card(p->batch);
done:
    for (int64_t k = 0; k < count && values; k++)
        free_value(&values[k]);
    free(values);
    for (int64_t k = 0; k < p->count; k++) {
        slip_return_judge_close(&p->followers[k].judge);
        give_up(p, &p->followers[k]);
    }
    slip_batch_destroy(p->batch);
    p->batch = NULL;
    return status;
}

int slip_bifurcation_move_together(slip_context *ctx, const slip_model *model,
                                   const slip_bifurcation_options *options, const slip_section *section,
                                   const slip_run_options *run, int64_t count, slip_bifurcation_visit *visits,
                                   slip_bifurcation_together *together)
{
    const int64_t most = options->device && strcmp(options->device, "cpu") != 0 ? lanes_of_card
                                                                                : lanes_at_a_time,
                  room = count < most ? count : most;
    pack p = {.ctx = ctx,
              .model = model,
              .options = options,
              .section = section,
              .run = run,
              .together = together,
              .n = model->system->n,
              .threads = slip_threads(options->threads),
              .followers = slip_alloc(room + 1, sizeof *p.followers),
              .list = slip_alloc(room + 1, sizeof *p.list),
              .states = slip_alloc(2 * room * returns_at_a_time * model->system->n + 1, sizeof *p.states)};
    int status = p.followers && p.list && p.states ? SLIP_OK : slip_fail_memory(ctx);
    for (int64_t first = 0; first < count && status == SLIP_OK; first += room) {
        status = move_some(&p, count - first < room ? count - first : room, visits + first);
        slip_progress_count(ctx, "bifurcation", first, count, "values");
    }
    free(p.followers);
    free(p.list);
    free(p.states);
    return status;
}
