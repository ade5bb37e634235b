/* A tree as YAML text that every YAML reader understands in the same way, and that reads back as the same
 * tree. */
#ifndef SLIP_MODEL_EMIT_H
#define SLIP_MODEL_EMIT_H

#include "base/text.h"
#include "model/tree.h"

void slip_emit_document(slip_text *text, const slip_tree *root);

/* A number that reads back exactly, in as few digits as that takes. */
void slip_emit_number(slip_text *text, double value);

#endif
