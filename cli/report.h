/* Error messages of the program, and its exit codes. */
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

/* Prints "slipstick: VERB: MESSAGE" and a reference to help. verb may be NULL. Returns exit_usage. */
int fail_usage(const cli_verb *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "slipstick: MESSAGE: REASON", the reason from errno. Returns exit_io. */
int fail_io(const char *format, ...) __attribute__((format(printf, 1, 2)));

int fail_memory(void);

/* Converts a status of the library to an exit code; prints the context's message for an error. */
int report_status(const slip_context *ctx, int status);
/* The same with another message. */
int report_message(int status, const char *message);

/* "slipstick: warning: MESSAGE". */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints each line of a text on stdout, indented. */
void print_indented(const char *text);

/* To be called last: flushes `output`. A failed write is an error (exit_io), except that of a pipe whose
 * reader has ended (`| head`). */
int finish_output(FILE *output, int code);

#endif
