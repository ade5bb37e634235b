#include "io/deflate.h"

#include <stdlib.h>
#include <zlib.h>

unsigned char *slip_deflate(const void *bytes, size_t size, bool framed, size_t *length)
{
    z_stream stream = {0};
    const int window = framed ? MAX_WBITS : -MAX_WBITS;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    const size_t room = deflateBound(&stream, (uLong)size);
    unsigned char *packed = malloc(room);
    if (packed) {
        stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
        stream.avail_in = (uInt)size;
        stream.next_out = packed;
        stream.avail_out = (uInt)room;
        if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
            free(packed);
            packed = NULL;
        }
        *length = stream.total_out;
    }
    deflateEnd(&stream);
    return packed;
}

uint32_t slip_crc32(const void *bytes, size_t size)
{
    return (uint32_t)crc32(0, bytes, (uInt)size);
}
