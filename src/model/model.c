/* Functions shared by file reader and builder: memory, coordinates, parameters, contacts. */
#include "model/model.h"

#include "flex/plane_motion.h"
#include "gear/train/train.h"
#include "model/study.h"
#include "patch/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_model_allocate(slip_context *ctx, slip_model **result)
{
    slip_model *model = calloc(1, sizeof *model);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, model));
    model->simulate = slip_run_options_default();
    model->gear_run = slip_gear_run_options_default();
    model->title = slip_arena_string(&model->arena, "");
    if (!model->title || !slip_model_start_studies(model) || !slip_model_holders_create(model) ||
        !SLIP_ROOM(model->parameters, model->parameter_capacity, 1)) {
        slip_model_destroy(model);
        return slip_fail_memory(ctx);
    }
    model->parameters[0] = (slip_symbol){NULL, -1, 0, NULL, 0};
    *result = model;
    return SLIP_OK;
}

void slip_model_destroy(slip_model *model)
{
    if (!model)
        return;
    slip_system_destroy(model->system);
    if (!model->plane_shared)
        slip_plane_destroy(model->plane);
    if (!model->motion_shared)
        slip_plane_motion_destroy(model->motion);
    slip_train_destroy(model->train);
    slip_model_destroy(model->bodies);
    for (int64_t i = 0; i < model->compiled_count; i++)
        slip_expression_destroy(model->compiled[i]);
    free(model->compiled);
    for (int k = 0; k < model->outputs.count; k++)
        slip_expression_destroy(model->outputs.list[k].expression);
    if (!model->origin)
        free(model->inputs.list);
    free(model->parameters);
    free(model->contact_texts);
    slip_model_release(model);
}

int slip_model_set_coordinates(slip_context *ctx, slip_model *model, int n, int state_count,
                               const char *const *names)
{
    SLIP_PASS(slip_system_create(ctx, n, state_count, names, &model->system));
    model->initial_q = slip_arena_array(&model->arena, n, sizeof(double));
    model->initial_v = slip_arena_array(&model->arena, n, sizeof(double));
    return model->initial_q && model->initial_v ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_model_append_parameter(slip_context *ctx, slip_model *model, const char *name, double value)
{
    char *copy = slip_arena_string(&model->arena, name);
    SLIP_PASS(slip_allocated(
        ctx, copy && SLIP_ROOM(model->parameters, model->parameter_capacity, model->parameter_count + 2)));
    model->parameters[model->parameter_count++] = (slip_symbol){copy, -1, value, NULL, 0};
    model->parameters[model->parameter_count] = (slip_symbol){NULL, -1, 0, NULL, 0};
    return SLIP_OK;
}

int slip_model_append_input(slip_context *ctx, slip_model *model, const slip_interpolant *table)
{
    slip_interpolants *inputs = &model->inputs;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(inputs->list, inputs->capacity, inputs->count + 1)));
    inputs->list[inputs->count++] = table;
    return SLIP_OK;
}

int slip_model_keep_expression(slip_context *ctx, slip_model *model, slip_expression *expression)
{
    if (!SLIP_ROOM(model->compiled, model->compiled_capacity, model->compiled_count + 1)) {
        slip_expression_destroy(expression);
        return slip_fail_memory(ctx);
    }
    model->compiled[model->compiled_count++] = expression;
    return SLIP_OK;
}

/* The value of a parameter that follows from earlier ones, and its slope from theirs. */
static int follow(slip_context *ctx, const slip_model *model, int64_t index, double *slots, double *gradient,
                  double *rates, double *value)
{
    const slip_expression *rule = model->parameter_rules[index];
    const int first = slip_slot_parameter(model->system->n), slot_count = first + (int)model->parameter_count;
    SLIP_FREED double *scratch = slip_alloc(slip_expression_scratch(rule), sizeof *scratch);
    double rate = 0;
    char reason[200];
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, scratch));
    *value = slip_expression_gradient(rule, slots, slot_count, gradient, scratch);
    for (int64_t i = 0; i < index; i++)
        if (rates[i] != 0)
            rate += rates[i] * gradient[first + i];
    rates[index] = rate;
    if (!isfinite(*value)) {
        slip_expression_diagnose(rule, slots, scratch, reason, sizeof reason);
        status =
            slip_fail(ctx, SLIP_ERROR_SOLVER, "parameter `%s`: %s", model->parameters[index].name, reason);
    }
    return status;
}

int slip_model_parameters_at(slip_context *ctx, const slip_model *model, int index, double value,
                             double *values, double *rates)
{
    const int64_t count = model->parameter_count;
    const int first = slip_slot_parameter(model->system->n);
    SLIP_FREED double *slots = slip_alloc(first + count, sizeof *slots);
    SLIP_FREED double *gradient = slip_alloc(first + count, sizeof *gradient);
    SLIP_FREED double *slopes = slip_alloc(count, sizeof *slopes);
    int status = slots && gradient && slopes ? SLIP_OK : slip_fail_memory(ctx);
    for (int64_t i = 0; i < count && status >= 0; i++) {
        values[i] = i == index ? value : model->parameters[i].value;
        slopes[i] = i == index;
        if (i != index && model->parameter_rules && model->parameter_rules[i])
            status = follow(ctx, model, i, slots, gradient, slopes, &values[i]);
        slots[first + i] = values[i];
    }
    if (status >= 0 && rates)
        memcpy(rates, slopes, (size_t)count * sizeof *rates);
    return status;
}

/* Stores the texts of the next contact of the system. */
static int keep_text(slip_context *ctx, slip_model *model, const slip_contact_text *text)
{
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(model->contact_texts, model->contact_text_capacity,
                                            model->system->contact_count + 1)));
    model->contact_texts[model->system->contact_count] = *text;
    return SLIP_OK;
}

int slip_model_append_friction(slip_context *ctx, slip_model *model, const char *name, slip_expression *slip,
                               slip_expression *normal_force, const slip_law *law)
{
    /* No law: zero friction, represented by a smooth law, so that every method can handle it. */
    slip_law none = slip_law_default("tanh");
    slip_contact_text text = {.has_law = law != NULL};
    none.mu = 0;
    none.velocity = 1;
    text.slip = slip ? slip_arena_string(&model->arena, slip_expression_text(slip)) : NULL;
    text.normal_force =
        slip_arena_string(&model->arena, normal_force ? slip_expression_text(normal_force) : "1");
    if ((slip && !text.slip) || !text.normal_force || keep_text(ctx, model, &text) < 0) {
        slip_expression_destroy(slip);
        slip_expression_destroy(normal_force);
        return slip_fail_memory(ctx);
    }
    return slip_system_add_friction(ctx, model->system, name, slip, normal_force, law ? law : &none);
}

int slip_model_append_flanks(slip_context *ctx, slip_model *model, const char *name)
{
    SLIP_PASS(slip_model_append_friction(ctx, model, name, NULL, NULL, NULL));
    slip_contact *contact = &model->system->contacts[model->system->contact_count - 1];
    contact->of_structure = true;
    contact->compliant = true;
    contact->normal_constant = 0;
    return SLIP_OK;
}

int slip_model_append_unilateral(slip_context *ctx, slip_model *model, const slip_unilateral *contact)
{
    slip_contact_text text = {.has_law = contact->law != NULL, .of_node = contact->rows != NULL};
    text.gap =
        slip_arena_string(&model->arena, contact->gap ? slip_expression_text(contact->gap) : "of a node");
    const bool slides = contact->rows && contact->rows->slip[0];
    if (slides)
        text.slip = slip_arena_string(&model->arena, "of a node");
    else if (contact->slip)
        text.slip = slip_arena_string(&model->arena, slip_expression_text(contact->slip));
    if (!text.gap || ((contact->slip || slides) && !text.slip) || keep_text(ctx, model, &text) < 0) {
        slip_expression_destroy(contact->gap);
        slip_expression_destroy(contact->slip);
        return slip_fail_memory(ctx);
    }
    return slip_system_add_unilateral(ctx, model->system, contact);
}

/* ---- Patches. */

static const char *copy_text(slip_arena *arena, const char *text, bool *complete)
{
    const char *copy = text ? slip_arena_string(arena, text) : NULL;
    *complete &= !text || copy;
    return copy;
}

static int64_t point_numbers(const slip_patch_options *area)
{
    return area->points ? (strcmp(area->shape, "table") == 0 ? 3 : 2) * (int64_t)area->point_count : 0;
}

static const slip_patch_options *copy_area(slip_arena *arena, const slip_patch_options *from)
{
    slip_patch_options *to = slip_arena_alloc(arena, sizeof *to);
    bool complete = to != NULL;
    const int64_t numbers = point_numbers(from);
    double *points = slip_arena_array(arena, numbers + 1, sizeof *points);
    if (!to || !points)
        return NULL;
    *to = *from;
    to->shape = copy_text(arena, from->shape, &complete);
    to->pressure = copy_text(arena, from->pressure, &complete);
    to->expression = copy_text(arena, from->expression, &complete);
    to->file = copy_text(arena, from->file, &complete);
    to->surface = copy_text(arena, from->surface, &complete);
    if (numbers > 0)
        memcpy(points, from->points, (size_t)numbers * sizeof *points);
    to->points = numbers > 0 ? points : NULL;
    return complete ? to : NULL;
}

static int keep_patch_text(slip_context *ctx, slip_model *model, const slip_patch_source *source)
{
    slip_contact_text text = {.has_law = true, .of_node = source->rows != NULL};
    bool complete = true;
    for (int part = 0; part < 3; part++)
        text.patch_slip[part] = copy_text(&model->arena,
                                          source->rows && part < 2 ? "of a node"
                                          : source->slip[part]     ? slip_expression_text(source->slip[part])
                                                                   : NULL,
                                          &complete);
    text.gap = copy_text(&model->arena,
                         source->rows  ? "of a node"
                         : source->gap ? slip_expression_text(source->gap)
                                       : NULL,
                         &complete);
    text.normal_force = copy_text(&model->arena,
                                  source->gap || source->rows ? NULL
                                  : source->normal_force      ? slip_expression_text(source->normal_force)
                                                              : "1",
                                  &complete);
    text.area = source->area ? copy_area(&model->arena, source->area) : NULL;
    return complete && (text.area || !source->area) ? keep_text(ctx, model, &text) : slip_fail_memory(ctx);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_numbers(const double *a, const double *b, int64_t count)
{
    return a == b || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

enum { area_numbers = 20 };

static void list_numbers(const slip_patch_options *o, double to[area_numbers])
{
    const double all[area_numbers] = {o->radius,
                                      o->inner,
                                      o->outer,
                                      o->semi_axes[0],
                                      o->semi_axes[1],
                                      o->sides[0],
                                      o->sides[1],
                                      o->linear[0],
                                      o->linear[1],
                                      o->size,
                                      o->m,
                                      o->b,
                                      o->epsilon,
                                      o->table_tolerance,
                                      o->static_ratio,
                                      o->eta_prime,
                                      o->order[0],
                                      o->order[1],
                                      o->fit,
                                      o->point_count};
    memcpy(to, all, sizeof all);
}

static bool same_area(const slip_patch_options *a, const slip_patch_options *b)
{
    double left[area_numbers], right[area_numbers];
    list_numbers(a, left);
    list_numbers(b, right);
    return same_numbers(left, right, area_numbers) && same_text(a->shape, b->shape) &&
           same_text(a->pressure, b->pressure) && same_text(a->expression, b->expression) &&
           same_text(a->surface, b->surface) && same_text(a->file, b->file) &&
           same_numbers(a->points, b->points, point_numbers(a));
}

/* The area of the same contact of the model that this one was bound from, where it has not changed: making it
 * may take seconds. */
static slip_patch *shared_area(const slip_model *model, const slip_patch_options *area)
{
    const int64_t contact = model->system->contact_count;
    const slip_model *origin = model->origin;
    if (!origin || contact >= origin->system->contact_count || !origin->contact_texts[contact].area ||
        !same_area(origin->contact_texts[contact].area, area))
        return NULL;
    return origin->system->contacts[contact].patch->law;
}

int slip_model_append_patch(slip_context *ctx, slip_model *model, const slip_patch_source *source)
{
    slip_patch_contact contact = {.name = source->name,
                                  .normal_force = source->normal_force,
                                  .gap = source->gap,
                                  .rows = source->rows,
                                  .restitution = source->restitution,
                                  .impact_friction = source->impact_friction,
                                  .mu = source->mu};
    int status;
    memcpy(contact.slip, source->slip, sizeof contact.slip);
    contact.law = source->area ? shared_area(model, source->area) : NULL;
    contact.shared = contact.law != NULL;
    if (source->point)
        SLIP_TRY(slip_patch_create_point(ctx, source->point, source->axes, &contact.law));
    else if (!contact.shared)
        SLIP_TRY(slip_patch_create(ctx, source->area, &contact.law));
    if (source->point && slip_patch_describe(contact.law).epsilon > 0)
        contact.mu = 1; /* a smooth law has it, and one with memory */
    SLIP_TRY(keep_patch_text(ctx, model, source));
    return slip_system_add_patch(ctx, model->system, &contact);
done:
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(source->slip[part]);
    slip_expression_destroy(source->normal_force);
    slip_expression_destroy(source->gap);
    if (!contact.shared)
        slip_patch_destroy(contact.law);
    return status;
}

int slip_model_coordinate_count(const slip_model *model)
{
    return model ? slip_system_coordinates(model->system) : 0;
}

int slip_model_state_count(const slip_model *model)
{
    return model ? model->system->state_count : 0;
}

const char *slip_model_state_name(const slip_model *model, int index)
{
    return index >= 0 && index < slip_model_state_count(model)
               ? model->system->names[slip_system_coordinates(model->system) + index]
               : NULL;
}

const char *slip_model_coordinate_name(const slip_model *model, int index)
{
    return index >= 0 && index < slip_model_coordinate_count(model) ? model->system->names[index] : NULL;
}

int slip_model_given_count(const slip_model *model)
{
    const slip_model *bodies = model ? model->bodies : NULL;
    const int count = slip_model_coordinate_count(model);
    return bodies && bodies->motion
               ? count - bodies->motion->count - (bodies->train ? bodies->train->count : 0)
               : count;
}

int slip_model_contact_count(const slip_model *model)
{
    return !model         ? 0
           : model->plane ? slip_plane_surface_count(model->plane)
                          : (int)model->system->contact_count;
}

const char *slip_model_contact_name(const slip_model *model, int index)
{
    if (index < 0 || index >= slip_model_contact_count(model))
        return NULL;
    return model->plane ? slip_plane_surface_name(model->plane, index) : model->system->contacts[index].name;
}

int slip_model_output_count(const slip_model *model)
{
    return model ? model->outputs.count - model->outputs.state_count : 0;
}

const char *slip_model_output_name(const slip_model *model, int index)
{
    return index >= 0 && index < slip_model_output_count(model)
               ? model->outputs.list[model->outputs.state_count + index].name
               : NULL;
}

const char *slip_model_title(const slip_model *model)
{
    return model ? model->title : "";
}

const slip_patch *slip_model_patch(const slip_model *model, int contact)
{
    const slip_system *system = model ? model->system : NULL;
    bool known = system && contact >= 0 && contact < system->contact_count; /* of bodies there is no system */
    const slip_patch_form *patch = known ? system->contacts[contact].patch : NULL;
    return patch && !patch->flat ? patch->law : NULL;
}
