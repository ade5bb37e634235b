/* Equilibria of a balance: Newton's method for a set of modes, and the search over sets of modes and starts.
 */
#ifndef SLIP_STATICS_EQUILIBRIA_H
#define SLIP_STATICS_EQUILIBRIA_H

#include "statics/balance/newton.h"

enum { slip_equilibria_sets_max = 4096 }; /* of modes, up to which every one is tried */

/* A state that was found. */
typedef struct slip_equilibrium_state {
    double *y;              /* coordinates and states, then forces */
    slip_mode *modes;       /* one set that it has */
    unsigned char *allowed; /* of each contact: the bits of all modes that it was found with */
    int mode_sets, sign_low, sign_high, nullity;
    bool moves;
    double residual; /* by the judge */
} slip_equilibrium_state;

typedef struct slip_equilibria {
    slip_arena arena;
    slip_equilibrium_state *items;
    int64_t count, capacity;
    int64_t set_count, start_count; /* searched: sets of modes (0: those that suggested themselves), starts */
    bool complete; /* with the modes given all is linear, every set was tried, and none was singular */
} slip_equilibria;
void slip_equilibria_free(slip_equilibria *list);

/* Searches: every set of modes where there are few, Newton's method from the reference (and where it fails a
 * path from the problem that is linear about it), from zero and from `restarts` random places. */
int slip_equilibria_search(slip_context *ctx, slip_balance *balance, int restarts, slip_equilibria *list);

#endif
