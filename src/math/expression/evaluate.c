/* Values and derivatives of tapes. */
#include "math/expression/node.h"

#include <math.h>
#include <string.h>

/* Small powers by repeated squaring: faster than pow, exact wherever the products are, and the same on every
 * machine. Beyond 16 the rounding errors add up, and pow is the better one. */
static double integer_power(double base, int exponent)
{
    int rest = exponent < 0 ? -exponent : exponent;
    double result = 1;
    if (exponent == 2)
        return base * base;
    if (rest > 16)
        return pow(base, exponent);
    for (; rest; rest >>= 1) {
        if (rest & 1)
            result *= base;
        base *= base;
    }
    return exponent < 0 ? 1 / result : result;
}

/* The remainder that has the sign of the divisor, so that mod(t, T) runs through [0, T) for negative t too.
 */
static double modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* C compares NaN as if it were a number; an expression that is not defined must not become so by that. */
static inline double truth(double a, double b, bool holds)
{
    return isunordered(a, b) ? NAN : (double)holds;
}

static inline double choose(double condition, double yes, double no)
{
    return isnan(condition) ? condition : condition != 0 ? yes : no;
}

static inline double operation_value(const slip_operation *o, const double *v,
                                     const slip_interpolants *tables)
{
    const double a = v[o->a], b = v[o->b];
    switch (o->op) {
    case SLIP_OP_CONSTANT:
    case SLIP_OP_SLOT:
        return a;
    case SLIP_OP_ADD:
        return a + b;
    case SLIP_OP_SUBTRACT:
        return a - b;
    case SLIP_OP_MULTIPLY:
        return a * b;
    case SLIP_OP_DIVIDE:
        return a / b;
    case SLIP_OP_NEGATE:
        return -a;
    case SLIP_OP_POWER:
        return pow(a, b);
    case SLIP_OP_INTEGER_POWER:
        return integer_power(a, o->c);
    case SLIP_OP_LESS:
        return truth(a, b, a < b);
    case SLIP_OP_LESS_EQUAL:
        return truth(a, b, a <= b);
    case SLIP_OP_GREATER:
        return truth(a, b, a > b);
    case SLIP_OP_GREATER_EQUAL:
        return truth(a, b, a >= b);
    case SLIP_OP_EQUAL:
        return truth(a, b, a == b);
    case SLIP_OP_NOT_EQUAL:
        return truth(a, b, a != b);
    case SLIP_OP_IF:
        return choose(a, b, v[o->c]);
    case SLIP_OP_DEFINED:
        return isfinite(a) ? a : b;
    case SLIP_OP_MINIMUM:
        return isunordered(a, b) ? NAN : a <= b ? a : b;
    case SLIP_OP_MAXIMUM:
        return isunordered(a, b) ? NAN : a >= b ? a : b;
    case SLIP_OP_MOD:
        return modulo(a, b);
    case SLIP_OP_INTERPOLANT_PIECE:
        return slip_interpolant_value(tables->list[o->c], b, a);
    case SLIP_OP_INTERPOLANT:
        return slip_interpolant_value(tables->list[o->c], slip_interpolant_find(tables->list[o->c], a), a);
    case SLIP_OP_HYPOT:
        return hypot(a, b);
    case SLIP_OP_ATAN2:
        return atan2(a, b);
    case SLIP_OP_ABS:
        return fabs(a);
    case SLIP_OP_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    case SLIP_OP_STEP:
        return truth(a, a, a >= 0);
    case SLIP_OP_FLOOR:
        return floor(a);
    case SLIP_OP_CEIL:
        return ceil(a);
    case SLIP_OP_SQRT:
        return sqrt(a);
    case SLIP_OP_CBRT:
        return cbrt(a);
    case SLIP_OP_EXP:
        return exp(a);
    case SLIP_OP_LOG:
        return log(a);
    case SLIP_OP_LOG10:
        return log10(a);
    case SLIP_OP_SIN:
        return sin(a);
    case SLIP_OP_COS:
        return cos(a);
    case SLIP_OP_TAN:
        return tan(a);
    case SLIP_OP_ASIN:
        return asin(a);
    case SLIP_OP_ACOS:
        return acos(a);
    case SLIP_OP_ATAN:
        return atan(a);
    case SLIP_OP_SINH:
        return sinh(a);
    case SLIP_OP_COSH:
        return cosh(a);
    case SLIP_OP_TANH:
        return tanh(a);
    case SLIP_OP_ERF:
        return erf(a);
    }
    return NAN;
}

double slip_operation_value(slip_op op, const double *operands, int number, const slip_interpolants *tables)
{
    slip_operation operation = {op, 0, 1, slip_op_counts(op) ? number : 2};
    return operation_value(&operation, operands, tables);
}

static inline double fill_tape(const slip_expression *expression, const double *slots, double *values)
{
    const slip_operation *operation = expression->operations;
    const slip_operation *end = operation + expression->operation_count;
    double *next = values;
    for (int i = 0; i < expression->constant_count; i++)
        *next++ = expression->constants[i];
    for (int i = 0; i < expression->slot_count; i++)
        *next++ = slots[expression->slots[i]];
    for (; operation < end; operation++)
        *next++ = operation_value(operation, values, &expression->tables);
    return next[-1];
}

double slip_tape_fill(const slip_expression *expression, const double *slots, double *values)
{
    return fill_tape(expression, slots, values);
}

double slip_expression_value(const slip_expression *expression, const double *slots, double *scratch)
{
    if (expression->is_constant)
        return expression->value;
    return fill_tape(expression, slots, scratch);
}

/* d pow(a, b) / db. The limit at a = 0 is 0 for every b at which the power is finite there. */
static double power_by_exponent(double a, double power)
{
    return a == 0 ? 0 : power * log(a);
}

/* Adds to the adjoints of the operands of operation o, whose value is `value` and whose adjoint is `d`, what
 * they owe to it. Where a function is not differentiable it gets the slope of the branch taken, or 0. */
static inline void spread(const slip_operation *o, const double *v, const slip_interpolants *tables,
                          double value, double d, double *adjoint)
{
    const double a = v[o->a], b = v[o->b];
    double *da = adjoint + o->a, *db = adjoint + o->b;
    switch (o->op) {
    case SLIP_OP_ADD:
        *da += d;
        *db += d;
        break;
    case SLIP_OP_SUBTRACT:
        *da += d;
        *db -= d;
        break;
    case SLIP_OP_MULTIPLY:
        *da += d * b;
        *db += d * a;
        break;
    case SLIP_OP_DIVIDE:
        *da += d / b;
        *db -= d * value / b;
        break;
    case SLIP_OP_NEGATE:
        *da -= d;
        break;
    case SLIP_OP_POWER:
        *da += b == 0 ? 0 : d * b * pow(a, b - 1);
        *db += d * power_by_exponent(a, value);
        break;
    case SLIP_OP_INTEGER_POWER:
        *da += o->c == 0 ? 0 : d * o->c * integer_power(a, o->c - 1);
        break;
    case SLIP_OP_IF:
        adjoint[choose(a, 1, 0) != 0 ? o->b : o->c] += d;
        break;
    case SLIP_OP_DEFINED:
        *(isfinite(a) ? da : db) += d;
        break;
    case SLIP_OP_MINIMUM:
        *(a <= b ? da : db) += d;
        break;
    case SLIP_OP_MAXIMUM:
        *(a >= b ? da : db) += d;
        break;
    case SLIP_OP_MOD:
        *da += d;
        *db -= d * round((a - value) / b);
        break;
    case SLIP_OP_INTERPOLANT_PIECE:
        *da += d * slip_interpolant_slope(tables->list[o->c], b, a);
        break;
    case SLIP_OP_INTERPOLANT:
        *da +=
            d * slip_interpolant_slope(tables->list[o->c], slip_interpolant_find(tables->list[o->c], a), a);
        break;
    case SLIP_OP_HYPOT:
        *da += value == 0 ? 0 : d * (a / value);
        *db += value == 0 ? 0 : d * (b / value);
        break;
    case SLIP_OP_ATAN2: {
        const double radius = hypot(a, b);
        *da += radius == 0 ? 0 : d * (b / radius) / radius;
        *db -= radius == 0 ? 0 : d * (a / radius) / radius;
        break;
    }
    case SLIP_OP_ABS:
        *da += a < 0 ? -d : d;
        break;
    case SLIP_OP_SQRT:
        *da += d * 0.5 / value;
        break;
    case SLIP_OP_CBRT:
        *da += d / (3 * value * value);
        break;
    case SLIP_OP_EXP:
        *da += d * value;
        break;
    case SLIP_OP_LOG:
        *da += d / a;
        break;
    case SLIP_OP_LOG10:
        *da += d / (a * 2.302585092994045684);
        break;
    case SLIP_OP_SIN:
        *da += d * cos(a);
        break;
    case SLIP_OP_COS:
        *da -= d * sin(a);
        break;
    case SLIP_OP_TAN:
        *da += d * (1 + value * value);
        break;
    case SLIP_OP_ASIN:
        *da += d / sqrt((1 - a) * (1 + a));
        break;
    case SLIP_OP_ACOS:
        *da -= d / sqrt((1 - a) * (1 + a));
        break;
    case SLIP_OP_ATAN:
        *da += d / (1 + a * a);
        break;
    case SLIP_OP_SINH:
        *da += d * cosh(a);
        break;
    case SLIP_OP_COSH:
        *da += d * sinh(a);
        break;
    case SLIP_OP_TANH:
        *da += d * ((1 - value) * (1 + value));
        break;
    case SLIP_OP_ERF:
        *da += d * 1.128379167095512574 * exp(-a * a); /* 2/sqrt(pi) */
        break;
    case SLIP_OP_CONSTANT:
    case SLIP_OP_SLOT:
    case SLIP_OP_LESS:
    case SLIP_OP_LESS_EQUAL:
    case SLIP_OP_GREATER:
    case SLIP_OP_GREATER_EQUAL:
    case SLIP_OP_EQUAL:
    case SLIP_OP_NOT_EQUAL:
    case SLIP_OP_SIGN:
    case SLIP_OP_STEP:
    case SLIP_OP_FLOOR:
    case SLIP_OP_CEIL:
        break; /* constant on either side of a jump */
    }
}

/* All values, and the derivative of the last with respect to each; returns the last. */
static double fill_adjoints(const slip_expression *expression, const double *slots, double *values,
                            double *adjoints)
{
    const int leaves = expression->constant_count + expression->slot_count;
    const double value = fill_tape(expression, slots, values);
    memset(adjoints, 0, (size_t)expression->value_count * sizeof *adjoints);
    adjoints[expression->value_count - 1] = 1;
    /* An adjoint of zero is not passed on: the branch of an `if` that was not taken may have infinite
     * derivatives, and zero times those would be NaN. */
    for (int i = expression->value_count - 1; i >= leaves; i--)
        if (adjoints[i] != 0)
            spread(&expression->operations[i - leaves], values, &expression->tables, values[i], adjoints[i],
                   adjoints);
    return value;
}

double slip_expression_size(const slip_expression *expression, const double *slots, double *scratch)
{
    double *adjoints = scratch + expression->value_count, sum = 0;
    if (expression->is_constant)
        return fabs(expression->value);
    fill_adjoints(expression, slots, scratch, adjoints);
    for (int i = 0; i < expression->value_count; i++)
        if (adjoints[i] != 0)
            sum += fabs(adjoints[i] * scratch[i]);
    return sum;
}

double slip_expression_gradient(const slip_expression *expression, const double *slots, int slot_count,
                                double *gradient, double *scratch)
{
    double *adjoints = scratch + expression->value_count;
    double value;
    for (int i = 0; i < slot_count; i++)
        gradient[i] = 0;
    if (expression->is_constant)
        return expression->value;
    value = fill_adjoints(expression, slots, scratch, adjoints);
    for (int i = 0; i < expression->slot_count; i++)
        if (expression->slots[i] < slot_count)
            gradient[expression->slots[i]] = adjoints[expression->constant_count + i];
    return value;
}
