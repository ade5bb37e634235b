/* What a plane consists of, as text for a person: one line after the other, each ended by a line end. */
#include "fem/plane/types.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static void describe_mesh(const slip_plane_body *body, slip_text *text)
{
    const slip_mesh *mesh = body->mesh;
    const int d = mesh->dimension;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    slip_box_widen(d, mesh->node_count, mesh->points, low, high);
    slip_text_printf(text, "%s: %d nodes, ", body->name, mesh->node_count);
    for (int g = 0; g < mesh->group_count; g++)
        slip_text_printf(text, "%d %s elements, ", mesh->groups[g].count, mesh->groups[g].cell->name);
    for (int k = 0; k < d; k++)
        slip_text_printf(text, "%c %.6g to %.6g%s", "xyz"[k], low[k], high[k], k < d - 1 ? ", " : "\n");
    slip_text_append(text, "sets ");
    for (int i = 0, shown = 0; i < mesh->set_count; i++) {
        bool known = mesh->sets[i].kind == SLIP_SET_ELEMENTS;
        for (int j = 0; j < i && !known; j++)
            known = strcmp(mesh->sets[i].name, mesh->sets[j].name) == 0 &&
                    mesh->sets[j].kind != SLIP_SET_ELEMENTS;
        if (!known)
            slip_text_printf(text, "%s%s", shown++ > 0 ? ", " : "", mesh->sets[i].name);
    }
    slip_text_append(text, "\n");
}

static void add_volume(void *user, const double *value, const double *place, double area)
{
    (void)value;
    (void)place;
    *(double *)user += area;
}

static double volume_of(const slip_mesh *mesh)
{
    double area = 0, points[slip_plane_unknowns_max];
    for (int e = 0; e < mesh->element_count; e++) {
        slip_element_points(mesh, e, points);
        slip_element_integrate(slip_element_find(slip_mesh_group_of(mesh, e)->cell), mesh->dimension, points,
                               add_volume, &area);
    }
    return area;
}

static void describe_vector(int d, slip_expression *const vector[3], const char *open, const char *close,
                            slip_text *text)
{
    for (int k = 0; k < d; k++)
        slip_text_printf(text, "%s%s", k > 0 ? ", " : open,
                         vector[k] ? slip_expression_text(vector[k]) : "0");
    slip_text_append(text, close);
}

/* "on springs at foot: stiffness [100, 2000], damping [0, 3]" */
static void describe_springs(const slip_plane_body *body, slip_text *text)
{
    const int d = body->mesh->dimension;
    for (int i = 0; i < body->spring_count; i++) {
        const slip_spring *spring = &body->springs[i];
        slip_text_printf(text, "on springs at %s: stiffness ", spring->set);
        for (int k = 0; k < d; k++)
            slip_text_printf(text, "%s%.9g", k > 0 ? ", " : "[", spring->stiffness[k]);
        slip_text_append(text, "], damping ");
        for (int k = 0; k < d; k++)
            slip_text_printf(text, "%s%.9g", k > 0 ? ", " : "[", spring->damping[k]);
        slip_text_append(text, "]\n");
    }
}

void slip_plane_describe_body(const slip_plane *plane, int index, slip_text *text)
{
    const slip_plane_body *body = &plane->bodies[index];
    const int d = body->mesh->dimension;
    if (body->mass)
        slip_text_printf(text, "%s: mass and stiffness of %lld unknowns, %d sets of interface points\n",
                         body->name, (long long)body->mass->size, body->mesh->set_count);
    else
        describe_mesh(body, text);
    if (body->mass)
        slip_text_append(text, d == 3 ? "in space\n" : "in the plane\n");
    else if (d == 3)
        slip_text_printf(text, "solid, young %.9g, poisson %.9g\n", body->elastic.young,
                         body->elastic.poisson);
    else
        slip_text_printf(text, "plane %s, young %.9g, poisson %.9g, thickness %.9g\n",
                         body->elastic.kind == SLIP_PLANE_STRESS ? "stress" : "strain", body->elastic.young,
                         body->elastic.poisson, body->elastic.thickness);
    if (body->elastic.density > 0)
        slip_text_printf(text, "density %.9g, mass %.9g\n", body->elastic.density,
                         body->elastic.density * body->elastic.thickness * volume_of(body->mesh));
    describe_springs(body, text);
    if (body->support_count > 0 || body->spring_count == 0)
        slip_text_append(text, "held at ");
    for (int i = 0; i < body->support_count; i++)
        slip_text_printf(text, "%s%s (%s%s%s)", i > 0 ? ", " : "", body->supports[i].set,
                         body->supports[i].held[0] ? "x" : "", body->supports[i].held[1] ? "y" : "",
                         d == 3 && body->supports[i].held[2] ? "z" : "");
    if (body->support_count > 0 || body->spring_count == 0)
        slip_text_append(text, "\n");
    for (int i = 0; i < body->traction_count; i++) {
        slip_text_printf(text, "%s %s ", body->tractions[i].nodal ? "force on each node of" : "traction on",
                         body->tractions[i].set);
        describe_vector(d, body->tractions[i].force, "[", "]\n", text);
    }
    if (body->body_force[0] || body->body_force[1] || body->body_force[2]) {
        slip_text_append(text, "body force ");
        describe_vector(d, body->body_force, "[", "]\n", text);
    }
}

void slip_plane_describe_surface(const slip_plane *plane, int index, slip_text *text)
{
    const slip_plane_surface *surface = &plane->surfaces[index];
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (int i = 0; i < plane->contact_count; i++)
        if (plane->contacts[i].surface == index) {
            low = fmin(low, plane->gaps[i]);
            high = fmax(high, plane->gaps[i]);
            count++;
        }
    slip_text_printf(text, "%s: surface, %d points of %s.%s against ", surface->name, count,
                     surface->first_body, surface->first_edge);
    if (surface->second_body)
        slip_text_printf(text, "%s.%s, distance %.6g to %.6g\n", surface->second_body, surface->second_edge,
                         low, high);
    else {
        slip_text_append(text, "the rigid plane through ");
        describe_vector(slip_plane_dimension(plane), surface->point, "(", "), normal ", text);
        for (int k = 0; k < slip_plane_dimension(plane); k++)
            slip_text_printf(text, "%s%.6g", k > 0 ? ", " : "(", surface->normal[k]);
        slip_text_append(text, ")\n");
    }
    if (surface->gap)
        slip_text_printf(text, "gap added: %s\n", slip_expression_text(surface->gap));
    if (surface->friction)
        slip_text_printf(text, "law coulomb: mu = %s\n", slip_expression_text(surface->friction));
    else
        slip_text_append(text, "no law: no friction\n");
}
