/* slipstick reproduce: runs the published examples. */
#include "files.h"
#include "job.h"
#include "report.h"
#include "verb.h"

#include "published.h"

#include <stdio.h>
#include <string.h>

static void list_examples(void)
{
    printf("Published examples:\n");
    for (int i = 0; i < paper_count; i++) {
        const paper *info = papers[i];
        printf("  %-20s %s\n", info->name, info->summary);
        printf("  %-20s %s\n", "", info->publication);
        printf("  %-20s figures:", "");
        for (const paper_figure *f = info->figures; f->name; f++)
            printf(" %s", f->name);
        printf("\n");
        if (info->full)
            printf("  %-20s --full: %s\n", "", info->full);
    }
}

static void list_figures(const paper *info)
{
    printf("%s: %s\n%s\n", info->name, info->summary, info->publication);
    for (const paper_figure *f = info->figures; f->name; f++) {
        char name[80];
        snprintf(name, sizeof name, "%s/%s", info->name, f->name);
        printf("  %-30s %s\n", name, f->summary);
    }
}

static void summarise(cli_json *json, const paper *info)
{
    json_object(json, info->name);
    json_text(json, "summary", info->summary);
    json_text(json, "publication", info->publication);
    json_object(json, "figures");
    for (const paper_figure *f = info->figures; f->name; f++)
        json_text(json, f->name, f->summary);
    json_end(json);
    json_end(json);
}

/* Of all works, or the figures of one. */
static int list(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    const char *wanted = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    bool found = !wanted;
    for (int i = 0; i < paper_count; i++) {
        const paper *info = papers[i];
        if (wanted && strcmp(info->name, wanted) != 0)
            continue;
        summarise(&job->json, info);
        if (wanted)
            list_figures(info);
        found = true;
    }
    if (!wanted)
        list_examples();
    if (found)
        return exit_done;
    return fail_usage(arguments->verb,
                      "there is no published example `%s`; `slipstick reproduce --list` lists them", wanted);
}

static void print_line(void *user, const char *line)
{
    cli_job *job = user;
    terminal_clear(&job->terminal);
    json_text(&job->json, NULL, line);
    printf("%s\n", line);
    fflush(stdout); /* a long job shows each line when it is there, also through a pipe */
}

static int run_examples(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    const char *folder = argument_text(arguments, "output", "reproduce");
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    int code = check_folder(folder);
    if (code != exit_done)
        return code;
    json_text(&job->json, "folder", folder);
    json_list(&job->json, "lines");
    const paper_printer out = {print_line, job};
    const int status = paper_reproduce(job->ctx, name, folder, argument_given(arguments, "full"), &out);
    terminal_clear(&job->terminal);
    code = report_message(status, *paper_message() ? paper_message() : slip_context_message(job->ctx));
    if (code == exit_done)
        printf("\nPictures and run folders are in %s\n", folder);
    return code;
}

static int reproduce(cli_arguments *arguments)
{
    return run_job(arguments, argument_given(arguments, "list") ? list : run_examples);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for pictures and run folders; default: reproduce"},
    {"list", 'l', NULL, "lists the published examples, or the figures of PAPER,\nand runs nothing"},
    {"full", 'f', NULL, "at the published size where there is a smaller one too"},
    {0}};

const cli_verb verb_reproduce = {
    .name = "reproduce",
    .summary = "runs the published examples, ours beside published numbers where there are any",
    .operands = "[PAPER[/FIGURE]]",
    .operand_maximum = 1,
    .common = has_summary,
    .options = options,
    .about = "Runs the published examples of PAPER (all papers when it is left out), draws the\n"
             "published figures, and prints our number beside the published one wherever there is\n"
             "one.\n",
    .list = list_examples,
    .example = "slipstick reproduce --list\n"
               "slipstick reproduce gear-impact --list\n"
               "slipstick reproduce elliptic -o elliptic-figures\n",
    .run = reproduce};
