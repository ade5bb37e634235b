/* Inside of expressions: the tape that they are stored on, and the builder that makes tapes. */
#ifndef SLIP_MATH_EXPRESSION_NODE_H
#define SLIP_MATH_EXPRESSION_NODE_H

#include "math/expression/expression.h"
#include "math/expression/tape.h"

#include <stdint.h>

enum {
    SLIP_EXPRESSION_LONGEST = 100000, /* bytes of text */
    SLIP_EXPRESSION_NODES = 10000,    /* numbers, names and operations in one text */
    SLIP_EXPRESSION_DEPTH = 200       /* nested parentheses, calls, signs and powers */
};

/* The part of the text that a value came from: [from, to). */
typedef struct slip_span {
    int from, to;
} slip_span;

/* A tape. Value i is, in this order, one of the constants, what one of the slots holds (each slot once), or
 * the result of an operation on earlier values. The last value is the expression's. */
struct slip_expression {
    char *text;
    int constant_count, slot_count, operation_count, value_count;
    double *constants;
    int *slots;
    slip_operation *operations;
    slip_span *spans;         /* of every value */
    slip_interpolants tables; /* that operations name by their number c */
    bool is_constant;         /* reads no slot; then `value` is its value, which may be not finite */
    double value;
};

/* A node of a tape in the making. */
typedef struct slip_node {
    slip_op op;
    int a, b, c;  /* as in slip_operation; `a` is the slot of a SLIP_OP_SLOT */
    double value; /* of a SLIP_OP_CONSTANT */
    slip_span span;
    bool varies; /* reads a slot, itself or through its operands */
    int next;    /* where nodes are shared: one more than the number of the next node in its bucket, or 0 */
} slip_node;

enum { SLIP_BUILDER_BUCKETS = 256 };

typedef struct slip_builder {
    slip_node *nodes;
    int64_t count, capacity;
    int buckets[SLIP_BUILDER_BUCKETS]; /* of shared nodes: one more than the number of the last one, or 0 */
    slip_interpolants tables;
    int status;       /* SLIP_ERROR_MODEL: too many nodes; SLIP_ERROR_MEMORY */
    bool share;       /* equal nodes are one */
    bool drop_zeroes; /* 0*a is 0 and a+0 is a, although they differ for an infinite a and for a = -0 */
} slip_builder;

/* These return the index of the node, or -1 when `status` was set. Operations on constants are carried out
 * on the spot where the result is finite; where it is not, the operation stays, to be reported. */
int slip_builder_constant(slip_builder *builder, double value, slip_span span);
int slip_builder_slot(slip_builder *builder, int slot, slip_span span);
int slip_builder_apply(slip_builder *builder, slip_op op, int a, int b, int c, slip_span span);
/* The number of a table, which is added where it is not there yet. */
int slip_builder_interpolant(slip_builder *builder, const slip_interpolant *table);

/* Takes over the tables of an expression, with their numbers: for a builder that copies its operations. */
void slip_builder_interpolants(slip_builder *builder, const slip_expression *expression);

/* 1/0 and the like among the constants that `root` needs: better said now than at the first evaluation. Fills
 * `error` and returns SLIP_ERROR_MODEL for the first operation on constants without a finite result. */
int slip_builder_check(slip_builder *builder, int root, const char *text, slip_expression_error *error);

/* Marks the nodes that `root` needs by a 1 in a new array of root + 1 numbers or more; NULL when out of
 * memory. */
int *slip_builder_needed(const slip_builder *builder, int root);

/* The derivative of `root`, as a node: that of a slot is the node that slot_rate gives (-1 for zero). The new
 * nodes have the given span. Where a function has a corner, the derivative of the branch that is taken. */
typedef int slip_slot_rate(void *user, int slot);
int slip_builder_derivative(slip_builder *builder, int root, slip_span span, slip_slot_rate *slot_rate,
                            void *user);

/* Makes a tape of what `root` needs. */
int slip_builder_finish(slip_builder *builder, int root, const char *text, slip_expression **expression);
void slip_builder_free(slip_builder *builder);

/* One operation on operands[0..2]; `number` is that of an integer power or a table. */
double slip_operation_value(slip_op op, const double *operands, int number, const slip_interpolants *tables);

/* Why an operation on finite numbers has no finite result. */
const char *slip_operation_failure(slip_op op, const double *operands, int exponent);

/* All values of the tape; returns the last one. */
double slip_tape_fill(const slip_expression *expression, const double *slots, double *values);

typedef struct slip_function {
    const char *name;
    slip_op op;
    int arguments; /* that a call has; with `more`, at least */
    bool more;
} slip_function;

/* NULL when there is no such function. */
const slip_function *slip_function_find(const char *name, int length);

/* Copies at most about 60 characters of a part of the text, on one line and with dots where cut. */
void slip_span_quote(const char *text, slip_span span, char *quote, size_t size);

#endif
