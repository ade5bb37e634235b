/* Coordinates without mass: the mass matrix is singular, and springs, dampers or friction determine their
 * motion.
 *
 * Such a system is not integrated itself. Another one, with a mass for every coordinate, moves in its place
 * (`system`), and what it does is shown in the coordinates that were given. With q = T p, where T has the
 * motions without mass as columns (the identity where a row of M is zero), the balance of those is
 *
 *     0 = f_u - C_u p' - K_u p + W_u lambda,
 *
 * and each of them is one of
 *
 *  - static: no damper acts on it. p_e = B (f_e - K_ex x) - B r, with B = K_ee^-1 and the forces r that
 *    Coulomb friction takes: the springs are condensed, and friction becomes a slider behind the spring that
 *    is left (law `jenkins`), z = B_cc r_c, which slips with the velocity of the point B (f_e - K_ex x)_c;
 *  - damped: a state with the rate C_dd^-1 (f_d - K_d p - C_dx x'); Coulomb friction takes from the force
 * what is within its limit;
 *  - creeping: a smooth law, or one with memory, acts on it. A state, whose rate is the slip velocity s that
 *    solves N law(s) + y s = balance (slip_creep).
 *
 * Energies and works are those of the system that was given. */
#ifndef SLIP_SYSTEM_MASSLESS_H
#define SLIP_SYSTEM_MASSLESS_H

#include "system/system.h"

typedef enum slip_weight {
    SLIP_HEAVY,   /* it has a mass */
    SLIP_STATIC,  /* springs decide */
    SLIP_DAMPED,  /* dampers decide */
    SLIP_CREEPING /* a smooth law decides */
} slip_weight;

/* What became of a contact. */
typedef struct slip_massless_contact {
    int coordinate;         /* the one without mass that it acts on, or -1: it is as it was */
    double arm;             /* its coefficient in the slip velocity */
    int state;              /* of a slider: its deflection; of one that creeps: the coordinate; else -1 */
    double limit;           /* of friction on a damped coordinate; else 0 */
    slip_expression *force; /* of the same: force on the coordinate without this contact; slots of `system` */
} slip_massless_contact;

struct slip_massless {
    slip_arena arena;
    slip_system *system; /* the one that moves */
    int n, coordinates;  /* of the one that was given */
    slip_weight
        *weight; /* of each coordinate; of a motion without mass: that of the coordinate it is named by
                  */
    double *transform, *inverse; /* T and T^-1 */
    bool mixed;                  /* T is not the identity */
    int *place; /* of each of the n: its coordinate or state in `system`; -1 of a static one */
    slip_massless_contact *contacts;
    int contact_count;
    /* Of each coordinate: its place, velocity and acceleration, over the slots of `system` and behind them
     * the n accelerations and their rates. */
    slip_expression **q, **v, **a;
    int scratch_count;
};

/* The system that moves in place of one whose mass matrix is singular; *result is NULL where it is not. Fails
 * with SLIP_ERROR_MODEL where nothing decides a coordinate, or what decides it is not known how to take. */
int slip_massless_create(slip_context *ctx, const slip_system *system, slip_massless **result);
void slip_massless_destroy(slip_massless *massless);

/* The system that moves: the one in place of this, or itself. */
const slip_system *slip_system_moving(const slip_system *system);

/* What a look at a motion needs; from massless_view.c. */
typedef struct slip_massless_view slip_massless_view;
int slip_massless_view_create(slip_context *ctx, const slip_system *system, slip_massless_view **view);
void slip_massless_view_destroy(slip_massless_view *view);
SLIP_OWNED(slip_massless_view, slip_massless_view_destroy)

/* The state of the system that moves for a given one. A coordinate that balance decides is where that says; a
 * slider beyond its limit moves to it. */
void slip_massless_enter(slip_massless_view *view, double t, const double *q, const double *v, double *p,
                         double *w);
/* And back: q and v (a may be NULL) for p, w and the accelerations there. */
void slip_massless_leave(slip_massless_view *view, double t, const double *p, const double *w,
                         const double *b, double *q, double *v, double *a);
/* Slip, force and mode of a contact that acts on a coordinate without mass, of a state that was left; takes
 * those of the system that moves. Makes the velocity v what the mode says. */
void slip_massless_contact_state(slip_massless_view *view, int contact, double t, const double *q, double *v,
                                 double *slip, double *force, double *mode);

#endif
