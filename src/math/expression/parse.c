/* From text to a tape, by recursive descent. In order of binding, loosest first:
 *
 *     comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *     sum        = product {("+" | "-") product}
 *     product    = signed {("*" | "/") signed}
 *     signed     = {"+" | "-"} power
 *     power      = primary ["^" signed]
 *     primary    = number | name | name "(" comparison {"," comparison} ")" | "(" comparison ")"
 *
 * Every recursion passes through `signed`, which counts how deep it is: the stack is bounded by that. */
#include "base/memory.h"
#include "base/text.h"
#include "math/expression/lex.h"
#include "math/expression/node.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct parser {
    const char *text;
    const slip_symbol *symbols;
    slip_builder builder;
    slip_token token;  /* the next word */
    slip_span primary; /* the primary read last */
    int depth;
    int status; /* of the first error, which is the one that is reported */
    slip_expression_error *error;
} parser;

/* A part that was read. The span is that of the text, parentheses included, where that of the node may be
 * narrower. The node is -1 after an error. */
typedef struct operand {
    int node;
    slip_span span;
} operand;

static const operand no_operand = {-1, {0, 0}};

static operand parse_comparison(parser *p);
static operand parse_signed(parser *p);
static operand parse_parentheses(parser *p);

__attribute__((format(printf, 3, 4))) static operand fail_at(parser *p, int position, const char *format, ...)
{
    va_list args;
    if (p->status < 0)
        return no_operand;
    va_start(args, format);
    p->status = SLIP_ERROR_MODEL;
    p->error->position = position;
    vsnprintf(p->error->message, sizeof p->error->message, format, args);
    va_end(args);
    return no_operand;
}

static void advance(parser *p)
{
    if (p->status < 0)
        return;
    p->token = slip_token_read(p->text, p->token.span.to, p->error);
    if (p->token.kind == SLIP_TOKEN_BAD)
        p->status = SLIP_ERROR_MODEL;
}

static bool at_operator(const parser *p, slip_op op)
{
    return p->status == SLIP_OK && p->token.kind == SLIP_TOKEN_OPERATOR && p->token.op == op;
}

/* Takes over a node of the builder, or its error. */
static operand take(parser *p, int node, slip_span span)
{
    if (node >= 0)
        return (operand){node, span};
    if (p->builder.status == SLIP_ERROR_MODEL)
        return fail_at(p, span.to,
                       "the expression is too long: it has more than %d numbers, names and operations",
                       SLIP_EXPRESSION_NODES);
    if (p->status == SLIP_OK)
        p->status = p->builder.status;
    return no_operand;
}

static operand apply(parser *p, slip_op op, operand a, operand b)
{
    const slip_span span = {a.span.from, b.span.to};
    if (a.node < 0 || b.node < 0)
        return no_operand;
    return take(p, slip_builder_apply(&p->builder, op, a.node, b.node, a.node, span), span);
}

static void quote(const parser *p, slip_span span, char *text, size_t size)
{
    slip_span_quote(p->text, span, text, size);
}

/* Says what is wrong where neither an operator nor the end of a part was found. */
static operand fail_after_operand(parser *p)
{
    const slip_span span = p->token.span;
    char before[80], after[80];
    if (p->status < 0)
        return no_operand;
    quote(p, p->primary, before, sizeof before);
    quote(p, span, after, sizeof after);
    switch (p->token.kind) {
    case SLIP_TOKEN_NUMBER:
    case SLIP_TOKEN_NAME:
        return fail_at(p, span.from, "expected an operator but found `%s`: to multiply, write %s*%s", after,
                       before, after);
    case SLIP_TOKEN_OPEN:
        return fail_at(p, span.from, "expected an operator but found `(`: to multiply, write %s*(...)",
                       before);
    case SLIP_TOKEN_CLOSE:
        return fail_at(p, span.from, "`)` without a `(` before it");
    case SLIP_TOKEN_COMMA:
        return fail_at(p, span.from,
                       "unexpected `,`: it separates the arguments of a function (a decimal "
                       "point is written `.`)");
    case SLIP_TOKEN_COMPARISON:
        return fail_at(p, span.from, "a second comparison: they cannot be chained; write (a < b)*(b < c)");
    default:
        return fail_at(p, span.from, "expected an operator but found `%s`", after);
    }
}

static operand fail_no_operand(parser *p)
{
    char found[80];
    if (p->token.kind == SLIP_TOKEN_END)
        return fail_at(p, p->token.span.from, "expected a number, a name or `(` but the text ends");
    quote(p, p->token.span, found, sizeof found);
    return fail_at(p, p->token.span.from, "expected a number, a name or `(` but found `%s`", found);
}

static bool same_name(const parser *p, slip_span span, const char *name)
{
    const size_t length = (size_t)(span.to - span.from);
    return strlen(name) == length && !memcmp(p->text + span.from, name, length);
}

static const slip_symbol *find_symbol(const parser *p, slip_span span)
{
    for (const slip_symbol *symbol = p->symbols; symbol && symbol->name; symbol++)
        if (same_name(p, span, symbol->name))
            return symbol;
    return NULL;
}

/* The known name most like this one, or NULL; a call can only have meant a function. */
static const char *nearest_name(const parser *p, slip_span span, bool call)
{
    const char *const *functions = slip_expression_functions(), *nearest = NULL;
    char name[80];
    quote(p, span, name, sizeof name);
    int best = slip_text_near(name);
    for (const slip_symbol *symbol = p->symbols; symbol && symbol->name; symbol++)
        if ((!call || symbol->table) && slip_text_nearer(name, symbol->name, &best))
            nearest = symbol->name;
    for (int i = 0; functions[i]; i++)
        nearest = slip_text_nearer(name, functions[i], &best) ? functions[i] : nearest;
    return !call && slip_text_nearer(name, "pi", &best) ? "pi" : nearest;
}

static operand fail_unknown(parser *p, slip_span span, bool call)
{
    const char *nearest = nearest_name(p, span, call), *kind = call ? "function" : "name";
    char name[80];
    quote(p, span, name, sizeof name);
    if (nearest)
        return fail_at(p, span.from, "unknown %s `%s`; did you mean `%.60s`?", kind, name, nearest);
    return fail_at(p, span.from, "unknown %s `%s`", kind, name);
}

/* Is the next word the closing parenthesis? `open` is where the opening one was. */
static bool at_close(parser *p, int open)
{
    if (p->status < 0)
        return false;
    if (p->token.kind == SLIP_TOKEN_END)
        fail_at(p, p->token.span.from, "expected `)` to close the `(` at character %d but the text ends",
                open + 1);
    else if (p->token.kind != SLIP_TOKEN_CLOSE)
        fail_after_operand(p);
    return p->status == SLIP_OK;
}

static operand fail_argument_count(parser *p, const slip_function *function, slip_span name, int count)
{
    return fail_at(p, name.from, "`%s` takes %d%s argument%s, not %d", function->name, function->arguments,
                   function->more ? " or more" : "", function->arguments > 1 ? "s" : "", count);
}

/* Reads the arguments of a call up to the closing parenthesis. The first three are kept; beyond two, those of
 * a function that takes any number are joined to the first. */
static int parse_arguments(parser *p, const slip_function *function, operand *arguments)
{
    int count = 0;
    if (p->token.kind == SLIP_TOKEN_CLOSE)
        return 0;
    for (;;) {
        operand next = parse_comparison(p);
        if (next.node < 0)
            return count;
        if (function->more && count >= 2) {
            arguments[0] = apply(p, function->op, arguments[0], arguments[1]);
            arguments[1] = next;
        } else if (count < 3) {
            arguments[count] = next;
        }
        count++;
        if (p->token.kind != SLIP_TOKEN_COMMA)
            return count;
        advance(p);
    }
}

/* The rate of a slot, by its symbol. */
static int symbol_rate(void *user, int slot)
{
    parser *p = user;
    const slip_symbol *symbol = p->symbols;
    const slip_span span = p->primary;
    while (symbol->name && symbol->slot != slot)
        symbol++;
    if (!symbol->name) {
        fail_at(p, span.from, "rate() of a rate is not known here");
        return -1;
    }
    if (symbol->rate == SLIP_RATE_ZERO)
        return -1;
    if (symbol->rate != SLIP_RATE_UNKNOWN)
        return symbol->rate == SLIP_RATE_ONE ? slip_builder_constant(&p->builder, 1, span)
                                             : slip_builder_slot(&p->builder, symbol->rate, span);
    fail_at(p, span.from,
            "rate() takes an expression of coordinates and t: the rate of `%.60s` is not known here",
            symbol->name);
    return -1;
}

/* rate(e): what stands between the parentheses, differentiated. */
static operand parse_rate(parser *p, slip_span name)
{
    const operand inside = parse_parentheses(p);
    const slip_span span = {name.from, inside.span.to};
    if (inside.node < 0)
        return no_operand;
    p->primary = span;
    const int node = slip_builder_derivative(&p->builder, inside.node, span, symbol_rate, p);
    return p->status < 0 ? no_operand : take(p, node, span);
}

static operand parse_call(parser *p, slip_span name)
{
    const slip_symbol *symbol = find_symbol(p, name);
    const bool is_table = symbol && symbol->table;
    const slip_function table = {symbol ? symbol->name : "", SLIP_OP_INTERPOLANT, 1, false};
    const slip_function *function =
        is_table ? &table : slip_function_find(p->text + name.from, name.to - name.from);
    const int open = p->token.span.from;
    operand arguments[3] = {no_operand, no_operand, no_operand};
    slip_span span = {name.from, 0};
    int count, a, b, c;
    if (!function && !symbol && same_name(p, name, "rate"))
        return parse_rate(p, name);
    if (!function && symbol) {
        char text[80];
        quote(p, name, text, sizeof text);
        return fail_at(p, name.from, "`%s` is not a function: to multiply, write %s*(...)", text, text);
    }
    if (!function)
        return fail_unknown(p, name, true);
    advance(p);
    count = parse_arguments(p, function, arguments);
    if (!at_close(p, open))
        return no_operand;
    if (count < function->arguments || (count > function->arguments && !function->more))
        return fail_argument_count(p, function, name, count);
    span.to = p->token.span.to;
    advance(p);
    a = arguments[0].node;
    b = count > 1 ? arguments[1].node : a;
    c = is_table                  ? slip_builder_interpolant(&p->builder, symbol->table)
        : function->arguments > 2 ? arguments[2].node
                                  : a;
    if (a < 0 || b < 0 || c < 0)
        return take(p, -1, span);
    return take(p, slip_builder_apply(&p->builder, function->op, a, b, c, span), span);
}

static operand parse_name(parser *p)
{
    const slip_span span = p->token.span;
    const slip_symbol *symbol = find_symbol(p, span);
    char name[80];
    advance(p);
    if (p->status == SLIP_OK && p->token.kind == SLIP_TOKEN_OPEN)
        return parse_call(p, span);
    if (symbol && symbol->slot >= 0)
        return take(p, slip_builder_slot(&p->builder, symbol->slot, span), span);
    quote(p, span, name, sizeof name);
    if (symbol && symbol->table)
        return fail_at(p, span.from, "`%s` is a function of one argument: write %s(t)", name, name);
    if (symbol && !isfinite(symbol->value))
        return fail_at(p, span.from, "the value of `%s` is not finite", name);
    if (symbol)
        return take(p, slip_builder_constant(&p->builder, symbol->value, span), span);
    if (same_name(p, span, "pi"))
        return take(p, slip_builder_constant(&p->builder, pi, span), span);
    if (slip_function_find(p->text + span.from, span.to - span.from))
        return fail_at(p, span.from, "`%s` is a function: write %s(...)", name, name);
    return fail_unknown(p, span, false);
}

static operand parse_parentheses(parser *p)
{
    const int open = p->token.span.from;
    advance(p);
    operand inside = parse_comparison(p);
    if (inside.node < 0 || !at_close(p, open))
        return no_operand;
    inside.span = (slip_span){open, p->token.span.to};
    advance(p);
    return inside;
}

static operand parse_primary(parser *p)
{
    const slip_token token = p->token;
    operand result;
    if (p->status < 0)
        return no_operand;
    if (token.kind == SLIP_TOKEN_NUMBER) {
        advance(p);
        result = take(p, slip_builder_constant(&p->builder, token.value, token.span), token.span);
    } else if (token.kind == SLIP_TOKEN_NAME) {
        result = parse_name(p);
    } else if (token.kind == SLIP_TOKEN_OPEN) {
        result = parse_parentheses(p);
    } else {
        return fail_no_operand(p);
    }
    p->primary = result.span;
    return result;
}

static operand parse_power(parser *p)
{
    operand base = parse_primary(p);
    if (base.node < 0 || !at_operator(p, SLIP_OP_POWER))
        return base;
    advance(p);
    return apply(p, SLIP_OP_POWER, base, parse_signed(p));
}

static operand negate(parser *p, int from, operand a)
{
    const slip_span span = {from, a.span.to};
    if (a.node < 0)
        return no_operand;
    return take(p, slip_builder_apply(&p->builder, SLIP_OP_NEGATE, a.node, a.node, a.node, span), span);
}

static operand parse_signed(parser *p)
{
    const int from = p->token.span.from;
    const bool minus = at_operator(p, SLIP_OP_SUBTRACT), plus = at_operator(p, SLIP_OP_ADD);
    operand result;
    if (p->depth >= SLIP_EXPRESSION_DEPTH)
        return fail_at(p, from, "the expression is nested more than %d deep", SLIP_EXPRESSION_DEPTH);
    p->depth++;
    if (minus || plus) {
        advance(p);
        result = parse_signed(p);
        result = minus ? negate(p, from, result) : result;
    } else {
        result = parse_power(p);
    }
    p->depth--;
    return result;
}

static operand parse_product(parser *p)
{
    operand left = parse_signed(p);
    while (left.node >= 0 && (at_operator(p, SLIP_OP_MULTIPLY) || at_operator(p, SLIP_OP_DIVIDE))) {
        const slip_op op = p->token.op;
        advance(p);
        left = apply(p, op, left, parse_signed(p));
    }
    return left;
}

static operand parse_sum(parser *p)
{
    operand left = parse_product(p);
    while (left.node >= 0 && (at_operator(p, SLIP_OP_ADD) || at_operator(p, SLIP_OP_SUBTRACT))) {
        const slip_op op = p->token.op;
        advance(p);
        left = apply(p, op, left, parse_product(p));
    }
    return left;
}

static operand parse_comparison(parser *p)
{
    operand left = parse_sum(p);
    const slip_op op = p->token.op;
    if (left.node < 0 || p->status < 0 || p->token.kind != SLIP_TOKEN_COMPARISON)
        return left;
    advance(p);
    left = apply(p, op, left, parse_sum(p));
    if (p->status == SLIP_OK && p->token.kind == SLIP_TOKEN_COMPARISON)
        return fail_after_operand(p);
    return left;
}

static operand parse_text(parser *p)
{
    if (strnlen(p->text, SLIP_EXPRESSION_LONGEST + 1) > SLIP_EXPRESSION_LONGEST)
        return fail_at(p, SLIP_EXPRESSION_LONGEST, "the expression is longer than %d characters",
                       SLIP_EXPRESSION_LONGEST);
    advance(p);
    if (p->token.kind == SLIP_TOKEN_END)
        return fail_at(p, 0, "the expression is empty");
    operand root = parse_comparison(p);
    if (p->status == SLIP_OK && p->token.kind != SLIP_TOKEN_END)
        return fail_after_operand(p);
    if (p->status == SLIP_OK)
        p->status = slip_builder_check(&p->builder, root.node, p->text, p->error);
    return root;
}

int slip_expression_compile(const char *text, const slip_symbol *symbols, slip_expression **expression,
                            slip_expression_error *error)
{
    parser p = {.text = text, .symbols = symbols, .error = error};
    memset(error, 0, sizeof *error);
    operand root = parse_text(&p);
    int status = p.status < 0 ? p.status : slip_builder_finish(&p.builder, root.node, text, expression);
    slip_builder_free(&p.builder);
    return status;
}
