/* slipstick check: reads a model, describes it, and reports what a run would refuse. */
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/slipstick.h"

#include <stdio.h>
#include <string.h>

static void summarise(cli_json *json, const slip_model *model, const char *description)
{
    json_text(json, "title", slip_model_title(model));
    json_list(json, "coordinates");
    for (int i = 0; i < slip_model_coordinate_count(model); i++)
        json_text(json, NULL, slip_model_coordinate_name(model, i));
    json_end(json);
    json_list(json, "contacts");
    for (int i = 0; i < slip_model_contact_count(model); i++)
        json_text(json, NULL, slip_model_contact_name(model, i));
    json_end(json);
    json_list(json, "gears");
    for (int i = 0; i < slip_model_gear_count(model); i++)
        json_text(json, NULL, slip_model_gear(model, i)->name);
    json_end(json);
    json_text(json, "description", description);
}

static int describe(cli_job *job)
{
    const int code = report_status(job->ctx, slip_run_check(job->ctx, job->model, NULL));
    const char *text = slip_model_describe(job->ctx, job->model);
    if (code != exit_done)
        return code;
    if (!text)
        return fail_memory();
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n')
        putchar('\n');
    summarise(&job->json, job->model, text);
    return exit_done;
}

const cli_verb verb_check = {
    .name = "check",
    .summary = "reads a model, prints what it understood; runs nothing",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .about = "Reads the model FILE and prints coordinates, matrices, loads, contacts and how it\n"
             "would be simulated, with every expression in the parameters worked out. Everything\n"
             "that is wrong with the file is listed in one go, as FILE:LINE:COLUMN: MESSAGE. What\n"
             "`run` would refuse at its start is refused here: a method that does not take a\n"
             "contact, an initial state that cannot be.\n",
    .example = "slipstick new first\n"
               "slipstick check first.yaml\n",
    .work = describe};
