/* The return map of a simulation: from one point of a section to the next.
 *
 * A section is the instants of a load (slip_returns), a condition at which the motion stops (slip_returns),
 * or a number of the state that passes zero, located in the steps of a motion (slip_passage). */
#ifndef SLIP_STUDY_RETURNS_H
#define SLIP_STUDY_RETURNS_H

#include "simulation/simulation.h"
#include "study/settling.h"

/* What a section is: instants of the load, or a condition. */
typedef struct slip_section {
    const char *period;    /* an expression of the parameters; NULL without a condition: the load's */
    const char *condition; /* of t, coordinates, velocities and parameters */
    bool falling;          /* it passes zero downwards, else upwards */
} slip_section;

/* The period of the load of a bound model: the value of the text, an expression of parameters. Where that is
 * NULL, the period of `steady`, else the one after which all that changes with time repeats
 * (slip_system_period); NAN where nothing changes with time. Fails with SLIP_ERROR_USAGE, in the name of the
 * study, where it is not positive or not found. */
int slip_section_period(slip_context *ctx, const slip_model *model, const char *study, const char *text,
                        double *period);

typedef struct slip_returns {
    slip_simulation *simulation;
    const slip_observer *observer; /* of the motion between instants; NULL: none */
    slip_watch watch;              /* of a condition */
    bool falling;
    double period;        /* NAN: a condition */
    double start, within; /* of a condition: the longest time to a return */
    int64_t count;        /* returns so far */
    double last;          /* the time of the last one */
} slip_returns;

/* Starts from the present state of the caller's simulation. *returns is {0} and is closed in any case.
 * `within` counts for conditions only. */
int slip_returns_open(slip_simulation *simulation, const slip_section *section, double within,
                      slip_returns *returns);
void slip_returns_close(slip_returns *returns);

/* Advances to the next return. SLIP_STOPPED: there is none within the time. */
int slip_returns_next(slip_returns *returns);

/* Where a number passes zero from above in the steps of a motion, also by a jump. */
typedef struct slip_passage {
    void *user;
    double (*value)(void *user, const double *q, const double *v);
    double (*rate)(void *user, const double *v, const double *a); /* of the value: it may turn once in a step;
                                                                   * NULL: it is not looked at */
    /* It passes at t, in the step. A status other than SLIP_OK ends the search in the step. */
    int (*pass)(void *user, const slip_step *step, double t);
    double side;   /* 1: above zero at the end of the last step, -1: not, or there was none */
    double *q, *v; /* scratch */
} slip_passage;
/* Looks at the next step. `zero`: what counts as zero. */
int slip_passage_see(slip_passage *passage, const slip_step *step, double zero);

/* States at returns, each `stride` numbers from the next and m of them to be compared, of a system with this
 * symmetry or NULL. */
typedef struct slip_return_states {
    const double *states;
    int stride, m;
    const slip_symmetry *symmetry;
} slip_return_states;
/* Of states that repeat after `count` of them the smallest number after which they do, to within the limits.
 * `room` for m numbers. */
int slip_returns_shortest(const slip_return_states *of, int count, const double *limits, double *room);

/* Judges whether the states at the returns repeat, or have used up their number: `most` of them or, while
 * they decay still, ten times as many. A repetition has to be confirmed by another one: a chaotic motion can
 * stay close to an unstable cycle for a while. */
typedef struct slip_return_judge {
    slip_settling settling;
    double *own, *size, tolerance; /* the largest numbers so far, and what they are compared with */
    const slip_symmetry *symmetry; /* the caller's */
    int coordinates;
    int64_t most;
    int multiple, passed; /* that is to be confirmed, by so many returns until now; 0: none */
} slip_return_judge;
int slip_return_judge_open(slip_context *ctx, const slip_system *system, const slip_symmetry *symmetry,
                           double tolerance, int64_t most, slip_return_judge *judge);
void slip_return_judge_close(slip_return_judge *judge);
/* Takes the state at the next return, n coordinates and n velocities, `time` after the start. True when it is
 * over: *multiple is the number of returns after which it repeats, or 0. */
bool slip_return_judge_take(slip_return_judge *judge, const double *q, const double *v, double time,
                            int *multiple);

/* Advances until the motion repeats after some number of returns, which is *multiple, or has used up `most`
 * of them: 0; where it decays still, ten times as many. SLIP_STOPPED as above. */
int slip_returns_settle(slip_returns *returns, const slip_symmetry *symmetry, double tolerance, int64_t most,
                        int *multiple);

#endif
