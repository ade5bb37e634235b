/* Two gears stepped by the caller: a brake on the wheel that grips while the teeth are in contact, and a
 * fork: the same impact goes on with and without it from one state that was kept in contact. */
#include <slipstick/slipstick.h>

#include <stdio.h>

static const char text[] = "slipstick: 1\nparameters: {brake: 0}\n"
                           "gears:\n"
                           "  pinion: {teeth: 12, module: 0.005, profile_shift: 0.4, width: 0.01, bore: "
                           "0.03, backlash: 1e-4, modes: 20, speed: 5,\n"
                           "    mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}\n"
                           "  wheel: {teeth: 15, module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, "
                           "backlash: 1e-4, modes: 20, torque: brake,\n"
                           "    mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}\n"
                           "flanks: {penalty: 1e9}\n"
                           "simulate: {time: [0, 1e-4]}\n";

int main(void)
{
    const double brakes[3] = {0, 4, 0};
    double speeds[3] = {0, 0, 0};
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_simulation *s = NULL;
    slip_saved_state *fork = NULL;
    int status = slip_model_parse(ctx, text, "gears.yaml", NULL, &model);
    if (status >= 0)
        status = slip_simulation_open(ctx, model, NULL, NULL, &s);
    if (status >= 0) /* the condition stops it in contact */
        status = slip_simulation_advance_until(ctx, s, 1e-4, "force - 300");
    if (status == SLIP_STOPPED)
        printf("the teeth press with 300 N at t = %.3f us\n", 1e6 * slip_simulation_time(s));
    if (status >= 0)
        status = slip_simulation_save(ctx, s, &fork);
    for (int k = 0; k < 3 && status >= 0; k++) {
        status = slip_simulation_restore(ctx, s, fork);
        slip_simulation_input(s, "brake", brakes[k]);
        while (status >= 0 && slip_simulation_number(s, "force") > 0 && slip_simulation_time(s) < 1e-4)
            status = slip_simulation_advance(ctx, s, slip_simulation_time(s) + 1e-6);
        speeds[k] = slip_simulation_number(s, "wheel.speed");
        if (status >= 0)
            printf("brake %.0f N m: contact ends by t = %.0f us, the wheel turns with %.4f rad/s\n",
                   brakes[k], 1e6 * slip_simulation_time(s), speeds[k]);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    slip_saved_state_destroy(fork);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0 || speeds[0] != speeds[2] || speeds[0] == speeds[1];
}
