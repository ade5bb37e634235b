/* Runs of two gears. */
#ifndef SLIP_STUDY_GEAR_RUN_H
#define SLIP_STUDY_GEAR_RUN_H

#include "gear/gear_motion.h"
#include "result/gear_result.h"

/* Runs a motion that was just opened to its end, with the checkpoints that its options ask for. However it
 * ended, there is a result where any sample was taken. */
int slip_gear_motion_record_run(slip_gear_motion *motion, slip_result **result);

#endif
