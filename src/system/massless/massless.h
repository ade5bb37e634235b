/* Coordinates without mass: the mass matrix is singular, and springs, dampers or friction determine their
 * motion.
 *
 * Such a system is not integrated itself. It is replaced by another one with a mass for every coordinate
 * (`system`, "the system that moves"), whose motion is converted back to the given coordinates. With q = T p,
 * where T has the massless motions as columns (the identity where a row of M is zero), their balance of
 * forces is
 *
 *     0 = f_u - C_u p' - K_u p + W_u lambda,
 *
 * and each massless motion is of one of these kinds:
 *
 *  - static: no damper acts on it. p_e = B (f_e - K_ex x) - B r, with B = K_ee^-1 and the Coulomb friction
 * forces r: the springs are condensed, and friction becomes a slider in series with the condensed spring (law
 * `jenkins`), z = B_cc r_c, which slips with the velocity of the point B (f_e - K_ex x)_c;
 *  - damped: a state with the rate C_dd^-1 (f_d - K_d p - C_dx x'); Coulomb friction cancels the force up to
 * its limit;
 *  - creeping: a smooth law, or one with memory, acts on it. It is a state, whose rate is the slip velocity s
 * that solves N law(s) + y s = balance (slip_creep).
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

/* The contact of the given system in the system that moves. */
typedef struct slip_massless_contact {
    int coordinate;         /* the massless coordinate on which it acts; -1: none, the contact is unchanged */
    double arm;             /* its coefficient in the slip velocity */
    int state;              /* for a slider its deflection, for a creeping contact the coordinate; else -1 */
    double limit;           /* friction limit on a damped coordinate; else 0 */
    slip_expression *force; /* on a damped coordinate: the force without this contact; slots of `system` */
} slip_massless_contact;

struct slip_massless {
    slip_arena arena;
    slip_system *system;         /* the system that moves */
    int n, coordinates;          /* of the given system */
    slip_weight *weight;         /* kind of each coordinate; a massless motion is named by one coordinate */
    double *transform, *inverse; /* T and T^-1 */
    bool mixed;                  /* T is not the identity */
    int *place;                  /* of each of the n: its coordinate or state in `system`; -1 if static */
    slip_massless_contact *contacts;
    int contact_count;
    /* Position, velocity and acceleration of each given coordinate, as expressions of the slots of `system`,
     * followed by slots for its accelerations and their rates. */
    slip_expression **q, **v, **a;
    int scratch_count;
};

/* Makes the system that moves for a system with a singular mass matrix; *result is NULL for a regular one.
 * Fails with SLIP_ERROR_MODEL where the motion of a coordinate is not determined, or by something that is not
 * supported. */
int slip_massless_create(slip_context *ctx, const slip_system *system, slip_massless **result);
void slip_massless_destroy(slip_massless *massless);

/* The system that moves: system->massless->system, or the system itself. */
const slip_system *slip_system_moving(const slip_system *system);

/* Converts states between the two systems (view.c). */
typedef struct slip_massless_view slip_massless_view;
int slip_massless_view_create(slip_context *ctx, const slip_system *system, slip_massless_view **view);
void slip_massless_view_destroy(slip_massless_view *view);
SLIP_OWNED(slip_massless_view, slip_massless_view_destroy)

/* The state p, w of the system that moves for a given state q, v. Static coordinates are set by the balance
 * of forces; a slider beyond its limit is moved to it. */
void slip_massless_enter(slip_massless_view *view, double t, const double *q, const double *v, double *p,
                         double *w);
/* The reverse: q, v and a (may be NULL) from p, w and the accelerations b. */
void slip_massless_leave(slip_massless_view *view, double t, const double *p, const double *w,
                         const double *b, double *q, double *v, double *a);
/* Slip, force and mode of a contact on a massless coordinate, after slip_massless_leave. On entry they are
 * those of the system that moves. Changes v to agree with the mode. */
void slip_massless_contact_state(slip_massless_view *view, int contact, double t, const double *q, double *v,
                                 double *slip, double *force, double *mode);

#endif
