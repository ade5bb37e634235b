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

#include "system/structure/structure.h"

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
 * be NULL) and a message that goes on after its name; -1 where nothing is wrong, or
 * SLIP_ERROR_MEMORY. */
int slip_energy_unusable(const slip_system *system, const slip_expression *const energies[3], char *message,
                         size_t size);

#endif
