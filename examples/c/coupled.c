/* Two simulations that a spring connects. Each takes the force of the spring as an input, which is exchanged
 * every millisecond; the spring's own program could be anybody's. A block on a belt drags another one behind
 * it. */
#include <slipstick/slipstick.h>

#include <stdio.h>

static const char *const blocks[2] = {
    "slipstick: 1\ncoordinates: [x]\nparameters: {spring: 0}\nmass: [[1]]\nforces: {x: spring}\n"
    "contacts:\n  belt: {kind: friction, slip: x' - 0.5, normal_force: 10, law: {type: coulomb, mu: 0.3, "
    "static_ratio: 1.4}}\n",
    "slipstick: 1\ncoordinates: [x]\nparameters: {spring: 0}\nmass: [[2]]\nforces: {x: spring}\n"
    "contacts:\n  floor: {kind: friction, slip: x', normal_force: 20, law: {type: coulomb, mu: 0.1, "
    "static_ratio: 2}}\n"};

int main(void)
{
    const double dt = 1e-3, stiffness = 30;
    slip_context *ctx = slip_context_create();
    slip_model *models[2] = {NULL, NULL};
    slip_simulation *s[2] = {NULL, NULL};
    double x[2] = {0, 0}, v[2] = {0, 0};
    int status = SLIP_OK;
    for (int i = 0; i < 2 && status >= 0; i++) {
        status = slip_model_parse(ctx, blocks[i], i == 0 ? "front.yaml" : "behind.yaml", NULL, &models[i]);
        if (status >= 0)
            status = slip_simulation_open(ctx, models[i], NULL, NULL, &s[i]);
    }
    for (int k = 1; k <= 20000 && status >= 0; k++) {
        /* where the ends will be half a step ahead: so the exchange costs an error of second order */
        const double force = stiffness * (x[0] + 0.5 * dt * v[0] - x[1] - 0.5 * dt * v[1]);
        for (int i = 0; i < 2 && status >= 0; i++) {
            slip_simulation_input(s[i], "spring", i == 0 ? -force : force);
            status = slip_simulation_advance(ctx, s[i], k * dt);
            slip_simulation_state(s[i], &x[i], &v[i]);
        }
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    else
        printf("after 20 s the front is at %.4f, the other at %.4f; the spring pulls with %.3f\n", x[0], x[1],
               stiffness * (x[0] - x[1]));
    for (int i = 0; i < 2; i++) {
        slip_simulation_close(s[i]);
        slip_model_destroy(models[i]);
    }
    slip_context_destroy(ctx);
    return status < 0 || x[1] <= 0;
}
