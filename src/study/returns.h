/* The return map of a simulation: from one point of a section to the next. */
#ifndef SLIP_STUDY_RETURNS_H
#define SLIP_STUDY_RETURNS_H

#include "simulation/simulation.h"
#include "study/settling.h"

/* What a section is: instants of the load, or a condition. */
typedef struct slip_section {
    const char *period;    /* an expression of the parameters; NULL without a condition: that of `steady` */
    const char *condition; /* of t, coordinates, velocities and parameters */
    bool falling;          /* it passes zero downwards, else upwards */
} slip_section;

typedef struct slip_returns {
    slip_simulation *simulation;
    slip_watch watch; /* of a condition */
    bool falling;
    double period;        /* NAN: a condition */
    double start, within; /* of a condition: the longest time to a return */
    int64_t count;        /* returns so far */
    double last;          /* the time of the last one */
} slip_returns;

/* The simulation, where it stands, is that of the caller. *returns is {0} and is closed in any case. `within`
 * counts for conditions only. */
int slip_returns_open(slip_simulation *simulation, const slip_section *section, double within,
                      slip_returns *returns);
void slip_returns_close(slip_returns *returns);

/* Advances to the next return. SLIP_STOPPED: there is none within the time. */
int slip_returns_next(slip_returns *returns);

/* Judges whether the states at the returns repeat, or have used up their number: `most` of them or, while
 * they decay still, ten times as many. */
typedef struct slip_return_judge {
    slip_settling settling;
    double *own, tolerance;
    int coordinates;
    int64_t most, count, look;
} slip_return_judge;
int slip_return_judge_open(slip_context *ctx, const slip_system *system, double tolerance, int64_t most,
                           slip_return_judge *judge);
void slip_return_judge_close(slip_return_judge *judge);
/* Takes the state at the next return, n coordinates and n velocities, `time` after the start. True when it is
 * over: *multiple is the number of returns after which it repeats, or 0. */
bool slip_return_judge_take(slip_return_judge *judge, const double *q, const double *v, double time,
                            int *multiple);

/* Advances until the motion repeats after some number of returns, which is *multiple, or has used up `most`
 * of them: 0; where it decays still, ten times as many. SLIP_STOPPED as above. */
int slip_returns_settle(slip_returns *returns, double tolerance, int64_t most, int *multiple);

#endif
