#include "help/help.h"

#include "help/manual.h"
#include "nearest.h"
#include "report.h"

#include "slipstick/base.h"

#include <string.h>

void print_general_help(FILE *file)
{
    fprintf(file,
            "slipstick %s: simulation of mechanical systems with dry friction\n"
            "\n"
            "Usage: slipstick VERB ...\n"
            "\n",
            slip_version());
    for (int i = 0; verbs[i]; i++)
        fprintf(file, "  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\n", file);
    print_general_end(file);
}

void print_general_end(FILE *file)
{
    fputs("`slipstick help VERB` explains each one, with an example that works as typed.\n"
          "\n"
          "FILE is a model file, or `-` for standard input. Verbs that compute take --json (the\n"
          "summary on standard output, nothing else) and -q (warnings and errors only).\n"
          "\n"
          "First steps:\n"
          "    slipstick new first\n"
          "    slipstick check first.yaml\n"
          "    slipstick run first.yaml\n"
          "\n"
          "Exit codes:\n"
          "  0    done\n"
          "  1    usage: a wrong verb, option or argument\n"
          "  2    the model is wrong\n"
          "  3    the solver could not go on; what was computed is kept\n"
          "  4    a file could not be read or written\n"
          "  130  interrupted by Ctrl-C or SIGTERM; what was computed is kept\n",
          file);
}

static void print_option(const cli_option *option)
{
    char left[48];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
             option->value ? " " : "", option->value ? option->value : "");
    printf("  %-26s ", left);
    /* Lines after the first are indented under the first. */
    for (const char *c = option->help; *c; c++) {
        putchar(*c);
        if (*c == '\n')
            printf("%29s", "");
    }
    putchar('\n');
}

void print_verb_help(const cli_verb *verb)
{
    const cli_option *option;
    printf("slipstick %s: %s\n\nUsage: slipstick %s%s%s%s\n\n%s\nOptions:\n", verb->name, verb->summary,
           verb->name, verb->options || verb->common ? " [OPTIONS]" : "", *verb->operands ? " " : "",
           verb->operands, verb->about);
    for (int i = 0; (option = verb_option(verb, i)); i++)
        print_option(option);
    if (verb->list) {
        putchar('\n');
        verb->list();
    }
    printf("\nExample:\n");
    print_indented(verb->example);
}

static int run_help(cli_arguments *arguments)
{
    const char *shell = argument_text(arguments, "completion", NULL);
    const bool manual = argument_given(arguments, "man");
    if (shell)
        return print_completion(shell);
    if (arguments->operand_count == 0) {
        if (manual)
            print_general_manual();
        else
            print_general_help(stdout);
        return exit_done;
    }
    const char *name = arguments->operands[0];
    const cli_verb *verb = verb_find(name);
    if (verb) {
        if (manual)
            print_verb_manual(verb);
        else
            print_verb_help(verb);
        return exit_done;
    }
    nearest_name nearest = nearest_start(name, strlen(name));
    for (int i = 0; verbs[i]; i++)
        nearest_try(&nearest, verbs[i]->name);
    if (nearest.best)
        return fail_usage(NULL, "no verb `%s`; did you mean `slipstick help %s`?", name, nearest.best);
    return fail_usage(NULL, "no verb `%s`", name);
}

static int run_version(cli_arguments *arguments)
{
    (void)arguments;
    printf("slipstick %s\n", slip_version());
    return exit_done;
}

static const cli_option options[] = {
    {"man", 0, NULL, "prints a manual page, for man(1)"},
    {"completion", 0, "SHELL", "prints the script by which bash or zsh completes\nverbs and options"},
    {0}};

const cli_verb verb_help = {.name = "help",
                            .summary = "explains the verbs",
                            .operands = "[VERB]",
                            .operand_maximum = 1,
                            .options = options,
                            .about = "Without VERB: the list of verbs and the exit codes.\n",
                            .example = "slipstick help run\n"
                                       "slipstick help --man run >slipstick-run.1\n"
                                       "slipstick help --completion bash >slipstick.bash\n",
                            .run = run_help};

const cli_verb verb_version = {.name = "version",
                               .summary = "prints the program's version",
                               .operands = "",
                               .about = "`slipstick --version` does the same.\n",
                               .example = "slipstick version\n",
                               .run = run_version};
