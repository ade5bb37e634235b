/* Axes of studies: what their names mean in a model. */
#ifndef SLIP_MODEL_AXIS_H
#define SLIP_MODEL_AXIS_H

#include "model/model.h"
#include "slipstick/axis.h"

enum { slip_axis_count_max = 100000000 };

/* What the name of an axis is in the model: parameter `index`, or where the initial value stands. */
typedef enum slip_axis_kind { SLIP_AXIS_PARAMETER, SLIP_AXIS_Q, SLIP_AXIS_V } slip_axis_kind;
typedef struct slip_axis_place {
    slip_axis_kind kind;
    int index; /* of Q and V among all coordinates and states: states are behind the velocities */
} slip_axis_place;

/* Where the initial value of that name stands: x or x' of a coordinate, or a state. False where there is
 * none.
 */
bool slip_axis_find_initial(const slip_system *system, const char *name, slip_axis_place *place);

/* Looks the name of the axis up and checks its numbers; `count` is there. Fails with SLIP_ERROR_USAGE. */
int slip_axis_check(slip_context *ctx, const slip_model *model, const slip_axis *axis,
                    slip_axis_place *place);

#endif
