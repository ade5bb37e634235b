#include "arguments.h"

#include "nearest.h"
#include "report.h"
#include "verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments that have not been read yet. */
typedef struct cli_reader {
    char **values;
    int count;
    int next;
    cli_arguments *into;
} cli_reader;

/* Options that verbs have in common. */
static const struct {
    unsigned of; /* verbs that have this bit; 0: all */
    cli_option option;
} common[] = {
    {takes_model,
     {"set", 's', "NAME=VALUE", "overrides a parameter, or any field of FILE by its\npath; may be repeated"}},
    {has_summary, {"json", 0, NULL, "prints the summary as JSON, and nothing else"}},
    {has_summary, {"quiet", 'q', NULL, "prints nothing but warnings and errors"}},
    {0, {"help", 'h', NULL, "prints this text"}}};
enum { common_count = sizeof common / sizeof *common };

const cli_option *verb_option(const cli_verb *verb, int index)
{
    int own = 0;
    while (verb->options && verb->options[own].name)
        own++;
    if (index < own)
        return &verb->options[index];
    index -= own;
    for (int k = 0; k < common_count; k++)
        if ((common[k].of & verb->common) == common[k].of && index-- == 0)
            return &common[k].option;
    return NULL;
}

static const cli_option *option_by_name(const cli_verb *verb, const char *name, size_t length)
{
    const cli_option *o;
    for (int i = 0; (o = verb_option(verb, i)); i++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const cli_option *option_by_letter(const cli_verb *verb, char letter)
{
    const cli_option *o;
    for (int i = 0; (o = verb_option(verb, i)); i++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

static int fail_unknown_option(const cli_verb *verb, const char *name, size_t length)
{
    nearest_name nearest = nearest_start(name, length);
    const cli_option *o;
    for (int i = 0; (o = verb_option(verb, i)); i++)
        nearest_try(&nearest, o->name);
    if (nearest.best)
        return fail_usage(verb, "unknown option `--%.*s`; did you mean `--%s`?", (int)length, name,
                          nearest.best);
    return fail_usage(verb, "unknown option `--%.*s`%s", (int)length, name,
                      option_by_letter(verb, 's')
                          ? "; fields of the model are set by `--set`, such as --set simulate.time='[0, 5]'"
                          : "");
}

/* Stores an option; its value is `attached` when that is not NULL, else the next argument. */
static int take_option(cli_reader *reader, const cli_option *option, const char *attached)
{
    const char *value = attached;
    if (option->value && !value) {
        if (reader->next >= reader->count)
            return fail_usage(reader->into->verb, "`--%s` needs a value: `--%s %s`", option->name,
                              option->name, option->value);
        value = reader->values[reader->next++];
    }
    reader->into->options[reader->into->option_count++] = (cli_given){option, value};
    return 0;
}

static int read_long(cli_reader *reader, const char *text)
{
    const cli_verb *verb = reader->into->verb;
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const cli_option *option = option_by_name(verb, text, length);
    if (!option)
        return fail_unknown_option(verb, text, length);
    if (equals && !option->value)
        return fail_usage(verb, "`--%s` takes no value", option->name);
    return take_option(reader, option, equals ? equals + 1 : NULL);
}

/* -q, -o DIR, -oDIR and switches in one word. */
static int read_short(cli_reader *reader, const char *text)
{
    const cli_verb *verb = reader->into->verb;
    for (; *text; text++) {
        const cli_option *option = option_by_letter(verb, *text);
        if (!option)
            return fail_usage(verb, "unknown option `-%c`", *text);
        if (option->value)
            return take_option(reader, option, text[1] ? text + 1 : NULL);
        const int code = take_option(reader, option, NULL);
        if (code)
            return code;
    }
    return 0;
}

/* Whether -h or --help is in the place of an option; errors in other arguments are ignored then. */
static bool asks_for_help(int count, char **values)
{
    for (int i = 0; i < count && strcmp(values[i], "--") != 0; i++)
        if (strcmp(values[i], "-h") == 0 || strcmp(values[i], "--help") == 0)
            return true;
    return false;
}

static int check_operands(const cli_arguments *arguments)
{
    const cli_verb *verb = arguments->verb;
    if (arguments->operand_count < verb->operand_minimum)
        return fail_usage(verb, "%s is missing", verb->operands);
    if (arguments->operand_count > verb->operand_maximum)
        return fail_usage(verb, "unexpected argument `%s`", arguments->operands[verb->operand_maximum]);
    return 0;
}

int arguments_read(const cli_verb *verb, int count, char **values, cli_arguments *arguments)
{
    *arguments = (cli_arguments){.verb = verb};
    if (asks_for_help(count, values)) {
        arguments->help = true;
        return 0;
    }
    /* A word gives at most one operand or, letter by letter, as many options as it has letters. */
    size_t letters = 1;
    for (int i = 0; i < count; i++)
        letters += strlen(values[i]) + 1;
    arguments->operands = calloc((size_t)count + 1, sizeof *arguments->operands);
    arguments->options = calloc(letters, sizeof *arguments->options);
    if (!arguments->operands || !arguments->options)
        return fail_memory();

    cli_reader reader = {values, count, 0, arguments};
    bool options_ended = false;
    while (reader.next < count) {
        const char *text = values[reader.next++];
        int code = 0;
        if (options_ended || text[0] != '-' || text[1] == '\0')
            arguments->operands[arguments->operand_count++] = text;
        else if (strcmp(text, "--") == 0)
            options_ended = true;
        else if (text[1] == '-')
            code = read_long(&reader, text + 2);
        else
            code = read_short(&reader, text + 1);
        if (code)
            return code;
    }
    return check_operands(arguments);
}

void arguments_free(cli_arguments *arguments)
{
    free(arguments->operands);
    free(arguments->options);
    *arguments = (cli_arguments){0};
}

const char *argument_text(const cli_arguments *arguments, const char *name, const char *fallback)
{
    for (int i = arguments->option_count - 1; i >= 0; i--)
        if (strcmp(arguments->options[i].option->name, name) == 0)
            return arguments->options[i].value;
    return fallback;
}

bool argument_given(const cli_arguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->option_count; i++)
        if (strcmp(arguments->options[i].option->name, name) == 0)
            return true;
    return false;
}

bool read_number(const char *text, double *number)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return false;
    *number = value;
    return true;
}

int argument_number(cli_arguments *arguments, const char *name, double *number)
{
    const char *text = argument_text(arguments, name, NULL);
    if (text && arguments->code == exit_done && !read_number(text, number))
        arguments->code = fail_usage(arguments->verb, "`--%s` needs a number, not `%s`", name, text);
    return arguments->code;
}

int argument_count(cli_arguments *arguments, const char *name, int low, int high, int *number)
{
    double value = *number;
    if (argument_number(arguments, name, &value) != exit_done || !argument_given(arguments, name))
        return arguments->code;
    if (value >= low && value <= high && value == floor(value))
        *number = (int)value;
    else
        arguments->code =
            fail_usage(arguments->verb, "`--%s`: found %g, expected a whole number from %d to %d", name,
                       value, low, high);
    return arguments->code;
}

int argument_words(cli_arguments *arguments, const char *name, char **text, const char ***words)
{
    const char *value = argument_text(arguments, name, NULL);
    size_t count = 1, k = 0;
    *text = NULL;
    *words = NULL;
    if (!value || arguments->code != exit_done)
        return arguments->code;
    for (const char *c = value; *c; c++)
        count += *c == ',';
    *text = strdup(value);
    *words = calloc(count + 1, sizeof **words);
    if (!*text || !*words)
        return arguments->code = fail_memory();
    for (char *word = *text, *comma; word; word = comma) {
        comma = strchr(word, ',');
        if (comma)
            *comma++ = '\0';
        if (*word)
            (*words)[k++] = word;
    }
    return exit_done;
}

const char **argument_list(const cli_arguments *arguments, const char *name)
{
    const char **list = calloc((size_t)arguments->option_count + 1, sizeof *list);
    if (!list)
        return NULL;
    int count = 0;
    for (int i = 0; i < arguments->option_count; i++)
        if (strcmp(arguments->options[i].option->name, name) == 0)
            list[count++] = arguments->options[i].value;
    return list;
}
