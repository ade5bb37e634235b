/* Bodies on plates that move and accelerate, and contacts along rows at random with dense matrices, against
 * the twin of mode_twin.h: normal forces come from gaps. */
#include "held_compare.h"

static void normal_forces_from_gaps(void **state)
{
    (void)state;
    held_compare_all(HELD_PLATES, HELD_ROWS, test_many(1700), test_many(1500) - 4);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(normal_forces_from_gaps)};
    return count > 1 ? held_show(atoi(arguments[1])) : cmocka_run_group_tests(tests, NULL, NULL);
}
