/* Slipstick: models for other simulators, as functional mock-up units (FMI 3.0). */
#ifndef SLIPSTICK_FMU_H
#define SLIPSTICK_FMU_H

#include "slipstick/base.h"
#include "slipstick/model.h"

SLIP_BEGIN_C

typedef struct slip_fmu_options {
    size_t size; /* of this struct; the default function sets it */
    const char
        *identifier; /* letters, digits and _, also the name of the binary; default NULL: by the file */
    const char *const *inputs; /* parameters that are inputs, which other models drive; a NULL ends the list;
                                  default NULL: none */
    const char *library;       /* the file of this library; default NULL: the file from which it was loaded */
} slip_fmu_options;
SLIP_OPTIONS_DEFAULT(slip_fmu_options)

/* The contents of the unit. Texts belong to the context until its next call. */
typedef struct slip_fmu_contents {
    int exchange;       /* not zero: the unit supports model exchange beside co-simulation */
    const char *reason; /* why not; "" where it does */
    int states, indicators, outputs, parameters, inputs;
} slip_fmu_contents;

/* Writes the unit for model exchange and co-simulation on Linux, x86-64: the model with the files that it
 * reads, and this library. `options` NULL: the default. `contents` may be NULL. Two gears, and models that
 * were built in C with functions, are refused. */
SLIP_API int slip_fmu_save(slip_context *ctx, const slip_model *model, const char *path,
                           const slip_fmu_options *options, slip_fmu_contents *contents);

SLIP_END_C

#endif
