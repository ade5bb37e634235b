/* The second derivative of an expression with respect to one slot: value, first and second derivative of
 * every value of the tape, forward. With f of a, d1 = f' a1 and d2 = f'' a1^2 + f' a2. */
#include "math/expression_node.h"

#include <math.h>

typedef struct jet {
    double value, first, second;
} jet;

static jet product(jet a, jet b)
{
    return (jet){a.value * b.value, a.first * b.value + a.value * b.first,
                 a.second * b.value + 2 * a.first * b.first + a.value * b.second};
}

static jet quotient(jet a, jet b)
{
    jet q = {.value = a.value / b.value};
    q.first = (a.first - q.value * b.first) / b.value;
    q.second = (a.second - 2 * q.first * b.first - q.value * b.second) / b.value;
    return q;
}

/* f(a), from the value and the derivatives of f there. An operand that does not vary is not multiplied by
 * derivatives that may be infinite. */
static jet chain(jet a, double value, double slope, double curve)
{
    jet result = {value, 0, 0};
    if (a.first != 0 || a.second != 0) {
        result.first = slope * a.first;
        result.second = slope * a.second + (a.first != 0 ? curve * a.first * a.first : 0);
    }
    return result;
}

static jet whole_power(jet a, int n, double value)
{
    return chain(a, value, n == 0 ? 0 : n * pow(a.value, n - 1),
                 n == 0 || n == 1 ? 0 : (double)n * (n - 1) * pow(a.value, n - 2));
}

/* a^b = exp(b log a); where the exponent does not vary also at a = 0. */
static jet real_power(jet a, jet b, double value)
{
    const double p = b.value;
    if (b.first == 0 && b.second == 0)
        return chain(a, value, p * pow(a.value, p - 1), p * (p - 1) * pow(a.value, p - 2));
    jet exponent = product(b, chain(a, log(a.value), 1 / a.value, -1 / (a.value * a.value)));
    return chain(exponent, value, value, value);
}

static jet length_of(jet a, jet b, double value)
{
    jet square = {0, 2 * (a.value * a.first + b.value * b.first),
                  2 * (a.first * a.first + a.value * a.second + b.first * b.first + b.value * b.second)};
    return chain(square, value, 0.5 / value, -0.25 / (value * value * value));
}

static jet angle_of(jet a, jet b, double value)
{
    const double square = a.value * a.value + b.value * b.value;
    const double turn = b.value * a.first - a.value * b.first;
    return (jet){value, turn / square,
                 (b.value * a.second - a.value * b.second) / square -
                     2 * turn * (a.value * a.first + b.value * b.first) / (square * square)};
}

/* Functions of one operand. */
static jet of_one(slip_op op, jet a, double value)
{
    const double x = a.value, root = sqrt((1 - x) * (1 + x)), circle = 1 + x * x;
    switch (op) {
    case SLIP_OP_ABS:
        return chain(a, value, x < 0 ? -1 : 1, 0);
    case SLIP_OP_SQRT:
        return chain(a, value, 0.5 / value, -0.25 / (x * value));
    case SLIP_OP_CBRT:
        return chain(a, value, 1 / (3 * value * value), -2 / (9 * x * value * value));
    case SLIP_OP_EXP:
        return chain(a, value, value, value);
    case SLIP_OP_LOG:
        return chain(a, value, 1 / x, -1 / (x * x));
    case SLIP_OP_LOG10:
        return chain(a, value, 0.434294481903251828 / x, -0.434294481903251828 / (x * x));
    case SLIP_OP_SIN:
        return chain(a, value, cos(x), -value);
    case SLIP_OP_COS:
        return chain(a, value, -sin(x), -value);
    case SLIP_OP_TAN:
        return chain(a, value, 1 + value * value, 2 * value * (1 + value * value));
    case SLIP_OP_ASIN:
        return chain(a, value, 1 / root, x / (root * root * root));
    case SLIP_OP_ACOS:
        return chain(a, value, -1 / root, -x / (root * root * root));
    case SLIP_OP_ATAN:
        return chain(a, value, 1 / circle, -2 * x / (circle * circle));
    case SLIP_OP_SINH:
        return chain(a, value, cosh(x), value);
    case SLIP_OP_COSH:
        return chain(a, value, sinh(x), value);
    case SLIP_OP_TANH:
        return chain(a, value, (1 - value) * (1 + value), -2 * value * (1 - value) * (1 + value));
    case SLIP_OP_ERF: {
        const double slope = 1.128379167095512574 * exp(-x * x);
        return chain(a, value, slope, -2 * x * slope);
    }
    default: /* constant on either side of a jump */
        return (jet){value, 0, 0};
    }
}

static jet operate(const slip_operation *o, const jet *v, const slip_interpolants *tables)
{
    const jet a = v[o->a], b = v[o->b];
    const double operands[3] = {a.value, b.value, slip_op_counts(o->op) ? 0 : v[o->c].value};
    const double value = slip_operation_value(o->op, operands, o->c, tables);
    switch (o->op) {
    case SLIP_OP_ADD:
        return (jet){value, a.first + b.first, a.second + b.second};
    case SLIP_OP_SUBTRACT:
        return (jet){value, a.first - b.first, a.second - b.second};
    case SLIP_OP_NEGATE:
        return (jet){value, -a.first, -a.second};
    case SLIP_OP_MULTIPLY:
        return product(a, b);
    case SLIP_OP_DIVIDE:
        return quotient(a, b);
    case SLIP_OP_POWER:
        return real_power(a, b, value);
    case SLIP_OP_INTEGER_POWER:
        return whole_power(a, o->c, value);
    case SLIP_OP_IF:
        return a.value != 0 ? b : v[o->c];
    case SLIP_OP_DEFINED:
        return isfinite(a.value) ? a : b;
    case SLIP_OP_MINIMUM:
        return a.value <= b.value ? a : b;
    case SLIP_OP_MAXIMUM:
        return a.value >= b.value ? a : b;
    case SLIP_OP_MOD: {
        const double level = round((a.value - value) / b.value);
        return (jet){value, a.first - level * b.first, a.second - level * b.second};
    }
    case SLIP_OP_INTERPOLANT_PIECE:
    case SLIP_OP_INTERPOLANT: {
        const slip_interpolant *table = tables->list[o->c];
        const double piece = o->op == SLIP_OP_INTERPOLANT ? slip_interpolant_find(table, a.value) : b.value;
        return chain(a, value, slip_interpolant_slope(table, piece, a.value),
                     slip_interpolant_curve(table, piece, a.value));
    }
    case SLIP_OP_HYPOT:
        return length_of(a, b, value);
    case SLIP_OP_ATAN2:
        return angle_of(a, b, value);
    default:
        return of_one(o->op, a, value);
    }
}

double slip_expression_curve(const slip_expression *expression, const double *slots, int slot,
                             double *scratch)
{
    _Static_assert(sizeof(jet) == 3 * sizeof(double), "three numbers for each value");
    jet *values = (jet *)(void *)scratch, *next = values;
    if (expression->is_constant)
        return 0;
    for (int i = 0; i < expression->constant_count; i++)
        *next++ = (jet){expression->constants[i], 0, 0};
    for (int i = 0; i < expression->slot_count; i++)
        *next++ = (jet){slots[expression->slots[i]], expression->slots[i] == slot, 0};
    for (int i = 0; i < expression->operation_count; i++)
        *next++ = operate(&expression->operations[i], values, &expression->tables);
    return next[-1].second;
}
