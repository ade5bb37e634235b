/* The motion from one start, on its way (follow.c) and when it is known where it leads (end.c).
 */
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
    double period, unit, start;      /* of the load, NAN; that or the span of the model; of the run */
    double *now;                     /* coordinates, velocities, states */
    double *q, *v;                   /* scratch: n each */
    double *apart;                   /* scratch: m */
    slip_symmetry *symmetry;         /* shifts of the coordinates that the system does not see */
    double *size, *before, *largest; /* largest |.| since the last mark, before that one, of all */
    slip_settling marks, samples;
    int section;             /* where there is no period: the coordinate whose maxima are marks or, from
                              * `coordinates` on, the turn of which a quarter is done there */
    slip_passage passage;    /* of its velocity, or of the cosine of that turn */
    double marked, patience; /* the time of the last mark; how long the next may take */
    double spacing;          /* of the samples */
    double *speed;           /* largest |v| since the samples were judged last */
    /* The last period. */
    int multiple, passed; /* marks in it, 0: not yet known; marks that were passed */
    double from, time;    /* when it begins; when it was known */
    double *states;       /* at its marks */
    double *modes;        /* of the contacts at its marks */
    bool want_modes;
    double *low, *high;
    slip_basin_event *events;
    int64_t event_count, event_capacity;
    bool done, rests, chaotic;
    double length; /* of the period */
    double error;  /* of the states at the marks when it began, over their scales */
} slip_basin_motion;

static const double slip_basin_golden = 0.6180339887498949; /* far from every ratio of whole numbers */

/* Of a motion that has not settled: whether its largest Lyapunov exponent is positive, as far as the next
 * periods tell. The motion goes on. */
int slip_basin_look_for_chaos(slip_basin_motion *motion);

/* Numbers and signature of what the motion came to. */
void slip_basin_end_of(slip_basin_motion *motion, double *numbers, slip_text *signature);

#endif
