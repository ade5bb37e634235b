/* Kinds of structures: a new one is a file that defines its table of functions, and makes it that of a
 * system. One that a model file gives is read there too, and has its name in SLIP_GIVEN_STRUCTURES
 * (model/names.h).
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
    /* Memory of its own in a workspace (workspace->own), for what an evaluation writes; NULL: it needs none.
     */
    int (*open)(slip_context *ctx, const slip_system *system, slip_workspace *workspace);
    void (*close)(slip_workspace *workspace);
    /* Of a mass matrix that varies (system->varying_mass): it and its inverse at t and q, into the workspace.
     * A structure that can divide by its mass without the matrices only goes to that place, and fills them
     * when somebody asks (slip_system_fill). */
    void (*place)(const slip_system *system, slip_workspace *workspace, double t, const double *q);
    void (*fill)(const slip_system *system, slip_workspace *workspace);
    /* a = M^-1 (force - K q - C v) at the place where the workspace is; q NULL: M^-1 force. NULL: by the
     * inverse. */
    void (*divide)(const slip_system *system, slip_workspace *workspace, const double *force, const double *q,
                   const double *v, double *a);
    /* Adds forces of its own, beside K and C, to `force` and says how the contacts are that are its own
     * (slip_contact.of_structure). */
    void (*push)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                 const double *v, double *force);
    /* Adds the derivatives of these forces and, of a mass matrix that varies, of -M a, to f_q and f_v (n x n)
     * and f_t (n), with the slots filled. */
    void (*differentiate)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                          const double *v, const double *a, double *f_q, double *f_v, double *f_t);
    /* Of each of the n coordinates the deflection that counts, which errors are relative to; it is zero
     * before, and stays so where the motion itself is what counts. NULL: of none. */
    void (*deflections)(const slip_system *system, double *deflections);
    /* For the account of energies; NULL: what the matrices say. Powers are -dL/dt and v . dD/dv. */
    void (*energies)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                     const double *v, slip_energies_now *now);
    void (*powers)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                   const double *v, double *driven, double *dissipated);
    /* Of contacts of its own: by how much the state violates their laws, in the unit of their gaps. NULL: it
     * has none, or they cannot. */
    double (*judge)(const slip_system *system, slip_workspace *workspace, const double *q, const double *v);
    /* After something was not finite: fails where the structure is to blame. The slots are filled. */
    int (*diagnose)(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                    const double *q);
    void (*destroy)(slip_system *system);
    /* Of a structure with more state than q and v: the methods that move it, by the names that they have in
     * the table of methods (method/method.h); a NULL ends them. NULL: every method may. */
    const struct slip_method_type *const *methods;
    /* Methods that move it in place of those of the table with their names, beside all others; or NULL. */
    const struct slip_method_type *const *instead;
};

/* `modal`, bodies by vectors in rotating frames, is above in gear/train/train_structure.c, with `condensed`
 * and `bricks`, gears that one method moves; `gears`, two of them with methods of their own, in
 * gear/gear_motion.c. */
extern const slip_structure slip_structure_linear, slip_structure_energy, slip_structure_modal,
    slip_structure_condensed, slip_structure_bricks, slip_structure_gears;

#endif
