/* Contacts of kind patch: slip, law, surface; area.c has the area. */
#include "model/read/contact/patch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const slip_range positive = {0, INFINITY, true}, not_negative = {0, INFINITY, false};

/* ---- slip ---- */

/* Linear in the velocities, or without them (a belt that runs under a body that only spins). */
static bool check_slip(slip_patch_reading *p, const slip_tree *node, const char *what,
                       const slip_expression *slip, bool *moves)
{
    slip_reader *r = p->r;
    const slip_dependence dependence =
        slip_expression_dependence(slip, slip_velocity_slots(r->n, r->coordinates));
    *moves |= dependence != SLIP_INDEPENDENT;
    if (dependence != SLIP_NONLINEAR)
        return true;
    return slip_problem(r->problems, node,
                        "%s: `%.60s` is not linear in the velocities, expected a sum such as %s' - 0.1", what,
                        node->text, r->names[0]);
}

static bool read_slip(slip_patch_reading *p)
{
    static const char *const keys[] = {"x", "y", "spin", NULL};
    slip_reader *r = p->r;
    char what[100];
    bool good = true, moves = false;
    snprintf(what, sizeof what, "contact `%.60s`", p->contact);
    const slip_tree *node = slip_read_required(r, p->node, what, "slip", "slip: {x: x' - vb, spin: phi'}");
    if (!node)
        return false;
    if (node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(r, node, "slip", "a mapping such as {x: %s' - 0.1, spin: ...}", r->names[0]);
    slip_read_keys(r, node, "slip", keys);
    for (int part = 0; part < 3; part++) {
        const slip_tree *value = slip_read_child(node, keys[part]);
        snprintf(what, sizeof what, "slip: %s", keys[part]);
        if (value)
            good = slip_read_expression(r, value, what, &p->slip[part]) &&
                   check_slip(p, value, what, p->slip[part], &moves) && good;
    }
    if (good && !moves)
        return slip_problem(r->problems, node,
                            "slip: found no velocity in x, y and spin, expected one, such as %s'",
                            r->names[0]);
    return good;
}

/* ---- surface ---- */

static bool read_order(slip_patch_reading *p)
{
    const slip_tree *node = slip_read_child(p->surface_node, "order");
    static const slip_range range = {0, 1, false};
    double order[2];
    if (!node)
        return true;
    if (!slip_read_numbers(p->r, node, "surface: order", 2, range, order))
        return false;
    for (int i = 0; i < 2; i++) {
        if (order[i] != floor(order[i]))
            return slip_problem(p->r->problems, node->item[i], "surface: order: found %.9g, expected 0 or 1",
                                order[i]);
        p->area.order[i] = (int)order[i];
    }
    return true;
}

static bool read_optional(slip_patch_reading *p, const slip_tree *node, const char *group, const char *key,
                          slip_range range, double *value)
{
    const slip_tree *child = slip_read_child(node, key);
    char what[60];
    snprintf(what, sizeof what, "%s: %s", group, key);
    return !child || slip_read_number_in(p->r, child, what, range, value);
}

/* Keys of the other type of surface, most likely left over when --set changed the type: one message that says
 * how to go on. */
static bool refuse_keys_of(slip_patch_reading *p, const char *other, const char *const *keys)
{
    const char *type = strcmp(other, "pade") == 0 ? "integral" : "pade";
    for (int i = 0; keys[i]; i++)
        if (slip_read_child(p->surface_node, keys[i]))
            return slip_problem(
                p->r->problems, slip_tree_key(p->surface_node, slip_tree_index(p->surface_node, keys[i])),
                "surface: `%s` belongs to type %s, the type here is %s; leave it out, or replace the "
                "whole surface: --set 'contacts.%.60s.law.surface={type: %s}'",
                keys[i], other, type, p->contact, type);
    return true;
}

static bool read_pade(slip_patch_reading *p)
{
    static const char *const keys[] = {"type", "order", "m", "b", "fit", NULL};
    const slip_tree *fit = slip_read_child(p->surface_node, "fit");
    static const char *const foreign[] = {"tolerance", NULL};
    bool flag = false, good = true;
    if (!refuse_keys_of(p, "integral", foreign))
        return false;
    slip_read_keys(p->r, p->surface_node, "surface", keys);
    good = read_order(p);
    good = read_optional(p, p->surface_node, "surface", "m", positive, &p->area.m) && good;
    good = read_optional(p, p->surface_node, "surface", "b", positive, &p->area.b) && good;
    good = (!fit || slip_read_flag(p->r, fit, "surface: fit", &flag)) && good;
    p->area.fit = flag;
    return good;
}

/* b of the integral model is the weight of spin in the smoothing. */
static bool read_integral(slip_patch_reading *p)
{
    static const char *const set_valued[] = {"type", "tolerance", NULL};
    static const char *const smooth[] = {"type", "tolerance", "b", NULL};
    static const char *const foreign[] = {"order", "m", "fit", NULL}, *const also[] = {"b", NULL};
    static const slip_range tolerances = {0, 0.1, false};
    if (!refuse_keys_of(p, "pade", foreign) || (!(p->area.epsilon > 0) && !refuse_keys_of(p, "pade", also)))
        return false;
    slip_read_keys(p->r, p->surface_node, "surface", p->area.epsilon > 0 ? smooth : set_valued);
    p->area.table_tolerance = -1;
    bool good = read_optional(p, p->surface_node, "surface", "b", positive, &p->area.b);
    return read_optional(p, p->surface_node, "surface", "tolerance", tolerances, &p->area.table_tolerance) &&
           good;
}

static bool read_surface(slip_patch_reading *p)
{
    static const char *const names[] = {"integral", "pade", NULL};
    const slip_tree *type;
    p->surface_node = slip_read_child(p->law_node, "surface");
    if (!p->surface_node)
        return true;
    if (p->surface_node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(p->r, p->surface_node, "surface",
                                "a mapping such as {type: pade, order: [0, 0], fit: true}");
    type = slip_read_required(p->r, p->surface_node, "surface", "type", "type: integral");
    const int chosen = type ? slip_read_choice(p->r, type, "surface: type", "unknown surface", names) : -1;
    p->area.surface = chosen >= 0 ? names[chosen] : p->area.surface;
    return chosen == 1 ? read_pade(p) : chosen == 0 && read_integral(p);
}

/* ---- law ---- */

static bool read_law_numbers(slip_patch_reading *p, bool smooth)
{
    static const char *const set_valued_keys[] = {"type", "mu", "static_ratio", "surface", NULL};
    static const char *const smooth_keys[] = {"type",      "mu",      "epsilon", "static_ratio",
                                              "eta_prime", "surface", NULL};
    static const slip_range ratios = {1, INFINITY, false};
    const slip_tree *mu = slip_read_required(p->r, p->law_node, "law", "mu", "mu: 0.3"), *epsilon = NULL;
    const int varies = mu ? slip_read_varies(p->r, mu, "law: mu", "mu", &p->law) : -1;
    bool good = varies > 0 || (varies == 0 && slip_read_number_in(p->r, mu, "law: mu", not_negative, &p->mu));
    if (varies > 0)
        p->mu = 1; /* until it is known */
    slip_read_keys(p->r, p->law_node, "law", smooth ? smooth_keys : set_valued_keys);
    good = read_optional(p, p->law_node, "law", "static_ratio", ratios, &p->area.static_ratio) && good;
    if (!smooth)
        return good;
    epsilon = slip_read_required(p->r, p->law_node, "law", "epsilon", "epsilon: 1e-4");
    good = epsilon && slip_read_number_in(p->r, epsilon, "law: epsilon", positive, &p->area.epsilon) && good;
    return read_optional(p, p->law_node, "law", "eta_prime", not_negative, &p->area.eta_prime) && good;
}

static bool read_law(slip_patch_reading *p)
{
    static const char *const names[] = {"coulomb", "sqrt", NULL};
    const slip_tree *type;
    int before = p->r->problems->count;
    p->law_node = slip_read_child(p->node, "law");
    if (!p->law_node)
        return true; /* no friction: mu is 0 */
    if (p->law_node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(p->r, p->law_node, "law", "a mapping such as {type: coulomb, mu: 0.3}");
    type = slip_read_required(p->r, p->law_node, "law", "type", "type: coulomb");
    const int chosen = type ? slip_read_choice(p->r, type, "law: type", "unknown law of a patch", names) : -1;
    return chosen >= 0 && read_law_numbers(p, chosen == 1) && read_surface(p) &&
           p->r->problems->count == before;
}

/* ---- all of it ---- */

/* Records a failure of slip_patch_create, at the field with which its message begins. */
static void note_refusal(slip_patch_reading *p)
{
    const char *message = slip_context_message(p->r->ctx);
    const slip_tree *at = strncmp(message, "area:", 5) == 0 || p->area.file ? p->area_node
                          : strncmp(message, "surface:", 8) == 0            ? p->surface_node
                                                                            : p->law_node;
    slip_problem(p->r->problems, at ? at : p->node, "%s", message);
}

/* The normal force of the area: given, or by a gap. */
static bool read_pressing(slip_patch_reading *p, const char *what)
{
    static const char *const of_gaps[] = {"restitution", "impact_friction", "normal"};
    const int given = slip_tree_index(p->node, "normal_force");
    if (!slip_read_child(p->node, "gap")) {
        for (int i = 0; i < 3; i++)
            if (slip_read_child(p->node, of_gaps[i]))
                return slip_problem(
                    p->r->problems, slip_tree_key(p->node, slip_tree_index(p->node, of_gaps[i])),
                    "%s: found `%s` without a gap, expected for example `gap: z`", what, of_gaps[i]);
        return slip_read_normal(p->r, p->node, &p->normal_force);
    }
    if (slip_read_is_compliant(p->node))
        return slip_read_compliance(p->r, p->node, what, &p->normal_force);
    if (slip_read_child(p->node, "normal_force"))
        return slip_problem(
            p->r->problems, slip_tree_key(p->node, given),
            "%s: found both gap and normal_force, expected one of them: the normal force follows "
            "from the gap",
            what);
    return slip_read_gap(p->r, p->node, what, &p->gap) &&
           slip_read_impact(p->r, p->node, &p->restitution, &p->impact_friction);
}

static void read_patch(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {
        "kind",   "slip", "normal_force", "gap", "restitution", "impact_friction",
        "normal", "area", "law",          NULL};
    slip_patch_reading p = {.r = r,
                            .contact = name,
                            .node = node,
                            .area = slip_patch_options_default(),
                            .law = {.type = "patch"}};
    char what[100];
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_read_keys(r, node, what, keys);
    bool good = read_slip(&p);
    good = read_pressing(&p, what) && good;
    good = slip_read_area(&p) && good;
    good = read_law(&p) && good;
    if (good && r->problems->count == r->before_contact) {
        slip_patch_source source = {.name = name,
                                    .mu = p.mu,
                                    .area = &p.area,
                                    .normal_force = p.normal_force,
                                    .gap = p.gap,
                                    .restitution = p.restitution,
                                    .impact_friction = p.impact_friction};
        memcpy(source.slip, p.slip, sizeof source.slip);
        if (slip_model_append_patch(r->ctx, r->model, &source) < 0)
            note_refusal(&p);
        else {
            if (p.law_node)
                slip_read_varying(r, p.law_node, &p.law);
            if (p.normal_force && slip_read_is_compliant(node))
                slip_read_mark_compliant(r);
        }
        return;
    }
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(p.slip[part]);
    slip_expression_destroy(p.normal_force);
    slip_expression_destroy(p.gap);
}

const slip_contact_kind slip_kind_patch = {.read = read_patch};
