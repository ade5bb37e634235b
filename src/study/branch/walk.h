/* A walk along a branch, for the files that make it: `walk` goes from step to step; `step` has the steps,
 * `corner` goes on where the signature changes and no step succeeds, `between` locates changes between two
 * points, `compare` decides whether two points lie on one curve, `seen` recognises labels passed before. */
#ifndef SLIP_STUDY_BRANCH_WALK_H
#define SLIP_STUDY_BRANCH_WALK_H

#include "study/branch/branch.h"

/* The shortest step, and the first one, in units of the longest. */
static const double slip_walk_shortest = 1e-7, slip_walk_first = 0.1;

/* The length of leaps (over corners) is at most about half of this, whatever the length of steps. */
static const double slip_walk_leap_unit = 0.05;

/* If both halves of a period differ by less, the point is so close to a period doubling that changes there
 * are within the errors of the motion. */
static const double slip_walk_end_half = 1e-3;

/* Names of tests for slip_branch_same_side: the pair of multipliers of a torus, the phase of the response,
 * the direction of the parameter; and, in a walk only, the difference between both halves of a period. */
enum { slip_walk_torus = 2, slip_walk_resonance = 3, slip_walk_fold = 4, slip_walk_two_halves = 5 };

/* Values of the tests at a point, and its distance from the last point. */
typedef struct slip_walk_past {
    double distance, smooth[3];
} slip_walk_past;

typedef struct slip_walk_seen slip_walk_seen;

typedef struct slip_walk {
    slip_orbit_branch *b;
    slip_branch_point here;
    slip_branch_point before; /* the last one with another signature */
    double step, longest;     /* the longest that it may become */
    int points;
    bool ended;
    bool fresh;               /* the last step has changed the signature */
    bool back;                /* the walk has come back to the corner at which this signature began */
    slip_branch_point corner; /* the first point with this signature, while it may be left the other way */
    double farthest;          /* largest distance from the start of the walk */
    double grown;             /* factor of the scales since the start */
    slip_walk_past past[2], middle; /* tests at earlier points with this signature, the nearest first; and at
                                       a point halfway in the step that is tried */
    int past_count;
    double *bend; /* curvature of the branch on the way to the last point, count + 2 numbers in the arena */
    double bend_p, bend_time; /* of that point; NAN: it is not known */
    slip_walk_seen *seen;     /* the labels that the walk has passed, in the arena */
    slip_arena *arena;
    slip_branch_doubling *doubled;
    int most, *count;
} slip_walk;

/* A change at a point: of the signature (test -1), or of the sign of a test. */
typedef struct slip_walk_happening {
    int test;
    double at; /* how far from the last point */
    slip_branch_point low, high;
    bool stable[2]; /* before and after it */
} slip_walk_happening;

/* compare.c: whether two points have the same signature; the cosine of the angle between their tangents. */
bool slip_walk_same(const slip_branch_point *a, const slip_branch_point *b);
double slip_walk_turn(const slip_branch_point *a, const slip_branch_point *b);
/* Puts a point in the place of another, which is freed; {0} is left. */
void slip_walk_put(slip_branch_point *to, slip_branch_point *from);
/* One of the numbers (count + 2) of the difference of two points, in units of the scales of the first. */
double slip_walk_between(const slip_walk *w, const slip_branch_point *from, const slip_branch_point *to,
                         int i);
/* The distance of a point from the last one along the tangent of the last one. */
double slip_walk_along(const slip_walk *w, const slip_branch_point *point);
/* The end of the range to which the tangent points. */
double slip_walk_bound(const slip_walk *w);
/* Gives the tangent of `to` the direction from `from` to it; and reverses a tangent. */
void slip_walk_head_on(const slip_orbit_branch *b, const slip_branch_point *from, slip_branch_point *to);
void slip_walk_turn_back(slip_branch_point *point);
/* Whether a point is close to the tangent of the last one and has nearly the same tangent. */
bool slip_walk_goes_straight(const slip_walk *w, const slip_branch_point *point, double length);
/* The value of the parameter at which a test is zero, interpolated from `count` pairs (p, test), which are
 * overwritten (Neville's scheme). */
double slip_walk_at_zero(int count, const double *test, double *p);
/* The same for a power of the test, from up to slip_walk_zero_most values; *doubt is the change by the last
 * of them. */
enum { slip_walk_zero_most = 4 };
double slip_walk_zero_of_power(int power, int count, const double *test, const double *p, double *doubt);
/* Norm of the difference between both halves of a motion of twice the period: zero at the doubling, where the
 * difference is reversed. */
double slip_walk_half(const slip_branch_point *point);
bool slip_walk_same_half(const slip_branch_point *a, const slip_branch_point *b);
/* The doubling of the branch of half the period that is next to a value of the parameter; NULL: there is
 * none. */
slip_branch_doubling *slip_walk_origin(const slip_walk *w, double p);
/* Sets *breaks if the last motion is its own mirror image half a period later, and the next one is not,
 * though its mirror image is a motion too (for example, where two equal stops are grazed at once and it hits
 * one of them). The branch of symmetric motions goes on with symmetric ones. */
int slip_walk_breaks(slip_walk *w, const slip_branch_point *next, bool *breaks);
/* Whether a test has the same sign at a point as at the last one. */
bool slip_walk_before(const slip_walk *w, const slip_branch_point *point, int test);

/* seen.c: stores a label that the walk passes at a point, with the signatures or tests that change there.
 * *again is +1 where the walk has passed the same motion the same way, -1 where it did so the other way, 0
 * where it has not. */
int slip_walk_pass(slip_walk *w, const char *type, double p, const char *from, const char *to,
                   const slip_branch_point *at, int *again);

/* between.c: pass a label, and a point, to the callbacks. */
int slip_walk_tell_label(slip_walk *w, const char *type, double p, const char *from, const char *to,
                         const char *note);
int slip_walk_tell_point(slip_walk *w, const slip_branch_point *point);
/* Bisection along the step from the last point (to `next`, where given): *low is the last point before the
 * change of the test, *high the first one after it, both freed by the caller; *at is the distance of *low. */
int slip_walk_locate(slip_walk *w, double length, int test, const slip_branch_point *next, double *at,
                     slip_branch_point *low, slip_branch_point *high);
/* Ends the walk at a value, with the reason. */
int slip_walk_end(slip_walk *w, double p, const char *note);
/* Reports a change before the next point; `after` is the first point after the change where there is one. */
int slip_walk_tell_change(slip_walk *w, const slip_walk_happening *what, const slip_branch_point *next,
                          const slip_branch_point *after);
/* Whether the signatures or the tests of two points of a step differ. */
bool slip_walk_more_happens(const slip_branch_point *a, const slip_branch_point *b);
/* Locates and reports the changes between the last point and the next, at the end of a step of this length.
 * Where the signature changes more than once, the next point is replaced by the first point after the first
 * change; where a test changes before the signature does, by the last point before the change of signature.
 * The length is updated. SLIP_STOPPED: the next point is on another branch; a shorter step may help. */
int slip_walk_look_between(slip_walk *w, double *length, slip_branch_point *next);

/* step.c: the motion at a distance from the last point along its tangent, as slip_branch_reach. */
int slip_walk_reach(slip_walk *w, double distance, slip_branch_point *to);
/* Whether a step of this length may be shortened where its changes cannot be resolved. */
bool slip_walk_may_cut(const slip_walk *w, double length);
/* Tries one step and shortens it until it succeeds. SLIP_STOPPED: no step does. */
int slip_walk_try_step(slip_walk *w, double *length, slip_branch_point *next);
/* Sets *back if the next point, found at a corner where the branch turns back, lies on the side that the walk
 * came from. Where the branch goes straight on, the signature of that side may occur again. */
int slip_walk_goes_back(const slip_walk *w, const slip_branch_point *next, bool *back);
/* Whether the step passes the point at which a branch of twice the period begins or ends. */
bool slip_walk_returns(const slip_walk *w, const slip_branch_point *next);

/* corner.c: where a branch turns back at a change of its signature, finds a point of the other side from the
 * form of the map or, for several events at once, by a search. SLIP_STOPPED: it is not found. */
int slip_walk_leap(slip_walk *w, slip_branch_point *next);
/* Moves the start of the period of a point away from events (slip_branch_leave_start). The search for changes
 * has left the model at another value of the parameter, so the point is found again first. The start stays
 * where the motion found is on the other side of a corner. */
int slip_walk_move_start(slip_walk *w, bool leave, slip_branch_point *point);
/* An event that begins at the very start of the period cannot be passed, for the state at the start is not
 * smooth there. Tries the same step with another start of the period; else the point is unchanged. */
int slip_walk_try_elsewhere(slip_walk *w, double *length, slip_branch_point *next);
/* Where a branch ends right after a corner, within the length of a leap, or comes back to it (`wherever`), it
 * was followed into the corner instead of away from it. True where the walk has been put back to the corner,
 * to leave it in the opposite direction. */
bool slip_walk_leave_corner(slip_walk *w, bool wherever);
/* Reports the changes before the next point, which has another signature, at the end of a step of this
 * length; 0: after a leap. Next point, length and SLIP_STOPPED as in slip_walk_look_between. */
int slip_walk_turn_corner(slip_walk *w, double *length, slip_branch_point *next);

#endif
