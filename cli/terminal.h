/* The terminal: a progress bar on stderr, warnings that do not overlap it, and the character set of stdout.
 */
#ifndef SLIP_CLI_TERMINAL_H
#define SLIP_CLI_TERMINAL_H

#include "slipstick/base.h"

#include <stdbool.h>

typedef struct cli_terminal {
    bool shows_progress;   /* stderr is a terminal, and --quiet was not given */
    bool line_in_use;      /* the last line shows a progress bar */
    double begin;          /* start of the job that the bar shows, s; 0: none */
    double fraction;       /* fraction of the job done at the last update */
    double begin_fraction; /* and at its start (not 0 for a resumed job) */
} cli_terminal;

/* Connects the context's progress and warnings to stderr. */
void terminal_open(cli_terminal *terminal, slip_context *ctx, bool quiet);

/* Removes the bar; to be called before anything else is printed. */
void terminal_clear(cli_terminal *terminal);

/* Whether stdout accepts UTF-8. */
bool terminal_is_utf8(void);

#endif
