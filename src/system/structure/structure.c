#include "system/structure/structure.h"

#include <stddef.h>

/* Constant M, C, K, and nothing else. */
const slip_structure slip_structure_linear = {.name = "linear"};

const slip_structure *const slip_structures[] = {&slip_structure_linear, &slip_structure_energy,
                                                 &slip_structure_modal, &slip_structure_gears, NULL};
