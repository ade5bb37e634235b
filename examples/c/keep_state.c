/* Going on from a state more than once: which of two loads tears a block loose first? The state is kept
 * before the fork and restored for each branch; the same branch twice gives the same bits. */
#include <slipstick/slipstick.h>

#include <stdio.h>

static const char text[] =
    "slipstick: 1\ncoordinates: [x]\nparameters: {rate: 0.1}\nmass: [[1]]\nstiffness: [[4]]\n"
    "forces: {x: rate*t}\n"
    "contacts:\n  pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1, static_ratio: 1.5}}\n";

int main(void)
{
    const double rates[3] = {0.2, 0.5, 0.2};
    double times[3] = {0, 0, 0};
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_simulation *s = NULL;
    slip_saved_state *fork = NULL;
    int status = slip_model_parse(ctx, text, "pad.yaml", NULL, &model);
    if (status >= 0)
        status = slip_simulation_open(ctx, model, NULL, NULL, &s);
    if (status >= 0)
        status = slip_simulation_advance(ctx, s, 2);
    if (status >= 0)
        status = slip_simulation_save(ctx, s, &fork);
    for (int k = 0; k < 3 && status >= 0; k++) {
        status = slip_simulation_restore(ctx, s, fork);
        slip_simulation_input(s, "rate", rates[k]);
        if (status >= 0)
            status = slip_simulation_advance_until(ctx, s, 100, "x - 0.1");
        times[k] = slip_simulation_time(s);
        if (status >= 0)
            printf("load growing by %.1f a second: x = 0.1 at t = %.9f\n", rates[k], times[k]);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    slip_saved_state_destroy(fork);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0 || times[0] != times[2];
}
