/* Expressions of model files: text compiled once, evaluated without allocation, with exact derivatives.
 *
 * Grammar: + - * / ^ (right associative, binds tighter than unary minus), parentheses, numbers, names (also
 * with trailing primes: x'), comparisons < <= > >= == != that give 0 or 1 and do not chain, function calls.
 * Constants: pi (a symbol of that name goes before it). A symbol may have the name of a function: it is the
 * function where `(` follows. if(c, a, b) is a where c is not 0; step(x) is 1 from x = 0 on; mod(a, b) has
 * the sign of b; min and max take two or more. rate(e) is the derivative of e with respect to time: it is
 * made of the rates of the symbols that e reads.
 *
 * An expression reads numbered slots. What a name means is given by a symbol table at compile time: a slot,
 * a constant that is folded away, or a function of one argument that a table gives. */
#ifndef SLIP_MATH_EXPRESSION_H
#define SLIP_MATH_EXPRESSION_H

#include "base/context.h"
#include "math/interpolant.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct slip_symbol {
    const char *name;              /* NULL ends a table */
    int slot;                      /* the slot that the name reads, or -1 for a constant or a function */
    double value;                  /* the constant's value */
    const slip_interpolant *table; /* the function, or NULL; it outlives the expressions that are compiled */
    int rate;                      /* what rate() makes of it: the slot of its rate, or one of the below */
} slip_symbol;

/* Rates of symbols that are no slots: not known (rate() is an error then), zero, one (time itself). Slot 0 is
 * nobody's rate. Constants and functions have a known one whatever stands here. */
enum { SLIP_RATE_UNKNOWN = 0, SLIP_RATE_ZERO = -1, SLIP_RATE_ONE = -2 };

/* Where and why a text is not an expression. `position` counts characters (bytes) from 0. */
typedef struct slip_expression_error {
    int position;
    char message[200]; /* names what was found, what was expected, and the nearest known name */
} slip_expression_error;

typedef struct slip_expression slip_expression;

/* Returns SLIP_OK, SLIP_ERROR_MODEL (then `error` is filled and the context's message is left alone) or
 * SLIP_ERROR_MEMORY. Depth and length are bounded, so that no text overflows the stack. An operation on
 * constants that has no finite result (1/0) is an error, unless an `if` with a constant condition leaves it
 * out. `symbols` may be NULL. */
int slip_expression_compile(const char *text, const slip_symbol *symbols, slip_expression **expression,
                            slip_expression_error *error);
int slip_expression_constant(double value, slip_expression **expression);
void slip_expression_destroy(slip_expression *expression);
SLIP_OWNED(slip_expression, slip_expression_destroy)

/* The text that it was compiled from. */
const char *slip_expression_text(const slip_expression *expression);

/* How many doubles of scratch memory an evaluation needs. */
int slip_expression_scratch(const slip_expression *expression);
/* The larger one of this and a number; NULL needs none. */
static inline int slip_expression_most_scratch(int most, const slip_expression *expression)
{
    const int needed = expression ? slip_expression_scratch(expression) : 0;
    return needed > most ? needed : most;
}

/* The value at the given slots. Not finite when the expression is not defined there: NaN passes through
 * comparisons, min, max, sign and step, and only the branch of an `if` that is taken counts. Infinities
 * behave as in IEEE 754, so that exp(-1/x^2) is 0 at 0. Constant expressions need neither slots nor scratch.
 */
double slip_expression_value(const slip_expression *expression, const double *slots, double *scratch);

/* The value, and into gradient[slot] the derivative with respect to every slot below slot_count (reverse
 * mode; slots that the expression does not read get 0). Where the expression has a corner (abs, min, max,
 * sign, comparisons) the derivative of the branch that was taken. */
double slip_expression_gradient(const slip_expression *expression, const double *slots, int slot_count,
                                double *gradient, double *scratch);

/* The size that rounding errors of the value are multiples of DBL_EPSILON of: the sum of |d value / d part|
 * |part| over all parts of the expression. Large where parts cancel. */
double slip_expression_size(const slip_expression *expression, const double *slots, double *scratch);

/* Second derivatives: the value, the gradient as above, and into product[slot] the matrix of the second
 * derivatives times a direction (slot_count numbers each). Where the expression has a corner, those of the
 * branch that was taken. */
double slip_expression_second(const slip_expression *expression, const double *slots, int slot_count,
                              const double *direction, double *gradient, double *product, double *scratch);

/* The second derivative with respect to one slot. */
double slip_expression_curve(const slip_expression *expression, const double *slots, int slot,
                             double *scratch);

/* After a value that is not finite: says which part of the text was the first to fail, at which position and
 * why, for example "division by zero in `1/x` at character 5". */
void slip_expression_diagnose(const slip_expression *expression, const double *slots, double *scratch,
                              char *message, size_t size);

/* Whether it reads no slot, and (unless NULL) its value; whether it reads a slot. */
bool slip_expression_is_constant(const slip_expression *expression, double *value);
bool slip_expression_reads(const slip_expression *expression, int slot);
bool slip_expression_reads_below(const slip_expression *expression, int slot); /* any slot below this one */

/* Some of the slots: `count` of them from `first` on, or those of the `count` that are marked. */
typedef struct slip_slot_set {
    int first, count;
    const bool *marked; /* NULL: those from `first` on */
} slip_slot_set;

/* How the expression depends on the slots of the set. Goes by the form of the text: x - x is linear in x, and
 * x*x/x is not. */
typedef enum slip_dependence {
    SLIP_INDEPENDENT,     /* not at all */
    SLIP_LINEAR_CONSTANT, /* linear plus a remainder; the coefficients are numbers */
    SLIP_LINEAR_VARYING,  /* linear plus a remainder; the coefficients depend on other slots */
    SLIP_NONLINEAR
} slip_dependence;
slip_dependence slip_expression_dependence(const slip_expression *expression, slip_slot_set set);

/* A condition on a shift of slots: the sum of row[k] times the shift of slot slots[k] is a whole multiple of
 * the period or, where that is 0, zero. */
typedef struct slip_shift_condition {
    int count;
    const int *slots;
    const double *row;
    double period;
} slip_shift_condition;

/* Hands over conditions under all of which the expression does not change when the slots first .. first +
 * count - 1 are shifted by constants, for any values of all slots: sin(a x - t) and mod(x, b) repeat, x - y
 * keeps its value where both move alike, what is not linear must not see the shift. Goes by the form of the
 * text: cos(x)^2 is known to repeat after 2 pi, not after pi. SLIP_OK or SLIP_ERROR_MEMORY. */
typedef void slip_shift_sink(void *user, const slip_shift_condition *condition);
int slip_expression_shifts(const slip_expression *expression, int first, int count, slip_shift_sink *sink,
                           void *user);

/* The expression with the slots of the set fixed at zero: the remainder of a linear one. Products with what
 * became zero are dropped with all that they read. The text of the result is that of the original. SLIP_OK or
 * SLIP_ERROR_MEMORY. */
int slip_expression_restrict(const slip_expression *expression, slip_slot_set set,
                             slip_expression **restricted);

/* The expression with `count` slots from `first` on replaced by numbers: what it would have been compiled to
 * with these as constants, to the bit. count 0 makes a copy. SLIP_OK, SLIP_ERROR_MEMORY, or SLIP_ERROR_MODEL
 * with `error` filled where an operation on constants has no finite result. */
int slip_expression_bind(const slip_expression *expression, int first, int count, const double *values,
                         slip_expression **bound, slip_expression_error *error);

/* The expression with `count` slots from `first` on replaced by expressions; the text stays. Fails with
 * SLIP_ERROR_MODEL where it reads one for which there is none (NULL). */
int slip_expression_substitute(const slip_expression *expression, int first, int count,
                               const slip_expression *const *with, slip_expression **result);
/* What a slot holds; the text is its name. */
int slip_expression_of_slot(int slot, const char *name, slip_expression **expression);
/* The sum of factors[k] times parts[k], with this text; parts may be NULL where their factor is zero. */
int slip_expression_sum(const char *text, int count, const double *factors,
                        const slip_expression *const *parts, slip_expression **sum);

/* The derivative with respect to a slot, as an expression with the text of the original. SLIP_OK, or an error
 * of memory or size. */
int slip_expression_derivative(const slip_expression *expression, int slot, slip_expression **derivative);
/* The same along a direction: rate[slot] is what changes the slot, a slot or SLIP_RATE_ZERO, SLIP_RATE_ONE;
 * slots from slot_count on do not change. */
int slip_expression_rate(const slip_expression *expression, const int *rate, int slot_count,
                         slip_expression **derivative);
/* a - b, with the text "a - (b)". */
int slip_expression_subtract(const slip_expression *a, const slip_expression *b,
                             slip_expression **difference);

/* One term t^power (cosine cos(frequency t) + sine sin(frequency t)), frequency >= 0. */
typedef struct slip_harmonic {
    int power;
    double frequency;
    double cosine, sine;
} slip_harmonic;

/* Writes the expression as a sum of such terms (like terms merged, sorted by power then frequency, zero terms
 * dropped), where it reads no slot but `time_slot` and has that form: products, integer powers and sin/cos of
 * linear functions of t are recognised. Returns the number of terms, -1 when it is not of that form or
 * needs more than `capacity` terms, or SLIP_ERROR_MEMORY. Frequencies that agree to rounding are taken as
 * one, and amplitudes that are nothing but rounding as zero. */
int slip_expression_harmonics(const slip_expression *expression, int time_slot, slip_harmonic *terms,
                              int capacity);

/* The same of a frozen expression (freeze.h): slots from `first_form` on are numbers, `forms`, or
 * NULL: not known. Then the terms are those that it can have, whatever they are, with NaN for amplitudes that
 * depend on them. The terms count time from `origin`: a table's polynomials stay exact at late times. */
int slip_expression_harmonics_from(const slip_expression *expression, int time_slot, double origin,
                                   int first_form, const double *forms, slip_harmonic *terms, int capacity);

/* Names of the functions that expressions know (NULL ends the list), for help texts. */
const char *const *slip_expression_functions(void);

#endif
