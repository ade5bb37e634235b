#include "model/emit.h"

#include "io/number.h"

#include <stdio.h>
#include <string.h>

enum { width = 100 }; /* columns that a list or mapping in one line may reach */

/* ---- numbers ---- */

static size_t digits(const char *text)
{
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* The parts of a decimal number. */
typedef struct decimal {
    bool negative, point;
    const char *whole, *fraction, *exponent;
    int whole_length, fraction_length, exponent_length;
    char exponent_sign; /* 0: there is no exponent */
} decimal;

/* Numbers as expressions have them: 12, .5, 2., 1e-4, 210e9, with a sign before. */
static bool read_decimal(const char *text, decimal *number)
{
    memset(number, 0, sizeof *number);
    if (*text == '+' || *text == '-')
        number->negative = *text++ == '-';
    number->whole = text;
    number->whole_length = (int)digits(text);
    text += number->whole_length;
    if (*text == '.') {
        number->point = true;
        number->fraction = ++text;
        number->fraction_length = (int)digits(text);
        text += number->fraction_length;
    }
    if (number->whole_length + number->fraction_length == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        number->exponent_sign = *text == '-' ? '-' : '+';
        text += *text == '+' || *text == '-';
        number->exponent = text;
        number->exponent_length = (int)digits(text);
        text += number->exponent_length;
        if (number->exponent_length == 0)
            return false;
    }
    return *text == 0;
}

/* YAML 1.1 wants a point and a signed exponent, and takes a leading zero for octal. */
static void emit_decimal(slip_text *text, const decimal *number)
{
    const char *whole = number->whole, *exponent = number->exponent;
    int length = number->whole_length, exponent_length = number->exponent_length;
    for (; length > 1 && *whole == '0'; length--)
        whole++;
    for (; exponent_length > 1 && *exponent == '0'; exponent_length--)
        exponent++;
    slip_text_append(text, number->negative ? "-" : "");
    slip_text_append_bytes(text, length > 0 ? whole : "0", length > 0 ? (size_t)length : 1);
    if (number->point || number->exponent_sign) {
        slip_text_append(text, ".");
        slip_text_append_bytes(text, number->fraction_length > 0 ? number->fraction : "0",
                               number->fraction_length > 0 ? (size_t)number->fraction_length : 1);
    }
    if (number->exponent_sign)
        slip_text_printf(text, "e%c%.*s", number->exponent_sign, exponent_length, exponent);
}

void slip_emit_number(slip_text *text, double value)
{
    char buffer[slip_number_size];
    decimal number;
    slip_number_write_exact(buffer, value);
    if (read_decimal(buffer, &number))
        emit_decimal(text, &number);
    else
        slip_text_append(text, buffer);
}

/* ---- scalars ---- */

/* Words that YAML 1.1 takes for something else than text. */
static bool is_ambiguous(const char *text)
{
    static const char *const words[] = {
        "y",   "Y",   "yes", "Yes",  "YES",  "n",    "N",    "no",   "No",   "NO",    "on",    "On",   "ON",
        "off", "Off", "OFF", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"};
    if (!strchr("yYnNoOtTfF", text[0])) /* mostly */
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text[0] == words[i][0] && strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* What a character is, of those that need no quotes. */
typedef enum character { NOT_PLAIN, LETTER, DIGIT, OPERATOR, MARK } character;

static character character_of(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return LETTER;
    if (c >= '0' && c <= '9')
        return DIGIT;
    switch (c) {
    case '*':
    case '/':
    case '^':
    case '(':
    case ')':
    case '+':
    case '<':
    case '>':
    case ' ':
        return OPERATOR;
    case '-':
    case '.':
    case '=':
    case '\'':
        return MARK;
    default:
        return NOT_PLAIN;
    }
}

/* Can stand without quotes, in braces too, and is text for every reader. Cautious: what is not known to be
 * harmless is quoted. */
static bool is_plain(const char *text)
{
    const char *c = text, *first = text[0] == '-' ? text + 1 : text;
    bool word = false; /* has a letter or an operator, so that it is no date and no odd number */
    for (; *c; c++) {
        const character kind = character_of(*c);
        if (kind == NOT_PLAIN)
            return false;
        word |= kind == LETTER || kind == OPERATOR;
    }
    if (!word || c[-1] == ' ' || is_ambiguous(text) ||
        (*first != '(' && character_of(*first) != LETTER && character_of(*first) != DIGIT))
        return false;
    /* 0x1F, 0o17, 0b1, 1_000 are numbers in some YAML. */
    return digits(text) == 0 || character_of(text[digits(text)]) != LETTER;
}

/* One line of printable characters. Quotes side by side are avoided too: not every reader gets them right. */
static bool is_printable(const char *text)
{
    if (strstr(text, "''"))
        return false;
    for (; *text; text++)
        if ((unsigned char)*text < 32 || (unsigned char)*text >= 127)
            return false;
    return true;
}

/* Characters beyond ASCII that some reader takes for a line break, a control character or nothing at all: how
 * they are escaped, and in `length` how many bytes they are. NULL for all others. */
static const char *escape_of(const unsigned char *c, int *length, char *buffer, size_t size)
{
    unsigned code = 0;
    if (c[0] == 0xC2 && c[1] < 0xA0) { /* U+0080 to U+009F */
        *length = 2;
        code = c[1];
    } else if (c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9)) { /* U+2028, U+2029 */
        *length = 3;
        code = 0x2000u + (c[2] & 0x3Fu);
    } else if (c[0] == 0xEF && (c[1] == 0xBB || c[1] == 0xBF) && c[2] >= 0xBE) { /* U+FEFF, U+FFFE, U+FFFF */
        *length = 3;
        code = 0xF000u + ((c[1] & 0x3Fu) << 6) + (c[2] & 0x3Fu);
    } else {
        return NULL;
    }
    snprintf(buffer, size, "\\u%04X", code);
    return buffer;
}

static void emit_escaped(slip_text *text, const char *scalar)
{
    slip_text_append(text, "\"");
    while (*scalar) {
        const unsigned char *c = (const unsigned char *)scalar;
        char buffer[8];
        int length = 1;
        const char *escape = escape_of(c, &length, buffer, sizeof buffer);
        if (escape)
            slip_text_append(text, escape);
        else if (*c == '"' || *c == '\\')
            slip_text_printf(text, "\\%c", *c);
        else if (*c == '\n')
            slip_text_append(text, "\\n");
        else if (*c == '\t')
            slip_text_append(text, "\\t");
        else if (*c < 32 || *c == 127)
            slip_text_printf(text, "\\x%02X", *c);
        else
            slip_text_append_bytes(text, scalar, 1); /* UTF-8 as it is */
        scalar += length;
    }
    slip_text_append(text, "\"");
}

static void emit_quoted(slip_text *text, const char *scalar)
{
    if (!is_printable(scalar)) {
        emit_escaped(text, scalar);
        return;
    }
    slip_text_append(text, "'");
    for (const char *quote; (quote = strchr(scalar, '\'')) != NULL; scalar = quote + 1) {
        slip_text_append_bytes(text, scalar, (size_t)(quote - scalar));
        slip_text_append(text, "''");
    }
    slip_text_append(text, scalar);
    slip_text_append(text, "'");
}

/* A scalar as it may stand anywhere, inside braces too. `is_text`: never a number. */
static void emit_scalar(slip_text *text, const char *scalar, bool is_text)
{
    decimal number;
    bool numeric = read_decimal(scalar, &number);
    if (numeric && !is_text)
        emit_decimal(text, &number);
    else if (!numeric && is_plain(scalar))
        slip_text_append(text, scalar);
    else
        emit_quoted(text, scalar);
}

/* ---- trees ---- */

static void emit_leaf(slip_text *text, const slip_tree *node)
{
    bool flag = strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0;
    if (slip_tree_is_null(node))
        slip_text_append(text, "null");
    else if (flag && !node->quoted && !node->is_text)
        slip_text_append(text, node->text);
    else
        emit_scalar(text, node->text, node->is_text);
}

/* In one line; gives up (returns false) where it gets longer than `limit`. */
static bool emit_flow(slip_text *text, const slip_tree *node, size_t limit)
{
    bool mapping = node->kind == SLIP_TREE_MAPPING;
    if (node->kind == SLIP_TREE_SCALAR) {
        emit_leaf(text, node);
        return text->length <= limit;
    }
    slip_text_append(text, mapping ? "{" : "[");
    for (int i = 0; i < node->count; i++) {
        if (i > 0)
            slip_text_append(text, ", ");
        if (mapping) {
            emit_scalar(text, slip_tree_key(node, i)->text, false);
            slip_text_append(text, ": ");
        }
        if (!emit_flow(text, mapping ? slip_tree_value(node, i) : node->item[i], limit) || text->failed)
            return false;
    }
    slip_text_append(text, mapping ? "}" : "]");
    return text->length <= limit;
}

static void shorten(slip_text *text, size_t length)
{
    if (text->failed || !text->data)
        return;
    text->length = length;
    text->data[length] = 0;
}

static void emit_block(slip_text *text, const slip_tree *node, int indent);

/* Mappings in mappings are easier to read below each other. */
static bool holds_mapping(const slip_tree *node)
{
    for (int i = 0; i < node->count && node->kind == SLIP_TREE_MAPPING; i++)
        if (slip_tree_value(node, i)->kind == SLIP_TREE_MAPPING)
            return true;
    return false;
}

/* What stands behind `key:` or `-`: in the same line where it fits, else below. */
static void emit_value(slip_text *text, const slip_tree *node, int indent, size_t line_start)
{
    size_t before = text->length;
    slip_text_append(text, " ");
    if (node->kind == SLIP_TREE_SCALAR || node->count == 0) {
        emit_flow(text, node, (size_t)-1);
        slip_text_append(text, "\n");
        return;
    }
    if (!holds_mapping(node) && emit_flow(text, node, line_start + width)) {
        slip_text_append(text, "\n");
        return;
    }
    shorten(text, before);
    slip_text_append(text, "\n");
    emit_block(text, node, indent + 2);
}

static void emit_block(slip_text *text, const slip_tree *node, int indent)
{
    for (int i = 0; i < node->count && !text->failed; i++) {
        size_t line_start = text->length;
        for (int k = 0; k < indent; k++)
            slip_text_append_bytes(text, " ", 1);
        if (node->kind == SLIP_TREE_MAPPING && slip_tree_value(node, i)->object) {
            slip_text_printf(text, "# %s\n", slip_tree_value(node, i)->text);
        } else if (node->kind == SLIP_TREE_MAPPING) {
            emit_scalar(text, slip_tree_key(node, i)->text, false);
            slip_text_append(text, ":");
            emit_value(text, slip_tree_value(node, i), indent, line_start);
        } else {
            slip_text_append(text, "-");
            emit_value(text, node->item[i], indent, line_start);
        }
    }
}

void slip_emit_document(slip_text *text, const slip_tree *root)
{
    emit_block(text, root, 0);
}
