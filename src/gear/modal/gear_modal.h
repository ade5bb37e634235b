/* Gears by their modes and residual attachment modes, any number of them and of pairs that touch, as
 * equations of motion for an explicit method.
 *
 * The coordinates of a gear: its angle, the amplitudes q of its modes, and of each flank whose attachment
 * modes are switched on the amplitudes p of gear_basis.h. With w = theta' and the floating frame's terms
 * (p_c, load, J: flex/floating.h), nodal forces f of the flanks in contact, their moment T_c about the axis:
 *
 *     q'' + w' p_c  = load + Phi^T f - Lambda (q + d q'),
 *     p'' + w' rho  = U^T f + w^2 sigma - Omega^2 (p + d_s p'),            U = G_r,:A Z,
 *     w' (J + 2 sigma.p) + p_c.q'' + rho.p'' = T_c + torque + (floating frame) - 2 w sigma.p'.
 *
 * These equations follow from one kinetic and one strain energy, so energy and angular momentum balance up to
 * the time integration error. Neglected: Coriolis forces on attachment modes, and the inertia coupling
 * between attachment modes of different flanks of a gear.
 *
 * Near nodes. Positions are computed only for nodes that can touch: those whose clearance is below the
 * `margin`, the corners of the facets that they face, and one ring of nodes around these. By the inequality
 * of Schwarz no node moves by more than
 *
 *     r |theta - theta_0| + c_1 |Lambda^(1/2) (q - q_0)| + c_2 (|Omega (p - p_0)| + s),
 *
 * The index 0 marks the last search; c_1^2 and c_2^2 are the largest flexibility of a node in the modes and
 * in the attachment modes; s is the displacement that switching has caused since: the field of the new
 * vectors is a projection of the old one, s^2 = |Omega p|^2 before - after. All flanks are searched again
 * before the two gears of a pair together use up the margin. A flank touches one other flank at a time. */
#ifndef SLIP_GEAR_MODAL_GEAR_MODAL_H
#define SLIP_GEAR_MODAL_GEAR_MODAL_H

#include "gear/body/gear_basis.h"

typedef enum slip_gear_static {
    SLIP_STATIC_NONE,
    SLIP_STATIC_ALL, /* attachment modes of all nodes of a flank, from its first contact until it leaves the
                        mesh */
    /* Kept vectors (gear_basis.h) for the same time, and beside them attachment modes of some nodes: */
    SLIP_STATIC_SWITCH, /* nodes in contact, and corners of facets in contact */
    SLIP_STATIC_TEETH   /* a fixed set of nodes of the flank, while it is in contact */
} slip_gear_static;

/* A flank that is close to another or has attachment modes. */
typedef struct slip_modal_flank {
    int flank;  /* of the gear */
    int pair;   /* the last pair in which it was close, */
    int side;   /* and the side of that pair on which its gear is */
    bool close; /* has near nodes */
    bool faces; /* it faces another flank */
    int near_count;
    int *near;
    unsigned char *is_near, *touched, *set, *wanted; /* of each node; set: with attachment modes */
    double *shape, *local;               /* rows of the near nodes in the modes and in the attachment modes */
    double *displacement, *rate, *force; /* of the near nodes */
    slip_gear_basis basis;
    int at;                         /* where its coordinates begin in the state */
    double *searched, switch_moved; /* p_0: at the last search; s: by switching since */
    bool keep;                      /* its kept vectors are wanted */
    bool changed;                   /* by the present switching; size_before: |Omega p| before it */
    double size_before;
} slip_modal_flank;

typedef struct slip_modal_gear {
    slip_gear_wheel *wheel;
    const slip_gear_side *side;
    slip_gear_static reduction;
    int at, count; /* coordinates in the state: the angle first */
    slip_modal_flank **flanks;
    int flank_count, flank_capacity;
    slip_gear_attachment attachment;
    slip_gear_basis full, spare; /* full: all nodes, for "all"; spare: memory for switching */
    double *full_rows;
    unsigned char *patch; /* "switch_teeth": for each flank and node whether it is in the fixed set */
    double *coupling, *load;
    double mode_reach, attachment_reach; /* c_1, c_2 */
    double start, tip_radius;            /* start: angle */
    double moment;          /* of the contact forces about the axis, by the last slip_gear_modal_touch */
    double momentum;        /* angular, by the last measurement, */
    double momentum_before; /* and before the present switching */
    /* At the last search of flanks. */
    double angle, *q;
} slip_modal_gear;

/* Two gears whose flanks meet. */
typedef struct slip_modal_pair {
    int gear[2];
    slip_gear_pair *pair;
    bool friction;
    double penalty;
    double margin, odometer; /* odometer: sum of the motions from search to search, m */
    double moved;            /* bound of the motion since the last search, m */
    struct {
        int partner;
        double until; /* the flanks cannot be close while the odometer is below this */
    } * clear;        /* of each flank of the first gear */
} slip_modal_pair;

/* Integrals over time that the state carries: energy lost, work, and the angular impulse on each gear. */
enum { SLIP_MODAL_LOST, SLIP_MODAL_WORK, SLIP_MODAL_IMPULSE };

typedef struct slip_gear_modal {
    slip_arena arena;
    int gear_count, pair_count;
    slip_modal_gear *gear;
    slip_modal_pair *pairs;
    int count, capacity; /* of coordinates */
    /* Coordinates, their rates, and the integrals: 2 count + slip_modal_sums numbers. */
    double *state, *next;
    slip_flank_totals totals; /* of all pairs, by the last touch */
    bool friction;            /* of some pair */
    double peak;              /* of the contact force so far */
    bool missed;              /* a node outside the list of near nodes is in contact: search again */
    double *scratch;
    int64_t evaluations, switches;
    double switched;  /* energy that switching has removed, J */
    double unsettled; /* energy before the last switching */
} slip_gear_modal;

static inline int slip_modal_sums(const slip_gear_modal *m)
{
    return SLIP_MODAL_IMPULSE + m->gear_count;
}

/* The gears of a group; each has an angle of its own, even where gears share a shaft. The sides of the group
 * and the options of its meshes must outlive the result. */
int slip_gear_modal_create(slip_context *ctx, const slip_gear_group *group, slip_gear_modal **modal);
void slip_gear_modal_destroy(slip_gear_modal *modal);
SLIP_OWNED(slip_gear_modal, slip_gear_modal_destroy)

/* Saves its state, or restores it into an object of the same group. */
void slip_gear_modal_keep(slip_gear_modal *modal, slip_keeper *keeper);

/* Sets the start state, with the first gear turned further by an angle (rad). No attachment mode is active.
 */
void slip_gear_modal_start(slip_gear_modal *modal, double angle);

/* gear_modal_rest.c: moves the gears from the start state to static equilibrium (slip_gear_step_rest). slope:
 * scratch of the state's size. */
int slip_gear_modal_rest(slip_context *ctx, slip_gear_modal *modal, const slip_gear_group *group,
                         double *slope);

/* The two parts of an evaluation. _touch: contact forces at the coordinates x and rates v; sets totals and
 * the moments of the gears. _load: adds the generalised contact forces on the modes of a gear, and all forces
 * on its attachment modes except their stiffness, to gear.load (in the order of the coordinates behind the
 * angle) and to `terms`, and sets the entries of gear.coupling that belong to attachment modes. */
void slip_gear_modal_touch(slip_gear_modal *modal, const double *x, const double *v);
void slip_gear_modal_load(slip_gear_modal *modal, int gear, const double *x, const double *v,
                          slip_floating_terms *terms);

/* Adds energy and momentum of the attachment modes of a flank, at the speed w (rad/s). */
void slip_modal_measure_flank(const slip_modal_flank *flank, double w, const double *p, const double *rate,
                              slip_floating_account *to);

/* The time derivative of a state. Sets totals and moments to those of this state. */
void slip_gear_modal_evaluate(slip_gear_modal *modal, const double *state, double *slope);

typedef struct slip_modal_account {
    double kinetic, strain;
} slip_modal_account;
/* Kinetic and strain energy of the state, J. Sets the momenta of the gears too. */
slip_modal_account slip_gear_modal_measure(slip_gear_modal *modal);

/* gear_near.c: searches for near nodes where the margin may be used up, or where `missed` is set. */
int slip_gear_modal_follow(slip_context *ctx, slip_gear_modal *modal);

/* The judge's residual of the contact laws in the state, in metres. The state must have been evaluated last.
 * All nodes of flanks that face each other count, near or not. */
double slip_gear_modal_judge(slip_gear_modal *modal);

/* gear_switch.c: after an evaluation of the state, switches attachment modes on and off. Momenta of all
 * coordinates that stay do not change, so angular momentum is conserved; the energy that is removed counts as
 * lost. *changed: the state has changed; the caller has to evaluate it again and to call
 * slip_gear_modal_settle. */
int slip_gear_modal_switch(slip_context *ctx, slip_gear_modal *modal, bool *changed);
void slip_gear_modal_settle(slip_gear_modal *modal);

/* Fills the rows of the near nodes in the active attachment modes. */
void slip_modal_fill_local(slip_gear_modal *modal, int k, slip_modal_flank *flank);

/* |Omega (p - from)|, the root of twice the strain energy; `from` NULL: 0. */
double slip_modal_distance(const slip_gear_modal *modal, const slip_modal_flank *flank, const double *from);

/* p_0 = p, s = moved. */
void slip_modal_remember_search(const slip_gear_modal *modal, slip_modal_flank *flank, double moved);

/* Makes the next search look at all flanks of a pair. */
void slip_modal_forget(const slip_gear_modal *modal, slip_modal_pair *pair);

/* The flank of that number where it is listed, else NULL. */
slip_modal_flank *slip_modal_find(const slip_modal_gear *gear, int flank);

/* y += a x. */
static inline void slip_modal_add(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* The sign of the coupling with the rotation: -1 on a left flank. */
static inline double slip_modal_sign(const slip_modal_flank *f)
{
    return f->flank % 2 ? -1 : 1;
}

#endif
