#include "io/scan.h"

#include "base/memory.h"
#include "io/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_scan_fail(const slip_scan *scan, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (scan->start)
        return slip_fail(scan->ctx, SLIP_ERROR_MODEL, "%s: byte %lld: %s", scan->file,
                         (long long)(scan->at - scan->start) + 1, message);
    return slip_fail(scan->ctx, SLIP_ERROR_MODEL, "%s:%d: %s", scan->file, scan->line, message);
}

void slip_scan_skip(slip_scan *scan)
{
    for (; *scan->at && strchr(" \t\r\n", *scan->at); scan->at++)
        scan->line += *scan->at == '\n';
}

void slip_scan_line(slip_scan *scan)
{
    scan->at += strcspn(scan->at, "\n");
    if (*scan->at) {
        scan->at++;
        scan->line++;
    }
}

/* The length of the word here. */
static size_t word_length(const slip_scan *scan)
{
    return strcspn(scan->at, " \t\r\n");
}

bool slip_scan_word(slip_scan *scan, const char *word)
{
    slip_scan_skip(scan);
    if (word_length(scan) != strlen(word) || strncmp(scan->at, word, strlen(word)) != 0)
        return false;
    scan->at += strlen(word);
    return true;
}

/* Says what stands where `expected` should be. A word of strange bytes is cut and made harmless. */
static int fail_word(const slip_scan *scan, const char *what, const char *expected)
{
    char found[40];
    size_t length = word_length(scan);
    if (!*scan->at)
        return slip_scan_fail(scan, "the file ends here, expected %s: %s", what, expected);
    length = length < sizeof found ? length : sizeof found - 1;
    for (size_t i = 0; i < length; i++)
        found[i] = scan->at[i] >= ' ' && scan->at[i] < 127 ? scan->at[i] : '?';
    found[length] = 0;
    return slip_scan_fail(scan, "%s: found `%s`, expected %s", what, found, expected);
}

int slip_scan_number(slip_scan *scan, const char *what, double *value)
{
    const char *end;
    slip_scan_skip(scan);
    if (!slip_number_read(scan->at, &end, value) || end != scan->at + word_length(scan) || !isfinite(*value))
        return fail_word(scan, what, "a finite number");
    scan->at = end;
    return SLIP_OK;
}

int slip_scan_integer(slip_scan *scan, const char *what, int64_t low, int64_t high, int64_t *value)
{
    char expected[80];
    int64_t number = 0;
    bool negative, whole;
    slip_scan_skip(scan);
    const char *start = scan->at;
    negative = *start == '-';
    start += negative;
    whole = *start >= '0' && *start <= '9';
    for (; *start >= '0' && *start <= '9' && number < INT64_MAX / 20; start++)
        number = 10 * number + (*start - '0');
    number = negative ? -number : number;
    if (!whole || start != scan->at + word_length(scan) || number < low || number > high) {
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)low,
                 (long long)high);
        return fail_word(scan, what, expected);
    }
    scan->at = start;
    *value = number;
    return SLIP_OK;
}

/* ---- binary ---- */

static int take_bytes(slip_scan *scan, const char *what, void *to, size_t size)
{
    if ((size_t)(scan->end - scan->at) < size)
        return slip_scan_fail(scan, "the file ends here, expected %s: a binary number", what);
    memcpy(to, scan->at, size);
    return SLIP_OK;
}

int slip_scan_binary_integer(slip_scan *scan, const char *what, int size, int64_t low, int64_t high,
                             int64_t *value)
{
    int32_t narrow = 0;
    SLIP_PASS(size == 4 ? take_bytes(scan, what, &narrow, sizeof narrow)
                        : take_bytes(scan, what, value, sizeof *value));
    if (size == 4)
        *value = narrow;
    if (*value < low || *value > high)
        return slip_scan_fail(scan, "%s: found %lld, expected a whole number from %lld to %lld", what,
                              (long long)*value, (long long)low, (long long)high);
    scan->at += size;
    return SLIP_OK;
}

int slip_scan_binary_number(slip_scan *scan, const char *what, double *value)
{
    int status = take_bytes(scan, what, value, sizeof *value);
    if (status >= 0 && !isfinite(*value))
        status = slip_scan_fail(scan, "%s: found %g, expected a finite number", what, *value);
    if (status >= 0)
        scan->at += sizeof *value;
    return status;
}

/* ---- tags ---- */

struct slip_tag {
    int64_t tag;
    int index_plus_one; /* 0: free */
};

/* Where the tag is, or the free place where it would go. */
static struct slip_tag *find_slot(const slip_tags *tags, int64_t tag)
{
    const uint64_t mask = (uint64_t)tags->capacity - 1;
    uint64_t at = (uint64_t)tag * UINT64_C(0x9E3779B97F4A7C15) >> 20 & mask;
    while (tags->slots[at].index_plus_one && tags->slots[at].tag != tag)
        at = (at + 1) & mask;
    return &tags->slots[at];
}

static bool grow(slip_tags *tags)
{
    slip_tags larger = {.capacity = tags->capacity ? 2 * tags->capacity : 64, .count = tags->count};
    larger.slots = slip_alloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (int64_t i = 0; i < tags->capacity; i++)
        if (tags->slots[i].index_plus_one)
            *find_slot(&larger, tags->slots[i].tag) = tags->slots[i];
    free(tags->slots);
    *tags = larger;
    return true;
}

int slip_tags_add(slip_tags *tags, int64_t tag, int index)
{
    if (2 * tags->count >= tags->capacity && !grow(tags))
        return SLIP_ERROR_MEMORY;
    struct slip_tag *slot = find_slot(tags, tag);
    if (slot->index_plus_one)
        return 1;
    *slot = (struct slip_tag){tag, index + 1};
    tags->count++;
    return 0;
}

int slip_tags_find(const slip_tags *tags, int64_t tag)
{
    return tags->capacity ? find_slot(tags, tag)->index_plus_one - 1 : -1;
}

void slip_tags_list(const slip_tags *tags, int64_t *tag_of)
{
    for (int64_t i = 0; i < tags->capacity; i++)
        if (tags->slots[i].index_plus_one > 0)
            tag_of[tags->slots[i].index_plus_one - 1] = tags->slots[i].tag;
}

void slip_tags_free(slip_tags *tags)
{
    free(tags->slots);
    *tags = (slip_tags){0};
}
