/* Reading files of numbers and words, text or binary, with the line or the byte for messages. */
#ifndef SLIP_IO_SCAN_H
#define SLIP_IO_SCAN_H

#include "base/context.h"

typedef struct slip_scan {
    slip_context *ctx;
    const char *file; /* name, for messages */
    const char *at;   /* a zero byte ends the text */
    int line;         /* from 1 */
    /* Of a file with binary numbers: its first byte and where it ends; else NULL. */
    const char *start, *end;
} slip_scan;

/* Fails with FILE:LINE: (of a binary file FILE: byte N:) and the message. */
int slip_scan_fail(const slip_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves behind white space and line ends. */
void slip_scan_skip(slip_scan *scan);
/* Moves to the start of the next line. */
void slip_scan_line(slip_scan *scan);
/* True, and moves behind it, when the next word is this one. */
bool slip_scan_word(slip_scan *scan, const char *word);

/* The next number; `what` names it in messages. An integer is at least `low` and at most `high`. */
int slip_scan_number(slip_scan *scan, const char *what, double *value);
int slip_scan_integer(slip_scan *scan, const char *what, int64_t low, int64_t high, int64_t *value);

/* The same from a binary file, in this machine's order of bytes: whole numbers of 4 or 8 bytes, and doubles.
 */
int slip_scan_binary_integer(slip_scan *scan, const char *what, int size, int64_t low, int64_t high,
                             int64_t *value);
int slip_scan_binary_number(slip_scan *scan, const char *what, double *value);

/* ---- Tags: numbers of nodes and elements in a file, which need not be consecutive. */

typedef struct slip_tags {
    struct slip_tag *slots;
    int64_t capacity, count; /* capacity is a power of 2 */
} slip_tags;

/* Stores the index of a tag. Returns 0; 1 if the tag exists already; or SLIP_ERROR_MEMORY. */
int slip_tags_add(slip_tags *tags, int64_t tag, int index);
int slip_tags_find(const slip_tags *tags, int64_t tag);      /* -1: none */
void slip_tags_list(const slip_tags *tags, int64_t *tag_of); /* of each index */
void slip_tags_free(slip_tags *tags);

#endif
