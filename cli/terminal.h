/* The terminal: a progress bar on stderr, warnings that do not collide with it, and what stdout can show. */
#ifndef SLIP_CLI_TERMINAL_H
#define SLIP_CLI_TERMINAL_H

#include "slipstick/base.h"

#include <stdbool.h>

typedef struct cli_terminal {
    bool shows_progress;   /* stderr is a terminal and nobody asked for quiet */
    bool line_in_use;      /* a bar stands on the last line */
    double begin;          /* of the job that the bar shows, in seconds of a clock; 0: none yet */
    double fraction;       /* of it that was done when it was last shown */
    double begin_fraction; /* and at its begin: a resumed job starts in the middle */
} cli_terminal;

/* Connects the context's progress and warnings to stderr. */
void terminal_open(cli_terminal *terminal, slip_context *ctx, bool quiet);

/* Takes the bar away; to be called before anything else is printed. */
void terminal_clear(cli_terminal *terminal);

/* Does stdout take UTF-8? */
bool terminal_is_utf8(void);

#endif
