/* Checkpoints of runs by methods whose state can be kept in files. */
#ifndef SLIP_STUDY_CHECKPOINT_H
#define SLIP_STUDY_CHECKPOINT_H

#include "gear/gear_film.h"
#include "result/gear_result.h"
#include "simulation/simulation.h"

typedef struct slip_checkpoint {
    const char *path;
    double every;               /* seconds on the clock between two of them */
    slip_gear_history *history; /* of these gears, or NULL */
    int gear_count;
    const slip_gear_flanked *gears;
    slip_gear_film *film; /* or NULL */
    /* By slip_checkpoint_begin: */
    slip_simulation *simulation;
    slip_recorder *recorder;
    slip_result *result;
    double end;   /* of the run */
    double saved; /* when the state was written last, on the clock */
} slip_checkpoint;

/* Goes on from the file where it is there, and has the run write it every so often (slip_observer.arrived). A
 * file of another run fails and says what differs. */
int slip_checkpoint_begin(slip_checkpoint *checkpoint, slip_simulation *simulation, slip_recorder *recorder,
                          slip_result *result, double end);

/* Writes it where that is due: `arrived` of an observer; user: the checkpoint. */
int slip_checkpoint_arrive(void *user, double t);
/* Writes it now. */
int slip_checkpoint_save(slip_checkpoint *checkpoint);

#endif
