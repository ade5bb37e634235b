/* Second derivatives: the Hessian times a direction, by a forward sweep of tangents and a reverse sweep that
 * carries the adjoints and their derivatives along the direction (A. Griewank, A. Walther: Evaluating
 * derivatives, SIAM 2008, section 5.1). With f of a and b, tangents t and adjoints d with derivatives e,
 *
 *     t = f_a t_a + f_b t_b,    d_a += f_a d,    e_a += f_a e + (f_aa t_a + f_ab t_b) d,    b likewise. */
#include "math/expression/node.h"

#include <math.h>
#include <string.h>

typedef struct partials {
    double a, b, aa, ab, bb;
} partials;

/* a^n and the like. A derivative whose factor is zero is zero, also where the power beside it is infinite. */
static double factor_power(double factor, double a, double n)
{
    return factor == 0 ? 0 : factor * pow(a, n);
}

/* a^b = exp(b log a); at a = 0 the exponent does not matter where the power is finite. */
static partials of_power(double a, double b, double value)
{
    const double l = a == 0 ? 0 : log(a);
    const double slope = factor_power(b, a, b - 1);
    return (partials){slope, value * l, factor_power(b * (b - 1), a, b - 2),
                      l == 0 && a != 1 ? 0 : slope * l + factor_power(1, a, b - 1), value * l * l};
}

static partials of_length(double a, double b, double value)
{
    const double x = a / value, y = b / value;
    if (value == 0)
        return (partials){0};
    return (partials){x, y, y * y / value, -x * y / value, x * x / value};
}

/* atan2(a, b). */
static partials of_angle(double a, double b)
{
    const double radius = hypot(a, b), s = a / radius, c = b / radius, square = radius * radius;
    if (radius == 0)
        return (partials){0};
    return (partials){c / radius, -s / radius, -2 * s * c / square, (s - c) * (s + c) / square,
                      2 * s * c / square};
}

static partials of_one(slip_op op, double x, double value)
{
    const double root = sqrt((1 - x) * (1 + x)), circle = 1 + x * x;
    switch (op) {
    case SLIP_OP_ABS:
        return (partials){.a = x < 0 ? -1 : 1};
    case SLIP_OP_SQRT:
        return (partials){.a = 0.5 / value, .aa = -0.25 / (x * value)};
    case SLIP_OP_CBRT:
        return (partials){.a = 1 / (3 * value * value), .aa = -2 / (9 * x * value * value)};
    case SLIP_OP_EXP:
        return (partials){.a = value, .aa = value};
    case SLIP_OP_LOG:
        return (partials){.a = 1 / x, .aa = -1 / (x * x)};
    case SLIP_OP_LOG10:
        return (partials){.a = 0.434294481903251828 / x, .aa = -0.434294481903251828 / (x * x)};
    case SLIP_OP_SIN:
        return (partials){.a = cos(x), .aa = -value};
    case SLIP_OP_COS:
        return (partials){.a = -sin(x), .aa = -value};
    case SLIP_OP_TAN:
        return (partials){.a = 1 + value * value, .aa = 2 * value * (1 + value * value)};
    case SLIP_OP_ASIN:
        return (partials){.a = 1 / root, .aa = x / (root * root * root)};
    case SLIP_OP_ACOS:
        return (partials){.a = -1 / root, .aa = -x / (root * root * root)};
    case SLIP_OP_ATAN:
        return (partials){.a = 1 / circle, .aa = -2 * x / (circle * circle)};
    case SLIP_OP_SINH:
        return (partials){.a = cosh(x), .aa = value};
    case SLIP_OP_COSH:
        return (partials){.a = sinh(x), .aa = value};
    case SLIP_OP_TANH:
        return (partials){.a = (1 - value) * (1 + value), .aa = -2 * value * (1 - value) * (1 + value)};
    case SLIP_OP_ERF: {
        const double slope = 1.128379167095512574 * exp(-x * x);
        return (partials){.a = slope, .aa = -2 * x * slope};
    }
    default: /* constant on either side of a jump */
        return (partials){0};
    }
}

/* Of an operation that passes one of its operands on: that one, else -1. */
static int passed_on(const slip_operation *o, const double *v)
{
    switch (o->op) {
    case SLIP_OP_IF:
        return v[o->a] != 0 ? o->b : o->c;
    case SLIP_OP_DEFINED:
        return isfinite(v[o->a]) ? o->a : o->b;
    case SLIP_OP_MINIMUM:
        return v[o->a] <= v[o->b] ? o->a : o->b;
    case SLIP_OP_MAXIMUM:
        return v[o->a] >= v[o->b] ? o->a : o->b;
    default:
        return -1;
    }
}

static partials derive(const slip_operation *o, const double *v, double value,
                       const slip_interpolants *tables)
{
    const double a = v[o->a], b = v[o->b];
    switch (o->op) {
    case SLIP_OP_ADD:
        return (partials){.a = 1, .b = 1};
    case SLIP_OP_SUBTRACT:
        return (partials){.a = 1, .b = -1};
    case SLIP_OP_NEGATE:
        return (partials){.a = -1};
    case SLIP_OP_MULTIPLY:
        return (partials){.a = b, .b = a, .ab = 1};
    case SLIP_OP_DIVIDE:
        return (partials){1 / b, -value / b, 0, -1 / (b * b), 2 * value / (b * b)};
    case SLIP_OP_POWER:
        return of_power(a, b, value);
    case SLIP_OP_INTEGER_POWER:
        return (partials){.a = factor_power(o->c, a, o->c - 1),
                          .aa = factor_power((double)o->c * (o->c - 1), a, o->c - 2)};
    case SLIP_OP_MOD:
        return (partials){.a = 1, .b = -round((a - value) / b)};
    case SLIP_OP_INTERPOLANT_PIECE:
    case SLIP_OP_INTERPOLANT: {
        const slip_interpolant *table = tables->list[o->c];
        const double piece = o->op == SLIP_OP_INTERPOLANT ? slip_interpolant_find(table, a) : b;
        return (partials){.a = slip_interpolant_slope(table, piece, a),
                          .aa = slip_interpolant_curve(table, piece, a)};
    }
    case SLIP_OP_HYPOT:
        return of_length(a, b, value);
    case SLIP_OP_ATAN2:
        return of_angle(a, b);
    default:
        return of_one(o->op, a, value);
    }
}

/* Derivatives may be infinite: an operand that does not vary is not multiplied by them. */
static double times(double factor, double by)
{
    return by == 0 ? 0 : factor * by;
}

/* Four arrays of value_count numbers each. */
typedef struct sweep {
    double *values, *tangents, *adjoints, *turns; /* turns: derivatives of the adjoints */
} sweep;

static sweep arrays_of(const slip_expression *e, double *scratch)
{
    const int n = e->value_count;
    return (sweep){scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
}

/* The tangents of the slots are set. */
static void forward(const slip_expression *e, const sweep *s)
{
    const int leaves = e->constant_count + e->slot_count;
    memset(s->tangents, 0, (size_t)e->constant_count * sizeof(double));
    for (int i = leaves; i < e->value_count; i++) {
        const slip_operation *o = &e->operations[i - leaves];
        const int passed = passed_on(o, s->values);
        if (passed >= 0) {
            s->tangents[i] = s->tangents[passed];
            continue;
        }
        const double ta = s->tangents[o->a], tb = s->tangents[o->b];
        s->tangents[i] = 0;
        if (ta == 0 && tb == 0)
            continue;
        const partials p = derive(o, s->values, s->values[i], &e->tables);
        s->tangents[i] = times(p.a, ta) + times(p.b, tb);
    }
}

static void reverse(const slip_expression *e, const sweep *s)
{
    const int leaves = e->constant_count + e->slot_count;
    memset(s->adjoints, 0, 2 * (size_t)e->value_count * sizeof(double));
    s->adjoints[e->value_count - 1] = 1;
    for (int i = e->value_count - 1; i >= leaves; i--) {
        const slip_operation *o = &e->operations[i - leaves];
        const double d = s->adjoints[i], turn = s->turns[i];
        const int passed = passed_on(o, s->values);
        if (d == 0 && turn == 0)
            continue;
        if (passed >= 0) {
            s->adjoints[passed] += d;
            s->turns[passed] += turn;
            continue;
        }
        const partials p = derive(o, s->values, s->values[i], &e->tables);
        const double ta = s->tangents[o->a], tb = s->tangents[o->b];
        s->adjoints[o->a] += times(p.a, d);
        s->turns[o->a] += times(p.a, turn) + times(times(p.aa, ta) + times(p.ab, tb), d);
        if (p.b == 0 && p.ab == 0 && p.bb == 0)
            continue;
        s->adjoints[o->b] += times(p.b, d);
        s->turns[o->b] += times(p.b, turn) + times(times(p.ab, ta) + times(p.bb, tb), d);
    }
}

double slip_expression_second(const slip_expression *e, const double *slots, int slot_count,
                              const double *direction, double *gradient, double *product, double *scratch)
{
    const sweep s = arrays_of(e, scratch);
    memset(gradient, 0, (size_t)slot_count * sizeof(double));
    memset(product, 0, (size_t)slot_count * sizeof(double));
    if (e->is_constant)
        return e->value;
    const double value = slip_tape_fill(e, slots, s.values);
    for (int i = 0; i < e->slot_count; i++)
        s.tangents[e->constant_count + i] = e->slots[i] < slot_count ? direction[e->slots[i]] : 0;
    forward(e, &s);
    reverse(e, &s);
    for (int i = 0; i < e->slot_count; i++)
        if (e->slots[i] < slot_count) {
            gradient[e->slots[i]] = s.adjoints[e->constant_count + i];
            product[e->slots[i]] = s.turns[e->constant_count + i];
        }
    return value;
}

double slip_expression_curve(const slip_expression *e, const double *slots, int slot, double *scratch)
{
    const sweep s = arrays_of(e, scratch);
    double curve = 0;
    if (e->is_constant)
        return 0;
    slip_tape_fill(e, slots, s.values);
    for (int i = 0; i < e->slot_count; i++)
        s.tangents[e->constant_count + i] = e->slots[i] == slot;
    forward(e, &s);
    reverse(e, &s);
    for (int i = 0; i < e->slot_count; i++)
        if (e->slots[i] == slot)
            curve = s.turns[e->constant_count + i];
    return curve;
}
