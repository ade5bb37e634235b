/* slipstick reproduce: runs the published examples. */
#include "files.h"
#include "interrupt.h"
#include "report.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/run.h"

#include <stdio.h>
#include <string.h>

static void list_examples(void)
{
    printf("Published examples:\n");
    for (int i = 0; i < slip_reproduce_count(); i++) {
        const slip_reproduce_info *info = slip_reproduce_list(i);
        printf("  %-20s %s\n", info->name, info->summary);
        printf("  %-20s figures:", "");
        for (const slip_reproduce_figure *f = info->figures; f->name; f++)
            printf(" %s", f->name);
        printf("\n");
        if (info->full)
            printf("  %-20s --full: %s\n", "", info->full);
    }
}

static void list_figures(const slip_reproduce_info *info)
{
    printf("%s: %s\n", info->name, info->summary);
    for (const slip_reproduce_figure *f = info->figures; f->name; f++) {
        char name[80];
        snprintf(name, sizeof name, "%s/%s", info->name, f->name);
        printf("  %-30s %s\n", name, f->summary);
    }
}

/* Of all works, or the figures of one. */
static int list(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0) {
        list_examples();
        return exit_done;
    }
    for (int i = 0; i < slip_reproduce_count(); i++)
        if (strcmp(slip_reproduce_list(i)->name, arguments->operands[0]) == 0) {
            list_figures(slip_reproduce_list(i));
            return exit_done;
        }
    return fail_usage(arguments->verb,
                      "there is no published example `%s`; `slipstick reproduce --list` lists them",
                      arguments->operands[0]);
}

static void print_line(void *user, const char *line)
{
    terminal_clear(user);
    printf("%s\n", line);
    fflush(stdout); /* a long job shows each line when it is there, also through a pipe */
}

static int reproduce(const cli_arguments *arguments)
{
    if (argument_given(arguments, "list"))
        return list(arguments);
    const char *folder = argument_text(arguments, "output", "reproduce");
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    int code = check_folder(folder);
    if (code != exit_done)
        return code;
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return fail_memory();
    cli_terminal terminal;
    terminal_open(&terminal, ctx, argument_given(arguments, "quiet"));
    interrupt_begin(ctx);
    const int status =
        slip_reproduce(ctx, name, folder, argument_given(arguments, "full"), print_line, &terminal);
    interrupt_end();
    terminal_clear(&terminal);
    code = report_status(ctx, status);
    if (code == exit_done)
        printf("\nPictures and run folders are in %s\n", folder);
    slip_context_destroy(ctx);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for pictures and run folders; default: reproduce"},
    {"list", 'l', NULL, "lists the published examples, or the figures of PAPER,\nand runs nothing"},
    {"full", 'f', NULL, "at the published size where there is a smaller one too"},
    {"quiet", 'q', NULL, "no progress"},
    {0}};

const cli_verb verb_reproduce = {
    .name = "reproduce",
    .summary = "runs the published examples, ours beside published numbers where there are any",
    .operands = "[PAPER[/FIGURE]]",
    .operand_maximum = 1,
    .options = options,
    .about = "Runs the published examples of PAPER (all papers when it is left out), draws the\n"
             "published figures, and prints our number beside the published one wherever there is\n"
             "one.\n",
    .list = list_examples,
    .example = "slipstick reproduce --list\n"
               "slipstick reproduce gear-impact --list\n"
               "slipstick reproduce elliptic -o elliptic-figures\n",
    .run = reproduce};
