/* slipstick fmu: packs a model for other simulators. */
#include "files.h"
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/fmu.h"

#include <stdio.h>
#include <stdlib.h>

static void print_contents(cli_job *job, const char *path, const slip_fmu_contents *in)
{
    printf("%s: FMI 3.0, %sco-simulation, for Linux on x86-64\n"
           "%d continuous states, %d event indicators, %d outputs, %d parameters, %d inputs\n",
           path, in->exchange ? "model exchange and " : "", in->states, in->indicators, in->outputs,
           in->parameters, in->inputs);
    if (!in->exchange)
        printf("without model exchange: %s\n", in->reason);
    json_text(&job->json, "file", path);
    json_list(&job->json, "kinds");
    if (in->exchange)
        json_text(&job->json, NULL, "ModelExchange");
    json_text(&job->json, NULL, "CoSimulation");
    json_end(&job->json);
    json_number(&job->json, "states", in->states);
    json_number(&job->json, "indicators", in->indicators);
    json_number(&job->json, "outputs", in->outputs);
    json_number(&job->json, "parameters", in->parameters);
    json_number(&job->json, "inputs", in->inputs);
}

static int pack(cli_job *job)
{
    slip_fmu_options options = slip_fmu_options_default();
    slip_fmu_contents contents;
    char *text = NULL, *own = folder_name(job->own, ".fmu");
    const char **names = NULL, *path = argument_text(job->arguments, "output", own);
    int code = own ? argument_words(job->arguments, "input", &text, &names) : fail_memory();
    options.inputs = names;
    options.identifier = argument_text(job->arguments, "identifier", NULL);
    if (code == exit_done)
        code = report_status(job->ctx, slip_fmu_save(job->ctx, job->model, path, &options, &contents));
    if (code == exit_done)
        print_contents(job, path, &contents);
    free(own);
    free(names);
    free(text);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "NAME.fmu", "the file to write; default: FILE with `.fmu` for its ending"},
    {"input", 'i', "NAMES", "parameters that other models drive while it runs: a,b"},
    {"identifier", 0, "NAME", "name of the binary inside; default: that of FILE"},
    {0}};

const cli_verb verb_fmu = {
    .name = "fmu",
    .summary = "packs a model as an FMU (FMI 3.0) for other simulators",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Packs the model FILE, the files that it reads and the library as a functional mock-up\n"
             "unit of FMI 3.0, for model exchange and co-simulation on Linux, x86-64. Coordinates,\n"
             "velocities and states are its continuous states, which jump at impacts; every\n"
             "contact has event indicators by name and its mode as an output; parameters are\n"
             "tunable, and those of --input are inputs. docs/fmi.md says what works how.\n",
    .example = "slipstick new first\n"
               "slipstick fmu first.yaml\n"
               "slipstick fmu first.yaml --input vb -o driven.fmu\n",
    .work = pack};
