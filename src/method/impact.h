/* Impacts: Newton's restitution for all contacts that touch at the same instant.
 *
 *     v+ = v- + M^-1 sum (W_n P_n + W_t P_t),   P_n >= 0,  g+ + e g- >= 0,  complementary,
 *
 * with g the rate of the gap. With impact friction Coulomb's law holds for the impulses: |P_t| <= mu P_n, and
 * where it slips afterwards the impulse opposes the slip; without it there is no tangential impulse. Impulses
 * that are not unique are shared like forces (system/share.c). */
#ifndef SLIP_METHOD_IMPACT_H
#define SLIP_METHOD_IMPACT_H

#include "method/modes/modes.h"

typedef struct slip_impact slip_impact;
int slip_impact_create(slip_context *ctx, const slip_system *system, slip_workspace *work,
                       slip_impact **impact);
void slip_impact_destroy(slip_impact *impact);

/* Contacts for which at_stop[c] is true have gap zero (closed ones and those that land). Changes v; contacts
 * that leave with a positive gap rate are no longer at the stop. P_n is added to *impulse (one for each
 * contact). Returns false when no consistent impulses exist. */
bool slip_impact_solve(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                       double *impulse);

/* The coefficient of friction of a contact for impulses, with the law parameters of `work`. */
double slip_impact_mu(const slip_system *system, const slip_workspace *work, int contact);

/* Whether the contact stuck in the last impact: its slip velocity afterwards is zero. */
bool slip_impact_stuck(const slip_impact *impact, int contact);

/* slip_impact_solve with restitution zero. */
bool slip_impact_plastic(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                         double *impulse);

/* Solves the last impact again for a neighbouring state, perhaps with other parameters (a system with the
 * same contacts). Each contact leaves, rebounds, slips or sticks as in the last impact, so that v after it is
 * a smooth function of the state before. The stored result of the last impact is kept. False where there is
 * none. */
bool slip_impact_follow(slip_impact *impact, const slip_system *system, slip_workspace *work, double t,
                        const double *q, double *v);

/* Sets the error that an impact has no solution, at a contact that lands. */
int slip_impact_fail(slip_context *ctx, const slip_contact *contact, double t);

#endif
