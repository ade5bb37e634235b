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
 * All of it follows from one kinetic and one strain energy, so both balances hold but for the error of the
 * steps. Left out: what Coriolis forces do to attachment modes, and the product of attachment modes of
 * different flanks of a gear, which are far from each other.
 *
 * Near nodes. Only nodes that can touch are moved. Those whose clearance is below the `margin` are near, with
 * the facets that they face and one ring around these. By the inequality of Schwarz no node moves by more
 * than
 *
 *     r |theta - theta_0| + c_1 |Lambda^(1/2) (q - q_0)| + c_2 (|Omega (p - p_0)| + s),
 *
 * c_1^2 and c_2^2 the largest flexibility of a node in the modes and in the rest, s what switching did since
 * then: the field of new vectors is a projection, s^2 = |Omega p|^2 before - after. Before the two gears of a
 * pair together use up the margin all flanks are looked at again. A flank meets one other at a time. */
#ifndef SLIP_GEAR_MODAL_GEAR_MODAL_H
#define SLIP_GEAR_MODAL_GEAR_MODAL_H

#include "gear/body/gear_basis.h"

typedef enum slip_gear_static {
    SLIP_STATIC_NONE,
    SLIP_STATIC_ALL, /* of a flank from its first contact until it leaves the mesh */
    /* The same of kept vectors (gear_basis.h), and attachment modes: */
    SLIP_STATIC_SWITCH, /* of the nodes that touch and of the facets that are touched */
    SLIP_STATIC_TEETH   /* of the flank's patch while it is touched */
} slip_gear_static;

/* A flank that is close to another or has attachment modes. */
typedef struct slip_modal_flank {
    int flank;  /* of the gear */
    int pair;   /* in which it was close last, */
    int side;   /* and on which side of it its gear is */
    bool close; /* has near nodes */
    bool faces; /* another flank */
    int near_count;
    int *near;
    unsigned char *is_near, *touched, *set, *wanted; /* of each node; set: with attachment modes */
    double *shape, *local;               /* rows of the near nodes in the modes and in the attachment modes */
    double *displacement, *rate, *force; /* of the near nodes */
    slip_gear_basis basis;
    int at;                   /* where its coordinates begin in the state */
    double *rest, rest_moved; /* p_0, s */
    bool keep;                /* its kept vectors are wanted */
    bool changed;             /* by the switching that is under way; |Omega p| before it */
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
    slip_gear_basis full, spare; /* of "all": all nodes; else to make the next one in */
    double *full_rows;
    unsigned char *patch; /* of "switch_teeth": of each flank and node */
    double *coupling, *load;
    double mode_reach, rest_reach; /* c_1, c_2 */
    double start, tip_radius;      /* start: angle */
    double moment;                 /* of the contact about the axis, by the last touch */
    double momentum;               /* angular, by the last measurement, */
    double momentum_before;        /* and before the switching that is under way */
    /* When flanks were last looked at. */
    double angle, *q;
} slip_modal_gear;

/* Two gears whose flanks meet. */
typedef struct slip_modal_pair {
    int gear[2];
    slip_gear_pair *pair;
    bool friction;
    double penalty;
    double margin, odometer; /* odometer: sum of the motions at each look */
    double moved;            /* since the last one, at most */
    struct {
        int partner;
        double until; /* of the odometer: not close before */
    } * clear;        /* of each flank of the first gear */
} slip_modal_pair;

/* Sums: energy lost, work, and of each gear the impulse about its axis. */
enum { SLIP_MODAL_LOST, SLIP_MODAL_WORK, SLIP_MODAL_IMPULSE };

typedef struct slip_gear_modal {
    slip_arena arena;
    int gear_count, pair_count;
    slip_modal_gear *gear;
    slip_modal_pair *pairs;
    int count, capacity; /* of coordinates */
    /* Coordinates, their rates, and what is summed up along the way: 2 count + slip_modal_sums numbers. */
    double *state, *next;
    slip_flank_totals totals; /* of all pairs, by the last touch */
    bool friction;            /* of some pair */
    double peak;              /* of the contact force so far */
    bool missed;              /* a node touches that is not near */
    double *scratch;
    int64_t evaluations, switches;
    double switched;  /* energy that switching has taken */
    double unsettled; /* energy before the last switching */
} slip_gear_modal;

static inline int slip_modal_sums(const slip_gear_modal *m)
{
    return SLIP_MODAL_IMPULSE + m->gear_count;
}

/* The gears of a group; each has an angle of its own, whatever shaft it is on. The sides of the
 * group and the options of its meshes stay. */
int slip_gear_modal_create(slip_context *ctx, const slip_gear_group *group, slip_gear_modal **modal);
void slip_gear_modal_destroy(slip_gear_modal *modal);
SLIP_OWNED(slip_gear_modal, slip_gear_modal_destroy)

/* Its state, back into one that was made alike. */
void slip_gear_modal_keep(slip_gear_modal *modal, slip_keeper *keeper);

/* The state at the start, the first gear turned on by an angle. No attachment mode is on. */
void slip_gear_modal_start(slip_gear_modal *modal, double angle);

/* gear_modal_rest.c: from there to static equilibrium (slip_gear_step_rest). slope: scratch of the state's
 * size.
 */
int slip_gear_modal_rest(slip_context *ctx, slip_gear_modal *modal, const slip_gear_group *group,
                         double *slope);

/* The parts of an evaluation. The flanks at these coordinates and rates touch: totals, and moments of gears.
 * Then, of a gear, what contact does to its modes, and all that acts on its attachment modes but their
 * stiffness: added to gear.load (in the order of the coordinates behind the angle), to `terms`, and set in
 * the part of gear.coupling that is of attachment modes. */
void slip_gear_modal_touch(slip_gear_modal *modal, const double *x, const double *v);
void slip_gear_modal_load(slip_gear_modal *modal, int gear, const double *x, const double *v,
                          slip_floating_terms *terms);

/* Adds what the attachment modes of a flank have, at the speed w. */
void slip_modal_measure_flank(const slip_modal_flank *flank, double w, const double *p, const double *rate,
                              slip_floating_account *to);

/* The slope of a state. Totals and moments are of this state afterwards. */
void slip_gear_modal_evaluate(slip_gear_modal *modal, const double *state, double *slope);

typedef struct slip_modal_account {
    double kinetic, strain;
} slip_modal_account;
/* Sets the momenta of the gears too. */
slip_modal_account slip_gear_modal_measure(slip_gear_modal *modal);

/* gear_near.c: looks for near nodes where the margin may be used up, or where `missed`: in the state as it
 * is. */
int slip_gear_modal_follow(slip_context *ctx, slip_gear_modal *modal);

/* The judge's residual of the contact laws in the state, which was evaluated last: all nodes of flanks that
 * face each other count, near or not. In metres. */
double slip_gear_modal_judge(slip_gear_modal *modal);

/* gear_switch.c: after an evaluation of the state, switches attachment modes on and off. Momenta of all
 * coordinates that stay are kept, so the angular momentum is too; energy goes to what is lost. *changed: the
 * state is another one, and has to be evaluated again; then call slip_gear_modal_settle. */
int slip_gear_modal_switch(slip_context *ctx, slip_gear_modal *modal, bool *changed);
void slip_gear_modal_settle(slip_gear_modal *modal);

/* Rows of the near nodes in the attachment modes that are on. */
void slip_modal_fill_local(slip_gear_modal *modal, int k, slip_modal_flank *flank);

/* |Omega (p - p_0)|; `from` NULL: of p itself. */
double slip_modal_rest_size(const slip_gear_modal *modal, const slip_modal_flank *flank, const double *from);

/* p_0 = p, s = moved. */
void slip_modal_remember_rest(const slip_gear_modal *modal, slip_modal_flank *flank, double moved);

/* Of a pair all flanks have to be looked at again. */
void slip_modal_forget(const slip_gear_modal *modal, slip_modal_pair *pair);

/* The flank of that number where it is listed, else NULL. */
slip_modal_flank *slip_modal_find(const slip_modal_gear *gear, int flank);

/* y += a x. */
static inline void slip_modal_add(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* On a left flank the rotation has the other sign. */
static inline double slip_modal_sign(const slip_modal_flank *f)
{
    return f->flank % 2 ? -1 : 1;
}

#endif
