/* Axes of studies: finds the parameter or initial value that the name of an axis refers to. */
#ifndef SLIP_MODEL_AXIS_H
#define SLIP_MODEL_AXIS_H

#include "model/model.h"
#include "slipstick/axis.h"

enum { slip_axis_count_max = 100000000 };

/* The target of an axis: parameter `index`, or the initial value of a coordinate, velocity or state. */
typedef enum slip_axis_kind { SLIP_AXIS_PARAMETER, SLIP_AXIS_Q, SLIP_AXIS_V } slip_axis_kind;
typedef struct slip_axis_place {
    slip_axis_kind kind;
    int index; /* of a parameter; or in q or v, where states are stored after the velocities */
} slip_axis_place;

/* Finds the initial value of that name: x or x' of a coordinate, or a state. False if there is none. */
bool slip_axis_find_initial(const slip_system *system, const char *name, slip_axis_place *place);

/* Finds the target of an axis and checks its numbers; axis->count must be set. Fails with SLIP_ERROR_USAGE.
 */
int slip_axis_check(slip_context *ctx, const slip_model *model, const slip_axis *axis,
                    slip_axis_place *place);

#endif
