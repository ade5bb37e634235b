/* The linear recurrence that a sequence of vectors obeys,
 *
 *     u_(j+r) + a_(r-1) u_(j+r-1) + ... + a_0 u_j = 0,
 *
 * found from more equations than unknowns (Prony's method; the vector form is the minimal polynomial
 * extrapolation of S. Cabay and L. W. Jackson, SIAM J. Numer. Anal. 13, 1976). A sum of r modes c_i l_i^j
 * obeys the one whose polynomial p(z) = z^r + a_(r-1) z^(r-1) + ... has the l_i as its roots, whatever the
 * vectors c_i are: dips, rotation and decays of different rates are all in it. */
#ifndef SLIP_MATH_RECURRENCE_H
#define SLIP_MATH_RECURRENCE_H

enum { slip_recurrence_longest = 8 };

typedef struct slip_recurrence {
    int order;
    double a[slip_recurrence_longest + 1]; /* a[order] = 1 */
    double sum;                            /* p(1) */
    double sum_error;                      /* its standard deviation, from the residuals */
    double residual; /* largest |.| of the left side in the later half of the equations */
} slip_recurrence;

/* How many doubles of work space the fit needs. */
int slip_recurrence_numbers(int size, int count);

/* Fits vectors[count][size] with all orders from 1 on, fits[0] and so on, of which there is room for
 * slip_recurrence_longest. Each equation is weighted by the inverse of the size of its vectors, so that a
 * sequence that has shrunk by decades is followed to its end; `noise` is the size below which numbers mean
 * nothing. Returns the lowest order that leaves no more than twice the residual of the best; 0 when there are
 * too few vectors (3 at least). */
int slip_recurrence_fit(int size, int count, const double *vectors, double noise, double *work,
                        slip_recurrence *fits);

#endif
