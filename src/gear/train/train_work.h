/* What an evaluation of a gear train writes: the memory of the structure `modal` in a workspace. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_WORK_H
#define SLIP_GEAR_TRAIN_TRAIN_WORK_H

#include "gear/train/train.h"
#include "system/structure/structure.h"

/* An entry of K and of C. */
typedef struct slip_train_entry {
    int row, column;
    double stiffness, damping;
} slip_train_entry;

typedef struct slip_train_work {
    slip_arena arena;
    slip_context *ctx;
    const slip_train *train;
    slip_floating **frames;         /* of each body */
    slip_gear_modal *m;             /* NULL without meshes */
    slip_modal_flank **(*slots)[2]; /* of each side of a mesh 2 windows: right flanks, left flanks */
    slip_train_entry *entries;
    int entry_count;
    /* At the place where the workspace is, once somebody divides by the mass there. */
    bool settled;
    double *coupling; /* c of each coordinate of the train; J of each body */
    double *moment;
    double *schur; /* S^-1 */
    double *right; /* of the given coordinates, and their accelerations */
    /* At q and v of the last evaluation. */
    bool evaluated;
    int status; /* of that */
    double *q, *v, *force;
    double *room; /* 3 n numbers, for derivatives */
    double *coupling_there, *moment_there;
    double stored, lost; /* by the flanks: energy, power */
} slip_train_work;

/* Among the coordinates of the system, the first one of a body. */
static inline int slip_train_first(const slip_train_work *w, int b)
{
    return w->train->given + w->train->bodies[b].first;
}

/* Attachment vectors of a flank of a gear. */
static inline const slip_gear_basis *slip_train_full(const slip_train_work *w, const slip_train_side *side)
{
    return &w->m->gear[w->train->bodies[side->body].modal].full;
}

/* train_structure.c: an evaluation at these coordinates and rates: state, forces and totals of the modal
 * model are those. */
void slip_train_see(const slip_system *system, slip_workspace *work, const double *q, const double *v);

/* train_open.c: the structure's functions of these names. */
int slip_train_derive(slip_context *ctx, slip_system *system);
int slip_train_open(slip_context *ctx, const slip_system *system, slip_workspace *work);
void slip_train_close(slip_workspace *work);

#endif
