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
 * Where rate and slip velocity vanish together, x would grow without bound; there the contact is held at the
 * break by a constraint force until this exceeds `release` times the law's slope in s. The creep that is
 * neglected this way is below 1 % of the tolerance.
 *
 * Invariants, at the beginning and end of every step:
 *  1. branches[c].piece is the piece of contact c: it contains the slip velocity, or has it, to rounding, as
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

/* An interval of length h, so short that accelerations are linear in time within it (area/moment.c). */
typedef struct slip_moment {
    double t, h;
    double *q, *v, *a0, *a1; /* at its beginning; accelerations at both ends */
    /* Only where slip ends with it: the patch, and the size and directions (at both ends) of its slip. */
    struct slip_flow_patch *patch;
    double size, from[3], to[3];
} slip_moment;

/* A set-valued patch (see patch.c). Slip velocities in units of the area: x, y, size times spin. */
typedef struct slip_flow_patch {
    int contact;
    const slip_patch_form *form;
    int slot;            /* index of ln L, and of the direction after it, among the unknowns of the chart */
    bool charted;        /* ln L and the direction are unknowns now */
    bool tried;          /* it starts to slip in the set of modes that is being tried */
    double log_size;     /* ln L */
    double direction[3]; /* of the slip, in units of the area */
    double user[3];      /* the same as x, y and spin: what the branch points to */
    double growth;       /* rate of L, at the last evaluation in the chart */
    double start_growth; /* rate of L where slip starts, at the beginning of the first moment, */
    double start_direction[3], end_direction[3]; /* and the directions at both ends of it */
    /* For the linearised motion (area/chart.c): derivatives of the accelerations by the direction along each
     * vector of the basis, n numbers each; the factor of these over the clock in use; gradients of the slip,
     * 2 n numbers each. */
    double *turned, pull, *gradients;
    double stiffness; /* mu trace(W M^-1 W^T) */
    double load[3];   /* components of the direction in which slip would start, of the last reserve */
    double slip0[3], slip1[3]; /* at the ends of the last step */
    int rank;                  /* of the possible slip velocities, and their orthonormal basis */
    double basis[9];
    /* Patches that can only come to rest together (area/group.c): the fields above are used of the leader
     * only. */
    struct slip_flow_patch *leader, *next; /* itself where it leads; the next one of the group */
    struct slip_patch *sum;                /* of a leader that is not alone: the surfaces of all */
} slip_flow_patch;

/* Which works of forces the plain stepper integrates along with the motion (work.c). */
typedef struct slip_flow_works {
    bool telling; /* works are integrated: the observer asks for them */
    bool loaded;  /* all loads are functions of time alone, and stand in work->loads */
    bool other;   /* other loads, skew stiffness or the structure's energies do work, too */
    bool damped, skew;
    bool *moving;       /* of each contact: its power has more terms than force times slip velocity */
    int *damping;       /* indices of the non-zero elements of the damping matrix, for n > 2, */
    int damping_count;  /* and their number */
    double *loads;      /* scratch */
    double *low, *high; /* least and largest sizes of normal, then friction forces in a step */
} slip_flow_works;

/* The gap of each unilateral contact. Gaps are integrated beside q and v: the difference of two large
 * coordinates would lose the digits of a low flight. */
typedef struct slip_flow_gaps {
    double *now, *largest;
    /* In a segment that starts at time `since` with the gap `from`, an unknown of the stepper for each open
     * contact is row . q minus its value at the start. */
    double *from, since;
    int *open, count; /* the contacts with such an unknown */
    int *slot, first; /* of each contact, its place in y, or -1; the first place */
} slip_flow_gaps;

/* Landing and impacts (land.c). */
typedef struct slip_flow_impacts {
    slip_impact *solver;
    bool *at_stop;
    bool *landed;          /* the contact has landed in the present impact, */
    double *time;          /* at this time, which is later than now where bounces accumulate */
    double *speed;         /* with which the contact approached */
    double *impulses;      /* along the gaps, in the last impact */
    bool *came_to_rest;    /* slip is known to be zero at the event that is being decided */
    slip_bounces *bounces; /* of each contact */
    int64_t accumulations;
    double least_flight; /* flights lower than this, relative to the highest one, are neglected */
    bool driven;         /* an external solver takes the steps, which does not resolve lower flights */
    int struck;          /* the contact that landed last, or -1 */
} slip_flow_impacts;

/* The decision of the modes of set-valued friction and unilateral contacts (switch.c). */
typedef struct slip_flow_decision {
    slip_modes *modes;
    slip_standing *standing;
    double time;         /* of the last decision of modes, */
    bool *from_zero;     /* by which a contact began to slip from rest, or opened from a closed gap */
    double *normal_size; /* largest normal force so far; */
    double *normal_seen; /* largest given normal force at the end of any step */
    double *rounding;    /* error of forces at the last decision; not unique: of the largest one */
    double tell_time;    /* shortest time after which accelerations can show which modes come; mostly 0 */
} slip_flow_decision;

/* Patches whose friction is set-valued (area/). */
typedef struct slip_flow_areas {
    slip_flow_patch *list; /* NULL where there are none */
    slip_flow_patch **of;  /* of each contact, or NULL */
    int count, charted;
    slip_branch *tried;       /* scratch: branches while modes are decided or tried, */
    slip_flow_patch *untried; /* and the patches as they were before a trial */
    double *shift;            /* q, v and t after the first moment of a slip that starts */
    bool shifted;
    slip_moment *moment;
    bool use_stiff;
    int stiff_steps; /* successive steps for which the other stepper would have been cheaper */
} slip_flow_areas;

/* Positions of contacts in the charts of their laws (breaks.c); arrays have one number for each contact. */
typedef struct slip_flow_charts {
    double *side;           /* of the chart: +1 or -1 */
    double *far;            /* |s| at the end of the charted piece that is not singular; may be infinite */
    int *hold;              /* the break at which the contact is held, or -1 */
    int *slot;              /* place of s in y, or -1 */
    double *speed;          /* mu / S of each charted contact, at the last evaluation */
    int slots, count, held; /* numbers of unknowns s in y, of charted contacts, and of held ones */
    double *product;        /* W^T M^-1 W of a held contact */
    double hold_below, release; /* in the chart's variable s */
    double origin;              /* time at which the charted stepper's clock is zero */
} slip_flow_charts;

/* The ends of the last step. */
typedef struct slip_flow_ends {
    double *slip0, *slip1, *rate0, *rate1; /* slip velocity of each contact, and its rate */
    double *a0, *a1;                       /* accelerations */
    bool at_end;                           /* the last evaluation was that of the end of the step */
    bool rough0, rough1;                   /* the rates there come from the stepper's history */
} slip_flow_ends;

/* The scales of motion that allowed errors are relative to (scale.c). */
typedef struct slip_flow_sizes {
    int *part; /* of each coordinate: the first one of its part (a set of coupled coordinates) */
    double *moved, *parts_moved; /* largest displacements and velocities: of each coordinate; of each part */
    double *deflection;          /* of coordinates: what errors are relative to; 0: the motion */
    double *extent; /* half a period of a coordinate that is an angle; infinite: no angle, or not known */
    bool turns_known;
    double *usual;         /* size of a state of a law, where that is known; else 0 */
    double *finest;        /* the velocity resolution that a law requires; infinite where none does */
    double *q_start;       /* the coordinates at the start */
    double structure_time; /* 1/frequency of the structure's own vibration; infinite where it has none */
    double fastest;        /* the largest velocity at the ends of steps */
    bool looked;           /* loads and belts of the whole run have been looked at in advance */
} slip_flow_sizes;

/* Counts of events and steps, by which a run is ended whose events follow each other without end. */
typedef struct slip_flow_pace {
    int contact;           /* the contact that caused the last event; -1 - k: switch k of an expression */
    int64_t idle, stalled; /* segments since time last moved */
    int64_t crossings;     /* steps ended by a condition, also where no mode changed */
    double time;           /* of the event at which the present count of events began, */
    int64_t before, steps; /* and the numbers of crossings and steps at that event */
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
    double *y, *inside;     /* states at the start of a step, and inside it */
} slip_flow_scratch;

struct slip_flow {
    slip_context *ctx;
    const slip_system *system; /* as integrated: frozen (freeze.h) if expressions switch */
    const slip_system *given;
    slip_jumps *jumps; /* NULL where none do (jumps.h) */
    slip_method_options options;
    slip_arena arena;
    slip_workspace *work;
    int n, contact_count;
    int moving;      /* coordinates among the n; the others are states, whose positions stay zero */
    bool has_breaks; /* laws have breaks, and the stepper can end a step at one; fixed steps cannot */
    bool watched;    /* something may end a step: breaks, switches of the state, given normal forces */
    bool placed;     /* every contact is in a piece */

    const slip_stepper_type *kind;
    slip_stepper *plain;   /* y = (q, v), x = t */
    slip_stepper *charted; /* y = (q, v, t - origin, s of each singular contact); made when first needed */
    slip_stepper *stiff;   /* y = (q, v), implicit: slow slip under strong friction; made when needed */
    slip_stepper *stepper; /* the one in use; NULL between segments */
    double natural_step;   /* what the error control allows */

    double t, *q, *v; /* the present state */
    double *a_last;   /* accelerations at the last evaluation */
    double opened_at; /* the time at the start */
    slip_flow_gaps gaps;
    slip_flow_ends ends;
    slip_flow_sizes sizes;

    /* Modes of set-valued friction and unilateral contacts are decided in switch.c, those of the other
     * contacts in breaks.c. */
    slip_branch *branches; /* of each contact */
    slip_mode *modes;      /* as they were reported last, */
    bool *mode_known; /* a mode was reported: not while the slip velocity has been zero since the start */
    int arrived;      /* the contact that has just passed a break of its law, or -1 */
    slip_flow_charts charts;
    bool switching; /* there are set-valued friction or unilateral contacts; else these three are empty: */
    slip_flow_decision decision;
    slip_flow_impacts impacts;
    slip_flow_areas areas;
    signed char *sliders; /* modes of the system's sliders (sliders.c); NULL where there are none */
    double *slider_room;  /* 2 n, scratch of these */

    slip_flow_works works;
    slip_tangent *tangent;  /* derivatives of the motion; NULL: not asked for */
    struct slip_look *look; /* bounds of loads and moving stops inside a step (look.h) */
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

/* Whether the chart variable s of contact c is among the unknowns. */
static inline bool slip_flow_charted(const slip_flow *flow, int c)
{
    return flow->branches[c].chart >= 0 && flow->charts.hold[c] < 0;
}

/* work.c. While works are asked for (`telling`), the powers at an evaluation follow its rates in dy, in the
 * order of slip_works. The right side itself has the powers of loads that are functions of time, of damping
 * and of contacts with constant directions; other_powers and moving_powers add the rest. `ask` is called
 * before an observer's steps, `tell` adds the works of the last step to the observer's, `reset` begins the
 * next step. */
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
/* The linearised equation for small changes d of (q, v) at the unknowns y: d' = matrix d, 2 n x 2 n numbers,
 * over the stepper's x, where *speed is dt/dx. `size`: scales of q and v, for differences. From then on
 * slipping patches keep known directions (area/chart.c). `variation_now` has it over time, in a moment, with
 * the patches as they are. */
bool slip_flow_variation(slip_flow *flow, double x, const double *y, const double *size, double *matrix,
                         double *speed);
bool slip_flow_variation_now(slip_flow *flow, double t, const double *y, const double *size, double *matrix);
/* Whether a contact slips by a law that has an infinite slope at a break, and is in no chart there. */
bool slip_flow_steep(const slip_flow *flow, int contact, int k);
/* After slip_flow_variation, in charts: adds the effect of a change of a contact's slip to the rates. */
void slip_flow_chart_pull(slip_flow *flow, int contact, double slip, double *rates);

/* breaks.c: contacts and their pieces. */

/* Finds pieces of laws from slip velocities, for all contacts whose modes are not decided in switch.c. */
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
    SLIP_FLOW_YIELD,        /* a force kept at its limit (forces not unique) leaves it; not reported */
    SLIP_FLOW_LAND,         /* the gap of an open contact vanishes */
    SLIP_FLOW_REST,         /* a patch comes to rest */
    SLIP_FLOW_PULL,         /* a given normal force turns negative */
    SLIP_FLOW_END,          /* end of time, reached in a chart */
    SLIP_FLOW_SLIDER_UPPER, /* the deflection of a slider that sticks reaches its limit, */
    SLIP_FLOW_SLIDER_LOWER, /* or the lower one, */
    SLIP_FLOW_SLIDER_TURN,  /* or a slipping one stops; `contact` is the number of the slider */
    SLIP_FLOW_GUARD_LOWER,  /* the guard of a switch reaches its lower bound */
    SLIP_FLOW_GUARD_UPPER   /* or its upper one; `contact` is the number of the switch */
} slip_flow_boundary;
typedef struct slip_flow_crossing {
    slip_flow_boundary boundary;
    int contact;
    double x;
    double hold;     /* at a release or the end of stick: the force that held the contact */
    bool from_start; /* the force was at its limit, to rounding, since the start, and is beyond it now */
} slip_flow_crossing;

/* The distance of a contact from an end of its piece, for slip velocity w and chart variable s; infinite when
 * there is no such end. */
double slip_flow_distance(const slip_flow *flow, int c, slip_flow_boundary boundary, double w, double s);

/* cross.c. At the start of a segment: which piece, chart or hold each contact is in. */
int slip_flow_settle(slip_flow *flow, const slip_observer *observer);
/* What happens where a step has ended early. */
int slip_flow_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer);

/* find.c */
/* The reserve of a force at the last evaluation: its limit minus its size. */
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
/* Decides all modes anew where forces may have jumped; after the impact of the contact `landing`. */
int slip_flow_switch_again(slip_flow *flow, const slip_observer *observer);
int slip_flow_land(slip_flow *flow, int landing, const slip_observer *observer);
int slip_flow_land_now(slip_flow *flow, const slip_observer *observer); /* what touches, to rounding */
/* Finds the modes at this instant and writes them to the branches; returns like slip_modes_decide. Where the
 * next event comes within the short time over which modes are judged, a shorter time is used. */
int slip_flow_find_modes(slip_flow *flow, slip_branch *branches, int *contact);
/* Finds the modes that would come, without setting them, and their accelerations; false when there are none.
 * */
bool slip_flow_try_modes(slip_flow *flow, slip_branch *branches, double *a);
/* A time over which the motion changes little: far below a step, far above rounding. */
double slip_flow_short_time(const slip_flow *flow);
/* Project velocities v onto the constraints of the present modes, and coordinates q onto zero gaps of the
 * closed contacts, from which integration drifts away. */
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
/* Whether sliders determine the contact's mode: not where it is open, nor for a law that only saturates. */
static inline bool slip_flow_sliders_tell(const slip_flow *flow, int c)
{
    return flow->sliders && flow->system->contacts[c].law.type->sliders &&
           !(flow->system->contacts[c].has_gap && flow->branches[c].mode == SLIP_MODE_OPEN);
}
int slip_flow_sliders_create(slip_flow *flow);
int slip_flow_sliders_place(slip_flow *flow, const slip_observer *observer);
/* `forget` clears the memory of laws whose contacts are open; `forgets`: whether compliant ones may open. */
bool slip_flow_forgets(const slip_flow *flow);
void slip_flow_forget(slip_flow *flow);
/* After a jump of the slip velocity: sliders that slipped in the opposite direction stick. */
int slip_flow_sliders_check(slip_flow *flow, const slip_observer *observer);
double slip_flow_slider_distance(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                                 const double *q, const double *v);
/* The time derivative of that distance for the acceleration a; the size of its terms, for rounding. */
double slip_flow_slider_slope(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                              const double *q, const double *v, const double *a);
double slip_flow_slider_size(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                             const double *q, const double *v);
int slip_flow_slider_cross(slip_flow *flow, int slider, const slip_observer *observer);
slip_mode slip_flow_slider_mode(const slip_flow *flow, int contact);

/* patch.c: patches whose friction is set-valued. */
int slip_flow_patch_create(slip_flow *flow);
/* area/group.c: finds the patches that can only rest together, at the start of the run. */
int slip_flow_patch_group(slip_flow *flow);
/* Shares the friction force among patches that stick together (see area/group.c); after an evaluation. */
void slip_flow_patch_share(slip_flow *flow);
/* Decides the modes of patches together with those of all other contacts; returns like slip_modes_decide. */
int slip_flow_patch_decide(slip_flow *flow, int *contact);
/* Gives slip_modes the functions by which modes of patches are decided with all others. */
void slip_flow_patch_join(slip_flow *flow);
/* A patch is at rest because others are. */
void slip_flow_patch_stop(slip_flow *flow, int contact);
/* Which patches are at rest, to rounding or because they are known to be. The others slip. */
void slip_flow_patch_find_resting(slip_flow *flow);
/* The reserve of stick of a patch at the last evaluation, as a force. */
double slip_flow_patch_reserve(slip_flow *flow, int contact);
/* The slip velocity that the patch must have: 0 in stick, or that of the chart. False: not prescribed. */
bool slip_flow_patch_target(const slip_flow *flow, int contact, double target[3]);
/* The patch whose slip is the k-th in size. */
int slip_flow_patch_by_size(const slip_flow *flow, int k);
/* Forgets known directions of slip, after an impact has changed the velocities. */
void slip_flow_patch_forget(slip_flow *flow);
/* Read and write a patch's unknowns in y of the charted equation, and their rates in dy. */
void slip_flow_patch_read(slip_flow *flow, const double *y);
void slip_flow_patch_write(const slip_flow *flow, double *y);
void slip_flow_patch_rates(slip_flow *flow, double t, const double *q, const double *v, double *dy);
/* The length of the next implicit step at most, which must not pass the end of a slip. */
double slip_flow_patch_reach(slip_flow *flow);
/* Before a step in the chart: sets the weights of errors of ln L and the direction. */
void slip_flow_patch_weigh(slip_flow *flow);
/* After a step: true when it must be taken again, in the chart. */
bool slip_flow_patch_missed(slip_flow *flow);
/* At the end of a step in the chart: the patch has come to rest. */
bool slip_flow_patch_at_rest(const slip_flow *flow, const slip_flow_patch *patch);
/* Moves patches into the chart and out of it; true when one has changed. */
bool slip_flow_patch_change(slip_flow *flow);
/* Integrates the last moment of a slip that ends before `end`, by the formula in area/moment.c: true, and the
 * crossing, when that was possible. */
int slip_flow_patch_finish(slip_flow *flow, double end, const slip_observer *observer,
                           slip_flow_crossing *crossing);

/* The state y = (q, v) at time x of the first moment of a slip (`last`: of its last one); sets directions and
 * sizes of slip to match. At x = h of the last moment the patch is left as it was. */
void slip_flow_moment_place(slip_flow *flow, bool last, double x, double *y);

/* area/chart.c: the linearised motion of patches that slip. */

/* `steer`: from here on the directions of all slipping patches are unknowns of their own, not taken from the
 * velocities; `let_steer` undoes that. */
void slip_flow_patch_steer(slip_flow *flow, double t, const double *q, const double *v);
void slip_flow_patch_let_steer(slip_flow *flow);
/* At another state with the same directions of leaders: updates those of the others of each group. */
void slip_flow_patch_keep_course(slip_flow *flow, double t, const double *q, const double *v);
/* Adds the effect of changes of direction to the matrix of slip_flow_variation, over the clock of the chart
 * or one with dt/dx = speed; false where the equation is not defined. */
bool slip_flow_patch_vary(slip_flow *flow, double t, const double *y, bool charted, double speed,
                          double *matrix);
/* After that: adds the effect of a change of a patch's slip, in units of the area, to the rates. */
void slip_flow_patch_pull(const slip_flow *flow, const slip_flow_patch *patch, const double slip[3],
                          double *rates);
/* The gradients of its three slip velocities, in units of the area, by q and v: 2 n numbers each. */
void slip_flow_patch_gradients(slip_flow *flow, const slip_flow_patch *patch, double t, const double *q,
                               const double *v, double *gradients);

/* stiff.c, at the end of a step: true when the implicit stepper takes over; an error when the explicit one
 * cannot be replaced and would need too many steps. */
bool slip_flow_turns_stiff(slip_flow *flow);
int slip_flow_refuse_stiff(slip_flow *flow, int64_t steps, double taken);

/* scale.c: allowed errors of steps. scale_loads sets them at the start of a segment from the accelerations a
 * and the loads, scale_step after each step. gap_error: the allowed error of a contact's gap or, order 1, of
 * its rate; resolution: the largest absolute error of a displacement; speed_unit: 1, or the largest velocity
 * where that is less. */
int slip_flow_scale_create(slip_flow *flow);
/* After some steps: finds the coordinates that are angles, in which the system is periodic. */
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

/* open.c: the resolution of a velocity that laws require at any tolerance; infinite where none does. */
double slip_flow_velocity_resolution(const slip_flow *flow, int coordinate);
/* Lowers the stepper's absolute errors to what laws with memory require. */
void slip_flow_resolve_presliding(const slip_flow *flow, slip_stepper *stepper);
/* A time over which the motion changes little, independent of units. */
double slip_flow_time_scale(const slip_flow *flow);
/* The most gaps that are unknowns; a stepper for an equation of at most m unknowns. */
int slip_flow_gap_most(const slip_flow *flow);
int slip_flow_make_stepper(slip_flow *flow, const slip_stepper_type *kind, const slip_ode *equation, int m,
                           slip_stepper **stepper);

/* view.c: shows the last step to the observer; fills a sample with the contact states of the last evaluation;
 * reports a change of a contact's mode; reports reversals inside the last step of contacts whose laws are
 * smooth at zero (a reversal ends the step for all other laws). */
int slip_flow_show(slip_flow *flow, double t0, bool event, const slip_observer *observer);
void slip_flow_fill(slip_flow *flow, const double *q, const double *v, const double *a, slip_sample *sample);
bool slip_flow_loads(const void *self, double t, const double *q, const double *v,
                     double *loads); /* as slip_step has them */
int slip_flow_report(slip_flow *flow, int contact, slip_mode mode, double time,
                     const slip_observer *observer);
int slip_flow_report_reversals(slip_flow *flow, const slip_observer *observer);
/* The present mode of a contact whose mode is decided in switch.c. */
slip_mode slip_flow_mode_now(const slip_flow *flow, int contact);

/* contacts.c: true when the play between this stop and the stop *other on the opposite side of the body has
 * all but vanished; it vanishes at the time *until. */
bool slip_flow_squeezed(slip_flow *flow, int contact, int *other, double *until);

/* clean.c: updates gaps of open contacts before the flow is set to the state (t, q) without a step. */
void slip_flow_move_gaps(slip_flow *flow, double t, const double *q);
/* The difference of a gap between the coordinates q and the present ones. */
static inline double slip_flow_gap_moved(const slip_flow *flow, int c, const double *q)
{
    const double *row = flow->system->contacts[c].gap.row;
    double sum = 0;
    for (int i = 0; i < flow->n; i++)
        sum += row[i] * (q[i] - flow->q[i]);
    return sum;
}
/* report.c: turns the status of a step that failed into an error with a message. */
int slip_flow_explain(slip_flow *flow, int status);
/* Writes the name of the contact or switch that caused the last event, for messages: "contact `pad`". */
void slip_flow_culprit(const slip_flow *flow, char *text, size_t size);
/* flow.c, after every step: an error when events or steps pile up towards an instant or the run was
 * interrupted; progress. */
int slip_flow_attend(slip_flow *flow);

/* The gap of contact c at time t inside the last step, from the unknowns y there. */
static inline double slip_flow_gap(const slip_flow *flow, int c, double t, const double *y)
{
    if (flow->gaps.slot[c] < 0)
        return slip_system_gap(flow->system, flow->work, c, t, y);
    return flow->gaps.from[c] + y[flow->gaps.slot[c]] +
           slip_system_gap_change(flow->system, flow->work, c, flow->gaps.since, t);
}

/* The time at the stepper's x inside the last step, from the unknowns y there. */
static inline double slip_flow_time(const slip_flow *flow, double x, const double *y)
{
    return slip_flow_in_chart(flow) ? flow->charts.origin + y[2 * flow->n] : x;
}

#endif
