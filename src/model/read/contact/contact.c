/* Contacts. */
#include "model/names.h"
#include "model/read/read.h"

#include <stdio.h>
#include <string.h>

/* ---- contacts ---- */

static bool read_law(slip_reader *r, const slip_tree *node, const char *contact, slip_law *law)
{
    char what[100];
    snprintf(what, sizeof what, "law of contact `%.60s`", contact);
    return slip_read_law(r, node, what, true, law, NULL);
}

static bool read_slip(slip_reader *r, const slip_tree *contact, const char *what, bool may_be_given,
                      slip_expression **slip)
{
    const slip_tree *node = slip_read_required(r, contact, what, "slip", "slip: x'");
    if (!node)
        return false;
    if (node->kind == SLIP_TREE_MAPPING)
        return slip_problem(
            r->problems, node,
            "slip: found a mapping, expected one expression linear in the velocities (a mapping is for "
            "contacts of kind patch)");
    return slip_read_expression(r, node, "slip", slip) && slip_read_slip_form(r, node, may_be_given, *slip);
}

void slip_read_finish_law(slip_reader *r, const slip_tree *law_node, const slip_law *law)
{
    const slip_system *system = r->model->system;
    const slip_contact *contact = &system->contacts[system->contact_count - 1];
    if (law_node)
        slip_read_varying(r, law_node, law);
    for (int k = 0; k < contact->state_count && contact->law.type->state_start; k++)
        r->model->initial_v[contact->state + k] = contact->law.type->state_start(&contact->law);
}

/* Adds the contact with the expressions read, which it owns; if not `good`, frees them and returns false. */
static bool append_friction(slip_reader *r, const slip_tree *node, const char *name, bool good,
                            slip_expression *slip, slip_expression *normal, const slip_law *law)
{
    const slip_tree *law_node = slip_read_child(node, "law");
    if (!good || r->problems->count > r->before_contact) {
        slip_expression_destroy(slip);
        slip_expression_destroy(normal);
        return false;
    }
    if (slip_model_append_friction(r->ctx, r->model, name, slip, normal, law_node ? law : NULL) < 0)
        return slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
    slip_read_finish_law(r, law_node, law);
    return true;
}

static void read_friction(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {"kind", "slip", "normal_force", "law", NULL};
    const slip_tree *law_node = slip_read_child(node, "law");
    slip_expression *slip = NULL, *normal = NULL;
    char what[100];
    slip_law law;
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_read_keys(r, node, what, keys);
    if (slip_read_in_plane(node)) {
        slip_read_point(r, node, name, false);
        return;
    }
    const bool known = law_node && read_law(r, law_node, name, &law);
    bool good = read_slip(r, node, what, known && slip_law_takes_given_slip(&law), &slip);
    good = slip_read_normal(r, node, &normal) && good;
    good = (!law_node || known) && good;
    append_friction(r, node, name, good, slip, normal, &law);
}

/* ---- unilateral contacts ---- */

/* Friction needs a direction. */
static bool check_law_has_slip(slip_reader *r, const slip_tree *contact, const char *what)
{
    int index = slip_tree_index(contact, "law");
    if (!slip_read_child(contact, "law") || slip_read_child(contact, "slip"))
        return true;
    return slip_problem(r->problems, slip_tree_key(contact, index),
                        "%s: found a law without `slip`, expected for example `slip: x'`", what);
}

/* A compliant contact: a contact with given normal force, which also acts on the coordinates. */
static void read_compliant(slip_reader *r, const slip_tree *node, const char *name, const char *what)
{
    const slip_tree *law_node = slip_read_child(node, "law");
    slip_expression *slip = NULL, *normal = NULL;
    slip_law law;
    bool good = !slip_read_child(node, "slip") || read_slip(r, node, what, false, &slip);
    good = check_law_has_slip(r, node, what) && good;
    good = (!law_node || read_law(r, law_node, name, &law)) && good;
    good = slip_read_compliance(r, node, what, &normal) && good;
    if (append_friction(r, node, name, good, slip, normal, &law))
        slip_read_mark_compliant(r);
}

static void read_unilateral(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {"kind",   "gap", "slip", "restitution", "impact_friction",
                                       "normal", "law", NULL};
    const slip_tree *law_node = slip_read_child(node, "law");
    slip_unilateral contact = {.name = name};
    char what[100];
    slip_law law;
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_read_keys(r, node, what, keys);
    if (slip_read_in_plane(node)) {
        slip_read_point(r, node, name, true);
        return;
    }
    if (slip_read_is_compliant(node)) {
        read_compliant(r, node, name, what);
        return;
    }
    bool good = slip_read_gap(r, node, what, &contact.gap);
    good = (!slip_read_child(node, "slip") || read_slip(r, node, what, false, &contact.slip)) && good;
    good = slip_read_impact(r, node, &contact.restitution, &contact.impact_friction) && good;
    good = check_law_has_slip(r, node, what) && good;
    good = (!law_node || read_law(r, law_node, name, &law)) && good;
    contact.law = law_node ? &law : NULL;
    if (!good || r->problems->count > r->before_contact) {
        slip_expression_destroy(contact.gap);
        slip_expression_destroy(contact.slip);
    } else if (slip_model_append_unilateral(r->ctx, r->model, &contact) < 0) {
        slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
    } else {
        slip_read_finish_law(r, law_node, &law);
    }
}

/* ---- all of them ---- */

const slip_contact_kind slip_kind_friction = {.read = read_friction, .can = SLIP_KIND_REMEMBERS};
const slip_contact_kind slip_kind_unilateral = {.read = read_unilateral, .can = SLIP_KIND_REMEMBERS};

#define ROW(name) {#name, &slip_kind_##name},
static const struct kind {
    const char *name;
    const slip_contact_kind *type;
} kinds[] = {SLIP_CONTACT_KINDS(ROW)};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

bool slip_read_kind_is(const slip_tree *contact, unsigned can)
{
    const slip_tree *kind = slip_read_child(contact, "kind");
    for (int i = 0; i < kind_count && kind && kind->kind == SLIP_TREE_SCALAR; i++)
        if (strcmp(kind->text, kinds[i].name) == 0)
            return (kinds[i].type->can & can) != 0;
    return false;
}

/* NULL when it is missing or unknown; noted then. */
static const struct kind *read_kind(slip_reader *r, const slip_tree *node, const char *what)
{
    const slip_tree *value = slip_read_required(r, node, what, "kind", "kind: friction");
    const char *names[kind_count + 1] = {0};
    for (int i = 0; i < kind_count; i++)
        names[i] = kinds[i].name;
    const int found = value ? slip_read_choice(r, value, "kind", "unknown kind", names) : -1;
    return found >= 0 ? &kinds[found] : NULL;
}

/* Surfaces belong to bodies, the other kinds to coordinates. */
static bool check_bodies(slip_reader *r, const slip_tree *node, const char *what, const struct kind *kind)
{
    const bool bodies = slip_read_child(r->root, "bodies") != NULL;
    if (bodies == ((kind->type->can & SLIP_KIND_OF_BODIES) != 0) || r->model->bodies)
        return true;
    return slip_problem(r->problems, slip_read_child(node, "kind"), "%s: kind `%s` %s", what, kind->name,
                        bodies ? "is for coordinates, expected `surface` in a model with bodies"
                               : "is for bodies, but the model has none: expected a section `bodies`");
}

void slip_read_contact(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    const char *problem = r->model->origin ? NULL : slip_name_problem(key->text, false);
    const struct kind *kind;
    char what[100];
    r->before_contact = r->problems->count;
    snprintf(what, sizeof what, "contact `%.60s`", key->text);
    if (problem)
        slip_problem(r->problems, key, "%s %s", what, problem);
    else if (node->kind != SLIP_TREE_MAPPING)
        slip_read_refuse(r, node, what, "a mapping with kind, slip, normal_force and law");
    else if ((kind = read_kind(r, node, what)) && check_bodies(r, node, what, kind) &&
             (slip_read_has_motion(r) || r->model->plane))
        (r->model->bodies && kind->type->read_motion ? kind->type->read_motion : kind->type->read)(r, node,
                                                                                                   key->text);
}

void slip_read_contacts(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "contacts");
    if (!section)
        return;
    if (section->kind != SLIP_TREE_MAPPING) {
        slip_read_refuse(r, section, "contacts", "a mapping (name: contact)");
        return;
    }
    if (section->count > slip_contacts_max) {
        slip_problem(r->problems, section, "contacts: found %d of them, expected at most %d", section->count,
                     slip_contacts_max);
        return;
    }
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        slip_read_contact(r, slip_tree_key(section, i), slip_tree_value(section, i));
}
