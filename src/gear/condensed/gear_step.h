/* One time step of condensed gears: of the attachment vectors of a flank only the combinations with the
 * lowest frequencies have inertia. The displacement of a flank is
 *
 *     u = Phi q + sum g p + G_r' e,    p'' + t_r w^2 p' + w^2 p = g^T f,    t_r e' = f - e,
 *
 * with the nodal contact forces f and the stiffness-proportional damping t_r of attachment vectors (e = f
 * where it is zero). gear_kept.h defines g, p and G_r'. A flank has these coordinates from the time it comes
 * near another one until it leaves the mesh; the energy that they have then counts as lost. The inertia of
 * the remaining attachment vectors, which make up G_r', is neglected.
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
 * So a steep law needs no small steps, and the work of T, which is exactly the energy that counts as lost, is
 * never positive. The friction forces of all contacts are found together (gear_friction.h) in each iteration.
 * The mean slip is
 *
 *     w = R ((1 - b) [y]/h + b y'_1) + (directions).G_r' [e]/h.
 *
 * e has no inertia, so it would repeat the jumps of T from step to step. Therefore e is driven by a friction
 * force that is linear in time: T_n in the middle of step n, T_n + h_n (T_n - T_{n-1})/(h_n + h_{n-1}) at its
 * end. With b = 0 the step is of second order. Without attachment vectors a sticking mass could then
 * oscillate from step to step with the velocity at which it was caught, because [y] does not contain that
 * oscillation; there b = max(sin(x)/x, 0)/10, x = (frequency) h, damps it. (For waves shorter than two steps
 * b has to vanish, or the response of the slip would not be positive.) */
#ifndef SLIP_GEAR_CONDENSED_GEAR_STEP_H
#define SLIP_GEAR_CONDENSED_GEAR_STEP_H

#include "flex/free_modes.h"
#include "gear/body/gear_kept.h"
#include "gear/condensed/gear_condensed.h"
#include "law/law.h"

/* Most flanks of a gear in mesh at a time; number of vectors that a change of coordinates transforms
 * (amplitudes, rates, three loads). */
enum { slip_gear_loads_max = 16, slip_gear_carried = 5 };

/* The loads of a flank that is or was near another one. Of arrays of two the first holds at the begin of the
 * step, the second at its end. 3 numbers for each node, in the flank's frame, unless said. */
typedef struct slip_gear_load {
    int flank;
    bool touched; /* it has carried force since it came: only then its vectors are coupled to the rotation */
    double *press[2];            /* nodal forces of normal contact */
    double *straight;            /* the part of press[1] along the normals, without the forces at rims */
    double *rub[2];              /* friction forces: in the previous step, in this one */
    double *held[2];             /* the linear friction force that drives e, at begin and end of the step */
    double *rubbed;              /* friction forces in the step before the previous one */
    double *bearing[2];          /* one number a node: normal force by the pass in which it is the slave */
    double *grip;                /* friction of that pass, 2 numbers a node: initial guess of the solver */
    double *past;                /* press at the begin of the previous step */
    double *lagged[2];           /* e */
    double *answer;              /* G_r' press[1] at the near nodes */
    double *old_press, *old_rub; /* press and rub in the previous iteration */
    double normal[3];  /* sum of normal forces: at the begin of the previous step, of this one, at its end */
    int count, *nodes; /* nodes at which press, rub or lagged is not zero */
    double strain[2], cross; /* e.G_r' e/2, and e_0.G_r' e_1/2: by slip_gear_step_account */
} slip_gear_load;

/* The state of all shafts, gears and meshes at one time. */
typedef struct slip_gear_state {
    double time;
    double *y, *v;         /* coordinates of all shafts, and rates */
    double *press, *rub;   /* loads on y: of normal contact; of friction, in the step that ends here */
    double *q, *rate;      /* modes of all gears, after those of each its kept vectors, load by load */
    double *twist, *swing; /* C q and w^2 (s + S q) */
    /* Of each shaft: */
    double *angle, *speed;
    double *hidden;  /* momentum of its gears that y lacks: w (2 s.q + q.S q) + q'.C q */
    double *moment;  /* of the normal contact forces about the axis */
    double *rubbing; /* moment of friction about the axis, in the step that ends here */
    /* Of the contact: normal force of each mesh; totals; spring: energy of the penalty. */
    double *normal;
    double force, touching, depth, spring;
} slip_gear_state;

/* Friction in a step. */
typedef struct slip_gear_rub {
    bool on;                      /* in some mesh */
    slip_law_kernel *law;         /* of each mesh */
    const slip_law_kernel **laws; /* of each contact */
    int count, *index;            /* sliding or sticking contacts, as indices of candidates */
    double *direction;            /* 6 numbers a contact: two directions across its normal */
    double *normal, *force;       /* of each contact: mean normal force; friction, 2 numbers */
    double *slip;                 /* 2 numbers a contact: mean slip without friction */
    double *rows;                 /* 2 rows a contact, like the rows of the normals */
    double *answer, *numbers;
    int *pivots;
    int64_t capacity[10];
    double *by_mean, *by_end, *by_load; /* w = by_mean [y] + by_end y'_1; w by a unit load */
    bool found;
    double residual; /* of the friction law, as a slip over the step, m */
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
    bool speaks; /* true for one gear of each mesh: a force that acts on both gears is counted there only */
    slip_gear_kept kept;
    int load_count;
    slip_gear_load *loads;
} slip_step_gear;

typedef struct slip_step_shaft {
    slip_free_modes *modes;
    int first;            /* of its coordinates */
    int first_mode, room; /* places in q: those of its gears, one after the other */
    double torque;
    double dropped_momentum; /* taken by the drive from flanks that left the mesh, since the start */
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
    int version;                 /* number of changes of the coordinates so far */
    bool changed;                /* the coordinates have changed during the present attempt */
    double *carried[slip_gear_carried];
    slip_free_vector *vectors; /* scratch, of q */
    double dropped;            /* energy of flanks that left the mesh, since the start */
    double *torque, *inertia;  /* loads that are constant over the step */
    slip_gear_state now, next;
    double *straight;     /* the part of next.press by forces along the normals */
    double *press_before; /* press at the begin of the previous step */
    double before;        /* length of the previous step; 0: there is none */
    double earlier;       /* length of the step before the previous one */
    double *rows;         /* of the candidates */
    int64_t row_capacity, depth_capacity;
    double *depth;
    double *free_y, *free_v, *slip_rate, *scratch, *displacement, *trial;
    int *near;
    double contraction; /* rate of the fixed-point iteration of a step */
    int64_t evaluations;
    /* Of the last attempt. */
    double approach;  /* largest depth of a candidate without contact forces; -INFINITY where there is none */
    double defect;    /* sum over flanks of the error of linear extrapolation of the force */
    double stiffness; /* displacement of modes by a contact force over that of the flanks: stable below 2 */
    bool settled;
    double change; /* of the forces in the last iteration, over the largest force */
} slip_gear_step;

/* Attachment vectors have inertia up to `keep` times the highest frequency of the modes; 0: none. The group
 * must outlive the step. */
int slip_gear_step_create(slip_context *ctx, const slip_gear_group *group, double keep,
                          slip_gear_step **step);
/* Sets the state before the first step: angles and speeds of the shafts, and amplitudes and rates of the
 * modes in the order of q (NULL: zero). */
void slip_gear_step_begin(slip_gear_step *step, const double *angle, const double *speed, const double *q,
                          const double *rate);
void slip_gear_step_destroy(slip_gear_step *step);
SLIP_OWNED(slip_gear_step, slip_gear_step_destroy)

/* Saves the state between two steps, or restores it into a step object of the same group. */
void slip_gear_step_keep(slip_gear_step *step, slip_keeper *keeper);

/* Computes `next` a time h after `now`; h infinite: static equilibrium, with coordinates without stiffness
 * held. The iteration ends when the contact force changes by less than settle times `largest` (N). */
int slip_gear_step_attempt(slip_context *ctx, slip_gear_step *step, double h, double settle, double largest);

/* Energies exchanged since `now`, J. */
typedef struct slip_gear_change {
    double lost;   /* energy lost */
    double flanks; /* the part of `lost` in attachment vectors, for a whole step */
    double work;   /* of torques and drives */
} slip_gear_change;
/* Up to next. */
void slip_gear_step_account(slip_gear_step *step, slip_gear_change *change);
/* Up to a state in between, without what is lost in the attachment vectors. */
slip_gear_change slip_gear_step_change(slip_gear_step *step, const slip_gear_state *at);
/* The angular impulse of torques, drive and contact on a shaft from `now` to `at`. *momentum: its momentum at
 * `at`. */
double slip_gear_step_impulse(const slip_gear_step *step, const slip_gear_state *at, int shaft,
                              double *momentum);

/* Accepts the attempted step: next becomes now. */
int slip_gear_step_accept(slip_context *ctx, slip_gear_step *step);

/* Energies and momentum of a gear, without e. */
slip_floating_account slip_gear_step_measure(const slip_gear_step *step, const slip_gear_state *at, int k);

/* The state at now.time + time, between now and next. `at` has arrays of its own, from slip_gear_step_state.
 * Returns the strain energy of the attachment vectors. */
double slip_gear_step_between(slip_gear_step *step, double time, slip_propagator *propagator,
                              slip_gear_state *at);
int slip_gear_step_state(slip_context *ctx, slip_gear_step *step, slip_gear_state *state);

/* Computes angles, modes and the inertia terms that depend on them from the coordinates y. */
void slip_gear_step_from_coordinates(slip_gear_step *step, slip_gear_state *at);

/* gear_step_rest.c: before the first step, moves the gears to static equilibrium. Driven shafts keep their
 * angle, and of each train without a drive the first shaft. Speeds do not change. Fails where the loads do
 * not balance. */
int slip_gear_step_rest(slip_context *ctx, slip_gear_step *step);

/* ---- gear_step_contact.c */

/* The lag of e of a gear over the present step. */
slip_gear_lag slip_gear_step_lag(const slip_gear_step *step, int gear);
/* The factor of linear extrapolation of friction to the end of the step: T_n + factor (T_n - T_{n-1}). */
double slip_gear_step_ahead(const slip_gear_step *step);
/* Computes e at the end of the step from the forces. */
void slip_gear_step_follow(slip_gear_step *step);
/* Places the flanks as at the end of the step and lists the candidates of contact. */
int slip_gear_step_place(slip_context *ctx, slip_gear_step *step);
/* The forces at the end of the step; *change: sum of the changes of nodal forces. */
int slip_gear_step_touch(slip_context *ctx, slip_gear_step *step, double *change);
/* Stores the present forces as forces along the normals. */
void slip_gear_step_note_straight(slip_gear_step *step);
/* The judge's residual of the contact laws in the attempted step, in metres: of normal contact at the end of
 * the step, of friction by the slip over the step. */
double slip_gear_step_judge(slip_gear_step *step);
/* The row (generalised force) of a unit force on a candidate. Returns the velocity along it that driven gears
 * add, which is not in the coordinates. */
double slip_gear_step_row(slip_gear_step *step, const slip_condensed_node *node, const double direction[3],
                          double *row);

/* ---- gear_step_friction.c */

/* Memory for friction, where the flanks have any. */
int slip_gear_step_make_friction(slip_context *ctx, slip_gear_step *step);
void slip_gear_step_free_friction(slip_gear_step *step);
/* Computes by_mean, by_end and by_load for a step of the propagator's length. */
void slip_gear_step_prepare_friction(slip_gear_step *step);
/* Solves for friction at the present normal forces and adds its loads to those at the end of the step. */
int slip_gear_step_rub(slip_context *ctx, slip_gear_step *step);

/* ---- gear_step_flanks.c */

/* Memory for the loads of as many flanks as can meet at a time. */
int slip_gear_step_make_loads(slip_context *ctx, slip_gear_step *step);
/* The part of slip_gear_step_keep that saves or restores the loads of flanks. */
void slip_gear_step_keep_loads(slip_gear_step *step, slip_keeper *keeper);
/* The load of this flank, or NULL. */
slip_gear_load *slip_gear_step_load(const slip_gear_step *step, int gear, int flank);
/* The gear on side k of the mesh of a candidate, and the load of its flank. */
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
/* Makes the load of this flank if there is none. Then `now` is transformed, and `changed` set. */
int slip_gear_step_need_load(slip_context *ctx, slip_gear_step *step, int gear, int flank);
/* Marks flanks that carried force for the first time; sets `changed` if there are any. */
int slip_gear_step_note_touch(slip_context *ctx, slip_gear_step *step);
/* Removes the loads of flanks that no longer face another one. */
int slip_gear_step_leave(slip_context *ctx, slip_gear_step *step);
/* Reads the torques of the group again; slip_gear_step_set does it too. */
void slip_gear_step_load_torques(slip_gear_step *step);
/* Sets up the coordinates for the present loads. */
int slip_gear_step_set(slip_context *ctx, slip_gear_step *step);

#endif
