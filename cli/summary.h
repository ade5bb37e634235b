/* A result in a few lines for a person. */
#ifndef SLIP_CLI_SUMMARY_H
#define SLIP_CLI_SUMMARY_H

#include "slipstick/slipstick.h"

void print_summary(const slip_model *model, const slip_result *result);

#endif
