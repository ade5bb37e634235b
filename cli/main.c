/* slipstick VERB ...: finds the verb, reads its arguments, runs it. */
#include "help/help.h"
#include "job.h"
#include "mpi/crew.h"
#include "nearest.h"
#include "report.h"
#include "verb.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* If the program is started with a closed stdout or stderr, the first file opened would get its number and
 * receive printed text. So a substitute is opened, to which writing fails as to a closed stream. */
static void fill_closed_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static int fail_unknown_verb(const char *name)
{
    nearest_name nearest = nearest_start(name, strlen(name));
    if (access(name, F_OK) == 0)
        return fail_usage(NULL, "unknown verb `%s`; did you mean `slipstick run %s`?", name, name);
    for (int i = 0; verbs[i]; i++)
        nearest_try(&nearest, verbs[i]->name);
    if (nearest.best)
        return fail_usage(NULL, "unknown verb `%s`; did you mean `%s`?", name, nearest.best);
    return fail_usage(NULL, "unknown verb `%s`", name);
}

/* The habits of other programs: --help, -h, --version, -V in place of a verb. */
static const char *verb_name(const char *argument)
{
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
        return "help";
    if (strcmp(argument, "--version") == 0 || strcmp(argument, "-V") == 0)
        return "version";
    return argument;
}

/* Discards all normal output; with --json stdout is kept for the summary. */
static int silence(cli_arguments *arguments)
{
    const bool json = argument_given(arguments, "json");
    const int output = json ? dup(STDOUT_FILENO) : -1, nowhere = open("/dev/null", O_WRONLY);
    arguments->quiet = true;
    arguments->json = output >= 0 ? fdopen(output, "w") : NULL;
    const bool good = (arguments->json || !json) && dup2(nowhere, STDOUT_FILENO) >= 0;
    const int code = good ? exit_done : fail_io("cannot redirect the output");
    close(nowhere);
    return code;
}

/* With several processes only the first one prints. */
static bool silence_followers(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    const bool good = dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
    close(nowhere);
    return good;
}

/* Tells the other processes of a failure, so that they do not wait for this one. */
static void tell_failure(const slip_crew *crew)
{
    char text[80];
    const int length = snprintf(text, sizeof text, "!%d process %d of %d cannot do its part\n", SLIP_ERROR_IO,
                                crew->rank, crew->count);
    crew->send(crew->user, 0, text, (size_t)length);
}

static int run_verb(const cli_verb *verb, int count, char **values)
{
    cli_arguments arguments;
    int code = arguments_read(verb, count, values, &arguments);
    if (code == exit_done && (argument_given(&arguments, "json") || argument_given(&arguments, "quiet")))
        code = silence(&arguments);
    if (code == exit_done) {
        if (arguments.help)
            print_verb_help(verb);
        else if (verb->run)
            code = verb->run(&arguments);
        else
            code = verb->common & takes_model ? run_job_on_model(&arguments, 0, verb->ending, verb->work)
                                              : run_job(&arguments, verb->work);
    }
    if (arguments.json) {
        code = finish_output(arguments.json, code);
        fclose(arguments.json);
    }
    arguments_free(&arguments);
    return code;
}

int main(int argc, char **argv)
{
    fill_closed_streams();
    setlocale(LC_CTYPE, ""); /* only which characters there are: numbers keep their point */
    /* If the reader of our output ends, the run must not be killed before its results are saved. */
    signal(SIGPIPE, SIG_IGN);
    /* A file that grows beyond a limit is an error of its write, which is told and cleaned up after. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        print_general_help(stderr);
        return exit_usage;
    }
    const slip_crew *crew = crew_begin(&argc, &argv);
    const cli_verb *verb = verb_find(verb_name(argv[1]));
    const bool follows = crew && crew->rank > 0;
    int code = exit_done;
    if (follows && verb && verb->common & shares_work && !silence_followers())
        code = exit_io;
    else if (!follows || (verb && verb->common & shares_work)) {
        code = verb ? run_verb(verb, argc - 2, argv + 2) : fail_unknown_verb(argv[1]);
        code = finish_output(stdout, code);
    }
    if (follows && code != exit_done)
        tell_failure(crew);
    crew_end();
    return code;
}
