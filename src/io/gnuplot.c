#include "io/gnuplot.h"

#include "base/clock.h"
#include "base/text.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child could not do, when it never became gnuplot. */
typedef struct child_failure {
    int in_folder; /* not zero: changing to the folder failed, else starting the program */
    int error;
} child_failure;

/* In the child: only calls that are safe between fork and exec. -d keeps the user's own start-up file out,
 * so that a picture is the same everywhere. */
static void become_gnuplot(const char *folder, char *script, int output, int report)
{
    child_failure failure = {0, 0};
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    dup2(output, STDERR_FILENO);
    if (chdir(folder) == 0) {
        char *const arguments[] = {(char[]){"gnuplot"}, (char[]){"-d"}, script, NULL};
        execvp("gnuplot", arguments);
    } else {
        failure.in_folder = 1;
    }
    failure.error = errno;
    if (write(report, &failure, sizeof failure) < 0)
        _exit(126);
    _exit(127);
}

/* Reads until the other end is closed. Returns SLIP_OK, or why it gave up. */
static int read_until_end(slip_context *ctx, int input, double deadline, slip_text *said)
{
    enum { most = 65536, tick = 100 };
    for (;;) {
        struct pollfd wait = {.fd = input, .events = POLLIN};
        char buffer[4096];
        int ready = poll(&wait, 1, tick);
        if (ready > 0) {
            ssize_t count = read(input, buffer, sizeof buffer);
            if (count == 0 || (count < 0 && errno != EINTR))
                return SLIP_OK;
            if (count > 0 && said->length < most)
                slip_text_append_bytes(said, buffer, (size_t)count);
        }
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted while gnuplot was drawing");
        if (slip_clock() > deadline)
            return slip_fail(ctx, SLIP_ERROR_IO, "gnuplot was not done in time and has been ended");
    }
}

static int report_start_failure(slip_context *ctx, const child_failure *failure, const char *folder)
{
    if (failure->in_folder)
        return slip_fail_file(ctx, "cannot enter the folder", folder, failure->error);
    if (failure->error == ENOENT)
        return slip_fail(
            ctx, SLIP_ERROR_IO,
            "gnuplot is not installed (there is no `gnuplot` in PATH); install it, for example with "
            "`apt-get install gnuplot-nox`");
    return slip_fail_file(ctx, "cannot start", "gnuplot", failure->error);
}

/* Without trailing newlines, and in one line for a message. */
static const char *tidy(slip_text *said)
{
    if (!said->data)
        return "";
    while (said->length > 0 && strchr(" \n\r\t", said->data[said->length - 1]))
        said->data[--said->length] = 0;
    for (char *at = said->data; *at; at++)
        if (*at == '\n' || *at == '\r' || *at == '\t')
            *at = ' ';
    return said->data + strspn(said->data, " ");
}

static int wait_for(slip_context *ctx, pid_t child, int output, const char *script, double deadline)
{
    SLIP_FREED_BY(slip_text_free) slip_text said = {0};
    int state = 0, status = read_until_end(ctx, output, deadline, &said);
    if (status < 0)
        kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (status == SLIP_OK && !(WIFEXITED(state) && WEXITSTATUS(state) == 0))
        status = slip_fail(ctx, SLIP_ERROR_IO, "gnuplot could not run %s: %s", script, tidy(&said));
    else if (status == SLIP_OK && tidy(&said)[0])
        slip_log(ctx, SLIP_LOG_WARNING, "gnuplot: %s", tidy(&said));
    return status;
}

static void close_pipe(int ends[2])
{
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0)
            close(ends[k]);
}

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

int slip_gnuplot_run(slip_context *ctx, const char *folder, const char *script, double seconds)
{
    int output[2] = {-1, -1}, report[2] = {-1, -1}, status;
    double deadline = slip_clock() + seconds;
    child_failure failure;
    char *argument = strdup(script);
    pid_t child;
    SLIP_PASS(slip_allocated(ctx, argument));
    if (!open_pipe(output) || !open_pipe(report) || (child = fork()) < 0) {
        status = slip_fail_file(ctx, "cannot start", "gnuplot", errno);
        goto done;
    }
    if (child == 0)
        become_gnuplot(folder, argument, output[1], report[1]);
    close(output[1]);
    close(report[1]);
    output[1] = report[1] = -1;
    /* The report's end closes by itself when the program starts; then there is nothing to read. */
    if (read(report[0], &failure, sizeof failure) == (ssize_t)sizeof failure) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
        status = report_start_failure(ctx, &failure, folder);
    } else {
        status = wait_for(ctx, child, output[0], script, deadline);
    }
done:
    close_pipe(output);
    close_pipe(report);
    free(argument);
    return status;
}
