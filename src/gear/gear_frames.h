/* Frames of reduced gears: displacements and stresses of their whole meshes.
 *
 * With the modes in use q and the amplitudes a of the attachment modes, unit loads B on nodes of the flanks,
 *
 *     u = Phi q + Psi a,    Psi = (K^-1 - Phi Lambda^-1 Phi^T) B,
 *       = Phi (q - Lambda^-1 Phi^T B a) + K^-1 B a:
 *
 * the shapes of the modes are stored in the reduced body, and K^-1 B a is one static solution of the mesh for
 * each frame. The stiffness matrix of the whole mesh has to be factorised for it, which takes memory and
 * time. */
#ifndef SLIP_GEAR_GEAR_FRAMES_H
#define SLIP_GEAR_GEAR_FRAMES_H

#include "gear/body/gear_pair.h"

typedef struct slip_gear_frames slip_gear_frames;

/* A gear that frames show. */
typedef struct slip_gear_subject {
    const slip_gear_options *gear;
    const slip_reduced *body;
    int modes;                    /* in use */
    const slip_gear_wheel *wheel; /* NULL: no flank of it takes loads */
} slip_gear_subject;

/* What the subjects point to must outlive the frames. */
int slip_gear_frames_create(slip_context *ctx, int count, const slip_gear_subject *subjects,
                            slip_gear_frames **frames);
void slip_gear_frames_destroy(slip_gear_frames *frames); /* takes NULL */
SLIP_OWNED(slip_gear_frames, slip_gear_frames_destroy)

/* For each frame and gear k, in this order: set its angle (rad), axis (m) and modes q; set the loads a of
 * each flank (3 numbers a node, in the flank's frame); solve for what a frame shows of it, which is valid
 * until the gear is placed again. */
void slip_gear_frames_place(slip_gear_frames *frames, int k, double angle, const double centre[2],
                            const double *q);
void slip_gear_frames_load(slip_gear_frames *frames, int k, int flank, const double *amplitude);
int slip_gear_frames_solve(slip_context *ctx, slip_gear_frames *frames, int k, slip_gear_shown *to);

#endif
