/* Decides the modes after an event for all contacts together, from accelerations and forces.
 *
 * At an event some contacts have a choice: one at rest may stick or start to slip either way, one that
 * touches may stay closed or open. A choice for all of them fixes the accelerations and the forces
 * (slip_system_constrain). It is consistent when
 *
 *     stick: |force| <= hold N,   slip from rest: the slip velocity grows in its direction,
 *     closed: N >= 0,             open: the gap does not close.
 *
 * These are the conditions of a linear complementarity problem with friction. Where one of them holds with
 * equality, as for the contact whose limit caused the event, the next derivative decides: the conditions are
 * evaluated again a short time ahead.
 *
 * Where the rows of contacts are linearly dependent, forces are not unique, and follow the rule of
 * system/share.c. A contact that the others hold at rest does not slip or open.
 *
 * Rules where more than one choice is consistent:
 *  1. Held contacts stay held: the choice is taken that releases the fewest contacts which stuck until now.
 *     The contact whose own limit caused the event does not count as held.
 *  2. Of those, the choice in which the fewest contacts slip from rest that static friction would hold with
 *     the modes of all others unchanged; then the one in which most contacts stick; then the one that opens
 *     the fewest closed contacts.
 *  3. Where forces are not unique, and no static friction is above kinetic friction: from all contacts in
 *     stick or closed, those beyond their limits are released, repeatedly. Where that finds no consistent
 *     choice, or several choices are equal by 1 and 2, the one with the least forces is taken.
 *  4. Otherwise the motion itself is not unique, which is reported (this is checked for up to four contacts
 *     with a choice, and not for friction with given normal forces, where it is unique). Among more than
 *     seven contacts with a choice, parts that do not act on each other are decided one by one; where a part
 *     has more, contacts are released as in 3, those that were held until now last. */
#ifndef SLIP_METHOD_MODES_H
#define SLIP_METHOD_MODES_H

#include "system/system.h"

/* Facts about a contact at this instant that do not depend on rounding. */
typedef struct slip_standing {
    bool touching; /* gap and gap rate are zero */
    bool resting;  /* the slip velocity is zero */
    bool held;     /* it stuck until now, and its own limit is not reached */
    bool pressed;  /* it was closed until now, and its normal force has not vanished */
    bool let_go;   /* it stuck until now, when its own limit was reached */
    bool leaving;  /* it was closed until now, when a limit of its own was reached */
} slip_standing;

/* The time and state at which modes are decided, and the facts about the contacts. */
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
    SLIP_MODES_SEVERAL = -202, /* choices with different accelerations are consistent */
    SLIP_MODES_UNDEFINED = -203
};

/* Sets the branches (mode, piece) of the contacts concerned. On entry they have the expected modes: the
 * previous ones, except for the mode that has just ended. Returns SLIP_OK, one of the above (*contact then
 * names a contact involved) or an error. */
int slip_modes_decide(slip_modes *modes, const slip_instant *now, slip_branch *branches, int *contact);

/* Functions of the method by which the modes (stick or slip) of set-valued patches at rest are decided: */
typedef struct slip_modes_patches {
    void *user;
    /* Returns the branches to evaluate for these modes at this time and state, with the directions in which
     * patches start to slip (a patch that cannot slip sticks). `turn` false: the last directions are used. */
    slip_branch *(*aim)(void *user, const slip_branch *branches, bool turn, double t, const double *q,
                        const double *v);
    /* The limit of stick of a patch at the last evaluation; *load: its load in the same units. */
    double (*limit)(void *user, int contact, double *load);
} slip_modes_patches;
void slip_modes_take_patches(slip_modes *modes, slip_modes_patches patches);

/* A method with closed-form segments can tell without an evaluation whether modes begin consistent, with a
 * margin in all conditions. False where that is not clear. */
typedef struct slip_modes_foresight {
    void *user;
    bool (*begins)(void *user, const slip_branch *branches, const slip_instant *now);
} slip_modes_foresight;
void slip_modes_take_foresight(slip_modes *modes, slip_modes_foresight foresight);
/* Whether the last decision was made that way: forces and accelerations are then older. */
bool slip_modes_foreseen(const slip_modes *modes);

/* The largest violation of the conditions by the branches' modes at this instant, relative to the size of
 * their terms; at most zero when the modes are consistent. */
double slip_modes_violation(slip_modes *modes, double t, const double *q, const double *v,
                            const slip_standing *standing, const slip_branch *branches);

/* Sizes of the terms of elastic bodies, at the last evaluation, in the accelerations of a contact along gap
 * and slip, and in its normal and friction force; 0 without elastic bodies. */
typedef struct slip_modes_sizes {
    double gap, slip, normal, force;
} slip_modes_sizes;
slip_modes_sizes slip_modes_sizes_of(const slip_modes *modes, int contact);

/* Rounding error of the force of a contact, from the sizes of the terms of its acceleration at the last
 * evaluation: in the direction of its slip, or of its gap where it has no friction. */
double slip_modes_force_rounding(const slip_modes *modes, int contact);

/* The accelerations of the last call of slip_modes_violation or slip_modes_decide. */
const double *slip_modes_acceleration(const slip_modes *modes);

#endif
