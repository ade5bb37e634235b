/* Help in the formats of other programs: manual pages, and completion scripts for shells. */
#ifndef SLIP_CLI_MANUAL_H
#define SLIP_CLI_MANUAL_H

#include "verb.h"

/* The manual page slipstick(1), or slipstick-VERB(1), in roff. */
void print_general_manual(void);
void print_verb_manual(const cli_verb *verb);

/* A script that completes verbs, options and files for `bash` or `zsh`. Returns an exit code. */
int print_completion(const char *shell);

#endif
