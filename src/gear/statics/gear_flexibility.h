/* Static flexibility between the flanks of a reduced gear that is held at its bore.
 *
 * With all modes and what they leave out, G = Phi Lambda^-1 Phi^T + G_r is K^-1 of the whole mesh between the
 * loaded nodes, for the same side of teeth as far apart as the body's coupling by attachment vectors reaches.
 * It depends on how many teeth p they are apart: one matrix for each p serves all. Between other flanks the
 * modes alone count. */
#ifndef SLIP_GEAR_STATICS_GEAR_FLEXIBILITY_H
#define SLIP_GEAR_STATICS_GEAR_FLEXIBILITY_H

#include "gear/body/gear_pair.h"

enum { slip_gear_reach_max = 3 };

typedef struct slip_gear_flexibility {
    slip_arena arena;
    const slip_gear_wheel *gear;
    int teeth, reach;
    double *apart[slip_gear_reach_max + 1]; /* displacement of a right flank by loads on that p teeth before
                                             * it: size square, row by row */
    double *amplitude;                      /* scratch: of the modes */
} slip_gear_flexibility;

/* The gear has to use all modes of its body, and the body has to be cyclic and to have attachment vectors. */
int slip_gear_flexibility_create(slip_context *ctx, const slip_gear_wheel *gear,
                                 slip_gear_flexibility *flexibility);
void slip_gear_flexibility_free(slip_gear_flexibility *flexibility);

/* to += G force: displacement of node i of flank `at` by a force on node k of flank `by`, each in the frame
 * of its own flank. Where the modes are needed the gear's rows of both flanks have to be there. */
void slip_gear_flexibility_add(const slip_gear_flexibility *flexibility, int at, int i, int by, int k,
                               const double force[3], double to[3]);

/* displacement += G force of all nodes of two flanks; `pressed` lists those of `by` that have forces. */
void slip_gear_flexibility_answer(slip_gear_flexibility *flexibility, int at, int by, int pressed_count,
                                  const int *pressed, const double *force, double *displacement);

#endif
