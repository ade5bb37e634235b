/* Laws with memory in a step, whose states belong to the slip of that step.
 *
 * With the slip velocity x at the point a of the step, the states of a law move from z_0 to z_1 by
 *
 *     z_1 = z_0 + h g(x, z_a),   z_a = a z_1 + (1 - a) z_0,
 *
 * and sliders stop at their limits, z_1 = the nearest to z_0 + h x within +-limit; a limit that varies is
 * that of the end, continued from those at the beginning and at the point where laws hold. So z_a is a
 * function of x, and with it the force: within a step such a law is one of the slip velocity alone, with the
 * slope f_x + f_z dz_a/dx. */
#ifndef SLIP_METHOD_MEMORY_H
#define SLIP_METHOD_MEMORY_H

#include "system/system.h"

typedef struct slip_memory_step {
    const slip_system *system;
    slip_workspace *work; /* with the laws tuned where they hold */
    double h;
    double part, tuned; /* a; where laws are tuned */
    bool at_end; /* forces are those of z_1 and of the slip velocity x + lead (x - past) at the end, else of
                  * z_a and x */
    double lead;
    const double *past;
    const double *before; /* velocities at the start of the step, with the states among them */
    double *room;         /* slip_memory_room for each of the n */
    double *limits; /* of sliders whose laws vary: at the beginning of the step, at its end; NULL: none do,
                     * or they are taken where laws hold */
} slip_memory_step;
enum { slip_memory_room = 6 };

/* Friction for unit normal force of any law at the slip velocity x, and its slope; of a law with memory its
 * states at the end of the step for that slip, among v. */
void slip_memory_force(const slip_memory_step *step, int contact, double x, double *force, double *slope);
void slip_memory_set(const slip_memory_step *step, int contact, double x, double *v);
/* The same in the plane: forces and their derivatives as those of a patch. */
void slip_memory_plane_force(const slip_memory_step *step, int contact, const double x[2], double T[3],
                             double D[9]);
void slip_memory_set_plane(const slip_memory_step *step, int contact, const double x[2], double *v);
/* The mode of a contact with sliders, by the states among v. */
slip_mode slip_memory_slider_mode(const slip_memory_step *step, int contact, double slip, const double *v);
/* The limits of sliders at the beginning of a step, where laws vary. */
void slip_memory_note_limits(const slip_memory_step *step, double t, const double *q);

#endif
