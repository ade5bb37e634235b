#include "nearest.h"

#include "slipstick/base.h"

#include <string.h>

nearest_name nearest_start(const char *name, size_t length)
{
    /* With more than a third of wrong letters it is another word, not a typing error. */
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
