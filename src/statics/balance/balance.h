/* Equilibria of a system whose forces, gaps and slips are any functions of the coordinates.
 *
 *     K q = f(t, q, 0, z) + sum over contacts W(q)^T lambda,     0 = g(t, q, 0, z)
 *
 * with the velocities zero and the states z where their rates vanish. A contact has a gap that is not
 * negative (or a given normal force N) and a slip of dimension 0 to 3:
 *
 * - At rest the slip is read as the displacement d whose velocity it is, from the reference configuration:
 * the integral of W(q) dq along the straight line from there, which is the same along every other line where
 * the slip is the rate of a function of the coordinates. Sticking contacts have d = 0 and a force within the
 *   static limit of friction; slipping ones have d = r e, r >= 0, |e| = 1, and the force -mu N T(e) with the
 *   kinetic coefficient: where that is the lower one both hold at d = 0, for forces between the two.
 * - On something that moves (a belt, a disc that turns) the slip velocity w is not zero at rest: the contact
 *   slides steadily with the force -N law(w), whichever law it has.
 *
 * For a set of modes the unknowns y are the coordinates and states (n), the forces lambda along all
 * directions, and e and r of every contact that slips in more than one direction. The equations are as many
 * and smooth, also at r = 0, where stick ends. The modes hold where their margins are not negative. */
#ifndef SLIP_STATICS_BALANCE_H
#define SLIP_STATICS_BALANCE_H

#include "system/system.h"

/* A contact that presses or rubs. */
typedef struct slip_balance_contact {
    int contact;       /* of the system */
    int normal;        /* direction; -1: its normal force is given */
    int tangent;       /* its first direction along the slip, */
    int tangent_count; /* of so many; 0: no friction */
    double basis[9];   /* of a slip of more than one dimension: these, in x, y and size times spin */
    const slip_patch_form *surface; /* which limits its forces where they are a vector; NULL: an interval */
    bool holonomic; /* the slip is the rate of a function of the coordinates: else it can only stick */
    bool driven;    /* the slip velocity is not zero at rest */
    double drive;   /* the first slip velocity at the reference */
    bool may_turn;  /* and may change its sign with the coordinates */
} slip_balance_contact;

typedef struct slip_balance {
    slip_arena arena;
    const slip_system *system;
    slip_workspace *work;
    double t;
    const double *reference; /* n: coordinates, and values of the states, where slip is counted from */
    int n, coordinates;      /* unknowns of the system, and how many of these are coordinates */
    int contact_count, direction_count;
    slip_balance_contact *contacts;
    double *q, *v;      /* the last place: coordinates, and the states behind zero velocities */
    double *force;      /* scratch, n */
    bool *unknown;      /* of each slot of expressions (time, coordinates, velocities): it is one */
    bool in_range;      /* the parameters of all laws are within their ranges at the place */
    double *varied;     /* scratch, of all unknowns */
    double *size, *sum; /* of the judge, n */
    double *row;        /* scratch, 3 n: the rows of a contact */
    double *at_rest; /* scratch, 3 n: derivatives of slip velocities at rest with respect to the unknowns */
    double *gradient, *product, *along; /* scratch, 1 + 2 n each */
    double *slope;                      /* scratch, n x n: of a C function, twice */
} slip_balance;

/* `reference` outlives the balance. Fails with SLIP_ERROR_MODEL where a contact has no static law. */
int slip_balance_create(slip_context *ctx, const slip_system *system, double t, const double *reference,
                        slip_balance **balance);
void slip_balance_destroy(slip_balance *balance);
SLIP_OWNED(slip_balance, slip_balance_destroy)

/* With the modes given everything is linear, and no slip is of more than one dimension. */
bool slip_balance_is_linear(const slip_balance *balance);

/* The modes that a contact can have, into modes[4]; their number. */
int slip_balance_modes_of(const slip_balance *balance, int contact, slip_mode modes[4]);

/* The place of e (and behind it r) of a contact among the unknowns, -1 where it has none; and how many
 * unknowns there are. */
int slip_balance_direction_at(const slip_balance *balance, const slip_mode *modes, int contact);
int slip_balance_size(const slip_balance *balance, const slip_mode *modes);

/* The equations F(y) and, unless NULL, their derivatives (size^2, row by row): first the coordinates, K q - f
 * - W^T lambda, and the negative rates of the states; then one for each direction; then those of e and r. The
 * sign of the determinant is that of the stiffness where everything is open. False where something is not
 * finite. */
bool slip_balance_evaluate(slip_balance *balance, const slip_mode *modes, const double *y, double *equations,
                           double *derivatives);

/* The inequalities of the modes. */
typedef struct slip_balance_margin {
    int contact;
    double value;
    bool is_force;    /* else a displacement (or a slip velocity) */
    slip_mode beyond; /* the mode on the other side */
} slip_balance_margin;
enum { slip_balance_margins_max = 3 }; /* of a contact */
/* Into margins[slip_balance_margins_max contact_count]; how many. gradients: `size` numbers for each, or
 * NULL. */
int slip_balance_margins(slip_balance *balance, const slip_mode *modes, const double *y,
                         slip_balance_margin *margins, double *gradients);

/* Normal force, slip (displacement, or velocity where it is driven) and gap of contact c at the coordinates
 * and forces of y. */
typedef struct slip_balance_look {
    double normal, gap, slip[3], force[3];
} slip_balance_look;
void slip_balance_look_at(slip_balance *balance, const double *y, int contact, slip_balance_look *look);

/* Sizes that rounding is judged by: of forces and displacements of contacts, and of the forces on each
 * coordinate (n numbers). */
typedef struct slip_balance_scale {
    double force, displacement;
} slip_balance_scale;
slip_balance_scale slip_balance_scale_of(slip_balance *balance, const double *y, double *forces);

/* The judge: the largest violation of equilibrium and of the contact laws, relative to the scale. Knows
 * nothing of modes; reads the coordinates and forces of y. */
double slip_balance_residual(slip_balance *balance, const double *y);

/* Of a contact with a slip of more than one dimension: its force as a multiple of what friction of unit
 * normal force limits it to, and the direction e in which it slips at the limit. False where none is found.
 */
bool slip_balance_limit(const slip_balance *balance, int contact, const double *force, double *ratio,
                        double *direction);

/* Between balance.c and look.c: goes to the coordinates and states of y; the displacements d along
 * the directions of a contact (zero where it is driven), its slip velocities w at rest (x, y, spin), and its
 * rows in balance->row; the normal force, and its derivatives with respect to y added to `to` times a factor.
 */
void slip_balance_place(slip_balance *balance, const double *y);
void slip_balance_look_along(slip_balance *balance, const slip_balance_contact *own, double d[3],
                             double w[3]);
double slip_balance_normal(slip_balance *balance, const slip_balance_contact *own, const double *y,
                           double factor, double *to);
/* The force of a law with memory for unit normal force at the slip velocity of `state`, and the rates of its
 * states. Sliders slip at their limits in steady sliding: what they lack to these stands in place of rates.
 */
void slip_balance_remember(slip_balance *balance, const slip_contact *contact, slip_contact_state *state,
                           double *rates);
/* The sum of all loads at the place; false where the user's function fails. */
bool slip_balance_loads(slip_balance *balance, double *force);
/* For unit normal force, at the place: what stick holds, and what slow slip rubs with, which is less where
 * the static coefficient is above the kinetic one. The contact is one of the system. */
double slip_balance_hold(const slip_balance *balance, int contact);
double slip_balance_slide(const slip_balance *balance, int contact);
void slip_balance_friction(const slip_balance *balance, const slip_balance_contact *own, const double slip[3],
                           double force[3], double by[9]);
void slip_balance_spread(const slip_balance *balance, const slip_balance_contact *own, const double *e,
                         double slip[3]);

#endif
