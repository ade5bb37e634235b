/* Equilibria of a balance: Newton's method for a set of modes, and the search over sets of modes and starts.
 */
#ifndef SLIP_STATICS_EQUILIBRIA_H
#define SLIP_STATICS_EQUILIBRIA_H

#include "statics/balance/newton.h"

enum { slip_equilibria_sets_max = 4096 }; /* up to this number of sets of modes every one is tried */

/* An equilibrium. */
typedef struct slip_equilibrium_state {
    double *y;              /* coordinates and states, then forces */
    slip_mode *modes;       /* one set of modes that it satisfies */
    unsigned char *allowed; /* of each contact: bits of all modes with which it was found */
    int mode_sets, sign_low, sign_high, nullity;
    bool moves;
    double residual; /* by the judge */
} slip_equilibrium_state;

typedef struct slip_equilibria {
    slip_arena arena;
    slip_equilibrium_state *items;
    int64_t count, capacity;
    int64_t set_count, start_count; /* number of sets of modes tried (0: only those that the starts suggest),
                                       and of starts */
    bool complete; /* no other solutions exist: the equations are linear for fixed modes, every set was tried,
                      none was singular */
} slip_equilibria;
void slip_equilibria_free(slip_equilibria *list);

/* Searches equilibria by Newton's method, with every set of modes where there are few: from the reference
 * (where it fails, by a homotopy from the linearised problem), from zero and from `restarts` random states.
 * The caller frees the list. */
int slip_equilibria_search(slip_context *ctx, slip_balance *balance, int restarts, slip_equilibria *list);

#endif
