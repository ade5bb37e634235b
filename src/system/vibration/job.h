/* Eigenmodes of whole bodies: shared by field.c and inverse.c only. */
#ifndef SLIP_SYSTEM_VIBRATION_JOB_H
#define SLIP_SYSTEM_VIBRATION_JOB_H

#include "system/vibration/field.h"

#include "math/condense.h"
#include "system/field.h"

/* Of the directions of one contact: the gap and up to three slips. */
enum { slips_max = 3 };

/* A direction of a contact force: w . x = dense . (the n) + tail . (the field). */
typedef struct slip_direction {
    const double *dense;
    const slip_tail *tail; /* NULL: it acts on coordinates alone */
    int constraint;        /* that holds it, or -1: then its force is that of friction, */
    int friction;          /* (also where it is held) or -1: a gap, */
    int gap;               /* ratio times that of the gap's direction, or -1, */
    double ratio;
    int first, count; /* and slope times the slip velocities of the directions first to first + count - 1 */
    double slope[slips_max];
} slip_direction;

typedef struct slip_field_part {
    const slip_field_body *of;
    slip_factor *factor;
    int count; /* number of directions that act on it */
    int *directions;
    int64_t *start, *unknown;
    double *value;
    int64_t *list, list_count; /* the unknowns in these rows, each once */
    double *turned;            /* sigma^2 A^-1 m of a body that turns (system/field.h); or NULL */
} slip_field_part;

typedef struct slip_field_job {
    slip_context *ctx;
    const slip_field_motion *given;
    const slip_system *system;
    const slip_linear_motion *motion;
    slip_arena arena;
    int n;                              /* dense ones */
    int64_t size;                       /* all unknowns: these, then the field */
    double *mass, *damping, *stiffness; /* n x n; without what directions with a tail have */
    bool damped, symmetric;
    /* All damping is a M + b K with the same a and b. Then shapes are those without damping: K x + mu M x =
     * G^T l, mu = (s^2 + a s)/(1 + b s), an operator of half the size. */
    bool proportional;
    double common[2]; /* a, b */
    int count;        /* of directions */
    slip_direction *directions;
    slip_field_part *bodies;
    int body_count;
    double shift, unit; /* sigma, and the unit of eigenvalues */
    double *dense;      /* the factor of the n, */
    int *dense_pivots;
    double *balance; /* and of the problem of the contact forces; its rows are scaled */
    double *scales;
    int *balance_pivots;
    double *root;    /* of each unknown: the square root of its mass */
    double *right;   /* `size` numbers for each vector of a block: what is to be solved, */
    double *packed;  /* that of one body, */
    double *product; /* and the answer */
    double *forces;  /* of the directions, for each vector */
} slip_field_job;

static inline double *slip_field_numbers(slip_field_job *j, int64_t count)
{
    return slip_arena_array(&j->arena, count + 1, sizeof(double));
}

/* w . x of a direction; adds a force along it to a right-hand side. */
double slip_field_dot(const slip_field_job *j, const slip_direction *d, const double *x);
void slip_field_push(const slip_field_job *j, const slip_direction *d, double force, double *right);

/* The rows of the directions that reach a body; false where memory is short. */
bool slip_field_list_rows(slip_field_job *j, slip_field_part *b);

/* Chooses a shift at which the problem is regular, and factorises there. */
int slip_field_choose_shift(slip_field_job *j);

/* Solves for `count` right-hand sides in j->right; the solutions are stored in j->product, the forces of the
 * directions in j->forces. */
int slip_field_solve(slip_field_job *j, int64_t count);

#endif
