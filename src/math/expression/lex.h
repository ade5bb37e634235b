/* Words of an expression's text. */
#ifndef SLIP_MATH_EXPRESSION_LEX_H
#define SLIP_MATH_EXPRESSION_LEX_H

#include "math/expression/node.h"

typedef enum slip_token_kind {
    SLIP_TOKEN_END,
    SLIP_TOKEN_BAD, /* the error is filled */
    SLIP_TOKEN_NUMBER,
    SLIP_TOKEN_NAME,
    SLIP_TOKEN_OPEN,
    SLIP_TOKEN_CLOSE,
    SLIP_TOKEN_COMMA,
    SLIP_TOKEN_OPERATOR,  /* + - * / ^ : `op` is the binary operation */
    SLIP_TOKEN_COMPARISON /* `op` says which */
} slip_token_kind;

typedef struct slip_token {
    slip_token_kind kind;
    slip_span span;
    slip_op op;
    double value; /* of a number */
} slip_token;

/* The word at or after `position`, white space skipped. */
slip_token slip_token_read(const char *text, int position, slip_expression_error *error);

#endif
