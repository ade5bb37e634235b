#include "result/table.h"

#include "io/csv.h"
#include "io/file.h"
#include "io/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- Columns. */

static bool copy_words(slip_arena *arena, const char *const *words, slip_column *column)
{
    while (words[column->word_count])
        column->word_count++;
    column->words = slip_arena_array(arena, column->word_count + 1, sizeof *column->words);
    for (int k = 0; column->words && k < column->word_count; k++) {
        column->words[k] = slip_arena_string(arena, words[k]);
        if (!column->words[k])
            return false;
    }
    return column->words != NULL;
}

/* ---- Where rows are. */

static void free_values(slip_table *table, double *values)
{
    if (table->spilled)
        slip_spill_free(values, table->capacity);
    else if (!table->block)
        free(values);
}

/* Moves columns to new places, in memory or on the disk, each by itself. */
static bool move_columns(slip_table *table, int64_t capacity, bool to_disk)
{
    double **fresh = slip_alloc(table->column_count, sizeof *fresh);
    bool good = fresh != NULL;
    for (int k = 0; k < table->column_count && good; k++)
        good = (fresh[k] = to_disk ? slip_spill_alloc(&table->spill, capacity)
                                   : malloc((size_t)capacity * sizeof *fresh[k])) != NULL;
    for (int k = 0; k < table->column_count && fresh; k++) {
        double **values = &table->columns[k].values;
        if (good) {
            memcpy(fresh[k], *values, (size_t)table->count * sizeof(double));
            free_values(table, *values);
            *values = fresh[k];
        } else if (to_disk) {
            slip_spill_free(fresh[k], capacity);
        } else {
            free(fresh[k]);
        }
    }
    free(fresh);
    if (good) {
        free(table->block);
        table->block = NULL;
        table->capacity = capacity;
        table->spilled = to_disk;
    }
    return good;
}

/* Of a table that has no rows, and not many to come. */
static bool place_columns(slip_table *table, int64_t capacity)
{
    const int64_t count = table->column_count * capacity;
    table->block = malloc(count > 0 ? (size_t)count * sizeof *table->block : 1);
    for (int k = 0; k < table->column_count && table->block; k++)
        table->columns[k].values = table->block + k * capacity;
    table->capacity = table->block ? capacity : 0;
    return table->block;
}

/* ---- Adding. */

int slip_table_add(slip_context *ctx, slip_table *table, const slip_column_info *info)
{
    slip_column column = {.name = slip_arena_string(table->arena, info->name),
                          .unit = info->unit ? slip_arena_string(table->arena, info->unit) : ""};
    column.place = info->place ? slip_arena_string(table->arena, info->place) : column.name;
    if (!column.name || !column.unit || !column.place ||
        (info->words && !copy_words(table->arena, info->words, &column)) ||
        !SLIP_ROOM(table->columns, table->column_capacity, table->column_count + 1))
        return slip_fail_memory(ctx);
    if (table->block && !move_columns(table, table->capacity, false))
        return slip_fail_memory(ctx);
    if (table->capacity > 0)
        column.values = table->spilled ? slip_spill_alloc(&table->spill, table->capacity)
                                       : slip_alloc(table->capacity, sizeof(double));
    if (table->capacity > 0 && !column.values)
        return slip_fail_memory(ctx);
    table->columns[table->column_count] = column;
    return table->column_count++;
}

/* Where a word stands in the hash table, or where it goes. */
static int *place_word(const slip_column *column, const char *word)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (const char *at = word; *at; at++)
        sum = (sum ^ (unsigned char)*at) * 1099511628211u;
    for (uint64_t k = sum ^ sum >> 32;; k++) {
        int *place = &column->word_places[k & (uint64_t)(column->word_room - 1)];
        if (*place == 0 || strcmp(column->words[*place - 1], word) == 0)
            return place;
    }
}

/* Room for one word more; false when out of memory. */
static bool grow_words(slip_arena *arena, slip_column *column)
{
    if (2 * column->word_count < column->word_room)
        return true;
    int room = column->word_room > 0 ? 2 * column->word_room : 16;
    while (2 * column->word_count >= room)
        room *= 2;
    char **words = slip_arena_array(arena, room / 2 + 1, sizeof *words);
    int *places = slip_arena_array(arena, room, sizeof *places);
    if (!words || !places)
        return false;
    if (column->word_count > 0)
        memcpy(words, column->words, (size_t)column->word_count * sizeof *words);
    column->words = words;
    column->word_places = places;
    column->word_room = room;
    for (int k = 0; k < column->word_count; k++)
        *place_word(column, words[k]) = k + 1;
    return true;
}

int slip_table_word(slip_context *ctx, slip_table *table, int index, const char *word)
{
    slip_column *column = &table->columns[index];
    SLIP_PASS(slip_allocated(ctx, grow_words(table->arena, column)));
    int *place = place_word(column, word);
    if (*place > 0)
        return *place - 1;
    column->words[column->word_count] = slip_arena_string(table->arena, word);
    SLIP_PASS(slip_allocated(ctx, column->words[column->word_count]));
    *place = ++column->word_count;
    return column->word_count - 1;
}

void slip_table_forget_words(slip_table *table, int index)
{
    slip_column *column = &table->columns[index];
    column->word_count = column->word_room = 0;
}

int slip_table_find(const slip_table *table, const char *name)
{
    for (int k = 0; k < table->column_count; k++)
        if (strcmp(table->columns[k].name, name) == 0)
            return k;
    return -1;
}

const char *const slip_words_to_come[] = {NULL};

int slip_table_add_all(slip_context *ctx, slip_table *table, const slip_column_info *columns)
{
    int status = SLIP_OK;
    for (int k = 0; columns[k].name && status >= 0; k++)
        status = slip_table_add(ctx, table, &columns[k]);
    return status < 0 ? status : SLIP_OK;
}

bool slip_table_reserve(slip_table *table, int64_t needed)
{
    enum { most_in_memory = 1 << 20 };
    const int64_t more = table->capacity > 0 ? table->capacity + table->capacity / 2 : 8,
                  most = more > needed ? more : needed;
    int64_t capacity = table->capacity;
    if (needed <= capacity)
        return true;
    if (needed > most_in_memory || table->block)
        return move_columns(table, most, needed > most_in_memory);
    if (table->capacity == 0)
        return place_columns(table, most);
    for (int k = 0; k < table->column_count; k++) {
        /* All grow from the same capacity by the same rule. After a failure some are larger than they need
         * to be, which does no harm. */
        capacity = table->capacity;
        if (!SLIP_ROOM(table->columns[k].values, capacity, needed))
            return false;
    }
    table->capacity = capacity;
    return true;
}

int slip_table_append(slip_context *ctx, slip_table *table, const double *row)
{
    SLIP_PASS(slip_allocated(ctx, slip_table_reserve(table, table->count + 1)));
    for (int k = 0; k < table->column_count; k++)
        table->columns[k].values[table->count] = row[k];
    table->count++;
    return SLIP_OK;
}

void slip_table_free(slip_table *table)
{
    for (int k = 0; k < table->column_count; k++)
        free_values(table, table->columns[k].values);
    slip_spill_close(&table->spill);
    free(table->block);
    free(table->columns);
    table->columns = NULL;
    table->column_count = 0;
}

/* ---- CSV. */

static void write_field(FILE *stream, const slip_column *column, int64_t row, bool words)
{
    char number[slip_number_size];
    const double value = column->values[row];
    if (words && column->words && value >= 0 && value < column->word_count)
        slip_csv_text(stream, column->words[(int)value]);
    else
        fputs(slip_number_write(number, value), stream);
}

int slip_table_write_csv(slip_context *ctx, const slip_table *table, bool words, const char *path)
{
    enum { rows_between = 1 << 14 };
    slip_file file = {0};
    SLIP_PASS(slip_file_create(ctx, path, &file));
    for (int k = 0; k < table->column_count; k++) {
        if (k > 0)
            putc(',', file.stream);
        slip_csv_text(file.stream, table->columns[k].name);
    }
    putc('\n', file.stream);
    for (int64_t i = 0; i < table->count; i++) {
        for (int k = 0; k < table->column_count; k++) {
            if (k > 0)
                putc(',', file.stream);
            write_field(file.stream, &table->columns[k], i, words);
        }
        putc('\n', file.stream);
        if (!words && i % rows_between == 0 && slip_interrupted(ctx)) {
            slip_file_discard(&file);
            return slip_interrupt_check(ctx);
        }
    }
    return slip_file_commit(ctx, &file);
}
