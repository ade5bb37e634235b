/* Eigenmodes of a model as a user sees them. */
#include "study/eigenmodes/eigenmodes.h"
#include "math/vector.h"
#include "simulation/scene.h"
#include "study/describe.h"
#include "study/view.h"
#include "system/field.h"

#include <math.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_modes_options, .points = 51, .count = 40)

static const char *const abouts[] = {"rest", "static", "sliding", NULL};
enum { points_max = 1000000, count_max = 1000 };

/* ---- Settings. */

static int check_range(slip_context *ctx, const slip_model *model, const slip_modes_options *o)
{
    if (slip_model_parameter(model, o->parameter) < 0)
        return slip_model_fail_parameter(ctx, model, o->parameter);
    if (!isfinite(o->low) || !isfinite(o->high) || !(o->high > o->low))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "the range of `%s` is empty: found [%g, %g], expected [low, high]", o->parameter,
                         o->low, o->high);
    if (o->points < 2 || o->points > points_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%d values of `%s`, expected 2 to %d", o->points,
                         o->parameter, points_max);
    return SLIP_OK;
}

static int check_options(slip_context *ctx, const slip_model *model, slip_modes_options *o)
{
    if (!o->about)
        o->about = abouts[0];
    if (o->count < 1 || o->count > count_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%d modes of whole bodies, expected 1 to %d", o->count,
                         count_max);
    for (int k = 0; abouts[k]; k++)
        if (strcmp(abouts[k], o->about) == 0)
            return o->parameter ? check_range(ctx, model, o) : SLIP_OK;
    const char *nearest = slip_text_nearest(o->about, abouts);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "modes about `%s`%s%s%s: expected rest, static or sliding",
                     o->about, nearest ? "; did you mean `" : "", nearest ? nearest : "",
                     nearest ? "`?" : "");
}

/* ---- Tables. */

typedef struct job {
    slip_context *ctx;
    const slip_model *model;
    slip_modes_options options;
    slip_result *result;
    slip_table *shapes, *contacts;
    slip_labels labels;
    int count, unstable, infinite; /* at the last value */
    double largest;                /* real part there */
    bool equilibrium;              /* the state is an equilibrium at all values */
    double acceleration;           /* largest acceleration at a state */
    slip_model *reduced;           /* owned: in place of a model with whole bodies; else NULL */
    int64_t projected;             /* modes to which these are reduced, 0: none are; */
    double truncation;             /* relative change of the lowest eigenvalues by the projection */
} job;

static int open_result(job *j)
{
    static const slip_column_info modes[] = {{.name = "value"},
                                             {.name = "mode"},
                                             {.name = "frequency"},
                                             {.name = "real"},
                                             {.name = "imaginary"},
                                             {.name = "damping_ratio"},
                                             {0}};
    static const slip_column_info shapes[] = {{.name = "value"},
                                              {.name = "mode"},
                                              {.name = "name", .words = slip_words_to_come},
                                              {.name = "real"},
                                              {.name = "imaginary"},
                                              {.name = "participation"},
                                              {0}};
    static const slip_column_info contacts[] = {{.name = "value"},
                                                {.name = "mode"},
                                                {.name = "contact", .words = slip_words_to_come},
                                                {.name = "doing", .words = slip_mode_names},
                                                {.name = "slip"},
                                                {.name = "force"},
                                                {.name = "growth"},
                                                {0}};
    SLIP_PASS(slip_result_create(j->ctx, "modes", "modes.csv", &j->result));
    SLIP_PASS(slip_table_add_all(j->ctx, &j->result->main, modes));
    j->shapes = slip_result_add_table(j->ctx, j->result, "shapes", "shapes.csv");
    j->contacts = slip_result_add_table(j->ctx, j->result, "contacts", "contacts.csv");
    SLIP_PASS(j->shapes && j->contacts ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_PASS(slip_table_add_all(j->ctx, j->shapes, shapes));
    SLIP_PASS(slip_table_add_all(j->ctx, j->contacts, contacts));
    if (j->options.parameter)
        SLIP_PASS(slip_labels_create(j->ctx, j->result, &j->labels));
    SLIP_PASS(slip_describe(j->ctx, j->result, j->model, NULL));
    return SLIP_OK;
}

/* A whole body has one row for all unknowns: its largest amplitude and its energy. */
static int add_body(job *j, const slip_eigenmodes *at, int k, int branch, int b)
{
    const slip_field_body *body = &at->model->system->field->bodies[b];
    const double *re = at->vibration.modes[k].shape + at->model->system->n + body->first,
                 *im = re + at->width;
    int64_t most = 0;
    for (int64_t i = 0; i < body->size; i++)
        if (hypot(re[i], im[i]) > hypot(re[most], im[most]))
            most = i;
    const int word = slip_table_word(j->ctx, j->shapes, 2, slip_eigenmodes_whole_name(at, b));
    const double row[] = {at->value, branch,   word,
                          re[most],  im[most], slip_eigenmodes_body_part(at, k, body->first, body->size)};
    return word < 0 ? word : slip_table_append(j->ctx, j->shapes, row);
}

static int add_shape(job *j, const slip_eigenmodes *at, int k, int branch)
{
    const slip_eigenmode *mode = &at->vibration.modes[k];
    const slip_field *field = at->reduced ? at->model->system->field : NULL;
    const int n = at->model->system->n;
    for (int i = 0; i < n; i++) {
        const int word = slip_table_word(j->ctx, j->shapes, 2, at->model->system->names[i]);
        const double row[] = {at->value,
                              branch,
                              word,
                              mode->shape[i],
                              mode->shape[at->width + i],
                              slip_eigenmodes_participation(at, k, i)};
        SLIP_PASS(word < 0 ? word : slip_table_append(j->ctx, j->shapes, row));
    }
    for (int b = 0; field && b < field->body_count; b++)
        SLIP_PASS(add_body(j, at, k, branch, b));
    return SLIP_OK;
}

static int add_contacts(job *j, const slip_eigenmodes *at, int k, int branch)
{
    const slip_system *system = at->model->system;
    for (int c = 0; c < (int)system->contact_count; c++) {
        if (system->contacts[c].frictionless)
            continue;
        const slip_contact_part part = slip_eigenmodes_contact(at, k, c);
        const int word = slip_table_word(j->ctx, j->contacts, 2, system->contacts[c].name);
        const double row[] = {at->value, branch,     word,       at->point.branches[c].mode,
                              part.slip, part.force, part.growth};
        SLIP_PASS(word < 0 ? word : slip_table_append(j->ctx, j->contacts, row));
    }
    return SLIP_OK;
}

/* Largest acceleration at the state: not zero where it is no equilibrium. */
static void look_at_state(job *j, const slip_eigenmodes *at)
{
    double largest = slip_largest(at->motion.n, at->motion.acceleration);
    j->acceleration = fmax(j->acceleration, largest);
    j->equilibrium = j->equilibrium && largest <= 1e-9 * (1 + at->motion.scale);
}

static int see_point(void *user, const slip_eigenmodes *at, const int *branches)
{
    job *j = user;
    const slip_vibration *v = &at->vibration;
    look_at_state(j, at);
    j->count = v->count;
    j->unstable = 0;
    j->infinite = v->infinite;
    j->largest = -INFINITY;
    for (int k = 0; k < v->count; k++) {
        const slip_eigenmode *mode = &v->modes[k];
        const double size = hypot(mode->real, mode->imaginary);
        const double row[] = {
            at->value,  branches[k],     mode->imaginary / (2 * acos(-1)),
            mode->real, mode->imaginary, size > 0 ? (mode->real != 0 ? -mode->real / size : 0) : 0};
        SLIP_PASS(slip_table_append(j->ctx, &j->result->main, row));
        SLIP_PASS(add_shape(j, at, k, branches[k]));
        SLIP_PASS(add_contacts(j, at, k, branches[k]));
        j->unstable += slip_eigenmodes_grows(at, k);
        j->largest = fmax(j->largest, mode->real);
    }
    return SLIP_OK;
}

static int see_label(void *user, slip_label *label)
{
    job *j = user;
    label->number = (int)j->labels.table->count + 1;
    return slip_labels_add(j->ctx, &j->labels, label);
}

/* ---- The summary. */

static void write_state(const slip_eigenmodes *at, slip_json_writer *json)
{
    const slip_system *system = at->model->system;
    slip_json_object(json, "state");
    for (int i = 0; i < system->n; i++) {
        const int of = at->places ? at->places[i] : i;
        slip_json_number(json, system->names[i],
                         i < slip_system_coordinates(system) ? at->point.q[of] : at->point.v[of]);
    }
    slip_json_end_object(json);
    slip_json_object(json, "contacts");
    for (int c = 0; c < (int)system->contact_count; c++)
        slip_json_string(json, system->contacts[c].name, slip_mode_name(at->point.branches[c].mode));
    slip_json_end_object(json);
}

static void write_modes(const slip_result *result, slip_json_writer *json)
{
    const slip_table *table = &result->main;
    slip_json_list(json, "modes");
    for (int64_t k = 0; k < table->count; k++) {
        slip_json_object(json, NULL);
        slip_json_integer(json, "mode", (int64_t)table->columns[1].values[k]);
        for (int c = 2; c < table->column_count; c++)
            slip_json_number(json, table->columns[c].name, table->columns[c].values[k]);
        slip_json_end_object(json);
    }
    slip_json_end_list(json);
}

/* `at` NULL: over a parameter. */
static int finish(job *j, const slip_eigenmodes *at, int ended)
{
    slip_json_writer json = {.text = &j->result->summary};
    if (!at)
        SLIP_PASS(slip_result_take_labels(j->ctx, j->result, ""));
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(j->ctx) : NULL);
    slip_json_string(&json, "about", j->options.about);
    slip_json_bool(&json, "equilibrium", j->equilibrium);
    slip_json_number(&json, "largest_acceleration", j->acceleration);
    slip_json_integer(&json, "count", j->count);
    slip_json_integer(&json, "infinite", j->infinite);
    slip_json_integer(&json, "unstable", j->unstable);
    slip_json_number(&json, "largest_real", j->largest);
    if (at && at->reduced)
        slip_json_number(&json, "error", at->vibration.error);
    if (j->projected > 0) {
        slip_json_integer(&json, "projected", j->projected);
        slip_json_number(&json, "truncation", j->truncation);
    }
    if (at) {
        slip_json_bool(&json, "symmetric", at->vibration.symmetric);
        slip_json_bool(&json, "damped", at->vibration.damped);
        write_state(at, &json);
        write_modes(j->result, &json);
    } else {
        slip_json_string(&json, "parameter", j->options.parameter);
        slip_json_number(&json, "low", j->options.low);
        slip_json_number(&json, "high", j->options.high);
        slip_json_integer(&json, "points", j->options.points);
        slip_labels_summarise(&json, j->result);
    }
    slip_json_end_object(&json);
    return j->result->summary.failed ? slip_fail_memory(j->ctx) : SLIP_OK;
}

/* ---- Whole bodies. */

enum { compared = 12 };

/* The sizes of the lowest eigenvalues that are not zero, ascending; the rest is infinite. */
static int find_lowest(job *j, const slip_model *model, double *lowest)
{
    slip_modes_options options = j->options;
    SLIP_FREED_BY(slip_eigenmodes_free) slip_eigenmodes at = {0};
    double largest = 0;
    options.parameter = NULL;
    for (int i = 0; i < compared; i++)
        lowest[i] = INFINITY;
    const int status = slip_eigenmodes_find(j->ctx, model, &options, NAN, &at);
    for (int k = 0; k < at.vibration.count && status >= 0; k++)
        largest = fmax(largest, hypot(at.vibration.modes[k].real, at.vibration.modes[k].imaginary));
    for (int k = 0; k < at.vibration.count && status >= 0; k++) {
        double size = hypot(at.vibration.modes[k].real, at.vibration.modes[k].imaginary);
        for (int i = 0; i < compared && size > 1e-9 * largest; i++)
            if (size < lowest[i]) {
                const double other = lowest[i];
                lowest[i] = size;
                size = other;
            }
    }
    return status;
}

/* Projects whole bodies on their lowest modes and on attachment vectors of contacts and loads. The number of
 * modes is doubled until the lowest eigenvalues no longer change. */
static int project_whole(job *j)
{
    enum { most = 320 };
    static const double enough = 1e-5;
    const int first = j->options.count > 40 ? j->options.count : 40;
    double before[compared], now[compared];
    SLIP_FREED_BY(slip_model_drop) slip_model *coarse = NULL;
    SLIP_PASS(slip_model_reduce(j->ctx, j->model, first, &coarse));
    SLIP_PASS(find_lowest(j, coarse, before));
    for (j->projected = 2 * first;; j->projected *= 2) {
        SLIP_PASS(slip_model_reduce(j->ctx, j->model, j->projected, &j->reduced));
        SLIP_PASS(find_lowest(j, j->reduced, now));
        j->truncation = 0;
        for (int i = 0; i < compared; i++)
            if (isfinite(now[i]))
                j->truncation = fmax(j->truncation, fabs(before[i] / now[i] - 1));
        if (j->truncation <= enough || j->projected >= most)
            break;
        memcpy(before, now, sizeof now);
        slip_model_destroy(j->reduced);
        j->reduced = NULL;
    }
    j->model = j->reduced;
    return SLIP_OK;
}

/* Keeps the shapes of whole bodies that are drawn later. */
static int keep_shapes(job *j, const slip_eigenmodes *at)
{
    const int64_t size = at->model->system->field_size, width = 1 + 2 * size;
    int64_t rows[slip_shapes_most];
    const int count = slip_shapes_choose(j->result, rows);
    const slip_array array = {.place = SLIP_SHAPES_PLACE,
                              .count = count,
                              .width = width,
                              .values = slip_alloc(count * width, sizeof(double))};
    SLIP_PASS(slip_allocated(j->ctx, array.values));
    for (int k = 0; k < count; k++) {
        const double *shape = at->vibration.modes[rows[k]].shape + at->model->system->n;
        double *to = array.values + k * width;
        to[0] = (double)rows[k] + 1;
        memcpy(to + 1, shape, sizeof(double) * (size_t)size);
        memcpy(to + 1 + size, shape + at->width, sizeof(double) * (size_t)size);
    }
    return slip_result_add_array(j->ctx, j->result, &array);
}

/* ---- All of it. */

static int solve_one(job *j)
{
    SLIP_FREED_BY(slip_eigenmodes_free) slip_eigenmodes at = {0};
    const char *obstacle = NULL;
    int *branches = NULL;
    if (j->model->system->field) {
        SLIP_PASS(slip_eigenmodes_find_whole(j->ctx, j->model, &j->options, &at, &obstacle));
        if (obstacle) {
            slip_log(j->ctx, SLIP_LOG_INFO, "whole bodies are projected on their modes: %s", obstacle);
            slip_eigenmodes_free(&at);
            SLIP_PASS(project_whole(j));
        }
    }
    if (!at.reduced)
        SLIP_PASS(slip_eigenmodes_find(j->ctx, j->model, &j->options, NAN, &at));
    if (j->projected > 0) /* the others are those of the projection */
        slip_eigenmodes_keep_lowest(&at, j->options.count);
    branches = slip_arena_array(&at.arena, at.vibration.count + 1, sizeof *branches);
    SLIP_PASS(slip_allocated(j->ctx, branches));
    for (int k = 0; k < at.vibration.count; k++)
        branches[k] = k + 1;
    SLIP_PASS(see_point(j, &at, branches));
    if (at.reduced)
        SLIP_PASS(keep_shapes(j, &at));
    return finish(j, &at, SLIP_OK);
}

static int solve_many(job *j)
{
    const slip_eigenmodes_observer observer = {j, see_point, see_label};
    const int status = slip_eigenmodes_follow(j->ctx, j->model, &j->options, &observer);
    if (status < 0 && status != SLIP_INTERRUPTED && status != SLIP_ERROR_SOLVER)
        return status;
    const int finished = finish(j, NULL, status);
    return finished < 0 ? finished : status;
}

int slip_modes_solve(slip_context *ctx, const slip_model *model, const slip_modes_options *given_options,
                     slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_modes_options, options, given_options);
    job j = {.ctx = ctx, .model = model, .options = *options, .equilibrium = true};
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(slip_model_check_lumped(ctx, model));
    SLIP_TRY(check_options(ctx, model, &j.options));
    SLIP_TRY(open_result(&j));
    if (model->system->field && j.options.parameter) {
        SLIP_TRY(project_whole(&j));
    } else if (model->system->detector_count > 0 && !model->system->field) {
        SLIP_TRY(slip_model_reduce(ctx, model, slip_scene_modes, &j.reduced));
        j.model = j.reduced;
    }
    status = j.options.parameter ? solve_many(&j) : solve_one(&j);
    if (status >= 0 && !j.equilibrium)
        slip_log(ctx, SLIP_LOG_WARNING,
                 "the state is no equilibrium: accelerations up to %.3g; these are modes of the motion as it "
                 "begins there",
                 j.acceleration);
    if (status >= 0 || (j.result->main.count > 0 && j.result->summary.length > 0)) {
        *result = j.result;
        j.result = NULL;
    }
done:
    slip_result_destroy(j.result);
    slip_model_destroy(j.reduced);
    return status;
}
