/* A gear train moved by a method that keeps a state of its own (gear_motion.h): the map between shafts, gears
 * and meshes and the coordinates and contacts of the system. Such methods require shafts with constant
 * inertia (from the mass matrix) and constant torques, and no forces between them except those of flanks. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_MOTION_H
#define SLIP_GEAR_TRAIN_TRAIN_MOTION_H

#include "gear/gear_motion.h"
#include "gear/train/train.h"

typedef struct slip_train_motion {
    const slip_train *train;
    int n;             /* coordinates of the system */
    int *body;         /* of each gear of the group: its body in the train */
    int *coordinate;   /* of each shaft, */
    const char **name; /* and its name */
    int *contact;      /* of each mesh */
    double *q, *v;     /* of the system at the start */
    double *ends[6];   /* of the shown step: q, v, a at its begin, then at its end */
    double *turning;   /* accelerations of the shafts: scratch */
} slip_train_motion;

/* Sets group, options and train of a motion from a system and its start state q, v. Fails where the method
 * cannot move this system. */
int slip_train_motion_take(slip_gear_motion *motion, const slip_system *system,
                           const slip_method_options *options, const double *q, const double *v);

/* The index in the system's coordinates of the first amplitude of a gear of the group. */
static inline int slip_train_motion_first(const slip_train_motion *t, int gear)
{
    return t->train->lumped + t->train->bodies[t->body[gear]].first;
}

/* Converts the sample that was taken last into coordinates, rates and accelerations of the system; NULL
 * arrays in `to` are left out. */
void slip_train_motion_give(slip_gear_motion *motion, const slip_gear_sample *sample, slip_sample *to);

/* Moves the last three arrays of `ends` to the first three, and stores the end of the shown step in the last
 * three. */
void slip_train_motion_end(slip_gear_motion *motion, const slip_gear_sample *sample);

/* Saves the state of the train at the end of the last shown step as "train" of a checkpoint, or restores it.
 */
void slip_train_motion_keep(slip_gear_motion *motion, slip_keeper *keeper);

/* Takes over the torques of another system, which must be equal in everything else. */
int slip_train_motion_adopt(slip_gear_motion *motion, const slip_system *system);

#endif
