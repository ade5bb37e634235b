/* What the files about coordinates without mass share. */
#ifndef SLIP_SYSTEM_MASSLESS_TYPES_H
#define SLIP_SYSTEM_MASSLESS_TYPES_H

#include "system/massless/massless.h"

/* A load on a coordinate that was given: factor times an expression of the slots of the given system. */
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
    /* In the coordinates p, with what loads that are linear add to them (nc x nc); room for others. */
    double *mass, *damping, *stiffness, *scratch;
    int static_count, *statics; /* the static ones, */
    double *compliance;         /* and B = K_ee^-1 */
    int *contact_of, *list, *pivots;
    bool *has;
    slip_reduction_load *loads;
    int64_t load_count, load_capacity;
    slip_expression **owned; /* expressions that are not handed on */
    int64_t owned_count, owned_capacity;
} slip_reduction;

/* Takes over an expression, also when it fails for want of memory. */
bool slip_reduction_keep(slip_reduction *reduction, slip_expression *expression);
int slip_reduction_add_load(slip_reduction *reduction, int coordinate, double factor,
                            const slip_expression *expression);

/* Other coordinates: p = by p_new; matrices and the transform follow. */
void slip_reduction_turn(slip_reduction *reduction, const double *by);

/* Makes the system that moves, and the expressions that show its motion in the given coordinates. */
int slip_reduction_build(slip_reduction *reduction);

typedef const slip_expression *const *slip_expressions;

/* While the system that moves is made. n is that of the system that moves; slots beyond 1 + 2 n are
 * accelerations, and their rates. */
typedef struct slip_rebuild {
    slip_reduction *d;
    int n, heavy, nc;
    slip_expression **slot;        /* of each of the 1 + 3 n: what it holds */
    slip_expression **q, **v;      /* of each p; NULL: not known, or not without accelerations */
    slip_expression **base;        /* of the static ones: B (f_e - ...) without K_ex x and without friction */
    slip_expression **unheld;      /* the same with K_ex x */
    const slip_expression **with;  /* of each slot of the given system */
    const slip_expression **inner; /* of each of the 1 + 3 n: without accelerations */
    int *rate;                     /* of each of the 1 + 3 n: the slot of its rate */
    /* A sum in the making. */
    int count;
    double *factors;
    const slip_expression **parts;
    int64_t factor_capacity, part_capacity;
    bool failed;    /* for want of memory */
    double *damper; /* C_dd^-1 of the damped ones */
    int *damped;
} slip_rebuild;

static inline bool slip_rebuild_is(const slip_rebuild *b, int p, slip_weight weight)
{
    return b->d->to->weight[p] == weight;
}

/* What an operation on expressions that did not succeed comes to, with its message. */
int slip_rebuild_status(const slip_rebuild *build, int status);
/* Takes over the result of an operation on expressions, which belongs to the reduction from then on. */
int slip_rebuild_keep(const slip_rebuild *build, int status, slip_expression *const *made,
                      slip_expression **result);
/* A part of the sum in the making; the sum, kept; the sum, which belongs to the caller. */
void slip_rebuild_add(slip_rebuild *build, double factor, const slip_expression *part);
int slip_rebuild_sum(slip_rebuild *build, const char *text, slip_expression **result);
int slip_rebuild_hand_over(slip_rebuild *build, const char *text, slip_expression **result);
/* An expression of the given system over the slots of the one that moves; `what` and `name` are for the
 * message. */
int slip_rebuild_replace(const slip_rebuild *build, const char *what, const char *name,
                         const slip_expression *given, slip_expression **result);
/* The rate of an expression by velocities; NULL where it needs accelerations or is not known. */
int slip_rebuild_rate(slip_rebuild *build, const slip_expression *of, slip_expression **rate);
/* Parts of the sum: the loads on a coordinate; what springs and dampers to the others of a weight do to it.
 */
int slip_rebuild_add_loads(slip_rebuild *build, int p, double factor);
int slip_rebuild_add_structure(slip_rebuild *build, int p, slip_weight weight, double factor);
/* The force on a coordinate without what its own velocity and its contact do. */
int slip_rebuild_force(slip_rebuild *build, int p, slip_expression **force);
/* What the slip velocity of a contact has of other coordinates and of time. */
int slip_rebuild_belt(slip_rebuild *build, int contact, slip_expression **belt);
/* What friction takes of the force that would hold the slip at zero, within +-limit. */
int slip_rebuild_clamp(const slip_rebuild *build, const slip_expression *hold, double limit,
                       slip_expression **result);
/* The sum so far as a load of the system that moves. */
int slip_rebuild_add_force(slip_rebuild *build, int place, const char *text);

/* massless_contacts.c */
int slip_rebuild_contacts(slip_rebuild *build);

#endif
