/* Functions that patch.c, chart.c, group.c and moment.c share. */
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

/* Whether the patch leads its group of patches that only rest together, and stands for them. */
static inline bool slip_flow_patch_leads(const slip_flow_patch *p)
{
    return p->leader == p;
}
static inline bool slip_flow_patch_slips(const slip_flow *flow, const slip_flow_patch *p)
{
    return slip_flow_patch_leads(p) && flow->branches[p->contact].mode == SLIP_MODE_SLIP;
}

/* Whether the patch has no gap, or a closed one. */
static inline bool slip_flow_patch_touches(const slip_flow *flow, const slip_flow_patch *p)
{
    return !flow->system->contacts[p->contact].has_gap || flow->decision.standing[p->contact].touching;
}

/* Whether the patch starts to slip from rest at the event that is being decided. */
static inline bool slip_flow_patch_starts(const slip_flow *flow, const slip_flow_patch *p)
{
    return flow->decision.standing[p->contact].resting && slip_flow_patch_slips(flow, p);
}

/* patch.c */

/* Sets the direction of slip from a vector d of any length. */
void slip_flow_patch_aim(slip_flow_patch *p, const double d[3]);
void slip_flow_patch_slip(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, double slip[3]);
void slip_flow_patch_rate(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, const double *a, double rate[3]);
/* Computes basis and stiffness from the rows of the last evaluation, where they are unknown or vary. */
void slip_flow_patch_refresh(slip_flow *flow, slip_flow_patch *p);
/* Updates the rows of a group to the given state, where they depend on it, before its direction is set. */
void slip_flow_patch_turn(slip_flow *flow, slip_flow_patch *leader, double t, const double *q,
                          const double *v);
/* Accelerations with the branches as they are, in flow->a_last. */
bool slip_flow_patch_evaluate(slip_flow *flow, double t, const double *q, const double *v);
/* Sets the mode to slip, in the known direction where there is one, else in that of the velocities. */
void slip_flow_patch_set_slip(slip_flow *flow, slip_flow_patch *p, bool from_rest);
void slip_flow_patch_set_stick(slip_flow *flow, slip_flow_patch *p);
/* Sets the mode of all patches of a group. */
void slip_flow_patch_set_mode(slip_flow *flow, slip_flow_patch *leader, slip_mode mode);
/* The limit of stick of a contact with a patch (user: the flow); *ratio: its load, by the same measure. */
double slip_flow_patch_limit(void *user, int contact, double *ratio);

/* Whether the direction of slip is taken from the patch (known) or from the velocities. */
void slip_flow_patch_set_direction(slip_flow *flow, slip_flow_patch *p, bool known);

/* group.c */

/* Computes the maps G_i from the leader's slip to those of the others, by the last evaluation. */
void slip_flow_patch_map(slip_flow *flow, slip_flow_patch *leader);
void slip_flow_patch_aim_others(const slip_flow_patch *leader);
/* The limit surface of a group at the last evaluation, in units of *strength: mu N, or static_ratio times
 * that if `held`. */
const slip_patch *slip_flow_patch_law(slip_flow *flow, const slip_flow_patch *leader, bool held,
                                      double *strength);
/* The friction forces of the whole group along the leader's basis. */
void slip_flow_patch_load(slip_flow *flow, const slip_flow_patch *leader, double u[3]);

/* chart.c */

/* Directions follow the load at a rate of mu N W M^-1 W^T / L, slip grows at the rate growth / L: stiff where
 * the ratio of both, the number of explicit steps, is large. */
bool slip_flow_patch_is_stiff(slip_flow *flow, const slip_flow_patch *p, double growth);
double slip_flow_patch_stiffness(slip_flow *flow, const slip_flow_patch *p); /* mu N W M^-1 W^T of all */
void slip_flow_patch_leave(slip_flow *flow, slip_flow_patch *p);

/* moment.c */

/* The state q, v at time x of the present moment. */
void slip_flow_moment_inside(const slip_flow *flow, double x, double *q, double *v);
/* The same for the last moment of a slip, whose direction is known at both ends. */
void slip_flow_moment_last(slip_flow *flow, double x, double *q, double *v);
/* For a moment, takes the directions of all patches but p from the velocities, which change; false where
 * these are too small. `leave`: they leave their charts for good. */
bool slip_flow_patch_free(slip_flow *flow, const slip_flow_patch *p, bool leave);
/* Finds the directions of all patches that start to slip, by iteration over the patches. Returns a patch that
 * cannot slip, or NULL. */
slip_flow_patch *slip_flow_patch_directions(slip_flow *flow, double t, const double *q, const double *v);
/* The first moment of slip from rest, by the expansion at the head of patch.c. */
bool slip_flow_patch_begin(slip_flow *flow);

#endif
