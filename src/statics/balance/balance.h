/* Equilibria of a system whose forces, gaps and slips are arbitrary functions of the coordinates.
 *
 *     K q = f(t, q, 0, z) + sum over contacts W(q)^T lambda,     0 = g(t, q, 0, z)
 *
 * at zero velocity, the states z at rest too. A contact has a gap >= 0 (or a given normal force N) and a slip
 * of dimension 0 to 3:
 *
 * - At rest the slip is read as the displacement d whose velocity it is, from the reference configuration:
 * the integral of W(q) dq along the straight line from there, which is the same along every other line where
 * the slip is the rate of a function of the coordinates. Sticking contacts have d = 0 and a force within the
 *   static limit of friction; slipping ones have d = r e, r >= 0, |e| = 1, and the force -mu N T(e) with the
 *   kinetic coefficient: where this is the lower one, both stick and slip are possible at d = 0 for forces
 * between the two limits.
 * - Against a moving counterpart (a belt, a rotating disc) the slip velocity w is not zero at rest: the
 * contact slides steadily with the force -N law(w), for any friction law.
 *
 * For a set of modes the unknowns y are the coordinates and states (n), the forces lambda along all
 * directions, and e and r of every contact that slips in more than one direction. There are as many equations
 * as unknowns, and they are smooth also at r = 0, where stick ends. A solution is valid where the margins of
 * its modes are not negative. */
#ifndef SLIP_STATICS_BALANCE_H
#define SLIP_STATICS_BALANCE_H

#include "system/system.h"

/* A contact with a normal force or friction. */
typedef struct slip_balance_contact {
    int contact;                    /* of the system */
    int normal;                     /* direction; -1: its normal force is given */
    int tangent;                    /* index of its first slip direction, */
    int tangent_count;              /* and their number; 0: no friction */
    double basis[9];                /* for several directions: these in x, y and (size times) spin */
    const slip_patch_form *surface; /* limit surface for several directions; NULL: an interval */
    bool holonomic;                 /* the slip is the rate of a function of q; else only stick */
    bool driven;                    /* its slip velocity at rest is not zero (a belt) */
    double drive;                   /* the first slip velocity at the reference */
    bool may_turn;                  /* that slip velocity may change its sign with the coordinates */
} slip_balance_contact;

typedef struct slip_balance {
    slip_arena arena;
    const slip_system *system;
    slip_workspace *work;
    double t;
    const double *reference; /* n: coordinates and states where all d are 0 */
    int n, coordinates;      /* coordinates and states of the system; coordinates alone */
    int contact_count, direction_count;
    slip_balance_contact *contacts;
    double *q, *v;  /* present configuration: coordinates; zero velocities, then the states */
    double *force;  /* scratch, n */
    bool *unknown;  /* of each variable of expressions (time, coordinates, velocities): it is an unknown */
    bool in_range;  /* the parameters of all laws are within their ranges at the present configuration */
    double *varied; /* scratch, of all unknowns */
    double *size, *sum; /* of the judge, n */
    double *row;        /* scratch, 3 n: the rows of a contact */
    double *at_rest; /* scratch, 3 n: derivatives of slip velocities at rest with respect to the unknowns */
    double *gradient, *product, *along; /* scratch, 1 + 2 n each */
    double *slope;                      /* scratch, 2 n x n: derivatives of a C function */
} slip_balance;

/* Sets up the equilibrium problem of a system at time t. `reference` must outlive the balance. Fails with
 * SLIP_ERROR_MODEL where the law of a contact has no meaning in statics. */
int slip_balance_create(slip_context *ctx, const slip_system *system, double t, const double *reference,
                        slip_balance **balance);
void slip_balance_destroy(slip_balance *balance);
SLIP_OWNED(slip_balance, slip_balance_destroy)

/* Whether the equations are linear for fixed modes, and no slip has more than one dimension. */
bool slip_balance_is_linear(const slip_balance *balance);

/* Writes the possible modes of a contact into modes[4]; returns their number. */
int slip_balance_modes_of(const slip_balance *balance, int contact, slip_mode modes[4]);

/* The index of e (followed by r) of a contact among the unknowns, or -1; the number of all unknowns. */
int slip_balance_direction_at(const slip_balance *balance, const slip_mode *modes, int contact);
int slip_balance_size(const slip_balance *balance, const slip_mode *modes);

/* The equations F(y) and, unless NULL, their derivatives (size^2, row by row): first the coordinates, K q - f
 * - W^T lambda, and the negative rates of the states; then one for each direction; then those of e and r.
 * Signs are chosen such that with all contacts open the determinant has the sign of that of the stiffness.
 * False where a number is not finite.
 */
bool slip_balance_evaluate(slip_balance *balance, const slip_mode *modes, const double *y, double *equations,
                           double *derivatives);

/* A margin: an inequality of a contact's mode, value >= 0. */
typedef struct slip_balance_margin {
    int contact;
    double value;
    bool is_force;    /* value is a force; else a displacement (or a slip velocity) */
    slip_mode beyond; /* the mode that follows where the margin is negative */
} slip_balance_margin;
enum { slip_balance_margins_max = 3 }; /* of a contact */
/* Writes the margins into margins[slip_balance_margins_max contact_count]; returns their number. gradients:
 * derivatives by the unknowns, `size` numbers for each margin, or NULL. */
int slip_balance_margins(slip_balance *balance, const slip_mode *modes, const double *y,
                         slip_balance_margin *margins, double *gradients);

/* Normal force, gap, slip (displacement, or velocity where it is driven) and friction force of a contact, at
 * the coordinates and forces of y. */
typedef struct slip_balance_reading {
    double normal, gap, slip[3], force[3];
} slip_balance_reading;
void slip_balance_read_contact(slip_balance *balance, const double *y, int contact,
                               slip_balance_reading *reading);

/* Reference sizes for residuals and rounding errors: of contact forces and displacements, and of the forces
 * on each coordinate (n numbers). */
typedef struct slip_balance_scale {
    double force, displacement;
} slip_balance_scale;
slip_balance_scale slip_balance_scale_of(slip_balance *balance, const double *y, double *forces);

/* The judge: the largest violation of equilibrium and of the contact laws, relative to the scale. It reads
 * only the coordinates, states and forces in y, no modes. */
double slip_balance_residual(slip_balance *balance, const double *y);

/* For a contact with a slip of more than one dimension. *ratio: the force over the friction limit, for unit
 * normal force, in the direction of the force; direction: the slip direction e at that point of the limit
 * surface. False where none is found. */
bool slip_balance_limit(const slip_balance *balance, int contact, const double *force, double *ratio,
                        double *direction);

/* Shared by the files that evaluate a balance. _place: sets the present configuration to that of y.
 * _find_rows: displacements d of a contact along its directions (zero where it is driven), its slip
 * velocities w at rest (x, y, spin), and its rows W, in balance->row. _normal: returns the normal force, and
 * adds `factor` times its derivatives by y to `to`. */
void slip_balance_place(slip_balance *balance, const double *y);
void slip_balance_find_rows(slip_balance *balance, const slip_balance_contact *own, double d[3], double w[3]);
double slip_balance_normal(slip_balance *balance, const slip_balance_contact *own, const double *y,
                           double factor, double *to);
/* Evaluates a law with memory at the slip velocity of `state`: force for unit normal force, and the rates of
 * the law's states. For a slider, which slips at its limit in steady sliding, the rate is replaced by the
 * distance of its force from the limit. */
void slip_balance_law_rates(slip_balance *balance, const slip_contact *contact, slip_contact_state *state,
                            double *rates);
/* The sum of all loads at the present configuration; false where the user's function fails. */
bool slip_balance_loads(slip_balance *balance, double *force);
/* Friction limits for unit normal force at the present configuration: of stick, and of slow slip, which is
 * lower where the static coefficient exceeds the kinetic one. contact: an index of the system. */
double slip_balance_static_limit(const slip_balance *balance, int contact);
double slip_balance_kinetic_limit(const slip_balance *balance, int contact);
void slip_balance_friction(const slip_balance *balance, const slip_balance_contact *own, const double slip[3],
                           double force[3], double by[9]);
void slip_balance_spread(const slip_balance *balance, const slip_balance_contact *own, const double *e,
                         double slip[3]);

#endif
