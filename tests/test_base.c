/* Status, context, text and memory. */
#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"
#include "test.h"

#include <string.h>

static void message_holds_the_last_error(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    assert_string_equal(slip_context_message(ctx), "");
    assert_int_equal(slip_fail(ctx, SLIP_ERROR_IO, "file %s", "a"), SLIP_ERROR_IO);
    assert_int_equal(slip_fail(ctx, SLIP_ERROR_MODEL, "in %s: bad", slip_context_message(ctx)),
                     SLIP_ERROR_MODEL);
    assert_string_equal(slip_context_message(ctx), "in file a: bad");
    slip_fail_more(ctx, SLIP_ERROR_MODEL, "and %d more", 2);
    assert_string_equal(slip_context_message(ctx), "in file a: bad\nand 2 more");
    slip_context_clear(ctx);
    assert_string_equal(slip_context_message(ctx), "");
    slip_context_destroy(ctx);
    slip_context_destroy(NULL);
}

static void interrupt_is_remembered(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    assert_false(slip_interrupted(ctx));
    slip_context_interrupt(ctx);
    assert_true(slip_interrupted(ctx));
    slip_context_destroy(ctx);
}

static void nearest_name_is_a_slip_of_the_finger(void **state)
{
    static const char *const names[] = {"mass", "stiffness", "damping", NULL};
    (void)state;
    assert_string_equal(slip_text_nearest("stifness", names), "stiffness");
    assert_string_equal(slip_text_nearest("mas", names), "mass");
    assert_string_equal(slip_text_nearest("dmaping", names), "damping");
    assert_null(slip_text_nearest("velocity", names));
}

static void arena_hands_out_zeroed_aligned_memory(void **state)
{
    slip_arena arena = {0};
    (void)state;
    for (size_t size = 1; size < 20000; size = size * 3 + 1) {
        unsigned char *bytes = slip_arena_alloc(&arena, size);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 255, size);
    }
    assert_string_equal(slip_arena_string(&arena, "text"), "text");
    assert_null(slip_arena_array(&arena, INT64_MAX, 8));
    slip_arena_free(&arena);
}

static void array_grows_and_keeps_its_content(void **state)
{
    int *numbers = NULL;
    int64_t capacity = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_true(slip_array_reserve(&numbers, &capacity, i + 1, sizeof *numbers));
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    assert_false(slip_array_reserve(&numbers, &capacity, INT64_MAX / 2, sizeof *numbers));
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_holds_the_last_error),
        cmocka_unit_test(interrupt_is_remembered),
        cmocka_unit_test(nearest_name_is_a_slip_of_the_finger),
        cmocka_unit_test(arena_hands_out_zeroed_aligned_memory),
        cmocka_unit_test(array_grows_and_keeps_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
