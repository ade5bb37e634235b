/* Overrides from the command line or a program: "name=value" applied to the tree before it is read. */
#ifndef SLIP_MODEL_OVERRIDE_H
#define SLIP_MODEL_OVERRIDE_H

#include "model/problems.h"

/* Applies one setting. What is wrong with it is noted. Strings and nodes go into the arena. */
void slip_override(slip_problems *problems, slip_arena *arena, slip_tree *root, const char *setting);

#endif
