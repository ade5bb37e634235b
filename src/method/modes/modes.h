/* Which modes come next: found for all contacts together, from the accelerations.
 *
 * At an event some contacts have a choice: one at rest may stick or start to slip either way, one that
 * touches may stay closed or open. A choice for all of them fixes the accelerations and the forces
 * (slip_system_constrain). It is consistent when
 *
 *     stick: |force| <= hold N,   slip from rest: the slip velocity grows in its direction,
 *     closed: N >= 0,             open: the gap does not close.
 *
 * These are the conditions of a linear complementarity problem with friction. Where one of them holds with
 * equality, as for the contact whose limit caused the event, the next order decides: the conditions are
 * looked at again a short time ahead.
 *
 * Contacts that depend on each other: forces are not unique, and follow the rule of system/share.c. A contact
 * that the others hold where it is does not slip or open.
 *
 * Rules where more than one choice is consistent:
 *  1. What is held goes on being held: the choice is taken that releases the fewest contacts which stuck
 *     until now. One whose own limit caused the event is not held any more.
 *  2. Of those, the one in which the fewest contacts slip from rest that static friction would hold, all
 * others as they are; then the one in which most contacts stick; then the one that opens the fewest which
 * were closed.
 *  3. Forces that are not unique, where no static friction is above kinetic friction: contacts give way, from
 *     stick and closed contacts on those that are beyond their limits, and so on. Where that ends in nothing,
 *     or by 1 and 2 several are equal, the one with the least forces.
 *  4. Otherwise the motion itself is not unique, which is reported (it is looked for among up to four
 * contacts with a choice, and not where it cannot be: friction with given normal forces). Among more than
 * seven contacts with a choice, parts that do not act on each other are decided one by one; where a part has
 * more than that, they give way as in 3, those that were held last. */
#ifndef SLIP_METHOD_MODES_H
#define SLIP_METHOD_MODES_H

#include "system/system.h"

/* What is known of a contact at this instant, beyond rounding. */
typedef struct slip_standing {
    bool touching; /* gap and gap rate are zero */
    bool resting;  /* the slip velocity is zero */
    bool held;     /* it stuck until now, and its own limit is not reached */
    bool pressed;  /* it was closed until now, and its normal force has not vanished */
    bool let_go;   /* it stuck until now, when its own limit was reached */
    bool leaving;  /* it was closed until now, when a limit of its own was reached */
} slip_standing;

/* When, where and with what modes are decided. */
typedef struct slip_instant {
    double t;
    const double *q, *v;
    const slip_standing *standing;
    double ahead; /* a time over which the motion changes little */
} slip_instant;

typedef struct slip_modes slip_modes;

int slip_modes_create(slip_context *ctx, const slip_system *system, slip_workspace *work, slip_modes **modes);
void slip_modes_destroy(slip_modes *modes);

enum {
    SLIP_MODES_NONE = -201,    /* no choice is consistent */
    SLIP_MODES_SEVERAL = -202, /* choices with different accelerations are */
    SLIP_MODES_UNDEFINED = -203
};

/* Sets the branches (mode, piece) of the contacts concerned. On entry they have the modes that are expected,
 * those before but for what has just ended. Returns SLIP_OK, one of the above (*contact then names a contact
 * involved) or an error. */
int slip_modes_decide(slip_modes *modes, const slip_instant *now, slip_branch *branches, int *contact);

/* Set-valued patches that are at rest stick or slip. What the one who moves them knows: */
typedef struct slip_modes_patches {
    void *user;
    /* The branches to evaluate for these modes, at this time and state: with the directions in which patches
     * start to slip; one that cannot sticks. `turn` false: the directions are as they were last. */
    slip_branch *(*aim)(void *user, const slip_branch *branches, bool turn, double t, const double *q,
                        const double *v);
    /* At the last evaluation, of one that sticks: what it holds at most, and its load in the same units. */
    double (*limit)(void *user, int contact, double *load);
} slip_modes_patches;
void slip_modes_take_patches(slip_modes *modes, slip_modes_patches patches);

/* Who has the motion in closed form sees without an evaluation whether modes begin consistent, with all that
 * they ask for met by something to spare. False where that is not clear. */
typedef struct slip_modes_foresight {
    void *user;
    bool (*begins)(void *user, const slip_branch *branches, const slip_instant *now);
} slip_modes_foresight;
void slip_modes_take_foresight(slip_modes *modes, slip_modes_foresight foresight);
/* Whether the last decision came from there: forces and accelerations are those of an earlier one. */
bool slip_modes_foreseen(const slip_modes *modes);

/* By how much the branches' modes violate the conditions at this instant, relative to the size of what is
 * compared; at most zero when they hold. For checks. */
double slip_modes_violation(slip_modes *modes, double t, const double *q, const double *v,
                            const slip_standing *standing, const slip_branch *branches);

/* The sizes of what elastic bodies add to the accelerations of a contact at the last evaluation, along its
 * gap and along its slip, and to its normal force and its friction force; 0 where there is none. */
typedef struct slip_modes_sizes {
    double gap, slip, normal, force;
} slip_modes_sizes;
slip_modes_sizes slip_modes_sizes_of(const slip_modes *modes, int contact);

/* Rounding errors of the forces of a contact, by the sizes of what adds up to its accelerations at the last
 * evaluation: in the direction of its slip, or of its gap where it has no friction. */
double slip_modes_force_rounding(const slip_modes *modes, int contact);

/* The accelerations of the last call of slip_modes_violation or slip_modes_decide. */
const double *slip_modes_acceleration(const slip_modes *modes);

#endif
