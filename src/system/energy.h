/* Structures that are given by their energies.
 *
 * From the kinetic energy T(t, q, v), which is quadratic in the velocities, the potential energy V(t, q) and
 * the dissipation function D(t, q, v), Lagrange's equations with L = T - V are
 *
 *     d/dt (dL/dv_i) - dL/dq_i + dD/dv_i = loads and contacts.
 *
 * With the momenta p = dL/dv, which are linear in the velocities, the left side is M(t, q) a less the force
 *
 *     M_ij = dp_i/dv_j,     f_i = dL/dq_i - dD/dv_i - dp_i/dt - sum over j of dp_i/dq_j v_j.
 *
 * All of these are derived as expressions. The forces stand among the loads of the system and are evaluated,
 * differentiated and frozen like these; they have Coriolis and centrifugal forces in them. Entries of the
 * mass matrix that are numbers stand in the system's; the others are evaluated where the motion is. */
#ifndef SLIP_SYSTEM_ENERGY_H
#define SLIP_SYSTEM_ENERGY_H

#include "system/system.h"

/* An entry of the mass matrix that is not a number, and the one across the diagonal. */
typedef struct slip_mass_term {
    int i, j;
    slip_expression *expression; /* of t and the coordinates */
} slip_mass_term;

struct slip_energy {
    slip_expression *kinetic, *potential, *dissipation; /* the last two may be NULL */
    slip_mass_term *mass;
    int64_t mass_count, mass_capacity;
};

/* Why energies cannot be used: which of them (0 kinetic, 1 potential, 2 dissipation; any of the last two may
 * be NULL) and a message that goes on after its name; -1 where nothing is wrong. */
int slip_energy_unusable(const slip_system *system, const slip_expression *const energies[3], char *message,
                         size_t size);

/* Makes mass matrix and forces of the system's energies. A structure whose equations are linear with constant
 * coefficients, but for loads of time, becomes one of matrices, and the energies are let go of. */
int slip_energy_derive(slip_context *ctx, slip_system *system);
void slip_energy_destroy(slip_energy *energy);

/* Adds -(dM/dx) a to the derivatives f_q (n x n) and f_t (n) of the force; the slots are filled. */
void slip_energy_differentiate(const slip_system *system, slip_workspace *workspace, const double *a,
                               double *f_q, double *f_t);

/* After something was not finite: fails where an energy is not defined or the mass matrix is not positive
 * definite, and says which motion has no mass. The slots are filled. */
int slip_energy_diagnose(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                         const double *q);

/* For the account of energies. With T = T2 + T1 + T0, by powers of the velocities, and forces Q of loads and
 * contacts,
 *
 *     d/dt (T + V) = Q . v - v . dD/dv - dL/dt + d/dt (T1 + 2 T0):
 *
 * the last two are what moves a frame. */
typedef struct slip_energies_now {
    double kinetic, potential; /* potential: with that of springs */
    double frame;              /* T1 + 2 T0 */
} slip_energies_now;
void slip_energy_now(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                     const double *v, slip_energies_now *now);
/* -dL/dt and v . dD/dv. */
void slip_energy_powers(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                        const double *v, double *driven, double *dissipated);

#endif
