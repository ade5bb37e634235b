/* The tree of a model file: the nodes of a YAML document, each with line and column. */
#ifndef SLIP_MODEL_TREE_H
#define SLIP_MODEL_TREE_H

#include "base/memory.h"

#include <stdbool.h>

typedef enum slip_tree_kind { SLIP_TREE_SCALAR, SLIP_TREE_SEQUENCE, SLIP_TREE_MAPPING } slip_tree_kind;

/* Limits against files that would take too long to read, or overflow the stack by recursion. */
enum {
    slip_tree_depth_max = 64,     /* lists in lists, mappings in mappings */
    slip_tree_count_max = 400000, /* nodes of a document, copies made for aliases included */
    slip_tree_anchor_max = 1000
};

typedef struct slip_tree {
    slip_tree_kind kind;
    bool quoted;      /* a scalar in quotes: its text starts one column after the node */
    bool exact;       /* the text is the same as in the file, on one line, so that offsets are columns */
    bool in_flow;     /* inside braces or brackets, where a comma ends a scalar */
    bool is_text;     /* set by the reader: free text, never written as a number */
    int line, column; /* from 1 */
    const char *text; /* of a scalar; "" for an empty one */
    bool is_number;   /* set when a scalar was read and is a literal number, */
    double number;    /* with this value */
    struct slip_expression *compiled; /* of a scalar that was read as an expression: parameters are slots */
    const double *numbers;            /* of a scalar that names a file: the matrix that was read from it */
    const void *object;  /* of a model built in C: an object that cannot be written (a law as a C function),
                            with a comment as text; else NULL */
    const char *setting; /* the override ("name=value") that set this node, or NULL */
    struct slip_tree **item; /* a sequence's items; a mapping's keys and values in turn */
    int count;               /* items of a sequence, pairs of a mapping */
} slip_tree;

static inline slip_tree *slip_tree_key(const slip_tree *mapping, int index)
{
    return mapping->item[2 * index];
}
static inline slip_tree *slip_tree_value(const slip_tree *mapping, int index)
{
    return mapping->item[2 * index + 1];
}

/* The value of a key, or NULL when the node is no mapping or has no such key. */
slip_tree *slip_tree_find(const slip_tree *mapping, const char *key);
/* The position of a key, or -1. */
int slip_tree_index(const slip_tree *mapping, const char *key);

/* A null: nothing, `~` or `null`, written without quotes. */
bool slip_tree_is_null(const slip_tree *node);

/* "a list", "a mapping", "nothing", "`text`": for messages. The text is cut where it is long. */
const char *slip_tree_what(const slip_tree *node, char *buffer, size_t size);

/* Making nodes; NULL or false when out of memory. */
slip_tree *slip_tree_scalar(slip_arena *arena, const char *text);
slip_tree *slip_tree_mapping(slip_arena *arena);
slip_tree *slip_tree_number(slip_arena *arena, double value);
/* A list whose items are still to be filled in, and one of numbers. */
slip_tree *slip_tree_sequence(slip_arena *arena, int count);
slip_tree *slip_tree_numbers(slip_arena *arena, int count, const double *values);
/* A copy whose list of items is its own; the items are shared. */
slip_tree *slip_tree_copy(slip_arena *arena, const slip_tree *node);
/* A deep copy without compiled expressions, which are only valid for the slots of one model. */
slip_tree *slip_tree_clone(slip_arena *arena, const slip_tree *node);
bool slip_tree_append(slip_arena *arena, slip_tree *mapping, slip_tree *key, slip_tree *value);
/* Sets the value of a key, which is added if missing. False if the value is NULL or out of memory. */
bool slip_tree_put(slip_arena *arena, slip_tree *mapping, const char *key, slip_tree *value);

/* Removes a key where it is there. */
void slip_tree_remove(slip_tree *mapping, const char *key);

/* The second of two equal keys of a mapping, in the order of the file; NULL: none. *failed: out of memory. */
const slip_tree *slip_tree_duplicate(const slip_tree *mapping, bool *failed);

#endif
