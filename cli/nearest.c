#include "nearest.h"

#include "slipstick/base.h"

#include <string.h>

nearest_name nearest_start(const char *name, size_t length)
{
    /* More than a third wrong is another word, not a slip of the finger. */
    return (nearest_name){name, length, length / 3 + 2, NULL};
}

void nearest_try(nearest_name *nearest, const char *candidate)
{
    const size_t found = (size_t)slip_name_distance(nearest->name, nearest->length, candidate);
    if (nearest->length > 0 && found < nearest->distance && found < strlen(candidate)) {
        nearest->distance = found;
        nearest->best = candidate;
    }
}
