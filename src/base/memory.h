/* Arena and growable arrays. */
#ifndef SLIP_BASE_MEMORY_H
#define SLIP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Memory that is freed all at once. Start with {0}. Everything handed out is zeroed and aligned for doubles.
 */
typedef struct slip_arena {
    struct slip_arena_block *blocks;
} slip_arena;

void *slip_arena_alloc(slip_arena *arena, size_t size); /* NULL when out of memory */
void *slip_arena_array(slip_arena *arena, int64_t count, size_t item_size);
/* One allocation for many short arrays of numbers: each portion's pointer is set to its part. False when out
 * of memory; then no pointer is set. */
typedef struct slip_portion {
    double **to;
    int64_t count;
} slip_portion;
bool slip_arena_divide(slip_arena *arena, int count, const slip_portion *portions);
char *slip_arena_string(slip_arena *arena, const char *text);
char *slip_arena_string_bytes(slip_arena *arena, const char *text, size_t length);
void slip_arena_free(slip_arena *arena);
/* What the other arena holds becomes this one's; the other one is empty. */
void slip_arena_adopt(slip_arena *arena, slip_arena *other);

/* Makes room for `needed` items in a growing array: `data` points to the array's pointer. Returns false when
 * out of memory (the array is then as it was). */
bool slip_array_reserve(void *data, int64_t *capacity, int64_t needed, size_t item_size);
/* The same for an array by its name, with items of its type. */
#define SLIP_ROOM(list, capacity, needed) slip_array_reserve(&(list), &(capacity), (needed), sizeof *(list))

/* Defines TYPE_destroy, which takes NULL, of objects from slip_alloc with all their memory in their `arena`.
 */
#define SLIP_DESTROY(type)                                                                                   \
    void type##_destroy(type *object)                                                                        \
    {                                                                                                        \
        if (object)                                                                                          \
            slip_arena_free(&object->arena);                                                                 \
        free(object);                                                                                        \
    }

/* Before the declaration of local variables: what they hold is freed where their block is left, by whatever
 * way. SLIP_FREED: pointers to memory of slip_alloc; SLIP_FREED_BY: anything else, by a function that takes
 * the address of the variable. SLIP_HAND hands over what such a variable holds. */
#define SLIP_FREED __attribute__((cleanup(slip_free_held)))
#define SLIP_FREED_BY(function) __attribute__((cleanup(function)))
#define SLIP_HAND(to, variable)                                                                              \
    do {                                                                                                     \
        *(to) = (variable);                                                                                  \
        (variable) = NULL;                                                                                   \
    } while (0)
static inline void slip_free_held(void *variable)
{
    void *held;
    memcpy(&held, variable, sizeof held);
    free(held);
}

/* Defines TYPE_drop for SLIP_FREED_BY: of variables that point to an object, which this function closes.
 */
#define SLIP_OWNED(type, close)                                                                              \
    static inline void type##_drop(type **variable)                                                          \
    {                                                                                                        \
        close(*variable);                                                                                    \
    }

/* count * size zeroed bytes; NULL when out of memory or when the product overflows. Never NULL for count 0.
 */
void *slip_alloc(int64_t count, size_t item_size);

/* Bytes that the machine can hand out without swapping, or that a limit on the process or its control groups
 * leaves of them; infinite where it does not say. */
double slip_memory_available(void);

static inline void slip_swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

#endif
