/* Friction of more than one dimension, of a point in a plane or of an area that also spins, as a block of a
 * contact problem. In units of the area (x, y, size times spin) and along a basis of the slip velocities that
 * impulses can change, the slip velocity is
 *
 *     w = across + sum of y_k basis_k,
 *
 * and the block's law, with S = slide load and H = hold load of the block,
 *
 *     p_k = -S basis_k . T(w_a),   or   w = 0 and p within H times the limit surface.
 *
 * The direction of friction turns with the slip, so that in a time step it may be that of w_a = a w + (1-a)
 * w_0 inside it (`inside`), which makes the step of second order, as long as the step resolves the turning:
 * the slip is multiplied by (1 - (1-a) x)/(1 + a x), x = S G T'(w), which must not be negative, or the slip
 * would alternate. That is looked at where the step begins. Slow slip under strong friction, smooth laws near
 * rest, and steps in which the slip would turn back have the law at the end of the step, a = 1, and so has
 * stick.
 *
 * With r = a (y without p) + (1-a) y_0 slip is y_a = r - a S G t(w_a). Set-valued: y_a = L z
 * (patch/slide.c). A smooth law, and one that always slips because some slip velocity is given, is solved
 * by Newton's method for y_a. */
#ifndef SLIP_CONTACT_PLANE_H
#define SLIP_CONTACT_PLANE_H

#include "contact/problem.h"
#include "patch/patch.h"

/* A law of the caller's own in place of a surface: friction of the slip velocity w at `a` of the step, and
 * its derivative (or NULL), 3 x 3. It is smooth, and its direction does not leap with that of the slip: it
 * may always hold inside a step. */
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
    bool inside;        /* in: the law may hold at w_a; out: it does */
    /* In: where to start. Out: the impulses, those that move nothing too, and the direction of slip. */
    double impulse[3], z[3];
    double friction[3]; /* of slip along z, along the basis */
    bool stuck;
    /* Planes that can only come to rest together are solved as one, by the first of them. */
    struct slip_plane *leader, *next; /* NULL where it leads; the next one of the group */
    slip_patch *sum;                  /* of a leader that is not alone: their surfaces */
    bool together;                    /* of a leader: what is added to the rows agrees */
} slip_plane;

/* Whether it is solved with those after it. */
static inline bool slip_plane_leads(const slip_plane *plane)
{
    return plane->sum && plane->together;
}
static inline bool slip_plane_follows(const slip_plane *plane)
{
    return plane->leader && plane->leader->together;
}

/* The part of a slip velocity along the basis; *across is what is left. Returns whether that is nothing. */
bool slip_plane_divide(const slip_plane *plane, const double slip[3], double *along, double across[3]);

/* Whether the law may hold inside the step, see above; half of what stability needs. `rows` are the
 * problem's, p their impulses (of which those along gaps count), `gram` is G of the plane's own rows, rank x
 * rank. */
bool slip_plane_resolves(const slip_plane *plane, const slip_block *rows, const double *p,
                         const double *gram);

/* The impulses of a plane, or a group, for the velocities y that it would have without them; they are put
 * into p. False when none were found. */
bool slip_plane_solve(slip_plane *plane, const slip_block *rows, const double *gram, const double *y,
                      double *p);

/* The judge, see slip_block_residual; hold and slide with the load, p and y of the plane's rows. */
double slip_plane_residual(const slip_plane *plane, double g, double hold, double slide, const double *p,
                           const double *y);

#endif
