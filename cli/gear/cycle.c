#include "gear/cycle.h"

#include "files.h"
#include "gear/bodies.h"
#include "report.h"
#include "show/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_size = 4096 };

/* The file's torque, penalty, two_pass and distance; the options' torque and points. */
static int read_options(slip_context *ctx, cli_arguments *arguments, const slip_model *model,
                        slip_gear_cycle_options *o)
{
    const slip_gear_run_options *run = slip_model_gear_run(model);
    if (!run) {
        fprintf(stderr, "slipstick: %s has %d gear%s; a mesh cycle needs two\n", arguments->operands[1],
                slip_model_gear_count(model), slip_model_gear_count(model) == 1 ? "" : "s");
        return exit_model;
    }
    int code = report_status(ctx, slip_gear_cycle_options_of(ctx, model, o));
    o->smooth = !argument_given(arguments, "facets");
    if (code != exit_done)
        return code;
    argument_number(arguments, "torque", &o->torque);
    argument_count(arguments, "points", 2, 100000, &o->points);
    if (argument_number(arguments, "cycles", &o->cycles) != exit_done)
        return arguments->code;
    if (!(o->cycles > 0 && o->cycles <= 10000))
        return fail_usage(arguments->verb, "`--cycles`: found %g, expected more than 0, at most 10000",
                          o->cycles);
    if (!isfinite(o->torque) || o->torque == 0)
        return fail_usage(arguments->verb,
                          "found no torque: expected `--torque T` in N m, or `torque` of %s in the model",
                          slip_model_gear(model, 1)->name);
    if (run->friction)
        warn("the mesh cycle is without friction; that of `flanks` is left out");
    return exit_done;
}

static void print_table(const slip_gear_cycle *cycle, double width)
{
    int count;
    const slip_gear_cycle_point *points = slip_gear_cycle_points(cycle, &count);
    printf("\nposition  error/um  unloaded/um  stiffness  tangent/N/(mm um)   ratio-1  shares\n");
    for (int i = 0; i < count; i++) {
        const slip_gear_cycle_point *p = &points[i];
        printf("%8.4f  %8.4f  %11.4f  %9.3f  %17.3f  %8.1e ", p->position, 1e6 * p->error, 1e6 * p->unloaded,
               1e-9 * p->stiffness / width, 1e-9 * p->tangent / width, p->ratio - 1);
        for (int k = 0; k < p->pair_count; k++)
            printf(" %.4f", p->pairs[k].share);
        printf("\n");
    }
}

static void print_changes(const slip_gear_cycle *cycle, const slip_model *model)
{
    int count;
    const slip_gear_cycle_change *changes = slip_gear_cycle_changes(cycle, &count);
    if (count > 0)
        printf("\n");
    for (int i = 0; i < count; i++)
        printf("at %.4f tooth %d of %s and tooth %d of %s %s contact\n", changes[i].position,
               changes[i].tooth[0] + 1, slip_model_gear(model, 0)->name, changes[i].tooth[1] + 1,
               slip_model_gear(model, 1)->name, changes[i].enters ? "come into" : "leave");
}

static void print_summary(const slip_gear_cycle_summary *s)
{
    const double unit = 1e-9 / s->width;
    printf("\ncontact ratio       %.4f, under load %.4f\n", s->contact_ratio, s->loaded_ratio);
    printf("transmission error  mean %.4g um, range %.4g um; without load range %.4g um\n",
           1e6 * s->error_mean, 1e6 * s->error_range, 1e6 * s->unloaded_range);
    printf("mesh stiffness      mean %.4g, %.4g to %.4g N/(mm um)\n", unit * s->stiffness_mean,
           unit * s->stiffness_low, unit * s->stiffness_high);
    printf("torque ratio        mean 1 %+.1e of the tooth ratio, at most %.1e off\n", s->ratio_mean - 1,
           s->ratio_off);
    printf("balance of moments  %.1e\n", s->balance);
    printf("largest             %.4g N on a node, pressure %.4g MPa (Hertz)\n", s->largest,
           1e-6 * s->pressure);
}

/* Prints a note on positions without backlash, where the back flanks are in contact too. */
static void print_tight(const slip_gear_cycle *cycle)
{
    int count, tight = 0;
    const slip_gear_cycle_point *points = slip_gear_cycle_points(cycle, &count);
    for (int i = 0; i < count; i++) {
        bool back = false;
        for (int k = 0; k < points[i].pair_count; k++)
            back = back || points[i].pairs[k].share < 0;
        tight += back;
    }
    if (tight > 0)
        printf(
            "tight               at %d of %d positions the back flanks touch too (shares below 0), and\n"
            "                    stiffness means little there: a larger `flanks.distance` gives backlash\n",
            tight, count);
}

/* `ended` is the exit code of the cycle alone. */
static int show(cli_job *job, const slip_gear_cycle *cycle, int ended)
{
    const slip_gear_cycle_summary summary = slip_gear_cycle_summarise(cycle);
    slip_result *result = NULL;
    int pictures = 0, code = report_status(job->ctx, slip_gear_cycle_result(job->ctx, cycle, &result));
    if (code == exit_done)
        code = report_status(job->ctx, slip_result_save(job->ctx, result, job->folder));
    if (code == exit_done) {
        json_whole(&job->json, slip_result_summary(job->ctx, result));
        print_table(cycle, summary.width);
        print_changes(cycle, job->model);
        print_summary(&summary);
        print_tight(cycle);
        if (!argument_given(job->arguments, "no-plot") && ended != exit_interrupted &&
            !draw_pictures(job->ctx, job->folder, &pictures))
            ended = exit_interrupted;
        print_results_in(job->folder, ended, pictures);
    }
    slip_result_destroy(result);
    return ended == exit_done ? code : ended;
}

/* The folder of the bodies, which `gear reduce` and `run` make too: FILE.run, or that of --output. Free it.
 */
static char *bodies_folder(cli_arguments *arguments)
{
    const char *path = arguments->operands[1], *given = argument_text(arguments, "output", NULL);
    return given ? strdup(given) : folder_name(strcmp(path, "-") == 0 ? "stdin" : path, ".run");
}

int run_cycle(cli_job *job, const slip_reduce_options *reduce)
{
    cli_arguments *arguments = job->arguments;
    const slip_model *model = job->model;
    slip_context *ctx = job->ctx;
    slip_gear_cycle_options options;
    slip_reduced *bodies[2] = {NULL};
    slip_gear_cycle *cycle = NULL;
    if (!reduce->symmetry)
        return fail_usage(arguments->verb,
                          "found `--whole`: the mesh cycle needs bodies made with the gears' symmetry");
    int code = read_options(ctx, arguments, model, &options);
    if (code != exit_done)
        return code;
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    code = report_status(ctx, slip_gear_cycle_check(ctx, gears, &options));
    char *folder = bodies_folder(arguments);
    if (code == exit_done)
        code = folder ? report_status(ctx, reduce_gears(ctx, model, reduce, &job->terminal, folder, bodies))
                      : fail_memory();
    free(folder);
    if (code == exit_done) {
        const slip_reduced *const both[2] = {bodies[0], bodies[1]};
        code = job_ended(job, slip_gear_cycle_run(ctx, gears, both, &options, &cycle));
    }
    if (cycle)
        code = show(job, cycle, code);
    slip_gear_cycle_destroy(cycle);
    slip_reduced_destroy(bodies[0]);
    slip_reduced_destroy(bodies[1]);
    return code;
}
