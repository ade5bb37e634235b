/* A verb of the command line: its help and its function. Each is one file, listed in verbs.c. */
#ifndef SLIP_CLI_VERB_H
#define SLIP_CLI_VERB_H

#include "arguments.h"

typedef struct cli_job cli_job;

/* Properties that verbs share, which give them common options. */
enum {
    takes_model = 1, /* the operand FILE is a model, or `-`: --set */
    has_summary = 2, /* --quiet, --json */
    shares_work = 4  /* the processes of `mpirun` share its work */
};

struct cli_verb {
    const char *name;
    const char *summary;       /* one line, for the list of verbs */
    const char *operands;      /* as in the usage line: "FILE" */
    int operand_minimum;       /* least number of operands */
    int operand_maximum;       /* largest number of operands */
    unsigned common;           /* takes_model, has_summary, shares_work */
    const cli_option *options; /* its own; a NULL name ends the list */
    const char *about;         /* paragraphs, wrapped by hand to 80 columns */
    void (*list)(void);  /* prints a list of what the library offers (methods, laws), for help; may be NULL */
    const char *example; /* example commands that work as typed, one a line */
    /* Either `work` is called as a job (job.h), with the model if the verb takes one and a result folder with
     * the ending `ending` (NULL: none); or `run` does everything. Both return the exit code. */
    int (*work)(cli_job *job);
    const char *ending;
    int (*run)(cli_arguments *arguments);
};

/* All verbs, in the order of the general help; NULL ends the list. */
extern const cli_verb *const verbs[];

const cli_verb *verb_find(const char *name); /* NULL when there is none */

#endif
