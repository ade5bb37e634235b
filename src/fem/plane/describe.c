/* What a plane consists of, as text for a person: one line after the other, each ended by a line end. */
#include "fem/plane/types.h"

#include <math.h>
#include <string.h>

static void describe_mesh(const slip_plane_body *body, slip_text *text)
{
    const slip_mesh *mesh = body->mesh;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < 2 * (int64_t)mesh->node_count; i++) {
        low[i % 2] = fmin(low[i % 2], mesh->points[i]);
        high[i % 2] = fmax(high[i % 2], mesh->points[i]);
    }
    slip_text_printf(text, "%s: %d nodes, ", body->name, mesh->node_count);
    for (int g = 0; g < mesh->group_count; g++)
        slip_text_printf(text, "%d %s elements, ", mesh->groups[g].count, mesh->groups[g].cell->name);
    slip_text_printf(text, "x %.6g to %.6g, y %.6g to %.6g\n", low[0], high[0], low[1], high[1]);
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

static void add_area(void *user, const double *value, const double *place, double area)
{
    (void)value;
    (void)place;
    *(double *)user += area;
}

static double area_of(const slip_mesh *mesh)
{
    double area = 0, points[slip_plane_unknowns_max];
    for (int e = 0; e < mesh->element_count; e++) {
        slip_element_points(mesh, e, points);
        slip_element_integrate(slip_element_find(slip_mesh_group_of(mesh, e)->cell), 2, points, add_area,
                               &area);
    }
    return area;
}

static void describe_force(slip_expression *const force[2], slip_text *text)
{
    slip_text_printf(text, "[%s, %s]\n", force[0] ? slip_expression_text(force[0]) : "0",
                     force[1] ? slip_expression_text(force[1]) : "0");
}

void slip_plane_describe_body(const slip_plane *plane, int index, slip_text *text)
{
    const slip_plane_body *body = &plane->bodies[index];
    describe_mesh(body, text);
    slip_text_printf(text, "plane %s, young %.9g, poisson %.9g, thickness %.9g\n",
                     body->elastic.kind == SLIP_PLANE_STRESS ? "stress" : "strain", body->elastic.young,
                     body->elastic.poisson, body->elastic.thickness);
    if (body->elastic.density > 0)
        slip_text_printf(text, "density %.9g, mass %.9g\n", body->elastic.density,
                         body->elastic.density * body->elastic.thickness * area_of(body->mesh));
    slip_text_append(text, "held at ");
    for (int i = 0; i < body->support_count; i++)
        slip_text_printf(text, "%s%s (%s%s)", i > 0 ? ", " : "", body->supports[i].set,
                         body->supports[i].held[0] ? "x" : "", body->supports[i].held[1] ? "y" : "");
    slip_text_append(text, "\n");
    for (int i = 0; i < body->traction_count; i++) {
        slip_text_printf(text, "traction on %s ", body->tractions[i].set);
        describe_force(body->tractions[i].force, text);
    }
    if (body->body_force[0] || body->body_force[1]) {
        slip_text_append(text, "body force ");
        describe_force(body->body_force, text);
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
    else
        slip_text_printf(text, "the rigid plane through (%s, %s), normal (%.6g, %.6g)\n",
                         slip_expression_text(surface->point[0]), slip_expression_text(surface->point[1]),
                         surface->normal[0], surface->normal[1]);
    if (surface->gap)
        slip_text_printf(text, "gap added: %s\n", slip_expression_text(surface->gap));
    if (surface->friction)
        slip_text_printf(text, "law coulomb: mu = %s\n", slip_expression_text(surface->friction));
    else
        slip_text_append(text, "no law: no friction\n");
}
