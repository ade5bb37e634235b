/* Slipstick: studies by their names, as the sections of the model say. */
#ifndef SLIPSTICK_STUDY_H
#define SLIPSTICK_STUDY_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* The studies that a model file may ask for, from 0 on: "continue", "sweep", ...; NULL beyond the last. The
 * names are those of their sections; they are the library's. */
SLIP_API int slip_study_count(void);
SLIP_API const char *slip_study_name(int index);

/* Runs the study of that name with the options that its section of the model has, and else their defaults.
 * The result is that of the study's own function (slip_orbit_find and so on), for slip_result_destroy. An
 * unknown name is SLIP_ERROR_USAGE. */
SLIP_API int slip_study_run(slip_context *ctx, const slip_model *model, const char *name,
                            slip_result **result);

SLIP_END_C

#endif
