/* slipstick modes: natural frequencies, damping and growth of small motions. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/axis.h"
#include "slipstick/modes.h"

#include <stdio.h>

enum { modes_shown = 40, names_shown = 3 };

/* The coordinates that have most of the energy of mode k, which is the k-th of `count`. */
static void print_participation(const slip_result *result, int64_t k, int64_t count)
{
    int64_t rows = 0;
    const double *part = slip_result_series(result, "shapes.participation", &rows);
    const int64_t width = count > 0 ? rows / count : 0;
    bool shown[names_shown] = {false};
    int64_t order[names_shown];
    for (int place = 0; place < names_shown; place++) {
        int64_t best = -1;
        for (int64_t i = k * width; i < (k + 1) * width; i++) {
            bool before = false;
            for (int other = 0; other < place; other++)
                before = before || (shown[other] && order[other] == i);
            if (!before && part[i] > 0.05 && (best < 0 || part[i] > part[best]))
                best = i;
        }
        shown[place] = best >= 0;
        order[place] = best;
        if (best >= 0)
            printf("%s%s %.0f %%", place > 0 ? ", " : "  ", slip_result_word(result, "shapes.name", best),
                   100 * part[best]);
    }
    printf("\n");
}

static void print_modes(const slip_result *result)
{
    int64_t count = 0;
    const double *frequency = slip_result_series(result, "frequency", &count),
                 *real = slip_result_series(result, "real", NULL),
                 *imaginary = slip_result_series(result, "imaginary", NULL),
                 *ratio = slip_result_series(result, "damping_ratio", NULL);
    if (count == 0)
        printf("no motion is left: the contacts that stick or are closed hold every coordinate\n");
    else
        printf("%5s %16s %16s %16s %14s  %s\n", "mode", "frequency", "real", "imaginary", "damping ratio",
               "energy of");
    /* of many, those that oscillate or grow */
    for (int64_t k = 0, shown = 0; k < count && shown < modes_shown; k++) {
        if (count > modes_shown && ratio[k] > 0.999)
            continue;
        shown++;
        printf("%5d %16.9g %16.9g %16.9g %14.6g", (int)k + 1, frequency[k], real[k], imaginary[k], ratio[k]);
        print_participation(result, k, count);
    }
    if (count > modes_shown)
        printf("(%d modes in all, also those that die out without oscillation; modes.csv has them)\n",
               (int)count);
    const int infinite = (int)slip_result_number(result, "infinite"),
              unstable = (int)slip_result_number(result, "unstable");
    if (infinite > 0)
        printf("\n%d eigenvalue%s infinite: coordinates without mass\n", infinite,
               infinite == 1 ? " is" : "s are");
    if (unstable > 0)
        printf("\n%d mode%s\n", unstable, unstable == 1 ? " grows" : "s grow");
}

static void print_labels(slip_result *result)
{
    const int count = (int)slip_result_label_count(result);
    const char *parameter = slip_result_text(result, "parameter");
    printf("%d modes over %s from %g to %g\n\n", (int)slip_result_number(result, "count"), parameter,
           slip_result_number(result, "low"), slip_result_number(result, "high"));
    if (count == 0)
        printf("none begins or ends to grow; %d grow at the end\n",
               (int)slip_result_number(result, "unstable"));
    else
        printf("%6s %5s %22s  %s\n", "label", "type", parameter, "what");
    for (int k = 0; k < count; k++) {
        const slip_label *label = slip_result_label(result, k);
        printf("%6d %5s %22.15g  %s%s%s to %s%s%s\n", label->number, label->type, label->value,
               label->contact, *label->contact ? ": " : "", label->from, label->to, *label->note ? ": " : "",
               label->note);
    }
}

static void print_result(slip_result *modes)
{
    if (slip_result_text(modes, "parameter"))
        print_labels(modes);
    else
        print_modes(modes);
}

/* --over; `axis` keeps the name. */
static int read_over(const cli_job *job, slip_axis *axis, slip_modes_options *options)
{
    const char *text = argument_text(job->arguments, "over", NULL);
    if (!text)
        return exit_done;
    if (slip_axis_parse(job->ctx, text, axis) < 0)
        return fail_usage(job->arguments->verb, "--over: %s", slip_context_message(job->ctx));
    if (axis->list || axis->logarithmic || axis->count > 1000000)
        return fail_usage(job->arguments->verb,
                          "--over: found `%s`, expected a range NAME=FROM:TO:COUNT, such as mu=0:1:51", text);
    options->parameter = axis->name;
    options->low = axis->from;
    options->high = axis->to;
    if (axis->count > 0)
        options->points = (int)axis->count;
    return exit_done;
}

static int find(cli_job *job)
{
    slip_modes_options options = slip_modes_options_default();
    slip_result *modes = NULL;
    slip_axis axis = {0};
    int code = read_over(job, &axis, &options);
    if (code == exit_done)
        code = argument_count(job->arguments, "count", 1, 1000, &options.count);
    options.about = argument_text(job->arguments, "about", NULL);
    if (code == exit_done)
        code = job_ended(job, slip_modes_solve(job->ctx, job->model, &options, &modes));
    code = keep_result(job, modes, job->folder, false, print_result, code);
    slip_axis_free(&axis);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"about", 'a', "STATE",
     "rest (default): the initial state of the model; static or\nsliding: "
     "an equilibrium, contacts at rest or "
     "sliding on\nwhat moves"},
    {"over", 0, "NAME=FROM:TO:COUNT", "follows the modes over a parameter"},
    {"count", 0, "N", "of a model with whole bodies: the N lowest modes; default 40"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_modes = {
    .name = "modes",
    .summary = "natural frequencies, damping, and where friction makes modes grow",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Finds the eigenvalues s = real + i imaginary of small motions of the model FILE about\n"
             "a state, and their shapes: q = Re(shape exp(s t)). The frequency is imaginary/(2 pi),\n"
             "the damping ratio -real/|s|; a positive real part is growth. Contacts go on doing\n"
             "what they do at the state: closed gaps and sticking contacts hold, sliding ones have\n"
             "the friction of their normal force, so that modes may couple and grow (squeal).\n"
             "\n"
             "With --over the modes are followed over a parameter, each by its shape, and it is\n"
             "located where flutter (FL) or divergence (DV) begins or ends, and where contacts\n"
             "change what they do (MC). The results go to a folder, called like FILE with `.modes`\n"
             "for its ending: modes.csv, shapes.csv, contacts.csv (what each contact adds to the\n"
             "growth), labels.csv with --over, result.h5, summary.json, model.yaml, and a picture.\n",
    .example = "slipstick new squeal --template squeal\n"
               "slipstick modes squeal.yaml --about sliding\n"
               "slipstick modes squeal.yaml --about sliding --over mu=0:1.2:61 -o map.modes\n",
    .ending = ".modes",
    .work = find};
