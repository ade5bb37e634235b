/* Friction of more than one dimension, of a point in a plane or of an area that also spins, as a block of a
 * contact problem. The slip velocity has the components x, y and (size of the area times) spin. The basis
 * spans the slip velocities that impulses can change:
 *
 *     w = across + sum of y_k basis_k,
 *
 * With the bounds S = slide load and H = hold load of the block, its law is
 *
 *     p_k = -S basis_k . T(w_a),   or   w = 0 and p within H times the limit surface.
 *
 * The direction of friction rotates with the slip. In a time step it may be taken at an intermediate slip w_a
 * = a w + (1-a) w_0 (`inside`), which makes the step of second order if it resolves the rotation:
 * perturbations of the slip are multiplied by (1 - (1-a) x)/(1 + a x), x = S G T'(w), which must not be
 * negative, or the slip would alternate. This is tested at the begin of the step. The law is taken at the end
 * of the step, a = 1, for slow slip under strong friction, for smooth laws near zero slip, for steps in which
 * the slip would reverse, and for stick.
 *
 * With r = a (y without p) + (1-a) y_0 slip is y_a = r - a S G t(w_a). Set-valued: y_a = L z
 * (patch/slide.c). A smooth law, and one that always slips because some slip velocity is given, is solved
 * by Newton's method for y_a. */
#ifndef SLIP_CONTACT_PLANE_H
#define SLIP_CONTACT_PLANE_H

#include "contact/problem.h"
#include "patch/patch.h"

/* A smooth law of the caller in place of a limit surface: friction T at the slip velocity w, at the fraction
 * a of the step, and its derivative, 3 x 3 (or NULL). Its direction is a smooth function of the slip, so it
 * may always be taken inside a step. */
typedef void (*slip_plane_law)(const void *user, double a, const double w[3], double T[3],
                               double *derivative);

typedef struct slip_plane {
    const slip_patch *surface;
    slip_plane_law law; /* in place of the surface; or NULL */
    const void *user;
    bool set_valued;
    int row, rank; /* its rows in the problem */
    double basis[9], across[3];
    double a, start[3]; /* w_0 */
    bool inside;        /* in: the law may be taken at w_a; out: it was */
    /* In: initial guess. Out: the impulses, including those that move nothing, and the direction of slip. */
    double impulse[3], z[3];
    double friction[3]; /* friction of slip in the direction z, components along the basis */
    bool stuck;
    /* A group: planes that can stick only together are solved as one, by the first one, the leader. */
    struct slip_plane *leader, *next; /* NULL where it leads; the next one of the group */
    slip_patch *sum;                  /* of the leader of a group: sum of their limit surfaces */
    bool together;                    /* of the leader: the group is solved as one in this problem */
} slip_plane;

/* Whether the plane leads a group that is solved as one; whether it is another member of one. */
static inline bool slip_plane_leads(const slip_plane *plane)
{
    return plane->sum && plane->together;
}
static inline bool slip_plane_follows(const slip_plane *plane)
{
    return plane->leader && plane->leader->together;
}

/* Splits a slip velocity into components along the basis and `across`. Returns whether the latter is zero. */
bool slip_plane_divide(const slip_plane *plane, const double slip[3], double *along, double across[3]);

/* Whether the law may be taken inside the step, see above; the test keeps a factor of two below the limit of
 * stability. rows: of the problem; p: their impulses (only normal ones count); gram: G of the plane's own
 * rows, rank x rank. */
bool slip_plane_resolves(const slip_plane *plane, const slip_block *rows, const double *p,
                         const double *gram);

/* Solves a plane, or a group, given the velocities y that it would have without its own impulses, and stores
 * the impulses in p. False where no solution was found. */
bool slip_plane_solve(slip_plane *plane, const slip_block *rows, const double *gram, const double *y,
                      double *p);

/* The judge, see slip_block_residual; hold and slide with the load, p and y of the plane's rows. */
double slip_plane_residual(const slip_plane *plane, double g, double hold, double slide, const double *p,
                           const double *y);

#endif
