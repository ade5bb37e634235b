#include "gear/select.h"

#include "files.h"
#include "gear/bodies.h"

#include "report.h"

#include <math.h>
#include <stdio.h>

/* Where the rows go. */
typedef struct row_sink {
    cli_job *job;
    FILE *csv;
    int count; /* of rows so far */
} row_sink;

static void print_head(const slip_model *model, FILE *csv)
{
    const char *first = slip_model_gear(model, 0)->name, *second = slip_model_gear(model, 1)->name;
    printf("\n%-14s %8s %8s %10s %12s %12s %14s %10s\n", "changed", "modes", "modes", "penalty", "peak force",
           "contact", "final speed", "change");
    printf("%-14s %8.8s %8.8s %10s %12s %12s %14.14s %10s\n", "", first, second, "N/m", "N", "us", second,
           "%");
    fprintf(csv,
            "changed,modes_%s,modes_%s,penalty,peak_force,contact_time,final_speed,change,matters,kept\n",
            first, second);
}

static void summarise_row(cli_json *json, const slip_gear_select_row *row)
{
    json_object(json, NULL);
    json_text(json, "changed", row->what);
    json_list(json, "modes");
    for (int k = 0; k < 2; k++)
        json_number(json, NULL, row->modes[k]);
    json_end(json);
    json_number(json, "penalty", row->penalty);
    json_number(json, "peak_force", row->peak_force);
    json_number(json, "contact_time", row->contact_time);
    json_number(json, "final_speed", row->speed);
    json_number(json, "change", row->change);
    json_flag(json, "matters", row->matters);
    json_flag(json, "kept", row->kept);
    json_end(json);
}

static void print_row(void *user, const slip_gear_select_row *row)
{
    row_sink *sink = user;
    terminal_clear(&sink->job->terminal);
    if (sink->count++ == 0)
        print_head(sink->job->model, sink->csv);
    summarise_row(&sink->job->json, row);
    printf("%-14.14s %8d %8d %10.3g %12.5g %12.5g %14.6g ", row->what, row->modes[0], row->modes[1],
           row->penalty, row->peak_force, 1e6 * row->contact_time, row->speed);
    if (isnan(row->change))
        printf("%10s\n", "-");
    else
        printf("%10.3f%s\n", 100 * row->change, row->matters ? "" : "  no need");
    fflush(stdout);
    fprintf(sink->csv, "%s,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%d\n", row->what, row->modes[0],
            row->modes[1], row->penalty, row->peak_force, row->contact_time, row->speed, row->change,
            row->matters, row->kept);
}

static int search(cli_job *job, const slip_gear_select_options *options, slip_reduced *const bodies[2],
                  row_sink *sink)
{
    const slip_model *model = job->model;
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    const slip_reduced *const fixed[2] = {bodies[0], bodies[1]};
    slip_gear_run_options chosen;
    json_list(&job->json, "runs");
    const int status = slip_gear_select(job->ctx, gears, fixed, options, print_row, sink, &chosen);
    json_end(&job->json);
    terminal_clear(&job->terminal);
    if (status < 0)
        return status;
    json_object(&job->json, "enough");
    for (int k = 0; k < 2; k++)
        json_number(&job->json, gears[k].name, chosen.side[k].modes);
    json_number(&job->json, "penalty", chosen.penalty);
    json_end(&job->json);
    printf("\nenough: %d modes of %s, %d of %s, penalty %.3g N/m\n", chosen.side[0].modes, gears[0].name,
           chosen.side[1].modes, gears[1].name, chosen.penalty);
    return status;
}

/* The table also goes to select.csv, where there is one row at least. */
static int search_to_file(cli_job *job, const slip_gear_select_options *options,
                          slip_reduced *const bodies[2])
{
    cli_file file;
    int code = file_begin(&file, job->folder, "select.csv");
    if (code != exit_done)
        return code;
    row_sink sink = {.job = job, .csv = file.stream};
    code = report_status(job->ctx, search(job, options, bodies, &sink));
    const int kept = file_end(&file, sink.count > 0);
    return code == exit_done ? kept : code;
}

int select_gears(cli_job *job, const slip_reduce_options *reduce)
{
    cli_arguments *arguments = job->arguments;
    const slip_model *model = job->model;
    slip_context *ctx = job->ctx;
    slip_gear_select_options options = slip_gear_select_options_default();
    const slip_gear_run_options *run = slip_model_gear_run(model);
    slip_reduced *bodies[2] = {NULL, NULL};
    if (!run) {
        fprintf(stderr, "slipstick: %s: found %d gears, expected two that meet\n", arguments->operands[1],
                slip_model_gear_count(model));
        return exit_model;
    }
    const slip_gear_run_options first = options.run;
    options.run = *run;
    options.run.penalty = first.penalty;
    for (int k = 0; k < 2; k++)
        options.run.side[k].modes = first.side[k].modes;
    int code = argument_number(arguments, "tolerance", &options.tolerance);
    if (code != exit_done)
        return code;
    if (!(options.tolerance > 0))
        return fail_usage(arguments->verb, "`--tolerance`: found %g, expected a positive number",
                          options.tolerance);
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    code = report_status(ctx, slip_gear_select_check(ctx, gears, &options));
    if (code == exit_done)
        code = report_status(ctx, reduce_gears(ctx, model, reduce, NULL, job->folder, bodies));
    if (code == exit_done)
        code = search_to_file(job, &options, bodies);
    slip_reduced_destroy(bodies[0]);
    slip_reduced_destroy(bodies[1]);
    return code;
}
