/* Fields of the sections of a model file that are plain numbers, flags and words: one table of each section
 * drives its reader and its table in docs/model-files.md. */
#ifndef SLIP_MODEL_FIELDS_H
#define SLIP_MODEL_FIELDS_H

#include "model/read/read.h"

#include <stddef.h>

typedef enum slip_field_kind {
    SLIP_FIELD_NUMBER,     /* double */
    SLIP_FIELD_COUNT,      /* int */
    SLIP_FIELD_LONG,       /* int64_t */
    SLIP_FIELD_EXPRESSION, /* const char *, of parameters: what it comes to is in the range; or one of `words`
                            */
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
    const char *sentence;     /* what it is, with its unit */
    const char *fallback;     /* the default, as the docs say it */
    const char *example;      /* where it must be given: what to write; else NULL */
} slip_field;

typedef struct slip_fields {
    const char *section; /* in the docs: "simulate", "simulate.record" */
    const char *prefix;  /* of names in messages: "record." */
    const slip_field *list;
    int count;
} slip_fields;

/* How tables are written: ranges, a field that is called as in its struct, a table of fields. */
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
/* One that is called otherwise than in its struct. */
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

/* Notes every key of the mapping that is neither in one of the tables (NULL ends the list) nor among `others`
 * (likewise; may be NULL). False when the node is no mapping or has such keys. */
bool slip_read_field_keys(slip_reader *r, const slip_tree *node, const char *what,
                          const slip_fields *const *tables, const char *const *others);

/* Reads the fields of a table that the mapping has into the options `to`; checks kinds and ranges, and that
 * those are there which must be. `required` false: none must. True when all is well. */
bool slip_read_fields(slip_reader *r, const slip_tree *node, const slip_fields *table, bool required,
                      void *to);

/* Whether the numbers of options are in their ranges, those that are given: no number that is NAN, no count
 * that is negative. SLIP_ERROR_USAGE where one is not. */
int slip_fields_check(slip_context *ctx, const slip_fields *table, const void *of);

/* What the options have, a line "PREFIX name: value" for each field; a number that is NAN was not given. */
void slip_fields_list(slip_text *text, const char *prefix, const slip_fields *table, const void *of);

#endif
