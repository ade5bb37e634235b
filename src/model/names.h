/* What names coordinates, parameters and contacts may have; and the words of the format. */
#ifndef SLIP_MODEL_NAMES_H
#define SLIP_MODEL_NAMES_H

#include <stdbool.h>

enum {
    slip_name_length_max = 60,
    slip_coordinates_max = 300,
    slip_states_max = 300,
    slip_parameters_max = 1000,
    slip_contacts_max = 1000,
    slip_outputs_max = 1000
};

/* Why a name cannot be used, or NULL when it can: letters, digits and underscores. A `reserved` word (t, pi,
 * the functions) is no name for what expressions use. */
const char *slip_name_problem(const char *name, bool reserved);

/* Sections that give the structure (model/read/read.h). */
#define SLIP_GIVEN_STRUCTURES(STRUCTURE) STRUCTURE(energy)

extern const char *const slip_sections[]; /* the top-level keys that this version reads; NULL ends the list */

#endif
