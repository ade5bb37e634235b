/* Which part of an expression has no value, and why. */
#include "math/expression/node.h"

#include <math.h>
#include <stdio.h>

void slip_span_quote(const char *text, slip_span span, char *quote, size_t size)
{
    const int length = span.to - span.from, longest = size < 64 ? (int)size - 4 : 60;
    const int shown = length > longest ? longest : length;
    snprintf(quote, size, "%.*s%s", shown, text + span.from, length > longest ? "..." : "");
    for (char *c = quote; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
}

const char *slip_operation_failure(slip_op op, const double *operands, int exponent)
{
    const double a = operands[0], b = operands[1];
    switch (op) {
    case SLIP_OP_DIVIDE:
    case SLIP_OP_MOD:
        if (b == 0)
            return "division by zero";
        break;
    case SLIP_OP_INTEGER_POWER:
        if (a == 0 && exponent < 0)
            return "division by zero (zero to a negative power)";
        break;
    case SLIP_OP_POWER:
        if (a == 0 && b < 0)
            return "division by zero (zero to a negative power)";
        if (a < 0 && b != floor(b))
            return "a negative number to a fractional power";
        break;
    case SLIP_OP_SQRT:
        if (a < 0)
            return "square root of a negative number";
        break;
    case SLIP_OP_LOG:
    case SLIP_OP_LOG10:
        if (a <= 0)
            return "logarithm of a number that is not positive";
        break;
    case SLIP_OP_ASIN:
    case SLIP_OP_ACOS:
        if (fabs(a) > 1)
            return op == SLIP_OP_ASIN ? "asin of a number outside [-1, 1]"
                                      : "acos of a number outside [-1, 1]";
        break;
    default:
        break;
    }
    return "overflow";
}

/* The operand to blame for a value that is not finite, or -1 when all that were used are finite. */
static int blamed_operand(const slip_operation *o, const double *values)
{
    if (o->op == SLIP_OP_IF)
        return isnan(values[o->a]) ? o->a : values[o->a] != 0 ? o->b : o->c;
    if (!isfinite(values[o->a]))
        return o->a;
    return isfinite(values[o->b]) ? -1 : o->b;
}

/* From the result down to the operation, the slot or the constant that failed first. Following the operands
 * rather than the tape's order leaves out branches that were not taken, and infinite values that did no harm,
 * such as that of 1/x in atan(1/x). */
static int failed_value(const slip_expression *expression, const double *values)
{
    const int leaves = expression->constant_count + expression->slot_count;
    int at = expression->value_count - 1;
    while (at >= leaves) {
        const int next = blamed_operand(&expression->operations[at - leaves], values);
        if (next < 0)
            break;
        at = next;
    }
    return at;
}

void slip_expression_diagnose(const slip_expression *expression, const double *slots, double *scratch,
                              char *message, size_t size)
{
    const int leaves = expression->constant_count + expression->slot_count;
    const double value = slip_tape_fill(expression, slots, scratch);
    char part[80];
    if (isfinite(value)) {
        slip_span_quote(expression->text, expression->spans[expression->value_count - 1], part, sizeof part);
        snprintf(message, size, "`%s` has the value %g", part, value);
        return;
    }
    int at = failed_value(expression, scratch);
    slip_span_quote(expression->text, expression->spans[at], part, sizeof part);
    if (at >= leaves) {
        const slip_operation *o = &expression->operations[at - leaves];
        const double operands[2] = {scratch[o->a], scratch[o->b]};
        snprintf(message, size, "%s in `%s` at character %d", slip_operation_failure(o->op, operands, o->c),
                 part, expression->spans[at].from + 1);
    } else {
        snprintf(message, size, "a value that is not finite came in for `%s` at character %d", part,
                 expression->spans[at].from + 1);
    }
}
