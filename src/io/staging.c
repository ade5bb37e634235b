#include "io/staging.h"

#include "base/text.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int slip_staging_begin(slip_context *ctx, const char *folder, const char *name, slip_staging *staging)
{
    enum { attempts = 1000 };
    const size_t size = strlen(name) + 64;
    char *hidden = malloc(size);
    int status = hidden ? slip_folder_create(ctx, folder) : slip_fail_memory(ctx), made = -1;
    *staging = (slip_staging){.folder = folder};
    for (int k = 0; k < attempts && made != 0 && status >= 0; k++) {
        snprintf(hidden, size, ".%s.%ld.%d.tmp", name, (long)getpid(), k);
        free(staging->work);
        staging->work = slip_path_join(folder, hidden);
        if (!staging->work)
            status = slip_fail_memory(ctx);
        else if ((made = mkdir(staging->work, 0777)) != 0 && (errno != EEXIST || k + 1 == attempts))
            status = slip_fail_file(ctx, "cannot make the folder", staging->work, errno);
    }
    free(hidden);
    if (made != 0) {
        free(staging->work);
        staging->work = NULL;
    }
    return status;
}

/* ---- What is in a folder. */

typedef int (*entry_function)(slip_context *ctx, const slip_staging *staging, const char *name,
                              const void *user);

static int for_each(slip_context *ctx, const slip_staging *staging, const char *folder,
                    entry_function function, const void *user)
{
    SLIP_FREED struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    int status = count < 0 ? slip_fail_file(ctx, "cannot read the folder", folder, errno) : SLIP_OK;
    for (int k = 0; k < count; k++) {
        const char *name = entries[k]->d_name;
        if (status >= 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            status = function(ctx, staging, name, user);
        free(entries[k]);
    }
    return status;
}

/* ---- Publishing. Once something has been removed or moved nothing is allocated: the folders are open. */

static int fail_in(slip_context *ctx, const char *what, const char *folder, const char *name)
{
    const int error = errno;
    SLIP_FREED char *path = slip_path_join(folder, name);
    return path ? slip_fail_file(ctx, what, path, error) : slip_fail_memory(ctx);
}

/* A rename over a folder fails: better before anything has been removed. */
static int check_target(slip_context *ctx, const slip_staging *staging, const char *name, const void *user)
{
    SLIP_FREED char *path = slip_path_join(staging->folder, name);
    struct stat about;
    int status = path ? SLIP_OK : slip_fail_memory(ctx);
    (void)user;
    if (path && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        status = slip_fail_file(ctx, "cannot write", path, EISDIR);
    return status;
}

/* What a publication needs: both folders open, what is in the hidden one, and the list of the other one. */
typedef struct publication {
    int from, to;
    struct dirent **entries;
    int count;
    slip_text old;
} publication;

static void publication_close(publication *p)
{
    for (int k = 0; k < p->count; k++)
        free(p->entries[k]);
    free(p->entries);
    slip_text_free(&p->old);
    if (p->from >= 0)
        close(p->from);
    if (p->to >= 0)
        close(p->to);
}

static int remove_old(slip_context *ctx, const slip_staging *staging, const publication *p, const char *name)
{
    return unlinkat(p->to, name, 0) == 0 || errno == ENOENT
               ? SLIP_OK
               : fail_in(ctx, "cannot remove the old", staging->folder, name);
}

/* ---- The list of files that the program has made in a folder. */

static const char list_name[] = ".files";
static const size_t list_largest = (size_t)1 << 24;

static int note(slip_context *ctx, const char *folder, const char *name, const char *how)
{
    SLIP_FREED char *path = slip_path_join(folder, list_name);
    FILE *list = path ? fopen(path, how) : NULL;
    int status = path ? SLIP_OK : slip_fail_memory(ctx);
    if (path && (!list || fprintf(list, "%s\n", name) < 0 || fclose(list) != 0))
        status = slip_fail_file(ctx, "cannot write", path, errno);
    return status;
}

/* Ends the line at `*at` with a zero and returns it, or NULL after the last one. */
static char *next_line(char **at)
{
    char *line = *at;
    if (!line || !*line)
        return NULL;
    const size_t length = strcspn(line, "\n");
    *at = line + length + (line[length] != 0);
    line[length] = 0;
    return line;
}

int slip_staging_note(slip_context *ctx, const char *folder, const char *name)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    const int status = slip_file_read_in(ctx, folder, list_name, list_largest, &text);
    bool wanted = status >= 0 && text.data;
    for (char *at = text.data, *line; wanted && (line = next_line(&at));)
        wanted = strcmp(line, name) != 0;
    return wanted ? note(ctx, folder, name, "a") : status;
}

static int note_staged(slip_context *ctx, const slip_staging *staging, const char *name, const void *user)
{
    (void)user;
    return note(ctx, staging->work, name, "a");
}

/* Removes what the list of the folder names: files of the folder itself only, whatever it says. */
static int remove_listed(slip_context *ctx, const slip_staging *staging, const publication *p)
{
    for (char *at = p->old.data, *line; (line = next_line(&at));)
        if (*line && *line != '.' && !strchr(line, '/'))
            SLIP_PASS(remove_old(ctx, staging, p, line));
    return SLIP_OK;
}

static int move(slip_context *ctx, const slip_staging *staging, const publication *p, const char *name)
{
    return renameat(p->from, name, p->to, name) == 0 ? SLIP_OK
                                                     : fail_in(ctx, "cannot write", staging->folder, name);
}

/* What was renamed and removed so far reaches the disk before what follows. A file system that cannot do that
 * is no reason to fail. */
static void synchronise(const publication *p)
{
    (void)fsync(p->to);
}

static int replace(slip_context *ctx, const slip_staging *staging, const publication *p, const char *last)
{
    SLIP_PASS(remove_old(ctx, staging, p, last));
    synchronise(p);
    SLIP_PASS(remove_listed(ctx, staging, p));
    for (int k = 0; k < p->count; k++) {
        const char *name = p->entries[k]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, last) != 0)
            SLIP_PASS(move(ctx, staging, p, name));
    }
    synchronise(p);
    SLIP_PASS(move(ctx, staging, p, last));
    synchronise(p);
    return SLIP_OK;
}

int slip_staging_publish(slip_context *ctx, slip_staging *staging, const char *last)
{
    SLIP_FREED_BY(publication_close) publication p = {.from = -1, .to = -1};
    SLIP_PASS(for_each(ctx, staging, staging->work, check_target, NULL));
    SLIP_PASS(for_each(ctx, staging, staging->work, note_staged, NULL));
    SLIP_PASS(slip_file_read_in(ctx, staging->folder, list_name, list_largest, &p.old));
    p.from = open(staging->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    p.to = open(staging->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p.from < 0 || p.to < 0 || (p.count = scandir(staging->work, &p.entries, NULL, alphasort)) < 0)
        return slip_fail_file(ctx, "cannot read the folder", p.from < 0 ? staging->work : staging->folder,
                              errno);
    return replace(ctx, staging, &p, last);
}

/* ---- The end. */

static void remove_work(const slip_staging *staging)
{
    DIR *folder = opendir(staging->work);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        (void)unlinkat(dirfd(folder), entry->d_name, 0); /* not possible for . and .. */
    if (folder)
        closedir(folder);
    rmdir(staging->work);
}

/* The hidden folder is nothing to a reader. */
static void show_final_path(slip_context *ctx, const slip_staging *staging, int status)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    const char *message = slip_context_message(ctx), *found = strstr(message, staging->work);
    if (!found)
        return;
    slip_text_append_bytes(&text, message, (size_t)(found - message));
    slip_text_append(&text, staging->folder);
    slip_text_append(&text, found + strlen(staging->work));
    if (!text.failed)
        slip_fail(ctx, status, "%s", text.data);
}

int slip_staging_end(slip_context *ctx, slip_staging *staging, int status)
{
    if (!staging->work)
        return status;
    remove_work(staging);
    if (status < 0)
        show_final_path(ctx, staging, status);
    free(staging->work);
    *staging = (slip_staging){0};
    return status;
}
