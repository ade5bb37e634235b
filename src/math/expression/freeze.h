/* Expressions that are not smooth, taken apart: smooth pieces, and the switches between them.
 *
 * A comparison, step, sign, abs, min, max, floor, ceil, mod or table changes its form where an argument, its
 * guard, passes zero (or, of floor, ceil and mod, an integer; of a table, one of its points). In a frozen
 * expression each of them reads its form from a slot of its own instead: while these slots are kept, the
 * expression is smooth, also a little beyond the point at which the form should change. A method that keeps
 * them during a step and ends the step where a guard passes its bound does not lose its order.
 *
 *     step(a), sign(a), a < b, ...   the same of (side, 0)          side is +1 or -1: that of the guard, a or
 *     abs(a)                         side a                         a - b; 0 stands for a guard that is zero
 *     max(a, b)                      side > 0 ? a : b               and stays zero
 *     floor(a)                       level                          level is the integer below the guard,
 *     mod(a, b)                      a - b level                    which is a, or a / b
 *     table(a)                       the polynomial of a piece      level is the number of the piece
 *
 * == and != and the condition of an `if` stay as they are: what they compare is either made of slots of the
 * above, or passes through equality in no time. */
#ifndef SLIP_MATH_EXPRESSION_FREEZE_H
#define SLIP_MATH_EXPRESSION_FREEZE_H

#include "math/expression/expression.h"

#include <stdint.h>

typedef struct slip_switch {
    slip_expression *guard;        /* may read slots of switches that come before this one */
    bool levels;                   /* switches at integers, or at the points of its table, not at zero */
    const slip_interpolant *table; /* or NULL */
    bool reads_state;              /* the guard reads more than time, itself or through other switches */
    int slot;
    char text[68]; /* the part of the text that switches */
    int origin;    /* for whoever freezes several expressions: which one */
} slip_switch;

typedef struct slip_switches {
    slip_switch *list;
    int64_t count, capacity;
} slip_switches;

void slip_switches_free(slip_switches *switches);

/* The form that a value of the guard stands for; where it is at its bound: what the expression says there. */
double slip_switch_form(const slip_switch *one, double value);
/* Between what values of the guard a form holds; a side of 0 has none. */
void slip_switch_bounds(const slip_switch *one, double form, double *low, double *high);
/* The forms below and above the bound that is nearest to a value. */
void slip_switch_sides(const slip_switch *one, double value, double *down, double *up);

/* Whether it has an operation that switches at all: where not, there is nothing to freeze. */
bool slip_expression_may_switch(const slip_expression *expression);

/* Freezes an expression, with new slots from `first_slot` + switches->count on; equal guards share one. Where
 * the frozen form is not finite beyond its bounds (the root in max(x, 0)^1.5) the expression itself is taken.
 * Without `with_state` only what depends on time alone is frozen. *frozen is NULL where nothing was. SLIP_OK
 * or an error of memory or size. */
int slip_expression_freeze(const slip_expression *expression, int time_slot, int first_slot, bool with_state,
                           int origin, slip_switches *switches, slip_expression **frozen);

#endif
