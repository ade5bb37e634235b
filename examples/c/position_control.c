/* A position control that is sampled every millisecond, against dry friction: a slide that is to stand at x
 * = 1. Friction holds it a little beside its place until the integral part has grown enough to tear it loose;
 * then it goes too far, and so on for ever. Engineers call it hunting. */
#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>

static const char slide[] =
    "slipstick: 1\n"
    "coordinates: [x]\n"
    "parameters: {force: 0}\n"
    "mass: [[1]]\n"
    "forces: {x: force}\n"
    "contacts:\n"
    "  guide: {kind: friction, slip: x', law: {type: coulomb, mu: 1, static_ratio: 1.5}}\n";

typedef struct controller {
    double target, integral;
} controller;

static double control(controller *c, double x, double v, double dt)
{
    const double error = c->target - x;
    c->integral += error * dt;
    return 20 * error + 40 * c->integral - 6 * v;
}

int main(void)
{
    const double dt = 1e-3;
    controller c = {.target = 1};
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_simulation *s = NULL;
    int64_t stuck = 0, starts = 0;
    double largest = 0;
    slip_mode before = SLIP_MODE_STICK;
    int status = slip_model_parse(ctx, slide, "slide.yaml", NULL, &model);
    if (status >= 0)
        status = slip_simulation_open(ctx, model, NULL, NULL, &s);
    for (int64_t k = 1; k <= 60000 && status >= 0; k++) {
        slip_simulation_input(
            s, "force", control(&c, slip_simulation_number(s, "x"), slip_simulation_number(s, "x'"), dt));
        status = slip_simulation_advance(ctx, s, (double)k * dt);
        if (status < 0 || slip_simulation_time(s) < 30)
            continue; /* what is left of the start dies out */
        const slip_mode now = slip_simulation_mode(s, "guide");
        stuck += now == SLIP_MODE_STICK;
        starts += now != SLIP_MODE_STICK && before == SLIP_MODE_STICK;
        before = now;
        largest = fmax(largest, fabs(slip_simulation_number(s, "x") - c.target));
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    else
        printf("hunting: torn loose %lld times in 30 s, stuck %.0f %% of the time, off by up to %.3f\n",
               (long long)starts, 100 * (double)stuck / 30000, largest);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0 || starts < 2;
}
