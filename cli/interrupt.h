/* Ctrl-C or SIGTERM: the first one asks the library to end and keep what it has, the second one kills. */
#ifndef SLIP_CLI_INTERRUPT_H
#define SLIP_CLI_INTERRUPT_H

#include "slipstick/base.h"

/* Between these two, SIGINT and SIGTERM interrupt what runs with this context. */
void interrupt_begin(slip_context *ctx);
void interrupt_end(void);

#endif
