/* The arguments of a verb, read by the verb's own table of options. */
#ifndef SLIP_CLI_ARGUMENTS_H
#define SLIP_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_verb cli_verb;

typedef struct cli_option {
    const char *name;  /* without the dashes: "output" */
    char letter;       /* of the short form, or 0 */
    const char *value; /* what stands for its value in help, "DIR"; NULL: a switch without value */
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
    bool help;  /* -h or --help was among them: nothing else was checked */
    bool quiet; /* --quiet or --json: no progress, and nothing that is printed is seen */
    FILE *json; /* where the summary of --json goes; NULL: it was not asked for */
    int code;   /* of the first value that was not what its option takes, which was said; else exit_done */
} cli_arguments;

/* Reads what follows the verb. Returns an exit code; when it is not 0 the reason has been said. Strings stay
 * those of argv. arguments_free is due in any case. */
int arguments_read(const cli_verb *verb, int count, char **values, cli_arguments *arguments);
void arguments_free(cli_arguments *arguments);

/* The options of a verb, its own and then those that it has in common with others; NULL after the last. */
const cli_option *verb_option(const cli_verb *verb, int index);

bool argument_given(const cli_arguments *arguments, const char *name);

/* The value given last, or `fallback`. */
const char *argument_text(const cli_arguments *arguments, const char *name, const char *fallback);

/* The same as a number; `number` stays as it is when the option was not given. Whoever reads several values
 * looks at arguments->code, which is also returned, behind the last: after the first wrong one the others say
 * nothing. */
int argument_number(cli_arguments *arguments, const char *name, double *number);

/* The same as a whole number from low to high. */
int argument_count(cli_arguments *arguments, const char *name, int low, int high, int *number);

/* All values of an option that may be repeated, NULL at the end. Free the list (not the strings). NULL when
 * out of memory. */
const char **argument_list(const cli_arguments *arguments, const char *name);

/* The names of a value `a,b`, a NULL at the end; NULL where the option was not given. *text keeps them: free
 * both. Returns arguments->code. */
int argument_words(cli_arguments *arguments, const char *name, char **text, const char ***words);

/* All of `text` as a finite number; false when it is none. */
bool read_number(const char *text, double *number);

#endif
