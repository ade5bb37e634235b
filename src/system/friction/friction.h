/* Friction by the dimension of the slip: one table of functions for a slip in one direction (line.c), one for
 * a vector, of a point in a plane or of an area that also spins (vector.c). Other code calls this table and
 * does not test the dimension.
 *
 * Functions without t, q, v refer to contact c at the workspace's present t, q, v, with the laws tuned there
 * (slip_system_tune). */
#ifndef SLIP_SYSTEM_FRICTION_H
#define SLIP_SYSTEM_FRICTION_H

#include "system/system.h"

/* Derivatives of the forces with respect to q and v (n x n, row by row) and t. */
typedef struct slip_force_derivatives {
    double *f_q, *f_v, *f_t;
} slip_force_derivatives;

struct slip_friction_type {
    /* slips: the slip velocities, `dimension` of them. slip: as one number, for a vector its magnitude.
     * slip_size: sum of the sizes of its terms, to which rounding errors are proportional. */
    void (*slips)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, double slip[3]);
    double (*slip)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                   const double *v);
    double (*slip_size)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                        const double *v);
    /* rates: rates of the slip velocities for given acceleration. row: of one slip velocity, after rates. */
    void (*rates)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, const double *a, double rate[3]);
    const double *(*row)(const slip_system *system, const slip_workspace *work, int c, int part);

    /* For unit normal force. hold: limit of stick; hold_by: its derivative by the k-th varying parameter;
     * slide: friction at the begin of slip; impact: coefficient of friction of impulses. */
    double (*hold)(const slip_system *system, const slip_workspace *work, int c);
    double (*hold_by)(const slip_system *system, const slip_workspace *work, int c, int k);
    double (*slide)(const slip_system *system, const slip_workspace *work, int c);
    double (*impact)(const slip_system *system, const slip_workspace *work, int c);
    /* A scale of slip velocity over which the force changes considerably; infinite if there is none. */
    double (*width)(const slip_system *system, const slip_workspace *work, int c);
    /* sliding: the contact mode for this slip velocity. modes: the possible modes of a closed contact, at
     * rest or with this slip velocity, in order of preference; returns their number, at most three. */
    slip_mode (*sliding)(double slip);
    int (*modes)(const slip_contact *contact, bool resting, double slip, slip_mode *list);
    /* forces: the forces along the slip velocities, from given states. force: as one number, with its sign;
     * for a vector minus its magnitude. */
    const double *(*forces)(const slip_contact *contact, const slip_contact_state *state,
                            const slip_patch_state *patches);
    double (*force)(const slip_contact *contact, const slip_contact_state *state,
                    const slip_patch_state *patches);

    /* Computes slip velocities, normal force and friction by the law into the workspace's contact states, and
     * adds the generalised forces on coordinates, and the rates of the law's states, to `force`. The slots
     * must be filled. NULL: the kernels of evaluate.c do this. */
    void (*evaluate)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                     const double *v, double *force);
    /* Adds power[0], the power of the contact on the coordinates, and power[1], the power lost by friction
     * (with the motion of belts), for given slip velocities and forces. */
    void (*power)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                  const double *v, const slip_contact_state *state, const slip_patch_state *patches,
                  double power[2]);
    /* The violation of the law by a force, relative to 1 + the normal force. Vectors are not judged if
     * `patches` is NULL. */
    double (*judge)(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                    const double *v, double normal, double force, const slip_patch_state *patches);
    /* differentiate: adds the derivatives of the contact's generalised forces and of the rates of its states.
     * gradient: derivative of the force along one slip velocity by every slot; overwrites `scratch`. */
    void (*differentiate)(const slip_system *system, slip_workspace *work, int c,
                          const slip_force_derivatives *to);
    void (*gradient)(const slip_system *system, slip_workspace *work, int c, int part,
                     const slip_force_derivatives *scratch, double *gradient);

    /* collect: adds the constraints of a closed or sticking contact, as numbers from `count` on; returns the
     * new count. ratio: friction over normal force of a slipping contact, along a slip velocity. press: after
     * the constraints are solved, sets this friction from the normal force. */
    int (*collect)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                   bool closed, int count, double t, const double *q, const double *v, const double *a);
    double (*ratio)(const slip_system *system, const slip_workspace *work, int c, int part,
                    const slip_branch *branch, const slip_contact_state *state);
    void (*press)(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch);
};

extern const slip_friction_type slip_friction_line, slip_friction_vector;

/* For `collect`: adds constraint `index` with its row, its column row + ratio other, and the rate to be
 * cancelled. constant: the response M^-1 column of the last evaluation may be reused. */
void slip_constrain_add(const slip_system *system, slip_workspace *work, int index, const double *row,
                        const double *other, double ratio, double rate, bool constant);

/* For `differentiate`: adds factor times a gradient to the derivatives of the force on a coordinate. */
static inline void slip_add_gradient(int n, const double *gradient, double factor, int coordinate,
                                     const slip_force_derivatives *to)
{
    to->f_t[coordinate] += factor * gradient[0];
    for (int j = 0; j < n; j++) {
        to->f_q[coordinate * n + j] += factor * gradient[slip_slot_coordinate(j)];
        to->f_v[coordinate * n + j] += factor * gradient[slip_slot_velocity(n, j)];
    }
}

/* The largest number of dimensions by which sticking or closing reduces the state: its slip velocities, its
 * gap and gap rate (contacts.c). */
int slip_contact_forgets(const slip_contact *contact);

#endif
