/* Loads: tractions on edges and forces in the volume, consistent with the shape functions:
 *
 *     f_a = integral of N_a(x) q(x, p),    by Gauss points that are found once; q is evaluated at each. */
#include "fem/plane/types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- expressions ---- */

bool slip_plane_reserve_scratch(slip_plane *plane, const slip_expression *expression)
{
    const int needed = expression ? slip_expression_scratch(expression) : 0;
    return SLIP_ROOM(plane->scratch, plane->scratch_capacity, needed + 1);
}

void slip_plane_set_parameters(slip_plane *plane, const double *parameters)
{
    for (int i = 0; i < plane->parameter_count; i++)
        plane->slots[slip_plane_slot_parameter + i] = parameters[i];
}

int slip_plane_evaluate(slip_context *ctx, slip_plane *plane, const slip_expression *expression,
                        const char *what, const double *place, const double *direction, double *value,
                        double *rate)
{
    const int slots = slip_plane_slot_parameter + plane->parameter_count;
    char reason[200];
    *value = 0;
    if (rate)
        *rate = 0;
    if (!expression)
        return SLIP_OK;
    for (int k = 0; k < 3; k++)
        plane->slots[slip_plane_slot_x + k] = place[k];
    if (rate) {
        *value = slip_expression_gradient(expression, plane->slots, slots, plane->gradient, plane->scratch);
        for (int i = 0; i < plane->parameter_count; i++)
            if (direction[i] != 0)
                *rate += direction[i] * plane->gradient[slip_plane_slot_parameter + i];
    } else {
        *value = slip_expression_value(expression, plane->slots, plane->scratch);
    }
    if (isfinite(*value) && (!rate || isfinite(*rate)))
        return SLIP_OK;
    if (isfinite(*value))
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: the slope of `%s` is not finite at (%.6g, %.6g)", what,
                         slip_expression_text(expression), place[0], place[1]);
    slip_expression_diagnose(expression, plane->slots, plane->scratch, reason, sizeof reason);
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: `%s` is not finite at (%.6g, %.6g): %s", what,
                     slip_expression_text(expression), place[0], place[1], reason);
}

/* ---- samples ---- */

static slip_load_sample *new_sample(slip_plane *plane)
{
    if (!SLIP_ROOM(plane->samples, plane->sample_capacity, plane->sample_count + 1))
        return NULL;
    slip_load_sample *sample = &plane->samples[plane->sample_count++];
    *sample = (slip_load_sample){0};
    return sample;
}

/* A visitor of the Gauss points of an element or of an edge. */
typedef struct load_visit {
    slip_plane *plane;
    double thickness;
    int dimension, node_count;
    int nodes[slip_plane_nodes_max]; /* in the numbering of all bodies */
    bool failed;
} load_visit;

static void sample_point(void *user, const double *value, const double *place, double size)
{
    load_visit *visit = user;
    slip_load_sample *sample = new_sample(visit->plane);
    if (!sample) {
        visit->failed = true;
        return;
    }
    memcpy(sample->place, place, (size_t)visit->dimension * sizeof *place);
    sample->node_count = visit->node_count;
    for (int a = 0; a < visit->node_count; a++) {
        sample->nodes[a] = visit->nodes[a];
        sample->weights[a] = value[a] * size * visit->thickness;
    }
}

/* Two Gauss points on an edge of first order, three on one of second order, which may be curved: exact for
 * tractions up to the second degree (third on straight edges). Faces in space have the rule of their shape.
 */
static bool sample_face(slip_plane *plane, const slip_plane_body *body, int face)
{
    const int d = body->mesh->dimension;
    const slip_cell *cell = slip_mesh_group_of(body->mesh, face / slip_cell_faces_max)->cell->face;
    load_visit visit = {.plane = plane, .thickness = body->elastic.thickness, .dimension = d};
    double points[slip_plane_unknowns_max];
    visit.node_count = slip_mesh_face_nodes(body->mesh, face, visit.nodes);
    for (int a = 0; a < visit.node_count; a++) {
        memcpy(points + d * a, body->mesh->points + d * (int64_t)visit.nodes[a], (size_t)d * sizeof *points);
        visit.nodes[a] += body->first_node;
    }
    slip_element_integrate(slip_element_find(cell), d, points, sample_point, &visit);
    return !visit.failed;
}

/* Starts a load whose samples follow. */
static slip_load *new_load(slip_plane *plane, slip_expression *const force[3])
{
    slip_load *load;
    if (!SLIP_ROOM(plane->loads, plane->load_capacity, plane->load_count + 1))
        return NULL;
    load = &plane->loads[plane->load_count++];
    *load = (slip_load){.force = {force[0], force[1], force[2]}, .first = plane->sample_count};
    return load;
}

/* One sample for each node of the set. */
static int prepare_nodal(slip_context *ctx, slip_plane *plane, const slip_plane_body *body,
                         const slip_traction *force)
{
    const slip_mesh *mesh = body->mesh;
    const int d = mesh->dimension;
    SLIP_FREED bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    slip_load *load = taken ? new_load(plane, force->force) : NULL;
    char owner[100];
    SLIP_PASS(slip_allocated(ctx, load));
    snprintf(owner, sizeof owner, "forces of body `%.60s`", body->name);
    SLIP_PASS(slip_set_nodes(ctx, owner, mesh, force->set, taken));
    for (int i = 0; i < mesh->node_count; i++) {
        if (!taken[i])
            continue;
        slip_load_sample *sample = new_sample(plane);
        SLIP_PASS(slip_allocated(ctx, sample));
        memcpy(sample->place, mesh->points + d * (int64_t)i, (size_t)d * sizeof *sample->place);
        sample->node_count = 1;
        sample->nodes[0] = body->first_node + i;
        sample->weights[0] = 1;
        load->count++;
    }
    return SLIP_OK;
}

static int prepare_traction(slip_context *ctx, slip_plane *plane, const slip_plane_body *body,
                            const slip_traction *traction)
{
    char owner[100];
    int count;
    SLIP_FREED int *faces = NULL;
    snprintf(owner, sizeof owner, "tractions of body `%.60s`", body->name);
    SLIP_PASS(slip_set_faces(ctx, owner, body->mesh, body->boundary, traction->set, &faces, &count));
    slip_load *load = new_load(plane, traction->force);
    SLIP_PASS(slip_allocated(ctx, load));
    for (int i = 0; i < count; i++)
        SLIP_PASS(slip_allocated(ctx, sample_face(plane, body, faces[i])));
    load->count = plane->sample_count - load->first;
    return SLIP_OK;
}

static int prepare_volume(slip_context *ctx, slip_plane *plane, const slip_plane_body *body)
{
    double points[slip_plane_unknowns_max];
    int components[slip_plane_unknowns_max];
    slip_load *load = new_load(plane, body->body_force);
    const int d = body->mesh->dimension;
    load_visit visit = {
        .plane = plane, .thickness = body->elastic.thickness, .dimension = d, .failed = !load};
    for (int e = 0; e < body->mesh->element_count && !visit.failed; e++) {
        const slip_element_type *type = slip_plane_body_element(body, e, points, components);
        visit.node_count = type->cell->node_count;
        for (int a = 0; a < visit.node_count; a++)
            visit.nodes[a] = components[d * a] / d;
        slip_element_integrate(type, d, points, sample_point, &visit);
    }
    if (visit.failed)
        return slip_fail_memory(ctx);
    load->count = plane->sample_count - load->first;
    return SLIP_OK;
}

int slip_plane_prepare_loads(slip_context *ctx, slip_plane *plane, const slip_plane_body *body)
{
    for (int i = 0; i < body->traction_count; i++)
        SLIP_PASS(body->tractions[i].nodal ? prepare_nodal(ctx, plane, body, &body->tractions[i])
                                           : prepare_traction(ctx, plane, body, &body->tractions[i]));
    if (body->body_force[0] || body->body_force[1] || body->body_force[2])
        SLIP_PASS(prepare_volume(ctx, plane, body));
    return SLIP_OK;
}

/* ---- vectors ---- */

static int add_load(slip_context *ctx, slip_plane *plane, const slip_load *load, int component,
                    const double *direction, double *force, double *rate)
{
    double value, slope;
    for (int64_t s = load->first; s < load->first + load->count; s++) {
        const slip_load_sample *sample = &plane->samples[s];
        SLIP_PASS(slip_plane_evaluate(ctx, plane, load->force[component], "load", sample->place, direction,
                                      &value, rate ? &slope : NULL));
        for (int a = 0; a < sample->node_count; a++) {
            const int64_t at = plane->dimension * (int64_t)sample->nodes[a] + component;
            force[at] += sample->weights[a] * value;
            if (rate)
                rate[at] += sample->weights[a] * slope;
        }
    }
    return SLIP_OK;
}

int slip_plane_load_vector(slip_context *ctx, slip_plane *plane, const double *parameters,
                           const double *direction, double *force, double *rate)
{
    const size_t size = (size_t)plane->dimension * (size_t)plane->node_count * sizeof(double);
    slip_plane_set_parameters(plane, parameters);
    memset(force, 0, size);
    if (rate)
        memset(rate, 0, size);
    for (int64_t i = 0; i < plane->load_count; i++)
        for (int k = 0; k < 3; k++)
            if (plane->loads[i].force[k])
                SLIP_PASS(add_load(ctx, plane, &plane->loads[i], k, direction, force, rate));
    return SLIP_OK;
}

/* ---- how they depend on the parameters ---- */

bool slip_plane_load_reads(const slip_plane *plane, int parameter)
{
    for (int64_t i = 0; i < plane->load_count; i++)
        for (int k = 0; k < 3; k++)
            if (plane->loads[i].force[k] &&
                slip_expression_reads(plane->loads[i].force[k], slip_plane_slot_parameter + parameter))
                return true;
    return false;
}

bool slip_plane_loads_linear(const slip_plane *plane)
{
    const slip_slot_set parameters = {.first = slip_plane_slot_parameter, .count = plane->parameter_count};
    bool linear = true;
    for (int64_t i = 0; i < plane->load_count; i++)
        for (int k = 0; k < 3 && linear; k++)
            if (plane->loads[i].force[k])
                linear = slip_expression_dependence(plane->loads[i].force[k], parameters) != SLIP_NONLINEAR;
    return linear;
}

/* ---- loads over time ---- */

/* Times at which loads are sampled, without simple ratios between them, to test for a product F s(t). */
static const double looks[] = {0, 0.1371, 0.7313, 1.9131, 3.7717, 17.137, 231.71};
enum { look_count = sizeof looks / sizeof *looks };
static const double no_product = 1e-10;

static bool reads_time(const slip_expression *expression)
{
    return expression && slip_expression_reads(expression, 0);
}

int slip_plane_load_count(const slip_plane *plane)
{
    int count = 1;
    for (int64_t i = 0; i < plane->load_count; i++)
        for (int k = 0; k < 3; k++)
            count += reads_time(plane->loads[i].force[k]);
    return count;
}

static int value_at(slip_context *ctx, slip_plane *plane, const slip_expression *load,
                    const slip_load_sample *sample, double t, double *value)
{
    plane->slots[0] = t;
    const int status = slip_plane_evaluate(ctx, plane, load, "load", sample->place, NULL, value, NULL);
    plane->slots[0] = 0;
    return status;
}

/* The sample and the time at which the load is largest. */
static int find_largest(slip_context *ctx, slip_plane *plane, const slip_load *load, int component,
                        int64_t *sample, int *look, double *largest)
{
    *sample = load->first;
    *look = 0;
    *largest = 0;
    for (int64_t s = load->first; s < load->first + load->count; s++)
        for (int j = 0; j < look_count; j++) {
            double value;
            SLIP_PASS(value_at(ctx, plane, load->force[component], &plane->samples[s], looks[j], &value));
            if (fabs(value) > fabs(*largest)) {
                *largest = value;
                *sample = s;
                *look = j;
            }
        }
    return SLIP_OK;
}

/* F of one load, relative to its value at the point where it is largest; s(t) is the expression there. */
static int separate(slip_context *ctx, slip_plane *plane, const slip_load *load, int component, double *force,
                    double place[3])
{
    const slip_expression *expression = load->force[component];
    int64_t reference;
    double largest, own, value;
    int look;
    SLIP_PASS(find_largest(ctx, plane, load, component, &reference, &look, &largest));
    memcpy(place, plane->samples[reference].place, 3 * sizeof *place);
    for (int64_t s = load->first; s < load->first + load->count && largest != 0; s++) {
        const slip_load_sample *sample = &plane->samples[s];
        SLIP_PASS(value_at(ctx, plane, expression, sample, looks[look], &value));
        const double part = value / largest;
        for (int j = 0; j < look_count; j++) {
            SLIP_PASS(value_at(ctx, plane, expression, &plane->samples[reference], looks[j], &own));
            SLIP_PASS(value_at(ctx, plane, expression, sample, looks[j], &value));
            if (fabs(value - part * own) > no_product * fabs(largest))
                return slip_fail(ctx, SLIP_ERROR_MODEL,
                                 "load `%s` is no product of a function of the place and a function of time: "
                                 "expected loads such as (1 + x)*sin(t), each on an edge of its own",
                                 slip_expression_text(expression));
        }
        for (int a = 0; a < sample->node_count; a++)
            force[plane->dimension * (int64_t)sample->nodes[a] + component] += sample->weights[a] * part;
    }
    return SLIP_OK;
}

int slip_plane_load(slip_context *ctx, slip_plane *plane, const double *parameters, int k, double *force,
                    double place[3], const slip_expression **history)
{
    int number = 0;
    *history = NULL;
    slip_plane_set_parameters(plane, parameters);
    if (plane->node_count > 0) /* gears have none here */
        memset(plane->force, 0, (size_t)plane->dimension * (size_t)plane->node_count * sizeof *plane->force);
    for (int64_t i = 0; i < plane->load_count; i++)
        for (int component = 0; component < 3; component++) {
            const slip_expression *load = plane->loads[i].force[component];
            if (load && !reads_time(load) && k == 0)
                SLIP_PASS(add_load(ctx, plane, &plane->loads[i], component, NULL, plane->force, NULL));
            if (reads_time(load) && ++number == k) {
                SLIP_PASS(separate(ctx, plane, &plane->loads[i], component, plane->force, place));
                *history = load;
            }
        }
    for (int64_t i = 0; i < plane->unknown_count; i++)
        force[i] = plane->force[plane->component_of[i]];
    return SLIP_OK;
}
