/* Tables of named columns of equal length: the series of a run, the points of a path, labels, events. */
#ifndef SLIP_RESULT_TABLE_H
#define SLIP_RESULT_TABLE_H

#include "base/context.h"
#include "io/spill.h"

typedef struct slip_column {
    char *name;   /* "x'", "pad.force" */
    char *unit;   /* "" where it is not known */
    char *place;  /* of its dataset in result.h5, below the table's group */
    char **words; /* the values are indices into this list; NULL: they are numbers */
    int word_count;
    int *word_places; /* hash table of words added with rows: 1 + their indices, 0: free */
    int word_room;    /* size of that table, a power of two; `words` has room for half of it */
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
    double *block; /* memory of all columns, one after the other, until they grow; NULL: each has its own */
    bool spilled;  /* the columns are long and stored in the file `spill` */
    slip_spill spill;
} slip_table;

/* The description of a column. place NULL: `name`; unit NULL: ""; words: ended by NULL, or NULL. */
typedef struct slip_column_info {
    const char *name, *unit, *place;
    const char *const *words;
} slip_column_info;

/* Adds a column, with zeros in existing rows. Returns its index, or an error. */
int slip_table_add(slip_context *ctx, slip_table *table, const slip_column_info *info);

/* Adds a list of columns, which ends with one that has no name. */
int slip_table_add_all(slip_context *ctx, slip_table *table, const slip_column_info *columns);

/* `words` for a column whose words are added with its rows (slip_table_word). */
extern const char *const slip_words_to_come[];

/* Reserves memory for `needed` rows in all columns, on the disk if they are long. False: out of memory. */
bool slip_table_reserve(slip_table *table, int64_t needed);

/* Appends a row of column_count numbers. */
int slip_table_append(slip_context *ctx, slip_table *table, const double *row);

/* The index of a word in a column's list, to which a new word is added; negative: out of memory. */
int slip_table_word(slip_context *ctx, slip_table *table, int column, const char *word);
/* Removes all words of a column. */
void slip_table_forget_words(slip_table *table, int column);

/* The column of that name; -1 where there is none. */
int slip_table_find(const slip_table *table, const char *name);

/* Writes the table to a CSV file, a header row first. words: write the words of columns that have them, and
 * ignore interrupts; else write numbers only, and stop on an interrupt, since the file can be made again. */
int slip_table_write_csv(slip_context *ctx, const slip_table *table, bool words, const char *path);

/* Frees the columns; names and words are the arena's. */
void slip_table_free(slip_table *table);

#endif
