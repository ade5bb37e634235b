/* The recorder: samples, events, and calls of the user's observers.
 *
 * 1. Sample k is at from + k every (a product, so that nothing drifts), or at k of `points` - 1 parts of from
 *    .. end; the last one, where it falls on the end, is at the end exactly.
 * 2. A sample at the border of two steps belongs to the earlier one, except the first of all.
 * 3. With `events`, every instant at which a mode changes has two samples: the state before, from the step
 *    that ends there, and the state after, from the one that begins there. A method announces that a step
 * ends at an event before it reports the event; if no event follows, the sample is removed. An event that is
 * reported before its step (of a smooth law, or of a fixed step) is inside that step: then both samples are
 * from it, at the event or, if the method does not locate it, at the ends of the step.
 * 4. Nothing before `from` or after `end` is recorded or counts for a maximum. Events are all kept. */
#include "result/account.h"
#include "result/frames.h"
#include "result/maxima.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct slip_recorder {
    slip_context *ctx;
    slip_result *result;
    slip_recorder_options options;
    slip_arena arena;
    int64_t next_index, last_index;  /* of samples */
    double next;                     /* time of the next sample; infinite when there is none */
    bool started;                    /* a step in the recorded span was seen */
    const double *start_q, *start_v; /* start state, if the record starts with the motion; else NULL */
    double last;                     /* end of the last step; events since then: */
    bool flagged;                    /* it ended at an event, perhaps */
    bool extra;                      /* the last sample was taken only for an announced event */
    bool after;                      /* an event was reported: the state after it has to be sampled */
    bool inside;                     /* there is one in the step to come */
    bool attends;                    /* any of these, or every step is recorded */
    slip_maxima maxima;
    slip_output_maxima outputs; /* without `outputs` in it: there are none */
    bool accounts;              /* of forces, works and energies */
    slip_account account;
    slip_sample sample; /* scratch */
    int own;            /* series of the structure */
    int64_t *unknowns;  /* of the field, that outputs read */
    int64_t unknown_count;
    slip_frames frames;
};

static double sample_time(const slip_recorder *r, int64_t k)
{
    const slip_recorder_options *o = &r->options;
    double length = o->end - o->from;
    if (k > r->last_index)
        return INFINITY;
    if (o->points > 0)
        return k == r->last_index ? o->end : o->from + length * ((double)k / (double)(o->points - 1));
    if (k == r->last_index && fabs((double)k * o->every - length) <= 1e-9 * o->every)
        return o->end;
    return o->from + (double)k * o->every;
}

/* How many samples there will be, for a first reservation. */
static int64_t plan_samples(slip_recorder *r)
{
    const slip_recorder_options *o = &r->options;
    enum { usual_steps = 4096, most = 1000000, usual_events = 250 };
    if (o->steps) {
        r->last_index = -1;
        r->next = INFINITY;
        return usual_steps;
    }
    if (o->points > 0) {
        r->last_index = o->points - 1;
    } else {
        double parts = floor((o->end - o->from) / o->every + 1e-9);
        r->last_index = parts < 9e18 ? (int64_t)parts : INT64_MAX - 1;
    }
    r->next = sample_time(r, 0);
    return r->last_index < most ? r->last_index + 1 + (o->events ? usual_events : 0) : most;
}

static int check_options(slip_context *ctx, const slip_recorder_options *o)
{
    int chosen = (o->every > 0) + (o->points > 0) + (o->steps != 0);
    if (chosen != 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "record: expected exactly one of a positive time between records, a positive number "
                         "of points, and every step");
    if (isnan(o->from) || o->from == -INFINITY || isnan(o->end) || o->end < o->from)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "record: expected a start before the end, found %g and %g",
                         o->from, o->end);
    if (o->points > 0 && !isfinite(o->end))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "record: a number of points needs a finite end of the run");
    if (o->steady && !(o->period > 0))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "steady: expected a positive period, found %g", o->period);
    return SLIP_OK;
}

/* Numbers of q and v: those that are recorded, the states, and the field. */
static int64_t size_of(const slip_recorder *r)
{
    return r->result->n + r->result->state_count + (r->options.system ? r->options.system->field_size : 0);
}

/* The unknowns of the field that outputs read. */
static bool list_unknowns(slip_recorder *r)
{
    const slip_outputs *outputs = r->options.outputs;
    const int count = outputs ? outputs->count : 0;
    int64_t *list, sum = 0;
    for (int k = 0; k < count; k++)
        sum += outputs->list[k].tail.count;
    r->unknowns = list = slip_arena_array(&r->arena, sum, sizeof *list);
    for (int k = 0; k < count && list; k++)
        for (int i = 0; i < outputs->list[k].tail.count; i++)
            list[r->unknown_count++] = outputs->list[k].tail.unknown[i];
    return list;
}

static bool allocate(slip_recorder *r)
{
    int n = r->result->n + r->result->state_count, contacts = r->result->contact_count;
    const int64_t size = size_of(r);
    r->own = r->options.system ? r->options.system->series_count : 0;
    double *numbers =
        slip_arena_array(&r->arena, 3 * size + 4 * (int64_t)contacts + r->own + 1, sizeof *numbers);
    if (!numbers || !slip_maxima_create(&r->maxima, &r->arena, r->result->n, n))
        return false;
    if (r->options.system)
        r->maxima.searched -= r->options.system->amplitudes;
    r->frames = slip_frames_plan(r->options.system ? r->options.system->field_size : 0, r->options.from,
                                 r->options.end);
    r->sample.q = numbers;
    r->sample.v = numbers + size;
    r->sample.a = numbers + 2 * size;
    if (!list_unknowns(r))
        return false;
    r->sample.slip = numbers + 3 * size;
    r->sample.normal = r->sample.slip + contacts;
    r->sample.force = r->sample.normal + contacts;
    r->sample.mode = r->sample.force + contacts;
    r->sample.own = r->own > 0 ? r->sample.mode + contacts : NULL;
    if (r->result->patch_count > 0)
        r->sample.patches = slip_arena_array(&r->arena, r->result->patch_count, sizeof *r->sample.patches);
    if (r->result->output_count > 0 && r->options.outputs) {
        r->outputs = (slip_output_maxima){.outputs = r->options.outputs,
                                          .n = r->result->n,
                                          .contact_count = contacts,
                                          .patch_count = r->result->patch_count,
                                          .unknowns = r->unknowns,
                                          .unknown_count = r->unknown_count,
                                          .sample = &r->sample};
        if (!slip_output_maxima_create(&r->outputs, &r->arena))
            return false;
    }
    return r->result->patch_count == 0 || r->sample.patches;
}

int slip_recorder_create(slip_context *ctx, slip_result *result, const slip_recorder_options *options,
                         slip_recorder **recorder)
{
    enum { few_events = 64 };
    slip_recorder *r;
    int status = check_options(ctx, options);
    *recorder = NULL;
    if (status < 0)
        return status;
    r = calloc(1, sizeof *r);
    SLIP_PASS(slip_allocated(ctx, r));
    r->ctx = ctx;
    r->result = result;
    r->options = *options;
    r->attends = options->steps;
    r->accounts = isfinite(options->from) && (options->steady || options->system);
    status = allocate(r) && slip_table_reserve(&result->main, result->main.count + plan_samples(r)) &&
                     SLIP_ROOM(result->events, result->event_capacity, result->event_count + few_events)
                 ? SLIP_OK
                 : slip_fail_memory(ctx);
    if (status == SLIP_OK && r->accounts)
        status = slip_account_create(ctx, &r->account, &r->arena, options->system,
                                     result->n + result->state_count, result->contact_count,
                                     options->steady ? options->period : NAN, options->from, options->end);
    if (status < 0)
        slip_recorder_destroy(r);
    else
        *recorder = r;
    return status;
}

void slip_recorder_start(slip_recorder *r, double t, const double *q, const double *v)
{
    if (t == r->options.from) {
        r->start_q = q;
        r->start_v = v;
    }
}

void slip_recorder_destroy(slip_recorder *r)
{
    if (!r)
        return;
    slip_account_free(&r->account);
    slip_arena_free(&r->arena);
    free(r);
}

/* ---- Samples. Memory for them has been reserved. */

static int take_sample(slip_recorder *r, const slip_step *step, double t)
{
    slip_result *result = r->result;
    slip_column *series = result->main.columns;
    int64_t at = result->main.count++;
    r->sample.at = t;
    step->sample(step->self, t, &r->sample);
    series++->values[at] = r->sample.at;
    if (step->field)
        step->field(step->self, t, r->unknowns, r->unknown_count, r->sample.q, r->sample.v);
    for (int i = 0; i < result->n; i++) {
        series++->values[at] = r->sample.q[i];
        series++->values[at] = r->sample.v[i];
        series++->values[at] = r->sample.a[i];
    }
    for (int c = 0; c < result->contact_count; c++) {
        series++->values[at] = r->sample.slip[c];
        series++->values[at] = r->sample.normal[c];
        series++->values[at] = r->sample.force[c];
        series++->values[at] = r->sample.mode[c];
    }
    for (int p = 0; p < result->patch_count; p++) {
        const slip_patch_state *patch = &r->sample.patches[p];
        for (int part = 0; part < 3; part++)
            series++->values[at] = patch->slip[part];
        for (int part = 0; part < 3; part++)
            series++->values[at] = patch->force[part];
    }
    if (r->outputs.outputs) {
        double *found = r->outputs.found[0];
        slip_outputs_find(r->outputs.outputs, &r->outputs.room, result->n, result->contact_count,
                          result->patch_count, t, &r->sample, found);
        for (int k = 0; k < result->output_count; k++)
            series++->values[at] = found[k];
    }
    for (int k = 0; k < r->own; k++)
        series++->values[at] = r->sample.own[k];
    if (step->ledger && r->accounts)
        slip_account_ledger(&r->account, step, t);
    int status = step->recorded ? step->recorded(step->self, t, at) : SLIP_OK;
    if (status >= 0 && r->frames.unknowns > 0)
        status = slip_frames_take(r->ctx, &r->frames, step, t, size_of(r), r->sample.q, r->sample.v, result);
    result->main.count -= status < 0;
    return status;
}

static int reserve(slip_recorder *r, int64_t more)
{
    slip_table *table = &r->result->main;
    return table->count + more <= table->capacity || slip_table_reserve(table, table->count + more)
               ? SLIP_OK
               : slip_fail_memory(r->ctx);
}

/* The number of samples up to t1, at least: an estimate that is at most one too small is met by the margin.
 */
static int64_t samples_until(const slip_recorder *r, double t1)
{
    const slip_recorder_options *o = &r->options;
    double every = o->points > 1 ? (o->end - o->from) / (double)(o->points - 1) : o->every;
    double parts = o->points == 1 ? 1 : (t1 - o->from) / every - (double)r->next_index;
    double left = (double)(r->last_index - r->next_index);
    return (int64_t)fmin(parts, left) + 3;
}

/* The regular samples of the step up to `until`. */
static int take_samples(slip_recorder *r, const slip_step *step, double until)
{
    int status;
    /* The run may start after the first sample's time. */
    while (r->next < step->t0)
        r->next = sample_time(r, ++r->next_index);
    if (r->next > until)
        return SLIP_OK;
    status = reserve(r, samples_until(r, until));
    while (status == SLIP_OK && r->next <= until) {
        if (r->result->main.count == r->result->main.capacity)
            status = reserve(r, 1);
        if (status == SLIP_OK)
            status = take_sample(r, step, r->next);
        r->next = sample_time(r, ++r->next_index);
    }
    return status;
}

/* Adds samples at t until there are `wanted` of them. */
static int take_extra(slip_recorder *r, const slip_step *step, double t, int wanted)
{
    const slip_table *table = &r->result->main;
    for (int64_t at = table->count; wanted > 0 && at > 0 && table->columns[0].values[at - 1] == t; at--)
        wanted--;
    int status = wanted > 0 ? reserve(r, wanted) : SLIP_OK;
    for (; status == SLIP_OK && wanted > 0; wanted--)
        status = take_sample(r, step, t);
    return status;
}

/* Events that were told before the step, which are inside it. */
static int take_inside(slip_recorder *r, const slip_step *step)
{
    const slip_result *result = r->result;
    int64_t k = result->event_count, end = k;
    while (k > 0 && result->events[k - 1].time > step->t0)
        k--;
    while (end > k && result->events[end - 1].time > step->t1)
        end--;
    r->inside = end < result->event_count;
    if (end > k && result->events[end - 1].time == step->t1)
        SLIP_PASS(take_extra(r, step, step->t0, 1));
    for (; k < end; k++) {
        const double t = result->events[k].time;
        SLIP_PASS(take_samples(r, step, t));
        SLIP_PASS(take_extra(r, step, t, t == step->t1 ? 1 : 2));
    }
    return SLIP_OK;
}

static void drop_extra(slip_recorder *r)
{
    if (r->extra && !r->after)
        r->result->main.count--;
    r->extra = false;
}

/* Samples of a step: regular ones, both ends of every step, and those of events. */
static __attribute__((noinline)) int take_step(slip_recorder *r, const slip_step *step)
{
    const slip_recorder_options *o = &r->options;
    const bool ends = o->steps && step->t1 > step->t0;
    drop_extra(r);
    if ((r->after && r->started && step->t1 > step->t0) || (o->steps && !r->started)) {
        SLIP_PASS(reserve(r, 1));
        SLIP_PASS(take_sample(r, step, step->t0));
    }
    if (r->inside)
        SLIP_PASS(take_inside(r, step));
    SLIP_PASS(take_samples(r, step, step->t1));
    if (ends || (o->events && step->event1)) {
        const int64_t before = r->result->main.count;
        SLIP_PASS(take_extra(r, step, step->t1, 1));
        r->extra = !ends && r->result->main.count > before;
    }
    if (step->t1 > step->t0) {
        r->flagged = step->event1;
        r->after = false;
    }
    r->last = step->t1;
    /* not ||: the compiler would read the flags as one word and wait for those just written */
    r->attends = r->flagged | r->after | r->inside | o->steps;
    return SLIP_OK;
}

/* ---- The observer. */

static inline int record_inside(slip_recorder *r, const slip_step *step)
{
    int status = SLIP_OK;
    if (r->next <= step->t1 || r->attends || step->event1)
        status = take_step(r, step);
    else
        r->last = step->t1;
    slip_maxima_step(&r->maxima, step);
    if (r->outputs.outputs)
        slip_output_maxima_step(&r->outputs, step);
    r->started = true;
    if (r->accounts && (step->told || step->t1 > step->t0)) {
        if (!step->told)
            SLIP_PASS(slip_account_prepare(r->ctx, &r->account));
        slip_account_step(&r->account, step);
    }
    return status;
}

/* The part of a step that lies in the recorded span, as a step of its own. */
static __attribute__((noinline)) int record_clipped(slip_recorder *r, const slip_step *step)
{
    const int64_t n = size_of(r);
    SLIP_FREED double *ends = slip_alloc(6 * n + 12 * (int64_t)r->result->contact_count, sizeof *ends);
    double *forces = ends + 6 * (ptrdiff_t)n;
    slip_step part = *step;
    slip_sample at = {0};
    if (!ends)
        return slip_fail_memory(r->ctx);
    if (part.t0 < r->options.from) {
        at.q = ends, at.v = ends + n, at.a = ends + 2 * n;
        part.t0 = r->options.from;
        part.q0 = at.q, part.v0 = at.v, part.a0 = at.a;
        part.rough0 = false;
        step->sample(step->self, part.t0, &at);
        if (step->field)
            step->field(step->self, part.t0, NULL, 0, at.q, at.v);
        if (part.told && part.forces)
            part.forces(part.self, part.t0, forces);
        part.forces0 = forces;
    }
    if (part.t1 > r->options.end) {
        at.q = ends + 3 * n, at.v = ends + 4 * n, at.a = ends + 5 * n;
        part.t1 = r->options.end;
        part.q1 = at.q, part.v1 = at.v, part.a1 = at.a;
        part.rough1 = part.event1 = false;
        step->sample(step->self, part.t1, &at);
        if (step->field)
            step->field(step->self, part.t1, NULL, 0, at.q, at.v);
        forces += 6 * (ptrdiff_t)r->result->contact_count;
        if (part.told && part.forces)
            part.forces(part.self, part.t1, forces);
        part.forces1 = forces;
    }
    return record_inside(r, &part);
}

static int record_step(void *user, const slip_step *step)
{
    slip_recorder *r = user;
    const slip_recorder_options *o = &r->options;
    int status = SLIP_OK;
    if (step->t0 >= o->from && step->t1 <= o->end)
        status = record_inside(r, step);
    else if ((step->t1 > o->from || step->t1 == o->end) && (step->t0 < o->end || !r->started))
        status = record_clipped(r, step);
    if (status == SLIP_OK && o->step_observer &&
        o->step_observer(o->observer_user, step->t1, step->q1, step->v1) != 0)
        status = SLIP_STOPPED;
    return status;
}

static int record_event(void *user, const slip_event *event)
{
    slip_recorder *r = user;
    slip_result *result = r->result;
    if (!slip_array_reserve(&result->events, &result->event_capacity, result->event_count + 1, sizeof *event))
        return slip_fail_memory(r->ctx);
    /* Events are sorted by time: the limit of accumulating bounces is reported a little early. */
    int64_t at = result->event_count++;
    for (; at > 0 && result->events[at - 1].time > event->time; at--)
        result->events[at] = result->events[at - 1];
    result->events[at] = *event;
    if (r->options.events && r->started) {
        r->after |= r->flagged || event->time <= r->last;
        r->inside |= event->time > r->last;
        r->attends |= r->after | r->inside;
    }
    if (r->options.event_observer && r->options.event_observer(r->options.observer_user, event) != 0)
        return SLIP_STOPPED;
    return SLIP_OK;
}

static void record_impulse(void *user, int contact, double impulse)
{
    slip_recorder *r = user;
    const bool first = !r->started && r->start_v;
    if (!r->accounts || !(first || (r->started && r->last < r->options.end)))
        return;
    /* steps that contain impacts, as all of whole bodies do, tell the state before them */
    if (first && !r->account.started && r->account.system && !r->account.system->field)
        slip_account_start(&r->account, r->options.from, r->start_q, r->start_v);
    slip_account_impulse(&r->account, contact, impulse);
}

slip_observer slip_recorder_observer(slip_recorder *recorder)
{
    const slip_recorder_options *o = &recorder->options;
    return (slip_observer){.user = recorder,
                           .step = record_step,
                           .event = record_event,
                           .impulse = record_impulse,
                           .works = recorder->accounts ? &recorder->account.works : NULL,
                           .past = true,
                           .spans =
                               !o->steps && !o->steady && !o->step_observer && !recorder->outputs.outputs};
}

int slip_recorder_keep_start(slip_recorder *r, double t, const double *q, const double *v)
{
    slip_result *result = r->result;
    slip_column *series = result->main.columns;
    int64_t at = result->main.count;
    if (r->started || at > 0 || t < r->options.from || t > r->options.end)
        return SLIP_OK;
    SLIP_PASS(reserve(r, 1));
    result->main.count++;
    series++->values[at] = t;
    for (int i = 0; i < result->n; i++) {
        series++->values[at] = q[i];
        series++->values[at] = v[i];
        series++->values[at] = NAN;
        r->maxima.q[i] = fabs(q[i]);
        r->maxima.v[i] = fabs(v[i]);
    }
    for (int c = 0; c < result->contact_count; c++) {
        for (int part = 0; part < 3; part++)
            series++->values[at] = NAN;
        series++->values[at] = SLIP_MODE_OPEN;
    }
    for (; series < result->main.columns + slip_series_output(result, 0); series++)
        series->values[at] = NAN;
    series = result->main.columns + slip_series_output(result, 0);
    for (int k = 0; k < result->output_count; k++)
        series[k].values[at] = k < result->state_count ? v[result->n + k] : NAN;
    for (int k = 0; k < r->own; k++)
        series[result->output_count + k].values[at] = NAN;
    return SLIP_OK;
}

/* Four numbers for each event. */
static void keep_events(slip_result *result, slip_keeper *k)
{
    enum { parts = 4, most = 1000000 };
    double count = (double)result->event_count;
    slip_keep(k, "record/event_count", &count, 1);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/event_count", &count, 1, 0, most);
    if (k->status < 0 || count == 0)
        return;
    SLIP_FREED double *numbers = slip_alloc(parts * (int64_t)count, sizeof *numbers);
    if (!numbers || !slip_array_reserve(&result->events, &result->event_capacity, (int64_t)count + 1,
                                        sizeof *result->events))
        k->status = slip_fail_memory(k->ctx);
    for (int64_t i = 0; k->status >= 0 && !k->back && i < result->event_count; i++) {
        const slip_event *e = &result->events[i];
        memcpy(numbers + parts * i, (double[]){e->time, e->contact, e->from, e->to}, parts * sizeof *numbers);
    }
    slip_keep_finite(k, "record/events", numbers, parts * (int64_t)count);
    for (int64_t i = 0; slip_kept_back(k) && i < (int64_t)count; i++) {
        const double *n = numbers + parts * i;
        if (k->file)
            k->status = slip_h5_check_whole(k->file, "record/events", n + 1, 1, 0, result->contact_count - 1);
        if (k->file && k->status >= 0)
            k->status = slip_h5_check_whole(k->file, "record/events", n + 2, 2, 0, SLIP_MODE_CLOSED);
        result->events[i] = (slip_event){n[0], (int)n[1], (slip_mode)n[2], (slip_mode)n[3]};
    }
    result->event_count = slip_kept_back(k) ? (int64_t)count : result->event_count;
}

/* How many samples there are, which one is next, and what is told of events. */
static void keep_counts(slip_recorder *r, slip_keeper *k)
{
    enum { count, next, flags, most = 100000000 };
    bool *const own[] = {&r->started, &r->flagged, &r->extra, &r->after, &r->inside, &r->attends};
    enum { flag_count = sizeof own / sizeof *own, numbers = flags + flag_count };
    slip_table *table = &r->result->main;
    const bool only = !r->options.events && !r->options.steps; /* samples at equal distances alone */
    double n[numbers] = {(double)table->count, (double)r->next_index};
    for (int i = 0; i < flag_count; i++)
        n[flags + i] = *own[i];
    slip_keep(k, "record/counts", n, numbers);
    slip_keep(k, "record/last", &r->last, 1);
    if (slip_kept_read(k))
        k->status =
            slip_h5_check_whole(k->file, "record/counts", n, 1, 0, only ? (double)r->last_index + 1 : most);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/counts", n + next, 1, 0, (double)r->last_index + 1);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "record/counts", n + flags, flag_count, 0, 1);
    if (!slip_kept_back(k))
        return;
    for (int i = 0; i < flag_count; i++)
        *own[i] = n[flags + i] != 0;
    table->count = (int64_t)n[count];
    r->next_index = (int64_t)n[next];
    r->next = sample_time(r, r->next_index);
    if (!slip_table_reserve(table, table->count))
        k->status = slip_fail_memory(k->ctx);
}

void slip_recorder_keep(slip_recorder *r, slip_keeper *k)
{
    slip_table *table = &r->result->main;
    char name[40];
    keep_counts(r, k);
    for (int i = 0; k->status >= 0 && i < table->column_count; i++) {
        snprintf(name, sizeof name, "record/series/%d", i);
        slip_keep(k, name, table->columns[i].values, table->count);
    }
    keep_events(r->result, k);
    slip_keep(k, "record/largest_q", r->maxima.q, r->result->n);
    slip_keep(k, "record/largest_v", r->maxima.v, r->result->n);
    slip_keep(k, "record/largest_a", r->maxima.a, r->result->n);
    if (r->outputs.outputs)
        slip_keep(k, "record/largest_outputs", r->outputs.largest, r->result->output_count);
    slip_account_keep(&r->account, k);
    if (k->back && k->status < 0) /* what was read is not trusted */
        table->count = r->result->event_count = 0;
}

static double known(double value)
{
    return value >= 0 ? value : NAN;
}

/* Stores the results of the account, if there is one with data. */
static void finish_account(slip_recorder *r)
{
    slip_account *a = &r->account;
    slip_result *result = r->result;
    const double length = r->options.end - r->options.from;
    if (a->system)
        result->energies = slip_account_energies(a);
    for (int c = 0; c < result->contact_count; c++) {
        slip_contact_account *to = &result->contacts[c];
        if (r->options.steady)
            result->steady.max_force[c] = known(a->force[c]);
        if (!a->system)
            continue;
        to->force = known(a->force[c]);
        to->normal = known(a->normal[c]);
        to->work = a->done[c];
        to->dissipation = a->taken[c];
    }
    for (int k = 0; a->system && k < a->system->gap_count; k++)
        result->contacts[a->system->gaps[k]].impulse = a->impulse[a->system->gaps[k]];
    /* The integrals are only meaningful over whole periods. */
    for (int i = 0; r->options.steady && fabs(a->covered - length) <= 1e-9 * length && i < result->n; i++)
        slip_account_fundamental(a, i, &result->steady.amplitude[i], &result->steady.phase_lag[i]);
}

void slip_recorder_finish(slip_recorder *r)
{
    const slip_maxima *m = &r->maxima;
    slip_result *result = r->result;
    slip_steady_result *steady = &result->steady;
    drop_extra(r);
    for (int i = 0; i < result->n; i++) {
        result->max_q[i] = known(m->q[i]);
        result->max_v[i] = known(m->v[i]);
        result->max_a[i] = known(m->a[i]);
        if (!r->options.steady)
            continue;
        steady->max_q[i] = result->max_q[i];
        steady->max_v[i] = result->max_v[i];
        steady->max_a[i] = result->max_a[i];
        steady->amplitude[i] = steady->phase_lag[i] = NAN;
    }
    for (int k = 0; k < result->output_count && r->outputs.outputs; k++)
        result->max_output[k] = known(r->outputs.largest[k]);
    if (r->accounts && r->account.started)
        finish_account(r);
}
