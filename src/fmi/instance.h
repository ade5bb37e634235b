/* An instance of an FMU: a model with parameters of its own, integrated here (co-simulation) or by the
 * importer (model exchange). */
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

    slip_simulation
        *simulation; /* of co-simulation; in model exchange it stays at the start; NULL: not opened yet */
    slip_exchange *exchange; /* of model exchange; NULL: not opened yet */
    bool stale;              /* parameters were set that the exchange does not have yet */
    double t, *q, *v;        /* of model exchange: the time and state set by the importer */
    bool moves;              /* variables are shifted for a difference quotient: contact modes stay */
    bool sampled;            /* the sampled values belong to the present time */
    slip_sample sample;
    double *outputs;
    slip_output_room room;
    double *scratch; /* 6 times the continuous states */
    slip_arena arena;
} slip_fmi_instance;

/* The instance, if `function` may be called in its phase (`phases`: sum of SLIP_FMI_...); else NULL and a
 * message. */
slip_fmi_instance *slip_fmi_enter(fmi3Instance instance, unsigned phases, const char *function);
/* Converts a status to that of the standard; for an error it logs the message of the context. */
fmi3Status slip_fmi_status(slip_fmi_instance *i, int status);
/* Logs an error of the caller. */
fmi3Status slip_fmi_refuse(slip_fmi_instance *i, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opens the simulation or the exchange where needed, with the parameters that were set. */
int slip_fmi_prepare(slip_fmi_instance *i);
/* Evaluates forces, accelerations and outputs at the present state of a model exchange. */
int slip_fmi_sample(slip_fmi_instance *i);
/* For co-simulation: opens an exchange at the present state, for rates and indicators; the caller closes
 * it. */
int slip_fmi_look(slip_fmi_instance *i, slip_exchange **exchange, double *q, double *v);

#endif
