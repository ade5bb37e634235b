/* Which shifts of its slots an expression does not see.
 *
 * Under a shift d every value on the tape changes by a linear function of it, row . d, as long as the
 * conditions hold that are handed over on the way: a sum adds the rows, a sine lets row . d be a whole number
 * of turns and has a row of zeros itself, a product of two values that vary asks for row . d = 0 of both. */
#include "base/memory.h"
#include "math/expression/node.h"

#include <math.h>

typedef struct walk {
    const slip_expression *expression;
    int count, *slots;
    double *rows, *scratch; /* count numbers for each value; count */
    slip_shift_sink *sink;
    void *user;
} walk;

static double *row_of(const walk *w, int value)
{
    return w->rows + (ptrdiff_t)value * w->count;
}

/* factor_a row a + factor_b row b . d is a whole multiple of the period. */
static void demand(walk *w, int a, double factor_a, int b, double factor_b, double period)
{
    bool any = false;
    for (int k = 0; k < w->count; k++) {
        w->scratch[k] = factor_a * row_of(w, a)[k] + factor_b * row_of(w, b)[k];
        any = any || w->scratch[k] != 0;
    }
    if (any)
        w->sink(w->user, &(slip_shift_condition){w->count, w->slots, w->scratch, period});
}

static void demand_same(walk *w, int a)
{
    demand(w, a, 1, a, 0, 0);
}

static void add_rows(walk *w, int to, int a, double factor_a, int b, double factor_b)
{
    for (int k = 0; k < w->count; k++)
        row_of(w, to)[k] = factor_a * row_of(w, a)[k] + factor_b * row_of(w, b)[k];
}

static void pass_operation(walk *w, int to, const slip_operation *o)
{
    const slip_expression *e = w->expression;
    const double turn = 2 * acos(-1);
    const bool number_a = o->a < e->constant_count, number_b = o->b < e->constant_count;
    switch (o->op) {
    case SLIP_OP_ADD:
    case SLIP_OP_SUBTRACT:
        add_rows(w, to, o->a, 1, o->b, o->op == SLIP_OP_ADD ? 1 : -1);
        return;
    case SLIP_OP_NEGATE:
        add_rows(w, to, o->a, -1, o->a, 0);
        return;
    case SLIP_OP_MULTIPLY:
        if (number_a || number_b) {
            add_rows(w, to, o->a, number_b ? e->constants[o->b] : 0, o->b, number_a ? e->constants[o->a] : 0);
            return;
        }
        break;
    case SLIP_OP_DIVIDE:
        if (number_b) {
            add_rows(w, to, o->a, 1 / e->constants[o->b], o->a, 0);
            return;
        }
        break;
    case SLIP_OP_SIN:
    case SLIP_OP_COS:
        demand(w, o->a, 1, o->a, 0, turn);
        return;
    case SLIP_OP_TAN:
        demand(w, o->a, 1, o->a, 0, 0.5 * turn);
        return;
    case SLIP_OP_MOD:
        if (number_b) {
            demand(w, o->a, 1, o->a, 0, fabs(e->constants[o->b]));
            return;
        }
        break;
    case SLIP_OP_FLOOR:
    case SLIP_OP_CEIL:
        demand(w, o->a, 1, o->a, 0, 1);
        add_rows(w, to, o->a, 1, o->a, 0);
        return;
    case SLIP_OP_LESS:
    case SLIP_OP_LESS_EQUAL:
    case SLIP_OP_GREATER:
    case SLIP_OP_GREATER_EQUAL:
    case SLIP_OP_EQUAL:
    case SLIP_OP_NOT_EQUAL:
        demand(w, o->a, 1, o->b, -1, 0);
        return;
    case SLIP_OP_MINIMUM:
    case SLIP_OP_MAXIMUM:
        demand(w, o->a, 1, o->b, -1, 0);
        add_rows(w, to, o->a, 1, o->a, 0);
        return;
    default:
        break;
    }
    demand_same(w, o->a);
    demand_same(w, o->b);
    if (!slip_op_counts(o->op))
        demand_same(w, o->c);
}

int slip_expression_shifts(const slip_expression *e, int first, int count, slip_shift_sink *sink, void *user)
{
    const int leaves = e->constant_count + e->slot_count;
    walk w = {.expression = e, .sink = sink, .user = user};
    for (int i = 0; i < e->slot_count; i++)
        w.count += e->slots[i] >= first && e->slots[i] - first < count;
    if (w.count == 0)
        return SLIP_OK;
    SLIP_FREED double *rows = slip_alloc((int64_t)w.count * (e->value_count + 1), sizeof *rows);
    SLIP_FREED int *slots = slip_alloc(w.count, sizeof *slots);
    if (!rows || !slots)
        return SLIP_ERROR_MEMORY;
    w.rows = rows;
    w.scratch = row_of(&w, e->value_count);
    w.slots = slots;
    for (int i = 0, k = 0; i < e->slot_count; i++)
        if (e->slots[i] >= first && e->slots[i] - first < count) {
            slots[k] = e->slots[i];
            row_of(&w, e->constant_count + i)[k++] = 1;
        }
    for (int i = leaves; i < e->value_count; i++)
        pass_operation(&w, i, &e->operations[i - leaves]);
    demand_same(&w, e->value_count - 1);
    return SLIP_OK;
}
