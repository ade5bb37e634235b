/* Smooth motion between the velocities at which a friction law is not smooth.
 *
 * The velocity axis of each law is divided into pieces (see law/law.h). While every contact stays in its
 * piece the equation of motion is analytic: that is a segment, integrated by a stepper. A segment ends
 * exactly where a slip velocity reaches the end of its piece, and the next one starts in the next piece.
 *
 * Next to a singular break (slope infinite, law ~ sqrt|v - v0|) time is not a good independent variable: v(t)
 * has a term in t^(3/2) there. The chart v = v0 + side r (1 - cos s) makes the law analytic in s, but s' = v'
 * / (r sin s) is not. So the segment runs in a fictitious time x with dt/dx = mu, 1/mu = sum over charted
 * contacts of 1/S_c, S_c = r sin|s_c|:
 *
 *     q' = mu q',  v' = mu a,  t' = mu,  s_c' = (mu / S_c) dw_c/dt,
 *
 * all analytic in (q, v, t, s). A break that is passed with a rate dw/dt that is not zero is passed smoothly.
 * Where rate and slip velocity vanish together, x would need forever; there the contact is held at the break
 * (with the force that this takes, at most `release` times the law's slope in s) until the load has grown.
 * The creep that is left out this way is below 1 % of the tolerance.
 *
 * Invariants, at the beginning and end of every step:
 *  1. branches[c].piece is the piece in which contact c is; its slip velocity is inside or, to rounding, on
 * an end.
 *  2. branches[c].chart >= 0 exactly when that piece has a singular end.
 *  3. side[c] * branches[c].s >= 0, and it is the chart's coordinate of the slip velocity up to the
 * tolerance.
 *  4. A held contact has its slip velocity at the break hold[c] = branches[c].chart, s = 0, and its rate is
 * zero. */
#ifndef SLIP_METHOD_FLOW_H
#define SLIP_METHOD_FLOW_H

#include "method/impact.h"
#include "method/method.h"
#include "method/modes/modes.h"
#include "method/tangent/tangent.h"
#include "ode/stepper.h"

#include <math.h>

typedef struct slip_flow slip_flow;
typedef struct slip_jumps slip_jumps;

/* A series of shrinking bounces of one contact. */
typedef struct slip_bounces {
    int64_t count;
    double since, last;  /* times of the first and the last one */
    double speed, ratio; /* after the last one, and over that of the one before */
    double limit;        /* when it ends, as far as can be told; infinite while it cannot */
} slip_bounces;

/* A time h so short that accelerations change evenly in it. */
typedef struct slip_moment {
    double t, h;
    double *q, *v, *a0, *a1; /* at its beginning; accelerations at both ends */
    /* Of one that ends at rest: the patch, the size of its slip and its directions at both ends. */
    struct slip_flow_patch *patch;
    double size, from[3], to[3];
} slip_moment;

/* A set-valued patch (see patch.c). Slip velocities in units of the area: x, y, size times spin. */
typedef struct slip_flow_patch {
    int contact;
    const slip_patch_form *form;
    int slot;            /* of ln L and the three numbers of the direction, among the chart's unknowns */
    bool charted;        /* they are in use */
    bool tried;          /* it starts to slip in the trial that is looked at */
    double log_size;     /* ln L */
    double direction[3]; /* of the slip, in units of the area */
    double user[3];      /* the same as x, y and spin: what the branch points to */
    double growth;       /* rate of L, at the last evaluation in the chart */
    double start_growth; /* where slip starts: at the beginning of its first moment, */
    double start_direction[3], end_direction[3]; /* and its directions there and at the end of it */
    /* Of small changes (area/chart.c): accelerations by the direction along each vector of the basis, n
     * numbers each; by how much more they count over the clock in use; gradients of the slip, 2 n numbers
     * each. */
    double *turned, pull, *gradients;
    double stiffness; /* mu trace(W M^-1 W^T) */
    double load[3];   /* direction in which slip would start, found with the last reserve; over the basis */
    double slip0[3], slip1[3]; /* at the ends of the last step */
    int rank;                  /* the slip velocities that are possible: an orthonormal basis */
    double basis[9];
    /* Patches that can only come to rest together (area/group.c): what is above is of
     * the one that leads. */
    struct slip_flow_patch *leader, *next; /* itself where it leads; the next one of the group */
    struct slip_patch *sum;                /* of a leader that is not alone: the surfaces of all */
} slip_flow_patch;

/* What the steps of the plain stepper tell of their works (work.c). */
typedef struct slip_flow_works {
    bool telling; /* the observer asks, and the stepper integrates */
    bool loaded;  /* by functions of time alone: then work->loads have all of them */
    bool other;   /* there are powers of other loads, of skew stiffness or of the structure's energies */
    bool damped, skew;
    bool *moving;       /* of each contact: its power is not just force times slip velocity */
    int *damping;       /* of more than two coordinates: where the damping matrix is not zero, */
    int damping_count;  /* so many numbers */
    double *loads;      /* scratch */
    double *low, *high; /* of the sizes of all normal forces, then of all friction forces, in this step */
} slip_flow_works;

/* The gap of each unilateral contact. Carried along like q and v: of a floor far from zero the coordinates
 * tell nothing of a low flight. */
typedef struct slip_flow_gaps {
    double *now, *largest;
    /* Of a running segment: `from` is what the gap was at its start, at `since`; of open contacts row . q
     * less what that was then is among the stepper's unknowns. */
    double *from, since;
    int *open, count; /* the contacts with such an unknown */
    int *slot, first; /* of each contact, its place in y, or -1; the first place */
} slip_flow_gaps;

/* Landing and impacts (land.c). */
typedef struct slip_flow_impacts {
    slip_impact *solver;
    bool *at_stop;
    bool *landed;          /* in the impact that is being dealt with, */
    double *time;          /* and when that counts as: later than now where bounces accumulate */
    double *speed;         /* with which the contact approached */
    double *impulses;      /* along the gaps, in the last impact */
    bool *came_to_rest;    /* slip is known to be zero at the event that is being decided */
    slip_bounces *bounces; /* of each contact */
    int64_t accumulations;
    double least_flight; /* the height of a flight that is none, over that of the highest */
    bool driven;         /* somebody else takes the steps, and does not resolve a flight that is lower */
    int struck;          /* the contact that landed last, or -1 */
} slip_flow_impacts;

/* The decision of the modes of set-valued friction and unilateral contacts (switch.c). */
typedef struct slip_flow_decision {
    slip_modes *modes;
    slip_standing *standing;
    double time;         /* of the last decision, */
    bool *from_zero;     /* with which a contact slips from rest, or opens from touching */
    double *normal_size; /* largest normal force so far; */
    double *normal_seen; /* of a given one, at any step */
    double *rounding;    /* of forces, at the last decision; where they are not unique of the largest */
    double tell_time;    /* at least so long it takes until conditions tell what happens; mostly 0 */
} slip_flow_decision;

/* Patches whose friction is set-valued (area/). */
typedef struct slip_flow_areas {
    slip_flow_patch *list; /* NULL where there are none */
    slip_flow_patch **of;  /* of each contact, or NULL */
    int count, charted;
    slip_branch *tried;       /* the branches, while the modes of patches are being decided, */
    slip_flow_patch *untried; /* and the patches */
    double *shift;            /* of slip that starts: q, v and t after its first moment */
    bool shifted;
    slip_moment *moment;
    bool use_stiff;
    int stiff_steps; /* in succession, for which the other stepper would have been better */
} slip_flow_areas;

/* Where contacts are in the charts of their laws (breaks.c); arrays have a number for each contact. */
typedef struct slip_flow_charts {
    double *side;               /* of the chart: +1 or -1 */
    double *far;                /* |s| at the other end of the charted piece; may be infinite */
    int *hold;                  /* the break at which the contact is held, or -1 */
    int *slot;                  /* place of s in y, or -1 */
    double *speed;              /* mu / S of each charted contact, at the last evaluation */
    int slots, count, held;     /* places in y; contacts that are charted, and held */
    double *product;            /* W^T M^-1 W of a held contact */
    double hold_below, release; /* in the chart's variable s */
    double origin;              /* time at which the charted stepper's clock is zero */
} slip_flow_charts;

/* The ends of the last step. */
typedef struct slip_flow_ends {
    double *slip0, *slip1, *rate0, *rate1; /* slip velocity of each contact, and its rate */
    double *a0, *a1;                       /* accelerations */
    bool at_end;                           /* the last evaluation was that of the end of the step */
    bool rough0, rough1;                   /* f there comes from the stepper's history */
} slip_flow_ends;

/* The sizes that errors are relative to (scale.c). */
typedef struct slip_flow_sizes {
    int *part;                   /* of each coordinate: the first one of those that are coupled with it */
    double *moved, *parts_moved; /* the largest displacements and velocities of coordinates; of their parts */
    double *deflection;          /* that errors of a coordinate are relative to; 0: to its motion */
    double *extent; /* half of how far a coordinate turns; infinite: it does not, or it is not known */
    bool turns_known;
    double *usual;         /* size of a state of a law, where that is known; else 0 */
    double *finest;        /* how well a law needs the velocity; infinite where none does */
    double *q_start;       /* the coordinates at the start */
    double structure_time; /* of its own motion: 1/frequency; infinite where there is none */
    double fastest;        /* the largest velocity at the ends of steps */
    bool looked;           /* over the whole run, for what is to come */
} slip_flow_sizes;

/* Whether events follow each other without end. */
typedef struct slip_flow_pace {
    int contact;           /* that caused the last event; -1 - k of switch k of an expression */
    int64_t idle, stalled; /* segments since time last moved */
    int64_t crossings;     /* of conditions, also those after which all is as before */
    double time;           /* of the event from which the next thousands are counted, */
    int64_t before, steps; /* and the crossings and steps by then */
} slip_flow_pace;

/* Where the equation was not defined. */
typedef struct slip_flow_failure {
    bool found;
    double t, *q, *v;
} slip_flow_failure;

typedef struct slip_flow_scratch {
    double *row, *response; /* of one direction */
    double *basis;          /* directions and their responses, at most n of each */
    double *block;          /* of the Jacobian */
    double *y, *inside;     /* a state: of the start, and inside a step */
} slip_flow_scratch;

struct slip_flow {
    slip_context *ctx;
    const slip_system *system; /* frozen, where expressions switch */
    const slip_system *given;
    slip_jumps *jumps; /* NULL where none do (jumps.h) */
    slip_method_options options;
    slip_arena arena;
    slip_workspace *work;
    int n, contact_count;
    int moving;      /* coordinates among the n; the others are states, whose positions stay zero */
    bool has_breaks; /* and the stepper can end a step there; fixed steps cannot */
    bool watched;    /* something may end a step: breaks, switches of the state, given normal forces */
    bool placed;     /* every contact is in a piece */

    const slip_stepper_type *kind;
    slip_stepper *plain;   /* y = (q, v), x = t */
    slip_stepper *charted; /* y = (q, v, t - origin, s of each singular contact); made when first needed */
    slip_stepper *stiff;   /* y = (q, v), implicit: slow slip of patches whose friction is strong; likewise */
    slip_stepper *stepper; /* the one in use; NULL between segments */
    double natural_step;   /* what the error control allows */

    double t, *q, *v; /* where the motion stands */
    double *a_last;   /* accelerations at the last evaluation */
    double opened_at; /* the time at the start */
    slip_flow_gaps gaps;
    slip_flow_ends ends;
    slip_flow_sizes sizes;

    /* Modes of set-valued friction and unilateral contacts are decided in switch.c, those of the other
     * contacts in breaks.c. */
    slip_branch *branches; /* of each contact */
    slip_mode *modes;      /* as they were told last, */
    bool *mode_known;      /* false while the slip velocity has been zero from the start */
    int arrived;           /* the contact that has just passed a break of its law, or -1 */
    slip_flow_charts charts;
    bool switching; /* there are set-valued friction or unilateral contacts; else nothing is in these: */
    slip_flow_decision decision;
    slip_flow_impacts impacts;
    slip_flow_areas areas;
    signed char *sliders; /* modes of the system's sliders (sliders.c); NULL where there are none */
    double *slider_room;  /* 2 n, scratch of these */

    slip_flow_works works;
    slip_tangent *tangent;  /* derivatives of the motion; NULL: nobody asks */
    struct slip_look *look; /* what narrow loads and moving stops may do inside a step (look.h) */
    slip_flow_scratch scratch;

    int64_t steps, events;
    slip_flow_pace pace;
    slip_flow_failure failure;
};

int slip_flow_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                   const slip_stepper_type *kind, double t, const double *q, const double *v,
                   slip_flow **flow);
int slip_flow_advance(slip_flow *flow, double end, const slip_observer *observer);
void slip_flow_state(const slip_flow *flow, double *t, double *q, double *v);
void slip_flow_keep(const slip_flow *flow, slip_method_memory *memory);
void slip_flow_counters(const slip_flow *flow, slip_method_counters *counters);
void slip_flow_close(slip_flow *flow);
SLIP_OWNED(slip_flow, slip_flow_close)

/* ---- Between the files of the flow. */

static inline bool slip_flow_in_chart(const slip_flow *flow)
{
    return flow->stepper == flow->charted && flow->stepper;
}

/* The contact's s is among the unknowns. */
static inline bool slip_flow_charted(const slip_flow *flow, int c)
{
    return flow->branches[c].chart >= 0 && flow->charts.hold[c] < 0;
}

/* work.c. Powers as slip_works has the works, from the evaluation that has just been, go behind the
 * right side while the flow is telling: those of loads that are functions of time, of damping and of contacts
 * with constant directions are found there, those of all else are added or put in their place by functions of
 * their own. `ask` goes before the steps of an observer, `tell` adds the works of the last step to those of
 * the observer, `reset` begins the next one. */
static inline int slip_flow_work_count(const slip_flow *flow)
{
    return SLIP_WORK_CONTACTS + 2 * flow->contact_count;
}
bool slip_flow_works_create(slip_flow *flow);
void slip_flow_works_ask(slip_flow *flow, const slip_observer *observer);
void slip_flow_other_powers(slip_flow *flow, double t, const double *q, const double *v, double *powers);
void slip_flow_moving_powers(slip_flow *flow, int contact, double t, const double *q, const double *v,
                             double *powers);
void slip_flow_works_tell(slip_flow *flow, const slip_works *works, slip_step *step);
void slip_flow_works_reset(slip_flow *flow);

/* equation.c: right sides and Jacobians for the two steppers. */
extern const slip_ode slip_flow_plain_odes[3], slip_flow_charted_ode;

/* Compiled for one and for two coordinates, and for any number. */
static inline const slip_ode *slip_flow_plain_ode(const slip_flow *flow)
{
    return &slip_flow_plain_odes[flow->n <= 2 ? flow->n : 0];
}
/* How a small change of q and v grows along the motion, 2 n x 2 n numbers: d' = matrix d over the x of the
 * stepper in use, whose clock runs with *speed. y is where it is; `size` of q and v, for differences. Patches
 * that slip are steered from then on (area/chart.c). And the same over time in a moment that is taken by
 * hand, with the patches as they are. */
bool slip_flow_variation(slip_flow *flow, double x, const double *y, const double *size, double *matrix,
                         double *speed);
bool slip_flow_variation_now(slip_flow *flow, double t, const double *y, const double *size, double *matrix);
/* Whether a contact slips by a law that has an infinite slope at a break, and is in no chart there. */
bool slip_flow_steep(const slip_flow *flow, int contact, int k);
/* After it, in charts: adds what the rates of the velocities have of the slip velocity of a contact. */
void slip_flow_chart_pull(slip_flow *flow, int contact, double slip, double *rates);

/* breaks.c: contacts and their pieces. */

/* Pieces from the slip velocities, of all contacts that are not decided in switch.c. */
bool slip_flow_place(slip_flow *flow);

/* Slip velocities and their rates from the last evaluation, for acceleration a at (t, q, v). */
void slip_flow_rates(slip_flow *flow, double t, const double *q, const double *v, const double *a,
                     double *slip, double *rate);

/* Where the last step has to end early. */
typedef enum slip_flow_boundary {
    SLIP_FLOW_NONE,
    SLIP_FLOW_LOWER,        /* lower end of the contact's piece */
    SLIP_FLOW_UPPER,        /* upper end */
    SLIP_FLOW_RELEASE,      /* of a contact held at a singular break */
    SLIP_FLOW_UNSTICK,      /* the limit of stick */
    SLIP_FLOW_LIFT,         /* the normal force of a closed contact vanishes */
    SLIP_FLOW_YIELD,        /* forces that are not unique leave a limit; no event that is reported */
    SLIP_FLOW_LAND,         /* the gap of an open contact vanishes */
    SLIP_FLOW_REST,         /* a patch comes to rest */
    SLIP_FLOW_PULL,         /* a given normal force turns negative */
    SLIP_FLOW_END,          /* end of time, reached in a chart */
    SLIP_FLOW_SLIDER_UPPER, /* the deflection of a slider that sticks reaches its limit, */
    SLIP_FLOW_SLIDER_LOWER, /* or the lower one, */
    SLIP_FLOW_SLIDER_TURN,  /* or the slip of one that slips ends; its number is in place of the contact's */
    SLIP_FLOW_GUARD_LOWER,  /* the guard of a switch reaches its lower bound */
    SLIP_FLOW_GUARD_UPPER   /* or its upper one; the number of the switch is in place of the contact's */
} slip_flow_boundary;
typedef struct slip_flow_crossing {
    slip_flow_boundary boundary;
    int contact;
    double x;
    double hold;     /* of a release, and of the end of stick: the force that held */
    bool from_start; /* a force that was never off its limit, to rounding, and is beyond it now */
} slip_flow_crossing;

/* The distance of a contact from an end of its piece, for slip velocity w and chart variable s; infinite when
 * there is no such end. */
double slip_flow_distance(const slip_flow *flow, int c, slip_flow_boundary boundary, double w, double s);

/* cross.c. At the start of a segment: which piece, chart or hold each contact is in. */
int slip_flow_settle(slip_flow *flow, const slip_observer *observer);
/* What happens where a step has ended early. */
int slip_flow_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer);

/* find.c */
/* What is left, at the last evaluation, until a force reaches its limit. */
double slip_flow_force_reserve(slip_flow *flow, int contact, slip_flow_boundary boundary);
slip_flow_crossing slip_flow_find(slip_flow *flow, double end); /* the first one in the last step */
slip_flow_crossing slip_flow_find_now(slip_flow *flow); /* what is reached at its end, to rounding of time */
bool slip_flow_shorten(slip_flow *flow, slip_flow_crossing *crossing, double end); /* ends the step there */
bool slip_flow_hold_new(slip_flow *flow); /* true when a contact came to rest on a break */
/* Between cross.c and breaks.c: a contact reaches the end of its piece, or lets go of a break that holds it;
 * those that are on an end and head out of their piece go on to the next one. */
int slip_flow_break_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer);
int slip_flow_pass_ends(slip_flow *flow, const slip_observer *observer);

/* switch.c: set-valued friction and unilateral contacts. */
static inline bool slip_flow_decided(const slip_flow *flow, int c)
{
    return flow->switching && slip_contact_switches(&flow->system->contacts[c]);
}
static inline void slip_flow_note_speed(slip_flow *flow)
{
    for (int i = 0; i < flow->n; i++)
        flow->sizes.fastest = fabs(flow->v[i]) > flow->sizes.fastest ? fabs(flow->v[i]) : flow->sizes.fastest;
}
int slip_flow_switch_create(slip_flow *flow);
int slip_flow_switch_cross(slip_flow *flow, const slip_flow_crossing *crossing,
                           const slip_observer *observer); /* cross.c */
/* Decides all modes again, where forces may have jumped; after an impact of one contact. */
int slip_flow_switch_again(slip_flow *flow, const slip_observer *observer);
int slip_flow_land(slip_flow *flow, int landing, const slip_observer *observer);
int slip_flow_land_now(slip_flow *flow, const slip_observer *observer); /* what touches, to rounding */
/* Modes for the branches at this instant; like slip_modes_decide. The next event may come sooner than a short
 * time: then a shorter one is taken. */
int slip_flow_find_modes(slip_flow *flow, slip_branch *branches, int *contact);
/* The modes that would come, and the accelerations with them; false when there are none. */
bool slip_flow_try_modes(slip_flow *flow, slip_branch *branches, double *a);
/* A time over which the motion changes little: far below a step, far above rounding. */
double slip_flow_short_time(const slip_flow *flow);
/* Makes velocities what the modes say; makes the gaps of closed contacts zero, from which steps drift away.
 */
void slip_flow_clean(const slip_flow *flow, double t, const double *q, double *v);
void slip_flow_close_gaps(const slip_flow *flow, double t, double *q);

static inline const slip_law_kernel *slip_flow_law(const slip_flow *flow, int c)
{
    return slip_contact_law(flow->system, flow->work, c);
}

/* sliders.c: laws of sliders. Modes at the start; distance from a boundary; what happens there; the mode
 * of their contact. */
static inline bool slip_flow_has_sliders(const slip_flow *flow, int c)
{
    return flow->sliders && flow->system->contacts[c].slider_count > 0;
}
/* Whether they say what the contact is doing: not where it is open, and not of a law that only saturates. */
static inline bool slip_flow_sliders_tell(const slip_flow *flow, int c)
{
    return flow->sliders && flow->system->contacts[c].law.type->sliders &&
           !(flow->system->contacts[c].has_gap && flow->branches[c].mode == SLIP_MODE_OPEN);
}
int slip_flow_sliders_create(slip_flow *flow);
int slip_flow_sliders_place(slip_flow *flow, const slip_observer *observer);
/* What laws with memory lose where their contact is open; whether one may open that is compliant. */
bool slip_flow_forgets(const slip_flow *flow);
void slip_flow_forget(slip_flow *flow);
/* Where the slip has jumped: what slipped the other way sticks. */
int slip_flow_sliders_check(slip_flow *flow, const slip_observer *observer);
double slip_flow_slider_distance(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                                 const double *q, const double *v);
/* Its derivative over time, for given acceleration, and the size of what it is made of. */
double slip_flow_slider_slope(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                              const double *q, const double *v, const double *a);
double slip_flow_slider_size(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                             const double *q, const double *v);
int slip_flow_slider_cross(slip_flow *flow, int slider, const slip_observer *observer);
slip_mode slip_flow_slider_mode(const slip_flow *flow, int contact);

/* patch.c: patches whose friction is set-valued. */
int slip_flow_patch_create(slip_flow *flow);
/* area/group.c: finds those that only rest together, once the flow stands where it starts. */
int slip_flow_patch_group(slip_flow *flow);
/* Forces of patches that stick together, as the text there says; after an evaluation. */
void slip_flow_patch_share(slip_flow *flow);
/* Modes of patches together with those of all others; like slip_modes_decide. */
int slip_flow_patch_decide(slip_flow *flow, int *contact);
/* The modes of patches are decided with all others. */
void slip_flow_patch_join(slip_flow *flow);
/* A patch is at rest because others are. */
void slip_flow_patch_stop(slip_flow *flow, int contact);
/* Which patches are at rest, to rounding or because they are known to be. The others slip. */
void slip_flow_patch_find_resting(slip_flow *flow);
/* What is left until the patch starts to slip, at the last evaluation, as a force. */
double slip_flow_patch_reserve(slip_flow *flow, int contact);
/* What one of the slip velocities should be: 0 in stick, or what the chart says. False: anything. */
bool slip_flow_patch_target(const slip_flow *flow, int contact, double target[3]);
/* The patch whose slip is the k-th in size. */
int slip_flow_patch_by_size(const slip_flow *flow, int k);
/* After an impact velocities are new. */
void slip_flow_patch_forget(slip_flow *flow);
/* Of the charted equation: unknowns in and out. */
void slip_flow_patch_read(slip_flow *flow, const double *y);
void slip_flow_patch_write(const slip_flow *flow, double *y);
void slip_flow_patch_rates(slip_flow *flow, double t, const double *q, const double *v, double *dy);
/* How far the next step of the implicit stepper may go: not past the rest that is ahead. */
double slip_flow_patch_reach(slip_flow *flow);
/* Before a step in the chart: which errors matter. */
void slip_flow_patch_weigh(slip_flow *flow);
/* After a step: true when it must be taken again, in the chart. */
bool slip_flow_patch_missed(slip_flow *flow);
/* At the end of a step in the chart: the patch has come to rest. */
bool slip_flow_patch_at_rest(const slip_flow *flow, const slip_flow_patch *patch);
/* True when a patch goes into the chart, or leaves it. */
bool slip_flow_patch_change(slip_flow *flow);
/* The last moment of slip that comes to rest, taken by hand: true and the crossing when that was done, before
 * `end`. */
int slip_flow_patch_finish(slip_flow *flow, double end, const slip_observer *observer,
                           slip_flow_crossing *crossing);

/* A time x into the moment by hand with which slip has started (`last`: with which it ends): q and v, with
 * the directions and sizes of slip that belong to it. At x = h the last one leaves the patch as it was found.
 */
void slip_flow_moment_place(slip_flow *flow, bool last, double x, double *y);

/* area/chart.c: patches that slip in small changes of a motion. */

/* The directions of all that slip are known from here on and no longer those of the velocities; and as they
 * were before. */
void slip_flow_patch_steer(slip_flow *flow, double t, const double *q, const double *v);
void slip_flow_patch_let_steer(slip_flow *flow);
/* Elsewhere with the same directions: what those of a group are that rest together. */
void slip_flow_patch_keep_course(slip_flow *flow, double t, const double *q, const double *v);
/* Adds what the turning directions do to the matrix of slip_flow_variation, over the clock of the chart or
 * one with this speed; false where the equation is not defined. */
bool slip_flow_patch_vary(slip_flow *flow, double t, const double *y, bool charted, double speed,
                          double *matrix);
/* After it: adds to the rates of velocities what a change of the slip of a patch does, in units of the area.
 */
void slip_flow_patch_pull(const slip_flow *flow, const slip_flow_patch *patch, const double slip[3],
                          double *rates);
/* The gradients of its three slip velocities, in units of the area, by q and v: 2 n numbers each. */
void slip_flow_patch_gradients(slip_flow *flow, const slip_flow_patch *patch, double t, const double *q,
                               const double *v, double *gradients);

/* stiff.c, at the end of a step: true when the implicit stepper takes over; an error when the explicit
 * one is in use, cannot be replaced, and would not get through. */
bool slip_flow_turns_stiff(slip_flow *flow);
int slip_flow_refuse_stiff(slip_flow *flow, int64_t steps, double taken);

/* scale.c: errors that steps may make. Set at the start of a segment, by the accelerations there and the
 * loads of the last evaluation; and after each step. What that means for a contact's gap, or for its rate
 * (order 1); the largest absolute part for displacements; and the unit of velocities, 1 or the largest one
 * where that is less. */
int slip_flow_scale_create(slip_flow *flow);
/* After some steps: which coordinates turn. */
int slip_flow_scale_turns(slip_flow *flow);
static inline bool
slip_flow_scales(const slip_flow *flow) /* not beside singular laws, which have their own */
{
    return flow->kind == &slip_stepper_dopri && flow->charts.slots == 4 * flow->areas.count;
}
double slip_flow_speed_unit(const slip_flow *flow);
void slip_flow_scale_loads(slip_flow *flow, const double *a);
void slip_flow_scale_step(slip_flow *flow);
double slip_flow_gap_error(const slip_flow *flow, int contact, int order);
double slip_flow_resolution(const slip_flow *flow);

/* open.c: velocities must be resolved to this, whatever the tolerance; infinite where no law says so. */
double slip_flow_velocity_resolution(const slip_flow *flow, int coordinate);
/* And what laws with memory need, where that is less. */
void slip_flow_resolve_presliding(const slip_flow *flow, slip_stepper *stepper);
/* A time in which the motion does not do much, whatever the units. */
double slip_flow_time_scale(const slip_flow *flow);
/* The most gaps that are unknowns; a stepper for an equation of at most m unknowns. */
int slip_flow_gap_most(const slip_flow *flow);
int slip_flow_make_stepper(slip_flow *flow, const slip_stepper_type *kind, const slip_ode *equation, int m,
                           slip_stepper **stepper);

/* view.c: shows the last step; fills a sample with the contact states of the last evaluation; reports a
 * change of a contact's mode, and reversals inside the last step of contacts whose laws are smooth at zero
 * (the others end the step there). */
int slip_flow_show(slip_flow *flow, double t0, bool event, const slip_observer *observer);
void slip_flow_fill(slip_flow *flow, const double *q, const double *v, const double *a, slip_sample *sample);
bool slip_flow_loads(const void *self, double t, const double *q, const double *v,
                     double *loads); /* as slip_step has them */
int slip_flow_report(slip_flow *flow, int contact, slip_mode mode, double time,
                     const slip_observer *observer);
int slip_flow_report_reversals(slip_flow *flow, const slip_observer *observer);
/* What a contact that modes are decided for is doing at the state where the flow stands. */
slip_mode slip_flow_mode_now(const slip_flow *flow, int contact);

/* contacts.c: true when the play between a stop and another one on the other side of the body has shrunk
 * to next to nothing, and will be gone at *until. */
bool slip_flow_squeezed(slip_flow *flow, int contact, int *other, double *until);

/* clean.c: the gaps of open contacts where the flow is put by hand, at t and q, before it is. */
void slip_flow_move_gaps(slip_flow *flow, double t, const double *q);
/* By how much a gap differs at other coordinates. */
static inline double slip_flow_gap_moved(const slip_flow *flow, int c, const double *q)
{
    const double *row = flow->system->contacts[c].gap.row;
    double sum = 0;
    for (int i = 0; i < flow->n; i++)
        sum += row[i] * (q[i] - flow->q[i]);
    return sum;
}
/* report.c: makes an error of what a step can answer. */
int slip_flow_explain(slip_flow *flow, int status);
/* Who caused the last event, for messages: "contact `pad`". */
void slip_flow_culprit(const slip_flow *flow, char *text, size_t size);
/* flow.c, after every step: an error when events or steps pile up towards an instant or the run was
 * interrupted; progress. */
int slip_flow_attend(slip_flow *flow);

/* The gap of a contact inside the last step, where y is known. */
static inline double slip_flow_gap(const slip_flow *flow, int c, double t, const double *y)
{
    if (flow->gaps.slot[c] < 0)
        return slip_system_gap(flow->system, flow->work, c, t, y);
    return flow->gaps.from[c] + y[flow->gaps.slot[c]] +
           slip_system_gap_change(flow->system, flow->work, c, flow->gaps.since, t);
}

/* The time that belongs to the stepper's x inside the last step, when y there is known. */
static inline double slip_flow_time(const slip_flow *flow, double x, const double *y)
{
    return slip_flow_in_chart(flow) ? flow->charts.origin + y[2 * flow->n] : x;
}

#endif
