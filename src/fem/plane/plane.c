/* Building a plane: bodies and surfaces are collected, then checked and put together. */
#include "fem/check.h"
#include "fem/plane/slide.h"
#include "fem/plane/types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_plane_create(slip_context *ctx, int parameter_count, const double *values, slip_plane **result)
{
    SLIP_FREED_BY(slip_plane_drop) slip_plane *plane = slip_alloc(1, sizeof *plane);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, plane));
    slip_arena *arena = &plane->arena;
    plane->parameter_count = parameter_count;
    plane->parameter_values = slip_arena_array(arena, parameter_count + 1, sizeof(double));
    plane->structural = slip_arena_array(arena, parameter_count + 1, sizeof(bool));
    plane->slots = slip_arena_array(arena, slip_plane_slot_parameter + parameter_count, sizeof(double));
    plane->gradient = slip_arena_array(arena, slip_plane_slot_parameter + parameter_count, sizeof(double));
    SLIP_PASS(
        slip_allocated(ctx, plane->parameter_values && plane->structural && plane->slots && plane->gradient));
    for (int i = 0; i < parameter_count; i++)
        plane->parameter_values[i] = values[i];
    SLIP_HAND(result, plane);
    return SLIP_OK;
}

static void destroy_vector(slip_expression *const vector[3])
{
    for (int k = 0; k < 3; k++)
        slip_expression_destroy(vector[k]);
}

static void free_body(const slip_plane_body *body)
{
    for (int i = 0; i < body->traction_count; i++)
        destroy_vector(body->tractions[i].force);
    destroy_vector(body->body_force);
    slip_mesh_destroy(body->mesh);
    slip_sparse_destroy(body->stiffness);
    slip_sparse_destroy(body->mass);
    slip_sparse_destroy(body->spring_stiffness);
    slip_sparse_destroy(body->spring_damping);
    free(body->boundary);
}

static void free_surface(const slip_plane_surface *surface)
{
    destroy_vector(surface->point);
    slip_expression_destroy(surface->gap);
    slip_expression_destroy(surface->friction);
}

void slip_plane_destroy(slip_plane *plane)
{
    if (!plane)
        return;
    for (int i = 0; i < plane->body_count; i++)
        free_body(&plane->bodies[i]);
    for (int i = 0; i < plane->surface_count; i++)
        free_surface(&plane->surfaces[i]);
    free(plane->bodies);
    free(plane->surfaces);
    for (int i = 0; i < plane->slide_count; i++)
        slip_slide_destroy(plane->slides[i]);
    free(plane->slides);
    free(plane->unknown_of);
    slip_sparse_destroy(plane->stiffness);
    slip_factor_destroy(plane->factor);
    free(plane->loads);
    free(plane->samples);
    free(plane->contacts);
    free(plane->gaps);
    for (int k = 0; k < 3; k++)
        free(plane->rows[k]);
    free(plane->scratch);
    slip_arena_free(&plane->arena);
    free(plane);
}

/* ---- bodies ---- */

static int check_body(slip_context *ctx, const slip_plane *plane, const slip_body *body)
{
    for (int i = 0; i < plane->body_count; i++)
        if (strcmp(plane->bodies[i].name, body->name) == 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "there are two bodies `%s`", body->name);
    if (plane->finished)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "body `%s` comes too late: the plane is finished",
                         body->name);
    if (plane->dimension != 0 && body->mesh->dimension != plane->dimension)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "body `%s`: found a mesh of dimension %d, expected %d as body `%s` has", body->name,
                         body->mesh->dimension, plane->dimension, plane->bodies[0].name);
    for (int g = 0; g < body->mesh->group_count && body->large; g++)
        if (body->mesh->groups[g].cell != &slip_cell_hex8)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "body `%s`: found elements %s with `strain: large`, expected bricks of eight nodes "
                "(hex8), the ones that there are for large strains",
                body->name, body->mesh->groups[g].cell->name);
    if (body->mass)
        return SLIP_OK;
    if (!(body->young > 0) || !isfinite(body->young))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s`: young is %g, expected more than 0", body->name,
                         body->young);
    if (!(body->poisson > -1 && body->poisson < 0.5))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "body `%s`: poisson is %g, expected more than -1 and less than 0.5", body->name,
                         body->poisson);
    if (!(body->thickness > 0) || !isfinite(body->thickness))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s`: thickness is %g, expected more than 0",
                         body->name, body->thickness);
    if (!(body->density >= 0) || !isfinite(body->density))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s`: density is %g, expected more than 0", body->name,
                         body->density);
    return SLIP_OK;
}

/* Copies names, supports, springs and tractions into the arena. */
static bool copy_body(slip_plane *plane, const slip_body *from, slip_plane_body *to)
{
    bool complete;
    to->name = slip_arena_string(&plane->arena, from->name);
    to->supports = slip_arena_array(&plane->arena, from->support_count + 1, sizeof *to->supports);
    to->tractions = slip_arena_array(&plane->arena, from->traction_count + 1, sizeof *to->tractions);
    to->springs = slip_arena_array(&plane->arena, from->spring_count + 1, sizeof *to->springs);
    complete = to->name && to->supports && to->tractions && to->springs;
    for (int i = 0; i < from->support_count && complete; i++) {
        to->supports[i] = from->supports[i];
        to->supports[i].set = slip_arena_string(&plane->arena, from->supports[i].set);
        complete = to->supports[i].set != NULL;
    }
    for (int i = 0; i < from->traction_count && complete; i++) {
        to->tractions[i] = from->tractions[i];
        to->tractions[i].set = slip_arena_string(&plane->arena, from->tractions[i].set);
        complete = to->tractions[i].set != NULL;
    }
    for (int i = 0; i < from->spring_count && complete; i++) {
        to->springs[i] = from->springs[i];
        to->springs[i].set = slip_arena_string(&plane->arena, from->springs[i].set);
        complete = to->springs[i].set != NULL;
    }
    to->spring_count = from->spring_count;
    to->support_count = from->support_count;
    to->traction_count = from->traction_count;
    return complete;
}

/* Frees what the caller has handed over. */
static int refuse_body(const slip_body *body, int status)
{
    for (int i = 0; i < body->traction_count; i++)
        destroy_vector(body->tractions[i].force);
    destroy_vector(body->body_force);
    slip_mesh_destroy(body->mesh);
    slip_sparse_destroy(body->stiffness);
    slip_sparse_destroy(body->mass);
    return status;
}

static bool reserve_body(slip_plane *plane, const slip_plane_body *body)
{
    const int64_t d = body->mesh->dimension, before = d * plane->node_count,
                  more = d * body->mesh->node_count;
    bool complete = SLIP_ROOM(plane->bodies, plane->body_capacity, plane->body_count + 1) &&
                    SLIP_ROOM(plane->unknown_of, plane->component_capacity, before + more);
    if (!complete)
        return false;
    memset(plane->unknown_of + before, 0, (size_t)more * sizeof *plane->unknown_of);
    for (int k = 0; k < 3 && complete; k++) {
        complete = slip_plane_reserve_scratch(plane, body->body_force[k]);
        for (int i = 0; i < body->traction_count && complete; i++)
            complete = slip_plane_reserve_scratch(plane, body->tractions[i].force[k]);
    }
    return complete;
}

/* Everything about a body that can be wrong. */
static int prepare_body(slip_context *ctx, slip_plane *plane, slip_plane_body *body)
{
    char owner[100];
    snprintf(owner, sizeof owner, "body `%.60s`", body->name);
    if (!body->mass)
        SLIP_PASS(slip_mesh_check(ctx, owner, body->mesh, &body->boundary));
    if (!reserve_body(plane, body))
        return slip_fail_memory(ctx);
    body->first_node = plane->node_count;
    body->first_element = plane->element_count;
    /* of a body by matrices: components that are none of theirs */
    for (int64_t i = body->mass ? body->mass->size : INT64_MAX;
         i < (int64_t)body->mesh->dimension * body->mesh->node_count; i++)
        plane->unknown_of[(int64_t)body->mesh->dimension * body->first_node + i] = -1;
    if (body->spring_count > 0)
        SLIP_PASS(slip_plane_prepare_springs(ctx, body));
    SLIP_PASS(slip_plane_hold(ctx, plane, body));
    return slip_plane_prepare_loads(ctx, plane, body);
}

int slip_plane_add_body(slip_context *ctx, slip_plane *plane, const slip_body *body)
{
    slip_plane_body copy = {.mesh = body->mesh, .stiffness = body->stiffness, .mass = body->mass};
    const int64_t loads = plane->load_count, samples = plane->sample_count;
    int status = check_body(ctx, plane, body);
    if (status < 0)
        return refuse_body(body, status);
    if (!copy_body(plane, body, &copy))
        return refuse_body(body, slip_fail_memory(ctx));
    memcpy(copy.body_force, body->body_force, sizeof copy.body_force);
    copy.loose = body->loose;
    copy.elastic = slip_elastic_make(body->mesh->dimension == 3 ? SLIP_SOLID
                                     : body->plane_stress       ? SLIP_PLANE_STRESS
                                                                : SLIP_PLANE_STRAIN,
                                     body->young, body->poisson, body->thickness);
    copy.large = body->large;
    copy.hourglass = body->hourglass;
    copy.elastic.incompatible = !body->large;
    copy.elastic.density = body->density;
    status = prepare_body(ctx, plane, &copy);
    if (status < 0) { /* as if it had never been there */
        plane->load_count = loads;
        plane->sample_count = samples;
        free_body(&copy);
        return status;
    }
    plane->dimension = copy.mesh->dimension;
    plane->node_count += copy.mesh->node_count;
    plane->element_count += copy.mesh->element_count;
    plane->bodies[plane->body_count++] = copy;
    return SLIP_OK;
}

/* ---- surfaces ---- */

static int check_surface(slip_context *ctx, const slip_plane *plane, const slip_plane_surface *surface)
{
    if (plane->finished)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s` comes too late: the plane is finished",
                         surface->name);
    for (int i = 0; i < plane->surface_count; i++)
        if (strcmp(plane->surfaces[i].name, surface->name) == 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "there are two contacts `%s`", surface->name);
    const double length = hypot(hypot(surface->normal[0], surface->normal[1]), surface->normal[2]);
    if (!surface->second_body && !(length > 0 && isfinite(length)))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: the normal of the rigid plane is (%g, %g, %g), expected a direction",
                         surface->name, surface->normal[0], surface->normal[1], surface->normal[2]);
    return SLIP_OK;
}

static bool copy_name(slip_plane *plane, const char **name)
{
    *name = *name ? slip_arena_string(&plane->arena, *name) : NULL;
    return *name != NULL;
}

static bool copy_surface(slip_plane *plane, slip_plane_surface *copy)
{
    bool complete = copy_name(plane, &copy->name) && copy_name(plane, &copy->first_body) &&
                    copy_name(plane, &copy->first_edge);
    if (complete && copy->line) {
        double *line = slip_arena_array(&plane->arena, 2 * (int64_t)copy->line_count, sizeof *line);
        if (line)
            memcpy(line, copy->line, 2 * (size_t)copy->line_count * sizeof *line);
        copy->line = line;
        complete = line != NULL;
    }
    if (complete && copy->second_body)
        complete = copy_name(plane, &copy->second_body) && copy_name(plane, &copy->second_edge);
    for (int k = 0; k < 3; k++)
        complete = complete && slip_plane_reserve_scratch(plane, copy->point[k]);
    return complete && slip_plane_reserve_scratch(plane, copy->gap) &&
           slip_plane_reserve_scratch(plane, copy->friction) &&
           SLIP_ROOM(plane->surfaces, plane->surface_capacity, plane->surface_count + 1);
}

int slip_plane_add_surface(slip_context *ctx, slip_plane *plane, const slip_plane_surface *surface)
{
    const int contacts = plane->contact_count;
    slip_plane_surface copy = *surface;
    int status = check_surface(ctx, plane, surface);
    if (status >= 0 && !copy_surface(plane, &copy))
        status = slip_fail_memory(ctx);
    if (status >= 0) {
        plane->surfaces[plane->surface_count] = copy;
        status = slip_plane_find_contacts(ctx, plane, plane->surface_count);
    }
    if (status >= 0) {
        plane->surface_count++;
        return SLIP_OK;
    }
    plane->contact_count = contacts;
    free_surface(surface);
    return status;
}

/* ---- finishing ---- */

bool slip_plane_is_structural(const slip_plane *plane, int parameter)
{
    return plane->structural[parameter];
}

void slip_plane_set_structural(slip_plane *plane, int parameter)
{
    plane->structural[parameter] = true;
}

int slip_plane_finish(slip_context *ctx, slip_plane *plane)
{
    int status;
    if (plane->failure < 0)
        return slip_fail(ctx, plane->failure, "%s", plane->message ? plane->message : "out of memory");
    if (plane->finished)
        return SLIP_OK;
    plane->finished = true; /* no more bodies and contacts, also after a failure */
    if (plane->body_count == 0)
        SLIP_TRY(slip_fail(ctx, SLIP_ERROR_MODEL, "there are no bodies"));
    SLIP_TRY(slip_plane_assemble(ctx, plane));
    SLIP_TRY(slip_plane_condense(ctx, plane));
done:
    plane->failure = status < 0 ? status : SLIP_OK;
    if (status < 0)
        plane->message = slip_arena_string(&plane->arena, slip_context_message(ctx));
    return status;
}

/* ---- looking ---- */

const double *slip_plane_parameter_values(const slip_plane *plane)
{
    return plane->parameter_values;
}

int slip_plane_dimension(const slip_plane *plane)
{
    return plane->dimension == 3 ? 3 : 2;
}

int slip_plane_body_count(const slip_plane *plane)
{
    return plane->body_count;
}

const char *slip_plane_body_name(const slip_plane *plane, int body)
{
    return plane->bodies[body].name;
}

const slip_mesh *slip_plane_body_mesh(const slip_plane *plane, int body)
{
    return plane->bodies[body].mesh;
}

const slip_sparse *slip_plane_body_stiffness(const slip_plane *plane, int body)
{
    return plane->bodies[body].stiffness;
}

const slip_sparse *slip_plane_body_mass(const slip_plane *plane, int body)
{
    return plane->bodies[body].mass;
}

const slip_elastic *slip_plane_body_elastic(const slip_plane *plane, int body)
{
    return &plane->bodies[body].elastic;
}

bool slip_plane_body_large(const slip_plane *plane, int body, double *hourglass)
{
    *hourglass = plane->bodies[body].hourglass;
    return plane->bodies[body].large;
}

int slip_plane_body_first_node(const slip_plane *plane, int body)
{
    return plane->bodies[body].first_node;
}

int slip_plane_node_count(const slip_plane *plane)
{
    return plane->node_count;
}

int64_t slip_plane_unknown_count(const slip_plane *plane)
{
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)plane->dimension * plane->node_count; i++)
        count += plane->unknown_of[i] >= 0;
    return count;
}

int slip_plane_contact_count(const slip_plane *plane)
{
    return plane->contact_count;
}

const slip_plane_contact *slip_plane_contacts(const slip_plane *plane)
{
    return plane->contacts;
}

int slip_plane_surface_count(const slip_plane *plane)
{
    return plane->surface_count;
}

const char *slip_plane_surface_name(const slip_plane *plane, int surface)
{
    return plane->surfaces[surface].name;
}

const double *slip_plane_compliance(const slip_plane *plane)
{
    return plane->compliance;
}
