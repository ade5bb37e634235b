/* A result in a few lines for a person. */
#ifndef SLIP_CLI_SUMMARY_H
#define SLIP_CLI_SUMMARY_H

#include "slipstick/slipstick.h"

void print_summary(const slip_model *model, const slip_result *result);

/* How many values or starts (`what`) of a study were moved together, and why others were not. */
void print_together(slip_result *result, const char *what);

#endif
