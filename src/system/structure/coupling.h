/* Which coordinates are coupled. */
#ifndef SLIP_SYSTEM_STRUCTURE_COUPLING_H
#define SLIP_SYSTEM_STRUCTURE_COUPLING_H

#include "system/system.h"

/* part[i] is the same number for all coordinates that are coupled: by the structure (M^-1, and M^-1 K and
 * M^-1 C side by side), by a contact, or by loads that read the state. */
void slip_system_find_parts(const slip_system *system, const double *inverse_mass,
                            const double *mass_structure, int *part);

#endif
