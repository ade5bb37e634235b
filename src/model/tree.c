#include "model/tree.h"

#include "io/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_tree_index(const slip_tree *mapping, const char *key)
{
    if (!mapping || mapping->kind != SLIP_TREE_MAPPING)
        return -1;
    for (int i = 0; i < mapping->count; i++)
        if (strcmp(slip_tree_key(mapping, i)->text, key) == 0)
            return i;
    return -1;
}

slip_tree *slip_tree_find(const slip_tree *mapping, const char *key)
{
    int index = slip_tree_index(mapping, key);
    return index >= 0 ? slip_tree_value(mapping, index) : NULL;
}

bool slip_tree_is_null(const slip_tree *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != SLIP_TREE_SCALAR || node->quoted)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(node->text, words[i]) == 0)
            return true;
    return false;
}

const char *slip_tree_what(const slip_tree *node, char *buffer, size_t size)
{
    enum { longest = 40 };
    if (node->kind == SLIP_TREE_SEQUENCE)
        return "a list";
    if (node->kind == SLIP_TREE_MAPPING)
        return "a mapping";
    if (slip_tree_is_null(node))
        return "nothing";
    size_t length = strcspn(node->text, "\r\n");
    if (length <= longest && node->text[length] == 0) {
        snprintf(buffer, size, "`%s`", node->text);
        return buffer;
    }
    if (length > longest)
        length = longest;
    /* No half characters: back to the start of a UTF-8 sequence. */
    while (length > 0 && ((unsigned char)node->text[length] & 0xC0) == 0x80)
        length--;
    snprintf(buffer, size, "`%.*s...`", (int)length, node->text);
    return buffer;
}

slip_tree *slip_tree_scalar(slip_arena *arena, const char *text)
{
    slip_tree *node = slip_arena_alloc(arena, sizeof *node);
    if (!node)
        return NULL;
    node->kind = SLIP_TREE_SCALAR;
    node->text = slip_arena_string(arena, text);
    return node->text ? node : NULL;
}

slip_tree *slip_tree_mapping(slip_arena *arena)
{
    slip_tree *node = slip_arena_alloc(arena, sizeof *node);
    if (!node)
        return NULL;
    node->kind = SLIP_TREE_MAPPING;
    node->text = "";
    return node;
}

slip_tree *slip_tree_number(slip_arena *arena, double value)
{
    char text[slip_number_size];
    slip_tree *node = slip_tree_scalar(arena, slip_number_write_exact(text, value));
    if (node) {
        node->is_number = true;
        node->number = value;
    }
    return node;
}

slip_tree *slip_tree_sequence(slip_arena *arena, int count)
{
    slip_tree *node = slip_tree_mapping(arena);
    if (!node)
        return NULL;
    node->kind = SLIP_TREE_SEQUENCE;
    node->count = count;
    node->item = slip_arena_array(arena, count, sizeof(slip_tree *));
    return node->item ? node : NULL;
}

slip_tree *slip_tree_numbers(slip_arena *arena, int count, const double *values)
{
    slip_tree *node = slip_tree_sequence(arena, count);
    for (int i = 0; i < count && node; i++)
        if (!(node->item[i] = slip_tree_number(arena, values[i])))
            return NULL;
    return node;
}

slip_tree *slip_tree_copy(slip_arena *arena, const slip_tree *node)
{
    int items = node->kind == SLIP_TREE_MAPPING ? 2 * node->count : node->count;
    slip_tree *copy = slip_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *node;
    copy->item = slip_arena_array(arena, items, sizeof(slip_tree *));
    if (!copy->item)
        return NULL;
    if (items > 0)
        memcpy(copy->item, node->item, (size_t)items * sizeof(slip_tree *));
    return copy;
}

bool slip_tree_append(slip_arena *arena, slip_tree *mapping, slip_tree *key, slip_tree *value)
{
    slip_tree **item = slip_arena_array(arena, 2 * (mapping->count + 1), sizeof(slip_tree *));
    if (!key || !value || !item)
        return false;
    if (mapping->count > 0)
        memcpy(item, mapping->item, (size_t)(2 * mapping->count) * sizeof(slip_tree *));
    item[2 * mapping->count] = key;
    item[2 * mapping->count + 1] = value;
    mapping->item = item;
    mapping->count++;
    return true;
}

bool slip_tree_put(slip_arena *arena, slip_tree *mapping, const char *key, slip_tree *value)
{
    const int index = slip_tree_index(mapping, key);
    if (!value || index < 0)
        return value && slip_tree_append(arena, mapping, slip_tree_scalar(arena, key), value);
    mapping->item[2 * index + 1] = value;
    return true;
}

/* By text, then by place, so that of equal keys the later one comes second. */
static int compare_keys(const void *a, const void *b)
{
    const slip_tree *left = *(const slip_tree *const *)a, *right = *(const slip_tree *const *)b;
    int order = strcmp(left->text, right->text);
    if (order != 0)
        return order;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

const slip_tree *slip_tree_duplicate(const slip_tree *mapping, bool *failed)
{
    const slip_tree **keys, *found = NULL;
    if (mapping->count < 2)
        return NULL;
    keys = slip_alloc(mapping->count, sizeof(slip_tree *));
    if (!keys) {
        *failed = true;
        return NULL;
    }
    for (int i = 0; i < mapping->count; i++)
        keys[i] = slip_tree_key(mapping, i);
    qsort(keys, (size_t)mapping->count, sizeof(slip_tree *), compare_keys);
    for (int i = 1; i < mapping->count && !found; i++)
        if (strcmp(keys[i - 1]->text, keys[i]->text) == 0)
            found = keys[i];
    free(keys);
    return found;
}

void slip_tree_remove(slip_tree *mapping, const char *key)
{
    const int index = slip_tree_index(mapping, key);
    if (index < 0)
        return;
    for (int i = 2 * index; i + 2 < 2 * mapping->count; i++)
        mapping->item[i] = mapping->item[i + 2];
    mapping->count--;
}

slip_tree *slip_tree_clone(slip_arena *arena, const slip_tree *node)
{
    slip_tree *copy = slip_tree_copy(arena, node);
    const int items = node->kind == SLIP_TREE_MAPPING ? 2 * node->count : node->count;
    if (!copy)
        return NULL;
    copy->compiled = NULL;
    for (int i = 0; i < items && node->kind != SLIP_TREE_SCALAR; i++) {
        copy->item[i] = slip_tree_clone(arena, node->item[i]);
        if (!copy->item[i])
            return NULL;
    }
    return copy;
}
