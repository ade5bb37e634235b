/* Reads the text of a model file, and refuses what cannot be one before it is parsed. */
#ifndef SLIP_MODEL_SOURCE_H
#define SLIP_MODEL_SOURCE_H

#include "base/context.h"

#include <stddef.h>

enum { slip_source_size_max = 16 << 20 }; /* bytes */

/* Reads a regular file. *text ends with a zero byte and is freed by the caller. */
int slip_source_load(slip_context *ctx, const char *path, char **text, size_t *size);

/* Fails when the text is empty, too large, or not UTF-8 text without control characters. */
int slip_source_check(slip_context *ctx, const char *name, const char *text, size_t size);

/* The same for a value of an override, which may be empty: true when it is text. */
bool slip_source_is_text(const char *text, size_t size);

#endif
