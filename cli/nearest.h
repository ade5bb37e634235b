/* The nearest name to a mistyped one. */
#ifndef SLIP_CLI_NEAREST_H
#define SLIP_CLI_NEAREST_H

#include <stddef.h>

typedef struct nearest_name {
    const char *name; /* what was typed, not zero-terminated */
    size_t length;
    size_t distance;  /* of the best so far */
    const char *best; /* NULL while no candidate is near enough */
} nearest_name;

/* Begins with no candidate; looks at one more. */
nearest_name nearest_start(const char *name, size_t length);
void nearest_try(nearest_name *nearest, const char *candidate);

#endif
