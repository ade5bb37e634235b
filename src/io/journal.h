/* A journal: a file with the finished records of a long job, so that a killed job can continue where it
 * stopped.
 *
 * A record is a line with a checksum and text, written by one call, so that a line damaged by a kill or a
 * full disk is recognised and ignored. The first lines are the settings of the job, so that records of
 * another job are not used. */
#ifndef SLIP_IO_JOURNAL_H
#define SLIP_IO_JOURNAL_H

#include "base/context.h"
#include "base/text.h"

typedef struct slip_journal {
    int file; /* -1: closed */
    char *path;
    bool made;      /* the file was created by this job, not continued */
    int folders;    /* number of folders of the path that were created for it */
    slip_text line; /* scratch */
} slip_journal;

/* Opens or creates the journal of a job. settings: lines of text that identify it. Calls `take` for each
 * existing record. anew: deletes existing records instead. Fails with SLIP_ERROR_USAGE for the journal of a
 * job with other settings, and if another program has it open. *journal must be {0}; the caller closes it in
 * any case. */
int slip_journal_open(slip_context *ctx, const char *path, const char *settings, bool anew,
                      int (*take)(void *user, const char *record), void *user, slip_journal *journal);

/* Adds a record, a text without line ends. */
int slip_journal_append(slip_context *ctx, slip_journal *journal, const char *record);

/* Deletes the file, if this job created it, and folders created for it. The journal still has to be closed.
 */
void slip_journal_discard(slip_journal *journal);

/* The file stays. */
void slip_journal_close(slip_journal *journal);

#endif
