/* Prints a result in a few lines for the user. */
#ifndef SLIP_CLI_SUMMARY_H
#define SLIP_CLI_SUMMARY_H

#include "slipstick/slipstick.h"

void print_summary(const slip_model *model, const slip_result *result);

/* Prints how many values or starts (what: this word) were computed as a batch, and why others were not. */
void print_together(slip_result *result, const char *what);

#endif
