/* The engine of two gears: a motion of gear/gear_motion.h. */
#include "gear/gear_motion.h"
#include "gear/gear_settings.h"
#include "simulation/simulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct gears {
    slip_gear_options gear[2];
    slip_reduced *made[2];
    const slip_reduced *bodies[2];
    slip_gear_run_options how;
    slip_text settings; /* by which states are told from those of other gears */
    slip_gear_motion *motion;
    slip_gear_sample now; /* of the instant seen_at */
    double seen_at;       /* NAN: of none */
    slip_step_observer observer;
    void *observer_user;
} gears;

/* ---- Opening and closing. */

static bool takes(const slip_model *model)
{
    return slip_model_gear_run(model) != NULL;
}

/* Everything of gears but what torque is on them, as text. */
static int write_settings(slip_context *ctx, const slip_gear_options gear[2], slip_gear_run_options how,
                          slip_text *text)
{
    how.side[0].torque = how.side[1].torque = 0;
    slip_gear_settings_write(gear, &how, text);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

void slip_gears_take(const slip_run_options *from, slip_gear_run_options *how)
{
    how->method = from->method ? from->method : how->method;
    how->time = isnan(from->end) ? how->time : from->end;
    how->step = isnan(from->step) ? how->step : from->step;
    how->tolerance = isnan(from->tolerance) ? how->tolerance : from->tolerance;
}

static int resolve(slip_context *ctx, const slip_run_options *run, gears *g)
{
    if (!isnan(run->start) && run->start != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the start time is %g; expected 0 for gears", run->start);
    slip_gears_take(run, &g->how);
    g->how.frames = 0;
    g->observer = run->step_observer;
    g->observer_user = run->observer_user;
    return slip_gear_run_check(ctx, g->gear, &g->how);
}

static int open(slip_simulation *s, const slip_opening *opening)
{
    slip_reduce_options reduce = slip_reduce_options_default();
    gears *g = s->self = slip_alloc(1, sizeof *g);
    int status;
    if (!g)
        return slip_fail_memory(s->ctx);
    g->how = *slip_model_gear_run(s->ready);
    g->how.threads = reduce.threads = opening->threads;
    g->seen_at = NAN;
    for (int k = 0; k < 2; k++)
        g->gear[k] = *slip_model_gear(s->ready, k);
    SLIP_TRY(resolve(s->ctx, &opening->run, g));
    SLIP_TRY(write_settings(s->ctx, g->gear, g->how, &g->settings));
    for (int k = 0; k < 2 && slip_gear_method_find(&g->how)->reduced; k++) {
        if (!opening->bodies[k])
            SLIP_TRY(slip_gear_reduce(s->ctx, &g->gear[k], &reduce, &g->made[k]));
        g->bodies[k] = opening->bodies[k] ? opening->bodies[k] : g->made[k];
    }
    SLIP_TRY(slip_gear_motion_open(s->ctx, &(slip_gear_task){g->gear, g->bodies, &g->how}, NULL, &g->motion));
done:
    return status;
}

static void close(slip_simulation *s)
{
    gears *g = s->self;
    slip_gear_motion_close(g->motion);
    slip_reduced_destroy(g->made[0]);
    slip_reduced_destroy(g->made[1]);
    slip_text_free(&g->settings);
    free(g);
}

slip_gear_motion *slip_simulation_gears(const slip_simulation *s)
{
    return s->engine == &slip_engine_gears ? ((const gears *)s->self)->motion : NULL;
}

/* ---- Looking. */

static int look(slip_simulation *s)
{
    gears *g = s->self;
    if (g->seen_at == s->t)
        return SLIP_OK;
    const int status = slip_gear_motion_look(g->motion, &g->now);
    g->seen_at = status < 0 ? NAN : s->t;
    return status;
}

static double number(slip_simulation *s, const char *name)
{
    const gears *g = s->self;
    const char *const names[2] = {g->gear[0].name, g->gear[1].name};
    for (int i = 0; i < slip_gear_columns; i++) {
        char own[slip_gear_name_size];
        slip_gear_column_name(i, names, own);
        if (strcmp(own, name) == 0)
            return look(s) < 0 ? NAN : slip_gear_column_value(&g->now, i);
    }
    return NAN;
}

/* ---- Conditions. */

static const slip_symbol *symbols(slip_simulation *s, slip_arena *arena, int *slots)
{
    const gears *g = s->self;
    const char *const names[2] = {g->gear[0].name, g->gear[1].name};
    const slip_symbol *parameters = s->ready->parameters;
    int count = 0;
    while (parameters && parameters[count].name)
        count++;
    slip_symbol *all = slip_arena_array(arena, slip_gear_columns + count + 1, sizeof *all);
    char(*texts)[slip_gear_name_size] = slip_arena_array(arena, slip_gear_columns, sizeof *texts);
    if (!all || !texts)
        return NULL;
    for (int i = 0; i < slip_gear_columns; i++) {
        slip_gear_column_name(i, names, texts[i]);
        all[i] = (slip_symbol){.name = texts[i], .slot = i};
    }
    for (int i = 0; i < count; i++)
        all[slip_gear_columns + i] =
            (slip_symbol){.name = parameters[i].name, .slot = -1, .value = parameters[i].value};
    *slots = slip_gear_columns;
    return all;
}

static int fill(slip_simulation *s, double *slots)
{
    const gears *g = s->self;
    const int status = look(s);
    for (int i = 0; status >= 0 && i < slip_gear_columns; i++)
        slots[i] = slip_gear_column_value(&g->now, i);
    return status;
}

/* ---- Advancing. */

/* What an advance sees after every step. */
typedef struct observation {
    slip_simulation *s;
    slip_watch *watch;  /* NULL: none */
    slip_keeper before; /* the state at the start of the step, where there is a watch */
    double low;         /* its time */
} observation;

static int keep_before(observation *o)
{
    slip_keeper *k = &o->before;
    k->back = false;
    k->at = 0;
    o->low = o->s->t;
    slip_gear_motion_keep(((gears *)o->s->self)->motion, k);
    return k->status;
}

static int see_step(void *user, slip_gear_motion *motion)
{
    observation *o = user;
    gears *g = o->s->self;
    int status;
    o->s->t = motion->time;
    g->seen_at = NAN;
    if (o->watch) {
        SLIP_TRY(fill(o->s, o->watch->slots));
        if (slip_watch_passes(o->watch, slip_watch_value(o->watch))) {
            o->watch->found = motion->time;
            return SLIP_STOPPED;
        }
        SLIP_TRY(keep_before(o));
    }
    status =
        g->observer && g->observer(g->observer_user, motion->time, NULL, NULL) != 0 ? SLIP_STOPPED : SLIP_OK;
done:
    return status;
}

static int put_back(observation *o)
{
    slip_keeper *k = &o->before;
    k->back = true;
    k->at = 0;
    slip_gear_motion_keep(((gears *)o->s->self)->motion, k);
    return k->status;
}

/* Where in the step the condition passes zero: by bisection, each time with steps of the method from the
 * start of the step, where the gears are put back in the end. */
static int locate(observation *o)
{
    gears *g = o->s->self;
    slip_watch *w = o->watch;
    const double resolution = 1e-9 * (w->found - o->low);
    double low = o->low;
    int status = SLIP_OK;
    while (w->found - low > resolution && low + (w->found - low) / 2 > low) {
        const double middle = low + (w->found - low) / 2;
        SLIP_TRY(put_back(o));
        SLIP_TRY(slip_gear_motion_advance(g->motion, middle));
        o->s->t = middle;
        g->seen_at = NAN;
        SLIP_TRY(fill(o->s, w->slots));
        *(slip_watch_value(w) * w->before > 0 ? &low : &w->found) = middle;
    }
    SLIP_TRY(put_back(o));
done:
    return status;
}

static int advance(slip_simulation *s, double end, slip_watch *watch)
{
    gears *g = s->self;
    observation o = {.s = s, .watch = watch, .before = {.ctx = s->ctx}};
    int status = SLIP_OK;
    if (watch)
        SLIP_TRY(keep_before(&o));
    if (watch || g->observer) {
        g->motion->after_step = see_step;
        g->motion->after_user = &o;
    }
    status = slip_gear_motion_advance(g->motion, end);
    g->motion->after_step = NULL;
    if (status == SLIP_STOPPED && watch && !isnan(watch->found)) {
        SLIP_TRY(locate(&o));
        status = advance(s, watch->found, NULL);
        status = status == SLIP_OK ? SLIP_STOPPED : status;
    }
done:
    s->t = g->motion->time;
    g->seen_at = NAN;
    free(o.before.bytes);
    return status;
}

/* ---- Changes. */

/* The torques of a model with other numbers of the parameters, where nothing else differs. */
static int rebind(slip_simulation *s)
{
    gears *g = s->self;
    slip_model *other = NULL;
    slip_text before = {0}, after = {0};
    slip_gear_setting_pair pair;
    int status;
    SLIP_TRY(slip_model_bind(s->ctx, s->model, s->values, &other));
    const slip_gear_options gear[2] = {*slip_model_gear(other, 0), *slip_model_gear(other, 1)};
    SLIP_TRY(write_settings(s->ctx, g->gear, *slip_model_gear_run(s->ready), &before));
    SLIP_TRY(write_settings(s->ctx, gear, *slip_model_gear_run(other), &after));
    if (slip_gear_settings_differ(after.data, before.data, &pair)) {
        status = slip_fail(s->ctx, SLIP_ERROR_USAGE,
                           "found `%s`, expected `%s`, as when the simulation was opened: of gears in motion "
                           "only `torque` follows a parameter; open another simulation",
                           pair.found, pair.expected);
        goto done;
    }
    for (int k = 0; k < 2; k++)
        g->how.side[k].torque = slip_model_gear_run(other)->side[k].torque;
    g->motion->method->load(g->motion);
    g->seen_at = NAN;
done:
    slip_text_free(&before);
    slip_text_free(&after);
    slip_model_destroy(other);
    return status;
}

static int set_state(slip_simulation *s, double time, const double *q, const double *v)
{
    (void)time;
    (void)q;
    (void)v;
    return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                     "slip_simulation_set_state: gears have no coordinates that can be set; "
                     "slip_simulation_restore puts back a state that was saved");
}

/* States have the sizes of their gears. */
static void keep_settings(gears *g, slip_keeper *k)
{
    int64_t length = (int64_t)strlen(g->settings.data);
    slip_gear_setting_pair pair;
    char *text;
    SLIP_KEEP(k, length);
    text = slip_alloc(length + 1, 1);
    if (!text)
        k->status = slip_fail_memory(k->ctx);
    else if (!k->back)
        memcpy(text, g->settings.data, (size_t)length);
    slip_keep_bytes(k, text, (size_t)length);
    if (slip_kept_back(k) && slip_gear_settings_differ(text, g->settings.data, &pair))
        k->status = slip_fail(k->ctx, SLIP_ERROR_USAGE,
                              "slip_simulation_restore: found a state with `%s`, expected one with `%s`",
                              pair.found, pair.expected);
    free(text);
}

static void keep(slip_simulation *s, slip_keeper *k)
{
    gears *g = s->self;
    keep_settings(g, k);
    if (k->status >= 0)
        slip_gear_motion_keep(g->motion, k);
    g->seen_at = NAN;
}

const slip_engine slip_engine_gears = {.takes = takes,
                                       .open = open,
                                       .close = close,
                                       .advance = advance,
                                       .number = number,
                                       .symbols = symbols,
                                       .fill = fill,
                                       .rebind = rebind,
                                       .set_state = set_state,
                                       .keep = keep};
