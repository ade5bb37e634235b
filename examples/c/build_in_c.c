/* Builds a model without a file: a driven pendulum whose load is a C function and whose bearing has a
 * friction law of our own.
 *
 *     phi'' = -g/l sin(phi) + drive cos(t) - law(phi')
 */
#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>

typedef struct pendulum {
    double gravity_over_length;
    double drive;
} pendulum;

/* The load and its derivative with respect to the coordinate; that with respect to the velocity is zero and
 * stays so. Returns 1: the derivatives are known. */
static int load(void *user, double t, const double *q, const double *v, double *force, double *dforce_dq,
                double *dforce_dv)
{
    const pendulum *p = user;
    (void)v;
    (void)dforce_dv;
    force[0] = -p->gravity_over_length * sin(q[0]) + p->drive * cos(t);
    if (dforce_dq)
        dforce_dq[0] = -p->gravity_over_length * cos(q[0]);
    return 1;
}

/* A smooth law with a force of 0.2: any odd function will do, with its slope. */
static void bearing(void *user, double v, double *force, double *slope)
{
    const double scale = *(const double *)user;
    const double size = 1 + fabs(v) / scale;
    *force = 0.2 * v / (scale * size);
    *slope = 0.2 / (scale * size * size);
}

static int build(slip_context *ctx, pendulum *p, double *scale, slip_model **model)
{
    const char *names[] = {"phi"};
    const double mass[] = {1}, start[] = {1}, at_rest[] = {0}, row[] = {1};
    slip_contact_options friction = slip_contact_options_default();
    friction.name = "bearing";
    friction.row = row; /* the slip velocity is 1 phi' */
    friction.law = slip_law_default("function");
    friction.law.function = bearing;
    friction.law.user = scale;
    int status = slip_model_create(ctx, 1, names, model);
    if (status == SLIP_OK)
        status = slip_model_set_mass(ctx, *model, mass);
    if (status == SLIP_OK)
        status = slip_model_set_force_function(ctx, *model, load, p);
    if (status == SLIP_OK)
        status = slip_model_add_contact(ctx, *model, &friction);
    if (status == SLIP_OK)
        status = slip_model_set_initial(ctx, *model, start, at_rest);
    return status;
}

int main(void)
{
    pendulum p = {.gravity_over_length = 9.81, .drive = 0.5};
    double scale = 0.01;
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    if (!ctx)
        return 1;
    int status = build(ctx, &p, &scale, &model);
    if (status == SLIP_OK) {
        slip_run_options options = slip_run_options_default();
        options.method = "smooth";
        options.end = 20;
        options.record_points = 201;
        status = slip_run(ctx, model, &options, &result);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    else
        printf("after 20 s: phi = %.6f, phi' = %.6f; largest |phi'| %.6f\n",
               slip_result_number(result, "final.phi"), slip_result_number(result, "final.phi'"),
               slip_result_number(result, "max.phi'"));
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0;
}
