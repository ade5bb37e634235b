/* Paths of static solutions of a model: settings, start, and paths that are not connected to the start. */
#include "slipstick/statics.h"

#include "model/study.h"
#include "statics/newton.h"
#include "statics/trace/trace.h"
#include "study/statics/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Random starts of Newton's method at the start of the path (of large problems, where each costs the cube of
 * their size) and at each other value. */
enum { start_restarts = 30, start_restarts_large = 2, large = 100, value_restarts = 4 };

static const double spacing_min = 1e-6;

/* ---- Settings: options before model before defaults. */

static int resolve(slip_context *ctx, const slip_model *model, const slip_continue_options *options,
                   slip_continue_options *to)
{
    const slip_continue_options *file = slip_model_section(model, &slip_study_continue);
    *to = *options;
    const bool other = to->parameter && file->parameter && strcmp(to->parameter, file->parameter) != 0;
    if (!to->parameter)
        to->parameter = file->parameter;
    if (isnan(to->low) && !other)
        to->low = file->low;
    if (isnan(to->high) && !other)
        to->high = file->high;
    if (isnan(to->start) && !other)
        to->start = file->start;
    if (!to->also && !other) {
        to->also = file->also;
        to->also_low = file->also_low;
        to->also_high = file->also_high;
    }
    if (!to->quantity)
        to->quantity = file->quantity;
    if (!(to->spacing > 0))
        to->spacing = file->spacing > 0 ? file->spacing : 0.005;
    if (!(to->spacing >= spacing_min && to->spacing <= 1))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the spacing is %g, expected %g to 1", to->spacing,
                         spacing_min);
    if (to->restarts < 0)
        to->restarts = file->restarts >= 0 ? file->restarts : 8;
    if (!to->parameter)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "which parameter? Give it in the model, `continue: {parameter: F, range: [0, 2]}`, or "
            "with --parameter");
    if (!isfinite(to->low) || !isfinite(to->high) || !(to->high > to->low))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "the range of `%s` is missing or empty: found [%g, %g], expected [low, high]",
                         to->parameter, to->low, to->high);
    if (isnan(to->start))
        to->start = to->low;
    if (!(to->start >= to->low && to->start <= to->high))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the start %g lies outside the range [%g, %g] of `%s`",
                         to->start, to->low, to->high, to->parameter);
    return SLIP_OK;
}

/* ---- The walker that follows the paths of a scene: one where all is linear, another one for any model. */

typedef struct slip_follower {
    slip_scene *scene;
    slip_static_walker *walker;
    slip_trace *trace;
    double *y; /* scratch: coordinates and forces */
} slip_follower;

static int balance_at(void *user, double p, slip_balance **balance)
{
    return slip_scene_balance(user, p, balance);
}

static void state_of(void *user, slip_balance *balance, const double *y, double *lambda, double *d)
{
    slip_scene_state_from(user, balance, y, lambda, d);
}

static int open_follower(slip_scene *scene, const slip_static_path_options *path,
                         const slip_static_observer *observer, slip_follower *to)
{
    *to = (slip_follower){.scene = scene};
    if (!scene->general)
        return slip_static_walker_create(scene->ctx, &scene->family, path, observer, &to->walker);
    const slip_trace_family family = {.user = scene,
                                      .at = balance_at,
                                      .state = state_of,
                                      .direction_count = scene->shape.direction_count,
                                      .shape = scene->bound[0].balance,
                                      .low = scene->family.low,
                                      .high = scene->family.high};
    to->y = slip_alloc(scene->coordinate_count + scene->first_coordinate + 1, sizeof(double));
    return to->y ? slip_trace_create(scene->ctx, &family, path, observer, &to->trace)
                 : slip_fail_memory(scene->ctx);
}

static void close_follower(slip_follower *f)
{
    slip_static_walker_destroy(f->walker);
    slip_trace_destroy(f->trace);
    free(f->y);
}

static int follow_state(slip_follower *f, double value, const double *lambda, const double *d, int direction)
{
    if (f->walker)
        return slip_static_walker_follow(f->walker, value, lambda, d, direction);
    slip_scene_state_to(f->scene, lambda, d, f->y);
    return slip_trace_follow(f->trace, value, f->y, direction);
}

/* ---- The job. */

typedef struct job {
    slip_context *ctx;
    slip_scene *scene;
    slip_paths paths;
    slip_follower follower;
    const slip_continue_options *options;
    slip_arena arena;
    int64_t events;
} job;

static void report(job *j, const slip_static_point *point)
{
    if (!slip_progress_due(j->ctx))
        return;
    const slip_progress progress = {.what = "continue",
                                    .fraction = -1,
                                    .time = point->p,
                                    .steps = j->paths.result->main.count,
                                    .events = j->events,
                                    .modes = ""};
    slip_progress_report(j->ctx, &progress);
}

static int see_point(void *user, const slip_static_point *point)
{
    job *j = user;
    if (slip_interrupted(j->ctx))
        return slip_fail(j->ctx, SLIP_INTERRUPTED, "interrupted at %.9g", point->p);
    report(j, point);
    return slip_paths_add_point(j->ctx, &j->paths, point);
}

static int see_label(void *user, const slip_static_label *label)
{
    job *j = user;
    j->events += label->type != SLIP_LABEL_EP;
    return slip_paths_add_label(j->ctx, &j->paths, label);
}

/* The error for a quantity of the model file has its line there. */
static int check_quantity(job *j)
{
    SLIP_FREED_BY(slip_text_free) slip_text said = {0};
    const slip_model *model = j->scene->model;
    int status = slip_paths_check_quantity(j->ctx, j->paths.result, j->options->quantity);
    const slip_continue_options *file = slip_model_section(model, &slip_study_continue);
    if (status >= 0 || j->options->quantity != file->quantity)
        return status;
    slip_text_append(&said, slip_context_message(j->ctx));
    return slip_model_fail_at(j->ctx, model, "continue", "quantity", said.data ? said.data : "");
}

static int open_job(job *j)
{
    const slip_continue_options *o = j->options;
    SLIP_PASS(slip_paths_create(j->ctx, j->scene, &j->paths));
    if (o->quantity)
        SLIP_PASS(check_quantity(j));
    slip_static_path_options path = slip_static_path_options_default(&j->scene->family);
    path.spacing = o->spacing;
    const slip_static_observer observer = {j, see_point, see_label};
    return open_follower(j->scene, &path, &observer, &j->follower);
}

/* Follows paths from all solutions of a list; from the ends of a continuum. */
static int follow(job *j, double value, const slip_static_solutions *list, int direction)
{
    int status = SLIP_OK;
    for (int64_t k = 0; k < list->count && status == SLIP_OK; k++) {
        const slip_static_solution *item = &list->items[k];
        if (item->end_count == 0)
            status = follow_state(&j->follower, value, item->lambda, item->d, direction);
        for (int e = 0; e < item->end_count && status == SLIP_OK; e++)
            status = follow_state(&j->follower, value, item->end_lambda[e], item->end_d[e], direction);
    }
    return status;
}

/* ---- Further solutions at the start, found by continuation over a second parameter. */

typedef struct detour {
    slip_context *ctx;
    const slip_static_problem *problem;
    slip_static_solutions *list;
} detour;

static int keep_return(void *user, const slip_static_point *point)
{
    detour *d = user;
    if (!point->target || slip_static_solutions_find(d->list, d->problem, point->lambda, point->d) >= 0)
        return SLIP_OK;
    return slip_static_solutions_add(d->ctx, d->list, d->problem, point->modes, point->lambda, point->d,
                                     point->sign);
}

/* Follows the solutions at the start over the second parameter; where it returns to its value, further
 * solutions are found. */
static int look_around(job *j, const slip_static_problem *problem, slip_static_solutions *list)
{
    const slip_continue_options *o = j->options;
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    SLIP_FREED_BY(slip_scene_drop) slip_scene *scene = NULL;
    SLIP_FREED_BY(close_follower) slip_follower follower = {0};
    detour way = {j->ctx, problem, list};
    const slip_static_observer observer = {&way, keep_return, NULL};
    const int64_t known = list->count;
    int status = SLIP_OK;
    SLIP_PASS(slip_model_bind_one(j->ctx, j->scene->model, o->parameter, o->start, &model));
    SLIP_PASS(slip_scene_open(j->ctx, model, o->also, o->also_low, o->also_high, &scene));
    if (!(scene->value >= o->also_low && scene->value <= o->also_high)) {
        status =
            slip_fail(j->ctx, SLIP_ERROR_USAGE, "`%s` is %g, outside the range [%g, %g] of continue.also",
                      o->also, scene->value, o->also_low, o->also_high);
        return status;
    }
    slip_static_path_options path = slip_static_path_options_default(&scene->family);
    path.spacing = 0;
    path.targets = &scene->value;
    path.target_count = 1;
    SLIP_PASS(open_follower(scene, &path, &observer, &follower));
    for (int64_t k = 0; k < known; k++)
        if (list->items[k].dimension == 0)
            SLIP_PASS(follow_state(&follower, scene->value, list->items[k].lambda, list->items[k].d, 0));
    return status;
}

/* ---- All of it. */

static int follow_start(job *j)
{
    const slip_continue_options *o = j->options;
    const int direction = o->start == o->low ? 1 : o->start == o->high ? -1 : 0;
    SLIP_FREED_BY(slip_static_solutions_free) slip_static_solutions list = {0};
    slip_static_problem problem;
    const int restarts = j->scene->shape.contact_count > large ? start_restarts_large : start_restarts;
    SLIP_PASS(slip_scene_solve(j->scene, o->start, restarts, &problem, &list));
    if (o->also)
        SLIP_PASS(look_around(j, &problem, &list));
    return follow(j, o->start, &list, direction);
}

/* Paths that are not connected to the start: solutions at other values that no path has passed. */
static int follow_others(job *j)
{
    const slip_continue_options *o = j->options;
    const bool few = j->scene->shape.contact_count <= slip_static_exhaustive_max;
    int status = SLIP_OK;
    for (int k = 0; k < o->restarts && status == SLIP_OK; k++) {
        /* First the other end of the range, then values between that are no round numbers. */
        const double part = k == 0 ? (o->start == o->high ? 0 : 1) : (k - 0.4137) / (o->restarts - 1);
        const double value = k == 0 && part == 1 ? o->high : o->low + part * (o->high - o->low);
        slip_static_solutions list = {0};
        slip_static_problem problem;
        status = j->scene->general ? slip_scene_solve(j->scene, value, value_restarts, &problem, &list)
                                   : slip_scene_problem(j->scene, value, &list.arena, &problem);
        if (status == SLIP_ERROR_MODEL) { /* a number of the model is infinite at this very value, which the
                                             paths have passed */
            slip_context_clear(j->ctx);
            slip_static_solutions_free(&list);
            status = SLIP_OK;
            continue;
        }
        if (status >= 0 && !j->scene->general)
            status = few ? slip_static_enumerate(j->ctx, &problem, &list)
                         : slip_static_restart(j->ctx, &problem, value_restarts, &list);
        if (status >= 0)
            status = follow(j, value, &list, part == 0 ? 1 : part == 1 ? -1 : 0);
        slip_static_solutions_free(&list);
    }
    return status;
}

/* From a label of earlier paths: the model at the label's value, over another parameter. */
static int follow_label(job *j, const slip_paths_start *from)
{
    return follow_state(&j->follower, j->scene->value, from->lambda, from->d, 0);
}

static int open_scene(slip_context *ctx, const slip_model *model, const slip_continue_options *o,
                      slip_scene **scene)
{
    SLIP_PASS(slip_scene_open(ctx, model, o->parameter, o->low, o->high, scene));
    return slip_scene_check_contacts(*scene);
}

int slip_continue(slip_context *ctx, const slip_model *model, const slip_continue_options *given_options,
                  slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_continue_options, options, given_options);
    slip_continue_options own;
    slip_paths_start from = {0};
    slip_model *other = NULL;
    job j = {.ctx = ctx, .options = &own};
    const int64_t memory = slip_context_memory_failures(ctx);
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(resolve(ctx, model, options, &own));
    SLIP_TRY(open_scene(ctx, model, &own, &j.scene));
    if (own.from) {
        SLIP_TRY(slip_paths_load_label(ctx, own.from, own.from_label, j.scene->shape.direction_count, &from));
        if (strcmp(from.parameter, own.parameter) != 0) {
            slip_scene_close(j.scene);
            j.scene = NULL;
            SLIP_TRY(slip_model_bind_one(ctx, model, from.parameter, from.value, &other));
            SLIP_TRY(open_scene(ctx, other, &own, &j.scene));
        } else {
            j.scene->value = from.value;
        }
        if (!(j.scene->value >= own.low && j.scene->value <= own.high)) {
            status = slip_fail(ctx, SLIP_ERROR_USAGE, "`%s` is %g at the label, outside the range [%g, %g]",
                               own.parameter, j.scene->value, own.low, own.high);
            goto done;
        }
    }
    SLIP_TRY(open_job(&j));
    status = own.from ? follow_label(&j, &from) : follow_start(&j);
    if (status == SLIP_OK && !own.from)
        status = follow_others(&j);
    status = slip_memory_since(ctx, memory, status);
    if (status >= 0 || status == SLIP_INTERRUPTED || status == SLIP_ERROR_SOLVER) {
        const int finished = slip_paths_finish(ctx, &j.paths, own.quantity, status, result);
        status = finished < 0 ? finished : status;
    }
done:
    close_follower(&j.follower);
    slip_paths_free(&j.paths);
    slip_scene_close(j.scene);
    slip_model_destroy(other);
    slip_arena_free(&j.arena);
    slip_arena_free(&from.arena);
    return status;
}

/* ---- The study. */

static const slip_field section_fields[] = {
    SLIP_FIELD(slip_continue_options, start, NUMBER, SLIP_ANY, NULL,
               "value at which the paths start; inside the range: both ways", "`low`", NULL),
    SLIP_FIELD(slip_continue_options, spacing, NUMBER, {1e-6, 1, false}, NULL,
               "largest distance of points, over the range", "0.005", NULL),
    SLIP_FIELD(slip_continue_options, restarts, COUNT, {0, 10000, false}, NULL,
               "values at which paths are sought that are not connected to the start", "8", NULL),
    SLIP_FIELD(slip_continue_options, quantity, TEXT, SLIP_ANY, NULL,
               "what the picture shows: a coordinate, or `CONTACT.normal`, `.tangential`, `.gap`, `.slip`",
               "the largest normal force", NULL),
};

static const char *const other_keys[] = {"parameter", "range", "also", NULL};

SLIP_STUDY_FUNCTIONS(slip_continue_options, slip_continue)

const slip_study slip_study_continue = {
    .fields = SLIP_FIELDS("continue", "continue.", section_fields),
    .size = sizeof(slip_continue_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_continue,
    .run = run_section,
    .view = {.kind = "path", .draw = slip_paths_draw, .spans = true, .quantities = true},
};
