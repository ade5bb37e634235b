/* Help texts, made from the table of verbs. */
#ifndef SLIP_CLI_HELP_H
#define SLIP_CLI_HELP_H

#include "verb.h"

#include <stdio.h>

void print_general_help(FILE *file);
void print_general_end(FILE *file); /* what follows the list of verbs: first steps, exit codes */
void print_verb_help(const cli_verb *verb);

#endif
