/* Ctrl-C: the first one asks the library to end and keep what it has, the second one kills. */
#ifndef SLIP_CLI_INTERRUPT_H
#define SLIP_CLI_INTERRUPT_H

#include "slipstick/base.h"

/* Between these two, SIGINT interrupts what runs with this context. */
void interrupt_begin(slip_context *ctx);
void interrupt_end(void);

#endif
