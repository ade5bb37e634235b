/* An instance of an FMU: a model with numbers of its own, moved by us (co-simulation) or by others (model
 * exchange). */
#ifndef SLIP_FMI_INSTANCE_H
#define SLIP_FMI_INSTANCE_H

#include "fmi/fmi3.h"
#include "fmi/layout.h"
#include "method/exchange/exchange.h"
#include "simulation/simulation.h"

/* The states of the standard (section 2.3). */
typedef enum slip_fmi_phase {
    SLIP_FMI_INSTANTIATED = 1,
    SLIP_FMI_INITIALIZATION = 2,
    SLIP_FMI_EVENT = 4,
    SLIP_FMI_CONTINUOUS = 8,
    SLIP_FMI_STEP = 16,
    SLIP_FMI_TERMINATED = 32
} slip_fmi_phase;

typedef struct slip_fmi_instance {
    slip_context *ctx;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    bool logging;
    bool exchanges; /* model exchange */
    slip_fmi_phase phase;
    slip_model *model;
    slip_fmi_layout layout;
    slip_values *values;
    double *start;                           /* of each continuous state; NAN: that of the model */
    double start_time, stop_time, tolerance; /* NAN: not given */

    slip_simulation *simulation; /* at the start, and of co-simulation all the way; NULL: not opened yet */
    slip_exchange *exchange;     /* of model exchange, the same */
    bool stale;                  /* numbers of parameters that the exchange does not have yet */
    double t, *q, *v;            /* of model exchange: where it is */
    bool moves;                  /* numbers are moved for a derivative: nothing happens to the contacts */
    bool sampled;                /* what follows is of this instant */
    slip_sample sample;
    double *outputs;
    slip_output_room room;
    double *scratch; /* 6 times the continuous states */
    slip_arena arena;
} slip_fmi_instance;

/* The instance, where a function may be called in its phase (SLIP_FMI_... added up); else NULL, and said. */
slip_fmi_instance *slip_fmi_enter(fmi3Instance instance, unsigned phases, const char *function);
/* What a status of ours is to the standard; an error is told, with the message of the context. */
fmi3Status slip_fmi_status(slip_fmi_instance *i, int status);
/* Tells an error of the caller. */
fmi3Status slip_fmi_refuse(slip_fmi_instance *i, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes what moves ready for a question: opened, with the numbers that were given. */
int slip_fmi_prepare(slip_fmi_instance *i);
/* Forces, accelerations, outputs where a model exchange is. */
int slip_fmi_sample(slip_fmi_instance *i);
/* Of co-simulation: an exchange at the state where it stands, for what only that knows; the caller closes it.
 */
int slip_fmi_look(slip_fmi_instance *i, slip_exchange **exchange, double *q, double *v);

#endif
