/* slipstick continue: paths of static solutions over a parameter. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/statics.h"

#include <stdio.h>
#include <string.h>

enum { labels_shown = 200 };

static void print_labels(slip_result *paths)
{
    const int count = (int)slip_result_label_count(paths),
              branches = (int)slip_result_number(paths, "branches");
    const char *parameter = slip_result_text(paths, "parameter");
    printf("%d path%s over %s\n\n", branches, branches == 1 ? "" : "s", parameter);
    printf("%6s %6s %5s %22s  %s\n", "branch", "label", "type", parameter, "what");
    for (int k = 0; k < count; k++) {
        const slip_label *label = slip_result_label(paths, k);
        if (k >= labels_shown && strcmp(label->type, "MC") == 0)
            continue;
        printf("%6d %6d %5s %22.15g  ", label->branch, label->number, label->type, label->value);
        if (label->contact[0])
            printf("%s: %s to %s%s%s\n", label->contact, label->from, label->to, label->note[0] ? "; " : "",
                   label->note);
        else
            printf("%s\n", label->note);
    }
    if (count > labels_shown)
        printf("(%d labels in all; labels.csv has the changes of modes that are left out here)\n", count);
}

/* "low:high" */
static int read_range(cli_arguments *arguments, slip_continue_options *options)
{
    const char *text = argument_text(arguments, "range", NULL), *colon = text ? strchr(text, ':') : NULL;
    char low[64];
    if (!text)
        return exit_done;
    if (colon && colon - text < (long)sizeof low) {
        memcpy(low, text, (size_t)(colon - text));
        low[colon - text] = 0;
        if (read_number(low, &options->low) && read_number(colon + 1, &options->high))
            return exit_done;
    }
    return fail_usage(arguments->verb, "--range: found `%s`, expected LOW:HIGH, such as 0:12", text);
}

static int read_options(cli_arguments *arguments, const char *folder, slip_continue_options *options)
{
    double restarts = options->restarts, label = 0;
    int code = read_range(arguments, options);
    options->parameter = argument_text(arguments, "parameter", NULL);
    options->quantity = argument_text(arguments, "quantity", NULL);
    if (code == exit_done) {
        argument_number(arguments, "start", &options->start);
        argument_number(arguments, "spacing", &options->spacing);
        argument_number(arguments, "restarts", &restarts);
        code = argument_number(arguments, "from", &label);
    }
    if (code == exit_done && argument_given(arguments, "spacing") && !(options->spacing > 0))
        code = fail_usage(arguments->verb, "--spacing: found %g, expected more than 0", options->spacing);
    if (code == exit_done && argument_given(arguments, "restarts") && !(restarts >= 0 && restarts <= 1e6))
        code = fail_usage(arguments->verb, "--restarts: found %g, expected 0 to 1e6", restarts);
    if (code == exit_done && argument_given(arguments, "from") && !(label >= 1 && label <= 1e9))
        code = fail_usage(arguments->verb, "--from: found %g, expected the number of a label", label);
    if (code != exit_done)
        return code;
    options->restarts = (int)restarts;
    if (argument_given(arguments, "from")) {
        options->from = argument_text(arguments, "of", folder);
        options->from_label = (int)label;
    }
    return code;
}

static int follow(cli_job *job)
{
    slip_continue_options options = slip_continue_options_default();
    slip_result *paths = NULL;
    int code = read_options(job->arguments, job->own, &options);
    if (code == exit_done)
        code = job_ended(job, slip_continue(job->ctx, job->model, &options, &paths));
    return keep_result(job, paths, job->folder, false, print_labels, code);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"parameter", 'p', "NAME", "the parameter to follow; default: as the model says"},
    {"range", 'r', "LOW:HIGH", "of the parameter"},
    {"start", 0, "VALUE", "where to start; default LOW. Inside the range: both ways"},
    {"spacing", 0, "PART", "largest distance of points over the range;\ndefault 0.005"},
    {"restarts", 0, "N", "values at which paths are sought that are not connected\nto the start; default 8"},
    {"from", 'f', "LABEL", "starts at a label of an earlier result, over another\nparameter"},
    {"of", 0, "DIR", "the earlier result; default: the folder of FILE"},
    {"quantity", 'y', "NAME",
     "what the picture shows over the parameter: a coordinate,\nor CONTACT.normal, "
     ".tangential, .gap, .slip"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_continue = {
    .name = "continue",
    .summary = "follows static solutions over a parameter",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Follows the static solutions of the model FILE while a parameter changes, as its\n"
             "`continue` section says: every solution at the start, through every change of contact\n"
             "modes, also where the parameter turns back, and every branch that leaves on the way.\n"
             "Then other values of the parameter are searched for solutions on no path yet.\n"
             "\n"
             "Labels: MC a change of modes, LP a fold (the parameter turns), BP a branch point, EP\n"
             "an end of the path or of the range. A path that goes to infinity ends with EP at the\n"
             "value of the pole. The results go to a folder, called like FILE with `.path` for its\n"
             "ending: path.csv, labels.csv, result.h5, summary.json, model.yaml, and a picture in\n"
             "which open contact is solid, stick dashed and slip dash-dotted.\n",
    .example = "slipstick new point --template one-point\n"
               "slipstick continue point.yaml\n"
               "slipstick continue point.yaml --from 2 --parameter F --range 0:3 -o fold.path\n",
    .ending = ".path",
    .work = follow};
