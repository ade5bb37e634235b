#include "job.h"

#include "files.h"
#include "interrupt.h"
#include "mpi/crew.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int work_on(cli_job *job, job_work work)
{
    interrupt_begin(job->ctx);
    const int code = work(job);
    interrupt_end();
    terminal_clear(&job->terminal);
    json_finish(&job->json);
    return code;
}

int job_ended(cli_job *job, int status)
{
    terminal_clear(&job->terminal);
    return report_status(job->ctx, status);
}

static int open_job(cli_job *job, cli_arguments *arguments)
{
    *job = (cli_job){.arguments = arguments, .ctx = slip_context_create(), .json = {.file = arguments->json}};
    if (!job->ctx)
        return fail_memory();
    slip_context_set_crew(job->ctx, crew_of_program());
    terminal_open(&job->terminal, job->ctx, arguments->quiet);
    return exit_done;
}

int run_job(cli_arguments *arguments, job_work work)
{
    cli_job job;
    int code = open_job(&job, arguments);
    if (code == exit_done)
        code = work_on(&job, work);
    slip_context_destroy(job.ctx);
    return code;
}

/* All of standard input with a zero behind it; NULL when out of memory. */
static char *read_input(size_t *size)
{
    size_t room = 65536;
    char *text = malloc(room);
    *size = 0;
    for (size_t count = 1; text && count > 0; *size += count) {
        if (room - *size < 2) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
        count = text ? fread(text + *size, 1, room - *size - 1, stdin) : 0;
    }
    if (text)
        text[*size] = '\0';
    return text;
}

static int parse_input(cli_job *job, const char *const *settings)
{
    size_t size;
    char *text = read_input(&size);
    int code = exit_done;
    if (!text)
        return fail_memory();
    if (ferror(stdin)) {
        code = fail_io("cannot read standard input");
    } else if (strlen(text) < size) {
        fputs("<stdin>: not a text file: found byte 0x00, expected UTF-8 text\n", stderr);
        code = exit_model;
    } else {
        code = report_status(job->ctx, slip_model_parse(job->ctx, text, "<stdin>", settings, &job->model));
    }
    free(text);
    return code;
}

/* Refuses to write results over the model file itself: a model.yaml that the program has not made. */
static int check_model(const char *path, const char *folder)
{
    char own[4096], line[300];
    struct stat model, target;
    bool listed = false;
    snprintf(own, sizeof own, "%.4000s/model.yaml", folder);
    if (stat(path, &model) != 0 || stat(own, &target) != 0 || model.st_ino != target.st_ino ||
        model.st_dev != target.st_dev)
        return exit_done;
    snprintf(own, sizeof own, "%.4000s/.files", folder);
    FILE *list = fopen(own, "r");
    while (list && fgets(line, sizeof line, list))
        listed = listed || strcmp(line, "model.yaml\n") == 0;
    if (list)
        fclose(list);
    if (listed)
        return exit_done;
    errno = EEXIST;
    return fail_io("the results in `%s` would replace %s, the model itself; name another folder with -o",
                   folder, path);
}

int run_job_on_model(cli_arguments *arguments, int operand, const char *ending, job_work work)
{
    const char *path = arguments->operands[operand];
    const bool input = strcmp(path, "-") == 0;
    const char **settings = argument_list(arguments, "set");
    cli_job job;
    int code = open_job(&job, arguments);
    job.own = folder_name(input ? "stdin" : path, ending ? ending : "");
    job.folder = argument_text(arguments, "output", job.own);
    if (code == exit_done && !(settings && job.own))
        code = fail_memory();
    if (code == exit_done)
        code = input ? parse_input(&job, settings)
                     : report_status(job.ctx, slip_model_load_with(job.ctx, path, settings, &job.model));
    if (code == exit_done && ending)
        code = check_folder(job.folder);
    if (code == exit_done && ending && !input)
        code = check_model(path, job.folder);
    if (code == exit_done)
        code = work_on(&job, work);
    slip_model_destroy(job.model);
    free(job.own);
    free(settings);
    slip_context_destroy(job.ctx);
    return code;
}
