/* Compliant contacts: `normal: {stiffness, exponent, damping}` beside a gap. With the overlap d = -gap the
 * normal force is
 *
 *     N = stiffness d^exponent (1 + damping d')   where d > 0, and not less than 0,
 *
 * a spring (exponent 1), Hertz's sphere (3/2), with the damping of Hunt and Crossley (1975). It is an
 * expression of the gap, like any other normal force, so every method that allows loads that depend on the
 * state can use it. The event method ends its steps where max() switches. */
#include "model/read/read.h"

#include "base/text.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>

bool slip_read_is_compliant(const slip_tree *contact)
{
    return slip_read_child(contact, "normal") != NULL;
}

bool slip_read_spring(slip_reader *r, const slip_tree *contact, const char *what, double spring[3])
{
    static const char *const keys[] = {"stiffness", "exponent", "damping", NULL}, *const rigid[] = {
                                                                                      "restitution",
                                                                                      "impact_friction",
                                                                                      "normal_force"};
    static const slip_range ranges[] = {{0, INFINITY, true}, {1, INFINITY, false}, {0, INFINITY, false}};
    const slip_tree *node = slip_read_child(contact, "normal");
    for (int i = 0; i < 3; i++)
        if (slip_read_child(contact, rigid[i]))
            return slip_problem(
                r->problems, slip_tree_key(contact, slip_tree_index(contact, rigid[i])),
                "%s: found `%s` beside `normal`, expected one of them: a compliant contact has no "
                "impacts and "
                "its normal force follows from the gap",
                what, rigid[i]);
    if (!slip_read_keys(r, node, "normal", keys) ||
        !slip_read_required(r, node, "normal", "stiffness", "stiffness: 1e5"))
        return false;
    bool good = true;
    spring[1] = 1;
    spring[2] = 0;
    for (int i = 0; i < 3; i++) {
        const slip_tree *child = slip_read_child(node, keys[i]);
        char of[40];
        snprintf(of, sizeof of, "normal: %s", keys[i]);
        good = (!child || slip_read_number_in(r, child, of, ranges[i], &spring[i])) && good;
    }
    return good;
}

/* A formula of two expressions by these names. */
static bool combine(const char *formula, const char *const names[2], const slip_expression *first,
                    const slip_expression *second, slip_expression **result)
{
    const slip_symbol symbols[] = {{.name = names[0], .slot = 0}, {.name = names[1], .slot = 1}, {0}};
    const slip_expression *const with[] = {first, second};
    slip_expression_error error;
    SLIP_FREED_BY(slip_expression_drop) slip_expression *formed = NULL;
    return slip_expression_compile(formula, symbols, &formed, &error) >= 0 &&
           slip_expression_substitute(formed, 0, 2, with, result) >= 0;
}

/* d gap/dt, of a gap that reads coordinates and t. */
static bool find_rate(slip_reader *r, const slip_expression *gap, slip_expression **rate)
{
    const int slots = 1 + 2 * r->n;
    SLIP_FREED int *of = slip_alloc(slots, sizeof *of);
    bool good = of != NULL;
    for (int slot = 0; slot < slots && good; slot++)
        of[slot] = SLIP_RATE_ZERO;
    if (good)
        of[slip_slot_time()] = SLIP_RATE_ONE;
    for (int i = 0; i < r->coordinates && good; i++)
        of[slip_slot_coordinate(i)] = slip_slot_velocity(r->n, i);
    return good && slip_expression_rate(gap, of, slots, rate) >= 0;
}

/* A small number is added to d^2 to keep the derivative of the power finite at d = 0. */
static bool find_force(slip_reader *r, const double spring[3], const slip_expression *gap,
                       slip_expression **normal)
{
    static const char *const names[] = {"gap", "gap'"};
    SLIP_FREED_BY(slip_expression_drop) slip_expression *rate = NULL;
    SLIP_FREED_BY(slip_text_free) slip_text formula = {0};
    char number[slip_number_size];
    slip_text_printf(&formula, "%s*max(-gap, 0)", slip_number_write_exact(number, spring[0]));
    if (spring[1] != 1)
        slip_text_printf(&formula, "*(gap^2 + 1e-300)^%s",
                         slip_number_write_exact(number, (spring[1] - 1) / 2));
    if (spring[2] != 0)
        slip_text_printf(&formula, "*max(1 - %s*gap', 0)", slip_number_write_exact(number, spring[2]));
    const bool good =
        !formula.failed && find_rate(r, gap, &rate) && combine(formula.data, names, gap, rate, normal);
    return good;
}

/* Adds the normal force on the coordinates, along the gradient of the gap: as one row for coordinates with
 * constant coefficients, and one expression for each of the others. */
static bool push(slip_reader *r, const double spring[3], const slip_expression *gap)
{
    static const char *const names[] = {"normal", "slope"};
    SLIP_FREED double *rows = slip_alloc(2 * (int64_t)r->n, sizeof *rows);
    double *one = rows + r->n;
    slip_expression *force = NULL;
    bool good = rows != NULL, constant = false;
    for (int i = 0; i < r->coordinates && good; i++) {
        slip_expression *coefficient = NULL, *normal = NULL;
        if (!slip_expression_reads(gap, slip_slot_coordinate(i)))
            continue;
        good = slip_expression_derivative(gap, slip_slot_coordinate(i), &coefficient) >= 0;
        if (good && slip_expression_is_constant(coefficient, &rows[i])) {
            constant = true;
        } else if (good) {
            one[i] = 1;
            good = find_force(r, spring, gap, &normal) &&
                   combine("normal*slope", names, normal, coefficient, &force) &&
                   slip_system_add_push(r->ctx, r->model->system, force, one) >= 0;
            one[i] = 0;
        }
        slip_expression_destroy(coefficient);
        slip_expression_destroy(normal);
    }
    return good && (!constant || (find_force(r, spring, gap, &force) &&
                                  slip_system_add_push(r->ctx, r->model->system, force, rows) >= 0));
}

bool slip_read_press(slip_reader *r, const double spring[3], const slip_expression *gap,
                     slip_expression **normal)
{
    *normal = NULL;
    if (find_force(r, spring, gap, normal) && push(r, spring, gap))
        return true;
    r->problems->memory = true;
    return false;
}

bool slip_read_compliance(slip_reader *r, const slip_tree *contact, const char *what,
                          slip_expression **normal)
{
    SLIP_FREED_BY(slip_expression_drop) slip_expression *gap = NULL;
    double spring[3];
    return slip_read_spring(r, contact, what, spring) && slip_read_gap(r, contact, what, &gap) &&
           slip_read_press(r, spring, gap, normal);
}

void slip_read_mark_compliant(slip_reader *r)
{
    slip_system *system = r->model->system;
    system->contacts[system->contact_count - 1].compliant = true;
}

void slip_read_mark_yielding(slip_reader *r, const double spring[3])
{
    slip_contact *last = &r->model->system->contacts[r->model->system->contact_count - 1];
    last->yields = true;
    memcpy(last->spring, spring, sizeof last->spring);
}
