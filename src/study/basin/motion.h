/* The motion from one start: while it is followed (follow.c), and when its attractor is known (end.c). */
#ifndef SLIP_STUDY_BASIN_MOTION_H
#define SLIP_STUDY_BASIN_MOTION_H

#include "simulation/simulation.h"
#include "study/basin/basin.h"
#include "study/returns.h"

typedef struct slip_basin_event {
    int mark; /* the event is behind this one */
    slip_event event;
} slip_basin_event;

typedef struct slip_basin_motion {
    slip_context *ctx;
    slip_simulation *simulation;
    const slip_system *system;
    const slip_basin_how *how;
    slip_arena arena;
    int n, coordinates, m, contacts;
    double period, unit,
        start;   /* period of the load or NAN; that period or the time span of the model; start of the run */
    double *now; /* coordinates, velocities, states */
    double *q, *v;                   /* scratch: n each */
    double *apart;                   /* scratch: m */
    slip_symmetry *symmetry;         /* shifts of the coordinates that leave the equations unchanged */
    double *size, *before, *largest; /* largest absolute values since the last mark, between the two marks
                                        before, since the start */
    slip_settling marks, samples;
    int section;             /* where there is no period: the coordinate whose maxima are marks or, from
                              * `coordinates` on, the turn of which a quarter is done there */
    slip_passage passage;    /* zeros of the velocity of that coordinate, or of the cosine of that angle */
    double marked, patience; /* the time of the last mark; how long the next may take */
    double spacing;          /* time between two samples */
    double *speed;           /* largest |v| since the samples were judged last */
    /* The last period. */
    int multiple, passed; /* marks in it, 0: not yet known; marks that were passed */
    double from, time;    /* when the last period begins; when the motion was known to have settled */
    double *states;       /* at its marks */
    double *modes;        /* contact modes at its marks */
    bool want_modes;
    double *low, *high;
    slip_basin_event *events;
    int64_t event_count, event_capacity;
    bool done, rests, chaotic;
    double length; /* of the period */
    double error;  /* bound of the error of the states at the marks when it began, over their scales */
} slip_basin_motion;

static const double slip_basin_golden = 0.6180339887498949; /* far from every ratio of whole numbers */

/* For a motion that has not settled: sets `chaotic` if the largest Lyapunov exponent, estimated over the next
 * periods, is positive. Advances the motion. */
int slip_basin_look_for_chaos(slip_basin_motion *motion);

/* Writes the numbers (SLIP_BASIN_ATTRACTOR and following) and the signature of the motion at its end. */
void slip_basin_end_of(slip_basin_motion *motion, double *numbers, slip_text *signature);

#endif
