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
 * All of these are derived as expressions. The forces, which include Coriolis and centrifugal forces, are
 * listed among the loads of the system, and evaluated, differentiated and frozen like loads. Constant entries
 * of the mass matrix are stored in system->mass; the others are evaluated at the present configuration. */
#ifndef SLIP_SYSTEM_ENERGY_H
#define SLIP_SYSTEM_ENERGY_H

#include "system/structure/structure.h"

/* An entry of the mass matrix that is not constant, and its symmetric counterpart. */
typedef struct slip_mass_term {
    int i, j;
    slip_expression *expression; /* of t and the coordinates */
} slip_mass_term;

struct slip_energy {
    slip_expression *kinetic, *potential, *dissipation; /* the last two may be NULL */
    slip_mass_term *mass;
    int64_t mass_count, mass_capacity;
};

/* Checks energies (the last two may be NULL). Returns the index of a wrong one (0 kinetic, 1 potential, 2
 * dissipation) and the text of a message that continues after its name; -1 if all are correct; or
 * SLIP_ERROR_MEMORY. */
int slip_energy_unusable(const slip_system *system, const slip_expression *const energies[3], char *message,
                         size_t size);

#endif
