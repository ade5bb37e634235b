/* Checkpoints of runs of two gears: settings, the state of the motion, the record so far. */
#ifndef SLIP_STUDY_GEAR_CHECKPOINT_H
#define SLIP_STUDY_GEAR_CHECKPOINT_H

#include "gear/gear_motion.h"
#include "result/gear_result.h"

typedef struct slip_gear_checkpoint {
    slip_gear_motion *motion;
    slip_gear_recorder *recorder;
    const char *path; /* NULL: no checkpoints */
    double saved;     /* when the state was written last, on the clock */
} slip_gear_checkpoint;

/* Goes on from the file that the options name where it is there, and has the run write it every so often. A
 * file of another run fails and says what differs. */
int slip_gear_checkpoint_begin(slip_gear_checkpoint *checkpoint, slip_gear_motion *motion,
                               slip_gear_recorder *recorder);

/* Writes it now. */
int slip_gear_checkpoint_save(slip_gear_checkpoint *checkpoint);

#endif
