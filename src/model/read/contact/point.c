/* Contacts of kind friction and unilateral whose slip is a list of two: a point in a plane. */
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool slip_read_in_plane(const slip_tree *contact)
{
    const slip_tree *slip = slip_read_child(contact, "slip");
    return slip && slip->kind == SLIP_TREE_SEQUENCE;
}

/* The two slip velocities, each linear in the velocities. */
static bool read_slip(slip_reader *r, const slip_tree *contact, bool may_be_given, slip_expression *slip[2])
{
    const slip_tree *node = slip_read_child(contact, "slip");
    bool good = true;
    if (node->count != 2)
        return slip_problem(
            r->problems, node,
            "slip: found a list of %d, expected two velocities such as [x', y'] (a point in a plane), "
            "or one expression",
            node->count);
    for (int i = 0; i < 2; i++)
        good = slip_read_expression(r, node->item[i], "slip", &slip[i]) &&
               slip_read_slip_form(r, node->item[i], may_be_given, slip[i]) && good;
    return good;
}

/* In the plane only mu may vary, since it is a factor of the whole force; with memory, all parameters. */
static bool check_varying(slip_reader *r, const slip_tree *law_node, const slip_law *law)
{
    for (int k = 0; k < law->expression_count; k++)
        if (!slip_law_find(law->type)->remember &&
            (strcmp(law->expressions[k].parameter, "mu") != 0 || law->viscous > 0)) {
            const char *parameter = law->expressions[k].parameter;
            return slip_problem(r->problems, slip_read_child(law_node, parameter),
                                "law `%s`: %s: found `%.60s`, expected %s", law->type, parameter,
                                law->expressions[k].text,
                                law->viscous > 0 ? "a number beside `viscous` (a slip in the plane)"
                                                 : "a number: of a slip in the plane only mu may vary");
        }
    return true;
}

static void free_expressions(slip_patch_source *source)
{
    for (int i = 0; i < 2; i++)
        slip_expression_destroy(source->slip[i]);
    slip_expression_destroy(source->normal_force);
    slip_expression_destroy(source->gap);
}

bool slip_read_append_point(slip_reader *r, const slip_tree *law_node, const slip_law *law,
                            const double mu[2], slip_patch_source *source)
{
    double axes[2] = {1, 1};
    source->point = law;
    source->axes = axes;
    source->mu = fmax(mu[0], mu[1]);
    for (int i = 0; i < 2 && source->mu > 0; i++)
        axes[i] = mu[i] / source->mu;
    if (!check_varying(r, law_node, law)) {
        free_expressions(source);
        return false;
    }
    if (slip_model_append_patch(r->ctx, r->model, source) < 0)
        return slip_problem(r->problems, law_node, "%s", slip_context_message(r->ctx));
    slip_read_varying(r, law_node, law);
    return true;
}

void slip_read_point(slip_reader *r, const slip_tree *node, const char *name, bool has_gap)
{
    const slip_tree *law_node = slip_read_child(node, "law");
    slip_law law = slip_law_default("coulomb");
    double mu[2] = {0, 0};
    slip_patch_source source = {.name = name};
    char what[100];
    law.mu = 0;
    snprintf(what, sizeof what, "law of contact `%.60s`", name);
    const bool known = law_node && slip_read_law(r, law_node, what, true, &law, mu);
    bool good = read_slip(r, node, known && slip_law_takes_given_slip(&law), source.slip);
    if (slip_read_is_compliant(node)) {
        good = slip_read_compliance(r, node, what, &source.normal_force) && good;
    } else if (has_gap) {
        good = slip_read_gap(r, node, what, &source.gap) && good;
        good = slip_read_impact(r, node, &source.restitution, &source.impact_friction) && good;
    } else {
        good = slip_read_normal(r, node, &source.normal_force) && good;
    }
    good = (!law_node || known) && good;
    if (!good || r->problems->count > r->before_contact)
        free_expressions(&source);
    else if (slip_read_append_point(r, law_node ? law_node : node, &law, mu, &source) &&
             slip_read_is_compliant(node))
        slip_read_mark_compliant(r);
}
