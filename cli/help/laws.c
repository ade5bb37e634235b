/* slipstick laws: lists the friction laws, each with its parameters and a small plot. */
#include "nearest.h"
#include "report.h"
#include "show/text_plot.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/law.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The place of a parameter in slip_law, and a value that makes its effect visible for velocities from -1 to
 * 1. NAN: not in the plot. */
typedef struct parameter_field {
    const char *name;
    size_t offset;
    double sample;
} parameter_field;

static const parameter_field fields[] = {{"mu", offsetof(slip_law, mu), 1},
                                         {"static_ratio", offsetof(slip_law, static_ratio), 1.5},
                                         {"velocity", offsetof(slip_law, velocity), 0.2},
                                         {"exponent", offsetof(slip_law, exponent), NAN},
                                         {"epsilon", offsetof(slip_law, epsilon), 0.1},
                                         {"eta_prime", offsetof(slip_law, eta_prime), NAN},
                                         {"width", offsetof(slip_law, width), 0.3},
                                         {"static_width", offsetof(slip_law, static_width), 0.15},
                                         {"viscous", offsetof(slip_law, viscous), NAN},
                                         {"stiffness", offsetof(slip_law, stiffness), 10},
                                         {"damping", offsetof(slip_law, damping), NAN},
                                         {"breakaway", offsetof(slip_law, breakaway), 0.05},
                                         {"a", offsetof(slip_law, a), 0.1},
                                         {"b", offsetof(slip_law, b), 0.15},
                                         {"beta", offsetof(slip_law, beta), 0.5},
                                         {"gamma", offsetof(slip_law, gamma), 0.5},
                                         {"length", offsetof(slip_law, length), 0.01},
                                         {"evolution", offsetof(slip_law, evolution), NAN}};
static const double sample_elements[] = {10, 0.2, 5, 0.3};
enum { field_count = sizeof fields / sizeof fields[0] };

static const parameter_field *field_of(const slip_law_info *info, const char *name, size_t length)
{
    for (int p = 0; p < info->parameter_count; p++) {
        const char *known = info->parameters[p].name;
        if (strlen(known) != length || strncmp(known, name, length) != 0)
            continue;
        for (int f = 0; f < field_count; f++)
            if (strcmp(fields[f].name, known) == 0)
                return &fields[f];
    }
    return NULL;
}

static double *value_in(slip_law *law, const parameter_field *field)
{
    return (double *)(void *)((char *)law + field->offset);
}

static slip_law sample_law(const slip_law_info *info)
{
    slip_law law = slip_law_default(info->name);
    if (strcmp(info->name, "iwan") == 0) {
        law.elements = sample_elements;
        law.element_count = (int)(sizeof sample_elements / sizeof *sample_elements / 2);
    }
    for (int p = 0; p < info->parameter_count; p++) {
        const char *name = info->parameters[p].name;
        const parameter_field *field = field_of(info, name, strlen(name));
        if (field)
            *value_in(&law, field) = field->sample;
    }
    return law;
}

static int fail_unknown_parameter(const cli_verb *verb, const slip_law_info *info, const char *name,
                                  size_t length)
{
    nearest_name nearest = nearest_start(name, length);
    for (int p = 0; p < info->parameter_count; p++)
        nearest_try(&nearest, info->parameters[p].name);
    if (nearest.best)
        return fail_usage(verb, "`%s` has no parameter `%.*s`; did you mean `%s`?", info->name, (int)length,
                          name, nearest.best);
    return fail_usage(verb, "`%s` has no parameter `%.*s`", info->name, (int)length, name);
}

/* Puts the values of --set into the law. */
static int apply_settings(cli_arguments *arguments, const slip_law_info *info, slip_law *law)
{
    for (int i = 0; i < arguments->option_count; i++) {
        const char *setting = arguments->options[i].value;
        if (strcmp(arguments->options[i].option->name, "set") != 0)
            continue;
        const size_t length = strcspn(setting, "=");
        const parameter_field *field = field_of(info, setting, length);
        if (!field)
            return fail_unknown_parameter(arguments->verb, info, setting, length);
        if (!setting[length] || !read_number(setting + length + 1, value_in(law, field)))
            return fail_usage(arguments->verb, "`%s`: expected NAME=NUMBER", setting);
        if (strcmp(field->name, "eta_prime") == 0)
            law->static_ratio = NAN; /* the one is given instead of the other */
    }
    return exit_done;
}

/* Prints a text in lines of at most 80 characters, each indented by two. */
static void print_wrapped(const char *text)
{
    enum { width = 78 };
    int used = 0;
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (used > 0 && used + 1 + word > width) {
            putchar('\n');
            used = 0;
        }
        printf("%s%.*s", used > 0 ? " " : "  ", word, text);
        used += word + (used > 0);
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_parameters(const slip_law_info *info)
{
    for (int p = 0; p < info->parameter_count; p++) {
        const slip_law_parameter_info *parameter = &info->parameters[p];
        char fallback[40] = "required";
        char range[40] = "";
        if (parameter->words)
            snprintf(fallback, sizeof fallback, "default %s", parameter->words[(int)parameter->fallback]);
        else if (!isnan(parameter->fallback))
            snprintf(fallback, sizeof fallback, "default %.6g", parameter->fallback);
        if (!parameter->words && isfinite(parameter->minimum))
            snprintf(range, sizeof range, "%s %.6g", parameter->open ? "> " : ">=", parameter->minimum);
        printf("  %-13s %-10s %-7s %s\n", parameter->name, fallback, range, parameter->meaning);
    }
    if (strcmp(info->name, "iwan") == 0)
        printf("  %-13s %-10s %-7s %s\n", "elements", "required", "",
               "list of [stiffness, mu], for unit normal force");
}

/* The law as it would stand in a model file. */
static void print_as_model(const slip_law_info *info, slip_law *law)
{
    printf("  law: {type: %s", info->name);
    for (int k = 0; k < law->element_count; k++)
        printf("%s[%.6g, %.6g]", k == 0 ? ", elements: [" : ", ", law->elements[2 * k],
               law->elements[2 * k + 1]);
    if (law->element_count > 0)
        putchar(']');
    for (int p = 0; p < info->parameter_count; p++) {
        const char *name = info->parameters[p].name;
        const parameter_field *field = field_of(info, name, strlen(name));
        if (field && !isnan(*value_in(law, field)))
            printf(", %s: %.6g", name, *value_in(law, field));
    }
    printf("}\n");
}

typedef struct span {
    double from, to;
} span;

/* Draws the force over the span of velocities. The context's message says why when a parameter is wrong. */
static int draw(slip_context *ctx, const slip_law_info *info, const slip_law *law, span velocities)
{
    text_plot plot;
    text_plot_open(&plot, terminal_is_utf8(), velocities.from, velocities.to, -1, 1);
    double force[2 * text_plot_columns];
    /* What stick can hold is not among the forces at v != 0. */
    const bool sticks = info->set_valued && velocities.from < 0 && velocities.to > 0;
    const double hold = sticks ? law->mu * (isnan(law->static_ratio) ? 1 : law->static_ratio) : 0;
    double largest = hold;
    for (int i = 0; i < plot.across; i++) {
        double slope;
        const int status = slip_law_evaluate(ctx, law, text_plot_column(&plot, i), &force[i], &slope);
        if (status < 0)
            return status;
        largest = fmax(largest, fabs(force[i]));
    }
    plot.top = largest > 0 ? 1.1 * largest : 1;
    plot.bottom = -plot.top;
    for (int i = 1; i < plot.across; i++) {
        if (sticks && text_plot_column(&plot, i - 1) < 0 && text_plot_column(&plot, i) > 0)
            continue; /* the jump itself is drawn below */
        text_plot_line(&plot, text_plot_column(&plot, i - 1), force[i - 1], text_plot_column(&plot, i),
                       force[i]);
    }
    if (sticks)
        text_plot_line(&plot, 0, -hold, 0, hold);
    text_plot_print(&plot, "slip velocity", "force");
    return SLIP_OK;
}

static int print_law(cli_arguments *arguments, slip_context *ctx, const slip_law_info *info)
{
    span velocities = {-1, 1};
    slip_law law = sample_law(info);
    const int code = apply_settings(arguments, info, &law);
    if (code != exit_done)
        return code;
    argument_number(arguments, "from", &velocities.from);
    if (argument_number(arguments, "to", &velocities.to) != exit_done)
        return arguments->code;
    if (!(velocities.from < velocities.to))
        return fail_usage(arguments->verb, "`--to` must be larger than `--from`");
    printf("%s (%s): %s\n", info->name,
           info->set_valued ? "set-valued"
           : info->memory   ? "with memory"
                            : "smooth",
           info->summary);
    print_wrapped(info->formula);
    print_parameters(info);
    if (strcmp(info->name, "function") == 0)
        return exit_done; /* it comes from C, so there is nothing to draw */
    print_as_model(info, &law);
    return report_status(ctx, draw(ctx, info, &law, velocities)) == exit_done ? exit_done : exit_usage;
}

static int print_all(cli_arguments *arguments, slip_context *ctx)
{
    printf("The friction force is law x normal_force, against the slip.\n"
           "Set-valued laws stick truly; smooth ones creep instead. Laws with memory have states\n"
           "of their own; their curves are those of steady sliding.\n");
    int code = exit_done;
    for (int i = 0; i < slip_law_count() && code == exit_done; i++) {
        putchar('\n');
        code = print_law(arguments, ctx, slip_law_at(i));
    }
    return code;
}

static int print_one(cli_arguments *arguments, slip_context *ctx)
{
    const char *name = arguments->operands[0];
    nearest_name nearest = nearest_start(name, strlen(name));
    for (int i = 0; i < slip_law_count(); i++) {
        const slip_law_info *info = slip_law_at(i);
        if (strcmp(info->name, name) == 0)
            return print_law(arguments, ctx, info);
        nearest_try(&nearest, info->name);
    }
    if (nearest.best)
        return fail_usage(arguments->verb, "no law `%s`; did you mean `%s`?", name, nearest.best);
    return fail_usage(arguments->verb, "no law `%s`; `slipstick laws` lists them", name);
}

static int laws(cli_arguments *arguments)
{
    const bool one = arguments->operand_count > 0;
    if (!one && argument_given(arguments, "set"))
        return fail_usage(arguments->verb, "`--set` needs the NAME of one law");
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return fail_memory();
    const int code = one ? print_one(arguments, ctx) : print_all(arguments, ctx);
    slip_context_destroy(ctx);
    return code;
}

static const cli_option options[] = {
    {"set", 's', "NAME=VALUE", "a parameter of the law for its plot; may be repeated"},
    {"from", 0, "VELOCITY", "left end of the plot; default -1"},
    {"to", 0, "VELOCITY", "right end of the plot; default 1"},
    {0}};

const cli_verb verb_laws = {
    .name = "laws",
    .summary = "lists the friction laws, with parameters and a small plot",
    .operands = "[NAME]",
    .operand_maximum = 1,
    .options = options,
    .about = "Lists every friction law, or the one called NAME: its formula, its parameters with\n"
             "default and range, how it is written in a model file, and a plot of the force for\n"
             "unit normal force over the slip velocity. Where the terminal takes UTF-8 the plot is\n"
             "drawn with Braille characters, elsewhere with plain ones.\n",
    .example = "slipstick laws\n"
               "slipstick laws sqrt --set epsilon=0.02 --set static_ratio=2 --from -0.3 --to 0.3\n",
    .run = laws};
