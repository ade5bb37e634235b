/* Condensed gears at rest: all shafts but one keep their angles, that one is turned until its torque and the
 * moment of the flanks balance. What is elastic is where a step without end takes it (flex/free_modes.h);
 * friction is left out. */
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <string.h>

/* Repetitions end at this change of the forces; turns at this share of the torque. */
static const double settle = 1e-13, balanced = 1e-11;
static const double first_turn = 1e-4; /* in modules at the tip */
enum { tries_max = 200 };

/* The gears with the free shaft turned to an angle; *load: what turns it on from there. */
static int turn(slip_context *ctx, slip_gear_step *s, int k, double angle, double *load)
{
    int status;
    slip_free_modes_turn(s->shaft[k].modes, angle, s->now.y + s->shaft[k].first);
    SLIP_TRY(slip_gear_step_attempt(ctx, s, INFINITY, settle, 0));
    const int rigid = s->shaft[k].first; /* a step may change the coordinates */
    *load = s->next.press[rigid] + s->torque[rigid] + s->inertia[rigid];
done:
    return status;
}

/* Turns it with its torque until the flanks push it back. */
static int find_bounds(slip_context *ctx, slip_gear_step *s, int k, double angle[2], double load[2])
{
    int gear = 0;
    while (s->gear[gear].shaft != k)
        gear++;
    const int teeth = s->gear[gear].wheel->flanks / 2;
    const double pitch = 2 * 3.14159265358979323846 / teeth;
    double by = copysign(first_turn * 2 / (teeth + 2), s->shaft[k].torque);
    int status;
    angle[0] = s->now.angle[k];
    SLIP_TRY(turn(ctx, s, k, angle[0], &load[0]));
    for (const double start = angle[0]; fabs(angle[0] - start) < pitch; by *= 2) {
        angle[1] = angle[0] + by;
        SLIP_TRY(turn(ctx, s, k, angle[1], &load[1]));
        if (load[0] * load[1] <= 0)
            return SLIP_OK;
        angle[0] = angle[1];
        load[0] = load[1];
    }
    status = slip_fail(ctx, SLIP_ERROR_MODEL, "initial: static: the flanks do not hold %s within a pitch",
                       s->gear[gear].wheel->name);
done:
    return status;
}

int slip_gear_step_rest(slip_context *ctx, slip_gear_step *s)
{
    int k = 0;
    while (s->shaft[k].modes->driven)
        k++;
    const bool rubs = s->rub.on;
    double angle[2], load[2], now, there;
    slip_gear_change change;
    int status;
    s->rub.on = false;
    SLIP_TRY(find_bounds(ctx, s, k, angle, load));
    const double least = balanced * fabs(s->torque[s->shaft[k].first]);
    for (int i = 0, last = -1;; i++) { /* regula falsi; an end that stays twice counts half (Illinois) */
        const double share = load[0] / (load[0] - load[1]);
        now = angle[0] + (i % 8 == 7 ? 0.5 : share) * (angle[1] - angle[0]);
        SLIP_TRY(turn(ctx, s, k, now, &there));
        if (fabs(there) <= least || now == angle[0] || now == angle[1] || i == tries_max)
            break;
        const int side = there * load[0] > 0 ? 0 : 1;
        angle[side] = now;
        load[side] = there;
        if (side == last)
            load[1 - side] /= 2;
        last = side;
    }
    slip_gear_step_account(s, &change); /* strain of the flanks */
    SLIP_TRY(slip_gear_step_accept(ctx, s));
    s->before = s->earlier = s->dropped = 0;
    for (int i = 0; i < s->shaft_count; i++)
        s->shaft[i].dropped_momentum = 0;
    s->propagator->step = -1;
done:
    s->rub.on = rubs;
    return status;
}
