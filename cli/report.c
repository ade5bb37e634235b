#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int fail_usage(const cli_verb *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, verb ? "slipstick: %s: " : "slipstick: ", verb ? verb->name : "");
    vfprintf(stderr, format, args);
    fprintf(stderr, verb ? "\nSee `slipstick help %s`.\n" : "\nSee `slipstick help`.\n",
            verb ? verb->name : "");
    va_end(args);
    return exit_usage;
}

int fail_io(const char *format, ...)
{
    const int error = errno;
    va_list args;
    va_start(args, format);
    fputs("slipstick: ", stderr);
    vfprintf(stderr, format, args);
    fprintf(stderr, ": %s\n", strerror(error));
    va_end(args);
    return exit_io;
}

int fail_memory(void)
{
    fputs("slipstick: out of memory\n", stderr);
    return exit_solver;
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("slipstick: warning: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* Does the message begin with FILE:LINE:COLUMN? Editors jump to such lines, so they are left as they are. */
static bool has_position(const char *message)
{
    const char *line_end = message + strcspn(message, "\n");
    for (const char *at = strchr(message, ':'); at && at < line_end; at = strchr(at + 1, ':')) {
        const char *end = at + 1;
        while (isdigit((unsigned char)*end))
            end++;
        if (end > at + 1 && *end == ':' && isdigit((unsigned char)end[1]))
            return true;
    }
    return false;
}

int report_status(const slip_context *ctx, int status)
{
    return report_message(status, slip_context_message(ctx));
}

int report_message(int status, const char *message)
{
    if (status >= 0)
        return exit_done;
    if (status == SLIP_INTERRUPTED && !*message)
        message = "interrupted";
    fprintf(stderr, "%s%s\n", has_position(message) ? "" : "slipstick: ", message);
    switch (status) {
    case SLIP_ERROR_USAGE:
        return exit_usage;
    case SLIP_ERROR_MODEL:
        return exit_model;
    case SLIP_ERROR_IO:
        return exit_io;
    case SLIP_INTERRUPTED:
        return exit_interrupted;
    default:
        return exit_solver;
    }
}

/* The error number of an early failed write is lost by now, but a pipe without a reader still shows. */
static bool reader_is_gone(FILE *stream)
{
    struct pollfd output = {fileno(stream), POLLOUT, 0};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP));
}

int finish_output(FILE *output, int code)
{
    errno = 0;
    const bool failed = fflush(output) != 0 || ferror(output);
    if (!failed || errno == EPIPE || reader_is_gone(output))
        return code;
    if (errno)
        fail_io("cannot write to standard output");
    else
        fputs("slipstick: cannot write to standard output\n", stderr);
    return code == exit_done ? exit_io : code;
}

void print_indented(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        printf("    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}
