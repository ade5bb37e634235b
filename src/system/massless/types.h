/* Shared by the files of this folder: construction of the system that moves. */
#ifndef SLIP_SYSTEM_MASSLESS_TYPES_H
#define SLIP_SYSTEM_MASSLESS_TYPES_H

#include "system/massless/massless.h"

/* A load on a coordinate of the given system: factor times an expression of its slots. */
typedef struct slip_reduction_load {
    int coordinate;
    double factor;
    const slip_expression *expression;
} slip_reduction_load;

typedef struct slip_reduction {
    slip_context *ctx;
    const slip_system *from;
    slip_massless *to;
    slip_arena arena;
    int nc; /* coordinates of `from` */
    /* Matrices in the coordinates p, including linear loads (nc x nc); scratch. */
    double *mass, *damping, *stiffness, *scratch;
    int static_count, *statics; /* the static ones, */
    double *compliance;         /* and B = K_ee^-1 */
    int *contact_of, *list, *pivots;
    bool *has;
    slip_reduction_load *loads;
    int64_t load_count, load_capacity;
    slip_expression **owned; /* expressions to be freed with the reduction */
    int64_t owned_count, owned_capacity;
} slip_reduction;

/* Takes over an expression, also when it fails for want of memory. */
bool slip_reduction_keep(slip_reduction *reduction, slip_expression *expression);
int slip_reduction_add_load(slip_reduction *reduction, int coordinate, double factor,
                            const slip_expression *expression);

/* Changes the coordinates, p = by p_new: transforms matrices and T. */
void slip_reduction_turn(slip_reduction *reduction, const double *by);

/* Makes the system that moves, and the expressions that convert its motion to the given coordinates. */
int slip_reduction_build(slip_reduction *reduction);

typedef const slip_expression *const *slip_expressions;

/* The system that moves under construction; n is its size. Slots from 1 + 2 n on: accelerations, their rates.
 */
typedef struct slip_rebuild {
    slip_reduction *d;
    int n, heavy, nc;
    slip_expression **slot;        /* of each of the 1 + 3 n: what it holds */
    slip_expression **q, **v;      /* of each p; NULL: not known yet, or only with accelerations */
    slip_expression **base;        /* of static ones: B f_e without friction and without K_ex x */
    slip_expression **unheld;      /* the same with K_ex x */
    const slip_expression **with;  /* of each slot of the given system */
    const slip_expression **inner; /* of each of the 1 + 3 n: without accelerations */
    int *rate;                     /* of each of the 1 + 3 n: the slot of its rate */
    /* The sum under construction. */
    int count;
    double *factors;
    const slip_expression **parts;
    int64_t factor_capacity, part_capacity;
    bool failed;    /* for want of memory */
    double *damper; /* C_dd^-1 */
    int *damped;
} slip_rebuild;

static inline bool slip_rebuild_is(const slip_rebuild *b, int p, slip_weight weight)
{
    return b->d->to->weight[p] == weight;
}

/* Converts the status of an operation on expressions to one of this construction, with a message. */
int slip_rebuild_status(const slip_rebuild *build, int status);
/* Makes the reduction the owner of the result of an operation on expressions. */
int slip_rebuild_keep(const slip_rebuild *build, int status, slip_expression *const *made,
                      slip_expression **result);
/* Adds a term to the sum; ends the sum as an expression that belongs to the reduction; ends it as one that
 * belongs to the caller. */
void slip_rebuild_add(slip_rebuild *build, double factor, const slip_expression *part);
int slip_rebuild_sum(slip_rebuild *build, const char *text, slip_expression **result);
int slip_rebuild_hand_over(slip_rebuild *build, const char *text, slip_expression **result);
/* Converts an expression of the given system to the slots of the system that moves; what, name: for messages.
 */
int slip_rebuild_replace(const slip_rebuild *build, const char *what, const char *name,
                         const slip_expression *given, slip_expression **result);
/* The rate of an expression by velocities; NULL where it needs accelerations or is not known. */
int slip_rebuild_rate(slip_rebuild *build, const slip_expression *of, slip_expression **rate);
/* Add to the sum: factor times the loads on p; factor times the forces of springs and dampers between p and
 * all coordinates of a weight. */
int slip_rebuild_add_loads(slip_rebuild *build, int p, double factor);
int slip_rebuild_add_structure(slip_rebuild *build, int p, slip_weight weight, double factor);
/* The force on a coordinate, except by its own velocity and its contact. */
int slip_rebuild_force(slip_rebuild *build, int p, slip_expression **force);
/* The part of a contact's slip velocity that depends on other coordinates and time. */
int slip_rebuild_belt(slip_rebuild *build, int contact, slip_expression **belt);
/* The friction force: the force `hold` that would keep the slip at zero, limited to +-limit. */
int slip_rebuild_clamp(const slip_rebuild *build, const slip_expression *hold, double limit,
                       slip_expression **result);
/* Ends the sum as a load on a coordinate of the system that moves. */
int slip_rebuild_add_force(slip_rebuild *build, int place, const char *text);

/* contacts.c */
int slip_rebuild_contacts(slip_rebuild *build);

#endif
