/* Between exchange.c, indicators.c and event.c. */
#ifndef SLIP_METHOD_EXCHANGE_TYPES_H
#define SLIP_METHOD_EXCHANGE_TYPES_H

#include "method/exchange/exchange.h"
#include "method/flow/jumps.h"
#include "method/flow/look.h"
#include "method/flow/switch.h"

/* What an indicator looks at. */
typedef enum slip_exchange_part {
    SLIP_EXCHANGE_GAP,      /* the gap of an open contact, the normal force of a closed one */
    SLIP_EXCHANGE_FRICTION, /* what stick has left until its limit, or the slip velocity in its direction */
    SLIP_EXCHANGE_SHARE,    /* of forces that are not unique: what keeps one at its limit */
    SLIP_EXCHANGE_NORMAL,   /* a given normal force, which must not pull */
    SLIP_EXCHANGE_PIECE,    /* slip velocities up to the ends of the law's piece */
    SLIP_EXCHANGE_SLIDER,   /* the deflection of a slider up to its limit, or its slip up to its end */
    SLIP_EXCHANGE_SWITCH    /* the guard of an expression that switches */
} slip_exchange_part;

typedef struct slip_exchange_indicator {
    slip_exchange_part part;
    int which; /* the contact, the slider or the switch */
} slip_exchange_indicator;

/* A condition that is at zero to rounding, before and after, is crossed so often and no more. */
enum { passes_most = 8 };

struct slip_exchange {
    slip_context *ctx;
    slip_flow *flow;
    slip_arena arena;
    slip_exchange_indicator *list;
    int count;
    slip_mode *modes; /* since the last event */
    double *seen;     /* scratch of a sample's modes */
    double *y, *f;    /* a state and its rates */
    double *ahead;    /* a state a short time ahead */
    double *values;   /* of the indicators, here and ahead */
    int *passes;      /* of each indicator, at this instant */
    double last;      /* time of the last event */
};

/* exchange.c: q and v as one state; its rates, false where they are not defined, and the error then. */
void slip_exchange_put(slip_exchange *x, const double *q, const double *v, double *y);
bool slip_exchange_evaluate(slip_exchange *x, double t, const double *y, double *f);
int slip_exchange_fail(slip_exchange *x);

/* indicators.c: lists the indicators, or only counts them while there is no room yet; their values.
 */
void slip_exchange_list(slip_exchange *x);
bool slip_exchange_find(slip_exchange *x, double t, const double *y, double *f, double *values);
/* The boundary that an indicator at zero is. */
slip_flow_crossing slip_exchange_crossing(slip_exchange *x, const slip_exchange_indicator *own, double t,
                                          const double *y);
/* Whether a reversal of a smooth law is all that an indicator tells: then only its mode is new. */
bool slip_exchange_reverses(const slip_exchange *x, const slip_exchange_indicator *own);

/* event.c: what comes before the first step of a segment. */
int slip_exchange_begin(slip_exchange *x);

#endif
