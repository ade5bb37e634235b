/* An elastic block pressed on a rigid plane, built in C: the contact forces that close every point, and what
 * they do. Without friction and with all points closed, w_n = gap gives the normal forces by one linear
 * system. */
#include <slipstick/slipstick.h>

#include <stdio.h>
#include <stdlib.h>

static int build(slip_context *ctx, slip_model **model)
{
    const slip_body_support supports[] = {{"left", 1, 0}, {"top", 0, 1}};
    slip_body_options block = slip_body_options_default();
    slip_surface_options floor = slip_surface_options_default();
    int status = slip_model_create_bodies(ctx, model);
    block.name = "block";
    block.x[1] = 2; /* 0 to 2 */
    block.y[1] = 1;
    block.elements[0] = 8;
    block.elements[1] = 4;
    block.young = 2.1e11;
    block.poisson = 0.3;
    block.supports = supports;
    block.support_count = 2;
    floor.name = "floor";
    floor.first = "block.bottom";
    floor.point[1] = "d"; /* the plane is pressed in by d */
    if (status >= 0)
        status = slip_model_set_parameter(ctx, *model, "d", 1e-4);
    if (status >= 0)
        status = slip_model_add_body(ctx, *model, &block);
    if (status >= 0)
        status = slip_model_add_surface(ctx, *model, &floor);
    return status;
}

/* Solves the m x m system in place: Gauss without pivoting, for a compliance is positive definite. */
static void solve(int m, double *matrix, double *right)
{
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++) {
            const double factor = matrix[i * m + k] / matrix[k * m + k];
            for (int j = k; j < m; j++)
                matrix[i * m + j] -= factor * matrix[k * m + j];
            right[i] -= factor * right[k];
        }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            right[i] -= matrix[i * m + j] * right[j];
        right[i] /= matrix[i * m + i];
    }
}

static int press(slip_context *ctx, slip_model *model)
{
    const int m = slip_bodies_point_count(model);
    double *compliance = malloc(4 * (size_t)m * (size_t)m * sizeof *compliance);
    double *free_displacement = malloc(2 * (size_t)m * sizeof *free_displacement);
    double *normal = malloc((size_t)m * (size_t)m * sizeof *normal),
           *lambda = calloc(2 * (size_t)m, sizeof *lambda);
    double *u = malloc(2 * (size_t)slip_bodies_node_count(model) * sizeof *u), sum = 0, energy = 0;
    int status = compliance && free_displacement && normal && lambda && u ? SLIP_OK : SLIP_ERROR_MEMORY;
    if (status >= 0)
        status = slip_bodies_condense(ctx, model, compliance, free_displacement);
    for (int i = 0; i < m && status >= 0; i++) {
        slip_contact_point point;
        status = slip_bodies_point(ctx, model, i, &point);
        lambda[i] = point.gap - free_displacement[i];
        for (int j = 0; j < m; j++)
            normal[i * m + j] = compliance[i * 2 * m + j];
    }
    if (status >= 0) {
        solve(m, normal, lambda);
        status = slip_bodies_displacements(ctx, model, lambda, u);
    }
    if (status >= 0)
        status = slip_bodies_stresses(ctx, model, u, NULL, &energy);
    for (int i = 0; i < m && status >= 0; i++)
        sum -= lambda[i];
    /* Pressed between planes without friction, the block is under uniform stress: E/(1 - nu^2) d/h over its
     * width. */
    if (status >= 0)
        printf("%d points, force %.6g N/m (exact %.6g), energy %.6g J/m\n", m, sum, 2.1e11 / 0.91 * 1e-4 * 2,
               energy);
    free(compliance);
    free(free_displacement);
    free(normal);
    free(lambda);
    free(u);
    return status;
}

int main(void)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    int status = build(ctx, &model);
    if (status >= 0)
        status = press(ctx, model);
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0;
}
