/* Kinds of structures: a new one is a file and a row of slip_structures.
 *
 * A structure is what a system is without loads and contacts: a mass matrix and forces of its own. All have
 * constant matrices M, C, K (which may be zero) and what a kind adds to them; functions that are NULL add
 * nothing. */
#ifndef SLIP_SYSTEM_STRUCTURE_H
#define SLIP_SYSTEM_STRUCTURE_H

#include "system/system.h"

/* Energies now. With T = T2 + T1 + T0, by powers of the velocities, and forces Q of loads and contacts,
 *
 *     d/dt (T + V) = Q . v - v . dD/dv - dL/dt + d/dt (T1 + 2 T0):
 *
 * the last two are what moves a frame. */
typedef struct slip_energies_now {
    double kinetic, potential; /* potential: with that of springs */
    double frame;              /* T1 + 2 T0 */
} slip_energies_now;

struct slip_structure {
    const char *name;
    /* When the system is finished: makes matrices and forces, which stand among the loads (`structural`), and
     * says which kind it turned out to be; notes the largest scratch memory of expressions. */
    int (*derive)(slip_context *ctx, slip_system *system);
    /* Of a mass matrix that varies (system->varying_mass): it and its inverse at t and q, into the workspace;
     * adds
     * -(dM/dx) a to the derivatives f_q (n x n) and f_t (n) of the force, with the slots filled. */
    void (*place)(const slip_system *system, slip_workspace *workspace, double t, const double *q);
    void (*differentiate)(const slip_system *system, slip_workspace *workspace, const double *a, double *f_q,
                          double *f_t);
    /* For the account of energies; NULL: what the matrices say. Powers are -dL/dt and v . dD/dv. */
    void (*energies)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                     const double *v, slip_energies_now *now);
    void (*powers)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                   const double *v, double *driven, double *dissipated);
    /* After something was not finite: fails where the structure is to blame. The slots are filled. */
    int (*diagnose)(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                    const double *q);
    void (*destroy)(slip_system *system);
};

extern const slip_structure slip_structure_linear, slip_structure_energy;
extern const slip_structure *const slip_structures[]; /* a NULL ends the list */

#endif
