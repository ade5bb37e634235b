/* Finds the known name most similar to a mistyped one. */
#ifndef SLIP_CLI_NEAREST_H
#define SLIP_CLI_NEAREST_H

#include <stddef.h>

typedef struct nearest_name {
    const char *name; /* what was typed, not zero-terminated */
    size_t length;
    size_t distance;  /* of the best so far */
    const char *best; /* NULL: no candidate is similar enough */
} nearest_name;

/* Starts a search without candidates; compares one candidate. */
nearest_name nearest_start(const char *name, size_t length);
void nearest_try(nearest_name *nearest, const char *candidate);

#endif
