#include "io/journal.h"

#include "base/memory.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { sum_length = 17 }; /* of a checksum and the blank behind it */

/* FNV-1a, 64 bits. */
static uint64_t checksum(uint64_t sum, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        sum = (sum ^ (unsigned char)text[k]) * 1099511628211u;
    return sum;
}
static const uint64_t no_text = 14695981039346656037u;

/* Settings have the mark '=', records '+'. */
static void write_line(slip_text *to, char mark, const char *text, size_t length)
{
    slip_text_printf(to, "%016" PRIx64 " %c", checksum(checksum(no_text, &mark, 1), text, length), mark);
    slip_text_append_bytes(to, text, length);
    slip_text_append(to, "\n");
}

/* Cuts the text with its mark out of the line at `at`: NULL where the line is damaged. *next is the line
 * behind it. */
static char *read_line(char *at, char **next)
{
    char *end = strchr(at, '\n'), *stop;
    *next = end ? end + 1 : at + strlen(at);
    if (!end || end - at < sum_length || at[sum_length - 1] != ' ')
        return NULL;
    *end = 0;
    const uint64_t sum = strtoull(at, &stop, 16);
    char *text = at + sum_length;
    return stop == text - 1 && sum == checksum(no_text, text, (size_t)(end - text)) ? text : NULL;
}

static int make(slip_context *ctx, const char *path, const char *settings)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    for (const char *at = settings; *at;) {
        const size_t length = strcspn(at, "\n");
        write_line(&text, '=', at, length);
        at += length + (at[length] == '\n');
    }
    return text.failed ? slip_fail_memory(ctx)
                       : slip_file_write(ctx, path, text.data ? text.data : "", text.length);
}

/* Compares the settings at the start of the file; *at is behind them. */
static int compare(slip_context *ctx, const char *path, const char *settings, char **at)
{
    while (*settings) {
        const size_t length = strcspn(settings, "\n");
        const char *found = read_line(*at, at);
        if (!found || *found != '=' || strlen(found + 1) != length ||
            strncmp(found + 1, settings, length) != 0)
            return slip_fail(
                ctx, SLIP_ERROR_USAGE,
                "%s is of an unfinished job with other settings: found `%.100s`, expected `%.*s`; go "
                "on with the settings of that job, take another folder, or begin again with "
                "`--restart`",
                path, found && *found == '=' ? found + 1 : "", (int)(length < 100 ? length : 100), settings);
        settings += length + (settings[length] == '\n');
    }
    return SLIP_OK;
}

static int lock(slip_context *ctx, slip_journal *j)
{
    j->file = open(j->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (j->file < 0)
        return slip_fail_file(ctx, "cannot open", j->path, errno);
    if (flock(j->file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? slip_fail(
                         ctx, SLIP_ERROR_USAGE,
                         "%s: another program is at work on this job; wait for it, or take another folder",
                         j->path)
                   : slip_fail_file(ctx, "cannot lock", j->path, errno);
    return SLIP_OK;
}

/* How many folders of the path of a file are not there. */
static int count_missing(const char *path)
{
    char *slash;
    SLIP_FREED char *part = strdup(path);
    int count = 0;
    while (part && (slash = strrchr(part, '/')) && slash > part) {
        *slash = 0;
        if (access(part, F_OK) == 0)
            break;
        count++;
    }
    return count;
}

int slip_journal_open(slip_context *ctx, const char *path, const char *settings, bool anew,
                      int (*take)(void *user, const char *record), void *user, slip_journal *j)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    *j = (slip_journal){.file = -1, .path = slip_alloc((int64_t)strlen(path) + 1, 1)};
    SLIP_PASS(slip_allocated(ctx, j->path));
    strcpy(j->path, path);
    j->folders = count_missing(path);
    SLIP_PASS(slip_folder_create_for(ctx, path));
    if (!anew && access(path, F_OK) != 0)
        anew = true;
    else if (anew && access(path, F_OK) == 0) {
        SLIP_PASS(lock(ctx, j)); /* not while another program is at it */
        close(j->file);
        j->file = -1;
    }
    if (anew)
        SLIP_PASS(make(ctx, path, settings));
    SLIP_PASS(lock(ctx, j));
    j->made = anew;
    SLIP_PASS(slip_file_read(ctx, path, SIZE_MAX / 2, &text));
    char *at = text.data ? text.data : (char[]){""};
    const bool torn = text.length > 0 && text.data[text.length - 1] != '\n';
    SLIP_PASS(compare(ctx, path, settings, &at));
    while (*at) {
        const char *record = read_line(at, &at);
        if (record && *record == '+')
            SLIP_PASS(take(user, record + 1));
    }
    if (torn && write(j->file, "\n", 1) != 1)
        return slip_fail_file(ctx, "cannot write", path, errno);
    return SLIP_OK;
}

int slip_journal_append(slip_context *ctx, slip_journal *j, const char *record)
{
    slip_text_clear(&j->line);
    write_line(&j->line, '+', record, strlen(record));
    SLIP_PASS(slip_allocated(ctx, !j->line.failed));
    const ssize_t written = write(j->file, j->line.data, j->line.length);
    return written == (ssize_t)j->line.length
               ? SLIP_OK
               : slip_fail_file(ctx, "cannot write", j->path, written < 0 ? errno : ENOSPC);
}

void slip_journal_discard(slip_journal *j)
{
    char *slash;
    SLIP_FREED char *part = j->made ? strdup(j->path) : NULL;
    if (!part || unlink(part) != 0)
        j->folders = 0;
    for (; j->folders > 0 && (slash = strrchr(part, '/')); j->folders--) {
        *slash = 0;
        if (rmdir(part) != 0)
            break;
    }
}

void slip_journal_close(slip_journal *j)
{
    if (j->path && j->file >= 0)
        close(j->file);
    free(j->path);
    slip_text_free(&j->line);
    *j = (slip_journal){.file = -1};
}
