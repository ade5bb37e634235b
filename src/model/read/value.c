/* Keys, numbers, expressions and words. */
#include "io/number.h"
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { what_size = 64 };

bool slip_read_refuse(slip_reader *r, const slip_tree *node, const char *what, const char *expected, ...)
{
    char found[what_size], text[300];
    va_list args;
    va_start(args, expected);
    vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    return slip_problem(r->problems, node, "%s: found %s, expected %s", what,
                        slip_tree_what(node, found, sizeof found), text);
}

/* ---- keys ---- */

/* Opening minus closing parentheses. */
static int open_parentheses(const char *text)
{
    int open = 0;
    for (; *text; text++)
        open += (*text == '(') - (*text == ')');
    return open;
}

const char *slip_read_comma_hint(const slip_tree *node)
{
    if (node->kind != SLIP_TREE_SCALAR || !node->in_flow || node->quoted || open_parentheses(node->text) == 0)
        return "";
    return "; inside braces and brackets an expression with a comma needs quotes";
}

/* Whether a word, CONTACT.STATE, is a state of a contact whose law is wrong. */
static bool is_unclear(const slip_reader *r, const char *word)
{
    const char *dot = strchr(word, '.');
    for (const char **name = r->unclear; name && *name && dot; name++)
        if (strlen(*name) == (size_t)(dot - word) && strncmp(*name, word, strlen(*name)) == 0)
            return true;
    return false;
}

bool slip_read_keys(slip_reader *r, const slip_tree *node, const char *what, const char *const *keys)
{
    if (node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(r, node, what, "a mapping (name: value)");
    /* Those of a model that is bound were looked at when it was read. */
    for (int i = 0; i < node->count && !slip_problems_full(r->problems) && !r->model->origin; i++) {
        const slip_tree *key = slip_tree_key(node, i);
        if (slip_text_find(keys, -1, key->text) >= 0 || is_unclear(r, key->text))
            continue;
        if (*slip_read_comma_hint(key))
            slip_problem(r->problems, key, "unknown key `%.60s`%s", key->text, slip_read_comma_hint(key));
        else
            slip_problem_unknown(r->problems, key, "unknown key", key->text, keys);
    }
    return true;
}

slip_tree *slip_read_required(slip_reader *r, const slip_tree *mapping, const char *what, const char *key,
                              const char *example)
{
    slip_tree *value = slip_read_child(mapping, key);
    int index = slip_tree_index(mapping, key);
    const slip_tree *at = index >= 0 ? slip_tree_key(mapping, index) : mapping;
    if (!value)
        slip_problem(r->problems, at, "%s%s`%s` is missing, expected for example `%s`", what,
                     *what ? ": " : "", key, example);
    return value;
}

/* ---- expressions ---- */

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '\'';
}

/* Where the name stands in the text as a word of its own, or -1. */
static int find_word(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_name_character(at[-1])) && !is_name_character(at[length]))
            return (int)(at - text);
    return -1;
}

static bool is_scalar(slip_reader *r, const slip_tree *node, const char *what, const char *expected)
{
    if (node->kind == SLIP_TREE_SCALAR && !slip_tree_is_null(node))
        return true;
    return slip_read_refuse(r, node, what, "%s", expected);
}

/* Whether an expression cannot be used because it reads a parameter defined further down (recorded as a
 * problem) or one with a wrong entry (already recorded). */
static bool reads_unusable(slip_reader *r, const slip_tree *node, const char *what,
                           const slip_expression *expression)
{
    bool later = slip_expression_reads(expression, slip_reader_slot_later(r));
    for (const slip_symbol *s = r->symbols + r->parameters; s->name && later; s++) {
        int offset = s->slot == slip_reader_slot_later(r) ? find_word(node->text, s->name) : -1;
        if (offset >= 0) {
            slip_problem_inside(r->problems, node, offset,
                                "%s: parameter `%s` is defined further down, expected an earlier one", what,
                                s->name);
            break;
        }
    }
    return later || slip_expression_reads(expression, slip_reader_slot_bad(r));
}

/* Whether the name at this place is a state of a law that is wrong itself. */
static bool reads_unclear(const slip_reader *r, const slip_tree *node, int position)
{
    char word[2 * slip_name_length_max + 2];
    const size_t start = position >= 0 ? (size_t)position : 0, all = strlen(node->text);
    size_t length = 0;
    while (start + length < all && length < sizeof word - 1 &&
           (is_name_character(node->text[start + length]) || node->text[start + length] == '.')) {
        word[length] = node->text[start + length];
        length++;
    }
    word[length] = 0;
    return is_unclear(r, word);
}

/* Records an error of the compilation of an expression; true if there was none. */
static bool is_good(slip_reader *r, const slip_tree *node, const char *what, int status,
                    const slip_expression_error *error)
{
    if (status == SLIP_ERROR_MEMORY)
        r->problems->memory = true;
    else if (status < 0 && reads_unclear(r, node, error->position))
        return false; /* the law is what is wrong */
    else if (status < 0 && r->problems->file)
        slip_problem_inside(r->problems, node, error->position, "%s: %s%s", what, error->message,
                            slip_read_comma_hint(node));
    else if (status < 0)
        slip_problem(r->problems, node, "%s: `%.100s`: at character %d: %s", what, node->text,
                     error->position + 1, error->message);
    return status >= 0;
}

const slip_expression *slip_read_compiled(slip_reader *r, const slip_tree *node, const char *what)
{
    slip_expression_error error;
    slip_expression *expression = node->compiled;
    if (slip_problems_full(r->problems) || !is_scalar(r, node, what, "a number or an expression"))
        return NULL;
    if (expression)
        return expression;
    if (!is_good(r, node, what, slip_expression_compile(node->text, r->symbols, &expression, &error), &error))
        return NULL;
    if (!slip_read_replace_rates(r, node, what, &expression)) {
        slip_expression_destroy(expression);
        return NULL;
    }
    if (!slip_reader_room(r, slip_model_keep_expression(r->ctx, r->model, expression) >= 0))
        return NULL;
    if (reads_unusable(r, node, what, expression))
        return NULL;
    if (!r->model->origin) /* the tree is our own: nobody else reads it yet */
        ((slip_tree *)node)->compiled = expression;
    return expression;
}

bool slip_read_expression(slip_reader *r, const slip_tree *node, const char *what,
                          slip_expression **expression)
{
    const slip_expression *compiled = slip_read_compiled(r, node, what);
    slip_expression_error error;
    *expression = NULL;
    return compiled && is_good(r, node, what,
                               slip_expression_bind(compiled, slip_reader_slot_first(r), r->parameter_count,
                                                    r->numbers, expression, &error),
                               &error);
}

/* Records that an expression is not constant, with the name on which it depends. */
static void note_varying(slip_reader *r, const slip_tree *node, const char *what,
                         const slip_expression *expression)
{
    for (const slip_symbol *s = r->symbols; s < r->symbols + r->parameters; s++)
        if (slip_expression_reads(expression, s->slot)) {
            int offset = find_word(node->text, s->name);
            slip_problem_inside(r->problems, node, offset > 0 ? offset : 0,
                                "%s: found `%s`, expected a number or an expression in the parameters", what,
                                s->name);
            return;
        }
}

/* A number and nothing else needs no expression. */
static bool is_literal(slip_reader *r, const slip_tree *node, double *value)
{
    const char *end = "", *digits = node->text + (node->kind == SLIP_TREE_SCALAR && *node->text == '-');
    if (node->is_number) {
        *value = node->number;
        return true;
    }
    if (node->kind != SLIP_TREE_SCALAR || !((*digits >= '0' && *digits <= '9') || *digits == '.') ||
        !slip_number_read(digits, &end, value) || *end || !isfinite(*value))
        return false;
    if (digits > node->text)
        *value = -*value;
    if (!r->model->origin) {
        ((slip_tree *)node)->is_number = true;
        ((slip_tree *)node)->number = *value;
    }
    return true;
}

bool slip_read_is_expression(slip_reader *r, const slip_tree *node)
{
    double value;
    return !is_literal(r, node, &value);
}

/* Whether the node has a compiled expression of the parameters with a finite value. */
static bool is_evaluated(slip_reader *r, const slip_tree *node, double *value)
{
    const int needed = node->compiled ? slip_expression_scratch(node->compiled) : 0;
    if (!node->compiled || slip_expression_reads_below(node->compiled, slip_reader_slot_first(r)))
        return false;
    if (needed > r->scratch_count) {
        double *scratch = slip_arena_array(&r->problems->arena, needed, sizeof *scratch);
        if (!scratch)
            return false;
        r->scratch = scratch;
        r->scratch_count = needed;
    }
    *value = slip_expression_value(node->compiled, r->slots, r->scratch);
    return isfinite(*value);
}

bool slip_read_known_number(slip_reader *r, const slip_tree *node, double *value)
{
    return is_literal(r, node, value) || is_evaluated(r, node, value);
}

bool slip_read_number(slip_reader *r, const slip_tree *node, const char *what, double *value)
{
    slip_expression *expression;
    bool constant, finite;
    if (slip_read_known_number(r, node, value))
        return true;
    if (slip_problems_full(r->problems) || !is_scalar(r, node, what, "a number") ||
        !slip_read_compiled(r, node, what))
        return false;
    if (is_evaluated(r, node, value))
        return true;
    if (!slip_read_expression(r, node, what, &expression))
        return false;
    constant = slip_expression_is_constant(expression, value);
    finite = constant && isfinite(*value);
    if (!constant)
        note_varying(r, node, what, expression);
    else if (!finite)
        slip_problem(r->problems, node, "%s: the value of `%.60s` is %g, expected a finite number", what,
                     node->text, *value);
    slip_expression_destroy(expression);
    return finite;
}

/* "0.5", or "2*a = 0.5" where an expression was written. */
static void found_number(const slip_tree *node, double value, char *text, size_t size)
{
    const char *end = "";
    double literal;
    if (!slip_number_read(node->text, &end, &literal) || *end)
        snprintf(text, size, "`%.40s` = %.9g", node->text, value);
    else
        snprintf(text, size, "%.40s", node->text);
}

bool slip_read_number_in(slip_reader *r, const slip_tree *node, const char *what, slip_range range,
                         double *value)
{
    char found[80];
    if (!slip_read_number(r, node, what, value))
        return false;
    if ((range.low_open ? *value > range.low : *value >= range.low) && *value <= range.high)
        return true;
    found_number(node, *value, found, sizeof found);
    if (isinf(range.high))
        slip_problem(r->problems, node, "%s: found %s, expected %s %g", what, found,
                     range.low_open ? "more than" : "at least", range.low);
    else
        slip_problem(r->problems, node, "%s: found %s, expected %s %g and at most %g", what, found,
                     range.low_open ? "more than" : "at least", range.low, range.high);
    return false;
}

bool slip_read_count_in(slip_reader *r, const slip_tree *node, const char *what, int64_t low, int64_t *value)
{
    const double largest = 1e9;
    double number;
    char found[80];
    if (!slip_read_number(r, node, what, &number))
        return false;
    if (number == floor(number) && number >= (double)low && number <= largest) {
        *value = (int64_t)number;
        return true;
    }
    found_number(node, number, found, sizeof found);
    return slip_problem(r->problems, node, "%s: found %s, expected a whole number from %lld to 1e9", what,
                        found, (long long)low);
}

/* ---- words ---- */

bool slip_read_flag(slip_reader *r, const slip_tree *node, const char *what, bool *value)
{
    static const char *const words[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    for (int i = 0; i < 6 && node->kind == SLIP_TREE_SCALAR; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *value = i < 3;
            return true;
        }
    return slip_read_refuse(r, node, what, "true or false");
}

bool slip_read_word(slip_reader *r, const slip_tree *node, const char *what, const char **value)
{
    if (!is_scalar(r, node, what, "a word"))
        return false;
    *value = node->text;
    return true;
}

int slip_read_choice(slip_reader *r, const slip_tree *node, const char *what, const char *unknown,
                     const char *const *words)
{
    const char *word;
    char text[160];
    if (!slip_read_word(r, node, what, &word))
        return -1;
    const int found = slip_text_find(words, -1, word);
    snprintf(text, sizeof text, "%.140s: unknown word", what);
    if (found < 0)
        slip_problem_unknown(r->problems, node, unknown ? unknown : text, word, words);
    return found;
}

bool slip_read_path(slip_reader *r, slip_tree *node, const char *what, const char **path)
{
    const char *model = r->problems->file ? r->problems->file : "", *slash = strrchr(model, '/'), *word;
    char here[4096] = "";
    slip_text text = {0};
    if (!slip_read_word(r, node, what, &word))
        return false;
    if (!node->is_text) { /* else it was read before */
        if (*word != '/' && *model != '/' && getcwd(here, sizeof here))
            slip_text_printf(&text, "%s/", here);
        if (*word != '/' && slash)
            slip_text_append_bytes(&text, model, (size_t)(slash - model) + 1);
        slip_text_append(&text, word);
        word = text.failed ? NULL : slip_arena_string(&r->model->arena, text.data);
        slip_text_free(&text);
        if (!slip_reader_room(r, word))
            return false;
        node->text = word;
        node->is_text = true;
    }
    *path = node->text;
    return true;
}
