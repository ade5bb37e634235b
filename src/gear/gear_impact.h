/* Impact of elastic gears: any number of gears on shafts (slip_gear_group) as nonlinear finite element
 * bodies, with contact of their flanks.
 *
 * The axes are parallel to z. A pair alone has its first axis at the origin, the second one at the distance
 * of the axes along x. At the start tooth 1 of its first gear is next to the line of centres, `phase` pitches
 * before it (against the sense of its speed), and the first gear is turned as far as it goes: its flanks (the
 * left ones where its speed relative to the second is positive, else the right ones) are about to touch. */
#ifndef SLIP_GEAR_GEAR_IMPACT_H
#define SLIP_GEAR_GEAR_IMPACT_H

#include "fem/explicit/explicit.h"
#include "gear/body/gear_pair.h"

/* Two gears in mesh, as indices of the group's gears. */
typedef struct slip_impact_mesh {
    int gear[2];
    slip_tooth_wheel wheels[2]; /* with the angles at the last evaluation of forces */
    slip_flank_contact *contact;
    bool kinematic;
    slip_flank_pair pairs[slip_tooth_pairs_max]; /* flanks that could touch at the last evaluation */
    int pair_count;
    double *force[2];         /* contact forces on the nodes of each gear; valid only for flanks in pairs */
    slip_flank_totals totals; /* of the last forces */
} slip_impact_mesh;

typedef struct slip_gear_impact {
    slip_arena arena;
    const slip_gear_group *group;
    slip_gear_mesh **mesh;         /* of each gear, like what follows */
    slip_flank_surface **surfaces; /* its flanks */
    double *moment;                /* of the contact forces about its axis, N m */
    double *impulse;               /* integral of that moment over the steps so far, N m s */
    double *kept;                  /* time, moments and impulses in one: scratch */
    slip_impact_mesh *meshes;
    int *watched; /* nodes of the flanks that could touch: what a graphics card has to send back */
    slip_flank_totals totals; /* of all meshes */
    bool chosen;              /* the program chose the step: then it is stable with friction at any slip */
    slip_explicit *model;     /* its bodies are the gears */
    double time;              /* of the last forces */
} slip_gear_impact;

/* `how` gives step, threads and hourglass stiffness; all other options are those of the meshes. angle and
 * speed: of the shafts at the start, rad and rad/s; NULL: a pair alone, at the start that the head of this
 * file describes, with the speeds of its sides. card: as in slip_explicit_options; NULL: the processor
 * computes. The group must outlive the result. */
int slip_gear_impact_create(slip_context *ctx, const slip_gear_group *group, const slip_gear_run_options *how,
                            const double *angle, const double *speed, struct slip_card *card,
                            slip_gear_impact **impact);
/* The run itself is that of impact->model: slip_explicit_advance, slip_explicit_account. */
void slip_gear_impact_destroy(slip_gear_impact *impact);
SLIP_OWNED(slip_gear_impact, slip_gear_impact_destroy)

/* Before the first step: brings the gears to rest under their torques, without friction. In each set of gears
 * that are connected by meshes the driven shafts keep their angles or, without a drive, the first shaft: its
 * torque must agree with the moment of the contact forces to 2 %. *left: as in slip_explicit_rest. */
int slip_gear_impact_rest(slip_context *ctx, slip_gear_impact *impact, double *left);

/* The start angles (rad) of the gears of a pair alone. */
int slip_gear_impact_start(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_gear_run_options *options, double angle[2]);

/* Saves everything that a continued run needs to have the same bits, or restores it into an object of the
 * same group. path: of the file, for messages. */
void slip_gear_impact_keep(slip_gear_impact *impact, slip_keeper *keeper, const char *path);

#endif
