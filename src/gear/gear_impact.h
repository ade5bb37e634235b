/* Two elastic gears that hit each other: the nonlinear finite element model with flanks in contact.
 *
 * The axes are parallel to z, the first at the origin, the second at the distance of the axes along x. At the
 * start tooth 1 of the first gear is next to the line of centres, `phase` pitches before it (against the
 * sense of its speed), and the first gear is turned as far as it goes: its flanks (the left ones where its
 * speed relative to the second is positive, else the right ones) are about to touch. */
#ifndef SLIP_GEAR_GEAR_IMPACT_H
#define SLIP_GEAR_GEAR_IMPACT_H

#include "fem/explicit/explicit.h"
#include "gear/flank/tooth_pairs.h"

typedef struct slip_gear_impact_options {
    double speed[2]; /* rad/s at the start; default 5 and 0 */
    double distance; /* of the axes, metre; default 0: that without backlash */
    double phase;    /* default 0 */
    slip_flank_options flanks;
    double inertia[2], torque[2]; /* of each bore; default 0 */
    bool driven[2];               /* keeps its speed; default false */
    double hourglass;             /* of slip_explicit_body; default 0: fully integrated */
    double step;                  /* default 0: chosen from the stability limit, lowered where that falls */
    int threads;                  /* default 0: as OpenMP has it */
    struct slip_card *card;       /* of slip_explicit_options; default NULL: the processor takes the steps */
} slip_gear_impact_options;
slip_gear_impact_options slip_gear_impact_options_default(void);

typedef struct slip_gear_impact {
    slip_gear_mesh *mesh[2];
    slip_flank_surface *surfaces[2];
    slip_tooth_wheel wheels[2]; /* their angles: those of the last forces */
    slip_flank_contact *contact;
    bool kinematic;
    bool chosen; /* the step, by the program: then it stands friction at any slip */
    slip_explicit *model;
    slip_flank_pair pairs[slip_tooth_pairs_max]; /* of flanks that could meet, by the last forces */
    int pair_count;
    int *watched;             /* nodes of the flanks that could meet: for a graphics card */
    double *force[2];         /* of the contact on each node of a gear; only those of flanks in pairs count */
    slip_flank_totals totals; /* of the last forces */
    double moment[2];         /* of the contact on each gear, about its axis, by the last forces */
    double impulse[2];        /* and its integral over the steps before them */
    double time;              /* of the last forces */
} slip_gear_impact;

int slip_gear_impact_create(slip_context *ctx, const slip_gear_options gears[2],
                            const slip_gear_impact_options *options, slip_gear_impact **impact);
/* The run itself is that of impact->model: slip_explicit_advance, slip_explicit_account. */
void slip_gear_impact_destroy(slip_gear_impact *impact);

/* Everything that a run needs to go on with the same bits. Back into a pair made with the same gears and
 * options; path: of the file, for messages. */
void slip_gear_impact_keep(slip_gear_impact *impact, slip_keeper *keeper, const char *path);

#endif
