#include "nearest.h"

#include <string.h>

enum { longest = 31 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance by rows; both lengths at most `longest`. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[longest + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

nearest_name nearest_start(const char *name, size_t length)
{
    /* More than a third wrong is another word, not a slip of the finger. */
    return (nearest_name){name, length, length / 3 + 2, NULL};
}

void nearest_try(nearest_name *nearest, const char *candidate)
{
    const size_t length = strlen(candidate);
    if (nearest->length > longest || length > longest || nearest->length == 0)
        return;
    const size_t found = distance(nearest->name, nearest->length, candidate, length);
    if (found < nearest->distance && found < length) {
        nearest->distance = found;
        nearest->best = candidate;
    }
}
