/* How an expression depends on its slots, and what is left when some of them are zero. */
#include "base/memory.h"
#include "base/text.h"
#include "math/expression/node.h"

#include <string.h>

typedef struct dependence {
    slip_dependence on_set;
    bool varies; /* reads any slot at all: its value, as a coefficient, is not a number known now */
} dependence;

static bool in_set(slip_slot_set set, int slot)
{
    return set.marked ? slot < set.count && set.marked[slot]
                      : slot >= set.first && slot - set.first < set.count;
}

static slip_dependence larger(slip_dependence a, slip_dependence b)
{
    return a > b ? a : b;
}

/* A factor, divisor or condition that does not read the set makes coefficients vary where it varies. */
static slip_dependence scaled(slip_dependence linear, dependence by)
{
    if (by.on_set != SLIP_INDEPENDENT)
        return linear == SLIP_INDEPENDENT && by.on_set != SLIP_NONLINEAR ? by.on_set : SLIP_NONLINEAR;
    return linear == SLIP_LINEAR_CONSTANT && by.varies ? SLIP_LINEAR_VARYING : linear;
}

static slip_dependence product(dependence a, dependence b)
{
    return a.on_set == SLIP_INDEPENDENT ? scaled(b.on_set, a) : scaled(a.on_set, b);
}

static slip_dependence nonlinear(dependence a)
{
    return a.on_set == SLIP_INDEPENDENT ? SLIP_INDEPENDENT : SLIP_NONLINEAR;
}

static slip_dependence operation_dependence(const slip_operation *o, const dependence *values)
{
    const dependence a = values[o->a], b = values[o->b];
    switch (o->op) {
    case SLIP_OP_ADD:
    case SLIP_OP_SUBTRACT:
    case SLIP_OP_NEGATE:
        return larger(a.on_set, b.on_set);
    case SLIP_OP_MULTIPLY:
        return product(a, b);
    case SLIP_OP_DIVIDE:
        return b.on_set == SLIP_INDEPENDENT ? scaled(a.on_set, b) : SLIP_NONLINEAR;
    case SLIP_OP_IF:
        return a.on_set == SLIP_INDEPENDENT ? scaled(larger(b.on_set, values[o->c].on_set), a)
                                            : SLIP_NONLINEAR;
    default:
        return larger(nonlinear(a), nonlinear(b));
    }
}

slip_dependence slip_expression_dependence(const slip_expression *expression, slip_slot_set set)
{
    const int leaves = expression->constant_count + expression->slot_count;
    dependence values[SLIP_EXPRESSION_NODES];
    memset(values, 0, (size_t)expression->constant_count * sizeof *values);
    for (int i = expression->constant_count; i < leaves; i++) {
        const int slot = expression->slots[i - expression->constant_count];
        values[i].on_set = in_set(set, slot) ? SLIP_LINEAR_CONSTANT : SLIP_INDEPENDENT;
        values[i].varies = true;
    }
    for (int i = leaves; i < expression->value_count; i++) {
        const slip_operation *o = &expression->operations[i - leaves];
        values[i].on_set = operation_dependence(o, values);
        values[i].varies =
            values[o->a].varies || values[o->b].varies || (o->op == SLIP_OP_IF && values[o->c].varies);
    }
    return values[expression->value_count - 1].on_set;
}

/* Slots that become numbers: those of a set become zero, or `count` slots from `first` on have values; or
 * expressions: with_count of them from with_first on. */
typedef struct fixed_slots {
    slip_slot_set set;
    int first, count;
    const double *values;
    const slip_expression *const *with;
    int with_first, with_count;
} fixed_slots;

static int copy_inside(slip_builder *builder, const slip_expression *expression, slip_span span);

/* Copies value i of the tape into the builder; place[] says where the earlier ones are. */
static int copy_value(slip_builder *builder, const slip_expression *expression, int i,
                      const fixed_slots *fixed, const int *place)
{
    const int leaves = expression->constant_count + expression->slot_count;
    const slip_span span = expression->spans[i];
    if (i < expression->constant_count)
        return slip_builder_constant(builder, expression->constants[i], span);
    if (i < leaves) {
        const int slot = expression->slots[i - expression->constant_count], behind = slot - fixed->first;
        if (behind >= 0 && behind < fixed->count)
            return slip_builder_constant(builder, fixed->values[behind], span);
        if (slot >= fixed->with_first && slot - fixed->with_first < fixed->with_count)
            return copy_inside(builder, fixed->with[slot - fixed->with_first], span);
        return in_set(fixed->set, slot) ? slip_builder_constant(builder, 0, span)
                                        : slip_builder_slot(builder, slot, span);
    }
    const slip_operation *o = &expression->operations[i - leaves];
    const bool table = o->op == SLIP_OP_INTERPOLANT || o->op == SLIP_OP_INTERPOLANT_PIECE;
    return slip_builder_apply(builder, o->op, place[o->a], place[o->b],
                              table ? slip_builder_interpolant(builder, expression->tables.list[o->c])
                              : slip_op_counts(o->op) ? o->c
                                                      : place[o->c],
                              span);
}

/* Copies the tape into the builder, whose folding does the work. Returns the node of its last value, -1 where
 * the builder's status says why not. */
static int copy_values(slip_builder *builder, const slip_expression *expression, const fixed_slots *fixed)
{
    int root = -1;
    SLIP_FREED int *place = slip_alloc(expression->value_count, sizeof *place);
    if (!place)
        builder->status = SLIP_ERROR_MEMORY;
    for (int i = 0; i < expression->value_count && builder->status == SLIP_OK; i++)
        root = place[i] = copy_value(builder, expression, i, fixed, place);
    return builder->status < 0 ? -1 : root;
}

/* Copies an expression into the place of a slot, which has this span; NULL is an error. */
static int copy_inside(slip_builder *builder, const slip_expression *expression, slip_span span)
{
    const int64_t from = builder->count;
    if (!expression) {
        builder->status = SLIP_ERROR_MODEL;
        return -1;
    }
    const int root = copy_values(builder, expression, &(fixed_slots){0});
    for (int64_t i = from; i < builder->count; i++)
        builder->nodes[i].span = span;
    return root;
}

/* `error` may be NULL: then constants are not checked. */
static int copy_tape(slip_builder *builder, const slip_expression *expression, const fixed_slots *fixed,
                     slip_expression **copy, slip_expression_error *error)
{
    const int root = copy_values(builder, expression, fixed);
    int status = builder->status;
    if (status == SLIP_OK && error)
        status = slip_builder_check(builder, root, expression->text, error);
    if (status == SLIP_OK)
        status = slip_builder_finish(builder, root, expression->text, copy);
    slip_builder_free(builder);
    return status;
}

/* With zeroes in place of the slots, products with them vanish. */
int slip_expression_restrict(const slip_expression *expression, slip_slot_set set,
                             slip_expression **restricted)
{
    slip_builder builder = {.drop_zeroes = true};
    const fixed_slots fixed = {.set = set};
    return copy_tape(&builder, expression, &fixed, restricted, NULL);
}

int slip_expression_bind(const slip_expression *expression, int first, int count, const double *values,
                         slip_expression **bound, slip_expression_error *error)
{
    slip_builder builder = {0};
    const fixed_slots fixed = {.first = first, .count = count, .values = values};
    memset(error, 0, sizeof *error);
    return copy_tape(&builder, expression, &fixed, bound, error);
}

int slip_expression_substitute(const slip_expression *expression, int first, int count,
                               const slip_expression *const *with, slip_expression **result)
{
    slip_builder builder = {.share = true, .drop_zeroes = true};
    const fixed_slots fixed = {.with = with, .with_first = first, .with_count = count};
    return copy_tape(&builder, expression, &fixed, result, NULL);
}

int slip_expression_of_slot(int slot, const char *name, slip_expression **expression)
{
    SLIP_FREED_BY(slip_builder_free) slip_builder builder = {0};
    const int root = slip_builder_slot(&builder, slot, (slip_span){0, (int)strlen(name)});
    return root < 0 ? builder.status : slip_builder_finish(&builder, root, name, expression);
}

int slip_expression_sum(const char *text, int count, const double *factors,
                        const slip_expression *const *parts, slip_expression **sum)
{
    SLIP_FREED_BY(slip_builder_free) slip_builder builder = {.share = true, .drop_zeroes = true};
    const slip_span span = {0, (int)strlen(text)};
    int root = slip_builder_constant(&builder, 0, span);
    for (int k = 0; k < count && root >= 0; k++) {
        if (factors[k] == 0)
            continue;
        int part = copy_inside(&builder, parts[k], span);
        if (part >= 0 && factors[k] != 1) {
            const int factor = slip_builder_constant(&builder, factors[k], span);
            part = slip_builder_apply(&builder, SLIP_OP_MULTIPLY, factor, part, factor, span);
        }
        root = part < 0 ? -1 : slip_builder_apply(&builder, SLIP_OP_ADD, root, part, root, span);
    }
    return root < 0 ? builder.status : slip_builder_finish(&builder, root, text, sum);
}

/* ---- Derivatives and differences. Builders share equal parts: derivatives have many. */

typedef struct rates {
    slip_builder *builder;
    slip_span span;
    int slot;        /* the one with rate 1, or -1: */
    const int *rate; /* by slots */
    int slot_count;
} rates;

static int rate_of(void *user, int slot)
{
    const rates *r = user;
    const int rate = r->slot >= 0           ? (slot == r->slot ? SLIP_RATE_ONE : SLIP_RATE_ZERO)
                     : slot < r->slot_count ? r->rate[slot]
                                            : SLIP_RATE_ZERO;
    return rate == SLIP_RATE_ZERO  ? -1
           : rate == SLIP_RATE_ONE ? slip_builder_constant(r->builder, 1, r->span)
                                   : slip_builder_slot(r->builder, rate, r->span);
}

static int derive(const slip_expression *expression, rates *r, slip_expression **derivative)
{
    SLIP_FREED_BY(slip_builder_free) slip_builder builder = {.share = true};
    r->builder = &builder;
    r->span = (slip_span){0, (int)strlen(expression->text)};
    int root = copy_values(&builder, expression, &(fixed_slots){0});
    if (root >= 0)
        root = slip_builder_derivative(&builder, root, r->span, rate_of, r);
    const int status =
        root < 0 ? builder.status : slip_builder_finish(&builder, root, expression->text, derivative);
    return status;
}

int slip_expression_derivative(const slip_expression *expression, int slot, slip_expression **derivative)
{
    rates r = {.slot = slot};
    return derive(expression, &r, derivative);
}

int slip_expression_rate(const slip_expression *expression, const int *rate, int slot_count,
                         slip_expression **derivative)
{
    rates r = {.slot = -1, .rate = rate, .slot_count = slot_count};
    return derive(expression, &r, derivative);
}

int slip_expression_subtract(const slip_expression *a, const slip_expression *b, slip_expression **difference)
{
    SLIP_FREED_BY(slip_builder_free) slip_builder builder = {.share = true, .drop_zeroes = true};
    const int before = (int)strlen(a->text) + 4;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_text_printf(&text, "%s - (%s)", a->text, b->text);
    const int left = copy_values(&builder, a, &(fixed_slots){0});
    const int64_t from = builder.count;
    const int right = left < 0 ? -1 : copy_values(&builder, b, &(fixed_slots){0});
    for (int64_t i = from; i < builder.count; i++) {
        builder.nodes[i].span.from += before;
        builder.nodes[i].span.to += before;
    }
    int root = right < 0 ? -1
                         : slip_builder_apply(&builder, SLIP_OP_SUBTRACT, left, right, left,
                                              (slip_span){0, (int)text.length});
    int status = text.data ? builder.status : SLIP_ERROR_MEMORY;
    if (status == SLIP_OK)
        status = slip_builder_finish(&builder, root, text.data, difference);
    return status;
}
