/* Plain fields (numbers, flags and words) of the sections of a model file. One table for each section drives
 * its reader, its checks and its table in docs/model-files.md. */
#ifndef SLIP_MODEL_FIELDS_H
#define SLIP_MODEL_FIELDS_H

#include "model/read/read.h"

#include <stddef.h>

typedef enum slip_field_kind {
    SLIP_FIELD_NUMBER,     /* double */
    SLIP_FIELD_COUNT,      /* int */
    SLIP_FIELD_LONG,       /* int64_t */
    SLIP_FIELD_EXPRESSION, /* const char *, an expression of parameters with a value in the range, or one of
                              `words` */
    SLIP_FIELD_FLAG,       /* int, 0 or 1 */
    SLIP_FIELD_WORD,       /* const char *, one of `words` */
    SLIP_FIELD_TEXT        /* const char * */
} slip_field_kind;

typedef struct slip_field {
    const char *name;
    slip_field_kind kind;
    size_t offset; /* in the struct of the section's options */
    slip_range range;
    const char *const *words; /* NULL ends the list */
    const char *sentence;     /* its description with unit, for the docs */
    const char *fallback;     /* the default, as text for the docs */
    const char *example;      /* of a required field: an example for the error message; else NULL */
} slip_field;

typedef struct slip_fields {
    const char *section; /* in the docs: "simulate", "simulate.record" */
    const char *prefix;  /* of names in messages: "record." */
    const slip_field *list;
    int count;
} slip_fields;

/* Macros for tables: ranges; a field with the name of its struct member; a table of fields. */
#define SLIP_POSITIVE                                                                                        \
    {                                                                                                        \
        0, INFINITY, true                                                                                    \
    }
#define SLIP_NOT_NEGATIVE                                                                                    \
    {                                                                                                        \
        0, INFINITY, false                                                                                   \
    }
#define SLIP_ANY                                                                                             \
    {                                                                                                        \
        -INFINITY, INFINITY, false                                                                           \
    }
/* A field whose name differs from that of its struct member. */
#define SLIP_FIELD_AS(options, name, member, kind, ...)                                                      \
    {                                                                                                        \
        name, SLIP_FIELD_##kind, offsetof(options, member), __VA_ARGS__                                      \
    }
#define SLIP_FIELD(options, name, kind, ...) SLIP_FIELD_AS(options, #name, name, kind, __VA_ARGS__)
#define SLIP_FIELDS(section, prefix, fields)                                                                 \
    {                                                                                                        \
        section, prefix, fields, sizeof fields / sizeof fields[0]                                            \
    }

extern const slip_fields slip_fields_simulate, slip_fields_record, slip_fields_steady, slip_fields_gear,
    slip_fields_gear_mesh, slip_fields_gear_material, slip_fields_gear_side, slip_fields_gear_damping,
    slip_fields_flanks, slip_fields_gear_simulate, slip_fields_gear_record;
extern const slip_fields *const slip_fields_all[]; /* without those of studies; NULL ends the list */

/* Records a problem for every key of the mapping that is neither in one of the tables (the list ends with
 * NULL) nor among `others` (likewise; may be NULL). False where the node is no mapping or has such keys. */
bool slip_read_field_keys(slip_reader *r, const slip_tree *node, const char *what,
                          const slip_fields *const *tables, const char *const *others);

/* Reads the fields of a table from a mapping into the options `to`; checks kinds, ranges and, with
 * `required`, that required fields exist. False after a problem. */
bool slip_read_fields(slip_reader *r, const slip_tree *node, const slip_fields *table, bool required,
                      void *to);

/* Fails with SLIP_ERROR_USAGE where a number of the options is outside its range. NAN and negative counts
 * mean "not given" and are not checked. */
int slip_fields_check(slip_context *ctx, const slip_fields *table, const void *of);

/* Appends the values of the options, a line "PREFIX name: value" each, without NAN (not given). */
void slip_fields_list(slip_text *text, const char *prefix, const slip_fields *table, const void *of);

#endif
