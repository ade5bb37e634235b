/* Compression. deflate.c is the only user of zlib. */
#ifndef SLIP_IO_DEFLATE_H
#define SLIP_IO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deflates bytes (below 2 GB). framed: with the header and checksum of zlib. Returns memory that the caller
 * frees, of *length bytes; NULL: out of memory. */
unsigned char *slip_deflate(const void *bytes, size_t size, bool framed, size_t *length);

/* The CRC-32 checksum of ZIP archives. */
uint32_t slip_crc32(const void *bytes, size_t size);

#endif
