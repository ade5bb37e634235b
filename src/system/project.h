/* Projection of a system onto the few coordinates that its contacts see.
 *
 * The gaps and slips of a system's contacts are rows times its coordinates. r of these rows are independent,
 * R (r x n), so contacts depend on the motion only through x = R q. A projected system has the coordinates x
 * and the same contacts, with their laws and states; mass, damping, stiffness and loads are given by the
 * caller. */
#ifndef SLIP_SYSTEM_PROJECT_H
#define SLIP_SYSTEM_PROJECT_H

#include "system/system.h"

enum { slip_project_parts = 4 }; /* rows of a contact: of its gap, and of slips */

/* Fails with SLIP_ERROR_MODEL where the structure is not linear with constant coefficients, or where gaps and
 * slips are not rows times coordinates plus functions of time. what: start of the message. */
int slip_project_check(slip_context *ctx, const slip_system *system, const char *what);

/* Independent rows among those of all contacts, in the metric of M^-1: *count of them, `rows` has room for
 * slip_project_parts of every contact. */
int slip_project_rows(slip_context *ctx, const slip_system *system, double *rows, int *count);

/* The structure on the coordinates x: count x count each; and for each coordinate a load, a function of time
 * (NULL: none), of which the new system becomes the owner. */
typedef struct slip_projection {
    int count;
    const double *rows; /* R */
    const double *mass, *damping, *stiffness;
    slip_expression **loads;
} slip_projection;
int slip_project(slip_context *ctx, const slip_system *from, const slip_projection *onto,
                 slip_system **result);

#endif
