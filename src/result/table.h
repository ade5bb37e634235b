/* Named columns of equal length: what is recorded of a run, the points of a path, labels, events. */
#ifndef SLIP_RESULT_TABLE_H
#define SLIP_RESULT_TABLE_H

#include "base/context.h"
#include "io/spill.h"

typedef struct slip_column {
    char *name;   /* "x'", "pad.force" */
    char *unit;   /* "" where it is not known */
    char *place;  /* of its dataset in result.h5, below the table's group */
    char **words; /* the values are places in this list, from 0; NULL: they are numbers */
    int word_count;
    int *word_places; /* of words that came with rows: a hash table of 1 + their places, 0: free */
    int word_room;    /* of that table, a power of two; half of it in `words` */
    double *values;
} slip_column;

typedef struct slip_table {
    slip_arena *arena; /* of names and words */
    char *name;        /* of its group in result.h5; "" of the main table, whose columns stand at the root */
    char *file;        /* a CSV file that the folder gets beside result.h5; "": none */
    slip_column *columns;
    int column_count;
    int64_t column_capacity;
    int64_t count, capacity; /* of rows */
    double *block;           /* the columns, one behind the other, until they grow; NULL: each by itself */
    bool spilled;            /* the columns are long, and in this file */
    slip_spill spill;
} slip_table;

/* What a column is made of; `place` NULL is `name`, `unit` NULL is "", `words` end with NULL and may be NULL.
 */
typedef struct slip_column_info {
    const char *name, *unit, *place;
    const char *const *words;
} slip_column_info;

/* Adds a column, with zeros in the rows that are there; its index, or an error. */
int slip_table_add(slip_context *ctx, slip_table *table, const slip_column_info *info);

/* Adds a list of columns, which ends with one that has no name. */
int slip_table_add_all(slip_context *ctx, slip_table *table, const slip_column_info *columns);

/* The list of a column whose words come with its rows (slip_table_word). */
extern const char *const slip_words_to_come[];

/* Makes room for `needed` rows in all columns, on the disk where they are long. False when out of memory. */
bool slip_table_reserve(slip_table *table, int64_t needed);

/* Appends a row of column_count numbers. */
int slip_table_append(slip_context *ctx, slip_table *table, const double *row);

/* The place of a word in a column's list, to which it is added where it is new; negative when out of memory.
 */
int slip_table_word(slip_context *ctx, slip_table *table, int column, const char *word);
/* The column has no words until it is given new ones, row by row. */
void slip_table_forget_words(slip_table *table, int column);

/* The column of that name; -1 where there is none. */
int slip_table_find(const slip_table *table, const char *name);

/* Writes the table to a CSV file, a header row first. `words`: with the words of columns that have them,
 * whole whatever comes; else with numbers only, and an interrupt ends it, since it can be made again. */
int slip_table_write_csv(slip_context *ctx, const slip_table *table, bool words, const char *path);

/* Frees the columns; names and words are the arena's. */
void slip_table_free(slip_table *table);

#endif
