/* All solutions of a static contact problem.
 *
 * A solution is a connected set of states that satisfy the laws: a single state, or a continuum. For fixed
 * modes the states form a convex polyhedron; a continuum is a union of such parts, each with its own set of
 * modes. */
#ifndef SLIP_STATICS_SOLUTIONS_H
#define SLIP_STATICS_SOLUTIONS_H

#include "statics/active.h"

enum { slip_static_exhaustive_max = 8 }; /* contacts up to which every set of modes is tried */

/* A state, or a direction (difference of states). */
typedef struct slip_static_vector {
    double *lambda, *d; /* direction_count numbers each */
} slip_static_vector;

/* A part: all states of one set of modes with a singular matrix, base + sum z_i way_i (ways: null vectors)
 * with all margins >= 0. */
typedef struct slip_static_part {
    slip_mode *modes;
    int way_count;
    slip_static_vector base, *ways;
    int dimension;
    int corner_count; /* 0: too many, not computed */
    slip_static_vector *corners;
    int direction_count; /* number of directions in which it is unbounded */
    slip_static_vector *directions;
    int *ends; /* index of each corner among the ends of the solution */
} slip_static_part;

/* One solution, or a continuum of them. */
typedef struct slip_static_solution {
    double *lambda, *d;      /* direction_count numbers each; of a continuum: the first end */
    unsigned char *allowed;  /* of each contact: bit k is set if mode k is satisfied (several on a boundary;
                                for a continuum: modes of its parts) */
    slip_mode *modes;        /* one set of modes that it satisfies */
    int mode_sets;           /* how many sets of modes have this solution */
    int sign_low, sign_high; /* smallest and largest sign of determinants; 0 for a continuum */
    int dimension;           /* 0: a single solution; else the largest of its parts */
    bool unbounded;          /* it goes on without end in some direction */
    int end_count;           /* corners of all parts, each once; for dimension 1 usually its two ends */
    double **end_lambda, **end_d;
    int part_count;
    slip_static_part **parts;
} slip_static_solution;

typedef struct slip_static_solutions {
    slip_arena arena;
    slip_static_solution *items;
    int64_t count, capacity;
    slip_static_part **parts; /* all parts; slip_static_gather assigns them to items */
    int64_t part_count, part_capacity;
    bool complete; /* no other solutions exist: every set of modes was tried */
    /* For a search by Newton's method: number of sets of modes (0: only plausible ones) and of starts. */
    int64_t set_count, start_count;
} slip_static_solutions;

void slip_static_solutions_free(slip_static_solutions *list);

/* Every solution of a problem of at most slip_static_exhaustive_max contacts. */
int slip_static_enumerate(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* The first half of it: the state of every regular set of modes, and the part of every singular one. */
int slip_static_search(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* The second half: drops states and parts inside a part, and joins parts that touch. */
int slip_static_gather(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* Adds a solution; if the list has it already, only adds the modes to it. sign: of the determinant. */
int slip_static_solutions_add(slip_context *ctx, slip_static_solutions *list,
                              const slip_static_problem *problem, const slip_mode *modes,
                              const double *lambda, const double *d, int sign);

/* Moves the contents of `other` to the end of the list. */
int slip_static_solutions_append(slip_context *ctx, slip_static_solutions *list,
                                 slip_static_solutions *other);

/* The index of the solution that a state is, or belongs to, or -1. */
int64_t slip_static_solutions_find(const slip_static_solutions *list, const slip_static_problem *problem,
                                   const double *lambda, const double *d);

/* lambda and d of the set of modes of `active`, which has its inverse. numbers: scratch, 2 direction_count.
 */
void slip_static_state(const slip_static_problem *problem, const slip_static_active *active, double *lambda,
                       double *d, double *numbers);

/* Adds the solutions of a set of modes with a singular matrix (active->matrix), if there are any, as a part
 * or a single state. known: a state among them, or NULL. Returns SLIP_STOPPED where there are too many
 * corners to decide whether a solution exists (only if known is NULL). */
int slip_static_continuum(slip_context *ctx, const slip_static_problem *problem,
                          const slip_static_active *active, const slip_static_vector *known,
                          slip_static_solutions *list);

/* A condition of a contact as a linear function of the z of a part: way_count + 1 numbers, the constant
 * first, relative to its size, with rounding errors set to zero. */
void slip_static_part_row(const slip_static_problem *problem, const slip_static_part *part,
                          const slip_static_scale *scale, int contact, const slip_static_margin *form,
                          double *row);

/* For lists of states found one by one: adds the parts (continua) of which they are corners. */
int slip_static_add_continua(slip_context *ctx, const slip_static_problem *problem,
                             slip_static_solutions *list);

/* Whether a state satisfies equations and margins of the modes, up to tolerance times the scale. direction:
 * lambda and d are a direction instead, so loads and given forces are left out. */
bool slip_static_agrees(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                        const double *d, const slip_static_scale *scale, double tolerance, bool direction);

/* Whether every margin of every contact is at least -tolerance times the scale. */
bool slip_static_holds(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                       const double *d, double tolerance);

/* Relative tolerance for rounding errors of solutions. */
static const double slip_static_rounding = 1e-10;

#endif
