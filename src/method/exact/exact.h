/* Motion between events in closed form, and the first event after a start.
 *
 * Where loads, belt speeds, moving stops and normal forces are sums of t^p cos wt and t^p sin wt, or are so
 * between times at which they switch, they are themselves solutions of a linear equation s' = G s. With the
 * contacts' modes fixed, the whole motion is then a linear equation with constant coefficients and nothing on
 * its right side,
 *
 *     y' = A y,   y = (z, z', what sticks, s),   y(t) = exp(A (t - t0)) y(t0),
 *
 * where z are the coordinates that the constraints leave free; `what sticks` are the rows of sticking
 * contacts times q. Resonance, rigid-body drift, equal and defective eigenvalues are no special cases of this
 * form. Displacements, velocities, accelerations, contact forces and every condition that ends a segment are
 * rows times y, and so are all their derivatives.
 *
 * The first event is found with bounds, not by sampling (see root.c): no root of a condition can lie
 * between two steps unseen, however close to another one it is, unless the condition stays within rounding
 * of zero there. */
#ifndef SLIP_METHOD_EXACT_H
#define SLIP_METHOD_EXACT_H

#include "system/system.h"

typedef struct slip_exact slip_exact;

/* Whether every segment of the system's motion has the form above: 1 or 0, or SLIP_ERROR_MEMORY. If not,
 * `reason` (may be NULL) names the contact or force that prevents it ("contact `pad`: law `stribeck` is none
 * of ..."). */
int slip_exact_applies(const slip_system *system, char *reason, size_t size);

/* Whether the system has so many coordinates that segments are propagated by series instead of matrices. */
bool slip_exact_is_wide(const slip_system *system);

/* Creates a propagator; SLIP_ERROR_MODEL with the reason where slip_exact_applies says no. `forms`: the forms
 * of the switches of a frozen system (system/freeze.h), which are read at the start of a segment and must
 * stay until its end; else NULL. */
int slip_exact_create(slip_context *ctx, const slip_system *system, const double *forms, slip_exact **exact);
void slip_exact_destroy(slip_exact *exact);
SLIP_OWNED(slip_exact, slip_exact_destroy)
/* Resets the propagator for another motion of the same system, but keeps its mode sets. */
void slip_exact_renew(slip_exact *exact, slip_context *ctx);

/* Starts a segment: one mode for each contact (OPEN, STICK, SLIP_PLUS, SLIP_MINUS, CLOSED), and, where forces
 * are not unique, the limits at which they are kept (SLIP_CLIP_..., NULL: none). The state must satisfy the
 * constraints: coordinates and velocities that these determine are not read. A set of modes is prepared when
 * it is first used; up to 64 are kept, and starting one of them allocates nothing but scratch for functions
 * that switch. SLIP_ERROR_SOLVER when the modes do not determine the motion, SLIP_STEP_UNDEFINED where a
 * function of time has no value. */
int slip_exact_start(slip_exact *exact, const slip_mode *modes, const unsigned *clips, double t,
                     const double *q, const double *v);

/* Sets the modes of the system's sliders for all segments that are started later: +1 or -1 in slip, 0 in
 * stick. The array belongs to the caller, and is read at each start. */
void slip_exact_sliders(slip_exact *exact, const signed char *modes);

/* Added to the clips of an open contact: among gaps that depend on each other, this one becomes an unknown
 * first. */
enum { SLIP_EXACT_FIRST = 0x80 };

/* Sets the gaps of open contacts at the start of the segment (one number for each contact) where they are
 * known more accurately than from the coordinates. */
void slip_exact_gaps(slip_exact *exact, const double *gaps);

/* Whether every condition is positive at the start of the segment, by a value or a first derivative far above
 * rounding; to be called after all other functions that describe the start. Always false for wide sets. */
bool slip_exact_begins(slip_exact *exact);

/* Declares that this contact slips from rest, or opens from a closed gap, at the start of the segment: its
 * slip velocity, or its gap and gap rate, count as exactly zero in spite of rounding errors of belts, stops
 * and velocities that cancel. */
void slip_exact_from_zero(slip_exact *exact, int contact);

/* Sets the errors within which conditions count as zero at the start of the segment: a number of times the
 * usual rounding errors plus, for each contact, the errors `unknown` of slip acceleration, friction reserve,
 * normal force and gap acceleration. It is for a start whose state is less exact than the rows of the
 * segment, as where forces are not unique and large ones cancel. The array must outlive the segment. */
typedef double slip_exact_unknown[4];
void slip_exact_forgive(slip_exact *exact, double factor, const slip_exact_unknown *unknown);

/* Removes the fastest part of the motion from the segment where it has decayed below rounding. Not to be
 * called after a change of modes: conditions that start at zero are zero only with all entries of y. */
void slip_exact_slow_down(slip_exact *exact);

/* The time to wait before slip_exact_slow_down is called: until the fast part should have decayed or, before
 * it has been searched, until the search is worth its cost. Infinite where there is no such part. */
double slip_exact_patience(const slip_exact *exact);

/* The motion at a time not before the start; it is valid up to the first event of the segment. Any of the
 * pointers may be NULL. */
void slip_exact_state(const slip_exact *exact, double t, double *q, double *v, double *a);

/* Propagates a small change (q, v) of the state at the start of the segment over a time `distance`, in place;
 * components that the constraints determine are not read. */
void slip_exact_carry(const slip_exact *exact, double distance, double *q, double *v);

/* Of every contact: slip velocity, normal force, friction force on the coordinates along the slip, gap. The
 * slip velocity of a contact that sticks and the gap of one that is closed are exactly zero. Any of the
 * pointers may be NULL. */
void slip_exact_contacts(const slip_exact *exact, double t, double *slip, double *normal, double *force,
                         double *gap);

/* `works` adds the works between two times of the segment, in the order of slip_works; false when out of
 * memory. The next functions give the forces of contacts as slip_step has them, and q, v, a followed by these
 * forces (an even number of numbers). */
bool slip_exact_works(const slip_exact *exact, double from, double to, double *works);
void slip_exact_forces(const slip_exact *exact, double t, double *forces);
void slip_exact_see(const slip_exact *exact, double t, double *seen);

/* Finds the extremum of velocity i next to time t, at most about a quarter of a radian away; false where
 * there is none so near, or the set of modes is wide. */
bool slip_exact_peak(const slip_exact *exact, int i, double t, double *time, double *value);

/* An upper estimate of the largest |eigenvalue| of this segment, loads included: in a time 1 /
 * slip_exact_rate phases advance by about one radian at most. Zero: the motion is a polynomial. */
double slip_exact_rate(const slip_exact *exact);

/* `grain`: the motion is evaluated with least effort at multiples of this time after the start (1/128 to 1/64
 * of the time above; zero: at any time). `walk`: the time after k pieces of `steps` grains, for successive k
 * = 1, 2, ..; the state there is then stored. */
double slip_exact_grain(const slip_exact *exact);
double slip_exact_walk(slip_exact *exact, int64_t k, int steps);

/* The conditions that must stay positive in a segment. */
typedef enum slip_exact_condition {
    SLIP_EXACT_SLIP,   /* slip velocity in the direction of the mode */
    SLIP_EXACT_HOLD,   /* limit of stick less the friction force; of a force that is kept at this limit, the
                        * multiplier of that constraint (likewise of NORMAL) */
    SLIP_EXACT_NORMAL, /* normal force of a closed contact, or a given normal force that varies */
    SLIP_EXACT_GAP,    /* of an open contact */
    SLIP_EXACT_LIMIT,  /* limit less the deflection of a slider that sticks */
    SLIP_EXACT_TURN    /* slip velocity in the direction of a slider that slips */
} slip_exact_condition;

typedef struct slip_exact_event {
    double t;
    int contact;
    slip_exact_condition condition;
    int slider; /* of LIMIT and TURN */
    int sign;   /* of HOLD: that of the friction force at its limit; of SLIP: that of the mode; else 0 */
} slip_exact_event;

/* The first time up to `end` at which a condition turns negative: 1 and the event, or 0 when there is none.
 * A condition that starts at zero is judged by its first derivative that is not zero; when that is negative
 * the event is at the start itself. A condition that touches zero to rounding and stays above is no event.
 * -1 when the motion grows without bound; then only event->t is set, to a time before it overflows. */
int slip_exact_first_event(slip_exact *exact, double end, slip_exact_event *event);

/* Whether a condition of this contact ended at the last event found (several may end there). */
bool slip_exact_ended(const slip_exact *exact, int contact);

#endif
