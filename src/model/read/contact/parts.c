/* What kinds of contacts have in common: slip velocity, normal force, gap, impacts. */
#include "model/read/read.h"

/* Slip must be linear in the velocities, or for some laws given; said here because the place in the file is
 * known here. */
bool slip_read_slip_form(slip_reader *r, const slip_tree *node, bool may_be_given,
                         const slip_expression *slip)
{
    const slip_dependence dependence =
        slip_expression_dependence(slip, slip_velocity_slots(r->n, r->coordinates));
    if (dependence == SLIP_INDEPENDENT && may_be_given)
        return true;
    if (dependence == SLIP_INDEPENDENT)
        slip_problem(r->problems, node, "slip: found no velocity in `%.60s`, expected one, such as %s'",
                     node->text, r->names[0]);
    else if (dependence == SLIP_NONLINEAR)
        slip_problem(r->problems, node,
                     "slip: `%.60s` is not linear in the velocities, expected a sum such as %s' - 0.1",
                     node->text, r->names[0]);
    return dependence != SLIP_INDEPENDENT && dependence != SLIP_NONLINEAR;
}

bool slip_read_normal(slip_reader *r, const slip_tree *contact, slip_expression **normal)
{
    const slip_tree *node = slip_read_child(contact, "normal_force");
    double value;
    if (!node)
        return true;
    if (!slip_read_expression(r, node, "normal_force", normal))
        return false;
    if (!slip_expression_is_constant(*normal, &value) || value >= 0)
        return true;
    return slip_problem(r->problems, node,
                        "normal_force: found %.9g, expected at least 0 (compression is positive)", value);
}

/* Open while positive: linear in the coordinates, with numbers for coefficients, plus a function of time. */
static bool check_gap(slip_reader *r, const slip_tree *node, const slip_expression *gap)
{
    const slip_dependence dependence = slip_expression_dependence(gap, slip_place_slots(r->n));
    for (int i = 0; i < r->n; i++)
        if (slip_expression_reads(gap, slip_slot_velocity(r->n, i)))
            return slip_problem(r->problems, node,
                                "gap: found the %s %s%s in `%.60s`, expected coordinates and t only",
                                i < r->coordinates ? "velocity" : "state", r->all[i],
                                i < r->coordinates ? "'" : "", node->text);
    if (dependence == SLIP_INDEPENDENT)
        slip_problem(r->problems, node, "gap: found no coordinate in `%.60s`, expected one, such as 1 - %s",
                     node->text, r->names[0]);
    return dependence != SLIP_INDEPENDENT;
}

bool slip_read_gap(slip_reader *r, const slip_tree *contact, const char *what, slip_expression **gap)
{
    const slip_tree *node = slip_read_required(r, contact, what, "gap", "gap: 1 - x");
    return node && slip_read_expression(r, node, "gap", gap) && check_gap(r, node, *gap);
}

bool slip_read_impact(slip_reader *r, const slip_tree *contact, double *to, bool *rubs)
{
    static const char *const words[] = {"none", "coulomb", NULL};
    static const slip_range range = {0, 1, false};
    const slip_tree *restitution = slip_read_child(contact, "restitution");
    const slip_tree *friction = slip_read_child(contact, "impact_friction");
    bool good = !restitution || slip_read_number_in(r, restitution, "restitution", range, to);
    if (!friction)
        return good;
    const int chosen = slip_read_choice(r, friction, "impact_friction", NULL, words);
    if (chosen < 0)
        return false;
    *rubs = chosen == 1;
    if (*rubs && !slip_read_child(contact, "law"))
        return slip_problem(r->problems, friction,
                            "impact_friction: found `coulomb` without a law, expected one");
    return good;
}
