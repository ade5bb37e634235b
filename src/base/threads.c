#include "base/threads.h"

#include <omp.h>

int slip_threads(int wanted)
{
    return wanted > 0 ? wanted : omp_get_max_threads();
}

int slip_thread_number(void)
{
    return omp_get_thread_num();
}

bool slip_threads_alone(void)
{
    return omp_get_active_level() == 0;
}

int slip_threads_hold(void)
{
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    return levels;
}

void slip_threads_give_back(int held)
{
    omp_set_max_active_levels(held);
}
