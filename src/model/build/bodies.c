/* Building a model of bodies in C, and queries. Everything is also added to the document, as in a file. */
#include "fem/block.h"
#include "model/build/build.h"
#include "model/names.h"
#include "slipstick/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_model_create_bodies(slip_context *ctx, slip_model **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, result);
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    SLIP_PASS(slip_model_allocate(ctx, &model));
    SLIP_PASS(slip_model_set_coordinates(ctx, model, 0, 0, NULL));
    SLIP_PASS(slip_build_document(ctx, model));
    model->of_bodies = true;
    SLIP_HAND(result, model);
    return SLIP_OK;
}

SLIP_OPTIONS_FILL(slip_body_options, .thickness = 1)

SLIP_OPTIONS_FILL(slip_surface_options, .normal = {0, 1})

/* ---- the plane ---- */

/* With the parameters as they are now: no more of them. */
static int open_plane(slip_context *ctx, slip_model *model)
{
    const int count = (int)model->parameter_count;
    int status = SLIP_OK;
    if (!model->of_bodies)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "the model has coordinates: bodies belong to a model of slip_model_create_bodies");
    if (model->plane)
        return SLIP_OK;
    SLIP_FREED double *values = slip_alloc(count, sizeof *values);
    if (!values)
        status = slip_fail_memory(ctx);
    for (int i = 0; i < count && status >= 0; i++)
        values[i] = model->parameters[i].value;
    if (status >= 0)
        status = slip_plane_create(ctx, count, values, &model->plane);
    return status;
}

/* An expression in x, y and the parameters; NULL stays NULL. */
static int compile(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                   slip_expression **expression)
{
    const int count = (int)model->parameter_count;
    slip_expression_error error;
    *expression = NULL;
    if (!text)
        return SLIP_OK;
    slip_symbol *symbols = slip_alloc(slip_plane_slot_parameter + count + 1, sizeof *symbols);
    SLIP_PASS(slip_allocated(ctx, symbols));
    symbols[0] = (slip_symbol){"x", slip_plane_slot_x, 0, NULL, 0};
    symbols[1] = (slip_symbol){"y", slip_plane_slot_y, 0, NULL, 0};
    for (int i = 0; i < count; i++)
        symbols[2 + i] = (slip_symbol){model->parameters[i].name, slip_plane_slot_parameter + i, 0, NULL, 0};
    int status = slip_expression_compile(text, symbols, expression, &error);
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
        SLIP_PASS(slip_mesh_add_set(ctx, mesh, set->name, SLIP_SET_NODES, set->count, &items));
        for (int k = 0; k < set->count; k++) {
            if (set->nodes[k] < 0 || set->nodes[k] >= mesh->node_count)
                return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s`: set `%s` has node %d, expected 0 to %d",
                                 o->name, set->name, set->nodes[k], mesh->node_count - 1);
            items[k] = set->nodes[k];
        }
    }
    return SLIP_OK;
}

static int mesh_from_arrays(slip_context *ctx, const slip_body_options *o, const slip_cell *cell,
                            slip_mesh **result)
{
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *mesh = NULL;
    int *nodes;
    SLIP_PASS(slip_mesh_create(ctx, 2, o->node_count, &mesh));
    memcpy(mesh->points, o->points, 2 * (size_t)o->node_count * sizeof(double));
    SLIP_PASS(slip_mesh_add_group(ctx, mesh, cell, o->quad_count, &nodes));
    memcpy(nodes, o->quads, (size_t)cell->node_count * (size_t)o->quad_count * sizeof(int));
    SLIP_PASS(add_sets(ctx, o, mesh));
    SLIP_HAND(result, mesh);
    return SLIP_OK;
}

static int make_mesh(slip_context *ctx, const slip_body_options *o, slip_mesh **mesh)
{
    double range[4] = {o->x[0], o->x[1], o->y[0], o->y[1]};
    const slip_cell *cell = slip_block_cell(2, o->element, NULL);
    const int ways = (o->mesh_file != NULL) + (o->points != NULL) + (o->elements[0] != 0);
    *mesh = NULL;
    if (ways != 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "body `%s`: found %d meshes, expected one of mesh_file, elements and points",
                         o->name, ways);
    if (!cell)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "body `%s`: found the element `%s`, expected quad4, quad8, tri3 or tri6", o->name,
                         o->element);
    if (o->mesh_file) {
        const int status = slip_mesh_read(ctx, o->mesh_file, mesh);
        return status < 0 || (*mesh)->dimension == 2
                   ? status
                   : slip_fail(ctx, SLIP_ERROR_USAGE,
                               "body `%s`: %s has elements in space, expected a plane mesh; bodies in space "
                               "are those of model files (slip_model_load, slip_model_parse)",
                               o->name, o->mesh_file);
    }
    if (o->points)
        return mesh_from_arrays(ctx, o, cell, mesh);
    return slip_block_create(ctx, cell, o->elements[0], o->elements[1], slip_block_rectangle, range, mesh);
}

/* ---- as what a file would say ---- */

static void put_pair(slip_draft *d, slip_tree *to, const char *key, const char *const texts[2])
{
    slip_tree *pair = slip_tree_sequence(d->arena, 2);
    for (int k = 0; k < 2 && pair; k++)
        if (!(pair->item[k] = slip_tree_scalar(d->arena, texts[k] ? texts[k] : "0")))
            pair = NULL;
    slip_draft_put(d, to, key, pair);
}

static slip_tree *mesh_node(slip_draft *d, const slip_body_options *o)
{
    slip_tree *node = slip_tree_mapping(d->arena), *block = slip_tree_mapping(d->arena);
    if (o->points && node) {
        node->object = o->name;
        node->text = "The mesh was given by arrays, which cannot be written.";
    } else if (o->mesh_file) {
        slip_draft_text(d, node, "file", o->mesh_file);
        if (d->good)
            slip_tree_find(node, "file")->is_text = true;
    } else {
        slip_draft_put(d, block, "x", slip_tree_numbers(d->arena, 2, o->x));
        slip_draft_put(d, block, "y", slip_tree_numbers(d->arena, 2, o->y));
        slip_draft_put(d, block, "elements",
                       slip_tree_numbers(d->arena, 2, (double[]){o->elements[0], o->elements[1]}));
        slip_draft_text(d, block, "element", o->element);
        slip_draft_put(d, node, "block", block);
    }
    return node;
}

static slip_tree *body_node(slip_arena *arena, const slip_body_options *o)
{
    slip_draft d = {arena, true};
    slip_tree *node = slip_tree_mapping(arena), *material = slip_tree_mapping(arena),
              *fix = slip_tree_mapping(arena), *tractions = slip_tree_mapping(arena),
              *springs = slip_tree_mapping(arena);
    slip_draft_put(&d, node, "mesh", mesh_node(&d, o));
    slip_draft_put(&d, material, "young", slip_tree_number(arena, o->young));
    slip_draft_put(&d, material, "poisson", slip_tree_number(arena, o->poisson));
    if (o->density > 0)
        slip_draft_put(&d, material, "density", slip_tree_number(arena, o->density));
    slip_draft_put(&d, node, "material", material);
    slip_draft_text(&d, node, "plane", o->plane_stress ? "stress" : "strain");
    slip_draft_put(&d, node, "thickness", slip_tree_number(arena, o->thickness));
    for (int i = 0; i < o->support_count; i++)
        slip_draft_text(&d, fix, o->supports[i].set,
                        o->supports[i].x ? (o->supports[i].y ? "xy" : "x") : (o->supports[i].y ? "y" : ""));
    slip_draft_put(&d, node, "fix", fix);
    for (int i = 0; i < o->spring_count; i++) {
        slip_tree *spring = slip_tree_mapping(arena);
        slip_draft_put(&d, spring, "stiffness", slip_tree_numbers(arena, 2, o->springs[i].stiffness));
        slip_draft_put(&d, springs, o->springs[i].set, spring);
    }
    if (o->spring_count > 0)
        slip_draft_put(&d, node, "springs", springs);
    for (int i = 0; i < o->traction_count; i++)
        put_pair(&d, tractions, o->tractions[i].set, o->tractions[i].force);
    if (o->traction_count > 0)
        slip_draft_put(&d, node, "tractions", tractions);
    if (o->body_force[0] || o->body_force[1])
        put_pair(&d, node, "body_force", o->body_force);
    return d.good ? node : NULL;
}

static slip_tree *surface_node(slip_arena *arena, const slip_surface_options *o)
{
    slip_draft d = {arena, true};
    slip_tree *node = slip_tree_mapping(arena), *between = slip_tree_sequence(arena, 2), *plane, *law;
    if (!node || !between)
        return NULL;
    slip_draft_text(&d, node, "kind", "surface");
    between->item[0] = slip_tree_scalar(arena, o->first);
    if (o->second) {
        between->item[1] = slip_tree_scalar(arena, o->second);
    } else {
        between->item[1] = plane = slip_tree_mapping(arena);
        put_pair(&d, plane, "point", o->point);
        slip_draft_put(&d, plane, "normal", slip_tree_numbers(arena, 2, o->normal));
    }
    slip_draft_put(&d, node, "between", between->item[0] && between->item[1] ? between : NULL);
    slip_draft_text(&d, node, "gap", o->gap);
    if (o->friction) {
        law = slip_tree_mapping(arena);
        slip_draft_text(&d, law, "type", "coulomb");
        slip_draft_text(&d, law, "mu", o->friction);
        slip_draft_put(&d, node, "law", law);
    }
    return d.good ? node : NULL;
}

/* Adds to a section of the document. */
static int keep(slip_context *ctx, slip_model *model, const char *section, const char *name, slip_tree *node)
{
    slip_tree *to = slip_build_section(model, section);
    return to && slip_tree_put(&model->arena, to, name, node) ? SLIP_OK : slip_fail_memory(ctx);
}

/* ---- adding ---- */

/* The body's supports, springs and loads, in arrays of the arena. */
static int fill_body(slip_context *ctx, slip_model *model, const slip_body_options *o, slip_body *body,
                     slip_support *supports, slip_spring *springs, slip_traction *tractions)
{
    char what[160];
    body->supports = supports;
    body->support_count = o->support_count;
    body->tractions = tractions;
    body->traction_count = o->traction_count;
    for (int i = 0; i < o->support_count; i++)
        supports[i] = (slip_support){o->supports[i].set, {o->supports[i].x != 0, o->supports[i].y != 0}};
    body->springs = springs;
    body->spring_count = o->spring_count;
    for (int i = 0; i < o->spring_count; i++) {
        const double *stiffness = o->springs[i].stiffness;
        for (int k = 0; k < 2; k++)
            if (!(stiffness[k] >= 0) || !isfinite(stiffness[k]))
                return slip_fail(ctx, SLIP_ERROR_MODEL,
                                 "springs on `%.60s` of body `%.60s`: stiffness is %g, expected 0 or more",
                                 o->springs[i].set, o->name, stiffness[k]);
        springs[i] = (slip_spring){.set = o->springs[i].set, .stiffness = {stiffness[0], stiffness[1]}};
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < o->traction_count; i++) {
            tractions[i].set = o->tractions[i].set;
            snprintf(what, sizeof what, "traction on `%.60s` of body `%.60s`", tractions[i].set, o->name);
            SLIP_PASS(compile(ctx, model, what, o->tractions[i].force[k], &tractions[i].force[k]));
        }
        snprintf(what, sizeof what, "force in body `%.60s`", o->name);
        SLIP_PASS(compile(ctx, model, what, o->body_force[k], &body->body_force[k]));
    }
    return SLIP_OK;
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

int slip_model_add_body(slip_context *ctx, slip_model *model, const slip_body_options *given_options)
{
    SLIP_NEED(ctx, model, given_options);
    SLIP_TAKE(slip_body_options, o, given_options);
    SLIP_FREED slip_support *supports = slip_alloc(o->support_count, sizeof *supports);
    SLIP_FREED slip_spring *springs = slip_alloc(o->spring_count, sizeof *springs);
    SLIP_FREED slip_traction *tractions = slip_alloc(o->traction_count, sizeof *tractions);
    SLIP_FREED_BY(free_body) /* before the arrays */
    slip_body body = {.name = o->name,
                      .young = o->young,
                      .poisson = o->poisson,
                      .thickness = o->thickness,
                      .density = o->density,
                      .plane_stress = o->plane_stress != 0};
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, supports && springs && tractions));
    SLIP_PASS(open_plane(ctx, model));
    SLIP_PASS(check_name(ctx, "body", o->name));
    SLIP_PASS(make_mesh(ctx, o, &body.mesh));
    SLIP_PASS(fill_body(ctx, model, o, &body, supports, springs, tractions));
    status = slip_plane_add_body(ctx, model->plane, &body);
    body = (slip_body){0}; /* taken over */
    SLIP_PASS(status);
    return keep(ctx, model, "bodies", o->name, body_node(&model->arena, o));
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

int slip_model_add_surface(slip_context *ctx, slip_model *model, const slip_surface_options *given_options)
{
    SLIP_NEED(ctx, model, given_options);
    SLIP_TAKE(slip_surface_options, o, given_options);
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
    status = keep(ctx, model, "contacts", o->name, surface_node(&model->arena, o));
done:
    for (int k = 0; k < 3; k++)
        slip_expression_destroy(s.point[k]);
    slip_expression_destroy(s.gap);
    slip_expression_destroy(s.friction);
    return status;
}

/* ---- looking ---- */

int slip_bodies_finish(slip_context *ctx, slip_model *model)
{
    slip_context_clear(ctx);
    if (!model->plane)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the model has no bodies");
    return slip_plane_finish(ctx, model->plane);
}

int slip_bodies_point_count(const slip_model *model)
{
    return model && model->plane ? slip_plane_contact_count(model->plane) : 0;
}

int slip_bodies_node_count(const slip_model *model)
{
    return model && model->plane ? slip_plane_node_count(model->plane) : 0;
}

int slip_bodies_point(slip_context *ctx, slip_model *model, int index, slip_contact_point *point)
{
    SLIP_NEED(ctx, model, point);
    const int count = slip_bodies_point_count(model);
    const slip_plane_contact *contact;
    if (index < 0 || index >= count)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no contact point %d of %d", index, count);
    contact = &slip_plane_contacts(model->plane)[index];
    SLIP_FREED double *gaps = slip_alloc(count, sizeof *gaps);
    SLIP_PASS(slip_allocated(ctx, gaps));
    int status =
        slip_plane_gap(ctx, model->plane, slip_plane_parameter_values(model->plane), NULL, gaps, NULL);
    *point = (slip_contact_point){.name = contact->name, .gap = gaps[index]};
    memcpy(point->place, contact->place, sizeof point->place);
    memcpy(point->normal, contact->normal, sizeof point->normal);
    memcpy(point->tangent, contact->tangent, sizeof point->tangent);
    return status;
}

int slip_bodies_condense(slip_context *ctx, slip_model *model, double *compliance, double *free_displacement)
{
    SLIP_NEED(ctx, model);
    const size_t rows =
        model->plane ? (size_t)(slip_plane_dimension(model->plane) * slip_bodies_point_count(model)) : 0;
    SLIP_PASS(slip_bodies_finish(ctx, model));
    if (compliance)
        memcpy(compliance, slip_plane_compliance(model->plane), rows * rows * sizeof *compliance);
    if (free_displacement)
        SLIP_PASS(slip_plane_free_displacement(ctx, model->plane, slip_plane_parameter_values(model->plane),
                                               NULL, free_displacement, NULL));
    return SLIP_OK;
}

int slip_bodies_displacements(slip_context *ctx, slip_model *model, const double *lambda, double *u)
{
    SLIP_NEED(ctx, model, u);
    SLIP_PASS(slip_bodies_finish(ctx, model));
    return slip_plane_displacements(ctx, model->plane, slip_plane_parameter_values(model->plane), lambda, u);
}

int slip_bodies_stresses(slip_context *ctx, slip_model *model, const double *u, double *stress,
                         double *energy)
{
    SLIP_NEED(ctx, model, u);
    SLIP_FREED double *each = NULL;
    SLIP_PASS(slip_bodies_finish(ctx, model));
    if (stress)
        SLIP_PASS(slip_plane_stresses(ctx, model->plane, u, stress));
    if (!energy)
        return SLIP_OK;
    each = slip_alloc(slip_plane_body_count(model->plane), sizeof *each);
    SLIP_PASS(slip_allocated(ctx, each));
    SLIP_PASS(slip_plane_energy(ctx, model->plane, u, each));
    *energy = 0;
    for (int i = 0; i < slip_plane_body_count(model->plane); i++)
        *energy += each[i];
    return SLIP_OK;
}

int slip_bodies_save_vtu(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                         const char *path)
{
    SLIP_NEED(ctx, model, u, path);
    SLIP_PASS(slip_bodies_finish(ctx, model));
    return slip_plane_write_vtu(ctx, model->plane, u, lambda, path);
}
