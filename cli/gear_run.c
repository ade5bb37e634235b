#include "gear_run.h"

#include "pictures.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double drift_to_tell = 0.02;
enum { label_width = 14, name_size = 200, path_size = 4096 };

static void say_reduced(void *user, const slip_reduced *body, const char *path, int reused)
{
    terminal_clear(user);
    printf("%s: %d modes, %d surfaces; %s %s\n", slip_reduced_name(body), slip_reduced_mode_count(body),
           slip_reduced_surface_count(body), reused ? "kept" : "wrote", path);
    fflush(stdout);
}

static void label(const char *text)
{
    printf("%-*s ", label_width, text);
}

static void print_contact(const slip_gear_result *result)
{
    const double first = slip_gear_result_number(result, "first_contact");
    label("contact");
    if (isnan(first)) {
        printf("none\n");
        return;
    }
    printf("%.6g s in all, from %.6g s to %.6g s\n", slip_gear_result_number(result, "contact_time"), first,
           slip_gear_result_number(result, "last_contact"));
    label("peak force");
    printf("%.6g N\n", slip_gear_result_number(result, "peak_force"));
}

static void print_speeds(const slip_model *model, const slip_gear_result *result)
{
    char name[name_size];
    printf("\n%-*s %15s %15s\n", label_width, "speed in rad/s", "at the start", "at the end");
    for (int i = 0; i < 2; i++) {
        const char *gear = slip_model_gear(model, i)->name;
        int64_t count = 0;
        snprintf(name, sizeof name, "%.100s.speed", gear);
        const double *speed = slip_gear_result_series(result, name, &count);
        printf("%-*s %15.6g %15.6g\n", label_width, gear, speed[0], speed[count - 1]);
    }
}

static void print_ledger(const slip_model *model, const slip_gear_result *result)
{
    putchar('\n');
    label("energy");
    const double end = slip_gear_result_number(result, "energy.end");
    const double drift = slip_gear_result_number(result, "energy.drift");
    printf("%.6g J at the start, ", slip_gear_result_number(result, "energy.start"));
    if (isnan(end))
        printf("not a number at the end\n");
    else
        printf("%.6g J at the end; drift %.2g\n", end, drift);
    if (!isnan(end) && drift > drift_to_tell) {
        label("");
        printf("which is much: take a smaller step or tolerance, or smoother friction\n");
    }
    for (int i = 0; i < 2; i++) {
        char name[name_size];
        snprintf(name, sizeof name, "momentum.%.100s", slip_model_gear(model, i)->name);
        const double error = slip_gear_result_number(result, name);
        if (!isnan(error)) {
            label(i == 0 ? "momentum" : "");
            printf("error %.2g about the axis of %s\n", error, slip_model_gear(model, i)->name);
        }
    }
}

static void print_table(const slip_model *model, const slip_gear_result *result)
{
    if (*slip_model_title(model))
        printf("\n%s\n", slip_model_title(model));
    putchar('\n');
    print_contact(result);
    print_speeds(model, result);
    print_ledger(model, result);
    label("effort");
    printf("%.0f steps, %.3g s\n", slip_gear_result_number(result, "steps"),
           slip_gear_result_number(result, "wall_seconds"));
    const double first = slip_gear_result_number(result, "first_step");
    if (!isnan(first)) {
        label("");
        printf("the step was lowered from %.3g to %.3g s, which the contact stands\n", first,
               slip_gear_result_number(result, "step"));
    }
}

static bool is_explicit(const slip_model *model)
{
    const char *method = slip_model_gear_run(model)->method;
    return method && strcmp(method, "explicit") == 0;
}

static bool has_checkpoint(const char *folder)
{
    char path[path_size];
    snprintf(path, sizeof path, "%.4000s/checkpoint.h5", folder);
    return access(path, R_OK) == 0;
}

/* `ended` is the exit code that the run alone would give. */
static int show(cli_job *job, const slip_gear_result *result, int ended)
{
    const bool wants_pictures = !argument_given(job->arguments, "no-plot") && ended != exit_interrupted;
    int pictures = 0, code = json_whole_file(&job->json, job->folder, "summary.json");
    if (wants_pictures && !draw_pictures(job->ctx, job->folder, &pictures))
        ended = exit_interrupted;
    print_table(job->model, result);
    print_results_in(job->folder, ended, pictures);
    if (ended != exit_done && is_explicit(job->model) && has_checkpoint(job->folder))
        printf("The same command with --resume goes on from the checkpoint.\n");
    return ended == exit_done ? code : ended;
}

int run_gears(cli_job *job, const slip_reduce_options *reduce)
{
    const cli_arguments *arguments = job->arguments;
    slip_run_gears_options options = slip_run_gears_options_default();
    slip_gear_result *result = NULL;
    int64_t count = 0;
    options.reduce = *reduce;
    options.resume = argument_given(arguments, "resume");
    options.restart = argument_given(arguments, "restart");
    options.pictures = !argument_given(arguments, "no-plot");
    options.reduced = say_reduced;
    options.user = &job->terminal;
    if (options.resume && options.restart)
        return fail_usage(arguments->verb, "found `--resume` and `--restart`, expected one of them");
    const int status = slip_run_gears(job->ctx, job->model, &options, job->folder, &result);
    terminal_clear(&job->terminal);
    int code = report_status(job->ctx, status);
    if (result)
        slip_gear_result_series(result, "t", &count);
    /* Where the folder could not be written there is nothing to show. */
    if (count > 0 && (code == exit_done || code == exit_solver || code == exit_interrupted))
        code = show(job, result, code);
    slip_gear_result_destroy(result);
    return code;
}
