/* Derivatives as expressions: the tape is differentiated forward, node by node, into nodes of the same
 * builder. What is zero is left out, so that the derivative of a quadratic form is a linear one. */
#include "base/memory.h"
#include "math/expression/node.h"

#include <stdlib.h>

/* The derivatives so far: the node of each, or -1 where it is zero. */
typedef struct rates {
    slip_builder *builder;
    const int *of;
    slip_span span; /* of every node that is made */
} rates;

static int number(const rates *r, double value)
{
    return slip_builder_constant(r->builder, value, r->span);
}

static int apply(const rates *r, slip_op op, int a, int b)
{
    return a < 0 || b < 0 ? -1 : slip_builder_apply(r->builder, op, a, b, a, r->span);
}

/* Sums, differences and products of derivatives, where -1 is zero. */
static int sum(const rates *r, int a, int b)
{
    return a < 0 ? b : b < 0 ? a : apply(r, SLIP_OP_ADD, a, b);
}

static int negative(const rates *r, int a)
{
    return apply(r, SLIP_OP_NEGATE, a, a);
}

static int difference(const rates *r, int a, int b)
{
    return b < 0 ? a : a < 0 ? negative(r, b) : apply(r, SLIP_OP_SUBTRACT, a, b);
}

static int times(const rates *r, int a, int b)
{
    return apply(r, SLIP_OP_MULTIPLY, a, b);
}

static int over(const rates *r, int a, int b)
{
    return apply(r, SLIP_OP_DIVIDE, a, b);
}

static int power(const rates *r, int a, double exponent)
{
    return apply(r, SLIP_OP_POWER, a, number(r, exponent));
}

static int one(const rates *r, slip_op op, int a)
{
    return apply(r, op, a, a);
}

static int choose(const rates *r, int condition, int yes, int no)
{
    if (yes < 0 && no < 0)
        return -1;
    yes = yes < 0 ? number(r, 0) : yes;
    no = no < 0 ? number(r, 0) : no;
    return condition < 0 || yes < 0 || no < 0
               ? -1
               : slip_builder_apply(r->builder, SLIP_OP_IF, condition, yes, no, r->span);
}

/* a^b: b a^(b-1) a' + a^b log(a) b'. */
static int of_power(const rates *r, const slip_node *o, int value, int da, int db)
{
    const int less = apply(r, SLIP_OP_SUBTRACT, o->b, number(r, 1));
    const int by_base = da < 0 ? -1 : times(r, times(r, o->b, apply(r, SLIP_OP_POWER, o->a, less)), da);
    return sum(r, by_base, db < 0 ? -1 : times(r, times(r, value, one(r, SLIP_OP_LOG, o->a)), db));
}

/* f'(a) for a function of one operand, whose value is the node `value`; -1: constant on either side of a
 * jump. */
static int slope(const rates *r, slip_op op, int a, int value)
{
    const int unit = number(r, 1);
    switch (op) {
    case SLIP_OP_SQRT:
        return over(r, number(r, 0.5), value);
    case SLIP_OP_CBRT:
        return over(r, unit, times(r, number(r, 3), power(r, value, 2)));
    case SLIP_OP_EXP:
        return value;
    case SLIP_OP_LOG:
        return over(r, unit, a);
    case SLIP_OP_LOG10:
        return over(r, number(r, 0.434294481903251828), a);
    case SLIP_OP_SIN:
        return one(r, SLIP_OP_COS, a);
    case SLIP_OP_COS:
        return negative(r, one(r, SLIP_OP_SIN, a));
    case SLIP_OP_TAN:
        return sum(r, unit, power(r, value, 2));
    case SLIP_OP_ASIN:
        return over(r, unit, one(r, SLIP_OP_SQRT, difference(r, unit, power(r, a, 2))));
    case SLIP_OP_ACOS:
        return over(r, number(r, -1), one(r, SLIP_OP_SQRT, difference(r, unit, power(r, a, 2))));
    case SLIP_OP_ATAN:
        return over(r, unit, sum(r, unit, power(r, a, 2)));
    case SLIP_OP_SINH:
        return one(r, SLIP_OP_COSH, a);
    case SLIP_OP_COSH:
        return one(r, SLIP_OP_SINH, a);
    case SLIP_OP_TANH:
        return difference(r, unit, power(r, value, 2));
    case SLIP_OP_ERF:
        return times(r, number(r, 1.128379167095512574), one(r, SLIP_OP_EXP, negative(r, power(r, a, 2))));
    default:
        return -1;
    }
}

/* The derivative of a table is one, too, or zero. */
static int table_slope(const rates *r, int a, int number_of_table)
{
    const slip_interpolant *rate = r->builder->tables.list[number_of_table]->rate;
    const int table = rate ? slip_builder_interpolant(r->builder, rate) : -1;
    return table < 0 ? -1 : slip_builder_apply(r->builder, SLIP_OP_INTERPOLANT, a, a, table, r->span);
}

/* The derivative of the operation at node i. */
static int derive(const rates *r, const slip_node *o, int i)
{
    const int a = o->a, b = o->b, da = r->of[a], db = r->of[b];
    switch (o->op) {
    case SLIP_OP_ADD:
        return sum(r, da, db);
    case SLIP_OP_SUBTRACT:
        return difference(r, da, db);
    case SLIP_OP_NEGATE:
        return negative(r, da);
    case SLIP_OP_MULTIPLY:
        return sum(r, times(r, da, b), times(r, a, db));
    case SLIP_OP_DIVIDE:
        return over(r, difference(r, da, times(r, i, db)), b);
    case SLIP_OP_POWER:
        return of_power(r, o, i, da, db);
    case SLIP_OP_INTEGER_POWER:
        return o->c == 0 || da < 0 ? -1 : times(r, times(r, number(r, o->c), power(r, a, o->c - 1)), da);
    case SLIP_OP_IF:
        return choose(r, a, db, r->of[o->c]);
    case SLIP_OP_MINIMUM:
        return da < 0 && db < 0 ? -1 : choose(r, apply(r, SLIP_OP_LESS_EQUAL, a, b), da, db);
    case SLIP_OP_MAXIMUM:
        return da < 0 && db < 0 ? -1 : choose(r, apply(r, SLIP_OP_GREATER_EQUAL, a, b), da, db);
    case SLIP_OP_MOD:
        return difference(r, da, db < 0 ? -1 : times(r, one(r, SLIP_OP_FLOOR, over(r, a, b)), db));
    case SLIP_OP_INTERPOLANT:
        return da < 0 ? -1 : times(r, table_slope(r, a, o->c), da);
    case SLIP_OP_HYPOT:
        return over(r, sum(r, times(r, a, da), times(r, b, db)), i);
    case SLIP_OP_ATAN2:
        return da < 0 && db < 0 ? -1
                                : over(r, difference(r, times(r, b, da), times(r, a, db)),
                                       sum(r, power(r, a, 2), power(r, b, 2)));
    case SLIP_OP_ABS:
        return da < 0 ? -1 : choose(r, apply(r, SLIP_OP_LESS, a, number(r, 0)), negative(r, da), da);
    default:
        return da < 0 ? -1 : times(r, slope(r, o->op, a, i), da);
    }
}

int slip_builder_derivative(slip_builder *builder, int root, slip_span span, slip_slot_rate *slot_rate,
                            void *user)
{
    const bool loose = builder->drop_zeroes;
    int *of = slip_alloc((int64_t)root + 1, sizeof *of), *needed = slip_builder_needed(builder, root),
        result = -1;
    if (!of || !needed) {
        builder->status = SLIP_ERROR_MEMORY;
        goto done;
    }
    const rates r = {builder, of, span};
    builder->drop_zeroes = true;
    for (int i = 0; i <= root && builder->status == SLIP_OK; i++) {
        const slip_node node = builder->nodes[i]; /* a copy: the array moves as it grows */
        of[i] = !needed[i] || !node.varies ? -1
                : node.op == SLIP_OP_SLOT  ? slot_rate(user, node.a)
                                           : derive(&r, &node, i);
    }
    result = builder->status < 0 ? -1 : of[root] >= 0 ? of[root] : number(&r, 0);
    builder->drop_zeroes = loose;
done:
    free(of);
    free(needed);
    return result;
}
