/* The title of a result, the text of its model.yaml, and the units of its columns. */
#ifndef SLIP_STUDY_DESCRIBE_H
#define SLIP_STUDY_DESCRIBE_H

#include "model/model.h"
#include "result/result.h"

/* Both are those of the model; `method` NULL: the text has what the model itself says. */
int slip_describe(slip_context *ctx, slip_result *result, const slip_model *model, const char *method);

#endif
