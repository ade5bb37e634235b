/* Elastic gears that hit each other: the nonlinear finite element model with flanks in contact, of any number
 * of gears on shafts (slip_gear_group).
 *
 * The axes are parallel to z. A pair alone has its first axis at the origin, the second one at the distance
 * of the axes along x. At the start tooth 1 of its first gear is next to the line of centres, `phase` pitches
 * before it (against the sense of its speed), and the first gear is turned as far as it goes: its flanks (the
 * left ones where its speed relative to the second is positive, else the right ones) are about to touch. */
#ifndef SLIP_GEAR_GEAR_IMPACT_H
#define SLIP_GEAR_GEAR_IMPACT_H

#include "fem/explicit/explicit.h"
#include "gear/body/gear_pair.h"

/* Two gears that meet. Their numbers are those of the group. */
typedef struct slip_impact_mesh {
    int gear[2];
    slip_tooth_wheel wheels[2]; /* their angles: those of the last forces */
    slip_flank_contact *contact;
    bool kinematic;
    slip_flank_pair pairs[slip_tooth_pairs_max]; /* of flanks that could meet, by the last forces */
    int pair_count;
    double *force[2];         /* of the contact on each node of a gear; only those of flanks in pairs count */
    slip_flank_totals totals; /* of the last forces */
} slip_impact_mesh;

typedef struct slip_gear_impact {
    slip_arena arena;
    const slip_gear_group *group;
    slip_gear_mesh **mesh;         /* of each gear, like what follows */
    slip_flank_surface **surfaces; /* its flanks */
    double *moment;                /* of the contact about its axis, by the last forces */
    double *impulse;               /* and its integral over the steps before them */
    double *kept;                  /* time, moments and impulses in one: scratch */
    slip_impact_mesh *meshes;
    int *watched;             /* nodes of the flanks that could meet: for a graphics card */
    slip_flank_totals totals; /* of all meshes */
    bool chosen;              /* the step, by the program: then it stands friction at any slip */
    slip_explicit *model;     /* its bodies are the gears */
    double time;              /* of the last forces */
} slip_gear_impact;

/* The step, the threads and the hourglass stiffness are those of `how`; what else there is stands in the
 * options of the meshes. angle and speed: of the shafts at the start; NULL: as the pair alone and its sides
 * say. card: of slip_explicit_options; NULL: the processor takes the steps. The group stays. */
int slip_gear_impact_create(slip_context *ctx, const slip_gear_group *group, const slip_gear_run_options *how,
                            const double *angle, const double *speed, struct slip_card *card,
                            slip_gear_impact **impact);
/* The run itself is that of impact->model: slip_explicit_advance, slip_explicit_account. */
void slip_gear_impact_destroy(slip_gear_impact *impact);
SLIP_OWNED(slip_gear_impact, slip_gear_impact_destroy)

/* Before the first step: brings the gears to rest under their torques, without friction. Of gears that meet,
 * directly or through others, the driven shafts keep their angles, else the first one: its torque has to be
 * what the flanks bring, to 2 %. *left: as slip_explicit_rest has it. */
int slip_gear_impact_rest(slip_context *ctx, slip_gear_impact *impact, double *left);

/* Where the gears of a pair alone start: their angles. */
int slip_gear_impact_start(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_gear_run_options *options, double angle[2]);

/* Everything that a run needs to go on with the same bits. Back into gears made with the same group; path: of
 * the file, for messages. */
void slip_gear_impact_keep(slip_gear_impact *impact, slip_keeper *keeper, const char *path);

#endif
