#include "show/pictures.h"

#include "mpi/crew.h"
#include "report.h"

#include "slipstick/result.h"

#include <stdio.h>

static void count_picture(void *user, const char *path)
{
    (void)path;
    ++*(int *)user;
}

bool draw_pictures(slip_context *ctx, const char *folder, int *count)
{
    slip_plot_options options = slip_plot_options_default();
    options.written = count_picture;
    options.user = count;
    const int status = slip_plot(ctx, folder, &options);
    if (status < 0)
        warn("no pictures: %s", slip_context_message(ctx));
    return status != SLIP_INTERRUPTED;
}

void print_results_in(const char *folder, int ended, int pictures)
{
    printf("\n%s in %s\n", ended == exit_done ? "Results" : "What was computed until then is", folder);
    if (pictures > 0)
        printf("Pictures (%d files, PNG and SVG) are there too.\n", pictures);
    else
        printf("Next: slipstick plot %s\n", folder);
}

int keep_result(cli_job *job, slip_result *result, const char *folder, bool empty,
                void (*print)(slip_result *result), int ended)
{
    const bool writes =
        result && !(crew_of_program() && crew_of_program()->rank > 0); /* the first process does */
    const int code = writes ? report_status(job->ctx, slip_result_save(job->ctx, result, folder)) : exit_done;
    int pictures = 0;
    if (writes && code == exit_done) {
        json_whole(&job->json, slip_result_summary(job->ctx, result));
        if (!argument_given(job->arguments, "no-plot") && ended == exit_done && !empty &&
            !draw_pictures(job->ctx, folder, &pictures))
            ended = exit_interrupted;
        if (print)
            print(result);
        print_results_in(folder, ended, pictures);
    }
    slip_result_destroy(result);
    return code != exit_done ? code : ended;
}
