/* All solutions of a static contact problem.
 *
 * A solution is a connected set of states that satisfy the laws: a single state, or a continuum. With the
 * modes given the states are a convex polyhedron; a continuum is a union of such parts, each with its own set
 * of modes. */
#ifndef SLIP_STATICS_SOLUTIONS_H
#define SLIP_STATICS_SOLUTIONS_H

#include "statics/active.h"

enum { slip_static_exhaustive_max = 8 }; /* contacts up to which every set of modes is tried */

/* A state, or the direction from one state to others. */
typedef struct slip_static_vector {
    double *lambda, *d; /* direction_count numbers each */
} slip_static_vector;

/* All states of one set of modes where there are more than one:
 * base + sum z_i way_i, with the margins of the modes >= 0. */
typedef struct slip_static_part {
    slip_mode *modes;
    int way_count;
    slip_static_vector base, *ways;
    int dimension;
    int corner_count; /* 0: there are too many to find them */
    slip_static_vector *corners;
    int direction_count; /* in which it goes on without end */
    slip_static_vector *directions;
    int *ends; /* the corners' places among the ends of the solution it is part of */
} slip_static_part;

/* One solution, or a continuum of them. */
typedef struct slip_static_solution {
    double *lambda, *d;      /* direction_count numbers each; of a continuum: the first end */
    unsigned char *allowed;  /* of each contact: bit k is set where mode k holds (several on a boundary; of a
                              * continuum: the modes of its parts) */
    slip_mode *modes;        /* one set of modes that holds */
    int mode_sets;           /* how many sets of modes have this solution */
    int sign_low, sign_high; /* of the determinants of these sets; both 0 of a continuum */
    int dimension;           /* 0: a single solution; else the largest of its parts */
    bool unbounded;          /* it goes on without end in some direction */
    int end_count;           /* corners of all parts, each once: of dimension 1 most often its two ends */
    double **end_lambda, **end_d;
    int part_count;
    slip_static_part **parts;
} slip_static_solution;

typedef struct slip_static_solutions {
    slip_arena arena;
    slip_static_solution *items;
    int64_t count, capacity;
    slip_static_part **parts; /* all that were found; those of continua belong to items once gathered */
    int64_t part_count, part_capacity;
    bool complete; /* every set of modes was tried, and has no other solutions */
    /* Of a search by Newton's method: how many sets of modes were tried (0: those that suggested themselves),
     * each from how many places. */
    int64_t set_count, start_count;
} slip_static_solutions;

void slip_static_solutions_free(slip_static_solutions *list);

/* Every solution of a problem of at most slip_static_exhaustive_max contacts. */
int slip_static_enumerate(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* The same set of modes by set of modes: every state that a regular set has, every part of a singular one. */
int slip_static_search(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* Single states that lie in a part, and parts that lie in others, are left out, and parts that touch become
 * one solution. */
int slip_static_gather(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* Adds a solution unless it is there already; then its modes are added to that one. `sign` is that of the
 * determinant. */
int slip_static_solutions_add(slip_context *ctx, slip_static_solutions *list,
                              const slip_static_problem *problem, const slip_mode *modes,
                              const double *lambda, const double *d, int sign);

/* Moves what is in the other list behind what is in this one. */
int slip_static_solutions_append(slip_context *ctx, slip_static_solutions *list,
                                 slip_static_solutions *other);

/* The place of the solution in the list that a state is (part of), or -1. */
int64_t slip_static_solutions_find(const slip_static_solutions *list, const slip_static_problem *problem,
                                   const double *lambda, const double *d);

/* lambda and d of a set of modes whose inverse is at hand. `numbers` has room for 2 direction_count. */
void slip_static_state(const slip_static_problem *problem, const slip_static_active *active, double *lambda,
                       double *d, double *numbers);

/* The solutions of a set of modes whose matrix is singular (in active->matrix), if there are any: adds the
 * part that they are, or the single state. `known`: a state of it, NULL where none is known; then
 * SLIP_STOPPED says that it has too many corners to tell whether there are any. */
int slip_static_continuum(slip_context *ctx, const slip_static_problem *problem,
                          const slip_static_active *active, const slip_static_vector *known,
                          slip_static_solutions *list);

/* A condition of a contact over the z of a part, way_count + 1 numbers, the constant first: in parts of its
 * size, and zero where it is rounding. */
void slip_static_part_row(const slip_static_problem *problem, const slip_static_part *part,
                          const slip_static_scale *scale, int contact, const slip_static_margin *form,
                          double *row);

/* For lists of states that were found one by one: adds the parts of which they are corners. */
int slip_static_widen(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list);

/* The state satisfies equations and margins of the modes, up to tolerance times the scale. `direction`: it is
 * the direction of a way instead, and loads and given forces do not count. */
bool slip_static_agrees(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                        const double *d, const slip_static_scale *scale, double tolerance, bool direction);

/* True where every margin of every contact is at least -tolerance times the scale. */
bool slip_static_holds(const slip_static_problem *problem, const slip_mode *modes, const double *lambda,
                       const double *d, double tolerance);

/* Rounding that solutions are judged by. */
static const double slip_static_rounding = 1e-10;

#endif
