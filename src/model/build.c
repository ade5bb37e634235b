/* Building a model in C. */
#include "model/emit.h"
#include "model/model.h"
#include "model/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model that has run must not change under the result's feet; one that came from a file is from now on
 * written from its numbers. */
static int open_for_change(slip_context *ctx, slip_model *model)
{
    if (model->fixed)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the model has been run and can no longer be changed");
    model->document = NULL;
    slip_text_clear(&model->description);
    return SLIP_OK;
}

/* The same for what belongs to coordinates. */
static int open_for_motion(slip_context *ctx, slip_model *model)
{
    if (model->of_bodies)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the model is one of bodies: it has no coordinates");
    return open_for_change(ctx, model);
}

/* ---- names and numbers ---- */

static int check_names(slip_context *ctx, int n, const char *const *names)
{
    if (n < 1 || n > slip_coordinates_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "found %d coordinates, expected 1 to %d", n,
                         slip_coordinates_max);
    for (int i = 0; i < n; i++) {
        const char *problem = slip_name_problem(names[i], true);
        if (problem)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "coordinate `%.60s` %s", names[i], problem);
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return slip_fail(ctx, SLIP_ERROR_MODEL, "coordinate `%s` is there twice", names[i]);
    }
    return SLIP_OK;
}

int slip_model_create(slip_context *ctx, int coordinate_count, const char *const *coordinate_names,
                      slip_model **result)
{
    slip_model *model = NULL;
    int status;
    *result = NULL;
    SLIP_TRY(check_names(ctx, coordinate_count, coordinate_names));
    SLIP_TRY(slip_model_allocate(ctx, &model));
    SLIP_TRY(slip_model_set_coordinates(ctx, model, coordinate_count, coordinate_names));
    *result = model;
    model = NULL;
done:
    slip_model_destroy(model);
    return status;
}

static int check_finite(slip_context *ctx, const char *what, const double *numbers, int count, int columns)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: row %d, entry %d is %g, expected a finite number",
                             what, i / columns + 1, i % columns + 1, numbers[i]);
    return SLIP_OK;
}

static int set_matrix(slip_context *ctx, slip_model *model, const char *what, double *target,
                      const double *matrix)
{
    int n = model->system->n, status;
    SLIP_TRY(open_for_motion(ctx, model));
    SLIP_TRY(check_finite(ctx, what, matrix, n * n, n));
    memcpy(target, matrix, (size_t)(n * n) * sizeof(double));
done:
    return status;
}

int slip_model_set_mass(slip_context *ctx, slip_model *model, const double *matrix)
{
    int n = model->system->n, row, column, status;
    char reason[200];
    SLIP_TRY(open_for_motion(ctx, model));
    SLIP_TRY(check_finite(ctx, "mass", matrix, n * n, n));
    if (slip_mass_unusable(n, matrix, &row, &column, reason, sizeof reason))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the mass matrix %s", reason);
    SLIP_TRY(set_matrix(ctx, model, "mass", model->system->mass, matrix));
    model->mass_given = true;
done:
    return status;
}

int slip_model_set_damping(slip_context *ctx, slip_model *model, const double *matrix)
{
    return set_matrix(ctx, model, "damping", model->system->damping, matrix);
}

int slip_model_set_stiffness(slip_context *ctx, slip_model *model, const double *matrix)
{
    return set_matrix(ctx, model, "stiffness", model->system->stiffness, matrix);
}

int slip_model_set_parameter(slip_context *ctx, slip_model *model, const char *name, double value)
{
    const char *problem = slip_name_problem(name, true);
    int status;
    SLIP_TRY(open_for_change(ctx, model));
    if (model->plane)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "parameter `%.60s` comes too late: expected before the bodies", name);
    if (model->of_bodies && (strcmp(name, "x") == 0 || strcmp(name, "y") == 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "parameter `%s` is a place in a model of bodies: expected another name", name);
    if (problem)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "parameter `%.60s` %s", name, problem);
    if (!isfinite(value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "parameter `%s` is %g, expected a finite number", name,
                         value);
    for (int i = 0; i < model->system->n; i++)
        if (strcmp(model->system->names[i], name) == 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "parameter `%s` is a coordinate too, expected another name", name);
    /* Expressions given before have the old value in them: a second value would make the model say two
     * things at once. */
    for (int64_t i = 0; i < model->parameter_count; i++)
        if (strcmp(model->parameters[i].name, name) == 0)
            return slip_fail(ctx, SLIP_ERROR_USAGE, "parameter `%s` is already set", name);
    if (model->parameter_count >= slip_parameters_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "more than %d parameters", slip_parameters_max);
    status = slip_model_append_parameter(ctx, model, name, value);
done:
    return status;
}

int slip_model_set_initial(slip_context *ctx, slip_model *model, const double *q, const double *v)
{
    int n = model->system->n, status;
    SLIP_TRY(open_for_motion(ctx, model));
    if (q)
        SLIP_TRY(check_finite(ctx, "initial coordinates", q, n, n));
    if (v)
        SLIP_TRY(check_finite(ctx, "initial velocities", v, n, n));
    for (int i = 0; i < n; i++) {
        model->initial_q[i] = q ? q[i] : 0;
        model->initial_v[i] = v ? v[i] : 0;
    }
done:
    return status;
}

/* ---- expressions ---- */

static int compile(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                   slip_expression **expression)
{
    slip_arena arena = {0};
    slip_expression_error error;
    const slip_symbol *symbols = slip_system_symbols(
        &arena, model->system->n, (const char *const *)model->system->names, model->parameters);
    int status = symbols ? slip_expression_compile(text, symbols, expression, &error) : SLIP_ERROR_MEMORY;
    slip_arena_free(&arena);
    if (status == SLIP_ERROR_MODEL)
        return slip_fail(ctx, status, "%s: `%.100s`: at character %d: %s", what, text, error.position + 1,
                         error.message);
    return status < 0 ? slip_fail_memory(ctx) : SLIP_OK;
}

static int find_coordinate(slip_context *ctx, const slip_model *model, const char *name, int *index)
{
    const char *nearest;
    for (*index = 0; *index < model->system->n; ++*index)
        if (strcmp(model->system->names[*index], name) == 0)
            return SLIP_OK;
    const char **names = slip_alloc(model->system->n + 1, sizeof *names);
    if (!names)
        return slip_fail_memory(ctx);
    memcpy(names, model->system->names, (size_t)model->system->n * sizeof *names);
    nearest = slip_text_nearest(name, names);
    free(names);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "unknown coordinate `%.60s`%s%s%s", name,
                     nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
}

static void remove_force(slip_system *system, int coordinate)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < system->force_count; i++)
        if (system->forces[i].coordinate == coordinate)
            slip_expression_destroy(system->forces[i].expression);
        else
            system->forces[kept++] = system->forces[i];
    system->force_count = kept;
}

int slip_model_set_force(slip_context *ctx, slip_model *model, const char *coordinate, const char *expression)
{
    slip_expression *compiled;
    int index, status;
    char what[100];
    SLIP_TRY(open_for_motion(ctx, model));
    SLIP_TRY(find_coordinate(ctx, model, coordinate, &index));
    snprintf(what, sizeof what, "force on `%.60s`", coordinate);
    SLIP_TRY(compile(ctx, model, what, expression, &compiled));
    remove_force(model->system, index);
    status = slip_system_add_force(ctx, model->system, index, compiled);
done:
    return status;
}

int slip_model_set_force_function(slip_context *ctx, slip_model *model, slip_force_function function,
                                  void *user)
{
    int status = open_for_change(ctx, model);
    if (status < 0)
        return status;
    model->system->force_function = function;
    model->system->force_user = user;
    return SLIP_OK;
}

/* ---- contacts ---- */

slip_friction_options slip_friction_options_default(void)
{
    return (slip_friction_options){.normal_force = "1", .law = slip_law_default("coulomb")};
}

slip_unilateral_options slip_unilateral_options_default(void)
{
    return (slip_unilateral_options){.impact_friction = "none", .law = slip_law_default(NULL)};
}

/* The slip velocity as both kinds of contact are told it. */
typedef struct slip_source {
    const char *name;
    const double *row;
    const char *offset, *slip;
} slip_source;

/* row . q' + offset as the text of one expression, so that there is one way to say a slip velocity. */
static int slip_text_of(slip_context *ctx, const slip_model *model, const slip_source *source,
                        slip_text *text)
{
    int n = model->system->n, status;
    SLIP_TRY(check_finite(ctx, "row of the contact", source->row, n, n));
    for (int i = 0; i < n; i++) {
        double size = fabs(source->row[i]);
        if (size == 0)
            continue;
        slip_text_append(text, source->row[i] < 0 ? (text->length > 0 ? " - " : "-")
                                                  : (text->length > 0 ? " + " : ""));
        if (size != 1) {
            slip_emit_number(text, size);
            slip_text_append(text, "*");
        }
        slip_text_printf(text, "%s'", model->system->names[i]);
    }
    if (text->length == 0)
        slip_text_append(text, "0");
    if (source->offset)
        slip_text_printf(text, " + (%s)", source->offset);
    if (text->failed)
        status = slip_fail_memory(ctx);
done:
    return status;
}

/* *slip stays NULL where none is given. */
static int compile_slip(slip_context *ctx, const slip_model *model, const slip_source *source,
                        slip_expression **slip)
{
    slip_text text = {0};
    char what[100];
    int status = SLIP_OK;
    if (!source->row && !source->slip)
        goto done;
    if (source->row)
        SLIP_TRY(slip_text_of(ctx, model, source, &text));
    snprintf(what, sizeof what, "slip of contact `%.60s`", source->name);
    SLIP_TRY(compile(ctx, model, what, source->row ? text.data : source->slip, slip));
done:
    slip_text_free(&text);
    return status;
}

static int check_contact(slip_context *ctx, const slip_model *model, const slip_source *source,
                         bool slip_needed)
{
    const char *problem = source->name ? slip_name_problem(source->name, false) : "is missing";
    bool none = !source->row && !source->slip, both = source->row && source->slip;
    if (problem)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "contact: name `%.60s` %s", source->name ? source->name : "",
                         problem);
    for (int64_t i = 0; i < model->system->contact_count; i++)
        if (strcmp(model->system->contacts[i].name, source->name) == 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s` is already there", source->name);
    if ((none && slip_needed) || both || (!source->row && source->offset))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s`: expected either row (and offset) or slip",
                         source->name);
    if (model->system->contact_count >= slip_contacts_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "more than %d contacts", slip_contacts_max);
    return SLIP_OK;
}

int slip_model_add_friction(slip_context *ctx, slip_model *model, const slip_friction_options *options)
{
    slip_source source = {options->name, options->row, options->offset, options->slip};
    slip_expression *slip = NULL, *normal = NULL;
    char what[100];
    int status;
    SLIP_TRY(open_for_motion(ctx, model));
    SLIP_TRY(check_contact(ctx, model, &source, true));
    SLIP_TRY(compile_slip(ctx, model, &source, &slip));
    snprintf(what, sizeof what, "normal force of contact `%.60s`", options->name);
    if (options->normal_force)
        SLIP_TRY(compile(ctx, model, what, options->normal_force, &normal));
    status = slip_model_append_friction(ctx, model, options->name, slip, normal, &options->law);
    slip = normal = NULL; /* taken over */
done:
    slip_expression_destroy(slip);
    slip_expression_destroy(normal);
    return status;
}

static int check_unilateral(slip_context *ctx, const slip_unilateral_options *options)
{
    const char *friction = options->impact_friction ? options->impact_friction : "none";
    bool coulomb = strcmp(friction, "coulomb") == 0;
    if (!options->gap)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s`: expected a gap, such as \"1 - x\"",
                         options->name);
    if (options->law.type && !options->row && !options->slip)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "contact `%s`: found a law without a slip velocity, expected row or slip",
                         options->name);
    if (!coulomb && strcmp(friction, "none") != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "contact `%s`: impact_friction is `%.60s`; expected `none` or `coulomb`",
                         options->name, friction);
    if (coulomb && (!options->law.type || isnan(options->law.mu)))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "contact `%s`: impact_friction `coulomb` expects a law with a coefficient mu",
                         options->name);
    return SLIP_OK;
}

int slip_model_add_unilateral(slip_context *ctx, slip_model *model, const slip_unilateral_options *options)
{
    slip_source source = {options->name, options->row, options->offset, options->slip};
    slip_unilateral contact = {.name = options->name,
                               .law = options->law.type ? &options->law : NULL,
                               .restitution = options->restitution};
    char what[100];
    int status;
    SLIP_TRY(open_for_motion(ctx, model));
    SLIP_TRY(check_contact(ctx, model, &source, false));
    SLIP_TRY(check_unilateral(ctx, options));
    contact.impact_friction = options->impact_friction && strcmp(options->impact_friction, "coulomb") == 0;
    snprintf(what, sizeof what, "gap of contact `%.60s`", options->name);
    SLIP_TRY(compile(ctx, model, what, options->gap, &contact.gap));
    SLIP_TRY(compile_slip(ctx, model, &source, &contact.slip));
    status = slip_model_append_unilateral(ctx, model, &contact);
    contact.gap = contact.slip = NULL; /* taken over */
done:
    slip_expression_destroy(contact.gap);
    slip_expression_destroy(contact.slip);
    return status;
}

slip_patch_contact_options slip_patch_contact_options_default(void)
{
    return (slip_patch_contact_options){.normal_force = "1", .mu = NAN, .area = slip_patch_options_default()};
}

int slip_model_add_patch(slip_context *ctx, slip_model *model, const slip_patch_contact_options *options)
{
    const char *const texts[3] = {options->slip_x, options->slip_y, options->spin};
    static const char *const names[3] = {"slip_x", "slip_y", "spin"};
    slip_source source = {.name = options->name};
    slip_patch_source patch = {.name = options->name, .mu = options->mu, .area = &options->area};
    char what[100];
    int status;
    SLIP_TRY(open_for_change(ctx, model));
    SLIP_TRY(check_contact(ctx, model, &source, false));
    for (int part = 0; part < 3; part++) {
        snprintf(what, sizeof what, "%s of contact `%.60s`", names[part], options->name);
        if (texts[part])
            SLIP_TRY(compile(ctx, model, what, texts[part], &patch.slip[part]));
    }
    snprintf(what, sizeof what, "normal force of contact `%.60s`", options->name);
    if (options->normal_force)
        SLIP_TRY(compile(ctx, model, what, options->normal_force, &patch.normal_force));
    return slip_model_append_patch(ctx, model, &patch); /* takes over the expressions */
done:
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(patch.slip[part]);
    slip_expression_destroy(patch.normal_force);
    return status;
}
