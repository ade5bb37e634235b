/* All solutions of a static contact problem. */
#ifndef SLIP_STATICS_SOLUTIONS_H
#define SLIP_STATICS_SOLUTIONS_H

#include "statics/active.h"

enum {
    slip_static_exhaustive_max = 8, /* contacts up to which every set of modes is tried */
    slip_static_ends_max = 64
};

/* One solution, or a continuum of them. */
typedef struct slip_static_solution {
    double *lambda, *d;      /* direction_count numbers each; of a continuum: the first end */
    unsigned char *allowed;  /* of each contact: bit k is set where mode k holds (several on a boundary) */
    slip_mode *modes;        /* one set of modes that holds */
    int mode_sets;           /* how many sets of modes have this solution */
    int sign_low, sign_high; /* of the determinants of these sets; both 0 of a continuum */
    /* A continuum is a convex set of solutions in one set of modes. */
    int dimension;  /* 0: a single solution */
    bool unbounded; /* it goes on without end in some direction */
    int end_count;  /* corners: of dimension 1 its two ends */
    double **end_lambda, **end_d;
} slip_static_solution;

typedef struct slip_static_solutions {
    slip_arena arena;
    slip_static_solution *items;
    int64_t count, capacity;
    bool complete; /* every set of modes was tried */
} slip_static_solutions;

void slip_static_solutions_free(slip_static_solutions *list);

/* Every solution of a problem of at most slip_static_exhaustive_max contacts. */
int slip_static_enumerate(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* Adds a solution unless it is there already; then its modes are added to that one. `sign` is that of the
 * determinant. */
int slip_static_solutions_add(slip_context *ctx, slip_static_solutions *list,
                              const slip_static_problem *problem, const slip_mode *modes,
                              const double *lambda, const double *d, int sign);

/* The place of a solution in the list, or -1. */
int64_t slip_static_solutions_find(const slip_static_solutions *list, const slip_static_problem *problem,
                                   const double *lambda, const double *d);

/* lambda and d of a set of modes whose inverse is at hand. `numbers` has room for 2 direction_count. */
void slip_static_state(const slip_static_problem *problem, const slip_static_active *active, double *lambda,
                       double *d, double *numbers);

/* The continuum of a set of modes whose matrix is singular (in active->matrix), if there is one: adds it. */
int slip_static_continuum(slip_context *ctx, const slip_static_problem *problem,
                          const slip_static_active *active, slip_static_solutions *list);

/* True where every margin of every contact is at least -tolerance times the scale. */
bool slip_static_holds(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                       const double *d, double tolerance);

/* Rounding that solutions are judged by. */
static const double slip_static_rounding = 1e-10;

#endif
