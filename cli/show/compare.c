/* slipstick compare: several methods on one model. */
#include "help/methods.h"
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/slipstick.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { name_width = 20, column = 13 };

/* The results so far. */
typedef struct table {
    cli_job *job;
    int coordinates;
    int rows;
    double *differences; /* methods x coordinates */
} table;

static void print_integer(int64_t value, int width)
{
    if (value < 0)
        printf(" %*s", width, "-");
    else
        printf(" %*lld", width, (long long)value);
}

static void print_number(double value, const char *format, int width)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    printf(" %*s", width, isnan(value) ? "-" : text);
}

static void summarise_row(cli_json *json, const slip_model *model, const slip_compare_row *row)
{
    json_object(json, NULL);
    json_text(json, "method", row->method);
    json_number(json, "steps", row->steps < 0 ? NAN : (double)row->steps);
    json_number(json, "evaluations", row->evaluations < 0 ? NAN : (double)row->evaluations);
    json_number(json, "wall_seconds", row->wall_seconds);
    json_number(json, "events", row->events < 0 ? NAN : (double)row->events);
    json_number(json, "residual", row->residual);
    json_object(json, "difference");
    for (int i = 0; i < slip_model_coordinate_count(model); i++)
        json_number(json, slip_model_coordinate_name(model, i), row->difference[i]);
    json_end(json);
    if (row->status < 0)
        json_text(json, "message", row->message);
    json_end(json);
}

static int print_row(void *user, const slip_compare_row *row)
{
    table *t = user;
    terminal_clear(&t->job->terminal);
    summarise_row(&t->job->json, t->job->model, row);
    printf("%-*s", name_width, row->method);
    print_integer(row->steps, 10);
    print_integer(row->evaluations, 12);
    print_number(row->wall_seconds, "%.3g", 10);
    print_integer(row->events, 8);
    print_number(row->residual, "%.2e", 10);
    putchar('\n');
    if (row->status < 0)
        print_indented(row->message);
    fflush(stdout); /* each row when it is there: a slow method may follow */
    memcpy(t->differences + (size_t)t->rows * (size_t)t->coordinates, row->difference,
           (size_t)t->coordinates * sizeof(double));
    t->rows++;
    return 0;
}

/* A row for each coordinate, a column for each method but the first. */
static void print_differences(const slip_model *model, const char *const *methods, const table *t)
{
    if (t->rows < 2)
        return;
    printf("\nlargest difference to %s\n%-*s", methods[0], name_width, "");
    for (int k = 1; k < t->rows; k++)
        printf(" %*s", (int)strlen(methods[k]) > column ? (int)strlen(methods[k]) : column, methods[k]);
    putchar('\n');
    for (int i = 0; i < t->coordinates; i++) {
        printf("%-*s", name_width, slip_model_coordinate_name(model, i));
        for (int k = 1; k < t->rows; k++)
            print_number(t->differences[k * t->coordinates + i], "%.3e",
                         (int)strlen(methods[k]) > column ? (int)strlen(methods[k]) : column);
        putchar('\n');
    }
}

static int tabulate(cli_job *job, const char *const *methods, int count)
{
    slip_model *model = job->model;
    table t = {.job = job, .coordinates = slip_model_coordinate_count(model)};
    t.differences = calloc((size_t)count * (size_t)t.coordinates, sizeof *t.differences);
    if (!t.differences)
        return fail_memory();
    if (*slip_model_title(model))
        printf("%s\n\n", slip_model_title(model));
    printf("%-*s %10s %12s %10s %8s %10s\n", name_width, "method", "steps", "evaluations", "seconds",
           "events", "residual");
    json_list(&job->json, "methods");
    const int status = slip_compare(job->ctx, model, methods, NULL, print_row, &t);
    terminal_clear(&job->terminal);
    print_differences(model, methods, &t);
    fflush(stdout);
    free(t.differences);
    return report_status(job->ctx, status);
}

/* "a, b,c" in place to {"a", "b", "c", NULL}; returns how many, 0 when one is empty. */
static int split(char *text, const char **names)
{
    int count = 0;
    for (char *next = text; next; count++) {
        char *name = next;
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        name += strspn(name, " ");
        name[strcspn(name, " ")] = '\0';
        if (!*name)
            return 0;
        names[count] = name;
    }
    names[count] = NULL;
    return count;
}

static bool is_method(const char *name)
{
    for (int i = 0; i < slip_method_count(); i++)
        if (strcmp(slip_method_at(i)->name, name) == 0)
            return true;
    return false;
}

/* Runs the methods. The library checks their names before anything is printed. */
static int run_methods(cli_job *job, const char *const *methods, int count)
{
    for (int k = 0; k < count; k++)
        if (!is_method(methods[k]) || slip_model_gear_count(job->model) > 0)
            return report_status(job->ctx, slip_compare(job->ctx, job->model, methods, NULL, NULL, NULL));
    return tabulate(job, methods, count);
}

static int run_list(cli_job *job)
{
    const char *given = argument_text(job->arguments, "methods", "");
    char *list = strdup(given);
    const char **methods = calloc(strlen(given) + 2, sizeof *methods);
    int code = list && methods ? exit_done : fail_memory();
    const int count = code == exit_done ? split(list, methods) : 0;
    if (code == exit_done && count == 0)
        code = fail_usage(job->arguments->verb, "`--methods` needs names with commas between them, not `%s`",
                          given);
    if (code == exit_done)
        code = run_methods(job, methods, count);
    free(methods);
    free(list);
    return code;
}

static int compare(cli_arguments *arguments)
{
    if (!argument_given(arguments, "methods"))
        return fail_usage(arguments->verb, "the methods are missing: for example `--methods event,smooth`");
    return run_job_on_model(arguments, 0, NULL, run_list);
}

static const cli_option options[] = {
    {"methods", 'm', "A,B,...", "the methods, the one to compare with first"}, {0}};

const cli_verb verb_compare = {
    .name = "compare",
    .summary = "runs several methods on one model, tabulates effort and difference",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Runs the model FILE by each of the methods, with the same record times, and prints\n"
             "for each: steps, evaluations of the equation of motion, seconds, events, and the\n"
             "residual of the contact laws (the largest over all records of what is left when gap,\n"
             "forces and slip are put into the laws). Below it, for each coordinate, the largest\n"
             "difference to the method that is named first. Nothing is written.\n"
             "\n"
             "A method that cannot run the model, or not to the end, gets its message in the table;\n"
             "the others run all the same, and the exit code is 3.\n",
    .list = list_methods,
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick compare belt.yaml --methods event,moreau --set simulate.step=2e-4\n",
    .run = compare};
