/* What Dormand-Prince lanes, their callers and the text for a graphics card share. No header is included
 * here, so that the compiler of a card can read it too. */
#ifndef SLIP_BATCH_STEPS_STEPS_H
#define SLIP_BATCH_STEPS_STEPS_H

/* Besides those of expressions (slip_op): number c (-1: none) plus the sum of `b` products of a number and a
 * value, pairs of the list from `a` on. */
enum { STEPS_LINEAR = 1000 };

typedef struct slip_steps_operation {
    int op, a, b, c;
} slip_steps_operation;

/* The numbers of a set are those of the tape and, behind them, these; then, of each coordinate, how well a
 * law needs its velocity, and the usual size of a state of a law (else 0); then of each contact a bound of
 * the second rate of what holds it, as far as functions of time go. */
enum {
    STEPS_PERIOD,
    STEPS_TOLERANCE,
    STEPS_TIME, /* in which the structure does not do much */
    STEPS_HELD, /* the longest step while something sticks: nothing moves then that an error could tell of */
    STEPS_FIXED_NUMBERS
};

/* Lists of lanes on a card (steps_kernel.inc), two of each kind that goes on to the next wave; and counters,
 * so many for each wave: lanes at either end of a list of each kind, and those that have been taken. */
enum { STEPS_LIST_STEPS, STEPS_LIST_FORCE = 2, STEPS_LIST_FIND = 4, STEPS_LISTS };
enum {
    STEPS_COUNT_STEPS,
    STEPS_COUNT_FORCE = 2,
    STEPS_COUNT_FIND = 4,
    STEPS_COUNT_TAKEN = 6,
    STEPS_COUNTERS
};

/* What the kernels of a card work on. */
typedef struct slip_steps_work {
    const double *numbers;          /* of all sets, of_set each */
    union slip_batch_word *records; /* of all lanes, of_lane each */
    double *to;                     /* returns, or 0 */
    void *parked;                   /* lanes between what is done for them */
    int *lists;                     /* of `count` lanes each */
    unsigned long long *counters;
    long long count, each; /* lanes, returns of each */
    int of_set, of_lane;
} slip_steps_work;

#endif
