/* What verbs that work on one model file and write a folder have in common. */
#ifndef SLIP_CLI_ON_MODEL_H
#define SLIP_CLI_ON_MODEL_H

#include "arguments.h"

#include "slipstick/model.h"

/* Loads the model file that is the first operand, with the overrides of --set, sees that the folder can be
 * written to, and calls `work`. `folder` is that of --output, or `own`, the one that the file's name stands
 * for. Returns an exit code. */
typedef int (*model_work)(slip_context *ctx, const cli_arguments *arguments, slip_model *model,
                          const char *own, const char *folder);
int run_on_model(const cli_arguments *arguments, model_work work);

#endif
