#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int slip_fail_file(slip_context *ctx, const char *what, const char *path, int error)
{
    char reason[256];
    if (error == ENOMEM)
        return slip_fail_memory(ctx);
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return slip_fail(ctx, SLIP_ERROR_IO, "%s %s: %s", what, path, reason);
}

char *slip_path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    size_t size = length + strlen(slash) + strlen(name) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, slash, name);
    return path;
}

/* ".NAME.PID.k.tmp" in the folder of `path`: hidden, and never shared by two processes. Opened with the mode
 * that the user's umask asks for, which mkstemp would not do. */
static int open_temporary(const char *path, char **temporary)
{
    enum { attempts = 1000 };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t size = strlen(path) + 64;
    char *text = malloc(size);
    int descriptor = -1;
    *temporary = NULL;
    if (!text) {
        errno = ENOMEM;
        return -1;
    }
    for (int k = 0; k < attempts; k++) {
        snprintf(text, size, "%.*s.%s.%ld.%d.tmp", (int)(name - path), path, name, (long)getpid(), k);
        descriptor = open(text, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            break;
    }
    if (descriptor < 0) {
        int error = errno;
        free(text);
        errno = error;
        return -1;
    }
    *temporary = text;
    return descriptor;
}

/* A rename over a folder fails only after everything has been written, so it is refused at once. */
static int check_target(slip_context *ctx, const char *path, bool *special)
{
    struct stat about;
    *special = false;
    if (stat(path, &about) != 0)
        return SLIP_OK;
    if (S_ISDIR(about.st_mode))
        return slip_fail_file(ctx, "cannot write", path, EISDIR);
    *special = !S_ISREG(about.st_mode);
    return SLIP_OK;
}

int slip_file_create(slip_context *ctx, const char *path, slip_file *file)
{
    bool special;
    int descriptor;
    memset(file, 0, sizeof *file);
    SLIP_PASS(check_target(ctx, path, &special));
    file->path = strdup(path);
    SLIP_PASS(slip_allocated(ctx, file->path));
    descriptor =
        special ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_temporary(path, &file->temporary);
    if (descriptor >= 0) {
        file->stream = fdopen(descriptor, "wb");
        if (!file->stream)
            close(descriptor);
    }
    if (file->stream)
        return SLIP_OK;
    const int status = slip_fail_file(ctx, "cannot write", path, errno);
    slip_file_discard(file);
    return status;
}

void slip_file_discard(slip_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    memset(file, 0, sizeof *file);
}

/* The rename itself reaches the disk only with the folder. A file system that cannot do that is no reason to
 * fail: the file is whole either way. */
static void synchronise_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    SLIP_FREED char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

static int move_into_place(slip_context *ctx, const char *temporary, const char *path)
{
    if (rename(temporary, path) != 0) {
        int error = errno;
        unlink(temporary);
        return slip_fail_file(ctx, "cannot write", path, error);
    }
    synchronise_folder_of(path);
    return SLIP_OK;
}

int slip_file_commit(slip_context *ctx, slip_file *file)
{
    int status = SLIP_OK, error = 0;
    /* A write that failed has left its bytes in the buffer: flushing again says why. */
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        error = file->error ? file->error : errno ? errno : EIO;
    if (!error && file->temporary && fsync(fileno(file->stream)) != 0)
        error = errno;
    if (fclose(file->stream) != 0 && !error)
        error = errno;
    file->stream = NULL;
    if (error)
        status = slip_fail_file(ctx, "cannot write", file->path, error);
    else if (file->temporary)
        status = move_into_place(ctx, file->temporary, file->path);
    if (status == SLIP_OK) {
        free(file->temporary);
        file->temporary = NULL;
    }
    slip_file_discard(file);
    return status;
}

int slip_file_write(slip_context *ctx, const char *path, const char *text, size_t length)
{
    slip_file file;
    SLIP_PASS(slip_file_create(ctx, path, &file));
    /* A short write leaves the stream's error flag, which commit looks at. */
    fwrite(text, 1, length, file.stream);
    return slip_file_commit(ctx, &file);
}

int slip_file_read(slip_context *ctx, const char *path, size_t limit, slip_text *text)
{
    char buffer[16384];
    size_t count, start = text->length;
    int status = SLIP_OK;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return slip_fail_file(ctx, "cannot read", path, errno);
    while ((count = fread(buffer, 1, sizeof buffer, stream)) > 0) {
        if (text->length - start + count > limit) {
            status =
                slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: it is larger than %zu bytes", path, limit);
            goto done;
        }
        slip_text_append_bytes(text, buffer, count);
    }
    if (ferror(stream))
        status = slip_fail_file(ctx, "cannot read", path, errno);
    else if (text->failed)
        status = slip_fail_memory(ctx);
done:
    fclose(stream);
    return status;
}

int slip_file_read_in(slip_context *ctx, const char *folder, const char *name, size_t limit, slip_text *text)
{
    SLIP_FREED char *path = slip_path_join(folder, name);
    SLIP_PASS(slip_allocated(ctx, path));
    return access(path, F_OK) == 0 ? slip_file_read(ctx, path, limit, text) : SLIP_OK;
}

int slip_file_reserve(slip_context *ctx, const char *path, char **temporary)
{
    bool special;
    int descriptor, status = check_target(ctx, path, &special);
    *temporary = NULL;
    if (status < 0)
        return status;
    if (special)
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot write %s: it is not a regular file", path);
    descriptor = open_temporary(path, temporary);
    if (descriptor < 0)
        return slip_fail_file(ctx, "cannot write", path, errno);
    close(descriptor);
    return SLIP_OK;
}

int slip_file_publish(slip_context *ctx, const char *temporary, const char *path)
{
    int descriptor = open(temporary, O_RDONLY | O_CLOEXEC), error = 0;
    if (descriptor < 0) {
        error = errno;
    } else {
        if (fsync(descriptor) != 0)
            error = errno;
        close(descriptor);
    }
    if (error) {
        unlink(temporary);
        return slip_fail_file(ctx, "cannot write", path, error);
    }
    return move_into_place(ctx, temporary, path);
}

static int make_one_folder(slip_context *ctx, const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return SLIP_OK;
    if (errno != EEXIST)
        return slip_fail_file(ctx, "cannot make the folder", path, errno);
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot make the folder %s: there is a file of that name", path);
    return SLIP_OK;
}

int slip_folder_create(slip_context *ctx, const char *path)
{
    SLIP_NEED(ctx, path);
    SLIP_FREED char *part = strdup(path);
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, part));
    for (char *at = part + 1; part[0] && *at && status == SLIP_OK; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        status = make_one_folder(ctx, part);
        *at = '/';
    }
    if (status == SLIP_OK)
        status = make_one_folder(ctx, path);
    return status;
}

int slip_folder_create_for(slip_context *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    int status = SLIP_OK;
    if (slash && !folder)
        return slip_fail_memory(ctx);
    if (folder && *folder)
        status = slip_folder_create(ctx, folder);
    free(folder);
    return status;
}

char *slip_path_beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    SLIP_FREED char *folder = NULL;
    if (path[0] == '/' || !slash)
        return strdup(path);
    folder = strndup(file, (size_t)(slash - file) + 1);
    return folder ? slip_path_join(folder, path) : NULL;
}
