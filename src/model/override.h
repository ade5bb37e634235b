/* Overrides from the command line or a program: "name=value" applied to the tree before it is read. */
#ifndef SLIP_MODEL_OVERRIDE_H
#define SLIP_MODEL_OVERRIDE_H

#include "model/problems.h"

/* Applies one setting to the tree; records a problem if it is wrong. Strings and nodes are the arena's. */
void slip_override(slip_problems *problems, slip_arena *arena, slip_tree *root, const char *setting);

#endif
