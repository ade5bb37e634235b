/* A file that keeps what a long job has finished, record by record: a job that is killed goes on where it
 * stopped.
 *
 * A record is a line of text behind its checksum, written by one call: a line that was torn by a kill or a
 * full disk is not taken back. The first lines are the settings of the job, so that records of another job
 * are never taken. */
#ifndef SLIP_IO_JOURNAL_H
#define SLIP_IO_JOURNAL_H

#include "base/context.h"
#include "base/text.h"

typedef struct slip_journal {
    int file; /* -1: closed */
    char *path;
    bool made;      /* the file is of this job, and not of one before it */
    int folders;    /* so many at the end of the path were made for it */
    slip_text line; /* scratch */
} slip_journal;

/* Opens the journal of a job, or makes it. `settings` are lines of text. Each record that is there is handed
 * to `take`. `anew`: what is there is forgotten. Fails with SLIP_ERROR_USAGE where it is the journal of a job
 * with other settings, and where another program has it open. *journal is {0} and is closed in any case. */
int slip_journal_open(slip_context *ctx, const char *path, const char *settings, bool anew,
                      int (*take)(void *user, const char *record), void *user, slip_journal *journal);

/* Adds a record, a text without line ends. */
int slip_journal_append(slip_context *ctx, slip_journal *journal, const char *record);

/* Removes the file, and the folders that were made for it, where this job has made them: of a job that did
 * nothing nothing is left. The journal is still to be closed. */
void slip_journal_discard(slip_journal *journal);

/* The file stays. */
void slip_journal_close(slip_journal *journal);

#endif
