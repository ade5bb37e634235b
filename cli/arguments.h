/* The arguments of a verb, read by the verb's own table of options. */
#ifndef SLIP_CLI_ARGUMENTS_H
#define SLIP_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_verb cli_verb;

typedef struct cli_option {
    const char *name;  /* without the dashes: "output" */
    char letter;       /* of the short form, or 0 */
    const char *value; /* placeholder of its value in help, "DIR"; NULL: a switch without value */
    const char *help;
} cli_option;

typedef struct cli_given {
    const cli_option *option;
    const char *value; /* NULL for a switch */
} cli_given;

typedef struct cli_arguments {
    const cli_verb *verb;
    const char **operands; /* what is not an option; NULL ends the list */
    int operand_count;
    cli_given *options; /* in the order in which they were given */
    int option_count;
    bool help;  /* -h or --help was given, so nothing else was checked */
    bool quiet; /* --quiet or --json: no progress, and normal output is discarded */
    FILE *json; /* stream for --json; NULL: not given */
    int code;   /* exit code of the first invalid value, whose message has been printed; else exit_done */
} cli_arguments;

/* Reads the arguments after the verb. Returns an exit code; if it is not 0 a message has been printed.
 * Strings are those of argv. The caller calls arguments_free in any case. */
int arguments_read(const cli_verb *verb, int count, char **values, cli_arguments *arguments);
void arguments_free(cli_arguments *arguments);

/* Option `index` of a verb: its own first, then common ones; NULL after the last. */
const cli_option *verb_option(const cli_verb *verb, int index);

bool argument_given(const cli_arguments *arguments, const char *name);

/* The value given last, or `fallback`. */
const char *argument_text(const cli_arguments *arguments, const char *name, const char *fallback);

/* The same as a number; *number is unchanged if the option was not given. Returns arguments->code. When
 * several values are read, it suffices to check the code after the last: after the first invalid value no
 * further message is printed. */
int argument_number(cli_arguments *arguments, const char *name, double *number);

/* The same as a whole number from low to high. */
int argument_count(cli_arguments *arguments, const char *name, int low, int high, int *number);

/* All values of an option that may be repeated, ended by NULL. The caller frees the list, not the strings.
 * NULL: out of memory. */
const char **argument_list(const cli_arguments *arguments, const char *name);

/* *words: the names of a value `a,b`, ended by NULL; NULL if the option was not given. *text holds the names;
 * the caller frees both. Returns arguments->code. */
int argument_words(cli_arguments *arguments, const char *name, char **text, const char ***words);

/* Converts the whole of `text` to a finite number; false if it is not one. */
bool read_number(const char *text, double *number);

#endif
