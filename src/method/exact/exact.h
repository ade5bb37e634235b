/* Motion between events in closed form, and the first event after a start.
 *
 * Where loads, belt speeds, moving stops and normal forces are sums of t^p cos wt and t^p sin wt, or are so
 * between times at which they switch, they are themselves solutions of a linear equation s' = G s. With the
 * contacts' modes fixed, the whole motion is then a linear equation with constant coefficients and nothing on
 * its right side,
 *
 *     y' = A y,   y = (z, z', what sticks, s),   y(t) = exp(A (t - t0)) y(t0),
 *
 * where z are the coordinates that the constraints leave free. Resonance, rigid-body drift, equal and
 * defective eigenvalues are no special cases of this form. Displacements, velocities, accelerations, contact
 * forces and every condition that ends a segment are rows times y, and so are all their derivatives.
 *
 * The first event is found with bounds, not by sampling (see root.c): no root of a condition can lie
 * between two steps unseen, however close to another one it is, unless the condition stays within rounding
 * of zero there. */
#ifndef SLIP_METHOD_EXACT_H
#define SLIP_METHOD_EXACT_H

#include "system/system.h"

typedef struct slip_exact slip_exact;

/* Whether every segment of the system's motion has the form above: 1 or 0, or SLIP_ERROR_MEMORY. If not,
 * `reason` says in one line which contact or force is in the way ("contact `pad`: law `stribeck` is none of
 * ..."). `reason` may be NULL. */
int slip_exact_applies(const slip_system *system, char *reason, size_t size);

/* Whether it has so many coordinates that segments are propagated by series instead of matrices. */
bool slip_exact_is_wide(const slip_system *system);

/* A propagator for a finished system to which it applies (SLIP_ERROR_MODEL with the reason otherwise). Of a
 * frozen system `forms` are those of its switches (system/freeze.h), which are read when a segment is started
 * and must be kept until it ends; else NULL. */
int slip_exact_create(slip_context *ctx, const slip_system *system, const double *forms, slip_exact **exact);
void slip_exact_destroy(slip_exact *exact);
SLIP_OWNED(slip_exact, slip_exact_destroy)
/* As if it were new, for another motion of the same system, but that its mode sets are at hand. */
void slip_exact_renew(slip_exact *exact, slip_context *ctx);

/* Starts a segment: one mode for each contact (OPEN, STICK, SLIP_PLUS, SLIP_MINUS, CLOSED), and the limits
 * that forces which are not unique are kept at (SLIP_CLIP_..., NULL: none). The state is
 * taken to satisfy the constraints: of the coordinates that they determine, q and v are not read. A set of
 * modes is prepared when it is first used; up to 64 are kept, and starting one of them allocates nothing
 * but scratch for functions that switch. SLIP_ERROR_SOLVER when the modes do not determine the motion,
 * SLIP_STEP_UNDEFINED where a function of time has no value. */
int slip_exact_start(slip_exact *exact, const slip_mode *modes, const unsigned *clips, double t,
                     const double *q, const double *v);

/* Of the segments that are started from now on: the modes of the system's sliders, +1 or -1 where one slips,
 * 0 where it sticks. They are read at each start, and kept by the caller. */
void slip_exact_sliders(slip_exact *exact, const signed char *modes);

/* A clip of an open contact: where gaps depend on each other, this one is to be known best. */
enum { SLIP_EXACT_FIRST = 0x80 };

/* Of the segment that was just started: the gaps of open contacts, one for each contact, where they are known
 * better than from the coordinates. */
void slip_exact_gaps(slip_exact *exact, const double *gaps);

/* Of the segment that was just started, after all that is said of its start: whether every condition begins
 * positive, by a value or a first derivative that is known to many digits. False also where that was not
 * looked at (of wide sets). */
bool slip_exact_begins(slip_exact *exact);

/* Of the segment that was just started: this contact slips from rest, or opens from touching. Its slip
 * velocity is zero, or its gap and the gap's rate are, whatever rounding makes of belts, stops and velocities
 * that cancel. */
void slip_exact_from_zero(slip_exact *exact, int contact);

/* Of the segment that was just started: conditions count as zero at its start within this many times the
 * usual rounding errors, and those of a contact moreover by `unknown`, of each condition up to GAP: errors of
 * the slip's acceleration, of the friction force beside its limit, of the normal force, and of the gap's
 * acceleration. For a start whose state is less exact than the rows of the segment: forces that are not
 * unique are found from each other, and large ones cancel. The numbers stay where they are. */
typedef double slip_exact_unknown[4];
void slip_exact_forgive(slip_exact *exact, double factor, const slip_exact_unknown *unknown);

/* Of the segment that was just started: where the fastest part of the motion has died out, to rounding, it
 * goes on without it. Not after a change of modes: conditions that start at zero start there only in all
 * entries of y. */
void slip_exact_slow_down(slip_exact *exact);

/* How long to go on before that is tried: until that part should have died out, or, while it is not known
 * whether there is one, so long that it is worth finding out. Infinite where there is none. */
double slip_exact_patience(const slip_exact *exact);

/* The motion at a time not before the start (and not after the segment's first event, if it is to be true).
 * Any of the pointers may be NULL. */
void slip_exact_state(const slip_exact *exact, double t, double *q, double *v, double *a);

/* A small change of the state at the start of the running segment, q and v, becomes what it is a distance
 * later; what the constraints determine of it is not read. */
void slip_exact_carry(const slip_exact *exact, double distance, double *q, double *v);

/* Of every contact: slip velocity, normal force, friction force on the coordinates along the slip, gap. The
 * slip velocity of a contact that sticks and the gap of one that is closed are exactly zero. Any of the
 * pointers may be NULL. */
void slip_exact_contacts(const slip_exact *exact, double t, double *slip, double *normal, double *force,
                         double *gap);

/* Adds the works between two times of the segment, as slip_work has them; false when out of memory. Forces as
 * slip_step says; and q, v, a and these forces one behind the other, in an even number of numbers. */
bool slip_exact_works(const slip_exact *exact, double from, double to, double *works);
void slip_exact_forces(const slip_exact *exact, double t, double *forces);
void slip_exact_see(const slip_exact *exact, double t, double *seen);

/* The extremum of velocity i next to a time, about a quarter of a radian away at most. False where none was
 * found: it is further away, or the set of modes is wide. */
bool slip_exact_peak(const slip_exact *exact, int i, double t, double *time, double *value);

/* An upper estimate of the largest |eigenvalue| of this segment, loads included: in 1 / slip_exact_rate the
 * motion turns by about one radian at most. Zero: the motion is a polynomial. */
double slip_exact_rate(const slip_exact *exact);

/* The motion is found with least effort a whole number of these after the start: 1/128 to 1/64 of the time
 * above; or zero, any time. Of pieces of `steps` of these, for k = 1, 2, .. one after the other, the time, at
 * which the state then is at hand. */
double slip_exact_grain(const slip_exact *exact);
double slip_exact_walk(slip_exact *exact, int64_t k, int steps);

/* What must stay positive in a segment. */
typedef enum slip_exact_condition {
    SLIP_EXACT_SLIP,   /* slip velocity in the direction of the mode */
    SLIP_EXACT_HOLD,   /* static limit less the friction force of a contact that sticks; of a force that is
                        * kept at this limit, the multiplier that keeps it there (likewise of NORMAL) */
    SLIP_EXACT_NORMAL, /* normal force of a closed contact, or that of kind friction where it varies */
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

/* Whether a condition of the contact ended at the last event found (several can, to rounding, at once). */
bool slip_exact_ended(const slip_exact *exact, int contact);

#endif
