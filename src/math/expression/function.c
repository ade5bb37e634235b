/* The functions that expressions know: a new one is a row here and an operation in evaluate.c. */
#include "math/expression/node.h"

#include <string.h>

/* name, operation, number of arguments, may it have more */
#define FUNCTIONS(row)                                                                                       \
    row("sin", SLIP_OP_SIN, 1, false) row("cos", SLIP_OP_COS, 1, false) row("tan", SLIP_OP_TAN, 1, false)    \
        row("asin", SLIP_OP_ASIN, 1, false) row("acos", SLIP_OP_ACOS, 1, false)                              \
            row("atan", SLIP_OP_ATAN, 1, false) row("atan2", SLIP_OP_ATAN2, 2, false)                        \
                row("sinh", SLIP_OP_SINH, 1, false) row("cosh", SLIP_OP_COSH, 1, false)                      \
                    row("tanh", SLIP_OP_TANH, 1, false) row("exp", SLIP_OP_EXP, 1, false)                    \
                        row("log", SLIP_OP_LOG, 1, false) row("log10", SLIP_OP_LOG10, 1, false)              \
                            row("sqrt", SLIP_OP_SQRT, 1, false) row("cbrt", SLIP_OP_CBRT, 1, false)          \
                                row("abs", SLIP_OP_ABS, 1, false) row("sign", SLIP_OP_SIGN, 1, false)        \
                                    row("min", SLIP_OP_MINIMUM, 2, true)                                     \
                                        row("max", SLIP_OP_MAXIMUM, 2, true)                                 \
                                            row("pow", SLIP_OP_POWER, 2, false)                              \
                                                row("hypot", SLIP_OP_HYPOT, 2, false)                        \
                                                    row("floor", SLIP_OP_FLOOR, 1, false)                    \
                                                        row("ceil", SLIP_OP_CEIL, 1, false)                  \
                                                            row("mod", SLIP_OP_MOD, 2, false)                \
                                                                row("erf", SLIP_OP_ERF, 1, false)            \
                                                                    row("step", SLIP_OP_STEP, 1, false)      \
                                                                        row("if", SLIP_OP_IF, 3, false)

#define AS_FUNCTION(name, op, arguments, more) {name, op, arguments, more},
#define AS_NAME(name, op, arguments, more) name,

static const slip_function functions[] = {FUNCTIONS(AS_FUNCTION)};
static const char *const names[] = {FUNCTIONS(AS_NAME) NULL};

const slip_function *slip_function_find(const char *name, int length)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if ((int)strlen(functions[i].name) == length && !memcmp(functions[i].name, name, (size_t)length))
            return &functions[i];
    return NULL;
}

const char *const *slip_expression_functions(void)
{
    return names;
}
