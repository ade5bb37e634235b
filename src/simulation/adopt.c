/* Contacts after a change of parameters during a motion: which modes and gaps stay valid. */
#include "simulation/simulation.h"

#include <math.h>

/* A quantity of a contact at the same state in the old and in the new model. */
typedef struct moved {
    double before, after, size; /* size: of the parts that it is a sum of */
} moved;

static bool has_moved(moved m)
{
    return fabs(m.after - m.before) > 1e-12 * m.size;
}

/* If the counterpart of a contact (belt, plate, stop) has jumped, the stored mode is not valid: the mode is
 * decided anew, except that an open contact stays open. Fails where a stop would jump into the body. */
static int adopt_contact(slip_context *ctx, const slip_change *change, slip_workspace *const work[2], int c)
{
    const slip_system *const systems[2] = {change->from, change->to};
    const slip_system *to = change->to;
    const double t = change->t, *q = change->q, *v = change->v;
    slip_method_memory *memory = change->memory;
    const bool unilateral = to->contacts[c].has_gap;
    moved slip, gap = {0}, rate = {0};
    double numbers[3][2];
    for (int k = 0; k < 2; k++) {
        numbers[0][k] = slip_system_slip(systems[k], work[k], c, t, q, v);
        numbers[1][k] = unilateral ? slip_system_gap(systems[k], work[k], c, t, q) : 0;
        numbers[2][k] = unilateral ? slip_system_gap_rate(systems[k], work[k], c, t, q, v) : 0;
    }
    slip = (moved){numbers[0][0], numbers[0][1], slip_system_slip_size(to, work[1], c, t, q, v)};
    if (unilateral) {
        gap = (moved){numbers[1][0], numbers[1][1], slip_system_gap_size(to, work[1], c, t, q)};
        rate = (moved){numbers[2][0], numbers[2][1], slip_system_gap_rate_size(to, work[1], c, t, q, v)};
    }
    if (has_moved(gap) && gap.after < -1e-9 * gap.size)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_input: the gap of `%s` would be %.9g at t = %.9g, expected "
                         "a stop that does not jump into the body",
                         to->contacts[c].name, gap.after, t);
    if (has_moved(gap) && memory->modes[c] == SLIP_MODE_OPEN)
        memory->gaps[c] += gap.after - gap.before;
    else if (has_moved(slip) || has_moved(gap) || has_moved(rate)) {
        memory->known[c] = false;
        memory->gaps[c] = NAN;
    }
    return SLIP_OK;
}

int slip_change_contacts(slip_context *ctx, const slip_change *change)
{
    slip_workspace *work[2] = {NULL};
    int status;
    SLIP_TRY(slip_workspace_create(ctx, change->from, &work[0]));
    SLIP_TRY(slip_workspace_create(ctx, change->to, &work[1]));
    for (int c = 0; c < (int)change->to->contact_count; c++)
        SLIP_TRY(adopt_contact(ctx, change, work, c));
done:
    slip_workspace_destroy(work[0]);
    slip_workspace_destroy(work[1]);
    return status;
}
