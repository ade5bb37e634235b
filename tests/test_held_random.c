/* Stacks of blocks and blocks side by side on belts, some beside a body that lifts off and lands, against the
 * twin of mode_twin.h. `test_held_random 17` writes system 17 as a model file. */
#include "held_compare.h"

static void blocks_on_belts_and_on_each_other(void **state)
{
    (void)state;
    held_compare_all(HELD_STACK, HELD_BESIDE, test_many(1700), test_many(1500) - 4);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_on_belts_and_on_each_other)};
    return count > 1 ? held_show(atoi(arguments[1])) : cmocka_run_group_tests(tests, NULL, NULL);
}
