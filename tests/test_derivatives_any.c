/* Derivatives of motions across events: laws of every kind, curved gaps, compliant contacts, states. */
#include "derivative_test.h"

static void random_systems(void **state)
{
    (void)state;
    derivative_systems(2, test_many(600), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
