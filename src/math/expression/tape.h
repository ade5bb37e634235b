/* The operations that an expression consists of, for whoever evaluates them in another way. */
#ifndef SLIP_MATH_EXPRESSION_TAPE_H
#define SLIP_MATH_EXPRESSION_TAPE_H

#include "math/expression/expression.h"

typedef enum slip_op {
    SLIP_OP_CONSTANT, /* the first two occur in builders only: on a tape, leaves come before operations */
    SLIP_OP_SLOT,
    SLIP_OP_ADD,
    SLIP_OP_SUBTRACT,
    SLIP_OP_MULTIPLY,
    SLIP_OP_DIVIDE,
    SLIP_OP_NEGATE,
    SLIP_OP_POWER,
    SLIP_OP_INTEGER_POWER, /* a to the power c, where c is a number and not an operand */
    SLIP_OP_LESS,
    SLIP_OP_LESS_EQUAL,
    SLIP_OP_GREATER,
    SLIP_OP_GREATER_EQUAL,
    SLIP_OP_EQUAL,
    SLIP_OP_NOT_EQUAL,
    SLIP_OP_IF,
    SLIP_OP_DEFINED, /* a where that is finite, else b; of frozen expressions only (freeze.h) */
    SLIP_OP_MINIMUM,
    SLIP_OP_MAXIMUM,
    SLIP_OP_MOD,
    SLIP_OP_INTERPOLANT_PIECE, /* table c at a with its piece b; of frozen expressions only */
    SLIP_OP_INTERPOLANT,       /* table c at a; as with integer powers, c is a number and not an operand */
    SLIP_OP_HYPOT,
    SLIP_OP_ATAN2,
    SLIP_OP_ABS,
    SLIP_OP_SIGN,
    SLIP_OP_STEP,
    SLIP_OP_FLOOR,
    SLIP_OP_CEIL,
    SLIP_OP_SQRT,
    SLIP_OP_CBRT,
    SLIP_OP_EXP,
    SLIP_OP_LOG,
    SLIP_OP_LOG10,
    SLIP_OP_SIN,
    SLIP_OP_COS,
    SLIP_OP_TAN,
    SLIP_OP_ASIN,
    SLIP_OP_ACOS,
    SLIP_OP_ATAN,
    SLIP_OP_SINH,
    SLIP_OP_COSH,
    SLIP_OP_TANH,
    SLIP_OP_ERF
} slip_op;

/* Operands are indices of earlier values. Operands that an operation does not have repeat the first, so that
 * loading all of them is always allowed. */
typedef struct slip_operation {
    slip_op op;
    int a, b, c;
} slip_operation;

/* Whether c is a number, not an operand. */
static inline bool slip_op_counts(slip_op op)
{
    return op == SLIP_OP_INTEGER_POWER || op == SLIP_OP_INTERPOLANT || op == SLIP_OP_INTERPOLANT_PIECE;
}

/* What an expression was compiled to. Value i is, in this order, one of the constants, what one of the slots
 * holds, or the result of an operation on earlier values; the last one is the expression's. It lives as long
 * as the expression. */
typedef struct slip_tape {
    int constant_count, slot_count, operation_count;
    const double *constants;
    const int *slots;
    const slip_operation *operations;
} slip_tape;
slip_tape slip_expression_tape(const slip_expression *expression);

#endif
