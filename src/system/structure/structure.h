/* Kinds of structures: a new one is a file that defines its table of functions, and makes it that of a
 * system. One that a model file gives is read there too, and has its name in SLIP_GIVEN_STRUCTURES
 * (model/names.h).
 *
 * A structure is a system without loads and contacts: a mass matrix and internal forces. Every structure has
 * constant matrices M, C, K (which may be zero) and the additional terms of its kind. Functions that are NULL
 * add nothing. */
#ifndef SLIP_SYSTEM_STRUCTURE_H
#define SLIP_SYSTEM_STRUCTURE_H

#include "system/system.h"

/* The present energies. With T = T2 + T1 + T0, by powers of the velocities, and forces Q of loads and
 * contacts,
 *
 *     d/dt (T + V) = Q . v - v . dD/dv - dL/dt + d/dt (T1 + 2 T0):
 *
 * the last two terms come from moving frames. */
typedef struct slip_energies_now {
    double kinetic, potential; /* potential: with that of springs */
    double frame;              /* T1 + 2 T0 */
} slip_energies_now;

struct slip_structure {
    const char *name;
    /* Called by slip_system_finish: makes matrices and forces, which are listed among the loads as
     * `structural`; may replace the structure by a simpler kind; records the scratch memory of expressions.
     */
    int (*derive)(slip_context *ctx, slip_system *system);
    /* Creates its working memory in a workspace (workspace->own); NULL: it needs none. */
    int (*open)(slip_context *ctx, const slip_system *system, slip_workspace *workspace);
    void (*close)(slip_workspace *workspace);
    /* For a mass matrix that varies (system->varying_mass). place: computes the matrix and its inverse at t
     * and q in the workspace. A structure with `divide` may only store t and q there, and computes the
     * matrices in `fill` when they are needed (slip_system_fill). */
    void (*place)(const slip_system *system, slip_workspace *workspace, double t, const double *q);
    void (*fill)(const slip_system *system, slip_workspace *workspace);
    /* a = M^-1 (force - K q - C v) at the workspace's t and q; q NULL: M^-1 force. Function NULL: by the
     * inverse. */
    void (*divide)(const slip_system *system, slip_workspace *workspace, const double *force, const double *q,
                   const double *v, double *a);
    /* Adds its forces, other than those of K and C, to `force`, and sets the contact states of its own
     * contacts (slip_contact.of_structure). */
    void (*push)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                 const double *v, double *force);
    /* Adds the derivatives of these forces and, of a mass matrix that varies, of -M a, to f_q and f_v (n x n)
     * and f_t (n), with the slots filled. */
    void (*differentiate)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                          const double *v, const double *a, double *f_q, double *f_v, double *f_t);
    /* Sets for each of the n coordinates a characteristic deflection, to which errors are relative; 0, the
     * value on entry: errors are relative to the motion itself. NULL: all 0. */
    void (*deflections)(const slip_system *system, double *deflections);
    /* For the energy balance; NULL: from the matrices. driven: -dL/dt; dissipated: v . dD/dv. */
    void (*energies)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                     const double *v, slip_energies_now *now);
    void (*powers)(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                   const double *v, double *driven, double *dissipated);
    /* The violation of the laws of its own contacts, in the unit of their gaps. NULL: it has none, or no
     * violation is possible. */
    double (*judge)(const slip_system *system, slip_workspace *workspace, const double *q, const double *v);
    /* Called when a number is not finite: fails if the structure is the cause. The slots are filled. */
    int (*diagnose)(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                    const double *q);
    void (*destroy)(slip_system *system);
    /* For a structure with more state than q and v: the methods that can move it, under their names in the
     * table of methods (method/method.h), ended by NULL. NULL: every method. */
    const struct slip_method_type *const *methods;
    /* Methods that replace those of the same name in the table; all others are possible too; or NULL. */
    const struct slip_method_type *const *instead;
};

/* Defined in other rooms: `modal` (reduced gears in rotating frames), and `condensed` and `bricks` (gears for
 * a single method) in gear/train/train_structure.c; `gears` (two gears with methods of their own) in
 * gear/gear_motion.c. */
extern const slip_structure slip_structure_linear, slip_structure_energy, slip_structure_modal,
    slip_structure_condensed, slip_structure_bricks, slip_structure_gears;

#endif
