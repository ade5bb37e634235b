/* The field of a system: the unknowns of whole elastic bodies, thousands of them with sparse matrices. In q
 * and v they follow after the n coordinates and states. Only the tails of contacts and outputs refer to them;
 * expressions, records and dense matrices do not contain them. For each body
 *
 *     M u'' + (a M + b K + D) u' + K u = f(t) + sum over contacts tail_c lambda_c.
 *
 * For a body with a rotation phi (field d per radian), u is the displacement relative to that rotation. Then
 * m phi'', m = M d, is added on the left; the equation of phi gets the inertia force m . u'', and its mass
 * contains d . M d. */
#ifndef SLIP_SYSTEM_FIELD_H
#define SLIP_SYSTEM_FIELD_H

#include "math/sparse.h"
#include "system/system.h"

/* Nonlinear elastic forces of a body with large strains. Each workspace has an instance of its own. */
typedef struct slip_field_elastic {
    int (*open)(slip_context *ctx, const void *of, int threads, void **self); /* threads: 0 is all */
    void (*close)(void *self);
    /* The internal forces F at the displacements of its unknowns, and the energy (NULL: not wanted). */
    void (*forces)(void *self, const double *displacement, double *force, double *energy);
    /* The largest eigenvalue of M^-1 dF/du with lumped masses, in the undeformed body. */
    int (*eigenvalue)(slip_context *ctx, void *self, double *eigenvalue);
} slip_field_elastic;

typedef struct slip_field_body {
    const char *name;
    int64_t first, size; /* its unknowns */
    const slip_sparse *mass, *stiffness;
    const double *lumps;               /* a diagonal mass matrix in place of M, or NULL */
    const slip_field_elastic *elastic; /* nonlinear forces in place of K u, for the object `of`; NULL: K u */
    const void *of;
    const slip_sparse *dashpots; /* D, with no entry that K does not have; NULL without */
    const int64_t *group;        /* unknowns of one node (math/factor.h) */
    double damping[2];           /* a, b */
    const double *turn_mass;     /* m; NULL: no rotation */
    int turn;                    /* index of the coordinate phi */
} slip_field_body;

/* A load F s(t). */
typedef struct slip_field_load {
    const double *force;      /* F on all unknowns */
    slip_expression *history; /* s, of t alone; NULL: 1 */
} slip_field_load;

typedef struct slip_field {
    int64_t size;
    slip_field_body *bodies;
    int body_count;
    slip_field_load *loads;
    int load_count;
} slip_field;

/* Gives the system a field; to be called before contacts are added. Arrays and matrices are not copied and
 * must outlive the system, which becomes the owner of the histories, also when it fails. */
int slip_system_set_field(slip_context *ctx, slip_system *system, const slip_field *field);

/* The first body with large strains; NULL: there is none. */
const slip_field_body *slip_field_find_large(const slip_system *system);

/* Adds factor times the inertia coupling of a body and its rotation, applied to x (n numbers, then the
 * field), to `to`; nothing without a rotation. */
void slip_field_add_turn(const slip_system *system, const slip_field_body *body, double factor,
                         const double *x, double *to);

/* The loads at a time, on all unknowns. */
void slip_field_find_loads(const slip_system *system, slip_workspace *workspace, double t, double *force);

/* Adds the energies of the field; q and v: n numbers, then the field. The next two: the powers of its loads
 * and of its damping; v: the field alone. */
void slip_field_add_energies(const slip_system *system, slip_workspace *workspace, const double *q,
                             const double *v, double *kinetic, double *potential);
double slip_field_power(const slip_system *system, slip_workspace *workspace, double t, const double *v);
double slip_field_dissipation(const slip_system *system, slip_workspace *workspace, const double *v);

/* ---- With lumped masses. */

/* Creates the working memory of elastic forces in a workspace, unless it exists. threads: 0 means all. */
int slip_field_open_elastic(slip_context *ctx, const slip_system *system, slip_workspace *workspace,
                            int threads);
void slip_field_close_elastic(slip_workspace *workspace);

/* The internal forces F of a body and, unless NULL, its energy. */
void slip_field_elastic_forces(slip_workspace *workspace, const slip_field_body *body,
                               const double *displacement, double *force, double *energy);

/* A bound of the largest eigenvalue of M^-1 K of a body, 2 % above what power iteration finds. */
int slip_field_find_eigenvalue(slip_context *ctx, slip_workspace *workspace, const slip_field_body *body,
                               double *eigenvalue);

/* Adds the energies that central differences with step h conserve. For linear forces the potential energy is
 * (q - h/2 v) . K (q + h/2 v)/2; for nonlinear ones it is conserved up to third order. */
void slip_field_add_lumped_energies(const slip_system *system, slip_workspace *workspace, double h,
                                    const double *q, const double *v, double *kinetic, double *potential);

#endif
