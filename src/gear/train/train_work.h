/* The memory of the structure `modal` in a workspace: everything that an evaluation of a gear train writes.
 */
#ifndef SLIP_GEAR_TRAIN_TRAIN_WORK_H
#define SLIP_GEAR_TRAIN_TRAIN_WORK_H

#include "gear/train/train.h"
#include "system/structure/structure.h"

/* An entry of K and of C at the same row and column. */
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
    /* The mass matrix at the workspace's q; computed at the first division by it. */
    bool settled;
    double *coupling; /* c of each coordinate of the train; J of each body */
    double *moment;
    double *schur; /* S^-1 */
    double *right; /* right-hand side of the lumped coordinates, and their accelerations */
    /* The last evaluation and its results. */
    bool evaluated;
    int status;
    double *q, *v, *force;
    double *room; /* 3 n numbers, for derivatives */
    double *coupling_there, *moment_there;
    double stored, lost; /* of the flanks: elastic energy, J; power lost, W */
} slip_train_work;

/* The index in the system's coordinates of the first one of a body. */
static inline int slip_train_first(const slip_train_work *w, int b)
{
    return w->train->lumped + w->train->bodies[b].first;
}

/* Attachment vectors of a flank of a gear. */
static inline const slip_gear_basis *slip_train_full(const slip_train_work *w, const slip_train_side *side)
{
    return &w->m->gear[w->train->bodies[side->body].modal].full;
}

/* train_structure.c: evaluates the train: sets state, forces and totals of the modal model. */
void slip_train_evaluate(const slip_system *system, slip_workspace *work, const double *q, const double *v);

/* train_open.c: the structure's functions of these names. */
int slip_train_derive(slip_context *ctx, slip_system *system);
int slip_train_open(slip_context *ctx, const slip_system *system, slip_workspace *work);
void slip_train_close(slip_workspace *work);

#endif
