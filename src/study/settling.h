/* Has a motion settled? Judged from its states once a period alone.
 *
 * The state y_k after k periods follows a return map, y_(k+1) = P(y_k). Near a motion y* that repeats after m
 * periods the changes u_j = y_(j+1) - y_j over m periods (or over h m of them) are a sum of modes c_i l_i^j,
 * l_i the multipliers of the map. A change alone says little: complex modes make it oscillate, and fast modes
 * hide slow ones. Therefore a linear recurrence with the polynomial p is fitted to the changes over the later
 * half of the run (math/recurrence.h). It gives the motion that is approached,
 *
 *     y* = (a_0 y_j + ... + a_r y_(j+r)) / p(1),
 *
 * and with e_j = y_j - y* all deviations that are still to come, by the same recurrence. The bound is
 *
 *     max |e| (of the last stride, and of the 32 strides to come) |p(1)| / (|p(1)| - 3 s)  +  d (k/(h m) +
 * 1/|p(1)|)
 *
 * where s is the standard deviation of p(1): a decay that is too slow to be told from none gives no bound at
 * all. d is the change in a stride that the recurrence does not explain. It may go on for as long as the
 * motion has been followed, and it makes y* uncertain. Fits with all resolved modes and with fewer are
 * compared, and the least bound counts, since modes below the errors are unknown. A slow drift is bounded
 * separately (drift). Extra numbers, such as the largest velocity in a period, are not linear functions of
 * the state: the ratio of their deviation to their change in a period is taken from the state. */
#ifndef SLIP_STUDY_SETTLING_H
#define SLIP_STUDY_SETTLING_H

#include "system/symmetry.h"

enum { slip_settling_longest = 16 }; /* multiple of the period */

typedef struct slip_settling {
    int size;         /* of a state */
    int extra;        /* numbers that follow it: numbers of the period not smooth in the state (maxima) */
    int64_t capacity; /* states kept, in a ring */
    int64_t periods;  /* the number of the last state; -1 before the first */
    double noise;     /* relative errors of the states, at least rounding */
    int64_t look;     /* the number of the state at which they are judged next */
    int rarely;       /* then after this part of the periods so far, and one more */
    double *states, *scale, *work, *apart;
    /* States that differ by a shift which the system does not see are the same: the first numbers of every
     * `width` are coordinates. NULL: none are. The caller's, set after slip_settling_create. */
    const slip_symmetry *symmetry;
    int width;
} slip_settling;

/* What deviations are compared with: how large each number is now and was before, and a share of the largest
 * that it ever was; never less than what errors leave of it. `width` numbers each; a state has them at one or
 * more instants. */
typedef struct slip_settling_sizes {
    int width;
    const double *now, *before, *largest; /* before: NULL, there is none */
    double share, error;                  /* error: of the integration, absolute */
} slip_settling_sizes;

/* Estimate for the approach to a motion with a given period. */
typedef struct slip_settling_estimate {
    double error;         /* bound of the deviation from that motion, now and later; infinite: not known */
    double amplification; /* the deviation over the change per period; NAN where noise hides it */
    double decay; /* of the deviation in a period, as an exponent; NAN where it is not known or none */
} slip_settling_estimate;

/* False when out of memory. `within`: the most periods that there will be; `first`, the state at which it is
 * judged for the first time, and `rarely` as above. */
bool slip_settling_create(slip_settling *settling, int size, int extra, int64_t within, int64_t first,
                          int rarely);
void slip_settling_free(slip_settling *settling);

/* The place for the next state, which counts from slip_settling_keep on. */
double *slip_settling_next(const slip_settling *settling);
void slip_settling_keep(slip_settling *settling);

/* Keeps every second state, from the first on: a period is twice as long from then on. All of them are known.
 */
void slip_settling_halve(slip_settling *settling);

/* The largest change between the last state and the one `periods` before, over the scales; infinite when that
 * is not known (any more). */
double slip_settling_change(const slip_settling *settling, int64_t periods);

void slip_settling_compare(slip_settling *settling, const slip_settling_sizes *sizes, double tolerance);

/* Whether the motion still settles: over the multiple of the period with the smallest changes either these
 * fall or grow, the largest in the last quarter of the run less than half or more than twice of the largest
 * in the quarter before, or the fit has a decay. The first holds as long as a motion settles, the second
 * finds slow decays, but comes and goes with errors of the states. Growing changes: it leaves an unstable
 * motion. */
bool slip_settling_is_on_its_way(slip_settling *settling);

slip_settling_estimate slip_settling_estimate_error(slip_settling *settling, int multiple);

/* Whether the last state is the one so many periods before, as it is in a motion that is known to repeat to
 * within the tolerance. */
bool slip_settling_repeats(const slip_settling *settling, int multiple, double tolerance);

/* Whether it is time to judge. */
bool slip_settling_is_due(const slip_settling *settling);
/* The smallest multiple of the period with which the state repeats to within the tolerance, or 0. The
 * estimate is that of the multiple, or of 1. */
int slip_settling_find(slip_settling *settling, double tolerance, slip_settling_estimate *estimate);

#endif
