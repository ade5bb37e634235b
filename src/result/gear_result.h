/* Two gears in motion as a result like any other. Its file result.h5 has /t, /gear/NAME/{angle,speed,moment},
 * /contact/{force,touching,depth}, /energy/{kinetic, ...} and, where it was asked for,
 * /participation/NAME/{amplitude,active}. */
#ifndef SLIP_RESULT_GEAR_RESULT_H
#define SLIP_RESULT_GEAR_RESULT_H

#include "result/result.h"
#include "slipstick/gear_run.h"

typedef struct slip_gear_source {
    const slip_gear_result *result;
    const char *gears[2];   /* names */
    const char *model_text; /* what goes into model.yaml; NULL: no such file */
    const char *title, *method;
    int status;          /* how the run ended */
    const char *message; /* what was said then, where it ended early; NULL otherwise */
} slip_gear_source;

int slip_gear_result_convert(slip_context *ctx, const slip_gear_source *source, slip_result **result);

#endif
