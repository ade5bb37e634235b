/* Between patch.c, chart.c, group.c and moment.c. */
#ifndef SLIP_METHOD_FLOW_PATCH_H
#define SLIP_METHOD_FLOW_PATCH_H

#include "method/flow/flow.h"
#include "patch/patch.h"

#include <math.h>

/* Of slip velocities, in units of the area. */
static inline double slip_area_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double slip_area_norm(const double *a)
{
    return sqrt(slip_area_dot(a, a));
}

/* Of patches that only rest together one leads; all others but it are looked at with it. */
static inline bool slip_flow_patch_leads(const slip_flow_patch *p)
{
    return p->leader == p;
}
static inline bool slip_flow_patch_slips(const slip_flow *flow, const slip_flow_patch *p)
{
    return slip_flow_patch_leads(p) && flow->branches[p->contact].mode == SLIP_MODE_SLIP;
}

/* Has no gap, or a closed one. */
static inline bool slip_flow_patch_touches(const slip_flow *flow, const slip_flow_patch *p)
{
    return !flow->system->contacts[p->contact].has_gap || flow->decision.standing[p->contact].touching;
}

/* At the event that is being decided: slips, from rest. */
static inline bool slip_flow_patch_starts(const slip_flow *flow, const slip_flow_patch *p)
{
    return flow->decision.standing[p->contact].resting && slip_flow_patch_slips(flow, p);
}

/* patch.c */

/* The direction of slip, of any length. */
void slip_flow_patch_aim(slip_flow_patch *p, const double d[3]);
void slip_flow_patch_slip(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, double slip[3]);
void slip_flow_patch_rate(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, const double *a, double rate[3]);
/* Basis and stiffness, where they are not known or change; with the rows of the last evaluation. */
void slip_flow_patch_refresh(slip_flow *flow, slip_flow_patch *p);
/* Brings a group whose rows change to the state given, before its direction is set there. */
void slip_flow_patch_turn(slip_flow *flow, slip_flow_patch *leader, double t, const double *q,
                          const double *v);
/* Accelerations with the branches as they are, in flow->a_last. */
bool slip_flow_patch_evaluate(slip_flow *flow, double t, const double *q, const double *v);
/* Slip, by the direction that is known where there is one. */
void slip_flow_patch_set_slip(slip_flow *flow, slip_flow_patch *p, bool from_rest);
void slip_flow_patch_set_stick(slip_flow *flow, slip_flow_patch *p);
/* The mode of all that rest together. */
void slip_flow_patch_set_mode(slip_flow *flow, slip_flow_patch *leader, slip_mode mode);
/* What is left until a contact with a patch, of this flow, starts to slip, and its force over the limit. */
double slip_flow_patch_limit(void *user, int contact, double *ratio);

/* Whether directions are by what is known of them, or by the velocities. */
void slip_flow_patch_set_direction(slip_flow *flow, slip_flow_patch *p, bool known);

/* group.c */

/* How the slip of the others follows from the leader's; by the rows of the last evaluation. */
void slip_flow_patch_map(slip_flow *flow, slip_flow_patch *leader);
void slip_flow_patch_aim_others(const slip_flow_patch *leader);
/* The surface of all in units of *strength, which is mu N or, held, static_ratio times that, at the last
 * evaluation. */
const slip_patch *slip_flow_patch_law(slip_flow *flow, const slip_flow_patch *leader, bool held,
                                      double *strength);
/* The forces of all along the leader's basis. */
void slip_flow_patch_load(slip_flow *flow, const slip_flow_patch *leader, double u[3]);

/* chart.c */

/* Directions follow the load at a rate of mu N W M^-1 W^T / L, slip grows at the rate growth / L: an explicit
 * stepper would need as many steps as their ratio. */
bool slip_flow_patch_is_stiff(slip_flow *flow, const slip_flow_patch *p, double growth);
double slip_flow_patch_stiffness(slip_flow *flow, const slip_flow_patch *p); /* mu N W M^-1 W^T of all */
void slip_flow_patch_leave(slip_flow *flow, slip_flow_patch *p);

/* moment.c */

/* The state a time x into the moment. */
void slip_flow_moment_inside(const slip_flow *flow, double x, double *q, double *v);
/* And in the last moment of a slip, of which the direction is known at both ends. */
void slip_flow_moment_last(slip_flow *flow, double x, double *q, double *v);
/* In a moment other patches go by the velocities, which change; false where those say too little. `leave`:
 * for good; otherwise the charts are put back afterwards. */
bool slip_flow_patch_free(slip_flow *flow, const slip_flow_patch *p, bool leave);
/* Directions of all patches that start from rest, one after the other until nothing changes. Returns a patch
 * that cannot slip, or NULL. */
slip_flow_patch *slip_flow_patch_directions(slip_flow *flow, double t, const double *q, const double *v);
/* The first moment of slip from rest, by the expansion at the head of patch.c. */
bool slip_flow_patch_begin(slip_flow *flow);

#endif
