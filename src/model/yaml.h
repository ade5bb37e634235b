/* YAML text to a tree of nodes. The only place that knows libfyaml. */
#ifndef SLIP_MODEL_YAML_H
#define SLIP_MODEL_YAML_H

#include "model/tree.h"

#include <stddef.h>

typedef struct slip_yaml_error {
    int line, column; /* from 1 */
    char message[240];
} slip_yaml_error;

/* Reads one document into the arena. *root is NULL when the text holds none (it is empty, or all comment).
 * Aliases are replaced by copies and merge keys (`<<`) by what they merge. Returns SLIP_OK, SLIP_ERROR_MODEL
 * (then `error` is filled) or SLIP_ERROR_MEMORY. The text must have passed slip_source_check. */
int slip_yaml_parse(slip_arena *arena, const char *text, size_t size, slip_tree **root,
                    slip_yaml_error *error);

#endif
