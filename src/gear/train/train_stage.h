/* Frames of a gear train whose coordinates are all that there is of it: the structure `modal`. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_STAGE_H
#define SLIP_GEAR_TRAIN_TRAIN_STAGE_H

#include "gear/gear_film.h"

typedef struct slip_train_stage slip_train_stage;

/* The system stays. */
int slip_train_stage_create(slip_context *ctx, const slip_system *system, slip_train_stage **stage);
void slip_train_stage_destroy(slip_train_stage *stage); /* takes NULL */
SLIP_OWNED(slip_train_stage, slip_train_stage_destroy)

/* The gears at a time of a step. */
int slip_train_stage_set(slip_context *ctx, slip_train_stage *stage, const slip_step *step, double t,
                         slip_gear_scene *scene);

#endif
