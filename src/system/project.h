/* The contacts of a system on a few coordinates of their own.
 *
 * The gaps and slips of a system's contacts are rows times its coordinates. Of these rows r are independent,
 * R (r x n), and the contacts see nothing of the motion but x = R q. A projected system has the coordinates
 * x, the same contacts, with their laws and states, and whatever mass, damping, stiffness and loads it is
 * given. */
#ifndef SLIP_SYSTEM_PROJECT_H
#define SLIP_SYSTEM_PROJECT_H

#include "system/system.h"

enum { slip_project_parts = 4 }; /* rows of a contact: of its gap, and of slips */

/* Fails with SLIP_ERROR_MODEL, in the name of `what`, where the structure is not linear with constant
 * coefficients or contacts do more than rows times coordinates and functions of time can tell. */
int slip_project_check(slip_context *ctx, const slip_system *system, const char *what);

/* Independent rows among those of all contacts, in the metric of M^-1: *count of them, `rows` has room for
 * slip_project_parts of every contact. */
int slip_project_rows(slip_context *ctx, const slip_system *system, double *rows, int *count);

/* The structure on the coordinates x: count x count each; and of each coordinate the load, a function of
 * time, which is taken over (NULL: none). */
typedef struct slip_projection {
    int count;
    const double *rows; /* R */
    const double *mass, *damping, *stiffness;
    slip_expression **loads;
} slip_projection;
int slip_project(slip_context *ctx, const slip_system *from, const slip_projection *onto,
                 slip_system **result);

#endif
