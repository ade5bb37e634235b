/* How the program says what went wrong, and the exit codes. */
#ifndef SLIP_CLI_REPORT_H
#define SLIP_CLI_REPORT_H

#include "slipstick/base.h"
#include "verb.h"

#include <stdio.h>

typedef enum exit_code {
    exit_done = 0,
    exit_usage = 1,
    exit_model = 2,
    exit_solver = 3,
    exit_io = 4,
    exit_interrupted = 130
} exit_code;

/* "slipstick: VERB: MESSAGE" and where to read on. `verb` may be NULL. Returns exit_usage. */
int fail_usage(const cli_verb *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "slipstick: MESSAGE: what errno says". Returns exit_io. */
int fail_io(const char *format, ...) __attribute__((format(printf, 1, 2)));

int fail_memory(void);

/* The exit code of a status of the library; says the context's message when it is an error. */
int report_status(const slip_context *ctx, int status);
/* The same with another message. */
int report_message(int status, const char *message);

/* "slipstick: warning: MESSAGE". */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Each line of a text on stdout, indented. */
void print_indented(const char *text);

/* To be called last: output that could not be written is an error too (exit_io). Who reads from a pipe and
 * has seen enough (`| head`) is not one. */
int finish_output(FILE *output, int code);

#endif
