#include "mpi/crew.h"

#ifdef SLIPSTICK_MPI
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

static slip_crew crew; /* of this process: MPI knows one world */

static int send_bytes(void *user, int to, const char *message, size_t length)
{
    (void)user;
    if (length > INT_MAX)
        return -1;
    return MPI_Send(message, (int)length, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -1;
}

static int receive_bytes(void *user, int wait, int *from, char **message, size_t *length)
{
    MPI_Status status;
    int found = 1, count;
    (void)user;
    const int looked = wait ? MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status)
                            : MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
    if (looked != MPI_SUCCESS || !found)
        return looked == MPI_SUCCESS ? 0 : -1;
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || !(*message = malloc((size_t)count + 1)))
        return -1;
    (*message)[count] = '\0';
    *length = (size_t)count;
    *from = status.MPI_SOURCE;
    return MPI_Recv(*message, count, MPI_BYTE, *from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS
               ? 1
               : -1;
}

const slip_crew *crew_begin(int *argc, char ***argv)
{
    int given;
    /* the first thread alone sends and receives */
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_FUNNELED)
        return NULL;
    crew = (slip_crew){.send = send_bytes, .receive = receive_bytes};
    MPI_Comm_rank(MPI_COMM_WORLD, &crew.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &crew.count);
    return crew_of_program();
}

void crew_end(void)
{
    MPI_Finalize();
}

const slip_crew *crew_of_program(void)
{
    return crew.count > 1 ? &crew : NULL;
}
#else
const slip_crew *crew_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return NULL;
}

void crew_end(void)
{
}

const slip_crew *crew_of_program(void)
{
    return NULL;
}
#endif
