/* Compliant contacts: `normal: {stiffness, exponent, damping}` beside a gap. With the overlap d = -gap the
 * normal force is
 *
 *     N = stiffness d^exponent (1 + damping d')   where d > 0, and not less than 0,
 *
 * a spring (exponent 1), Hertz's sphere (3/2), with the damping of Hunt and Crossley (1975). It is an
 * expression of the gap as any normal force and load: every method that takes loads of the state takes it,
 * and the event method ends its steps where max() switches. */
#include "model/read/read.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool slip_read_is_compliant(const slip_tree *contact)
{
    return slip_read_child(contact, "normal") != NULL;
}

static bool check(slip_reader *r, const slip_tree *contact, const char *what)
{
    static const char *const keys[] = {"stiffness", "exponent", "damping", NULL}, *const rigid[] = {
                                                                                      "restitution",
                                                                                      "impact_friction",
                                                                                      "normal_force"};
    static const slip_range ranges[] = {{0, INFINITY, true}, {1, INFINITY, false}, {0, INFINITY, false}};
    const slip_tree *node = slip_read_child(contact, "normal");
    double value;
    bool good;
    for (int i = 0; i < 3; i++)
        if (slip_read_child(contact, rigid[i])) {
            slip_problem(r->problems, slip_tree_key(contact, slip_tree_index(contact, rigid[i])),
                         "%s: found `%s` beside `normal`, expected one of them: a compliant contact has no "
                         "impacts and "
                         "its normal force follows from the gap",
                         what, rigid[i]);
            return false;
        }
    if (!slip_read_keys(r, node, "normal", keys) ||
        !slip_read_required(r, node, "normal", "stiffness", "stiffness: 1e5"))
        return false;
    good = true;
    for (int i = 0; i < 3; i++) {
        const slip_tree *child = slip_read_child(node, keys[i]);
        char of[40];
        snprintf(of, sizeof of, "normal: %s", keys[i]);
        good = (!child || slip_read_number_in(r, child, of, ranges[i], &value)) && good;
    }
    return good;
}

/* The normal force as text: compiled once, with the parameters in it. What is added to the square keeps the
 * derivative of the power finite at d = 0. */
static bool compose(const slip_tree *contact, slip_text *text)
{
    const slip_tree *node = slip_read_child(contact, "normal"), *exponent = slip_read_child(node, "exponent"),
                    *damping = slip_read_child(node, "damping");
    const char *gap = slip_read_child(contact, "gap")->text;
    slip_text_printf(text, "(%s)*max(-(%s), 0)", slip_read_child(node, "stiffness")->text, gap);
    if (exponent)
        slip_text_printf(text, "*((%s)^2 + 1e-300)^(((%s) - 1)/2)", gap, exponent->text);
    if (damping)
        slip_text_printf(text, "*max(1 - (%s)*rate(%s), 0)", damping->text, gap);
    return !text->failed;
}

static const slip_expression *compile(slip_reader *r, const slip_tree *contact)
{
    slip_tree *node = slip_read_child(contact, "normal"), whole = *node;
    slip_text text = {0};
    const slip_expression *compiled = node->compiled;
    if (compiled)
        return compiled;
    if (!compose(contact, &text)) {
        r->problems->memory = true;
    } else {
        whole.kind = SLIP_TREE_SCALAR;
        whole.text = slip_arena_string(&r->model->arena, text.data);
        compiled = whole.text ? slip_read_compiled(r, &whole, "normal") : NULL;
        if (!r->model->origin)
            node->compiled = (slip_expression *)(uintptr_t)compiled;
    }
    slip_text_free(&text);
    return compiled;
}

/* A copy of the normal force with the values of the parameters in it. */
static bool bind(slip_reader *r, const slip_tree *contact, slip_expression **normal)
{
    const slip_expression *compiled = compile(r, contact);
    slip_expression_error error;
    *normal = NULL;
    return compiled && slip_expression_bind(compiled, slip_reader_slot_first(r), r->parameter_count,
                                            r->numbers, normal, &error) >= 0;
}

/* The normal force times the coefficient of a coordinate in the gap. */
static bool multiply(const slip_expression *normal, const slip_expression *coefficient,
                     slip_expression **result)
{
    static const slip_symbol symbols[] = {{.name = "n", .slot = 0}, {.name = "w", .slot = 1}, {0}};
    const slip_expression *const with[] = {normal, coefficient};
    slip_expression_error error;
    slip_expression *product = NULL;
    const bool good = slip_expression_compile("n*w", symbols, &product, &error) >= 0 &&
                      slip_expression_substitute(product, 0, 2, with, result) >= 0;
    slip_expression_destroy(product);
    return good;
}

/* It pushes the coordinates along the gradient of the gap. */
static bool push(slip_reader *r, const slip_tree *contact, const slip_expression *gap)
{
    bool good = true;
    for (int i = 0; i < r->coordinates && good; i++) {
        slip_expression *coefficient = NULL, *normal = NULL, *force = NULL;
        double number;
        if (!slip_expression_reads(gap, slip_slot_coordinate(i)))
            continue;
        good = slip_expression_derivative(gap, slip_slot_coordinate(i), &coefficient) >= 0 &&
               bind(r, contact, &normal);
        if (good && slip_expression_is_constant(coefficient, &number)) {
            force = normal;
            normal = NULL;
        } else if (good) {
            number = 1;
            good = multiply(normal, coefficient, &force);
        }
        good = good && slip_system_add_push(r->ctx, r->model->system, i, force, number) >= 0;
        slip_expression_destroy(coefficient);
        slip_expression_destroy(normal);
    }
    r->problems->memory |= !good;
    return good;
}

bool slip_read_compliance(slip_reader *r, const slip_tree *contact, const char *what,
                          slip_expression **normal)
{
    slip_expression *gap = NULL;
    const bool good = check(r, contact, what) && slip_read_gap(r, contact, what, &gap) &&
                      bind(r, contact, normal) && push(r, contact, gap);
    slip_expression_destroy(gap);
    return good;
}

void slip_read_mark_compliant(slip_reader *r)
{
    slip_system *system = r->model->system;
    system->contacts[system->contact_count - 1].compliant = true;
}
