/* A walk along a branch, for the files that make it: `walk` goes from step to step; `step` has the steps,
 * `corner` what is done where none leads on, `between` what happens between two points, `compare` whether
 * they lie on one curve, `seen` what it has passed. */
#ifndef SLIP_STUDY_BRANCH_WALK_H
#define SLIP_STUDY_BRANCH_WALK_H

#include "study/branch/branch.h"

/* The shortest step, and the first one, in units of the longest. */
static const double slip_walk_shortest = 1e-7, slip_walk_first = 0.1;

/* Leaps go up to about half of this, however long steps are. */
static const double slip_walk_leap_unit = 0.05;

/* Halves of a period that differ by less are next to where the period doubles: what is found there is within
 * the errors of motions. */
static const double slip_walk_end_half = 1e-3;

/* Tests that are not those of slip_branch_same_side by their name there: the pair of multipliers of a torus,
 * the phase, the direction of the parameter, both halves of a period. */
enum { slip_walk_torus = 2, slip_walk_resonance = 3, slip_walk_fold = 4, slip_walk_two_halves = 5 };

/* Tests at a distance from the last point. */
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
    bool fresh; /* the last step has changed the signature */
    bool back;  /* it has come back to the corner from which it came to this signature */
    slip_branch_point
        corner;      /* the first one with this signature, as long as it may be left the other way too */
    double farthest; /* that it has been from its start */
    double grown;    /* the scales, over those at the start */
    slip_walk_past past[2], middle; /* with this signature: before, the nearest first; and ahead, in the step
                                       that is tried */
    int past_count;
    double *bend; /* how the tangent turns on the way to a point, count + 2 numbers in the arena */
    double bend_p, bend_time; /* of that point; NAN: it is not known */
    slip_walk_seen *seen;     /* the labels that it has passed, in the arena */
    slip_arena *arena;
    slip_branch_doubling *doubled;
    int most, *count;
} slip_walk;

/* What happens at a point: a change of the signature (test -1), or of a test. */
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
/* How far a point is from the last one along the tangent there. */
double slip_walk_along(const slip_walk *w, const slip_branch_point *point);
/* The end of the range to which the tangent leads. */
double slip_walk_bound(const slip_walk *w);
/* The tangent goes on in the direction from one point to the next; and goes the other way. */
void slip_walk_head_on(const slip_orbit_branch *b, const slip_branch_point *from, slip_branch_point *to);
void slip_walk_turn_back(slip_branch_point *point);
/* A point is where the tangent of the last one leads, and goes on as that does. */
bool slip_walk_goes_straight(const slip_walk *w, const slip_branch_point *point, double length);
/* The value at which a test is zero, from those at `count` values, which are overwritten (Neville's scheme).
 */
double slip_walk_at_zero(int count, const double *test, double *p);
/* The same of a power of the test, from up to slip_walk_zero_most values; *doubt is by how much the last of
 * them changes it. */
enum { slip_walk_zero_most = 4 };
double slip_walk_zero_of_power(int power, int count, const double *test, const double *p, double *doubt);
/* By how much both halves of a motion of twice the period differ. They are the same where it began, and
 * change places there. */
double slip_walk_half(const slip_branch_point *point);
bool slip_walk_same_half(const slip_branch_point *a, const slip_branch_point *b);
/* The doubling of the branch of half the period that is next to a value of the parameter; NULL: there is
 * none. */
slip_branch_doubling *slip_walk_origin(const slip_walk *w, double p);
/* The last motion is its own mirror image half a period later, and the next one is not, though its mirror
 * image is a motion too: where two equal stops are grazed at once, say, it hits one of them. Motions that are
 * their own mirror images go on as such. */
int slip_walk_breaks(slip_walk *w, const slip_branch_point *next, bool *breaks);
/* Whether a point still has a test of the last one. */
bool slip_walk_before(const slip_walk *w, const slip_branch_point *point, int test);

/* seen.c: passes a label at a point, with what changes there. *again is +1 where the walk has passed the same
 * motion the same way, -1 where it did so the other way, 0 where it has not. */
int slip_walk_pass(slip_walk *w, const char *type, double p, const char *from, const char *to,
                   const slip_branch_point *at, int *again);

/* between.c: tells a label, a point. */
int slip_walk_tell_label(slip_walk *w, const char *type, double p, const char *from, const char *to,
                         const char *note);
int slip_walk_tell_point(slip_walk *w, const slip_branch_point *point);
/* Bisection along the step from the last point, to the next where that is given: *low is the last that is as
 * before, *high the first that is not. Both are the caller's; *at is how far low is. */
int slip_walk_locate(slip_walk *w, double length, int test, const slip_branch_point *next, double *at,
                     slip_branch_point *low, slip_branch_point *high);
/* Ends the walk at a value, with the reason. */
int slip_walk_end(slip_walk *w, double p, const char *note);
/* Tells what happens before the next point, with `after` the first point after it where there is one. */
int slip_walk_tell_change(slip_walk *w, const slip_walk_happening *what, const slip_branch_point *next,
                          const slip_branch_point *after);
/* Something happens between two points of a step: their signatures or their tests differ. */
bool slip_walk_more_happens(const slip_branch_point *a, const slip_branch_point *b);
/* Locates and tells what happens between the last point and the next, at the end of a step of this length.
 * Where the signature changes more than once, the next point becomes the first after the first change; where
 * something else happens before it changes, the last before that, and the length is that to it. SLIP_STOPPED:
 * the next point is on another branch, and a shorter step may be on this one. */
int slip_walk_look_between(slip_walk *w, double *length, slip_branch_point *next);

/* step.c: the motion at a distance from the last point along its tangent, as slip_branch_reach. */
int slip_walk_reach(slip_walk *w, double distance, slip_branch_point *to);
/* A step of this length may be cut, where what happens on its way cannot be told. */
bool slip_walk_may_cut(const slip_walk *w, double length);
/* One step, as long as it takes to get there. SLIP_STOPPED: there is none. */
int slip_walk_try_step(slip_walk *w, double *length, slip_branch_point *next);
/* At a corner where the branch turns back the next point may be found on the side that it came from: *back.
 * Where it goes straight on the signature of that side comes again. */
int slip_walk_goes_back(const slip_walk *w, const slip_branch_point *next, bool *back);
/* The step passes the point at which a branch of twice the period begins or ends. */
bool slip_walk_returns(const slip_walk *w, const slip_branch_point *next);

/* corner.c: where a branch turns back at a change of its signature, the other side is found from how the map
 * goes on there or, where several events begin at once, looked for in all directions. SLIP_STOPPED: it is not
 * found. */
int slip_walk_leap(slip_walk *w, slip_branch_point *next);
/* What happened between the last two points has been looked at with another value of the parameter: the point
 * itself is found once more before its start moves. It stays where the motion is of the other side of a
 * corner from there. */
int slip_walk_move_start(slip_walk *w, bool leave, slip_branch_point *point);
/* An event that begins at the very instant at which the period starts cannot be passed, for the state at the
 * start changes its kind with it. The same step with the start elsewhere; the point stays as it was where
 * that is no use. */
int slip_walk_try_elsewhere(slip_walk *w, double *length, slip_branch_point *next);
/* Where a branch ends at once after a corner, no farther from it than leaps go, or comes back to it
 * (wherever), it went into the corner instead of away from it: true where it stands there again, to leave it
 * the other way.
 */
bool slip_walk_leave_corner(slip_walk *w, bool wherever);
/* Tells what happens before the next point, which has another signature, at the end of a step of this length;
 * 0: by a leap. Next point, length and SLIP_STOPPED as of slip_walk_look_between. */
int slip_walk_turn_corner(slip_walk *w, double *length, slip_branch_point *next);

#endif
