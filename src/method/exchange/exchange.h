/* Model exchange: a system that an external solver integrates, by rates and event indicators between events.
 *
 * It is a flow (flow.h) that takes no steps of its own. Between events every contact goes on doing what it
 * does, and the rates are a smooth function of time and state, also a little beyond an event. An indicator is
 * positive until the event that it stands for, where it passes zero. Whoever integrates stops there and asks
 * what happens: impacts, modes, forms of expressions are found as by method `event`, and the indicators are
 * those of the new modes. One that stands for nothing just now is 1.
 *
 * Charts next to singular velocities (flow.h) are not used: their clock is not that of whoever integrates. */
#ifndef SLIP_METHOD_EXCHANGE_H
#define SLIP_METHOD_EXCHANGE_H

#include "method/method.h"

typedef struct slip_exchange slip_exchange;

/* Fails with SLIP_ERROR_MODEL, and says why, where a system cannot be integrated by others: coordinates
 * without mass, whole bodies, friction of areas that is set-valued. */
int slip_exchange_check(slip_context *ctx, const slip_system *system);

/* Opens it at a state and finds the modes there; an impact at the start is taken. Tolerance, span and memory
 * of the options count; the span says how far functions of time are looked at. */
int slip_exchange_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                       double t, const double *q, const double *v, slip_exchange **exchange);
void slip_exchange_close(slip_exchange *exchange);
SLIP_OWNED(slip_exchange, slip_exchange_close)

/* The same motion goes on with other numbers of parameters: a system with the same contacts. No mode changes
 * until the next event. */
int slip_exchange_adopt(slip_exchange *exchange, const slip_system *system);

/* The state after the last event (or the start). */
void slip_exchange_state(const slip_exchange *exchange, double *t, double *q, double *v);
/* What the contacts are known to do, for one that is opened with other parameters. */
void slip_exchange_remember(const slip_exchange *exchange, slip_method_memory *memory);

/* Accelerations (and rates of states) at a time and state; fails where they are not defined. */
int slip_exchange_rates(slip_exchange *exchange, double t, const double *q, const double *v, double *a);
/* The same, with everything else of that instant; modes are those since the last event. */
int slip_exchange_sample(slip_exchange *exchange, double t, const double *q, const double *v,
                         slip_sample *sample);
/* Derivatives of the accelerations by q and v, n x 2 n numbers row by row. `size` of q and v, 2 n numbers,
 * for what is found by differences. */
int slip_exchange_variation(slip_exchange *exchange, double t, const double *q, const double *v,
                            const double *size, double *matrix);

/* Event indicators: as many as before, whatever happens. A name is CONTACT.PART, or switch.K of an
 * expression. */
int slip_exchange_indicator_count(const slip_exchange *exchange);
void slip_exchange_indicator_name(const slip_exchange *exchange, int index, char *name, size_t size);
int slip_exchange_indicators(slip_exchange *exchange, double t, const double *q, const double *v,
                             double *values);

/* Whoever integrates has stopped here: finds what happens and the state after it (slip_exchange_state). */
int slip_exchange_event(slip_exchange *exchange, double t, const double *q, const double *v);
/* A step has been accepted here. True when there is something to look at by slip_exchange_event that no
 * indicator tells: a contact that was at rest and has begun to creep, or has been passed in a flight that is
 * lower than the errors of the steps. */
bool slip_exchange_step(slip_exchange *exchange, double t, const double *q, const double *v);
/* The next time at which slip_exchange_event has to be called; infinite where there is none. */
double slip_exchange_next_time(slip_exchange *exchange);

#endif
