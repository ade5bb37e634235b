/* Two gears in motion: opened at their start, advanced to given times, looked at, their state kept and put
 * back, closed. One file a method, one table that lists them (gear_motion.c). */
#ifndef SLIP_GEAR_GEAR_MOTION_H
#define SLIP_GEAR_GEAR_MOTION_H

#include "gear/gear_account.h"
#include "slipstick/gear_run.h"

#include <math.h>

/* What moves and how; checked. Everything stays until the motion is closed. */
typedef struct slip_gear_task {
    const slip_gear_options *gears; /* two */
    const slip_reduced *const *bodies;
    const slip_gear_run_options *options;
} slip_gear_task;

typedef struct slip_gear_motion slip_gear_motion;

typedef struct slip_gear_method {
    const char *name;
    bool reduced;     /* needs reduced bodies */
    bool condensed;   /* is for the reduction "condensed" (and "none"), else for the others */
    bool checkpoints; /* its state can be kept in files */
    bool serial;      /* its matrices are small: threads would only wait for each other */
    /* The gears at their start, as motion->self. */
    int (*open)(slip_gear_motion *motion);
    /* Records the start: a sample, and whatever else of it is wanted. */
    int (*begin)(slip_gear_motion *motion);
    /* One step, or a try at it, towards motion->end; records what is due and sees to time, steps and
     * touching. SLIP_STOPPED: it is there. */
    int (*step)(slip_gear_motion *motion);
    int (*look)(slip_gear_motion *motion, slip_gear_sample *now);
    /* Whoever changes torques of the task's options tells it. */
    void (*load)(slip_gear_motion *motion);
    void (*keep)(slip_gear_motion *motion, slip_keeper *keeper);
    /* Numbers of the summary, for the sink. */
    int (*numbers)(slip_gear_motion *motion);
    void (*close)(slip_gear_motion *motion); /* also where open failed */
} slip_gear_method;

struct slip_gear_motion {
    slip_context *ctx;
    const slip_gear_method *method;
    void *self; /* of the method */
    slip_gear_task task;
    slip_gear_sink sink;
    /* After every step; negative statuses and SLIP_STOPPED end the advance. May be NULL. */
    int (*after_step)(void *user, slip_gear_motion *motion);
    void *after_user;
    slip_gear_account account;
    double opened;     /* on the clock */
    int flank_size[2]; /* numbers of a flank's history: 3 for each node; by open */
    bool begun;        /* the start is recorded */
    int64_t sample;    /* the next one of those that the options ask for */
    double time;       /* where it is, */
    int64_t steps;     /* after so many steps */
    double step;       /* of a method with fixed ones, now */
    bool touching;
    double end;         /* where it goes: exactly there, */
    bool whole;         /* or to the end of the options' time by whole steps */
    const char *what;   /* it does, for the progress, */
    double done, share; /* which is so much already, and so much of it to come */
};

extern const slip_gear_method slip_gear_method_rk4, slip_gear_method_exponential, slip_gear_method_explicit;

/* The method of these options; NULL where there is none of that name. */
const slip_gear_method *slip_gear_method_find(const slip_gear_run_options *options);

/* Nothing is recorded yet. */
int slip_gear_motion_open(slip_context *ctx, const slip_gear_task *task, const slip_gear_sink *sink,
                          slip_gear_motion **motion);
void slip_gear_motion_close(slip_gear_motion *motion);

/* To a time, exactly: methods of fixed steps take shorter ones before it. */
int slip_gear_motion_advance(slip_gear_motion *motion, double time);
/* To the end of the options' time, by whole steps: a method of fixed steps may end a part of one before or
 * after it. */
int slip_gear_motion_run(slip_gear_motion *motion);

/* The gears as they are. */
int slip_gear_motion_look(slip_gear_motion *motion, slip_gear_sample *now);

/* The state; back into a motion of the same gears, options and method. Going on from it gives the same bits.
 */
void slip_gear_motion_keep(slip_gear_motion *motion, slip_keeper *keeper);

/* Numbers of the summary so far, for the sink. */
int slip_gear_motion_numbers(slip_gear_motion *motion);

/* ---- For methods. */

/* Advances as the motion says, with its progress. */
int slip_gear_motion_go(slip_gear_motion *motion);

/* Hands a sample over, the next one. */
int slip_gear_motion_record(slip_gear_motion *motion, const slip_gear_sample *sample);

/* Hands amplitudes of a flank at the sample that was last handed over; slip_gear_sink. */
int slip_gear_motion_participation(slip_gear_motion *motion, int gear, int surface, bool begins, int size,
                                   const double *amplitude, const unsigned char *active, double force);
static inline bool slip_gear_motion_wants_history(const slip_gear_motion *motion)
{
    return motion->task.options->history && motion->sink.participation;
}

/* Hands over "momentum.GEAR" and, of methods with fixed steps, the last step and the first one where that was
 * larger. */
int slip_gear_motion_number_momentum(slip_gear_motion *motion, const double off[2]);
int slip_gear_motion_number_step(slip_gear_motion *motion, double step, double first);

/* Time of sample i of the options' samples, which go on after the end. */
static inline double slip_gear_sample_time(const slip_gear_run_options *options, int64_t i)
{
    return options->time * (double)i / (double)(options->samples - 1);
}

/* Of a method with fixed steps. The times of steps are rounded: within this share of one it is there. */
static const double slip_gear_step_share = 1e-9;
static inline bool slip_gear_is_there(double left, double step)
{
    return !(left > slip_gear_step_share * step);
}
/* The length of the next step where `left` are left: the step; before the end one or two equal shorter ones,
 * since very short ones are bad for contact without a penalty. */
double slip_gear_next_step(double left, double step);

#endif
