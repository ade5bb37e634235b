/* Static flexibility between the flanks of a reduced gear that is held at its bore.
 *
 * With all modes of the body G = Phi Lambda^-1 Phi^T + G_r is K^-1 of the whole mesh between nodes of two
 * flanks of the same side (right or left), for teeth up to `reach` apart: so far the body has the coupling of
 * attachment vectors. G depends only on the number of teeth p between the flanks. Between all other flanks
 * G_r is neglected. */
#ifndef SLIP_GEAR_STATICS_GEAR_FLEXIBILITY_H
#define SLIP_GEAR_STATICS_GEAR_FLEXIBILITY_H

#include "gear/body/gear_pair.h"

enum { slip_gear_reach_max = 3 };

typedef struct slip_gear_flexibility {
    slip_arena arena;
    const slip_gear_wheel *gear;
    int teeth, reach;
    double *apart[slip_gear_reach_max + 1]; /* G for a right flank, loaded on the right flank p teeth before
                                               it: size square, row by row */
    double *amplitude;                      /* scratch: of the modes */
} slip_gear_flexibility;

/* The gear must use all modes of its body; the body must be cyclic and have attachment vectors. */
int slip_gear_flexibility_create(slip_context *ctx, const slip_gear_wheel *gear,
                                 slip_gear_flexibility *flexibility);
void slip_gear_flexibility_free(slip_gear_flexibility *flexibility);

/* to += G force: displacement (m) of node i of flank `at` by a force (N) on node k of flank `by`, each in the
 * frame of its own flank. Where modes couple the flanks, the gear's rows of both must be filled. */
void slip_gear_flexibility_add(const slip_gear_flexibility *flexibility, int at, int i, int by, int k,
                               const double force[3], double to[3]);

/* displacement += G force for all nodes of flank `at`; `pressed` lists the nodes of flank `by` with forces.
 */
void slip_gear_flexibility_answer(slip_gear_flexibility *flexibility, int at, int by, int pressed_count,
                                  const int *pressed, const double *force, double *displacement);

#endif
