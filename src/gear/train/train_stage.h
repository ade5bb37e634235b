/* Frames of a gear train whose state is in the coordinates of the system: the structure `modal`. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_STAGE_H
#define SLIP_GEAR_TRAIN_TRAIN_STAGE_H

#include "gear/gear_film.h"

typedef struct slip_train_stage slip_train_stage;

/* The system must outlive the result. */
int slip_train_stage_create(slip_context *ctx, const slip_system *system, slip_train_stage **stage);
void slip_train_stage_destroy(slip_train_stage *stage); /* takes NULL */
SLIP_OWNED(slip_train_stage, slip_train_stage_destroy)

/* Fills the scene with the gears at time t inside a step. */
int slip_train_stage_set(slip_context *ctx, slip_train_stage *stage, const slip_step *step, double t,
                         slip_gear_scene *scene);

#endif
