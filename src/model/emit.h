/* Writes a tree as YAML text that every YAML 1.1 or 1.2 reader understands in the same way, and that gives
 * the same tree when read. */
#ifndef SLIP_MODEL_EMIT_H
#define SLIP_MODEL_EMIT_H

#include "base/text.h"
#include "model/tree.h"

void slip_emit_document(slip_text *text, const slip_tree *root);

/* Appends a number with the fewest digits that give exactly the same number when read. */
void slip_emit_number(slip_text *text, double value);

#endif
