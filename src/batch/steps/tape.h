/* The equation of motion of many lanes as one list of operations, from a finished system.
 *
 * Values are numbered: time, the coordinates, their velocities, the side of each contact (1 or -1 where it
 * slips that way, 0 where it sticks), the numbers of the set of parameters, then the results of the
 * operations in their order. Sets of one model share the list, and differ in their numbers. Smooth
 * accelerations, without the forces of what sticks, are among the results; so are slip velocities, what their
 * rates have besides W a, and normal forces. */
#ifndef SLIP_BATCH_STEPS_TAPE_H
#define SLIP_BATCH_STEPS_TAPE_H

#include "base/context.h"
#include "batch/engine.h"
#include "batch/steps/steps.h"

#include <stdbool.h>
#include <stddef.h>

enum { STEPS_MOST_OPERATIONS = 400, STEPS_MOST_PAIRS = 1200, STEPS_MOST_NUMBERS = 400 };

typedef struct slip_steps_tape {
    int n, moving, contacts;
    int side, first_number, first_result; /* where values of these begin */
    int number_count, operation_count, pair_count;
    int slip_operations; /* the first ones, which slip velocities need */
    slip_steps_operation operations[STEPS_MOST_OPERATIONS];
    int pairs[2 * STEPS_MOST_PAIRS]; /* number, value */
    /* Values. */
    int acceleration[BATCH_MOST_Q];
    int smooth_pairs[BATCH_MOST_Q]; /* of these sums, the pairs before friction comes in */
    int slip[BATCH_MOST_C], slip_rate[BATCH_MOST_C], normal[BATCH_MOST_C]; /* slip_rate -1: zero */
    /* Numbers of each contact, one behind the other: W, M^-1 W, W^T M^-1 W of all contacts. */
    int row[BATCH_MOST_C], response[BATCH_MOST_C], gram[BATCH_MOST_C], hold[BATCH_MOST_C];
    /* Which ones are gaps, and how many: of these slip is the rate of the gap, W is that of the gap over q.
     */
    int gaps, gap[BATCH_MOST_C];
    int rest[BATCH_MOST_C];        /* value: what a gap has besides W q */
    int restitution[BATCH_MOST_C]; /* number of a gap */
    int smooth[BATCH_MOST_C];      /* its law has no stick: it only tells when its slip turns */
    int kinked[BATCH_MOST_C];      /* nor has this one, but a kink at zero slip, where steps end */
    int peaks;                     /* the largest |q| and |v| are kept */
    int part[BATCH_MOST_Q];        /* of each coordinate: the first one of those that are coupled with it */
} slip_steps_tape;

typedef struct slip_system slip_system;

/* The tape and the numbers of a system, both for the caller to free; NULL and the reason where it is none for
 * lanes. */
int slip_steps_describe(slip_context *ctx, const slip_system *system, double period, double tolerance,
                        bool peaks, slip_steps_tape **tape, double **numbers, char *reason, size_t size);

/* How many numbers a set has. */
static inline int slip_steps_numbers(const slip_steps_tape *tape)
{
    return tape->number_count + STEPS_FIXED_NUMBERS + 2 * tape->n + tape->contacts;
}

#endif
