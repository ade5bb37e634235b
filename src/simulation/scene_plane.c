/* Models with bodies as static contact problems. */
#include "simulation/scene.h"

static int sample_plane(slip_context *ctx, void *user, double value, slip_static_values *values)
{
    slip_scene *s = user;
    slip_plane *plane = s->model->plane;
    const int m = s->shape.contact_count, d = slip_plane_dimension(plane);
    double *w0 = s->numbers, *gap = s->numbers + d * m;
    SLIP_PASS(slip_model_parameters_at(ctx, s->model, s->parameter, value, s->parameters, NULL));
    SLIP_PASS(slip_plane_free_displacement(ctx, plane, s->parameters, NULL, w0, NULL));
    SLIP_PASS(slip_plane_gap(ctx, plane, s->parameters, NULL, gap, NULL));
    SLIP_PASS(slip_plane_friction(ctx, plane, s->parameters, NULL, values->friction, NULL));
    /* slip_plane has w_n <= g_n and negative forces; statics the gap g_n - w_n and positive forces. */
    for (int k = 0; k < m; k++) {
        values->free[k] = gap[k] - w0[k];
        if (d == 2)
            values->free[m + k] = w0[m + k];
        values->normal[k] = 0;
    }
    return SLIP_OK;
}

int slip_scene_open_plane(slip_scene *s)
{
    slip_plane *plane = s->model->plane;
    const int finished = slip_plane_finish(s->ctx, plane);
    if (finished < 0)
        return finished;
    /* in space there is no friction: normal rows alone */
    const int m = slip_plane_contact_count(plane), d = slip_plane_dimension(plane);
    const int64_t all = d == 2 ? 2 * m : m;
    const slip_plane_contact *from = slip_plane_contacts(plane);
    const double *compliance = slip_plane_compliance(plane);
    slip_static_contact *contacts = slip_arena_array(&s->arena, m + 1, sizeof *contacts);
    s->contact_names = slip_arena_array(&s->arena, m + 1, sizeof *s->contact_names);
    s->compliance = slip_arena_array(&s->arena, all * all + 1, sizeof(double));
    s->numbers = slip_arena_array(&s->arena, (d + 2) * (int64_t)m + 1, sizeof(double));
    s->parameters = slip_arena_array(&s->arena, s->model->parameter_count + 1, sizeof(double));
    SLIP_PASS(
        slip_allocated(s->ctx, contacts && s->contact_names && s->compliance && s->numbers && s->parameters));
    for (int k = 0; k < m; k++) {
        contacts[k] = (slip_static_contact){k, d == 2 && from[k].slides ? m + k : -1};
        s->contact_names[k] = from[k].name;
    }
    for (int64_t i = 0; i < all; i++)
        for (int64_t j = 0; j < all; j++)
            s->compliance[i * all + j] =
                (i < m) == (j < m) ? compliance[i * d * m + j] : -compliance[i * d * m + j];
    s->shape =
        (slip_static_shape){.contact_count = m, .direction_count = (int)all, .contacts = contacts, .sign = 1};
    s->first_coordinate = (int)all;
    s->family.sample = sample_plane;
    s->family.compliance = s->compliance;
    return SLIP_OK;
}

int slip_scene_displacements(slip_scene *s, double value, const double *lambda, double *u)
{
    double *forces = s->numbers;
    SLIP_PASS(slip_model_parameters_at(s->ctx, s->model, s->parameter, value, s->parameters, NULL));
    slip_scene_plane_forces(s, lambda, forces);
    return slip_plane_displacements(s->ctx, s->model->plane, s->parameters, forces, u);
}

void slip_scene_plane_forces(const slip_scene *s, const double *lambda, double *forces)
{
    const int m = s->shape.contact_count, all = slip_plane_dimension(s->model->plane) * m;
    for (int k = 0; k < all; k++)
        forces[k] = k < m ? -lambda[k] : k < s->shape.direction_count ? lambda[k] : 0;
}
