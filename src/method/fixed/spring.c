/* Contacts of whole bodies that springs press on, in place of rigid ones. With the overlap d = -gap their
 * normal force is
 *
 *     F = k d^n (1 + c d')   where d > 0, and not less than 0,
 *
 * taken at the point a of the step: d = -(g_0 + a h r), d' = -r with the rate r = a r_1 + (1 - a) r_0 of the
 * gap. So it is implicit, and no step is too long for a stiff spring. About the rate r_j that was found last,
 * the impulse of the step is P + S (r - r_j), S = h dF/dr, but not less than 0. That is a normal row that
 * yields,
 *
 *     p >= 0,    y + p/s >= 0,    p (y + p/s) = 0,    s = -a S,    y = r_1 + ((1 - a) r_0 - r_j)/a - P/s:
 *
 * 1/s is added to the diagonal of G. Of a plain spring (n = 1, c = 0) it is exact at once, else it is
 * Newton's method, in the turns in which laws settle. With a = 1/2 such a spring gives back what it took, but
 * for the two steps in which it begins and ends, an error of the order of h^2. */
#include "method/fixed/fixed.h"

#include <math.h>

/* F and dF/dr at an overlap and a rate of the gap; `ahead` is a h. */
static double press(const double spring[3], double overlap, double rate, double ahead, double *slope)
{
    const double k = spring[0], n = spring[1], c = spring[2], drag = 1 - c * rate;
    if (n == 1 && c == 0) { /* the row itself is not less than 0 */
        *slope = -k * ahead;
        return k * overlap;
    }
    *slope = 0;
    if (!(overlap > 0) || !(drag > 0))
        return 0;
    const double power = k * pow(overlap, n - 1);
    *slope = -power * (n * ahead * drag + c * overlap);
    return power * overlap * drag;
}

bool slip_fixed_spring_row(const slip_fixed *f, int c, double *shift, double *give)
{
    const slip_fixed_contact *own = &f->contacts[c];
    const int d = own->normal;
    const double a = f->theta, h = f->matrices.h, rate = slip_fixed_moves(f, SLIP_FIXED_POINT, d, f->at_v);
    double slope;
    const double force = press(own->spring, -(own->gap + a * h * rate), rate, a * h, &slope),
                 s = -a * h * slope;
    if (!(s * slip_fixed_gram(f, d) > 1e-14))
        return false;
    *shift = ((1 - a) * own->gap_rate - rate) / a - h * force / s;
    *give = 1 / s;
    return true;
}

double slip_fixed_spring_force(const slip_fixed *f, int c, double t)
{
    const double overlap = -slip_system_gap(f->system, f->work, c, t, f->at_q),
                 rate = slip_system_gap_rate(f->system, f->work, c, t, f->at_q, f->at_v);
    double slope;
    return fmax(0, press(f->contacts[c].spring, overlap, rate, 0, &slope));
}
