/* JSON (RFC 8259): a writer into text, and a reader into a tree. */
#ifndef SLIP_IO_JSON_H
#define SLIP_IO_JSON_H

#include "base/context.h"
#include "base/text.h"

/* ---- Writer. Starts as {.text = &text}. Failures stay in text->failed; wrong nesting is an assertion. `key`
 * is NULL in a list and for the outermost value. */

enum { slip_json_depth = 64 };

/* A number to be found by its path while JSON is written, as slip_json_find_path would find it in the text.
 */
typedef struct slip_json_wanted {
    const char *path;
    bool found;
    double number; /* 0 or 1 for a bool; NAN for other types */
    int depth;     /* depth at which it was found; the outermost one counts */
    const char *rest[slip_json_depth +
                     1]; /* remaining part of the path in the open object at each depth; NULL: not there */
} slip_json_wanted;

typedef struct slip_json_writer {
    slip_text *text;
    slip_json_wanted *wanted; /* if not NULL, the writer writes no text but searches these numbers */
    int wanted_count;
    int depth;
    bool filled; /* the present object or list has an entry already */
} slip_json_writer;

/* A writer that searches numbers by their paths instead of writing. */
slip_json_writer slip_json_seeker(int count, slip_json_wanted *wanted);

void slip_json_object(slip_json_writer *writer, const char *key);
void slip_json_list(slip_json_writer *writer, const char *key);
void slip_json_end_object(slip_json_writer *writer);
void slip_json_end_list(slip_json_writer *writer);
void slip_json_number(slip_json_writer *writer, const char *key, double value); /* null where not finite */
void slip_json_integer(slip_json_writer *writer, const char *key, int64_t value);
void slip_json_string(slip_json_writer *writer, const char *key, const char *value);
void slip_json_bool(slip_json_writer *writer, const char *key, bool value);

/* ---- Reader. */

typedef enum slip_json_type {
    SLIP_JSON_NULL,
    SLIP_JSON_BOOL,
    SLIP_JSON_NUMBER,
    SLIP_JSON_STRING,
    SLIP_JSON_LIST,
    SLIP_JSON_OBJECT
} slip_json_type;

typedef struct slip_json {
    slip_json_type type;
    const char *key;    /* in an object */
    double number;      /* also 0 and 1 of a bool */
    const char *string; /* UTF-8 */
    const struct slip_json *child, *next;
} slip_json;

/* Parses text of the given length, followed by a zero byte. name: the file, for messages, which have line and
 * column. The tree is allocated in the arena. */
int slip_json_parse(slip_context *ctx, slip_arena *arena, const char *name, const char *text, size_t length,
                    const slip_json **json);

/* The entry of an object; NULL when there is none, when this is no object, or when it is NULL itself. */
const slip_json *slip_json_find(const slip_json *object, const char *key);
/* The entry by a path of keys joined by dots. */
const slip_json *slip_json_find_path(const slip_json *json, const char *path);
/* The number of the entry; NAN when there is none. */
double slip_json_get(const slip_json *object, const char *key);
/* Whether the entry is there and true. */
bool slip_json_is(const slip_json *object, const char *key);

#endif
