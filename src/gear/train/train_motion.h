/* A gear train moved by a method that keeps a state of its own (gear_motion.h): which coordinates and
 * contacts of the system its shafts, gears and meshes are. Such methods take shafts that turn freely: their
 * inertia is that of the mass matrix, their torques are numbers, and nothing but flanks acts between them. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_MOTION_H
#define SLIP_GEAR_TRAIN_TRAIN_MOTION_H

#include "gear/gear_motion.h"
#include "gear/train/train.h"

typedef struct slip_train_motion {
    const slip_train *train;
    int n;             /* coordinates of the system */
    int *body;         /* of each gear of the group */
    int *coordinate;   /* of each shaft, */
    const char **name; /* and its name */
    int *contact;      /* of each mesh */
    double *q, *v;     /* of the system at the start */
    double *ends[6];   /* of the step that is shown: q, v, a at its begin, then at its end */
    double *turning;   /* accelerations of the shafts: scratch */
} slip_train_motion;

/* The group, the options and the train of a motion; fails where the method is not for this system. */
int slip_train_motion_take(slip_gear_motion *motion, const slip_system *system,
                           const slip_method_options *options, const double *q, const double *v);

/* Among the coordinates of the system, the first amplitude of a gear of the group. */
static inline int slip_train_motion_first(const slip_train_motion *t, int gear)
{
    return t->train->given + t->train->bodies[t->body[gear]].first;
}

/* Coordinates, rates and accelerations of the sample that was taken last, as far as they are wanted. */
void slip_train_motion_give(slip_gear_motion *motion, const slip_gear_sample *sample, slip_sample *to);

/* The state at the end of the step that is shown, as ends[3], [4], [5]; what was there goes to the first
 * three.
 */
void slip_train_motion_end(slip_gear_motion *motion, const slip_gear_sample *sample);

/* The state of the train at the end of the last step that was shown, as "train" of a checkpoint. */
void slip_train_motion_keep(slip_gear_motion *motion, slip_keeper *keeper);

/* The torques of a system in which nothing else differs. */
int slip_train_motion_adopt(slip_gear_motion *motion, const slip_system *system);

#endif
