/* What friction along a slip does, by the dimension of the slip: one table of functions for a slip of one
 * direction (line.c), one for a vector, of a point in a plane or of an area that also spins (vector.c).
 * Whoever wants something of a contact asks its table, not what it is.
 *
 * Unless it says otherwise, what a function gives is that of contact c where the workspace is, with laws
 * tuned there. */
#ifndef SLIP_SYSTEM_FRICTION_H
#define SLIP_SYSTEM_FRICTION_H

#include "system/system.h"

/* Derivatives of the forces with respect to q and v (n x n, row by row) and t. */
typedef struct slip_force_derivatives {
    double *f_q, *f_v, *f_t;
} slip_force_derivatives;

struct slip_friction_type {
    /* The slip velocities, `dimension` of them. As one number: that of a line, the magnitude of a vector; and
     * what it is a sum of, the sizes of all parts, of which rounding errors are multiples. */
    void (*slips)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, double slip[3]);
    double (*slip)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                   const double *v);
    double (*slip_size)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                        const double *v);
    /* Their rates for given acceleration, and right after that the row of one of them. */
    void (*rates)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, const double *a, double rate[3]);
    const double *(*row)(const slip_system *system, const slip_workspace *work, int c, int part);

    /* For unit normal force: what stick holds; by how much that grows with the k-th of the parameters that
     * vary; what slip exerts as it begins; the coefficient of impulses. */
    double (*hold)(const slip_system *system, const slip_workspace *work, int c);
    double (*hold_by)(const slip_system *system, const slip_workspace *work, int c, int k);
    double (*slide)(const slip_system *system, const slip_workspace *work, int c);
    double (*impact)(const slip_system *system, const slip_workspace *work, int c);
    /* A slip velocity over which the force changes by much; infinite where there is none. */
    double (*width)(const slip_system *system, const slip_workspace *work, int c);
    /* What a contact is doing that slips with this velocity. And what one may do that touches, at rest or
     * with this slip velocity, in the order of preference: returns how many, at most three. */
    slip_mode (*sliding)(double slip);
    int (*modes)(const slip_contact *contact, bool resting, double slip, slip_mode *list);
    /* The forces along the slip velocities, for given states; and as one number: with its sign, of a vector
     * minus its magnitude. */
    const double *(*forces)(const slip_contact *contact, const slip_contact_state *state,
                            const slip_patch_state *patches);
    double (*force)(const slip_contact *contact, const slip_contact_state *state,
                    const slip_patch_state *patches);

    /* Slip velocities, normal force and friction by the law, into the workspace's states, and what they do to
     * the coordinates and to states of the law, added to `force`. The slots are filled. NULL: the kernels of
     * evaluate.c do it, which are compiled for the number of coordinates. */
    void (*evaluate)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                     const double *v, double *force);
    /* Adds the power on the coordinates, and what friction takes, the motion of belts included, for given
     * slip velocities and forces. */
    void (*power)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, const slip_contact_state *state, const slip_patch_state *patches,
                  double power[2]);
    /* By how much a force violates the law, relative to 1 + the normal force. Vectors are not judged where
     * `patches` is NULL. */
    double (*judge)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                    const double *v, double normal, double force, const slip_patch_state *patches);
    /* Adds the derivatives of the contact's forces and of the rates of its states. And the derivative of the
     * force along one slip velocity with respect to every slot, which leaves something in `scratch`. */
    void (*differentiate)(const slip_system *system, slip_workspace *work, int c,
                          const slip_force_derivatives *to);
    void (*gradient)(const slip_system *system, slip_workspace *work, int c, int part,
                     const slip_force_derivatives *scratch, double *gradient);

    /* Directions in which a contact that is closed, or sticks, does not move: from number `count` on; returns
     * how many there are then. The friction of one that slips over its normal force, along a slip velocity;
     * and all of it, as it comes with the normal force. */
    int (*collect)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                   bool closed, int count, double t, const double *q, const double *v, const double *a);
    double (*ratio)(const slip_system *system, const slip_workspace *work, int c, int part,
                    const slip_branch *branch, const slip_contact_state *state);
    void (*press)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch);
};

extern const slip_friction_type slip_friction_line, slip_friction_vector;

/* Between constrain.c and these: one direction, its row, the response M^-1 of its column row + ratio other,
 * and the rate to be cancelled. Of rows that are constant it is kept from the last evaluation. */
void slip_constrain_add(const slip_system *system, slip_workspace *work, int index, const double *row,
                        const double *other, double ratio, double rate, bool constant);

/* Between differentiate.c and these: adds factor times a gradient to the force on a coordinate. */
static inline void slip_add_gradient(int n, const double *gradient, double factor, int coordinate,
                                     const slip_force_derivatives *to)
{
    to->f_t[coordinate] += factor * gradient[0];
    for (int j = 0; j < n; j++) {
        to->f_q[coordinate * n + j] += factor * gradient[slip_slot_coordinate(j)];
        to->f_v[coordinate * n + j] += factor * gradient[slip_slot_velocity(n, j)];
    }
}

/* In how many directions of the state what differs is forgotten at most where the contact sticks or closes:
 * its slip velocities, its gap and the rate of that (contacts.c). */
int slip_contact_forgets(const slip_contact *contact);

#endif
