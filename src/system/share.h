/* Load sharing: which of several contact forces are taken where they are not unique. Between constrain.c and
 * share.c. */
#ifndef SLIP_SYSTEM_SHARE_H
#define SLIP_SYSTEM_SHARE_H

#include "system/system.h"

/* The forces x of `count` constraints in the workspace, from `first` on, with matrix x = right: those of
 * least size with the branches' clips, or within the limits of all contacts, which sets the clips where
 * `found` (which is `branches` then) is not NULL. */
void slip_share_solve(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                      slip_branch *found, int first, int count, const double *matrix, const double *right,
                      double *x);

/* Sorts the constraints in the workspace so that those which depend on each other, or belong to one contact,
 * follow each other: each part's index goes to `parts`, in ascending order. */
void slip_share_sort(const slip_system *system, slip_workspace *workspace, int count, int **parts);

/* Before the forces are looked for: they are unique until slip_share_solve says otherwise. */
void slip_share_clear(slip_workspace *workspace, slip_branch *branches, int count, bool wedged);

#endif
