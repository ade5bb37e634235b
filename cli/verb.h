/* A verb of the command line: what help prints about it and what runs it. One file a verb, listed in verbs.c.
 */
#ifndef SLIP_CLI_VERB_H
#define SLIP_CLI_VERB_H

#include "arguments.h"

typedef struct cli_job cli_job;

/* What a verb has in common with others, and hence their options. */
enum {
    takes_model = 1, /* the operand FILE is a model, or `-`: --set */
    has_summary = 2, /* --quiet, --json */
    shares_work = 4  /* the processes of `mpirun` do it together */
};

struct cli_verb {
    const char *name;
    const char *summary;       /* one line, for the list of verbs */
    const char *operands;      /* as in the usage line: "FILE" */
    int operand_minimum;       /* how many operands must be there */
    int operand_maximum;       /* and how many may */
    unsigned common;           /* takes_model, has_summary, shares_work */
    const cli_option *options; /* its own; a NULL name ends the list */
    const char *about;         /* paragraphs, wrapped by hand to 80 columns */
    void (*list)(void);        /* prints what the library offers for this verb; may be NULL */
    const char *example;       /* commands that work as typed, one a line */
    /* What it does, which returns the exit code: a job (job.h), with the model that is the operand where it
     * takes one and a folder of this ending for the results (NULL: it writes none); or all of it. */
    int (*work)(cli_job *job);
    const char *ending;
    int (*run)(cli_arguments *arguments);
};

/* All verbs, in the order of the general help; NULL ends the list. */
extern const cli_verb *const verbs[];

const cli_verb *verb_find(const char *name); /* NULL when there is none */

#endif
