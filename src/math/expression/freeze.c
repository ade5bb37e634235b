#include "math/expression/freeze.h"
#include "base/memory.h"
#include "math/expression/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a value of the tape while it is copied. */
typedef struct copied {
    int frozen, natural; /* its nodes in the builder */
    bool varies;         /* reads time or state other than through switches */
    bool reads_state;    /* reads state, also through switches */
} copied;

typedef struct freezer {
    const slip_expression *expression;
    slip_builder builder;
    slip_switches *switches;
    copied *values;
    int time_slot, first_slot, origin;
    bool with_state;
    bool any;     /* something was frozen */
    bool partial; /* some operation is not defined everywhere */
} freezer;

void slip_switches_free(slip_switches *switches)
{
    for (int64_t k = 0; k < switches->count; k++)
        slip_expression_destroy(switches->list[k].guard);
    free(switches->list);
    *switches = (slip_switches){0};
}

double slip_switch_form(const slip_switch *one, double value)
{
    if (one->table)
        return slip_interpolant_find(one->table, value);
    return one->levels ? floor(value) : (value > 0) - (value < 0);
}

void slip_switch_bounds(const slip_switch *one, double form, double *low, double *high)
{
    if (one->table) {
        *low = slip_interpolant_low(one->table, (int)form);
        *high = slip_interpolant_high(one->table, (int)form);
    } else {
        *low = one->levels ? form : form > 0 ? 0 : -INFINITY;
        *high = one->levels ? form + 1 : form < 0 ? 0 : INFINITY;
    }
}

void slip_switch_sides(const slip_switch *one, double value, double *down, double *up)
{
    if (one->table) {
        const int piece = slip_interpolant_find(one->table, value);
        const double low = slip_interpolant_low(one->table, piece),
                     high = slip_interpolant_high(one->table, piece);
        *down = value - low < high - value ? piece - 1 : piece;
        *up = *down + 1;
    } else {
        *up = one->levels ? round(value) : 1;
        *down = one->levels ? *up - 1 : -1;
    }
}

static bool same_tape(const slip_expression *a, const slip_expression *b)
{
    if (a->constant_count != b->constant_count || a->slot_count != b->slot_count ||
        a->operation_count != b->operation_count ||
        memcmp(a->constants, b->constants, (size_t)a->constant_count * sizeof(double)) != 0 ||
        memcmp(a->slots, b->slots, (size_t)a->slot_count * sizeof(int)) != 0)
        return false;
    for (int i = 0; i < a->operation_count; i++) {
        const slip_operation *x = &a->operations[i], *y = &b->operations[i];
        if (x->op != y->op || x->a != y->a || x->b != y->b)
            return false;
        if (x->op == SLIP_OP_INTERPOLANT || x->op == SLIP_OP_INTERPOLANT_PIECE
                ? a->tables.list[x->c] != b->tables.list[y->c]
                : x->c != y->c)
            return false;
    }
    return true;
}

static int apply(freezer *f, slip_op op, int a, int b, int c, slip_span span)
{
    return slip_builder_apply(&f->builder, op, a, b, c, span);
}

/* The node that reads the slot of the switch with this guard; a new switch where there is none yet. */
static int switch_node(freezer *f, int guard, bool levels, const slip_interpolant *table, bool reads_state,
                       slip_span span)
{
    slip_switches *all = f->switches;
    slip_expression *tape = NULL;
    int64_t k = 0;
    if (guard < 0)
        return -1;
    f->builder.status = slip_builder_finish(&f->builder, guard, f->expression->text, &tape);
    if (f->builder.status < 0)
        return -1;
    while (k < all->count && !(all->list[k].levels == levels && all->list[k].table == table &&
                               same_tape(all->list[k].guard, tape)))
        k++;
    if (k < all->count) {
        slip_expression_destroy(tape);
    } else {
        slip_switch new = {.guard = tape,
                           .levels = levels,
                           .table = table,
                           .reads_state = reads_state,
                           .slot = f->first_slot + (int)all->count,
                           .origin = f->origin};
        slip_span_quote(f->expression->text, span, new.text, sizeof new.text);
        if (!SLIP_ROOM(all->list, all->capacity, all->count + 1)) {
            slip_expression_destroy(tape);
            f->builder.status = SLIP_ERROR_MEMORY;
            return -1;
        }
        all->list[all->count++] = new;
    }
    f->any = true;
    return slip_builder_slot(&f->builder, all->list[k].slot, span);
}

static bool switches(slip_op op)
{
    switch (op) {
    case SLIP_OP_LESS:
    case SLIP_OP_LESS_EQUAL:
    case SLIP_OP_GREATER:
    case SLIP_OP_GREATER_EQUAL:
    case SLIP_OP_MINIMUM:
    case SLIP_OP_MAXIMUM:
    case SLIP_OP_MOD:
    case SLIP_OP_INTERPOLANT:
    case SLIP_OP_ABS:
    case SLIP_OP_SIGN:
    case SLIP_OP_STEP:
    case SLIP_OP_FLOOR:
    case SLIP_OP_CEIL:
        return true;
    default:
        return false;
    }
}

bool slip_expression_may_switch(const slip_expression *expression)
{
    for (int i = 0; i < expression->operation_count; i++)
        if (switches(expression->operations[i].op))
            return true;
    return false;
}

static bool defined_everywhere(const slip_operation *o)
{
    switch (o->op) {
    case SLIP_OP_DIVIDE:
    case SLIP_OP_POWER:
    case SLIP_OP_SQRT:
    case SLIP_OP_LOG:
    case SLIP_OP_LOG10:
    case SLIP_OP_ASIN:
    case SLIP_OP_ACOS:
    case SLIP_OP_EXP: /* may overflow */
    case SLIP_OP_SINH:
    case SLIP_OP_COSH:
        return false;
    case SLIP_OP_INTEGER_POWER:
        return o->c >= 0;
    default:
        return true;
    }
}

/* What passes zero, or integers. */
static int guard_node(freezer *f, slip_op op, int a, int b, slip_span span)
{
    const bool before = f->builder.drop_zeroes;
    int guard = a;
    f->builder.drop_zeroes = true; /* the guard of x > 0 is x */
    if (op == SLIP_OP_MOD)
        guard = apply(f, SLIP_OP_DIVIDE, a, b, a, span);
    else if (op < SLIP_OP_MOD)
        guard = apply(f, SLIP_OP_SUBTRACT, a, b, a, span);
    f->builder.drop_zeroes = before;
    return guard;
}

/* The operation with the form that its switch stands for. */
static int frozen_node(freezer *f, const slip_operation *o, int a, int b, bool reads_state, slip_span span)
{
    const slip_op op = o->op;
    const slip_interpolant *table = op == SLIP_OP_INTERPOLANT ? f->expression->tables.list[o->c] : NULL;
    const bool levels = op == SLIP_OP_MOD || op == SLIP_OP_FLOOR || op == SLIP_OP_CEIL || table;
    int form = switch_node(f, guard_node(f, op, a, b, span), levels, table, reads_state, span), zero;
    if (form < 0)
        return -1;
    zero = slip_builder_constant(&f->builder, 0, span);
    switch (op) {
    case SLIP_OP_FLOOR:
        return form;
    case SLIP_OP_CEIL:
        return apply(f, SLIP_OP_ADD, form, slip_builder_constant(&f->builder, 1, span), form, span);
    case SLIP_OP_MOD:
        return apply(f, SLIP_OP_SUBTRACT, a, apply(f, SLIP_OP_MULTIPLY, b, form, b, span), a, span);
    case SLIP_OP_INTERPOLANT:
        return apply(f, SLIP_OP_INTERPOLANT_PIECE, a, form, o->c, span);
    case SLIP_OP_ABS:
        return apply(f, SLIP_OP_MULTIPLY, form, a, form, span);
    case SLIP_OP_MINIMUM:
        return apply(f, SLIP_OP_IF, apply(f, SLIP_OP_GREATER, form, zero, form, span), b, a, span);
    case SLIP_OP_MAXIMUM:
        return apply(f, SLIP_OP_IF, apply(f, SLIP_OP_GREATER, form, zero, form, span), a, b, span);
    case SLIP_OP_SIGN:
    case SLIP_OP_STEP:
        return apply(f, op, form, form, form, span);
    default:
        return apply(f, op, form, zero, form, span);
    }
}

static copied copy_leaf(freezer *f, int i)
{
    const slip_expression *e = f->expression;
    copied result = {0};
    if (i < e->constant_count) {
        result.frozen = slip_builder_constant(&f->builder, e->constants[i], e->spans[i]);
    } else {
        const int slot = e->slots[i - e->constant_count];
        result.frozen = slip_builder_slot(&f->builder, slot, e->spans[i]);
        result.varies = true;
        result.reads_state = slot != f->time_slot;
    }
    result.natural = result.frozen;
    return result;
}

static bool holds(const slip_expression *e, const slip_operation *o)
{
    return e->tables.list[o->c]->between == SLIP_BETWEEN_HOLD;
}

static copied copy_operation(freezer *f, int i)
{
    const slip_expression *e = f->expression;
    const slip_operation *o = &e->operations[i - e->constant_count - e->slot_count];
    const bool counts = slip_op_counts(o->op);
    const copied a = f->values[o->a], b = f->values[o->b], c = counts ? a : f->values[o->c];
    const slip_span span = e->spans[i];
    copied result = {.varies = a.varies || b.varies || c.varies,
                     .reads_state = a.reads_state || b.reads_state || c.reads_state};
    f->partial |= !defined_everywhere(o);
    result.natural = apply(f, o->op, a.natural, b.natural, counts ? o->c : c.natural, span);
    if (switches(o->op) && result.varies && (f->with_state || !result.reads_state)) {
        result.frozen = frozen_node(f, o, a.frozen, b.frozen, result.reads_state, span);
        /* a number between two switches */
        result.varies =
            result.varies && (o->op == SLIP_OP_ABS || o->op == SLIP_OP_MOD || o->op == SLIP_OP_MINIMUM ||
                              o->op == SLIP_OP_MAXIMUM || (o->op == SLIP_OP_INTERPOLANT && !holds(e, o)));
    } else if (a.frozen == a.natural && b.frozen == b.natural && (counts || c.frozen == c.natural)) {
        result.frozen = result.natural;
    } else {
        result.frozen = apply(f, o->op, a.frozen, b.frozen, counts ? o->c : c.frozen, span);
    }
    return result;
}

int slip_expression_freeze(const slip_expression *expression, int time_slot, int first_slot, bool with_state,
                           int origin, slip_switches *all, slip_expression **frozen)
{
    const int leaves = expression->constant_count + expression->slot_count;
    freezer f = {.expression = expression,
                 .switches = all,
                 .values = slip_alloc(expression->value_count, sizeof *f.values),
                 .time_slot = time_slot,
                 .first_slot = first_slot,
                 .origin = origin,
                 .with_state = with_state};
    int status = f.values ? SLIP_OK : SLIP_ERROR_MEMORY, root;
    copied last = {0};
    *frozen = NULL;
    slip_builder_interpolants(&f.builder, expression);
    for (int i = 0; i < expression->value_count && status == SLIP_OK; i++) {
        last = f.values[i] = i < leaves ? copy_leaf(&f, i) : copy_operation(&f, i);
        status = f.builder.status;
    }
    root = last.frozen;
    if (status == SLIP_OK && f.any && f.partial)
        root = apply(&f, SLIP_OP_DEFINED, last.frozen, last.natural, last.frozen,
                     expression->spans[expression->value_count - 1]);
    if (status == SLIP_OK && f.any)
        status = slip_builder_finish(&f.builder, root, expression->text, frozen);
    slip_builder_free(&f.builder);
    free(f.values);
    return status;
}
