/* Threads, as OpenMP has them: the only file that asks it. Loops are `#pragma omp` where they stand. */
#ifndef SLIP_BASE_THREADS_H
#define SLIP_BASE_THREADS_H

#include <stdbool.h>

/* How many threads to take: as many as wanted, or with 0 one for each processor that this process may use (or
 * as OMP_NUM_THREADS says). */
int slip_threads(int wanted);

/* The number of the calling thread in its team, from 0. */
int slip_thread_number(void);

/* Whether the calling thread is in no team: then all processors are its own. */
bool slip_threads_alone(void);

/* Lets no library below start threads by OpenMP, for the calling thread, until they are given back with what
 * came back. */
int slip_threads_hold(void);
void slip_threads_give_back(int held);

#endif
