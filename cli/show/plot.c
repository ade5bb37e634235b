/* slipstick plot: draws the pictures of a run folder. */
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/result.h"

#include <stdio.h>

static void print_path(void *user, const char *path)
{
    printf("%s\n", path);
    json_text(user, NULL, path);
}

static int draw(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    slip_plot_options options = slip_plot_options_default();
    options.written = print_path;
    options.user = &job->json;
    options.quantity = argument_text(arguments, "quantity", NULL);
    options.formats = argument_text(arguments, "format", NULL);
    options.xy = argument_text(arguments, "xy", NULL);
    if (argument_number(arguments, "from", &options.from) || argument_number(arguments, "to", &options.to))
        return exit_usage;
    if (options.to <= options.from)
        return fail_usage(arguments->verb, "`--to` must be larger than `--from`");
    json_list(&job->json, "files");
    return report_status(job->ctx, slip_plot(job->ctx, arguments->operands[0], &options));
}

static const cli_option options[] = {
    {"from", 0, "TIME",
     "draws from this time on (of paths: this value of the\nparameter); default: the first recorded"},
    {"to", 0, "TIME", "draws up to this time; default: the last recorded"},
    {"quantity", 'y', "NAME[,...]", "of paths: what is drawn over the parameter, a panel for each"},
    {"xy", 0, "A,B",
     "only one picture, xy: the series B over the series A, such\nas a loop of friction over displacement"},
    {"format", 0, "LIST", "png, svg, pdf, or several joined by commas; default: png,svg"},
    {0}};

const cli_verb verb_plot = {
    .name = "plot",
    .summary = "draws the pictures of a run folder",
    .operands = "DIR",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = has_summary,
    .options = options,
    .about =
        "Draws the results in the folder DIR with gnuplot, each picture as PNG and SVG, or as PDF: of a run\n"
        "time histories, friction force against slip velocity, velocity against displacement,\n"
        "acceleration against velocity; of gears contact force, speeds, energies, participation\n"
        "of modes; whatever the other verbs have left there. Prints the path of each file. The gnuplot "
        "script stays in the folder, to be edited\n"
        "and run again.\n",
    .example = "slipstick new first\n"
               "slipstick run first.yaml --no-plot\n"
               "slipstick plot first.run --from 10 --to 20\n"
               "slipstick plot first.run --xy x,belt.force --format pdf\n",
    .work = draw};
