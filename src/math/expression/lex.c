/* Words of an expression's text, and what to say of characters that begin none. */
#include "math/expression/lex.h"

#include "base/text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ctype functions depend on the locale; the language of model files does not. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

__attribute__((format(printf, 4, 5))) static slip_token bad_token(slip_expression_error *error, int position,
                                                                  int length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error->position = position;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return (slip_token){.kind = SLIP_TOKEN_BAD, .span = {position, position + length}};
}

static double read_decimal(const char *digits)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    errno = 0;
    double value = strtod(digits, NULL);
    uselocale(before);
    if (plain)
        freelocale(plain);
    return value;
}

static int skip_digits(const char *text, int i)
{
    while (is_digit(text[i]))
        i++;
    return i;
}

static slip_token read_number(const char *text, int from, slip_expression_error *error)
{
    char digits[400];
    int to = skip_digits(text, from), exponent;
    if (text[to] == '.')
        to = skip_digits(text, to + 1);
    if (text[to] == 'e' || text[to] == 'E') {
        exponent = to + 1;
        if (text[exponent] == '+' || text[exponent] == '-')
            exponent++;
        if (is_digit(text[exponent]))
            to = skip_digits(text, exponent);
    }
    if (text[to] == '.')
        return bad_token(error, to, 1, "a second `.` in the number `%.*s`", to - from > 40 ? 40 : to - from,
                         text + from);
    if (to - from >= (int)sizeof digits)
        return bad_token(error, from, to - from, "a number of %d characters is too long", to - from);
    memcpy(digits, text + from, (size_t)(to - from));
    digits[to - from] = 0;
    double value = read_decimal(digits);
    if (!isfinite(value))
        return bad_token(error, from, to - from, "the number `%.40s` is too large", digits);
    if (value == 0 && errno == ERANGE)
        return bad_token(error, from, to - from, "the number `%.40s` is too small", digits);
    return (slip_token){.kind = SLIP_TOKEN_NUMBER, .span = {from, to}, .value = value};
}

/* The number of a contact point, as in pad[3].force; 0 where there is none. */
static int number_length(const char *text)
{
    const int end = text[0] == '[' ? skip_digits(text, 1) : 0;
    return end > 1 && text[end] == ']' ? end + 1 : 0;
}

/* Also with dots inside: belt.force */
static slip_token read_name(const char *text, int from)
{
    int to = from;
    while (slip_is_letter(text[to]) || is_digit(text[to]) ||
           (text[to] == '.' && slip_is_letter(text[to + 1])))
        to += 1 + number_length(text + to + 1);
    while (text[to] == '\'')
        to++;
    return (slip_token){.kind = SLIP_TOKEN_NAME, .span = {from, to}};
}

/* Bytes of the UTF-8 character that begins here, 0 when it is none. */
static int utf8_length(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    const int length = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (first >= 0xF8)
        return 0;
    for (int i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* What people write, or paste from a formula, and what it is here. */
static const struct {
    const char *found, *hint;
} hints[] = {
    {"=", "a comparison is written =="},
    {"!", "write if(a, 0, 1) for `not`"},
    {"&", "write a*b for `and`"},
    {"|", "write max(a, b) for `or`"},
    {"%", "write mod(a, b) for the remainder"},
    {"[", "write ( instead"},
    {"{", "write ( instead"},
    {"'", "a prime stands right behind the name of a coordinate, as in x'"},
    {"\u00d7", "write * instead"},
    {"\u00b7", "write * instead"},
    {"\u22c5", "write * instead"},
    {"\u2212", "write - instead"},
    {"\u2013", "write - instead"},
    {"\u00f7", "write / instead"},
    {"\u00b2", "write ^2 instead"},
    {"\u00b3", "write ^3 instead"},
    {"\u2019", "write ' instead"},
    {"\u2032", "write ' instead"},
    {"\u03c0", "write pi instead"},
    {"\u2264", "write <= instead"},
    {"\u2265", "write >= instead"},
    {"\u2260", "write != instead"},
};

static slip_token unknown_character(const char *text, int at, slip_expression_error *error)
{
    const unsigned char first = (unsigned char)text[at];
    const int length = first < 0x80 ? 1 : utf8_length(text + at);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (length == (int)strlen(hints[i].found) && !memcmp(text + at, hints[i].found, (size_t)length))
            return bad_token(error, at, length, "unexpected character `%.*s`: %s", length, text + at,
                             hints[i].hint);
    if (length == 0 || first < 0x20 || first == 0x7F)
        return bad_token(error, at, 1, "unexpected byte 0x%02X", first);
    return bad_token(error, at, length, "unexpected character `%.*s`", length, text + at);
}

static slip_token read_sign(const char *text, int at, slip_expression_error *error)
{
    static const struct {
        const char *text;
        slip_token_kind kind;
        slip_op op;
    } signs[] = {
        {"<=", SLIP_TOKEN_COMPARISON, SLIP_OP_LESS_EQUAL},
        {">=", SLIP_TOKEN_COMPARISON, SLIP_OP_GREATER_EQUAL},
        {"==", SLIP_TOKEN_COMPARISON, SLIP_OP_EQUAL},
        {"!=", SLIP_TOKEN_COMPARISON, SLIP_OP_NOT_EQUAL},
        {"<", SLIP_TOKEN_COMPARISON, SLIP_OP_LESS},
        {">", SLIP_TOKEN_COMPARISON, SLIP_OP_GREATER},
        {"+", SLIP_TOKEN_OPERATOR, SLIP_OP_ADD},
        {"-", SLIP_TOKEN_OPERATOR, SLIP_OP_SUBTRACT},
        {"*", SLIP_TOKEN_OPERATOR, SLIP_OP_MULTIPLY},
        {"/", SLIP_TOKEN_OPERATOR, SLIP_OP_DIVIDE},
        {"^", SLIP_TOKEN_OPERATOR, SLIP_OP_POWER},
        {"(", SLIP_TOKEN_OPEN, SLIP_OP_CONSTANT},
        {")", SLIP_TOKEN_CLOSE, SLIP_OP_CONSTANT},
        {",", SLIP_TOKEN_COMMA, SLIP_OP_CONSTANT},
    };
    if (text[at] == '*' && text[at + 1] == '*')
        return bad_token(error, at, 2, "unexpected `**`: a power is written ^");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const int length = (int)strlen(signs[i].text);
        if (!strncmp(text + at, signs[i].text, (size_t)length))
            return (slip_token){.kind = signs[i].kind, .span = {at, at + length}, .op = signs[i].op};
    }
    return unknown_character(text, at, error);
}

slip_token slip_token_read(const char *text, int position, slip_expression_error *error)
{
    while (text[position] == ' ' || text[position] == '\t' || text[position] == '\n' ||
           text[position] == '\r')
        position++;
    if (!text[position])
        return (slip_token){.kind = SLIP_TOKEN_END, .span = {position, position}};
    if (is_digit(text[position]) || (text[position] == '.' && is_digit(text[position + 1])))
        return read_number(text, position, error);
    if (slip_is_letter(text[position]))
        return read_name(text, position);
    return read_sign(text, position, error);
}
