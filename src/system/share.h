/* Load sharing: the choice among several possible contact forces where they are not unique. For constrain.c
 * and share.c only. */
#ifndef SLIP_SYSTEM_SHARE_H
#define SLIP_SYSTEM_SHARE_H

#include "system/system.h"

/* The forces x of `count` constraints in the workspace, from `first` on, with matrix x = right: found NULL:
 * those of least norm with the clips of `branches`. Else (found is the same array as branches): those of
 * least norm within the limits of all contacts, and the clips are set. */
void slip_share_solve(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                      slip_branch *found, int first, int count, const double *matrix, const double *right,
                      double *x);

/* Sorts the constraints in the workspace into parts, so that linearly dependent ones, and those of one
 * contact, are in the same part. parts: ascending part index of each constraint. */
void slip_share_sort(const slip_system *system, slip_workspace *workspace, int count, int **parts);

/* Resets the record of forces that are not unique, before the forces are computed. */
void slip_share_clear(slip_workspace *workspace, slip_branch *branches, int count, bool wedged);

#endif
