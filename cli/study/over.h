/* Shared by verbs that run over axes: --over, --threads, --part, and the output of their results. */
#ifndef SLIP_CLI_OVER_H
#define SLIP_CLI_OVER_H

#include "job.h"
#include "verb.h"

#include "slipstick/axis.h"
#include "slipstick/result.h"

#define OPTION_OVER                                                                                          \
    {                                                                                                        \
        "over", 0, "NAME=FROM:TO:COUNT",                                                                     \
            "varies a parameter, or an initial value such as x or x';\nNAME=FROM:TO:COUNT:log by equal "     \
            "ratios, NAME=A,B,C a list;\nmay be repeated: the last one changes fastest"                      \
    }
#define OPTION_THREADS                                                                                       \
    {                                                                                                        \
        "threads", 0, "COUNT", "runs at a time; default: as many as there are processors"                    \
    }
#define OPTION_PART                                                                                          \
    {                                                                                                        \
        "part", 0, "K/N", "only part K of N, for batch systems; `merge` joins them"                          \
    }

typedef struct cli_over {
    slip_axis *axes; /* NULL: --over was not given */
    int axis_count, threads, part, parts;
    const char **texts; /* as given */
} cli_over;

/* Reads these options. Returns an exit code. */
int over_read(const cli_job *job, cli_over *over);
void over_free(cli_over *over);

/* Copies them to the options of a sweep, a basin or Lyapunov exponents, whose fields have the same names. */
#define OVER_GIVE(o, over, job)                                                                              \
    do {                                                                                                     \
        (o)->axes = (over)->axes;                                                                            \
        (o)->axis_count = (over)->axis_count;                                                                \
        (o)->threads = (over)->threads;                                                                      \
        (o)->part = (over)->part;                                                                            \
        (o)->parts = (over)->parts;                                                                          \
        (o)->restart = argument_given((job)->arguments, "restart");                                          \
        (o)->folder = (job)->folder;                                                                         \
    } while (0)

/* keep_result for results over axes. */
int over_keep(cli_job *job, slip_result *result, const char *folder, int ended);

#endif
