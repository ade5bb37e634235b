/* A growing string. After a failed allocation it stays as it was and `failed` is set, so that a writer can
 * print as much as it likes and look once at the end. */
#ifndef SLIP_BASE_TEXT_H
#define SLIP_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct slip_text {
    char *data; /* zero-terminated, or NULL while empty */
    size_t length;
    size_t capacity;
    bool failed;
    bool fixed; /* `data` is the caller's array, of `capacity` bytes: what does not fit fails */
} slip_text;

/* Add to the text. One that has run out of memory has `failed` set, and takes nothing more. */
void slip_text_append(slip_text *text, const char *more);
void slip_text_append_bytes(slip_text *text, const char *more, size_t count);
void slip_text_printf(slip_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void slip_text_vprintf(slip_text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void slip_text_clear(slip_text *text); /* empties it and forgets a failure; keeps the memory */
void slip_text_free(slip_text *text);

/* What a name may begin with, whatever the locale. */
static inline bool slip_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether a candidate is nearer to `name` than *best, which becomes its distance; begin with
 * slip_text_near(name), beyond which nothing is a likely slip of the finger. */
bool slip_text_nearer(const char *name, const char *candidate, int *best);
int slip_text_near(const char *name);
/* Of the candidates (NULL ends the list) the one nearest to `name` by edit distance, or NULL when none is
 * near enough to be a likely slip of the finger. */
const char *slip_text_nearest(const char *name, const char *const *candidates);

/* Where a name stands among so many (-1: up to NULL, which ends the list); -1 where it does not. */
int slip_text_find(const char *const *names, int count, const char *name);

/* How many bytes a name has before its ending: of "pad.mode" with ".mode" 3. 0: it does not end so, or has
 * nothing else. */
size_t slip_text_stem(const char *name, const char *ending);

#endif
