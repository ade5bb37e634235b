#include "io/zip.h"

#include "io/deflate.h"

#include <errno.h>

enum { zip_version = 20, zip_deflated = 8, zip_first_day = (1 << 5) + 1 }; /* 1 January 1980 */

/* The least significant byte comes first. */
static void put_number(slip_text *text, uint32_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) {
        const char byte = (char)(value >> (8 * k) & 0xff);
        slip_text_append_bytes(text, &byte, 1);
    }
}

static int write_bytes(slip_context *ctx, slip_zip *zip, const char *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, zip->file.stream) != size)
        return slip_fail_file(ctx, "cannot write", zip->file.path, errno);
    zip->offset += size;
    return SLIP_OK;
}

int slip_zip_create(slip_context *ctx, const char *path, slip_zip *zip)
{
    *zip = (slip_zip){0};
    return slip_file_create(ctx, path, &zip->file);
}

void slip_zip_discard(slip_zip *zip)
{
    slip_text_free(&zip->directory);
    slip_file_discard(&zip->file);
}

/* What the entry itself and its record in the directory have in common. */
static void describe(slip_text *text, const char *name, const char *bytes, size_t size, size_t length)
{
    put_number(text, zip_version, 2);
    put_number(text, 0, 2);
    put_number(text, zip_deflated, 2);
    put_number(text, 0, 2);
    put_number(text, zip_first_day, 2);
    put_number(text, slip_crc32(bytes, size), 4);
    put_number(text, (uint32_t)length, 4);
    put_number(text, (uint32_t)size, 4);
    put_number(text, (uint32_t)strlen(name), 2);
    put_number(text, 0, 2);
}

int slip_zip_add(slip_context *ctx, slip_zip *zip, const char *name, const char *bytes, size_t size)
{
    SLIP_FREED_BY(slip_text_free) slip_text head = {0};
    size_t length = 0;
    SLIP_FREED unsigned char *packed = NULL;
    if (size >= UINT32_MAX / 2 || zip->offset >= UINT32_MAX / 2 || zip->count >= UINT16_MAX)
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: an archive with `%s` would be above 2 GB", zip->file.path,
                         name);
    packed = slip_deflate(bytes, size, false, &length);
    SLIP_PASS(slip_allocated(ctx, packed));
    const size_t offset = zip->offset;
    slip_text_append_bytes(&head, "PK\3\4", 4);
    describe(&head, name, bytes, size, length);
    slip_text_append(&head, name);
    slip_text_append_bytes(&zip->directory, "PK\1\2", 4);
    put_number(&zip->directory, zip_version, 2);
    describe(&zip->directory, name, bytes, size, length);
    put_number(&zip->directory, 0, 4); /* no comment, on this disk */
    put_number(&zip->directory, 0, 2);
    put_number(&zip->directory, 0, 4);
    put_number(&zip->directory, (uint32_t)offset, 4);
    slip_text_append(&zip->directory, name);
    zip->count++;
    SLIP_PASS(head.failed || zip->directory.failed ? slip_fail_memory(ctx) : SLIP_OK);
    SLIP_PASS(write_bytes(ctx, zip, head.data, head.length));
    return write_bytes(ctx, zip, (const char *)packed, length);
}

int slip_zip_commit(slip_context *ctx, slip_zip *zip)
{
    const size_t start = zip->offset, size = zip->directory.length;
    int status;
    slip_text_append_bytes(&zip->directory, "PK\5\6", 4);
    put_number(&zip->directory, 0, 4);
    put_number(&zip->directory, (uint32_t)zip->count, 2);
    put_number(&zip->directory, (uint32_t)zip->count, 2);
    put_number(&zip->directory, (uint32_t)size, 4);
    put_number(&zip->directory, (uint32_t)start, 4);
    put_number(&zip->directory, 0, 2);
    SLIP_TRY(zip->directory.failed ? slip_fail_memory(ctx) : SLIP_OK);
    SLIP_TRY(write_bytes(ctx, zip, zip->directory.data, zip->directory.length));
    SLIP_TRY(slip_file_commit(ctx, &zip->file));
done:
    slip_zip_discard(zip);
    return status;
}
