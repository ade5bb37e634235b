/* From nodes to a tape: constant folding, dropping what is not needed, ordering. */
#include "base/memory.h"
#include "math/expression/node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bucket of a node. Values count by their bits, as in find_same. */
static int *bucket_of(slip_builder *builder, const slip_node *node)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t hash = 0;
    memcpy(&hash, &node->value, sizeof hash);
    const int words[] = {(int)node->op, node->a, node->b, node->c};
    for (int k = 0; k < 4; k++)
        hash = (hash ^ (uint64_t)words[k]) * factor;
    return &builder->buckets[(hash >> 32) % SLIP_BUILDER_BUCKETS];
}

/* The node of a bucket that is the same but for its place in the text, or -1. */
static int find_same(const slip_builder *builder, int bucket, const slip_node *node)
{
    for (int i = bucket - 1; i >= 0; i = builder->nodes[i].next - 1) {
        const slip_node *other = &builder->nodes[i];
        if (other->op == node->op && other->a == node->a && other->b == node->b && other->c == node->c &&
            memcmp(&other->value, &node->value, sizeof node->value) == 0)
            return i;
    }
    return -1;
}

static int add_node(slip_builder *builder, slip_node node)
{
    if (builder->status < 0)
        return -1;
    int *bucket = builder->share ? bucket_of(builder, &node) : NULL;
    const int same = bucket ? find_same(builder, *bucket, &node) : -1;
    if (same >= 0)
        return same;
    if (builder->count >= SLIP_EXPRESSION_NODES) {
        builder->status = SLIP_ERROR_MODEL;
        return -1;
    }
    if (!SLIP_ROOM(builder->nodes, builder->capacity, builder->count + 1)) {
        builder->status = SLIP_ERROR_MEMORY;
        return -1;
    }
    const int number = (int)builder->count++;
    if (bucket) {
        node.next = *bucket;
        *bucket = number + 1;
    }
    builder->nodes[number] = node;
    return number;
}

int slip_builder_constant(slip_builder *builder, double value, slip_span span)
{
    return add_node(builder, (slip_node){.op = SLIP_OP_CONSTANT, .value = value, .span = span});
}

int slip_builder_slot(slip_builder *builder, int slot, slip_span span)
{
    return add_node(builder, (slip_node){.op = SLIP_OP_SLOT, .a = slot, .span = span, .varies = true});
}

int slip_builder_interpolant(slip_builder *builder, const slip_interpolant *table)
{
    slip_interpolants *tables = &builder->tables;
    int64_t k = 0;
    while (k < tables->count && tables->list[k] != table)
        k++;
    if (k == tables->count) {
        if (!SLIP_ROOM(tables->list, tables->capacity, k + 1)) {
            builder->status = SLIP_ERROR_MEMORY;
            return -1;
        }
        tables->list[tables->count++] = table;
    }
    return (int)k;
}

void slip_builder_interpolants(slip_builder *builder, const slip_expression *expression)
{
    for (int64_t k = 0; k < expression->tables.count; k++)
        slip_builder_interpolant(builder, expression->tables.list[k]);
}

static bool is_number(const slip_builder *builder, int index, double value)
{
    const slip_node *node = &builder->nodes[index];
    return node->op == SLIP_OP_CONSTANT && node->value == value;
}

/* The operand that the operation leaves as it is, or -1. Without `drop_zeroes` only what holds to the bit for
 * every operand, NaN and -0 included. */
static int identity(const slip_builder *builder, const slip_node *node)
{
    const bool loose = builder->drop_zeroes;
    switch (node->op) {
    case SLIP_OP_ADD:
        return loose && is_number(builder, node->b, 0)   ? node->a
               : loose && is_number(builder, node->a, 0) ? node->b
                                                         : -1;
    case SLIP_OP_SUBTRACT:
        return loose && is_number(builder, node->b, 0) ? node->a : -1;
    case SLIP_OP_MULTIPLY:
        return is_number(builder, node->b, 1) ? node->a : is_number(builder, node->a, 1) ? node->b : -1;
    case SLIP_OP_DIVIDE:
        return is_number(builder, node->b, 1) ? node->a : -1;
    case SLIP_OP_INTEGER_POWER:
        return node->c == 1 ? node->a : -1;
    case SLIP_OP_IF:
        if (builder->nodes[node->a].op != SLIP_OP_CONSTANT)
            return -1;
        return builder->nodes[node->a].value != 0 ? node->b : node->c;
    default:
        return -1;
    }
}

/* 0*a and 0/a, where a is no failed constant. */
static bool vanishes(const slip_builder *builder, const slip_node *node)
{
    const slip_node *a = &builder->nodes[node->a], *b = &builder->nodes[node->b];
    if (!builder->drop_zeroes)
        return false;
    if (node->op == SLIP_OP_MULTIPLY)
        return (is_number(builder, node->a, 0) && b->varies) || (is_number(builder, node->b, 0) && a->varies);
    return node->op == SLIP_OP_DIVIDE && is_number(builder, node->a, 0) && b->varies;
}

/* x^2 and the like: powers whose exponent is an integer known now. */
static void specialise_power(const slip_builder *builder, slip_node *node)
{
    const slip_node *exponent = &builder->nodes[node->b];
    if (node->op != SLIP_OP_POWER || exponent->op != SLIP_OP_CONSTANT)
        return;
    if (fabs(exponent->value) > 1000000 || exponent->value != floor(exponent->value))
        return;
    node->op = SLIP_OP_INTEGER_POWER;
    node->b = node->a;
    node->c = (int)exponent->value;
}

static bool fold(const slip_builder *builder, const slip_node *node, double *value)
{
    const slip_node *nodes = builder->nodes;
    const int third = slip_op_counts(node->op) ? node->a : node->c;
    const double operands[3] = {nodes[node->a].value, nodes[node->b].value, nodes[third].value};
    if (nodes[node->a].op != SLIP_OP_CONSTANT || nodes[node->b].op != SLIP_OP_CONSTANT ||
        nodes[third].op != SLIP_OP_CONSTANT)
        return false;
    *value = slip_operation_value(node->op, operands, node->c, &builder->tables);
    return isfinite(*value);
}

int slip_builder_apply(slip_builder *builder, slip_op op, int a, int b, int c, slip_span span)
{
    slip_node node = {.op = op, .a = a, .b = b, .c = c, .span = span};
    double value = 0;
    if (builder->status < 0)
        return -1;
    specialise_power(builder, &node);
    int same = identity(builder, &node);
    if (same >= 0)
        return same;
    if (vanishes(builder, &node) || fold(builder, &node, &value))
        return slip_builder_constant(builder, value, span);
    node.varies = builder->nodes[a].varies || builder->nodes[b].varies ||
                  (op == SLIP_OP_IF && builder->nodes[c].varies);
    return add_node(builder, node);
}

int *slip_builder_needed(const slip_builder *builder, int root)
{
    int *needed = slip_alloc(builder->count, sizeof *needed);
    if (!needed)
        return NULL;
    needed[root] = 1;
    for (int i = root; i >= 0; i--) {
        const slip_node *node = &builder->nodes[i];
        if (!needed[i] || node->op == SLIP_OP_CONSTANT || node->op == SLIP_OP_SLOT)
            continue;
        needed[node->a] = needed[node->b] = 1;
        if (node->op == SLIP_OP_IF)
            needed[node->c] = 1;
    }
    return needed;
}

/* The first operation on constants that has no finite result, or -1. */
static int find_failure(slip_builder *builder, int root)
{
    int *needed = slip_builder_needed(builder, root);
    int failure = -1;
    if (!needed) {
        builder->status = SLIP_ERROR_MEMORY;
        return -1;
    }
    for (int i = 0; i <= root && failure < 0; i++)
        if (needed[i] && builder->nodes[i].op != SLIP_OP_CONSTANT && !builder->nodes[i].varies)
            failure = i;
    free(needed);
    return failure;
}

int slip_builder_check(slip_builder *builder, int root, const char *text, slip_expression_error *error)
{
    const int failure = find_failure(builder, root);
    if (failure < 0)
        return builder->status;
    const slip_node *nodes = builder->nodes, *node = &nodes[failure];
    const double operands[2] = {nodes[node->a].value, nodes[node->b].value};
    char part[80];
    slip_span_quote(text, node->span, part, sizeof part);
    error->position = node->span.from;
    snprintf(error->message, sizeof error->message, "%s in `%s`",
             slip_operation_failure(node->op, operands, node->c), part);
    return SLIP_ERROR_MODEL;
}

/* Room for everything: a tape has no more of anything than the builder has nodes. */
static int allocate_tape(const slip_builder *builder, const char *text, slip_expression **expression)
{
    const int64_t count = builder->count, tables = builder->tables.count;
    slip_expression *e = slip_alloc(1, sizeof *e);
    if (!e)
        return SLIP_ERROR_MEMORY;
    e->text = slip_alloc((int64_t)strlen(text) + 1, 1);
    e->constants = slip_alloc(count, sizeof *e->constants);
    e->slots = slip_alloc(count, sizeof *e->slots);
    e->operations = slip_alloc(count, sizeof *e->operations);
    e->spans = slip_alloc(count, sizeof *e->spans);
    if (!e->text || !e->constants || !e->slots || !e->operations || !e->spans ||
        !SLIP_ROOM(e->tables.list, e->tables.capacity, tables)) {
        slip_expression_destroy(e);
        return SLIP_ERROR_MEMORY;
    }
    memcpy(e->text, text, strlen(text) + 1);
    e->tables.count = tables;
    if (tables > 0)
        memcpy(e->tables.list, builder->tables.list, (size_t)tables * sizeof *e->tables.list);
    *expression = e;
    return SLIP_OK;
}

static int slot_index(const slip_expression *e, int slot)
{
    int i = 0;
    while (i < e->slot_count && e->slots[i] != slot)
        i++;
    return i;
}

/* Puts the needed leaves on the tape, and into place[i] where node i is. */
static void lay_leaves(const slip_builder *builder, int root, const int *needed, slip_expression *e,
                       int *place)
{
    for (int i = 0; i <= root; i++) {
        const slip_node *node = &builder->nodes[i];
        if (!needed[i] || node->op != SLIP_OP_CONSTANT)
            continue;
        e->spans[e->constant_count] = node->span;
        e->constants[e->constant_count] = node->value;
        place[i] = e->constant_count++;
    }
    for (int i = 0; i <= root; i++) {
        const slip_node *node = &builder->nodes[i];
        if (!needed[i] || node->op != SLIP_OP_SLOT)
            continue;
        int index = slot_index(e, node->a);
        place[i] = e->constant_count + index;
        if (index < e->slot_count)
            continue;
        e->spans[place[i]] = node->span;
        e->slots[e->slot_count++] = node->a;
    }
}

static void lay_operations(const slip_builder *builder, int root, const int *needed, slip_expression *e,
                           int *place)
{
    const int leaves = e->constant_count + e->slot_count;
    for (int i = 0; i <= root; i++) {
        const slip_node *node = &builder->nodes[i];
        slip_operation *operation = &e->operations[e->operation_count];
        if (!needed[i] || node->op == SLIP_OP_CONSTANT || node->op == SLIP_OP_SLOT)
            continue;
        operation->op = node->op;
        operation->a = place[node->a];
        operation->b = place[node->b];
        operation->c = slip_op_counts(node->op) ? node->c : place[node->c];
        place[i] = leaves + e->operation_count++;
        e->spans[place[i]] = node->span;
    }
    e->value_count = leaves + e->operation_count;
}

/* An expression without slots is evaluated once and for all. */
static int settle_constant(slip_expression *e)
{
    if (e->slot_count)
        return SLIP_OK;
    SLIP_FREED double *scratch = slip_alloc(slip_expression_scratch(e), sizeof *scratch);
    if (!scratch)
        return SLIP_ERROR_MEMORY;
    e->value = slip_expression_value(e, NULL, scratch);
    e->is_constant = true;
    return SLIP_OK;
}

int slip_builder_finish(slip_builder *builder, int root, const char *text, slip_expression **expression)
{
    SLIP_FREED_BY(slip_expression_drop) slip_expression *e = NULL;
    SLIP_FREED int *needed = NULL, *place = NULL;
    SLIP_PASS(builder->status);
    needed = slip_builder_needed(builder, root);
    place = slip_alloc(builder->count, sizeof *place);
    if (!needed || !place)
        return SLIP_ERROR_MEMORY;
    SLIP_PASS(allocate_tape(builder, text, &e));
    lay_leaves(builder, root, needed, e, place);
    lay_operations(builder, root, needed, e, place);
    SLIP_PASS(settle_constant(e));
    SLIP_HAND(expression, e);
    return SLIP_OK;
}

void slip_builder_free(slip_builder *builder)
{
    free(builder->nodes);
    free(builder->tables.list);
    memset(builder, 0, sizeof *builder);
}

int slip_expression_constant(double value, slip_expression **expression)
{
    SLIP_FREED_BY(slip_builder_free) slip_builder builder = {0};
    char text[40];
    int root;
    for (int digits = 15; digits <= 17; digits++) { /* as short as gives the number back */
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    root = slip_builder_constant(&builder, value, (slip_span){0, (int)strlen(text)});
    return root < 0 ? builder.status : slip_builder_finish(&builder, root, text, expression);
}

void slip_expression_destroy(slip_expression *expression)
{
    if (!expression)
        return;
    free(expression->text);
    free(expression->constants);
    free(expression->slots);
    free(expression->operations);
    free(expression->spans);
    free(expression->tables.list);
    free(expression);
}

const char *slip_expression_text(const slip_expression *expression)
{
    return expression->text;
}

/* Values, tangents, adjoints and their derivatives. */
int slip_expression_scratch(const slip_expression *expression)
{
    return 4 * expression->value_count;
}

slip_tape slip_expression_tape(const slip_expression *e)
{
    return (slip_tape){.constant_count = e->constant_count,
                       .slot_count = e->slot_count,
                       .operation_count = e->operation_count,
                       .constants = e->constants,
                       .slots = e->slots,
                       .operations = e->operations};
}

bool slip_expression_is_constant(const slip_expression *expression, double *value)
{
    if (expression->is_constant && value)
        *value = expression->value;
    return expression->is_constant;
}

bool slip_expression_reads(const slip_expression *expression, int slot)
{
    return slot_index(expression, slot) < expression->slot_count;
}

bool slip_expression_reads_below(const slip_expression *expression, int slot)
{
    for (int i = 0; i < expression->slot_count; i++)
        if (expression->slots[i] < slot)
            return true;
    return false;
}
