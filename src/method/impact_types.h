/* Between impact.c and impact_plane.c. */
#ifndef SLIP_METHOD_IMPACT_TYPES_H
#define SLIP_METHOD_IMPACT_TYPES_H

#include "contact/problem.h"
#include "law/patch.h"
#include "method/impact.h"

/* What a contact does in the impact. */
typedef enum role { PASSIVE, SMOOTH, STICKING, PLUS, MINUS, SLIDING } role;

/* A contact with friction of more than one dimension: all along a basis of the slip velocities that are
 * possible, in units of the area. */
typedef struct plane {
    const slip_patch *law; /* NULL: one dimension, or no friction */
    int rank;
    double basis[9];
    double slip[3];       /* before */
    double direction[3];  /* in which it slides, of length 1 */
    double friction[3];   /* of that, for unit friction */
    double tangential[3]; /* impulses */
    bool turns;           /* no: some slip is given by a belt, and it slides on as it did before */
} plane;

/* One attempt: the contacts, their roles, rates before the impact, and the impulses found. */
typedef struct attempt {
    int count;
    int *contact;
    role *roles;
    int *digits;
    double *gap_rate, *slip, *wanted; /* wanted: gap rate after, at least */
    double *friction;
    double *normal, *tangential;
    plane *planes;
} attempt;

/* Limits of impulses that are not unique. */
typedef struct sharing {
    int m, count;
    double *rows, *pulls, *right, *multipliers;
    bool *active, *blocking;
    double *numbers;
    int *indices;
} sharing;

/* Equations of the impulses, or the complementarity problem: `width` rows a contact at most. */
typedef struct equations {
    int *index, *which;
    double *matrix, *kept, *right, *kept_right, *impulses;
    slip_block *rows;
    slip_block_state *states;
    slip_contact_memory memory;
} equations;

struct slip_impact {
    const slip_system *system;
    slip_workspace *work;
    slip_arena arena;
    double *after;            /* n */
    int width;                /* directions of a contact: 2, or 4 where slips have more than one dimension */
    double *rows, *responses; /* so many of each contact, n numbers each */
    double *sizes;            /* n: what velocities after the impact are added up from */
    bool *stuck;              /* in the last impact, of each contact */
    attempt try;
    sharing sharing;
    equations equations;
    bool plastic;
};

static inline double slip_impact_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Impulses for the roles, with the directions of those that slide as they are. */
bool slip_impact_find(slip_impact *impact);

/* ---- impact_plane.c */

/* Directions of contact k, whose slip has more than one dimension, from its second row on. */
void slip_impact_plane_prepare(slip_impact *impact, int k, double t, const double *q, const double *v);
/* Impulses for the roles, with the directions in which contacts slide; false where there are none. */
bool slip_impact_plane_find(slip_impact *impact);
/* After that: do slip and impulses of contact k obey Coulomb's law? `size`: what velocities are compared
 * with. */
bool slip_impact_plane_obeys(slip_impact *impact, int k, double size, double impulses, bool strict);

#endif
