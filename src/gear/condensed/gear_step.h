/* One time step of condensed gears: of the attachment vectors of a flank only the combinations with the
 * lowest frequencies have inertia. The displacement of a flank is
 *
 *     u = Phi q + sum g p + G_r' e,    p'' + t_r w^2 p' + w^2 p = g^T f,    t_r e' = f - e,
 *
 * with the nodal contact forces f and the stiffness-proportional damping t_r of attachment vectors (e = f
 * where it is zero). gear_kept.h defines g, p and G_r'. These coordinates belong to a flank from when it
 * comes near another one until it leaves the mesh; the energy that they have then is booked as lost. The
 * inertia of the remaining attachment vectors, which make up G_r', is neglected.
 *
 * Shafts and gears move in the modal coordinates y of flex/free_modes.h, of which p is a part like q. Their
 * loads vary linearly over the step: contact forces (in the directions at its two ends), torques, and a
 * constant load for the change of the momentum of the floating frame (flex/floating.h) in the step:
 *
 *     of the rotation:  -d[w (2 s.q + q.S q) + q'.C q],    of the modes:  -d[w C q] - w C d[q] + h w^2 (s + S
 * q).
 *
 * At the rims of flanks contact forces also have a component across the normal, which grows with their
 * square. While the normal forces are sought it is kept at its value of the previous iteration.
 *
 * The forces at the end of the step are consistent with the displacements that they cause (gear_condensed.h):
 * the compliance W is that of G_r' (the share of it that responds within the step) and R diag(y_end) R^T of
 * modes, kept vectors and rotation. Directions, and all else that depends on the end of the step, are found
 * by iteration.
 *
 * Friction T is constant over the step: the law at the mean slip w of the step, times the mean normal force.
 * So a steep law needs no small steps, and the work of T, exactly what is booked as lost, is never positive.
 * The friction forces of all contacts are found together (gear_friction.h) in each iteration. The mean slip
 * is
 *
 *     w = R ((1 - b) [y]/h + b y'_1) + (directions).G_r' [e]/h.
 *
 * e has no inertia and would follow a force that jumps from step to step. Therefore it follows the linear
 * force that is T_n in the middle of step n and T_n + h_n (T_n - T_{n-1})/(h_n + h_{n-1}) at its end. With b
 * = 0 the step is of second order. Without attachment vectors a sticking mass could then oscillate from step
 * to step with the velocity at which it was caught, because [y] does not contain that oscillation; there b =
 * max(sin(x)/x, 0)/10, x = (frequency) h, damps it. (For waves shorter than two steps b has to vanish, or the
 * response of the slip would not be positive.) */
#ifndef SLIP_GEAR_CONDENSED_GEAR_STEP_H
#define SLIP_GEAR_CONDENSED_GEAR_STEP_H

#include "flex/free_modes.h"
#include "gear/body/gear_kept.h"
#include "gear/condensed/gear_condensed.h"
#include "law/law.h"

/* Most flanks of a gear in mesh at a time; what is carried over when they change. */
enum { slip_gear_loads_max = 16, slip_gear_carried = 5 };

/* A flank that is or was near another one. Of arrays of two the first is at the begin of the step, the second
 * at its end; numbers are 3 for each node, in the flank's frame. */
typedef struct slip_gear_load {
    int flank;
    bool touched;                /* since it is there: only then the rotation moves its vectors */
    double *press[2];            /* nodal forces of pressure */
    double *straight;            /* of those at the end: along the normals, without what pushes out at rims */
    double *rub[2];              /* of friction: in the step before, in this one */
    double *held[2];             /* at its begin and end, as e feels it */
    double *rubbed;              /* in the one before these */
    double *bearing[2];          /* normal force on each node by the pass that it is the slave of */
    double *grip;                /* friction of that pass, 2 numbers for each node: where to start from */
    double *past;                /* press at the begin of the step before */
    double *lagged[2];           /* e */
    double *answer;              /* G_r' press[1] at the near nodes */
    double *old_press, *old_rub; /* of the repetition before */
    double normal[3];            /* sum of normal forces: at the begin of the step before, now, at the end */
    int count, *nodes;           /* where press, rub or lagged is not zero */
    double strain[2], cross;     /* e.G_r' e/2, and e_0.G_r' e_1/2: by slip_gear_step_account */
} slip_gear_load;

/* One instant. */
typedef struct slip_gear_state {
    double time;
    double *y, *v;         /* coordinates of all shafts, and rates */
    double *press, *rub;   /* loads on them; rub: of friction, in the step that ends here */
    double *q, *rate;      /* modes of all gears, after those of each its kept vectors, load by load */
    double *twist, *swing; /* C q and w^2 (s + S q) */
    /* Of each shaft: */
    double *angle, *speed;
    double *hidden;  /* w (2 s.q + q.S q) + q'.C q of its gears */
    double *moment;  /* of the pressure about the axis */
    double *rubbing; /* of friction, in the step that ends here */
    /* Of the contact: normal force of each mesh; totals; spring: energy of the penalty. */
    double *normal;
    double force, touching, depth, spring;
} slip_gear_state;

/* Friction in a step. */
typedef struct slip_gear_rub {
    bool on;                      /* in some mesh */
    slip_law_kernel *law;         /* of each mesh */
    const slip_law_kernel **laws; /* of each contact */
    int count, *index;            /* contacts that rub: candidates */
    double *direction;            /* 6 of each: two directions across its normal */
    double *normal, *force;       /* mean normal force; 2 of each */
    double *slip;                 /* 2 of each, without friction */
    double *rows;                 /* 2 of each, as those of the normals */
    double *answer, *numbers;
    int *pivots;
    int64_t capacity[10];
    double *by_mean, *by_end, *by_load; /* of a coordinate: w = by_mean [y] + by_end y'_1; w of a unit load */
    bool found;
    double residual; /* what the forces miss of the law, as a slip over the step */
} slip_gear_rub;

/* t e' = f - e over a step with f linear: e1 = keep e0 + begin f0 + end f1. */
typedef struct slip_gear_lag {
    double keep, begin, end;
    bool jumps; /* f is f1 from the begin of the step on */
} slip_gear_lag;

typedef struct slip_step_gear {
    slip_gear_wheel *wheel;
    const slip_gear_side *side;
    int shaft;
    double offset;  /* its angle less that of its shaft */
    int first_mode; /* its modes in q, and its kept vectors behind them */
    bool speaks;    /* one gear of each mesh does: forces that both have are counted once */
    slip_gear_kept kept;
    int load_count;
    slip_gear_load *loads;
} slip_step_gear;

typedef struct slip_step_shaft {
    slip_free_modes *modes;
    int first;            /* of its coordinates */
    int first_mode, room; /* places in q: those of its gears, one after the other */
    double torque;
    double dropped_momentum; /* that a drive took from flanks that have left, since the start */
    double carried[slip_gear_carried];
} slip_step_shaft;

typedef struct slip_gear_step {
    slip_arena arena;
    const slip_gear_group *group;
    int gear_count, shaft_count, mesh_count;
    slip_step_gear *gear;
    slip_step_shaft *shaft;
    slip_gear_pair **pairs; /* of each mesh */
    slip_condensed *contact;
    slip_propagator *propagator;
    slip_gear_rub rub;
    int count;                   /* coordinates of all shafts */
    int capacity, mode_capacity; /* of coordinates, of q */
    int version;                 /* of the coordinates: counts changes */
    bool changed;                /* under way in an attempt */
    double *carried[slip_gear_carried];
    slip_free_vector *vectors; /* scratch, of q */
    double dropped;            /* energy of flanks that have left, since the start */
    double *torque, *inertia;  /* loads that are constant over the step */
    slip_gear_state now, next;
    double *straight;     /* of the press of next: by forces along the normals */
    double *press_before; /* press at the begin of the step before */
    double before;        /* length of the step before; 0: nothing is known of it */
    double earlier;       /* of the one before that */
    double *rows;         /* of the candidates */
    int64_t row_capacity, depth_capacity;
    double *depth;
    double *free_y, *free_v, *slip_rate, *scratch, *displacement, *trial;
    int *near;
    double contraction; /* of the repetitions */
    int64_t evaluations;
    /* Of the last attempt. */
    double approach;  /* largest depth of a candidate without contact forces; -INFINITY where there is none */
    double defect;    /* sum over flanks of what linear extrapolation of the force misses */
    double stiffness; /* answer of the modes over that of the flanks: stable below 2 */
    bool settled;
    double change; /* of the forces by the last repetition, over the largest one */
} slip_gear_step;

/* Attachment vectors are kept up to `keep` times the highest frequency of the modes; 0: none. The group
 * stays.
 */
int slip_gear_step_create(slip_context *ctx, const slip_gear_group *group, double keep,
                          slip_gear_step **step);
/* Before any step: the shafts are here and move so, and the modes of the gears (in the order of q; NULL: none
 * of them) do. */
void slip_gear_step_begin(slip_gear_step *step, const double *angle, const double *speed, const double *q,
                          const double *rate);
void slip_gear_step_destroy(slip_gear_step *step);
SLIP_OWNED(slip_gear_step, slip_gear_step_destroy)

/* Its state between two steps, back into one that was made alike. */
void slip_gear_step_keep(slip_gear_step *step, slip_keeper *keeper);

/* Computes `next` a time h after `now`; h infinite: where all is at rest, with what has no stiffness held.
 * settle: change of the contact force at which it is done; largest: force to which that is relative. */
int slip_gear_step_attempt(slip_context *ctx, slip_gear_step *step, double h, double settle, double largest);

/* What happened since `now`. */
typedef struct slip_gear_change {
    double lost;   /* energy */
    double flanks; /* of that: in the attachment vectors, for a whole step */
    double work;   /* of torques and drives */
} slip_gear_change;
/* Up to next. */
void slip_gear_step_account(slip_gear_step *step, slip_gear_change *change);
/* Up to a state in between, without what is lost in the attachment vectors. */
slip_gear_change slip_gear_step_change(slip_gear_step *step, const slip_gear_state *at);
/* Of a shaft up to `at`: the impulse of torques, drive and contact about its axis. *momentum: about it, at
 * the end. */
double slip_gear_step_impulse(const slip_gear_step *step, const slip_gear_state *at, int shaft,
                              double *momentum);

/* next becomes now. */
int slip_gear_step_accept(slip_context *ctx, slip_gear_step *step);

/* Energies and momentum of a gear, without e. */
slip_floating_account slip_gear_step_measure(const slip_gear_step *step, const slip_gear_state *at, int k);

/* The state between now and next, at now.time + time; `at` has arrays of its own (slip_gear_step_state).
 * Returns the strain energy of the attachment vectors. */
double slip_gear_step_between(slip_gear_step *step, double time, slip_propagator *propagator,
                              slip_gear_state *at);
int slip_gear_step_state(slip_context *ctx, slip_gear_step *step, slip_gear_state *state);

/* Angles, modes and what of the inertia depends on them, from the coordinates. */
void slip_gear_step_see(slip_gear_step *step, slip_gear_state *at);

/* gear_step_rest.c: from the start, before any step, to static equilibrium: the driven shafts, and of each
 * train without one the first, stay where they are. Fails where the loads do not balance. The speeds are
 * those of the start. */
int slip_gear_step_rest(slip_context *ctx, slip_gear_step *step);

/* ---- gear_step_contact.c */

/* Of a gear, over the step at hand. */
slip_gear_lag slip_gear_step_lag(const slip_gear_step *step, int gear);
/* Friction at the end of a step is that of the step, and this times what it was less in the one before. */
double slip_gear_step_ahead(const slip_gear_step *step);
/* e at the end of the step, by the forces. */
void slip_gear_step_follow(slip_gear_step *step);
/* Puts the flanks where they are at the end of the step and finds who may touch. */
int slip_gear_step_place(slip_context *ctx, slip_gear_step *step);
/* The forces at the end of the step; *change: sum of the changes of nodal forces. */
int slip_gear_step_touch(slip_context *ctx, slip_gear_step *step, double *change);
/* The forces that there are now are along normals, or are taken for that. */
void slip_gear_step_note_straight(slip_gear_step *step);
/* The judge's residual of the contact laws at the end of the attempted step, in metres: of the flanks where
 * they are then, and of friction by the slip over the step. */
double slip_gear_step_judge(slip_gear_step *step);
/* The row of a force on a candidate; returns the velocity along it that is not in the coordinates, of driven
 * gears. */
double slip_gear_step_row(slip_gear_step *step, const slip_condensed_node *node, const double direction[3],
                          double *row);

/* ---- gear_step_friction.c */

/* Memory for friction, where the flanks have any. */
int slip_gear_step_make_friction(slip_context *ctx, slip_gear_step *step);
void slip_gear_step_free_friction(slip_gear_step *step);
/* For a step of the propagator's length. */
void slip_gear_step_prepare_friction(slip_gear_step *step);
/* Friction that fits to the present normal forces; its loads are added to those of the end of the step. */
int slip_gear_step_rub(slip_context *ctx, slip_gear_step *step);

/* ---- gear_step_flanks.c */

/* Memory for the loads of as many flanks as can meet at a time. */
int slip_gear_step_make_loads(slip_context *ctx, slip_gear_step *step);
/* Of slip_gear_step_keep: the loads. */
void slip_gear_step_keep_loads(slip_gear_step *step, slip_keeper *keeper);
/* Where there is one, else NULL. */
slip_gear_load *slip_gear_step_load(const slip_gear_step *step, int gear, int flank);
/* That of a candidate, on side k of its mesh, and which gear that is. */
static inline int slip_gear_step_side(const slip_gear_step *step, const slip_condensed_node *node, int k)
{
    return step->group->meshes[node->mesh].gear[k];
}
static inline slip_gear_load *slip_gear_step_loaded(const slip_gear_step *step,
                                                    const slip_condensed_node *node, int k)
{
    return slip_gear_step_load(step, slip_gear_step_side(step, node, k),
                               slip_condensed_flank(step->contact, node, k));
}
/* Sees to it that there is one. `changed` is set where the coordinates are others now: `now` is in these. */
int slip_gear_step_need_load(slip_context *ctx, slip_gear_step *step, int gear, int flank);
/* Notes which flanks took force for the first time; sets `changed` likewise where there are any. */
int slip_gear_step_note_touch(slip_context *ctx, slip_gear_step *step);
/* Flanks that do not face another one any more leave. */
int slip_gear_step_leave(slip_context *ctx, slip_gear_step *step);
/* Takes the torques of the group over; slip_gear_step_set does too. */
void slip_gear_step_load_torques(slip_gear_step *step);
/* Coordinates for the loads that there are. */
int slip_gear_step_set(slip_context *ctx, slip_gear_step *step);

#endif
