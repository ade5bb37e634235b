/* The text of `slipstick check`: what statics makes of a model. */
#ifndef SLIP_MODEL_DESCRIBE_STATICS_H
#define SLIP_MODEL_DESCRIBE_STATICS_H

#include "model/model.h"

/* Appends how static solutions of a model with coordinates are found, or why not. */
void slip_statics_describe(slip_text *text, const slip_model *model);

#endif
