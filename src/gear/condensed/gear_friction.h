/* Friction of many contacts at once: forces that obey the law at the slip velocities that result from them.
 *
 * With the response V (symmetric, positive semidefinite) of the slip to the forces, the slip w0 without them,
 * and the normal force N_s of each contact, whose slip w_s and force t_s have two components across the
 * normal,
 *
 *     w = w0 + V t,    t_s = -N_s f(|w_s|) w_s/|w_s|.
 *
 * Where the law f does not decrease with slip there is one solution, whatever its slope. The unknowns are z_s
 * = w_s - v_s t_s, v_s the larger eigenvalue of V_ss. The scalar equation |w| + v N f(|w|) = |z| gives w_s
 * and t_s, with derivatives between 0 and 1 in stick and in slip alike, and
 *
 *     w(z) - V t(z) - w0 = 0
 *
 * is solved by Newton's method. Where Newton's method does not converge, Gauss-Seidel sweeps over the
 * contacts take over: each decreases the energy (t.V t)/2 + w0.t + (conjugate of the potential of the law).
 */
#ifndef SLIP_GEAR_CONDENSED_GEAR_FRICTION_H
#define SLIP_GEAR_CONDENSED_GEAR_FRICTION_H

#include "law/law.h"

enum { SLIP_FRICTION_FOUND = -1, SLIP_FRICTION_OPEN = -2 };

/* laws: of each contact; answer: V, 2 count x 2 count; slip: w0; force: the initial guess, then the solution
 * t. numbers and pivots: scratch (slip_friction_numbers, 2 count). Returns SLIP_FRICTION_FOUND,
 * SLIP_FRICTION_OPEN where no solution was found, or the index of the contact at which the law gave no finite
 * number. */
int slip_friction_solve(const slip_law_kernel *const *laws, int count, const double *answer,
                        const double *normal, const double *slip, double *force, double *numbers,
                        int *pivots);
int64_t slip_friction_numbers(int count);

/* The scalar equation: w >= 0 with w + push f(w) = size, both positive, by Newton's method between bounds.
 * *slope: of f there. NAN where the law gave no finite number. */
double slip_friction_slip(const slip_law_kernel *law, double push, double size, double *slope);

#endif
