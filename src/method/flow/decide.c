/* Modes of contacts and patches together, decided a short time ahead. */
#include "math/vector.h"
#include "method/flow/area/patch.h"
#include "method/flow/switch.h"

#include <math.h>
#include <string.h>

/* The shortest time ahead at which accelerations can show which modes hold. */
static double shortest_time(const slip_flow *flow)
{
    return 1e-11 * (slip_flow_time_scale(flow) + fabs(flow->t));
}

double slip_flow_short_time(const slip_flow *flow)
{
    double step = flow->natural_step > 0 ? flow->natural_step : 1e-2 * slip_flow_time_scale(flow);
    double time = slip_larger(slip_larger(1e-4 * step, flow->decision.tell_time), shortest_time(flow));
    /* After several events without effect a longer time is needed: the fastest motion decides nothing. */
    if (flow->pace.idle > 3)
        time = fmax(time, fmin(ldexp(time, 3 * (int)fmin((double)flow->pace.idle - 3, 12)),
                               1e-4 * flow->options.span));
    return time;
}

/* Marks contacts that had reached their own limits as held or closed again; whether there were any. */
static bool take_back(slip_flow *flow)
{
    bool any = false;
    for (int c = 0; c < flow->contact_count; c++) {
        slip_standing *at = &flow->decision.standing[c];
        any |= at->let_go || at->leaving;
        at->held |= at->let_go;
        at->pressed |= at->leaving;
        at->let_go = at->leaving = false;
    }
    return any;
}

int slip_flow_find_modes(slip_flow *flow, slip_branch *branches, int *trouble)
{
    /* Next to a graze a contact may stick, or be open, for less than the shortest time, and no modes are
     * consistent beyond that: then the time is as short as rounding of t allows. */
    const double least = 1e-3 * shortest_time(flow), first = slip_flow_short_time(flow);
    double ahead = first;
    for (;;) {
        const slip_instant now = {flow->t, flow->q, flow->v, flow->decision.standing, ahead};
        int status = slip_modes_decide(flow->decision.modes, &now, branches, trouble);
        if (status != SLIP_MODES_NONE || (ahead <= least && !take_back(flow)))
            return status;
        ahead = ahead <= least ? first : fmax(ahead / 32, least);
    }
}

/* Initial guess: slip starts in the direction opposite to the friction force that would hold the patch. */
static void guess_directions(slip_flow *flow)
{
    double ratio;
    bool defined;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        p->tried = slip_flow_patch_starts(flow, p);
        if (p->tried)
            slip_flow_patch_set_stick(flow, p);
    }
    defined = slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v);
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (p->tried && defined)
            slip_flow_patch_limit(flow, p->contact, &ratio);
        if (p->tried)
            slip_flow_patch_set_slip(flow, p, true);
    }
}

/* The given modes in the flow's branches, with the directions in which patches start to slip. (Which limits
 * forces are kept at that are not unique makes no difference to accelerations.) One that cannot slip sticks.
 * Ahead in time patches that slip already go by the velocities, which change. */
static slip_branch *start_patches(void *user, const slip_branch *branches, bool turn, double t,
                                  const double *q, const double *v)
{
    slip_flow *flow = user;
    slip_flow_patch *held;
    bool starting = false;
    memcpy(flow->branches, branches, (size_t)flow->contact_count * sizeof *branches);
    for (int c = 0; c < flow->contact_count; c++)
        flow->branches[c].clip = 0;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!slip_flow_patch_leads(p) || !flow->decision.standing[p->contact].resting)
            continue;
        slip_flow_patch_set_mode(flow, p, branches[p->contact].mode);
        slip_flow_patch_set_direction(flow, p, slip_flow_patch_starts(flow, p));
        starting |= turn && slip_flow_patch_starts(flow, p);
    }
    if (starting && t == flow->t)
        guess_directions(flow);
    if (t != flow->t)
        slip_flow_patch_free(flow, NULL, false);
    while (starting && (held = slip_flow_patch_directions(flow, t, q, v)))
        slip_flow_patch_set_stick(flow, held);
    return flow->branches;
}

void slip_flow_patch_join(slip_flow *flow)
{
    slip_modes_take_patches(flow->decision.modes,
                            (slip_modes_patches){flow, start_patches, slip_flow_patch_limit});
}

int slip_flow_patch_decide(slip_flow *flow, int *contact)
{
    const size_t size = (size_t)flow->contact_count * sizeof *flow->branches;
    int status;
    flow->areas.use_stiff = false;
    flow->areas.stiff_steps = 0;
    memcpy(flow->areas.tried, flow->branches, size);
    status = slip_flow_find_modes(flow, flow->areas.tried, contact);
    if (status < 0) {
        memcpy(flow->branches, flow->areas.tried, size);
        return status;
    }
    start_patches(flow, flow->areas.tried, true, flow->t, flow->q, flow->v);
    for (int c = 0; c < flow->contact_count; c++) {
        flow->branches[c].clip = flow->areas.tried[c].clip;
        if (flow->branches[c].mode == SLIP_MODE_OPEN && flow->areas.of[c]) {
            flow->areas.of[c]->charted = false;
            slip_flow_patch_set_direction(flow, flow->areas.of[c], false);
        }
    }
    return slip_flow_patch_begin(flow) ? SLIP_OK : SLIP_MODES_NONE;
}
