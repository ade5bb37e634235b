/* Compression by zlib, whose only user this is. */
#ifndef SLIP_IO_DEFLATE_H
#define SLIP_IO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes (below 2 GB) deflated, with the frame of zlib or without it; allocated. *length: how many there
 * are. NULL when out of memory. */
unsigned char *slip_deflate(const void *bytes, size_t size, bool framed, size_t *length);

/* The checksum that archives have. */
uint32_t slip_crc32(const void *bytes, size_t size);

#endif
