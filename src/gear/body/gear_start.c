/* Turns undeformed gears until they touch. */
#include "gear/body/gear_start.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Undeformed gears that are turned. */
typedef struct turned {
    slip_arena arena;
    const double *const *points; /* of the nodes, about each gear's own axis */
    const int *counts;
    double *position[2], *zero[2], *force[2]; /* zero: the velocities */
    slip_flank_pair pairs[slip_tooth_pairs_max];
    slip_flank_totals totals; /* of the last touch */
} turned;

static void free_turned(turned *t)
{
    slip_arena_free(&t->arena);
}

/* Flanks close with the sum of rotation x base radius, and radii go with the teeth. Torques close them with
 * the sum of torque x radius / inertia, where inertias go about with the fourth power of the teeth. */
static double find_sense(const slip_tooth_wheel wheels[2], const slip_gear_side side[2])
{
    const double moved[2] = {side[0].speed * wheels[0].teeth, side[1].speed * wheels[1].teeth};
    const double closing = moved[0] + moved[1];
    if (fabs(closing) > 1e-12 * fmax(fabs(moved[0]), fabs(moved[1])))
        return closing < 0 ? -1 : 1;
    return side[0].torque / pow(wheels[0].teeth, 3) + side[1].torque / pow(wheels[1].teeth, 3) < 0 ? -1 : 1;
}

static void turn_to(turned *start, int k, const slip_tooth_wheel *wheel)
{
    double c = cos(wheel->angle), s = sin(wheel->angle);
    for (int i = 0; i < start->counts[k]; i++) {
        const double *from = start->points[k] + 3 * (size_t)i;
        double *to = start->position[k] + 3 * (size_t)i;
        to[0] = wheel->centre[0] + c * from[0] - s * from[1];
        to[1] = wheel->centre[1] + s * from[0] + c * from[1];
        to[2] = from[2];
    }
}

int slip_gear_check_loads(slip_context *ctx, const char *gear, double torque, double brought)
{
    static const double facets = 0.02;
    if (fabs(torque + brought) <= facets * fmax(fabs(torque), fabs(brought)))
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "initial: static: found a torque of %.6g N m on the shaft of %s, to which the flanks bring "
        "%.6g N m; expected loads that balance: %.6g N m",
        torque, gear, brought, -brought);
}

/* Turns the first gear to an angle and sees what touches. */
static void touch(turned *start, slip_flank_contact *contact, slip_tooth_wheel wheels[2], double angle)
{
    slip_flank_state state[2];
    wheels[0].angle = angle;
    turn_to(start, 0, &wheels[0]);
    for (int k = 0; k < 2; k++) {
        state[k] = (slip_flank_state){start->position[k], start->zero[k], start->force[k]};
        memset(start->force[k], 0, 3 * sizeof(double) * (size_t)start->counts[k]);
    }
    const int count = slip_tooth_pairs_find(wheels, start->pairs);
    slip_flank_contact_apply(contact, count, start->pairs, state, &start->totals);
}

/* The middle of a tooth of the first gear in the middle of a space of the second. */
static void place_gears(slip_tooth_wheel wheels[2], double phase, double sense)
{
    double turn = -sense * phase * 2 * pi / wheels[0].teeth;
    wheels[0].angle = turn;
    wheels[1].angle = pi + pi / wheels[1].teeth - turn * wheels[0].teeth / wheels[1].teeth;
}

int slip_gear_start_find(slip_context *ctx, const double *const points[2], const int counts[2],
                         slip_flank_contact *contact, const slip_gear_run_options *options,
                         slip_tooth_wheel wheels[2], double *sense)
{
    SLIP_FREED_BY(free_turned) turned start = {.points = points, .counts = counts};
    for (int k = 0; k < 2; k++) {
        double **const lists[] = {&start.position[k], &start.zero[k], &start.force[k]};
        for (int i = 0; i < 3; i++) {
            *lists[i] = slip_arena_array(&start.arena, 3 * (int64_t)counts[k], sizeof(double));
            SLIP_PASS(slip_allocated(ctx, *lists[i]));
        }
    }
    *sense = find_sense(wheels, options->side);
    place_gears(wheels, options->phase, *sense);
    turn_to(&start, 1, &wheels[1]);
    double middle = wheels[0].angle, low = 0, high = pi / 2 / wheels[0].teeth;
    touch(&start, contact, wheels, middle);
    SLIP_PASS(slip_tooth_check_apart(ctx, &start.totals, start.pairs, 0));
    while (high - low > 1e-12) {
        double half = (low + high) / 2;
        touch(&start, contact, wheels, middle + *sense * half);
        *(start.totals.touching ? &high : &low) = half;
    }
    wheels[0].angle = middle + *sense * low;
    return SLIP_OK;
}
