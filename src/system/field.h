/* The field of a system: the unknowns of whole elastic bodies, thousands of them with sparse matrices. In q
 * and v they stand behind the n coordinates and states; nothing but tails of contacts and outputs reads them,
 * so that expressions, records and all that is dense go on as if they were not there. Of body b
 *
 *     M u'' + (a M + b K + D) u' + K u = f(t) + sum over contacts tail_c lambda_c.
 *
 * Of a body that turns by a coordinate phi, u is against what turns: m phi'' stands on the left too, m = M d
 * of its rotation d, and m . u'' among the forces of inertia on phi, whose mass has d . M d. */
#ifndef SLIP_SYSTEM_FIELD_H
#define SLIP_SYSTEM_FIELD_H

#include "math/sparse.h"
#include "system/system.h"

/* Elastic forces that are not linear, of a body with large strains. What they need to write is in an instance
 * of its own for each workspace. */
typedef struct slip_field_elastic {
    int (*open)(slip_context *ctx, const void *of, int threads, void **self); /* threads: 0 is all */
    void (*close)(void *self);
    /* The forces F that the displacements of its unknowns need, and the energy (NULL: not wanted). */
    void (*forces)(void *self, const double *displacement, double *force, double *energy);
    /* The largest eigenvalue of M^-1 dF/du with lumped masses, where it is not displaced. */
    int (*eigenvalue)(slip_context *ctx, void *self, double *eigenvalue);
} slip_field_elastic;

typedef struct slip_field_body {
    const char *name;
    int64_t first, size; /* its unknowns */
    const slip_sparse *mass, *stiffness;
    const double *lumps;               /* a diagonal mass matrix in place of M; NULL: there is none */
    const slip_field_elastic *elastic; /* in place of K u, of `of`; NULL: K u */
    const void *of;
    const slip_sparse *dashpots; /* D, with no entry that K does not have; NULL without */
    const int64_t *group;        /* unknowns of one node (math/factor.h) */
    double damping[2];           /* a, b */
    const double *turn_mass;     /* m; NULL: it does not turn */
    int turn;                    /* phi among the coordinates */
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

/* Gives the system a field, before its contacts are added. Lists and matrices are not copied and outlive it;
 * it takes over the histories, also when it fails. */
int slip_system_set_field(slip_context *ctx, slip_system *system, const slip_field *field);

/* The first body with large strains; NULL: there is none. */
const slip_field_body *slip_field_find_large(const slip_system *system);

/* Adds the factor times the inertia between a body and the coordinate that it turns with, of x with the n
 * before the field; nothing where it does not turn. */
void slip_field_add_turn(const slip_system *system, const slip_field_body *body, double factor,
                         const double *x, double *to);

/* The loads at a time, on all unknowns. */
void slip_field_find_loads(const slip_system *system, slip_workspace *workspace, double t, double *force);

/* Adds the energies of the field, q and v with the n before it. The powers of its loads, and of its damping;
 * v is its own. */
void slip_field_add_energies(const slip_system *system, slip_workspace *workspace, const double *q,
                             const double *v, double *kinetic, double *potential);
double slip_field_power(const slip_system *system, slip_workspace *workspace, double t, const double *v);
double slip_field_dissipation(const slip_system *system, slip_workspace *workspace, const double *v);

/* ---- With lumped masses. */

/* Gives a workspace what elastic forces need; does nothing where it has that. */
int slip_field_open_elastic(slip_context *ctx, const slip_system *system, slip_workspace *workspace,
                            int threads);
void slip_field_close_elastic(slip_workspace *workspace);

/* F of the displacements of a body and, unless NULL, their energy. */
void slip_field_elastic_forces(slip_workspace *workspace, const slip_field_body *body,
                               const double *displacement, double *force, double *energy);

/* A bound of the largest eigenvalue of M^-1 K of a body, 2 % above what power iteration finds. */
int slip_field_find_eigenvalue(slip_context *ctx, slip_workspace *workspace, const slip_field_body *body,
                               double *eigenvalue);

/* Adds the energies that steps h of central differences keep: of linear forces (q - h/2 v) . K (q + h/2 v)/2
 * is the potential one, of others the same with an error of the third order. */
void slip_field_add_lumped_energies(const slip_system *system, slip_workspace *workspace, double h,
                                    const double *q, const double *v, double *kinetic, double *potential);

#endif
