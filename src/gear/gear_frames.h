/* Frames of reduced gears: their whole meshes again, with stress.
 *
 * With the modes in use q and the amplitudes a of the attachment modes, unit loads B on nodes of the flanks,
 *
 *     u = Phi q + Psi a,    Psi = (K^-1 - Phi Lambda^-1 Phi^T) B,
 *       = Phi (q - Lambda^-1 Phi^T B a) + K^-1 B a:
 *
 * the shapes of the modes are in the reduced body, and the rest is one static solution of the mesh for each
 * frame. The stiffness of the whole meshes is factorised for that, which takes memory and time of its own.
 */
#ifndef SLIP_GEAR_GEAR_FRAMES_H
#define SLIP_GEAR_GEAR_FRAMES_H

#include "gear/body/gear_pair.h"

typedef struct slip_gear_frames slip_gear_frames;

/* A gear that is to be seen. */
typedef struct slip_gear_subject {
    const slip_gear_options *gear;
    const slip_reduced *body;
    int modes;                    /* in use */
    const slip_gear_wheel *wheel; /* NULL: no flank of it takes loads */
} slip_gear_subject;

/* What subjects point to has to stay. */
int slip_gear_frames_create(slip_context *ctx, int count, const slip_gear_subject *subjects,
                            slip_gear_frames **frames);
void slip_gear_frames_destroy(slip_gear_frames *frames); /* takes NULL */
SLIP_OWNED(slip_gear_frames, slip_gear_frames_destroy)

/* Then, for each frame: where a gear is and its modes; the loads a of its flanks (3 numbers for each node, in
 * the flank's frame); and what is seen of it, which holds until the gear is placed again. */
void slip_gear_frames_place(slip_gear_frames *frames, int k, double angle, const double centre[2],
                            const double *q);
void slip_gear_frames_load(slip_gear_frames *frames, int k, int flank, const double *amplitude);
int slip_gear_frames_solve(slip_context *ctx, slip_gear_frames *frames, int k, slip_gear_shown *to);

#endif
