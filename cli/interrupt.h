/* Ctrl-C or SIGTERM: the first one ends the run and keeps its results, the second one kills the program. */
#ifndef SLIP_CLI_INTERRUPT_H
#define SLIP_CLI_INTERRUPT_H

#include "slipstick/base.h"

/* Between these calls SIGINT and SIGTERM interrupt library calls with this context. */
void interrupt_begin(slip_context *ctx);
void interrupt_end(void);

#endif
