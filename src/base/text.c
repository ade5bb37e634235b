#include "base/text.h"

#include "slipstick/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(slip_text *text, size_t more)
{
    size_t needed = text->length + more + 1, capacity = text->capacity ? text->capacity : 64;
    if (text->failed)
        return false;
    if (needed <= text->capacity)
        return true;
    while (capacity < needed)
        capacity *= 2;
    char *data = text->fixed ? NULL : realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void slip_text_append_bytes(slip_text *text, const char *more, size_t count)
{
    if (!reserve(text, count))
        return;
    memcpy(text->data + text->length, more, count);
    text->length += count;
    text->data[text->length] = 0;
}

void slip_text_append(slip_text *text, const char *more)
{
    slip_text_append_bytes(text, more, strlen(more));
}

void slip_text_vprintf(slip_text *text, const char *format, va_list args)
{
    va_list again;
    if (!reserve(text, 0))
        return;
    size_t room = text->capacity - text->length;
    va_copy(again, args);
    int count = vsnprintf(text->data + text->length, room, format, again);
    va_end(again);
    if (count >= 0 && (size_t)count >= room && reserve(text, (size_t)count))
        vsnprintf(text->data + text->length, (size_t)count + 1, format, args);
    if (count >= 0 && !text->failed)
        text->length += (size_t)count;
}

void slip_text_printf(slip_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    slip_text_vprintf(text, format, args);
    va_end(args);
}

void slip_text_clear(slip_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = 0;
}

void slip_text_free(slip_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* Damerau's distance with adjacent swaps (optimal string alignment). */
int slip_name_distance(const char *a, size_t length, const char *b)
{
    enum { longest = 40 };
    int rows[3][longest + 1];
    int length_a = length > longest ? longest + 1 : (int)length, length_b = (int)strnlen(b, longest + 1);
    if (length_a > longest || length_b > longest)
        return longest;
    for (int j = 0; j <= length_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_before[j - 2] + 1 < best)
                best = two_before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[length_a % 3][length_b];
}

int slip_text_near(const char *name)
{
    return (int)strlen(name) / 3 + 2;
}

bool slip_text_nearer(const char *name, const char *candidate, int *best)
{
    const int distance = slip_name_distance(name, strlen(name), candidate);
    const bool nearer = distance < *best;
    *best = nearer ? distance : *best;
    return nearer;
}

const char *slip_text_nearest(const char *name, const char *const *candidates)
{
    const char *nearest = NULL;
    int best = slip_text_near(name);
    for (; *candidates; candidates++)
        nearest = slip_text_nearer(name, *candidates, &best) ? *candidates : nearest;
    return nearest;
}

int slip_text_find(const char *const *names, int count, const char *name)
{
    for (int k = 0; count < 0 ? names[k] != NULL : k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

size_t slip_text_stem(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0 ? length - end : 0;
}
