/* Building a model of bodies in C, and looking at one. What is added is remembered as the lines that a model
 * file would have. */
#include "fem/block.h"
#include "model/emit.h"
#include "model/model.h"
#include "model/names.h"
#include "result/plot_bodies.h"
#include "slipstick/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_model_create_bodies(slip_context *ctx, slip_model **result)
{
    slip_model *model = NULL;
    int status;
    *result = NULL;
    SLIP_TRY(slip_model_allocate(ctx, &model));
    SLIP_TRY(slip_model_set_coordinates(ctx, model, 0, NULL));
    model->of_bodies = true;
    *result = model;
    model = NULL;
done:
    slip_model_destroy(model);
    return status;
}

slip_body_options slip_body_options_default(void)
{
    return (slip_body_options){.thickness = 1};
}

slip_surface_options slip_surface_options_default(void)
{
    return (slip_surface_options){.normal = {0, 1}};
}

/* ---- the plane ---- */

/* With the parameters as they are now: no more of them. */
static int open_plane(slip_context *ctx, slip_model *model)
{
    const int count = (int)model->parameter_count;
    const char **names;
    double *values;
    int status = SLIP_OK;
    if (!model->of_bodies)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "the model has coordinates: bodies belong to a model of slip_model_create_bodies");
    if (model->plane)
        return SLIP_OK;
    names = slip_alloc(count, sizeof *names);
    values = slip_alloc(count, sizeof *values);
    if (!names || !values)
        status = slip_fail_memory(ctx);
    for (int i = 0; i < count && status >= 0; i++) {
        names[i] = model->parameters[i].name;
        values[i] = model->parameters[i].value;
    }
    if (status >= 0)
        status = slip_plane_create(ctx, count, names, values, &model->plane);
    free(names);
    free(values);
    return status;
}

/* An expression in x, y and the parameters; NULL stays NULL. */
static int compile(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                   slip_expression **expression)
{
    const int count = (int)model->parameter_count;
    slip_symbol *symbols;
    slip_expression_error error;
    int status;
    *expression = NULL;
    if (!text)
        return SLIP_OK;
    symbols = slip_alloc(slip_plane_slot_parameter + count + 1, sizeof *symbols);
    if (!symbols)
        return slip_fail_memory(ctx);
    symbols[slip_plane_slot_x] = (slip_symbol){"x", slip_plane_slot_x, 0};
    symbols[slip_plane_slot_y] = (slip_symbol){"y", slip_plane_slot_y, 0};
    for (int i = 0; i < count; i++)
        symbols[slip_plane_slot_parameter + i] =
            (slip_symbol){model->parameters[i].name, slip_plane_slot_parameter + i, 0};
    status = slip_expression_compile(text, symbols, expression, &error);
    free(symbols);
    if (status == SLIP_ERROR_MODEL)
        return slip_fail(ctx, status, "%s: `%.100s`: at character %d: %s", what, text, error.position + 1,
                         error.message);
    return status < 0 ? slip_fail_memory(ctx) : SLIP_OK;
}

static int check_name(slip_context *ctx, const char *what, const char *name)
{
    const char *problem = name ? slip_name_problem(name, false) : "has no name";
    return problem ? slip_fail(ctx, SLIP_ERROR_MODEL, "%s `%.60s` %s", what, name ? name : "", problem)
                   : SLIP_OK;
}

/* ---- meshes ---- */

static int add_sets(slip_context *ctx, const slip_body_options *o, slip_mesh *mesh)
{
    for (int i = 0; i < o->set_count; i++) {
        const slip_node_set *set = &o->sets[i];
        int *items;
        int status = slip_mesh_add_set(ctx, mesh, set->name, SLIP_SET_NODES, set->count, &items);
        if (status < 0)
            return status;
        for (int k = 0; k < set->count; k++) {
            if (set->nodes[k] < 0 || set->nodes[k] >= mesh->node_count)
                return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s`: set `%s` has node %d, expected 0 to %d",
                                 o->name, set->name, set->nodes[k], mesh->node_count - 1);
            items[k] = set->nodes[k];
        }
    }
    return SLIP_OK;
}

static int mesh_from_arrays(slip_context *ctx, const slip_body_options *o, slip_mesh **result)
{
    slip_mesh *mesh = NULL;
    int *nodes, status;
    SLIP_TRY(slip_mesh_create(ctx, 2, o->node_count, &mesh));
    memcpy(mesh->points, o->points, 2 * (size_t)o->node_count * sizeof(double));
    SLIP_TRY(slip_mesh_add_group(ctx, mesh, slip_cell_find("quad4"), o->quad_count, &nodes));
    memcpy(nodes, o->quads, 4 * (size_t)o->quad_count * sizeof(int));
    SLIP_TRY(add_sets(ctx, o, mesh));
    *result = mesh;
    mesh = NULL;
done:
    slip_mesh_destroy(mesh);
    return status;
}

static int make_mesh(slip_context *ctx, const slip_body_options *o, slip_mesh **mesh)
{
    double range[4] = {o->x[0], o->x[1], o->y[0], o->y[1]};
    const int ways = (o->mesh_file != NULL) + (o->points != NULL) + (o->elements[0] != 0);
    *mesh = NULL;
    if (ways != 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "body `%s`: found %d meshes, expected one of mesh_file, elements and points",
                         o->name, ways);
    if (o->mesh_file)
        return slip_mesh_read(ctx, o->mesh_file, mesh);
    if (o->points)
        return mesh_from_arrays(ctx, o, mesh);
    return slip_block_create(ctx, o->elements[0], o->elements[1], slip_block_rectangle, range, mesh);
}

/* ---- as text ---- */

static void write_pair(slip_text *text, const char *first, const char *second)
{
    slip_text_append(text, "[");
    slip_emit_scalar(text, first ? first : "0", false);
    slip_text_append(text, ", ");
    slip_emit_scalar(text, second ? second : "0", false);
    slip_text_append(text, "]");
}

static void write_range(slip_text *text, const char *key, const double range[2])
{
    slip_text_append(text, key);
    slip_emit_number(text, range[0]);
    slip_text_append(text, ", ");
    slip_emit_number(text, range[1]);
}

static void write_mesh(slip_text *text, const slip_body_options *o)
{
    if (o->points) {
        slip_text_append(text, "    # The mesh was given by arrays, which cannot be written.\n");
    } else if (o->mesh_file) {
        slip_text_append(text, "    mesh: {file: ");
        slip_emit_scalar(text, o->mesh_file, true);
        slip_text_append(text, "}\n");
    } else {
        write_range(text, "    mesh: {block: {x: [", o->x);
        write_range(text, "], y: [", o->y);
        slip_text_printf(text, "], elements: [%d, %d]}}\n", o->elements[0], o->elements[1]);
    }
}

static void write_body(slip_text *text, const slip_body_options *o)
{
    slip_text_printf(text, "  %s:\n", o->name);
    write_mesh(text, o);
    slip_text_append(text, "    material: {young: ");
    slip_emit_number(text, o->young);
    slip_text_append(text, ", poisson: ");
    slip_emit_number(text, o->poisson);
    slip_text_printf(text, "}\n    plane: %s\n    thickness: ", o->plane_stress ? "stress" : "strain");
    slip_emit_number(text, o->thickness);
    slip_text_append(text, "\n    fix:\n");
    for (int i = 0; i < o->support_count; i++) {
        slip_text_append(text, "      ");
        slip_emit_scalar(text, o->supports[i].set, true);
        slip_text_printf(text, ": %s%s\n", o->supports[i].x ? "x" : "", o->supports[i].y ? "y" : "");
    }
    if (o->traction_count > 0)
        slip_text_append(text, "    tractions:\n");
    for (int i = 0; i < o->traction_count; i++) {
        slip_text_append(text, "      ");
        slip_emit_scalar(text, o->tractions[i].set, true);
        slip_text_append(text, ": ");
        write_pair(text, o->tractions[i].force[0], o->tractions[i].force[1]);
        slip_text_append(text, "\n");
    }
    if (o->body_force[0] || o->body_force[1]) {
        slip_text_append(text, "    body_force: ");
        write_pair(text, o->body_force[0], o->body_force[1]);
        slip_text_append(text, "\n");
    }
}

static void write_surface(slip_text *text, const slip_surface_options *o)
{
    slip_text_printf(text, "  %s:\n    kind: surface\n    between: [", o->name);
    slip_emit_scalar(text, o->first, true);
    slip_text_append(text, ", ");
    if (o->second) {
        slip_emit_scalar(text, o->second, true);
    } else {
        slip_text_append(text, "{point: ");
        write_pair(text, o->point[0], o->point[1]);
        write_range(text, ", normal: [", o->normal);
        slip_text_append(text, "]}");
    }
    slip_text_append(text, "]\n");
    if (o->gap) {
        slip_text_append(text, "    gap: ");
        slip_emit_scalar(text, o->gap, false);
        slip_text_append(text, "\n");
    }
    if (o->friction) {
        slip_text_append(text, "    law: {type: coulomb, mu: ");
        slip_emit_scalar(text, o->friction, false);
        slip_text_append(text, "}\n");
    }
}

/* ---- adding ---- */

/* The body's supports and loads, in arrays of the arena. */
static int fill_body(slip_context *ctx, slip_model *model, const slip_body_options *o, slip_body *body,
                     slip_support *supports, slip_traction *tractions)
{
    char what[160];
    int status = SLIP_OK;
    body->supports = supports;
    body->support_count = o->support_count;
    body->tractions = tractions;
    body->traction_count = o->traction_count;
    for (int i = 0; i < o->support_count; i++)
        supports[i] = (slip_support){o->supports[i].set, {o->supports[i].x != 0, o->supports[i].y != 0}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < o->traction_count; i++) {
            tractions[i].set = o->tractions[i].set;
            snprintf(what, sizeof what, "traction on `%.60s` of body `%.60s`", tractions[i].set, o->name);
            SLIP_TRY(compile(ctx, model, what, o->tractions[i].force[k], &tractions[i].force[k]));
        }
        snprintf(what, sizeof what, "force in body `%.60s`", o->name);
        SLIP_TRY(compile(ctx, model, what, o->body_force[k], &body->body_force[k]));
    }
done:
    return status;
}

static void free_body(const slip_body *body)
{
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < body->traction_count; i++)
            slip_expression_destroy(body->tractions[i].force[k]);
        slip_expression_destroy(body->body_force[k]);
    }
    slip_mesh_destroy(body->mesh);
}

int slip_model_add_body(slip_context *ctx, slip_model *model, const slip_body_options *o)
{
    slip_body body = {.name = o->name,
                      .young = o->young,
                      .poisson = o->poisson,
                      .thickness = o->thickness,
                      .plane_stress = o->plane_stress != 0};
    slip_support *supports = slip_alloc(o->support_count, sizeof *supports);
    slip_traction *tractions = slip_alloc(o->traction_count, sizeof *tractions);
    int status = supports && tractions ? SLIP_OK : slip_fail_memory(ctx);
    if (status < 0)
        goto done;
    SLIP_TRY(open_plane(ctx, model));
    SLIP_TRY(check_name(ctx, "body", o->name));
    SLIP_TRY(make_mesh(ctx, o, &body.mesh));
    SLIP_TRY(fill_body(ctx, model, o, &body, supports, tractions));
    status = slip_plane_add_body(ctx, model->plane, &body);
    body = (slip_body){0}; /* taken over */
    SLIP_TRY(status);
    model->document = NULL;
    write_body(&model->bodies_text, o);
done:
    free_body(&body);
    free(supports);
    free(tractions);
    return status;
}

/* "BODY.EDGE" to its parts. */
static int split_edge(slip_context *ctx, slip_model *model, const char *contact, const char *text,
                      const char **body, const char **edge)
{
    const char *dot = text ? strchr(text, '.') : NULL;
    if (!dot || dot == text || !dot[1])
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "contact `%s`: found `%.60s`, expected BODY.EDGE, such as upper.bottom", contact,
                         text ? text : "");
    *body = slip_arena_string_bytes(&model->arena, text, (size_t)(dot - text));
    *edge = slip_arena_string(&model->arena, dot + 1);
    return *body && *edge ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_model_add_surface(slip_context *ctx, slip_model *model, const slip_surface_options *o)
{
    slip_plane_surface s = {.name = o->name, .normal = {o->normal[0], o->normal[1]}};
    char what[100];
    int status;
    SLIP_TRY(open_plane(ctx, model));
    SLIP_TRY(check_name(ctx, "contact", o->name));
    snprintf(what, sizeof what, "contact `%.60s`", o->name);
    SLIP_TRY(split_edge(ctx, model, o->name, o->first, &s.first_body, &s.first_edge));
    if (o->second)
        SLIP_TRY(split_edge(ctx, model, o->name, o->second, &s.second_body, &s.second_edge));
    for (int k = 0; k < 2 && !o->second; k++)
        SLIP_TRY(compile(ctx, model, what, o->point[k] ? o->point[k] : "0", &s.point[k]));
    SLIP_TRY(compile(ctx, model, what, o->gap, &s.gap));
    SLIP_TRY(compile(ctx, model, what, o->friction, &s.friction));
    status = slip_plane_add_surface(ctx, model->plane, &s);
    s = (slip_plane_surface){0}; /* taken over */
    SLIP_TRY(status);
    model->document = NULL;
    write_surface(&model->surfaces_text, o);
done:
    slip_expression_destroy(s.point[0]);
    slip_expression_destroy(s.point[1]);
    slip_expression_destroy(s.gap);
    slip_expression_destroy(s.friction);
    return status;
}

/* ---- looking ---- */

/* The finished plane. */
static int finish(slip_context *ctx, slip_model *model)
{
    slip_context_clear(ctx);
    if (!model->plane)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the model has no bodies");
    return slip_plane_finish(ctx, model->plane);
}

int slip_bodies_point_count(const slip_model *model)
{
    return model->plane ? slip_plane_contact_count(model->plane) : 0;
}

int slip_bodies_node_count(const slip_model *model)
{
    return model->plane ? slip_plane_node_count(model->plane) : 0;
}

int slip_bodies_point(slip_context *ctx, slip_model *model, int index, slip_contact_point *point)
{
    const int count = slip_bodies_point_count(model);
    const slip_plane_contact *contact;
    double *gaps;
    int status;
    if (index < 0 || index >= count)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no contact point %d of %d", index, count);
    contact = &slip_plane_contacts(model->plane)[index];
    gaps = slip_alloc(count, sizeof *gaps);
    if (!gaps)
        return slip_fail_memory(ctx);
    status = slip_plane_gap(ctx, model->plane, slip_plane_parameter_values(model->plane), NULL, gaps, NULL);
    *point = (slip_contact_point){.name = contact->name, .gap = gaps[index]};
    memcpy(point->place, contact->place, sizeof point->place);
    memcpy(point->normal, contact->normal, sizeof point->normal);
    memcpy(point->tangent, contact->tangent, sizeof point->tangent);
    free(gaps);
    return status;
}

int slip_bodies_condense(slip_context *ctx, slip_model *model, double *compliance, double *free_displacement)
{
    const size_t rows = 2 * (size_t)slip_bodies_point_count(model);
    int status;
    SLIP_TRY(finish(ctx, model));
    if (compliance)
        memcpy(compliance, slip_plane_compliance(model->plane), rows * rows * sizeof *compliance);
    if (free_displacement)
        SLIP_TRY(slip_plane_free(ctx, model->plane, slip_plane_parameter_values(model->plane), NULL,
                                 free_displacement, NULL));
done:
    return status;
}

int slip_bodies_displacements(slip_context *ctx, slip_model *model, const double *lambda, double *u)
{
    int status;
    SLIP_TRY(finish(ctx, model));
    SLIP_TRY(
        slip_plane_displacements(ctx, model->plane, slip_plane_parameter_values(model->plane), lambda, u));
done:
    return status;
}

int slip_bodies_stresses(slip_context *ctx, slip_model *model, const double *u, double *stress,
                         double *energy)
{
    double *each = NULL;
    int status;
    SLIP_TRY(finish(ctx, model));
    if (stress)
        SLIP_TRY(slip_plane_stresses(ctx, model->plane, u, stress));
    if (!energy)
        return status;
    each = slip_alloc(slip_plane_body_count(model->plane), sizeof *each);
    if (!each)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_plane_energy(ctx, model->plane, u, each));
    *energy = 0;
    for (int i = 0; i < slip_plane_body_count(model->plane); i++)
        *energy += each[i];
done:
    free(each);
    return status;
}

int slip_bodies_save_vtu(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                         const char *path)
{
    int status;
    SLIP_TRY(finish(ctx, model));
    SLIP_TRY(slip_plane_write_vtu(ctx, model->plane, u, lambda, path));
done:
    return status;
}

int slip_bodies_plot(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                     const char *folder, const char *name)
{
    slip_bodies_options options = slip_bodies_options_default();
    int status;
    options.name = name;
    options.title = model->title[0] ? model->title : NULL;
    SLIP_TRY(finish(ctx, model));
    SLIP_TRY(slip_bodies_draw(ctx, model->plane, u, lambda, &options, folder, NULL, NULL));
done:
    return status;
}
